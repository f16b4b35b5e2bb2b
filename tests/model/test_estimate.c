/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of views, memory and time, and the names of a result's samples, through the public
 * header. */
#include "onefold.h"

#include "support/ask.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

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

/* The estimated route and kernel are those of the fit. */
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
        options.base = bases[way % 2];
        options.kernel = kernels[way / 2];
        CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, 1));
        const onefold_estimate_info *info = onefold_estimate_describe(estimate);
        CHECK_OK(onefold_fit(&result, NULL, data, &options));
        assert_true(info->has_time && info->samples == SAMPLES && info->views == VIEWS);
        assert_true(info->peak_bytes >= info->input_bytes + info->partition_bytes);
        for (size_t i = 0; i < VIEWS; i++) {
            const onefold_view_fit *view = onefold_estimate_describe(estimate)->view[i];
            const onefold_view_fit *fit = onefold_result_describe(result)->view[i];
            assert_string_equal(view->name, fit->name);
            assert_string_equal(view->kernel, fit->kernel);
            assert_int_equal(view->route, fit->route);
            assert_int_equal(view->columns, fit->columns);
            assert_int_equal(view->landmarks > 0, view->route == ONEFOLD_ROUTE_NYSTROM);
        }
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
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_estimate *estimate = NULL;
    CHECK_OK(onefold_fit_estimate(&estimate, context, data, &options, 0));
    const onefold_estimate_info *info = onefold_estimate_describe(estimate);
    size_t peak = info->peak_bytes;
    assert_true(!info->has_time && info->seconds == 0);
    onefold_estimate_free(estimate);
    for (int enough = 0; enough < 2; enough++) {
        onefold_result *result = NULL;
        CHECK_OK(onefold_context_set_memory_limit(context, peak - (size_t)!enough));
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

/* Time, with `measure`; some methods have none. */
static void time_is_told_where_it_is_asked_for(void **state)
{
    (void)state;
    onefold_dataset *data = make();
    onefold_fit_options options = options_of();
    onefold_estimate *estimate = NULL;
    CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, 1));
    const onefold_estimate_info *info = onefold_estimate_describe(estimate);
    assert_true(info->has_time && info->seconds > 0 && info->passes > 0);
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
    assert_null(onefold_result_describe(result)->sample_names);
    onefold_result_free(result);
    for (size_t j = 0; j < SAMPLES; j++) {
        snprintf(text[j], sizeof text[j], "sample %zu", j);
        names[j] = text[j];
    }
    CHECK_OK(onefold_dataset_set_sample_names(data, names));
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    onefold_dataset_free(data); /* the result outlives it */
    for (size_t j = 0; j < SAMPLES; j++)
        assert_string_equal(onefold_result_describe(result)->sample_names[j], text[j]);
    onefold_result_free(result);
}

/* Without `measure` an estimate has the same bytes and no seconds, of any kernel. */
static void bytes_do_not_depend_on_measuring(void **state)
{
    (void)state;
    enum { N = 300, D = 12, PER_ROW = 3 };
    static const char *const kernels[] = {NULL, "rbf", "linear", "cosine", "knn", "subspace"};
    static double x[N * D], entry[N * PER_ROW];
    static uint32_t start[N + 1];
    static uint32_t index[N * PER_ROW];
    check_random(3, 0, N, D, x);
    for (size_t j = 0; j <= N; j++)
        start[j] = (uint32_t)j * PER_ROW;
    for (size_t e = 0; e < N * PER_ROW; e++) {
        index[e] = (uint32_t)(e % PER_ROW * 20 + e / PER_ROW % 20);
        entry[e] = 1 + (double)(e % 5);
    }
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(onefold_dataset_borrow_dense(data, "dense", x, ONEFOLD_FLOAT64, D, D, 1));
    CHECK_OK(onefold_dataset_borrow_sparse(data, "sparse", 60, start, index, ONEFOLD_UINT32, entry,
                                           ONEFOLD_FLOAT64));
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        static const char *const methods[] = {"onefold", "os-lfmvc-cs", "mkkm"};
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            onefold_fit_options options = options_of();
            options.method = methods[m];
            options.kernel = kernels[k];
            options.keep_model = m == 1;
            onefold_estimate *estimate = NULL;
            onefold_estimate_info info[2];
            for (int measure = 0; measure < 2; measure++) {
                CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, measure));
                info[measure] = *onefold_estimate_describe(estimate);
                assert_int_equal(info[measure].has_time, measure);
                assert_int_equal(info[measure].view[0]->seconds > 0, measure && m < 2);
                onefold_estimate_free(estimate);
            }
            if (info[0].peak_bytes != info[1].peak_bytes)
                fail_msg("%s of %s: %zu bytes without measuring, %zu with it", methods[m],
                         kernels[k] ? kernels[k] : "auto", info[0].peak_bytes, info[1].peak_bytes);
        }
    }
    onefold_dataset_free(data);
}

