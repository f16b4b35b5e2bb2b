/* SPDX-License-Identifier: Apache-2.0 */
/* A data set as an .npz: one .npy member per array, deflated. */
#include "base/utf8.h"
#include "io/write.h"

#include <stdio.h>
#include <string.h>

/* ---- the archive ---------------------------------------------------------------------------- */

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END_WIDE = 0x06064b50,
    END_WIDE_FINDER = 0x07064b50,
    WIDE_EXTRA = 1,
    VERSION = 45, /* the first with 64-bit sizes */
    UNIX = 3 << 8,
    DEFLATED = 8,
    FIRST_DAY = 1 << 5 | 1, /* 1980-01-01 */
    NARROW_MAX = 0xffff,
};
static const uint32_t wide_mark = 0xffffffffu;
static const uint32_t plain_file = 0100644u << 16;

/* A record is put together here; numbers are little-endian. */
typedef struct record {
    unsigned char bytes[128];
    size_t size;
} record;

static void put(record *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to->bytes[to->size++] = (unsigned char)(value >> (8 * i));
}

static void put_wide(record *to, uint64_t a, uint64_t b)
{
    put(to, a, 8);
    put(to, b, 8);
}

onefold_status of_zip_open(of_zip *zip, of_arena *arena, of_atomic_file *file, size_t room)
{
    memset(zip, 0, sizeof *zip);
    zip->file = file;
    zip->arena = arena;
    zip->room = room;
    zip->wide_from = 0xff000000u; /* below the mark by more than deflating can add */
    return OF_NEW(arena, &zip->members, room, 1);
}

static void put_method_and_date(record *to)
{
    put(to, VERSION, 2);
    put(to, 0, 2);
    put(to, DEFLATED, 2);
    put(to, 0, 2);
    put(to, FIRST_DAY, 2);
}

/* The header before a member; its sums and sizes are known only after it. */
static record local_header(const of_zip_member *member)
{
    record header = {{0}, 0};
    put(&header, LOCAL, 4);
    put_method_and_date(&header);
    put(&header, member->crc, 4);
    put(&header, member->wide ? wide_mark : member->packed, 4);
    put(&header, member->wide ? wide_mark : member->size, 4);
    put(&header, strlen(member->name), 2);
    put(&header, member->wide ? 20 : 0, 2);
    return header;
}

static record local_extra(const of_zip_member *member)
{
    record extra = {{0}, 0};
    if (member->wide) {
        put(&extra, WIDE_EXTRA, 2);
        put(&extra, 16, 2);
        put_wide(&extra, member->size, member->packed);
    }
    return extra;
}

onefold_status of_zip_begin(of_zip *zip, of_sink *sink, const char *name, uint64_t size)
{
    if (zip->count == zip->room || strlen(name) > NARROW_MAX)
        return of_fail(ONEFOLD_FAULT, "%s: member %s does not fit in the archive", zip->file->path,
                       name);
    of_zip_member *member = &zip->members[zip->count];
    memset(member, 0, sizeof *member);
    member->name = name;
    member->offset = zip->file->position;
    member->size = size;
    member->wide = size >= zip->wide_from;
    record header = local_header(member), extra = local_extra(member);
    OF_TRY(of_atomic_write(zip->file, header.bytes, header.size));
    OF_TRY(of_atomic_write(zip->file, name, strlen(name)));
    OF_TRY(of_atomic_write(zip->file, extra.bytes, extra.size));
    OF_TRY(of_deflate_open(&zip->deflate, zip->arena, zip->file, 1));
    *sink = of_deflate_sink(&zip->deflate);
    return ONEFOLD_OK;
}

onefold_status of_zip_end(of_zip *zip)
{
    of_zip_member *member = &zip->members[zip->count];
    OF_TRY(of_deflate_finish(&zip->deflate));
    if (zip->deflate.in != member->size)
        return of_fail(ONEFOLD_FAULT, "%s: member %s does not have the size that was announced",
                       zip->file->path, member->name);
    member->packed = zip->deflate.out;
    member->crc = zip->deflate.crc;
    record header = local_header(member), extra = local_extra(member);
    OF_TRY(of_atomic_patch(zip->file, member->offset, header.bytes, header.size));
    OF_TRY(of_atomic_patch(zip->file, member->offset + header.size + strlen(member->name),
                           extra.bytes, extra.size));
    zip->count++;
    return ONEFOLD_OK;
}

