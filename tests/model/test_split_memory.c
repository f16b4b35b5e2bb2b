/* SPDX-License-Identifier: Apache-2.0 */
/* Where samples are split over processes, rank 0 alone has an array of all of them. */
#include "support/check.h"
#include "support/ranks.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 18, MANY = 1 << 19, MOST_RANKS = 8, VIEWS = 2 };

/* Blocks that may hold a label for each of MANY samples: those that do not depend on the number of
 * samples are as many in a fit of few. */
enum { LARGE = MANY * sizeof(int32_t) };

typedef struct memory_case {
    onefold_fit_options fit;
    onefold_dataset *data;
    _Atomic size_t large[MOST_RANKS]; /* blocks */
    size_t held[MOST_RANKS];          /* bytes of the result */
} memory_case;

static void *allocate(void *user, size_t size)
{
    if (size >= LARGE)
        atomic_fetch_add((_Atomic size_t *)user, 1);
    return malloc(size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* What the caller has of a prediction is no part of it: rank 0 alone makes room. */
static onefold_status predict(of_context *context, const memory_case *c, const onefold_model *model)
{
    onefold_prediction out = ONEFOLD_PREDICTION_INIT;
    if (context->comm.rank == 0) {
        out.labels = calloc(MANY, sizeof *out.labels);
        out.confidence = calloc(MANY, sizeof *out.confidence);
    }
    onefold_status status = onefold_predict(&out, context, model, c->data, 0,
                                            onefold_dataset_describe(c->data)->samples);
    free(out.labels);
    free(out.confidence);
    return status;
}

static onefold_status fit_on_rank(of_context *context, int rank, void *user)
{
    memory_case *c = user;
    onefold_result *result = NULL;
    context->hooks.user = &c->large[rank];
    context->hooks.allocate = allocate;
    context->hooks.release = release;
    onefold_status status = onefold_fit(&result, context, c->data, &c->fit);
    c->held[rank] = atomic_load(&context->bytes);
    if (status == ONEFOLD_OK)
        status = predict(context, c, onefold_result_describe(result)->model);
    onefold_result_free(result);
    return status;
}

static void measure(const char *method, size_t n, int ranks, memory_case *c)
{
    const size_t columns[VIEWS] = {2, 2};
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    made.samples = n;
    made.views = VIEWS;
    made.columns = columns;
    made.clusters = fit.clusters = 2;
    made.separation = 8;
    fit.method = method;
    fit.keep_model = 1;
    fit.restarts = 2;
    fit.landmarks = 40;
    *c = (memory_case){.fit = fit};
    if (strcmp(method, "onefold") != 0) {
        c->fit.kernel = "linear";
        c->fit.dims = 2;
        c->fit.precision = ONEFOLD_SINGLE;
        c->fit.max_iterations = 3;
    }
    CHECK_OK(onefold_dataset_synth(&c->data, NULL, &made));
    ranks_run_ok(ranks, 1, 1 << 17, fit_on_rank, c);
    onefold_dataset_free(c->data);
}

static void check_method(const char *method, int ranks)
{
    memory_case few, many;
    measure(method, FEW, ranks, &few);
    measure(method, MANY, ranks, &many);
    for (int r = 0; r < ranks; r++) {
        double more = (double)(many.held[r] - few.held[r]),
               all = (MANY - FEW) * (sizeof(int32_t) + sizeof(double)); /* label, confidence */
        if (r) /* what rank 0 of the default compares the recipes on has blocks by the data */
            assert_int_equal(many.large[r], few.large[r]);
        else if (strcmp(method, "onefold") != 0)
            assert_true(many.large[r] > few.large[r]);
        assert_true(fabs(more / all - (r ? 1.0 / ranks : 1)) < 0.05);
    }
}

static void processes_of_the_default_hold_their_own_samples(void **state)
{
    (void)state;
    check_method("onefold", 3);
}

static void processes_of_os_lfmvc_cs_hold_their_own_samples(void **state)
{
    (void)state;
    check_method("os-lfmvc-cs", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_of_the_default_hold_their_own_samples),
        cmocka_unit_test(processes_of_os_lfmvc_cs_hold_their_own_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
