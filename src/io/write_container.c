/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a data set, labels or one array as a MATLAB file of version 5, or as an .npz with an .npy
 * for each array. Nothing is compressed, so that readers can map the file. */
#include "base/utf8.h"
#include "io/atomic_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ------------------------------------------------------------------------------- */

enum { BATCH = 1 << 22 }; /* bytes that are gathered and written at a time */

onefold_status of_write_elements(of_atomic_file *file, const of_view *view, of_type type,
                                 of_order order)
{
    int converted = view->storage == OF_SPARSE || view->type != type,
        rows = converted || order == OF_ORDER_ROWS;
    size_t count = rows ? view->samples : view->columns,
           length = rows ? view->columns : view->samples,
           line_step = rows ? view->sample_step : view->column_step,
           step = rows ? view->column_step : view->sample_step, size = of_type_size(type);
    if (count == 0 || length == 0)
        return ONEFOLD_OK;
    size_t at_once = BATCH / size / length;
    at_once = at_once < 1 ? 1 : at_once > count ? count : at_once;
    OF_SCRATCH(scratch, file->context);
    void *block;
    OF_TRY(of_arena_allocate(&scratch, &block, size, at_once, length));
    for (size_t first = 0; first < count; first += at_once) {
        size_t lines = count - first < at_once ? count - first : at_once;
        OF_TRY(of_context_check(file->context));
        if (converted)
            of_view_tile(view, first, lines, block, length);
        else
            of_elements_copy(block, (const char *)view->data + first * line_step * size, size,
                             lines, line_step, length, step);
        OF_TRY(of_atomic_write(file, block, lines * length * size));
    }
    return ONEFOLD_OK;
}

enum { MX_CELL = 1, MX_CHAR = 4, MX_SPARSE = 5, MX_DOUBLE = 6 }; /* MX_DOUBLE + of_type: numbers */

/* A variable to write: the numbers of a view, or of several as one array of three sides; a text; or
 * a cell of views or texts. */
typedef struct stored {
    const char *name;
    uint32_t class; /* MATLAB's */
    size_t dimensions, side[3];
    of_type type;             /* of the numbers */
    const of_view *view;      /* `count` views, */
    const char *const *text;  /* or `count` texts */
    size_t count, characters; /* code points of every text of an .npy */
} stored;

static stored array_of_view(const char *name, const of_view *view)
{
    return (stored){.name = name,
                    .class = view->storage == OF_SPARSE ? MX_SPARSE : MX_DOUBLE + view->type,
                    .dimensions = 2,
                    .side = {view->samples, view->columns, 1},
                    .type = view->type,
                    .view = view,
                    .count = 1};
}

static stored list_of(const char *name, const of_view *column)
{
    stored list = array_of_view(name, column);
    list.dimensions = 1;
    return list;
}

static onefold_status write_numbers(of_atomic_file *file, const stored *array, of_order order)
{
    for (size_t v = 0; v < array->count; v++)
        OF_TRY(of_write_elements(file, &array->view[v], array->type, order));
    return ONEFOLD_OK;
}

/* ---- NumPy's .npy: a header that is a Python literal, then the elements --------------------- */

/* Magic, version 1.0, length of the text, and the text, padded to a multiple of 64 bytes in all. An
 * array of three sides has kernels as pages. These are symmetric and contiguous, which is Fortran's
 * order. */
static size_t format_header(char header[256], const stored *array)
{
    char shape[96] = "", order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    size_t length = 0, item = array->characters ? array->characters : of_type_size(array->type);
    char kind = array->characters ? 'U' : OF_TYPE_KINDS[array->type]; /* "<f8", "|i1", "<U12" */
    if (kind != 'U' && item == 1)
        order = '|';
    for (size_t i = 0; i < array->dimensions; i++)
        length += (size_t)snprintf(shape + length, sizeof shape - length, "%zu,%s", array->side[i],
                                   i + 1 < array->dimensions ? " " : "");
    if (array->dimensions > 1)
        shape[length - 1] = '\0'; /* only (5,) keeps its comma */
    int text =
        snprintf(header + 10, 246, "{'descr': '%c%c%zu', 'fortran_order': %s, 'shape': (%s), }",
                 order, kind, item, array->dimensions > 2 ? "True" : "False", shape);
    size_t total = (10 + (size_t)text + 1 + 63) / 64 * 64;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((total - 10) & 0xff);
    header[9] = (char)((total - 10) >> 8);
    memset(header + 10 + text, ' ', total - 10 - (size_t)text);
    header[total - 1] = '\n';
    return total;
}

