/* SPDX-License-Identifier: Apache-2.0 */
/* What an estimate says of views and memory, and the names of a result's samples: through the
 * public header. */
#include "onefold.h"

#include "support/check.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SAMPLES = 200, VIEWS = 3, CLUSTERS = 4 };

static onefold_dataset *make(void)
{
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    synth.samples = SAMPLES;
    synth.views = VIEWS;
    synth.clusters = CLUSTERS;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    return data;
}

static onefold_fit_options options_of(void)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.method = "os-lfmvc-cs";
    options.clusters = CLUSTERS;
    return options;
}

/* The route and kernel that are foreseen are those that the fit then takes. */
static void views_are_as_the_fit_has_them(void **state)
{
    (void)state;
    static const onefold_base bases[] = {ONEFOLD_BASE_EXACT, ONEFOLD_BASE_NYSTROM};
    static const char *const kernels[] = {"rbf", "linear"};
    onefold_dataset *data = make();
    for (size_t way = 0; way < 4; way++) {
        onefold_fit_options options = options_of();
        onefold_estimate *estimate = NULL;
        onefold_result *result = NULL;
        onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
        options.base = bases[way % 2];
        options.kernel = kernels[way / 2];
        CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, 1));
        CHECK_OK(onefold_estimate_describe(estimate, &info));
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        assert_true(info.has_time && info.samples == SAMPLES && info.views == VIEWS);
        assert_true(info.peak_bytes >= info.input_bytes + info.partition_bytes);
        for (size_t i = 0; i < VIEWS; i++) {
            onefold_estimate_view_info view = ONEFOLD_ESTIMATE_VIEW_INFO_INIT;
            onefold_view_fit fit = ONEFOLD_VIEW_FIT_INIT;
            CHECK_OK(onefold_estimate_view(estimate, i, &view));
            CHECK_OK(onefold_result_view(result, i, &fit));
            assert_string_equal(view.name, fit.name);
            assert_string_equal(view.kernel, fit.kernel);
            assert_int_equal(view.route, fit.route);
            assert_int_equal(view.columns, fit.columns);
            assert_int_equal(view.landmarks > 0, view.route == ONEFOLD_ROUTE_NYSTROM);
        }
        onefold_estimate_view_info none = ONEFOLD_ESTIMATE_VIEW_INFO_INIT;
        CHECK_FAILS(onefold_estimate_view(estimate, VIEWS, &none), ONEFOLD_USAGE, "view 4");
        onefold_estimate_free(estimate);
        onefold_result_free(result);
    }
    onefold_estimate_free(NULL);
    onefold_dataset_free(data);
}

static void what_passes_the_limit_is_refused(void **state)
{
    (void)state;
    onefold_dataset *data = make();
    onefold_context *context = NULL;
    onefold_fit_options options = options_of();
    onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_estimate *estimate = NULL;
    CHECK_OK(onefold_fit_estimate(&estimate, context, data, &options, 0));
    CHECK_OK(onefold_estimate_describe(estimate, &info));
    assert_true(!info.has_time && info.seconds == 0);
    onefold_estimate_free(estimate);
    for (int enough = 0; enough < 2; enough++) {
        onefold_result *result = NULL;
        CHECK_OK(onefold_context_set_memory_limit(context, info.peak_bytes - !enough));
        CHECK_OK(onefold_fit_estimate(&estimate, context, data, &options, 0));
        if (enough) {
            CHECK_OK(onefold_estimate_check_memory(estimate));
            CHECK_OK(onefold_fit(&result, context, data, &options));
        } else {
            CHECK_FAILS(onefold_estimate_check_memory(estimate), ONEFOLD_NO_MEMORY, "");
            CHECK_FAILS(onefold_fit(&result, context, data, &options), ONEFOLD_NO_MEMORY, "");
        }
        onefold_result_free(result);
        onefold_estimate_free(estimate);
    }
    onefold_context_free(context);
    onefold_dataset_free(data);
}

/* Time, where it is asked for; methods that cannot tell say so. */
static void time_is_told_where_it_is_asked_for(void **state)
{
    (void)state;
    onefold_dataset *data = make();
    onefold_fit_options options = options_of();
    onefold_estimate *estimate = NULL;
    onefold_estimate_info info = ONEFOLD_ESTIMATE_INFO_INIT;
    CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, 1));
    CHECK_OK(onefold_estimate_describe(estimate, &info));
    assert_true(info.has_time && info.seconds > 0 && info.passes > 0);
    onefold_estimate_free(estimate);
    onefold_dataset_free(data);
}

