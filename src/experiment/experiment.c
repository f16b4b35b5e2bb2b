/* SPDX-License-Identifier: Apache-2.0 */
/* The run of an experiment: cells are taken from the store or computed, kept, and summed up. */
#include "base/blas_threads.h"
#include "experiment/experiment_parts.h"

#include "base/clock.h"
#include "base/public_call.h"

#include <stdlib.h>

/* The store is the caller's, and so is the thread that asks it. */
typedef struct store_task {
    of_experiment *experiment;
    of_cell *cell;
} store_task;

static onefold_status find_cell(void *opaque)
{
    const store_task *task = opaque;
    of_experiment *experiment = task->experiment;
    const of_cell_store *store = experiment->options.store;
    return store->find(store->user, &experiment->arena, task->cell, experiment->dataset->samples,
                       &task->cell->result, &task->cell->kept);
}

static onefold_status keep_cell(void *opaque)
{
    const store_task *task = opaque;
    const of_cell_store *store = task->experiment->options.store;
    return store->keep(store->user, task->cell);
}

/* Takes a cell from the store, or works it out and gives it to the store. */
static onefold_status finish_cell(of_context *context, of_experiment *experiment, of_cell *cell,
                                  of_experiment_estimate *estimate)
{
    const of_cell_store *store = experiment->options.store;
    store_task task = {experiment, cell};
    if (store)
        OF_TRY(of_context_callback(context, find_cell, &task));
    of_experiment_estimate_cell(estimate, cell);
    if (!cell->kept)
        OF_TRY(of_cell_run(context, experiment, cell, &cell->result));
    cell->done = 1;
    OF_TRY(of_cell_summarise(context, cell));
    /* What memory there is differs from run to run, and finding out again costs nothing. */
    if (store && !cell->kept && cell->result.status != ONEFOLD_NO_MEMORY)
        OF_TRY(of_context_callback(context, keep_cell, &task));
    return ONEFOLD_OK;
}

static onefold_status run_cells(of_context *context, of_experiment *experiment,
                                of_experiment_estimate *estimate)
{
    /* The defaults first: an early end leaves a whole table, and the rest can be estimated. */
    for (int standard = 1; standard >= 0; standard--)
        for (size_t i = 0; i < experiment->cell_count; i++) {
            of_cell *cell = &experiment->cells[i];
            if (((cell->roles & ONEFOLD_CELL_STANDARD) != 0) == standard)
                OF_TRY(finish_cell(context, experiment, cell, estimate));
        }
    return ONEFOLD_OK;
}

/* The best cells of grids were chosen on fewer repeats than they are shown with. */
static onefold_status finish_best(of_context *context, of_experiment *experiment,
                                  of_experiment_estimate *estimate)
{
    of_experiment_choose(experiment);
    for (size_t i = 0; i < experiment->contender_count; i++)
        for (int m = 0; m < ONEFOLD_MEASURES; m++) {
            size_t best = experiment->contenders[i].best[m];
            of_cell *cell = best == ONEFOLD_NO_CELL ? NULL : &experiment->cells[best];
            if (!cell || cell->repeats == experiment->options.repeats)
                continue;
            OF_TRY(of_cell_want_all(experiment, cell));
            OF_TRY(finish_cell(context, experiment, cell, estimate));
        }
    return ONEFOLD_OK;
}

/* Fails as the first cell did when all of them failed. */
static onefold_status check_any(const of_experiment *experiment)
{
    for (size_t i = 0; i < experiment->cell_count; i++)
        if (experiment->cells[i].result.status == ONEFOLD_OK)
            return ONEFOLD_OK;
    const of_cell *first = &experiment->cells[experiment->contenders[0].standard];
    onefold_status status = of_fail(first->result.status, "%s", first->result.reason);
    if (experiment->contender_count > 1)
        return of_hint(status, "all %zu methods failed; this is what %s says",
                       experiment->contender_count, first->method->name);
    return status;
}

static onefold_status hint_resume(const of_experiment *experiment)
{
    size_t done = 0;
    for (size_t i = 0; i < experiment->cell_count; i++)
        done += experiment->cells[i].done;
    onefold_status status = of_fail(ONEFOLD_INTERRUPTED, "interrupted after %zu of %zu cells", done,
                                    experiment->cell_count);
    if (experiment->options.store)
        return of_hint(status, "they are kept; the same command goes on from there");
    return of_hint(status, "name a file with `store` to keep finished cells");
}

static onefold_status run(of_context *context, of_experiment *experiment)
{
    OF_TRY(of_experiment_plan(context, experiment));
    of_experiment_estimate estimate;
    of_experiment_estimate_start(&estimate, context, experiment);
    onefold_status status = run_cells(context, experiment, &estimate);
    if (status == ONEFOLD_OK)
        status = finish_best(context, experiment, &estimate);
    of_experiment_estimate_end(&estimate);
    if (status == ONEFOLD_INTERRUPTED)
        return hint_resume(experiment);
    OF_TRY(status);
    OF_TRY(check_any(experiment));
    return of_experiment_summarise(context, experiment);
}

/* The options, with texts of its own: the caller's may be gone when it is asked about. */
static onefold_status copy_options(of_experiment *experiment, const of_experiment_options *options)
{
    experiment->options = *options;
    const char **const texts[] = {&experiment->options.methods, &experiment->options.grid,
                                  &experiment->options.sensitivity,
                                  &experiment->options.fit.kernel};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *copy;
        if (!*texts[i])
            continue;
        OF_TRY(of_arena_string(&experiment->arena, &copy, "%s", *texts[i]));
        *texts[i] = copy;
    }
    return ONEFOLD_OK;
}

static onefold_status run_as_asked(of_context *context, void *experiment)
{
    OF_TRY(of_blas_room(context->threads));
    return run(context, experiment);
}

onefold_status of_experiment_run(of_experiment **experiment, of_context *context,
                                 const of_dataset *dataset, const of_experiment_options *options)
{
    context = of_context_or_default(context);
    double began = of_clock_seconds();
    of_arena arena = of_arena_make(context);
    of_experiment *made;
    OF_TRY(OF_NEW_ZERO(&arena, &made, 1, 1));
    made->arena = arena; /* it lives in its own arena */
    made->dataset = dataset;
    made->threads = context->threads;
    made->memory_limit = context->memory_limit;
    onefold_status status = copy_options(made, options);
    if (status == ONEFOLD_OK)
        status = of_call(context, "bench", run_as_asked, made);
    status = of_dataset_intact(dataset, status);
    if (status != ONEFOLD_OK) {
        of_experiment_free(made);
        return status;
    }
    made->seconds = of_clock_seconds() - began;
    *experiment = made;
    return ONEFOLD_OK;
}

void of_experiment_free(of_experiment *experiment)
{
    if (!experiment)
        return;
    of_arena arena = experiment->arena;
    of_arena_free(&arena);
}
