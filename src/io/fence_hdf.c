/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HDF5 files: MATLAB 7.3; .h5ad (anndata 0.8 and later) and .h5mu (MuData) of single cells. HDF5
 * prints nothing, claimed sizes are checked against the size of the file, and missing filters are
 * named. HDF5 is called directly, and not through matio, which reads a truncated file as one
 * without variables, lets HDF5 print, counts elements in an int, and allocates uncounted memory.
 */
#include "base/utf8.h"
#include "io/fence.h"
#include "io/find.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

/* A call of HDF5 with an id below 0 fails and does nothing. So only the last result of a sequence
 * of calls is checked. */

static void close_id(const hid_t *id)
{
    H5Idec_ref(*id);
}

/* An HDF5 id that is closed when its scope is left. */
#define OPENED(name, call) __attribute__((cleanup(close_id))) hid_t name = (call)

static onefold_status hdf_damaged(void)
{
    return of_damaged("it cannot be read: the file is truncated or damaged");
}

/* Where to read from, and the store to read into. */
typedef struct place {
    of_file *file;
    of_owner *store;
    hid_t parent;
    size_t
        *references; /* items of MATLAB's cells that may follow: ends cells that hold themselves */
} place;

enum { ENCODING = 64, NAME = 512, PATH = 1024 }; /* room for texts */

/* ---- sizes and elements --------------------------------------------------------------------- */

/* The sides of a data set in HDF5's order, and their product. */
typedef struct sides {
    hsize_t side[H5S_MAX_RANK];
    int rank;
    size_t elements;
} sides;

static onefold_status hdf_sides(hid_t dataset, sides *shape)
{
    OPENED(space, H5Dget_space(dataset));
    shape->rank = H5Sget_simple_extent_dims(space, shape->side, NULL);
    shape->elements = 1;
    for (int s = shape->rank - 1; s >= 0; s--)
        OF_TRY(of_claimed_size(&shape->elements, shape->elements, (size_t)shape->side[s]));
    return shape->rank < 0 ? hdf_damaged() : ONEFOLD_OK;
}

/* ---- what a file may not do ----------------------------------------------------------------- */

/* The error for an object whose data lie in another file, or are put together from others. Such a
 * file could name any file that this process may read. */
static onefold_status refuse_elsewhere(const char *name, const char *what)
{
    char text[300];
    snprintf(text, sizeof text, "%s", name);
    of_text_clean(text);
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s: it is %s, which is not read", text, what),
                   "convert the file with its own program first, so that all data lie in it");
}

/* Whether a data set keeps its data elsewhere: what it then is, else NULL. */
static const char *kept_elsewhere(hid_t made)
{
    return H5Pget_layout(made) == H5D_VIRTUAL ? "a virtual dataset, made of parts of others"
           : H5Pget_external_count(made) != 0 ? "a dataset with external storage, in another file"
                                              : NULL;
}

/* For H5Lvisit: ends at the first link to another file, and at the first data set kept elsewhere.
 */
static herr_t check_link(hid_t group, const char *name, const H5L_info_t *info, void *status)
{
    const char *what = NULL;
    if (info->type == H5L_TYPE_HARD) {
        OPENED(object, H5Oopen(group, name, H5P_DEFAULT));
        OPENED(made, H5Iget_type(object) == H5I_DATASET ? H5Dget_create_plist(object) : H5I_BADID);
        what = made < 0 ? NULL : kept_elsewhere(made);
    } else if (info->type != H5L_TYPE_SOFT) {
        what = info->type == H5L_TYPE_EXTERNAL ? "an external link, to another file"
                                               : "a link of a kind that HDF5 does not have";
    }
    if (what)
        *(onefold_status *)status = refuse_elsewhere(name, what);
    return what != NULL;
}

static onefold_status read_variables(of_file *file, hid_t root);
static onefold_status read_cells(of_file *file, hid_t root);

/* Calls a reader with the root of the file. HDF5 prints nothing, loads no code and follows no link
 * to another file; what the reader leaves open is closed. A soft link leads to a link that is
 * checked too, and HDF5 ends cycles of them. */
onefold_status of_fence_hdf(of_file *file, int matlab, void (*opened)(void))
{
    onefold_status status = ONEFOLD_OK;
    H5E_auto2_t print = NULL;
    void *where = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &where);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5PLset_loading_state(0);
    H5Lunregister(H5L_TYPE_EXTERNAL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_sec2(access); /* a driver that the environment names is not used */
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); /* closing the file closes all that is open */
    hid_t root = H5Fopen(file->path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (opened)
        opened();
    if (root < 0)
        status = of_damaged("the file is truncated or damaged: HDF5 cannot open it");
    else
        H5Lvisit(root, H5_INDEX_NAME, H5_ITER_NATIVE, check_link, &status);
    if (status == ONEFOLD_OK)
        status = matlab ? read_variables(file, root) : read_cells(file, root);
    H5Fclose(root);
    H5Eset_auto2(H5E_DEFAULT, print, where);
    return status;
}

/* Refuses what would take more memory than the limit leaves, `bytes` in all. */
static onefold_status check_memory(const of_file *file, size_t bytes)
{
    char need[32], allowed[32];
    size_t limit = file->context->memory_limit, held = atomic_load(&file->context->bytes);
    if (!limit || (held <= limit && bytes <= limit - held))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_NO_MEMORY, "reading it needs %s, and %s are allowed",
                           of_size_text(need, held + bytes < held ? SIZE_MAX : held + bytes),
                           of_size_text(allowed, limit)),
                   "allow more with `memory_limit`, or read fewer of its matrices with `views`");
}