static onefold_status write_npy(of_atomic_file *file, const stored *array)
{
    char header[256];
    OF_TRY(of_atomic_write(file, header, format_header(header, array)));
    return array->view ? write_numbers(file, array, OF_ORDER_ROWS) : ONEFOLD_OK;
}

onefold_status of_npy_header(of_atomic_file *file, of_type type, size_t count)
{
    return write_npy(file, &(stored){.type = type, .dimensions = 1, .side = {count}});
}

onefold_status of_write_npy(of_atomic_file *file, const of_view *view)
{
    stored array = array_of_view("", view);
    if (view->storage == OF_SPARSE)
        array.type = OF_F64;
    return write_npy(file, &array);
}

/* ---- MATLAB's variables: each an element of its own ----------------------------------------- */

/* Types of stored data by the format's numbers. */
enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14, MI_UTF8 = 16 };

/* Writes elements, or only counts their bytes, as a length comes before its contents. */
typedef struct mat_out {
    of_atomic_file *file;
    int counting;
    uint64_t bytes;
} mat_out;

/* ---- elements: a tag of type and length, data, padded to 8 bytes ---------------------------- */

static onefold_status emit(mat_out *to, const void *bytes, uint64_t size)
{
    to->bytes += size;
    return to->counting ? ONEFOLD_OK : of_atomic_write(to->file, bytes, (size_t)size);
}

/* The tag of an element, which up to four bytes of data share. */
static onefold_status put_tag(mat_out *to, uint32_t type, uint64_t bytes)
{
    int shared = bytes > 0 && bytes <= 4;
    uint32_t tag[2] = {shared ? (uint32_t)bytes << 16 | type : type, (uint32_t)bytes};
    return emit(to, tag, shared ? 4 : 8);
}

static onefold_status pad(mat_out *to)
{
    static const char zeros[8];
    return emit(to, zeros, (8 - to->bytes % 8) % 8);
}

static onefold_status put_element(mat_out *to, uint32_t type, const void *data, uint64_t bytes)
{
    OF_TRY(put_tag(to, type, bytes));
    OF_TRY(emit(to, data, bytes));
    return pad(to);
}

/* ---- arrays --------------------------------------------------------------------------------- */

static onefold_status put_dense(mat_out *to, const stored *array)
{
    static const uint32_t number[OF_TYPE_COUNT] = {9, 7, 1, 2, 3, 4, 5, 6, 12, 13};
    uint64_t bytes = of_type_size(array->type);
    for (size_t d = 0; d < array->dimensions; d++)
        bytes *= array->side[d];
    OF_TRY(put_tag(to, number[array->type], bytes));
    to->bytes += bytes;
    if (!to->counting)
        OF_TRY(write_numbers(to->file, array, OF_ORDER_COLUMNS));
    return pad(to);
}

/* MATLAB compresses sparse arrays by column. */
static onefold_status put_sparse(mat_out *to, const of_sparse *sparse)
{
    OF_SCRATCH(scratch, to->file->context);
    of_sparse columns = {0};
    int32_t *start = NULL;
    uint64_t entries = of_sparse_entries(sparse), starts = (uint64_t)sparse->columns + 1;
    if (!to->counting) {
        OF_TRY(of_sparse_transpose(&scratch, sparse, &columns));
        OF_TRY(OF_NEW(&scratch, &start, starts, 1));
        for (size_t i = 0; i < starts; i++)
            start[i] = (int32_t)columns.start[i];
    }
    OF_TRY(put_element(to, MI_INT32, columns.index, 4 * entries));
    OF_TRY(put_element(to, MI_INT32, start, 4 * starts));
    return put_element(to, MI_DOUBLE, columns.value, 8 * entries);
}

