/* SPDX-License-Identifier: Apache-2.0 */
/* What keeping a model takes, from shapes alone: its arrays, and reading the labels off through
 * it. */
#include "base/team.h"
#include "method/base_stage.h"
#include "model/model.h"

#include <string.h>

/* Bytes a block of the predictor may take of each worker (predict.c). */
static const size_t BLOCK = (size_t)4 << 20;

/* Bytes of a view, or of the file, that are no arrays; a name of usual length among them. */
enum { PLAIN = 200 };

/* Names of columns: each with its length before it. */
static size_t name_bytes(const of_view *view)
{
    size_t bytes = 0;
    for (size_t i = 0; view->column_names && i < view->columns; i++)
        bytes += 4 + strlen(view->column_names[i]);
    return bytes;
}

onefold_status of_model_estimate_bytes(of_context *context, const of_problem *problem, size_t *file,
                                       size_t *held)
{
    const onefold_fit_options *o = problem->options;
    size_t views = problem->dataset->view_count, n = problem->dataset->samples, k = o->dims, more;
    of_partition_options options = of_base_stage_options(problem);
    *held = 0;
    OF_TRY(of_size_multiply(file, k * k, views));
    OF_TRY(of_size_multiply(file, *file + k * o->clusters, sizeof(double)));
    for (size_t i = 0; i < views; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        of_route route;
        size_t scratch, bytes;
        OF_TRY(of_partition_choose_route(context, kernel, &options, &route, &scratch));
        OF_TRY(of_projection_estimate_bytes(kernel, route, k, o->landmarks, &bytes));
        if (kernel->kind != OF_KERNEL_GRAPH && kernel->kind != OF_KERNEL_PRECOMPUTED)
            OF_TRY(of_size_add(&bytes, bytes, kernel->view->columns * sizeof(double)));
        OF_TRY(of_size_add(&bytes, bytes, name_bytes(&problem->dataset->views[i])));
        OF_TRY(of_size_add(file, *file, bytes + PLAIN));
        if (o->precision == ONEFOLD_SINGLE && kernel->kind == OF_KERNEL_RBF)
            OF_TRY(of_size_add(held, *held, bytes / 2)); /* points and weights once more */
    }
    /* the exact routes gather weights of every sample aside before they are kept */
    OF_TRY(of_size_multiply(&more, n, (2 * k + 4) * sizeof(double)));
    OF_TRY(of_size_add(held, *held, more));
    OF_TRY(of_size_add(held, *held, *file));
    return of_size_add(held, *held, (size_t)of_team_size(context) * BLOCK);
}
