/* SPDX-License-Identifier: Apache-2.0 */
/* LSGMC against numbers obtained elsewhere, from the same start on real data. */
#include "peers/common.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "oracle/plain.h"
#include "support/check.h"
#include "support/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TRACE = 1e-8, ENTRY = 1e-8, STOP = 1e-6, AFFINITY = 1e-7;

static void compare_input_spectrum(const reference *r, const of_lsgmc *l, size_t t)
{
    char place[64];
    snprintf(place, sizeof place, "c_input_singular_values_trace.%zu", t);
    subspace_values(r, place, l->samples, l->samples, l->mixed, TRACE, 0);
    for (size_t k = 0; k < reference_length(r, "c_singular_values_trace.%zu", t); k++)
        CHECK_CLOSE(k < l->spectrum.rank ? l->spectrum.value[k] : 0,
                    reference_number(r, "c_singular_values_trace.%zu.%zu", t, k), TRACE, 0);
}

static void compare_iteration(const reference *r, const of_lsgmc *l, double penalty)
{
    size_t t = l->now.iteration - 1, n = l->samples;
    double features = 0, core = 0, mirror = 0;
    CHECK_CLOSE(penalty, reference_number(r, "u_trace.%zu", t), 1e-12, 0);
    CHECK_CLOSE(l->now.objective, reference_number(r, "objective_trace.%zu", t), TRACE, 0);
    assert_int_equal(l->spectrum.rank, (size_t)reference_number(r, "rank_c_trace.%zu", t));
    for (size_t v = 0; v < l->view_count; v++) {
        const of_lsgmc_view *view = &l->views[v];
        size_t rank = view->features.rank;
        double residual[3];
        subspace_residuals(l, v, residual);
        features = fmax(features, residual[0]);
        core = fmax(core, residual[1]);
        mirror = fmax(mirror, residual[2]);
        CHECK_CLOSE(plain_frobenius(n, n, view->self),
                    reference_number(r, "z_frobenius_trace.%zu.%zu", t, v), TRACE, 0);
        CHECK_CLOSE(plain_frobenius(rank, n, view->noise),
                    reference_number(r, "e_frobenius_trace.%zu.%zu", t, v), TRACE, 0);
        CHECK_CLOSE(view->noise_lengths, reference_number(r, "e_l21_trace.%zu.%zu", t, v), TRACE,
                    0);
        CHECK_CLOSE(view->distance, reference_number(r, "z_minus_c_row_sum_trace.%zu.%zu", t, v),
                    TRACE, 0);
    }
    CHECK_CLOSE(features, reference_number(r, "residual_x_trace.%zu", t), TRACE, 0);
    CHECK_CLOSE(core, reference_number(r, "residual_c_trace.%zu", t), TRACE, 0);
    CHECK_CLOSE(mirror, reference_number(r, "residual_sym_trace.%zu", t), TRACE, 1e-12);
    CHECK_CLOSE(plain_frobenius(n, n, l->core), reference_number(r, "c_frobenius_trace.%zu", t),
                TRACE, 0);
    compare_input_spectrum(r, l, t);
    if (t == 0)
        assert_true(isinf(l->stop_value) && !reference_has(r, "stop_value_trace.0"));
    else
        CHECK_CLOSE(l->stop_value, reference_number(r, "stop_value_trace.%zu", t), 0, STOP);
}

static void compare_retained(const reference *r, size_t n, const double *a)
{
    size_t all = 0, fewest = n, most = 0;
    for (size_t j = 0; j < n; j++) {
        size_t kept = 0;
        for (size_t i = 0; i < n; i++)
            kept += a[i + j * n] != 0;
        all += kept;
        fewest = kept < fewest ? kept : fewest;
        most = kept > most ? kept : most;
    }
    assert_int_equal(all, (size_t)reference_number(r, "retained.entries"));
    assert_int_equal(fewest, (size_t)reference_number(r, "retained.least_per_column"));
    assert_int_equal(most, (size_t)reference_number(r, "retained.most_per_column"));
    subspace_summary(r, "retained", n, a, TRACE, ENTRY);
}

static void compare_end(const reference *r, const subspace_data *data, const of_lsgmc *l,
                        int least_cost)
{
    size_t n = l->samples;
    double *sum = plain_new(n, n), *affinity = plain_new(n, n);
    for (size_t v = 0; v < l->view_count; v++) {
        char place[32];
        snprintf(place, sizeof place, "z_views.%zu", v);
        subspace_summary(r, place, n, l->views[v].self, TRACE, ENTRY);
        plain_add(n * n, sum, 1, l->views[v].self);
    }
    subspace_summary(r, "z_sum", n, sum, TRACE, ENTRY);
    subspace_summary(r, "c", n, l->core, TRACE, ENTRY);
    CHECK_CLOSE(of_lsgmc_share(n), reference_number(r, "retain_share"), 1e-12, 0);
    CHECK_OK(of_lsgmc_retain(l->now.context, n, sum, of_lsgmc_share(n)));
    compare_retained(r, n, sum);
    CHECK_OK(of_lsgmc_affinity(l->now.context, n, sum, affinity));
    subspace_summary(r, "affinity", n, affinity, AFFINITY, AFFINITY);
    subspace_scores(r, data, affinity, AFFINITY, 0.02, least_cost);
    free(sum);
    free(affinity);
}

static void compare_run(const char *path, int early, int least_cost)
{
    reference *r = reference_open(path);
    subspace_data data;
    if (!r || !subspace_open(&data, r))
        skip();
    of_lsgmc l = OF_LSGMC_INIT;
    l.lambda = reference_number(r, "settings.lam");
    l.power = reference_number(r, "settings.q");
    l.early = early;
    CHECK_CLOSE(l.penalty, reference_number(r, "settings.u0"), 0, 0);
    double growth = reference_number(r, "settings.growth"),
           most_penalty = reference_number(r, "settings.u_max");
    CHECK_CLOSE(l.tolerance, reference_number(r, "settings.tolerance"), 0, 0);
    CHECK_OK(of_lsgmc_start(&l, subspace_context(), &data.dataset->set));
    while (!l.now.converged && l.now.iteration < 30) {
        double penalty = l.penalty;
        CHECK_OK(of_lsgmc_step(&l));
        CHECK_CLOSE(l.penalty, fmin(penalty * growth, most_penalty), 0, 0);
        compare_iteration(r, &l, penalty);
    }
    assert_int_equal(l.now.iteration, (size_t)reference_number(r, "iterations"));
    compare_end(r, &data, &l, least_cost);
    of_lsgmc_end(&l);
    subspace_close(&data);
    reference_close(r);
}

static void real_msrc_runs_as_referenced(void **state)
{
    (void)state;
    compare_run("lsgmc-MSRC.json", 0, 1);
    compare_run("lsgmc-MSRC.json", 1, 1);
}

static void real_three_sources_run_as_referenced(void **state)
{
    (void)state;
    compare_run("lsgmc-3sources.json", 0, 1);
}

static void real_cornell_runs_as_referenced(void **state)
{
    (void)state;
    compare_run("lsgmc-cornell-guarded.json", 0, 1);
}

static void real_cornell_with_the_early_stop_runs_as_referenced(void **state)
{
    (void)state;
    compare_run("lsgmc-cornell.json", 1, 0);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_msrc_runs_as_referenced),
        cmocka_unit_test(real_three_sources_run_as_referenced),
        cmocka_unit_test(real_cornell_runs_as_referenced),
        cmocka_unit_test(real_cornell_with_the_early_stop_runs_as_referenced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
