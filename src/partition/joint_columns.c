/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns that keep their lengths, of all views side by side, in the passes of the gram route over
 * raw samples that stay on the device. What a view counts by, its weight over the mean square of
 * its samples, is put into the Gram matrix, whose diagonal has the squares, and into the
 * projection.
 */
#include "base/comm.h"
#include "partition/orthonormal.h"
#include "partition/raw_pieces.h"
#include "partition/route_krylov.h"

#include <math.h>
#include <string.h>

typedef struct columns_task {
    of_context *context;
    const of_device_use *use;
    of_device_stack *there;
    const of_kernel *kernels;
    const double *weights;
    size_t views, n, raw, columns; /* raw: columns as they lie, of all views */
    size_t number, piece;          /* bytes of a raw number; samples of a piece */
    size_t first, count;           /* the piece that is copied */
    char *to;
    int kept, sent;
    uint32_t *keep;                       /* columns */
    double *shift, *factor, *mean, *part; /* columns; part: what a view's columns count by */
} columns_task;

enum { LEAST_SAMPLES = 1 << 17, COPIED = 1024, PIECE_BYTES = 64 << 20, STEP = 128 };

/* The device for them: of many dense samples that lie alike, of one process. */
static const of_device_use *device_for(const of_context *context, size_t views,
                                       const of_kernel *kernels, const of_route_work *work)
{
    size_t n = kernels->view->samples;
    if (n < LEAST_SAMPLES || context->comm.size > 1 || work->projection || of_counts(context))
        return NULL;
    for (size_t i = 0; i < views; i++)
        if (!kernels[i].keeps_lengths || kernels[i].kind != OF_KERNEL_LINEAR ||
            of_raw_doubles(kernels[i].view) != of_raw_doubles(kernels->view))
            return NULL;
    return of_device_for(context, n);
}

static onefold_status copy_some(void *opaque, size_t index, int worker)
{
    const columns_task *t = opaque;
    size_t at = index * COPIED, left = t->count - at, count = left < COPIED ? left : COPIED,
           column = 0, row = t->raw * t->number;
    (void)worker;
    for (size_t i = 0; i < t->views; column += t->kernels[i++].view->columns) {
        const of_view *view = t->kernels[i].view;
        char *to = t->to + at * row + column * t->number;
        if (t->number == sizeof(double)) {
            OF_TRY(of_view_read(view, t->first + at, count, (double *)(void *)to, t->raw));
        } else {
            const float *from = (const float *)view->data + (t->first + at) * view->sample_step;
            for (size_t j = 0; j < count; j++)
                memcpy(to + j * row, from + j * view->sample_step, view->columns * t->number);
        }
        of_view_release(view, t->first + at, count);
    }
    return ONEFOLD_OK;
}

/* One pass over all samples: in pieces, or those that the device has kept. */
static onefold_status run_pass(columns_task *t, const of_device_features_pass *pass, double *sum)
{
    int which = 0;
    OF_DEVICE_TRY(t->use, features_start(t->there, pass));
    for (size_t first = 0; first < t->n; first += t->piece, which = 1 - which) {
        void *area;
        t->first = first;
        t->count = t->n - first < t->piece ? t->n - first : t->piece;
        OF_TRY(of_context_check(t->context));
        if (t->sent) {
            OF_DEVICE_TRY(t->use, features_again(t->there, first, t->count));
            continue;
        }
        OF_DEVICE_TRY(t->use, project_staging(t->there, which, &area));
        t->to = area;
        OF_TRY(of_team_run(t->context, (t->count + COPIED - 1) / COPIED, copy_some, t));
        OF_DEVICE_TRY(t->use, features_piece(t->there, which, first, t->count));
    }
    t->sent = t->kept;
    OF_DEVICE_TRY(t->use, features_end(t->there, sum));
    return ONEFOLD_OK;
}

/* What is made of raw columns, of all views one behind the other. */
static void place_columns(columns_task *t)
{
    size_t column = 0, raw = 0;
    for (size_t i = 0; i < t->views; raw += t->kernels[i++].view->columns) {
        const of_prep *prep = &t->kernels[i].prep;
        int prepared = prep->kind != OF_PREP_NONE;
        for (size_t c = 0; c < of_kernel_columns(&t->kernels[i]); c++, column++) {
            t->keep[column] = (uint32_t)(raw + (prepared && prep->kept ? prep->kept[c] : c));
            t->shift[column] = prepared && prep->shift ? prep->shift[c] : 0;
            t->factor[column] = prepared && prep->scale ? prep->scale[c] : 1;
            t->mean[column] = 0;
        }
    }
}

static onefold_status begin_columns(of_arena *scratch, columns_task *t)
{
    size_t free_bytes = 0, row;
    for (size_t i = 0; i < t->views; i++) {
        t->raw += t->kernels[i].view->columns;
        t->columns += of_kernel_columns(&t->kernels[i]);
    }
    t->number = of_raw_doubles(t->kernels->view) ? sizeof(double) : sizeof(float);
    row = t->raw * t->number;
    t->piece = of_context_chunk(t->context, PIECE_BYTES) / row / STEP * STEP;
    t->piece = t->piece ? t->piece : STEP;
    OF_TRY(OF_NEW(scratch, &t->keep, t->columns, 1));
    OF_TRY(OF_NEW(scratch, &t->shift, t->columns, 1));
    OF_TRY(OF_NEW(scratch, &t->factor, t->columns, 1));
    OF_TRY(OF_NEW(scratch, &t->mean, t->columns, 1));
    OF_TRY(OF_NEW(scratch, &t->part, t->columns, 1));
    place_columns(t);
    of_device_features told = {.raw_columns = t->raw,
                               .columns = t->columns,
                               .kept = t->keep,
                               .shift = t->shift,
                               .factor = t->factor,
                               .raw_double = t->number == sizeof(double)};
    OF_DEVICE_TRY(t->use, available(t->use->device, &free_bytes));
    t->kept = (double)t->n * (double)row <= 0.5 * (double)free_bytes;
    OF_DEVICE_TRY(t->use, features_begin(t->there, &told, t->piece * row, &t->kept));
    return ONEFOLD_OK;
}

