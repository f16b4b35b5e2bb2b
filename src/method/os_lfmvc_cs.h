/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OS-LFMVC-CS, one-step late fusion multi-view clustering with compressed subspace, in the
 * small-matrix form of docs/method.md. The names are the paper's: n samples, p views, k rows of a
 * base partition, m anchors, mu clusters; W_i, beta, P, S, C, Y as in section 1 there. P and S are
 * never stored; what is kept of them is XP = X P and XS = X S'.
 */
#ifndef OF_METHOD_OS_LFMVC_CS_H
#define OF_METHOD_OS_LFMVC_CS_H

#include "base/memory.h"
#include "method/beta_bounds.h"
#include "method/method.h"
#include "method/picture.h"
#include "method/stack.h"
#include "partition/machine_rates.h"
#include "partition/partition.h"

/* What is to be solved. */
typedef struct of_cs_problem {
    const of_stack *X; /* pk x n */
    size_t p, k, m, mu;
    /* Of these: restarts, start, variant, nonneg, stop, tolerance, max_iterations, seed. */
    const onefold_fit_options *options;
    const of_beta_bounds *bounds; /* on beta, or NULL */
} of_cs_problem;

/* One restart's end. */
typedef struct of_cs_end {
    double J;
    size_t iterations;
    int converged;
    size_t clusters_used;
} of_cs_end;

/* What was found. Arrays are from the arena that was given. */
typedef struct of_cs_result {
    int32_t *labels;     /* n: the best restart's, as all that follows */
    double *W;           /* k x pk: W_1, ..., W_p side by side */
    double *beta;        /* p */
    double *C;           /* k x mu */
    of_share H;          /* k x n: the fused embedding, H = sum_i beta_i W_i H_i; where samples are
                            split over processes, of this one's */
    size_t *sizes;       /* mu: samples in each cluster */
    double *trace;       /* J after each iteration; best->iterations of them */
    double *traces;      /* the same of every restart, one after the other; NULL: large n */
    size_t restarts;     /* how many ends there are */
    size_t best_restart; /* which of them was kept */
    of_cs_end *end;      /* one per restart */
} of_cs_result;

/* Solves it: every restart, the best of them kept (section 5). Did not converge is no error. */
onefold_status of_cs_solve(of_context *context, of_arena *arena, const of_cs_problem *problem,
                           of_cs_result *result);

/* What a report draws of it. `present` is samples x views, or NULL. Arrays are from `arena`. */
onefold_status of_cs_picture(of_context *context, of_arena *arena, const of_cs_problem *problem,
                             const of_cs_result *result, const of_partition *partitions,
                             const uint8_t *present, of_picture **picture);

/* The most bytes of_cs_solve holds at once on `threads` threads, its result included, X not. */
onefold_status of_cs_estimate_bytes(size_t *bytes, size_t n, size_t p, size_t k, size_t m,
                                    size_t mu, size_t restarts, int threads);

/* Adds the room in which tiles of a stack in single precision are made double. */
onefold_status of_cs_add_single_bytes(size_t *bytes, size_t n, size_t p, size_t k, int threads);

/* About how long of_cs_solve will take. Iterations are not known before: typical counts stand in.
 * Passes are those over X. */
typedef struct of_cs_estimate {
    double seconds;
    size_t iterations, passes;
} of_cs_estimate;
void of_cs_estimate_time(size_t n, size_t p, size_t k, size_t m, size_t mu,
                         const onefold_fit_options *options, const of_rates *rates,
                         of_cs_estimate *estimate);

/* Multiplications and additions of one pass over n samples. */
double of_cs_pass_flops(double n, double p, double k, double m, double mu);

/* ---- one start, for tests and for whoever wants to look inside ------------------------------ */

/* A start that is given. NULL stands for what options->start would do. */
typedef struct of_cs_given {
    const double *W;       /* k x pk */
    const double *beta;    /* p, of length 1; NULL: 1/sqrt(p) */
    const int32_t *labels; /* n, 0 .. mu-1 */
    int labels_there;      /* or the card that X is on has them, as the first run's */
    size_t restart;        /* which restart's random numbers stand in for what is NULL */
    /* p: the order in which the W-step visits the views; NULL: 0 .. p-1. */
    const size_t *order;
} of_cs_given;

/* A run at some moment. */
typedef struct of_cs_state {
    double *W;       /* k x pk */
    double *beta;    /* p */
    double *B;       /* k x pk: beta_1 W_1, ..., beta_p W_p, so that H = B X */
    double *XS;      /* pk x m: X S' */
    double *XP;      /* pk x m: X P */
    double *XY;      /* pk x mu: X Y' */
    double *R;       /* k x m: H P */
    double *C;       /* k x mu; right behind R */
    int32_t *labels; /* n: Y */
    size_t *sizes;   /* mu */
} of_cs_state;

typedef enum of_cs_step {
    OF_CS_START, /* the start is complete; iteration 0 */
    OF_CS_W,     /* one view's W is new; once per view */
    OF_CS_BETA,
    OF_CS_P,
    OF_CS_C,
    OF_CS_S,
    OF_CS_Y,    /* the iteration is complete, unless OF_CS_BACK follows */
    OF_CS_LEAP, /* W and beta have gone further (ONEFOLD_STOP_SETTLED); after OF_CS_BETA */
    OF_CS_BACK  /* J would have fallen: W, beta, S and Y are as before that; P, C, S, Y follow */
} of_cs_step;

/* Told J = T1 + T2 after every step. S and Y are found in one pass: at OF_CS_S the state already
 * holds the new XY and labels, and J is that of the new S with the old Y. */
typedef struct of_cs_watch {
    void *user;
    onefold_status (*step)(void *user, of_cs_step step, size_t iteration, const of_cs_state *state,
                           double J);
} of_cs_watch;

/* Runs one start. `given` and `watch` may be NULL. The result has one restart. */
onefold_status of_cs_run(of_context *context, of_arena *arena, const of_cs_problem *problem,
                         const of_cs_given *given, const of_cs_watch *watch, of_cs_result *result);

/* The aligned W (k x pk) from N = X X' (pk x pk), section 5 step 2. alignment[0] and [1], if not
 * NULL, are sum over i != j of <W_i H_i, W_j H_j> from the eigenvectors, and after the sweeps. */
onefold_status of_cs_align(of_context *context, size_t p, size_t k, const double *N, double *W,
                           double *alignment);

/* N = X X' (pk x pk), both triangles. */
onefold_status of_cs_gram(of_context *context, const of_stack *X, double *N);

/* What each view by itself would say of a result: own (n x p) has the label argmax C' W_i h_i of
 * each sample, OF_CS_NO_LABEL where it lacks view i; confidence (n) that of the fused label; parts
 * (p x n) what each view adds to the score of the label, beta_i c_y' W_i h_i. Each may be NULL. Of
 * this process's share, where samples are split. */
enum { OF_CS_NO_LABEL = -1 };
onefold_status of_cs_explain(of_context *context, const of_cs_problem *problem,
                             const of_cs_result *result, int32_t *own, double *confidence,
                             double *parts);

/* The restarts of a result, and what became of the best, as a method tells them. */
onefold_status of_cs_keep_restarts(of_outcome *outcome, const of_cs_result *result);

#endif
