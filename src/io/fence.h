/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fence: a library that is not ours reads a file in a fresh process, which sends what it read.
 * The process is started by posix_spawn from a program that the library holds (fence_program.c); it
 * has no file of its parent but the one to read, and an environment of our own.
 */
#ifndef OF_IO_FENCE_H
#define OF_IO_FENCE_H

#include "io/file.h"

#include <sys/types.h>

/* Descriptors in the process: the socket to its parent, and the file. */
enum { OF_FENCE_SOCKET = 0, OF_FENCE_FILE = 3 };
#define OF_FENCE_PATH "/proc/self/fd/3"

/* What the parent asks for. Two texts of the options follow, with their zeros. */
typedef struct of_fence_request {
    char version[16];
    pid_t parent;
    int matlab;
    size_t size;               /* of the file */
    size_t memory_limit, held; /* of the context; bytes that it holds already */
    size_t seconds;            /* of processor time */
    long allocations_until_failure;
    size_t truth, views; /* bytes of the texts, 0: NULL */
} of_fence_request;

/* The answer. After ONEFOLD_OK the variables follow, and a byte that says that all is well. */
typedef struct of_fence_reply {
    of_error error;
    long allocations_until_failure;
    int single_cell;
    size_t count; /* variables at the top */
} of_fence_reply;

/* One end of the socket (fence_parcel.c). Each function sends what it is given, or receives it into
 * the same place: what is received is checked, as the other process may be under a stranger's
 * control by then. */
typedef struct of_parcel {
    int descriptor, sends;
    of_file *file;
    double until;             /* of of_clock_seconds, if it receives */
    pid_t child;              /* the sender; 0: it has ended, or is not a child */
    int how;                  /* waitpid's status; -1: not known */
    of_owner *names;          /* of what `list` points to, if it receives */
    const char *const **list; /* lists of texts so far: a list is sent once */
    size_t *length, count, room, length_room;
    of_arena arena; /* of `list` and `length` */
} of_parcel;

onefold_status of_parcel_bytes(of_parcel *parcel, void *bytes, size_t size);

/* Variable by variable: file->count of them if it sends, else `count`. */
onefold_status of_parcel_variables(of_parcel *parcel, size_t count);

/* ---- the process ---------------------------------------------------------------------------- */

/* Reads file->path. `opened` is called once that file is open: nothing else may be, from then on.
 */
typedef onefold_status (*of_fence_reader)(of_file *file, int matlab, void (*opened)(void));

/* The whole of the process (fence_child.c): what main returns. */
int of_fence_child(of_fence_reader reader);

/* The reader of HDF5 files (fence_hdf.c), which is not a part of the library. */
onefold_status of_fence_hdf(of_file *file, int matlab, void (*opened)(void));

#endif
