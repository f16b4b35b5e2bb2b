/* SPDX-License-Identifier: Apache-2.0 */
/* A GPU that fails in the middle: every call of the table is made to fail once, for good or for
 * want of memory. A fit then ends with the CPU's answer or with the sentence, and nothing of the
 * GPU stays held. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"
#include "support/ranks.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* tests/gpu/emulate.h */
enum { LOST, ONCE, MEMORY };
static long (*fail_call)(long after, int kind);
static size_t (*held)(void);

static int find_gpu(void **state)
{
    (void)gpu_find(state);
    void *library = dlopen(getenv("ONEFOLD_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&fail_call = dlsym(library, "of_emulate_fail");
    *(void **)&held = dlsym(library, "of_emulate_held");
    return 0;
}

/* ---- what is fitted ------------------------------------------------------------------------- */

typedef struct fault_case {
    const char *name, *kernel;
    size_t n, columns, landmarks;
    double density, missing;
    onefold_base base;
    const char *limit; /* of the GPU's memory, or NULL */
    int parts, predicts;
} fault_case;

static const fault_case cases[] = {
    {.name = "gram", .kernel = "linear", .n = 300, .columns = 5, .parts = 1},
    {.name = "landmarks",
     .kernel = "rbf",
     .n = 300,
     .columns = 5,
     .landmarks = 12,
     .base = ONEFOLD_BASE_NYSTROM,
     .predicts = 1},
    {.name = "krylov", .kernel = "linear", .n = 700, .columns = 300, .density = 0.1},
    {.name = "missing", .kernel = "linear", .n = 300, .columns = 5, .missing = 0.1},
    {.name = "streams", .kernel = "rbf", .n = 1200, .columns = 6, .limit = "450K"},
};

typedef struct ran {
    int32_t *labels;
    double objective;
    char note[256], message[512];
    onefold_status status;
} ran;

static onefold_dataset *make(const fault_case *c)
{
    return gpu_dataset(c->n, 2, 3, c->columns, c->missing, c->density);
}

static onefold_status predict(onefold_context *context, const onefold_dataset *dataset,
                              const onefold_result *result, ran *made)
{
    onefold_prediction out = ONEFOLD_PREDICTION_INIT;
    out.labels = made->labels;
    return onefold_predict(&out, context, onefold_result_describe(result)->model, dataset, 0,
                           onefold_dataset_describe(dataset)->samples);
}

/* A fit, and a prediction where asked for; the GPU is opened before `fail_call` counts. */
static ran fit(onefold_device device, const fault_case *c, const onefold_dataset *dataset,
               long after, int kind)
{
    onefold_context *context;
    onefold_result *result = NULL;
    const onefold_fit_info *info;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    ran made = {.labels = calloc(c->n, sizeof(int32_t))};
    options.method = "os-lfmvc-cs";
    options.clusters = 3;
    options.dims = c->limit ? 16 : 3;
    options.restarts = c->limit ? 1 : 2;
    options.max_iterations = 2;
    options.kernel = c->kernel;
    options.base = c->base;
    options.landmarks = c->landmarks;
    options.view_parts = c->parts;
    options.keep_model = c->predicts;
    options.precision = c->predicts ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    CHECK_OK(onefold_context_set_device(context, device));
    fail_call(after, kind);
    made.status = onefold_fit(&result, context, dataset, &options);
    if (made.status == ONEFOLD_OK) {
        info = onefold_result_describe(result);
        memcpy(made.labels, onefold_result_describe(result)->labels, c->n * sizeof *made.labels);
        made.objective = info->objective;
        snprintf(made.note, sizeof made.note, "%s", info->note ? info->note : "");
        for (size_t e = 0; c->parts && e < 2 * c->n; e++)
            assert_true(isfinite(onefold_result_describe(result)->view_parts[e]));
        if (c->predicts)
            made.status = predict(context, dataset, result, &made);
    }
    if (made.status != ONEFOLD_OK)
        snprintf(made.message, sizeof made.message, "%s", onefold_last_error());
    onefold_result_free(result);
    onefold_context_free(context);
    return made;
}

/* ---- one call after the other ---------------------------------------------------------------- */

/* Labels of the fit as the CPU has them, after the best matching. */
static void check_labels(const fault_case *c, long call, const ran *cpu, const ran *gpu)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, gpu->labels, cpu->labels, c->n));
    if (!(scores.acc >= 0.99) || !(fabs(gpu->objective - cpu->objective) <= 1e-5 * cpu->objective))
        fail_msg("%s, call %ld fails: labels agree on %g, objective %.17g and %.17g", c->name, call,
                 scores.acc, gpu->objective, cpu->objective);
}

