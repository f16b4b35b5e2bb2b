/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base partitions into a stack on a card. The partition of a view that samples lack is of those
 * that have it: the card makes it in a stack of its own and spreads that among all samples, scaled
 * as docs/method.md section 9 says.
 */
#include "method/base_stage_card.h"

#include "base/comm.h"
#include "method/missing_scale.h"

typedef struct card_task {
    of_context *context;
    const of_problem *problem;
    size_t i; /* the view */
    of_arena *arena;
    of_stack *card;
    of_partition *partition;
    of_partition_options options;
} card_task;

int of_base_card_fits(of_context *context, const of_problem *problem, size_t i)
{
    return of_partition_fits_card(context, &problem->kernels[i], problem->routes[i],
                                  &problem->partition);
}

static onefold_status make(card_task *task, of_share H)
{
    return of_partition_make(task->context, task->arena, &task->problem->kernels[task->i],
                             task->problem->routes[task->i], &task->options, H, task->partition);
}

/* Where each of samples first .. first + count - 1 is among those that have the view, *at of which
 * were before, and what it is scaled by: 0 where it lacks the view. */
static void find_places(const card_task *task, size_t first, size_t count, const double *by_views,
                        size_t *at, size_t *place, double *scale)
{
    const of_dataset *dataset = task->problem->dataset;
    size_t p = dataset->view_count;
    for (size_t j = 0; j < count; j++) {
        const uint8_t *has = dataset->present + (first + j) * p;
        size_t views = 0;
        for (size_t v = 0; v < p; v++)
            views += has[v] != 0;
        place[j] = has[task->i] ? *at : 0;
        scale[j] = has[task->i] ? by_views[views] : 0;
        *at += has[task->i] != 0;
    }
}

/* What a sample with so many views is scaled by in this one. */
static onefold_status scale_by_views(of_arena *arena, const card_task *task, double **by_views)
{
    const of_dataset *dataset = task->problem->dataset;
    size_t p = dataset->view_count;
    double view =
        of_missing_scale_view(task->problem->kernels[task->i].view->samples, dataset->samples);
    uint8_t *has;
    OF_TRY(OF_NEW_ZERO(arena, &has, p, 1));
    OF_TRY(OF_NEW_ZERO(arena, by_views, p + 1, 1));
    for (size_t views = 1; views <= p; views++) {
        has[views - 1] = 1;
        (*by_views)[views] = view * of_missing_scale_sample(has, p);
    }
    return ONEFOLD_OK;
}

static onefold_status spread(const card_task *task, of_device_stack *from)
{
    enum { AT_ONCE = 1 << 20 };
    OF_SCRATCH(scratch, task->context);
    size_t n = task->problem->dataset->samples, most = n < AT_ONCE ? n : AT_ONCE, at = 0, *place;
    double *scale, *by_views;
    OF_TRY(OF_NEW(&scratch, &place, most, 1));
    OF_TRY(OF_NEW(&scratch, &scale, most, 1));
    OF_TRY(scale_by_views(&scratch, task, &by_views));
    for (size_t first = 0; first < n; first += most) {
        size_t count = n - first < most ? n - first : most;
        OF_TRY(of_context_check(task->context));
        find_places(task, first, count, by_views, &at, place, scale);
        OF_DEVICE_TRY(task->card->use, stack_spread(task->card->there, task->i * task->options.dims,
                                                    first, count, from, place, scale));
    }
    return ONEFOLD_OK;
}

/* In a stack of the samples that have the view. */
static onefold_status make_apart(card_task *task)
{
    const of_device_use *use = task->card->use;
    of_share H = {NULL, 0, task->options.dims};
    int doubles = task->problem->options->precision == ONEFOLD_DOUBLE;
    size_t n = task->problem->kernels[task->i].view->samples;
    of_range own = of_comm_own(task->context, n);
    of_device_stack *apart = NULL;
    onefold_status status =
        of_device_status(use, use->table->stack_make(use->device, task->options.dims,
                                                     own.end - own.first, doubles, &apart));
    status = of_device_total(task->context, n, status, 0, NULL);
    if (status != ONEFOLD_OK) {
        if (apart) /* another rank has none */
            use->table->stack_free(apart);
        return status;
    }
    task->options.there = apart;
    task->options.row = 0;
    status = make(task, H);
    if (status == ONEFOLD_OK && task->problem->dataset->present)
        status = spread(task, apart);
    else if (status == ONEFOLD_OK)
        status = of_device_status(
            use, use->table->stack_rows(task->card->there, task->i * task->options.dims, apart));
    use->table->stack_free(apart);
    return status;
}

/* Rows (dims x samples) of a view that samples lack from H, of those that have it. */
static onefold_status spread_rows(of_arena *arena, const card_task *task, const double *H,
                                  double **rows)
{
    size_t n = task->problem->dataset->samples, k = task->options.dims, at = 0, place;
    double *by_views, scale;
    OF_TRY(scale_by_views(arena, task, &by_views));
    OF_TRY(OF_NEW_ZERO(arena, rows, k, n));
    for (size_t j = 0; j < n; j++) {
        find_places(task, j, 1, by_views, &at, &place, &scale);
        for (size_t r = 0; scale != 0 && r < k; r++)
            (*rows)[j * k + r] = scale * H[place * k + r];
    }
    return ONEFOLD_OK;
}