static onefold_status put_contents(mat_out *to, const stored *array);

static onefold_status put_matrix(mat_out *to, const stored *array)
{
    mat_out counted = {.file = to->file, .counting = 1};
    OF_TRY(put_contents(&counted, array));
    OF_TRY(put_tag(to, MI_MATRIX, counted.bytes));
    return put_contents(to, array);
}

/* Flags, sides and name, and what the array holds. */
static onefold_status put_contents(mat_out *to, const stored *array)
{
    size_t entries = array->class == MX_SPARSE ? of_sparse_entries(&array->view->sparse) : 0;
    uint32_t flags[2] = {array->class, (uint32_t)entries};
    if (array->class == MX_SPARSE && !entries)
        flags[1] = 1; /* MATLAB needs room for one entry */
    int32_t side[3];
    for (size_t d = 0; d < 3; d++)
        side[d] = (int32_t)array->side[d];
    OF_TRY(put_element(to, MI_UINT32, flags, sizeof flags));
    OF_TRY(put_element(to, MI_INT32, side, array->dimensions < 3 ? 8 : 12));
    OF_TRY(put_element(to, MI_INT8, array->name, strlen(array->name)));
    if (array->class == MX_CHAR)
        return put_element(to, MI_UTF8, array->text[0], strlen(array->text[0]));
    if (array->class == MX_SPARSE)
        return put_sparse(to, &array->view->sparse);
    if (array->class != MX_CELL)
        return put_dense(to, array);
    for (size_t i = 0; i < array->count; i++) {
        /* an empty text would be read as an empty item */
        const char *text = array->text && *array->text[i] ? array->text[i] : " ";
        stored item = {"", MX_CHAR, 2, {1, of_utf8_count(text, strlen(text)), 1}, .text = &text};
        if (array->view)
            item = array_of_view("", &array->view[i]);
        OF_TRY(put_matrix(to, &item));
    }
    return ONEFOLD_OK;
}

/* ---- variables ------------------------------------------------------------------------------ */

static onefold_status mat_start(of_atomic_file *file)
{
    char text[128];
    memset(text, ' ', sizeof text);
    int length = snprintf(text, 116, "MATLAB 5.0 MAT-file, written by Onefold %s", ONEFOLD_VERSION);
    text[length] = ' ';
    memset(text + 116, 0, 8);
    uint16_t version[2] = {0x0100, 'M' << 8 | 'I'};
    memcpy(text + 124, version, sizeof version);
    return of_atomic_write(file, text, sizeof text);
}

/* Lengths have 32 bits in this format, and sides 31. */
static onefold_status mat_variable(of_atomic_file *file, const stored *array)
{
    mat_out to = {.file = file, .counting = 1};
    char text[32];
    for (size_t v = 0; array->view && v < array->count; v++) {
        const of_view *view = &array->view[v];
        if (view->samples > INT32_MAX || view->columns > INT32_MAX ||
            (view->storage == OF_SPARSE && of_sparse_entries(&view->sparse) > INT32_MAX))
            return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                   "%s cannot hold a view of %zu x %zu: a MATLAB file of version 5 "
                                   "counts to 2147483647",
                                   file->path, view->samples, view->columns),
                           "write an .npz instead");
    }
    OF_TRY(put_matrix(&to, array));
    if (to.bytes > UINT32_MAX)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "%s cannot hold variable %s: it has %s, and a MATLAB file of "
                               "version 5 holds 4.3 GB in one",
                               file->path, array->name, of_size_text(text, (size_t)to.bytes)),
                       "write an .npz instead");
    return put_matrix(&(mat_out){.file = file}, array);
}

