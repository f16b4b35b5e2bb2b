/* SPDX-License-Identifier: Apache-2.0 */
/* A data set as an .npz: one .npy member per array, deflated. */
#include "base/utf8.h"
#include "io/write.h"

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

/* One array that lies in memory as it is written. */
static onefold_status write_array(of_zip *zip, const char *name, of_type type, size_t count,
                                  const void *values)
{
    of_npy array = {.type = type, .dimensions = 1, .shape = {count}, .order = OF_ORDER_ROWS};
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, name, of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    OF_TRY(of_sink_write(sink, values, count * of_type_size(type)));
    return of_zip_end(zip);
}

static onefold_status member_name(of_zip *zip, const char **name, size_t view, const char *part)
{
    OF_TRY(OF_TEXT(zip->arena, &*name, "X%zu%s.npy", view + 1, part));
    return ONEFOLD_OK;
}

/* The word by which SciPy knows how a matrix is compressed: here by row. */
static onefold_status write_format(of_zip *zip, size_t number)
{
    static const uint32_t by_row[3] = {'c', 's', 'r'};
    of_npy array = {.characters = 3, .dimensions = 0};
    const char *name;
    of_sink sink;
    OF_TRY(member_name(zip, &name, number, ".format"));
    OF_TRY(of_zip_begin(zip, &sink, name, of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    OF_TRY(of_sink_write(sink, by_row, sizeof by_row));
    return of_zip_end(zip);
}

/* Row starts and column numbers as int32 where they fit, else int64: what SciPy indexes with. */
static onefold_status write_sparse(of_zip *zip, size_t number, const of_csr *held)
{
    OF_SCRATCH(scratch, zip->arena->context);
    of_sparse native, *sparse = &native;
    OF_TRY(of_csr_native(&scratch, held, &native));
    size_t entries = sparse->start[sparse->rows];
    int small = entries <= INT32_MAX && sparse->columns <= INT32_MAX;
    of_type type = small ? OF_I32 : OF_I64;
    int64_t shape[2] = {(int64_t)sparse->rows, (int64_t)sparse->columns};
    const char *name;
    int32_t *narrow;
    int64_t *wide;
    size_t room = entries > sparse->rows + 1 ? entries : sparse->rows + 1;
    OF_TRY(OF_NEW(&scratch, &narrow, small ? room : 0, 1));
    OF_TRY(OF_NEW(&scratch, &wide, small ? 0 : room, 1));
    const void *indices = small ? (const void *)narrow : (const void *)wide;

    OF_TRY(member_name(zip, &name, number, ".data"));
    OF_TRY(write_array(zip, name, OF_F64, entries, sparse->value));
    for (size_t i = 0; i < entries; i++)
        small ? (narrow[i] = (int32_t)sparse->index[i]) : (wide[i] = sparse->index[i]);
    OF_TRY(member_name(zip, &name, number, ".indices"));
    OF_TRY(write_array(zip, name, type, entries, indices));
    for (size_t i = 0; i <= sparse->rows; i++)
        small ? (narrow[i] = (int32_t)sparse->start[i]) : (wide[i] = (int64_t)sparse->start[i]);
    OF_TRY(member_name(zip, &name, number, ".indptr"));
    OF_TRY(write_array(zip, name, type, sparse->rows + 1, indices));
    OF_TRY(member_name(zip, &name, number, ".shape"));
    OF_TRY(write_array(zip, name, OF_I64, 2, shape));
    return write_format(zip, number);
}

static onefold_status write_matrix(of_zip *zip, const char *name, const of_view *view)
{
    of_npy array = of_npy_of_view(view);
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, name, of_npy_bytes(&array)));
    OF_TRY(of_write_npy(zip->arena->context, sink, view));
    return of_zip_end(zip);
}

static onefold_status write_view(of_zip *zip, size_t number, const of_view *view)
{
    const char *name;
    if (view->storage == OF_SPARSE)
        return write_sparse(zip, number, &view->sparse);
    OF_TRY(member_name(zip, &name, number, ""));
    return write_matrix(zip, name, view);
}

/* samples x samples x views in Fortran's order: one kernel after the other. */
static onefold_status write_kernels(of_zip *zip, const of_dataset *dataset, int same_type)
{
    of_npy array = {.type = same_type ? dataset->views[0].type : OF_F64,
                    .dimensions = 3,
                    .shape = {dataset->samples, dataset->samples, dataset->view_count},
                    .order = OF_ORDER_COLUMNS};
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, "KH.npy", of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    for (size_t v = 0; v < dataset->view_count; v++)
        OF_TRY(of_write_kernel(zip->arena->context, sink, &dataset->views[v], same_type));
    return of_zip_end(zip);
}

