/* SPDX-License-Identifier: Apache-2.0 */
/* docs/reliability.md promises nothing, and docs/threats.md says nothing, without a test that is
 * there. */
#include "support/check.h"
#include "support/folder.h"
#include "support/house.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_there(const char *folder, const char *before, const char *name, const char *end)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/%s%s%s%s", OF_TEST_SOURCE, folder, before, name, end);
    return access(path, R_OK) == 0;
}

/* A test of C or a script, by the name it is run under; a few have a file of another name. */
static int is_test(const char *name)
{
    static const char *const others[][2] = {{"faults/calls", "faults/run.sh"},
                                            {"faults/failures", "faults/failures.c"},
                                            {"io/hostile_hdf", "io/hostile_hdf.py"},
                                            {"mpi/failures", "comm/fit.sh"},
                                            {"mpi/join", "comm/test_mpi.c"}};
    char folder[64], rest[128], plain[128];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i][0]) == 0)
            return is_there("", "", others[i][1], "");
    if (sscanf(name, "%63[a-z]/%127s", folder, rest) != 2)
        return 0;
    snprintf(plain, sizeof plain, "%s", rest);
    plain[strcspn(plain, "-")] = '\0'; /* the same with other kernels */
    return is_there(folder, "/test_", plain, ".c") || is_there(folder, "/", rest, ".sh");
}

/* The tests that a row names in its second cell; a stage of ./dev test counts. */
static size_t tests_of(const char *page, const char *row)
{
    size_t count = 0;
    const char *at = strstr(row, " | "), *end = at ? strstr(at + 3, " |") : NULL;
    for (; at && end && at < end; at++) {
        char name[128];
        if (*at != '`' || sscanf(at, "`%127[a-z0-9_/-]`", name) != 1 || !strchr(name, '/'))
            continue;
        if (is_test(name))
            count++;
        else
            PROBLEM("%s names %s, which is no test", page, name);
        at = strchr(at + 1, '`');
    }
    return count;
}

/* The rows of the tables from `text` to its end, each with a test; how many there are. */
static size_t rows_with_tests(const char *page, char *text)
{
    char *rest;
    size_t rows = 0;
    for (char *row = strtok_r(text, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        if (row[0] != '|' || strncmp(row, "| ---", 5) == 0 || strstr(row, "by |"))
            continue;
        rows++;
        if (tests_of(page, row) == 0)
            PROBLEM("%s: no test holds: %.80s", page, row);
    }
    return rows;
}

static void every_promise_has_a_test(void **state)
{
    (void)state;
    house_problems = 0;
    const char *page = "docs/reliability.md";
    char *text = folder_read(OF_TEST_SOURCE "/docs/reliability.md", NULL);
    char *table = strstr(text, "| promise | held by |"), *end = strstr(text, "## Not promised");
    assert_true(table && end && table < end);
    *end = '\0';
    assert_true(rows_with_tests(page, table) > 20);
    assert_int_equal(house_problems, 0);
    assert_int_equal(tests_of(page, "| a | `io/none_of_these` | b |"), 0);
    assert_int_equal(tests_of(page, "| a | by hand | `io/write` |"), 0);
    assert_int_equal(house_problems, 1);
    free(text);
}

/* Beside headings and tables, the page has one sentence, which says what it is. */
static void every_threat_has_a_test(void **state)
{
    (void)state;
    house_problems = 0;
    char *text = folder_read(OF_TEST_SOURCE "/docs/threats.md", NULL);
    size_t lines = 0, sections = 0;
    for (char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        sections += strncmp(at, "## ", 3) == 0;
        lines += !strchr("#|\n", *at);
    }
    assert_int_equal(lines, 1);
    assert_true(sections >= 7);
    assert_true(rows_with_tests("docs/threats.md", text) > 40);
    assert_int_equal(house_problems, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_promise_has_a_test),
                                       cmocka_unit_test(every_threat_has_a_test)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
