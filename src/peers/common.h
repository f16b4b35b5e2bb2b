/* SPDX-License-Identifier: Apache-2.0 */
/* What the comparison methods share (kernel matrices, features, labels from an embedding), and the
 * steps of each, which tests and benches call one by one. */
#ifndef OF_PEERS_COMMON_H
#define OF_PEERS_COMMON_H

#include "model/engine.h"

extern const of_method of_method_avg_kkm;
extern const of_method of_method_sb_kkm;
extern const of_method of_method_mkkm;
extern const of_method of_method_rmsc;
extern const of_method of_method_fmkkm;
extern const of_method of_method_fmr;
extern const of_method of_method_lsgmc;

/* ---- kernel matrices ------------------------------------------------------------------------ */

/* The kernel matrix of every view (samples x samples, packed), from `arena`. */
onefold_status of_kernels_load(of_context *context, of_arena *arena, const of_problem *problem,
                               of_finish finish, double ***kernel);

/* sum = sum_i weight[i] kernel[i], n x n packed, on the team. */
onefold_status of_kernels_combine(of_context *context, size_t n, size_t count,
                                  const double *const *kernel, const double *weight, double *sum);

/* The trace of a packed n x n matrix; 1 where bytes are counted. */
double of_kernels_trace(const of_context *context, size_t n, const double *kernel);

/* Refuses views that do not distinguish any samples: every trace is 0. */
onefold_status of_kernels_check(size_t count, const double *trace);

/* The least cost of a view, over its trace. A kernel of low rank would cost 0, or less by rounding.
 */
#define OF_KERNELS_FLOOR 1e-12

/* The weights that minimise sum_i w_i^2 cost_i on the simplex: 1 / cost, scaled to sum 1. A view of
 * trace 0 gets 0. Within bounds (NULL: none) clip(t / cost), with the t that makes the sum 1; then
 * a view of trace 0 counts as 1e-12 of the least other. `cost` and `trace` NULL: equal weights. */
void of_kernels_weigh(size_t count, const double *cost, const double *trace,
                      const of_beta_bounds *bounds, double *weight);

/* The largest row sum of |A - B| (rows x columns, packed; B NULL: 0). */
onefold_status of_largest_row(of_context *context, size_t rows, size_t columns, const double *a,
                              const double *b, double *largest);

/* ---- iterations ------------------------------------------------------------------------------ */

/* The first member of the struct of every method that iterates. */
enum { OF_DETAIL = 96 };
typedef struct of_peer_run {
    of_context *context;
    double objective;
    size_t iteration; /* iterations done */
    int converged;
    char detail[OF_DETAIL]; /* for progress */
} of_peer_run;

/* One iteration of such a run. */
typedef onefold_status (*of_peer_step)(void *run);

/* Iterates until the run converges, at most `most` times. Fills objective, trace, iterations and
 * converged of the outcome. */
onefold_status of_peer_iterate(void *run, of_peer_step step, double most, of_outcome *outcome);

/* ---- eigenvectors, k-means, labels: the same bits for any number of threads ------------------ */

/* The `count` largest eigenvalues (not moduli) of symmetric A (n x n, whole, packed, kept),
 * descending, and their vectors (n x count), orthonormal, each with its entry of largest modulus
 * positive (the first such entry among equals). ||A v - lambda v|| is at most 1e-10 of the largest
 * eigenvalue. */
onefold_status of_spectral_top(of_context *context, size_t n, size_t count, const double *a,
                               double *value /* count */, double *vector);

/* Adds the work of `times` calls of of_spectral_top. */
void of_spectral_work(size_t n, size_t count, double times, of_work *work);

/* Options of k-means: the last entries of the table of every method that ends in k-means. */
/* clang-format off */
#define OF_SPECTRAL_OPTIONS                                                                        \
    {"kmeans-start", "plusplus|samples", 0, 0, 1,                                                  \
     "k-means starts from k-means++ or from distinct random samples"},                             \
    {"replicates", NULL, 10, 1, 1 << 20, "k-means starts in each repeat, the best kept"}
/* clang-format on */

/* Members of of_method that have the same names in every file. */
#define OF_PEER_PARTS                                                                              \
    .options = options, .option_count = sizeof options / sizeof *options, .work = count_work,      \
    .run = run, .ends_in_kmeans = 1

