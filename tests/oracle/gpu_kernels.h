/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of src/gpu compute, in plain C: one loop after the other, in double. */
#ifndef OF_TESTS_ORACLE_GPU_KERNELS_H
#define OF_TESTS_ORACLE_GPU_KERNELS_H

#include "base/device.h"

/* The library under test: what ONEFOLD_CUDA_LIBRARY names, else the one that stands in for it. A
 * group of tests is set up by gpu_find, or by gpu_open, which opens a GPU as well. */
extern const of_device_table *gpu_lib;
extern of_device *gpu_opened;
int gpu_find(void **state);
int gpu_open(void **state);
int gpu_close(void **state);
int gpu_is_real(void);

/* A function of the table, which must not fail. */
#define RUN(call)                                                                                  \
    do {                                                                                           \
        int code_ = gpu_lib->call;                                                                 \
        if (code_ != OF_DEVICE_OK)                                                                 \
            fail_msg("%s: %s", #call, gpu_lib->message());                                         \
    } while (0)

/* A stack of X (rows x n) on the GPU that is open. */
of_device_stack *gpu_stack(size_t rows, size_t n, int doubles, const double *X);

/* Views of so many columns each; sparse where density is above 0. */
onefold_dataset *gpu_dataset(size_t n, size_t views, size_t clusters, size_t columns,
                             double missing, double density);

/* What a fit came to. */
typedef struct gpu_ran {
    int32_t *labels;
    double objective;
    char note[256];
} gpu_ran;
gpu_ran gpu_fit(onefold_device device, const onefold_dataset *dataset,
                const onefold_fit_options *options);

/* Labels agree on 99.9 % of n samples after the best matching, the objective to `near`. */
void gpu_check_agreement(const gpu_ran *gpu, const gpu_ran *cpu, size_t n, double near);

/* rows x samples numbers between -1 and 1, the same for the same seed. */
double *gpu_numbers(size_t rows, size_t samples, unsigned seed);

/* X X' and M X. */
void restate_gram(size_t rows, size_t n, const double *X, double *N);
void restate_product(size_t q, size_t rows, size_t n, const double *M, const double *X, double *H);

/* The pass of docs/method.md section 3 for one run: sum is pk x (m + mu). Scores that are nearly
 * alike are told in `close` (n), where another label is as good. */
void restate_pass(const of_device_pass *pass, size_t pk, size_t n, const double *X, int32_t *labels,
                  uint8_t *close, double *sum, size_t *sizes);

/* k(x) of a sample's scaled features against the landmarks. */
void restate_kernel(const of_device_landmarks *marks, const double *x, double *k);

/* H (rows) of one raw sample. */
void restate_projection(const of_device_projection *told, const double *raw, double *h);

/* f = x - shift of a sample; *whole and *centred are |x|^2 and |f|^2. */
void restate_features(size_t columns, const double *shift, const double *x, double *f,
                      double *whole, double *centred);

/* Of u = scale^power (x f - in), or of u = scale x where `in` is NULL: u (depth x rows), or the sum
 * of u and of u f (sum, behind each other); either may be NULL. */
void restate_sparse(const of_device_entries *f, size_t depth, const double *x, const double *in,
                    int power, double *u, double *sum);

/* Holds what the GPU said of a sample against what its projections (rows) say. */
void restate_prediction(const of_device_predict *task, size_t rows, const double *x, int32_t label,
                        double sure, double far);

/* The largest difference between two arrays. */
double restate_apart(size_t count, const double *a, const double *b);

#endif
