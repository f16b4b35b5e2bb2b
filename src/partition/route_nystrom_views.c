/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Nystrom route of one view, and of several on a card: there the stages that the card and all
 * threads work go from view to view, and the eigenproblems of a view are solved by a thread beside
 * them. Each view comes to the bits that it comes to alone.
 */
#include "partition/route_nystrom.h"

typedef onefold_status (*stage)(of_context *context, of_nystrom_view *view);
enum { STAGES = 3 };
static const stage with_all[STAGES] = {of_nystrom_place, of_nystrom_sum, of_nystrom_project},
                   beside[STAGES] = {of_nystrom_relate, of_nystrom_solve, NULL};

onefold_status of_route_nystrom(of_context *context, of_route_work *work)
{
    of_nystrom_view view = {.work = work, .scratch = of_arena_make(context)};
    onefold_status status = ONEFOLD_OK;
    for (int s = 0; s < STAGES && status == ONEFOLD_OK; s++) {
        status = with_all[s](context, &view);
        if (status == ONEFOLD_OK && beside[s])
            status = beside[s](context, &view);
    }
    of_arena_free(&view.scratch);
    return status;
}

typedef struct beside_task {
    of_context *context;
    of_nystrom_view *views;
    int stage;
} beside_task;

static onefold_status work_beside(void *opaque, size_t v, int worker)
{
    const beside_task *task = opaque;
    (void)worker;
    return beside[task->stage](task->context, &task->views[v]);
}

static onefold_status work_stages(of_context *context, size_t count, of_nystrom_view *views,
                                  beside_task *tasks, size_t *failed)
{
    for (int s = 0; s < STAGES; s++)
        for (size_t v = 0; v < count; v++) {
            *failed = v;
            OF_TRY(of_beside_wait(&views[v].beside));
            OF_TRY(of_context_check(context));
            OF_TRY(with_all[s](context, &views[v]));
            if (beside[s])
                of_beside_start(&views[v].beside, context, work_beside, &tasks[s], v);
        }
    return ONEFOLD_OK;
}

int of_nystrom_goes_together(of_context *context, const of_kernel *kernel)
{
    size_t n = kernel->view->samples; /* of few, what the sums leave on the card is needed again */
    return n > OF_NYSTROM_LARGE && !of_comm_splits(context, n) && !of_team_inside();
}

onefold_status of_route_nystrom_views(of_context *context, size_t count, of_route_work *works,
                                      size_t *failed)
{
    OF_SCRATCH(scratch, context);
    of_nystrom_view *views;
    of_error error = {ONEFOLD_OK, "", ""};
    *failed = 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &views, count, 1));
    beside_task tasks[STAGES];
    for (int s = 0; s < STAGES; s++)
        tasks[s] = (beside_task){context, views, s};
    for (size_t v = 0; v < count; v++) {
        views[v].work = &works[v];
        views[v].scratch = of_arena_make(context);
    }
    of_error_save(&error, work_stages(context, count, views, tasks, failed));
    for (size_t v = 0; v < count; v++) {
        (void)of_beside_wait(&views[v].beside); /* of what is not needed any more */
        of_arena_free(&views[v].scratch);
    }
    return error.status == ONEFOLD_OK ? ONEFOLD_OK : of_error_restore(&error);
}
