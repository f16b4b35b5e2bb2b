/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the table against its restatement, and its bits against themselves. */
#include "oracle/gpu_kernels.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void stacks_keep_what_they_are_given(void **state)
{
    (void)state;
    enum { ROWS = 7, N = 1000, COUNT = 5 };
    static const size_t place[COUNT] = {0, 127, 128, 640, 999};
    double *X = gpu_numbers(ROWS, N, 1), *back = malloc(ROWS * N * sizeof *back);
    float *single = malloc(3 * N * sizeof *single);
    for (int doubles = 0; doubles < 2; doubles++) {
        of_device_stack *stack = gpu_stack(ROWS, N, doubles, X);
        RUN(stack_fetch(stack, 0, NULL, N, back));
        assert_memory_equal(back, X, ROWS * N * sizeof *X);
        RUN(stack_fetch(stack, 130, NULL, 300, back));
        assert_memory_equal(back, X + 130 * ROWS, 300 * ROWS * sizeof *X);
        RUN(stack_fetch(stack, 0, place, COUNT, back));
        for (size_t i = 0; i < COUNT; i++)
            assert_memory_equal(back + i * ROWS, X + place[i] * ROWS, ROWS * sizeof *X);
        for (size_t e = 0; e < 3 * N; e++)
            single[e] = (float)e;
        RUN(stack_store(stack, 2, 3, 0, N, single, 3, 1)); /* rows of one view, floats */
        RUN(stack_fetch(stack, 0, NULL, N, back));
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < ROWS; i++)
                assert_true(back[i + j * ROWS] ==
                            (i >= 2 && i < 5 ? (double)(3 * j + i - 2) : X[i + j * ROWS]));
        gpu_lib->stack_free(stack);
    }
    free(X);
    free(back);
    free(single);
}

static void grams_and_products(void **state)
{
    (void)state;
    enum { ROWS = 70, N = 777, Q = 11, VIEWS = 5 };
    double *X = gpu_numbers(ROWS, N, 2), *M = gpu_numbers(Q, ROWS, 3),
           *N1 = malloc(2 * ROWS * ROWS * sizeof *N1), *N2 = N1 + ROWS * ROWS,
           *H1 = malloc(2 * Q * N * sizeof *H1), *H2 = H1 + Q * N;
    int32_t *labels = malloc(2 * N * sizeof *labels), *own = labels + N;
    for (int doubles = 0; doubles < 2; doubles++) {
        of_device_stack *stack = gpu_stack(ROWS, N, doubles, X);
        RUN(stack_gram(stack, 0, ROWS, N1));
        restate_gram(ROWS, N, X, N2);
        assert_true(restate_apart(ROWS * ROWS, N1, N2) < 1e-11);
        restate_product(Q, ROWS, N, M, X, H2);
        for (int piece = 0; piece < 2; piece++) {
            gpu_lib->set_piece(gpu_opened, piece ? 20000 : 0);
            RUN(embed(stack, Q, M, 0, H1));
            assert_true(restate_apart(Q * N, H1, H2) < 1e-12);
            of_device_predict asked = {.clusters = Q, .parts = 1, .fused = M, .labels = labels};
            RUN(predict(stack, &asked));
            for (size_t j = 0; j < N; j++)
                for (size_t c = 0; c < Q; c++)
                    assert_true(H2[c + j * Q] <= H2[(size_t)labels[j] + j * Q] + 1e-12);
            for (size_t v = 0; v < VIEWS; v++) { /* the rows of a view by themselves */
                size_t k = ROWS / VIEWS;
                asked = (of_device_predict){.clusters = Q,
                                            .parts = 1,
                                            .fused = M + v * k * Q,
                                            .labels = own,
                                            .row = v * k,
                                            .rows = k};
                RUN(predict(stack, &asked));
                for (size_t j = 0; j < N; j++) {
                    double score[Q];
                    restate_product(Q, k, 1, asked.fused, X + j * ROWS + v * k, score);
                    for (size_t c = 0; c < Q; c++)
                        assert_true(score[c] <= score[own[j]] + 1e-12);
                }
            }
            RUN(embed(stack, Q, M, 1, H1));
            for (size_t j = 0; j < N; j++) {
                double square = 0;
                for (size_t c = 0; c < Q; c++)
                    square += H1[c + j * Q] * H1[c + j * Q];
                assert_true(fabs(square - 1) < 1e-12);
            }
        }
        gpu_lib->set_piece(gpu_opened, 0);
        gpu_lib->stack_free(stack);
    }
    free(X);
    free(M);
    free(N1);
    free(H1);
    free(labels);
}

