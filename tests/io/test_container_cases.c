/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of small containers, .mat and .npz, and their result: variables that are no views, labels
 * in every form, parts of sparse matrices that do not fit together. */
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <string.h>

enum { ROOM = 2000 };

/* The file in the folder is read, or refused, with this text; without the path. */
static void expect_read(void **state, const char *name, const char *want)
{
    const char *path = folder_path(state, name);
    onefold_dataset *data = NULL;
    char text[ROOM] = "";
    if (onefold_dataset_read(&data, NULL, &path, 1, NULL) == ONEFOLD_OK)
        describe_read(data, text, ROOM);
    else
        snprintf(text, ROOM, "%s", onefold_last_error() + strlen(path) + 2);
    onefold_dataset_free(data);
    if (strcmp(text, want) != 0)
        fail_msg("it is: %s\n  and not: %s", text, want);
}

/* ---- .mat --------------------------------------------------------------------------------- */

static const double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

/* X of 3 samples x 2. */
static void put_x(made *file)
{
    made_mat_dense(file, "X", 3, 2, OF_F64, numbers, 0);
}

static void put_empty(made *file, int class, const char *name, size_t rows, size_t columns,
                      size_t pages)
{
    made parts = {0};
    made_mat_element(&parts, 9, NULL, 0, 0);
    made_mat_array(file, class, (size_t[3]){rows, columns, pages}, name, &parts, 0);
    made_free(&parts);
}

/* Text of one line from units of a stored type. */
static void put_units(made *file, const char *name, int type, int size, const unsigned *units,
                      size_t rows, size_t columns)
{
    made parts = {0}, data = {0};
    for (size_t i = 0; i < rows * columns; i++)
        made_number(&data, units[i], size, 0);
    made_mat_element(&parts, type, data.data, data.size, 0);
    made_mat_array(file, MADE_CHAR, (size_t[3]){rows, columns, 0}, name, &parts, 0);
    made_free(&parts);
    made_free(&data);
}

static void put_cell(made *file, const char *name, size_t count, const made *items)
{
    made_mat_array(file, MADE_CELL, (size_t[3]){count, 1, 0}, name, items, 0);
}

static void objects(made *file)
{
    put_x(file);
    put_empty(file, 3, "object", 1, 1, 0);
    put_empty(file, 16, "function", 1, 1, 0);
}

static void only_an_object(made *file)
{
    put_empty(file, 3, "thing", 1, 1, 0);
}

static void only_a_function(made *file)
{
    put_empty(file, 16, "thing", 1, 1, 0);
}

static void empty_ones(made *file)
{
    put_x(file);
    put_empty(file, MADE_DOUBLE, "a", 0, 2, 0);
    put_empty(file, MADE_DOUBLE, "b", 2, 0, 0);
}

static void only_empty(made *file)
{
    put_empty(file, MADE_DOUBLE, "a", 0, 2, 0);
}

static void no_columns(made *file)
{
    put_empty(file, MADE_DOUBLE, "a", 2, 0, 0);
}

static void complex_numbers(made *file)
{
    made parts = {0};
    made_mat_element(&parts, 9, numbers, 48, 0);
    made_mat_element(&parts, 9, numbers, 48, 0);
    made_mat_array(file, MADE_DOUBLE | MADE_COMPLEX, (size_t[3]){3, 2, 0}, "Z", &parts, 0);
    made_free(&parts);
}

static void units_of_each_size(made *file)
{
    static const unsigned letters[] = {'a', 'b', 'a'};
    put_x(file);
    put_units(file, "Y", 16, 1, letters, 3, 1);
}

static void units_of_two_bytes(made *file)
{
    static const unsigned smiles[] = {0xd83d, 0xd83d, 0xe9, 0xde00, 0xde00, ' '}; /* by column */
    put_x(file);
    put_units(file, "Y", 17, 2, smiles, 3, 2);
}