/* By the CPU, and sent. */
static onefold_status make_and_send(card_task *task)
{
    OF_SCRATCH(scratch, task->context);
    size_t k = task->options.dims;
    of_range own = of_comm_own(task->context, task->problem->dataset->samples);
    of_stack *card = task->card;
    of_share H;
    task->options.there = NULL;
    OF_TRY(of_share_make(&scratch, &H, k, task->problem->kernels[task->i].view->samples));
    OF_TRY(make(task, H));
    card->made_there += (size_t)task->partition->on_card;
    double *rows = H.held;
    if (task->problem->dataset->present)
        OF_TRY(spread_rows(&scratch, task, H.held, &rows));
    onefold_status status =
        of_device_status(card->use, card->use->table->stack_store(card->there, task->i * k, k, 0,
                                                                  own.end - own.first, rows, k, 0));
    return of_device_total(task->context, task->problem->dataset->samples, status, 0, NULL);
}

onefold_status of_base_card_view(of_context *context, const of_problem *problem, size_t i,
                                 of_arena *arena, of_stack *card, of_partition *partition)
{
    card_task task = {context, problem, i, arena, card, partition, problem->partition};
    task.options.use = card->use;
    task.options.there = card->there;
    task.options.row = i * task.options.dims;
    if (!of_base_card_fits(context, problem, i))
        return make_and_send(&task);
    if (problem->dataset->present && card->streams) /* spread among samples that the host has */
        return make_and_send(&task);
    onefold_status status = problem->dataset->present || card->streams
                                ? make_apart(&task)
                                : make(&task, (of_share){NULL, 0, task.options.dims});
    if (status == ONEFOLD_NO_MEMORY && of_device_gave_up(context)) /* the CPU's may do for it */
        return make_and_send(&task);
    card->made_there += status == ONEFOLD_OK;
    return status;
}

/* ---- views that go together ----------------------------------------------------------------- */

/* Each has a few matrices of landmarks by landmarks in memory meanwhile. */
enum { MOST_TOGETHER = 4 };

static int goes_together(of_context *context, const of_problem *problem, size_t i)
{
    return of_base_card_fits(context, problem, i) && !problem->dataset->present &&
           !of_comm_splits(context, problem->dataset->samples) &&
           of_partition_goes_together(context, &problem->kernels[i], problem->routes[i],
                                      &problem->partition);
}

size_t of_base_card_at_once(of_context *context, const of_problem *problem)
{
    size_t views = 0;
    for (size_t i = 0; i < problem->dataset->view_count; i++)
        views += goes_together(context, problem, i) != 0;
    return views < 1 ? 1 : views < MOST_TOGETHER ? views : MOST_TOGETHER;
}

static onefold_status make_together(of_context *context, const of_problem *problem, size_t count,
                                    const size_t *which, of_arena *arenas, of_stack *card,
                                    of_partition *partitions, uint8_t *done)
{
    of_partition_options options[MOST_TOGETHER];
    of_partition_wanted wanted[MOST_TOGETHER];
    size_t failed;
    for (size_t v = 0; v < count; v++) {
        size_t i = which[v];
        options[v] = problem->partition;
        options[v].use = card->use;
        options[v].there = card->there;
        options[v].row = i * options[v].dims;
        wanted[v] =
            (of_partition_wanted){&arenas[i], &problem->kernels[i], &options[v], &partitions[i]};
    }
    of_context_progress(context, "base", (double)which[0], (double)problem->dataset->view_count,
                        problem->dataset->views[which[0]].name);
    onefold_status status = of_partition_make_together(context, count, wanted, &failed);
    if (status == ONEFOLD_NO_MEMORY) /* of the card: each by itself may do */
        return ONEFOLD_OK;
    if (status != ONEFOLD_OK)
        return of_blame(status, "view '%s'", problem->dataset->views[which[failed]].name);
    card->made_there += count;
    for (size_t v = 0; v < count; v++)
        done[which[v]] = 1;
    return ONEFOLD_OK;
}

onefold_status of_base_card_together(of_context *context, const of_problem *problem,
                                     of_arena *arenas, of_stack *card, of_partition *partitions,
                                     uint8_t *done)
{
    size_t views = problem->dataset->view_count, which[MOST_TOGETHER], count = 0;
    if (card->streams)
        return ONEFOLD_OK;
    for (size_t i = 0; i < views; i++) {
        if (goes_together(context, problem, i))
            which[count++] = i;
        if (count > 1 && (count == MOST_TOGETHER || i + 1 == views)) {
            OF_TRY(make_together(context, problem, count, which, arenas, card, partitions, done));
            count = 0;
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_base_card_bytes(of_context *context, const of_problem *problem, size_t *bytes)
{
    size_t number = problem->options->precision == ONEFOLD_SINGLE ? sizeof(float) : sizeof(double);
    const of_device_use *use = of_device_for(context, problem->dataset->samples);
    *bytes = 0;
    for (size_t i = 0; use && i < problem->dataset->view_count; i++) {
        size_t apart = 0, room;
        if (problem->dataset->present && of_base_card_fits(context, problem, i))
            OF_TRY(of_size_multiply(&apart, problem->kernels[i].view->samples,
                                    problem->options->dims * number));
        OF_TRY(of_partition_card_bytes(context, use, &problem->kernels[i], problem->routes[i],
                                       &problem->partition, &room));
        OF_TRY(of_size_add(&apart, apart, room));
        *bytes = apart > *bytes ? apart : *bytes;
    }
    return ONEFOLD_OK;
}