/* ---- the pass ------------------------------------------------------------------------------- */

enum { RUNS = 3 };

typedef struct shape {
    size_t p, k, m, mu, n;
} shape;

/* How far a sum over n terms of modulus 1 at the most may be from the restatement's. Its plain loop
 * rounds n partial sums of up to n by 2^-53 of them, either way: n^1.5 2^-53. Products of floats
 * are cut off beyond 2^-22 or so, always towards zero, which adds up: n 2^-23. */
static double bound_of(size_t n, int doubles)
{
    double terms = (double)n;
    return doubles ? 1e-11 + ldexp(terms * sqrt(terms), -53)
                   : 2e-5 * sqrt(terms) + ldexp(terms, -23);
}

/* Two samples of zeros, as without any view. */
static void try_pass(shape z, int doubles, int nonneg, int keep)
{
    size_t pk = z.p * z.k, q = z.m + z.mu, length = pk * q, room = length + z.mu + 1,
           expected_sizes[64];
    double *X = gpu_numbers(pk, z.n, 4), *sums = malloc(RUNS * room * sizeof *sums),
           *expected = malloc(length * sizeof *expected);
    int32_t *labels = calloc(2 * z.n, sizeof *labels), *now = labels + z.n;
    uint8_t *close = malloc(z.n);
    if (z.n > 5)
        memset(X + 5 * pk, 0, pk * sizeof *X);
    memset(X + (z.n - 1) * pk, 0, pk * sizeof *X);
    of_device_stack *stack = gpu_stack(pk, z.n, doubles, X);
    of_device_pass passes[RUNS];
    double *B[RUNS], *R[RUNS];
    for (size_t r = 0; r < RUNS; r++) {
        B[r] = gpu_numbers(z.k, pk, 10 + (unsigned)r);
        R[r] = gpu_numbers(z.k, q, 20 + (unsigned)r);
        passes[r] = (of_device_pass){.k = z.k,
                                     .m = z.m,
                                     .mu = z.mu,
                                     .nonneg = nonneg,
                                     .keep_labels = keep,
                                     .B = B[r],
                                     .R = R[r],
                                     .largest = r % z.mu,
                                     .slot = r,
                                     .sum = sums + r * room};
        for (size_t j = 0; j < z.n; j++)
            labels[j] = (int32_t)((j + r) % z.mu);
        RUN(labels_store(stack, r, labels));
    }
    for (size_t r = 0; r < RUNS; r++)
        RUN(pass(stack, &passes[r]));
    for (size_t r = 0; r < RUNS; r++) {
        size_t changed = 0;
        for (size_t j = 0; j < z.n; j++)
            labels[j] = (int32_t)((j + r) % z.mu);
        RUN(labels_fetch(stack, r, now));
        restate_pass(&passes[r], pk, z.n, X, labels, close, expected, expected_sizes);
        size_t others = 0;
        for (size_t j = 0; j < z.n; j++) {
            changed += now[j] != (int32_t)((j + r) % z.mu);
            others += now[j] != labels[j];
            assert_true(now[j] == labels[j] || close[j]);
        }
        const double *sizes = passes[r].sum + length;
        assert_int_equal(sizes[z.mu], keep ? 0 : changed);
        if (others == 0) {
            for (size_t c = 0; c < z.mu; c++)
                assert_int_equal(sizes[c], expected_sizes[c]);
            double apart = restate_apart(length, passes[r].sum, expected);
            if (!(apart < bound_of(z.n, doubles)))
                fail_msg("run %zu of %zu x %zu: %g apart", r, pk, q, apart);
        }
    }
    /* The same pass again, in pieces: the same bits. */
    for (size_t j = 0; j < z.n; j++)
        labels[j] = (int32_t)((j + 1) % z.mu);
    double *first = malloc(length * sizeof *first);
    memcpy(first, passes[1].sum, length * sizeof *first);
    RUN(labels_store(stack, 1, labels));
    gpu_lib->set_piece(gpu_opened, 30000);
    RUN(pass(stack, &passes[1]));
    gpu_lib->set_piece(gpu_opened, 0);
    assert_memory_equal(first, passes[1].sum, length * sizeof *first);
    for (size_t r = 0; r < RUNS; r++) {
        free(B[r]);
        free(R[r]);
    }
    gpu_lib->stack_free(stack);
    free(first);
    free(X);
    free(sums);
    free(expected);
    free(labels);
    free(close);
}

