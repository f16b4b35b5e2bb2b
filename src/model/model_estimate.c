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
enum { PLAIN = 280 };

/* Names of columns: each with its length before it. */
static size_t name_bytes(const of_view *view)
{
    size_t bytes = 0;
    for (size_t i = 0; view->column_names && i < view->columns; i++)
        bytes += 4 + strlen(view->column_names[i]);
    return bytes;
}

/* Rotations, centroids and a projection of each view's kernel. */
static onefold_status plain_bytes(const of_problem *problem, size_t *bytes)
{
    const onefold_fit_options *o = problem->options;
    size_t views = problem->dataset->view_count, k = o->dims;
    OF_TRY(of_size_multiply(bytes, k * k, views));
    OF_TRY(of_size_multiply(bytes, *bytes + k * o->clusters, sizeof(double)));
    for (size_t i = 0; i < views; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        size_t own;
        OF_TRY(of_projection_estimate_bytes(kernel, problem->routes[i], k, o->landmarks, &own));
        OF_TRY(of_size_add(bytes, *bytes, own + 2 * k * sizeof(double)));
    }
    return ONEFOLD_OK;
}

onefold_status of_model_estimate_bytes(of_context *context, const of_method *method,
                                       const of_problem *problem, size_t *file, size_t *held)
{
    const onefold_fit_options *o = problem->options;
    size_t n = problem->dataset->samples, k = o->dims, more;
    OF_TRY(method->estimate_model ? method->estimate_model(problem, file)
                                  : plain_bytes(problem, file));
    /* in single precision points and weights once more */
    *held = o->precision == ONEFOLD_SINGLE ? *file / 2 : 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++) {
        const of_kernel *kernel = &problem->kernels[i];
        size_t bytes = name_bytes(&problem->dataset->views[i]) + PLAIN;
        if (kernel->kind != OF_KERNEL_GRAPH && kernel->kind != OF_KERNEL_PRECOMPUTED)
            OF_TRY(of_size_add(&bytes, bytes, kernel->view->columns * sizeof(double)));
        OF_TRY(of_size_add(file, *file, bytes));
    }
    /* the exact routes gather weights of every sample aside before they are kept */
    OF_TRY(of_size_multiply(&more, n, (2 * k + 4) * sizeof(double)));
    OF_TRY(of_size_add(held, *held, more));
    OF_TRY(of_size_add(held, *held, *file));
    return of_size_add(held, *held, (size_t)of_team_size(context) * BLOCK);
}
