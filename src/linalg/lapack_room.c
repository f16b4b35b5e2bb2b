/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces of LAPACK. LAPACKE would take them itself, but prints a line where there is no memory.
 */
#include "linalg/lapack_call.h"

#include <math.h>
#include <stdlib.h>

void of_lapack_ask(of_lapack_room *room, lapack_int least)
{
    *room = (of_lapack_room){.numbers = -1, .wholes = -1, .least = least};
    room->number = &room->first_number;
    room->whole = &room->first_whole;
}

int of_lapack_again(of_lapack_room *room, lapack_int *info)
{
    int asked = room->numbers < 0;
    if (!asked) {
        free(room->number);
        free(room->whole);
    }
    if (!asked || *info != 0)
        return 0;
    room->numbers = room->first_number > 1 ? (lapack_int)room->first_number : 1;
    room->wholes = room->first_whole > room->least ? room->first_whole : room->least;
    room->number = malloc((size_t)room->numbers * sizeof *room->number);
    room->whole = malloc(((size_t)room->wholes + 1) * sizeof *room->whole);
    if (room->number && room->whole)
        return 1;
    free(room->number);
    free(room->whole);
    *info = LAPACK_WORK_MEMORY_ERROR;
    return 0;
}

int of_lapack_is_nan(const of_lapack_call *c, int i, int lower)
{
    const double *x = numbers(c, i);
    for (size_t k = 0; k < c->x[i].columns; k++)
        for (size_t j = lower ? k : 0; j < c->x[i].rows; j++)
            if (isnan(x[k * c->x[i].ld + j]))
                return 1;
    return 0;
}
