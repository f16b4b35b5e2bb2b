/* SPDX-License-Identifier: Apache-2.0 */
/* Robust multi-view spectral clustering, literally. */
#include "oracle/rmsc.h"

#include "oracle/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void oracle_rmsc_start(oracle_rmsc *o, size_t n, size_t V, const double *const *T, double lambda,
                       double u, double factor)
{
    *o = (oracle_rmsc){.n = n, .V = V, .lambda = lambda, .u = u, .factor = factor, .T = T};
    o->P = plain_new(n, n);
    o->Q = plain_new(n, n);
    o->Z = plain_new(n, n);
    for (size_t i = 0; i < V; i++) {
        o->E[i] = plain_new(n, n);
        o->Y[i] = plain_new(n, n);
    }
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Row r of A (n x n) on the simplex, by sorting. */
static void project_row(size_t n, double *A, size_t r)
{
    double *sorted = plain_new(n, 1), sum = 0, shift = 0;
    for (size_t j = 0; j < n; j++)
        sorted[j] = A[r + j * n];
    qsort(sorted, n, sizeof *sorted, descending);
    for (size_t j = 0; j < n; j++) {
        sum += sorted[j];
        if (sorted[j] > (sum - 1) / (double)(j + 1))
            shift = (sum - 1) / (double)(j + 1);
    }
    for (size_t j = 0; j < n; j++)
        A[r + j * n] = fmax(A[r + j * n] - shift, 0);
    free(sorted);
}

/* Singular values less `cut`, in o->Q. */
static void threshold(oracle_rmsc *o, const double *A, double cut)
{
    size_t n = o->n;
    double *U = plain_new(n, n), *s = plain_new(n, 1), *V = plain_new(n, n);
    plain_svd(n, n, A, U, s, V);
    o->nuclear_Q = 0;
    o->rank = 0;
    for (size_t k = 0; k < n; k++) {
        double kept = fmax(s[k] - cut, 0);
        o->nuclear_Q += kept;
        o->rank += kept > 0;
        for (size_t i = 0; i < n; i++)
            U[i + k * n] *= kept;
    }
    double *flipped = plain_flip(n, n, V);
    free(o->Q);
    o->Q = plain_times(n, n, n, U, flipped);
    free(U);
    free(s);
    free(V);
    free(flipped);
}

void oracle_rmsc_step(oracle_rmsc *o)
{
    size_t n = o->n, all = n * n;
    double u = o->u;
    for (size_t e = 0; e < all; e++) {
        double sum = o->Q[e] - o->Z[e] / u;
        for (size_t i = 0; i < o->V; i++)
            sum += o->T[i][e] - o->E[i][e] - o->Y[i][e] / u;
        o->P[e] = sum / (double)(o->V + 1);
    }
    for (size_t r = 0; r < n; r++)
        project_row(n, o->P, r);
    double *A = plain_copy(n, n, o->P);
    plain_add(all, A, 1 / u, o->Z);
    threshold(o, A, 1 / u);
    free(A);
    o->residual = o->error = o->gap = 0;
    for (size_t i = 0; i < o->V; i++) {
        double *rest = plain_new(n, n);
        for (size_t e = 0; e < all; e++) {
            double a = o->T[i][e] - o->P[e] - o->Y[i][e] / u;
            o->E[i][e] = copysign(fmax(fabs(a) - o->lambda / u, 0), a);
            o->error += fabs(o->E[i][e]);
            o->Y[i][e] += u * (o->P[e] + o->E[i][e] - o->T[i][e]);
            rest[e] = o->T[i][e] - o->E[i][e] - o->P[e];
        }
        o->residual = fmax(o->residual, plain_row_sum(n, n, rest));
        free(rest);
    }
    for (size_t e = 0; e < all; e++) {
        o->Z[e] += u * (o->P[e] - o->Q[e]);
        o->gap = fmax(o->gap, fabs(o->P[e] - o->Q[e]));
    }
    o->u = fmin(o->factor * u, 1e10);
}

void oracle_rmsc_end(oracle_rmsc *o)
{
    free(o->P);
    free(o->Q);
    free(o->Z);
    for (size_t i = 0; i < o->V; i++) {
        free(o->E[i]);
        free(o->Y[i]);
    }
}

void oracle_rmsc_stationary(size_t n, const double *P, double *pi)
{
    double *next = plain_new(n, 1), moved = 1;
    for (size_t i = 0; i < n; i++)
        pi[i] = 1 / (double)n;
    for (int step = 0; step < 1000000 && moved > 0; step++) {
        double sum = 0;
        moved = 0;
        for (size_t j = 0; j < n; j++) {
            next[j] = pi[j]; /* half the steps stay, so that no walk goes round for ever */
            for (size_t i = 0; i < n; i++)
                next[j] += pi[i] * P[i + j * n];
            sum += next[j];
        }
        for (size_t j = 0; j < n; j++) {
            moved = fmax(moved, fabs(next[j] / sum - pi[j]));
            pi[j] = next[j] / sum;
        }
        if (moved < 1e-17)
            break;
    }
    free(next);
}

double *oracle_rmsc_laplacian(size_t n, const double *P, const double *pi)
{
    double *L = plain_new(n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            L[i + j * n] = (sqrt(pi[i]) * P[i + j * n] / sqrt(pi[j]) +
                            P[j + i * n] * sqrt(pi[j]) / sqrt(pi[i])) /
                           2;
    return L;
}
