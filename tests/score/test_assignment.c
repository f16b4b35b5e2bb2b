/* SPDX-License-Identifier: Apache-2.0 */
/* The best matching against all matchings, and against SciPy on tables too large for that. */
#include "score/score.h"

#include "base/random.h"
#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

/* A table from a dense one, rows x columns by row; zero cells are left out. */
static of_contingency table_of(of_arena *arena, const size_t *dense, size_t rows, size_t columns)
{
    size_t *start, *column, *count, *row_sum, *column_sum, cells = 0, samples = 0;
    CHECK_OK(OF_NEW(arena, &start, rows + 1, 1));
    CHECK_OK(OF_NEW(arena, &column, rows, columns));
    CHECK_OK(OF_NEW(arena, &count, rows, columns));
    CHECK_OK(OF_NEW_ZERO(arena, &row_sum, rows, 1));
    CHECK_OK(OF_NEW_ZERO(arena, &column_sum, columns, 1));
    for (size_t i = 0; i < rows; i++) {
        start[i] = cells;
        for (size_t j = 0; j < columns; j++) {
            size_t here = dense[i * columns + j];
            samples += here;
            row_sum[i] += here;
            column_sum[j] += here;
            if (here) {
                column[cells] = j;
                count[cells++] = here;
            }
        }
    }
    start[rows] = cells;
    return (of_contingency){samples, rows, columns, row_sum, column_sum, start, column, count};
}

/* Every way to give row `row` and those after it a free column or none. */
static size_t best_of_all(const size_t *dense, size_t rows, size_t columns, size_t row,
                          unsigned taken)
{
    if (row == rows)
        return 0;
    size_t best = best_of_all(dense, rows, columns, row + 1, taken);
    for (size_t j = 0; j < columns; j++) {
        if (taken >> j & 1)
            continue;
        size_t total =
            dense[row * columns + j] + best_of_all(dense, rows, columns, row + 1, taken | 1u << j);
        best = total > best ? total : best;
    }
    return best;
}

/* The matching is one-to-one, and has the total that is returned. */
static void check_match(const size_t *dense, const of_contingency *table, const int64_t *match,
                        size_t total)
{
    size_t sum = 0;
    unsigned char *taken = calloc(table->columns, 1);
    for (size_t i = 0; i < table->rows; i++) {
        if (match[i] == OF_UNMATCHED)
            continue;
        assert_in_range(match[i], 0, table->columns - 1);
        assert_false(taken[match[i]]);
        taken[match[i]] = 1;
        sum += dense[i * table->columns + (size_t)match[i]];
    }
    free(taken);
    assert_int_equal(sum, total);
}

static void small_tables_against_all_matchings(void **state)
{
    (void)state;
    of_random random = of_random_make(2, OF_PURPOSE_TEST, 0);
    static const size_t bounds[] = {2, 4, 30, 1000000};
    for (int round = 0; round < 3000; round++) {
        size_t rows = 1 + of_random_below(&random, 7), columns = 1 + of_random_below(&random, 7);
        size_t bound = bounds[round % 4], zeros = of_random_below(&random, 4), dense[49];
        for (size_t e = 0; e < rows * columns; e++)
            dense[e] = of_random_below(&random, 4) < zeros ? 0 : of_random_below(&random, bound);
        OF_SCRATCH(scratch, NULL);
        of_contingency table = table_of(&scratch, dense, rows, columns);
        int64_t match[7];
        size_t total;
        CHECK_OK(of_assignment(NULL, &table, &total, match));
        assert_int_equal(total, best_of_all(dense, rows, columns, 0, 0));
        check_match(dense, &table, match, total);
    }
}

/* The counts of the large tables: restated in Python below. */
static size_t made_count(size_t seed, size_t i, size_t j)
{
    uint64_t x = seed * 1000003 + i * 10007 + j * 101 + 12345;
    x = (x * 6364136223846793005u + 1442695040888963407u) >> 33;
    return x % 5 == 0 ? x % 1009 : seed % 2 ? 0 : x % 3;
}

