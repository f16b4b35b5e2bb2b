/* SPDX-License-Identifier: Apache-2.0 */
/* Which grid was asked of which method: by a word for all of them, or method by method. */
#include "experiment/experiment_parts.h"

#include "base/nearest.h"

#include <string.h>

/* The grid of a method in "method:cells;method:cells", NULL where it is not named. */
static onefold_status find_given(of_experiment *experiment, const of_method *method,
                                 const char **grid)
{
    size_t name = strlen(method->name);
    for (const char *at = experiment->options.grid; at;
         at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL)
        if (strncmp(at, method->name, name) == 0 && at[name] == ':') {
            char *cells;
            at += name + 1;
            OF_TRY(of_arena_string(&experiment->arena, &cells, "%.*s", (int)strcspn(at, ";"), at));
            *grid = strcmp(cells, "paper") == 0 ? method->grid : cells;
            return ONEFOLD_OK;
        }
    return ONEFOLD_OK;
}

onefold_status of_experiment_grid(of_experiment *experiment, const of_contender *contender,
                                  const char **grid)
{
    const of_method *method = contender->method;
    const char *asked = experiment->options.grid;
    *grid = NULL;
    if (strcmp(asked, "paper") == 0)
        *grid = method->grid;
    else if (strcmp(asked, "default") == 0)
        *grid = method->uses_dims || contender->picks_view ? method->grid : NULL;
    else if (strcmp(asked, "none") != 0)
        return find_given(experiment, method, grid);
    return ONEFOLD_OK;
}

onefold_status of_experiment_check_grid(const of_experiment *experiment)
{
    static const char *const words[] = {"paper", "default", "none"};
    const char *grid = experiment->options.grid;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(grid, words[i]) == 0)
            return ONEFOLD_OK;
    if (!strchr(grid, ':')) {
        const char *near = of_nearest(grid, words, 3);
        onefold_status status = of_fail(ONEFOLD_USAGE, "the grid '%s' is not known", grid);
        return near ? of_hint(status, "did you mean %s?", near)
                    : of_hint(status, "it is paper, default, none, or METHOD:name=1|2|4;...");
    }
    for (const char *at = grid; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        char name[64] = "";
        size_t length = strcspn(at, ":;"), i = 0;
        const of_method *method;
        if (at[length] != ':' || length >= sizeof name)
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "the grid has '%.*s' where METHOD:cells should "
                                   "stand",
                                   (int)length, at),
                           "write it as fmkkm:l1=2|4,l2=8|16;rmsc:paper");
        memcpy(name, at, length);
        OF_TRY(of_method_find(&method, name));
        while (i < experiment->contender_count && experiment->contenders[i].method != method)
            i++;
        if (i == experiment->contender_count)
            return of_hint(of_fail(ONEFOLD_USAGE,
                                   "the grid has cells for %s, which is not among "
                                   "the methods",
                                   name),
                           "add it to `methods`, or leave it out of `grid`");
    }
    return ONEFOLD_OK;
}
