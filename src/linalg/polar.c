/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Polar factors. A matrix of good condition takes the dynamically weighted Halley iteration
 * (Nakatsukasa, Bai, Gygi 2010) in its Cholesky form: products and triangular solves, two to three
 * times as fast as a singular value decomposition. Other matrices take the decomposition.
 */
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

/* A singular value below this share of the largest counts as zero. */
static const double RANK_TOLERANCE = 1e-12;

/* ---- the iteration ------------------------------------------------------------------------ */

/* The Cholesky form loses about the square root of the condition of I + c X'X. So the lower bound
 * on the singular values, which sets c, stays above this. */
static const double LEAST_BOUND = 0.01;
/* Below this condition the iteration is not tried. */
static const double LEAST_ESTIMATE = 3e-5;
enum { MOST_STEPS = 10 };

typedef struct halley {
    of_context *context;
    size_t rows, columns;  /* rows >= columns */
    double *X;             /* rows x columns: the iterate */
    double *S;             /* columns x columns: X'X */
    double *L;             /* columns x columns: a Cholesky factor, or S^2 */
    double *Y;             /* rows x columns */
    onefold_status status; /* of the call for a Cholesky factor */
    int failed;            /* S has no Cholesky factor */
} halley;

/* Scales X so that its largest singular value is about 1. Returns a guess of its smallest, 0 when
 * X'X has no Cholesky factor. A wrong guess costs steps, not digits. */
static double scale_and_guess(halley *h)
{
    size_t n = h->columns;
    double *x = h->Y, *y = h->L, largest, least = 1;
    for (size_t i = 0; i < n; i++)
        x[i] = h->S[i + i * n];
    /* the largest eigenvalue of S, from below and within a few per cent: steps of the power method
     * from the diagonal of S */
    for (int step = 0;; step++) {
        largest = sqrt(cblas_ddot((int)n, x, 1, x, 1));
        if (!(largest > 0) || !isfinite(largest))
            return 0;
        if (step == 5)
            break;
        cblas_dscal((int)n, 1 / largest, x, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, (int)n, (int)n, 1, h->S, (int)n, x, 1, 0, y, 1);
        double *swap = x;
        x = y;
        y = swap;
    }
    cblas_dscal((int)(h->rows * n), 1 / sqrt(largest), h->X, 1);
    cblas_dscal((int)(n * n), 1 / largest, h->S, 1);
    memcpy(h->L, h->S, n * n * sizeof(double));
    if ((h->status = of_lapack_dpotrf(h->context, n, h->L, &h->failed)) || h->failed)
        return 0;
    for (size_t i = 0; i < n; i++)
        least = fmin(least, h->L[i + i * n]);
    return least / 2;
}

/* X <- X (a + b X'X) (1 + c X'X)^-1 with the best weights for singular values in [bound, 1].
 * Returns the bound for the new X, or 0 when a factorisation fails. */
static double halley_step(halley *h, double bound)
{
    size_t n = h->columns;
    double l2 = fmax(bound, LEAST_BOUND) * fmax(bound, LEAST_BOUND),
           d = cbrt(4 * (1 - l2) / (l2 * l2)), root = sqrt(1 + d);
    double a = root + 0.5 * sqrt(fmax(0, 8 - 4 * d + 8 * (2 - l2) / (l2 * root)));
    double b = (a - 1) * (a - 1) / 4, c = a + b - 1;
    memcpy(h->L, h->S, n * n * sizeof(double));
    cblas_dscal((int)(n * n), c, h->L, 1);
    for (size_t i = 0; i < n; i++)
        h->L[i + i * n] += 1;
    if ((h->status = of_lapack_dpotrf(h->context, n, h->L, &h->failed)) || h->failed)
        return 0;
    memcpy(h->Y, h->X, h->rows * n * sizeof(double));
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)h->rows,
                (int)n, 1, h->L, (int)n, h->Y, (int)h->rows);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)h->rows,
                (int)n, 1, h->L, (int)n, h->Y, (int)h->rows);
    for (size_t i = 0; i < h->rows * n; i++)
        h->X[i] = b / c * h->X[i] + (a - b / c) * h->Y[i];
    return fmin(1, bound * (a + b * bound * bound) / (1 + c * bound * bound));
}

