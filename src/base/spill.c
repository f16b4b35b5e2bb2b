/* SPDX-License-Identifier: Apache-2.0 */
/* Nameless files mapped into memory, on POSIX calls. */
#include "base/spill.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

static onefold_status cannot_spill(const char *folder, size_t size, int reason)
{
    char text[32];
    of_size_text(text, size);
    if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
        return of_hint(of_fail(ONEFOLD_IO, "the spill folder %s has no room for %s: %s", folder,
                               text, strerror(reason)),
                       "free some space there, or name another folder with `spill`");
    return of_hint(
        of_fail(ONEFOLD_IO, "the spill folder %s cannot hold a file: %s", folder, strerror(reason)),
        "name a folder that exists and can be written with `spill`");
}

int of_spill_open_unlinked(const char *folder)
{
    int descriptor = -1, in = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (in < 0)
        return -1;
    for (unsigned attempt = 0; descriptor < 0 && attempt <= 1000; attempt++) {
        char name[64];
        snprintf(name, sizeof name, ".onefold-%ld-%u.spill", (long)getpid(), attempt);
        descriptor = openat(in, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (descriptor >= 0)
            unlinkat(in, name, 0);
        else if (errno != EEXIST)
            break;
    }
    int reason = errno;
    close(in);
    errno = reason;
    return descriptor;
}

static int open_nameless(const char *folder)
{
#ifdef O_TMPFILE
    int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return descriptor;
#endif
    return of_spill_open_unlinked(folder);
}

/* Reserves the file's space, a piece at a time so that it can be interrupted. Returns errno's
 * number through *reason. */
static onefold_status reserve(of_context *context, int descriptor, size_t size, int *reason)
{
    static const size_t PIECE = (size_t)256 << 20;
    struct statvfs disk; /* asked first: other programs need not see the disk fill up in vain */
    *reason = 0;
    if (fstatvfs(descriptor, &disk) == 0 && disk.f_frsize && disk.f_bavail < size / disk.f_frsize)
        *reason = ENOSPC;
    for (size_t done = 0; done < size && !*reason;) {
        size_t piece = size - done < PIECE ? size - done : PIECE;
        OF_TRY(of_context_check(context));
        *reason = posix_fallocate(descriptor, (off_t)done, (off_t)piece);
        if (*reason == EINTR)
            *reason = 0;
        else
            done += piece;
    }
    return ONEFOLD_OK;
}

onefold_status of_spill_map(of_context *context, const char *folder, size_t size, void **memory)
{
    if (size > (size_t)INT64_MAX)
        return cannot_spill(folder, size, EFBIG);
    int descriptor = open_nameless(folder), reason = 0;
    if (descriptor < 0)
        return cannot_spill(folder, size, errno);
    onefold_status status = reserve(context, descriptor, size, &reason);
    void *map = MAP_FAILED;
    if (status == ONEFOLD_OK && !reason) {
        map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
        reason = map == MAP_FAILED ? errno : 0;
    }
    close(descriptor); /* the map keeps the file */
    if (status != ONEFOLD_OK)
        return status;
    if (reason)
        return cannot_spill(folder, size, reason);
    *memory = map;
    return ONEFOLD_OK;
}

void of_spill_unmap(void *memory, size_t size)
{
    munmap(memory, size);
}
