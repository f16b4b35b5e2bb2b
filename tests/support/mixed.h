/* SPDX-License-Identifier: Apache-2.0 */
/* Clustered samples seen through views of every kind, those a model has not seen among them. */
#ifndef OF_TESTS_SUPPORT_MIXED_H
#define OF_TESTS_SUPPORT_MIXED_H

#include "onefold.h"

enum { MIXED_CLUSTERS = 3, MIXED_DENSE = 7, MIXED_WORDS = 50 };

/* Samples first .. first+count-1; the first `train` of all are what a model is fitted on. Views:
 * "dense" (MIXED_DENSE columns, one of them constant), "words" (sparse counts, MIXED_WORDS
 * columns), "links" (sparse: directed links to the training samples) and "kernel" (against the
 * training samples; a kernel where the samples are just these). True clusters are set. */
onefold_dataset *mixed(size_t train, size_t first, size_t count);

/* The same with some of the views: a bit for each, in that order. */
onefold_dataset *mixed_some(size_t train, size_t first, size_t count, unsigned views);

#endif
