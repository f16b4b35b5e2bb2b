/* SPDX-License-Identifier: Apache-2.0 */
/* Owners; who is present in which view; and reading a view tile by tile as doubles, whatever its
 * type and order. */
#include "data/view.h"

#include "base/mapped.h"
#include "data/dataset.h"
#include "linalg/simd.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- owners --------------------------------------------------------------------------------- */

onefold_status of_owner_make(of_owner **owner, of_context *context)
{
    OF_TRY(OF_OBJECT(context, owner));
    (*owner)->holders = 1;
    return ONEFOLD_OK;
}

of_owner *of_owner_retain(of_owner *owner)
{
    if (owner)
        owner->holders++;
    return owner;
}

void of_owner_release(of_owner *owner)
{
    if (!owner || --owner->holders)
        return;
    if (owner->map)
        of_mapped_end(owner->map, owner->map_size);
    for (size_t i = 0; i < owner->others; i++)
        of_owner_release(owner->other[i]);
    of_arena_free(&owner->arena);
}

onefold_status of_owner_hold(of_owner *owner, of_owner *other)
{
    if (!other || other == owner)
        return ONEFOLD_OK;
    for (size_t i = 0; i < owner->others; i++)
        if (owner->other[i] == other)
            return ONEFOLD_OK;
    OF_TRY(OF_GROW(&owner->arena, &owner->other, owner->others, &owner->room, owner->others + 1));
    owner->other[owner->others++] = of_owner_retain(other);
    return ONEFOLD_OK;
}

/* ---- who is present where ------------------------------------------------------------------- */

size_t of_present_count(const of_dataset *dataset, size_t view)
{
    size_t count = 0;
    for (size_t j = 0; j < dataset->samples; j++)
        count += (size_t)(of_present_at(dataset, j, view) != 0);
    return count;
}

size_t of_present_missing(const of_dataset *dataset, size_t view)
{
    return dataset->present ? dataset->samples - of_present_count(dataset, view) : 0;
}

onefold_status of_present_leave_out(of_dataset *dataset, size_t view, const uint8_t *keep,
                                    size_t step)
{
    size_t n = dataset->samples, p = dataset->view_count, left_out = 0;
    for (size_t j = 0; j < n; j++)
        left_out += !keep[j * step];
    if (left_out == 0)
        return ONEFOLD_OK;
    if (!dataset->present) {
        uint8_t *all;
        OF_TRY(OF_NEW(&dataset->arena, &all, n, p));
        memset(all, 1, n * p);
        dataset->present = all;
    }
    for (size_t j = 0; j < n; j++)
        if (!keep[j * step])
            dataset->present[j * p + view] = 0;
    return ONEFOLD_OK;
}

onefold_status of_present_check(const of_dataset *dataset)
{
    if (!dataset->present)
        return ONEFOLD_OK;
    size_t n = dataset->samples, p = dataset->view_count, lost = 0, first = 0;
    for (size_t j = 0; j < n; j++) {
        size_t views = 0;
        for (size_t i = 0; i < p; i++)
            views += dataset->present[j * p + i] != 0;
        if (views == 0 && lost++ == 0)
            first = j;
    }
    if (lost)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "sample %zu lacks every view%s", first + 1,
                               lost > 1 ? ", and it is not the only one" : ""),
                       lost > 1 ? "a sample needs at least one view: leave out the %zu without any"
                                : "a sample needs at least one view: leave it out",
                       lost);
    return ONEFOLD_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Pages of a mapped file are released once they are read, so that memory does not grow with the
 * length of the file. */
void of_view_release(const of_view *view, size_t first, size_t count)
{
    if (!view->passing || !count)
        return;
    if (!view->data) {
        if (view->source->release)
            view->source->release(view->source, first, count);
        return;
    }
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), data = (uintptr_t)view->data;
    size_t size = of_type_size(view->type);
    uintptr_t from = data + first * view->sample_step * size,
              to = data + ((first + count - 1) * view->sample_step + view->columns) * size;
    from -= from % page; /* a neighbour on the first page is read from the file again */
    to -= to % page;
    if (to > from)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

/* A gather for each type. Contiguous samples are converted one after the other. Otherwise samples
 * are taken in strips: a strip reads every column as a stream, and transposes it block by block, so
 * that whole cache lines of the output are written. */
#define GATHER(name, T)                                                                            \
    static double get_##name(const void *data, size_t at)                                          \
    {                                                                                              \
        return (double)((const T *)data)[at];                                                      \
    }                                                                                              \
    OF_SIMD static void gather_##name(const void *data, size_t ss, size_t cs, size_t first,        \
                                      size_t count, size_t columns, double *out, size_t ldo)       \
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

#define EACH_TYPE(X)                                                                               \
    X(F64, double)                                                                                 \
    X(F32, float)                                                                                  \
    X(I8, int8_t)                                                                                  \
    X(U8, uint8_t)                                                                                 \
    X(I16, int16_t)                                                                                \
    X(U16, uint16_t)                                                                               \
    X(I32, int32_t)                                                                                \
    X(U32, uint32_t)                                                                               \
    X(I64, int64_t)                                                                                \
    X(U64, uint64_t)

EACH_TYPE(GATHER)

static const struct {
    size_t size;
    double (*get)(const void *data, size_t at);
    void (*gather)(const void *data, size_t ss, size_t cs, size_t first, size_t count,
                   size_t columns, double *out, size_t ldo);
} types[OF_TYPE_COUNT] = {
#define ROW(name, T) [OF_##name] = {sizeof(T), get_##name, gather_##name},
    EACH_TYPE(ROW)};

size_t of_type_size(of_type type)
{
    return types[type].size;
}

