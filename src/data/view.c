/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a view tile by tile as doubles, whatever type and order it is held in. */
#include "data/view.h"

#include <math.h>
#include <string.h>

/* A gather for each type. Samples that lie contiguous are converted straight through. Otherwise
 * strips of a few columns are run down along some samples, which reads every column as a stream,
 * and blocks of the strip are transposed on the way, so that whole lines of the output are written
 * while it is still in cache. */
#define GATHER(name, T)                                                                            \
    static void name(const void *data, size_t ss, size_t cs, size_t first, size_t count,           \
                     size_t columns, double *out, size_t ldo)                                      \
    {                                                                                              \
        enum { B = 8, STRIP = 64 };                                                                \
        const T *from = (const T *)data + first * ss;                                              \
        size_t whole_samples = ss == 1 ? count / B * B : 0, whole_columns = columns / B * B;       \
        if (cs == 1) {                                                                             \
            for (size_t j = 0; j < count; j++)                                                     \
                for (size_t i = 0; i < columns; i++)                                               \
                    out[j * ldo + i] = (double)from[j * ss + i];                                   \
            return;                                                                                \
        }                                                                                          \
        for (size_t s = 0; s < whole_samples; s += STRIP)                                          \
            for (size_t i0 = 0; i0 < whole_columns; i0 += B)                                       \
                for (size_t j0 = s; j0 < s + STRIP && j0 < whole_samples; j0 += B) {               \
                    double block[B * B];                                                           \
                    for (size_t i = 0; i < B; i++)                                                 \
                        for (size_t j = 0; j < B; j++)                                             \
                            block[i * B + j] = (double)from[j0 + j + (i0 + i) * cs];               \
                    for (size_t j = 0; j < B; j++)                                                 \
                        for (size_t i = 0; i < B; i++)                                             \
                            out[(j0 + j) * ldo + i0 + i] = block[i * B + j];                       \
                }                                                                                  \
        for (size_t j = 0; j < count; j++)                                                         \
            for (size_t i = j < whole_samples ? whole_columns : 0; i < columns; i++)               \
                out[j * ldo + i] = (double)from[j * ss + i * cs];                                  \
    }

GATHER(gather_f64, double)
GATHER(gather_f32, float)
GATHER(gather_i8, int8_t)
GATHER(gather_u8, uint8_t)
GATHER(gather_i16, int16_t)
GATHER(gather_u16, uint16_t)
GATHER(gather_i32, int32_t)
GATHER(gather_u32, uint32_t)
GATHER(gather_i64, int64_t)
GATHER(gather_u64, uint64_t)

typedef void (*gather)(const void *data, size_t ss, size_t cs, size_t first, size_t count,
                       size_t columns, double *out, size_t ldo);
static const gather gathers[OF_TYPE_COUNT] = {
    [OF_F64] = gather_f64, [OF_F32] = gather_f32, [OF_I8] = gather_i8,   [OF_U8] = gather_u8,
    [OF_I16] = gather_i16, [OF_U16] = gather_u16, [OF_I32] = gather_i32, [OF_U32] = gather_u32,
    [OF_I64] = gather_i64, [OF_U64] = gather_u64,
};

static void sparse_tile(const of_csr *sparse, size_t first, size_t count, double *out, size_t ldo)
{
    for (size_t j = 0; j < count; j++) {
        double *sample = out + j * ldo;
        memset(sample, 0, sparse->columns * sizeof *sample);
        size_t end = of_csr_start(sparse, first + j + 1);
        for (size_t e = of_csr_start(sparse, first + j); e < end; e++)
            sample[of_csr_index(sparse, e)] = of_csr_value(sparse, e);
    }
}

void of_view_tile(const of_view *view, size_t first, size_t count, double *out, size_t ldo)
{
    if (view->source && !view->data) {
        if (view->source->read(view->source, first, count, out, ldo) != ONEFOLD_OK)
            for (size_t j = 0; j < count; j++)
                for (size_t i = 0; i < view->columns; i++)
                    out[j * ldo + i] = NAN;
    } else if (view->storage == OF_SPARSE)
        sparse_tile(&view->sparse, first, count, out, ldo);
    else
        gathers[view->type](view->data, view->sample_step, view->column_step, first, count,
                            view->columns, out, ldo);
}

