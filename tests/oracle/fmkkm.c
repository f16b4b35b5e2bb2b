/* SPDX-License-Identifier: Apache-2.0 */
/* Fusion multiple kernel k-means, literally: every trial multiplies by the whole kernel. */
#include "oracle/fmkkm.h"

#include "oracle/plain.h"
#include "oracle/plain_eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* tr(K (I - HH')) */
static double left_over(size_t n, size_t c, const double *K, const double *H)
{
    double trace = 0, *KH = plain_times(n, n, c, K, H), *flipped = plain_flip(n, c, H);
    for (size_t j = 0; j < n; j++)
        trace += K[j + j * n];
    trace -= plain_trace_of(c, n, flipped, KH);
    free(KH);
    free(flipped);
    return trace;
}

/* F(X) = -tr(X'AX + X'D) */
static double value_of(size_t n, size_t c, const double *X, const double *A, const double *D)
{
    double *AX = plain_times(n, n, c, A, X), *flipped = plain_flip(n, c, X);
    double value = -plain_trace_of(c, n, flipped, AX) - plain_trace_of(c, n, flipped, D);
    free(AX);
    free(flipped);
    return value;
}

/* The Q factor with positive diagonal of R: Gram-Schmidt, each column cleaned twice. */
static void orthonormalise(size_t n, size_t c, double *X)
{
    for (size_t j = 0; j < c; j++) {
        for (int again = 0; again < 2; again++)
            for (size_t k = 0; k < j; k++) {
                double inner = 0;
                for (size_t i = 0; i < n; i++)
                    inner += X[i + k * n] * X[i + j * n];
                plain_add(n, X + j * n, -inner, X + k * n);
            }
        double length = plain_frobenius(n, 1, X + j * n);
        for (size_t i = 0; i < n; i++)
            X[i + j * n] /= length;
    }
}

/* One curvilinear step on F from X, in place; how many lengths were tried. */
static size_t stiefel_step(size_t n, size_t c, double *X, const double *A, const double *D)
{
    double *g = plain_times(n, n, c, A, X);
    for (size_t e = 0; e < n * c; e++)
        g[e] = -2 * g[e] - D[e];
    double *g_flipped = plain_flip(n, c, g), *gX = plain_times(c, n, c, g_flipped, X);
    double *XgX = plain_times(n, c, c, X, gX), *d = plain_copy(n, c, g);
    plain_add(n * c, d, -1, XgX);
    double square = pow(plain_frobenius(n, c, d), 2), F0 = value_of(n, c, X, A, D), t = 5;
    size_t trial = 1;
    for (;; trial++, t *= 0.2) {
        double *moved = plain_copy(n, c, X);
        plain_add(n * c, moved, -t, d);
        orthonormalise(n, c, moved);
        double F = value_of(n, c, moved, A, D);
        int enough = F <= F0 - t * 1e-4 * square;
        if (enough || (trial == 8 && F < F0))
            memcpy(X, moved, n * c * sizeof *X);
        free(moved);
        if (enough || trial == 8)
            break;
    }
    free(g);
    free(g_flipped);
    free(gX);
    free(XgX);
    free(d);
    return trial;
}

/* tr(H'H_iW_i) */
static double fit_of(const oracle_fmkkm *o, size_t i)
{
    double *flipped = plain_flip(o->n, o->c, o->H);
    double *HW = plain_times(o->n, o->c, o->c, o->H_i[i], o->W[i]);
    double fit = plain_trace_of(o->c, o->n, flipped, HW);
    free(flipped);
    free(HW);
    return fit;
}

static void compute_objective(oracle_fmkkm *o)
{
    o->part[0] = o->part[1] = o->part[2] = 0;
    for (size_t i = 0; i < o->p; i++) {
        o->part[0] += o->g[i] * o->g[i] * left_over(o->n, o->c, o->K[i], o->H);
        o->part[1] += o->a[i] * o->a[i] * left_over(o->n, o->c, o->K[i], o->H_i[i]);
        o->part[2] += o->b[i] * fit_of(o, i);
    }
    o->J = o->part[0] + o->l1 * o->part[1] - o->l2 * o->part[2];
}

