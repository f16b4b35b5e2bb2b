/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests share. */
#include "support/check.h"

#include "base/random.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

void check_fails(onefold_status got, onefold_status want, const char *text, const char *call,
                 const char *file, int line)
{
    if (got != want)
        fail_msg("%s:%d: %s gave %s, not %s (%s)", file, line, call, onefold_status_name(got),
                 onefold_status_name(want), onefold_last_error());
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

const char *check_shared(const char *path)
{
    static char full[4096];
    snprintf(full, sizeof full, "%s/%s", OF_TEST_SHARED, path);
    if (access(full, R_OK) == 0)
        return full;
    printf("skipped: %s is not here\n", path);
    return NULL;
}