static void check_failing(const fault_case *c, const onefold_dataset *dataset, const ran *cpu,
                          long call, int kind)
{
    ran made = fit(ONEFOLD_DEVICE_GPU, c, dataset, call, kind);
    fail_call(0, LOST);
    if (made.status == ONEFOLD_OK)
        check_labels(c, call, cpu, &made);
    else if (kind == MEMORY)
        fail_msg("%s, no memory at call %ld: %s", c->name, call, made.message);
    else if (made.status != ONEFOLD_FAULT || !strstr(made.message, "the GPU failed: an illegal"))
        fail_msg("%s, call %ld fails: %s", c->name, call, made.message);
    if (held() != 0)
        fail_msg("%s, call %ld fails: %zu bytes stay held", c->name, call, held());
    free(made.labels);
}

static void check_case(const fault_case *c, int kind)
{
    onefold_dataset *dataset = make(c);
    if (c->limit)
        setenv("ONEFOLD_GPU_MEMORY", c->limit, 1);
    ran cpu = fit(ONEFOLD_DEVICE_CPU, c, dataset, 0, LOST),
        gpu = fit(ONEFOLD_DEVICE_GPU, c, dataset, 0, LOST);
    long calls = fail_call(0, LOST), step = check_everything() ? 1 : 1 + calls / 6;
    CHECK_OK(cpu.status);
    CHECK_OK(gpu.status);
    check_labels(c, 0, &cpu, &gpu);
    assert_true(calls > 10);
    assert_int_equal(c->limit != NULL, strstr(gpu.note, "stream") != NULL);
    for (long call = 1; call <= calls; call += call < (check_everything() ? 12 : 6) ? 1 : step)
        check_failing(c, dataset, &cpu, call, kind);
    unsetenv("ONEFOLD_GPU_MEMORY");
    free(cpu.labels);
    free(gpu.labels);
    onefold_dataset_free(dataset);
}

static void lost_gpus_are_said(void **state)
{
    (void)state;
    for (size_t c = 0; fail_call && c < sizeof cases / sizeof *cases; c++)
        check_case(&cases[c], LOST);
}

static void single_faults_are_said(void **state)
{
    (void)state;
    for (size_t c = 0; fail_call && c < (check_everything() ? sizeof cases / sizeof *cases : 1);
         c++)
        check_case(&cases[c], ONCE);
}

/* A fit whose GPU runs out of memory, wherever that is, is finished by the CPU. */
static void memory_that_runs_out_is_the_cpus(void **state)
{
    (void)state;
    for (size_t c = 0; fail_call && c < (check_everything() ? sizeof cases / sizeof *cases : 2);
         c++)
        check_case(&cases[c], MEMORY);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A process may end as soon as its contexts have: none is freed while a driver starts. First, since
 * a process starts it once. */
static void contexts_wait_for_the_driver(void **state)
{
    (void)state;
    onefold_context *context;
    if (!fail_call)
        return;
    fail_call(0, LOST);
    setenv("ONEFOLD_EMULATED", "slow", 1);
    CHECK_OK(onefold_context_create(&context, NULL));
    onefold_device_start();
    onefold_context_free(context);
    assert_true(fail_call(0, LOST) > 0);
    unsetenv("ONEFOLD_EMULATED");
}

/* Held by another process, or full: the sentence, and `auto` takes the CPU. */
static void held_gpus_are_said(void **state)
{
    (void)state;
    const fault_case *c = &cases[0];
    onefold_context *context;
    if (!fail_call)
        return;
    CHECK_OK(onefold_context_create(&context, NULL));
    setenv("ONEFOLD_EMULATED", "busy", 1);
    CHECK_FAILS(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU), ONEFOLD_UNSUPPORTED,
                "there is no GPU to use: all CUDA-capable devices are busy");
    CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_AUTO));
    onefold_context_free(context);
    onefold_dataset *dataset = make(c);
    ran made = fit(ONEFOLD_DEVICE_AUTO, c, dataset, 0, LOST);
    CHECK_OK(made.status);
    unsetenv("ONEFOLD_EMULATED");
    CHECK_OK(onefold_context_create(&context, NULL));
    fail_call(1, LOST);
    CHECK_FAILS(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU), ONEFOLD_FAULT,
                "the GPU failed: ");
    fail_call(0, LOST);
    onefold_context_free(context);
    free(made.labels);
    onefold_dataset_free(dataset);
}

