/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far an experiment has come, and what is left of it. Time is estimated from cells of the same
 * method that are done, else from the method's own estimate, corrected by how far the estimates of
 * the others were off. Nothing but what is shown depends on it.
 */
#include "experiment/experiment_parts.h"

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

double of_experiment_estimate_seconds(const of_experiment *experiment, const of_cell *cell)
{
    double same = 0, all = 0, took = 0, estimated = 0;
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
        if (contender->seconds > 0) {
            took += other->result.seconds;
            estimated += contender->seconds;
        }
    }
    const of_contender *own = contender_of(experiment, cell->method);
    if (same_count)
        return same / (double)same_count;
    if (own->seconds > 0)
        return own->seconds * (estimated > 0 ? took / estimated : 1);
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

/* A method's own steps are only a moment to tell of the whole run. */
static int tell(void *user, onefold_progress *progress)
{
    of_experiment_estimate *estimate = user;
    const of_experiment *experiment = estimate->experiment;
    double done = 0, left = 0, here = 0;
    size_t number = 1;
    for (size_t i = 0; i < experiment->cell_count; i++) {
        const of_cell *cell = &experiment->cells[i];
        if (cell->done)
            done += cell->result.seconds;
        else
            left += of_experiment_estimate_seconds(experiment, cell);
        number += cell->done;
    }
    if (estimate->cell) {
        double expected = of_experiment_estimate_seconds(experiment, estimate->cell);
        here = fmin(of_clock_seconds() - estimate->began, 0.95 * expected);
    }
    char time[64];
    *progress = (onefold_progress){"bench", done + here, done + left, estimate->detail};
    if (!isfinite(left))
        *progress = (onefold_progress){"bench", (double)number - 1, (double)experiment->cell_count,
                                       estimate->detail};
    snprintf(estimate->detail, sizeof estimate->detail, "%s%s%scell %zu of %zu: %s %s",
             isfinite(left) ? "about " : "",
             isfinite(left) ? left_text(time, sizeof time, left - here) : "",
             isfinite(left) ? " left, " : "", number, experiment->cell_count,
             estimate->cell ? estimate->cell->method->name : "",
             estimate->cell ? estimate->cell->name : "");
    return 1;
}

void of_experiment_estimate_start(of_experiment_estimate *estimate, of_context *context,
                                  const of_experiment *experiment)
{
    *estimate = (of_experiment_estimate){.context = context, .experiment = experiment};
    context->retell = tell;
    context->retell_user = estimate;
}

void of_experiment_estimate_cell(of_experiment_estimate *estimate, const of_cell *cell)
{
    estimate->cell = cell;
    estimate->began = of_clock_seconds();
    if (!cell->kept)
        of_context_progress(estimate->context, "bench", 0, 0, NULL);
}

void of_experiment_estimate_end(of_experiment_estimate *estimate)
{
    double count = (double)estimate->experiment->cell_count;
    int all = estimate->cell && estimate->cell->done; /* the last one was finished */
    snprintf(estimate->detail, sizeof estimate->detail, "%.0f cells", count);
    estimate->context->retell = NULL;
    if (all)
        of_context_progress(estimate->context, "bench", count, count, estimate->detail);
}
