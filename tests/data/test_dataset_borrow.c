/* SPDX-License-Identifier: Apache-2.0 */
/* Borrowed arrays give the same labels as copies, for every type, step and kind of index, and take
 * no memory. Every wrong argument is refused. */
#include "data/dataset.h"
#include "onefold.h"

#include "support/ask.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60, D = 5, K = 3, TYPES = 10 };

/* Whole numbers from 0 to 127 in three groups, which every type holds. */
static double number(size_t sample, size_t column)
{
    size_t group = sample % K;
    return (double)(40 * group + (sample * 7 + column * 13 + sample * column) % 19);
}

static size_t put(void *to, onefold_type type, size_t at, double value)
{
    switch (type) {
    case ONEFOLD_FLOAT64:
        return ((double *)to)[at] = value, sizeof(double);
    case ONEFOLD_FLOAT32:
        return ((float *)to)[at] = (float)value, sizeof(float);
    case ONEFOLD_INT8:
        return ((int8_t *)to)[at] = (int8_t)value, sizeof(int8_t);
    case ONEFOLD_UINT8:
        return ((uint8_t *)to)[at] = (uint8_t)value, sizeof(uint8_t);
    case ONEFOLD_INT16:
        return ((int16_t *)to)[at] = (int16_t)value, sizeof(int16_t);
    case ONEFOLD_UINT16:
        return ((uint16_t *)to)[at] = (uint16_t)value, sizeof(uint16_t);
    case ONEFOLD_INT32:
        return ((int32_t *)to)[at] = (int32_t)value, sizeof(int32_t);
    case ONEFOLD_UINT32:
        return ((uint32_t *)to)[at] = (uint32_t)value, sizeof(uint32_t);
    case ONEFOLD_INT64:
        return ((int64_t *)to)[at] = (int64_t)value, sizeof(int64_t);
    default:
        return ((uint64_t *)to)[at] = (uint64_t)value, sizeof(uint64_t);
    }
}

/* Fits, and the embedding's bits come with the labels. */
static void fit(onefold_dataset *data, int32_t *labels, double *first)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    options.clusters = K;
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    memcpy(labels, onefold_result_describe(result)->labels, N * sizeof *labels);
    *first = info->objective;
    onefold_result_free(result);
    onefold_dataset_free(data);
}

static onefold_dataset *begin(void)
{
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    return data;
}

static void dense_of_every_type_and_step(void **state)
{
    (void)state;
    static const size_t steps[][2] = {{D, 1}, {1, N}, {2 * D + 3, 2}, {1, N + 7}, {3, 3 * N}};
    double copied[N * D], want_objective, objective;
    int32_t want[N], labels[N];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < D; i++)
            copied[j * D + i] = number(j, i);
    onefold_dataset *data = begin();
    CHECK_OK(onefold_dataset_add_dense(data, "a", copied, D, D, 1));
    fit(data, want, &want_objective);
    for (int type = 0; type < TYPES; type++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            size_t ss = steps[s][0], cs = steps[s][1], count = (N - 1) * ss + (D - 1) * cs + 1;
            void *values = calloc(count, 8); /* no longer than needed, for a sanitizer */
            size_t size = put(values, (onefold_type)type, 0, 0);
            values = realloc(values, count * size);
            memset(values, 0, count * size);
            for (size_t j = 0; j < N; j++)
                for (size_t i = 0; i < D; i++)
                    put(values, (onefold_type)type, j * ss + i * cs, number(j, i));
            data = begin();
            CHECK_OK(
                onefold_dataset_borrow_dense(data, "a", values, (onefold_type)type, D, ss, cs));
            fit(data, labels, &objective);
            assert_memory_equal(labels, want, sizeof want);
            assert_true(objective == want_objective);
            free(values);
        }
}