/* Adds the bytes of the data set at a path, or of those of a sparse matrix there. */
static void add_up(hid_t parent, const char *path, size_t *bytes)
{
    static const char *const parts[] = {"jc", "ir", "indptr", "indices", "data"};
    OPENED(object, H5Oopen(parent, path, H5P_DEFAULT));
    if (H5Iget_type(object) == H5I_GROUP) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            OPENED(part, H5Dopen2(object, parts[i], H5P_DEFAULT));
            if (part >= 0)
                add_up(part, ".", bytes);
        }
        return;
    }
    OPENED(space, H5Dget_space(object));
    OPENED(type, H5Dget_type(object));
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t more = 0;
    if (count > 0 && (__builtin_mul_overflow((size_t)count, H5Tget_size(type), &more) ||
                      __builtin_add_overflow(*bytes, more, bytes)))
        *bytes = SIZE_MAX;
}

/* ---- reading -------------------------------------------------------------------------------- */

static onefold_status check_filters(hid_t made)
{
    int count = H5Pget_nfilters(made);
    for (int i = 0; i < count; i++) {
        unsigned flags, config;
        size_t values = 0;
        char name[64] = "";
        H5Z_filter_t id = H5Pget_filter2(made, (unsigned)i, &flags, &values, NULL, sizeof name - 1,
                                         name, &config);
        if (H5Zfilter_avail(id) > 0)
            continue;
        of_text_clean(name);
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "it is compressed by HDF5's filter %d%s%s, which is not read here",
                               (int)id, *name ? ", " : "", name),
                       "write the file again with compression=\"gzip\", or with none");
    }
    return ONEFOLD_OK;
}

/* Refuses a data set with data elsewhere, with a filter that this build of HDF5 lacks, with chunks
 * that need more memory than is allowed, and one that is stored in fewer bytes than it has: HDF5
 * reads beyond the end of a compact one. `bytes` of memory are for its elements. */
static onefold_status check_stored(of_file *file, hid_t dataset, size_t elements, size_t bytes)
{
    OPENED(made, H5Dget_create_plist(dataset));
    OPENED(type, H5Dget_type(dataset));
    const char *elsewhere = kept_elsewhere(made);
    hsize_t size = H5Tget_size(type), stored = H5Dget_storage_size(dataset), side[H5S_MAX_RANK];
    H5D_layout_t layout = H5Pget_layout(made);
    if (elsewhere)
        return refuse_elsewhere("a dataset", elsewhere);
    OF_TRY(check_filters(made));
    /* A chunk is decompressed whole: into memory that doubles until it is enough. */
    enum { COPIES = 3 };
    int rank = layout == H5D_CHUNKED ? H5Pget_chunk(made, H5S_MAX_RANK, side) : 0;
    size_t chunk = rank > 0 && stored > 0 ? (size_t)size : 0, need;
    for (int s = 0; s < rank; s++)
        OF_TRY(of_claimed_size(&chunk, chunk, (size_t)side[s]));
    OF_TRY(of_claimed_size(&need, chunk, H5Pget_nfilters(made) > 0 ? COPIES : 1));
    OF_TRY(of_size_add(&need, need, bytes));
    OF_TRY(check_memory(file, need));
    OF_TRY(of_file_unpacks(file, bytes));
    if (chunk > bytes) /* beyond the elements */
        OF_TRY(of_file_unpacks(file, chunk - bytes));
    /* contiguous with 0 bytes: never written, and read as zeros */
    int whole = layout == H5D_COMPACT || (layout == H5D_CONTIGUOUS && stored > 0);
    return !whole || (size > 0 && stored / size >= elements) ? ONEFOLD_OK : hdf_damaged();
}

/* For H5Ewalk2: whether HDF5 failed for want of memory. */
static herr_t see_cause(unsigned depth, const H5E_error2_t *error, void *memory)
{
    (void)depth;
    *(int *)memory |= error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC;
    return 0;
}

/* Reads all of a data set or an attribute, of `elements` in the type `memory`, into `room` bytes.
 * What it has is counted first: nothing else reads. Texts of variable length are allocated as
 * `transfer` says. */
static onefold_status hdf_read(hid_t from, hid_t memory, hid_t transfer, size_t elements, void *out,
                               size_t room)
{
    int attribute = H5Iget_type(from) == H5I_ATTR, no_memory = 0;
    OPENED(space, attribute ? H5Aget_space(from) : H5Dget_space(from));
    hssize_t count = H5Sget_simple_extent_npoints(space);
    size_t bytes, size = H5Tget_size(memory);
    if (count < 0 || (size_t)count != elements || size == 0)
        return hdf_damaged();
    OF_TRY(of_claimed_size(&bytes, (size_t)count, size));
    if (bytes > room)
        return hdf_damaged();
    if ((attribute ? H5Aread(from, memory, out)
                   : H5Dread(from, memory, H5S_ALL, H5S_ALL, transfer, out)) >= 0)
        return ONEFOLD_OK;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, see_cause, &no_memory);
    return no_memory ? of_hint(of_fail(ONEFOLD_NO_MEMORY, "HDF5 had too little memory to read it"),
                               "allow more with `memory_limit`")
                     : hdf_damaged();
}

/* Reads all elements into the store, if the file can hold as many. */
static onefold_status hdf_elements(place at, hid_t dataset, hid_t native, size_t size,
                                   size_t elements, const void **data)
{
    size_t bytes;
    void *out;
    OF_TRY(of_claimed_size(&bytes, elements, size));
    if (bytes > of_inflate_most(at.file->size))
        return hdf_damaged();
    OF_TRY(check_stored(at.file, dataset, elements, bytes));
    OF_TRY(of_context_check(at.store->arena.context));
    OF_TRY(of_arena_allocate(&at.store->arena, &out, size, elements, 1));
    OF_TRY(hdf_read(dataset, native, H5P_DEFAULT, elements, out, bytes));
    *data = out;
    return ONEFOLD_OK;
}

/* Reads numbers in their stored type. The type OF_TYPE_COUNT, and no data, where that is not one of
 * ours. An enum of one byte, as h5py writes truth values, is OF_U8. */
