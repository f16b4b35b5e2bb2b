/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that are not there (NaN): whole samples, which are missing from a view, and single entries
 * of samples that are present, which are refused or filled in. Infinite values are refused always.
 */
#ifndef OF_DATA_GAPS_H
#define OF_DATA_GAPS_H

#include "data/dataset.h"

/* What is wrong with the values of samples that are present. */
typedef struct of_gaps {
    size_t entries, samples; /* NaN, and samples that have some */
    size_t empty;            /* and those that have nothing else: of a sparse view, entries and
                                all of them NaN */
    int infinite;          /* there is an infinite value: the first of these, else the first NaN */
    size_t sample, column; /* is here */
} of_gaps;

/* Looks through the samples with present[j * step] != 0 (NULL: all). Of a kernel, only the columns
 * of these samples count. keep[j], unless NULL, is 0 of samples that have nothing but NaN, else 1.
 */
onefold_status of_gaps_find(of_context *context, const of_view *view, const uint8_t *present,
                            size_t step, uint8_t *keep, of_gaps *gaps);

/* The sentence for gaps that are not to be filled, or infinite: `where` is what holds them
 * ("X{1}"), `line` what its lines are called ("row", "sample"); row and column are those of the
 * first, and `name` what the column is called (NULL: its number). ONEFOLD_OK where there are none.
 */
onefold_status of_gaps_refuse(const of_gaps *gaps, const char *where, const char *line, size_t row,
                              size_t column, const char *name);

/* Fills NaN of samples that are present with the mean or median of the column over those present
 * that have a value; the view's new numbers are from `arena`. A column without any is refused. */
onefold_status of_gaps_fill(of_arena *arena, of_view *view, const uint8_t *present, size_t step,
                            onefold_impute how);

/* The median of each column over all samples, which have no gaps. */
onefold_status of_gaps_medians(of_context *context, const of_view *view, double *medians);

#endif