static void units_of_four_bytes(made *file)
{
    put_x(file);
    put_units(file, "Y", 18, 4, (unsigned[]){0x1f600, 0x20ac, 0x1f600}, 3, 1);
}

static void half_a_pair(made *file)
{
    put_x(file);
    put_units(file, "Y", 17, 2, (unsigned[]){0xd83d, 'b', 0xd83d}, 3, 1);
}

static void units_beyond(made *file)
{
    put_x(file);
    put_units(file, "Y", 6, 4, (unsigned[]){0x110000, 'b', 'b'}, 3, 1);
}

static void fewer_units(made *file)
{
    made parts = {0};
    put_x(file);
    made_mat_element(&parts, 4, "a\0b\0", 4, 0);
    made_mat_array(file, MADE_CHAR, (size_t[3]){3, 1, 0}, "Y", &parts, 0);
    made_free(&parts);
}

/* A cell within a cell, and so on. */
static void cells_in_cells(made *file)
{
    made inner = {0};
    put_x(file);
    made_mat_dense(&inner, "", 3, 2, OF_F64, numbers, 0);
    for (int i = 0; i < 20; i++) {
        made outer = {0};
        put_cell(&outer, "", 1, &inner);
        made_free(&inner);
        inner = outer;
    }
    put_cell(file, "deep", 1, &inner);
    made_free(&inner);
}

static void without_a_name(made *file)
{
    put_x(file);
    made_mat_dense(file, "", 3, 2, OF_F64, numbers, 0);
}

static void packed_without_a_name(made *file)
{
    put_x(file);
    size_t start = file->size;
    made_mat_dense(file, "", 3, 2, OF_F64, numbers, 0);
    made_mat_pack(file, start);
}

static void packed_object(made *file)
{
    put_x(file);
    size_t start = file->size;
    put_empty(file, 3, "object", 1, 1, 0);
    made_mat_pack(file, start);
    start = file->size;
    put_empty(file, 16, "function", 1, 1, 0);
    made_mat_pack(file, start);
}

static void one_hot(made *file)
{
    put_x(file);
    made_mat_dense(file, "Y", 3, 2, OF_F64, (double[]){1, 0, 1, 0, 1, 0}, 0);
}

static void one_hot_of_minus_one(made *file)
{
    put_x(file);
    made_mat_dense(file, "Y", 3, 2, OF_F64, (double[]){1, -1, 1, -1, 1, -1}, 0);
}

static void one_hot_that_starts_low(made *file)
{
    put_x(file);
    made_mat_dense(file, "Y", 3, 2, OF_F64, (double[]){-1, 1, 1, 1, -1, -1}, 0);
}

static void two_hot(made *file)
{
    put_x(file);
    made_mat_dense(file, "Y", 3, 2, OF_F64, (double[]){1, 0, 1, 1, 1, 0}, 0);
}

static void one_hot_by_columns(made *file)
{
    put_x(file);
    made_mat_dense(file, "Y", 2, 3, OF_F64, (double[]){1, 0, 0, 1, 1, 0}, 0);
}

static void texts_in_a_cell(made *file)
{
    made items = {0};
    put_x(file);
    made_mat_text(&items, "", 1, 3, "red");
    made_mat_text(&items, "", 1, 4, "blue");
    made_mat_text(&items, "", 1, 3, "red");
    put_cell(file, "Y", 3, &items);
    made_free(&items);
}

static void numbers_in_a_cell(made *file)
{
    made items = {0};
    put_x(file);
    for (int i = 0; i < 3; i++)
        made_mat_dense(&items, "", 1, 1, OF_F64, (double[]){i % 2 + 5}, 0);
    put_cell(file, "Y", 3, &items);
    made_free(&items);
}

static void fractions_in_a_cell(made *file)
{
    made items = {0};
    put_x(file);
    for (int i = 0; i < 3; i++)
        made_mat_dense(&items, "", 1, 1, OF_F64, (double[]){i % 2 + 0.5}, 0);
    put_cell(file, "Y", 3, &items);
    made_free(&items);
}

