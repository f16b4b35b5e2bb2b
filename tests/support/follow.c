/* SPDX-License-Identifier: Apache-2.0 */
/* A step of a run is a step of the literal form; views of weight 0 are passed over by the W-step.
 */
#include "support/follow.h"

#include "oracle/plain.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

void follow_aligned_start(follower *f, const of_cs_state *state)
{
    const of_cs_problem *q = f->problem;
    size_t n = q->X->samples, pk = q->p * q->k;
    double *H = plain_times(q->k, pk, n, state->B, f->X), *Ht = plain_flip(q->k, n, H);
    double *F = plain_times(q->k, n, q->k, H, Ht), *inverse = plain_inverse(q->k, F);
    double *FR = plain_times(q->k, q->k, q->m, inverse, state->R);
    double *P = plain_times(n, q->k, q->m, Ht, FR);
    f->dense =
        cs_dense_make(n, q->p, q->k, q->m, q->mu, q->options->variant == ONEFOLD_VARIANT_PRINTED,
                      q->options->nonneg, f->X, state->W, state->beta, P, NULL, state->labels);
    free(H);
    free(Ht);
    free(F);
    free(inverse);
    free(FR);
    free(P);
}

void follow_step(follower *f, of_cs_step step)
{
    if (step == OF_CS_W) {
        while (f->dense->beta[f->view] == 0)
            f->view++;
        cs_dense_step_W(f->dense, f->view++);
    } else if (step == OF_CS_BETA) {
        cs_dense_step_beta(f->dense);
        f->view = 0;
    } else if (step == OF_CS_P) {
        cs_dense_step_P(f->dense);
    } else if (step == OF_CS_C) {
        cs_dense_step_C(f->dense);
    } else {
        assert_int_equal(step, OF_CS_Y);
        double before = cs_dense_objective(f->dense);
        cs_dense_step_S(f->dense);
        assert_true(cs_dense_objective(f->dense) >= before * (1 - 1e-12));
        cs_dense_step_Y(f->dense);
    }
}

void follow_objective(const follower *f, of_cs_step step, size_t iteration, double J)
{
    double want = cs_dense_objective(f->dense);
    if (!(fabs(J - want) <= 1e-9 * fabs(want)))
        fail_msg("iteration %zu step %d: J is %.17g, not %.17g", iteration, (int)step, J, want);
}
