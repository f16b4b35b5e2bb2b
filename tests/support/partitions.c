/* SPDX-License-Identifier: Apache-2.0 */
/* Stacked base partitions, made up or from the kernels of a file. */
#include "support/partitions.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "support/check.h"

#include <math.h>
#include <matio.h>
#include <stdlib.h>
#include <string.h>

double *partitions_random(size_t n, size_t p, size_t k, size_t mu, double noise, uint64_t seed)
{
    double *X = malloc(p * k * n * sizeof *X), *A = malloc(n * k * sizeof *A);
    double *mix = malloc(mu * k * sizeof *mix);
    for (size_t d = 0; d < p; d++) {
        check_random(seed, 2 * d, n, k, A);
        check_random(seed, 2 * d + 1, mu, k, mix);
        for (size_t r = 0; r < k; r++)
            for (size_t j = 0; j < n; j++)
                A[j + r * n] = noise * A[j + r * n] + mix[j % mu + r * mu];
        CHECK_OK(of_qr(NULL, n, k, A, NULL));
        for (size_t r = 0; r < k; r++)
            for (size_t j = 0; j < n; j++)
                X[d * k + r + j * p * k] = A[j + r * n];
    }
    free(A);
    free(mix);
    return X;
}

void partitions_rotate(size_t n, size_t p, size_t k, size_t i, uint64_t seed, double *X, double *W)
{
    double *O = malloc(k * k * sizeof *O), *H = malloc(k * n * sizeof *H);
    double *Wi = malloc(k * k * sizeof *Wi);
    check_random(seed, 1000 + i, k, k, O);
    CHECK_OK(of_qr(NULL, k, k, O, NULL));
    of_gemm('N', 'N', k, n, k, 1, O, k, X + i * k, p * k, 0, H, k);
    for (size_t j = 0; j < n; j++)
        memcpy(X + i * k + j * p * k, H + j * k, k * sizeof *X);
    if (W) {
        of_gemm('N', 'T', k, k, k, 1, W + i * k * k, k, O, k, 0, Wi, k);
        memcpy(W + i * k * k, Wi, k * k * sizeof *W);
    }
    free(O);
    free(H);
    free(Wi);
}

/* K (n x n): symmetrised, the mean of all entries taken off, centred, normalised. */
static void finish_kernel(size_t n, const double *raw, double *K)
{
    double all = 0, *row = calloc(n, sizeof *row), *root = malloc(n * sizeof *root);
    for (size_t i = 0; i < n * n; i++)
        all += raw[i] / (double)(n * n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            K[i + j * n] = (raw[i + j * n] + raw[j + i * n]) / 2 - all;
    all = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            row[i] += K[i + j * n] / (double)n;
            all += K[i + j * n] / (double)(n * n);
        }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            K[i + j * n] += all - row[i] - row[j];
    for (size_t i = 0; i < n; i++)
        root[i] = sqrt(K[i + i * n]);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            K[i + j * n] /= root[i] * root[j];
    free(row);
    free(root);
}

double *partitions_from_kernels(const char *path, size_t *n_out, size_t *p_out, size_t k,
                                double *value)
{
    const char *found = check_shared(path);
    if (!found)
        return NULL;
    mat_t *file = Mat_Open(found, MAT_ACC_RDONLY);
    assert_non_null(file);
    matvar_t *KH = Mat_VarRead(file, "KH");
    assert_non_null(KH);
    assert_int_equal(KH->rank, 3);
    assert_true(KH->class_type == MAT_C_DOUBLE && KH->data_type == MAT_T_DOUBLE);
    size_t n = KH->dims[0], p = KH->dims[2];
    assert_int_equal(KH->dims[1], n);
    double *X = malloc(p * k * n * sizeof *X), *K = malloc(n * n * sizeof *K);
    double *own = malloc((k + 1) * p * sizeof *own), *V = malloc(n * (k + 1) * sizeof *V);
    if (!value)
        value = own;
    for (size_t d = 0; d < p; d++) {
        finish_kernel(n, (const double *)KH->data + d * n * n, K);
        CHECK_OK(of_eigh_top(NULL, n, k + 1, K, value + d * (k + 1), V));
        for (size_t r = 0; r < k; r++)
            for (size_t j = 0; j < n; j++)
                X[d * k + r + j * p * k] = V[j + r * n];
    }
    Mat_VarFree(KH);
    Mat_Close(file);
    free(K);
    free(own);
    free(V);
    *n_out = n;
    *p_out = p;
    return X;
}
