/* SPDX-License-Identifier: Apache-2.0 */
/* What the comparison methods share: kernel matrices, features, labels from an embedding; and their
 * iterations. */
#ifndef OF_PEERS_COMMON_H
#define OF_PEERS_COMMON_H

#include "data/dataset.h"
#include "linalg/factor.h"
#include "linalg/kmeans.h"
#include "method/method.h"

/* How the comparison methods begin: the views' whole kernel matrices, their sums, what they cost.
 */

/* Every view's kernel matrix, samples x samples each and packed, from `arena`. */
onefold_status of_kernels_load(of_context *context, of_arena *arena, const of_problem *problem,
                               of_finish finish, double ***kernel);

/* One of them, samples x samples packed: of a landmark graph that of its walk, which has a trace of
 * its own and is centred by itself. */
onefold_status of_kernels_one(of_context *context, const of_problem *problem, size_t view,
                              of_finish finish, double *kernel);

/* sum = sum_i weight[i] kernel[i], n x n packed, on the team. */
onefold_status of_kernels_combine(of_context *context, size_t n, size_t count,
                                  const double *const *kernel, const double *weight, double *sum);

/* The sum of the diagonal of a packed n x n matrix; 1 where bytes are counted. */
double of_kernels_trace(const of_context *context, size_t n, const double *kernel);

/* Refuses views of which none distinguishes any two samples: every trace is 0. */
onefold_status of_kernels_check(size_t count, const double *trace);

/* A view whose kernel the eigenvectors hold whole costs this share of its trace, not 0 or a
 * rounding error. */
#define OF_KERNELS_FLOOR 1e-12

/* 1 / cost, scaled to sum 1, where a view of trace 0 gets 0: the weights that minimise
 * sum_i w_i^2 cost_i on the simplex. Within bounds (NULL: none) clip(t / cost), with the one t that
 * makes the sum 1; a view of trace 0 then gets the least it may (or 1e-12 of the least other), or
 * what the others cannot take.
 * `cost` and `trace` NULL: all alike. */
void of_kernels_weigh(size_t count, const double *cost, const double *trace,
                      const of_beta_bounds *bounds, double *weight);

/* The largest row sum of |A - B| (rows x columns, packed; B NULL: 0). */
onefold_status of_largest_row(of_context *context, size_t rows, size_t columns, const double *a,
                              const double *b, double *largest);

/* How far a run has come: what the struct of every method that iterates begins with. */
enum { OF_DETAIL = 96 };
typedef struct of_peer_run {
    of_context *context;
    double objective;
    size_t iteration; /* how many there have been */
    int converged;
    char detail[OF_DETAIL]; /* what progress says */
} of_peer_run;

/* One iteration of such a run. */
typedef onefold_status (*of_peer_step)(void *run);

/* Iterates until it has converged, `most` times at the most; fills what the outcome says of it. */
onefold_status of_peer_iterate(void *run, of_peer_step step, double most, of_outcome *outcome);

/*
 * How the comparison methods end: leading eigenvectors of a symmetric matrix, their rows scaled to
 * unit length, k-means, labels. The bits do not depend on the number of threads.
 */

/* The `count` largest eigenvalues (not moduli) of symmetric A (n x n, whole, packed, kept),
 * descending, and their vectors (n x count), orthonormal, each with its entry of largest modulus
 * positive (the first such entry among equals). ||A v - lambda v|| is at most 1e-10 of the largest
 * eigenvalue. */
onefold_status of_spectral_top(of_context *context, size_t n, size_t count, const double *a,
                               double *value /* count */, double *vector);

/* Adds the work that it is, `times` over. */
void of_spectral_work(size_t n, size_t count, double times, of_work *work);

/* The k-means options every method that ends in k-means has: the last entries of its table. */
/* clang-format off */
#define OF_SPECTRAL_OPTIONS                                                                        \
    {"kmeans-start", "plusplus|samples", 0, 0, 1,                                                  \
     "k-means starts from k-means++ or from distinct random samples"},                             \
    {"replicates", NULL, 10, 1, 1 << 20, "k-means starts in each repeat, the best kept"}
/* clang-format on */

/* What the files of the comparison methods have by the same names, for their of_method. */
#define OF_PEER_PARTS                                                                              \
    .options = options, .option_count = sizeof options / sizeof *options, .work = count_work,      \
    .run = run, .ends_in_kmeans = 1

/* Repeats of k-means, side by side: each is the same whoever works it. */
typedef struct of_repeats {
    of_context *context;
    of_kmeans_options options; /* the index is that of the repeat */
    size_t rows, samples;
    const double *x; /* rows x samples */
    /* what comes of them, from the arena that is given */
    int32_t *labels; /* samples x repeats */
    of_kmeans_result *result;
    size_t *used; /* clusters that are not empty */
    size_t best;  /* of the least cost, the first among equals */
} of_repeats;
onefold_status of_kmeans_repeat(of_arena *arena, of_repeats *r, size_t count);

