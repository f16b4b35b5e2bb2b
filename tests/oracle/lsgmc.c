/* SPDX-License-Identifier: Apache-2.0 */
/* LSGMC in plain loops. */
#include "oracle/lsgmc.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* U V' of the singular value decomposition of a nonsingular A. */
static double *polar(size_t n, const double *A)
{
    double *U = plain_new(n, n), *s = plain_new(n, 1), *V = plain_new(n, n);
    plain_svd(n, n, A, U, s, V);
    double *Vt = plain_flip(n, n, V), *P = plain_times(n, n, n, U, Vt);
    free(U);
    free(s);
    free(V);
    free(Vt);
    return P;
}

void oracle_polar_nearest(size_t n, const double *A, double *Q)
{
    double *U = plain_new(n, n), *s = plain_new(n, 1), *V = plain_new(n, n);
    plain_svd(n, n, A, U, s, V);
    size_t r = 0;
    while (r < n && s[r] > 0 && s[r] > 1e-10 * s[0])
        r++;
    if (r > 0) {
        double *Vt = plain_flip(n, r, V), *Ut = plain_flip(n, r, U);
        double *UV = plain_times(n, r, n, U, Vt);
        double *PU = plain_times(n, r, n, U, Ut), *PV = plain_times(n, r, n, V, Vt);
        for (size_t i = 0; i < n * n; i++) {
            PU[i] = (i % (n + 1) == 0) - PU[i];
            PV[i] = (i % (n + 1) == 0) - PV[i];
        }
        double *half = plain_times(n, n, n, PU, Q), *M = plain_times(n, n, n, half, PV);
        plain_add(n * n, M, 1, UV);
        double *P = polar(n, M);
        memcpy(Q, P, n * n * sizeof *Q);
        double *all[] = {Vt, Ut, UV, PU, PV, half, M, P};
        for (size_t i = 0; i < 8; i++)
            free(all[i]);
    }
    free(U);
    free(s);
    free(V);
}

void oracle_lsgmc_start(oracle_lsgmc *o, size_t n, size_t views, const size_t *d,
                        const double *const *X, double lambda, double q)
{
    memset(o, 0, sizeof *o);
    o->n = n;
    o->views = views;
    o->lambda = lambda;
    o->q = q;
    o->u = 1e-2;
    o->C = plain_new(n, n);
    for (size_t v = 0; v < views; v++) {
        o->d[v] = d[v];
        o->X[v] = X[v];
        o->E[v] = plain_new(d[v], n);
        o->Q1[v] = plain_new(d[v], n);
        o->Z[v] = plain_new(n, n);
        o->J[v] = plain_new(n, n);
        o->Q2[v] = plain_new(n, n);
        o->Q3[v] = plain_new(n, n);
        o->L[v] = plain_identity(n);
        o->R[v] = plain_identity(n);
    }
}

void oracle_lsgmc_end(oracle_lsgmc *o)
{
    for (size_t v = 0; v < o->views; v++) {
        double *all[] = {o->E[v], o->Q1[v], o->Z[v], o->J[v], o->Q2[v], o->Q3[v], o->L[v], o->R[v]};
        for (size_t i = 0; i < 8; i++)
            free(all[i]);
    }
    free(o->C);
}

/* X - X Z - E, new memory. */
static double *x_residual(const oracle_lsgmc *o, size_t v, int with_noise)
{
    double *r = plain_times(o->d[v], o->n, o->n, o->X[v], o->Z[v]);
    for (size_t i = 0; i < o->d[v] * o->n; i++)
        r[i] = o->X[v][i] - r[i] - (with_noise ? o->E[v][i] : 0);
    return r;
}

/* L C R', new memory. */
static double *lcr(const oracle_lsgmc *o, size_t v)
{
    size_t n = o->n;
    double *Rt = plain_flip(n, n, o->R[v]), *LC = plain_times(n, n, n, o->L[v], o->C);
    double *all = plain_times(n, n, n, LC, Rt);
    free(Rt);
    free(LC);
    return all;
}