/* ---- a zip archive -------------------------------------------------------------------------- */

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    END_WIDE = 0x06064b50,
    END_WIDE_FINDER = 0x07064b50,
    WIDE_EXTRA = 1,
    VERSION = 45, /* the first with 64-bit sizes */
    UNIX = 3 << 8,
    FIRST_DAY = 1 << 5 | 1, /* 1980-01-01 */
    NARROW_MAX = 0xffff,
};
static const uint32_t wide_mark = 0xffffffffu;
static const uint32_t plain_file = 0100644u << 16;

/* A record of the archive; its numbers are little-endian. */
typedef struct record {
    unsigned char bytes[128];
    size_t size;
} record;

/* A number of a record, and its size. */
typedef struct field {
    uint64_t value;
    int bytes;
} field;

static void put(record *to, const field *list, size_t count)
{
    for (size_t f = 0; f < count; f++)
        for (int i = 0; i < list[f].bytes; i++)
            to->bytes[to->size++] = (unsigned char)(list[f].value >> (8 * i));
}
#define PUT(to, ...)                                                                               \
    put((to), (const field[]){__VA_ARGS__}, sizeof((const field[]){__VA_ARGS__}) / sizeof(field))

of_zip of_zip_make(of_arena *arena, of_atomic_file *file)
{
    return (of_zip){.file = file, .arena = arena, .wide_from = wide_mark};
}

/* The header of a member, before the member or in the directory. The checksum before the member is
 * overwritten at its end. */
static onefold_status write_header(of_zip *zip, const of_zip_member *member, int central)
{
    int far = central && member->offset >= zip->wide_from, wide = member->size >= zip->wide_from;
    record header = {{0}, 0}, extra = {{0}, 0};
    uint64_t size = wide ? wide_mark : member->size;
    if (wide || far)
        PUT(&extra, {WIDE_EXTRA, 2}, {(wide ? 16 : 0) + (far ? 8 : 0), 2});
    if (wide)
        PUT(&extra, {member->size, 8}, {member->size, 8});
    if (far)
        PUT(&extra, {member->offset, 8});
    if (central)
        PUT(&header, {CENTRAL, 4}, {UNIX | VERSION, 2});
    else
        PUT(&header, {LOCAL, 4});
    /* no flags, not compressed, at midnight */
    PUT(&header, {VERSION, 2}, {0, 6}, {FIRST_DAY, 2}, {member->crc, 4}, {size, 4}, {size, 4},
        {strlen(member->name), 2}, {extra.size, 2});
    if (central) /* no comment, the first disk, no internal attributes */
        PUT(&header, {0, 6}, {plain_file, 4}, {far ? wide_mark : member->offset, 4});
    OF_TRY(of_atomic_write(zip->file, header.bytes, header.size));
    OF_TRY(of_atomic_write(zip->file, member->name, strlen(member->name)));
    return of_atomic_write(zip->file, extra.bytes, extra.size);
}

onefold_status of_zip_begin(of_zip *zip, const char *name, uint64_t size)
{
    OF_TRY(OF_GROW(zip->arena, &zip->members, zip->count, &zip->room, zip->count + 1));
    of_zip_member *member = &zip->members[zip->count];
    *member = (of_zip_member){.name = name, .offset = zip->file->position, .size = size};
    OF_TRY(write_header(zip, member, 0));
    OF_TRY(of_atomic_flush(zip->file));
    zip->start = zip->file->position;
    zip->file->crc = 0;
    return ONEFOLD_OK;
}

onefold_status of_zip_end(of_zip *zip)
{
    enum { CRC_AT = 14 };
    of_zip_member *member = &zip->members[zip->count];
    record sum = {{0}, 0};
    if (zip->file->position - zip->start != member->size)
        return of_fail(ONEFOLD_FAULT, "%s: member %s does not have the size that was announced",
                       zip->file->path, member->name);
    OF_TRY(of_atomic_flush(zip->file));
    member->crc = zip->file->crc;
    PUT(&sum, {member->crc, 4});
    zip->count++;
    return of_atomic_patch(zip->file, member->offset + CRC_AT, sum.bytes, sum.size);
}

