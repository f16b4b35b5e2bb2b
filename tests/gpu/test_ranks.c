/* SPDX-License-Identifier: Apache-2.0 */
/* Samples split over ranks, each of which has a GPU for its share: what one process on a GPU
 * says. The ranks are threads here; tests/comm does the same with MPI. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"
#include "support/ranks.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 3 };

typedef struct rank_case {
    size_t n, views, columns, split_above;
    double density; /* 0: dense */
    onefold_fit_options fit;
    const char *says;   /* of one process, in its note */
    const char *shared; /* of ranks; NULL: the same */
    double near;        /* 0: the objective to the last bit */
    onefold_device device[MOST_RANKS];
    gpu_ran found[MOST_RANKS];
} rank_case;

static onefold_status fit_case(of_context *context, const rank_case *c, onefold_device device,
                               gpu_ran *to)
{
    const size_t columns[2] = {c->columns, c->columns};
    onefold_dataset *dataset = NULL;
    onefold_result *result = NULL;
    onefold_synth_options data = ONEFOLD_SYNTH_OPTIONS_INIT;
    data.samples = c->n;
    data.views = c->views;
    data.clusters = c->fit.clusters;
    data.columns = columns;
    if (c->density > 0)
        data.density = c->density;
    data.separation = c->density > 0 ? 60 : 8;
    onefold_status status = onefold_context_set_device(context, device);
    if (status == ONEFOLD_OK)
        status = onefold_dataset_synth(&dataset, context, &data);
    if (status == ONEFOLD_OK)
        status = onefold_fit(&result, context, dataset, &c->fit);
    if (status == ONEFOLD_OK) {
        const onefold_fit_info *info = onefold_result_describe(result);
        memcpy(to->labels + info->first, info->labels, info->held * sizeof *to->labels);
        to->objective = info->objective;
        snprintf(to->note, sizeof to->note, "%s", info->note ? info->note : "");
    }
    onefold_result_free(result);
    onefold_dataset_free(dataset);
    return status;
}

static onefold_status fit_on_rank(of_context *context, int rank, void *user)
{
    rank_case *c = user;
    return fit_case(context, c, c->device[rank], &c->found[rank]);
}

static rank_case case_of(size_t n, size_t views, size_t columns, const char *kernel)
{
    rank_case c = {.n = n, .views = views, .columns = columns, .split_above = 66000, .near = 1e-10};
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    fit.method = "os-lfmvc-cs";
    fit.clusters = 2;
    fit.restarts = 1;
    fit.max_iterations = 2;
    fit.kernel = kernel;
    c.fit = fit;
    for (int r = 0; r < MOST_RANKS; r++)
        c.device[r] = ONEFOLD_DEVICE_GPU;
    return c;
}

static void check_note(const gpu_ran *found, const char *says)
{
    if (!strstr(found->note, says))
        fail_msg("the note is '%s', without '%s'", found->note, says);
}

/* To the last bit where all is done alike; else the same clusters, since of restarts that come to
 * the same the first by a bit is taken. */
static void check_labels(const rank_case *c, const gpu_ran *one, const gpu_ran *alone)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    if (c->near == 0)
        assert_memory_equal(one->labels, alone->labels, c->n * sizeof *one->labels);
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, one->labels, alone->labels, c->n));
    if (!(scores.acc == 1))
        fail_msg("labels agree on %.9g of the samples", scores.acc);
}

/* Every rank says what one process on a GPU does; all ranks say the same to the last bit. */
static void check_case(rank_case *c, int ranks)
{
    gpu_ran alone = {.labels = calloc(c->n, sizeof(int32_t))};
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(fit_case(context, c, ONEFOLD_DEVICE_GPU, &alone));
    onefold_context_free(context);
    check_note(&alone, c->says);
    for (int r = 0; r < ranks; r++)
        c->found[r].labels = calloc(c->n, sizeof(int32_t));
    ranks_run_ok(ranks, 1, c->split_above, fit_on_rank, c);
    for (int r = 0; r < ranks; r++) {
        const gpu_ran *one = &c->found[r];
        check_note(one, c->shared ? c->shared : c->says);
        of_range held = ranks_held(ranks, r, c->split_above, c->n);
        if (r == 0)
            check_labels(c, one, &alone);
        assert_memory_equal(one->labels + held.first, c->found[0].labels + held.first,
                            (held.end - held.first) * sizeof *one->labels);
        assert_true(one->objective == c->found[0].objective);
        if (!(fabs(one->objective - alone.objective) <= c->near * fabs(alone.objective)))
            fail_msg("objective %.17g, of one process %.17g", one->objective, alone.objective);
    }
    for (int r = 0; r < ranks; r++)
        free(c->found[r].labels);
    free(alone.labels);
}

/* ---- the routes ----------------------------------------------------------------------------- */

static void gram_is_split_over_gpus(void **state)
{
    (void)state;
    rank_case c = case_of(66001, 2, 4, "linear");
    c.says = "of 2 of 2 views";
    c.shared = "(1 GPU, 3 ranks): base partitions of 2 of 2 views";
    check_case(&c, 3);
}

