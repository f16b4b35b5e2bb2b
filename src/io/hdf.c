/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of HDF5 files share. The library's own messages are kept quiet, sizes that a
 * file claims are held against the file, and filters that are missing are named. */
#include "io/hdf.h"

#ifdef ONEFOLD_WITH_HDF5

#include <pthread.h>
#include <string.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

onefold_status of_hdf_damaged(void)
{
    return of_damaged("it cannot be read: the file is truncated or damaged");
}

typedef onefold_status (*reader)(of_file *file, hid_t root);

static onefold_status read_quietly(of_file *file, void *how)
{
    H5E_auto2_t print = NULL;
    void *where = NULL;
    H5Eget_auto2(H5E_DEFAULT, &print, &where);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); /* closing the file closes all that is open */
    hid_t root = H5Fopen(file->path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    onefold_status status =
        root < 0 ? of_damaged("the file is truncated or damaged: HDF5 cannot open it")
                 : (*(reader *)how)(file, root);
    H5Fclose(root);
    H5Eset_auto2(H5E_DEFAULT, print, where);
    return status;
}

onefold_status of_hdf_read(of_file *file, const char *format, reader read)
{
    if (!file->contents->map)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a packed %s file is not read", format),
                       "unpack it first");
    pthread_mutex_lock(&one_at_a_time);
    onefold_status status = of_fence_read(file, read_quietly, &read);
    pthread_mutex_unlock(&one_at_a_time);
    return status;
}

/* ---- attributes ----------------------------------------------------------------------------- */

/* HDF5 answers whatever is asked of what could not be opened with a number below 0, and does
 * nothing: so here, and below, one look at the last answer is enough. */

static void read_variable_text(hid_t attribute, hid_t type, char *text, size_t room)
{
    char *found = NULL;
    hid_t space = H5Aget_space(attribute), memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    if (H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, memory, &found) >= 0 &&
        found) {
        if (strlen(found) < room)
            strcpy(text, found);
        H5free_memory(found);
    }
    H5Tclose(memory);
    H5Sclose(space);
}

void of_hdf_text_attribute(hid_t object, const char *name, char *text, size_t room)
{
    memset(text, 0, room);
    if (H5Aexists(object, name) <= 0)
        return;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    if (H5Tget_class(type) == H5T_STRING) {
        if (H5Tis_variable_str(type) > 0)
            read_variable_text(attribute, type, text, room);
        else if (H5Tget_size(type) < room && H5Aread(attribute, type, text) < 0)
            text[0] = '\0';
    }
    H5Tclose(type);
    H5Aclose(attribute);
}

unsigned long long of_hdf_number_attribute(hid_t object, const char *name)
{
    unsigned long long value = 0;
    if (H5Aexists(object, name) <= 0)
        return 0;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), space = H5Aget_space(attribute);
    if (H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, H5T_NATIVE_ULLONG, &value) < 0)
        value = 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return value;
}

ssize_t of_hdf_member(hid_t group, hsize_t number, char *name, size_t room)
{
    return H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, number, name, room,
                              H5P_DEFAULT);
}

/* ---- types and sizes ------------------------------------------------------------------------ */