static void passes(void **state)
{
    (void)state;
    static const shape shapes[] = {{3, 20, 20, 10, 700},
                                   {1, 2, 1, 2, 300},
                                   {2, 5, 7, 3, 1},
                                   {4, 6, 12, 6, 129},
                                   {2, 1, 1, 1, 256}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (int doubles = 0; doubles < 2; doubles++)
            for (int kind = 0; kind < 3; kind++)
                try_pass(shapes[s], doubles, kind == 1, kind == 2);
    try_pass((shape){1, 20, 12, 4, 7000}, 0, 0, 0); /* chunks of five tiles, if not on a GPU */
}

/* More than one kernel has room for. */
static void passes_of_many_rows(void **state)
{
    (void)state;
    for (int doubles = 0; doubles < 2; doubles++)
        for (int kind = 0; kind < 3; kind++)
            try_pass((shape){12, 40, 40, 20, 300}, doubles, kind == 1, kind == 2);
}

/* Chunks of several tiles, on a GPU: what stands in for one has those with few samples. */
static void passes_of_many_samples(void **state)
{
    (void)state;
    if (gpu_is_real())
        for (int doubles = 0; doubles < 2; doubles++)
            try_pass((shape){3, 20, 20, 10, 1200000}, doubles, 0, 0);
}

/* ---- landmarks ------------------------------------------------------------------------------ */

typedef struct marks {
    of_device_landmarks told;
    double *at, *half;
} marks;

static marks make_marks(size_t columns, size_t count)
{
    marks made = {.at = gpu_numbers(columns, count, 6), .half = malloc(count * sizeof(double))};
    for (size_t l = 0; l < count; l++) {
        made.half[l] = 0;
        for (size_t i = 0; i < columns; i++)
            made.half[l] += 0.5 * made.at[i + l * columns] * made.at[i + l * columns];
    }
    made.told = (of_device_landmarks){columns, count, made.at, made.half};
    return made;
}

/* H of the samples whose centred kernel values are in K. */
static void check_rows(const of_device_landmarks *told, size_t n, of_device_stack *K,
                       const double *x, const double *kbar, const double *row_mean, double mean,
                       int doubles)
{
    enum { ROWS = 9, ROW = 2 };
    size_t l = told->count;
    double *weight = gpu_numbers(ROWS, l, 15), *k = malloc(l * sizeof *k), h[ROWS],
           *H = malloc((ROWS + 3) * n * sizeof *H), inner[ROWS * ROWS];
    of_device_stack *stack;
    RUN(stack_make(gpu_opened, ROWS + 3, n, doubles, &stack, NULL));
    RUN(stack_multiply(stack, ROW, ROWS, K, weight));
    RUN(stack_gram(stack, ROW, ROWS, inner));
    RUN(stack_fetch(stack, 0, NULL, n, H));
    for (size_t j = 0; j < n; j++) {
        double row = 0;
        restate_kernel(told, x + j * told->columns, k);
        for (size_t c = 0; c < l; c++)
            row += k[c] * row_mean[c];
        for (size_t c = 0; c < l; c++)
            k[c] = (k[c] - kbar[c]) / sqrt(1 - 2 * row + mean);
        restate_product(ROWS, l, 1, weight, k, h);
        assert_true(restate_apart(ROWS, H + j * (ROWS + 3) + ROW, h) < (doubles ? 1e-11 : 1e-5));
        assert_true(H[j * (ROWS + 3)] == 0 && H[j * (ROWS + 3) + ROW + ROWS] == 0);
    }
    for (size_t a = 0; a < ROWS; a++)
        for (size_t b = 0; b < ROWS; b++) {
            double all = 0;
            for (size_t j = 0; j < n; j++)
                all += H[j * (ROWS + 3) + ROW + a] * H[j * (ROWS + 3) + ROW + b];
            assert_true(fabs(inner[a + b * ROWS] - all) < 1e-9 * (1 + fabs(all)));
        }
    assert_int_equal(gpu_lib->stack_multiply(stack, ROW + 2, ROWS, K, weight), OF_DEVICE_FAULT);
    gpu_lib->stack_free(stack);
    free(weight);
    free(k);
    free(H);
}

static void landmarks_sums(void **state)
{
    (void)state;
    enum { COLUMNS = 5, COUNT = 70, N = 500 };
    marks z = make_marks(COLUMNS, COUNT);
    double *x = gpu_numbers(COLUMNS, N, 7), k[COUNT], sum[COUNT], expected[COUNT] = {0},
           *gram = malloc(2 * COUNT * COUNT * sizeof *gram), *restated = gram + COUNT * COUNT,
           *row_mean = gpu_numbers(COUNT, 1, 8), kbar[COUNT], mean = 0.3;
    for (size_t j = 0; j < N; j++) {
        restate_kernel(&z.told, x + j * COLUMNS, k);
        for (size_t l = 0; l < COUNT; l++)
            expected[l] += k[l];
    }
    of_device_stack *F = gpu_stack(COLUMNS, N, 1, x), *K;
    RUN(stack_make(gpu_opened, COUNT, N, 1, &K, NULL));
    RUN(landmarks_mean(K, F, &z.told, sum));
    assert_true(restate_apart(COUNT, sum, expected) < 1e-10);
    RUN(stack_sum(K, kbar));
    assert_memory_equal(sum, kbar, sizeof sum);
    assert_int_equal(gpu_lib->landmarks_mean(F, K, &z.told, sum), OF_DEVICE_FAULT);
    memset(restated, 0, COUNT * COUNT * sizeof *restated);
    for (size_t l = 0; l < COUNT; l++) {
        kbar[l] = sum[l] / N;
        row_mean[l] *= 0.01;
    }
    for (size_t j = 0; j < N; j++) {
        double row = 0, scale;
        restate_kernel(&z.told, x + j * COLUMNS, k);
        for (size_t l = 0; l < COUNT; l++)
            row += k[l] * row_mean[l];
        scale = 1 / (1 - 2 * row + mean);
        for (size_t a = 0; a < COUNT; a++)
            for (size_t b = 0; b < COUNT; b++)
                restated[a + b * COUNT] += scale * (k[a] - kbar[a]) * (k[b] - kbar[b]);
    }
    RUN(landmarks_centre(K, kbar, row_mean, mean));
    RUN(stack_gram(K, 0, COUNT, gram));
    assert_true(restate_apart(COUNT * COUNT, gram, restated) < 1e-10);
    for (int doubles = 0; doubles < 2; doubles++)
        check_rows(&z.told, N, K, x, kbar, row_mean, mean, doubles);
    gpu_lib->stack_free(F);
    gpu_lib->stack_free(K);
    free(z.at);
    free(z.half);
    free(x);
    free(gram);
    free(row_mean);
}

/* Sends all samples in pieces of `piece`. */
static void project_all(of_device_stack *stack, const of_device_projection *told, size_t n,
                        size_t piece, const void *raw, double *inner)
{
    size_t row = told->raw_columns * (told->raw_double ? sizeof(double) : sizeof(float));
    int which = 0;
    RUN(project_begin(stack, told));
    for (size_t first = 0; first < n; first += piece, which = 1 - which) {
        size_t count = n - first < piece ? n - first : piece;
        void *area;
        RUN(piece_staging(stack, which, count * row, &area));
        memcpy(area, (const char *)raw + first * row, count * row);
        RUN(piece(stack, which, first, count));
    }
    RUN(stack_gram(stack, told->row, told->rows, inner));
}

static void try_projection(size_t columns, size_t raw_columns, size_t count, size_t rows,
                           int doubles, int raw_double)
{
    enum { N = 900 };
    marks z = make_marks(columns, count);
    double *raw = gpu_numbers(raw_columns, N, 9), *shift = gpu_numbers(columns, 1, 11),
           *factor = gpu_numbers(columns, 1, 12), *kbar = gpu_numbers(count, 1, 13),
           *weight = gpu_numbers(rows + 1, count, 14), *h = malloc(rows * sizeof *h),
           *H = malloc(2 * (rows + 2) * N * sizeof *H), *again = H + (rows + 2) * N,
           *inner = malloc(3 * rows * rows * sizeof *inner), *restated = inner + rows * rows,
           *largest = restated + rows * rows, apart = 0;
    float *single = malloc(raw_columns * N * sizeof *single);
    uint32_t *kept = malloc(columns * sizeof *kept);
    for (size_t i = 0; i < columns; i++)
        kept[i] = (uint32_t)(i + (raw_columns - columns) * i / columns);
    for (size_t l = 0; l < count; l++) {
        kbar[l] = 0.5 + 0.1 * kbar[l];
        for (size_t r = 0; r <= rows; r++)
            weight[r + l * (rows + 1)] *= r == rows ? 0.2 / (double)count : 1;
    }
    for (size_t e = 0; e < raw_columns * N; e++)
        single[e] = (float)raw[e];
    of_device_projection told = {z.told, raw_columns, kept, shift, factor, 0.7,
                                 kbar,   weight,      rows, 1,     0.25,   raw_double};
    of_device_stack *stack;
    RUN(stack_make(gpu_opened, rows + 2, N, doubles, &stack, NULL));
    const void *from = raw_double ? (const void *)raw : (const void *)single;
    project_all(stack, &told, N, 256, from, inner);
    RUN(stack_fetch(stack, 0, NULL, N, H));
    for (size_t j = 0; j < N; j++) {
        restate_projection(&told, raw + j * raw_columns, h);
        assert_true(H[j * (rows + 2)] == 0 && H[j * (rows + 2) + rows + 1] == 0);
        for (size_t r = 0; r < rows; r++)
            apart = fmax(apart, fabs(H[j * (rows + 2) + 1 + r] - h[r]));
    }
    if (!(apart < 2e-6 * (double)count))
        fail_msg("%zu columns, %zu landmarks, %zu rows: %g apart", columns, count, rows, apart);
    project_all(stack, &told, N, 1024, from, inner);
    RUN(stack_fetch(stack, 0, NULL, N, again));
    assert_memory_equal(H, again, (rows + 2) * N * sizeof *H);
    memset(restated, 0, rows * rows * sizeof *restated);
    for (size_t j = 0; j < N; j++)
        for (size_t a = 0; a < rows; a++)
            for (size_t b = 0; b < rows; b++)
                restated[a + b * rows] += H[j * (rows + 2) + 1 + a] * H[j * (rows + 2) + 1 + b];
    for (size_t e = 0; e < rows * rows; e++)
        assert_true(fabs(inner[e] - restated[e]) < 1e-9 * (1 + fabs(restated[e])));
    /* a lower triangle, and signs */
    for (size_t a = 0; a < rows; a++)
        for (size_t b = 0; b < rows; b++)
            inner[a + b * rows] = a < b ? 7 : 0.5 + 0.01 * (double)(a - b);
    RUN(rows_multiply(stack, 1, rows, inner, largest));
    RUN(stack_fetch(stack, 0, NULL, N, again));
    for (size_t r = 0; r < rows; r++) {
        double most = 0, sign = r % 2 ? -1 : 1;
        for (size_t j = 0; j < N; j++) {
            double sum = 0, is = again[j * (rows + 2) + 1 + r];
            for (size_t b = 0; b <= r; b++)
                sum += inner[r + b * rows] * H[j * (rows + 2) + 1 + b];
            assert_true(fabs(sum - is) < (doubles ? 1e-10 : 1e-4) * (1 + fabs(sum)));
            most = fabs(is) > fabs(most) ? is : most;
        }
        assert_true(largest[r] == most);
        h[r] = sign;
    }
    for (size_t e = 0; e < rows * rows; e++)
        inner[e] = e % (rows + 1) ? 0 : h[e % rows];
    RUN(rows_multiply(stack, 1, rows, inner, largest));
    RUN(stack_fetch(stack, 0, NULL, N, H));
    for (size_t j = 0; j < N; j++)
        for (size_t r = 0; r < rows; r++)
            assert_true(H[j * (rows + 2) + 1 + r] == h[r] * again[j * (rows + 2) + 1 + r]);
    gpu_lib->stack_free(stack);
    void *all[] = {z.at, z.half, raw, shift, factor, kbar, weight, h, H, inner, single, kept};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void projections(void **state)
{
    (void)state;
    try_projection(6, 6, 40, 5, 0, 0);
    try_projection(64, 64, 130, 20, 1, 0);
    try_projection(70, 75, 64, 23, 0, 1);
    try_projection(130, 131, 65, 30, 1, 1);
    try_projection(3, 5, 100, 80, 0, 0);
}

/* ---- new samples ---------------------------------------------------------------------------- */

static void predictions(void **state)
{
    (void)state;
    enum { PARTS = 3, K = 4, ROWS = PARTS * K, N = 700, CLUSTERS = 5, LARGEST = 3 };
    double *X = gpu_numbers(ROWS, N, 31), *fused = gpu_numbers(CLUSTERS, ROWS, 32), value[ROWS],
           weight[PARTS] = {0.5, 0.2, 0.3}, *sure = malloc(2 * N * sizeof *sure), *far = sure + N;
    int32_t *labels = malloc(N * sizeof *labels);
    for (size_t i = 0; i < ROWS; i++)
        value[i] = i % K == K - 1 ? 0 : 0.1 * (double)(i % K + 1);
    memset(X + 5 * ROWS, 0, ROWS * sizeof *X);  /* a sample that no part says anything of */
    memset(X + 7 * ROWS + K, 0, K * sizeof *X); /* one that one part does not */
    for (size_t i = 0; i < ROWS; i++)
        X[9 * ROWS + i] *= 64; /* and one of which more than all is kept */
    for (int doubles = 0; doubles < 2; doubles++) {
        of_device_stack *stack = gpu_stack(ROWS, N, doubles, X);
        of_device_predict task = {.clusters = CLUSTERS,
                                  .parts = PARTS,
                                  .largest = LARGEST,
                                  .fused = fused,
                                  .value = value,
                                  .weight = weight,
                                  .labels = labels,
                                  .confidence = sure,
                                  .distance = far};
        for (int piece = 0; piece < 2; piece++) {
            gpu_lib->set_piece(gpu_opened, piece ? 20000 : 0);
            memset(labels, 0xff, N * sizeof *labels);
            RUN(predict(stack, &task));
            for (size_t j = 0; j < N; j++)
                restate_prediction(&task, ROWS, X + j * ROWS, labels[j], sure[j], far[j]);
        }
        gpu_lib->set_piece(gpu_opened, 0);
        assert_int_equal(labels[5], LARGEST);
        assert_true(sure[5] == 0 && far[5] == 1 && far[9] == 0);
        task.confidence = task.distance = NULL;
        RUN(predict(stack, &task));
        assert_int_equal(labels[5], LARGEST);
        task.row = task.rows = K;
        task.parts = 1;
        task.largest = SIZE_MAX;
        RUN(predict(stack, &task));
        assert_true(labels[5] == -1 && labels[7] == -1 && labels[6] >= 0);
        gpu_lib->stack_free(stack);
    }
    free(X);
    free(fused);
    free(sure);
    free(labels);
}

/* ---- kernels that are not formed ------------------------------------------------------------ */

static void try_rbf(size_t columns, size_t n, size_t depth)
{
    double *F = gpu_numbers(columns, n, 41), *x = gpu_numbers(depth, n, 42),
           *half = malloc(n * sizeof *half), *y = malloc(3 * depth * n * sizeof *y),
           *again = y + depth * n, *expected = again + depth * n;
    memset(expected, 0, depth * n * sizeof *expected);
    for (size_t e = 0; e < columns * n; e++)
        F[e] *= 2 / sqrt((double)columns);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double square = 0;
            for (size_t c = 0; c < columns; c++)
                square += (F[c + i * columns] - F[c + j * columns]) *
                          (F[c + i * columns] - F[c + j * columns]);
            for (size_t r = 0; r < depth; r++)
                expected[r + i * depth] += exp(-square / 2) * x[r + j * depth];
        }
    for (size_t j = 0; j < n; j++) {
        half[j] = 0;
        for (size_t c = 0; c < columns; c++)
            half[j] += 0.5 * F[c + j * columns] * F[c + j * columns];
    }
    of_device_stack *features = gpu_stack(columns, n, 1, F);
    of_device_rbf task = {depth, 0, n, half, x, y};
    RUN(rbf_multiply(features, &task));
    assert_true(restate_apart(depth * n, y, expected) < 1e-11 * (double)n);
    task.y = again;
    for (task.first = 0; task.first < n; task.first += task.count) { /* in pieces: the same bits */
        task.count = n - task.first < 128 ? n - task.first : 128;
        RUN(rbf_multiply(features, &task));
    }
    assert_memory_equal(y, again, depth * n * sizeof *y);
    gpu_lib->stack_free(features);
    free(F);
    free(x);
    free(half);
    free(y);
}

static void kernels_that_are_not_formed(void **state)
{
    (void)state;
    try_rbf(5, 300, 3);
    try_rbf(64, 129, 40);
    try_rbf(70, 200, 43);
    try_rbf(1, 31, 1);
}

/* What does not fit is said, and what was there can still be used. */
static void memory_runs_out(void **state)
{
    (void)state;
    of_device_stack *stack = NULL;
    assert_int_equal(gpu_lib->stack_make(gpu_opened, 1000, (size_t)1 << 40, 1, &stack, NULL),
                     OF_DEVICE_NO_MEMORY);
    assert_non_null(strstr(gpu_lib->message(), "MB"));
    grams_and_products(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_keep_what_they_are_given),
        cmocka_unit_test(grams_and_products),
        cmocka_unit_test(passes),
        cmocka_unit_test(passes_of_many_rows),
        cmocka_unit_test(passes_of_many_samples),
        cmocka_unit_test(landmarks_sums),
        cmocka_unit_test(projections),
        cmocka_unit_test(predictions),
        cmocka_unit_test(kernels_that_are_not_formed),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, gpu_open, gpu_close);
}
