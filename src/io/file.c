/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and decompressing a file, and choosing its reader by its first bytes. Each reason why it
 * cannot be read has its own message. */
#include "base/mapped.h"
#include "base/utf8.h"
#include "io/atomic_file.h"
#include "io/find.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- decompressing -------------------------------------------------------------------------- */

static void *zlib_allocate(void *arena, unsigned items, unsigned size)
{
    void *memory = NULL;
    return of_arena_allocate(arena, &memory, size, items, 1) == ONEFOLD_OK ? memory : NULL;
}

static void zlib_release(void *arena, void *memory)
{
    of_arena_release(arena, memory);
}

static uInt most(size_t left)
{
    enum { STEP = 1 << 24 }; /* the cancel hook is called between steps */
    return left < STEP ? (uInt)left : (uInt)STEP;
}

static onefold_status start_inflate(z_stream *stream, of_arena *arena, int window)
{
    *stream = (z_stream){.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = arena};
    int code = inflateInit2(stream, window);
    if (code == Z_OK)
        return ONEFOLD_OK;
    if (code == Z_MEM_ERROR)
        return ONEFOLD_NO_MEMORY; /* with the sentence of the allocation that failed */
    return of_fail(ONEFOLD_FAULT, "zlib cannot be used (%d)", code);
}

static onefold_status damaged(const z_stream *stream, int code)
{
    if (code == Z_MEM_ERROR)
        return ONEFOLD_NO_MEMORY;
    if (code == Z_BUF_ERROR || code == Z_OK || code == Z_STREAM_END)
        return of_damaged("the compressed data are truncated");
    return of_damaged("the compressed data are damaged (%s)",
                      stream->msg ? stream->msg : "they do not decompress");
}

/* Decompresses until `room` is full, the stream ends or fails; *code is zlib's last code. */
static onefold_status unpack(of_context *context, z_stream *stream, const unsigned char *end,
                             unsigned char *out, size_t room, int *code)
{
    stream->next_out = out;
    do {
        OF_TRY(of_context_check(context));
        stream->avail_in = most((size_t)(end - stream->next_in));
        stream->avail_out = most((size_t)(out + room - stream->next_out));
        *code = inflate(stream, Z_NO_FLUSH);
        if (*code == Z_BUF_ERROR && stream->next_in < end && stream->next_out < out + room)
            *code = Z_OK;
    } while (*code == Z_OK && stream->next_out < out + room);
    return ONEFOLD_OK;
}

onefold_status of_inflate(of_context *context, int raw, const unsigned char *packed, size_t size,
                          unsigned char *out, size_t room, int whole, size_t *got)
{
    OF_SCRATCH(scratch, context);
    z_stream stream;
    int code = Z_OK;
    OF_TRY(start_inflate(&stream, &scratch, raw ? -MAX_WBITS : MAX_WBITS));
    stream.next_in = (Bytef *)packed;
    stream.next_out = out;
    if (room)
        OF_TRY(unpack(context, &stream, packed + size, out, room, &code));
    *got = (size_t)(stream.next_out - out);
    if (code == Z_MEM_ERROR) /* also where all is decompressed, and only the window is too large */
        return ONEFOLD_NO_MEMORY;
    if (!whole)
        return ONEFOLD_OK;
    if (*got < room)
        return damaged(&stream, code);
    unsigned char beyond; /* zlib checks the checksum only at the end of the stream */
    if (code == Z_OK)
        OF_TRY(unpack(context, &stream, packed + size, &beyond, 1, &code));
    return code == Z_DATA_ERROR || code == Z_MEM_ERROR ? damaged(&stream, code) : ONEFOLD_OK;
}

size_t of_inflate_most(size_t size)
{
    enum { RATIO = 1032 }; /* deflate's best: 258 bytes for two bits */
    return size > (SIZE_MAX - 1024) / RATIO ? SIZE_MAX : size * RATIO + 1024;
}

/* Refuses what becomes far larger than the ten times of a usual table, as an attack on memory; and
 * `more` bytes beyond the memory limit. */
static onefold_status inflate_allowed(const of_context *context, size_t size, size_t decompressed,
                                      size_t more)
{
    enum { ALWAYS = 256 << 20, RATIO = 200 };
    if (decompressed > ALWAYS && decompressed / RATIO > size)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA,
                    "it decompresses to more than %d times its size, and more than %d MB", RATIO,
                    ALWAYS >> 20),
            "if that is meant, decompress it first, or save it without compression");
    size_t held = atomic_load(&context->bytes), limit = context->memory_limit;
    if (!limit || (held < limit && more <= limit - held))
        return ONEFOLD_OK;
    char need[32], allowed[32];
    return of_hint(of_fail(ONEFOLD_NO_MEMORY, "it decompresses to %s or more, and %s are allowed",
                           of_size_text(need, more), of_size_text(allowed, limit)),
                   "allow more with `memory_limit`, or use fewer samples or columns");
}