static onefold_status hdf_numbers(place at, hid_t dataset, size_t elements, of_array *array)
{
    const hid_t natives[OF_TYPE_COUNT] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT,  H5T_NATIVE_INT8,
                                          H5T_NATIVE_UINT8,  H5T_NATIVE_INT16,  H5T_NATIVE_UINT16,
                                          H5T_NATIVE_INT32,  H5T_NATIVE_UINT32, H5T_NATIVE_INT64,
                                          H5T_NATIVE_UINT64};
    OPENED(type, H5Dget_type(dataset));
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    int truth = class == H5T_ENUM && size == 1, kind = class == H5T_FLOAT     ? 'f'
                                                       : class != H5T_INTEGER ? truth ? 'u' : 'V'
                                                       : H5Tget_sign(type) == H5T_SGN_NONE ? 'u'
                                                                                           : 'i';
    *array = (of_array){NULL, of_type_find((char)kind, size), elements, at.store};
    return array->type == OF_TYPE_COUNT
               ? ONEFOLD_OK
               : hdf_elements(at, dataset, truth ? type : natives[array->type], size, elements,
                              &array->data);
}

/* All numbers of the data set at a path, which has one or two sides. */
static onefold_status hdf_array(place at, const char *path, of_array *array)
{
    OPENED(dataset, H5Dopen2(at.parent, path, H5P_DEFAULT));
    sides shape;
    OF_TRY_OF(path, hdf_sides(dataset, &shape));
    OF_TRY_OF(path, shape.rank < 1 || shape.rank > 2
                        ? hdf_damaged()
                        : hdf_numbers(at, dataset, shape.elements, array));
    return array->type == OF_TYPE_COUNT
               ? of_fail(ONEFOLD_BAD_DATA, "%s: its numbers are of a type that is not read", path)
               : ONEFOLD_OK;
}

/* ---- texts ---------------------------------------------------------------------------------- */

/* The type of a text of variable length in memory, with the character set of `type`. */
static hid_t text_type(hid_t type)
{
    hid_t memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    return memory;
}

/* Memory for texts of variable length, in pieces: HDF5 asks for one text at a time. Many elements
 * may be the same text of the file. */
typedef struct text_room {
    place at;
    char *next;
    size_t left;
    of_error error; /* of the text that was not allowed */
} text_room;

static void *text_allocate(size_t size, void *rooms)
{
    enum { PIECE = 1 << 16 };
    text_room *room = rooms;
    if (size > room->left) {
        size_t piece = size > PIECE ? size : PIECE;
        void *made = NULL;
        onefold_status status = check_memory(room->at.file, piece);
        if (status == ONEFOLD_OK)
            status = of_file_unpacks(room->at.file, piece);
        if (status == ONEFOLD_OK)
            status = of_arena_allocate(&room->at.store->arena, &made, 1, piece, 1);
        of_error_save(&room->error, status);
        if (status != ONEFOLD_OK)
            return NULL;
        room->next = made;
        room->left = piece;
    }
    void *text = room->next;
    room->next += size;
    room->left -= size;
    return text;
}

static void text_release(void *text, void *room)
{
    (void)text, (void)room; /* with its arena */
}

/* Reads the `count` texts of a data set, of fixed or variable length. */
static onefold_status hdf_texts(place at, hid_t from, size_t count, const char ***texts)
{
    OPENED(type, H5Dget_type(from));
    int variable = H5Tis_variable_str(type) > 0;
    size_t size = variable ? sizeof **texts : H5Tget_size(type);
    text_room room = {.at = at};
    const void *data = NULL;
    if (count > of_inflate_most(at.file->size))
        return hdf_damaged();
    if (variable)
        OF_TRY(check_stored(at.file, from, count, count * size));
    else
        OF_TRY(hdf_elements(at, from, type, size, count, &data));
    OF_TRY(OF_NEW_ZERO(&at.store->arena, texts, count, 1));
    if (variable) {
        OPENED(memory, text_type(type));
        OPENED(transfer, H5Pcreate(H5P_DATASET_XFER));
        H5Pset_vlen_mem_manager(transfer, text_allocate, &room, text_release, &room);
        onefold_status status =
            hdf_read(from, memory, transfer, count, (void *)*texts, count * size);
        OF_TRY(of_error_restore(&room.error));
        OF_TRY(status);
    }
    for (size_t i = 0; i < count; i++) {
        const char *from_text = variable ? (*texts)[i] : (const char *)data + i * size;
        size_t length = variable ? 0 : strnlen(from_text, size); /* ends at a zero or at its size */
        if (variable && from_text)
            continue;
        char *text = text_allocate(length + 1, &room);
        OF_TRY(of_error_restore(&room.error));
        memcpy(text, length ? from_text : "", length);
        text[length] = '\0';
        (*texts)[i] = text;
    }
    return ONEFOLD_OK;
}

/* ---- attributes ----------------------------------------------------------------------------- */

/* The text of an attribute, of fixed or variable length; "" where there is none or it is too long.
 * Nothing is allocated, as an error could not be told from "". */
static void text_attribute(hid_t object, const char *name, char *text, size_t room)
{
    memset(text, 0, room);
    OPENED(attribute, H5Aopen(object, name, H5P_DEFAULT));
    OPENED(type, H5Aget_type(attribute));
    OPENED(memory, text_type(type));
    int is_text = H5Tget_class(type) == H5T_STRING, variable = H5Tis_variable_str(type) > 0;
    char *found = NULL;
    if (!is_text)
        return;
    if (!variable && H5Tget_size(type) < room) {
        if (hdf_read(attribute, type, H5P_DEFAULT, 1, text, room) != ONEFOLD_OK)
            memset(text, 0, room);
    } else if (variable && hdf_read(attribute, memory, H5P_DEFAULT, 1, &found, sizeof found) == 0 &&
               found) {
        if (strlen(found) < room)
            strcpy(text, found);
        H5free_memory(found);
    }
}

