/* SPDX-License-Identifier: Apache-2.0 */
#include "oracle/gpu_kernels.h"

#include "support/check.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gpu_is_real(void)
{
    const char *named = getenv("ONEFOLD_CUDA_LIBRARY"), *emulated = getenv("OF_TEST_EMULATED");
    return named && *named && !(emulated && strcmp(named, emulated) == 0);
}

const of_device_table *gpu_lib;
of_device *gpu_opened;

int gpu_find(void **state)
{
    (void)state;
    const char *emulated = getenv("OF_TEST_EMULATED");
    if (!gpu_is_real() && emulated)
        setenv("ONEFOLD_CUDA_LIBRARY", emulated, 1);
    const char *named = getenv("ONEFOLD_CUDA_LIBRARY");
    assert_non_null(named);
    void *library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail_msg("%s", dlerror());
    const of_device_table *(*entry)(void);
    *(void **)&entry = dlsym(library, OF_DEVICE_ENTRY);
    assert_non_null(entry);
    gpu_lib = entry();
    assert_int_equal(gpu_lib->abi, OF_DEVICE_ABI);
    return 0;
}

int gpu_open(void **state)
{
    return gpu_find(state) || gpu_lib->open(0, &gpu_opened);
}

int gpu_close(void **state)
{
    (void)state;
    gpu_lib->close(gpu_opened);
    return 0;
}

of_device_stack *gpu_stack(size_t rows, size_t n, int doubles, const double *X)
{
    of_device_stack *stack;
    RUN(stack_make(gpu_opened, rows, n, doubles, &stack, NULL));
    RUN(stack_store(stack, 0, rows, 0, n, X, rows, 0));
    return stack;
}

onefold_dataset *gpu_dataset(size_t n, size_t views, size_t clusters, size_t columns,
                             double missing, double density)
{
    const size_t both[2] = {columns, columns};
    onefold_dataset *dataset;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    options.samples = n;
    options.views = views;
    options.clusters = clusters;
    options.columns = both;
    options.missing = missing;
    if (density > 0)
        options.density = density;
    options.separation = density > 0 ? 60 : 8;
    CHECK_OK(onefold_dataset_synth(&dataset, NULL, &options));
    return dataset;
}

gpu_ran gpu_fit(onefold_device device, const onefold_dataset *dataset,
                const onefold_fit_options *options)
{
    onefold_context *context;
    onefold_result *result;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, device));
    CHECK_OK(onefold_fit(&result, context, dataset, options));
    const onefold_fit_info *info = onefold_result_describe(result);
    gpu_ran made = {malloc(info->samples * sizeof(int32_t)), info->objective, ""};
    memcpy(made.labels, info->labels, info->samples * sizeof *made.labels);
    snprintf(made.note, sizeof made.note, "%s", info->note);
    onefold_result_free(result);
    onefold_context_free(context);
    return made;
}

void gpu_check_agreement(const gpu_ran *gpu, const gpu_ran *cpu, size_t n, double near)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT32, gpu->labels, cpu->labels, n));
    if (!(scores.acc >= 0.999))
        fail_msg("labels agree on %g of the samples", scores.acc);
    if (!(fabs(gpu->objective - cpu->objective) <= near * fabs(cpu->objective)))
        fail_msg("objective %.17g, on the CPU %.17g", gpu->objective, cpu->objective);
}

double *gpu_numbers(size_t rows, size_t samples, unsigned seed)
{
    double *x = malloc((rows * samples + 1) * sizeof *x);
    uint64_t state = 0x9e3779b97f4a7c15u * (seed + 1u);
    for (size_t e = 0; e < rows * samples; e++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[e] = (double)(float)((double)(state >> 11) / 4503599627370496.0 - 1);
    }
    return x;
}

void restate_gram(size_t rows, size_t n, const double *X, double *N)
{
    for (size_t a = 0; a < rows; a++)
        for (size_t b = 0; b < rows; b++) {
            N[a + b * rows] = 0;
            for (size_t j = 0; j < n; j++)
                N[a + b * rows] += X[a + j * rows] * X[b + j * rows];
        }
}

void restate_product(size_t q, size_t rows, size_t n, const double *M, const double *X, double *H)
{
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < q; c++) {
            H[c + j * q] = 0;
            for (size_t i = 0; i < rows; i++)
                H[c + j * q] += M[c + i * q] * X[i + j * rows];
        }
}

/* s of a sample from q: unit length, or that of its positive part. */
static void restate_s(size_t m, int nonneg, double *s)
{
    double square = 0;
    size_t top = 0;
    for (size_t i = 1; i < m; i++)
        top = s[i] > s[top] ? i : top;
    if (nonneg && s[top] < 0) {
        for (size_t i = 0; i < m; i++)
            s[i] = i == top;
        return;
    }
    for (size_t i = 0; i < m; i++) {
        s[i] = nonneg && s[i] < 0 ? 0 : s[i];
        square += s[i] * s[i];
    }
    for (size_t i = 0; i < m; i++)
        s[i] = square > 0 ? s[i] / sqrt(square) : 0;
}

/* The label of a sample by its scores, and whether another is nearly as good. */
static int32_t restate_label(size_t mu, const double *score, size_t largest, uint8_t *close)
{
    size_t best = 0, zero = 1;
    *close = 0;
    for (size_t c = 0; c < mu; c++) {
        zero &= score[c] == 0;
        best = score[c] > score[best] ? c : best;
    }
    for (size_t c = 0; c < mu; c++)
        *close |= c != best && score[best] - score[c] < 1e-5;
    *close &= !zero;
    return (int32_t)(zero ? largest : best);
}

