/* SPDX-License-Identifier: Apache-2.0 */
/* The descent of t-SNE: momentum, a gain per coordinate, and affinities that are larger at first.
 */
#include "report/layout.h"

#include <math.h>
#include <string.h>

/* The usual ones (van der Maaten 2014; Kobak, Berens 2019 for start and rate). */
static const double exaggeration = 12, spread = 1e-4, least_rate = 50;

typedef struct descent {
    size_t n;
    double rate;
    double *y, *step, *gain, *force, *attract; /* 2 x n each */
} descent;

/* The start: principal components scaled so that the first has the deviation `spread`. */
static void scale_start(size_t n, double *y)
{
    double square = 0;
    for (size_t j = 0; j < n; j++)
        square += y[2 * j] * y[2 * j];
    double deviation = sqrt(square / (double)n), scale = deviation > 0 ? spread / deviation : 0;
    for (size_t e = 0; e < 2 * n; e++)
        y[e] *= scale;
}

/* Takes one step down the gradient 4 (exaggerated attraction - repulsion / z), and centres. */
static void move(descent *d, double factor, double momentum, double z)
{
    double mean[2] = {0, 0};
    for (size_t e = 0; e < 2 * d->n; e++) {
        double gradient = 4 * (factor * d->attract[e] - d->force[e] / z);
        double gain = (gradient > 0) == (d->step[e] > 0) ? d->gain[e] * 0.8 : d->gain[e] + 0.2;
        d->gain[e] = gain < 0.01 ? 0.01 : gain;
        d->step[e] = momentum * d->step[e] - d->rate * d->gain[e] * gradient;
        d->y[e] += d->step[e];
        mean[e % 2] += d->y[e];
    }
    for (size_t e = 0; e < 2 * d->n; e++)
        d->y[e] -= mean[e % 2] / (double)d->n;
}

static onefold_status descend(of_context *context, of_arena *scratch, const of_affinity *p,
                              const of_layout_options *options, size_t n, double *y)
{
    of_layout_tree *tree;
    double z = 0;
    descent d = {.n = n, .y = y};
    double rate = (double)n / exaggeration / 4;
    d.rate = rate > least_rate ? rate : least_rate;
    OF_TRY(of_layout_tree_make(context, scratch, n, options->theta, &tree));
    OF_TRY(OF_NEW_ZERO(scratch, &d.step, 2, n));
    OF_TRY(OF_NEW(scratch, &d.gain, 2, n));
    OF_TRY(OF_NEW(scratch, &d.force, 2, n));
    OF_TRY(OF_NEW(scratch, &d.attract, 2, n));
    for (size_t e = 0; e < 2 * n; e++)
        d.gain[e] = 1;
    size_t early = options->iterations / 3;
    for (size_t t = 0; t < options->iterations; t++) {
        OF_TRY(of_context_check(context));
        if (t % 25 == 0)
            of_context_progress(context, "layout", (double)t, (double)options->iterations, NULL);
        OF_TRY(of_layout_tree_forces(tree, y, p, d.force, d.attract, &z));
        move(&d, t < early ? exaggeration : 1, t < early ? 0.5 : 0.8, z);
    }
    of_context_progress(context, "layout", (double)options->iterations, (double)options->iterations,
                        NULL);
    return ONEFOLD_OK;
}

onefold_status of_layout_tsne(of_context *context, size_t rows, size_t n, const double *x,
                              const of_layout_options *options, double *y)
{
    OF_SCRATCH(scratch, context);
    of_affinity p;
    uint32_t *index;
    double *distance, most = (double)(n - 1) / 3,
                      perplexity = options->perplexity < most ? options->perplexity : most;
    size_t count = (size_t)(3 * perplexity);
    count = count < 1 ? 1 : count;
    OF_TRY(OF_NEW(&scratch, &index, n, count));
    OF_TRY(OF_NEW(&scratch, &distance, n, count));
    of_context_progress(context, "layout", 0, (double)options->iterations, NULL);
    OF_TRY(of_layout_neighbours(context, rows, n, x, n, x, 1, count, index, distance));
    OF_TRY(of_affinity_make(context, &scratch, n, count, index, distance, perplexity, &p));
    of_arena_release(&scratch, index);
    of_arena_release(&scratch, distance);
    scale_start(n, y);
    return descend(context, &scratch, &p, options, n, y);
}
