/* SPDX-License-Identifier: Apache-2.0 */
/* As much of cmocka as the tests of this folder use: a machine with a GPU may have nothing else.
 */
#ifndef OF_TESTS_GPU_GPU_CMOCKA_H
#define OF_TESTS_GPU_GPU_CMOCKA_H

#include <stdlib.h>
#include <string.h>

typedef int (*CMFixtureFunction)(void **state);
struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};
#define cmocka_unit_test(function)                                                                 \
    {                                                                                              \
#function, function                                                                        \
    }

#define fail_msg(...)                                                                              \
    do {                                                                                           \
        fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                            \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fprintf(stderr, "\n");                                                                     \
        exit(1);                                                                                   \
    } while (0)
#define assert_true(that)                                                                          \
    do {                                                                                           \
        if (!(that))                                                                               \
            fail_msg("%s", #that);                                                                 \
    } while (0)
#define assert_non_null(that) assert_true((that) != NULL)
#define assert_int_equal(a, b) assert_true((a) == (b))
#define assert_string_equal(a, b) assert_true(strcmp((a), (b)) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp((a), (b), (size)) == 0)
#define cmocka_run_group_tests(tests, setup, teardown) 0
#define skip() exit(77)

#endif