static void texts_and_numbers(made *file)
{
    made items = {0};
    put_x(file);
    made_mat_text(&items, "", 1, 3, "red");
    made_mat_dense(&items, "", 1, 1, OF_F64, numbers, 0);
    made_mat_text(&items, "", 1, 3, "red");
    put_cell(file, "Y", 3, &items);
    made_free(&items);
}

/* Two views in a cell, and labels of each. */
static void put_copies(made *file, const double *second, size_t length)
{
    made items = {0}, labels = {0};
    made_mat_dense(&items, "", 3, 2, OF_F64, numbers, 0);
    made_mat_dense(&items, "", 3, 2, OF_F64, numbers + 2, 0);
    put_cell(file, "X", 2, &items);
    made_mat_dense(&labels, "", 3, 1, OF_F64, (double[]){1, 2, 1}, 0);
    made_mat_dense(&labels, "", length, 1, OF_F64, second, 0);
    put_cell(file, "Y", 2, &labels);
    made_free(&items);
    made_free(&labels);
}

static void copies(made *file)
{
    put_copies(file, (double[]){1, 2, 1}, 3);
}

static void copies_that_differ(made *file)
{
    put_copies(file, (double[]){1, 2, 2}, 3);
}

static void copies_of_another_length(made *file)
{
    put_copies(file, (double[]){1, 2, 1, 2}, 4);
}

static void copies_of_which_one_is_none(made *file)
{
    put_copies(file, (double[]){1.5, 2, 2}, 3);
}

static void a_copy_and_a_struct(made *file)
{
    made labels = {0};
    put_x(file);
    made_mat_dense(&labels, "", 3, 1, OF_F64, (double[]){1, 2, 1}, 0);
    put_empty(&labels, 3, "", 1, 1, 0);
    put_cell(file, "Y", 2, &labels);
    made_free(&labels);
}

static void pages(made *file)
{
    made_mat_tensor(file, "X", 3, 2, 2, numbers);
    made_mat_dense(file, "Y", 3, 1, OF_F64, (double[]){1, 2, 1}, 0);
}

static void pages_first(made *file)
{
    made_mat_tensor(file, "X", 2, 3, 2, numbers);
    made_mat_dense(file, "Y", 3, 1, OF_F64, (double[]){1, 2, 1}, 0);
}

static void samples_last(made *file)
{
    made_mat_tensor(file, "X", 2, 2, 3, numbers);
    made_mat_dense(file, "Y", 3, 1, OF_F64, (double[]){1, 2, 1}, 0);
}

/* Two symmetric matrices. */
static void kernels(made *file)
{
    made_mat_tensor(file, "K", 2, 2, 3, (double[]){2, 1, 1, 2, 3, 1, 1, 3, 4, 1, 1, 4});
    made_mat_dense(file, "Y", 2, 1, OF_F64, (double[]){1, 2}, 0);
}

static void kernels_first(made *file)
{
    made_mat_tensor(file, "K", 3, 2, 2, (double[]){2, 3, 4, 1, 1, 1, 1, 1, 1, 2, 3, 4});
}

static void pages_of_another_length(made *file)
{
    made_mat_tensor(file, "X", 3, 2, 2, numbers);
    made_mat_dense(file, "Y", 5, 1, OF_F64, (double[]){1, 2, 1, 1, 2}, 0);
}

static void names_of_samples(made *file)
{
    put_x(file);
    made_mat_text(file, "ids", 3, 1, "pqr");
}

static void names_of_columns(made *file)
{
    put_x(file);
    made_mat_text(file, "genes", 2, 1, "gh");
}

