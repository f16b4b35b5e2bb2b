/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of one format. The first byte is the options of reading, the rest the file.
 */
#include "fuzz/fuzz.h"
#include "fuzz/zip.h"

#include "io/fence.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

static int read_as(const char *name, const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    onefold_read_options options = fuzz_read_options(bytes[0]);
    const char *path = fuzz_save(name, bytes + 1, size - 1);
    fuzz_read(&path, 1, &options);
    return 0;
}

int fuzz_csv(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"in.csv", "in.tsv", "in.txt"};
    return size < 2 ? 0 : read_as(names[bytes[1] % 3], bytes, size);
}

int fuzz_mtx(const uint8_t *bytes, size_t size)
{
    return read_as("in.mtx", bytes, size);
}

int fuzz_npy(const uint8_t *bytes, size_t size)
{
    return read_as("in.npy", bytes, size);
}

int fuzz_mat5(const uint8_t *bytes, size_t size)
{
    return read_as("in.mat", bytes, size);
}

/* ---- HDF5, which a process of its own reads (io/fence.h) ------------------------------------- */

#ifdef ONEFOLD_WITH_HDF5

/* The reader alone, without the fence. */
static onefold_status read_unfenced(const char *path, const onefold_read_options *options)
{
    of_file file;
    onefold_status status = of_file_read(&file, fuzz_context(), path, NULL, 0);
    if (status != ONEFOLD_OK)
        return status;
    file.options = *options;
    status = of_fence_hdf(&file, strstr(path, ".mat") != NULL, NULL);
    of_file_close(&file);
    return status;
}

/* In a child, which counts what it reaches for us: libhdf5 itself may crash in a damaged file, or
 * go round in it for ever. Returns whether the file was read, or ended the child in time. */
static int read_in_a_child(const char *path, const onefold_read_options *options)
{
    enum { SECONDS = 1, READ = 0, REFUSED = 1, MORE = 600 << 10 }; /* kB, with a limit of 256 MB */
    static int shared;
    int how = 0;
    struct rusage used, before;
    if (!shared)
        fuzz_share_counters();
    shared = 1;
    pid_t child = fork();
    fuzz_demand(child >= 0, "there can be a child");
    if (child == 0) {
        struct rlimit limit;
        if (getrlimit(RLIMIT_CPU, &limit) == 0) {
            limit.rlim_cur = SECONDS;
            (void)setrlimit(RLIMIT_CPU, &limit);
        }
        _exit(read_unfenced(path, options) == ONEFOLD_OK ? READ : REFUSED);
    }
    pid_t ended;
    while ((ended = wait4(child, &how, 0, &used)) < 0 && errno == EINTR) /* libFuzzer's clock */
        ;
    fuzz_demand(ended == child, "a child can be waited for");
    getrusage(RUSAGE_SELF, &before);
    fuzz_demand(used.ru_maxrss < before.ru_maxrss + MORE, "reading keeps to its memory");
    return WIFEXITED(how) ? WEXITSTATUS(how) == READ : WTERMSIG(how) != SIGXCPU;
}

/* What the reader takes, or what ends it, is read behind the fence too, where a crash is an error.
 * Was it one of libhdf5? Some inputs are kept in the folder ONEFOLD_FUZZ_CRASHED, to be run again
 * with ONEFOLD_FUZZ_UNFENCED, which reads in the target's own process. */
static int read_hdf(const char *name, const uint8_t *bytes, size_t size)
{
    static int kept;
    if (size < 2)
        return 0;
    onefold_read_options options = fuzz_read_options(bytes[0]);
    const char *path = fuzz_save(name, bytes + 1, size - 1),
               *folder = getenv("ONEFOLD_FUZZ_CRASHED");
    if (getenv("ONEFOLD_FUZZ_UNFENCED"))
        return (void)read_unfenced(path, &options), 0;
    if (!read_in_a_child(path, &options))
        return 0;
    fuzz_read(&path, 1, &options);
    if (!folder || kept >= 100 || !strstr(onefold_last_error(), "HDF5 crashed"))
        return 0;
    char to[512];
    snprintf(to, sizeof to, "%s/%s-%d", folder, name, kept++);
    FILE *file = fopen(to, "wb");
    if (file) {
        fuzz_demand(fwrite(bytes, 1, size, file) == size, "the input can be saved");
        fclose(file);
    }
    return 0;
}