/* A list of texts as NumPy's: all of one length in code points, filled up with zeros. Text j is
 * text[which ? which[j] : j]. */
static onefold_status write_texts(of_zip *zip, const char *member, size_t count,
                                  const char *const *text, size_t texts, const int32_t *which)
{
    OF_SCRATCH(scratch, zip->arena->context);
    size_t longest = 1;
    for (size_t c = 0; c < texts; c++) {
        size_t length = of_utf8_count(text[c], strlen(text[c]));
        longest = length > longest ? length : longest;
    }
    uint32_t *characters;
    OF_TRY(OF_NEW_ZERO(&scratch, &characters, longest, texts));
    for (size_t c = 0; c < texts; c++) {
        const char *name = text[c];
        uint32_t *to = characters + c * longest;
        for (uint32_t point; (point = of_utf8_next(&name));)
            *to++ = point;
    }
    of_npy array = {.characters = longest, .dimensions = 1, .shape = {count}};
    of_sink sink;
    OF_TRY(of_zip_begin(zip, &sink, member, of_npy_bytes(&array)));
    OF_TRY(of_npy_header(sink, &array));
    for (size_t j = 0; j < count; j++)
        OF_TRY(of_sink_write(sink, characters + (which ? (size_t)which[j] : j) * longest,
                             4 * longest));
    return of_zip_end(zip);
}

static onefold_status write_view_names(of_zip *zip, const of_dataset *dataset)
{
    const char **name;
    OF_TRY(OF_NEW(zip->arena, &name, dataset->view_count, 1));
    for (size_t v = 0; v < dataset->view_count; v++)
        name[v] = dataset->views[v].name;
    return write_texts(zip, "view_names.npy", dataset->view_count, name, dataset->view_count, NULL);
}

/* A list of the names of each view that has some. */
static onefold_status write_column_names(of_zip *zip, const of_dataset *dataset)
{
    for (size_t v = 0; v < dataset->view_count; v++) {
        const of_view *view = &dataset->views[v];
        char *member;
        if (!view->column_names)
            continue;
        OF_TRY(of_arena_string(zip->arena, &member, "column_names%zu.npy", v + 1));
        OF_TRY(write_texts(zip, member, view->columns, view->column_names, view->columns, NULL));
    }
    return ONEFOLD_OK;
}

static onefold_status write_sample_names(of_zip *zip, const char *const *names, size_t samples)
{
    return names ? write_texts(zip, "sample_names.npy", samples, names, samples, NULL) : ONEFOLD_OK;
}

onefold_status of_write_npz(of_atomic_file *file, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    of_zip zip;
    int same_type;
    OF_TRY(of_zip_open(&zip, &scratch, file, 6 * dataset->view_count + 4));
    if (of_all_kernels(dataset, &same_type))
        OF_TRY(write_kernels(&zip, dataset, same_type));
    else
        for (size_t v = 0; v < dataset->view_count; v++)
            OF_TRY(write_view(&zip, v, &dataset->views[v]));
    if (of_views_are_named(dataset))
        OF_TRY(write_view_names(&zip, dataset));
    OF_TRY(write_column_names(&zip, dataset));
    if (dataset->truth) {
        int64_t *labels;
        int named;
        OF_TRY(of_write_truth(&scratch, &labels, &named, dataset));
        OF_TRY(named ? write_texts(&zip, "Y.npy", dataset->samples, dataset->class_names,
                                   dataset->class_count, dataset->truth)
                     : write_array(&zip, "Y.npy", OF_I64, dataset->samples, labels));
    }
    if (dataset->present) {
        of_view table = of_write_present(dataset);
        OF_TRY(write_matrix(&zip, "MissingStatus.npy", &table));
    }
    OF_TRY(write_sample_names(&zip, dataset->sample_names, dataset->samples));
    return of_zip_finish(&zip);
}

onefold_status of_write_npz_labels(of_atomic_file *file, const int32_t *labels,
                                   const double *confidence, const char *const *names,
                                   size_t samples)
{
    OF_SCRATCH(scratch, file->context);
    of_zip zip;
    OF_TRY(of_zip_open(&zip, &scratch, file, 3));
    OF_TRY(write_array(&zip, "labels.npy", OF_I32, samples, labels));
    if (confidence)
        OF_TRY(write_array(&zip, "confidence.npy", OF_F64, samples, confidence));
    OF_TRY(write_sample_names(&zip, names, samples));
    return of_zip_finish(&zip);
}