static void large_tables_against_scipy(void **state)
{
    static const size_t shapes[][2] = {{60, 60},   {100, 40}, {40, 100},
                                       {200, 190}, {1, 300},  {300, 1}};
    FILE *file = fopen(folder_path(state, "totals"), "w");
    assert_non_null(file);
    for (size_t s = 0; s < 6; s++)
        for (size_t seed = 0; seed < 4; seed++) {
            size_t rows = shapes[s][0], columns = shapes[s][1], total;
            size_t *dense = malloc(rows * columns * sizeof *dense);
            int64_t *match = malloc(rows * sizeof *match);
            for (size_t e = 0; e < rows * columns; e++)
                dense[e] = made_count(seed, e / columns, e % columns);
            OF_SCRATCH(scratch, NULL);
            of_contingency table = table_of(&scratch, dense, rows, columns);
            CHECK_OK(of_assignment(NULL, &table, &total, match));
            check_match(dense, &table, match, total);
            fprintf(file, "%zu %zu %zu %zu\n", rows, columns, seed, total);
            free(dense);
            free(match);
        }
    assert_int_equal(fclose(file), 0);
    CHECK_PYTHON(
        state, "numpy,scipy.optimize",
        "import numpy as np\n"
        "from scipy.optimize import linear_sum_assignment\n"
        "lines = np.loadtxt('totals', dtype=int)\n"
        "assert len(lines) == 24\n"
        "for rows, columns, seed, total in lines:\n"
        "    i, j = np.indices((rows, columns)).astype(np.uint64)\n"
        "    x = np.uint64(seed * 1000003 + 12345) + i * np.uint64(10007) + j * np.uint64(101)\n"
        "    x = (x * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)) >> "
        "np.uint64(33)\n"
        "    x = x.astype(int)\n"
        "    w = np.where(x % 5 == 0, x % 1009, 0 if seed % 2 else x % 3)\n"
        "    assert w[linear_sum_assignment(w, maximize=True)].sum() == total\n");
}

/* The best total of the transposed table is the same. */
static void the_transpose_has_the_same_total(void **state)
{
    (void)state;
    of_random random = of_random_make(3, OF_PURPOSE_TEST, 0);
    enum { ROWS = 37, COLUMNS = 23 };
    static size_t dense[ROWS * COLUMNS], turned[ROWS * COLUMNS];
    for (int round = 0; round < 20; round++) {
        for (size_t e = 0; e < ROWS * COLUMNS; e++) {
            dense[e] = of_random_below(&random, 50);
            turned[e % COLUMNS * ROWS + e / COLUMNS] = dense[e];
        }
        OF_SCRATCH(scratch, NULL);
        of_contingency a = table_of(&scratch, dense, ROWS, COLUMNS),
                       b = table_of(&scratch, turned, COLUMNS, ROWS);
        size_t one, other;
        CHECK_OK(of_assignment(NULL, &a, &one, NULL));
        CHECK_OK(of_assignment(NULL, &b, &other, NULL));
        assert_int_equal(one, other);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    static const size_t dense[6] = {1, 2, 3, 4, 0, 6};
    OF_SCRATCH(scratch, NULL);
    of_contingency table = table_of(&scratch, dense, 2, 3);
    size_t total = 77;
    for (long failing = 0;; failing++) {
        atomic_store(&context->allocations_until_failure, failing);
        if (of_assignment(context, &table, &total, NULL) == ONEFOLD_OK)
            break;
        assert_int_equal(total, 77);
    }
    assert_int_equal(total, 8);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_tables_against_all_matchings),
        cmocka_unit_test_setup_teardown(large_tables_against_scipy, folder_make, folder_remove),
        cmocka_unit_test(the_transpose_has_the_same_total),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
