/* SPDX-License-Identifier: Apache-2.0 */
/* A table of numbers that is read a few rows at a time, as they are asked for. */
#ifndef OF_IO_TEXT_SOURCE_H
#define OF_IO_TEXT_SOURCE_H

#include "io/table.h"

/* Makes the one variable of a file of text that is to be passed, with a source in the place of
 * values; *made is 0, and nothing was done, where all of the table has to be looked at first to say
 * what it is: words, labels or names of rows in it, a square, a name that is not one of views, or
 * text that was unpacked. */
onefold_status of_text_source_add(of_file *file, const of_table *table, int *made);

#endif
