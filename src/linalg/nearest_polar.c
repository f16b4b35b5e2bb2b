/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With A = B T' = U S V' and W = Q V, the new matrix is F Q, where F takes W to U and turns the
 * rest of span(U, W) as little as that allows. Let X cos Y' be the singular value decomposition of
 * W'U, and u = U Y, w = W X the principal vectors of the two subspaces. In the plane of u_i and
 * w_i, F takes what is orthogonal to w_i to what is orthogonal to u_i, so that
 *
 *     F = I + (U - W) W' - sum_i (u_i + w_i) (u_i - cos_i w_i)' / (1 + cos_i),
 *
 * which has no small denominator, whatever the angles. It is the polar factor of
 * U V' + (I - U U') Q (I - V V'), times Q'.
 */
#include "linalg/nearest_polar.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/parallel.h"

static const double LEAST_SHARE = 1e-10; /* of the largest singular value: less is zero */

/* F as I + to from'. Both are n x 2 rank: first U - W and W, then the principal vectors' part. */
typedef struct turning {
    size_t n, thin, rank; /* rank: singular values of B that count */
    double *v;            /* thin x rank: right singular vectors of B; V = T v */
    double *to, *from;
} turning;

/* The left singular vectors of B (n x thin, destroyed) into `u`, and t->v, as far as they count. */
static onefold_status split(of_context *context, of_arena *arena, double *b, turning *t, double **u)
{
    double *value, *vt;
    OF_TRY(OF_NEW(arena, &value, t->thin, 1));
    OF_TRY(OF_NEW(arena, &vt, t->thin, t->thin));
    OF_TRY(OF_NEW(arena, u, t->n, t->thin));
    OF_TRY(OF_NEW(arena, &t->v, t->thin, t->thin));
    OF_TRY(of_svd(context, t->n, t->thin, b, t->n, value, *u, t->n, vt, t->thin));
    t->rank = 0;
    while (t->rank < t->thin && value[t->rank] > LEAST_SHARE * value[0])
        t->rank++;
    for (size_t i = 0; i < t->rank; i++)
        cblas_dcopy((int)t->thin, vt + i, (int)t->thin, t->v + i * t->thin, 1);
    return ONEFOLD_OK;
}

/* W = QT v, whose columns are orthonormal but for what rounding has done to Q so far. One step of
 * W <- W (3I - W'W) / 2 makes them so to rounding; without it F would not be orthogonal either, and
 * the errors of Q would double from call to call. */
static onefold_status carry(of_context *context, of_arena *arena, const turning *t,
                            const double *qt, double *w)
{
    size_t n = t->n, r = t->rank;
    double *rough, *gram;
    OF_TRY(OF_NEW(arena, &rough, n, r));
    OF_TRY(OF_NEW(arena, &gram, r, r));
    OF_TRY(of_team_gemm(context, 'N', 'N', n, r, t->thin, 1, qt, n, t->v, t->thin, 0, rough, n));
    OF_TRY(of_team_syrk(context, 'T', r, n, -0.5, rough, n, 0, gram, r));
    for (size_t i = 0; i < r; i++)
        gram[i + i * r] += 1.5;
    return of_team_gemm(context, 'N', 'N', n, r, r, 1, rough, n, gram, r, 0, w, n);
}

/* F from U and W. */
static onefold_status find_turn(of_context *context, of_arena *arena, const double *u,
                                const double *w, turning *t)
{
    size_t n = t->n, r = t->rank, half = n * r;
    double *small, *cosine, *x, *yt, *wx;
    OF_TRY(OF_NEW(arena, &small, r, r));
    OF_TRY(OF_NEW(arena, &cosine, r, 1));
    OF_TRY(OF_NEW(arena, &x, r, r));
    OF_TRY(OF_NEW(arena, &yt, r, r));
    OF_TRY(OF_NEW(arena, &wx, n, r));
    OF_TRY(of_team_gemm(context, 'T', 'N', r, r, n, 1, w, n, u, n, 0, small, r));
    OF_TRY(of_svd(context, r, r, small, r, cosine, x, r, yt, r));
    OF_TRY(of_team_gemm(context, 'N', 'T', n, r, r, 1, u, n, yt, r, 0, t->to + half, n));
    OF_TRY(of_team_gemm(context, 'N', 'N', n, r, r, 1, w, n, x, r, 0, wx, n));
    for (size_t k = 0; k < r; k++)
        for (size_t i = k * n; i < (k + 1) * n; i++) {
            double uy = t->to[half + i];
            t->to[i] = u[i] - w[i];
            t->from[i] = w[i];
            t->to[half + i] = -(uy + wx[i]);
            t->from[half + i] = (uy - cosine[k] * wx[i]) / (1 + cosine[k]);
        }
    return ONEFOLD_OK;
}

/* M <- F M, M n x columns. */
static onefold_status turn(of_context *context, const turning *t, size_t columns, double *m)
{
    size_t n = t->n, inner = 2 * t->rank;
    OF_SCRATCH(scratch, context);
    double *image;
    OF_TRY(OF_NEW(&scratch, &image, inner, columns));
    OF_TRY(
        of_team_gemm(context, 'T', 'N', inner, columns, n, 1, t->from, n, m, n, 0, image, inner));
    return of_team_gemm(context, 'N', 'N', n, columns, inner, 1, t->to, n, image, inner, 1, m, n);
}

onefold_status of_polar_nearest(of_context *context, size_t n, size_t thin, double *b, double *q,
                                double *qt)
{
    OF_SCRATCH(scratch, context);
    turning s = {n, thin, 0, NULL, NULL, NULL};
    double *u, *w;
    if (n == 0 || thin == 0)
        return ONEFOLD_OK;
    OF_TRY(split(context, &scratch, b, &s, &u));
    if (s.rank == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &w, n, s.rank));
    OF_TRY(OF_NEW(&scratch, &s.to, n, 2 * s.rank));
    OF_TRY(OF_NEW(&scratch, &s.from, n, 2 * s.rank));
    OF_TRY(carry(context, &scratch, &s, qt, w));
    OF_TRY(find_turn(context, &scratch, u, w, &s));
    OF_TRY(turn(context, &s, n, q));
    return turn(context, &s, thin, qt);
}
