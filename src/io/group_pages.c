/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors as a group of matrices: n x n x p kernels, or a view on each page. */
#include "io/find.h"

#include <math.h>

int of_matrix_symmetric(const of_matrix *matrix)
{
    enum { ROWS = 256 };
    size_t n = matrix->rows, step = n / ROWS + 1;
    double largest = 0, differs = 0;
    if (n != matrix->columns || matrix->storage == OF_SPARSE || matrix->source)
        return 0;
    for (size_t r = 0; r < n; r += step)
        for (size_t c = 0; c < n; c++) {
            double value = of_matrix_get(matrix, r, c);
            largest = fmax(largest, fabs(value));
            differs = fmax(differs, fabs(value - of_matrix_get(matrix, c, r)));
        }
    return differs <= (matrix->type == OF_F32 ? 1e-4 : 1e-8) * largest;
}

/* The three sides of a tensor with their steps; the last is that of the pages. */
typedef struct sides {
    size_t length[3], step[3];
} sides;

/* Whether two sides are equal, as those of a kernel, and not by chance: labels are as long as the
 * third alone then. */
static int is_kernel(const sides *tensor, int side, int third, of_lengths lengths)
{
    return tensor->length[side] == tensor->length[1] &&
           (of_is_length(lengths, tensor->length[1]) ||
            !of_is_length(lengths, tensor->length[third]));
}

/* Brings the side of the pages to the end: two equal sides are those of a kernel; otherwise one
 * side is that of the samples, and the shorter of the others numbers the views. */
static int find_pages(sides *tensor, of_lengths lengths)
{
    int pages = -1;
    if (is_kernel(tensor, 0, 2, lengths))
        pages = 2;
    else if (is_kernel(tensor, 2, 0, lengths))
        pages = 0;
    else
        for (int s = 0; s < 3 && pages < 0; s++)
            if (of_is_length(lengths, tensor->length[s])) {
                int a = (s + 1) % 3, b = (s + 2) % 3;
                pages = tensor->length[a] < tensor->length[b] ? a : b;
            }
    if (pages < 0)
        return 0;
    size_t length = tensor->length[pages], step = tensor->step[pages];
    for (int s = pages; s < 2; s++) {
        tensor->length[s] = tensor->length[s + 1];
        tensor->step[s] = tensor->step[s + 1];
    }
    tensor->length[2] = length;
    tensor->step[2] = step;
    return 1;
}

onefold_status of_group_pages(of_arena *arena, of_file *file, of_top *top, of_lengths lengths,
                              of_group *group)
{
    const of_variable *variable = &top->variable;
    sides tensor = {{variable->matrix.rows, variable->matrix.columns, variable->pages},
                    {variable->matrix.row_step, variable->matrix.column_step, variable->page_step}};
    if (!find_pages(&tensor, lengths))
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &group->found, tensor.length[2], 1));
    int symmetric = 1;
    for (size_t p = 0; p < tensor.length[2]; p++) {
        char *name;
        OF_TRY(of_arena_string(arena, &name, "%s(%zu)", variable->name, p + 1));
        group->found[p] = of_found_make(file, top, variable);
        of_matrix *matrix = &group->found[p].matrix;
        matrix->name = name;
        matrix->rows = tensor.length[0];
        matrix->columns = tensor.length[1];
        matrix->row_step = tensor.step[0];
        matrix->column_step = tensor.step[1];
        matrix->data = (const char *)variable->matrix.data +
                       p * tensor.step[2] * of_type_size(variable->matrix.type);
        symmetric = symmetric && of_matrix_symmetric(matrix);
    }
    int fits = of_is_length(lengths, tensor.length[0]) || of_is_length(lengths, tensor.length[1]);
    group->kind = OF_GROUP_PAGES;
    group->name = variable->name;
    group->kernels = symmetric;
    group->count = symmetric || fits ? tensor.length[2] : 0;
    return ONEFOLD_OK;
}
