/* SPDX-License-Identifier: Apache-2.0 */
/* LSGMC's iteration over all views. See lsgmc.h for the names. */
#include "peers/lsgmc.h"

#include "base/team.h"
#include "linalg/blas.h"
#include "linalg/parallel.h"
#include "linalg/threshold.h"

#include <math.h>
#include <string.h>

typedef struct view_work {
    of_lsgmc *lsgmc;
    onefold_status (*work)(of_lsgmc *, size_t view);
} view_work;

static onefold_status work_view(void *task, size_t index, int worker)
{
    const view_work *w = task;
    (void)worker;
    return w->work(w->lsgmc, index);
}

onefold_status of_lsgmc_each_view(of_lsgmc *l, onefold_status (*work)(of_lsgmc *, size_t view))
{
    view_work w = {l, work};
    size_t threads = (size_t)of_team_size(l->context);
    if (l->view_count >= 2 * threads || l->view_count % threads == 0)
        return of_team_run(l->context, l->view_count, work_view, &w);
    for (size_t v = 0; v < l->view_count; v++)
        OF_TRY(work(l, v));
    return ONEFOLD_OK;
}

/* ---- start --------------------------------------------------------------------------------- */

static onefold_status start_view(of_lsgmc *l, of_lsgmc_view *view)
{
    size_t n = l->samples, rank = view->features.rank;
    OF_TRY(OF_NEW_ZERO(&view->arena, &view->self, n, n));
    OF_TRY(OF_NEW_ZERO(&view->arena, &view->mirror, n, n));
    OF_TRY(OF_NEW_ZERO(&view->arena, &view->core_dual, n, n));
    OF_TRY(OF_NEW(&view->arena, &view->turned, rank, n));
    OF_TRY(OF_NEW_ZERO(&view->arena, &view->basis_self, rank, n));
    OF_TRY(OF_NEW_ZERO(&view->arena, &view->noise, rank, n));
    OF_TRY(OF_NEW_ZERO(&view->arena, &view->noise_dual, rank, n));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < rank; i++)
            view->turned[i + j * rank] = view->features.value[i] * view->features.basis[j + i * n];
    return ONEFOLD_OK;
}

onefold_status of_lsgmc_start(of_lsgmc *l, of_context *context, const of_lsgmc_options *options,
                              size_t samples, size_t view_count, const size_t *rows,
                              of_features_source features, void *source)
{
    memset(l, 0, sizeof *l);
    l->context = context;
    l->arena = of_arena_make(context);
    l->spectrum_arena = of_arena_make(context);
    l->options = *options;
    l->samples = samples;
    l->penalty = options->penalty;
    l->stop_value = INFINITY;
    OF_TRY(OF_NEW_ZERO(&l->arena, &l->views, view_count, 1));
    OF_TRY(OF_NEW(&l->arena, &l->mixed, samples, samples));
    OF_TRY(OF_NEW_ZERO(&l->arena, &l->core, samples, samples));
    for (size_t v = 0; v < view_count; v++)
        l->views[v].arena = of_arena_make(context);
    l->view_count = view_count;
    for (size_t v = 0; v < view_count; v++) {
        OF_SCRATCH(scratch, context);
        double *x;
        OF_TRY(of_context_check(context));
        OF_TRY(OF_NEW(&scratch, &x, rows[v], samples));
        OF_TRY(features(source, context, v, x));
        OF_TRY(of_features_reduce(context, &l->views[v].arena, rows[v], samples, x,
                                  &l->views[v].features));
        OF_TRY(start_view(l, &l->views[v]));
    }
    return ONEFOLD_OK;
}

void of_lsgmc_end(of_lsgmc *l)
{
    for (size_t v = 0; v < l->view_count; v++)
        of_arena_free(&l->views[v].arena);
    of_arena_free(&l->spectrum_arena);
    of_arena_free(&l->arena);
}

/* ---- one iteration ------------------------------------------------------------------------- */

