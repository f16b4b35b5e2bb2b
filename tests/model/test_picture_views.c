/* SPDX-License-Identifier: Apache-2.0 */
/* What is drawn of each view for methods that draw nothing themselves: the same as for the paper's
 * method, which does; coordinates with the eigenvalues' lengths; nothing where views are missing.
 */
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

static void views_are_drawn_as_the_papers_method_draws_them(void **state)
{
    (void)state;
    onefold_dataset *data = synth(0);
    onefold_result *paper = fit(data, "os-lfmvc-cs", CLUSTERS);
    static const char *const methods[] = {"avg-kkm", "sb-kkm", "mkkm", "onefold"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        onefold_result *other = fit(data, methods[m], CLUSTERS);
        const of_picture *a = paper->picture, *b = other->picture;
        assert_int_equal(b->spectrum_rows, 2 * CLUSTERS);
        assert_int_equal(a->spectrum_rows, b->spectrum_rows);
        for (size_t e = 0; e < VIEWS * b->spectrum_rows; e++)
            CHECK_CLOSE(b->spectrum[e], a->spectrum[e], 1e-6, 1e-9);
        for (size_t e = 0; e < 2 * VIEWS * N; e++)
            CHECK_CLOSE(b->places[e], a->places[e], 1e-4, 1e-5);
        onefold_result_free(other);
    }
    onefold_result_free(paper);
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
        cmocka_unit_test(views_are_drawn_as_the_papers_method_draws_them),
        cmocka_unit_test(coordinates_have_the_lengths_of_eigenvalues),
        cmocka_unit_test(who_lacks_a_view_has_no_place_in_it),
        cmocka_unit_test(many_clusters_and_few_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
