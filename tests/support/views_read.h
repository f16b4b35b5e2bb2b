/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a file and holding what came of it against what is in it. */
#ifndef OF_TESTS_SUPPORT_VIEWS_READ_H
#define OF_TESTS_SUPPORT_VIEWS_READ_H

#include "data/dataset.h"

/* The data set of one file, or the test fails with its sentence. */
onefold_dataset *read_one(const char *path, const onefold_read_options *options);

/* Reading one file fails with this status, sentence, and nothing is made. */
void read_fails(const char *path, const onefold_read_options *options, onefold_status status,
                const char *text);

/* View `v` has that name and storage, and those values, a sample contiguous. */
void expect_view(const onefold_dataset *data, size_t v, const char *name, const char *storage,
                 size_t columns, const double *values);

/* The classes of the samples, by their names: "a b a" or "1 2 1"; "" if there is no truth. */
void expect_truth(const onefold_dataset *data, const char *names);

/* One of the notes holds the text. */
void expect_note(const onefold_dataset *data, const char *text);

/* Appends to the text what was read: "dense 1 2, 3 4" of each view of at most 16 columns, a comma
 * between samples and - for one that lacks it; then " of " the names of its columns; then "; ids "
 * and "; truth ", where there are any. */
void describe_read(const onefold_dataset *data, char *text, size_t room);

/* Every allocation of a read is made to fail once: it is ONEFOLD_NO_MEMORY each time, nothing is
 * left over, and the read that nothing stops succeeds. */
void every_allocation_fails(const char *const *paths, size_t count,
                            const onefold_read_options *options);

#endif
