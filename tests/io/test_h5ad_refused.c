/* SPDX-License-Identifier: Apache-2.0 */
/* Files of single cells with one defect each: every one is refused with its own sentence. */
#include "support/check.h"
#include "support/folder.h"
#include "support/made_cells.h"
#include "support/views_read.h"

#include <string.h>

#ifdef ONEFOLD_WITH_HDF5

enum { MANY = 14 };

typedef struct row {
    void (*change)(hid_t file);
    const char *views, *truth;
    onefold_status status;
    const char *sentence, *hint;
} row;

static void many_columns(hid_t file)
{
    char name[64];
    hid_t old = cells_put_group(file, "obs/__categories", "");
    H5Gclose(old);
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "obs/column_%02d_with_a_name_of_forty_letters_", i);
        cells_put_numbers(file, name, CELLS, 0, cells_numbers, "array");
    }
}

static void short_columns(hid_t file)
{
    char name[32];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "obs/c%02d", i);
        cells_put_numbers(file, name, CELLS, 0, cells_numbers, "array");
    }
}

static void only_obs(hid_t file)
{
    H5Ldelete(file, "X", H5P_DEFAULT);
}

static void layers_of_long_names(hid_t file)
{
    char name[128];
    H5Ldelete(file, "X", H5P_DEFAULT);
    H5Gclose(cells_put_group(file, "layers", ""));
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "layers/%d_%0*d", i, 80, 0);
        cells_put_numbers(file, name, CELLS, GENES, cells_numbers, "array");
    }
}

static void layers_not_a_group(hid_t file)
{
    cells_put_numbers(file, "layers", 1, 0, cells_numbers, "array");
}

static void a_layer_of_an_endless_name(hid_t file)
{
    char name[400];
    H5Gclose(cells_put_group(file, "layers", ""));
    snprintf(name, sizeof name, "layers/%0*d", 300, 0);
    cells_put_numbers(file, name, CELLS, GENES, cells_numbers, "array");
}

static void rows_short(hid_t file)
{
    cells_put_numbers(file, "X", CELLS - 1, GENES, cells_numbers, "array");
}

static void columns_short(hid_t file)
{
    cells_put_numbers(file, "X", CELLS, 1, cells_numbers, "array");
}

static void a_group_as_array(hid_t file)
{
    H5Gclose(cells_put_group(file, "X", "array"));
}

static void one_side(hid_t file)
{
    cells_put_numbers(file, "X", CELLS, 0, cells_numbers, "array");
}

static void three_sides(hid_t file)
{
    cells_put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, (hsize_t[]){2, 2, 2}, cells_numbers,
              "array");
}

static void no_side(hid_t file)
{
    cells_put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, NULL, cells_numbers, "array");
}

static void sides_beyond_memory(hid_t file)
{
    cells_put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2,
              (hsize_t[]){(hsize_t)1 << 40, (hsize_t)1 << 20}, NULL, "array");
}

static void larger_than_the_file_can_hold(hid_t file)
{
    cells_put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){(hsize_t)1 << 33, 2},
              NULL, "array");
}

static void enum_of_two_bytes(hid_t file)
{
    hid_t type = H5Tenum_create(H5T_STD_I16LE);
    short one = 1;
    H5Tenum_insert(type, "one", &one);
    cells_put(file, "X", type, type, 2, (hsize_t[]){1, 1}, &one, "array");
    H5Tclose(type);
}

static void empty(hid_t file)
{
    cells_put_numbers(file, "X", CELLS, 0, cells_numbers, "array");
    cells_put(file, "X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, (hsize_t[]){CELLS, 0}, NULL,
              "array");
}

static void without_encoding(hid_t file)
{
    cells_put_numbers(file, "X", CELLS, GENES, cells_numbers, "");
}

static void encoded_by_numbers(hid_t file)
{
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    cells_set_numbers(set, "encoding-type", cells_numbers, 1);
    H5Dclose(set);
}

static void encoded_twice(hid_t file)
{
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    cells_set_texts(set, "encoding-type", (const char *[]){"array", "array"}, 2, 0);
    H5Dclose(set);
}

