/* SPDX-License-Identifier: Apache-2.0 */
/* Which views a sample of synthetic data lacks. */
#ifndef OF_DATA_SYNTH_MISSING_H
#define OF_DATA_SYNTH_MISSING_H

#include "data/dataset.h"

/* Fills present (samples x views, a sample contiguous) with ones and, for `share` of it on average,
 * zeros; every sample keeps a view, and every view two samples where there are as many. A
 * share above 1 - 1/views is refused. */
onefold_status of_synth_missing(uint64_t seed, double share, size_t samples, size_t views,
                                uint8_t *present);

#endif