/* The numbers of an attribute. Returns 0, with zeros, where it does not have `count` numbers. */
static int number_attribute(hid_t object, const char *name, size_t count,
                            unsigned long long *values)
{
    memset(values, 0, count * sizeof *values);
    OPENED(attribute, H5Aopen(object, name, H5P_DEFAULT));
    if (hdf_read(attribute, H5T_NATIVE_ULLONG, H5P_DEFAULT, count, values,
                 count * sizeof *values) == ONEFOLD_OK)
        return 1;
    memset(values, 0, count * sizeof *values);
    return 0;
}

/* The name of member `number` of a group. Returns its length, which may exceed the room, or a
 * number below 0 where it cannot be read. */
static ssize_t hdf_member(hid_t group, hsize_t number, char *name, size_t room)
{
    return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, number, name, room,
                              H5P_DEFAULT);
}

/* ==== MATLAB 7.3 ==== */

static onefold_status read_object(place at, hid_t object, const char *name, int depth,
                                  of_variable *variable);

/* ---- data sets ------------------------------------------------------------------------------ */

static onefold_status read_cell(place at, hid_t dataset, const char *name, int depth,
                                size_t elements, of_variable *variable)
{
    enum { DEEPEST = 16 };
    const void *data = NULL;
    if (depth > DEEPEST)
        return of_build_other(variable, name, "a cell within too many others");
    if (elements > *at.references)
        return hdf_damaged();
    *at.references -= elements;
    OF_TRY(hdf_elements(at, dataset, H5T_STD_REF_OBJ, sizeof(hobj_ref_t), elements, &data));
    OF_TRY(OF_NEW_ZERO(&at.store->arena, &variable->item, elements, 1));
    variable->kind = OF_VARIABLE_CELL;
    variable->count = elements;
    size_t bytes = 0;
    for (size_t i = 0; i < elements; i++) {
        OPENED(item,
               H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, (const hobj_ref_t *)data + i));
        if (item >= 0)
            add_up(item, ".", &bytes);
    }
    OF_TRY(check_memory(at.file, bytes));
    for (size_t i = 0; i < elements; i++) {
        char *item_name;
        OF_TRY(of_arena_string(&at.store->arena, &item_name, "%s{%zu}", name, i + 1));
        OPENED(item,
               H5Rdereference2(dataset, H5P_DEFAULT, H5R_OBJECT, (const hobj_ref_t *)data + i));
        if (item < 0)
            return of_blame(hdf_damaged(), "%s", item_name);
        OF_TRY(read_object(at, item, item_name, depth + 1, &variable->item[i]));
    }
    return of_build_list(&at.store->arena, variable);
}

static onefold_status read_dataset(place at, hid_t dataset, const char *name, int depth,
                                   of_variable *variable)
{
    char class[64];
    sides all;
    size_t side[3], more = 1; /* sides beyond the third, multiplied */
    unsigned long long empty;
    of_array numbers = {NULL, OF_F64, 0, at.store};
    text_attribute(dataset, "MATLAB_class", class, sizeof class);
    OF_TRY(hdf_sides(dataset, &all));
    for (int d = 0; d < 3 || d < all.rank; d++) /* MATLAB's sides are HDF5's in reverse */
        if (d < 3)
            side[d] = d < all.rank ? all.side[all.rank - 1 - d] : 1;
        else
            more *= all.side[all.rank - 1 - d];
    number_attribute(dataset, "MATLAB_empty", 1, &empty);
    if (all.elements == 0 || empty)
        return of_build_other(variable, name, "empty");
    if (more > 1)
        return of_build_other(variable, name, "an array of more than three dimensions");
    *variable = (of_variable){.name = name};
    int cell = strcmp(class, "cell") == 0;
    if (!cell)
        OF_TRY(hdf_numbers(at, dataset, all.elements, &numbers));
    if (numbers.type == OF_TYPE_COUNT)
        return of_build_other(variable, name, "complex, or of a type that is not read");
    of_build_dense(variable, &numbers, side, 0);
    if (cell)
        return read_cell(at, dataset, name, depth, all.elements, variable);
    return strcmp(class, "char") == 0
               ? of_build_text(&at.store->arena, side[0], side[1], 0, &numbers, variable)
               : ONEFOLD_OK;
}

/* ---- groups --------------------------------------------------------------------------------- */

/* An array of a sparse matrix; an empty array is not stored. */
static onefold_status read_member(place at, const char *part, of_array *array)
{
    *array = (of_array){NULL, OF_F64, 0, at.store};
    return H5Lexists(at.parent, part, H5P_DEFAULT) > 0 ? hdf_array(at, part, array) : ONEFOLD_OK;
}

static onefold_status read_group(place at, hid_t group, const char *name, of_variable *variable)
{
    unsigned long long rows;
    number_attribute(group, "MATLAB_sparse", 1, &rows);
    if (H5Aexists(group, "MATLAB_sparse") <= 0)
        return of_build_other(variable, name, "a struct");
    of_array start, index, value;
    at.parent = group;
    OF_TRY(read_member(at, "jc", &start));
    OF_TRY(read_member(at, "ir", &index));
    OF_TRY(read_member(at, "data", &value));
    if (rows == 0 || start.count < 2)
        return of_build_other(variable, name, "empty");
    *variable = (of_variable){.name = name};
    return of_build_compressed(at.store, variable, (size_t)rows, start.count - 1, 1, &start, &index,
                               &value);
}