static onefold_status write_central(of_zip *zip, const of_zip_member *member)
{
    int far = member->offset >= zip->wide_from;
    record header = {{0}, 0}, extra = {{0}, 0};
    if (member->wide || far) {
        put(&extra, WIDE_EXTRA, 2);
        put(&extra, (member->wide ? 16 : 0) + (far ? 8 : 0), 2);
        if (member->wide)
            put_wide(&extra, member->size, member->packed);
        if (far)
            put(&extra, member->offset, 8);
    }
    put(&header, CENTRAL, 4);
    put(&header, UNIX | VERSION, 2);
    put_method_and_date(&header);
    put(&header, member->crc, 4);
    put(&header, member->wide ? wide_mark : member->packed, 4);
    put(&header, member->wide ? wide_mark : member->size, 4);
    put(&header, strlen(member->name), 2);
    put(&header, extra.size, 2);
    put(&header, 0, 2); /* comment */
    put(&header, 0, 2); /* disk */
    put(&header, 0, 2); /* internal attributes */
    put(&header, plain_file, 4);
    put(&header, far ? wide_mark : member->offset, 4);
    OF_TRY(of_atomic_write(zip->file, header.bytes, header.size));
    OF_TRY(of_atomic_write(zip->file, member->name, strlen(member->name)));
    return of_atomic_write(zip->file, extra.bytes, extra.size);
}

onefold_status of_zip_finish(of_zip *zip)
{
    uint64_t start = zip->file->position;
    for (size_t i = 0; i < zip->count; i++)
        OF_TRY(write_central(zip, &zip->members[i]));
    uint64_t size = zip->file->position - start, end = zip->file->position;
    int many = zip->count >= NARROW_MAX, far = start >= zip->wide_from;
    record tail = {{0}, 0};
    if (many || far) {
        put(&tail, END_WIDE, 4);
        put(&tail, 44, 8); /* what follows of this record */
        put(&tail, UNIX | VERSION, 2);
        put(&tail, VERSION, 2);
        put_wide(&tail, 0, zip->count); /* disks 0 and 0; members on this one */
        put(&tail, zip->count, 8);
        put_wide(&tail, size, start);
        put(&tail, END_WIDE_FINDER, 4);
        put(&tail, 0, 4);
        put(&tail, end, 8);
        put(&tail, 1, 4); /* disks in all */
    }
    put(&tail, END, 4);
    put(&tail, 0, 4); /* disks 0 and 0 */
    put(&tail, many ? NARROW_MAX : zip->count, 2);
    put(&tail, many ? NARROW_MAX : zip->count, 2);
    put(&tail, size < wide_mark ? size : wide_mark, 4);
    put(&tail, far ? wide_mark : start, 4);
    put(&tail, 0, 2); /* comment */
    return of_atomic_write(zip->file, tail.bytes, tail.size);
}

/* ---- its members ---------------------------------------------------------------------------- */

/* The next member, NAME.npy or NAME.PART.npy, up to its elements. */
static onefold_status begin_array(of_zip *zip, of_sink *sink, const char *name, const of_npy *array)
{
    char *member;
    OF_TRY(of_arena_string(zip->arena, &member, "%s.npy", name));
    OF_TRY(of_zip_begin(zip, sink, member, of_npy_bytes(array)));
    return of_npy_header(*sink, array);
}

/* One array that lies in memory as it is written. */
static onefold_status write_list(of_zip *zip, const char *name, of_type type, size_t count,
                                 const void *values)
{
    of_npy array = {.type = type, .dimensions = 1, .shape = {count}};
    of_sink sink;
    OF_TRY(begin_array(zip, &sink, name, &array));
    OF_TRY(of_sink_write(sink, values, count * of_type_size(type)));
    return of_zip_end(zip);
}

/* A part of a sparse matrix: numbers, or without a type the word by which SciPy knows how it is
 * compressed, by row. */
static onefold_status write_part(of_zip *zip, const char *view, const char *part, of_type type,
                                 size_t count, const void *values)
{
    static const uint32_t by_row[3] = {'c', 's', 'r'};
    of_npy word = {.characters = 3, .dimensions = 0};
    char name[64];
    of_sink sink;
    snprintf(name, sizeof name, "%.40s.%s", view, part);
    if (type != OF_TYPE_COUNT)
        return write_list(zip, name, type, count, values);
    OF_TRY(begin_array(zip, &sink, name, &word));
    OF_TRY(of_sink_write(sink, by_row, sizeof by_row));
    return of_zip_end(zip);
}