static void kernels_of_every_type_and_step(void **state)
{
    (void)state;
    static const size_t steps[][2] = {{N, 1}, {1, N}, {2 * N, 2}, {N + 3, 1}};
    double *copied = malloc(sizeof(double) * N * N), want_objective, objective;
    int32_t want[N], labels[N];
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            size_t low = i < j ? i : j, high = i < j ? j : i;
            copied[j * N + i] =
                i == j ? 100 : (double)((i % K == j % K ? 60 : 5) + (low * 3 + high) % 11);
        }
    onefold_dataset *data = begin();
    CHECK_OK(onefold_dataset_add_kernel(data, "k", copied));
    fit(data, want, &want_objective);
    for (int type = 0; type < TYPES; type++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            size_t rs = steps[s][0], cs = steps[s][1], count = (N - 1) * (rs + cs) + 1;
            void *values = calloc(count, 8);
            for (size_t j = 0; j < N; j++)
                for (size_t i = 0; i < N; i++)
                    put(values, (onefold_type)type, j * rs + i * cs, copied[j * N + i]);
            data = begin();
            CHECK_OK(onefold_dataset_borrow_kernel(data, "k", values, (onefold_type)type, rs, cs));
            fit(data, labels, &objective);
            assert_memory_equal(labels, want, sizeof want);
            assert_true(objective == want_objective);
            free(values);
        }
    free(copied);
}

/* Counts in 40 columns: mostly in the columns of the group. */
typedef struct counts {
    size_t start[N + 1];
    uint32_t column[N * 12];
    double value[N * 12];
} counts;

static void make_counts(counts *made)
{
    size_t entries = 0;
    for (size_t j = 0; j < N; j++) {
        made->start[j] = entries;
        for (size_t c = 0; c < 40; c++) {
            int own = c / 12 == j % K, has = own ? (j + c) % 3 != 0 : (j * 5 + c * 3) % 17 == 0;
            if (!has || entries - made->start[j] == 12)
                continue;
            made->column[entries] = (uint32_t)c;
            made->value[entries++] = 0.25 + (double)((j + 2 * c) % 7);
        }
    }
    made->start[N] = entries;
}

static void sparse_of_every_kind(void **state)
{
    (void)state;
    static const onefold_type integers[] = {ONEFOLD_INT32, ONEFOLD_UINT32, ONEFOLD_INT64,
                                            ONEFOLD_UINT64};
    static const char *const kernels[] = {"auto", "linear", "cosine", "rbf"};
    counts made;
    make_counts(&made);
    for (size_t kernel = 0; kernel < 4; kernel++) {
        int32_t want[N];
        double want_objective;
        for (int kind = -1; kind < 16; kind++) {
            int reversed = kind >= 8, single = kind >= 0 && kind / 4 % 2;
            onefold_type of = integers[kind < 0 ? 0 : kind % 4];
            uint64_t start[N + 1], index[N * 12];
            double value[N * 12];
            onefold_dataset *data = begin();
            for (size_t j = 0; j <= N; j++)
                put(start, of, j, (double)made.start[j]);
            for (size_t j = 0; j < N; j++)
                for (size_t e = made.start[j]; e < made.start[j + 1]; e++) {
                    size_t from = reversed ? made.start[j] + made.start[j + 1] - 1 - e : e;
                    put(index, of, e, made.column[from]);
                    put(value, single ? ONEFOLD_FLOAT32 : ONEFOLD_FLOAT64, e, made.value[from]);
                }
            if (kind < 0)
                CHECK_OK(
                    onefold_dataset_add_sparse(data, "s", 40, made.start, made.column, made.value));
            else
                CHECK_OK(onefold_dataset_borrow_sparse(data, "s", 40, start, index, of, value,
                                                       single ? ONEFOLD_FLOAT32 : ONEFOLD_FLOAT64));
            const of_sparse *held = &data->set.views[0].sparse;
            int wide = of == ONEFOLD_INT64 || of == ONEFOLD_UINT64;
            assert_memory_equal(held->start, made.start, sizeof made.start);
            assert_memory_equal(held->index, made.column, made.start[N] * sizeof *made.column);
            assert_memory_equal(held->value, made.value, made.start[N] * sizeof *made.value);
            if (kind >= 0 && !reversed) { /* no copy without need */
                assert_int_equal((const void *)held->index == index, !wide);
                assert_int_equal((const void *)held->value == value, !single);
            }
            onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
            onefold_result *result = NULL;
            options.clusters = K;
            options.kernel = kernels[kernel];
            CHECK_OK(onefold_fit(&result, NULL, data, &options));
            const onefold_fit_info *info = onefold_result_describe(result);
            if (kind < 0) {
                memcpy(want, onefold_result_describe(result)->labels, sizeof want);
                want_objective = info->objective;
            }
            assert_memory_equal(onefold_result_describe(result)->labels, want, sizeof want);
            assert_true(info->objective == want_objective);
            onefold_result_free(result);
            onefold_dataset_free(data);
        }
    }
}