/* Repeats of k-means, in parallel, with the same bits on any thread. From random samples it is that
 * of published figures, Lloyd's iteration alone. */
typedef struct of_repeats {
    of_context *context;
    of_kmeans_options options; /* of_kmeans_repeat sets index and lloyd */
    size_t rows, samples;
    const double *x; /* rows x samples */
    /* set by of_kmeans_repeat, from its arena */
    int32_t *labels; /* samples x repeats */
    of_kmeans_result *result;
    size_t *used; /* clusters that are not empty */
    size_t best;  /* the repeat of least cost, the first among equals */
} of_repeats;
onefold_status of_kmeans_repeat(of_arena *arena, of_repeats *r, size_t count);

/* Labels from an embedding U (samples x clusters): its rows at length 1 (a zero row stays zero) are
 * clustered options->restarts times, with at most 100 iterations, and the least cost is kept. Fills
 * labels, embedding, views with these weights (NULL: 0) and restarts of the outcome; the objective
 * of a restart is its k-means cost. `end` points to the method's last two options. */
onefold_status of_spectral_labels(of_context *context, const of_problem *problem, const double *end,
                                  const double *weight, const double *u, of_outcome *outcome);

/* Normalised spectral clustering: W (n x n, symmetric) becomes D^-1/2 W D^-1/2, with D the diagonal
 * of |row sums| + more. Where D is 0, the row becomes 0. */
onefold_status of_affinity_normalise(of_context *context, size_t n, double more, double *affinity);

/* of_spectral_labels of the leading eigenvectors of the normalised affinity (samples x samples,
 * destroyed). */
onefold_status of_affinity_labels(of_context *context, const of_problem *problem, const double *end,
                                  double *affinity, of_outcome *outcome);

/* ---- singular values above a cut (spectrum.c) ------------------------------------------------ */

/*
 * The singular values of a matrix above a cut, from the eigenproblem of the shorter side's Gram
 * matrix. Where the cut is so far below the largest value that squaring would cost digits, from a
 * singular value decomposition. The bits do not depend on the number of threads.
 */

/* Singular values above a cut with their vectors, packed. Arrays are from the caller's arena. */
typedef struct of_spectrum {
    size_t rank;   /* their number */
    double *value; /* rank, descending */
    double *left;  /* rows x rank, or NULL */
    double *right; /* columns x rank, or NULL */
} of_spectrum;

/* The singular triplets of A (rows x columns, kept) with values > cut. Values are exact and vectors
 * orthonormal to rounding of the largest value; A v = s u and A'u = s v hold to 1e-11 of it. Unless
 * `both`, only the vectors of the shorter side (left when rows <= columns), and values to 1e-11 of
 * the largest: enough for soft thresholding, in about half the time. */
onefold_status of_spectrum_above(of_context *context, of_arena *arena, size_t rows, size_t columns,
                                 const double *a, double cut, int both, of_spectrum *spectrum);

/* B = U max(S - cut, 0) V' for A = U S V' (rows x columns, kept; B may not overlap it): the
 * proximal step of cut times the sum of singular values. `rank` is that of B, `sum` the sum of its
 * singular values. */
onefold_status of_threshold_singular(of_context *context, size_t rows, size_t columns,
                                     const double *a, double cut, double *b, size_t *rank,
                                     double *sum);

/* Shortens every column of A (rows x columns, in place) by cut, or to zero: the proximal step of
 * cut times the sum of column lengths. Returns that sum of the result. */
double of_threshold_columns(size_t rows, size_t columns, double *a, double cut);

/* ---- features, for the subspace methods ------------------------------------------------------ */

/* Fills in the features of a view (columns x samples, packed), each sample at length 1; a sample
 * that is zero or lacks the view is zero. The features of a kernel are its rows. */
onefold_status of_features_load(of_context *context, const of_dataset *dataset, size_t view,
                                double *features);

/* Features without their rotation Q, which does not affect self-representation: X = Q diag(value)
 * basis' with Q'Q = I. */
typedef struct of_reduced_features {
    size_t rank;   /* <= min(rows, samples); directions at rounding level are left out */
    double *value; /* rank, descending */
    double *basis; /* samples x rank, orthonormal columns */
} of_reduced_features;

/* Reduces X (rows x samples, packed, destroyed). Arrays are from `arena`. */
onefold_status of_features_reduce(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced);

/* ---- mkkm ----------------------------------------------------------------------------------- */