/* ||X'X - I||_F, good to 1e-7. */
static double departure(const halley *h)
{
    size_t n = h->columns;
    double square = of_dot(n * n, 1, h->S, h->S), trace = 0;
    for (size_t i = 0; i < n; i++)
        trace += h->S[i + i * n];
    return sqrt(fmax(0, square - 2 * trace + (double)n));
}

/* The polar factor W of A (rows x columns) by iteration. *done: the condition of A allowed it. */
static onefold_status iterate(of_context *context, size_t rows, size_t columns, const double *a,
                              double *w, int *done)
{
    OF_SCRATCH(scratch, context);
    int wide = rows < columns; /* then W' from A' */
    size_t n = wide ? rows : columns;
    halley h = {.context = context, .rows = wide ? columns : rows, .columns = n};
    double *out = w, bound = 0;
    OF_TRY(OF_NEW(&scratch, &h.X, 2 * h.rows + 2 * n, n));
    if (wide)
        OF_TRY(OF_NEW(&scratch, &out, h.rows, n));
    OF_COUNTED(scratch.context);
    h.Y = h.X + h.rows * n;
    h.S = h.Y + h.rows * n;
    h.L = h.S + n * n;
    if (wide)
        of_transpose(rows, columns, a, rows, h.X, h.rows);
    else
        memcpy(h.X, a, rows * columns * sizeof(double));
    for (int step = 0; step < MOST_STEPS && !*done; step++) {
        of_gemm('T', 'N', n, n, h.rows, 1, h.X, h.rows, h.X, h.rows, 0, h.S, n);
        if (step == 0 && (bound = scale_and_guess(&h)) < LEAST_ESTIMATE)
            return h.status;
        double e = departure(&h);
        if (e < 0.5) { /* X (15 - 10 X'X + 3 (X'X)^2) / 8: as fast there, and without a solve */
            *done = e < 1e-5; /* its cube is below the rounding errors */
            of_gemm('N', 'N', n, n, n, 3.0 / 8, h.S, n, h.S, n, 0, h.L, n);
            of_add(n * n, -10.0 / 8, h.S, h.L);
            for (size_t i = 0; i < n; i++)
                h.L[i + i * n] += 15.0 / 8;
            of_gemm('N', 'N', h.rows, n, n, 1, h.X, h.rows, h.L, n, 0, *done ? out : h.Y, h.rows);
            double *swap = h.X;
            h.X = h.Y;
            h.Y = swap;
        } else if (!isfinite(e) || (bound = halley_step(&h, bound)) == 0)
            return h.status;
    }
    if (wide && *done)
        of_transpose(h.rows, n, out, h.rows, w, rows);
    return ONEFOLD_OK;
}

/* ---- the decomposition -------------------------------------------------------------------- */

typedef struct svd {
    size_t r;      /* min(rows, columns) */
    size_t rank;   /* singular values above the tolerance */
    double *value; /* r */
    double *u;     /* rows x r */
    double *vt;    /* r x columns */
} svd;

static onefold_status svd_make(of_context *context, of_arena *arena, size_t rows, size_t columns,
                               const double *a, svd *s)
{
    double *copy;
    s->r = rows < columns ? rows : columns;
    OF_TRY(OF_NEW_ALL(arena, {&copy, rows, columns}, {&s->value, s->r, 1}));
    OF_TRY(OF_NEW_ALL(arena, {&s->u, rows, s->r}, {&s->vt, s->r, columns}));
    s->rank = s->r;
    if (!of_counts(arena->context))
        memcpy(copy, a, rows * columns * sizeof *copy);
    OF_TRY(of_svd(context, rows, columns, copy, s->value, s->u, s->vt));
    OF_COUNTED(arena->context);
    while (s->rank > 0 && !(s->value[s->rank - 1] > RANK_TOLERANCE * s->value[0]))
        s->rank--;
    return ONEFOLD_OK;
}

