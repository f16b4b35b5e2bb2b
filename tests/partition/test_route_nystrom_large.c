/* SPDX-License-Identifier: Apache-2.0 */
/* The Nystrom route above 65536 samples: sums from a part of the samples and single-precision
 * products, against a slow restatement in double that takes its sums from the same part, or from
 * every sample. */
#include "kernel/landmarks.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "partition/routes.h"
#include "support/views.h"

#include "support/check.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 140000, D = 5, ROWS = 4, L = 40, CLUSTERS = 5 };

/* Five clusters in D columns, in single precision, a sample contiguous. */
static float *blobs(void)
{
    double *x = malloc(N * D * sizeof *x);
    float *single = malloc(N * D * sizeof *single);
    check_random(3, 0, D, N, x);
    for (size_t j = 0; j < N; j++)
        x[j * D + j * 7919 % CLUSTERS] += 4;
    for (size_t i = 0; i < N * D; i++)
        single[i] = (float)x[i];
    free(x);
    return single;
}

static of_view single_view(const float *x)
{
    of_view view = views_dense(N, D, NULL);
    view.data = x;
    view.type = OF_F32;
    return view;
}

/* K against the landmarks, entry by entry. */
static double *literal_k(const of_kernel *kernel, const of_landmarks *landmarks)
{
    double *k = malloc(N * L * sizeof *k), x[D];
    for (size_t j = 0; j < N; j++) {
        of_kernel_tile(kernel, j, 1, x);
        for (size_t i = 0; i < L; i++) {
            double distance = 0;
            for (size_t r = 0; r < D; r++) {
                double off = x[r] - landmarks->at[i * D + r] / landmarks->scale;
                distance += off * off;
            }
            k[j * L + i] = exp(-distance / kernel->width);
        }
    }
    return k;
}

/* Whether sample j is in one of the tiles of `samples` samples, about, that are spread evenly. */
static void choose(size_t samples, char *taken)
{
    of_tiles tiles = of_tiles_make(N, L + D, 512 << 10);
    size_t wanted = tiles.count * samples / N;
    memset(taken, 0, N);
    for (size_t t = 0; t < tiles.count; t++)
        if ((t + 1) * wanted / tiles.count > t * wanted / tiles.count)
            memset(taken + of_tiles_first(&tiles, t), 1, of_tiles_length(&tiles, t));
}

/* H by the definition: psi_j = s_j map (k_j - kbar), the leading left singular vectors of the
 * chosen ones, all samples on them, and rows made orthonormal by Cholesky. */
static void literal_H(of_arena *arena, const of_landmarks *landmarks, double *k, size_t samples,
                      double *H)
{
    size_t r = landmarks->rank, chosen = 0;
    double kbar[L] = {0}, row[L], image[L], value[L], mean = 0, *z = malloc(N * r * sizeof *z),
           *G = calloc(r * r, sizeof *G), inner[ROWS * ROWS] = {0};
    char *taken = malloc(N);
    choose(samples, taken);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; taken[j] && i < L; i++) {
            chosen += i == 0;
            kbar[i] += k[j * L + i];
        }
    for (size_t i = 0; i < L; i++)
        kbar[i] /= (double)chosen;
    for (size_t a = 0; a < r; a++) {
        image[a] = 0;
        for (size_t i = 0; i < L; i++)
            image[a] += landmarks->map[a + i * r] * kbar[i];
        mean += image[a] * image[a];
    }
    for (size_t i = 0; i < L; i++) {
        row[i] = 0;
        for (size_t a = 0; a < r; a++)
            row[i] += landmarks->map[a + i * r] * image[a];
    }
    for (size_t j = 0; j < N; j++) {
        double diagonal = 1 + mean;
        for (size_t i = 0; i < L; i++) {
            diagonal -= 2 * k[j * L + i] * row[i];
            k[j * L + i] -= kbar[i];
        }
        for (size_t i = 0; i < L; i++)
            k[j * L + i] /= sqrt(diagonal);
        of_gemm('N', 'N', r, 1, L, 1, landmarks->map, r, k + j * L, L, 0, z + j * r, r);
        if (taken[j])
            cblas_dsyr(CblasColMajor, CblasUpper, (int)r, 1, z + j * r, 1, G, (int)r);
    }
    for (size_t j = 0; j < r; j++)
        for (size_t i = j + 1; i < r; i++)
            G[i + j * r] = G[j + i * r];
    CHECK_OK(of_eigh(arena->context, r, G, value)); /* columns, largest first */
    of_gemm('T', 'N', ROWS, N, r, 1, G, r, z, r, 0, H, ROWS);
    for (size_t i = 0; i < ROWS * (size_t)N; i++)
        H[i] /= sqrt(value[i % ROWS]);
    of_gemm('N', 'T', ROWS, ROWS, N, 1, H, ROWS, H, ROWS, 0, inner, ROWS);
    LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', ROWS, inner, ROWS);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, ROWS, N, 1, inner,
                ROWS, H, ROWS);
    free(taken);
    free(G);
    free(z);
}