/* A run. Matrices are column-major and packed. */
typedef struct of_mkkm {
    of_peer_run now; /* objective: sum_i t_i^2 a_i, with the new t */
    size_t samples, views, clusters;
    const double *const *kernel;  /* views, each samples x samples; the caller's */
    const of_beta_bounds *bounds; /* on t; NULL: none */
    double *trace;                /* views: tr(K_i) */
    double *weight;               /* views: t */
    double *cost;                 /* views: a_i = tr(K_i (I - HH')), at least 1e-12 tr(K_i) */
    double *sum;                  /* samples x samples: the K_t of H */
    double *value;                /* clusters: its largest eigenvalues */
    double *vector;               /* samples x clusters: H */
    double *product;              /* samples x clusters: scratch */
    double tolerance;             /* relative change of the objective at convergence */
} of_mkkm;

/* A run before its first iteration: t = 1/views, or as near to it as the bounds (NULL: none) allow.
 * Memory is from `arena`; kernels and bounds must outlive the run. */
onefold_status of_mkkm_start(of_arena *arena, size_t samples, size_t views, size_t clusters,
                             const double *const *kernel, const of_beta_bounds *bounds,
                             of_mkkm *run);

/* One iteration: H, a, t, objective. */
onefold_status of_mkkm_step(void *run);

/* ---- fmkkm ---------------------------------------------------------------------------------- */

/*
 * One curvilinear step over matrices with orthonormal columns, which reduces
 *
 *     F(X) = -<X, A X> - <X, D>          (A symmetric)
 *
 * along X(t), the Q factor of X - t G with positive diagonal of R, with G = g - X g'X and
 * g = -2 A X - D. It needs A X and A G, but not A: A X(t) = (A X - t A G) R^-1.
 */

/* G, from X, AX and D; all rows x columns and packed. */
onefold_status of_stiefel_direction(of_context *context, size_t rows, size_t columns,
                                    const double *x, const double *ax, const double *d,
                                    double *direction);

typedef struct of_stiefel_step {
    double length; /* t of the step; 0: X was kept */
    size_t trials; /* lengths tried */
} of_stiefel_step;

/* Tries t = 5, 1, 0.2, ...: the first of 8 by which F falls by at least 1e-4 t ||G||^2, else the
 * 8th if F falls at all, else none. X is replaced by X(t), and `r` (columns x columns) is the R of
 * the step. */
onefold_status of_stiefel_search(of_context *context, size_t rows, size_t columns, double *x,
                                 const double *ax, const double *d, const double *direction,
                                 const double *a_direction, double *r, of_stiefel_step *step);

/* Replaces M X by M X(t) = (M X - t M G) R^-1, for any matrix M. */
void of_stiefel_follow(size_t rows, size_t columns, const of_stiefel_step *step, const double *r,
                       const double *m_direction, double *mx);

/* One view of a run. Matrices are column-major and packed. */
typedef struct of_fmkkm_view {
    const double *kernel;   /* samples x samples; the caller's */
    double b;               /* its third weight */
    double fit;             /* tr(H'H_iW_i) */
    double *own;            /* samples x clusters: H_i */
    double *rotation;       /* clusters x clusters: W_i */
    double *product;        /* samples x clusters: K_i H */
    double *own_product;    /* samples x clusters: K_i H_i */
    double *k_direction;    /* samples x clusters: K_i times a direction */
    of_stiefel_step search; /* of the last H_i step */
} of_fmkkm_view;

typedef struct of_fmkkm {
    of_peer_run now; /* objective: part[0] + l1 part[1] - l2 part[2] */
    size_t samples, views, clusters;
    double l1, l2;
    of_fmkkm_view *view;
    double *trace;    /* views: tr(K_i); views where it is 0 are left out */
    double *g, *a;    /* views: weights */
    double *cost;     /* views: tr(K_i (I - HH')), at least 1e-12 of the trace */
    double *own_cost; /* views: tr(K_i (I - H_iH_i')), likewise */
    double *vector;   /* samples x clusters: H */
    of_stiefel_step search;
    double part[3];   /* the three terms, without l1, l2 and the sign of the last */
    double tolerance; /* relative change of the objective at convergence */
} of_fmkkm;

/* A run before its first iteration. Memory is from `arena`; the kernels must outlive the run. */
onefold_status of_fmkkm_start(of_context *context, of_arena *arena, size_t samples, size_t views,
                              size_t clusters, const double *const *kernel, double l1, double l2,
                              of_fmkkm *run);

