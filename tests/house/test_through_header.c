/* SPDX-License-Identifier: Apache-2.0 */
/* How many tests speak to the library as a user would: through the public header, with nothing of
 * its insides by include or by name. The number may rise, and then the one here does too. */
#include "support/check.h"
#include "support/house.h"

#include <ctype.h>
#include <string.h>

enum { AT_LEAST = 42 };

static size_t through_header;

/* Whether a word of the text begins with `start`. */
static int has_word(const char *text, const char *start)
{
    for (const char *at = text; (at = strstr(at, start)); at++)
        if (at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_'))
            return 1;
    return 0;
}

static int is_inside(const char *text)
{
    static const char *const folders[] = {"base",   "linalg",    "data",   "io",
                                          "kernel", "partition", "method", "score",
                                          "comm",   "model",     "report", "gpu"};
    char include[64];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(include, sizeof include, "#include \"%s/", folders[i]);
        if (strstr(text, include))
            return 1;
    }
    return has_word(text, "of_") || strstr(text, "->set.") || strstr(text, "context->");
}

static void see_test(const char *path, const char *text)
{
    const char *name = strrchr(path, '/');
    if (strncmp(name, "/test_", 6) == 0 && strncmp(path, "tests/house/", 12) != 0)
        through_header += !is_inside(text);
}

static void tests_through_the_header_do_not_become_fewer(void **state)
{
    (void)state;
    through_header = 0;
    assert_true(house_walk("tests", house_is_source, see_test) > 150);
    print_message("%zu tests see the public header alone\n", through_header);
    assert_true(through_header >= AT_LEAST);
}

static void what_is_inside_is_known(void **state)
{
    (void)state;
    assert_true(is_inside("#include \"kernel/kernel.h\"\n"));
    assert_true(is_inside("x = of_gemm(1);"));
    assert_true(is_inside("data->set.views"));
    assert_false(is_inside("#include \"onefold.h\"\n#include \"support/check.h\"\nproof_of_it();"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_through_the_header_do_not_become_fewer),
        cmocka_unit_test(what_is_inside_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
