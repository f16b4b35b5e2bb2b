/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gram route on a card, in double precision: their mean, the largest lengths,
 * the Gram matrix and the projection are passes over all samples there, the eigenproblem is the
 * CPU's. Raw samples are sent once where the card has room to keep them, else for each pass.
 */
#include "base/team.h"
#include "partition/centred.h"
#include "partition/orthonormal.h"
#include "partition/raw_pieces.h"
#include "partition/route_gram.h"
#include "partition/sparse_pieces.h"

#include <math.h>

typedef struct card_task {
    of_context *context;
    const of_device_use *use;
    of_device_stack *there;
    const of_kernel *kernel;
    of_range own;   /* the samples of this rank: the card's */
    int kept, sent; /* raw samples stay on the card; and are there */
} card_task;

/* Of a sample as it lies on the card: sparse features are spread out there. */
static size_t row_bytes(const of_kernel *kernel)
{
    if (kernel->features.start)
        return kernel->features.columns * sizeof(double);
    return kernel->view->columns * (of_raw_doubles(kernel->view) ? sizeof(double) : sizeof(float));
}

/* Whether the card is to keep the raw samples: half of what is free may go to them. */
static int is_kept(const of_device_use *use, const of_kernel *kernel, size_t samples)
{
    size_t free;
    return use->table->available(use->device, &free) == OF_DEVICE_OK &&
           (double)samples * (double)row_bytes(kernel) <= 0.5 * (double)free;
}

static size_t piece_of(of_context *context, const of_kernel *kernel)
{
    return kernel->features.start ? of_sparse_piece(context, &kernel->features)
                                  : of_raw_piece(context, kernel->view);
}

static onefold_status begin(card_task *task)
{
    const of_kernel *kernel = task->kernel;
    const of_sparse *sparse = kernel->features.start ? &kernel->features : NULL;
    const of_prep *prep = &kernel->prep;
    int prepared = !sparse && prep->kind != OF_PREP_NONE; /* sparse features are ready */
    of_device_features told = {.raw_columns = sparse ? sparse->columns : kernel->view->columns,
                               .columns = of_kernel_columns(kernel),
                               .kept = prepared ? prep->kept : NULL,
                               .shift = prepared ? prep->shift : NULL,
                               .factor = prepared ? prep->scale : NULL,
                               .unit = !sparse && kernel->kind == OF_KERNEL_COSINE,
                               .raw_double = sparse || of_raw_doubles(kernel->view),
                               .sparse = sparse != NULL};
    size_t piece = sparse ? of_sparse_piece_bytes(task->context, sparse)
                          : of_raw_piece_bytes(task->context, kernel->view);
    task->kept = is_kept(task->use, kernel, task->own.end - task->own.first);
    OF_DEVICE_TRY(task->use, features_begin(task->there, &told, piece, &task->kept));
    return ONEFOLD_OK;
}

static onefold_status send(card_task *task)
{
    const of_kernel *kernel = task->kernel;
    of_raw_work work = task->use->table->features_piece;
    if (kernel->features.start)
        return of_sparse_send(task->context, task->use, task->there, work, &kernel->features);
    return of_raw_send(task->context, task->use, task->there, work, kernel->view, task->own.first,
                       task->own.end - task->own.first, NULL);
}

/* Over the samples of this rank. */
static onefold_status run_pass_here(card_task *task, const of_device_features_pass *pass,
                                    double *sum)
{
    size_t n = task->own.end - task->own.first, most = piece_of(task->context, task->kernel);
    OF_DEVICE_TRY(task->use, features_start(task->there, pass));
    if (!task->sent)
        OF_TRY(send(task));
    for (size_t first = 0; task->sent && first < n; first += most) {
        OF_TRY(of_context_check(task->context));
        OF_DEVICE_TRY(task->use,
                      features_again(task->there, first, n - first < most ? n - first : most));
    }
    task->sent = task->kept;
    OF_DEVICE_TRY(task->use, features_end(task->there, sum));
    return ONEFOLD_OK;
}

/* Of all samples; a sum has `length` numbers. */
static onefold_status run_pass(card_task *task, const of_device_features_pass *pass, size_t length,
                               double *sum)
{
    return of_device_total(task->context, task->kernel->view->samples,
                           run_pass_here(task, pass, sum), length, sum);
}

/* The largest lengths: not a number where one is not. */
static onefold_status run_largest(card_task *task, const of_device_features_pass *pass,
                                  double *most)
{
    OF_SCRATCH(scratch, task->context);
    size_t n = task->kernel->view->samples, parts;
    double *all;
    OF_TRY(of_device_total(task->context, n, run_pass_here(task, pass, most), 0, NULL));
    OF_TRY(of_comm_all(task->context, &scratch, n, most, 2 * sizeof *most, (void **)&all, &parts));
    for (size_t e = 0; e < 2 * parts; e++)
        if (isnan(all[e]) || all[e] > most[e % 2])
            most[e % 2] = all[e];
    return ONEFOLD_OK;
}