/* One iteration: W, H, H_i, weights, objective. */
onefold_status of_fmkkm_step(void *run);

/* ---- rmsc ----------------------------------------------------------------------------------- */

/* A run. Matrices are samples x samples, packed. The E_i are not kept: each is computed, used and
 * summed in one pass. */
typedef struct of_rmsc {
    of_peer_run now;
    /* set by the caller */
    size_t samples, views;
    double *const *transition; /* views: T_i' */
    double lambda, growth;     /* growth: factor of u after an iteration */
    double penalty;            /* u of the next iteration */
    double tolerance;          /* residual at convergence */
    /* set by of_rmsc_start and of_rmsc_step */
    double **multiplier; /* views: Y_i' */
    double *p, *q, *z;   /* P', Q', Z' */
    double *target;      /* sum_i (T_i - E_i - Y_i/u)' for the next u; P + Z/u in between */
    double *column;      /* samples x 2: for each row of P, its terms of error and residual */
    double residual;     /* largest row sum of |T_i - E_i - P| over the views */
    double error;        /* sum_i ||E_i||_1 */
    double nuclear;      /* ||Q||_* */
    size_t rank;         /* of Q */
} of_rmsc;

/* A run before its first iteration. Memory is from `arena`. */
onefold_status of_rmsc_start(of_arena *arena, of_rmsc *run);

/* One iteration: P, Q, E, multipliers, u. */
onefold_status of_rmsc_step(void *run);

/* Replaces a symmetric kernel K by (D^-1 K)', D the row sums, after a negative least entry is
 * subtracted from K. A row of sum 0 becomes 1/samples. */
onefold_status of_rmsc_transition(of_context *context, size_t samples, double *kernel);

/* The stationary vector of P (given as P', samples x samples, kept): P'pi = pi, sum 1, no entry
 * negative. Where there are several, the limit of a walk from the uniform distribution. */
onefold_status of_rmsc_stationary(of_context *context, size_t samples, const double *p, double *pi);

/* L = (Pi^1/2 P Pi^-1/2 + its transpose) / 2, or, where some pi_i <= 1e-14 of the largest,
 * (Pi P + P'Pi) / 2. */
onefold_status of_rmsc_laplacian(of_context *context, size_t samples, const double *p,
                                 const double *pi, double *l);

/* The nearest point of the simplex to x (length > 0), in place. */
void of_simplex_project(size_t length, double *x);

/* ---- fmr ------------------------------------------------------------------------------------ */

typedef struct of_fmr {
    of_peer_run now; /* objective: with ||J||_* for ||Z||_* */
    /* set by the caller */
    double low_weight, noise_weight; /* l1, l2 */
    double level;                    /* H descends until its value is below this */
    double step;                     /* of the descent */
    size_t max_steps;
    double tolerance; /* of both residuals */
    double penalty;   /* u of the next iteration */
    /* set by of_fmr_start and of_fmr_step */
    of_arena arena;
    size_t samples, latent_rows;
    double *similarity; /* K: samples x samples */
    double *latent;     /* H: latent_rows x samples */
    double agreement;   /* -tr(K H'H)/(n-1)^2 */

    /* H = rotation diag(value) basis' */
    of_arena basis_arena; /* of arrays whose size depends on `width` */
    size_t values;        /* min(latent_rows, samples) */
    size_t width;         /* columns of the basis: `values`, or samples once it is completed */
    double *rotation;     /* latent_rows x values */
    double *value;        /* width; zero beyond `values` */
    double *basis;        /* samples x width */

    double *self, *low, *low_dual;         /* width x samples: basis'Z, basis'J, basis'Y2 / u */
    double *noise, *noise_dual, *residual; /* latent_rows x samples: E, Y1 / u, H - HZ - E */
    size_t rank;                           /* of J */

    size_t steps;           /* of the descent, in the last iteration */
    double latent_value;    /* the value of H, which is compared with `level` */
    double low_values;      /* ||J||_* */
    double noise_lengths;   /* ||E||_{2,1} */
    double residual_latent; /* largest row sum of |H - HZ - E| */
    double residual_low;    /* of |Z - J|, or a lower bound that is above the tolerance */
} of_fmr;