static void a_result_keeps_the_names_of_its_samples(void **state)
{
    (void)state;
    static char text[SAMPLES][16];
    const char *names[SAMPLES];
    onefold_dataset *data = make();
    onefold_fit_options options = options_of();
    onefold_result *result = NULL;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    assert_null(onefold_result_sample_name(result, 0));
    onefold_result_free(result);
    for (size_t j = 0; j < SAMPLES; j++) {
        snprintf(text[j], sizeof text[j], "sample %zu", j);
        names[j] = text[j];
    }
    CHECK_OK(onefold_dataset_set_sample_names(data, names));
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    onefold_dataset_free(data); /* the result outlives it */
    for (size_t j = 0; j < SAMPLES; j++)
        assert_string_equal(onefold_result_sample_name(result, j), text[j]);
    assert_null(onefold_result_sample_name(result, SAMPLES));
    assert_null(onefold_result_sample_name(NULL, 0));
    onefold_result_free(result);
}

/* Values that cannot be read: whatever touches them ends the process. */
static double *hide(const double *values, size_t count, size_t *bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *bytes = (count * sizeof *values + page - 1) / page * page;
    double *hidden = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(hidden != MAP_FAILED);
    memcpy(hidden, values, count * sizeof *values);
    return hidden;
}

/* Without `measure` an estimate sees shapes alone, and says of what `auto` would pick here what one
 * with it says; with the values away, of any kernel. */
static void an_estimate_by_shapes_reads_no_value(void **state)
{
    (void)state;
    enum { N = 300, D = 12, PER_ROW = 3 };
    static const char *const kernels[] = {NULL, "rbf", "linear", "cosine", "knn", "subspace"};
    static double x[N * D], entry[N * PER_ROW];
    static uint32_t start[N + 1];
    static uint32_t index[N * PER_ROW];
    size_t bytes[2];
    check_random(3, 0, N, D, x);
    for (size_t j = 0; j <= N; j++)
        start[j] = (uint32_t)j * PER_ROW;
    for (size_t e = 0; e < N * PER_ROW; e++) {
        index[e] = (uint32_t)(e % PER_ROW * 20 + e / PER_ROW % 20);
        entry[e] = 1 + (double)(e % 5);
    }
    double *dense = hide(x, N * D, &bytes[0]), *sparse = hide(entry, N * PER_ROW, &bytes[1]);
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(onefold_dataset_borrow_dense(data, "dense", dense, ONEFOLD_FLOAT64, D, D, 1));
    CHECK_OK(onefold_dataset_borrow_sparse(data, "sparse", 60, start, index, ONEFOLD_UINT32, sparse,
                                           ONEFOLD_FLOAT64));
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        static const char *const methods[] = {"onefold", "os-lfmvc-cs", "mkkm"};
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            onefold_fit_options options = options_of();
            options.method = methods[m];
            options.kernel = kernels[k];
            options.keep_model = m == 1;
            onefold_estimate *estimate = NULL;
            onefold_estimate_info info[2] = {ONEFOLD_ESTIMATE_INFO_INIT,
                                             ONEFOLD_ESTIMATE_INFO_INIT};
            for (int measure = 0; measure < 2; measure++) {
                int access = measure ? PROT_READ : PROT_NONE;
                assert_int_equal(mprotect(dense, bytes[0], access), 0);
                assert_int_equal(mprotect(sparse, bytes[1], access), 0);
                CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, measure));
                CHECK_OK(onefold_estimate_describe(estimate, &info[measure]));
                onefold_estimate_free(estimate);
            }
            if (info[0].peak_bytes != info[1].peak_bytes)
                fail_msg("%s of %s: %zu bytes by shapes, %zu by kernels", methods[m],
                         kernels[k] ? kernels[k] : "auto", info[0].peak_bytes, info[1].peak_bytes);
        }
    }
    onefold_dataset_free(data);
    munmap(dense, bytes[0]);
    munmap(sparse, bytes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_as_the_fit_has_them),
        cmocka_unit_test(what_passes_the_limit_is_refused),
        cmocka_unit_test(an_estimate_by_shapes_reads_no_value),
        cmocka_unit_test(time_is_told_where_it_is_asked_for),
        cmocka_unit_test(a_result_keeps_the_names_of_its_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