static void names_in_cells(made *file)
{
    made items = {0}, names = {0}, list = {0};
    made_mat_dense(&items, "", 3, 2, OF_F64, numbers, 0);
    made_mat_dense(&items, "", 3, 2, OF_F64, numbers + 2, 0);
    put_cell(file, "X", 2, &items);
    made_mat_text(&names, "", 2, 1, "gh");
    made_mat_dense(&names, "", 3, 2, OF_F64, numbers, 0);
    put_cell(file, "genes", 2, &names);
    made_mat_text(&list, "", 1, 2, "id");
    made_mat_text(&list, "", 1, 2, "jd");
    made_mat_text(&list, "", 1, 2, "kd");
    put_cell(file, "samples", 3, &list);
    made_free(&items);
    made_free(&names);
    made_free(&list);
}

static void names_that_fit_two(made *file)
{
    made_mat_dense(file, "X1", 3, 2, OF_F64, numbers, 0);
    made_mat_dense(file, "X2", 3, 2, OF_F64, numbers + 1, 0);
    made_mat_text(file, "genes", 2, 1, "gh");
    made_mat_text(file, "ids", 4, 1, "pqrs");
}

static void names_of_views(made *file)
{
    made items = {0};
    made_mat_dense(file, "X1", 3, 2, OF_F64, numbers, 0);
    made_mat_dense(file, "X2", 3, 2, OF_F64, numbers + 1, 0);
    made_mat_text(&items, "", 1, 3, "rna");
    made_mat_text(&items, "", 1, 4, "prot");
    put_cell(file, "view_names", 2, &items);
    made_free(&items);
}

static void who_is_present(made *file)
{
    made_mat_dense(file, "X1", 3, 2, OF_F64, numbers, 0);
    made_mat_dense(file, "X2", 3, 2, OF_F64, numbers + 1, 0);
    made_mat_dense(file, "present", 3, 2, OF_F64, (double[]){1, 1, 0, 1, 1, 1}, 0);
    made_mat_dense(file, "present2", 3, 2, OF_F64, (double[]){1, 1, 0, 1, 1, 1}, 0);
}