onefold_status of_zip_finish(of_zip *zip)
{
    uint64_t start = zip->file->position;
    for (size_t i = 0; i < zip->count; i++)
        OF_TRY(write_header(zip, &zip->members[i], 1));
    uint64_t size = zip->file->position - start, end = zip->file->position;
    int many = zip->count >= NARROW_MAX, far = start >= zip->wide_from;
    record tail = {{0}, 0};
    uint64_t count = zip->count, narrow = many ? NARROW_MAX : count;
    if (many || far) /* bytes that follow; disks 0 and 0; members on this disk and in all */
        PUT(&tail, {END_WIDE, 4}, {44, 8}, {UNIX | VERSION, 2}, {VERSION, 2}, {0, 8}, {count, 8},
            {count, 8}, {size, 8}, {start, 8}, {END_WIDE_FINDER, 4}, {0, 4}, {end, 8}, {1, 4});
    PUT(&tail, {END, 4}, {0, 4}, {narrow, 2}, {narrow, 2}, {size < wide_mark ? size : wide_mark, 4},
        {far ? wide_mark : start, 4}, {0, 2});
    return of_atomic_write(zip->file, tail.bytes, tail.size);
}

/* ---- arrays as members of the archive ------------------------------------------------------- */

/* Writes a member NAME.npy, without the characters of texts. */
static onefold_status begin_array(of_zip *zip, const stored *array)
{
    char *member, header[256];
    uint64_t bytes = array->characters ? 4 * array->characters : of_type_size(array->type);
    for (size_t i = 0; i < array->dimensions; i++)
        bytes *= array->side[i];
    OF_TRY(of_arena_string(zip->arena, &member, "%s.npy", array->name));
    OF_TRY(of_zip_begin(zip, member, format_header(header, array) + bytes));
    return write_npy(zip->file, array);
}

/* Texts as NumPy has them: all of one length in code points, padded with zeros. */
static onefold_status npz_texts(of_zip *zip, const stored *list)
{
    OF_SCRATCH(scratch, zip->arena->context);
    size_t longest = 1;
    for (size_t j = 0; j < list->count; j++) {
        size_t length = of_utf8_count(list->text[j], strlen(list->text[j]));
        longest = length > longest ? length : longest;
    }
    stored array = *list;
    array.characters = longest;
    array.dimensions = list->dimensions > 0;
    uint32_t *characters;
    OF_TRY(OF_NEW(&scratch, &characters, longest, 1));
    OF_TRY(begin_array(zip, &array));
    for (size_t j = 0; j < list->count; j++) {
        const char *rest = list->text[j];
        for (size_t i = 0; i < longest; i++)
            characters[i] = of_utf8_next(&rest);
        OF_TRY(of_atomic_write(zip->file, characters, 4 * longest));
    }
    return of_zip_end(zip);
}

static onefold_status npz_array(of_zip *zip, const stored *array)
{
    OF_TRY(begin_array(zip, array));
    return of_zip_end(zip);
}

/* The arrays of a sparse matrix, with signed indices where they fit, as SciPy uses. */
static onefold_status write_sparse(of_zip *zip, const char *view, const of_sparse *sparse)
{
    static const char *const by_row = "csr"; /* SciPy's name of the format */
    size_t entries = of_sparse_entries(sparse);
    int64_t shape[2] = {(int64_t)sparse->rows, (int64_t)sparse->columns};
    of_type places = sparse->columns <= INT32_MAX ? OF_I32 : OF_U32;
    char name[64];
    const struct {
        const char *name;
        of_view numbers;
    } parts[] = {
        {"data", of_matrix_over(sparse->value, OF_F64, entries, 1, 1, NULL)},
        {"indices", of_matrix_over(sparse->index, places, entries, 1, 1, NULL)},
        {"indptr", of_matrix_over(sparse->start, OF_I64, sparse->rows + 1, 1, 1, NULL)},
        {"shape", of_matrix_over(shape, OF_I64, 2, 1, 1, NULL)},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        stored list = list_of(name, &parts[i].numbers);
        snprintf(name, sizeof name, "%.40s.%s", view, parts[i].name);
        OF_TRY(npz_array(zip, &list));
    }
    snprintf(name, sizeof name, "%.40s.format", view);
    return npz_texts(zip, &(stored){.name = name, .text = &by_row, .count = 1});
}

