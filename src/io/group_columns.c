/* SPDX-License-Identifier: Apache-2.0 */
/* Views of a single column each: told from other lists of numbers by their names and length. */
#include "io/find.h"

#include <string.h>

/* A single row or column of a length that labels have, or where there are none, of *length, which
 * the first one sets. */
static int is_column(const of_variable *variable, of_lengths lengths, size_t *length)
{
    if (!of_variable_is_dense(variable) || variable->pages != 1 ||
        (variable->matrix.rows != 1 && variable->matrix.columns != 1))
        return 0;
    size_t own = variable->matrix.rows * variable->matrix.columns;
    if (lengths.count && !of_is_length(lengths, own))
        return 0;
    *length = *length ? *length : own;
    return own == *length && own > 1;
}

static onefold_status is_named_as_view(of_arena *arena, const char *name, int *named)
{
    char *pattern;
    size_t number;
    OF_TRY(OF_NEW(arena, &pattern, strlen(name) + 2, 1));
    *named = of_name_of_views(of_name_number(name, pattern, &number) ? pattern : name);
    return ONEFOLD_OK;
}

onefold_status of_group_columns(of_arena *arena, of_file *file, const unsigned char *is_label,
                                of_lengths lengths, of_group *group)
{
    size_t most = 0, length = 0;
    for (size_t t = 0; t < file->count; t++)
        most += 1 + file->top[t].variable.count;
    *group = (of_group){.kind = OF_GROUP_FREE, .name = file->stem};
    OF_TRY(OF_NEW(arena, &group->found, most, 1));
    for (size_t t = 0; t < file->count; t++) {
        of_top *top = &file->top[t];
        const of_variable *variable = &top->variable;
        int named = 0;
        if (!is_label[t])
            OF_TRY(is_named_as_view(arena, variable->name, &named));
        if (named && is_column(variable, lengths, &length))
            group->found[group->count++] = of_found_make(file, top, variable);
        for (size_t i = 0; named && variable->kind == OF_VARIABLE_CELL && i < variable->count; i++)
            if (is_column(&variable->item[i], lengths, &length))
                group->found[group->count++] = of_found_make(file, top, &variable->item[i]);
    }
    return ONEFOLD_OK;
}
