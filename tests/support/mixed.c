/* SPDX-License-Identifier: Apache-2.0 */
/* Clustered samples seen through views of every kind. */
#include "support/mixed.h"

#include "base/random.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>

static size_t cluster_of(size_t sample)
{
    return sample % MIXED_CLUSTERS;
}

static double dense_entry(size_t sample, size_t column)
{
    of_random random = of_random_make(1, OF_PURPOSE_TEST, sample * MIXED_DENSE + column);
    if (column == 4)
        return 2.5;
    return of_random_normal(&random) + (column % MIXED_CLUSTERS == cluster_of(sample) ? 4 : 0);
}

static double word_entry(size_t sample, size_t column)
{
    of_random random = of_random_make(2, OF_PURPOSE_TEST, sample * MIXED_WORDS + column);
    double often = column % MIXED_CLUSTERS == cluster_of(sample) ? 0.35 : 0.06;
    if (of_random_uniform(&random) > often)
        return 0;
    return 1 + (double)of_random_below(&random, 4);
}

/* A link from one sample to another. */
static double link_entry(size_t from, size_t to)
{
    of_random random = of_random_make(3, OF_PURPOSE_TEST, from * 100000 + to);
    return from != to &&
           of_random_uniform(&random) < (cluster_of(from) == cluster_of(to) ? 0.15 : 0.01);
}

static double kernel_entry(size_t a, size_t b)
{
    double square = 0;
    for (size_t i = 0; i < MIXED_DENSE; i++)
        square += pow(dense_entry(a, i) - dense_entry(b, i), 2);
    return 2 * exp(-square / 20);
}

static void add_sparse(onefold_dataset *data, const char *name, size_t first, size_t count,
                       size_t columns, double (*entry)(size_t, size_t), int both)
{
    size_t *start = malloc((count + 1) * sizeof *start), entries = 0;
    uint32_t *index = malloc(count * columns * sizeof *index);
    double *value = malloc(count * columns * sizeof *value);
    for (size_t j = 0; j < count; j++) {
        start[j] = entries;
        for (size_t i = 0; i < columns; i++) {
            double x = entry(first + j, i);
            if (both && x == 0)
                x = entry(i, first + j);
            if (x != 0) {
                index[entries] = (uint32_t)i;
                value[entries++] = x;
            }
        }
    }
    start[count] = entries;
    CHECK_OK(onefold_dataset_add_sparse(data, name, columns, start, index, value));
    free(start);
    free(index);
    free(value);
}

static void add_dense(onefold_dataset *data, const char *name, size_t first, size_t count,
                      size_t columns, double (*entry)(size_t, size_t), int kernel)
{
    double *value = malloc(count * columns * sizeof *value);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < columns; i++)
            value[j * columns + i] = entry(first + j, i);
    if (kernel)
        CHECK_OK(onefold_dataset_add_kernel(data, name, value));
    else
        CHECK_OK(onefold_dataset_add_dense(data, name, value, columns, columns, 1));
    free(value);
}

onefold_dataset *mixed_some(size_t train, size_t first, size_t count, unsigned views)
{
    onefold_dataset *data = NULL;
    int64_t *truth = malloc(count * sizeof *truth);
    int trained = first == 0 && count == train;
    CHECK_OK(onefold_dataset_create(&data, NULL, count));
    if (views & 1)
        add_dense(data, "dense", first, count, MIXED_DENSE, dense_entry, 0);
    if (views & 2)
        add_sparse(data, "words", first, count, MIXED_WORDS, word_entry, 0);
    if (views & 4)
        add_sparse(data, "links", first, count, train, link_entry, !trained);
    if (views & 8)
        add_dense(data, "kernel", first, count, train, kernel_entry, trained);
    for (size_t j = 0; j < count; j++)
        truth[j] = (int64_t)cluster_of(first + j);
    CHECK_OK(onefold_dataset_set_truth(data, truth, NULL));
    free(truth);
    return data;
}

onefold_dataset *mixed(size_t train, size_t first, size_t count)
{
    return mixed_some(train, first, count, 15);
}
