/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OS-LFMVC-CS as docs/method.md section 1 writes it: H, P (n x m), S (m x n) and Y (mu x n) formed
 * as whole matrices, every step from its definition, in plain loops without BLAS or LAPACK.
 */
#ifndef OF_TESTS_ORACLE_OS_LFMVC_CS_DENSE_H
#define OF_TESTS_ORACLE_OS_LFMVC_CS_DENSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct cs_dense {
    size_t n, p, k, m, mu;
    int printed, nonneg;
    double **H;      /* p of them: H_i, k x n */
    double **W;      /* p of them: k x k */
    double *beta;    /* p */
    double *P;       /* n x m */
    double *S;       /* m x n */
    double *C;       /* k x mu */
    int32_t *labels; /* n */
} cs_dense;

/* Copies X (pk x n), W (k x pk), beta (p), P (n x m), labels (n); C = polar(H Y') and S from P, or
 * the given S (m x n) if not NULL. */
cs_dense *cs_dense_make(size_t n, size_t p, size_t k, size_t m, size_t mu, int printed, int nonneg,
                        const double *X, const double *W, const double *beta, const double *P,
                        const double *S, const int32_t *labels);
void cs_dense_free(cs_dense *d);

double *cs_dense_H(const cs_dense *d); /* new: sum_i beta_i W_i H_i, k x n */
double *cs_dense_Y(const cs_dense *d); /* new: mu x n */

/* tr(H S'P'H') + tr(Y'C'H) */
double cs_dense_objective(const cs_dense *d);

void cs_dense_step_W(cs_dense *d, size_t view);
void cs_dense_step_beta(cs_dense *d);
void cs_dense_step_P(cs_dense *d);
void cs_dense_step_C(cs_dense *d);
void cs_dense_step_S(cs_dense *d);
void cs_dense_step_Y(cs_dense *d);

#endif
