/* SPDX-License-Identifier: Apache-2.0 */
/* The literal dense form of OS-LFMVC-CS kept in step with a run of the small-matrix one. */
#ifndef OF_TESTS_SUPPORT_FOLLOW_H
#define OF_TESTS_SUPPORT_FOLLOW_H

#include "method/os_lfmvc_cs.h"
#include "oracle/os_lfmvc_cs_dense.h"

typedef struct follower {
    const of_cs_problem *problem;
    const double *X; /* pk x n */
    cs_dense *dense;
    size_t view; /* the next one the W-step comes to */
} follower;

/* Sets the literal form to an aligned start's state: P = H' (H H')^-1 R lies in the span of H's
 * rows. */
void follow_aligned_start(follower *f, const of_cs_state *state);

/* Takes the literal form through the step that the run has just done. */
void follow_step(follower *f, of_cs_step step);

/* Fails unless J is the literal form's objective to 1e-9. */
void follow_objective(const follower *f, of_cs_step step, size_t iteration, double J);

#endif
