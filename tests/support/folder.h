/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for tests that write files, and ways to make writing fail. */
#ifndef OF_TESTS_SUPPORT_FOLDER_H
#define OF_TESTS_SUPPORT_FOLDER_H

#include <stddef.h>

/* cmocka set-up and tear-down: a fresh folder in *state, removed with all it holds. */
int folder_make(void **state);
int folder_remove(void **state);

/* The path of a name in the folder; valid until the 8th next call. */
const char *folder_path(void **state, const char *name);

/* How many entries the folder holds, hidden ones too. */
size_t folder_count(void **state);

/* From now on no file of this process grows past `bytes` (SIZE_MAX: as before): the write that
 * would fails, as on a disk that is full. */
void folder_limit_files(size_t bytes);

/* The whole file; size through `size`. free() it. */
char *folder_read(const char *path, size_t *size);

/* Runs the Python program in the folder and returns its exit status, or -1 with
 * a line saying so where /usr/bin/python3 or one of the modules ("numpy,scipy") is absent. */
int folder_python(void **state, const char *modules, const char *program);

/* The Python program succeeds in the folder; the test is skipped where Python or a module is not.
 */
#define CHECK_PYTHON(state, modules, program)                                                      \
    do {                                                                                           \
        int python_status_ = folder_python(state, modules, program);                               \
        if (python_status_ == -1)                                                                  \
            skip();                                                                                \
        assert_int_equal(python_status_, 0);                                                       \
    } while (0)

#endif