double of_type_get(of_type type, const void *data, size_t at)
{
    return types[type].get(data, at);
}

void of_elements_copy(void *to, const void *from, size_t size, size_t lines, size_t line_step,
                      size_t length, size_t step)
{
    unsigned char *out = to;
    for (size_t l = 0; l < lines; l++, out += length * size) {
        const unsigned char *in = (const unsigned char *)from + l * line_step * size;
        if (step == 1)
            memcpy(out, in, length * size);
        else
            for (size_t i = 0; i < length; i++)
                memcpy(out + i * size, in + i * step * size, size);
    }
}

static double get_sparse(const of_sparse *sparse, size_t line, size_t place)
{
    size_t end = sparse->start[line + 1], low = sparse->start[line], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sparse->index[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && sparse->index[low] == place ? sparse->value[low] : 0;
}

double of_matrix_get(const of_matrix *matrix, size_t row, size_t column)
{
    if (matrix->storage == OF_SPARSE)
        return matrix->by_column ? get_sparse(&matrix->sparse, column, row)
                                 : get_sparse(&matrix->sparse, row, column);
    return of_type_get(matrix->type, matrix->data,
                       row * matrix->row_step + column * matrix->column_step);
}

void of_view_tile(const of_view *view, size_t first, size_t count, double *out, size_t ldo)
{
    const of_sparse *sparse = &view->sparse;
    if (view->source) {
        if (view->source->read(view->source, first, count, out, ldo) != ONEFOLD_OK)
            for (size_t j = 0; j < count; j++)
                for (size_t i = 0; i < view->columns; i++)
                    out[j * ldo + i] = NAN;
    } else if (view->storage != OF_SPARSE)
        types[view->type].gather(view->data, view->sample_step, view->column_step, first, count,
                                 view->columns, out, ldo);
    else
        for (size_t j = 0; j < count; j++) {
            double *sample = out + j * ldo;
            memset(sample, 0, sparse->columns * sizeof *sample);
            size_t end = sparse->start[first + j + 1];
            for (size_t e = sparse->start[first + j]; e < end; e++)
                sample[sparse->index[e]] = sparse->value[e];
        }
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
        return (view->samples + 1) * sizeof *view->sparse.start +
               of_sparse_entries(&view->sparse) *
                   (sizeof *view->sparse.index + sizeof *view->sparse.value);
    return view->samples * view->columns * of_type_size(view->type);
}

OF_SIMD static void add_signs(size_t count, const double *value, of_signs *seen)
{
    size_t positive = 0, negative = 0;
    for (size_t i = 0; i < count; i++) {
        positive += value[i] > 0;
        negative += value[i] < 0;
    }
    seen->nonzeros += positive + negative;
    seen->negative |= negative > 0;
}

of_signs of_view_signs(const of_view *view, size_t first, size_t count)
{
    enum { SAMPLES = 8, COLUMNS = 128 }; /* a dense tile is converted into a buffer on the stack */
    double block[SAMPLES * COLUMNS];
    of_signs seen = {0, 0};
    if (view->storage == OF_SPARSE) {
        const size_t *start = view->sparse.start + first;
        if (start[count] > start[0]) /* without entries, values may be NULL */
            add_signs(start[count] - start[0], view->sparse.value + start[0], &seen);
        return seen;
    }
    for (size_t j = 0; view->data && j < count; j += SAMPLES)
        for (size_t i = 0; i < view->columns; i += COLUMNS) {
            of_view part = *view;
            size_t samples = of_size_least(count - j, SAMPLES);
            part.data = (const char *)view->data + i * view->column_step * of_type_size(view->type);
            part.columns = of_size_least(view->columns - i, COLUMNS);
            of_view_tile(&part, first + j, samples, block, part.columns);
            add_signs(samples * part.columns, block, &seen);
        }
    return seen;
}

/* Whether `count` numbers, `step` apart, are finite. */
#define FINITE(name, T, ABS, MOST)                                                                 \
    OF_SIMD static int finite_##name(const T *x, size_t count, size_t step)                        \
    {                                                                                              \
        unsigned bad = 0;                                                                          \
        for (size_t i = 0; step == 1 && i < count; i++)                                            \
            bad |= !(ABS(x[i]) <= (MOST));                                                         \
        for (size_t i = 0; step != 1 && i < count; i++)                                            \
            bad |= !(ABS(x[i * step]) <= (MOST));                                                  \
        return !bad;                                                                               \
    }
FINITE(double, double, fabs, DBL_MAX)
FINITE(float, float, fabsf, FLT_MAX)

int of_all_finite(int single, const void *data, size_t first, size_t count, size_t step)
{
    return single ? finite_float((const float *)data + first, count, step)
                  : finite_double((const double *)data + first, count, step);
}

int of_view_is_finite(const of_view *view, size_t first, size_t count)
{
    size_t across = view->sample_step, along = view->column_step;
    int single = view->type == OF_F32, clean = 1;
    if (view->storage == OF_SPARSE) {
        size_t start = view->sparse.start[first], end = view->sparse.start[first + count];
        return start == end || /* values may be NULL then */
               of_all_finite(0, view->sparse.value, start, end - start, 1);
    }
    if (!view->data || (!single && view->type != OF_F64))
        return 1;
    if (along == 1 && across == view->columns) /* all of it is contiguous */
        return of_all_finite(single, view->data, first * across, count * across, 1);
    for (size_t j = 0; across != 1 && j < count && clean; j++)
        clean = of_all_finite(single, view->data, (first + j) * across, view->columns, along);
    for (size_t i = 0; across == 1 && i < view->columns && clean; i++) /* a column is contiguous */
        clean = of_all_finite(single, view->data, first + i * along, count, 1);
    return clean;
}
