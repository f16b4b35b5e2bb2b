/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel against landmarks in single precision, beside the literal definition in double. */
#include "kernel/landmarks.h"

#include "support/check.h"
#include "support/views.h"

#include <float.h>
#include <math.h>

enum { N = 700, D = 19, L = 50 };

/* What rounding may do to exp(-d2): the exponent is a sum of D + 3 terms none of which is larger
 * than |x|^2 + |a|^2, each rounded once, from factors that were rounded once; the exponential adds
 * an ulp and a half, and taking the centre off a rounding of at most 1. */
static double allowed(double squares, double k)
{
    double u = FLT_EPSILON / 2;
    return k * ((D + 6) * u * squares + 3 * u) + 3 * u;
}

static void every_entry_is_as_near_as_rounding_allows(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double x[N * D], tile[D * N], centre[L], features[D * N];
    static float single_features[D * N], k[L * N];
    check_random(5, 0, D, N, x);
    for (size_t j = 0; j < N; j++)
        x[j * D + j % 3] += 1e3 * (double)(j % 7 == 0); /* far out, so that squares are large */
    of_view view = views_dense(N, D, x);
    of_kernel kernel;
    of_landmarks landmarks;
    of_points_single single;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_RBF, &kernel));
    CHECK_OK(of_landmarks_place(arena.context, &arena, &kernel, L, 3, &landmarks));
    CHECK_OK(of_landmarks_solve(arena.context, &arena, 1e-7, &landmarks));
    for (size_t i = 0; i < L; i++)
        centre[i] = 0.01 * (double)i;
    CHECK_OK(of_points_single_make(&arena, landmarks.columns, landmarks.count, landmarks.at,
                                   landmarks.half, centre, &single));
    of_kernel_tile(landmarks.kernel, 0, N, tile);
    of_rbf_block_single(&single, landmarks.scale, N, tile, single_features, k);
    of_kernel_tile(&kernel, 0, N, features);
    double worst = 0;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < L; i++) {
            double distance = 0, squares = 0;
            for (size_t r = 0; r < D; r++) {
                double a = landmarks.at[i * D + r], b = landmarks.scale * features[j * D + r];
                distance += (a - b) * (a - b) / 2;
                squares += (a * a + b * b) / 2;
            }
            double want = exp(-distance), off = fabs((double)k[j * L + i] - (want - centre[i]));
            worst = fmax(worst, off / allowed(squares, want));
        }
    printf("single precision: at most %.2f of what rounding allows\n", worst);
    assert_true(worst < 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_as_near_as_rounding_allows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