/* Decompresses all members of a .gz, into `out` unless NULL. *total is the size, at most `room`. */
static onefold_status pass_members(of_context *context, const unsigned char *packed, size_t size,
                                   unsigned char *out, size_t room, size_t *total)
{
    enum { STEP = 1 << 16 };
    OF_SCRATCH(scratch, context);
    z_stream stream;
    unsigned char *block = NULL;
    const unsigned char *end = packed + size;
    size_t used = 0;
    OF_TRY(start_inflate(&stream, &scratch, MAX_WBITS + 16));
    if (!out)
        OF_TRY(OF_NEW(&scratch, &block, STEP, 1));
    stream.next_in = (Bytef *)packed;
    for (int code = Z_OK; !out || used < room;) {
        unsigned char *to = out ? out + used : block;
        OF_TRY(unpack(context, &stream, end, to, out ? room - used : STEP, &code));
        used += (size_t)(stream.next_out - to);
        if (!out)
            OF_TRY(inflate_allowed(context, size, used, used));
        if (code == Z_STREAM_END) {
            /* another member may follow; anything else is padding */
            if (end - stream.next_in < 2 || stream.next_in[0] != 0x1f || stream.next_in[1] != 0x8b)
                break;
            inflateReset(&stream);
        } else if (code != Z_OK) {
            return damaged(&stream, code);
        }
    }
    *total = used;
    return ONEFOLD_OK;
}

/* Decompresses a whole .gz. Its last bytes give the size of most files. Where that is wrong or not
 * allowed, a pass without memory finds the size first. */
static onefold_status gunzip(of_arena *arena, const unsigned char *packed, size_t size,
                             unsigned char **out, size_t *out_size)
{
    of_context *context = arena->context;
    size_t total = 0, got = 0;
    for (size_t b = 1; size >= 18 && b <= 4; b++)
        total = total << 8 | packed[size - b];
    /* room for one more byte shows whether the stream is longer */
    if (inflate_allowed(context, size, total, total) == ONEFOLD_OK) {
        OF_TRY(OF_NEW(arena, out, total + 1, 1));
        OF_TRY(pass_members(context, packed, size, *out, total + 1, out_size));
        if (*out_size <= total)
            return ONEFOLD_OK;
        of_arena_release(arena, *out);
    }
    OF_TRY(pass_members(context, packed, size, NULL, 0, &total));
    OF_TRY(OF_NEW(arena, out, total + 1, 1));
    OF_TRY(pass_members(context, packed, size, *out, total + 1, &got));
    if (got != total)
        return of_fail(ONEFOLD_BAD_DATA, "the file was changed while it was being read");
    *out_size = total;
    return ONEFOLD_OK;
}

/* ---- files --------------------------------------------------------------------------------- */

onefold_status of_file_add(of_file *file, of_top **top, const char *name)
{
    OF_TRY(OF_GROW(&file->arena, &file->top, file->count, &file->room, file->count + 1));
    of_top made = {.variable = {.kind = OF_VARIABLE_MATRIX, .pages = 1}};
    char *copy;
    OF_TRY(of_arena_string(&file->arena, &copy, "%s", name));
    of_text_clean(copy);
    made.variable.name = copy;
    OF_TRY(of_owner_make(&made.store, file->context));
    *top = &file->top[file->count++];
    **top = made;
    return ONEFOLD_OK;
}

onefold_status of_file_unpacks(of_file *file, size_t bytes)
{
    OF_TRY(of_size_add(&file->decompressed, file->decompressed, bytes));
    return inflate_allowed(file->context, file->size, file->decompressed, bytes);
}

void of_file_close(of_file *file)
{
    for (size_t t = 0; t < file->count; t++)
        of_owner_release(file->top[t].store);
    of_owner_release(file->contents);
    of_arena_free(&file->arena);
    memset(file, 0, sizeof *file);
}

static onefold_status not_a_file(void)
{
    return of_hint(of_fail(ONEFOLD_IO, "this is a device or a pipe, and only files can be read"),
                   "give standard input as -");
}

static onefold_status fail_to_open(int error)
{
    switch (error) {
    case ENXIO: /* a socket */
        return not_a_file();
    case ENOENT:
    case ENOTDIR:
        return of_fail(ONEFOLD_IO, "there is no such file");
    case EACCES:
    case EPERM:
        return of_fail(ONEFOLD_IO, "the file may not be read (permission denied)");
    default:
        return of_fail(ONEFOLD_IO, "the file cannot be read (%s)", strerror(error));
    }
}

