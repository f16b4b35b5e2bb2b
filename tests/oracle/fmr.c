/* SPDX-License-Identifier: Apache-2.0 */
/* FMR in plain loops. */
#include "oracle/fmr.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void oracle_fmr_start(oracle_fmr *o, size_t rows, size_t n, const double *M, size_t d,
                      const double *H)
{
    memset(o, 0, sizeof *o);
    o->n = n;
    o->d = d;
    o->l1 = 1e-4;
    o->l2 = 1e-6;
    o->eps = -5e7;
    o->alpha = 100;
    o->u = 1e-5;
    o->growth = 1.1;
    o->most_steps = 20000;
    double *C = plain_identity(n), *Mt = plain_flip(rows, n, M);
    for (size_t i = 0; i < n * n; i++)
        C[i] -= 1.0 / (double)n;
    double *MM = plain_times(n, rows, n, Mt, M), *half = plain_times(n, n, n, C, MM);
    o->K = plain_times(n, n, n, half, C);
    o->H = plain_copy(d, n, H);
    o->Z = plain_new(n, n);
    o->J = plain_new(n, n);
    o->E = plain_new(d, n);
    o->Y1 = plain_new(d, n);
    o->Y2 = plain_new(n, n);
    free(C);
    free(Mt);
    free(MM);
    free(half);
}

void oracle_fmr_end(oracle_fmr *o)
{
    double *all[] = {o->K, o->H, o->Z, o->J, o->E, o->Y1, o->Y2};
    for (size_t i = 0; i < 7; i++)
        free(all[i]);
}

static double dot(size_t count, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* H - HZ - E, new memory. */
static double *h_residual(const oracle_fmr *o)
{
    double *R = plain_times(o->d, o->n, o->n, o->H, o->Z);
    for (size_t i = 0; i < o->d * o->n; i++)
        R[i] = o->H[i] - R[i] - o->E[i];
    return R;
}

static void h_step(oracle_fmr *o)
{
    size_t n = o->n, d = o->d;
    double scale = (double)(n - 1) * (double)(n - 1);
    double *I_Z = plain_identity(n);
    plain_add(n * n, I_Z, -1, o->Z);
    double *I_Zt = plain_flip(n, n, I_Z);
    for (o->steps = 0;; o->steps++) {
        double *HK = plain_times(d, n, n, o->H, o->K), *R = h_residual(o);
        o->hsic = -dot(d * n, HK, o->H) / scale;
        o->f = o->hsic + dot(d * n, o->Y1, R) + o->u / 2 * plain_frobenius(d, n, R);
        int stop = o->f < o->eps || o->steps >= o->most_steps;
        if (!stop) {
            double *P = plain_copy(d, n, o->Y1);
            plain_add(d * n, P, o->u, R);
            double *g = plain_times(d, n, n, P, I_Zt);
            plain_add(d * n, g, -2 / scale, HK);
            plain_add(d * n, o->H, -o->alpha, g);
            free(P);
            free(g);
        }
        free(HK);
        free(R);
        if (stop)
            break;
    }
    free(I_Z);
    free(I_Zt);
}

static void j_step(oracle_fmr *o)
{
    size_t n = o->n;
    double *A = plain_copy(n, n, o->Z);
    plain_add(n * n, A, 1 / o->u, o->Y2);
    double *U = plain_new(n, n), *s = plain_new(n, 1), *V = plain_new(n, n);
    plain_svd(n, n, A, U, s, V);
    o->rank = 0;
    o->nuclear_j = 0;
    for (size_t k = 0; k < n; k++) {
        double x = fmax(0, s[k] - o->l1 / o->u);
        o->rank += x > 0;
        o->nuclear_j += x;
        for (size_t i = 0; i < n; i++)
            U[i + k * n] *= x;
    }
    double *Vt = plain_flip(n, n, V);
    free(o->J);
    o->J = plain_times(n, n, n, U, Vt);
    double *all[] = {A, U, s, V, Vt};
    for (size_t i = 0; i < 5; i++)
        free(all[i]);
}

static void z_step(oracle_fmr *o)
{
    size_t n = o->n, d = o->d;
    double *Ht = plain_flip(d, n, o->H), *HH = plain_times(n, d, n, Ht, o->H);
    double *HE = plain_times(n, d, n, Ht, o->E), *HY = plain_times(n, d, n, Ht, o->Y1);
    double *B = plain_copy(n, n, o->J);
    plain_add(n * n, B, 1, HH);
    plain_add(n * n, B, -1, HE);
    plain_add(n * n, B, 1 / o->u, HY);
    plain_add(n * n, B, -1 / o->u, o->Y2);
    for (size_t i = 0; i < n; i++)
        HH[i + i * n] += 1;
    double *inverse = plain_inverse(n, HH);
    free(o->Z);
    o->Z = plain_times(n, n, n, inverse, B);
    double *all[] = {Ht, HH, HE, HY, B, inverse};
    for (size_t i = 0; i < 6; i++)
        free(all[i]);
}

static void e_step(oracle_fmr *o)
{
    size_t count = o->d * o->n;
    memset(o->E, 0, count * sizeof *o->E);
    double *E = h_residual(o);
    plain_add(count, E, 1 / o->u, o->Y1);
    plain_shrink(o->d, o->n, E, o->l2 / o->u);
    free(o->E);
    o->E = E;
    o->e_lengths = plain_lengths(o->d, o->n, E);
}

void oracle_fmr_step(oracle_fmr *o)
{
    h_step(o);
    j_step(o);
    z_step(o);
    e_step(o);
    double *R = h_residual(o), *ZJ = plain_copy(o->n, o->n, o->Z);
    plain_add(o->n * o->n, ZJ, -1, o->J);
    plain_add(o->d * o->n, o->Y1, o->u, R);
    plain_add(o->n * o->n, o->Y2, o->u, ZJ);
    o->residual_h = plain_row_sum(o->d, o->n, R);
    o->residual_z = plain_row_sum(o->n, o->n, ZJ);
    o->u_used = o->u;
    o->u = fmin(o->growth * o->u, 1e10);
    free(R);
    free(ZJ);
}