static onefold_status read_object(place at, hid_t object, const char *name, int depth,
                                  of_variable *variable)
{
    H5I_type_t kind = H5Iget_type(object);
    onefold_status status = kind == H5I_DATASET ? read_dataset(at, object, name, depth, variable)
                            : kind == H5I_GROUP ? read_group(at, object, name, variable)
                                                : of_build_other(variable, name, "a type");
    return status == ONEFOLD_BAD_DATA && variable->kind != OF_VARIABLE_CELL
               ? of_blame(status, "%s", name)
               : status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static onefold_status read_variables(of_file *file, hid_t root)
{
    H5G_info_t info;
    size_t references = file->size / sizeof(hobj_ref_t);
    size_t bytes = 0;
    if (H5Gget_info(root, &info) < 0)
        return hdf_damaged();
    for (hsize_t link = 0; link < info.nlinks; link++) {
        char name[NAME] = "";
        if (hdf_member(root, link, name, sizeof name) >= 0 && name[0] != '#')
            add_up(root, name, &bytes);
    }
    OF_TRY(check_memory(file, bytes));
    for (hsize_t link = 0; link < info.nlinks; link++) {
        char name[128] = "";
        of_top *top;
        if (hdf_member(root, link, name, sizeof name) < 0)
            return hdf_damaged();
        if (name[0] == '#') /* MATLAB's own */
            continue;
        OF_TRY(of_file_add(file, &top, name));
        OPENED(object, H5Oopen(root, name, H5P_DEFAULT));
        if (object < 0)
            return of_blame(hdf_damaged(), "%s", name);
        place at = {file, top->store, root, &references};
        OF_TRY(read_object(at, object, top->variable.name, 0, &top->variable));
    }
    return ONEFOLD_OK;
}

/* ==== single cells: samples are the rows of every matrix, and the file names samples and columns.
 * Only views are read: X, or every modality's X, unless the option `views` names others. ==== */

/* The matrices of a file, or of one modality. */
typedef struct cells_group {
    place at;             /* the store is that of the names and of `from` */
    const char *modality; /* NULL: the file itself */
    size_t samples;       /* of the file */
    const char *const *names;
    const size_t *from; /* the row of each sample, or SIZE_MAX; NULL: rows are in order */
    size_t rows;        /* of the modality */
    size_t *sum;        /* not NULL: the bytes of the matrices are added up, and nothing is read */
} cells_group;

/* The attribute encoding-type of the object at a path, or "". */
static void read_encoding(hid_t parent, const char *path, char text[ENCODING])
{
    text_attribute(H5Oopen(parent, path, H5P_DEFAULT), "encoding-type", text, ENCODING);
}

/* ---- matrices ------------------------------------------------------------------------------- */

static onefold_status read_dense(place at, const char *path, of_variable *variable)
{
    hid_t dataset = H5Dopen2(at.parent, path, H5P_DEFAULT);
    sides shape;
    of_array numbers;
    OF_TRY(hdf_sides(dataset, &shape));
    if (shape.rank != 2)
        return of_fail(ONEFOLD_BAD_DATA, "it is an array that is not two-dimensional");
    OF_TRY(hdf_numbers(at, dataset, shape.elements, &numbers));
    if (numbers.type == OF_TYPE_COUNT)
        return of_fail(ONEFOLD_BAD_DATA, "it is of a type that is not read");
    if (shape.elements == 0)
        return of_fail(ONEFOLD_BAD_DATA, "it is empty");
    variable->matrix = of_matrix_over(numbers.data, numbers.type, shape.side[0], shape.side[1],
                                      shape.side[1], at.store);
    return ONEFOLD_OK;
}

static onefold_status read_sparse(place at, const char *path, int by_column, of_variable *variable)
{
    unsigned long long shape[2];
    of_array start, index, value;
    at.parent = H5Gopen2(at.parent, path, H5P_DEFAULT);
    if (!number_attribute(at.parent, "shape", 2, shape))
        return hdf_damaged();
    if (!shape[0] || !shape[1])
        return of_fail(ONEFOLD_BAD_DATA, "it is empty");
    OF_TRY(hdf_array(at, "indptr", &start));
    OF_TRY(hdf_array(at, "indices", &index));
    OF_TRY(hdf_array(at, "data", &value));
    if (start.count - 1 != shape[by_column ? 1 : 0] || index.count != value.count)
        return hdf_damaged();
    return of_build_compressed(at.store, variable, shape[0], shape[1], by_column, &start, &index,
                               &value);
}

/* A matrix at a path: an array of two sides, a csr_matrix or a csc_matrix. */
static onefold_status read_matrix(place at, const char *path, of_variable *variable)
{
    char encoding[ENCODING];
    if (H5Oexists_by_name(at.parent, path, H5P_DEFAULT) <= 0)
        return of_fail(ONEFOLD_BAD_DATA, "it is a link to nothing, or in a circle");
    read_encoding(at.parent, path, encoding);
    if (strcmp(encoding, "array") == 0)
        return read_dense(at, path, variable);
    if (strcmp(encoding, "csr_matrix") == 0 || strcmp(encoding, "csc_matrix") == 0)
        return read_sparse(at, path, encoding[2] == 'c', variable);
    return of_fail(ONEFOLD_BAD_DATA, "it is %s",
                   strcmp(encoding, "dataframe") == 0 ? "a table, not a matrix"
                   : *encoding                        ? "of an encoding that is not read"
                                                      : "without an encoding");
}

/* ---- columns of frames ---------------------------------------------------------------------- */

/* numbers.count numbers, or as many texts where `text` is not NULL. */
typedef struct values {
    of_array numbers;
    const char **text;
} values;

/* A data set of one or two sides. */
static onefold_status read_values(place at, const char *path, values *made)
{
    hid_t dataset = H5Dopen2(at.parent, path, H5P_DEFAULT);
    OPENED(type, H5Dget_type(dataset));
    sides shape;
    *made = (values){.text = NULL};
    if (H5Tget_class(type) != H5T_STRING)
        return hdf_array(at, path, &made->numbers);
    OF_TRY_OF(path, hdf_sides(dataset, &shape));
    OF_TRY_OF(path, shape.rank < 1 || shape.rank > 2
                        ? hdf_damaged()
                        : hdf_texts(at, dataset, shape.elements, &made->text));
    for (size_t i = 0; i < shape.elements; i++)
        of_text_clean((char *)made->text[i]);
    made->numbers.count = shape.elements;
    return ONEFOLD_OK;
}

static onefold_status refuse_missing(size_t missing, size_t count)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "%zu of its %zu values are missing", missing, count),
                   "give every sample a true label, or ignore the labels with `no_truth`");
}