/* The method's defaults. */
#define OF_FMR_INIT                                                                                \
    {                                                                                              \
        .low_weight = 1e-4, .noise_weight = 1e-6, .level = -5e7, .step = 100, .max_steps = 20000,  \
        .tolerance = 1e-4, .penalty = 1e-5                                                         \
    }

/* Starts from H (latent_rows x samples, copied). Call of_fmr_end even after a failure. */
onefold_status of_fmr_start(of_fmr *fmr, of_context *context, const of_dataset *dataset,
                            size_t latent_rows, const double *latent);
void of_fmr_end(of_fmr *fmr);

/* One iteration: H, J, Z, E, multipliers, penalty; sets `converged`. */
onefold_status of_fmr_step(void *fmr);

/* Z (samples x samples); the largest row sum of |Z - J|. */
onefold_status of_fmr_self(const of_fmr *fmr, double *self);
onefold_status of_fmr_low_residual(const of_fmr *fmr, double *norm);

/* Replaces Z (samples x samples) by |Z| + |Z'|. */
void of_fmr_affinity(size_t samples, double *self);

/* ---- lsgmc ---------------------------------------------------------------------------------- */

/* One view of a run. Square matrices are samples x samples; all are packed. */
typedef struct of_lsgmc_view {
    of_arena arena;
    of_reduced_features features;
    double *self, *mirror, *core_dual;
    double *left, *right;       /* orthogonal; identities while the core is zero */
    double *left_core;          /* samples x core rank: left times the core's left vectors */
    double *right_core;         /* samples x core rank */
    double *turned;             /* rank x samples: the features without Q, diag(value) basis' */
    double *basis_self;         /* rank x samples: basis' self */
    double *noise, *noise_dual; /* rank x samples */
    /* after a step */
    double noise_lengths;             /* sum of the noise's column lengths */
    double distance, distance_before; /* row-sum norm of Z - C; that of the step before */
} of_lsgmc_view;

typedef struct of_lsgmc {
    of_peer_run now;
    /* set by the caller */
    double lambda, power; /* of the core's Schatten norm */
    double tolerance;     /* of the stop value */
    double penalty;       /* u of the next step */
    int early;            /* stop even while the core is zero */
    /* set by of_lsgmc_start and of_lsgmc_step */
    of_arena arena;
    size_t samples, view_count;
    of_lsgmc_view *views;
    double before; /* u of the last step over that of the next */
    double *mixed; /* square: mean of L'(Z + dual)R, whose thresholded part is the core */
    double *core;  /* square */
    of_arena spectrum_arena;
    of_spectrum spectrum; /* of the core */
    int rotated;          /* the core was not zero once: left and right may differ from I */
    double stop_value;    /* sum over views of the distance's relative change; INFINITY at first */
} of_lsgmc;

/* The method's defaults. */
#define OF_LSGMC_INIT                                                                              \
    {                                                                                              \
        .lambda = 10, .power = 0.9, .tolerance = 0.01, .penalty = 1e-2                             \
    }

/* Starts at zero. Call of_lsgmc_end even after a failure. */
onefold_status of_lsgmc_start(of_lsgmc *lsgmc, of_context *context, const of_dataset *dataset);
void of_lsgmc_end(of_lsgmc *lsgmc);

/* One iteration: every view, then the core, multipliers and penalty; sets `converged`. */
onefold_status of_lsgmc_step(void *lsgmc);

/* ---- from the representation to an affinity ---------------------------------------------- */

/* The share of a column's l1 norm that of_lsgmc_retain keeps. */
double of_lsgmc_share(size_t samples);

/* Keeps the fewest entries of largest modulus in each column of A (n x n, in place) whose sum
 * reaches `share` of the column's l1 norm, lower rows first among equals. The others become 0. */
onefold_status of_lsgmc_retain(of_context *context, size_t n, double *a, double share);

/* W = ((AA')^1/2 scaled to unit diagonal) squared entrywise, singular values of A up to 1e-6 left
 * out; a zero row of A gives a zero row and column. */
onefold_status of_lsgmc_affinity(of_context *context, size_t n, const double *a, double *affinity);

/* The minimiser of (x - value)^2 / 2 + weight |x|^power over x >= 0, power in (0, 1], by
 * generalised soft thresholding: zero up to of_power_cut, three fixed-point steps above. */
double of_power_cut(double weight, double power);
double of_power_threshold(double value, double weight, double power);

#endif