/* Resident memory of this process in bytes. */
static size_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    size_t all = 0, pages = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%zu %zu", &all, &pages), 2);
    fclose(file);
    return pages * 4096;
}

static void a_large_array_takes_no_memory(void **state)
{
    (void)state;
    enum { MANY = 1000000, WIDE = 64 };
    float *values = malloc(sizeof(float) * MANY * WIDE);
    assert_non_null(values);
    for (size_t e = 0; e < (size_t)MANY * WIDE; e++)
        values[e] = (float)(e % 1009);
    onefold_context *context = NULL;
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 2));
    CHECK_OK(onefold_dataset_create(&data, context, MANY));
    size_t peak = ask_peak(context), before = resident();
    CHECK_OK(onefold_dataset_borrow_dense(data, "x", values, ONEFOLD_FLOAT32, WIDE, WIDE, 1));
    size_t after = resident();
    assert_true(ask_peak(context) - peak < 1000000);
    assert_true(after < before + 1000000);
    onefold_dataset_free(data);
    onefold_context_free(context);
    free(values);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    double values[N * D] = {0};
    onefold_dataset *data = begin();
#define DENSE(...) onefold_dataset_borrow_dense(__VA_ARGS__)
    CHECK_FAILS(DENSE(NULL, "a", values, ONEFOLD_FLOAT64, D, D, 1), ONEFOLD_USAGE, "data set");
    CHECK_FAILS(DENSE(data, "a", NULL, ONEFOLD_FLOAT64, D, D, 1), ONEFOLD_USAGE, "values");
    CHECK_FAILS(DENSE(data, "a", values, (onefold_type)10, D, D, 1), ONEFOLD_USAGE, "value 10");
    CHECK_FAILS(DENSE(data, "a", values, (onefold_type)-1, D, D, 1), ONEFOLD_USAGE, "value -1");
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, 0, D, 1), ONEFOLD_USAGE, "column");
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, D, 0, 1), ONEFOLD_USAGE, "above 0");
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, D, D, 0), ONEFOLD_USAGE, "above 0");
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, SIZE_MAX, D, 1), ONEFOLD_USAGE, "memory");
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, D, SIZE_MAX, 1), ONEFOLD_USAGE, "memory");
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, D, D, SIZE_MAX), ONEFOLD_USAGE, "memory");
    values[7] = NAN;
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, D, D, 1), ONEFOLD_BAD_DATA,
                "sample 2, column 3");
    values[7] = INFINITY;
    CHECK_FAILS(DENSE(data, "a", values, ONEFOLD_FLOAT64, D, D, 1), ONEFOLD_BAD_DATA, "infinite");
#define KERNEL(...) onefold_dataset_borrow_kernel(__VA_ARGS__)
    double *kernel = calloc(N * N, sizeof *kernel);
    CHECK_FAILS(KERNEL(NULL, "k", kernel, ONEFOLD_FLOAT64, N, 1), ONEFOLD_USAGE, "data set");
    CHECK_FAILS(KERNEL(data, "k", NULL, ONEFOLD_FLOAT64, N, 1), ONEFOLD_USAGE, "values");
    CHECK_FAILS(KERNEL(data, "k", kernel, (onefold_type)99, N, 1), ONEFOLD_USAGE, "value 99");
    CHECK_FAILS(KERNEL(data, "k", kernel, ONEFOLD_FLOAT64, 0, 1), ONEFOLD_USAGE, "above 0");
    CHECK_FAILS(KERNEL(data, "k", kernel, ONEFOLD_FLOAT64, SIZE_MAX, 1), ONEFOLD_USAGE, "memory");
    kernel[0] = kernel[N + 2] = 1;
    CHECK_FAILS(KERNEL(data, "k", kernel, ONEFOLD_FLOAT64, N, 1), ONEFOLD_BAD_DATA, "symmetric");
    free(kernel);
    assert_int_equal(onefold_dataset_describe(data)->views, 0);
    onefold_dataset_free(data);
}

static void sparse_arrays_are_checked(void **state)
{
    (void)state;
    int32_t start[] = {0, 2, 3}, index[] = {0, 3, 1};
    double value[] = {1, 2, 3};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 2));