/* D = (I - U U') W (I - V V') with the leading `rank` singular vectors: the part of W between the
 * two null spaces. */
static void between_null_spaces(const svd *s, size_t rows, size_t columns, const double *w,
                                double *D /* rows x columns */,
                                double *room /* rank x columns or rows x rank */)
{
    memcpy(D, w, rows * columns * sizeof *D);
    of_gemm('T', 'N', s->rank, columns, rows, 1, s->u, rows, D, rows, 0, room, s->r);
    of_gemm('N', 'N', rows, columns, s->rank, -1, s->u, rows, room, s->r, 1, D, rows);
    of_gemm('N', 'T', rows, s->rank, columns, 1, D, rows, s->vt, s->r, 0, room, rows);
    of_gemm('N', 'N', rows, columns, s->rank, -1, room, rows, s->vt, s->r, 1, D, rows);
}

onefold_status of_polar(of_context *context, size_t rows, size_t columns, const double *a,
                        of_polar_null null, double *w)
{
    OF_SCRATCH(scratch, context);
    svd s, rest;
    double *D, *room;
    int done = 0;
    if (rows == 0 || columns == 0)
        return ONEFOLD_OK;
    if (null == OF_POLAR_NEAR && rows < columns)
        return of_fail(ONEFOLD_FAULT, "no isometry has %zu rows and %zu columns", rows, columns);
    OF_TRY(iterate(context, rows, columns, a, w, &done));
    if (done)
        return ONEFOLD_OK;
    OF_TRY(svd_make(context, &scratch, rows, columns, a, &s));
    size_t missing = columns - s.rank;
    int completed = null == OF_POLAR_NEAR && (missing > 0 || of_counts(scratch.context));
    if (completed) {
        OF_TRY(OF_NEW_ALL(&scratch, {&D, rows, columns}, {&room, rows, columns}));
        if (!of_counts(scratch.context))
            between_null_spaces(&s, rows, columns, w, D, room);
        OF_TRY(svd_make(context, &scratch, rows, columns, D, &rest));
    }
    OF_COUNTED(scratch.context);
    /* where W itself lacks a part of the null spaces, LAPACK's completion is used */
    completed = completed && rest.value[missing - 1] > 1e-6;
    of_gemm('N', 'N', rows, columns, completed || null == OF_POLAR_DROP ? s.rank : s.r, 1, s.u,
            rows, s.vt, s.r, 0, w, rows);
    if (completed)
        of_gemm('N', 'N', rows, columns, missing, 1, rest.u, rows, rest.vt, rest.r, 1, w, rows);
    return ONEFOLD_OK;
}

/*
 * With A = B T' = U S V' and W = Q V, the new matrix is F Q, where F maps W to U and turns the rest
 * of span(U, W) as little as possible. Let X cos Y' be the singular value decomposition of W'U, and
 * u = U Y, w = W X the principal vectors of the two subspaces. In the plane of u_i and w_i, F maps
 * the normal of w_i to the normal of u_i, so that
 *
 *     F = I + (U - W) W' - sum_i (u_i + w_i) (u_i - cos_i w_i)' / (1 + cos_i),
 *
 * which has no small denominator, whatever the angles. It is the polar factor of
 * U V' + (I - U U') Q (I - V V'), times Q'.
 */

static const double LEAST_SHARE = 1e-10; /* of the largest singular value: less counts as zero */

/* F = I + to from', from U and W (n x r). `to` and `from` are n x 2r: first U - W and W, then the
 * part of the principal vectors. */
