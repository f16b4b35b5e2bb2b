/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LSGMC (Lan et al., IEEE TNNLS): one low-rank core behind the views' symmetric
 * self-representation.
 *
 *     min sum_v ||E_v||_{2,1} + lambda ||C||_Sp^q   with X_v = X_v Z_v + E_v,  Z_v = L_v C R_v',
 *     L_v'L_v = R_v'R_v = I,  Z_v = J_v = J_v'
 *
 * by alternating directions with a growing penalty u. In the code Z is `self`, E `noise`, C `core`,
 * L and R `left` and `right`, and multipliers are held divided by u (`..._dual`). J and its
 * multiplier Q3 are the symmetric part, and u times the skew part, of one matrix, `mirror`.
 * The features enter by X_v = Q diag(value) basis' only, so noise is held without Q, which changes
 * no column's length; and basis'Z comes out of the Z step, so X Z costs nothing more.
 */
#ifndef OF_PEERS_LSGMC_H
#define OF_PEERS_LSGMC_H

#include "linalg/spectrum.h"
#include "peers/common.h"

typedef struct of_lsgmc_options {
    double lambda, power; /* of the core's Schatten norm */
    int early;            /* stop even while the core is still zero */
    double penalty, growth, most_penalty, tolerance;
    size_t max_iterations;
} of_lsgmc_options;
#define OF_LSGMC_OPTIONS_INIT                                                                      \
    {                                                                                              \
        10, 0.9, 0, 1e-2, 2.8, 1e8, 0.01, 30                                                       \
    }

/* One view's part. Square matrices are samples x samples; all are packed. */
typedef struct of_lsgmc_view {
    of_arena arena;
    of_reduced_features features;
    double *self, *mirror, *core_dual;
    double *left, *right;       /* orthogonal; not read before the core has left zero */
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
    of_context *context;
    of_arena arena;
    of_lsgmc_options options;
    size_t samples, view_count;
    of_lsgmc_view *views;
    double penalty; /* of the step to come; what duals are divided by */
    double before;  /* penalty of the last step over this one: what the mirror is divided by */
    double *mixed;  /* square: mean of L'(Z + dual)R, of which the core is the thresholded part */
    double *core;   /* square */
    of_arena spectrum_arena;
    of_spectrum spectrum; /* of the core */
    int rotated;          /* left and right are in use: the core has left zero once */
    size_t iteration;
    double objective;
    double stop_value; /* sum over views of the distance's relative change; INFINITY at first */
    int converged;
} of_lsgmc;

/* Starts at zero. End it whether or not it succeeded. */
onefold_status of_lsgmc_start(of_lsgmc *lsgmc, of_context *context, const of_lsgmc_options *options,
                              const of_dataset *dataset);
void of_lsgmc_end(of_lsgmc *lsgmc);

/* One iteration: every view, then the core, multipliers and penalty; sets `converged`. */
onefold_status of_lsgmc_step(of_lsgmc *lsgmc);

/* ---- from the representation to an affinity ---------------------------------------------- */

/* The share of a column's l1 norm that is kept, for this number of samples. */
double of_lsgmc_share(size_t samples);

/* Keeps in each column of A (n x n, in place) the entries of largest modulus, lower rows first
 * among equals, up to and including the one with which their sum reaches `share` of the column's
 * l1 norm; the others become zero. */
onefold_status of_lsgmc_retain(of_context *context, size_t n, double *a, double share);

/* W = ((AA')^1/2 scaled to unit diagonal) squared entrywise, singular values of A up to 1e-6 left
 * out; a zero row of A gives a zero row and column. A (n x n) is destroyed. */
onefold_status of_lsgmc_affinity(of_context *context, size_t n, double *a, double *affinity);

/* The minimiser of (x - value)^2 / 2 + weight |x|^power over x >= 0, power in (0, 1], as
 * generalised soft thresholding finds it: zero up to of_power_cut, three fixed-point steps above.
 */
double of_power_cut(double weight, double power);
double of_power_threshold(double value, double weight, double power);

#endif
