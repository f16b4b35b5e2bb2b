/* SPDX-License-Identifier: Apache-2.0 */
/* Names: no two sources have one. A .c file and the .h file beside it are one source. */
#include "support/check.h"
#include "support/house.h"

#include <stdlib.h>
#include <string.h>

/* Paths of the sources seen so far, without their endings, each once. */
static char (*seen)[256];
static size_t seen_count;

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void see_name(const char *path, const char *text)
{
    (void)text;
    char stem[256];
    snprintf(stem, sizeof stem, "%.*s", (int)(strrchr(path, '.') - path), path);
    for (size_t i = 0; i < seen_count; i++) {
        if (strcmp(seen[i], stem) == 0)
            return;
        if (strcmp(base_of(seen[i]), base_of(stem)) == 0)
            PROBLEM("%s and %s have one name: name each for what it holds", seen[i], path);
    }
    seen = realloc(seen, (seen_count + 1) * sizeof *seen);
    assert_non_null(seen);
    strcpy(seen[seen_count++], stem);
}

static void no_two_sources_have_one_name(void **state)
{
    (void)state;
    house_problems = 0;
    assert_true(house_walk("src", house_is_source, see_name) > 50);
    assert_true(house_walk("cli", house_is_source, see_name) > 0);
    assert_int_equal(house_problems, 0);
    see_name("src/base/memory.h", "");
    see_name("src/base/new.c", "");
    assert_int_equal(house_problems, 0);
    see_name("src/io/memory.c", "");
    see_name("cli/new.h", "");
    assert_int_equal(house_problems, 2);
    house_problems = 0;
    free(seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_sources_have_one_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
