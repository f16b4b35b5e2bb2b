/* SPDX-License-Identifier: Apache-2.0 */
/* The thread team on OpenMP, and sums in a fixed order. The only file that knows OpenMP. */
#include "base/team.h"

#include "base/memory.h"

#include <omp.h>

int of_team_size(of_context *context)
{
    return omp_in_parallel() ? 1 : context->threads;
}

typedef struct team_failure {
    size_t index;
    of_error error;
} team_failure;

/* Keeps the failure of the lowest piece, which does not depend on who came first. */
static void note_failure(team_failure *failure, size_t index, onefold_status status)
{
#pragma omp critical(of_team_failure)
    {
        if (failure->error.status == ONEFOLD_OK || index < failure->index) {
            of_error_take(&failure->error, status);
            failure->index = index;
        }
    }
}

onefold_status of_team_run(of_context *context, size_t count, of_team_work work, void *task)
{
    int threads = of_team_size(context);
    if ((size_t)threads > count)
        threads = (int)count;
    if (threads <= 1) {
        for (size_t i = 0; i < count; i++) {
            OF_TRY(of_context_check(context));
            OF_TRY(work(task, i, 0));
        }
        return ONEFOLD_OK;
    }
    team_failure failure = {0, {ONEFOLD_OK, "", ""}};
    atomic_size_t stop_after = count; /* pieces above a failed one need not be worked */
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < count; i++) {
        if (i > atomic_load(&stop_after))
            continue;
        onefold_status status = of_context_check(context);
        if (status == ONEFOLD_OK)
            status = work(task, i, omp_get_thread_num());
        if (status != ONEFOLD_OK) {
            note_failure(&failure, i, status);
            size_t before = atomic_load(&stop_after);
            while (i < before && !atomic_compare_exchange_weak(&stop_after, &before, i))
                ;
        }
    }
    return failure.error.status == ONEFOLD_OK ? ONEFOLD_OK : of_error_raise(&failure.error);
}

typedef struct sum_task {
    of_team_add add;
    void *task;
    size_t count, groups, length;
    double *partial; /* groups x length */
} sum_task;

static onefold_status sum_group(void *opaque, size_t group, int worker)
{
    sum_task *task = opaque;
    double *partial = task->partial + group * task->length;
    size_t first = task->count * group / task->groups,
           end = task->count * (group + 1) / task->groups;
    for (size_t i = 0; i < task->length; i++)
        partial[i] = 0;
    for (size_t i = first; i < end; i++)
        OF_TRY(task->add(task->task, i, worker, partial));
    return ONEFOLD_OK;
}

onefold_status of_team_sum(of_context *context, size_t count, of_team_add add, void *task,
                           size_t length, double *sum)
{
    enum { MOST_NUMBERS = 1 << 23 }; /* 64 MB of partial sums, but never fewer than 4 groups */
    size_t groups = OF_TEAM_GROUPS;
    while (groups > 4 && groups * length > MOST_NUMBERS)
        groups /= 2;
    if (groups > count)
        groups = count;
    if (groups == 0 || length == 0)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    sum_task sums = {add, task, count, groups, length, NULL};
    OF_TRY(OF_NEW(&scratch, &sums.partial, groups, length));
    OF_TRY(of_team_run(context, groups, sum_group, &sums));
    for (size_t step = 1; step < groups; step *= 2)
        for (size_t g = 0; g + step < groups; g += 2 * step)
            for (size_t i = 0; i < length; i++)
                sums.partial[g * length + i] += sums.partial[(g + step) * length + i];
    for (size_t i = 0; i < length; i++)
        sum[i] += sums.partial[i];
    return ONEFOLD_OK;
}

of_tiles of_tiles_make(size_t samples, size_t rows, size_t bytes)
{
    size_t width = bytes / (sizeof(double) * (rows ? rows : 1)) / 16 * 16;
    if (width < 32)
        width = 32;
    if (width > 2048)
        width = 2048;
    of_tiles tiles = {samples, width, (samples + width - 1) / width};
    return tiles;
}