/* ---- the variables of a data set and of labels ---------------------------------------------- */

/* Whether some view has a name that readers do not give by themselves, as "X3", "X{3}", "KH(3)" or
 * "view 3" for the third. Then the list view_names is written. */
static int views_are_named(const of_dataset *dataset)
{
    static const char *const usual[][2] = {
        {"X", ""}, {"X{", "}"}, {"X(", ")"}, {"KH(", ")"}, {"view ", ""}};
    size_t like = 0;
    for (size_t v = 0; v < dataset->view_count; v++)
        for (size_t u = 0; u < sizeof usual / sizeof *usual; u++) {
            char name[40];
            snprintf(name, sizeof name, "%s%zu%s", usual[u][0], v + 1, usual[u][1]);
            like += strcmp(dataset->views[v].name, name) == 0;
        }
    return like < dataset->view_count;
}

onefold_status of_write_truth(of_arena *arena, int64_t **labels, const char *const **text,
                              const of_dataset *dataset)
{
    OF_SCRATCH(scratch, arena->context);
    int64_t *number;
    const char **names;
    int named = 0;
    OF_TRY(OF_NEW(&scratch, &number, dataset->class_count, 1));
    OF_TRY(OF_NEW(arena, labels, dataset->samples, 1));
    OF_TRY(OF_NEW(arena, &names, dataset->samples, 1));
    for (size_t c = 0; c < dataset->class_count; c++) {
        char printed[32];
        number[c] = strtoll(dataset->class_names[c], NULL, 10);
        snprintf(printed, sizeof printed, "%lld", (long long)number[c]);
        named |= strcmp(printed, dataset->class_names[c]) != 0; /* such as "01" and "+1" */
    }
    for (size_t j = 0; j < dataset->samples; j++) {
        (*labels)[j] = number[dataset->truth[j]];
        names[j] = dataset->class_names[dataset->truth[j]];
    }
    *text = names;
    if (named)
        *labels = NULL;
    return ONEFOLD_OK;
}

/* A file of several variables: a .mat or an .npz. */
typedef struct container {
    int mat;
    of_zip zip; /* of a .mat, only its file is used */
} container;

static onefold_status begin_container(container *to, of_arena *arena, of_atomic_file *file,
                                      of_format format)
{
    *to = (container){.mat = format == OF_MAT, .zip = of_zip_make(arena, file)};
    return to->mat ? mat_start(file) : ONEFOLD_OK;
}

static onefold_status put_stored(container *to, const stored *what)
{
    if (to->mat)
        return mat_variable(to->zip.file, what);
    return what->text                 ? npz_texts(&to->zip, what)
           : what->class == MX_SPARSE ? write_sparse(&to->zip, what->name, &what->view->sparse)
                                      : npz_array(&to->zip, what);
}

static onefold_status put_list(container *to, const char *name, of_type type, size_t count,
                               const void *numbers)
{
    of_view column = of_matrix_over(numbers, type, count, 1, 1, NULL);
    stored list = list_of(name, &column);
    return put_stored(to, &list);
}

static onefold_status put_texts(container *to, const char *name, size_t count,
                                const char *const *text)
{
    stored cell = {name, MX_CELL, 2, {count, 1, 1}, OF_F64, NULL, text, count, 0};
    return put_stored(to, &cell);
}

/* Kernels are one array, in their common type or float64, if all views are kernels. Otherwise views
 * are a cell, or arrays of their own. */