void restate_pass(const of_device_pass *pass, size_t pk, size_t n, const double *X, int32_t *labels,
                  uint8_t *close, double *sum, size_t *sizes)
{
    size_t k = pass->k, q = pass->m + pass->mu;
    double *h = malloc((k + q) * sizeof *h), *z = h + k;
    memset(sum, 0, pk * q * sizeof *sum);
    memset(sizes, 0, pass->mu * sizeof *sizes);
    for (size_t j = 0; j < n; j++) {
        restate_product(k, pk, 1, pass->B, X + j * pk, h);
        for (size_t c = 0; c < q; c++) {
            z[c] = 0;
            for (size_t r = 0; r < k; r++)
                z[c] += pass->R[r + c * k] * h[r];
        }
        close[j] = 0;
        if (!pass->keep_labels)
            labels[j] = restate_label(pass->mu, z + pass->m, pass->largest, &close[j]);
        restate_s(pass->m, pass->nonneg, z);
        sizes[labels[j]]++;
        for (size_t i = 0; i < pk; i++) {
            for (size_t c = 0; c < pass->m; c++)
                sum[i + c * pk] += X[i + j * pk] * z[c];
            sum[i + (pass->m + (size_t)labels[j]) * pk] += X[i + j * pk];
        }
    }
    free(h);
}

void restate_kernel(const of_device_landmarks *marks, const double *x, double *k)
{
    for (size_t l = 0; l < marks->count; l++) {
        double square = 0;
        for (size_t i = 0; i < marks->columns; i++) {
            double d = x[i] - marks->at[i + l * marks->columns];
            square += d * d;
        }
        k[l] = exp(-square / 2);
    }
}

void restate_projection(const of_device_projection *told, const double *raw, double *h)
{
    size_t d = told->landmarks.columns, l = told->landmarks.count, wide = told->rows + 1;
    double *x = malloc((d + l) * sizeof *x), *k = x + d, row = 0;
    for (size_t i = 0; i < d; i++) {
        double value = raw[told->kept ? told->kept[i] : i];
        x[i] = told->scale * (value - (told->shift ? told->shift[i] : 0)) *
               (told->factor ? told->factor[i] : 1);
    }
    restate_kernel(&told->landmarks, x, k);
    for (size_t c = 0; c < l; c++)
        row += told->weight[told->rows + c * wide] * (k[c] - told->kbar[c]);
    double diagonal = 1 - told->mean - 2 * row, scale = diagonal > 1e-12 ? 1 / sqrt(diagonal) : 0;
    for (size_t r = 0; r < told->rows; r++) {
        h[r] = 0;
        for (size_t c = 0; c < l; c++)
            h[r] += scale * told->weight[r + c * wide] * (k[c] - told->kbar[c]);
    }
    free(x);
}

void restate_features(size_t columns, const double *shift, const double *x, double *f,
                      double *whole, double *centred)
{
    *whole = *centred = 0;
    for (size_t i = 0; i < columns; i++) {
        *whole += x[i] * x[i];
        f[i] = x[i] - shift[i];
        *centred += f[i] * f[i];
    }
}

void restate_sparse(const of_device_entries *f, size_t depth, const double *x, const double *in,
                    int power, double *u, double *sum)
{
    if (sum)
        memset(sum, 0, depth * (f->columns + 1) * sizeof *sum);
    for (size_t j = 0; j < f->rows; j++)
        for (size_t r = 0; r < depth; r++) {
            double own = in ? -in[r] : x[j * depth + r];
            for (size_t e = f->start[j]; in && e < f->start[j + 1]; e++)
                own += f->value[e] * x[f->index[e] * depth + r];
            own *= power == 2 ? f->scale[j] * f->scale[j] : f->scale[j];
            if (u)
                u[j * depth + r] = own;
            if (!sum)
                continue;
            sum[r] += own;
            for (size_t e = f->start[j]; e < f->start[j + 1]; e++)
                sum[(f->index[e] + 1) * depth + r] += own * f->value[e];
        }
}

void restate_prediction(const of_device_predict *task, size_t rows, const double *x, int32_t label,
                        double sure, double far)
{
    size_t mu = task->clusters, k = rows / task->parts;
    double *score = malloc(mu * sizeof *score), best = -INFINITY, second = -INFINITY, square = 0,
           left = 0, all = 0;
    restate_product(mu, rows, 1, task->fused, x, score);
    for (size_t c = 0; c < mu; c++) {
        second = score[c] > best ? best : fmax(second, score[c]);
        best = fmax(best, score[c]);
        square += score[c] * score[c];
    }
    assert_true(label >= 0 && (size_t)label < mu);
    assert_true(score[label] >= best - 1e-12 * (1 + fabs(best)));
    assert_true(fabs(sure - (square > 0 ? fmin(1, (best - second) / sqrt(square)) : 0)) < 1e-10);
    for (size_t b = 0; b < task->parts; b++) {
        double kept = 0, length = 0;
        for (size_t i = b * k; i < (b + 1) * k; i++) {
            kept += task->value[i] * x[i] * x[i];
            length += x[i] * x[i];
        }
        if (length > 0) {
            left += task->weight[b] * (1 - fmin(kept, 1));
            all += task->weight[b];
        }
    }
    assert_true(fabs(far - (all > 0 ? sqrt(left / all) : 1)) < 1e-9);
    free(score);
}

double restate_apart(size_t count, const double *a, const double *b)
{
    double most = 0;
    for (size_t e = 0; e < count; e++) {
        if (!(fabs(a[e] - b[e]) <= INFINITY))
            return INFINITY;
        most = fmax(most, fabs(a[e] - b[e]));
    }
    return most;
}
