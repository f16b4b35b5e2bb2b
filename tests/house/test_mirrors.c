/* SPDX-License-Identifier: Apache-2.0 */
/* Tests mirror sources: the test of src/kernel/exp.c is tests/kernel/test_exp.c. */
#include "support/check.h"
#include "support/folder.h"
#include "support/house.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *elsewhere; /* tests/house/tested_elsewhere.txt */

static int is_there(const char *path)
{
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", OF_TEST_SOURCE, path);
    return access(full, R_OK) == 0;
}

/* Whether a name is the pattern, whose last * stands for anything. */
static int fits(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, name, length - 1) == 0;
    return strcmp(pattern, name) == 0;
}

/* The test that the list names for a source, or NULL. */
static const char *listed_for(const char *source, char test[256])
{
    for (const char *line = elsewhere; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char pattern[256];
        if (sscanf(line, "%255s %255s", pattern, test) == 2 && pattern[0] != '#' &&
            fits(pattern, source))
            return test;
    }
    return NULL;
}

/* src/io/write_container.c is tested by tests/io/test_write_container.c, or by
 * tests/io/test_write.c. */
static int has_mirror(const char *source)
{
    char name[256], path[512];
    const char *slash = strrchr(source, '/');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(slash + 1, "."), slash + 1);
    for (;;) {
        snprintf(path, sizeof path, "tests/%.*s/test_%s.c", (int)(slash - source - 4), source + 4,
                 name);
        if (is_there(path))
            return 1;
        char *last = strrchr(name, '_');
        if (!last)
            return 0;
        *last = '\0';
    }
}

static void see_mirror(const char *path, const char *text)
{
    (void)text;
    char test[256];
    if (!house_ends_in(path, ".c") || has_mirror(path))
        return;
    if (!listed_for(path, test))
        PROBLEM("%s has no test of its name: write one, or name the test that exercises it in "
                "tests/house/tested_elsewhere.txt",
                path);
    else if (!is_there(test))
        PROBLEM("%s is to be tested by %s, which is not there", path, test);
}

/* No line of the list is out of date. */
static void check_list(void)
{
    for (const char *line = elsewhere; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char pattern[256], test[256];
        if (sscanf(line, "%255s %255s", pattern, test) != 2 || pattern[0] == '#')
            continue;
        if (!strchr(pattern, '*') && !is_there(pattern))
            PROBLEM("tests/house/tested_elsewhere.txt names %s, which is not there", pattern);
    }
}

static void tests_mirror_sources(void **state)
{
    (void)state;
    house_problems = 0;
    elsewhere = folder_read(OF_TEST_SOURCE "/tests/house/tested_elsewhere.txt", NULL);
    assert_true(house_walk("src", house_is_source, see_mirror) > 50);
    check_list();
    assert_int_equal(house_problems, 0);
    assert_true(has_mirror("src/base/random.c") && has_mirror("src/io/write_container.c"));
    see_mirror("src/base/new.c", "");
    see_mirror("src/base/new.h", "");
    assert_int_equal(house_problems, 1);
    house_problems = 0;
    free(elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_mirror_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