static onefold_status put_views(container *to, const of_dataset *dataset)
{
    size_t n = dataset->samples, p = dataset->view_count, kernels = 0, alike = 0;
    for (size_t v = 0; v < p; v++) {
        kernels += dataset->views[v].storage == OF_KERNEL;
        alike += dataset->views[v].type == dataset->views[0].type;
    }
    of_type type = alike == p ? dataset->views[0].type : OF_F64;
    stored all = {"KH", MX_DOUBLE + type, 3, {n, n, p}, type, dataset->views, NULL, p, 0};
    stored cell = {"X", MX_CELL, 2, {1, p, 1}, type, dataset->views, NULL, p, 0};
    if (to->mat || kernels == p)
        return put_stored(to, kernels == p ? &all : &cell);
    for (size_t v = 0; v < p; v++) {
        char name[32];
        snprintf(name, sizeof name, "X%zu", v + 1);
        stored one = array_of_view(name, &dataset->views[v]);
        OF_TRY(put_stored(to, &one));
    }
    return ONEFOLD_OK;
}

/* The names of views and of their columns, where there are any. */
static onefold_status put_names(container *to, of_arena *arena, const of_dataset *dataset)
{
    const char **name;
    OF_TRY(OF_NEW(arena, &name, dataset->view_count, 1));
    for (size_t v = 0; v < dataset->view_count; v++)
        name[v] = dataset->views[v].name;
    if (views_are_named(dataset))
        OF_TRY(put_texts(to, "view_names", dataset->view_count, name));
    for (size_t v = 0; v < dataset->view_count; v++) {
        const of_view *view = &dataset->views[v];
        char list[48];
        snprintf(list, sizeof list, "column_names%zu", v + 1);
        if (view->column_names)
            OF_TRY(put_texts(to, list, view->columns, view->column_names));
    }
    return ONEFOLD_OK;
}

/* Labels of a .mat are doubles, MATLAB's usual type, unless one would lose digits. */
static onefold_status put_truth(container *to, of_arena *arena, const of_dataset *dataset)
{
    size_t n = dataset->samples;
    int64_t *labels;
    const char *const *text;
    double *numbers;
    int exact = to->mat;
    OF_TRY(of_write_truth(arena, &labels, &text, dataset));
    if (!labels)
        return put_texts(to, "Y", n, text);
    OF_TRY(OF_NEW(arena, &numbers, n, 1));
    for (size_t j = 0; j < n; j++) {
        numbers[j] = (double)labels[j];
        exact = exact && labels[j] <= 1LL << 53 && labels[j] >= -(1LL << 53);
    }
    return put_list(to, "Y", exact ? OF_F64 : OF_I64, n, exact ? (void *)numbers : labels);
}

onefold_status of_write_container(of_atomic_file *file, of_format format, const of_dataset *dataset)
{
    OF_SCRATCH(scratch, file->context);
    container to;
    OF_TRY(begin_container(&to, &scratch, file, format));
    OF_TRY(put_views(&to, dataset));
    OF_TRY(put_names(&to, &scratch, dataset));
    if (dataset->truth)
        OF_TRY(put_truth(&to, &scratch, dataset));
    of_view present = of_matrix_over(dataset->present, OF_U8, dataset->samples, dataset->view_count,
                                     dataset->view_count, NULL);
    stored status = array_of_view("MissingStatus", &present);
    if (dataset->present)
        OF_TRY(put_stored(&to, &status));
    if (dataset->sample_names)
        OF_TRY(put_texts(&to, "sample_names", dataset->samples, dataset->sample_names));
    return to.mat ? ONEFOLD_OK : of_zip_finish(&to.zip);
}

onefold_status of_write_labels(of_atomic_file *file, of_format format, const int32_t *labels,
                               const double *confidence, const char *const *names, size_t samples)
{
    OF_SCRATCH(scratch, file->context);
    container to;
    OF_TRY(begin_container(&to, &scratch, file, format));
    OF_TRY(put_list(&to, "labels", OF_I32, samples, labels));
    if (confidence)
        OF_TRY(put_list(&to, "confidence", OF_F64, samples, confidence));
    if (names)
        OF_TRY(put_texts(&to, "sample_names", samples, names));
    return to.mat ? ONEFOLD_OK : of_zip_finish(&to.zip);
}

onefold_status of_write_mat(of_atomic_file *file, const char *name, const of_view *view)
{
    stored array = array_of_view(name, view);
    OF_TRY(mat_start(file));
    return mat_variable(file, &array);
}