static void encoded_by_nothing(hid_t file)
{
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    cells_set_texts(set, "encoding-type", (const char *[]){NULL}, 0, 0);
    H5Dclose(set);
}

static void encoded_at_length(hid_t file)
{
    char word[600];
    memset(word, 'x', sizeof word);
    word[599] = '\0';
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    cells_set_text(set, "encoding-type", word);
    H5Dclose(set);
}

static void encoded_at_fixed_length(hid_t file)
{
    char word[600];
    const char *start = word;
    memset(word, 'x', sizeof word);
    hid_t set = H5Dopen2(file, "X", H5P_DEFAULT);
    cells_set_texts(set, "encoding-type", &start, 0, sizeof word);
    H5Dclose(set);
}

static void shape_of_three(hid_t file)
{
    cells_put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    cells_set_numbers(group, "shape", (double[]){CELLS, GENES, 1}, 3);
    H5Gclose(group);
}

static void shape_of_words(hid_t file)
{
    cells_put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    cells_set_texts(group, "shape", (const char *[]){"4", "2"}, 2, 0);
    H5Gclose(group);
}

static void no_columns(hid_t file)
{
    cells_put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    cells_set_numbers(group, "shape", (double[]){CELLS, 0}, 2);
    H5Gclose(group);
}

static void no_rows(hid_t file)
{
    cells_put_sparse(file);
    hid_t group = H5Gopen2(file, "X", H5P_DEFAULT);
    cells_set_numbers(group, "shape", (double[]){0, GENES}, 2);
    H5Gclose(group);
}

static void fewer_values_than_indices(hid_t file)
{
    cells_put_sparse(file);
    cells_put_numbers(file, "X/data", 3, 0, cells_numbers, "array");
}

static void values_of_three_sides(hid_t file)
{
    cells_put_sparse(file);
    cells_put(file, "X/data", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 3, (hsize_t[]){1, 2, 2},
              cells_numbers, "array");
}

static void values_that_are_texts(hid_t file)
{
    cells_put_sparse(file);
    cells_put_texts(file, "X/data", CELLS, cells_names);
}

static void names_of_three_sides(hid_t file)
{
    hid_t type = cells_text_type(1);
    cells_put(file, "obs/_index", type, type, 3, (hsize_t[]){1, 2, 2}, "abcd", "string-array");
    H5Tclose(type);
}

static void names_without_end(hid_t file)
{
    hid_t type = cells_text_type(1);
    cells_put(file, "obs/_index", type, type, 1, (hsize_t[]){(hsize_t)1 << 36}, NULL,
              "string-array");
    H5Tclose(type);
}

static void names_of_no_encoding(hid_t file)
{
    cells_put_numbers(file, "obs/_index", CELLS, 0, cells_numbers, "");
}

static void names_of_another_encoding(hid_t file)
{
    cells_put_numbers(file, "obs/_index", CELLS, 0, cells_numbers, "rec-array");
}

static void names_in_two_categories(hid_t file)
{
    cells_put_numbers(file, "obs/_index", CELLS, 0, cells_numbers, "categorical");
}

static void a_short_column(hid_t file)
{
    cells_put_numbers(file, "obs/kind", CELLS - 1, 0, cells_numbers, "array");
}

static void a_short_mask(hid_t file)
{
    cells_put_nullable(file, CELLS, CELLS - 1);
}

static void no_mask(hid_t file)
{
    cells_put_nullable(file, CELLS, CELLS);
    H5Ldelete(file, "obs/kind/mask", H5P_DEFAULT);
}

static void no_values(hid_t file)
{
    cells_put_nullable(file, CELLS, CELLS);
    H5Ldelete(file, "obs/kind/values", H5P_DEFAULT);
}

static void no_modalities(hid_t file)
{
    cells_make_mudata(file);
    H5Ldelete(file, "mod", H5P_DEFAULT);
}

static void a_modality_that_is_none(hid_t file)
{
    cells_make_mudata(file);
    cells_put_numbers(file, "mod/two", 1, 0, cells_numbers, "array");
}