/* Row starts and column numbers as int32 where they fit, else int64: what SciPy indexes with. */
static onefold_status write_sparse(of_zip *zip, const char *name, const of_csr *held)
{
    OF_SCRATCH(scratch, zip->arena->context);
    of_sparse sparse;
    OF_TRY(of_csr_native(&scratch, held, &sparse));
    size_t entries = sparse.start[sparse.rows];
    int small = entries <= INT32_MAX && sparse.columns <= INT32_MAX;
    of_type type = small ? OF_I32 : OF_I64;
    int64_t shape[2] = {(int64_t)sparse.rows, (int64_t)sparse.columns};
    size_t room = entries > sparse.rows + 1 ? entries : sparse.rows + 1;
    void *indices;
    OF_TRY(of_arena_allocate(&scratch, &indices, of_type_size(type), room, 1));
    int32_t *narrow = indices;
    int64_t *wide = indices;
    OF_TRY(write_part(zip, name, "data", OF_F64, entries, sparse.value));
    for (size_t i = 0; i < entries; i++)
        small ? (narrow[i] = (int32_t)sparse.index[i]) : (wide[i] = sparse.index[i]);
    OF_TRY(write_part(zip, name, "indices", type, entries, indices));
    for (size_t i = 0; i <= sparse.rows; i++)
        small ? (narrow[i] = (int32_t)sparse.start[i]) : (wide[i] = (int64_t)sparse.start[i]);
    OF_TRY(write_part(zip, name, "indptr", type, sparse.rows + 1, indices));
    OF_TRY(write_part(zip, name, "shape", OF_I64, 2, shape));
    return write_part(zip, name, "format", OF_TYPE_COUNT, 0, NULL);
}

onefold_status of_npz_array(of_zip *zip, const char *name, const of_view *view, int list)
{
    if (view->storage == OF_SPARSE)
        return write_sparse(zip, name, &view->sparse);
    if (list)
        return write_list(zip, name, view->type, view->samples, view->data);
    of_npy array = of_npy_of_view(view);
    of_sink sink;
    OF_TRY(begin_array(zip, &sink, name, &array));
    OF_TRY(of_write_elements(zip->arena->context, sink, view, array.order));
    return of_zip_end(zip);
}

/* samples x samples x views in Fortran's order: one kernel after the other. */
static onefold_status write_kernels(of_zip *zip, const of_dataset *dataset, int same_type)
{
    of_npy array = {.type = same_type ? dataset->views[0].type : OF_F64,
                    .dimensions = 3,
                    .shape = {dataset->samples, dataset->samples, dataset->view_count},
                    .order = OF_ORDER_COLUMNS};
    of_sink sink;
    OF_TRY(begin_array(zip, &sink, "KH", &array));
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(of_write_kernel(zip->arena->context, sink, &dataset->views[v], same_type));
    return of_zip_end(zip);
}

onefold_status of_npz_views(of_zip *zip, const of_dataset *dataset)
{
    int same_type;
    if (of_all_kernels(dataset, &same_type))
        return write_kernels(zip, dataset, same_type);
    for (size_t v = 0; v < dataset->view_count; v++) {
        char name[32];
        snprintf(name, sizeof name, "X%zu", v + 1);
        OF_TRY(of_npz_array(zip, name, &dataset->views[v], 0));
    }
    return ONEFOLD_OK;
}

/* As NumPy's: all of one length in code points, filled up with zeros. */
onefold_status of_npz_texts(of_zip *zip, const char *name, size_t count, const char *const *text)
{
    OF_SCRATCH(scratch, zip->arena->context);
    size_t longest = 1;
    for (size_t j = 0; j < count; j++) {
        size_t length = of_utf8_count(text[j], strlen(text[j]));
        longest = length > longest ? length : longest;
    }
    of_npy array = {.characters = longest, .dimensions = 1, .shape = {count}};
    uint32_t *characters;
    of_sink sink;
    OF_TRY(OF_NEW(&scratch, &characters, longest, 1));
    OF_TRY(begin_array(zip, &sink, name, &array));
    for (size_t j = 0; j < count; j++) {
        const char *rest = text[j];
        for (size_t i = 0; i < longest; i++)
            characters[i] = of_utf8_next(&rest);
        OF_TRY(of_sink_write(sink, characters, 4 * longest));
    }
    return of_zip_end(zip);
}
