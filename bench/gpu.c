/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of a fit on a GPU by themselves, on numbers that are there: bench_gpu SAMPLES [pass].
 * A line per stage (`pass`: of one pass alone): what, milliseconds (the least of several),
 * operations and bytes that it cannot do without. bench/gpu.py sets them beside what the GPU can
 * do. bench_gpu predict METHOD CLUSTERS FILE... fits the files and labels the same samples by the
 * model, from memory, three times.
 */
#include "base/context.h"
#include "base/device.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P = 3, K = 20, M = 20, MU = 10, PK = P * K, D = 64, L = 400, TIMES = 7 };

static const of_device_use *use;

#define RUN(call)                                                                                  \
    do {                                                                                           \
        if (use->table->call != OF_DEVICE_OK) {                                                    \
            fprintf(stderr, "%s: %s\n", #call, use->table->message());                             \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static double *numbers(size_t count, uint64_t stream)
{
    of_random random = of_random_make(1, OF_PURPOSE_TEST, stream);
    double *x = malloc(count * sizeof *x);
    for (size_t e = 0; x && e < count; e++)
        x[e] = of_random_normal(&random);
    return x;
}

/* A stack of normal numbers: a block of 2^16 samples again and again. */
static of_device_stack *fill(size_t n, int doubles)
{
    enum { BLOCK = 1 << 16 };
    double *x = numbers((size_t)BLOCK * PK, 2);
    of_device_stack *stack;
    RUN(stack_make(use->device, PK, n, doubles, &stack, NULL));
    for (size_t first = 0; first < n; first += BLOCK)
        RUN(stack_store(stack, 0, PK, first, n - first < BLOCK ? n - first : BLOCK, x, PK, 0));
    free(x);
    return stack;
}

static void say(const char *what, double seconds, double operations, double bytes)
{
    printf("%s\t%.3f\t%.4g\t%.4g\n", what, 1e3 * seconds, operations, bytes);
    fflush(stdout);
}

static void time_pass(size_t n, int doubles)
{
    of_device_stack *X = fill(n, doubles);
    double *B = numbers(K * PK, 3), *R = numbers(K * (M + MU), 4),
           *sums = malloc((PK * (M + MU) + MU + 1) * sizeof *sums), least = INFINITY;
    int32_t *labels = calloc(n, sizeof *labels);
    RUN(labels_store(X, 0, labels));
    of_device_pass pass = {K, M, MU, 0, 0, B, R, 0, 0, sums};
    for (int t = 0; t < TIMES; t++) {
        double began = of_clock_seconds();
        RUN(pass(X, &pass));
        least = fmin(least, of_clock_seconds() - began);
    }
    double each = (double)n * (doubles ? 8 : 4);
    say(doubles ? "pass, double" : "pass, single", least,
        2.0 * (double)n * (P * K * K + K * (M + MU) + P * K * M), each * PK + 8.0 * (double)n);
    double *N = malloc(PK * PK * sizeof *N);
    double began = of_clock_seconds();
    RUN(stack_gram(X, 0, PK, N));
    say(doubles ? "gram, double" : "gram, single", of_clock_seconds() - began,
        2.0 * (double)n * PK * PK, each * PK);
    use->table->stack_free(X);
    free(B);
    free(R);
    free(sums);
    free(labels);
    free(N);
}

/* The same piece of samples again and again, from a staging area. */
static void time_projection(size_t n)
{
    enum { PIECE = 1 << 18 };
    of_device_stack *X;
    double *at = numbers(D * L, 5), *half = malloc(L * sizeof *half), *kbar = numbers(L, 6),
           *weight = numbers((K + 1) * L, 7), *inner = malloc(K * K * sizeof *inner);
    for (size_t l = 0; l < L; l++) {
        half[l] = 0;
        for (size_t i = 0; i < D; i++)
            half[l] += 0.5 * at[i + l * D] * at[i + l * D];
        weight[K + l * (K + 1)] *= 1e-4;
    }
    of_device_projection told = {{D, L, at, half}, D, NULL, NULL, NULL, 0.1, kbar,
                                 weight,           K, 0,    0.25, 0};
    void *area;
    double least = INFINITY;
    size_t pieces = n / PIECE;
    RUN(stack_make(use->device, K, n, 0, &X, NULL));
    RUN(project_begin(X, &told));
    RUN(piece_staging(X, 0, (size_t)PIECE * D * sizeof(float), &area));
    for (size_t e = 0; e < (size_t)PIECE * D; e++)
        ((float *)area)[e] = (float)((double)(e * 2654435761u % 1000003) / 500000 - 1);
    for (int t = 0; t < 3; t++) {
        double began = of_clock_seconds();
        for (size_t i = 0; i < pieces; i++)
            RUN(piece(X, 0, i * PIECE, PIECE));
        RUN(rows_multiply(X, 0, 1, (const double[]){1}, inner)); /* waits */
        least = fmin(least, of_clock_seconds() - began);
    }
    double samples = (double)(pieces * PIECE);
    say("kernel values and projection, with copies to the GPU", least,
        2 * samples * L * (D + K + 1), samples * (D + K) * sizeof(float));
    use->table->stack_free(X);
    free(at);
    free(half);
    free(kbar);
    free(weight);
    free(inner);
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != ONEFOLD_OK) {                                                                \
            fprintf(stderr, "%s\n", onefold_last_error());                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void time_predict(onefold_context *context, const char *method, size_t clusters,
                         const char *const *files, size_t count)
{
    onefold_dataset *dataset;
    onefold_result *result;
    onefold_predictor *predictor;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_prediction out = ONEFOLD_PREDICTION_INIT;
    MUST(onefold_dataset_read(&dataset, context, files, count, NULL));
    options.no_embedding = 1;
    options.method = method;
    options.clusters = clusters;
    if (!strcmp(method, "os-lfmvc-cs"))
        options.precision = ONEFOLD_SINGLE;
    options.keep_model = 1;
    MUST(onefold_fit(&result, context, dataset, &options));
    size_t n = onefold_dataset_describe(dataset)->samples;
    out.labels = calloc(n, sizeof *out.labels);
    MUST(onefold_predictor_create(&predictor, context, onefold_result_describe(result)->model));
    for (int t = 0; t < 3; t++) {
        double began = of_clock_seconds();
        MUST(onefold_predictor_feed(predictor, dataset, 0, n, &out));
        printf("%.1f ms, %zu samples so far by the GPU\n", 1e3 * (of_clock_seconds() - began),
               onefold_predictor_on_gpu(predictor));
    }
    onefold_predictor_free(predictor);
    onefold_result_free(result);
    onefold_dataset_free(dataset);
    free(out.labels);
}

int main(int count, char **arguments)
{
    size_t n = count > 1 ? strtoull(arguments[1], NULL, 10) : 1000000;
    onefold_context *context;
    MUST(onefold_context_create(&context, NULL));
    MUST(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
    use = of_device_for(context, n);
    if (count > 4) {
        time_predict(context, arguments[2], strtoull(arguments[3], NULL, 10),
                     (const char *const *)arguments + 4, (size_t)(count - 4));
    } else if (count > 2) {
        time_pass(n, 0);
    } else {
        time_projection(n);
        time_pass(n, 0);
        time_pass(n, 1);
    }
    onefold_context_free(context);
    return 0;
}