static onefold_status find_turn(of_context *context, size_t n, size_t r, const double *u,
                                const double *w, double *to, double *from)
{
    OF_SCRATCH(scratch, context);
    size_t half = n * r;
    double *small, *cosine, *x, *yt, *wx;
    OF_TRY(OF_NEW_ALL(&scratch, {&small, r, r}, {&cosine, r, 1}, {&x, r, r}, {&yt, r, r},
                      {&wx, n, r}));
    OF_TRY(of_team_gemm(context, 'T', 'N', r, r, n, 1, w, n, u, n, 0, small, r));
    OF_TRY(of_svd(context, r, r, small, cosine, x, yt));
    OF_TRY(of_team_gemm(context, 'N', 'T', n, r, r, 1, u, n, yt, r, 0, to + half, n));
    OF_TRY(of_team_gemm(context, 'N', 'N', n, r, r, 1, w, n, x, r, 0, wx, n));
    OF_COUNTED(context);
    for (size_t k = 0; k < r; k++)
        for (size_t i = k * n; i < (k + 1) * n; i++) {
            double uy = to[half + i];
            to[i] = u[i] - w[i];
            from[i] = w[i];
            to[half + i] = -(uy + wx[i]);
            from[half + i] = (uy - cosine[k] * wx[i]) / (1 + cosine[k]);
        }
    return ONEFOLD_OK;
}

/* M <- F M, M n x columns; `inner` is 2r. */
static onefold_status turn(of_context *context, size_t n, size_t inner, const double *to,
                           const double *from, size_t columns, double *m)
{
    OF_SCRATCH(scratch, context);
    double *image;
    OF_TRY(OF_NEW(&scratch, &image, inner, columns));
    OF_TRY(of_team_gemm(context, 'T', 'N', inner, columns, n, 1, from, n, m, n, 0, image, inner));
    return of_team_gemm(context, 'N', 'N', n, columns, inner, 1, to, n, image, inner, 1, m, n);
}

onefold_status of_polar_nearest(of_context *context, size_t n, size_t thin, double *b, double *q,
                                double *qt)
{
    OF_SCRATCH(scratch, context);
    double *value, *u, *vt, *v, *w, *rough, *gram, *to, *from;
    size_t r = of_counts(scratch.context) ? thin : 0; /* singular values of B that count */
    if (n == 0 || thin == 0)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ALL(&scratch, {&value, thin, 1}, {&vt, thin, thin}, {&u, n, thin},
                      {&v, thin, thin}));
    OF_TRY(of_svd(context, n, thin, b, value, u, vt));
    while (r < thin && value[r] > LEAST_SHARE * value[0])
        r++;
    if (r == 0)
        return ONEFOLD_OK;
    if (!of_counts(scratch.context))
        of_transpose(r, thin, vt, thin, v, thin);
    OF_TRY(OF_NEW_ALL(&scratch, {&w, n, r}, {&to, n, 2 * r}, {&from, n, 2 * r}, {&rough, n, r},
                      {&gram, r, r}));
    /* W = QT V has orthonormal columns but for the rounding errors of Q. One step of
     * W <- W (3I - W'W) / 2 removes them; without it F would not be orthogonal either, and the
     * errors of Q would double from call to call. */
    OF_TRY(of_team_gemm(context, 'N', 'N', n, r, thin, 1, qt, n, v, thin, 0, rough, n));
    OF_TRY(of_team_syrk(context, 'T', r, n, -0.5, rough, n, 0, gram, r));
    for (size_t i = 0; i < r && !of_counts(scratch.context); i++)
        gram[i + i * r] += 1.5;
    OF_TRY(of_team_gemm(context, 'N', 'N', n, r, r, 1, rough, n, gram, r, 0, w, n));
    OF_TRY(find_turn(context, n, r, u, w, to, from));
    OF_TRY(turn(context, n, 2 * r, to, from, n, q));
    return turn(context, n, 2 * r, to, from, thin, qt);
}
