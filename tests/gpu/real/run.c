/* SPDX-License-Identifier: Apache-2.0 */
/* onefold_gpu_tests [table|fit|views|exact|routes|stream|restarts|ranks|faults [TEST]]:
 * the tests of tests/gpu on the GPU, without cmocka.
 */
#include "support/check.h"

#include <stdlib.h>

/* In this order: the GPU has failed after the last. */
#define TESTS(each)                                                                                \
    each(table) each(views) each(stream) each(fit) each(exact) each(routes) each(restarts)         \
        each(ranks) each(faults)
#define DECLARE(name) int main_gpu_##name(void);
TESTS(DECLARE)

static const char *only; /* the test that is asked for; NULL: all */

int check_group(const char *name, const struct CMUnitTest *tests, size_t count,
                CMFixtureFunction setup, CMFixtureFunction teardown)
{
    (void)name;
    if (setup && setup(NULL) != 0) {
        fprintf(stderr, "the GPU cannot be opened\n");
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (only && strcmp(only, tests[i].name) != 0)
            continue;
        printf("%s\n", tests[i].name);
        fflush(stdout);
        tests[i].run(NULL);
    }
    if (teardown)
        teardown(NULL);
    printf("%zu tests passed\n", only ? (size_t)1 : count);
    return 0;
}

void check_fails(onefold_status got, onefold_status want, const char *text, const char *call,
                 const char *file, int line)
{
    if (got == want && strstr(onefold_last_error(), text))
        return;
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, onefold_last_error());
    exit(1);
}

int check_everything(void)
{
    return 1;
}

int main(int count, char **arguments)
{
    int failed = 0;
    only = count > 2 ? arguments[2] : NULL;
#define RUN(name)                                                                                  \
    if (count < 2 || strcmp(arguments[1], #name) == 0)                                             \
        failed |= main_gpu_##name();
    TESTS(RUN)
    return failed;
}
