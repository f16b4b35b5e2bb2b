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
    int32_t *labels;     /* of the samples that X holds: the best restart's, as all that follows */
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

/* Adds what of_cs_run will do, `times` over, to an estimate: its work, iterations and passes over
 * X. Iterations are not known before: typical counts stand in. */
void of_cs_work(const of_context *context, size_t n, size_t p, size_t k, size_t m, size_t mu,
                const onefold_fit_options *options, size_t times, of_method_estimate *estimate);

/* Multiplications and additions of one pass over n samples. */
double of_cs_pass_flops(double n, double p, double k, double m, double mu);

/* ---- one start, for tests and for whoever wants to look inside ------------------------------ */

/* A start that is given. NULL stands for what options->start would do. */
typedef struct of_cs_given {
    const double *W;       /* k x pk */
    const double *beta;    /* p, of length 1; NULL: 1/sqrt(p) */
    const int32_t *labels; /* 0 .. mu-1, of the samples that X holds */
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
    int32_t *labels; /* Y, of the samples that X holds */
    size_t *sizes;   /* mu */
} of_cs_state;

typedef enum of_cs_step {
    OF_CS_START, /* the start is complete; iteration 0 */
    OF_CS_W,     /* one view's W is new; once per view */
    OF_CS_BETA,
    OF_CS_P,
    OF_CS_C,
    OF_CS_Y,    /* S and Y, by one pass: the iteration is complete, unless OF_CS_BACK follows */
    OF_CS_LEAP, /* W and beta have gone further (ONEFOLD_STOP_SETTLED); after OF_CS_BETA */
    OF_CS_BACK  /* J would have fallen: W, beta, S and Y are as before that; P, C, S, Y follow */
} of_cs_step;

/* Told J = T1 + T2 after every step. */
typedef struct of_cs_watch {
    void *user;
    onefold_status (*step)(void *user, of_cs_step step, size_t iteration, const of_cs_state *state,
                           double J);
} of_cs_watch;

/* Solves it: every restart, the best of them kept (section 5). Did not converge is no error. Where
 * a start is given or watched (NULL: neither), that one alone. */
onefold_status of_cs_run(of_context *context, of_arena *arena, const of_cs_problem *problem,
                         const of_cs_given *given, const of_cs_watch *watch, of_cs_result *result);

/* The aligned W (k x pk) from N = X X' (pk x pk), section 5 step 2. alignment[0] and [1], if not
 * NULL, are sum over i != j of <W_i H_i, W_j H_j> from the eigenvectors, and after the sweeps. */
onefold_status of_cs_align(of_context *context, size_t p, size_t k, const double *N, double *W,
                           double *alignment);

/* What each view by itself would say of a result: own (n x p) has the label argmax C' W_i h_i of
 * each sample, OF_CS_NO_LABEL where it lacks view i; confidence (n) that of the fused label; parts
 * (p x n) what each view adds to the score of the label, beta_i c_y' W_i h_i. Each may be NULL, and
 * is of the n samples that X holds. */
enum { OF_CS_NO_LABEL = -1 };
onefold_status of_cs_explain(of_context *context, const of_cs_problem *problem,
                             const of_cs_result *result, int32_t *own, double *confidence,
                             double *parts);

/* The restarts of a result, and what became of the best, as a method tells them. */
onefold_status of_cs_keep_restarts(of_outcome *outcome, const of_cs_result *result);

/* ---- the solver's files, as they see each other; sections are those of docs/method.md ------- */

typedef struct of_cs_sizes {
    size_t n, p, k, m, mu;
    size_t pk; /* p * k: rows of X */
} of_cs_sizes;

/* ---- one run ------------------------------------------------------------------------------ */

/* What a run that leaps keeps of the iteration before. */
typedef struct of_cs_last {
    double *W, *beta; /* k x pk, p: of the plain step, from which it leapt */
    double *XS, *XY;  /* pk x m, pk x mu: of the pass before */
    size_t moved;     /* samples that the pass before moved */
} of_cs_last;

/* A run and its room for small matrices. */
typedef struct of_cs_runner {
    of_cs_state now;
    of_cs_end end;
    of_cs_last last; /* empty where options->stop is not ONEFOLD_STOP_SETTLED */
    int leapt, went_back;
    size_t moved;    /* samples whose label the last pass changed */
    size_t slot;     /* which of the restarts it is */
    int labels_away; /* its labels are on a GPU, newer than now.labels */
    double *trace;   /* max_iterations */
    double *US, *UP; /* km x p: W_i XS_i and W_i XP_i, a view contiguous */
    double *TS, *TP; /* k x m: B XS and B XP */
    double *T;       /* pk x k: N B' */
    double *F, *G;   /* k x k */
    double *value;   /* k */
    double *M0, *M1; /* k x m */
    double *BXY;     /* k x mu */
    double *A;       /* p x p */
    double *f;       /* p */
} of_cs_runner;