static void e_step(oracle_lsgmc *o, size_t v)
{
    double *e = x_residual(o, v, 0);
    plain_add(o->d[v] * o->n, e, 1 / o->u, o->Q1[v]);
    plain_shrink(o->d[v], o->n, e, 1 / o->u);
    free(o->E[v]);
    o->E[v] = e;
}

static void lr_step(oracle_lsgmc *o, size_t v)
{
    size_t n = o->n;
    double *G = plain_copy(n, n, o->Z[v]);
    plain_add(n * n, G, 1 / o->u, o->Q2[v]);
    double *Gt = plain_flip(n, n, G), *Ct = plain_flip(n, n, o->C);
    double *GR = plain_times(n, n, n, G, o->R[v]), *A = plain_times(n, n, n, GR, Ct);
    oracle_polar_nearest(n, A, o->L[v]);
    double *GL = plain_times(n, n, n, Gt, o->L[v]), *B = plain_times(n, n, n, GL, o->C);
    oracle_polar_nearest(n, B, o->R[v]);
    double *all[] = {G, Gt, Ct, GR, A, GL, B};
    for (size_t i = 0; i < 7; i++)
        free(all[i]);
}

static void z_step(oracle_lsgmc *o, size_t v)
{
    size_t n = o->n, d = o->d[v];
    double *Xt = plain_flip(d, n, o->X[v]), *XX = plain_times(n, d, n, Xt, o->X[v]);
    double *F = plain_new(d, n), *K = plain_copy(n, n, XX);
    plain_add(d * n, F, 1 / o->u, o->Q1[v]);
    plain_add(d * n, F, -1, o->E[v]);
    double *B = plain_times(n, d, n, Xt, F), *LCR = lcr(o, v);
    plain_add(n * n, B, 1, XX);
    plain_add(n * n, B, 1, LCR);
    plain_add(n * n, B, -1 / o->u, o->Q2[v]);
    plain_add(n * n, B, 1, o->J[v]);
    plain_add(n * n, B, -1 / o->u, o->Q3[v]);
    for (size_t i = 0; i < n; i++)
        K[i + i * n] += 2;
    double *inverse = plain_inverse(n, K);
    free(o->Z[v]);
    o->Z[v] = plain_times(n, n, n, inverse, B);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            o->J[v][i + j * n] = (o->Z[v][i + j * n] + o->Z[v][j + i * n]) / 2 +
                                 (o->Q3[v][i + j * n] + o->Q3[v][j + i * n]) / (2 * o->u);
    double *all[] = {Xt, XX, F, K, B, LCR, inverse};
    for (size_t i = 0; i < 7; i++)
        free(all[i]);
}

static void c_step(oracle_lsgmc *o)
{
    size_t n = o->n;
    double *D = plain_new(n, n);
    for (size_t v = 0; v < o->views; v++) {
        double *G = plain_copy(n, n, o->Z[v]), *Lt = plain_flip(n, n, o->L[v]);
        plain_add(n * n, G, 1 / o->u, o->Q2[v]);
        double *LG = plain_times(n, n, n, Lt, G), *LGR = plain_times(n, n, n, LG, o->R[v]);
        plain_add(n * n, D, 1.0 / (double)o->views, LGR);
        free(G);
        free(Lt);
        free(LG);
        free(LGR);
    }
    double *U = plain_new(n, n), *s = plain_new(n, 1), *V = plain_new(n, n);
    plain_svd(n, n, D, U, s, V);
    double w = o->lambda / ((double)o->views * o->u), q = o->q;
    double t = pow(2 * w * (1 - q), 1 / (2 - q)), threshold = t + w * q * pow(t, q - 1);
    o->rank = 0;
    o->objective = 0;
    for (size_t k = 0; k < n; k++) {
        double x = s[k];
        for (int step = 0; step < 3; step++)
            x = s[k] - w * q * pow(x, q - 1);
        if (s[k] <= threshold)
            x = 0;
        o->rank += x > 0;
        o->objective += x > 0 ? o->lambda * pow(x, q) : 0;
        for (size_t i = 0; i < n; i++)
            U[i + k * n] *= x;
    }
    double *Vt = plain_flip(n, n, V);
    free(o->C);
    o->C = plain_times(n, n, n, U, Vt);
    double *all[] = {D, U, s, V, Vt};
    for (size_t i = 0; i < 5; i++)
        free(all[i]);
}