/* K_g, new memory */
static double *combined(const oracle_fmkkm *o)
{
    double *K_g = plain_new(o->n, o->n);
    for (size_t i = 0; i < o->p; i++)
        plain_add(o->n * o->n, K_g, o->g[i] * o->g[i], o->K[i]);
    return K_g;
}

void oracle_fmkkm_start(oracle_fmkkm *o, size_t n, size_t p, size_t c, const double *const *K,
                        double l1, double l2)
{
    *o = (oracle_fmkkm){.n = n, .p = p, .c = c, .l1 = l1, .l2 = l2, .K = K};
    double *value = plain_new(c, 1);
    for (size_t i = 0; i < p; i++) {
        o->a[i] = o->g[i] = 1.0 / (double)p;
        o->b[i] = 1 / sqrt((double)p);
        o->H_i[i] = plain_new(n, c);
        o->W[i] = plain_identity(c);
        plain_eigen_top(n, c, K[i], value, o->H_i[i]);
    }
    double *K_g = combined(o);
    o->H = plain_new(n, c);
    plain_eigen_top(n, c, K_g, value, o->H);
    compute_objective(o);
    free(K_g);
    free(value);
}

static void turn_views(oracle_fmkkm *o)
{
    size_t n = o->n, c = o->c;
    for (size_t i = 0; i < o->p; i++) {
        double *flipped = plain_flip(n, c, o->H_i[i]);
        double *inner = plain_times(c, n, c, flipped, o->H);
        double *U = plain_new(c, c), *s = plain_new(c, 1), *V = plain_new(c, c);
        plain_svd(c, c, inner, U, s, V);
        double *V_flipped = plain_flip(c, c, V);
        free(o->W[i]);
        o->W[i] = plain_times(c, c, c, U, V_flipped);
        free(flipped);
        free(inner);
        free(U);
        free(s);
        free(V);
        free(V_flipped);
    }
}

static void step_fused(oracle_fmkkm *o)
{
    double *A = combined(o), *D = plain_new(o->n, o->c);
    for (size_t i = 0; i < o->p; i++) {
        double *HW = plain_times(o->n, o->c, o->c, o->H_i[i], o->W[i]);
        plain_add(o->n * o->c, D, o->l2 * o->b[i], HW);
        free(HW);
    }
    o->trials[0] = stiefel_step(o->n, o->c, o->H, A, D);
    free(A);
    free(D);
}

static void step_views(oracle_fmkkm *o)
{
    for (size_t i = 0; i < o->p; i++) {
        double *A = plain_new(o->n, o->n), *W_flipped = plain_flip(o->c, o->c, o->W[i]);
        double *D = plain_times(o->n, o->c, o->c, o->H, W_flipped);
        plain_add(o->n * o->n, A, o->l1 * o->a[i] * o->a[i], o->K[i]);
        for (size_t e = 0; e < o->n * o->c; e++)
            D[e] *= o->l2 * o->b[i];
        o->trials[1 + i] = stiefel_step(o->n, o->c, o->H_i[i], A, D);
        free(A);
        free(W_flipped);
        free(D);
    }
}

void oracle_fmkkm_step(oracle_fmkkm *o)
{
    turn_views(o);
    step_fused(o);
    step_views(o);
    double g = 0, a = 0, b = 0;
    for (size_t i = 0; i < o->p; i++) {
        g += o->g[i] = 1 / left_over(o->n, o->c, o->K[i], o->H);
        a += o->a[i] = 1 / left_over(o->n, o->c, o->K[i], o->H_i[i]);
        o->b[i] = fmax(0, fit_of(o, i));
        b += o->b[i] * o->b[i];
    }
    for (size_t i = 0; i < o->p; i++) {
        o->g[i] /= g;
        o->a[i] /= a;
        o->b[i] = b > 0 ? o->b[i] / sqrt(b) : 1 / sqrt((double)o->p);
    }
    compute_objective(o);
}

void oracle_fmkkm_end(oracle_fmkkm *o)
{
    free(o->H);
    for (size_t i = 0; i < o->p; i++) {
        free(o->H_i[i]);
        free(o->W[i]);
    }
}
