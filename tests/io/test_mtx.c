/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market: every combination that is read, errors, and claimed sizes. */
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <string.h>

static void lists_and_arrays(void **state)
{
    static const struct {
        const char *text, *storage;
        size_t rows, columns;
        double values[9];
    } cases[] = {
        {"%%MatrixMarket matrix coordinate real general\n% a comment\n%\n3 2 4\n3 1 -1.5e2\n1 1 "
         "7\n2 2 .5\n1 2 9\n",
         "sparse",
         3,
         2,
         {7, 9, 0, 0.5, -150, 0}},
        {"%%MatrixMarket MATRIX Coordinate Integer General\r\n3 2 2\r\n3 1 5\r\n1 2 9\r\n",
         "sparse",
         3,
         2,
         {0, 9, 0, 0, 5, 0}},
        {"%%MatrixMarket matrix coordinate pattern general\n\n  3  2  2 \n3 1\n1 2\n",
         "sparse",
         3,
         2,
         {0, 1, 0, 0, 1, 0}},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4\n2 1 5\n3 2 6\n3 3 7\n",
         "sparse",
         3,
         3,
         {4, 5, 0, 5, 0, 6, 0, 6, 7}},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n",
         "sparse",
         3,
         3,
         {0, 1, 0, 1, 0, 0, 0, 0, 1}},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n3 1 2\n",
         "sparse",
         3,
         3,
         {0, 0, -2, 0, 0, 0, 2, 0, 0}},
        {"%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n1 1 2\n2 2 4\n",
         "sparse",
         3,
         2,
         {3, 0, 0, 4, 0, 0}}, /* the same place twice: added */
        {"%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6e-1\n",
         "dense",
         3,
         2,
         {1, 4, 2, 5, 3, 0.6}},
        {"%%MatrixMarket matrix array integer symmetric\n3 3\n1 2 3 4 5 6",
         "dense",
         3,
         3,
         {1, 2, 3, 2, 4, 5, 3, 5, 6}},
        {"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
         "dense",
         3,
         3,
         {0, -1, -2, 1, 0, -3, 2, 3, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int packed = 0; packed < 2; packed++) {
            const char *path = folder_path(state, packed ? "m.mtx.gz" : "m.mtx");
            made text = {0};
            made_text(&text, cases[i].text);
            made bytes = packed ? made_packed(&text, "gzip") : text;
            made_save(&bytes, path);
            onefold_dataset *data = read_one(path, NULL);
            assert_int_equal(onefold_dataset_describe(data)->samples, cases[i].rows);
            expect_view(data, 0, "m", cases[i].storage, cases[i].columns, cases[i].values);
            onefold_dataset_free(data);
            made_free(&text);
            if (packed)
                made_free(&bytes);
        }
}

static void what_is_refused(void **state)
{
#define HEAD "%%MatrixMarket matrix coordinate real general\n"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "complex"},
        {"%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 1\n", "hermitian"},
        {"%%MatrixMarket vector coordinate real general\n1 1 1\n1 1 1\n",
         "not a Matrix Market header"},
        {"%%MatrixMarket matrix array pattern general\n1 1\n1\n", "array pattern"},
        {"%%MatrixMarket\n", "not a Matrix Market header"},
        {"%%MatrixMarket matrix coordinate real general", "nothing after the first line"},
        {HEAD, "does not say the size"},
        {HEAD "3 2\n", "does not say the size"},
        {HEAD "3 x 2\n", "does not say the size"},
        {HEAD "3 2 2\n1 1 5\n", "2 entries are declared, and 1 are present"},
        {HEAD "3 2 2\n1 1 5\n2 2", "2 entries are declared, and 1 are present"},
        {HEAD "3 2 1\n4 1 5\n", "line 3: row 4 lies outside the 3 x 2 matrix"},
        {HEAD "3 2 1\n1 0 5\n", "line 3: column 0 lies outside"},
        {HEAD "3 2 1\n1 a 5\n", "line 3 holds \"a\""},
        {HEAD "3 2 1\n1 1 five\n", "line 3 holds \"five\""},
        {HEAD "0 2 0\n", "empty"},
        {HEAD "3 2 9000000000000000000\n1 1 1\n", "9000000000000000000 entries are declared"},
        {HEAD "99999999999999999999 2 1\n1 1 1\n", "does not say the size"},
        {HEAD "9000000000 2 1\n1 1 1\n", "which is too many"},
        {HEAD "4000000000 2 1\n1 1 1\n", "damaged"},
        {HEAD "2 4000000000 1\n1 1 1\n", "damaged"},
        {"%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n", "declared"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 2 1\n1 1 1\n", "square"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
         "4 entries are declared, and 3"},
        {"%%MatrixMarket matrix array real general\n2 2\n1\n2\nx\n4\n", "line 5 holds \"x\""},
        {HEAD "2 2 2\n1 1 1e999\n2 2 1\n", "r: row 1, column 1 is infinite"},
    };
#undef HEAD
    const char *path = folder_path(state, "r.mtx");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_file(path, cases[i].text);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, cases[i].says);
    }
    made_file(path, "1 2\n3 4\n");
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "contents are of another format");
}

/* A truncated file is refused, unless the last digits still are a number. */
static void truncated_files_are_refused(void **state)
{
    made text = {0};
    made_text(&text,
              "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 5\n2 1 6\n2 2 1.25\n");
    const char *path = folder_path(state, "cut.mtx");
    for (size_t size = 15; size + 5 < text.size; size++) {
        made_save_part(&text, size, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, "cut.mtx: ");
    }
    made_free(&text);
}

static void every_allocation_may_fail(void **state)
{
    const char *path = folder_path(state, "memory.mtx");
    made_file(path, "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 2 1\n1 1 2\n2 2 4\n");
    every_allocation_fails(&path, 1, NULL);
    made_file(path, "%%MatrixMarket matrix array real general\n3 2\n1 2 3 4 5 6\n");
    every_allocation_fails(&path, 1, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_and_arrays, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(truncated_files_are_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
