/* SPDX-License-Identifier: Apache-2.0 */
/* Data sets for the tests of writing. */
#include "support/written.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int numerator(size_t j, size_t i)
{
    return (int)((7 * j + 3 * i) % 11) - 5;
}

#define STORE(type, value)                                                                         \
    do {                                                                                           \
        type stored_ = (type)(value);                                                              \
        memcpy(to, &stored_, sizeof stored_);                                                      \
    } while (0)

static void store(void *to, of_type type, int number)
{
    switch (type) {
    case OF_F64:
        STORE(double, number / 4.0);
        break;
    case OF_F32:
        STORE(float, number / 4.0);
        break;
    case OF_I8:
        STORE(int8_t, number);
        break;
    case OF_U8:
        STORE(uint8_t, number * number);
        break;
    case OF_I16:
        STORE(int16_t, number);
        break;
    case OF_U16:
        STORE(uint16_t, number * number);
        break;
    case OF_I32:
        STORE(int32_t, number);
        break;
    case OF_U32:
        STORE(uint32_t, number * number);
        break;
    case OF_I64:
        STORE(int64_t, number);
        break;
    default:
        STORE(uint64_t, number * number);
    }
}

of_view written_dense(of_type type, size_t samples, size_t columns, int columns_first)
{
    size_t size = of_type_size(type);
    char *memory = malloc(samples * columns * size);
    assert_non_null(memory);
    of_view view = {.storage = OF_DENSE,
                    .samples = samples,
                    .columns = columns,
                    .data = memory,
                    .type = type,
                    .sample_step = columns_first ? 1 : columns,
                    .column_step = columns_first ? samples : 1};
    for (size_t j = 0; j < samples; j++)
        for (size_t i = 0; i < columns; i++)
            store(memory + (j * view.sample_step + i * view.column_step) * size, type,
                  numerator(j, i));
    return view;
}

/* Moves a view's memory into the data set. */
static void push(onefold_dataset *dataset, of_view view, size_t bytes)
{
    void *kept;
    CHECK_OK(of_arena_allocate(&dataset->set.arena, &kept, bytes, 1, 1));
    memcpy(kept, view.data, bytes);
    free((void *)view.data);
    view.data = kept;
    CHECK_OK(of_dataset_push(&dataset->set, &view));
}

onefold_dataset *written_mixed(void)
{
    enum { SAMPLES = 25, WORDS = 40 };
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_create(&dataset, NULL, SAMPLES));
    push(dataset, written_dense(OF_F64, SAMPLES, 4, 0), SAMPLES * 4 * 8);
    push(dataset, written_dense(OF_F32, SAMPLES, 1, 0), SAMPLES * 4);
    push(dataset, written_dense(OF_U8, SAMPLES, 3, 1), SAMPLES * 3);
    size_t start[SAMPLES + 1] = {0}, entries = 0;
    uint32_t column[SAMPLES * WORDS];
    double value[SAMPLES * WORDS];
    int64_t truth[SAMPLES];
    for (size_t j = 0; j < SAMPLES; j++) {
        for (size_t i = 0; i < WORDS; i++)
            if (numerator(j, i) > 0) {
                column[entries] = (uint32_t)i;
                value[entries++] = numerator(j, i) / 4.0;
            }
        start[j + 1] = entries;
        truth[j] = (int64_t)(j % 3) - 1;
    }
    CHECK_OK(onefold_dataset_add_sparse(dataset, NULL, WORDS, start, column, value));
    CHECK_OK(onefold_dataset_set_truth(dataset, truth, NULL));
    return dataset;
}

onefold_dataset *written_kernels(int same_type)
{
    enum { SAMPLES = 6 };
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_create(&dataset, NULL, SAMPLES));
    double kernel[2][SAMPLES * SAMPLES];
    float single[SAMPLES * SAMPLES];
    for (int v = 0; v < 2; v++)
        for (int e = 0; e < SAMPLES * SAMPLES; e++)
            kernel[v][e] = 1.0 / (1 + v + abs(e / SAMPLES - e % SAMPLES));
    CHECK_OK(onefold_dataset_add_kernel(dataset, NULL, kernel[0]));
    if (same_type) {
        CHECK_OK(onefold_dataset_add_kernel(dataset, NULL, kernel[1]));
        return dataset;
    }
    for (int e = 0; e < SAMPLES * SAMPLES; e++)
        single[e] = (float)kernel[1][e];
    of_view view = dataset->set.views[0];
    view.name = NULL;
    view.type = OF_F32;
    view.data = memcpy(malloc(sizeof single), single, sizeof single);
    push(dataset, view, sizeof single);
    return dataset;
}