/* So few that every sample is summed, in double precision. */
static void landmarks_of_few_are_split_over_gpus(void **state)
{
    (void)state;
    rank_case c = case_of(66001, 1, 4, "rbf");
    c.fit.landmarks = 16;
    c.says = "of 1 of 1 views";
    c.shared = "(2 GPUs, 2 ranks): base partitions of 1 of 1 views";
    if (!gpu_is_real())
        setenv("ONEFOLD_EMULATED_GPUS", "2", 1);
    else
        c.shared = " ranks): base partitions of 1 of 1 views";
    check_case(&c, 2);
    if (!gpu_is_real())
        assert_non_null(strstr(onefold_device_description(), "2 GPUs, the first "));
    unsetenv("ONEFOLD_EMULATED_GPUS");
}

/* So many that a part is summed and all are projected. */
static void landmarks_of_many_are_split_over_gpus(void **state)
{
    (void)state;
    if (!gpu_is_real() && !check_everything()) /* emulated it takes as long as all the others */
        return;
    rank_case c = case_of(132000, 1, 5, "rbf");
    c.split_above = 1 << 17;
    c.fit.landmarks = 16;
    c.fit.precision = ONEFOLD_SINGLE;
    c.fit.max_iterations = 1;
    c.says = "of 1 of 1 views";
    c.near = 1e-5;
    c.shared = "2 ranks): base partitions of 1 of 1 views";
    check_case(&c, 2);
}

/* Sparse samples that are split are the CPU's, and their partition is sent. */
static void sparse_views_are_the_cpus(void **state)
{
    (void)state;
    rank_case c = case_of(66001, 1, 40, "linear");
    c.density = 0.2;
    c.says = "of 1 of 1 views";
    c.shared = "2 ranks): base partitions of 0 of 1 views";
    check_case(&c, 2);
}

/* Restarts compete on a sample, each rank's GPU with some of them, and the winner is finished by
 * shares. */
static void restarts_are_shared_out(void **state)
{
    (void)state;
    rank_case c = case_of(66001, 1, 4, "linear");
    c.fit.restarts = 3;
    c.says = "of 1 of 1 views";
    c.shared = "2 ranks): base";
    check_case(&c, 2);
}

/* Few samples are not split: each rank's GPU has some of the restarts, with the bits of one
 * process, labels among them. */
static void restarts_of_few_samples_are_shared_out(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 3; ranks++) {
        rank_case c = case_of(700, 2, 6, "linear");
        c.fit.clusters = 4;
        c.fit.restarts = 5;
        c.fit.max_iterations = 60; /* restarts settle one after the other */
        c.near = 0;
        c.says = "of 2 of 2 views";
        check_case(&c, ranks);
    }
}

/* ---- faults --------------------------------------------------------------------------------- */

/* A GPU too small for a share: all ranks leave it to the CPU, with the CPU's bits. */
static void small_gpus_leave_it_to_the_cpu(void **state)
{
    (void)state;
    rank_case c = case_of(66001, 1, 4, "linear");
    if (gpu_is_real())
        return;
    setenv("ONEFOLD_GPU_MEMORY", "20K", 1);
    c.says = c.shared = "";
    c.near = 0;
    check_case(&c, 2);
    unsetenv("ONEFOLD_GPU_MEMORY");
    assert_true(!strstr(c.found[0].note, "solver"));
}

/* The GPU of one rank has no memory to be opened with: the CPU does it on all. */
static void one_full_gpu_leaves_all_to_the_cpu(void **state)
{
    (void)state;
    rank_case c = case_of(700, 1, 4, "linear");
    long (*fail_call)(long, int);
    void *library = dlopen(getenv("ONEFOLD_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&fail_call = dlsym(library, "of_emulate_fail");
    if (!fail_call)
        return;
    for (int r = 0; r < 2; r++)
        c.found[r].labels = calloc(c.n, sizeof(int32_t));
    fail_call(1, 2); /* of whichever rank comes first */
    ranks_run_ok(2, 1, c.split_above, fit_on_rank, &c);
    fail_call(0, 0);
    for (int r = 0; r < 2; r++) {
        check_note(&c.found[r], "by the CPU: the GPU has no memory left");
        free(c.found[r].labels);
    }
}

static void check_refusal(rank_case *c, onefold_status status, const char *text)
{
    of_error outcome[2];
    for (int r = 0; r < 2; r++)
        c->found[r].labels = calloc(c->n, sizeof(int32_t));
    ranks_run(2, 1, c->split_above, fit_on_rank, c, outcome);
    for (int r = 0; r < 2; r++) {
        if (outcome[r].status != status || !strstr(outcome[r].message, text))
            fail_msg("rank %d: %s", r, outcome[r].message);
        free(c->found[r].labels);
    }
}

static void ranks_with_and_without_a_gpu_are_refused(void **state)
{
    (void)state;
    rank_case c = case_of(700, 1, 4, "linear");
    c.device[1] = ONEFOLD_DEVICE_CPU;
    check_refusal(&c, ONEFOLD_BAD_DATA, "rank 0 and rank 1 have different options");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_is_split_over_gpus),
        cmocka_unit_test(landmarks_of_few_are_split_over_gpus),
        cmocka_unit_test(landmarks_of_many_are_split_over_gpus),
        cmocka_unit_test(sparse_views_are_the_cpus),
        cmocka_unit_test(restarts_are_shared_out),
        cmocka_unit_test(restarts_of_few_samples_are_shared_out),
        cmocka_unit_test(small_gpus_leave_it_to_the_cpu),
        cmocka_unit_test(one_full_gpu_leaves_all_to_the_cpu),
        cmocka_unit_test(ranks_with_and_without_a_gpu_are_refused),
    };
    return cmocka_run_group_tests(tests, gpu_find, NULL);
}
