/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the Nystrom route as they see each other. */
#ifndef OF_PARTITION_ROUTE_NYSTROM_H
#define OF_PARTITION_ROUTE_NYSTROM_H

#include "base/tiles.h"
#include "kernel/landmarks.h"
#include "partition/routes.h"

#include <math.h>

/* Of more samples than LARGE the sums see about SUMMED of them, and only the last pass all. */
enum { OF_NYSTROM_SUMMED = 1 << 16, OF_NYSTROM_LARGE = 2 * OF_NYSTROM_SUMMED };

typedef struct of_nystrom {
    of_landmarks landmarks;
    of_tiles tiles;
    double *tile, *k; /* per worker: features, and the kernel against the landmarks */
    size_t stride;    /* kbar and the l x l sum are taken from every so manieth tile */
    double *kbar;     /* count */
    double *row_mean; /* count: K_ll^+ kbar, so that a sample's row mean is <k, row_mean> */
    double mean;      /* of all entries */
    double *weight;   /* rows x count */
    size_t rows;
    of_share H;
    const of_device_use *use; /* the card that H is on, its rows there; NULL: none */
    of_device_stack *there;
    size_t row, summed; /* summed: samples that kbar and the l x l sum are taken from */
} of_nystrom;

/* A view on its way, and the five stages of it. Two of them, `relate` (K_ll) and `solve` (the l x l
 * sum), are eigenproblems, which the CPU has even where the rest is done on a card. */
typedef struct of_nystrom_view {
    of_route_work *work;
    of_nystrom task;
    of_arena scratch;
    double *M; /* the l x l sum */
    of_beside beside;
} of_nystrom_view;
onefold_status of_nystrom_place(of_context *context, of_nystrom_view *view);
onefold_status of_nystrom_relate(of_context *context, of_nystrom_view *view);
onefold_status of_nystrom_sum(of_context *context, of_nystrom_view *view);
onefold_status of_nystrom_solve(of_context *context, of_nystrom_view *view);
onefold_status of_nystrom_project(of_context *context, of_nystrom_view *view);

/* A centred diagonal up to this counts as zero. */
#define OF_NYSTROM_LEAST 1e-12

/* s_j from the centred diagonal. */
static inline double of_nystrom_scale(double diagonal)
{
    return diagonal > OF_NYSTROM_LEAST ? 1 / sqrt(diagonal) : 0;
}

/* H (rows x n) of every sample by products in single precision; inner (rows x rows) += H H'. */
onefold_status of_nystrom_project_single(of_context *context, const of_nystrom *task,
                                         double *inner);

/* The same on a card (route_nystrom_device.c): the sum of k(x) and the number of samples, the l x l
 * sum, and H and H H' of many samples, or of those that were summed. */
onefold_status of_nystrom_device_mean(of_context *context, of_nystrom *task, double *sum);
onefold_status of_nystrom_device_gram(of_context *context, const of_nystrom *task, double *M);
onefold_status of_nystrom_device_rows(of_context *context, const of_nystrom *task, double *inner);
onefold_status of_nystrom_device_project(of_context *context, const of_nystrom *task,
                                         double *inner);

#endif
