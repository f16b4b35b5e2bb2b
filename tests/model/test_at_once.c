/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads that read, fit and predict in parallel, each with a context of its own, get the
 * bits of one thread; threads that only read may share data sets and models. */
#include "support/check.h"
#include "support/paper_options.h"
#include "support/whole.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern void openblas_set_num_threads(int) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

enum { THREADS = 8 };
static const char digits[] = OF_TEST_SOURCE "/data/digits/digits.mat";

static const struct {
    const char *kernel;
    size_t clusters;
    int threads;
} kinds[] = {{NULL, 10, 2}, {"linear", 6, 1}, {"rbf", 4, 2}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct worker {
    int kind;
    whole out;
    char error[256]; /* of a call that must fail, on this thread */
} worker;

static int never(void *user)
{
    (void)user;
    return 0;
}

static void *work(void *opaque)
{
    worker *own = opaque;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    onefold_dataset *none = NULL;
    char path[64];
    const char *paths[] = {path};
    hooks.cancel = never;
    snprintf(path, sizeof path, "there-is-no-file-%d.mat", own->kind);
    if (onefold_dataset_read(&none, NULL, paths, 1, NULL) == ONEFOLD_OK)
        onefold_dataset_free(none);
    own->out = whole_round(digits, kinds[own->kind].clusters, kinds[own->kind].kernel,
                           kinds[own->kind].threads, own->kind == 1 ? &hooks : NULL);
    if (own->out.status == ONEFOLD_OK) /* another thread's errors are not ours */
        snprintf(own->error, sizeof own->error, "%s", onefold_last_error());
    return NULL;
}

static void eight_threads_get_the_bits_of_one(void **state)
{
    (void)state;
    whole alone[KINDS];
    worker workers[THREADS];
    pthread_t thread[THREADS];
    if (openblas_set_num_threads)
        openblas_set_num_threads(2);
    int host = openblas_get_num_threads ? openblas_get_num_threads() : 0;
    for (int k = 0; k < KINDS; k++) {
        alone[k] = whole_round(digits, kinds[k].clusters, kinds[k].kernel, kinds[k].threads, NULL);
        assert_string_equal(alone[k].error, "");
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){.kind = i % KINDS};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        char name[64];
        const whole *want = &alone[workers[i].kind], *got = &workers[i].out;
        assert_string_equal(got->error, "");
        assert_true(got->read == want->read);
        assert_true(got->fit == want->fit);
        assert_true(got->predicted == want->predicted);
        snprintf(name, sizeof name, "there-is-no-file-%d.mat", workers[i].kind);
        assert_non_null(strstr(workers[i].error, name));
    }
    assert_int_equal(openblas_get_num_threads ? openblas_get_num_threads() : 0, host);
}

/* ---- shared data and model ---------------------------------------------------------------- */

typedef struct shared {
    const onefold_dataset *data;
    const onefold_model *model;
    const int32_t *labels;
    double objective;
} shared;

/* 0 where it all comes out the same. */
static void *use(void *opaque)
{
    const shared *in = opaque;
    size_t n = onefold_dataset_describe(in->data)->samples;
    onefold_fit_options options = paper_options();
    onefold_prediction to = ONEFOLD_PREDICTION_INIT;
    onefold_result *result = NULL;
    options.clusters = 4;
    options.restarts = 2;
    options.keep_model = 1;
    to.labels = calloc(n, sizeof *to.labels);
    int same =
        onefold_predict(&to, NULL, in->model, in->data, 0, n) == ONEFOLD_OK &&
        memcmp(to.labels, in->labels, n * sizeof *to.labels) == 0 &&
        onefold_fit(&result, NULL, in->data, &options) == ONEFOLD_OK &&
        onefold_result_describe(result)->objective == in->objective &&
        memcmp(onefold_result_describe(result)->labels, in->labels, n * sizeof *to.labels) == 0;
    free(to.labels);
    onefold_result_free(result);
    return same ? NULL : opaque;
}

/* The context is the default one for all of them. */
static void data_and_models_are_shared_by_readers(void **state)
{
    (void)state;
    onefold_dataset *data;
    onefold_result *result;
    onefold_fit_options options = paper_options();
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    pthread_t thread[THREADS];
    made.samples = 400;
    made.clusters = 4;
    options.clusters = 4;
    options.restarts = 2;
    options.keep_model = 1;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &made));
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    shared in = {data, onefold_result_describe(result)->model,
                 onefold_result_describe(result)->labels, info->objective};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, use, &in), 0);
    for (int i = 0; i < THREADS; i++) {
        void *differs;
        pthread_join(thread[i], &differs);
        assert_null(differs);
    }
    onefold_result_free(result);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_threads_get_the_bits_of_one),
        cmocka_unit_test(data_and_models_are_shared_by_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
