/* SPDX-License-Identifier: Apache-2.0 */
/* Output files that appear whole or not at all; inputs that no output may overwrite; outputs that
 * are placed together. */
#include "io/atomic_file.h"

#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 1 << 16 };

static onefold_status cannot_write(const of_atomic_file *file, int reason)
{
    onefold_status status =
        of_fail(ONEFOLD_IO, "%s cannot be written: %s", file->path, strerror(reason));
    if (reason == ENOSPC || reason == EDQUOT)
        return of_hint(status, "free some space, or write to another disk");
    if (reason == ENOENT || reason == ENOTDIR)
        return of_hint(status, "make its folder first");
    return status;
}

/* The folder of a path, "." where it names none. */
static onefold_status folder_of(of_atomic_file *file, const char *path, const char **folder)
{
    const char *slash = strrchr(path, '/');
    return OF_TEXT(&file->arena, folder, "%.*s",
                   !slash          ? 1
                   : slash == path ? 1
                                   : (int)(slash - path),
                   slash ? path : ".");
}

/* Reads a link: its text, without a closing zero, and *owner. Returns its length; -1: no link. */
static ssize_t read_link(const char *path, char *text, size_t size, uid_t *owner)
{
    struct stat about;
    int link = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    ssize_t length = -1;
    if (link >= 0 && fstat(link, &about) == 0 && S_ISLNK(about.st_mode)) {
        length = readlinkat(link, "", text, size);
        *owner = about.st_uid;
    }
    if (link >= 0)
        close(link);
    return length;
}

/* Follows symbolic links: the target is replaced or made, and the link stays. Reading a link passes
 * the system's check of who may follow it (fs.protected_symlinks), which is therefore made here: in
 * a folder like /tmp, a link is followed that is the user's own or of the owner of the folder. */
static onefold_status find_place(of_atomic_file *file, const char *path)
{
    char *copy, target[4096];
    const char *folder;
    struct stat about;
    uid_t owner = 0;
    ssize_t length;
    OF_TRY(of_arena_string(&file->arena, &copy, "%s", path));
    for (int links = 0; (length = read_link(copy, target, sizeof target, &owner)) >= 0; links++) {
        if (links == 40 || length == sizeof target)
            return cannot_write(file, ELOOP);
        OF_TRY(folder_of(file, copy, &folder));
        if (stat(folder, &about) != 0)
            return cannot_write(file, errno);
        if ((about.st_mode & S_ISVTX) && (about.st_mode & S_IWOTH) && owner != geteuid() &&
            owner != about.st_uid)
            return of_hint(of_fail(ONEFOLD_IO,
                                   "%s cannot be written: it is a link that another user has put "
                                   "into a folder for all",
                                   file->path),
                           "name a file in a folder of your own");
        const char *slash = target[0] == '/' ? NULL : strrchr(copy, '/');
        OF_TRY(of_arena_string(&file->arena, &copy, "%.*s%.*s", slash ? (int)(slash - copy) + 1 : 0,
                               copy, (int)length, target));
    }
    file->place = copy;
    OF_TRY(folder_of(file, copy, &folder));
    if (stat(folder, &about) != 0)
        return cannot_write(file, errno);
    file->folder_device = about.st_dev;
    file->folder_number = about.st_ino;
    return ONEFOLD_OK;
}

/* The name is short for any path. 64 random bits make it impossible to guess and to occupy; the
 * process's number tells people whose file it is. */
static onefold_status open_temporary(of_atomic_file *file)
{
    const char *slash = strrchr(file->place, '/');
    int length = slash ? (int)(slash - file->place) + 1 : 0;
    char *name;
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return cannot_write(file, errno);
    OF_TRY(of_arena_string(&file->arena, &name, "%.*s.onefold-%ld-%016llx.tmp", length, file->place,
                           (long)getpid(), (unsigned long long)random));
    file->descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file->descriptor < 0)
        return cannot_write(file, errno);
    file->temporary = name;
    return ONEFOLD_OK;
}

/* Opens a device or a pipe by its own path, as a pipe like /dev/fd/63 has no other. Waits until a
 * pipe has a reader; the wait can be cancelled. */
