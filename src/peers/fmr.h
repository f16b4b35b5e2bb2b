/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FMR (Li et al., IJCAI 2019): a latent representation that agrees with all views, and its low-rank
 * self-representation.
 *
 *     min -tr(K H'H)/(n-1)^2 + l1 ||Z||_* + l2 ||E||_{2,1}   with H = HZ + E
 *
 * K = centred M'M, M the stacked unit-length features. By alternating directions with J = Z and a
 * growing penalty u. In the code H is `latent`, Z `self`, J `low`, E `noise`; multipliers are held
 * divided by u (`..._dual`).
 *
 * With H = U diag(value) basis', the multiplier of J = Z always lies in the span of the basis, and
 * so do Z and J but for what the 1e-8 I in the J step leaves outside, a matrix of low rank. Once H
 * rests, which it does after the first iteration as a rule, an iteration is thus done in the
 * coordinates of the basis, latent x samples, and no samples x samples matrix is formed. Where that
 * fails (H moves again, or the outside part is no longer small against the threshold) the basis is
 * completed to all of space, and the same steps go on.
 */
#ifndef OF_PEERS_FMR_H
#define OF_PEERS_FMR_H

#include "peers/common.h"

typedef struct of_fmr_options {
    double low_weight, noise_weight; /* l1, l2 */
    double level;                    /* the value below which H need not be moved */
    double step;                     /* of the descent that moves H */
    size_t max_steps;
    double ridge; /* 1e-8: added to the diagonal before the J step */
    double penalty, growth, most_penalty, tolerance;
    size_t max_iterations;
} of_fmr_options;
#define OF_FMR_OPTIONS_INIT                                                                        \
    {                                                                                              \
        1e-4, 1e-6, -5e7, 100, 20000, 1e-8, 1e-5, 1.1, 1e10, 1e-4, 500                             \
    }

typedef struct of_fmr {
    of_context *context;
    of_arena arena;
    of_fmr_options options;
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
    of_arena outside_arena;
    size_t rank;          /* of J */
    double *outside;      /* samples x rank: Z and J are `basis self` + outside outside_rows' */
    double *outside_rows; /* samples x rank */

    double penalty;          /* of the iteration to come; what the duals are divided by */
    size_t iteration, steps; /* steps: of the descent, in the last iteration */
    double latent_value;     /* what `level` was held against when the descent ended */
    double low_values;       /* ||J||_*, and ||E||_{2,1} */
    double noise_lengths;
    double objective;       /* with ||J||_* for ||Z||_* */
    double residual_latent; /* largest row sum of |H - HZ - E| */
    double residual_low;    /* of |Z - J|, or a lower bound that is above the tolerance already */
    int converged;
} of_fmr;

/* Starts from H (latent_rows x samples, copied). End it whether or not it succeeded. */
onefold_status of_fmr_start(of_fmr *fmr, of_context *context, const of_fmr_options *options,
                            const of_dataset *dataset, size_t latent_rows, const double *latent);
void of_fmr_end(of_fmr *fmr);

/* One iteration: H, J, Z, E, multipliers, penalty; sets `converged`. */
onefold_status of_fmr_step(of_fmr *fmr);

/* Z (samples x samples), and the largest row sum of |Z - J|, formed. */
onefold_status of_fmr_self(const of_fmr *fmr, double *self);
onefold_status of_fmr_low_residual(const of_fmr *fmr, double *norm);

/* Z (samples x samples, destroyed) to |Z| + |Z'|. */
void of_fmr_affinity(size_t samples, double *self);

/* Goes over to a basis of all of space that starts with the right singular vectors of H: again if H
 * has moved, else those there are. */
onefold_status of_fmr_change_basis(of_fmr *fmr, int moved);

#endif