/* Labels from an embedding U (samples x clusters): its rows are scaled to unit length (a zero row
 * stays zero) and clustered options->restarts times with 100 iterations at most; the repeat of
 * least cost is the answer. Fills the outcome's labels, embedding, views with these weights (NULL:
 * 0), and what it says of restarts, whose objective is the k-means cost. `end` points to the
 * method's last two options. */
onefold_status of_spectral_labels(of_context *context, const of_problem *problem, const double *end,
                                  const double *weight, const double *u, of_outcome *outcome);

/* Labels from an affinity between samples: normalised spectral clustering. */

/* W (n x n, symmetric) becomes D^-1/2 W D^-1/2, D = diag of |row sums| + more; where that is 0 it
 * leaves a zero row. */
onefold_status of_affinity_normalise(of_context *context, size_t n, double more, double *affinity);

/* Normalises the affinity (samples x samples, destroyed) and clusters by its leading eigenvectors.
 * `end` points to the method's last two options. Fills the outcome's labels,
 * embedding, views and restarts. */
onefold_status of_affinity_labels(of_context *context, const of_problem *problem, const double *end,
                                  double *affinity, of_outcome *outcome);

/* Views as the subspace methods take them: features by sample, every sample of unit length. */

/* The features of a view (columns x samples, packed, to be filled), each sample scaled to unit
 * length; a sample that is zero, or absent from the view, is zero. A kernel's rows are its
 * features.
 */
onefold_status of_features_load(of_context *context, const of_dataset *dataset, size_t view,
                                double *features);

/* Features up to a rotation, which is all that methods on self-representation see of them:
 * X = Q diag(value) basis' with Q'Q = I. */
typedef struct of_reduced_features {
    size_t rank;   /* <= min(rows, samples); directions at rounding level are left out */
    double *value; /* rank, descending */
    double *basis; /* samples x rank, orthonormal columns */
} of_reduced_features;

/* Reduces X (rows x samples, packed, destroyed). Arrays are from `arena`. */
onefold_status of_features_reduce(of_context *context, of_arena *arena, size_t rows, size_t samples,
                                  double *features, of_reduced_features *reduced);

/*
 * The methods that iterate, one step at a time: each method's own file takes the steps to the end,
 * tests and benches look at every one.
 */

/* ---- mkkm ----------------------------------------------------------------------------------- */

/* Where a run stands. Matrices are column-major and packed. */
typedef struct of_mkkm {
    of_peer_run now; /* objective: sum_i t_i^2 a_i, with the new t */
    size_t samples, views, clusters;
    const double *const *kernel;  /* views, each samples x samples; the caller's */
    const of_beta_bounds *bounds; /* on t; NULL: none */
    double *trace;                /* views: tr(K_i) */
    double *weight;               /* views: t */
    double *cost;                 /* views: a_i = tr(K_i (I - HH')), held to 1e-12 tr(K_i) */
    double *sum;                  /* samples x samples: the K_t that gave H */
    double *value;                /* clusters: its largest eigenvalues */
    double *vector;               /* samples x clusters: H */
    double *product;              /* samples x clusters: scratch */
    double tolerance;             /* relative change of the objective at which it has converged */
} of_mkkm;

/* A run before its first iteration: t = 1/views, or as near to it as the bounds (NULL: none) allow
 * (without them a view of trace 0 has no part in it). Memory is from `arena`; the kernels and
 * bounds must outlive it. */
onefold_status of_mkkm_start(of_arena *arena, size_t samples, size_t views, size_t clusters,
                             const double *const *kernel, const of_beta_bounds *bounds,
                             of_mkkm *run);

/* One iteration: H, a, t, objective. */
onefold_status of_mkkm_step(void *run);

/* ---- fmkkm ---------------------------------------------------------------------------------- */

/*
 * One curvilinear step over matrices with orthonormal columns, to lessen
 *
 *     F(X) = -<X, A X> - <X, D>          (A symmetric)
 *
 * along X(t) = Q factor, with positive diagonal of R, of X - t G,  G = g - X g'X,  g = -2 A X - D.
 * A itself is not needed, only A X and A G: A X(t) = (A X - t A G) R^-1 serves every trial.
 */

/* G, from X, AX and D; all rows x columns and packed. */
onefold_status of_stiefel_direction(of_context *context, size_t rows, size_t columns,
                                    const double *x, const double *ax, const double *d,
                                    double *direction);

typedef struct of_stiefel_step {
    double length; /* t that was taken; 0: X was kept */
    size_t trials; /* lengths tried */
} of_stiefel_step;

