/* SPDX-License-Identifier: Apache-2.0 */
/* Status codes with a sentence for people: set where a call fails, passed on in one line. */
#ifndef OF_BASE_STATUS_H
#define OF_BASE_STATUS_H

#include "base/private.h"
#include "onefold.h"

/* Sets this thread's last error to the formatted sentence, clears the hint, and returns `status`.
 * The sentence says what is wrong and where; of_hint says what to do. It has no full stop. */
OF_PRIVATE onefold_status of_fail(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds what to do to the last error; returns `status`. `return of_hint(of_fail(...), ...)`. */
OF_PRIVATE onefold_status of_hint(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the last error's sentence (a file or view name); returns `status`. */
OF_PRIVATE onefold_status of_blame(onefold_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An error, copied from a worker thread to the calling thread. */
typedef struct of_error {
    onefold_status status;
    char message[1024];
    char hint[512];
} of_error;

void of_error_save(of_error *error, onefold_status status); /* copies this thread's last error */
/* Makes `error` this thread's last error, unless its status is ONEFOLD_OK. Returns its status. */
onefold_status of_error_restore(const of_error *error);

/* Passes an error on. */
#define OF_TRY(call)                                                                               \
    do {                                                                                           \
        onefold_status of_try_status_ = (call);                                                    \
        if (of_try_status_ != ONEFOLD_OK)                                                          \
            return of_try_status_;                                                                 \
    } while (0)

/* Public structs begin with their size, set by the caller's compiler. An older program's struct is
 * shorter than ours, a newer one's longer. Both work, unless a field that ours lacks is set. */

/* Copies `theirs` (NULL: nothing) over `ours`, of `size` bytes and filled with defaults. Fields
 * that `theirs` lacks keep their defaults. Refuses an impossible size, and a longer struct with a
 * byte that is not zero beyond `ours`. `type` is its name in the sentence. */
OF_PRIVATE onefold_status of_struct_read(void *ours, size_t size, const void *theirs,
                                         const char *type);

/* Copies as much of `ours`, of `size` bytes, as `theirs` has room for; sets its size to that. */
onefold_status of_struct_write(void *theirs, const void *ours, size_t size, const char *type);

#define OF_STRUCT_READ(ours, theirs, type) of_struct_read((ours), sizeof(type), (theirs), #type)
#define OF_STRUCT_WRITE(theirs, ours, type) of_struct_write((theirs), (ours), sizeof(type), #type)

#endif