/* The mean over views of L'(Z + dual)R; before there are rotations, of Z + dual. */
static onefold_status mix_views(of_lsgmc *l)
{
    size_t n = l->samples;
    double share = 1.0 / (double)l->view_count;
    OF_SCRATCH(scratch, l->context);
    double *sum, *half;
    OF_TRY(OF_NEW(&scratch, &sum, n, n));
    OF_TRY(OF_NEW(&scratch, &half, n, n));
    memset(l->mixed, 0, n * n * sizeof *l->mixed);
    for (size_t v = 0; v < l->view_count; v++) {
        const of_lsgmc_view *view = &l->views[v];
        if (!l->rotated) {
            for (size_t i = 0; i < n * n; i++)
                l->mixed[i] += share * (view->self[i] + view->core_dual[i]);
            continue;
        }
        for (size_t i = 0; i < n * n; i++)
            sum[i] = view->self[i] + view->core_dual[i];
        OF_TRY(of_team_gemm(l->context, 'N', 'N', n, n, n, 1, sum, n, view->right, n, 0, half, n));
        OF_TRY(of_team_gemm(l->context, 'T', 'N', n, n, n, share, view->left, n, half, n, 1,
                            l->mixed, n));
    }
    return ONEFOLD_OK;
}

/* The rotations start as identities, when first there is a core to rotate. */
static onefold_status start_rotations(of_lsgmc *l)
{
    size_t n = l->samples;
    for (size_t v = 0; v < l->view_count; v++) {
        of_lsgmc_view *view = &l->views[v];
        OF_TRY(OF_NEW_ZERO(&view->arena, &view->left, n, n));
        OF_TRY(OF_NEW_ZERO(&view->arena, &view->right, n, n));
        for (size_t i = 0; i < n; i++)
            view->left[i + i * n] = view->right[i + i * n] = 1;
    }
    l->rotated = 1;
    return ONEFOLD_OK;
}

/* C: the mixed matrix with its singular values thresholded; and the norm's part in the objective.
 */
static onefold_status core_step(of_lsgmc *l)
{
    size_t n = l->samples;
    double weight = l->options.lambda / ((double)l->view_count * l->penalty);
    double power = l->options.power;
    OF_SCRATCH(scratch, l->context);
    of_arena_free(&l->spectrum_arena);
    l->spectrum.rank = 0;
    OF_TRY(of_spectrum_above(l->context, &l->spectrum_arena, n, n, l->mixed, n,
                             of_power_cut(weight, power), &l->spectrum));
    l->objective = 0;
    memset(l->core, 0, n * n * sizeof *l->core);
    if (l->spectrum.rank == 0)
        return ONEFOLD_OK;
    double *scaled;
    OF_TRY(OF_NEW(&scratch, &scaled, n, l->spectrum.rank));
    for (size_t k = 0; k < l->spectrum.rank; k++) {
        double value = of_power_threshold(l->spectrum.value[k], weight, power);
        l->spectrum.value[k] = value;
        l->objective += l->options.lambda * pow(value, power);
        for (size_t i = 0; i < n; i++)
            scaled[i + k * n] = value * l->spectrum.left[i + k * n];
    }
    OF_TRY(of_team_gemm(l->context, 'N', 'T', n, n, l->spectrum.rank, 1, scaled, n,
                        l->spectrum.right, n, 0, l->core, n));
    return l->rotated ? ONEFOLD_OK : start_rotations(l);
}

/* The relative change of a view's distance; none where there is nothing to change. */
static double relative_change(const of_lsgmc_view *view)
{
    double change = view->distance - view->distance_before;
    return change == 0 ? 0 : change / view->distance_before;
}

onefold_status of_lsgmc_step(of_lsgmc *l)
{
    OF_TRY(of_lsgmc_each_view(l, of_lsgmc_view_first));
    OF_TRY(mix_views(l));
    OF_TRY(core_step(l));
    OF_TRY(of_lsgmc_each_view(l, of_lsgmc_view_last));
    double change = 0;
    for (size_t v = 0; v < l->view_count; v++) {
        l->objective += l->views[v].noise_lengths;
        change += relative_change(&l->views[v]);
    }
    l->iteration++;
    l->stop_value = l->iteration > 1 ? change : INFINITY;
    double next = fmin(l->penalty * l->options.growth, l->options.most_penalty);
    l->before = l->penalty / next;
    l->penalty = next;
    l->converged =
        fabs(l->stop_value) < l->options.tolerance && (l->options.early || l->spectrum.rank > 0);
    return ONEFOLD_OK;
}
