/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two data sets are the same one: a number made of all that a clustering can see of it. */
#ifndef OF_DATA_FINGERPRINT_H
#define OF_DATA_FINGERPRINT_H

#include "data/dataset.h"

/* 32 hexadecimal digits and a closing zero: of the samples, every view's name, storage, shape and
 * values, who is present where, and the true classes. Not of the files it came from, nor of the
 * type a value was stored in. Guards against mistakes, not against malice. */
enum { OF_FINGERPRINT = 33 };
onefold_status of_dataset_fingerprint(of_context *context, const of_dataset *dataset,
                                      char text[OF_FINGERPRINT]);

/* The same of the values of the first `count` samples alone, whatever they are stored as. Where
 * samples are split over processes, as few as OF_FINGERPRINT_SAMPLES are read by all of them
 * (of_table_numbers). */
enum { OF_FINGERPRINT_SAMPLES = 64 };
onefold_status of_dataset_fingerprint_first(of_context *context, const of_dataset *dataset,
                                            size_t count, char text[OF_FINGERPRINT]);

#endif
