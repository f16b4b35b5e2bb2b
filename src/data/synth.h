/* SPDX-License-Identifier: Apache-2.0 */
/* Synthetic data: sizes of clusters, and who lacks which view. */
#ifndef OF_DATA_SYNTH_H
#define OF_DATA_SYNTH_H

#include "base/memory.h"
#include "data/dataset.h"

#include <stdint.h>

/* The clusters of the samples of synthetic data. */

/* Fills `labels` (samples): sample j < clusters is of cluster j, so that every cluster has one, and
 * the others are drawn. Sizes fall in geometric progression from the first cluster to the last,
 * which can be expected to have `balance` (above 0, up to 1) times as many samples. */
onefold_status of_synth_labels(of_arena *scratch, uint64_t seed, double balance, size_t samples,
                               size_t clusters, int64_t *labels);

/* Which views a sample of synthetic data lacks. */

/* Fills present (samples x views, a sample contiguous) with ones and, for `share` of it on average,
 * zeros; every sample keeps a view, and every view two samples where there are as many. A
 * share above 1 - 1/views is refused. */
onefold_status of_synth_missing(uint64_t seed, double share, size_t samples, size_t views,
                                uint8_t *present);

#endif