/* Multipliers, and what the last step left. */
static void q_step(oracle_lsgmc *o, size_t v)
{
    size_t n = o->n, d = o->d[v];
    double *rx = x_residual(o, v, 1), *LCR = lcr(o, v), *rc = plain_copy(n, n, o->Z[v]);
    double *rs = plain_copy(n, n, o->Z[v]), *zc = plain_copy(n, n, o->Z[v]);
    plain_add(n * n, rc, -1, LCR);
    plain_add(n * n, rs, -1, o->J[v]);
    plain_add(n * n, zc, -1, o->C);
    plain_add(d * n, o->Q1[v], o->u, rx);
    plain_add(n * n, o->Q2[v], o->u, rc);
    plain_add(n * n, o->Q3[v], o->u, rs);
    o->residual_x = fmax(o->residual_x, plain_frobenius(d, n, rx));
    o->residual_c = fmax(o->residual_c, plain_frobenius(n, n, rc));
    o->residual_sym = fmax(o->residual_sym, plain_frobenius(n, n, rs));
    double before = o->distance[v];
    o->distance[v] = plain_row_sum(n, n, zc);
    o->stop_value += (o->distance[v] - before) / before;
    o->objective += plain_lengths(d, n, o->E[v]);
    double *all[] = {rx, LCR, rc, rs, zc};
    for (size_t i = 0; i < 5; i++)
        free(all[i]);
}

void oracle_lsgmc_step(oracle_lsgmc *o)
{
    for (size_t v = 0; v < o->views; v++) {
        e_step(o, v);
        lr_step(o, v);
        z_step(o, v);
    }
    c_step(o);
    o->residual_x = o->residual_c = o->residual_sym = o->stop_value = 0;
    for (size_t v = 0; v < o->views; v++)
        q_step(o, v);
    o->u_used = o->u;
    o->u = fmin(2.8 * o->u, 1e8);
    o->iteration++;
}

double *oracle_lsgmc_retain(size_t n, const double *S, double share)
{
    double *kept = plain_new(n, n);
    for (size_t j = 0; j < n; j++) {
        double total = 0, sum = 0;
        for (size_t i = 0; i < n; i++)
            total += fabs(S[i + j * n]);
        for (size_t step = 0; step < n && (step == 0 || sum < share * total); step++) {
            size_t best = n;
            for (size_t i = 0; i < n; i++)
                if (kept[i + j * n] == 0 && S[i + j * n] != 0 &&
                    (best == n || fabs(S[i + j * n]) > fabs(S[best + j * n])))
                    best = i;
            if (best == n)
                break;
            kept[best + j * n] = S[best + j * n];
            sum += fabs(S[best + j * n]);
        }
    }
    return kept;
}

double *oracle_lsgmc_affinity(size_t n, const double *retained)
{
    double *U = plain_new(n, n), *s = plain_new(n, 1), *V = plain_new(n, n), *W = plain_new(n, n);
    plain_svd(n, n, retained, U, s, V);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            U[i + k * n] *= s[k] > 1e-6 ? sqrt(s[k]) : 0;
    for (size_t i = 0; i < n; i++) {
        double length = 0;
        for (size_t k = 0; k < n; k++)
            length += U[i + k * n] * U[i + k * n];
        for (size_t k = 0; k < n && length > 0; k++)
            U[i + k * n] /= sqrt(length);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double dot = 0;
            for (size_t k = 0; k < n; k++)
                dot += U[i + k * n] * U[j + k * n];
            W[i + j * n] = dot * dot;
        }
    free(U);
    free(s);
    free(V);
    return W;
}