/* No memory even to open it: the CPU does the work, with its bits, and says so. */
static void full_gpus_are_the_cpus(void **state)
{
    (void)state;
    const fault_case *c = &cases[0];
    if (!fail_call)
        return;
    onefold_context *context;
    onefold_result *result;
    const onefold_fit_info *info;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_dataset *dataset = make(c);
    options.method = "os-lfmvc-cs";
    options.clusters = 3;
    for (int method = 0; method < 2; method++) {
        options.method = method ? "onefold" : "os-lfmvc-cs";
        CHECK_OK(onefold_context_create(&context, NULL));
        fail_call(1, MEMORY);
        CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
        fail_call(0, LOST);
        CHECK_OK(onefold_fit(&result, context, dataset, &options));
        info = onefold_result_describe(result);
        assert_non_null(strstr(info->note, "by the CPU: the GPU has no memory left"));
        assert_int_equal(fail_call(0, LOST), 0); /* calls */
        onefold_result_free(result);
        onefold_context_free(context);
    }
    onefold_dataset_free(dataset);
}

/* On a GPU: an access outside its memory, after which every call fails until the process ends.
 * Runs last, by its own name (tests/gpu/real/run.c). */
static void a_failed_gpu_stays_failed(void **state)
{
    (void)state;
    enum { N = 200 };
    size_t place[N];
    double back[4 * N];
    onefold_context *context;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    if (!gpu_is_real())
        return;
    const of_device_table *table = gpu_lib;
    of_device *device;
    of_device_stack *stack;
    options.method = "os-lfmvc-cs";
    options.clusters = 3;
    onefold_dataset *dataset = make(&cases[0]);
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
    assert_int_equal(table->open(0, &device), OF_DEVICE_OK);
    assert_int_equal(table->stack_make(device, 4, N, 1, &stack, NULL), OF_DEVICE_OK);
    for (size_t j = 0; j < N; j++)
        place[j] = (size_t)1 << 44;
    int code = table->stack_fetch(stack, 0, place, N, back);
    double gram[16];
    if (code == OF_DEVICE_OK) /* not waited for: the next call says it */
        code = table->stack_gram(stack, 0, 4, gram);
    printf("  %s\n", table->message());
    CHECK_FAILS(onefold_fit(&result, context, dataset, &options), ONEFOLD_FAULT,
                "the GPU failed: ");
    printf("  %s\n", onefold_last_error());
    table->stack_free(stack);
    table->close(device);
    onefold_context_free(context);
    onefold_dataset_free(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(contexts_wait_for_the_driver),
                                       cmocka_unit_test(lost_gpus_are_said),
                                       cmocka_unit_test(single_faults_are_said),
                                       cmocka_unit_test(memory_that_runs_out_is_the_cpus),
                                       cmocka_unit_test(held_gpus_are_said),
                                       cmocka_unit_test(full_gpus_are_the_cpus),
                                       cmocka_unit_test(a_failed_gpu_stays_failed)};
    return cmocka_run_group_tests(tests, find_gpu, NULL);
}
