/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of ids: whether they are any, what two of them share, and what to say where that is little.
 */
#include "io/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether name i is the number i + first. */
static int counts_from(const char *const *names, size_t count, size_t first)
{
    char number[32];
    for (size_t i = 0; i < count; i++) {
        snprintf(number, sizeof number, "%zu", i + first);
        if (strcmp(names[i], number) != 0)
            return 0;
    }
    return 1;
}

onefold_status of_ids_make(of_arena *arena, const char *const *names, size_t count, of_ids *ids)
{
    *ids = (of_ids){.name = names, .count = count};
    if (!names || count == 0)
        return ONEFOLD_OK;
    OF_TRY(of_name_index_make(arena, names, count, &ids->index));
    ids->usable = ids->index.repeated == 0 && ids->index.empty == 0;
    ids->counting = counts_from(names, count, 0) || counts_from(names, count, 1);
    return ONEFOLD_OK;
}

size_t of_ids_common(const of_ids *a, const of_ids *b)
{
    size_t common = 0;
    for (size_t i = 0; i < b->count; i++)
        common += of_name_index_find(&a->index, b->name[i]) != SIZE_MAX;
    return common;
}

double of_ids_overlap(const of_ids *a, const of_ids *b)
{
    if (!a->usable || !b->usable)
        return 0;
    size_t shorter = a->count < b->count ? a->count : b->count;
    return (double)of_ids_common(a, b) / (double)shorter;
}

/* "a1, a2": the first ids that the other list lacks. */
static void examples(char text[128], const of_ids *ids, const of_ids *other)
{
    size_t shown = 0, used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ids->count && shown < 2; i++)
        if (of_name_index_find(&other->index, ids->name[i]) == SIZE_MAX) {
            used += (size_t)snprintf(text + used, 64, "%s%.40s", shown ? ", " : "", ids->name[i]);
            shown++;
        }
}

onefold_status of_ids_refuse(const char *one, const of_ids *a, const char *other, const of_ids *b)
{
    char first[128], second[128];
    examples(first, a, b);
    examples(second, b, a);
    size_t common = of_ids_common(a, b);
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "the ids of the samples hardly meet: %s has %zu and %s has %zu, and %zu "
                           "%s in both (%s; %s)",
                           one, a->count, other, b->count, common, common == 1 ? "is" : "are",
                           first, second),
                   "write the ids the same way in every file; `match` order takes samples in the "
                   "order of their rows, `ids` names the column that has them");
}
