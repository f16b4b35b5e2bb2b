/* SPDX-License-Identifier: Apache-2.0 */
/* What a report draws of a fit besides its result (options.picture). */
#ifndef OF_METHOD_PICTURE_H
#define OF_METHOD_PICTURE_H

#include "base/memory.h"

typedef struct of_picture {
    /* Each view by itself, 2 x samples for one after the other: the two leading components of its
     * kernel. NaN where a sample lacks the view. */
    float *places;
    /* views x samples, a sample contiguous: each view's part in what gave the sample its cluster,
     * adding up to 1. NaN where it lacks the view, or where no view spoke for the cluster. NULL:
     * the method cannot tell. */
    float *parts;
    size_t spectrum_rows;
    double *spectrum; /* spectrum_rows x views: leading eigenvalues of its kernel, descending */
    /* The objective after each iteration of every restart, one restart after the other; NULL: not
     * kept, as where restarts compete on a sample. */
    double *traces;
} of_picture;

#endif
