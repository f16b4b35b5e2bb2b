/* SPDX-License-Identifier: Apache-2.0 */
/* Views made of arrays. */
#include "support/views.h"

#include "support/check.h"

of_view views_dense(size_t samples, size_t columns, const double *x)
{
    return (of_view){.name = "dense",
                     .storage = OF_DENSE,
                     .samples = samples,
                     .columns = columns,
                     .data = x,
                     .type = OF_F64,
                     .sample_step = columns,
                     .column_step = 1};
}

of_view views_sparse(of_arena *arena, size_t samples, size_t columns, const double *x)
{
    size_t *start, entries = 0;
    uint32_t *index;
    double *value;
    CHECK_OK(OF_NEW(arena, &start, samples + 1, 1));
    CHECK_OK(OF_NEW(arena, &index, samples, columns));
    CHECK_OK(OF_NEW(arena, &value, samples, columns));
    for (size_t j = 0; j < samples; j++) {
        start[j] = entries;
        for (size_t i = 0; i < columns; i++)
            if (x[j * columns + i] != 0) {
                index[entries] = (uint32_t)i;
                value[entries++] = x[j * columns + i];
            }
    }
    start[samples] = entries;
    return (of_view){.name = "sparse",
                     .storage = OF_SPARSE,
                     .samples = samples,
                     .columns = columns,
                     .sparse = {samples, columns, start, index, value}};
}
