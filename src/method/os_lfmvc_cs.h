/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OS-LFMVC-CS, one-step late fusion multi-view clustering with compressed subspace, in the
 * small-matrix form of docs/method.md. The names are the paper's: n samples, p views, k rows of a
 * base partition, m anchors, mu clusters; W_i, beta, P, S, C, Y as in section 1 there. P and S are
 * never stored; what is kept of them is XP = X P and XS = X S'.
 */
#ifndef OF_METHOD_OS_LFMVC_CS_H
#define OF_METHOD_OS_LFMVC_CS_H

#include "method/base_stage.h"

typedef struct of_cs_problem {
    const of_stack *X; /* pk x n */
    size_t p, k, m, mu;
    /* The solver uses restarts, start, variant, nonneg, stop, tolerance, max_iterations, seed. */
    const onefold_fit_options *options;
    const of_beta_bounds *bounds; /* on beta, or NULL */
} of_cs_problem;

/* How one restart ended. */
typedef struct of_cs_end {
    double J;
    size_t iterations;
    int converged;
    size_t clusters_used;
} of_cs_end;

/* The result of the best restart. Arrays are from the arena of of_cs_run. */
typedef struct of_cs_result {
    int32_t *labels; /* of the samples that X holds */
    double *W;       /* k x pk: W_1, ..., W_p side by side */
    double *beta;    /* p */
    double *C;       /* k x mu */
    of_share H;      /* k x n: the fused embedding, H = sum_i beta_i W_i H_i; this process's columns
                        where samples are split */
    size_t *sizes;   /* mu: samples in each cluster */
    double *trace;   /* J after each iteration of the best restart */
    double *traces;  /* the same for every restart, one after the other; NULL: large n */
    size_t restarts, best_restart;
    of_cs_end *end; /* restarts */
} of_cs_result;

/* Adds the work, iterations and passes over X of `times` calls of of_cs_run to an estimate. The
 * number of iterations is a typical one. */
void of_cs_work(const of_context *context, size_t n, size_t p, size_t k, size_t m, size_t mu,
                const onefold_fit_options *options, size_t times, of_method_estimate *estimate);

/* Multiplications and additions of one pass over n samples. */
double of_cs_pass_flops(double n, double p, double k, double m, double mu);

/* ---- one given start, and a callback after each step ----------------------------------------- */

/* A given start. What is NULL is made as options->start says. */
typedef struct of_cs_given {
    const double *W;       /* k x pk */
    const double *beta;    /* p, of length 1; NULL: 1/sqrt(p) */
    const int32_t *labels; /* 0 .. mu-1, of the samples that X holds */
    size_t restart;        /* the restart whose random numbers make what is NULL */
    /* p: the order in which the W-step visits the views; NULL: 0 .. p-1. */
    const size_t *order;
} of_cs_given;

/* The variables of a run. */
typedef struct of_cs_state {
    double *W;       /* k x pk */
    double *beta;    /* p */
    double *B;       /* k x pk: beta_1 W_1, ..., beta_p W_p, so that H = B X */
    double *XS;      /* pk x m: X S' */
    double *XP;      /* pk x m: X P */
    double *XY;      /* pk x mu: X Y' */
    double *R;       /* k x m: H P */
    double *C;       /* k x mu; directly after R in memory */
    int32_t *labels; /* Y, of the samples that X holds */
    size_t *sizes;   /* mu */
} of_cs_state;

typedef enum of_cs_step {
    OF_CS_START, /* the start is complete; iteration 0 */
    OF_CS_W,     /* one view's W is new; once per view */
    OF_CS_BETA,
    OF_CS_P,
    OF_CS_C,
    OF_CS_Y,           /* S and Y, by one pass: ends the iteration, unless OF_CS_UNDO follows */
    OF_CS_EXTRAPOLATE, /* longer steps of W and beta (ONEFOLD_STOP_SETTLED); after OF_CS_BETA */
    OF_CS_UNDO /* J fell: W, beta, S and Y are those before OF_CS_EXTRAPOLATE; P, C, Y follow */
} of_cs_step;