of_type of_hdf_type(hid_t dataset, hid_t *native)
{
    hid_t type = H5Dget_type(dataset);
    of_type found = OF_TYPE_COUNT;
    H5T_class_t class = H5Tget_class(type);
    size_t size = H5Tget_size(type);
    const struct {
        of_type type;
        hid_t native;
        H5T_class_t class;
        int sign;
    } known[] = {
        {OF_F64, H5T_NATIVE_DOUBLE, H5T_FLOAT, 0},  {OF_F32, H5T_NATIVE_FLOAT, H5T_FLOAT, 0},
        {OF_I8, H5T_NATIVE_INT8, H5T_INTEGER, 1},   {OF_U8, H5T_NATIVE_UINT8, H5T_INTEGER, 0},
        {OF_I16, H5T_NATIVE_INT16, H5T_INTEGER, 1}, {OF_U16, H5T_NATIVE_UINT16, H5T_INTEGER, 0},
        {OF_I32, H5T_NATIVE_INT32, H5T_INTEGER, 1}, {OF_U32, H5T_NATIVE_UINT32, H5T_INTEGER, 0},
        {OF_I64, H5T_NATIVE_INT64, H5T_INTEGER, 1}, {OF_U64, H5T_NATIVE_UINT64, H5T_INTEGER, 0}};
    int sign = class == H5T_INTEGER && H5Tget_sign(type) != H5T_SGN_NONE;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].class == class && of_type_size(known[k].type) == size &&
            known[k].sign == sign) {
            found = known[k].type;
            *native = known[k].native;
        }
    if (class == H5T_ENUM && size == 1) {
        *native = type; /* read as it is; the file's end closes it */
        return OF_U8;
    }
    H5Tclose(type);
    return found;
}

onefold_status of_hdf_sides(hid_t dataset, size_t side[H5S_MAX_RANK], int *rank, size_t *elements)
{
    hsize_t sizes[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);
    *rank = H5Sget_simple_extent_dims(space, sizes, NULL);
    H5Sclose(space);
    *elements = 1;
    for (int s = *rank - 1; s >= 0; s--) {
        side[s] = (size_t)sizes[s];
        OF_TRY(of_claimed_size(elements, *elements, side[s]));
    }
    return *rank < 0 ? of_hdf_damaged() : ONEFOLD_OK;
}

/* ---- elements ------------------------------------------------------------------------------- */

/* Refuses a data set with a filter that is not in this build, and names it. */
static onefold_status check_filters(hid_t dataset)
{
    static const struct {
        H5Z_filter_t id;
        const char *name;
    } known[] = {{32000, "LZF"},        {32001, "Blosc"},     {32004, "LZ4"},
                 {32008, "bitshuffle"}, {32015, "Zstandard"}, {32026, "Blosc2"}};
    hid_t made = H5Dget_create_plist(dataset);
    int count = H5Pget_nfilters(made);
    onefold_status status = ONEFOLD_OK;
    for (int i = 0; i < count && status == ONEFOLD_OK; i++) {
        unsigned flags, config;
        size_t values = 0;
        const char *name = NULL;
        H5Z_filter_t id =
            H5Pget_filter2(made, (unsigned)i, &flags, &values, NULL, 0, NULL, &config);
        if (H5Zfilter_avail(id) > 0)
            continue;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (known[k].id == id)
                name = known[k].name;
        status = of_hint(name ? of_fail(ONEFOLD_UNSUPPORTED,
                                        "it is compressed by %s, which is not read here", name)
                              : of_fail(ONEFOLD_UNSUPPORTED,
                                        "it is compressed by HDF5's filter %d, which is "
                                        "not read here",
                                        (int)id),
                         "write the file again with compression=\"gzip\", or with none");
    }
    H5Pclose(made);
    return status;
}

/* Refuses one of which the file holds less than it says: of one within its own header HDF5 reads on
 * into whatever lies behind. */
static onefold_status check_stored(hid_t dataset, size_t elements)
{
    hid_t made = H5Dget_create_plist(dataset), type = H5Dget_type(dataset);
    H5D_layout_t layout = H5Pget_layout(made);
    hsize_t size = H5Tget_size(type), stored = H5Dget_storage_size(dataset);
    /* 0 stored in one piece: nothing was ever written, which reads as zeros */
    int whole = layout == H5D_COMPACT || (layout == H5D_CONTIGUOUS && stored > 0);
    H5Tclose(type);
    H5Pclose(made);
    return !whole || (size > 0 && stored / size >= elements) ? ONEFOLD_OK : of_hdf_damaged();
}

