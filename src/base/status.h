/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes with a sentence for people: set where a thing goes wrong, passed on in one line. */
#ifndef OF_BASE_STATUS_H
#define OF_BASE_STATUS_H

#include "onefold.h"

/* Sets this thread's last error to the formatted sentence, clears the hint, and returns `status`.
 * The sentence says what is wrong and where, without a closing full stop's worth of advice. */
onefold_status of_fail(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what to do about it to the last error; returns `status`. `return of_hint(of_fail(...),
 * ...)`. */
onefold_status of_hint(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the last error's sentence (a file or view name); returns `status`. */
onefold_status of_blame(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An error that is carried from a worker thread to the thread that asked for the work. */
typedef struct of_error {
    onefold_status status;
    char message[1024];
    char hint[512];
} of_error;

void of_error_save(of_error *error, onefold_status status); /* this thread's last error into it */
/* It into this thread's last error, which ONEFOLD_OK leaves as it is; its status. */
onefold_status of_error_restore(const of_error *error);

/* Passes an error on. */
#define OF_TRY(call)                                                                               \
    do {                                                                                           \
        onefold_status of_try_status_ = (call);                                                    \
        if (of_try_status_ != ONEFOLD_OK)                                                          \
            return of_try_status_;                                                                 \
    } while (0)

/* Structs that cross the interface begin with their size, as the caller was compiled with it: an
 * older program's is shorter than ours, a newer one's longer. Both work, unless a longer one asks
 * for something that is not known here. */

/* `ours`, of `size` bytes and filled with the defaults, takes what `theirs` holds (NULL: nothing);
 * what theirs is too short for keeps its default. Refused are a size that is none and a longer
 * struct with something in what is beyond ours; `type` names it in the sentence. */
onefold_status of_struct_read(void *ours, size_t size, const void *theirs, const char *type);

/* `theirs` gets as much of `ours`, of `size` bytes, as it has room for, and is told how much. */
onefold_status of_struct_write(void *theirs, const void *ours, size_t size, const char *type);

#define OF_STRUCT_READ(ours, theirs, type) of_struct_read((ours), sizeof(type), (theirs), #type)
#define OF_STRUCT_WRITE(theirs, ours, type) of_struct_write((theirs), (ours), sizeof(type), #type)

#endif
