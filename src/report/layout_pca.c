/* SPDX-License-Identifier: Apache-2.0 */
/* The two leading principal components of samples: covariance in tiles, then a small eigenproblem.
 */
#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "report/layout.h"

#include <math.h>
#include <string.h>

enum { TILE_BYTES = 128 << 10 };

typedef struct pca_task {
    size_t rows, ldx;
    const double *x;
    of_tiles tiles;
    double *mean;       /* rows */
    double *room;       /* per worker: rows x width */
    const double *axis; /* rows x 2 */
    double *y;
} pca_task;

static onefold_status add_mean(void *opaque, size_t tile, int worker, double *sum)
{
    pca_task *task = opaque;
    (void)worker;
    size_t first = of_tiles_first(&task->tiles, tile), count = of_tiles_length(&task->tiles, tile);
    for (size_t j = first; j < first + count; j++)
        for (size_t i = 0; i < task->rows; i++)
            sum[i] += task->x[j * task->ldx + i];
    return ONEFOLD_OK;
}

/* The tile less the mean, in the worker's room. */
static const double *centred(const pca_task *task, size_t first, size_t count, int worker)
{
    double *room = task->room + (size_t)worker * task->rows * task->tiles.width;
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < task->rows; i++)
            room[j * task->rows + i] = task->x[(first + j) * task->ldx + i] - task->mean[i];
    return room;
}

static onefold_status add_covariance(void *opaque, size_t tile, int worker, double *sum)
{
    pca_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, tile), count = of_tiles_length(&task->tiles, tile);
    if (!count)
        return ONEFOLD_OK;
    const double *room = centred(task, first, count, worker);
    of_gemm('N', 'T', task->rows, task->rows, count, 1, room, task->rows, room, task->rows, 1, sum,
            task->rows);
    return ONEFOLD_OK;
}

static onefold_status project_tile(void *opaque, size_t tile, int worker)
{
    pca_task *task = opaque;
    size_t first = of_tiles_first(&task->tiles, tile), count = of_tiles_length(&task->tiles, tile);
    if (!count)
        return ONEFOLD_OK;
    const double *room = centred(task, first, count, worker);
    of_gemm('T', 'N', 2, count, task->rows, 1, task->axis, task->rows, room, task->rows, 0,
            task->y + 2 * first, 2);
    return ONEFOLD_OK;
}

/* The first entry of largest modulus becomes positive, so that no LAPACK's sign shows. */
static void fix_sign(size_t rows, double *axis)
{
    size_t most = 0;
    for (size_t i = 1; i < rows; i++)
        most = fabs(axis[i]) > fabs(axis[most]) * (1 + 1e-12) ? i : most;
    if (axis[most] < 0)
        for (size_t i = 0; i < rows; i++)
            axis[i] = -axis[i];
}

onefold_status of_layout_pca(of_context *context, size_t rows, size_t n, const double *x,
                             size_t ldx, double *y)
{
    OF_SCRATCH(scratch, context);
    double *covariance, *value, *axis;
    pca_task task = {.rows = rows, .ldx = ldx, .x = x, .y = y};
    if (rows == 0) {
        memset(y, 0, 2 * n * sizeof *y);
        return ONEFOLD_OK;
    }
    task.tiles = of_tiles_make(n, rows, TILE_BYTES);
    OF_TRY(OF_NEW_ZERO(&scratch, &task.mean, rows, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &covariance, rows, rows));
    OF_TRY(OF_NEW(&scratch, &value, rows, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &axis, rows, 2));
    OF_TRY(OF_NEW(&scratch, &task.room, (size_t)of_team_size(context), rows * task.tiles.width));
    OF_TRY(of_team_sum(context, task.tiles.count, add_mean, &task, rows, task.mean));
    for (size_t i = 0; i < rows; i++)
        task.mean[i] /= (double)n;
    OF_TRY(of_team_sum(context, task.tiles.count, add_covariance, &task, rows * rows, covariance));
    OF_TRY(of_eigh(context, rows, covariance, rows, value));
    for (size_t r = 0; r < 2 && r < rows; r++) {
        memcpy(axis + r * rows, covariance + r * rows, rows * sizeof *axis);
        fix_sign(rows, axis + r * rows);
    }
    task.axis = axis;
    return of_team_run(context, task.tiles.count, project_tile, &task);
}
