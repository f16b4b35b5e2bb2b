/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last pass of the Nystrom route over many samples, fused in cache: the kernel against the
 * landmarks, less kbar, and one product with the weights and the row means, in single precision.
 * The diagonal, s_j and H H' are double.
 */
#include "linalg/blas.h"
#include "partition/route_nystrom.h"

typedef struct project_task {
    const of_nystrom *from;
    of_landmarks_single landmarks;
    of_tiles tiles;
    double *tile;    /* per worker: features as they are read */
    float *features; /* and in single precision, */
    float *k;        /* the kernel against the landmarks, */
    float *image;    /* and rows + 1 x width: what the weights make of it */
    float *weight;   /* rows + 1 x count: the last row is row_mean */
} project_task;

/* H of a tile; sum (rows x rows) += H H'. */
static onefold_status project(void *opaque, size_t index, int worker, double *sum)
{
    project_task *task = opaque;
    const of_nystrom *from = task->from;
    const of_landmarks *landmarks = &from->landmarks;
    size_t l = landmarks->count, rows = from->rows, width = task->tiles.width, w = (size_t)worker,
           first = of_tiles_first(&task->tiles, index),
           count = of_tiles_length(&task->tiles, index);
    float *k = task->k + w * l * width, *image = task->image + w * (rows + 1) * width;
    double *H = of_share_at(from->H, first);
    size_t ldh = from->H.ld;
    if (!count)
        return ONEFOLD_OK;
    of_landmarks_single_tile(&task->landmarks, first, count,
                             task->tile + w * landmarks->tile_rows * width,
                             task->features + w * landmarks->columns * width, k);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)(rows + 1), (int)count, (int)l, 1,
                task->weight, (int)(rows + 1), k, (int)l, 0, image, (int)(rows + 1));
    for (size_t j = 0; j < count; j++) {
        const float *h = image + j * (rows + 1);
        double scale = of_nystrom_scale(1 - from->mean - 2 * (double)h[rows]);
        for (size_t r = 0; r < rows; r++)
            H[j * ldh + r] = scale * (double)h[r];
    }
    of_gemm('N', 'T', rows, rows, count, 1, H, ldh, H, ldh, 1, sum, rows);
    return ONEFOLD_OK;
}

onefold_status of_nystrom_project_single(of_context *context, const of_nystrom *from, double *inner)
{
    OF_SCRATCH(scratch, context);
    const of_landmarks *landmarks = &from->landmarks;
    size_t l = landmarks->count, rows = from->rows, workers = (size_t)of_team_size(context);
    project_task task = {.from = from};
    task.tiles =
        of_tiles_make(from->tiles.samples, (l + rows) / 2 + landmarks->tile_rows, 512 << 10);
    size_t width = workers * task.tiles.width;
    OF_TRY(of_landmarks_single_make(&scratch, landmarks, from->kbar, &task.landmarks));
    OF_TRY(OF_NEW(&scratch, &task.tile, landmarks->tile_rows, width));
    OF_TRY(OF_NEW(&scratch, &task.features, landmarks->columns, width));
    OF_TRY(OF_NEW(&scratch, &task.k, l, width));
    OF_TRY(OF_NEW(&scratch, &task.image, rows + 1, width));
    OF_TRY(OF_NEW(&scratch, &task.weight, rows + 1, l));
    for (size_t i = 0; i < l; i++) {
        for (size_t r = 0; r < rows; r++)
            task.weight[i * (rows + 1) + r] = (float)from->weight[i * rows + r];
        task.weight[i * (rows + 1) + rows] = (float)from->row_mean[i];
    }
    return of_tiles_sum(context, &task.tiles, project, &task, rows * rows, inner);
}
