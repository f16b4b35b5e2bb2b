/* SPDX-License-Identifier: Apache-2.0 */
/* What a header of src/ or cli/ offers is called there: not by tests alone, and not by nobody. */
#include "support/check.h"
#include "support/house.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 << 20, DECLARED_AND_DEFINED = 2 };

static char *all; /* every source, without comments */
static size_t size;

static int is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void keep(const char *path, const char *text)
{
    (void)path;
    assert_true(size + strlen(text) + 2 < MOST);
    while (*text) {
        const char *end = strncmp(text, "/*", 2) == 0 ? strstr(text + 2, "*/") : NULL;
        if (end)
            text = end + 2;
        else
            all[size++] = *text++;
    }
    all[size++] = '\n';
    all[size] = '\0';
}

/* How often a name stands in the sources by itself, counted up to one more than it has to. */
static int uses(const char *name, size_t length)
{
    int count = 0;
    for (const char *at = all; count <= DECLARED_AND_DEFINED && (at = strstr(at, name));
         at += length)
        count += !is_part(at[length]) && (at == all || !is_part(at[-1]));
    return count;
}

static void see_header(const char *path, const char *text)
{
    for (const char *at = text; (at = strchr(at, '(')); at++) {
        const char *first = at;
        while (first > text && is_part(first[-1]))
            first--;
        char name[128] = "";
        size_t length = (size_t)(at - first);
        if (length >= sizeof name || (strncmp(first, "of_", 3) && strncmp(first, "cli_", 4)))
            continue;
        memcpy(name, first, length);
        int found = uses(name, length);
        if (found && found <= DECLARED_AND_DEFINED)
            PROBLEM("%s offers %s, which nothing in src/ or cli/ calls", path, name);
    }
}

static int is_header(const char *name)
{
    return house_ends_in(name, ".h");
}

static void what_headers_offer_is_called(void **state)
{
    (void)state;
    house_problems = 0;
    size = 0;
    all = malloc(MOST);
    assert_non_null(all);
    assert_true(house_walk("src", house_is_source, keep) > 50);
    assert_true(house_walk("cli", house_is_source, keep) > 0);
    house_walk("src", is_header, see_header);
    house_walk("cli", is_header, see_header);
    assert_int_equal(house_problems, 0);
    free(all);
}

static void the_check_can_fail(void **state)
{
    (void)state;
    static char made[512];
    all = made;
    size = 0;
    house_problems = 0;
    keep("a.h", "int of_used(int); int of_idle(int); /* of_idle(1) */ int of_idle_not(int);");
    keep("a.c", "int of_used(int a) { return a; } int of_idle(int a) { return of_used(a); }"
                "of_idle_not of_idle_not");
    see_header("a.h", "int of_used(int); int of_idle(int); int of_idle_not(int);");
    assert_int_equal(house_problems, 1);
    house_problems = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_headers_offer_is_called),
        cmocka_unit_test(the_check_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
