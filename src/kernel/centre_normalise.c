/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Centring and normalising a kernel matrix in place. Three passes: the mean of all entries; what
 * the row means are once it is subtracted; the entries themselves. The first is there for matrices
 * whose entries are nearly alike: it subtracts numbers that share their leading digits, exactly,
 * before anything is rounded at the scale of the entries.
 */
#include "kernel/kernel.h"

#include "base/team.h"
#include "linalg/wide.h"

#include <float.h>
#include <math.h>

enum { COLUMNS_AT_ONCE = 32 };

typedef struct centre_task {
    double *matrix;
    size_t n, ldm;
    double mean;         /* of all entries */
    double *column_mean; /* of entries less the mean of all */
    double *largest;     /* modulus in each column */
    double *scale;       /* 1 / sqrt(centred diagonal), or 0 */
    double mean_of_column_means;
} centre_task;

OF_WIDE static double sum_less(size_t n, const double *x, double mean, double *largest)
{
    enum { LANES = 16 };
    double lane[LANES] = {0}, most[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t l = 0; l < LANES; l++) {
            double modulus = fabs(x[i + l]);
            lane[l] += x[i + l] - mean;
            most[l] = modulus > most[l] ? modulus : most[l];
        }
    for (; i < n; i++) {
        sum += x[i] - mean;
        most[0] = fmax(most[0], fabs(x[i]));
    }
    for (size_t l = 0; l < LANES; l++) {
        sum += lane[l];
        most[0] = fmax(most[0], most[l]);
    }
    *largest = most[0];
    return sum;
}

static onefold_status compute_means(void *opaque, size_t index, int worker)
{
    (void)worker;
    centre_task *task = opaque;
    for (size_t j = index * COLUMNS_AT_ONCE; j < task->n && j < (index + 1) * COLUMNS_AT_ONCE; j++)
        task->column_mean[j] =
            sum_less(task->n, task->matrix + j * task->ldm, task->mean, &task->largest[j]) /
            (double)task->n;
    return ONEFOLD_OK;
}

OF_WIDE static void rewrite(const centre_task *task, size_t j)
{
    double *restrict column = task->matrix + j * task->ldm;
    const double *restrict row_mean = task->column_mean, *restrict scale = task->scale;
    double mean = task->mean, own = row_mean[j], all = task->mean_of_column_means,
           own_scale = scale[j];
    for (size_t i = 0; i < task->n; i++)
        column[i] = (((column[i] - mean) - (row_mean[i] + own)) + all) * (scale[i] * own_scale);
}

static onefold_status rewrite_columns(void *opaque, size_t index, int worker)
{
    (void)worker;
    centre_task *task = opaque;
    for (size_t j = index * COLUMNS_AT_ONCE; j < task->n && j < (index + 1) * COLUMNS_AT_ONCE;
         j++) {
        rewrite(task, j);
        if (task->scale[j] > 0)
            task->matrix[j * task->ldm + j] = 1;
    }
    return ONEFOLD_OK;
}

/* 1 / sqrt of the centred diagonal, 0 where it is not above rounding. */
static onefold_status compute_scale(centre_task *task)
{
    double most = 0, entry = 0;
    for (size_t j = 0; j < task->n; j++) {
        double diagonal = (task->matrix[j * task->ldm + j] - task->mean) -
                          2 * task->column_mean[j] + task->mean_of_column_means;
        task->scale[j] = diagonal;
        most = fmax(most, diagonal);
        entry = fmax(entry, task->largest[j]);
    }
    if (!isfinite(most) || !isfinite(entry) || !isfinite(task->mean))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a kernel matrix has entries that are not finite"),
                       "scale the view down, or choose another kernel for it");
    double floor = fmax(1e-14 * most, 4 * DBL_EPSILON * entry);
    for (size_t j = 0; j < task->n; j++)
        task->scale[j] = task->scale[j] > floor ? 1 / sqrt(task->scale[j]) : 0;
    return ONEFOLD_OK;
}

onefold_status of_centre_normalise(of_context *context, size_t n, double *matrix, size_t ldm)
{
    if (n == 0)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    centre_task task = {.matrix = matrix, .n = n, .ldm = ldm};
    OF_TRY(OF_NEW(&scratch, &task.column_mean, n, 3));
    task.largest = task.column_mean + n;
    task.scale = task.largest + n;
    size_t strips = (n + COLUMNS_AT_ONCE - 1) / COLUMNS_AT_ONCE;
    for (int pass = 0; pass < 2; pass++) {
        OF_TRY(of_team_run(context, strips, compute_means, &task));
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += task.column_mean[j];
        if (pass == 0)
            task.mean = sum / (double)n;
        else
            task.mean_of_column_means = sum / (double)n;
    }
    OF_TRY(compute_scale(&task));
    return of_team_run(context, strips, rewrite_columns, &task);
}
