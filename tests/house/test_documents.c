/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: docs/README.md names each of them, and the sources that they speak of are there. */
#include "support/check.h"
#include "support/folder.h"
#include "support/house.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *listing; /* docs/README.md */

static int is_document(const char *name)
{
    return house_ends_in(name, ".md");
}

static void see_listed(const char *path, const char *text)
{
    (void)text;
    char link[512];
    snprintf(link, sizeof link, "](%s)", path + strlen("docs/"));
    if (strcmp(path, "docs/README.md") != 0 && !strstr(listing, link))
        PROBLEM("%s is not in docs/README.md: give it a line where it belongs in the reading order",
                path);
}

static int is_there(const char *path)
{
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", OF_TEST_SOURCE, path);
    return access(full, R_OK) == 0;
}

/* `src/method/stack.c` and the like: whatever stands between backquotes and looks like a file. */
static void see_sources(const char *path, const char *text)
{
    static const char *const folders[] = {"`src/", "`cli/", "`tests/", "`include/"};
    for (const char *at = text; (at = strchr(at, '`')); at++)
        for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
            char named[256];
            if (strncmp(at, folders[i], strlen(folders[i])) == 0 &&
                sscanf(at, "`%255[a-z0-9_/.]`", named) == 1 && house_is_source(named) &&
                !is_there(named))
                PROBLEM("%s speaks of %s, which is not there", path, named);
        }
}

static void documents_are_listed_and_name_what_is_there(void **state)
{
    (void)state;
    house_problems = 0;
    listing = folder_read(OF_TEST_SOURCE "/docs/README.md", NULL);
    assert_true(house_walk("docs", is_document, see_listed) > 10);
    house_walk("docs", is_document, see_sources);
    assert_int_equal(house_problems, 0);
    see_listed("docs/method.md", "");
    see_sources("docs/x.md", "`src/base/memory.c`, `src/base`, `cli/` and src/base/none.c");
    assert_int_equal(house_problems, 0);
    see_listed("docs/none.md", "");
    see_sources("docs/x.md", "in `src/base/none.c` and (`tests/oracle/none.h`)");
    assert_int_equal(house_problems, 3);
    house_problems = 0;
    free(listing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_listed_and_name_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