/* The Gram matrix in which each view counts by its weight, as scale_alike (partition/centred.c) has
 * it; 0 where some view's squares say nothing, which the CPU looks into. */
static int weigh_gram(columns_task *t, double *gram)
{
    const double nothing = 1e-12;
    size_t d = t->columns, column = 0;
    for (size_t i = 0; i < t->views; i++) {
        size_t own = of_kernel_columns(&t->kernels[i]);
        double square = 0, whole = 0;
        for (size_t c = column; c < column + own; c++) {
            square += gram[c + c * d] / (double)t->n;
            whole += t->mean[c] * t->mean[c];
        }
        if (!isfinite(square) || !(square > nothing * (1 + whole)))
            return 0;
        for (size_t c = 0; c < own; c++)
            t->part[column++] = sqrt(t->weights[i] / square);
    }
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < d; i++)
            gram[i + j * d] *= t->part[i] * t->part[j];
    return 1;
}

/* The mean; its second pass adds what rounding took from the first. */
static onefold_status find_mean(of_arena *scratch, columns_task *t)
{
    double *sum;
    OF_TRY(OF_NEW(scratch, &sum, t->columns, 1));
    for (int pass = 0; pass < 2; pass++) {
        of_device_features_pass told = {.sum = OF_DEVICE_SUM_MEAN, .mean = t->mean};
        OF_TRY(run_pass(t, &told, sum));
        for (size_t i = 0; i < t->columns; i++)
            t->mean[i] += sum[i] / (double)t->n;
    }
    return ONEFOLD_OK;
}

typedef struct fetch_task {
    of_share H;
    size_t n;
} fetch_task;

/* Pages of memory are given by as many threads as there are. */
static onefold_status touch(void *opaque, size_t index, int worker)
{
    const fetch_task *task = opaque;
    size_t first = index * COPIED, count = task->n - first < COPIED ? task->n - first : COPIED;
    (void)worker;
    memset(of_share_at(task->H, first), 0, count * task->H.ld * sizeof(double));
    return ONEFOLD_OK;
}

static onefold_status solve_there(columns_task *t, of_route_work *work, int *done)
{
    OF_SCRATCH(scratch, t->context);
    double *gram, *weight, *inner, *sign;
    OF_TRY(begin_columns(&scratch, t));
    OF_TRY(find_mean(&scratch, t));
    size_t d = t->columns;
    OF_TRY(OF_NEW(&scratch, &gram, d, d));
    of_device_features_pass pass = {.sum = OF_DEVICE_SUM_GRAM, .mean = t->mean, .lengths = 1};
    OF_TRY(run_pass(t, &pass, gram));
    *done = weigh_gram(t, gram);
    if (!*done)
        return ONEFOLD_OK;
    OF_TRY(of_gram_solve(t->context, &scratch, d, gram, work, &weight));
    if (!work->rank)
        return ONEFOLD_OK;
    for (size_t i = 0; i < d; i++)
        for (size_t r = 0; r < work->rank; r++)
            weight[i * work->rank + r] *= t->part[i];
    pass.sum = OF_DEVICE_SUM_ROWS;
    pass.weight = weight;
    pass.rows = work->rank;
    OF_TRY(OF_NEW(&scratch, &inner, work->rank, work->rank));
    OF_TRY(OF_NEW(&scratch, &sign, work->rank, 1));
    OF_TRY(run_pass(t, &pass, inner));
    OF_TRY(
        of_orthonormalise_device(t->context, t->use, t->there, t->n, 0, work->rank, inner, sign));
    fetch_task fetch = {work->H, t->n};
    OF_TRY(of_team_run(t->context, (t->n + COPIED - 1) / COPIED, touch, &fetch));
    OF_DEVICE_TRY(t->use, stack_fetch(t->there, 0, t->n, work->H.held, work->H.ld));
    work->on_gpu = 1;
    return ONEFOLD_OK;
}

onefold_status of_joint_columns_solve(of_context *context, size_t views, const of_kernel *kernels,
                                      const double *weights, of_route_work *work, int *done)
{
    const of_device_use *use = device_for(context, views, kernels, work);
    *done = 0;
    if (!use)
        return ONEFOLD_OK;
    columns_task task = {
        .context = context, .use = use, .kernels = kernels, .weights = weights, .views = views};
    task.n = kernels->view->samples;
    onefold_status status = of_device_status(
        use, use->table->stack_make(use->device, work->rows, task.n, 1, &task.there));
    if (status == ONEFOLD_OK)
        status = solve_there(&task, work, done);
    if (task.there)
        use->table->stack_free(task.there);
    status = of_device_agree(context, status);
    if (status != ONEFOLD_NO_MEMORY || !of_device_gave_up(context))
        return status;
    *done = 0;
    return ONEFOLD_OK;
}