/* A function that is called after every step with J = T1 + T2. */
typedef struct of_cs_watch {
    void *user;
    onefold_status (*step)(void *user, of_cs_step step, size_t iteration, const of_cs_state *state,
                           double J);
} of_cs_watch;

/* Runs every restart and keeps the best (section 5), or one run alone where `given` or `watch` is
 * not NULL. A run that does not converge is no error. */
onefold_status of_cs_run(of_context *context, of_arena *arena, const of_cs_problem *problem,
                         const of_cs_given *given, const of_cs_watch *watch, of_cs_result *result);

/* The aligned W (k x pk) from N = X X' (pk x pk), section 5 step 1. alignment[0] and [1], if not
 * NULL, are the sum over i != j of <W_i H_i, W_j H_j> before and after the sweeps. */
onefold_status of_cs_align(of_context *context, size_t p, size_t k, const double *N, double *W,
                           double *alignment);

/* Explains a result for the n samples that X holds. Each output may be NULL.
 * own (n x p): the label by view i alone, argmax C' W_i h_i; OF_CS_NO_LABEL: the view is missing.
 * confidence (n): of the fused label.
 * parts (p x n): each view's term in the score of the label, beta_i c_y' W_i h_i. */
enum { OF_CS_NO_LABEL = -1 };
onefold_status of_cs_explain(of_context *context, const of_cs_problem *problem,
                             const of_cs_result *result, int32_t *own, double *confidence,
                             double *parts);

/* Copies the ends of all restarts, and the traces, into the outcome. */
onefold_status of_cs_keep_restarts(of_outcome *outcome, const of_cs_result *result);

/* ---- between the files of the solver; sections are those of docs/method.md ------------------ */

typedef struct of_cs_sizes {
    size_t n, p, k, m, mu;
    size_t pk; /* p * k: rows of X */
} of_cs_sizes;

/* ---- one run ------------------------------------------------------------------------------ */

/* What a run with longer steps keeps. */
typedef struct of_cs_last {
    double *W, *beta; /* k x pk, p: after the last plain step */
    double *XS, *XY;  /* pk x m, pk x mu: of the pass of the iteration before */
    size_t moved;     /* labels that this pass changed */
} of_cs_last;

/* A run and its small matrices. */
typedef struct of_cs_runner {
    of_cs_state now;
    of_cs_end end;
    of_cs_last last; /* empty where options->stop is not ONEFOLD_STOP_SETTLED */
    int extrapolated, undone;
    size_t moved;      /* labels that the last pass changed */
    size_t slot;       /* number of the restart */
    int labels_on_gpu; /* the GPU has newer labels than now.labels */
    double *trace;     /* max_iterations */
    double *US, *UP;   /* km x p: W_i XS_i and W_i XP_i, a view contiguous */
    double *TS, *TP;   /* k x m: B XS and B XP */
    double *T;         /* pk x k: N B' */
    double *F, *G;     /* k x k */
    double *value;     /* k */
    double *M0, *M1;   /* k x m */
    double *BXY;       /* k x mu */
    double *A;         /* p x p */
    double *f;         /* p */
} of_cs_runner;

/* Allocates a run on `held` of the samples. Labels and sizes are zero, the rest is not set. */
onefold_status of_cs_runner_make(of_arena *arena, const of_cs_sizes *sizes, size_t held,
                                 const onefold_fit_options *options, of_cs_runner *run);

/* ---- restarts (section 5, os_lfmvc_cs_restarts.c) ------------------------------------------- */

/* What the restarts share, and the restarts. */
typedef struct of_cs_solver {
    of_context *context;
    const of_cs_problem *problem;
    of_cs_sizes sizes;
    double *N;              /* pk x pk */
    const double *W, *beta; /* of the aligned start */
    const double *H;        /* k x n: embedding of the aligned start, columns of unit length */
    const of_cs_given *given;
    const of_cs_watch *watch;
    of_cs_runner *runs; /* restarts */
    size_t restarts;
} of_cs_solver;

