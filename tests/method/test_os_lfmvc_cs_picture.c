/* SPDX-License-Identifier: Apache-2.0 */
/* What a report draws of a fit: parts that add up to 1 and speak for the labels, pictures that are
 * kernel components, spectra, and the trace of every restart. */
#include "base/team.h"
#include "data/dataset.h"
#include "method/base_stage.h"
#include "method/os_lfmvc_cs.h"
#include "model/fit.h"
#include "support/check.h"
#include "support/paper_options.h"

#include <math.h>
#include <string.h>

/* A problem on synthetic data of three views, some of them missing, solved. */
typedef struct solved {
    onefold_dataset *data;
    of_fit_plan plan;
    of_stack X;
    of_partition *partitions;
    of_cs_problem problem;
    of_cs_result result;
} solved;

static void solve(of_arena *arena, size_t n, solved *s)
{
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = paper_options();
    made.samples = n;
    made.clusters = 4;
    made.missing = 0.1;
    options.clusters = 4;
    options.restarts = 3;
    CHECK_OK(onefold_dataset_synth(&s->data, NULL, &made));
    CHECK_OK(of_fit_plan_make(arena->context, arena, &s->data->set, &options, &s->plan));
    CHECK_OK(OF_NEW_ZERO(arena, &s->partitions, 3, 1));
    CHECK_OK(of_base_stage(arena->context, arena, arena, &s->plan.problem, &s->X, s->partitions));
    s->problem = (of_cs_problem){
        &s->X, 3, s->plan.options.dims, s->plan.options.anchors, 4, &s->plan.options};
    CHECK_OK(of_cs_run(arena->context, arena, &s->problem, NULL, NULL, &s->result));
}

static void parts_and_places(void **state)
{
    (void)state;
    enum { N = 500 };
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    solved s;
    of_picture *picture;
    solve(&scratch, N, &s);
    const uint8_t *present = s.data->set.present;
    CHECK_OK(of_cs_picture(scratch.context, &scratch, &s.problem, &s.result, s.partitions, present,
                           &picture));
    const double *X = s.X.data, *W = s.result.W, *C = s.result.C;
    size_t k = s.problem.k, spoken = 0;
    for (size_t j = 0; j < N; j++) {
        double score[3], sum = 0, total = 0;
        for (size_t i = 0; i < 3; i++) { /* beta_i c_y' W_i h_i, straight from its letters */
            score[i] = 0;
            for (size_t a = 0; a < k; a++)
                for (size_t b = 0; b < k; b++)
                    score[i] += C[a + (size_t)s.result.labels[j] * k] * W[a + (i * k + b) * k] *
                                X[j * s.X.rows + i * k + b] * s.result.beta[i];
            sum += fmax(0, score[i]);
        }
        for (size_t i = 0; i < 3; i++) {
            const float *place = picture->places + 2 * (i * N + j);
            float part = picture->parts[j * 3 + i];
            if (!present[j * 3 + i]) {
                assert_true(isnan(part) && isnan(place[0]) && isnan(place[1]));
                continue;
            }
            if (sum > 0)
                CHECK_CLOSE(part, fmax(0, score[i]) / sum, 1e-5, 1e-6);
            else
                assert_true(isnan(part));
            total += part;
            for (size_t r = 0; r < 2; r++)
                CHECK_CLOSE(place[r], X[j * s.X.rows + i * k + r] * sqrt(s.partitions[i].values[r]),
                            1e-5, 1e-8);
        }
        if (sum > 0)
            CHECK_CLOSE(total, 1, 1e-5, 0);
        spoken += sum > 0;
    }
    assert_true(spoken > N * 95 / 100);
    onefold_dataset_free(s.data);
}

static void spectra_and_traces(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    solved s;
    of_picture *picture;
    solve(&scratch, 300, &s);
    CHECK_OK(of_cs_picture(scratch.context, &scratch, &s.problem, &s.result, s.partitions,
                           s.data->set.present, &picture));
    for (size_t e = 0; e < 3 * s.problem.k; e++)
        assert_true(e % s.problem.k == 0 || picture->spectrum[e] <= picture->spectrum[e - 1]);
    const double *trace = picture->traces;
    for (size_t r = 0; r < s.result.restarts; r++) {
        size_t length = s.result.end[r].iterations;
        assert_true(trace[length - 1] == s.result.end[r].J);
        if (r == s.result.best_restart)
            assert_memory_equal(trace, s.result.trace, length * sizeof *trace);
        trace += length;
    }
    onefold_dataset_free(s.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_places),
        cmocka_unit_test(spectra_and_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