static const char hdf_magic[] = "\x89HDF\r\n\x1a\n";
enum { HDF_LATER = 512, HDF_HEAD = HDF_LATER + 8 }; /* MATLAB and MuData write before it */

/* Reads the file into memory. Unless `whole`, of HDF5, which another process reads, only what tells
 * that it is. */
static onefold_status read_file(of_file *file, int descriptor, const struct stat *before, int whole)
{
    enum { ONCE = 1 << 26 };
    unsigned char *bytes, head[HDF_HEAD] = {0};
    size_t size = (size_t)before->st_size, count = 0;
    struct stat now;
    ssize_t got = pread(descriptor, head, sizeof head, 0);
    if (got == (ssize_t)sizeof head && !whole &&
        (memcmp(head, hdf_magic, 8) == 0 || memcmp(head + HDF_LATER, hdf_magic, 8) == 0))
        size = sizeof head;
    OF_TRY(OF_NEW(&file->contents->arena, &bytes, size, 1));
    for (; count < size && got != 0; count += got > 0 ? (size_t)got : 0) {
        OF_TRY(of_context_check(file->context));
        got = pread(descriptor, bytes + count, of_size_least(size - count, ONCE), (off_t)count);
        if (got < 0 && errno != EINTR)
            return fail_to_open(errno);
    }
    if (count < size || fstat(descriptor, &now) != 0 || of_mapped_differs(before, &now))
        return of_fail(ONEFOLD_IO, "the file was changed while it was being read");
    file->bytes = bytes;
    file->size = (size_t)before->st_size;
    return ONEFOLD_OK;
}

static onefold_status take_file(of_file *file, int descriptor, int whole)
{
    struct stat info;
    if (fstat(descriptor, &info) != 0)
        return fail_to_open(errno);
    if (S_ISDIR(info.st_mode))
        return of_hint(
            of_fail(ONEFOLD_IO, "this is a directory, not a file"),
            "name the files in it, one per view, or one that holds all the views; a folder "
            "is read where matrix.mtx is in it");
    if (!S_ISREG(info.st_mode))
        return not_a_file();
    if (info.st_size == 0)
        return of_fail(ONEFOLD_BAD_DATA, "the file is empty");
    if (!of_mapped_allowed())
        return read_file(file, descriptor, &info, whole);
    int reason = of_mapped_make(&file->contents->map, descriptor, (size_t)info.st_size, file->path);
    if (reason)
        return fail_to_open(reason);
    file->contents->map_size = (size_t)info.st_size;
    file->bytes = file->contents->map;
    file->size = (size_t)info.st_size;
    return ONEFOLD_OK;
}

int of_is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0;
}

