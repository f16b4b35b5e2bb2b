/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The projection is max(x - t, 0) for the one t that makes it sum to 1. Entries at or below a lower
 * bound of t are 0 in the answer, so t is found by dropping them until none is left to drop
 * (Michelot 1986): exact, in a few passes, without sorting.
 */
#include "linalg/simplex.h"

#include "base/team.h"

void of_simplex_project(size_t length, double *x)
{
    double top = x[0];
    for (size_t i = 1; i < length; i++)
        top = x[i] > top ? x[i] : top;
    /* Seen from the largest entry t lies in [-1, 0): no digits are lost however large x is. */
    double t = -1;
    for (size_t kept = length + 1;;) {
        double sum = 0;
        size_t count = 0;
        for (size_t i = 0; i < length; i++) {
            double below = x[i] - top;
            int above = below > t;
            sum += above ? below : 0;
            count += (size_t)above;
        }
        if (count >= kept)
            break;
        kept = count;
        t = (sum - 1) / (double)count;
    }
    for (size_t i = 0; i < length; i++) {
        double above = x[i] - top - t;
        x[i] = above > 0 ? above : 0;
    }
}

typedef struct projection {
    double *a;
    size_t rows, lda;
    of_tiles tiles;
} projection;

static onefold_status project_piece(void *task, size_t index, int worker)
{
    const projection *p = task;
    (void)worker;
    size_t first = of_tiles_first(&p->tiles, index), count = of_tiles_length(&p->tiles, index);
    for (size_t j = first; j < first + count; j++)
        of_simplex_project(p->rows, p->a + j * p->lda);
    return ONEFOLD_OK;
}

onefold_status of_simplex_project_columns(of_context *context, size_t rows, size_t columns,
                                          double *a, size_t lda)
{
    enum { CACHE = 1 << 18 };
    projection p = {a, rows, lda, of_tiles_make(columns, rows, CACHE)};
    return of_team_run(context, p.tiles.count, project_piece, &p);
}