static void solve(of_context *context, const of_kernel *kernel, double *H, double *value)
{
    of_partition_options options = {.dims = ROWS, .landmarks = L};
    of_route_work work = {.kernel = kernel,
                          .rows = ROWS,
                          .tolerance = 1e-8,
                          .options = &options,
                          .H = of_share_whole(H, ROWS),
                          .value = value};
    CHECK_OK(of_route_nystrom(context, &work));
    assert_int_equal(work.rank, ROWS);
}

/* The sine of the largest angle between two sets of ROWS orthonormal rows. */
static double sine(const double *A, const double *B)
{
    double inner[ROWS * ROWS], gram[ROWS * ROWS], value[ROWS];
    of_gemm('N', 'T', ROWS, ROWS, N, 1, A, ROWS, B, ROWS, 0, inner, ROWS);
    of_gemm('T', 'N', ROWS, ROWS, ROWS, 1, inner, ROWS, inner, ROWS, 0, gram, ROWS);
    CHECK_OK(of_eigh(of_context_or_default(NULL), ROWS, gram, value));
    return sqrt(fmax(0, 1 - value[ROWS - 1]));
}

static void large_n_is_the_double_restatement_in_single_precision(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    float *x = blobs();
    double *H = malloc(N * ROWS * sizeof *H), *want = malloc(N * ROWS * sizeof *want), value[ROWS];
    of_view view = single_view(x);
    of_kernel kernel;
    of_landmarks landmarks;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
    CHECK_OK(of_landmarks_place(arena.context, &arena, &kernel, L, 0, &landmarks));
    CHECK_OK(of_landmarks_solve(arena.context, &arena, 1e-7, &landmarks));
    solve(arena.context, &kernel, H, value);
    double inner[ROWS * ROWS];
    of_gemm('N', 'T', ROWS, ROWS, N, 1, H, ROWS, H, ROWS, 0, inner, ROWS);
    for (size_t i = 0; i < ROWS * ROWS; i++)
        CHECK_CLOSE(inner[i], i % (ROWS + 1) == 0, 0, 1e-12);

    /* The same part of the samples: only single precision is between them. k is off by some 1e-7,
     * and K_ll, whose eigenvalues reach down to 1e-7 of the largest, makes that larger by up to
     * the root of 1e7 in the directions that count least. */
    double *k = literal_k(&kernel, &landmarks);
    literal_H(&arena, &landmarks, k, 65536, want);
    double same = sine(H, want), most = 0, size = 0;
    for (size_t i = 0; i < ROWS * (size_t)N; i++) {
        double off = fabs(fabs(H[i]) - fabs(want[i])); /* signs are the caller's to set */
        most = fmax(most, off);
        size = fmax(size, fabs(want[i]));
    }
    printf("single precision: sine %.1e, largest entry off by %.1e of %.1e\n", same, most, size);
    assert_true(same < 1e-6 && most < 2e-6 * size);
    free(k);

    /* Every sample: what taking a part of them does. */
    k = literal_k(&kernel, &landmarks);
    literal_H(&arena, &landmarks, k, N, want);
    double all = sine(H, want);
    printf("sums from a part of the samples: sine %.1e\n", all);
    assert_true(all > same && all < 0.02);
    free(k);
    free(H);
    free(want);
    free(x);
}

static void the_bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    float *x = blobs();
    double *H[4], value[4][ROWS];
    of_view view = single_view(x);
    for (int t = 0; t < 4; t++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, threads[t]));
        H[t] = malloc(N * ROWS * sizeof *H[t]);
        {
            OF_SCRATCH(arena, context);
            of_kernel kernel;
            CHECK_OK(of_kernel_make(context, &arena, &view, OF_KERNEL_RBF, &kernel));
            solve(context, &kernel, H[t], value[t]);
        }
        assert_memory_equal(H[t], H[0], N * ROWS * sizeof *H[t]);
        assert_memory_equal(value[t], value[0], sizeof value[0]);
        onefold_context_free(context);
    }
    for (int t = 0; t < 4; t++)
        free(H[t]);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_n_is_the_double_restatement_in_single_precision),
        cmocka_unit_test(the_bits_do_not_depend_on_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