static onefold_dataset *make_views(double density, double missing)
{
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    synth.samples = SAMPLES;
    synth.views = VIEWS;
    synth.clusters = CLUSTERS;
    synth.density = density;
    synth.missing = missing;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    return data;
}

/* An estimate says the whole need, however small the limit: kernels of sparse views are prepared
 * for it, which takes memory too. */
static void a_small_limit_does_not_refuse_an_estimate(void **state)
{
    (void)state;
    onefold_dataset *data = make_views(0.2, 0);
    onefold_context *context = NULL;
    onefold_fit_options options = options_of();
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_estimate_info free = ask_estimate(context, data, &options);
    CHECK_OK(onefold_context_set_memory_limit(context, 1000));
    onefold_estimate *estimate = NULL;
    CHECK_OK(onefold_fit_estimate(&estimate, context, data, &options, 1));
    assert_int_equal(onefold_estimate_describe(estimate)->peak_bytes, free.peak_bytes);
    CHECK_FAILS(onefold_estimate_check_memory(estimate), ONEFOLD_NO_MEMORY, "would need");
    onefold_estimate_free(estimate);
    assert_int_equal(context->memory_limit, 1000);
    onefold_context_free(context);
    onefold_dataset_free(data);
}

/* Bytes are counted where a limit asks for them, and once for all numbers that choose tries. */
static void fits_without_a_limit_are_not_counted(void **state)
{
    (void)state;
    onefold_dataset *data = make();
    onefold_fit_options options = options_of(), any = options_of();
    onefold_choose_options numbers = ONEFOLD_CHOOSE_OPTIONS_INIT;
    numbers.least = 2;
    numbers.most = 5;
    any.clusters = 0;
    any.method = NULL;
    for (int limit = 0; limit < 2; limit++) {
        onefold_context *context = NULL;
        onefold_result *result = NULL;
        onefold_choice *choice = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_memory_limit(context, limit ? (size_t)1 << 30 : 0));
        CHECK_OK(onefold_fit(&result, context, data, &options));
        assert_int_equal(atomic_load(&context->plans), limit);
        CHECK_OK(onefold_choose(&choice, context, data, &any, &numbers));
        assert_int_equal(atomic_load(&context->plans), 2 * limit);
        /* these are refused where LAPACK cannot do them, before they work for hours */
        options.method = "avg-kkm";
        onefold_result_free(result);
        CHECK_OK(onefold_fit(&result, context, data, &options));
        assert_int_equal(atomic_load(&context->plans), 2 * limit + 1);
        options.method = "os-lfmvc-cs";
        onefold_choice_free(choice);
        onefold_result_free(result);
        onefold_context_free(context);
    }
    onefold_dataset_free(data);
}

/* A fit takes no more than is said before it, and not far less. Returns whether the method does
 * this fit at all. */
