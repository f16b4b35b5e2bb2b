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

typedef struct turning {
    size_t n, thin;
    size_t rank;  /* singular values that count */
    double *u;    /* n x rank: left singular vectors of B */
    double *v;    /* thin x rank: right ones; V = T v */
    double *w;    /* n x rank: Q V */
    double *sum;  /* n x rank: -(u_i + w_i), from principal vectors */
    double *rest; /* n x rank: (u_i - cos_i w_i) / (1 + cos_i) */
} turning;

/* U and v from the thin singular value decomposition of B. */
static onefold_status split(of_context *context, of_arena *arena, double *b, turning *t)
{
    double *value, *vt;
    OF_TRY(OF_NEW(arena, &value, t->thin, 1));
    OF_TRY(OF_NEW(arena, &vt, t->thin, t->thin));
    OF_TRY(OF_NEW(arena, &t->u, t->n, t->thin));
    OF_TRY(OF_NEW(arena, &t->v, t->thin, t->thin));
    OF_TRY(of_svd(context, t->n, t->thin, b, t->n, value, t->u, t->n, vt, t->thin));
    t->rank = 0;
    while (t->rank < t->thin && value[t->rank] > LEAST_SHARE * value[0])
        t->rank++;
    for (size_t i = 0; i < t->rank; i++)
        cblas_dcopy((int)t->thin, vt + i, (int)t->thin, t->v + i * t->thin, 1);
    return ONEFOLD_OK;
}

/* Principal vectors of span U and span W, as the sums and rests above. */
static onefold_status principal(of_context *context, of_arena *arena, turning *t)
{
    size_t n = t->n, r = t->rank;
    double *small, *cosine, *x, *yt, *turned;
    OF_TRY(OF_NEW(arena, &small, r, r));
    OF_TRY(OF_NEW(arena, &cosine, r, 1));
    OF_TRY(OF_NEW(arena, &x, r, r));
    OF_TRY(OF_NEW(arena, &yt, r, r));
    OF_TRY(OF_NEW(arena, &turned, n, r));
    OF_TRY(OF_NEW(arena, &t->sum, n, r));
    OF_TRY(OF_NEW(arena, &t->rest, n, r));
    OF_TRY(of_team_gemm(context, 'T', 'N', r, r, n, 1, t->w, n, t->u, n, 0, small, r));
    OF_TRY(of_svd(context, r, r, small, r, cosine, x, r, yt, r));
    OF_TRY(of_team_gemm(context, 'N', 'T', n, r, r, 1, t->u, n, yt, r, 0, t->sum, n));
    OF_TRY(of_team_gemm(context, 'N', 'N', n, r, r, 1, t->w, n, x, r, 0, turned, n));
    for (size_t k = 0; k < r; k++)
        for (size_t i = k * n; i < (k + 1) * n; i++) {
            double u = t->sum[i], w = turned[i];
            t->sum[i] = -(u + w);
            t->rest[i] = (u - cosine[k] * w) / (1 + cosine[k]);
        }
    return ONEFOLD_OK;
}

/* M += (U - W) (W'M) - sum (rest'M), M n x columns, given W'M (rank x columns). */
static onefold_status turn(of_context *context, const turning *t, size_t columns,
                           const double *away, const double *w_m, double *m)
{
    size_t n = t->n, r = t->rank;
    OF_SCRATCH(scratch, context);
    double *rest_m;
    OF_TRY(OF_NEW(&scratch, &rest_m, r, columns));
    OF_TRY(of_team_gemm(context, 'T', 'N', r, columns, n, 1, t->rest, n, m, n, 0, rest_m, r));
    OF_TRY(of_team_gemm(context, 'N', 'N', n, columns, r, 1, away, n, w_m, r, 1, m, n));
    return of_team_gemm(context, 'N', 'N', n, columns, r, 1, t->sum, n, rest_m, r, 1, m, n);
}

onefold_status of_polar_nearest(of_context *context, size_t n, size_t thin, double *b,
                                const double *t, double *q, double *qt)
{
    OF_SCRATCH(scratch, context);
    turning s = {.n = n, .thin = thin};
    double *away, *w_q;
    if (n == 0 || thin == 0)
        return ONEFOLD_OK;
    OF_TRY(split(context, &scratch, b, &s));
    if (s.rank == 0)
        return ONEFOLD_OK;
    size_t r = s.rank;
    OF_TRY(OF_NEW(&scratch, &s.w, n, r));
    OF_TRY(OF_NEW(&scratch, &away, n, r));
    OF_TRY(OF_NEW(&scratch, &w_q, r, n));
    OF_TRY(of_team_gemm(context, 'N', 'N', n, r, thin, 1, qt, n, s.v, thin, 0, s.w, n));
    OF_TRY(principal(context, &scratch, &s));
    for (size_t i = 0; i < n * r; i++)
        away[i] = s.u[i] - s.w[i];
    /* W'Q = V' = v'T', and W'(Q T) = v' as T'T = I */
    OF_TRY(of_team_gemm(context, 'T', 'T', r, n, thin, 1, s.v, thin, t, n, 0, w_q, r));
    OF_TRY(turn(context, &s, n, away, w_q, q));
    for (size_t k = 0; k < thin; k++)
        for (size_t i = 0; i < r; i++)
            w_q[i + k * r] = s.v[k + i * thin];
    return turn(context, &s, thin, away, w_q, qt);
}
