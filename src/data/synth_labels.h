/* SPDX-License-Identifier: Apache-2.0 */
/* The clusters of the samples of synthetic data. */
#ifndef ONEFOLD_DATA_SYNTH_LABELS_H
#define ONEFOLD_DATA_SYNTH_LABELS_H

#include "base/memory.h"

#include <stdint.h>

/* Fills `labels` (samples): sample j < clusters is of cluster j, so that every cluster has one, and
 * the others are drawn. Sizes fall in geometric progression from the first cluster to the last,
 * which can be expected to have `balance` (above 0, up to 1) times as many samples. */
onefold_status of_synth_labels(of_arena *scratch, uint64_t seed, double balance, size_t samples,
                               size_t clusters, int64_t *labels);

#endif
