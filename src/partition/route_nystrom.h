/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the Nystrom route as they see each other. */
#ifndef OF_PARTITION_ROUTE_NYSTROM_H
#define OF_PARTITION_ROUTE_NYSTROM_H

#include "base/tiles.h"
#include "kernel/landmarks.h"
#include "partition/routes.h"

#include <math.h>

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
} of_nystrom;

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

#endif