/* As of_kernel_mean: the second pass adds what rounding took from the first. */
static onefold_status compute_mean(card_task *task, double *sum, double *mean)
{
    size_t d = of_kernel_columns(task->kernel);
    for (size_t i = 0; i < d; i++)
        mean[i] = 0;
    for (int pass = 0; pass < 2; pass++) {
        OF_TRY(
            run_pass(task, &(of_device_features_pass){OF_DEVICE_SUM_MEAN, .mean = mean}, d, sum));
        for (size_t i = 0; i < d; i++)
            mean[i] += sum[i] / (double)task->kernel->view->samples;
    }
    return ONEFOLD_OK;
}

/* Of values that cannot be squared the CPU says which. */
static onefold_status refuse(card_task *task)
{
    OF_SCRATCH(scratch, task->context);
    of_centred centred;
    OF_TRY(of_centred_make(task->context, &scratch, task->kernel, &centred));
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "values are too large to be squared"),
                   "scale the view down");
}

/* Means and the length that counts as zero, as of_centred_make has them. */
static onefold_status centre(of_arena *arena, card_task *task, of_centred *centred)
{
    double *sum, most[2];
    *centred = (of_centred){.kernel = task->kernel,
                            .samples = task->kernel->view->samples,
                            .columns = of_kernel_columns(task->kernel)};
    OF_TRY(OF_NEW(arena, &centred->mean, centred->columns, 1));
    OF_TRY(OF_NEW(arena, &sum, centred->columns, 1));
    OF_TRY(compute_mean(task, sum, centred->mean));
    OF_TRY(run_largest(
        task, &(of_device_features_pass){OF_DEVICE_SUM_LARGEST, .mean = centred->mean}, most));
    if (!isfinite(most[0]) || !isfinite(most[1]))
        return refuse(task);
    centred->floor = of_centred_floor(task->kernel, most[0], most[1]);
    return ONEFOLD_OK;
}

onefold_status of_gram_on_card(of_context *context, of_route_work *work)
{
    OF_SCRATCH(scratch, context);
    const of_partition_options *options = work->options;
    card_task task = {
        .context = context, .use = options->use, .there = options->there, .kernel = work->kernel};
    task.own = of_comm_own(context, work->kernel->view->samples);
    of_centred centred;
    double *gram, *inner, *weight;
    of_route_nothing(work);
    for (size_t r = 0; r < work->rows; r++)
        work->sign[r] = 1;
    OF_TRY(of_device_total(context, work->kernel->view->samples, begin(&task), 0, NULL));
    OF_TRY(centre(&scratch, &task, &centred));
    size_t d = centred.columns;
    OF_TRY(OF_NEW(&scratch, &gram, d, d));
    of_device_features_pass pass = {
        .sum = OF_DEVICE_SUM_GRAM, .mean = centred.mean, .floor = centred.floor};
    OF_TRY(run_pass(&task, &pass, d * d, gram));
    OF_TRY(of_gram_solve(context, &scratch, d, gram, work, &weight));
    if (!work->rank)
        return ONEFOLD_OK;
    pass.sum = OF_DEVICE_SUM_ROWS;
    pass.weight = weight;
    pass.row = options->row;
    pass.rows = work->rank;
    OF_TRY(OF_NEW(&scratch, &inner, work->rank, work->rank));
    OF_TRY(run_pass(&task, &pass, work->rank * work->rank, inner));
    OF_TRY(of_orthonormalise_device(context, task.use, task.there, centred.samples, pass.row,
                                    pass.rows, inner, work->sign));
    if (!work->projection)
        return ONEFOLD_OK;
    of_orthonormalise_weight(d, work->rank, inner, weight);
    return of_projection_features(work->arena, &centred, work->rank, weight, work->projection);
}

int of_gram_fits_card(const of_kernel *kernel)
{
    return of_kernel_columns(kernel) > 0 &&
           (kernel->kind == OF_KERNEL_LINEAR || kernel->kind == OF_KERNEL_COSINE);
}

onefold_status of_gram_card_bytes(of_context *context, const of_device_use *use,
                                  const of_kernel *kernel, size_t *bytes)
{
    static const size_t PARTIAL = (size_t)256 << 20, LEAST_CHUNKS = 32, TILE = 128;
    of_range own = of_comm_own(context, kernel->view->samples);
    size_t n = own.end - own.first, piece = piece_of(context, kernel), row = row_bytes(kernel),
           d = of_kernel_columns(kernel), raw, chunks = PARTIAL / sizeof(double) / d / d;
    piece = piece < n ? piece : n;
    chunks = chunks < LEAST_CHUNKS ? LEAST_CHUNKS : chunks;
    chunks = chunks < n / TILE + 1 ? chunks : n / TILE + 1;
    if (is_kept(use, kernel, n))
        OF_TRY(of_size_multiply(&raw, n, row));
    else
        raw = 2 * piece * row;
    return of_size_add(bytes, raw, sizeof(double) * ((piece + TILE) * d + (chunks + 1) * d * d));
}