onefold_status of_hdf_elements(of_file *file, of_owner *store, hid_t dataset, hid_t native,
                               size_t size, size_t elements, const void **data)
{
    size_t bytes;
    void *out;
    OF_TRY(of_claimed_size(&bytes, elements, size));
    OF_TRY(check_filters(dataset));
    if (bytes > of_inflate_most(file->size))
        return of_hdf_damaged();
    OF_TRY(check_stored(dataset, elements));
    OF_TRY(of_file_unpacks(file, bytes));
    OF_TRY(of_context_check(store->arena.context));
    OF_TRY(of_arena_allocate(&store->arena, &out, size, elements, 1));
    if (H5Dread(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0)
        return of_hdf_damaged();
    *data = out;
    return ONEFOLD_OK;
}

onefold_status of_hdf_array(of_file *file, of_owner *store, hid_t parent, const char *path,
                            of_array *array)
{
    hid_t dataset = H5Dopen2(parent, path, H5P_DEFAULT), native = -1;
    size_t side[H5S_MAX_RANK];
    int rank;
    *array = (of_array){NULL, OF_F64, 0, store};
    onefold_status status = of_hdf_sides(dataset, side, &rank, &array->count);
    if (status == ONEFOLD_OK && (rank < 1 || rank > 2))
        status = of_hdf_damaged();
    array->type = of_hdf_type(dataset, &native);
    if (status == ONEFOLD_OK && array->type != OF_TYPE_COUNT)
        status = of_hdf_elements(file, store, dataset, native, of_type_size(array->type),
                                 array->count, &array->data);
    H5Dclose(dataset);
    return status;
}

/* ---- texts ---------------------------------------------------------------------------------- */

static onefold_status read_variable_texts(of_arena *arena, hid_t from, hid_t type, size_t count,
                                          const char **texts)
{
    OF_SCRATCH(scratch, arena->context);
    char **found;
    int attribute = H5Iget_type(from) == H5I_ATTR;
    if (!attribute)
        OF_TRY(check_stored(from, count));
    OF_TRY(OF_NEW_ZERO(&scratch, &found, count, 1));
    hid_t space = attribute ? H5Aget_space(from) : H5Dget_space(from), memory = H5Tcopy(H5T_C_S1);
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    herr_t read = attribute ? H5Aread(from, memory, found)
                            : H5Dread(from, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, found);
    onefold_status status = read < 0 ? of_hdf_damaged() : ONEFOLD_OK;
    for (size_t i = 0; i < count && status == ONEFOLD_OK; i++)
        status = OF_TEXT(arena, &texts[i], "%s", found[i] ? found[i] : "");
    H5Dvlen_reclaim(memory, space, H5P_DEFAULT, found);
    H5Tclose(memory);
    H5Sclose(space);
    return status;
}

/* Texts of one length each, cut at their first zero. */
static onefold_status read_fixed_texts(of_file *file, of_owner *store, hid_t dataset, hid_t type,
                                       size_t count, const char **texts)
{
    size_t size = H5Tget_size(type);
    const void *data = NULL;
    OF_TRY(of_hdf_elements(file, store, dataset, type, size, count, &data));
    for (size_t i = 0; i < count; i++) {
        const char *at = (const char *)data + i * size;
        OF_TRY(OF_TEXT(&store->arena, &texts[i], "%.*s", (int)strnlen(at, size), at));
    }
    return ONEFOLD_OK;
}

onefold_status of_hdf_texts(of_file *file, of_owner *store, hid_t from, size_t count,
                            const char **texts)
{
    int attribute = H5Iget_type(from) == H5I_ATTR;
    onefold_status status = attribute ? ONEFOLD_OK : check_filters(from);
    hid_t type = attribute ? H5Aget_type(from) : H5Dget_type(from);
    if (status == ONEFOLD_OK)
        status = H5Tis_variable_str(type) > 0
                     ? read_variable_texts(&store->arena, from, type, count, texts)
                     : read_fixed_texts(file, store, from, type, count, texts);
    H5Tclose(type);
    return status;
}

#endif
