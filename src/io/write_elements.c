/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a view, streamed in the order a format wants them. */
#include "io/write_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 22 }; /* bytes that are gathered or handed over at a time */

of_view of_view_over(const void *values, of_type type, size_t samples, size_t columns, size_t step)
{
    of_view view = {.storage = OF_DENSE,
                    .samples = samples,
                    .columns = columns,
                    .data = values,
                    .type = type,
                    .sample_step = step,
                    .column_step = 1};
    return view;
}

of_order of_natural_order(const of_view *view)
{
    return view->sample_step == 1 && view->column_step != 1 ? OF_ORDER_COLUMNS : OF_ORDER_ROWS;
}

/* out[line * length + i] = element (first + line, i) of lines `line_step` apart, with elements
 * `step` apart. The loop over lines is inside: their elements are neighbours where `step` is not.
 */
#define GATHER(type)                                                                               \
    for (size_t i = 0; i < length; i++)                                                            \
        for (size_t line = 0; line < lines; line++)                                                \
    ((type *)out)[line * length + i] = ((const type *)data)[(first + line) * line_step + i * step]

static void gather(void *out, const void *data, size_t size, size_t first, size_t lines,
                   size_t line_step, size_t length, size_t step)
{
    switch (size) {
    case 1:
        GATHER(uint8_t);
        break;
    case 2:
        GATHER(uint16_t);
        break;
    case 4:
        GATHER(uint32_t);
        break;
    default:
        GATHER(uint64_t);
    }
}

onefold_status of_write_elements(of_context *context, of_sink sink, const of_view *view,
                                 of_order order)
{
    int rows = order == OF_ORDER_ROWS;
    size_t count = rows ? view->samples : view->columns,
           length = rows ? view->columns : view->samples,
           line_step = rows ? view->sample_step : view->column_step,
           step = rows ? view->column_step : view->sample_step, size = of_type_size(view->type);
    if (count == 0 || length == 0)
        return ONEFOLD_OK;
    size_t at_once = BATCH / size / length;
    if (at_once < 64 / size)
        at_once = 64 / size; /* a cache line's worth, however long the lines */
    if (at_once > count)
        at_once = count;
    OF_SCRATCH(scratch, context);
    unsigned char *block = NULL;
    if (step != 1)
        OF_TRY(OF_NEW(&scratch, &block, at_once * size, length));
    for (size_t first = 0; first < count; first += at_once) {
        size_t lines = count - first < at_once ? count - first : at_once;
        OF_TRY(of_context_check(context));
        if (step != 1) {
            gather(block, view->data, size, first, lines, line_step, length, step);
            OF_TRY(of_sink_write(sink, block, lines * length * size));
            continue;
        }
        const unsigned char *line = (const unsigned char *)view->data + first * line_step * size;
        for (size_t i = 0; i < lines; i++)
            OF_TRY(of_sink_write(sink, line + i * line_step * size, length * size));
    }
    return ONEFOLD_OK;
}

onefold_status of_write_doubles(of_context *context, of_sink sink, const of_view *view)
{
    if (view->columns == 0)
        return ONEFOLD_OK;
    size_t at_once = BATCH / sizeof(double) / view->columns;
    if (at_once < 1)
        at_once = 1;
    OF_SCRATCH(scratch, context);
    double *block;
    OF_TRY(OF_NEW(&scratch, &block, view->columns, at_once));
    for (size_t first = 0; first < view->samples; first += at_once) {
        size_t count = view->samples - first < at_once ? view->samples - first : at_once;
        OF_TRY(of_context_check(context));
        of_view_tile(view, first, count, block, view->columns);
        OF_TRY(of_sink_write(sink, block, count * view->columns * sizeof *block));
    }
    return ONEFOLD_OK;
}

onefold_status of_write_kernel(of_context *context, of_sink sink, const of_view *view, int as_held)
{
    return as_held ? of_write_elements(context, sink, view, of_natural_order(view))
                   : of_write_doubles(context, sink, view);
}

int of_all_kernels(const of_dataset *dataset, int *same_type)
{
    *same_type = 1;
    for (size_t v = 0; v < dataset->view_count; v++) {
        if (dataset->views[v].storage != OF_KERNEL)
            return 0;
        if (dataset->views[v].type != dataset->views[0].type)
            *same_type = 0;
    }
    return dataset->view_count > 0;
}

/* "X3", "X{3}", "KH(3)" or "view 3" for the third view. */
static int is_usual_name(const char *name, size_t number)
{
    static const char *const before[] = {"X", "X{", "X(", "KH(", "view "}, *const after[] = {
                                                                               "", "}", ")", ")",
                                                                               ""};
    for (size_t u = 0; u < sizeof before / sizeof *before; u++) {
        size_t length = strlen(before[u]);
        char *end;
        if (strncmp(name, before[u], length) == 0 && name[length] >= '1' && name[length] <= '9' &&
            strtoull(name + length, &end, 10) == number && strcmp(end, after[u]) == 0)
            return 1;
    }
    return 0;
}

int of_views_are_named(const of_dataset *dataset)
{
    for (size_t v = 0; v < dataset->view_count; v++)
        if (!is_usual_name(dataset->views[v].name, v + 1))
            return 1;
    return 0;
}

static int is_integer(const char *text, int64_t *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    *value = number;
    return errno == 0 && end != text && *end == '\0';
}

onefold_status of_write_truth(of_arena *arena, int64_t **labels, int *named,
                              const of_dataset *dataset)
{
    OF_SCRATCH(scratch, arena->context);
    int64_t *number, *result;
    OF_TRY(OF_NEW(&scratch, &number, dataset->class_count, 1));
    OF_TRY(OF_NEW(arena, &result, dataset->samples, 1));
    *named = 0;
    for (size_t c = 0; c < dataset->class_count; c++)
        if (!is_integer(dataset->class_names[c], &number[c]))
            *named = 1;
    for (size_t j = 0; j < dataset->samples; j++)
        result[j] = *named ? dataset->truth[j] : number[dataset->truth[j]];
    *labels = result;
    return ONEFOLD_OK;
}