static onefold_status open_in_place(of_atomic_file *file, int pipe)
{
    for (;;) {
        file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
        if (file->descriptor >= 0 || errno != ENXIO || !pipe)
            break;
        OF_TRY(of_context_check(file->context));
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    struct stat about;
    if (file->descriptor < 0 || fstat(file->descriptor, &about) != 0)
        return cannot_write(file, errno);
    if (S_ISREG(about.st_mode)) /* it was a device or a pipe a moment ago */
        return cannot_write(file, EEXIST);
    int flags = fcntl(file->descriptor, F_GETFL);
    if (flags < 0 || fcntl(file->descriptor, F_SETFL, flags & ~O_NONBLOCK) != 0)
        return cannot_write(file, errno);
    return ONEFOLD_OK;
}

onefold_status of_atomic_open(of_atomic_file *file, of_context *context, const char *path)
{
    memset(file, 0, sizeof *file);
    file->context = of_context_or_default(context);
    file->arena = of_arena_make(context);
    file->descriptor = -1;
    file->path = path;
    OF_TRY(OF_NEW(&file->arena, &file->block, BLOCK, 1));
    struct stat there;
    int exists = stat(path, &there) == 0; /* by the system's rules for links, too */
    if (!exists && errno != ENOENT)
        return cannot_write(file, errno);
    if (exists && S_ISDIR(there.st_mode))
        return cannot_write(file, EISDIR);
    OF_TRY(find_place(file, path));
    if (exists && !S_ISREG(there.st_mode))
        return open_in_place(file, S_ISFIFO(there.st_mode));
    OF_TRY(open_temporary(file));
    if (exists && fchmod(file->descriptor, there.st_mode & 07777) != 0)
        return cannot_write(file, errno);
    return ONEFOLD_OK;
}

/* Appends bytes, or overwrites those at *place. */
static onefold_status write_all(of_atomic_file *file, const unsigned char *bytes, size_t size,
                                const uint64_t *place)
{
    for (size_t written = 0; written < size;) {
        ssize_t done = place ? pwrite(file->descriptor, bytes + written, size - written,
                                      (off_t)(*place + written))
                             : write(file->descriptor, bytes + written, size - written);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return cannot_write(file, errno);
        if (!place)
            file->crc = (uint32_t)crc32_z(file->crc, bytes + written, (size_t)done);
        written += (size_t)done;
    }
    return ONEFOLD_OK;
}

onefold_status of_atomic_flush(of_atomic_file *file)
{
    size_t filled = file->filled;
    file->filled = 0;
    if (filled == 0)
        return ONEFOLD_OK;
    OF_TRY(of_context_check(file->context));
    return write_all(file, file->block, filled, NULL);
}

onefold_status of_atomic_write(of_atomic_file *file, const void *bytes, size_t size)
{
    file->position += size;
    if (size > BLOCK - file->filled)
        OF_TRY(of_atomic_flush(file));
    if (size >= BLOCK)
        return write_all(file, bytes, size, NULL);
    memcpy(file->block + file->filled, bytes, size);
    file->filled += size;
    return ONEFOLD_OK;
}

onefold_status of_atomic_print(of_atomic_file *file, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = of_number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return length < 0 || length >= (int)sizeof text ? of_unformatted()
                                                    : of_atomic_write(file, text, (size_t)length);
}

onefold_status of_atomic_patch(of_atomic_file *file, uint64_t position, const void *bytes,
                               size_t size)
{
    OF_TRY(of_atomic_flush(file));
    return write_all(file, bytes, size, &position);
}

onefold_status of_atomic_finish(of_atomic_file *file)
{
    OF_TRY(of_atomic_flush(file));
    if (file->temporary && fsync(file->descriptor) != 0)
        return cannot_write(file, errno);
    int closed = close(file->descriptor);
    file->descriptor = -1;
    return closed == 0 ? ONEFOLD_OK : cannot_write(file, errno);
}

/* Renames finished files to their places. */
static onefold_status place_all(of_atomic_file *const *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i]->temporary && rename(files[i]->temporary, files[i]->place) != 0)
            return cannot_write(files[i], errno);
        files[i]->temporary = NULL;
        of_atomic_abandon(files[i]);
    }
    return ONEFOLD_OK;
}

typedef struct known_file {
    dev_t device;
    ino_t number;
} known_file;

struct of_run_files {
    of_arena arena;
    pthread_mutex_t lock; /* of `read`: threads may read files */
    known_file *read;
    size_t read_count, read_room;
    of_atomic_file **held;
    size_t held_count, held_room;
    int holding;
};