/* Memory for a run on `held` of the samples. Labels and sizes are zero, the rest is not set. */
onefold_status of_cs_runner_make(of_arena *arena, const of_cs_sizes *sizes, size_t held,
                                 const onefold_fit_options *options, of_cs_runner *run);

/* ---- restarts (section 5, os_lfmvc_cs_restarts.c) ------------------------------------------- */

/* A problem under way: what the restarts share, and the restarts. */
typedef struct of_cs_solver {
    of_context *context;
    const of_cs_problem *problem;
    of_cs_sizes sizes;
    double *N;              /* pk x pk */
    const double *W, *beta; /* the aligned start's */
    const double *H;        /* k x n: its embedding, columns of unit length */
    const of_cs_given *given;
    const of_cs_watch *watch;
    of_cs_runner *runs; /* restarts */
    size_t restarts;
} of_cs_solver;

/* A pass over the data (section 3, os_lfmvc_cs_pass.c): S and Y from R and C, as XS, XY, labels and
 * sizes of the run. With `keep_labels` S alone: Y stays, as in the start's pass. The cut of X and
 * the order of the sums depend on the sizes alone. */
onefold_status of_cs_pass(const of_cs_solver *s, int keep_labels, of_cs_runner *run);

/* Labels of a run into now.labels, where the passes of a GPU keep them until they are asked for.
 */
onefold_status of_cs_pass_labels(const of_stack *X, of_cs_runner *run);

/* B = [beta_1 W_1, ..., beta_p W_p]. */
void of_cs_set_B(const of_cs_sizes *sizes, of_cs_state *now);

/* R and XP from XS: P = polar(H'H S') without P. Its parts: F = H H' = V L V', V in run->F, the
 * square roots of L in run->value, T = N B', and the rank; then R = V L^(1/2) E and XP = T V
 * L^(-1/2) E for the isometry E (rank x m, in run->M1). */
onefold_status of_cs_step_P(const of_cs_solver *s, of_cs_runner *run);
onefold_status of_cs_factor_H(const of_cs_solver *s, of_cs_runner *run, size_t *rank);
void of_cs_set_P(const of_cs_solver *s, of_cs_runner *run, size_t rank);

/* C = polar(B XY). */
onefold_status of_cs_step_C(const of_cs_solver *s, of_cs_runner *run);

/* Iterations from + 1 .. to of a run, or until it settles. */
onefold_status of_cs_iterate(const of_cs_solver *s, of_cs_runner *run, size_t from, size_t to);

/* Runs every restart from its start to its end. */
onefold_status of_cs_run_restarts(of_cs_solver *s, of_arena *scratch);

/* ---- large n (os_lfmvc_cs_solve.c) ---------------------------------------------------------- */

/* Samples that the starts compete on first, an even sample (of_part_start) where there are more; by
 * n alone. From where the sample is half of n on: later, twice the samples would take less time. */
size_t of_cs_sample_size(size_t n);

/* ---- CPU or GPU (os_lfmvc_cs_pass.c, os_lfmvc_cs_device.c) ---------------------------------- */

/* What the solver does with all samples. Everything else in it is on small matrices. */
typedef struct of_cs_backend {
    /* N = X X' (pk x pk), both triangles. */
    onefold_status (*gram)(of_context *context, const of_stack *X, double *N);
    onefold_status (*embed)(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                            const double *B, int unit, of_share H);
    /* The pass of a run into sums: XS (pk x m), XY (pk x mu), sizes (mu), and samples moved. */
    onefold_status (*pass)(const of_cs_solver *s, int keep_labels, of_cs_runner *run, size_t length,
                           double *sums);
    /* y = argmax CB x of every sample that X holds. CB is mu x pk. */
    onefold_status (*label)(of_context *context, const of_stack *X, size_t mu, const double *CB,
                            int32_t *labels);
    /* rows x count: samples place[i], in rising order, of those this process has. */
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

/* The CPU's, of which a GPU leaves `parts` to it. */
onefold_status of_cs_explain_cpu(of_context *context, const of_cs_problem *problem,
                                 const of_cs_result *result, const double *CW, int32_t *own,
                                 double *confidence, double *parts);

#endif
