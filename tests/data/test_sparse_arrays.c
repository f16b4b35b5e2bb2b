/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse matrices from arrays in any order and type, against a dense sum. */
#include "base/random.h"
#include "data/view.h"
#include "support/check.h"

#include <string.h>

enum { ROWS = 30, COLUMNS = 17, ENTRIES = 400 };

/* Entries at random places, many of them repeated, and their sums, which are exact. */
typedef struct entries {
    int64_t row[ENTRIES], column[ENTRIES];
    float value[ENTRIES];
    double sum[ROWS][COLUMNS];
} entries;

static void make_entries(entries *made, uint64_t seed)
{
    of_random random = of_random_make(seed, 1, 0);
    memset(made, 0, sizeof *made);
    for (size_t e = 0; e < ENTRIES; e++) {
        made->row[e] = (int64_t)of_random_below(&random, ROWS);
        made->column[e] = (int64_t)of_random_below(&random, COLUMNS);
        made->value[e] = (float)of_random_below(&random, 100) / 4 - 10;
        made->sum[made->row[e]][made->column[e]] += (double)made->value[e];
    }
}

static void check_sums(const of_sparse *sparse, const entries *made)
{
    double dense[ROWS][COLUMNS] = {{0}};
    assert_true(sparse->rows == ROWS && sparse->columns == COLUMNS);
    for (size_t j = 0; j < ROWS; j++)
        for (size_t e = sparse->start[j]; e < sparse->start[j + 1]; e++) {
            assert_true(e == sparse->start[j] || sparse->index[e] > sparse->index[e - 1]);
            dense[j][sparse->index[e]] = sparse->value[e];
        }
    assert_memory_equal(dense, made->sum, sizeof dense);
}

static void lists_and_lines_add_up(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, NULL);
    for (uint64_t seed = 0; seed < 20; seed++) {
        entries made;
        of_sparse sparse;
        make_entries(&made, seed);
        const of_array row = {made.row, OF_I64, ENTRIES, NULL},
                       column = {made.column, OF_I64, ENTRIES, NULL},
                       value = {made.value, OF_F32, ENTRIES, NULL};
        CHECK_OK(of_matrix_coordinates(&scratch, ROWS, COLUMNS, &row, &column, &value, &sparse));
        check_sums(&sparse, &made);
        /* the same row by row, in the order of the list */
        uint16_t start[ROWS + 1] = {0};
        uint32_t place[ENTRIES];
        double number[ENTRIES];
        for (uint16_t j = 0, at = 0; j < ROWS; j++) {
            for (size_t e = 0; e < ENTRIES; e++)
                if (made.row[e] == j) {
                    place[at] = (uint32_t)made.column[e];
                    number[at++] = (double)made.value[e];
                }
            start[j + 1] = at;
        }
        const of_array starts = {start, OF_U16, ROWS + 1, NULL},
                       places = {place, OF_U32, ENTRIES, NULL},
                       numbers = {number, OF_F64, ENTRIES, NULL};
        CHECK_OK(
            of_matrix_compressed(&scratch, ROWS, COLUMNS, &starts, &places, &numbers, 0, &sparse));
        check_sums(&sparse, &made);
    }
}

/* Sorted arrays are borrowed, or copied where `copy`. */
static void arrays_in_order_are_not_copied(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, NULL);
    static const size_t start[] = {0, 2, 2, 3};
    static const uint32_t index[] = {0, 3, 1};
    static const double value[] = {1, 2, 3};
    const of_array starts = {start, OF_U64, 4, NULL}, places = {index, OF_U32, 3, NULL},
                   numbers = {value, OF_F64, 3, NULL};
    for (int copy = 0; copy < 2; copy++) {
        of_sparse sparse;
        CHECK_OK(of_matrix_compressed(&scratch, 3, 4, &starts, &places, &numbers, copy, &sparse));
        assert_int_equal(sparse.index == index, !copy);
        assert_int_equal(sparse.value == value, !copy);
        assert_memory_equal(sparse.start, start, sizeof start);
        assert_memory_equal(sparse.index, index, sizeof index);
        assert_memory_equal(sparse.value, value, sizeof value);
    }
    of_sparse sparse;
    CHECK_FAILS(of_matrix_compressed(&scratch, 3, 3, &starts, &places, &numbers, 0, &sparse),
                ONEFOLD_BAD_DATA, "entry 2 of a sparse matrix lies outside its 3 places");
    CHECK_FAILS(of_matrix_compressed(&scratch, 4, 4, &starts, &places, &numbers, 0, &sparse),
                ONEFOLD_BAD_DATA, "a sparse matrix of 4 lines has only 4 starts");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_lines_add_up),
        cmocka_unit_test(arrays_in_order_are_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