/* A pass over the data (section 3): S and Y from R and C, kept as XS, XY, labels and sizes of the
 * run. With `keep_labels` Y stays, as in the pass of a start. Tiles and the order of the sums
 * depend on the sizes alone. */
onefold_status of_cs_pass(const of_cs_solver *s, int keep_labels, of_cs_runner *run);

/* Copies the labels of a run from the GPU, where its passes keep them, into now.labels. */
onefold_status of_cs_pass_labels(const of_stack *X, of_cs_runner *run);

/* B = [beta_1 W_1, ..., beta_p W_p]. */
void of_cs_set_B(const of_cs_sizes *sizes, of_cs_state *now);

/* P = polar(H'H S') (section 3), as R and XP, in two parts:
 * factor_H: F = H H' = V L V', with V in run->F, the roots of L in run->value, and run->T = N B';
 * set_P: R = V L^(1/2) E and XP = T V L^(-1/2) E, for the isometry E (rank x m) in run->M1. */
onefold_status of_cs_step_P(const of_cs_solver *s, of_cs_runner *run);
onefold_status of_cs_factor_H(const of_cs_solver *s, of_cs_runner *run, size_t *rank);
void of_cs_set_P(const of_cs_solver *s, of_cs_runner *run, size_t rank);

/* C = polar(B XY). */
onefold_status of_cs_step_C(const of_cs_solver *s, of_cs_runner *run);

/* Iterations from + 1 .. to of a run, or until it converges. */
onefold_status of_cs_iterate(const of_cs_solver *s, of_cs_runner *run, size_t from, size_t to);

/* Runs every restart from its start to its end. */
onefold_status of_cs_run_restarts(of_cs_solver *s, of_arena *scratch);

/* ---- large n (os_lfmvc_cs_solve.c) ---------------------------------------------------------- */

/* Size of the even sample (of_part_start) that restarts run on first: n, at most 32 768. There is
 * no jump at this limit, so that more samples never take less time. */
size_t of_cs_sample_size(size_t n);

/* ---- CPU or GPU (os_lfmvc_cs_pass.c, os_lfmvc_cs_device.c) ---------------------------------- */

/* The solver's work over all samples. All its other work is on small matrices. */
typedef struct of_cs_backend {
    /* N = X X' (pk x pk), both triangles. */
    onefold_status (*gram)(of_context *context, const of_stack *X, double *N);
    /* H = B X (k x n), with `unit` its columns scaled to length 1. */
    onefold_status (*embed)(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                            const double *B, int unit, of_share H);
    /* The pass of a run into sums: XS (pk x m), XY (pk x mu), sizes (mu), number of new labels. */
    onefold_status (*pass)(const of_cs_solver *s, int keep_labels, of_cs_runner *run, size_t length,
                           double *sums);
    /* y = argmax CB x of every sample that X holds. CB is mu x pk. */
    onefold_status (*label)(of_context *context, const of_stack *X, size_t mu, const double *CB,
                            int32_t *labels);
    /* Columns place[i] of X (rows x count, in rising order) that this process has. */
    onefold_status (*sample)(of_context *context, const of_stack *X, const size_t *place,
                             size_t count, double *out);
    /* As of_cs_explain; CW is mu x pk. */
    onefold_status (*explain)(of_context *context, const of_cs_problem *problem,
                              const of_cs_result *result, const double *CW, int32_t *own,
                              double *confidence, double *parts);
} of_cs_backend;

extern const of_cs_backend of_cs_backend_cpu, of_cs_backend_device;

static inline const of_cs_backend *of_cs_backend_of(const of_stack *X)
{
    return X->type == OF_STACK_DEVICE ? &of_cs_backend_device : &of_cs_backend_cpu;
}

/* The CPU's explain. On a GPU it computes `parts`. */
onefold_status of_cs_explain_cpu(of_context *context, const of_cs_problem *problem,
                                 const of_cs_result *result, const double *CW, int32_t *own,
                                 double *confidence, double *parts);

#endif