static int check_taken(const onefold_dataset *data, const onefold_fit_options *options, int threads)
{
    onefold_context *context = NULL;
    onefold_estimate *estimate = NULL;
    onefold_result *result = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, threads));
    onefold_status status = onefold_fit_estimate(&estimate, context, data, options, 0);
    if (status == ONEFOLD_OK) {
        const onefold_estimate_info info = *onefold_estimate_describe(estimate);
        onefold_estimate_free(estimate);
        size_t taken = 0, said = info.peak_bytes, held = info.input_bytes; /* by another context */
        /* a model labels samples in blocks of up to 4 MB */
        double more = options->keep_model ? 4.3e6 : 0.3e6;
        int too_much = 1;
        /* What threads take at the same time differs from fit to fit on a busy machine: the most of
         * some is held against what is said. */
        for (int fit = 0; fit < 40 && too_much; fit++) {
            onefold_result_free(result);
            CHECK_OK(onefold_fit(&result, context, data, options));
            taken = ask_peak(context);
            too_much = (double)said > 1.6 * (double)(taken + held) + 1.5e6 + more * threads;
        }
        if (taken + held > said || too_much)
            fail_msg("%s, kernel %s, base %d, model %d, precision %d, %d threads: %zu bytes were "
                     "said, and %zu taken",
                     options->method, options->kernel, (int)options->base, options->keep_model,
                     (int)options->precision, threads, said, taken + held);
        onefold_result_free(result);
    } else {
        assert_true(status == ONEFOLD_USAGE || status == ONEFOLD_UNSUPPORTED);
    }
    onefold_context_free(context);
    return status == ONEFOLD_OK;
}

/* Every method, and every route that a view can take to it. */
static void fits_take_what_is_said(void **state)
{
    (void)state;
    static const char *const methods[] = {"onefold", "os-lfmvc-cs", "avg-kkm", "sb-kkm", "mkkm",
                                          "fmkkm",   "rmsc",        "lsgmc",   "fmr"};
    static const char *const kernels[] = {"auto", "linear", "cosine", "rbf", "knn", "subspace"};
    static const onefold_base bases[] = {ONEFOLD_BASE_EXACT, ONEFOLD_BASE_NYSTROM};
    size_t fits = 0;
    for (int way = 0; way < 3; way++) {
        onefold_dataset *data = make_views(way == 1 ? 0.2 : 1, way == 2 ? 0.2 : 0);
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
                for (size_t b = 0; b < 2; b++)
                    for (int more = 0; more < 3; more++) {
                        onefold_fit_options options = options_of();
                        options.method = methods[m];
                        options.kernel = kernels[k];
                        int ours = strcmp(options.method, "os-lfmvc-cs") == 0 ||
                                   strcmp(options.method, "onefold") == 0;
                        if ((b || more) && (!ours || (b && strcmp(kernels[k], "rbf") != 0)))
                            continue;
                        if (!ours && (way > 1 || (k != 0 && k != 4)))
                            continue;
                        options.base = b ? bases[b] : ONEFOLD_BASE_AUTO;
                        options.keep_model = more == 1;
                        options.precision = more == 2 ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE;
                        fits += (size_t)check_taken(data, &options, (int)(k % 3) + 1);
                    }
        onefold_dataset_free(data);
    }
    assert_true(fits > 100);
}

/* Of many rows for few clusters and anchors: rotations lack rank, and their completion takes more
 * than anything else. */
static void completed_rotations_are_in_what_is_said(void **state)
{
    (void)state;
    static const size_t columns[] = {280, 280};
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    synth.samples = 600;
    synth.views = 2;
    synth.clusters = 3;
    synth.columns = columns;
    synth.density = 0.2;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &synth));
    onefold_fit_options options = options_of();
    options.method = "os-lfmvc-cs";
    options.kernel = "linear";
    options.clusters = 3;
    options.dims = 160;
    options.max_iterations = 5;
    assert_true(check_taken(data, &options, 1));
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_as_the_fit_has_them),
        cmocka_unit_test(what_passes_the_limit_is_refused),
        cmocka_unit_test(fits_without_a_limit_are_not_counted),
        cmocka_unit_test(a_small_limit_does_not_refuse_an_estimate),
        cmocka_unit_test(bytes_do_not_depend_on_measuring),
        cmocka_unit_test(time_is_told_where_it_is_asked_for),
        cmocka_unit_test(fits_take_what_is_said),
        cmocka_unit_test(completed_rotations_are_in_what_is_said),
        cmocka_unit_test(a_result_keeps_the_names_of_its_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