static void a_modality_of_another_encoding(hid_t file)
{
    cells_make_mudata(file);
    hid_t group = H5Gopen2(file, "mod/two", H5P_DEFAULT);
    cells_set_text(group, "encoding-type", "raw");
    H5Gclose(group);
}

static void an_order_with_a_hole(hid_t file)
{
    cells_make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    cells_set_texts(modalities, "mod-order", (const char *[]){"one", NULL}, 2, 0);
    H5Gclose(modalities);
}

static void a_short_map(hid_t file)
{
    cells_put_map(file, CELLS - 1, (double[]){1, 2, 3});
}

static void a_map_below_zero(hid_t file)
{
    cells_put_map(file, CELLS, (double[]){1, -2, 3, 4});
}

static void a_map_that_lacks_one(hid_t file)
{
    cells_put_map(file, CELLS, (double[]){1, 2, 3, 0});
}

static void kinds_beyond(hid_t file)
{
    cells_put_codes(file, (double[]){0, 1, 2, 0}, 1);
}

static void kinds_of_some(hid_t file)
{
    cells_put_codes(file, (double[]){0, -1, 1, -1}, 0);
}

static void kinds_that_lack_one(hid_t file)
{
    cells_put_masked(file, (double[]){0, 0, 1, 0});
}

static void fewer_starts(hid_t file)
{
    cells_put_sparse(file);
    cells_put_numbers(file, "X/indptr", 4, 0, (double[]){0, 1, 2, 3}, "array");
}

/* Compressed by filters that are not available. */
static void put_filtered(hid_t file, H5Z_filter_t first, H5Z_filter_t second)
{
    H5Ldelete(file, "X", H5P_DEFAULT);
    hsize_t sides[2] = {CELLS, GENES};
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, sides, NULL);
    H5Pset_chunk(how, 2, sides);
    H5Pset_filter(how, first, H5Z_FLAG_OPTIONAL, 0, NULL);
    if (second)
        H5Pset_filter(how, second, H5Z_FLAG_OPTIONAL, 0, NULL);
    hid_t set = H5Dcreate2(file, "X", H5T_IEEE_F64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0);
    cells_set_text(set, "encoding-type", "array");
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

static void by_zstandard(hid_t file)
{
    put_filtered(file, 32015, 0);
}

static void by_another(hid_t file)
{
    put_filtered(file, 40321, 32001);
}

static void a_table_as_matrix(hid_t file)
{
    cells_put_frame(file, "X", CELLS, cells_names);
}

static void an_encoding_of_its_own(hid_t file)
{
    cells_put_numbers(file, "X", CELLS, GENES, cells_numbers, "odd");
}

static void no_table_of_cells(hid_t file)
{
    H5Ldelete(file, "obs", H5P_DEFAULT);
}

static void no_index(hid_t file)
{
    hid_t group = H5Gopen2(file, "obs", H5P_DEFAULT);
    H5Adelete(group, "_index");
    H5Gclose(group);
}

static void of_old(hid_t file)
{
    H5Adelete(file, "encoding-type");
}

static void of_nobody(hid_t file)
{
    H5Adelete(file, "encoding-type");
    H5Ldelete(file, "obs", H5P_DEFAULT);
}

static void shared_variables(hid_t file)
{
    cells_make_mudata(file);
    cells_set_numbers(file, "axis", (double[]){1}, 1);
}

static void fewer_rows_without_a_map(hid_t file)
{
    cells_make_mudata(file);
    hid_t modalities = H5Gopen2(file, "mod", H5P_DEFAULT);
    cells_put_modality(modalities, "two", CELLS - 1);
    H5Gclose(modalities);
}

static void maps_without_this_one(hid_t file)
{
    fewer_rows_without_a_map(file);
    H5Gclose(cells_put_group(file, "obsmap", ""));
}

static void a_map_beyond(hid_t file)
{
    cells_put_map(file, CELLS, (double[]){1, 2, 3, 5});
}

