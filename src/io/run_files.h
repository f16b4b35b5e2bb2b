/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a run: those that were read with a context, which none of its outputs may be, and
 * outputs that wait until all of them are finished.
 */
#ifndef OF_IO_RUN_FILES_H
#define OF_IO_RUN_FILES_H

#include "io/atomic_file.h"

/* Notes what an open descriptor is of: by device and number, whatever name it was opened by. Only
 * where onefold_context_hold_outputs was called before. */
onefold_status of_run_files_read(of_context *context, int descriptor);

/* Takes a finished file over where outputs are held; *held says whether. */
onefold_status of_run_files_hold(of_atomic_file *file, int *held);

/* Holds finished files that belong together, or places them. */
onefold_status of_run_files_place(of_atomic_file *const *files, size_t count);

#endif
