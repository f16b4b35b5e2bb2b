/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests share. */
#include "support/check.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void check_fails(onefold_status got, onefold_status want, const char *text, const char *call,
                 const char *file, int line)
{
    if (got != want)
        fail_msg("%s:%d: %s gave %s, not %s (%s)", file, line, call,
                 onefold_name(ONEFOLD_NAMES_STATUS, got), onefold_name(ONEFOLD_NAMES_STATUS, want),
                 onefold_last_error());
    if (!strstr(onefold_last_error(), text))
        fail_msg("%s:%d: %s said \"%s\", without \"%s\"", file, line, call, onefold_last_error(),
                 text);
}

void check_close(double a, double b, double relative, double absolute, const char *what,
                 const char *file, int line)
{
    if (!(fabs(a - b) <= absolute + relative * fmax(fabs(a), fabs(b))))
        fail_msg("%s:%d: %s: %.17g and %.17g differ by %.3g", file, line, what, a, b, fabs(a - b));
}

void check_random(uint64_t seed, uint64_t index, size_t rows, size_t columns, double *out)
{
    of_random random = of_random_make(seed, OF_PURPOSE_TEST, index);
    for (size_t i = 0; i < rows * columns; i++)
        out[i] = of_random_normal(&random);
}

static int skipped, made_only;

/* splitmix64 */
double check_uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

size_t check_below(uint64_t *state, size_t bound)
{
    return (size_t)(check_uniform(state) * (double)bound);
}

int check_everything(void)
{
    return getenv("ONEFOLD_TEST_ALL") != NULL;
}

const char *check_shared(const char *path)
{
    static char full[4096];
    const char *folder = getenv("ONEFOLD_SHARED");
    if (made_only)
        fail_msg("%s is asked for by a test whose name does not start with real_", path);
    snprintf(full, sizeof full, "%s/%s", folder ? folder : OF_TEST_SHARED, path);
    if (access(full, R_OK) == 0)
        return full;
    printf("skipped: the data set %s is not here\n", path);
    return NULL;
}

void check_skip(const char *file, int line)
{
    skipped++;
    _skip(file, line);
    abort(); /* _skip() does not come back, but does not say so */
}

/* The arguments of the program, which cmocka's main functions do not pass on. */
static int has_argument(const char *wanted)
{
    char text[4096];
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file)
        fclose(file);
    for (size_t at = 0; at < size; at += strlen(text + at) + 1)
        if (strcmp(text + at, wanted) == 0)
            return 1;
    return 0;
}

int check_group(const char *name, const struct CMUnitTest *tests, size_t count,
                CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct CMUnitTest *chosen = malloc(count * sizeof *chosen);
    int real_only = has_argument("--real");
    size_t kept = 0;
    made_only = has_argument("--made");
    for (size_t i = 0; i < count; i++) {
        int real = strncmp(tests[i].name, "real_", 5) == 0;
        if (!(real ? made_only : real_only))
            chosen[kept++] = tests[i];
    }
    int failed = _cmocka_run_group_tests(name, chosen, kept, setup, teardown);
    free(chosen);
    if (kept == 0)
        return 1;
    return failed || !skipped ? failed : 77;
}
