/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests share: cmocka, closeness, random matrices, real data, and how a program runs. */
#ifndef OF_TESTS_SUPPORT_CHECK_H
#define OF_TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/memory.h"

/* The call succeeds, or the test fails with its sentence. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        onefold_status check_status_ = (call);                                                     \
        if (check_status_ != ONEFOLD_OK)                                                           \
            fail_msg("%s: %s: %s", #call, onefold_name(ONEFOLD_NAMES_STATUS, check_status_),       \
                     onefold_last_error());                                                        \
    } while (0)

/* The call fails with this status, and its sentence holds this text. */
#define CHECK_FAILS(call, status, text)                                                            \
    check_fails((call), (status), (text), #call, __FILE__, __LINE__)
void check_fails(onefold_status got, onefold_status want, const char *text, const char *call,
                 const char *file, int line);

/* |a - b| <= absolute + relative * max(|a|, |b|); NaN is close to nothing. */
#define CHECK_CLOSE(a, b, relative, absolute)                                                      \
    check_close((a), (b), (relative), (absolute), #a " and " #b, __FILE__, __LINE__)
void check_close(double a, double b, double relative, double absolute, const char *what,
                 const char *file, int line);

/* Whether tests are to do all they can: `./dev test --full` asks for that (ONEFOLD_TEST_ALL), and
 * where a test has many cases of a kind the others do with some. */
int check_everything(void);

/* Random numbers of a test's own, which change *state: in [0, 1), and a whole one below `bound`. */
double check_uniform(uint64_t *state);
size_t check_below(uint64_t *state, size_t bound);

/* rows x columns standard normal numbers from stream (seed, OF_PURPOSE_TEST, index). */
void check_random(uint64_t seed, uint64_t index, size_t rows, size_t columns, double *out);

/* The path of a file of real data ("data/cora/Cora_2view.mat"), or NULL, with a line saying so,
 * where it is absent: then call skip(). Such data cannot be bundled: it is looked for in ../shared,
 * or where the environment variable ONEFOLD_SHARED says. Only tests whose names start with real_
 * may ask for it. */
const char *check_shared(const char *path);

/* A program in which a test was skipped does not pass: it exits with 77 unless a test failed, and
 * CTest shows it as skipped. Print why before it, in a line that starts with "skipped: ". */
#undef skip
#define skip() check_skip(__FILE__, __LINE__)
void check_skip(const char *file, int line) __attribute__((noreturn));

/* Runs the tests; with --real only those named real_, with --made only the others. That is how
 * CTest runs a program that has both, so that missing data hides nothing of what was tested. */
#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                             \
    check_group(#tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown)
int check_group(const char *name, const struct CMUnitTest *tests, size_t count,
                CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