/* Takes over a finished file until all outputs are placed; one written in place is done. */
static onefold_status hold(struct of_run_files *files, of_atomic_file *file)
{
    of_atomic_file *copy;
    if (!file->temporary)
        return place_all(&file, 1);
    OF_TRY(OF_GROW(&files->arena, &files->held, files->held_count, &files->held_room,
                   files->held_count + 1));
    OF_TRY(OF_NEW(&files->arena, &copy, 1, 1));
    of_arena_release(&file->arena, file->block);
    file->block = NULL;
    *copy = *file;
    /* the caller's path may be freed before the file is placed */
    OF_TRY(OF_TEXT(&files->arena, &copy->path, "%s", file->path));
    files->held[files->held_count++] = copy;
    *file = (of_atomic_file){
        .context = file->context, .arena = of_arena_make(file->context), .descriptor = -1};
    return ONEFOLD_OK;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Refuses outputs that lead to one file, be it by links to a file that is not there yet: the last
 * would replace the others. */
static onefold_status check_apart(const of_atomic_file *file, of_atomic_file *const *others,
                                  size_t count)
{
    for (size_t i = 0; file->temporary && i < count; i++)
        if (others[i]->temporary && others[i]->folder_device == file->folder_device &&
            others[i]->folder_number == file->folder_number &&
            strcmp(last_part(others[i]->place), last_part(file->place)) == 0)
            return of_hint(of_fail(ONEFOLD_USAGE, "%s and %s would write the same file, %s",
                                   others[i]->path, file->path, file->place),
                           "give them different names");
    return ONEFOLD_OK;
}

onefold_status of_run_files_place(of_atomic_file *const *files, size_t count)
{
    struct of_run_files *with = files[0]->context->run_files;
    int holding = with && with->holding;
    for (size_t i = 0; i < count; i++) {
        OF_TRY(check_apart(files[i], files, i));
        if (holding)
            OF_TRY(check_apart(files[i], with->held, with->held_count));
    }
    if (!holding)
        return place_all(files, count);
    for (size_t i = 0; i < count; i++)
        OF_TRY(hold(with, files[i]));
    return ONEFOLD_OK;
}

onefold_status of_atomic_commit(of_atomic_file *file)
{
    onefold_status status = of_atomic_finish(file);
    if (status == ONEFOLD_OK)
        status = of_run_files_place(&file, 1);
    if (status != ONEFOLD_OK)
        of_atomic_abandon(file);
    return status;
}

void of_atomic_abandon(of_atomic_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
    if (file->temporary)
        unlink(file->temporary);
    file->temporary = NULL;
    of_arena_free(&file->arena);
}

/* ---- the files of a run --------------------------------------------------------------------- */

static void drop_held(struct of_run_files *files)
{
    for (size_t i = 0; i < files->held_count; i++)
        of_atomic_abandon(files->held[i]);
    files->held_count = 0;
}

static void end(struct of_run_files *files)
{
    drop_held(files);
    pthread_mutex_destroy(&files->lock);
    of_object_free(files);
}

static int is_known(const struct of_run_files *files, const struct stat *about)
{
    for (size_t i = 0; i < files->read_count; i++)
        if (files->read[i].device == about->st_dev && files->read[i].number == about->st_ino)
            return 1;
    return 0;
}

onefold_status of_run_files_read(of_context *context, int descriptor)
{
    struct stat about;
    struct of_run_files *files = context->run_files;
    if (!files || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return ONEFOLD_OK;
    pthread_mutex_lock(&files->lock);
    onefold_status status = ONEFOLD_OK;
    int known = is_known(files, &about);
    if (!known)
        status = OF_GROW(&files->arena, &files->read, files->read_count, &files->read_room,
                         files->read_count + 1);
    if (status == ONEFOLD_OK && !known)
        files->read[files->read_count++] = (known_file){about.st_dev, about.st_ino};
    pthread_mutex_unlock(&files->lock);
    return status;
}

onefold_status onefold_context_hold_outputs(onefold_context *context)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "holding outputs needs a context");
    if (!context->run_files) {
        OF_TRY(OF_OBJECT(context, &context->run_files));
        pthread_mutex_init(&context->run_files->lock, NULL);
        context->run_files_end = end;
    }
    context->run_files->holding = 1;
    return ONEFOLD_OK;
}

onefold_status onefold_context_place_outputs(onefold_context *context)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "placing outputs needs a context");
    struct of_run_files *files = context->run_files;
    if (!files || !files->holding)
        return of_fail(ONEFOLD_USAGE, "outputs are placed that were not held before");
    files->holding = 0;
    onefold_status status =
        files->held_count ? place_all(files->held, files->held_count) : ONEFOLD_OK;
    drop_held(files);
    return status;
}

onefold_status onefold_context_check_output(onefold_context *context, const char *path)
{
    struct stat about;
    if (!context || !path)
        return of_fail(ONEFOLD_USAGE, "checking an output needs a context and a path");
    if (!context->run_files || stat(path, &about) != 0 || !is_known(context->run_files, &about))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_USAGE, "%s would overwrite the data itself", path),
                   "give it another name");
}

onefold_status onefold_text_write(const char *text, size_t size, onefold_context *context,
                                  const char *path)
{
    if (!text || !path)
        return of_fail(ONEFOLD_USAGE, "writing text needs the text and a path");
    OF_ATOMIC_FILE(file);
    OF_TRY(of_atomic_open(&file, of_context_or_default(context), path));
    OF_TRY(of_atomic_write(&file, text, size));
    return of_atomic_commit(&file);
}
