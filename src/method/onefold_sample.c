/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two problems that are made of a problem (docs/method.md section 11): an even sample of the
 * samples, which labellings compete on where samples are many, and the same tables with every
 * column shuffled. Kernels keep the means, scales and widths of all samples.
 */
#include "base/comm.h"
#include "data/dataset.h"
#include "method/base_stage.h"
#include "method/onefold_pool.h"
#include "method/os_lfmvc_cs.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

/* A sample of a graph's samples would lose nearly all of their links, and one of a given kernel's
 * has no features: there all samples' partitions are made. */
int of_sample_suits(const of_problem *problem)
{
    const onefold_fit_options *options = problem->options;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        if (problem->kernels[i].kind == OF_KERNEL_GRAPH ||
            problem->kernels[i].kind == OF_KERNEL_PRECOMPUTED)
            return 0;
    size_t n = problem->dataset->samples;
    return of_cs_sample_size(n) < n && options->effort != ONEFOLD_EFFORT_QUICK;
}

/* Which of a view's own samples are those of the even sample, and who of the sample has it. */
static size_t place_rows(const of_dataset *dataset, size_t view, size_t count, size_t *place)
{
    size_t found = 0, own = 0, next = 0;
    for (size_t j = 0; j < dataset->samples && next < count; j++) {
        int wanted = j == of_cs_sample_at(dataset->samples, count, next),
            has = of_present_at(dataset, j, view);
        if (wanted && has)
            place[found++] = own;
        next += wanted != 0;
        own += has != 0;
    }
    return found;
}

/* A dense view of rows that are held, a sample's contiguous. */
static void hold_rows(of_view *view, const double *rows)
{
    view->storage = OF_DENSE;
    view->data = rows;
    view->type = OF_F64;
    view->sample_step = view->columns;
    view->column_step = 1;
    view->source = NULL;
    view->passing = 0;
}

/* A sparse view of a kernel's features: all that is read of it. */
static void hold_features(of_view *view, const of_kernel *kernel)
{
    view->storage = OF_SPARSE;
    view->sparse = of_csr_of(&kernel->features);
    view->columns = kernel->features.columns;
}

/* The rows of a dense view, as doubles; every process has all of them. */
static onefold_status take_dense(of_context *context, of_arena *arena, const of_view *from,
                                 const size_t *place, of_view *to)
{
    of_range own = of_comm_own(context, from->samples);
    double *rows;
    OF_TRY(OF_NEW(arena, &rows, to->columns, to->samples));
    for (size_t i = 0; i < to->samples; i++)
        if (place[i] >= own.first && place[i] < own.end)
            OF_TRY(of_view_read(from, place[i], 1, rows + i * to->columns, to->columns));
    OF_TRY(of_comm_gather_chosen(context, rows, to->columns * sizeof *rows, from->samples, place,
                                 to->samples));
    hold_rows(to, rows);
    return ONEFOLD_OK;
}

static onefold_status take_kernel(of_context *context, of_arena *arena, const of_problem *problem,
                                  size_t i, size_t count, of_kernel *kernel)
{
    OF_SCRATCH(scratch, context);
    size_t *place;
    of_view *view;
    OF_TRY(OF_NEW(&scratch, &place, count, 1));
    OF_TRY(OF_NEW(arena, &view, 1, 1));
    *kernel = problem->kernels[i];
    *view = *kernel->view;
    view->samples = place_rows(problem->dataset, i, count, place);
    if (kernel->features.start) {
        OF_TRY(of_sparse_take_rows(arena, &problem->kernels[i].features, place, view->samples,
                                   &kernel->features));
        hold_features(view, kernel);
    } else {
        OF_TRY(take_dense(context, arena, problem->kernels[i].view, place, view));
    }
    kernel->view = view;
    return ONEFOLD_OK;
}

onefold_status of_sample_make(of_context *context, of_arena *arena, const of_problem *problem,
                              of_sample *sample)
{
    const of_dataset *all = problem->dataset;
    size_t p = all->view_count, count = of_cs_sample_size(all->samples);
    of_kernel *kernels;
    *sample = (of_sample){
        .dataset = {.samples = count, .view_count = p},
        .options = *problem->options,
        .problem = *problem,
    };
    OF_TRY(OF_NEW(arena, &kernels, p, 1));
    OF_TRY(OF_NEW(arena, &sample->dataset.views, p, 1));
    for (size_t i = 0; i < p; i++) {
        onefold_status status = take_kernel(context, arena, problem, i, count, &kernels[i]);
        if (status != ONEFOLD_OK)
            return of_blame(status, "view '%s'", all->views[i].name);
        sample->dataset.views[i] = *kernels[i].view;
    }
    if (all->present) {
        OF_TRY(OF_NEW(arena, &sample->dataset.present, count, p));
        for (size_t j = 0; j < count; j++)
            memcpy(sample->dataset.present + j * p,
                   all->present + of_cs_sample_at(all->samples, count, j) * p, p);
    }
    sample->options.keep_model = sample->options.view_parts = sample->options.picture = 0;
    sample->problem.dataset = &sample->dataset;
    sample->problem.kernels = kernels;
    sample->problem.options = &sample->options;
    return of_base_stage_decide(arena, &sample->problem);
}