onefold_status of_view_read(const of_view *view, size_t first, size_t count, double *out,
                            size_t ldo)
{
    if (view->source)
        return view->source->read(view->source, first, count, out, ldo);
    of_view_tile(view, first, count, out, ldo);
    return ONEFOLD_OK;
}

size_t of_view_bytes(const of_view *view)
{
    if (view->storage == OF_SPARSE)
        return of_csr_bytes(&view->sparse);
    return view->samples * view->columns * of_type_size(view->type);
}

/* What a scan over a view's values looks for. */
typedef struct scan {
    size_t nonzeros;
    int bad; /* a value that is not finite was met, and where: */
    size_t sample, column;
    double value;
} scan;

static void scan_sparse(const of_csr *sparse, scan *found)
{
    for (size_t j = 0; j < sparse->rows && !found->bad; j++)
        for (size_t e = of_csr_start(sparse, j); e < of_csr_start(sparse, j + 1); e++) {
            double value = of_csr_value(sparse, e);
            found->nonzeros += value != 0;
            if (!isfinite(value) && !found->bad)
                *found = (scan){found->nonzeros, 1, j, of_csr_index(sparse, e), value};
        }
}

/* Walks a dense view in blocks that are converted into a buffer on the stack. */
static void scan_dense(const of_view *view, int only_finite, scan *found)
{
    enum { SAMPLES = 16, COLUMNS = 128 };
    double block[SAMPLES * COLUMNS];
    size_t size = of_type_size(view->type);
    for (size_t j0 = 0; j0 < view->samples; j0 += SAMPLES) {
        size_t rows = view->samples - j0 < SAMPLES ? view->samples - j0 : SAMPLES;
        for (size_t i0 = 0; i0 < view->columns; i0 += COLUMNS) {
            size_t columns = view->columns - i0 < COLUMNS ? view->columns - i0 : COLUMNS;
            const char *corner = (const char *)view->data + i0 * view->column_step * size;
            gathers[view->type](corner, view->sample_step, view->column_step, j0, rows, columns,
                                block, COLUMNS);
            double poison = 0; /* stays 0 unless a value is not finite */
            for (size_t j = 0; j < rows; j++)
                for (size_t i = 0; i < columns; i++) {
                    double value = block[j * COLUMNS + i];
                    found->nonzeros += (size_t)((value < 0) | (value > 0)); /* NaN is none */
                    poison += value * 0;
                }
            if (!only_finite || poison == 0)
                continue;
            for (size_t j = 0; j < rows; j++)
                for (size_t i = 0; i < columns; i++)
                    if (!isfinite(block[j * COLUMNS + i]) &&
                        (!found->bad || j0 + j < found->sample))
                        *found = (scan){found->nonzeros, 1, j0 + j, i0 + i, block[j * COLUMNS + i]};
        }
        if (found->bad)
            return;
    }
}

size_t of_view_nonzeros(const of_view *view)
{
    scan found = {0};
    if (view->source && !view->data)
        return 0;
    if (view->storage == OF_SPARSE)
        for (size_t e = 0; e < of_csr_entries(&view->sparse); e++) {
            double value = of_csr_value(&view->sparse, e);
            found.nonzeros += value < 0 || value > 0;
        }
    else
        scan_dense(view, 0, &found);
    return found.nonzeros;
}

int of_view_find_bad(const of_view *view, size_t *sample, size_t *column, double *value)
{
    scan found = {0};
    if (view->storage == OF_SPARSE)
        scan_sparse(&view->sparse, &found);
    else if (view->data && (view->type == OF_F64 || view->type == OF_F32))
        scan_dense(view, 1, &found);
    if (found.bad) {
        *sample = found.sample;
        *column = found.column;
        *value = found.value;
    }
    return found.bad;
}
