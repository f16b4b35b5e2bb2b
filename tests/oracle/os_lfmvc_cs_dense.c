/* SPDX-License-Identifier: Apache-2.0 */
/* The literal restatement of OS-LFMVC-CS. Slow on purpose: nothing here is shared with the solver.
 */
#include "oracle/os_lfmvc_cs_dense.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces ------------------------------------------------------------------------------- */

/* <A, B> */
static double inner(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* A B' for A (rows x inner), B (columns x inner); new. */
static double *times_flipped(size_t rows, size_t inner_size, size_t columns, const double *a,
                             const double *b)
{
    double *flipped = plain_flip(columns, inner_size, b);
    double *product = plain_times(rows, inner_size, columns, a, flipped);
    free(flipped);
    return product;
}

/* U V' over singular values above 1e-12 of the largest; new. */
static double *isometry(size_t rows, size_t columns, const double *a)
{
    size_t r = rows < columns ? rows : columns;
    double *u = plain_new(rows, r), *v = plain_new(columns, r), *s = plain_new(r, 1);
    plain_svd(rows, columns, a, u, s, v);
    for (size_t i = 0; i < r; i++)
        if (!(s[i] > 1e-12 * s[0]))
            memset(u + i * rows, 0, rows * sizeof *u);
    double *w = times_flipped(rows, r, columns, u, v);
    free(u);
    free(v);
    free(s);
    return w;
}

/* The same, with the null spaces joined by the part of `near` between them. */
static double *isometry_near(size_t rows, size_t columns, const double *a, const double *near)
{
    double *w = isometry(rows, columns, a);
    double *left = times_flipped(rows, columns, rows, w, w); /* projection on what A decides */
    double *flipped = plain_flip(rows, columns, w);
    double *right = plain_times(columns, rows, columns, flipped, w);
    for (size_t i = 0; i < rows * rows; i++)
        left[i] = (i % (rows + 1) == 0) - left[i];
    double trace = 0;
    for (size_t i = 0; i < columns * columns; i++) {
        right[i] = (i % (columns + 1) == 0) - right[i];
        trace += i % (columns + 1) == 0 ? right[i] : 0;
    }
    if (trace > 0.5) { /* as many columns are missing */
        double *part = plain_times(rows, rows, columns, left, near);
        double *between = plain_times(rows, columns, columns, part, right);
        double *rest = isometry(rows, columns, between);
        plain_add(rows * columns, w, 1, rest);
        free(part);
        free(between);
        free(rest);
    }
    free(left);
    free(flipped);
    free(right);
    return w;
}

static void replace(double **old, double *with)
{
    free(*old);
    *old = with;
}

/* ---- the state ---------------------------------------------------------------------------- */

double *cs_dense_H(const cs_dense *d)
{
    double *H = plain_new(d->k, d->n);
    for (size_t i = 0; i < d->p; i++) {
        double *WH = plain_times(d->k, d->k, d->n, d->W[i], d->H[i]);
        plain_add(d->k * d->n, H, d->beta[i], WH);
        free(WH);
    }
    return H;
}

double *cs_dense_Y(const cs_dense *d)
{
    double *Y = plain_new(d->mu, d->n);
    for (size_t j = 0; j < d->n; j++)
        Y[(size_t)d->labels[j] + j * d->mu] = 1;
    return Y;
}

cs_dense *cs_dense_make(size_t n, size_t p, size_t k, size_t m, size_t mu, int printed, int nonneg,
                        const double *X, const double *W, const double *beta, const double *P,
                        const double *S, const int32_t *labels)
{
    cs_dense *d = calloc(1, sizeof *d);
    *d = (cs_dense){.n = n, .p = p, .k = k, .m = m, .mu = mu, .printed = printed, .nonneg = nonneg};
    d->H = calloc(p, sizeof *d->H);
    d->W = calloc(p, sizeof *d->W);
    for (size_t i = 0; i < p; i++) {
        d->H[i] = plain_new(k, n);
        d->W[i] = plain_copy(k, k, W + i * k * k);
        for (size_t j = 0; j < n; j++)
            memcpy(d->H[i] + j * k, X + i * k + j * p * k, k * sizeof *X);
    }
    d->beta = plain_copy(p, 1, beta);
    d->P = plain_copy(n, m, P);
    d->S = S ? plain_copy(m, n, S) : plain_new(m, n);
    d->C = plain_new(k, mu);
    d->labels = malloc(n * sizeof *labels);
    memcpy(d->labels, labels, n * sizeof *labels);
    for (size_t c = 0; c < mu; c++)
        d->C[c + c * k] = 1;
    cs_dense_step_C(d);
    if (!S)
        cs_dense_step_S(d);
    return d;
}

void cs_dense_free(cs_dense *d)
{
    for (size_t i = 0; i < d->p; i++) {
        free(d->H[i]);
        free(d->W[i]);
    }
    free(d->H);
    free(d->W);
    free(d->beta);
    free(d->P);
    free(d->S);
    free(d->C);
    free(d->labels);
    free(d);
}

double cs_dense_objective(const cs_dense *d)
{
    double *H = cs_dense_H(d), *Y = cs_dense_Y(d);
    double *HS = times_flipped(d->k, d->n, d->m, H, d->S); /* H S' */
    double *HP = plain_times(d->k, d->n, d->m, H, d->P);   /* H P */
    double *HY = times_flipped(d->k, d->n, d->mu, H, Y);   /* H Y' */
    double J = inner(d->k * d->m, HS, HP) + inner(d->k * d->mu, d->C, HY);
    free(H);
    free(Y);
    free(HS);
    free(HP);
    free(HY);
    return J;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* W_d = polar(R S'P'H_d' + R P S H_d' + C Y H_d'), R = sum_{j != d} beta_j W_j H_j. */
void cs_dense_step_W(cs_dense *d, size_t view)
{
    size_t k = d->k, n = d->n, m = d->m;
    double keep = d->beta[view];
    if (keep == 0)
        return;
    d->beta[view] = 0;
    double *R = cs_dense_H(d), *Y = cs_dense_Y(d);
    d->beta[view] = keep;
    double *RS = times_flipped(k, n, m, R, d->S), *RSP = times_flipped(k, m, n, RS, d->P);
    double *RP = plain_times(k, n, m, R, d->P), *RPS = plain_times(k, m, n, RP, d->S);
    double *CY = plain_times(k, d->mu, n, d->C, Y);
    plain_add(k * n, RSP, 1, CY);
    if (!d->printed)
        plain_add(k * n, RSP, 1, RPS);
    double *G = times_flipped(k, n, k, RSP, d->H[view]);
    replace(&d->W[view], isometry_near(k, k, G, d->W[view]));
    free(R);
    free(Y);
    free(RS);
    free(RSP);
    free(RP);
    free(RPS);
    free(CY);
    free(G);
}

/* b'Ab + f'b and its gradient. */
static double form(size_t p, const double *A, const double *f, const double *b, double *gradient)
{
    double value = 0;
    for (size_t i = 0; i < p; i++) {
        double Ab = 0;
        for (size_t j = 0; j < p; j++)
            Ab += A[i + j * p] * b[j];
        value += b[i] * (Ab + f[i]);
        gradient[i] = 2 * Ab + f[i];
    }
    return value;
}

/* Ascends by the tangents of the form made convex; returns the value reached. */
static double climb(size_t p, const double *A, const double *f, double shift, double *b)
{
    double *gradient = plain_new(p, 1), value = form(p, A, f, b, gradient);
    for (int step = 0; step < 20000; step++) {
        double norm = 0;
        for (size_t i = 0; i < p; i++) {
            b[i] = fmax(0, gradient[i] + 2 * shift * b[i]);
            norm += b[i] * b[i];
        }
        if (norm == 0)
            break;
        for (size_t i = 0; i < p; i++)
            b[i] /= sqrt(norm);
        value = form(p, A, f, b, gradient);
    }
    free(gradient);
    return value;
}

void cs_dense_step_beta(cs_dense *d)
{
    size_t p = d->p, k = d->k, n = d->n, m = d->m;
    double *A = plain_new(p, p), *f = plain_new(p, 1), *Y = cs_dense_Y(d), shift = 0;
    double **HS = calloc(p, sizeof *HS), **HP = calloc(p, sizeof *HP);
    for (size_t i = 0; i < p; i++) {
        double *H = plain_times(k, k, n, d->W[i], d->H[i]);
        HS[i] = times_flipped(k, n, m, H, d->S);
        HP[i] = plain_times(k, n, m, H, d->P);
        double *HY = times_flipped(k, n, d->mu, H, Y);
        f[i] = inner(k * d->mu, d->C, HY);
        free(H);
        free(HY);
    }
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            A[i + j * p] = (inner(k * m, HS[i], HP[j]) + inner(k * m, HS[j], HP[i])) / 2;
    for (size_t i = 0; i < p; i++) { /* Gershgorin */
        double radius = -A[i + i * p];
        for (size_t j = 0; j < p; j++)
            radius += i == j ? 0 : fabs(A[i + j * p]);
        shift = fmax(shift, radius);
    }
    double *best = plain_copy(p, 1, d->beta), *b = plain_new(p, 1);
    double most = climb(p, A, f, shift, best);
    for (size_t start = 0; start <= p; start++) {
        for (size_t i = 0; i < p; i++)
            b[i] = start == p ? 1 / sqrt((double)p) : (double)(i == start);
        double value = climb(p, A, f, shift, b);
        if (value > most * (1 + 1e-13)) {
            most = value;
            memcpy(best, b, p * sizeof *b);
        }
    }
    replace(&d->beta, best);
    for (size_t i = 0; i < p; i++) {
        free(HS[i]);
        free(HP[i]);
    }
    free(HS);
    free(HP);
    free(A);
    free(f);
    free(Y);
    free(b);
}

/* P = polar(H'H S') */
void cs_dense_step_P(cs_dense *d)
{
    double *H = cs_dense_H(d), *Ht = plain_flip(d->k, d->n, H);
    double *HS = times_flipped(d->k, d->n, d->m, H, d->S);
    double *A = plain_times(d->n, d->k, d->m, Ht, HS);
    replace(&d->P, isometry(d->n, d->m, A));
    free(H);
    free(Ht);
    free(HS);
    free(A);
}

/* C = polar(H Y') */
void cs_dense_step_C(cs_dense *d)
{
    double *H = cs_dense_H(d), *Y = cs_dense_Y(d);
    double *HY = times_flipped(d->k, d->n, d->mu, H, Y);
    replace(&d->C, isometry_near(d->k, d->mu, HY, d->C));
    free(H);
    free(Y);
    free(HY);
}

/* Columns of S along those of Q = P'H'H. */
void cs_dense_step_S(cs_dense *d)
{
    double *H = cs_dense_H(d), *HP = plain_times(d->k, d->n, d->m, H, d->P);
    double *PH = plain_flip(d->k, d->m, HP), *Q = plain_times(d->m, d->k, d->n, PH, H);
    for (size_t j = 0; j < d->n; j++) {
        double *q = Q + j * d->m, norm = 0, size = 0;
        size_t largest = 0;
        for (size_t i = 0; i < d->m; i++) {
            size += fabs(q[i]);
            largest = q[i] > q[largest] ? i : largest;
        }
        if (d->nonneg && size > 0 && !(q[largest] > 0)) {
            memset(q, 0, d->m * sizeof *q);
            q[largest] = 1;
        }
        for (size_t i = 0; i < d->m; i++) {
            if (d->nonneg)
                q[i] = fmax(q[i], 0);
            norm += q[i] * q[i];
        }
        for (size_t i = 0; i < d->m; i++)
            q[i] = norm > 0 ? q[i] / sqrt(norm) : 0;
    }
    replace(&d->S, Q);
    free(H);
    free(HP);
    free(PH);
}

/* The label of largest c'h, the first among equals; h = 0 joins the largest cluster. */
void cs_dense_step_Y(cs_dense *d)
{
    size_t *count = calloc(d->mu, sizeof *count), largest = 0;
    for (size_t j = 0; j < d->n; j++)
        count[d->labels[j]]++;
    for (size_t c = 0; c < d->mu; c++)
        largest = count[c] > count[largest] ? c : largest;
    double *H = cs_dense_H(d);
    for (size_t j = 0; j < d->n; j++) {
        const double *h = H + j * d->k;
        size_t best = 0;
        double most = -INFINITY;
        for (size_t c = 0; c < d->mu; c++) {
            double score = inner(d->k, d->C + c * d->k, h);
            if (score > most) {
                most = score;
                best = c;
            }
        }
        d->labels[j] = (int32_t)(inner(d->k, h, h) == 0 ? largest : best);
    }
    free(H);
    free(count);
}
