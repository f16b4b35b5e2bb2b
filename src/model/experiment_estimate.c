/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far an experiment has come, and what is left of it. Time is foretold from cells of the same
 * method that are done, else from the method's own estimate, corrected by how far the estimates of
 * the others were off. Nothing but what is shown depends on it.
 */
#include "model/experiment_parts.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>

static const of_contender *contender_of(const of_experiment *experiment, const of_method *method)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        if (experiment->contenders[i].method == method)
            return &experiment->contenders[i];
    return NULL;
}

/* Seconds of a finished cell, or what they would be with as many repeats as another cell. */
static double took_for(const of_cell *cell, const of_cell *other)
{
    double seconds = cell->result.seconds;
    if (cell->method->ends_in_kmeans || other->method != cell->method || !cell->result.repeats)
        return seconds;
    return seconds * (double)other->repeats / (double)cell->result.repeats;
}

double of_outlook_expected(const of_experiment *experiment, const of_cell *cell)
{
    double same = 0, all = 0, took = 0, foretold = 0;
    size_t same_count = 0, all_count = 0;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *other = &experiment->cells[i];
        if (!other->done || other->result.status != ONEFOLD_OK)
            continue;
        const of_contender *contender = contender_of(experiment, other->method);
        all += other->result.seconds;
        all_count++;
        if (other->method == cell->method) {
            same += took_for(other, cell);
            same_count++;
        }
        if (contender->cost.seconds > 0) {
            took += other->result.seconds;
            foretold += contender->cost.seconds;
        }
    }
    const of_contender *own = contender_of(experiment, cell->method);
    if (same_count)
        return same / (double)same_count;
    if (own->cost.seconds > 0)
        return own->cost.seconds * (foretold > 0 ? took / foretold : 1);
    return all_count ? all / (double)all_count : NAN;
}

/* "12 s", "3 min", "2 h 5 min". */
static const char *left_text(char *text, size_t size, double seconds)
{
    long minutes = lround(seconds / 60);
    if (seconds < 90)
        snprintf(text, size, "%.0f s", fmax(1, seconds));
    else if (minutes < 90)
        snprintf(text, size, "%ld min", minutes);
    else
        snprintf(text, size, "%ld h %ld min", minutes / 60, minutes % 60);
    return text;
}

/* Tells the caller's hook of the whole run. */
static void tell(of_outlook *outlook)
{
    const of_experiment *experiment = outlook->experiment;
    double done = 0, left = 0, here = 0;
    size_t number = 1;
    if (!outlook->hooks.progress)
        return;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        if (cell->done)
            done += cell->result.seconds;
        else
            left += of_outlook_expected(experiment, cell);
        number += cell->done;
    }
    if (outlook->cell) {
        double expected = of_outlook_expected(experiment, outlook->cell);
        here = fmin(of_clock_seconds() - outlook->began, 0.95 * expected);
    }
    char time[64];
    onefold_progress step = {"bench", done + here, done + left, outlook->detail};
    if (!isfinite(left))
        step = (onefold_progress){"bench", (double)number - 1, (double)experiment->cell_count,
                                  outlook->detail};
    snprintf(outlook->detail, sizeof outlook->detail, "%s%s%scell %zu of %zu: %s %s",
             isfinite(left) ? "about " : "",
             isfinite(left) ? left_text(time, sizeof time, left - here) : "",
             isfinite(left) ? " left, " : "", number, experiment->cell_count,
             outlook->cell ? outlook->cell->method->name : "",
             outlook->cell ? outlook->cell->name : "");
    outlook->hooks.progress(outlook->hooks.user, &step);
}

static void hook_progress(void *user, const onefold_progress *progress)
{
    (void)progress; /* a method's own steps are only a moment to tell of the whole */
    tell(user);
}

static int hook_cancel(void *user)
{
    const of_outlook *outlook = user;
    return outlook->hooks.cancel(outlook->hooks.user);
}

static void hook_log(void *user, const char *line)
{
    const of_outlook *outlook = user;
    outlook->hooks.log(outlook->hooks.user, line);
}

static void *hook_allocate(void *user, size_t size)
{
    const of_outlook *outlook = user;
    return outlook->hooks.allocate(outlook->hooks.user, size);
}

static void hook_release(void *user, void *memory)
{
    const of_outlook *outlook = user;
    outlook->hooks.release(outlook->hooks.user, memory);
}

void of_outlook_start(of_outlook *outlook, of_context *context, const of_experiment *experiment)
{
    *outlook = (of_outlook){.context = context, .hooks = context->hooks, .experiment = experiment};
    const onefold_hooks *hooks = &outlook->hooks;
    context->hooks = (onefold_hooks){
        .struct_size = sizeof context->hooks,
        .user = outlook,
        .allocate = hooks->allocate ? hook_allocate : NULL,
        .release = hooks->release ? hook_release : NULL,
        .log = hooks->log ? hook_log : NULL,
        .progress = hooks->progress ? hook_progress : NULL,
        .cancel = hooks->cancel ? hook_cancel : NULL,
    };
}

void of_outlook_cell(of_outlook *outlook, const of_cell *cell)
{
    outlook->cell = cell;
    outlook->began = of_clock_seconds();
    if (!cell->kept)
        tell(outlook);
}

void of_outlook_end(of_outlook *outlook)
{
    double count = (double)outlook->experiment->cell_count;
    onefold_progress last = {"bench", count, count, outlook->detail};
    int all = outlook->cell && outlook->cell->done; /* the last one was finished */
    snprintf(outlook->detail, sizeof outlook->detail, "%.0f cells", count);
    if (all && outlook->hooks.progress)
        outlook->hooks.progress(outlook->hooks.user, &last);
    outlook->context->hooks = outlook->hooks;
}