/* A column as codes and categories; a code below 0 is a missing value. */
static onefold_status read_categorical(place at, values *made)
{
    of_array codes;
    values categories;
    double *value = NULL;
    size_t missing = 0;
    OF_TRY(hdf_array(at, "codes", &codes));
    OF_TRY(read_values(at, "categories", &categories));
    *made = (values){.numbers = {NULL, OF_F64, codes.count, at.store}};
    if (categories.text)
        OF_TRY(OF_NEW(&at.store->arena, &made->text, codes.count, 1));
    else
        OF_TRY(OF_NEW(&at.store->arena, &value, codes.count, 1));
    for (size_t j = 0; j < codes.count; j++) {
        double code = of_array_get(&codes, j);
        if (code >= (double)categories.numbers.count)
            return hdf_damaged();
        missing += !(code >= 0);
        if (!(code >= 0))
            continue;
        if (categories.text)
            made->text[j] = categories.text[(size_t)code];
        else
            value[j] = of_array_get(&categories.numbers, (size_t)code);
    }
    made->numbers.data = value;
    return missing ? refuse_missing(missing, codes.count) : ONEFOLD_OK;
}

/* A column as values and a mask; a 1 in the mask is a missing value. */
static onefold_status read_nullable(place at, values *made)
{
    of_array mask;
    size_t missing = 0;
    OF_TRY(read_values(at, "values", made));
    OF_TRY(hdf_array(at, "mask", &mask));
    if (mask.count != made->numbers.count)
        return hdf_damaged();
    for (size_t j = 0; j < mask.count; j++)
        missing += of_array_get(&mask, j) != 0;
    return missing ? refuse_missing(missing, mask.count) : ONEFOLD_OK;
}

/* A column of a data frame, by its encoding. Missing values are refused. */
static onefold_status read_column(place at, const char *path, values *made)
{
    char encoding[ENCODING];
    read_encoding(at.parent, path, encoding);
    if (strcmp(encoding, "array") == 0 || strcmp(encoding, "string-array") == 0)
        return read_values(at, path, made);
    int categorical = strcmp(encoding, "categorical") == 0;
    if (!categorical && strncmp(encoding, "nullable-", 9) != 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s: its encoding%s%s is not read", path,
                       *encoding ? ", " : "", encoding);
    at.parent = H5Gopen2(at.parent, path, H5P_DEFAULT);
    OF_TRY_OF(path, at.parent < 0 ? hdf_damaged()
                    : categorical ? read_categorical(at, made)
                                  : read_nullable(at, made));
    return ONEFOLD_OK;
}

/* The index of a data frame: the names of samples or of columns. */
static onefold_status read_index(place at, const char *frame, size_t *count,
                                 const char *const **names)
{
    char column[PATH], path[2 * PATH];
    values made;
    *names = NULL;
    hid_t group = H5Gopen2(at.parent, frame, H5P_DEFAULT);
    if (group < 0)
        return of_fail(ONEFOLD_BAD_DATA, "%s is not a table in it", frame);
    text_attribute(group, "_index", column, sizeof column);
    if (!*column)
        return of_fail(ONEFOLD_BAD_DATA, "%s has no index", frame);
    snprintf(path, sizeof path, "%s/%s", frame, column);
    OF_TRY(read_column(at, path, &made));
    *count = made.numbers.count;
    if (!made.text) {
        OF_TRY(OF_NEW(&at.store->arena, &made.text, *count, 1));
        for (size_t i = 0; i < *count; i++)
            OF_TRY(
                OF_TEXT(&at.store->arena, &made.text[i], "%.15g", of_array_get(&made.numbers, i)));
    }
    *names = made.text;
    return ONEFOLD_OK;
}

/* Whether a matrix is a view, and under which name: the option `views` names it, with or without
 * "mod/" before its modality; or it is a `plain` view, and the option is absent or has a number. */
static int is_wanted(const cells_group *group, const char *path, int plain, char name[NAME])
{
    char word[NAME], whole[NAME];
    const char *list = group->at.file->options.views, *next;
    int plain_wanted = !list;
    if (group->modality)
        snprintf(whole, sizeof whole, "%.200s/%.300s", group->modality, path);
    else
        snprintf(whole, sizeof whole, "%s", path);
    snprintf(name, NAME, "%s", group->modality && strcmp(path, "X") == 0 ? group->modality : whole);
    for (int length; of_list_next(&list, &next, &length);) {
        snprintf(word, sizeof word, "%.*s", length, next);
        const char *asked = group->modality && strncmp(word, "mod/", 4) == 0 ? word + 4 : word;
        plain_wanted |= *word && word[strspn(word, "0123456789")] == '\0';
        if (of_same_word(word, name) || strcmp(asked, whole) == 0 || strcmp(asked, name) == 0) {
            snprintf(name, NAME, "%s", word);
            return 1;
        }
    }
    return plain && plain_wanted;
}

/* ---- views ---------------------------------------------------------------------------------- */

static onefold_status add_other(of_file *file, const char *name, const char *what)
{
    of_top *top;
    OF_TRY(of_file_add(file, &top, name));
    return of_build_other(&top->variable, top->variable.name, what);
}

static onefold_status add_matrix(const cells_group *group, const char *path, int plain)
{
    char name[NAME];
    of_top *top;
    size_t count = 0;
    const char *const *columns = NULL;
    int wanted = is_wanted(group, path, plain, name);
    if (group->sum && wanted)
        add_up(group->at.parent, path, group->sum);
    if (group->sum)
        return ONEFOLD_OK;
    if (!wanted)
        return add_other(group->at.file, name, "a matrix that was not asked for");
    OF_TRY(of_file_add(group->at.file, &top, name));
    of_matrix *matrix = &top->variable.matrix;
    place at = group->at;
    at.store = top->store;
    OF_TRY_OF(name, read_matrix(at, path, &top->variable));
    if (strncmp(path, "obsm/", 5) != 0)
        OF_TRY_OF(name, read_index(at, "var", &count, &columns));
    if (columns && count != matrix->columns)
        return of_fail(ONEFOLD_BAD_DATA, "%s: it has %zu columns, and var %zu", name,
                       matrix->columns, count);
    size_t rows = group->from ? group->rows : group->samples;
    if (matrix->rows != rows)
        return of_fail(ONEFOLD_BAD_DATA, "%s: it has %zu rows, and there are %zu samples", name,
                       matrix->rows, rows);
    OF_TRY(of_owner_hold(top->store, group->at.store));
    if (group->from) /* into the order of the file's samples */
        OF_TRY(of_matrix_reorder(&at.store->arena, matrix, 1, 0, 0, group->from, group->samples));
    matrix->row_names = group->names;
    matrix->column_names = columns;
    return ONEFOLD_OK;
}