size_t of_sample_bytes(const of_problem *problem)
{
    size_t bytes = 0, n = problem->dataset->samples, count = of_cs_sample_size(n);
    if (!of_sample_suits(problem))
        return 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        size_t each = kernel->features.start ? kernel->features.start[kernel->view->samples] / n + 1
                                             : kernel->view->columns;
        bytes += count * each * (sizeof(double) + sizeof(size_t));
    }
    return bytes;
}

/* ---- shuffled columns ------------------------------------------------------------------------ */

/* Brings `count` of the n numbers in `order` to its front, each as likely as any other. */
static void draw(of_random *random, size_t n, size_t count, size_t *order)
{
    for (size_t i = 0; i < count; i++) {
        size_t other = i + of_random_below(random, n - i), taken = order[other];
        order[other] = order[i];
        order[i] = taken;
    }
}

static onefold_status count_up(of_arena *arena, size_t n, size_t **order)
{
    OF_TRY(OF_NEW(arena, order, n, 1));
    for (size_t i = 0; i < n; i++)
        (*order)[i] = i;
    return ONEFOLD_OK;
}

static onefold_status shuffle_dense(of_context *context, of_arena *arena, of_random *random,
                                    const of_view *from, of_view *to)
{
    OF_SCRATCH(scratch, context);
    size_t n = from->samples, d = from->columns, *order;
    of_range own = of_comm_own(context, n);
    double *rows, *column;
    OF_TRY(OF_NEW(arena, &rows, d, n));
    OF_TRY(count_up(&scratch, n, &order));
    OF_TRY(OF_NEW(&scratch, &column, n, 1));
    OF_TRY(of_view_read(from, own.first, own.end - own.first, rows + own.first * d, d));
    OF_TRY(of_comm_gather(context, rows, d * sizeof *rows, n));
    for (size_t c = 0; c < d; c++) {
        draw(random, n, n, order);
        for (size_t j = 0; j < n; j++)
            column[j] = rows[j * d + c];
        for (size_t j = 0; j < n; j++)
            rows[j * d + c] = column[order[j]];
    }
    hold_rows(to, rows);
    return ONEFOLD_OK;
}

/* Entries keep their column and go to other samples, of those that have any, which are brought to
 * length 1 again where the kernel's are. */
static onefold_status shuffle_sparse(of_context *context, of_arena *arena, of_random *random,
                                     of_kernel *kernel)
{
    OF_SCRATCH(scratch, context);
    of_sparse columns, rows, made;
    size_t n = kernel->features.rows, filled = 0, *order;
    OF_TRY(of_sparse_transpose(&scratch, &kernel->features, &columns));
    size_t entries = columns.start[columns.rows];
    uint32_t *index;
    double *value;
    OF_TRY(OF_NEW(&scratch, &index, entries, 1));
    OF_TRY(OF_NEW(&scratch, &order, n, 1));
    for (size_t j = 0; j < n; j++)
        if (kernel->features.start[j + 1] > kernel->features.start[j])
            order[filled++] = j;
    for (size_t c = 0; c < columns.rows; c++) {
        size_t first = columns.start[c], count = columns.start[c + 1] - first;
        draw(random, filled, count, order);
        for (size_t e = 0; e < count; e++)
            index[first + e] = (uint32_t)order[e];
    }
    rows = (of_sparse){columns.rows, n, columns.start, index, columns.value};
    OF_TRY(of_sparse_transpose(arena, &rows, &made));
    value = (double *)(uintptr_t)made.value;
    for (size_t j = 0; j < n && kernel->kind != OF_KERNEL_LINEAR && kernel->kind != OF_KERNEL_RBF;
         j++) {
        double square = 0;
        for (size_t e = made.start[j]; e < made.start[j + 1]; e++)
            square += value[e] * value[e];
        for (size_t e = made.start[j]; square > 0 && e < made.start[j + 1]; e++)
            value[e] /= sqrt(square);
    }
    kernel->features = made;
    return ONEFOLD_OK;
}

onefold_status of_sample_shuffle(of_context *context, of_arena *arena, const of_problem *problem,
                                 of_sample *shuffled)
{
    const of_dataset *all = problem->dataset;
    size_t p = all->view_count;
    of_kernel *kernels;
    *shuffled = (of_sample){.dataset = *all, .options = *problem->options, .problem = *problem};
    OF_TRY(OF_NEW(arena, &kernels, p, 1));
    OF_TRY(OF_NEW(arena, &shuffled->dataset.views, p, 1));
    for (size_t i = 0; i < p; i++) {
        of_random random = of_random_make(problem->options->seed, OF_PURPOSE_SHUFFLE, i);
        of_view *view;
        OF_TRY(OF_NEW(arena, &view, 1, 1));
        kernels[i] = problem->kernels[i];
        *view = *kernels[i].view;
        shuffled->dataset.views[i] = all->views[i];
        if (kernels[i].features.start) {
            OF_TRY(shuffle_sparse(context, arena, &random, &kernels[i]));
            hold_features(view, &kernels[i]);
        } else if (kernels[i].kind != OF_KERNEL_PRECOMPUTED) {
            OF_TRY(shuffle_dense(context, arena, &random, kernels[i].view, view));
        }
        kernels[i].view = view;
    }
    shuffled->options.keep_model = shuffled->options.view_parts = shuffled->options.picture = 0;
    shuffled->problem.dataset = &shuffled->dataset;
    shuffled->problem.kernels = kernels;
    shuffled->problem.options = &shuffled->options;
    shuffled->problem.partition.project = 0;
    shuffled->problem.spill = NULL;
    return ONEFOLD_OK;
}
