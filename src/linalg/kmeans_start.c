/* SPDX-License-Identifier: Apache-2.0 */
/* Starts of k-means, from one stream of random numbers; sums over samples are in a fixed order. */
#include "linalg/kmeans_start.h"

#include <math.h>
#include <string.h>

typedef struct nearest_task {
    const of_kmeans_points *points;
    const of_tiles *tiles;
    const double *newest; /* the centre chosen last */
    double *distance;     /* samples: squared, to the nearest centre so far */
    double *tile_sum;     /* tiles: of the distances in each */
} nearest_task;

static onefold_status nearest_tile(void *opaque, size_t tile, int worker)
{
    nearest_task *task = opaque;
    (void)worker;
    size_t first = of_tiles_first(task->tiles, tile), width = of_tiles_length(task->tiles, tile);
    double sum = 0;
    for (size_t j = first; j < first + width; j++) {
        double d =
            of_squared_distance(task->points->rows, of_kmeans_point(task->points, j), task->newest);
        if (d < task->distance[j])
            task->distance[j] = d;
        sum += task->distance[j];
    }
    task->tile_sum[tile] = sum;
    return ONEFOLD_OK;
}

/* A sample drawn with probability in proportion to its distance; any sample when all are 0. */
static size_t draw_by_distance(const nearest_task *task, of_random *random)
{
    const of_tiles *tiles = task->tiles;
    size_t samples = task->points->samples;
    double total = 0;
    for (size_t t = 0; t < tiles->count; t++)
        total += task->tile_sum[t];
    if (!(total > 0))
        return of_random_below(random, samples);
    double target = of_random_uniform(random) * total;
    size_t tile = 0;
    while (tile + 1 < tiles->count && target >= task->tile_sum[tile])
        target -= task->tile_sum[tile++];
    for (size_t j = of_tiles_first(tiles, tile); j < samples; j++) {
        if (target < task->distance[j])
            return j;
        target -= task->distance[j];
    }
    size_t last = samples - 1; /* rounding carried the target past the end */
    while (last > 0 && !(task->distance[last] > 0))
        last--;
    return last;
}

onefold_status of_kmeans_start_plusplus(of_context *context, const of_kmeans_points *points,
                                        const of_tiles *tiles, size_t clusters, of_random *random,
                                        double *distance, double *tile_sum, double *centres)
{
    nearest_task task = {points, tiles, NULL, distance, tile_sum};
    for (size_t j = 0; j < points->samples; j++)
        distance[j] = INFINITY;
    size_t chosen = of_random_below(random, points->samples);
    for (size_t c = 0;; c++) {
        double *centre = centres + c * points->rows;
        memcpy(centre, of_kmeans_point(points, chosen), points->rows * sizeof *centre);
        if (c + 1 == clusters)
            return ONEFOLD_OK;
        task.newest = centre;
        OF_TRY(of_team_run(context, tiles->count, nearest_tile, &task));
        chosen = draw_by_distance(&task, random);
    }
}

/* Floyd's draw without replacement. */
void of_kmeans_start_samples(const of_kmeans_points *points, size_t clusters, of_random *random,
                             size_t *chosen, double *centres)
{
    for (size_t c = 0; c < clusters; c++) {
        size_t newest = points->samples - clusters + c, pick = of_random_below(random, newest + 1);
        for (size_t b = 0; b < c; b++)
            if (chosen[b] == pick)
                pick = newest;
        chosen[c] = pick;
        memcpy(centres + c * points->rows, of_kmeans_point(points, pick),
               points->rows * sizeof *centres);
    }
}