static void what_is_wrong_is_refused_by_its_sentence(void **state)
{
    static const char *const damaged = "truncated or damaged";
    char endless[600];
    memset(endless, 'x', sizeof endless);
    endless[599] = '\0';
    const row rows[] = {
        {only_obs, NULL, NULL, ONEFOLD_BAD_DATA, "it has no X", "there are none"},
        {layers_of_long_names, NULL, NULL, ONEFOLD_BAD_DATA, "it has no X", "layers/3_"},
        {layers_not_a_group, NULL, NULL, ONEFOLD_BAD_DATA, "layers: it cannot be read", NULL},
        {a_layer_of_an_endless_name, NULL, NULL, ONEFOLD_BAD_DATA, "layers: it cannot be read",
         NULL},
        {rows_short, NULL, NULL, ONEFOLD_BAD_DATA, "X: it has 3 rows, and there are 4 samples",
         NULL},
        {columns_short, NULL, NULL, ONEFOLD_BAD_DATA, "X: it has 1 columns, and var 2", NULL},
        {a_group_as_array, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {one_side, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is an array that is not two-dimensional",
         NULL},
        {three_sides, NULL, NULL, ONEFOLD_BAD_DATA, "an array that is not two-dimensional", NULL},
        {no_side, NULL, NULL, ONEFOLD_BAD_DATA, "an array that is not two-dimensional", NULL},
        {sides_beyond_memory, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {larger_than_the_file_can_hold, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {enum_of_two_bytes, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is of a type that is not", NULL},
        {empty, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is empty", NULL},
        {without_encoding, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is without an encoding", NULL},
        {encoded_by_numbers, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_twice, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_by_nothing, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_at_length, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an encoding", NULL},
        {encoded_at_fixed_length, NULL, NULL, ONEFOLD_BAD_DATA, "it is without an enc", NULL},
        {shape_of_three, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {shape_of_words, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {no_columns, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is empty", NULL},
        {no_rows, NULL, NULL, ONEFOLD_BAD_DATA, "X: it is empty", NULL},
        {fewer_values_than_indices, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {values_of_three_sides, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {values_that_are_texts, NULL, NULL, ONEFOLD_BAD_DATA, "of a type that is not read", NULL},
        {names_of_three_sides, NULL, NULL, ONEFOLD_BAD_DATA, "obs/_index: it cannot be", NULL},
        {names_without_end, NULL, NULL, ONEFOLD_BAD_DATA, "obs/_index: it cannot be", NULL},
        {names_of_no_encoding, NULL, NULL, ONEFOLD_BAD_DATA, "its encoding is not read", NULL},
        {names_of_another_encoding, NULL, NULL, ONEFOLD_BAD_DATA,
         "obs/_index: its encoding, rec-array is not read", NULL},
        {names_in_two_categories, NULL, NULL, ONEFOLD_BAD_DATA, "obs/_index: it cannot", NULL},
        /* a column as truth */
        {a_short_column, NULL, "kind", ONEFOLD_BAD_DATA, "obs/kind: it cannot be read", NULL},
        {a_short_mask, NULL, "obs/kind", ONEFOLD_BAD_DATA, "obs/kind: it cannot be read", NULL},
        {no_mask, NULL, "obs/kind", ONEFOLD_BAD_DATA, "mask: it cannot be read", NULL},
        {no_values, NULL, "obs/kind", ONEFOLD_BAD_DATA, "values: it cannot be read", NULL},
        {cells_no_change, NULL, "obs/nix", ONEFOLD_USAGE, "obs has no column nix",
         "the columns none"},
        {short_columns, NULL, "obs/nix", ONEFOLD_USAGE, "obs has no column nix", "c11, ..."},
        {many_columns, NULL, "obs/nix", ONEFOLD_USAGE, "obs has no column nix", "column_00_with"},
        {cells_no_change, NULL, "nix", ONEFOLD_USAGE, "nix", NULL},
        {cells_no_change, NULL, "not/there", ONEFOLD_IO, "not/there: there is no such file", NULL},
        {cells_no_change, NULL, endless, ONEFOLD_USAGE, "xxx", NULL},
        {cells_no_change, "obsm/nix", NULL, ONEFOLD_USAGE, "none of the views obsm/nix", "X"},
        {cells_no_change, " , ", NULL, ONEFOLD_USAGE, "none of the views", "X"},
        /* modalities */
        {no_modalities, NULL, NULL, ONEFOLD_BAD_DATA, "there are no modalities in it", NULL},
        {a_modality_that_is_none, NULL, NULL, ONEFOLD_BAD_DATA, "mod/two: it cannot be", NULL},
        {a_modality_of_another_encoding, NULL, NULL, ONEFOLD_BAD_DATA,
         "mod/two: it is not encoded as anndata", NULL},
        {an_order_with_a_hole, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {a_short_map, NULL, NULL, ONEFOLD_BAD_DATA, "obsmap/one: it cannot be read", NULL},
        {a_map_below_zero, NULL, NULL, ONEFOLD_BAD_DATA, "obsmap/one: it cannot be read", NULL},
        {a_map_that_lacks_one, NULL, NULL, ONEFOLD_BAD_DATA,
         "mod/one: obsmap has 3 of its 4 samples", NULL},
        {shared_variables, NULL, NULL, ONEFOLD_UNSUPPORTED, "share variables, not samples", NULL},
        {fewer_rows_without_a_map, NULL, NULL, ONEFOLD_BAD_DATA,
         "mod/two: it has 3 of the 4 samples, and obsmap does not say which", NULL},
        {maps_without_this_one, NULL, NULL, ONEFOLD_BAD_DATA, "and obsmap does not say", NULL},
        {a_map_beyond, NULL, NULL, ONEFOLD_BAD_DATA, "obsmap/one: it cannot be read", NULL},
        /* columns, filters and kinds of files */
        {kinds_beyond, NULL, "kind", ONEFOLD_BAD_DATA, "obs/kind: it cannot be read", NULL},
        {kinds_of_some, NULL, "kind", ONEFOLD_BAD_DATA, "2 of its 4 values are missing", NULL},
        {kinds_that_lack_one, NULL, "kind", ONEFOLD_BAD_DATA, "1 of its 4 values are", NULL},
        {fewer_starts, NULL, NULL, ONEFOLD_BAD_DATA, damaged, NULL},
        {by_zstandard, NULL, NULL, ONEFOLD_UNSUPPORTED, "by HDF5's filter 32015", "gzip"},
        {by_another, NULL, NULL, ONEFOLD_UNSUPPORTED, "by HDF5's filter 40321", "gzip"},
        {a_table_as_matrix, NULL, NULL, ONEFOLD_BAD_DATA, "it is a table, not a matrix", NULL},
        {an_encoding_of_its_own, NULL, NULL, ONEFOLD_BAD_DATA, "of an encoding that is not", NULL},
        {no_table_of_cells, NULL, NULL, ONEFOLD_BAD_DATA, "obs is not a table in it", NULL},
        {no_index, NULL, NULL, ONEFOLD_BAD_DATA, "obs has no index", NULL},
        {of_old, NULL, NULL, ONEFOLD_UNSUPPORTED, "anndata before 0.8", "write_h5ad"},
        {of_nobody, NULL, NULL, ONEFOLD_UNSUPPORTED, "neither MATLAB's nor anndata's", NULL},
        {cells_make_mudata, "mod/nix", NULL, ONEFOLD_USAGE, "none of the views mod/nix",
         "one, two"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        onefold_read_options options = cells_asked(rows[i].views, rows[i].truth);
        read_fails(cells_file(state, rows[i].change), &options, rows[i].status, rows[i].sentence);
        if (rows[i].hint && !strstr(onefold_last_hint(), rows[i].hint))
            fail_msg("%s: the hint is: %s", rows[i].sentence, onefold_last_hint());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_refused_by_its_sentence),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

#else

static void such_files_are_left_out(void **state)
{
    (void)state;
    assert_null(strstr(onefold_capabilities(), "hdf5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(such_files_are_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
