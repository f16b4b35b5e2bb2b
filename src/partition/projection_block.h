/* SPDX-License-Identifier: Apache-2.0 */
/* A block of new samples on its way through a projection, as the parts of it see each other. */
#ifndef OF_PARTITION_PROJECTION_BLOCK_H
#define OF_PARTITION_PROJECTION_BLOCK_H

#include "partition/projection.h"

typedef struct of_projecting {
    const of_projection *p;
    const of_fresh *fresh;
    const of_view *view;
    size_t first, count;
    double *h;
    size_t ldh;
    double *kept;
    /* room */
    double *tile;   /* tile_rows x count: what the view has, then the features of dense views */
    double *k;      /* points x count */
    double *square; /* count: centred squared lengths */
    double *value;  /* a sparse sample: values, and as many column numbers */
    uint32_t *index;
    double *spread;  /* columns: a sparse sample spread out */
    uint8_t *absent; /* count: non-zero where a sample lacks the view */
} of_projecting;

/* The sentence for sample j of the block. */
onefold_status of_projecting_refuse(const of_projecting *b, size_t j, const char *what);

/* ---- values (projection_values.c) --------------------------------------------------------- */

/* The block's samples into the tile, as the view has them: who lacks the view is noted, single
 * missing values are filled in or refused, infinite ones refused. Values of who lacks the view
 * become 0. */
onefold_status of_projecting_read(of_projecting *b);

/* The same for the entries of sample j that are not 0, of a sparse view. */
onefold_status of_projecting_entries(of_projecting *b, size_t j, size_t *count);

/* ---- features (projection_features.c) ----------------------------------------------------- */

/* Dense features of the block, columns x count packed, in the tile. */
onefold_status of_projecting_features(of_projecting *b);

/* Sparse features of sample j of the block. Dense views are in the tile by then. */
onefold_status of_projecting_sparse(of_projecting *b, size_t j, const uint32_t **index,
                                    const double **value, size_t *count);

/* ---- points (projection_points.c) --------------------------------------------------------- */

/* Doubles that the kernel against the points takes of `count` samples. */
size_t of_projecting_kernel_room(const of_projection *p, size_t count);

/* h, still to be normalised, and the centred squared lengths, from the kernel against the points.
 */
onefold_status of_projecting_points(of_projecting *b);

/* ---- ties (projection_ties.c) ------------------------------------------------------------- */

/* Doubles that distances and ties take of `count` samples, and the projection within. */
size_t of_projecting_ties_room(const of_projection *p, size_t count);
size_t of_projecting_inner_room(const of_projection *p, const of_view *view, size_t count);

/* h and kept of the block, complete. */
onefold_status of_projecting_ties(of_projecting *b);

/* h = W x, x inputs x count. */
void of_projecting_weigh(const of_projecting *b, size_t inputs, const double *x);

#endif
