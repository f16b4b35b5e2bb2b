/* SPDX-License-Identifier: Apache-2.0 */
/* One element of a matrix in any storage. */
#include "data/view.h"

#include "support/check.h"

static void an_element_is_the_same_by_row_and_by_column(void **state)
{
    (void)state;
    static const size_t start[] = {0, 2, 2, 3};
    static const uint32_t index[] = {0, 2, 1};
    static const double value[] = {1, 2, 3};
    of_sparse by_row = {3, 4, start, index, value}, by_column;
    OF_SCRATCH(scratch, NULL);
    CHECK_OK(of_sparse_transpose(&scratch, &by_row, &by_column));
    of_matrix a = {.storage = OF_SPARSE, .rows = 3, .columns = 4, .sparse = by_row};
    of_matrix b = a;
    b.sparse = by_column;
    b.by_column = 1;
    static const float dense[] = {1, 0, 2, 0, 0, 0, 0, 0, 0, 3, 0, 0};
    of_matrix c = {
        .rows = 3, .columns = 4, .type = OF_F32, .data = dense, .row_step = 4, .column_step = 1};
    for (size_t r = 0; r < 3; r++)
        for (size_t i = 0; i < 4; i++) {
            assert_true(of_matrix_get(&a, r, i) == (double)dense[4 * r + i]);
            assert_true(of_matrix_get(&b, r, i) == (double)dense[4 * r + i]);
            assert_true(of_matrix_get(&c, r, i) == (double)dense[4 * r + i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_element_is_the_same_by_row_and_by_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