static void mat_files(void **state)
{
    static const struct {
        void (*make)(made *file);
        const char *want;
    } cases[] = {
        {objects, "dense 1 4, 2 5, 3 6"},
        {only_an_object, "nothing in it can be a view: thing is an object"},
        {only_a_function, "nothing in it can be a view: thing is a function"},
        {empty_ones, "dense 1 4, 2 5, 3 6"},
        {only_empty, "nothing in it can be a view: a is empty"},
        {no_columns, "nothing in it can be a view: a is empty"},
        {complex_numbers, "nothing in it can be a view: Z is complex"},
        {units_of_each_size, "dense 1 4, 2 5, 3 6; truth a b a"},
        {units_of_two_bytes, "dense 1 4, 2 5, 3 6; truth \xf0\x9f\x98\x80"
                             " \xf0\x9f\x98\x80"
                             " \xc3\xa9"
                             ""},
        {units_of_four_bytes, "dense 1 4, 2 5, 3 6; truth \xf0\x9f\x98\x80"
                              " \xe2\x82\xac"
                              " \xf0\x9f\x98\x80"
                              ""},
        {half_a_pair, "dense 1 4, 2 5, 3 6; truth ??"
                      "? b ??"
                      "?"},
        {units_beyond, "dense 1 4, 2 5, 3 6; truth ? b b"},
        {fewer_units, "Y: 3 x 1 characters are declared, and 2 are present"},
        {cells_in_cells, "dense 1 4, 2 5, 3 6"},
        {without_a_name, "dense 1 4, 2 5, 3 6"},
        {packed_without_a_name, "dense 1 4, 2 5, 3 6"},
        {packed_object, "dense 1 4, 2 5, 3 6"},
        {one_hot, "dense 1 4, 2 5, 3 6; truth 1 2 1"},
        {one_hot_of_minus_one, "dense 1 4, 2 5, 3 6; truth 1 2 1"},
        {one_hot_that_starts_low, "dense 1 4, 2 5, 3 6; truth 2 1 1"},
        {two_hot, "dense 1 4, 2 5, 3 6; dense 1 1, 0 1, 1 0"},
        {one_hot_by_columns, "dense 1 4, 2 5, 3 6; truth 1 2 1"},
        {texts_in_a_cell, "dense 1 4, 2 5, 3 6; truth red blue red"},
        {numbers_in_a_cell, "dense 1 4, 2 5, 3 6; truth 5 6 5"},
        {fractions_in_a_cell, "dense 1 4, 2 5, 3 6"},
        {texts_and_numbers, "dense 1 4, 2 5, 3 6"},
        {copies, "dense 1 4, 2 5, 3 6; dense 3 6, 4 7, 5 8; truth 1 2 1"},
        {copies_that_differ, "dense 1 4, 2 5, 3 6; dense 3 6, 4 7, 5 8; truth 1 2 1"},
        {copies_of_another_length, "dense 1 4, 2 5, 3 6; dense 3 6, 4 7, 5 8; truth 1 2 1"},
        {copies_of_which_one_is_none, "dense 1 4, 2 5, 3 6; dense 3 6, 4 7, 5 8"},
        {a_copy_and_a_struct, "dense 1 4, 2 5, 3 6; truth 1 2 1"},
        {pages, "dense 1 4, 2 5, 3 6; dense 7 10, 8 11, 9 12; truth 1 2 1"},
        {pages_first, "dense 1 7, 3 9, 5 11; dense 2 8, 4 10, 6 12; truth 1 2 1"},
        {samples_last, "dense 1 2, 5 6, 9 10; dense 3 4, 7 8, 11 12; truth 1 2 1"},
        {kernels, "kernel 2 1, 1 2; kernel 3 1, 1 3; kernel 4 1, 1 4"},
        {kernels_first, "kernel 2 1, 1 2; kernel 3 1, 1 3; kernel 4 1, 1 4"},
        {pages_of_another_length, "nothing in it can be a view: X is a matrix, Y is labels"},
        {names_of_samples, "dense 1 4, 2 5, 3 6; ids p q r"},
        {names_of_columns, "dense 1 4, 2 5, 3 6 of g h"},
        {names_in_cells, "dense 1 4, 2 5, 3 6 of g h; dense 3 6, 4 7, 5 8; ids id jd kd"},
        {names_that_fit_two, "dense 1 4, 2 5, 3 6; dense 2 5, 3 6, 4 7"},
        {names_of_views, "dense 1 4, 2 5, 3 6; dense 2 5, 3 6, 4 7"},
        {who_is_present, "dense 1 4, 2 5, -; dense 2 5, 3 6, 4 7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made file = {0};
        made_mat_header(&file, 0);
        cases[i].make(&file);
        made_save(&file, folder_path(state, "c.mat"));
        expect_read(state, "c.mat", cases[i].want);
        made_free(&file);
    }
}

static void views_are_called_as_the_list_says(void **state)
{
    made file = {0};
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    made_mat_header(&file, 0);
    names_of_views(&file);
    made_save(&file, folder_path(state, "c.mat"));
    onefold_dataset *data = read_one(folder_path(state, "c.mat"), NULL);
    CHECK_OK(onefold_dataset_view(data, 0, &info));
    assert_string_equal(info.name, "rna");
    CHECK_OK(onefold_dataset_view(data, 1, &info));
    assert_string_equal(info.name, "prot");
    onefold_dataset_free(data);
    made_free(&file);
}

/* ---- .npz --------------------------------------------------------------------------------- */

enum { MEMBERS = 8 };
typedef struct member {
    const char *name, *descr, *shape;
    size_t count;
    double values[12];
} member;

#define TEXT(name, text)                                                                           \
    {                                                                                              \
        name, text, NULL, 0,                                                                       \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define SHAPE                                                                                      \
    {                                                                                              \
        "shape", "<i8", "(2,)", 2,                                                                 \
        {                                                                                          \
            3, 2                                                                                   \
        }                                                                                          \
    }
#define DATA                                                                                       \
    {                                                                                              \
        "data", "<f8", "(2,)", 2,                                                                  \
        {                                                                                          \
            5, 7                                                                                   \
        }                                                                                          \
    }
#define INDICES                                                                                    \
    {                                                                                              \
        "indices", "<i4", "(2,)", 2,                                                               \
        {                                                                                          \
            0, 1                                                                                   \
        }                                                                                          \
    }
#define INDPTR                                                                                     \
    {                                                                                              \
        "indptr", "<i4", "(4,)", 4,                                                                \
        {                                                                                          \
            0, 1, 1, 2                                                                             \
        }                                                                                          \
    }
#define ROW                                                                                        \
    {                                                                                              \
        "row", "<i4", "(2,)", 2,                                                                   \
        {                                                                                          \
            0, 2                                                                                   \
        }                                                                                          \
    }
#define COL                                                                                        \
    {                                                                                              \
        "col", "<i4", "(2,)", 2,                                                                   \
        {                                                                                          \
            0, 1                                                                                   \
        }                                                                                          \
    }

static void npz_files(void **state)
{
    static const struct {
        member members[MEMBERS];
        const char *want;
    } cases[] = {
        {{TEXT("format", "csr"), SHAPE, DATA, INDICES, INDPTR}, "sparse 5 0, 0 0, 0 7"},
        {{TEXT("format", "coo"), SHAPE, DATA, ROW, COL}, "sparse 5 0, 0 0, 0 7"},
        {{TEXT("a.format", "csr"),
          {"a.shape", "<i8", "(2,)", 2, {3, 2}},
          {"a.data", "<f8", "(2,)", 2, {5, 7}},
          {"a.indices", "<i4", "(2,)", 2, {0, 1}},
          {"a.indptr", "<i4", "(4,)", 4, {0, 1, 1, 2}}},
         "sparse 5 0, 0 0, 0 7"},
        {{TEXT("a.format", "csr"),
          {"a.shape", "<i8", "(2,)", 2, {3, 2}},
          {"a.data", "<f8", "(2,)", 2, {5, 7}},
          {"a.indices", "<i4", "(2,)", 2, {0, 1}}},
         "a: the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "dia"), SHAPE, DATA, INDICES, INDPTR},
         "a sparse matrix in dia form is not read"},
        {{TEXT("format", "csr"), {"shape", "<i8", "(3,)", 3, {3, 2, 1}}, DATA, INDICES, INDPTR},
         "the shape of the sparse matrix does not have two dimensions"},
        {{TEXT("format", "csr"),
          {"shape", "<i8", "(2, 2)", 4, {3, 2, 1, 1}},
          DATA,
          INDICES,
          INDPTR},
         "the shape of the sparse matrix does not have two dimensions"},
        {{TEXT("format", "csr"), {"shape", "<i8", "(2,)", 2, {0, 2}}, DATA, INDICES, INDPTR},
         "the sparse matrix has a side of 0"},
        {{TEXT("format", "csr"), {"shape", "<i8", "(2,)", 2, {3, 5e9}}, DATA, INDICES, INDPTR},
         "the sparse matrix has a side of 5e+09"},
        {{TEXT("format", "csr"),
          SHAPE,
          {"data", "<f8", "(2, 2)", 4, {5, 7, 1, 1}},
          INDICES,
          INDPTR},
         "the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "csr"),
          SHAPE,
          {"data", "<f8", "(0,)", 0, {0}},
          {"indices", "<i4", "(0,)", 0, {0}},
          {"indptr", "<i4", "(4,)", 4, {0, 0, 0, 0}}},
         "sparse 0 0, 0 0, 0 0"},
        {{TEXT("format", "csr"), SHAPE, DATA, INDPTR},
         "the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "csr"), SHAPE, DATA, INDICES},
         "the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "coo"), SHAPE, DATA, ROW},
         "the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "coo"), SHAPE, DATA, COL},
         "the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "coo"), SHAPE, DATA, {"row", "<i4", "(3,)", 3, {0, 1, 2}}, COL},
         "the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "coo"), SHAPE, DATA, ROW, {"col", "<i4", "(3,)", 3, {0, 1, 1}}},
         "the parts of the sparse matrix do not fit together"},
        {{TEXT("format", "coo"), SHAPE, DATA, {"row", "<i4", "(2,)", 2, {0, 3}}, COL},
         "entry 2 of a sparse matrix lies outside its 3 places"},
        {{TEXT("format", "coo"), SHAPE, DATA, {"row", "<i4", "(2,)", 2, {-1, 2}}, COL},
         "entry 1 of a sparse matrix lies outside its 3 places"},
        {{TEXT("format", "coo"), SHAPE, DATA, {"row", "<f8", "(2,)", 2, {0.5, 2}}, COL},
         "entry 1 of a sparse matrix lies outside its 3 places"},
        {{TEXT("format", "csr"), SHAPE, DATA, {"indices", "<f8", "(2,)", 2, {0, 0.5}}, INDPTR},
         "entry 2 of a sparse matrix lies outside its 2 places"},
        {{TEXT("format", "csr"), SHAPE, DATA, {"indices", "<f8", "(2,)", 2, {0, 1}}, INDPTR},
         "sparse 5 0, 0 0, 0 7"},
        {{TEXT("format", "csr"), SHAPE, DATA, {"indices", "<i8", "(2,)", 2, {0, 2}}, INDPTR},
         "entry 2 of a sparse matrix lies outside its 2 places"},
        {{TEXT("format", "csr"), SHAPE, INDICES, INDPTR},
         "nothing in it can be a view: format is text, shape is a single row or column, indices is "
         "a single row or column, indptr is a single row or column"},
        {{TEXT("format", "csr"), DATA, INDICES, INDPTR}, "dense 5, 7"},
        {{TEXT("aformat", "csr"), SHAPE, DATA, INDICES, INDPTR}, "dense 5, 7"},
        {{{"format", "<f8", "(2,)", 2, {1, 2}}, SHAPE, DATA, INDICES, INDPTR}, "dense 5, 7"},
        {{{"x", "|b1", "(3, 2)", 6, {1, 0, 0, 1, 1, 1}}}, "dense 1 0, 0 1, 1 1"},
        {{{"x", "<f8", "(3, 2)", 6, {1, 0, 0, 1, 1, 1}}, {"s", "<f8", "()", 1, {1}}},
         "dense 1 0, 0 1, 1 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_zip zip = {0};
        for (size_t m = 0; m < MEMBERS && cases[i].members[m].name; m++) {
            const member *of = &cases[i].members[m];
            char name[64], descr[32];
            made bytes = {0};
            snprintf(name, sizeof name, "%s.npy", of->name);
            snprintf(descr, sizeof descr, "|S%zu", strlen(of->descr));
            made_npy_header(&bytes, of->shape ? of->descr : descr, 0, of->shape ? of->shape : "()");
            if (!of->shape)
                made_text(&bytes, of->descr);
            of_type type = strcmp(of->descr, "<f8") == 0   ? OF_F64
                           : strcmp(of->descr, "<i8") == 0 ? OF_I64
                           : strcmp(of->descr, "|b1") == 0 ? OF_U8
                                                           : OF_I32;
            for (size_t e = 0; e < of->count; e++)
                made_value(&bytes, type, of->values[e], 0);
            made_zip_add(&zip, name, &bytes, 0);
            made_free(&bytes);
        }
        made_zip_end(&zip);
        made_save(&zip.bytes, folder_path(state, "c.npz"));
        expect_read(state, "c.npz", cases[i].want);
        made_zip_free(&zip);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mat_files),
        cmocka_unit_test(views_are_called_as_the_list_says),
        cmocka_unit_test(npz_files),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