#else

static int read_hdf(const char *name, const uint8_t *bytes, size_t size)
{
    return read_as(name, bytes, size);
}

#endif

int fuzz_mat73(const uint8_t *bytes, size_t size)
{
    return read_hdf("in73.mat", bytes, size);
}

int fuzz_h5ad(const uint8_t *bytes, size_t size)
{
    return read_hdf(size && bytes[0] & 1 ? "in.h5mu" : "in.h5ad", bytes, size);
}

int fuzz_npz(const uint8_t *bytes, size_t size)
{
    if (size < 2 || size > 1 << 20)
        return 0;
    uint8_t *copy = malloc(size);
    fuzz_demand(copy != NULL, "there is memory");
    memcpy(copy, bytes, size);
    fuzz_zip_repair(copy + 1, size - 1);
    read_as("in.npz", copy, size);
    free(copy);
    return 0;
}

/* What zlib makes of the bytes, behind `before` bytes that are left free. */
static uint8_t *pack(const uint8_t *bytes, size_t size, int window, size_t before, size_t *length)
{
    uLong room = compressBound((uLong)size) + 32;
    uint8_t *packed = malloc(before + room);
    z_stream stream = {.next_in = (Bytef *)bytes, .avail_in = (uInt)size};
    fuzz_demand(packed && deflateInit2(&stream, 1, Z_DEFLATED, window, 8, 0) == Z_OK, "zlib works");
    stream.next_out = packed + before;
    stream.avail_out = (uInt)room;
    fuzz_demand(deflate(&stream, Z_FINISH) == Z_STREAM_END, "zlib packs");
    *length = (size_t)stream.total_out;
    deflateEnd(&stream);
    return packed;
}

/* An even first byte: the rest is the packed file. Odd: the rest is packed here, so that what lies
 * behind the checksum is reached, and cut short where the second byte says so. */
int fuzz_gz(const uint8_t *bytes, size_t size)
{
    size_t length;
    if (size < 3 || !(bytes[0] & 1) || size > 1 << 20)
        return read_as("in.csv.gz", bytes, size);
    uint8_t *packed = pack(bytes + 2, size - 2, MAX_WBITS + 16, 1, &length);
    packed[0] = bytes[0];
    read_as("in.csv.gz", packed, 1 + length - (bytes[1] & 1 ? bytes[1] % (length + 1) : 0));
    free(packed);
    return 0;
}

/* The rest is what a compressed variable of MATLAB 5 holds; the second byte says how much of it is
 * cut off, and how far the size that is stated is wrong. */
int fuzz_mat5z(const uint8_t *bytes, size_t size)
{
    enum { HEADER = 128, TAG = 8, COMPRESSED = 15 };
    static const char heading[] = "MATLAB 5.0 MAT-file, made by a target";
    size_t length;
    if (size < 3 || size > 1 << 20)
        return 0;
    uint8_t *packed = pack(bytes + 2, size - 2, MAX_WBITS, 1 + HEADER + TAG, &length);
    uint32_t tag[2] = {COMPRESSED, (uint32_t)length + (bytes[1] & 2 ? bytes[1] : 0)};
    packed[0] = bytes[0];
    memset(packed + 1, ' ', HEADER);
    memcpy(packed + 1, heading, sizeof heading - 1);
    memcpy(packed + 1 + HEADER - 4, "\0\1IM", 4);
    memcpy(packed + 1 + HEADER, tag, TAG);
    read_as("in.mat", packed,
            1 + HEADER + TAG + length - (bytes[1] & 1 ? bytes[1] % (length + 1) : 0));
    free(packed);
    return 0;
}