#define SPARSE(...) onefold_dataset_borrow_sparse(__VA_ARGS__)
    const onefold_type I = ONEFOLD_INT32, F = ONEFOLD_FLOAT64;
    CHECK_FAILS(SPARSE(NULL, "s", 4, start, index, I, value, F), ONEFOLD_USAGE, "data set");
    CHECK_FAILS(SPARSE(data, "s", 4, NULL, index, I, value, F), ONEFOLD_USAGE, "starts");
    CHECK_FAILS(SPARSE(data, "s", 4, start, NULL, I, value, F), ONEFOLD_USAGE, "columns");
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, I, NULL, F), ONEFOLD_USAGE, "values");
    CHECK_FAILS(SPARSE(data, "s", 0, start, index, I, value, F), ONEFOLD_USAGE, "column");
    CHECK_FAILS(SPARSE(data, "s", SIZE_MAX, start, index, I, value, F), ONEFOLD_USAGE,
                "4294967295");
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, ONEFOLD_INT16, value, F), ONEFOLD_USAGE,
                "int16");
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, I, value, ONEFOLD_INT32), ONEFOLD_USAGE,
                "int32");
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, (onefold_type)11, value, F), ONEFOLD_USAGE,
                "value 11");
    CHECK_FAILS(SPARSE(data, "s", 3, start, index, I, value, F), ONEFOLD_BAD_DATA, "entry 2");
    index[2] = -1;
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, I, value, F), ONEFOLD_BAD_DATA, "entry 3");
    index[2] = 1;
    start[2] = -1;
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, I, value, F), ONEFOLD_BAD_DATA, "rise");
    start[2] = 1;
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, I, value, F), ONEFOLD_BAD_DATA, "rise");
    start[2] = 3;
    start[0] = 1;
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, I, value, F), ONEFOLD_BAD_DATA, "rise");
    start[0] = 0;
    value[1] = INFINITY;
    CHECK_FAILS(SPARSE(data, "s", 4, start, index, I, value, F), ONEFOLD_BAD_DATA, "column 4");
    uint64_t wide_start[] = {0, 1, SIZE_MAX}, wide[] = {0, 0, 0};
    CHECK_FAILS(SPARSE(data, "s", 4, wide_start, wide, ONEFOLD_UINT64, value, F), ONEFOLD_BAD_DATA,
                "rise");
    wide_start[2] = 2;
    wide[1] = (uint64_t)1 << 32; /* not column 0 */
    CHECK_FAILS(SPARSE(data, "s", 4, wide_start, wide, ONEFOLD_UINT64, value, F), ONEFOLD_BAD_DATA,
                "outside");
    assert_int_equal(onefold_dataset_describe(data)->views, 0);
    onefold_dataset_free(data);
}

/* As in files, entries of one place are added. The caller's arrays do not change. */
static void entries_that_are_there_twice_are_added(void **state)
{
    (void)state;
    const int32_t start[] = {0, 3, 4}, index[] = {2, 0, 2, 1};
    const double value[] = {1, 2, 3, 4};
    double want[] = {2, 0, 4, 0, 4, 0}, got[6];
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 2));
    CHECK_OK(onefold_dataset_borrow_sparse(data, "s", 3, start, index, ONEFOLD_INT32, value,
                                           ONEFOLD_FLOAT64));
    CHECK_OK(onefold_dataset_values(got, data, 0, 0, 2));
    assert_memory_equal(got, want, sizeof want);
    assert_true(index[2] == 2 && value[2] == 3);
    onefold_dataset_free(data);
}

/* An array that must change is copied. */
static void filling_in_copies(void **state)
{
    (void)state;
    float values[] = {1, 2, NAN, 4, 5, 6};
    onefold_dataset *data = NULL;
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    CHECK_OK(onefold_dataset_set_impute(data, ONEFOLD_IMPUTE_MEAN));
    CHECK_OK(onefold_dataset_borrow_dense(data, NULL, values, ONEFOLD_FLOAT32, 2, 2, 1));
    assert_true(isnan(values[2]));
    CHECK_OK(onefold_dataset_view(data, 0, &info));
    assert_string_equal(info.name, "view 1");
    assert_int_equal(info.nonzeros, 6);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_of_every_type_and_step),
        cmocka_unit_test(kernels_of_every_type_and_step),
        cmocka_unit_test(sparse_of_every_kind),
        cmocka_unit_test(a_large_array_takes_no_memory),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(sparse_arrays_are_checked),
        cmocka_unit_test(entries_that_are_there_twice_are_added),
        cmocka_unit_test(filling_in_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