/* Tries t = 5, 1, 0.2, ...: the first of 8 by which F falls by at least 1e-4 t ||G||^2, else the
 * 8th if F falls at all, else none. X is replaced by X(t), and `r` (columns x columns) is the R of
 * the step. */
onefold_status of_stiefel_search(of_context *context, size_t rows, size_t columns, double *x,
                                 const double *ax, const double *d, const double *direction,
                                 const double *a_direction, double *r, of_stiefel_step *step);

/* M X(t) = (M X - t M G) R^-1 for the step that was taken, in place of M X; any matrix M. */
void of_stiefel_follow(size_t rows, size_t columns, const of_stiefel_step *step, const double *r,
                       const double *m_direction, double *mx);

/* One view's part in a run. Matrices are column-major and packed. */
typedef struct of_fmkkm_view {
    const double *kernel;   /* samples x samples; the caller's */
    double b;               /* its third weight */
    double fit;             /* tr(H'H_iW_i) */
    double *own;            /* samples x clusters: H_i */
    double *turn;           /* clusters x clusters: W_i */
    double *product;        /* samples x clusters: K_i H */
    double *own_product;    /* samples x clusters: K_i H_i */
    double *moved;          /* samples x clusters: K_i times a direction */
    of_stiefel_step search; /* of the last H_i step */
} of_fmkkm_view;

typedef struct of_fmkkm {
    of_peer_run now; /* objective: part[0] + l1 part[1] - l2 part[2] */
    size_t samples, views, clusters;
    double l1, l2;
    of_fmkkm_view *view;
    double *trace;    /* views: tr(K_i); a view where it is 0 has no part in the run */
    double *g, *a;    /* views: weights */
    double *cost;     /* views: tr(K_i (I - HH')), held to 1e-12 of the trace */
    double *own_cost; /* views: tr(K_i (I - H_iH_i')), likewise */
    double *vector;   /* samples x clusters: H */
    of_stiefel_step search;
    double part[3];   /* the three terms, without l1, l2 and the last one's sign */
    double tolerance; /* relative change of the objective at which it has converged */
} of_fmkkm;

/* A run before its first iteration. Memory is from `arena`; the kernels must outlive it. */
onefold_status of_fmkkm_start(of_context *context, of_arena *arena, size_t samples, size_t views,
                              size_t clusters, const double *const *kernel, double l1, double l2,
                              of_fmkkm *run);

/* One iteration: W, H, H_i, weights, objective. */
onefold_status of_fmkkm_step(void *run);

/* ---- rmsc ----------------------------------------------------------------------------------- */

/* Where a run stands after an iteration. Matrices are samples x samples, packed. The E_i are not
 * kept: each is computed, used and summed up in one pass. */
typedef struct of_rmsc {
    of_peer_run now;
    /* the caller's */
    size_t samples, views;
    double *const *transition; /* views: T_i' */
    double lambda, growth;     /* growth: what u is multiplied by */
    double penalty;            /* u of the next iteration */
    double tolerance;          /* the residual at which it has converged */
    /* its own */
    double **multiplier; /* views: Y_i' */
    double *p, *q, *z;   /* P', Q', Z' */
    double *pull;        /* sum_i (T_i - E_i - Y_i/u)' for the next u; P + Z/u in between */
    double *column;      /* samples x 2: per row of P, partial figures */
    double residual;     /* largest row sum of |T_i - E_i - P| over the views */
    double error;        /* sum_i ||E_i||_1 */
    double nuclear;      /* ||Q||_* */
    size_t rank;         /* of Q */
} of_rmsc;

/* A run before its first iteration: what is its own is 0. Memory is from `arena`. */
onefold_status of_rmsc_start(of_arena *arena, of_rmsc *run);

/* One iteration: P, Q, E, multipliers, u. */
onefold_status of_rmsc_step(void *run);

/* In place of a symmetric kernel K: (D^-1 K)', D the row sums, after the least entry is taken off K
 * where that is negative. A row that sums to 0 becomes 1/samples everywhere. */
onefold_status of_rmsc_transition(of_context *context, size_t samples, double *kernel);