static onefold_status add_members(const cells_group *group, const char *folder)
{
    char path[NAME], member[256];
    H5G_info_t info;
    if (H5Lexists(group->at.parent, folder, H5P_DEFAULT) <= 0)
        return ONEFOLD_OK;
    hid_t members = H5Gopen2(group->at.parent, folder, H5P_DEFAULT);
    if (H5Gget_info(members, &info) < 0)
        return of_blame(hdf_damaged(), "%s", folder);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        if ((size_t)hdf_member(members, i, member, sizeof member) >= sizeof member) /* or below 0 */
            return of_blame(hdf_damaged(), "%s", folder);
        snprintf(path, sizeof path, "%s/%s", folder, member);
        OF_TRY(add_matrix(group, path, 0));
    }
    return ONEFOLD_OK;
}

static onefold_status add_matrices(const cells_group *group)
{
    if (H5Lexists(group->at.parent, "X", H5P_DEFAULT) > 0)
        OF_TRY(add_matrix(group, "X", 1));
    OF_TRY(add_members(group, "layers"));
    return add_members(group, "obsm");
}

/* ---- the modalities of an .h5mu ------------------------------------------------------------- */

/* Reads obsmap: the row of each sample in a modality, from 1, or 0 where it has none. */
static onefold_status read_map(cells_group *group, hid_t root)
{
    char path[NAME];
    of_array map;
    size_t *from, found = 0;
    int moved = 0;
    const char *const *names;
    OF_TRY(read_index(group->at, "obs", &group->rows, &names));
    snprintf(path, sizeof path, "obsmap/%.400s", group->modality);
    if (H5Lexists(root, "obsmap", H5P_DEFAULT) <= 0 || H5Lexists(root, path, H5P_DEFAULT) <= 0) {
        if (group->rows == group->samples)
            return ONEFOLD_OK;
        return of_fail(ONEFOLD_BAD_DATA,
                       "it has %zu of the %zu samples, and obsmap does not say which", group->rows,
                       group->samples);
    }
    OF_TRY(hdf_array((place){group->at.file, group->at.store, root, NULL}, path, &map));
    if (map.count != group->samples)
        return of_blame(hdf_damaged(), "%s", path);
    OF_TRY(OF_NEW(&group->at.store->arena, &from, group->samples, 1));
    for (size_t j = 0; j < group->samples; j++) {
        double at = of_array_get(&map, j);
        if (!(at >= 0 && at <= (double)group->rows))
            return of_blame(hdf_damaged(), "%s", path);
        from[j] = at > 0 ? (size_t)at - 1 : SIZE_MAX;
        moved |= from[j] != j;
        found += at > 0;
    }
    if (found != group->rows)
        return of_fail(ONEFOLD_BAD_DATA, "obsmap has %zu of its %zu samples", found, group->rows);
    group->from = moved ? from : NULL;
    return ONEFOLD_OK;
}

/* Modalities in the order of the attribute mod-order, or by name. The texts of an attribute are not
 * counted before HDF5 has allocated them, so that only a short list is read. */
static onefold_status list_modalities(place at, hid_t modalities, size_t *count,
                                      const char ***names)
{
    enum { MOST_ORDERED = 64 };
    H5G_info_t info;
    if (H5Gget_info(modalities, &info) < 0 || info.nlinks > at.file->size)
        return hdf_damaged();
    *count = (size_t)info.nlinks;
    OF_TRY(OF_NEW_ZERO(&at.store->arena, names, *count, 1));
    OPENED(order, H5Aopen(modalities, "mod-order", H5P_DEFAULT));
    OPENED(space, H5Aget_space(order));
    OPENED(type, H5Aget_type(order));
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0 &&
        H5Sget_simple_extent_npoints(space) == (hssize_t)*count && *count <= MOST_ORDERED) {
        OPENED(memory, text_type(type));
        char *found[MOST_ORDERED] = {NULL};
        onefold_status status = hdf_read(order, memory, H5P_DEFAULT, *count, found, sizeof found);
        for (size_t i = 0; i < *count; i++) {
            if (status == ONEFOLD_OK)
                status =
                    OF_TEXT(&at.store->arena, &(*names)[i], "%.*s", NAME, found[i] ? found[i] : "");
            H5free_memory(found[i]);
        }
        return status;
    }
    for (size_t i = 0; i < *count; i++) {
        char name[NAME];
        if (hdf_member(modalities, (hsize_t)i, name, sizeof name) < 0)
            return hdf_damaged();
        OF_TRY(OF_TEXT(&at.store->arena, &(*names)[i], "%s", name));
    }
    return ONEFOLD_OK;
}

