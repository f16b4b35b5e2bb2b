/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets share: a demand, a context with limits, a folder for files. */
#ifndef OF_FUZZ_FUZZ_H
#define OF_FUZZ_FUZZ_H

#include "fuzz/targets.h"
#include "onefold.h"

/* What must hold, or the input is a finding. */
void fuzz_demand(int holds, const char *what);

/* A call either succeeds or says why, and is never a fault of the library's own. */
int fuzz_worked(onefold_status status);

/* One thread and 256 MB: a file that claims more is refused, not believed. */
onefold_context *fuzz_context(void);

/* What child processes reach is counted as well (share.c). */
void fuzz_share_counters(void);

/* Bytes that are taken from the front of the input; zeros past its end. */
typedef struct fuzz_bytes {
    const uint8_t *at;
    size_t left;
} fuzz_bytes;
unsigned fuzz_take(fuzz_bytes *bytes);

/* The next piece of the input, up to the mark "\n@@\n" or the end. */
fuzz_bytes fuzz_piece(fuzz_bytes *bytes);

/* The folder of this process, which its end removes, and a path in it (valid until the eighth next
 * call). */
const char *fuzz_folder(void);
const char *fuzz_path(const char *name);

/* Removes everything in the folder. */
void fuzz_clear(void);

/* Writes a file in the folder and returns its path. */
const char *fuzz_save(const char *name, const void *bytes, size_t size);

/* Reads the options of reading from a byte. */
onefold_read_options fuzz_read_options(unsigned flags);

/* Looks at everything a data set has, writes it, and fits it where it is small; ends it. */
void fuzz_use(onefold_dataset *data, int passed);

/* Reads files as a data set and uses what comes of them. */
void fuzz_read(const char *const *paths, size_t count, const onefold_read_options *options);

/* What holds of any result. */
void fuzz_check_result(const onefold_result *result, size_t samples);

#endif