/* Reads all of standard input into memory. */
static onefold_status read_standard_input(of_file *file)
{
    unsigned char *bytes = NULL;
    size_t count = 0, room = 0;
    file->was_packed = 1;
    OF_TRY(of_run_files_read(file->context, STDIN_FILENO));
    for (;;) {
        OF_TRY(of_context_check(file->context));
        OF_TRY(OF_GROW(&file->contents->arena, &bytes, count, &room, count + (1 << 16)));
        ssize_t got = read(STDIN_FILENO, bytes + count, 1 << 16);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_to_open(errno);
        if (got == 0)
            break;
        count += (size_t)got;
    }
    if (count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there is nothing on standard input");
    file->bytes = bytes;
    file->size = count;
    return ONEFOLD_OK;
}

static onefold_status open_file(of_file *file, int whole)
{
    if (of_is_standard_input(file->path))
        return read_standard_input(file);
    int descriptor = open(file->inner ? file->inner : file->path,
                          O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not wait for a pipe */
    if (descriptor < 0)
        return fail_to_open(errno);
    onefold_status status = take_file(file, descriptor, whole);
    if (status == ONEFOLD_OK)
        status = of_run_files_read(file->context, descriptor);
    close(descriptor);
    return status;
}

/* "folder/1_tr.CSV.gz" has the stem "1_tr" and the ending "csv". A folder of 10x Genomics has its
 * own name. Standard input is text unless its first bytes differ. */
static onefold_status name_file(of_file *file)
{
    char *stem;
    size_t length = strlen(file->path);
    while (file->inner && length > 1 && file->path[length - 1] == '/')
        length--;
    OF_TRY(of_arena_string(&file->arena, &stem, "%.*s", (int)length, file->path));
    char *slash = strrchr(stem, '/');
    stem = slash && slash[1] ? slash + 1 : stem;
    if (file->inner || of_is_standard_input(file->path)) {
        file->stem = file->inner ? stem : "stdin";
        file->ending = file->inner ? "mtx" : "csv";
        return ONEFOLD_OK;
    }
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem && of_same_word(dot, ".gz")) {
        *dot = '\0';
        dot = strrchr(stem, '.');
    }
    file->stem = stem;
    file->ending = "";
    if (dot && dot != stem) {
        *dot = '\0';
        file->ending = dot + 1;
        while (*++dot)
            *dot = of_lower(*dot);
    }
    return ONEFOLD_OK;
}

static int starts_with(const of_file *file, size_t at, const void *magic, size_t length)
{
    return file->size >= at + length && memcmp(file->bytes + at, magic, length) == 0;
}

static onefold_status read_contents(of_file *file)
{
    static const char lfs[] = "version https://git-lfs.github.com/spec/";
    if (starts_with(file, 0, lfs, sizeof lfs - 1))
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "this is a Git LFS pointer, not the data it stands for"),
            "run git lfs pull where the file came from");
    if (of_is_one_of(file->ending, "xlsx xlsm xls ods", 0) ||
        starts_with(file, 0, "\xd0\xcf\x11\xe0", 4) ||
        starts_with(file, 30, "[Content_Types].xml", 19))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "this is a workbook of a spreadsheet"),
                       "export it as CSV, a file for each sheet, with gene names formatted as "
                       "text");
    int headed = starts_with(file, 126, "IM", 2) || starts_with(file, 126, "MI", 2),
        mat = strcmp(file->ending, "mat") == 0;
    if (starts_with(file, HDF_LATER, hdf_magic, 8))
        return of_read_hdf(file, headed);
    if (starts_with(file, 0, hdf_magic, 8))
        return of_read_hdf(file, mat);
    if (headed && (mat || starts_with(file, 0, "MATLAB 5", 8)))
        return of_read_mat5(file);
    if (starts_with(file, 0, "\x93NUMPY", 6))
        return of_read_npy(file);
    if (starts_with(file, 0, "PK\3\4", 4) || starts_with(file, 0, "PK\5\6", 4))
        return of_read_npz(file);
    if (starts_with(file, 0, "%%MatrixMarket", 14))
        return of_read_mtx(file);
    if (of_is_one_of(file->ending, "csv tsv txt dat data tab", 0))
        return of_read_text(file);
    if (of_is_one_of(file->ending, "mat npy npz mtx", 0))
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the name ends in .%s, but the contents are of another format",
                               file->ending),
                       mat ? "MATLAB files are read from version 5 on: save with -v7 or -v7.3"
                           : "check how the file was made, or whether its download was cut short");
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "the format of the file is not known"),
        "files that can be read end in .mat, .npz, .npy, .h5ad, .h5mu, .csv, .tsv, .txt or "
        ".mtx (the last four also with .gz)");
}

static onefold_status load(of_file *file, int whole)
{
    OF_TRY(of_cells_folder_find(file));
    OF_TRY(name_file(file));
    OF_TRY(of_owner_make(&file->contents, file->context));
    OF_TRY(open_file(file, whole));
    if (starts_with(file, 0, "\x1f\x8b", 2)) {
        unsigned char *unpacked;
        of_owner *packed = file->contents;
        file->contents = NULL;
        file->was_packed = 1;
        onefold_status status = of_owner_make(&file->contents, file->context);
        if (status == ONEFOLD_OK)
            status =
                gunzip(&file->contents->arena, file->bytes, file->size, &unpacked, &file->size);
        if (of_mapped_intact(packed->map, ONEFOLD_OK) != ONEFOLD_OK)
            status = of_fail(ONEFOLD_IO, "the file was changed while it was being read");
        of_owner_release(packed);
        OF_TRY(status);
        file->bytes = unpacked;
        if (file->size == 0)
            return of_fail(ONEFOLD_BAD_DATA, "the file is empty once decompressed");
    }
    return ONEFOLD_OK;
}

onefold_status of_file_read(of_file *file, of_context *context, const char *path,
                            const onefold_read_options *options, int encode)
{
    memset(file, 0, sizeof *file);
    if (options)
        file->options = *options;
    file->encode = encode;
    file->context = of_context_or_default(context);
    file->path = path;
    file->arena = of_arena_make(context);
    onefold_status status = load(file, !options);
    if (status == ONEFOLD_OK && options)
        status = read_contents(file);
    if (status != ONEFOLD_OK)
        of_blame(status, "%s", of_is_standard_input(path) ? "standard input" : path);
    if (file->contents && of_mapped_intact(file->contents->map, ONEFOLD_OK) != ONEFOLD_OK)
        status = ONEFOLD_IO; /* whatever was read is not reliable */
    if (status != ONEFOLD_OK)
        of_file_close(file);
    return status;
}