/* The matrices of every modality of an .h5mu. */
static onefold_status add_modalities(cells_group *group, hid_t root)
{
    size_t count = 0;
    const char **names;
    unsigned long long axis;
    hid_t modalities = H5Gopen2(root, "mod", H5P_DEFAULT);
    if (modalities < 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no modalities in it");
    if (number_attribute(root, "axis", 1, &axis) && axis != 0)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "its modalities share variables, not samples"),
                       "views are of the same samples: axis must be 0");
    OF_TRY(list_modalities(group->at, modalities, &count, &names));
    for (size_t i = 0; i < count && group->sum; i++) {
        cells_group one = *group;
        one.modality = names[i];
        one.at.parent = H5Gopen2(modalities, names[i], H5P_DEFAULT);
        OF_TRY(add_matrices(&one));
    }
    for (size_t i = 0; i < count && !group->sum; i++) {
        char encoding[ENCODING];
        cells_group one = *group;
        one.modality = names[i];
        one.at.parent = H5Gopen2(modalities, names[i], H5P_DEFAULT);
        read_encoding(modalities, names[i], encoding);
        onefold_status status = one.at.parent < 0 ? hdf_damaged()
                                : strcmp(encoding, "anndata") != 0
                                    ? of_fail(ONEFOLD_BAD_DATA, "it is not encoded as anndata")
                                    : read_map(&one, root);
        if (status != ONEFOLD_OK)
            return of_blame(status, "mod/%s", names[i]);
        OF_TRY(add_matrices(&one));
    }
    return add_members(group, "obsm");
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Adds the column of obs that the option `truth` names, and a variable that lists the others. */
static onefold_status add_truth(const cells_group *group)
{
    enum { COLUMNS_NAMED = 12 };
    const char *truth = group->at.file->options.truth;
    char path[NAME], index[256], name[64], *description;
    int is_path = truth && strncmp(truth, "obs/", 4) == 0;
    of_list list = {.used = 0}; /* the columns of obs */
    H5G_info_t info;
    hid_t obs = H5Gopen2(group->at.parent, "obs", H5P_DEFAULT);
    if (H5Gget_info(obs, &info) < 0)
        return hdf_damaged();
    text_attribute(obs, "_index", index, sizeof index);
    for (hsize_t i = 0; i < info.nlinks && list.count < COLUMNS_NAMED; i++)
        if (hdf_member(obs, i, name, sizeof name) >= 0 && strcmp(name, index) != 0 &&
            strcmp(name, "__categories") != 0)
            of_list_add(&list, "%.40s", name);
    OF_TRY(of_arena_string(
        &group->at.file->arena, &description, "the table of samples, with the columns %s%s",
        list.count ? list.text : "none", list.count == COLUMNS_NAMED ? ", ..." : ""));
    of_text_clean(description);
    if (truth && strlen(truth) < NAME - 8) {
        snprintf(path, sizeof path, "%s%s", is_path ? "" : "obs/", truth);
        if (!strchr(path + 4, '/') && H5Lexists(group->at.parent, path, H5P_DEFAULT) > 0) {
            of_top *top;
            values made;
            OF_TRY(of_file_add(group->at.file, &top, truth));
            OF_TRY(read_column((place){group->at.file, top->store, group->at.parent, NULL}, path,
                               &made));
            if (made.numbers.count != group->samples)
                return of_blame(hdf_damaged(), "%s", path);
            OF_TRY(of_owner_hold(top->store, group->at.store));
            top->variable.kind = made.text ? OF_VARIABLE_TEXT : OF_VARIABLE_MATRIX;
            top->variable.count = group->samples;
            top->variable.text = made.text;
            top->variable.matrix = of_matrix_over(made.numbers.data, made.numbers.type,
                                                  group->samples, 1, 1, top->store);
            top->variable.matrix.row_names = group->names;
        } else if (is_path) {
            return of_hint(of_fail(ONEFOLD_USAGE, "obs has no column %s", truth + 4), "obs is %s",
                           description);
        }
    }
    return add_other(group->at.file, "obs", description);
}

/* The error for a file without a matrix that is a view. */
static onefold_status check_views(const of_file *file)
{
    of_list list = {.used = 0};
    for (size_t t = 0; t < file->count; t++) {
        if (file->top[t].variable.kind == OF_VARIABLE_MATRIX)
            return ONEFOLD_OK;
        of_list_add(&list, "%s", file->top[t].variable.name);
    }
    if (file->options.views)
        return of_hint(of_fail(ONEFOLD_USAGE, "it has none of the views %s", file->options.views),
                       "there are: %s", list.text);
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "it has no X"), "name matrices with `views`: %s",
                   list.count ? list.text : "there are none");
}

static void release(of_owner **owner)
{
    of_owner_release(*owner);
}

static onefold_status read_cells(of_file *file, hid_t root)
{
    __attribute__((cleanup(release))) of_owner *store = NULL; /* of the names; matrices hold it */
    char encoding[ENCODING];
    text_attribute(root, "encoding-type", encoding, sizeof encoding);
    file->single_cell = 1;
    int anndata = strcmp(encoding, "anndata") == 0;
    int has_obs = H5Lexists(root, "obs", H5P_DEFAULT) > 0;
    int mudata = strcmp(encoding, "MuData") == 0 || strcmp(encoding, "mudata") == 0 ||
                 (has_obs && H5Lexists(root, "mod", H5P_DEFAULT) > 0);
    if (!anndata && !mudata && has_obs)
        return of_hint(
            of_fail(ONEFOLD_UNSUPPORTED,
                    "it was written by anndata before 0.8, whose encodings are not read"),
            "write it again: anndata.read_h5ad(path).write_h5ad(path) with anndata 0.8 or later");
    if (!anndata && !mudata)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                               "this HDF5 file is neither MATLAB's nor anndata's "
                               "(.h5ad) nor MuData's (.h5mu)"),
                       "save the views as .npz, .mat or .csv");
    OF_TRY(of_owner_make(&store, file->context));
    size_t bytes = 0;
    cells_group group = {.at = {.file = file, .store = store, .parent = root}, .sum = &bytes};
    OF_TRY(anndata ? add_matrices(&group) : add_modalities(&group, root));
    OF_TRY(check_memory(file, bytes));
    group.sum = NULL;
    OF_TRY(read_index(group.at, "obs", &group.samples, &group.names));
    OF_TRY(anndata ? add_matrices(&group) : add_modalities(&group, root));
    OF_TRY(check_views(file));
    return add_truth(&group);
}
