/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An output file that appears whole or not at all: written under a temporary name in the folder of
 * its place, then synced and renamed. Every write is checked, so a disk that fills up is an error.
 * What killed processes have left there is removed.
 *
 *     OF_ATOMIC_FILE(file);                            removed again by any return before commit
 *     OF_TRY(of_atomic_open(&file, context, path));
 *     OF_TRY(of_atomic_write(&file, bytes, size));
 *     return of_atomic_commit(&file);
 */
#ifndef OF_IO_ATOMIC_FILE_H
#define OF_IO_ATOMIC_FILE_H

#include "base/memory.h"

typedef struct of_atomic_file {
    of_context *context;
    of_arena arena;       /* holds the names and the buffer */
    const char *path;     /* as it was given, for messages */
    const char *place;    /* where it will be: the path with symbolic links followed */
    char *temporary;      /* its name until then; NULL where it is written in place (a device) */
    char *spare;          /* the name that what it replaces has while it is moved */
    int placed, moved;    /* among several: it is in its place, and what was there is not */
    int descriptor;       /* -1: not open */
    unsigned char *block; /* bytes not yet handed to the system */
    size_t filled;
    uint64_t position; /* bytes written so far, buffered ones included */
} of_atomic_file;

/* A variable that abandons its file when the scope is left. */
#define OF_ATOMIC_FILE(name)                                                                       \
    __attribute__((cleanup(of_atomic_abandon))) of_atomic_file name = {.descriptor = -1}

/* Makes the temporary file. An existing regular file stays as it is until the commit, which keeps
 * its permissions; a device or pipe is opened and written in place. */
onefold_status of_atomic_open(of_atomic_file *file, of_context *context, const char *path);

onefold_status of_atomic_write(of_atomic_file *file, const void *bytes, size_t size);
onefold_status of_atomic_print(of_atomic_file *file, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes over bytes that are already there (a length that was not known before). */
onefold_status of_atomic_patch(of_atomic_file *file, uint64_t position, const void *bytes,
                               size_t size);

/* Hands everything to the disk and puts the file in its place. On failure nothing is left. */
onefold_status of_atomic_commit(of_atomic_file *file);

/* The steps of a commit: everything is on the disk; it has a name; it is in its place. */
onefold_status of_atomic_finish(of_atomic_file *file);

/* Removes what was written. Does nothing after a commit or before an open. */
void of_atomic_abandon(of_atomic_file *file);

/* Something bytes are written to: the file itself, or a compressor on its way there. */
typedef struct of_sink {
    onefold_status (*write)(void *to, const void *bytes, size_t size);
    void *to;
} of_sink;
of_sink of_atomic_sink(of_atomic_file *file);
static inline onefold_status of_sink_write(of_sink sink, const void *bytes, size_t size)
{
    return sink.write(sink.to, bytes, size);
}

/* ---- the files of a run: those that were read with a context, which none of its outputs may be,
 * and outputs that wait until all of them are finished ---- */

/* Notes what an open descriptor is of: by device and number, whatever name it was opened by. Only
 * where onefold_context_hold_outputs was called before. */
onefold_status of_run_files_read(of_context *context, int descriptor);

/* Holds finished files that belong together, or places them. */
onefold_status of_run_files_place(of_atomic_file *const *files, size_t count);

#endif
