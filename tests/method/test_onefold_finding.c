/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The finding of a fit: tables of one cloud give none, whatever their margins and correlations, and
 * clusters are found.
 */
#include "onefold.h"
#include "support/ask.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { N = 240, MOST = 40 };

/* Shapes of a view without clusters. */
typedef enum shape { NORMAL, UNIFORM, SKEWED, HEAVY, COUNTS, YES_NO, FACTOR, TREND, SHAPES } shape;

/* d columns of N samples, a sample contiguous. */
static void fill(shape kind, uint64_t seed, size_t view, size_t d, double *x)
{
    static double common[N * 2];
    check_random(seed, view, d, N, x);
    check_random(seed, 77, 2, N, common); /* shared by the views */
    for (size_t j = 0; j < N; j++)
        for (size_t c = 0; c < d; c++) {
            double *one = &x[c + j * d], z = common[2 * j], share = 0.3 + (double)(c % 4) / 3;
            switch (kind) {
            case UNIFORM:
                *one = erf(*one / sqrt(2));
                break;
            case SKEWED:
                *one = exp(*one);
                break;
            case HEAVY:
                *one = *one * *one * *one;
                break;
            case COUNTS:
                *one = floor(exp(0.6 * *one + 0.5 * z + 1));
                break;
            case YES_NO:
                *one = *one + share * z > 0.3;
                break;
            case FACTOR:
                *one += 2 * share * z;
                break;
            case TREND: /* samples along a line */
                *one = 0.2 * *one + share * erf(z);
                break;
            default:
                break;
            }
        }
}

static onefold_dataset *make(const size_t *columns, size_t views, shape kind, uint64_t seed,
                             double apart)
{
    static double x[N * MOST];
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t v = 0; v < views; v++) {
        fill(kind, seed, v, columns[v], x);
        for (size_t j = 0; j < N; j++) /* three clusters, a third of the columns each */
            for (size_t c = 0; c < columns[v]; c++)
                x[c + j * columns[v]] += c % 3 == j % 3 ? apart : 0;
        CHECK_OK(onefold_dataset_add_dense(data, NULL, x, columns[v], columns[v], 1));
    }
    return data;
}

static onefold_finding finding_of(onefold_dataset *data, onefold_context *context)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = 3;
    CHECK_OK(onefold_fit(&result, context, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    assert_non_null(info->finding);
    onefold_finding finding = *info->finding;
    assert_true(finding.stable <= 1 && finding.chance <= 1 && finding.told >= 0 &&
                finding.told <= 1 && finding.told_chance >= 0);
    assert_string_equal(finding.verdict,
                        finding.found ? "more than chance" : "no more than chance");
    onefold_result_free(result);
    return finding;
}

static void one_cloud_is_no_finding(void **state)
{
    (void)state;
    static const size_t columns[] = {8, 20};
    for (size_t kind = 0; kind < SHAPES; kind++)
        for (uint64_t seed = 1; seed <= (check_everything() ? 5u : 2u); seed++) {
            onefold_dataset *data = make(columns, 2, (shape)kind, seed, 0);
            onefold_finding it = finding_of(data, NULL);
            print_message("shape %zu: stable %.2f (%.2f), told %.2f (%.2f), beyond %.2f\n", kind,
                          it.stable, it.chance, it.told, it.told_chance, it.beyond);
            assert_false(it.found);
            onefold_dataset_free(data);
        }
}

/* In many columns and in few, where they are most of the covariance, and in skewed ones. */
static void clusters_are_found(void **state)
{
    (void)state;
    static const struct {
        size_t columns[2], views;
        shape kind;
        double apart;
    } cases[] = {{{8, 20}, 2, NORMAL, 2},   {{3, 3}, 2, NORMAL, 8},  {{2, 0}, 1, NORMAL, 9},
                 {{40, 0}, 1, NORMAL, 1.5}, {{9, 12}, 2, SKEWED, 9}, {{12, 6}, 2, FACTOR, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        onefold_dataset *data =
            make(cases[i].columns, cases[i].views, cases[i].kind, i + 1, cases[i].apart);
        onefold_finding it = finding_of(data, NULL);
        print_message("case %zu: stable %.2f (%.2f), told %.2f (%.2f), beyond %.2f\n", i, it.stable,
                      it.chance, it.told, it.told_chance, it.beyond);
        assert_true(it.found);
        onefold_dataset_free(data);
    }
}

/* Threads change nothing, and a second fit draws the same clouds. */
static void it_is_the_same_for_any_threads(void **state)
{
    (void)state;
    static const size_t columns[] = {8, 20};
    onefold_dataset *data = make(columns, 2, FACTOR, 3, 1);
    onefold_finding first = finding_of(data, NULL);
    for (int threads = 1; threads <= 3; threads++) {
        onefold_context *context;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads));
        onefold_finding it = finding_of(data, context);
        CHECK_CLOSE(it.stable, first.stable, 0, 0);
        CHECK_CLOSE(it.chance, first.chance, 0, 0);
        CHECK_CLOSE(it.told, first.told, 0, 0);
        CHECK_CLOSE(it.beyond, first.beyond, 0, 0);
        onefold_context_free(context);
    }
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cloud_is_no_finding),
        cmocka_unit_test(clusters_are_found),
        cmocka_unit_test(it_is_the_same_for_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
