/* SPDX-License-Identifier: Apache-2.0 */
/* What is drawn of each view: components of its base partition, with the eigenvalues' lengths, and
 * nothing where it is missing; the views' parts in labels; traces. */
#include "method/base_stage.h"
#include "model/fit.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/paper_options.h"

#include <math.h>
#include <string.h>

enum { N = 150, VIEWS = 3, CLUSTERS = 4 };

static onefold_result *fit(const onefold_dataset *data, const char *method, size_t clusters)
{
    onefold_fit_options options = paper_options();
    onefold_result *result = NULL;
    options.clusters = clusters;
    options.method = method;
    options.restarts = 2;
    options.picture = 1;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    assert_non_null(result->picture);
    return result;
}

static onefold_dataset *synth(double missing)
{
    onefold_dataset *data = NULL;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = N;
    options.clusters = CLUSTERS;
    options.missing = missing;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

/* The stack of base partitions that the paper's method makes has the coordinates of every method's
 * views, but for the roots of the eigenvalues. */
static void places_are_components_of_base_partitions(void **state)
{
    (void)state;
    onefold_dataset *data = synth(0);
    onefold_fit_options options = paper_options();
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    of_fit_plan plan;
    of_stack X;
    of_partition *partitions;
    options.clusters = CLUSTERS;
    CHECK_OK(of_fit_plan_make(scratch.context, &scratch, &data->set, &options, &plan));
    CHECK_OK(OF_NEW_ZERO(&scratch, &partitions, VIEWS, 1));
    CHECK_OK(of_base_stage(scratch.context, &scratch, &scratch, &plan.problem, &X, partitions));
    static const char *const methods[] = {"os-lfmvc-cs", "avg-kkm", "sb-kkm", "mkkm", "onefold"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        onefold_result *result = fit(data, methods[m], CLUSTERS);
        const of_picture *picture = result->picture;
        size_t k = picture->spectrum_rows;
        assert_int_equal(k, 2 * CLUSTERS);
        assert_int_equal(X.rows, VIEWS * k);
        for (size_t e = 0; e < VIEWS * k; e++)
            CHECK_CLOSE(picture->spectrum[e], partitions[e / k].values[e % k], 1e-6, 1e-9);
        for (size_t e = 0; e < 2 * VIEWS * N; e++) {
            size_t v = e / (2 * N), j = e / 2 % N, r = e % 2;
            CHECK_CLOSE(picture->places[e],
                        ((const double *)X.data)[j * X.rows + v * k + r] *
                            sqrt(partitions[v].values[r]),
                        1e-4, 1e-5);
        }
        onefold_result_free(result);
    }
    onefold_dataset_free(data);
}

/* The positive parts of views add up to 1; traces are those of every restart. */
static void parts_are_shares_and_traces_end_at_objectives(void **state)
{
    (void)state;
    static const char *const methods[] = {"os-lfmvc-cs", "onefold"};
    onefold_dataset *data = synth(0.1);
    for (size_t m = 0; m < 2; m++) {
        onefold_fit_options options = paper_options();
        onefold_result *result = NULL;
        size_t spoken = 0;
        options.clusters = CLUSTERS;
        options.method = methods[m];
        options.picture = options.view_parts = 1;
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        const onefold_fit_info *info = onefold_result_describe(result);
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t v = 0; v < VIEWS; v++)
                sum += fmax(info->view_parts[j * VIEWS + v], 0);
            for (size_t v = 0; v < VIEWS; v++) {
                float part = result->picture->parts[j * VIEWS + v];
                if (!ask_present(data, j, v) || !(sum > 0))
                    assert_true(isnan(part));
                else
                    CHECK_CLOSE(part, fmax(0, info->view_parts[j * VIEWS + v]) / sum, 1e-5, 1e-6);
            }
            spoken += sum > 0;
        }
        assert_true(spoken > N * 95 / 100);
        const double *trace = result->picture->traces;
        assert_true(m == 1 || trace);
        for (size_t r = 0; trace && r < info->restarts; r++) {
            trace += info->restart_iterations[r];
            assert_true(trace[-1] == info->restart_objective[r]);
        }
        onefold_result_free(result);
    }
    onefold_dataset_free(data);
}

static void coordinates_have_the_lengths_of_eigenvalues(void **state)
{
    (void)state;
    onefold_dataset *data = synth(0);
    onefold_result *result = fit(data, "avg-kkm", 1);
    const of_picture *picture = result->picture;
    assert_int_equal(picture->spectrum_rows, 2);
    for (size_t v = 0; v < VIEWS; v++)
        for (size_t r = 0; r < 2; r++) {
            double square = 0, other = 0;
            for (size_t j = 0; j < N; j++) {
                double at = picture->places[2 * (v * N + j) + r];
                square += at * at;
                other += at * picture->places[2 * (v * N + j) + 1 - r];
            }
            CHECK_CLOSE(square, picture->spectrum[2 * v + r], 1e-5, 0);
            CHECK_CLOSE(other, 0, 0, 1e-5 * picture->spectrum[2 * v]);
        }
    onefold_result_free(result);
    onefold_dataset_free(data);
}

static void who_lacks_a_view_has_no_place_in_it(void **state)
{
    (void)state;
    onefold_dataset *data = synth(0.2);
    onefold_result *result = fit(data, "onefold", CLUSTERS);
    size_t lacking = 0;
    for (size_t v = 0; v < VIEWS; v++)
        for (size_t j = 0; j < N; j++) {
            const float *place = result->picture->places + 2 * (v * N + j);
            int has = ask_present(data, j, v);
            assert_int_equal(isnan(place[0]) && isnan(place[1]), !has);
            lacking += !has;
        }
    assert_true(lacking > 0);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

static void many_clusters_and_few_samples(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    const double values[6] = {1, 2, 5, 6, 9, 1};
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    CHECK_OK(onefold_dataset_add_dense(data, "one", values, 2, 2, 1));
    onefold_result *result = fit(data, "avg-kkm", 3);
    assert_int_equal(result->picture->spectrum_rows, 6);
    CHECK_CLOSE(result->picture->spectrum[3], 0, 0, 1e-12);
    onefold_result_free(result);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_components_of_base_partitions),
        cmocka_unit_test(parts_are_shares_and_traces_end_at_objectives),
        cmocka_unit_test(coordinates_have_the_lengths_of_eigenvalues),
        cmocka_unit_test(who_lacks_a_view_has_no_place_in_it),
        cmocka_unit_test(many_clusters_and_few_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