/* The stationary vector of P (given as P', samples x samples, kept): P'pi = pi, sum 1, no entry
 * negative. Where there are several, the one that a walk from anywhere alike tends to. */
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
    /* the caller's */
    double low_weight, noise_weight; /* l1, l2 */
    double level;                    /* the value below which H need not be moved */
    double step;                     /* of the descent that moves H */
    size_t max_steps;
    double tolerance; /* of both residuals */
    double penalty;   /* of the iteration to come; what the duals are divided by */
    /* its own */
    of_arena arena;
    size_t samples, latent_rows;
    double *similarity; /* K: samples x samples */
    double *latent;     /* H: latent_rows x samples */
    double agreement;   /* -tr(K H'H)/(n-1)^2 */

    /* H = turn diag(value) basis' */
    of_arena basis_arena; /* what depends on the number of columns of the basis */
    size_t values;        /* min(latent_rows, samples) */
    size_t width;         /* columns of the basis: `values`, or samples once it is completed */
    double *turn;         /* latent_rows x values */
    double *value;        /* width; zero beyond `values` */
    double *basis;        /* samples x width */

    double *self, *low, *low_dual;         /* width x samples: basis'Z, basis'J, basis'Y2 / u */
    double *noise, *noise_dual, *residual; /* latent_rows x samples: E, Y1 / u, H - HZ - E */
    size_t rank;                           /* of J */

    size_t steps;        /* of the descent, in the last iteration */
    double latent_value; /* what `level` was held against when the descent ended */
    double low_values;   /* ||J||_*, and ||E||_{2,1} */
    double noise_lengths;
    double residual_latent; /* largest row sum of |H - HZ - E| */
    double residual_low;    /* of |Z - J|, or a lower bound that is above the tolerance already */
} of_fmr;

/* The method's defaults. */
#define OF_FMR_INIT                                                                                \
    {                                                                                              \
        .low_weight = 1e-4, .noise_weight = 1e-6, .level = -5e7, .step = 100, .max_steps = 20000,  \
        .tolerance = 1e-4, .penalty = 1e-5                                                         \
    }

/* Starts from H (latent_rows x samples, copied). End it whether or not it succeeded. */
onefold_status of_fmr_start(of_fmr *fmr, of_context *context, const of_dataset *dataset,
                            size_t latent_rows, const double *latent);
void of_fmr_end(of_fmr *fmr);

/* One iteration: H, J, Z, E, multipliers, penalty; sets `converged`. */
onefold_status of_fmr_step(void *fmr);

/* Z (samples x samples), and the largest row sum of |Z - J|, formed. */
onefold_status of_fmr_self(const of_fmr *fmr, double *self);
onefold_status of_fmr_low_residual(const of_fmr *fmr, double *norm);

/* Z (samples x samples, destroyed) to |Z| + |Z'|. */
void of_fmr_affinity(size_t samples, double *self);

/* ---- lsgmc ---------------------------------------------------------------------------------- */

/* One view's part. Square matrices are samples x samples; all are packed. */
typedef struct of_lsgmc_view {
    of_arena arena;
    of_reduced_features features;
    double *self, *mirror, *core_dual;
    double *left, *right;       /* orthogonal; identities until the core has left zero */
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
    /* the caller's */
    double lambda, power; /* of the core's Schatten norm */
    double tolerance;     /* of the stop value */
    double penalty;       /* of the step to come; what duals are divided by */
    int early;            /* stop even while the core is still zero */
    /* its own */
    of_arena arena;
    size_t samples, view_count;
    of_lsgmc_view *views;
    double before; /* penalty of the last step over this one: what the mirror is divided by */
    double *mixed; /* square: mean of L'(Z + dual)R, of which the core is the thresholded part */
    double *core;  /* square */
    of_arena spectrum_arena;
    of_spectrum spectrum; /* of the core */
    int rotated;          /* the core has left zero once: left and right may be no identities */
    double stop_value;    /* sum over views of the distance's relative change; INFINITY at first */
} of_lsgmc;

/* The method's defaults. */
#define OF_LSGMC_INIT                                                                              \
    {                                                                                              \
        .lambda = 10, .power = 0.9, .tolerance = 0.01, .penalty = 1e-2                             \
    }

/* Starts at zero. End it whether or not it succeeded. */
onefold_status of_lsgmc_start(of_lsgmc *lsgmc, of_context *context, const of_dataset *dataset);
void of_lsgmc_end(of_lsgmc *lsgmc);

/* One iteration: every view, then the core, multipliers and penalty; sets `converged`. */
onefold_status of_lsgmc_step(void *lsgmc);

/* ---- from the representation to an affinity ---------------------------------------------- */

/* The share of a column's l1 norm that is kept, for this number of samples. */
double of_lsgmc_share(size_t samples);

/* Keeps in each column of A (n x n, in place) the entries of largest modulus, lower rows first
 * among equals, up to and including the one with which their sum reaches `share` of the column's
 * l1 norm; the others become zero. */
onefold_status of_lsgmc_retain(of_context *context, size_t n, double *a, double share);

/* W = ((AA')^1/2 scaled to unit diagonal) squared entrywise, singular values of A up to 1e-6 left
 * out; a zero row of A gives a zero row and column. */
onefold_status of_lsgmc_affinity(of_context *context, size_t n, const double *a, double *affinity);

/* The minimiser of (x - value)^2 / 2 + weight |x|^power over x >= 0, power in (0, 1], as
 * generalised soft thresholding finds it: zero up to of_power_cut, three fixed-point steps above.
 */
double of_power_cut(double weight, double power);
double of_power_threshold(double value, double weight, double power);

#endif
