/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The problem of an even sample of the samples, which candidates compete on where samples are many
 * (docs/method.md section 11). Its kernels are those of all samples, with their means, scales and
 * widths, over the rows of the sample.
 */
#include "base/comm.h"
#include "data/present.h"
#include "method/base_stage.h"
#include "method/onefold_parts.h"
#include "method/os_lfmvc_cs_parts.h"

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
    return of_cs_sample_size(n) < n && options->effort != ONEFOLD_EFFORT_QUICK &&
           !of_pool_is_bare(problem);
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
    to->storage = OF_DENSE;
    to->data = rows;
    to->type = OF_F64;
    to->sample_step = to->columns;
    to->column_step = 1;
    to->source = NULL;
    to->passing = 0;
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
    if (kernel->features.start) { /* all that is read of such a view */
        OF_TRY(of_sparse_take_rows(arena, &problem->kernels[i].features, place, view->samples,
                                   &kernel->features));
        view->storage = OF_SPARSE;
        view->sparse = of_csr_of(&kernel->features);
        view->columns = kernel->features.columns;
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
    sample->options.keep_model = 0;
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
