/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The house keeps its order: includes go down only, OpenMP and MPI stay in their one file, the
 * library does not print or end the process, every file says its licence, and tests mirror sources.
 */
#include "support/check.h"
#include "support/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls go from the end of this list to its start. */
static const char *const order[] = {"base",   "linalg", "data", "io",    "kernel", "partition",
                                    "method", "score",  "comm", "model", "report", "cli"};
enum { FOLDERS = sizeof order / sizeof *order };

/* Includes that the order would allow, and a part is meant to do without. */
static const struct {
    const char *from, *to;
} kept_apart[] = {{"score", "data"},      {"score", "io"},     {"score", "kernel"},
                  {"score", "partition"}, {"score", "method"}, {"comm", "data"},
                  {"comm", "io"},         {"comm", "kernel"},  {"comm", "partition"},
                  {"comm", "method"},     {"comm", "score"}};

/* Text that only one file may hold. */
static const struct {
    const char *text, *file;
} only_in[] = {{"#include <mpi.h>", "src/comm/mpi.c"},
               {"#include <omp.h>", "src/base/team.c"},
               {"#pragma omp", "src/base/team.c"}};

/* Calls that the library does not make: it never prints or ends the process. */
static const char *const never_called[] = {"printf", "vprintf", "fprintf", "vfprintf",
                                           "puts",   "fputs",   "putchar", "perror",
                                           "exit",   "_exit",   "abort",   "assert"};

static int problems;

#define PROBLEM(...)                                                                               \
    do {                                                                                           \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        problems++;                                                                                \
    } while (0)

/* ---- walking ---- */

typedef void (*visit)(const char *path, const char *text);

static int ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length >= size && strcmp(name + length - size, ending) == 0;
}

static int is_source(const char *name)
{
    return ends_in(name, ".c") || ends_in(name, ".h");
}

static int is_ours(const char *name)
{
    static const char *const endings[] = {".c",  ".h",        ".py",  ".sh",           ".cmake",
                                          ".js", ".cmake.in", ".map", "CMakeLists.txt"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_in(name, endings[i]))
            return 1;
    return 0;
}

/* Calls `see` with the path from the top of the project and the text of every file wanted. */
static size_t walk(const char *folder, int (*wanted)(const char *name), visit see)
{
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", OF_TEST_SOURCE, folder);
    DIR *directory = opendir(full);
    size_t seen = 0;
    if (!directory)
        return 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[2048];
        struct stat about;
        snprintf(path, sizeof path, "%.1000s/%.1000s", folder, entry->d_name);
        snprintf(full, sizeof full, "%s/%s", OF_TEST_SOURCE, path);
        if (stat(full, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode)) {
            seen += walk(path, wanted, see);
        } else if (wanted(entry->d_name)) {
            char *text = folder_read(full, NULL);
            see(path, text);
            free(text);
            seen++;
        }
    }
    closedir(directory);
    return seen;
}

/* ---- includes ---- */

static int place_of(const char *folder, size_t length)
{
    for (int i = 0; i < FOLDERS; i++)
        if (strlen(order[i]) == length && strncmp(order[i], folder, length) == 0)
            return i;
    return -1;
}

/* The folder of "src/io/read.c" is io, that of "cli/main.c" is cli. */
static int place_of_file(const char *path)
{
    if (strncmp(path, "src/", 4) == 0)
        path += 4;
    return place_of(path, strcspn(path, "/"));
}

static void check_include(const char *path, int from, const char *included)
{
    const char *slash = strchr(included, '/');
    if (!slash) {
        if (strcmp(included, "onefold.h") != 0 && from != FOLDERS - 1)
            PROBLEM("%s includes \"%s\" without its folder", path, included);
        return;
    }
    int to = place_of(included, (size_t)(slash - included));
    if (to < 0)
        PROBLEM("%s includes \"%s\", whose folder is not in the order", path, included);
    else if (to > from)
        PROBLEM("%s includes \"%s\": %s may not call up to %s", path, included, order[from],
                order[to]);
    else
        for (size_t i = 0; i < sizeof kept_apart / sizeof *kept_apart; i++)
            if (strcmp(order[from], kept_apart[i].from) == 0 &&
                strcmp(order[to], kept_apart[i].to) == 0)
                PROBLEM("%s includes \"%s\": %s is kept apart from %s", path, included, order[from],
                        order[to]);
}

static void see_includes(const char *path, const char *text)
{
    int from = place_of_file(path);
    if (from < 0) {
        PROBLEM("%s is in a folder that is not in the order", path);
        return;
    }
    for (const char *at = text; (at = strstr(at, "#include \"")); at++) {
        char included[256] = "";
        if (sscanf(at, "#include \"%255[^\"]\"", included) == 1)
            check_include(path, from, included);
    }
}

static void includes_go_down_only(void **state)
{
    (void)state;
    problems = 0;
    assert_true(walk("src", is_source, see_includes) > 50);
    assert_true(walk("cli", is_source, see_includes) > 0);
    assert_int_equal(problems, 0);
}

/* The check itself: what it must find, and what it must let pass. */
static void the_check_of_includes_can_fail(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
        int found;
    } cases[] = {{"src/io/a.c", "#include \"data/view.h\"\n#include \"onefold.h\"\n", 0},
                 {"src/data/a.h", "x\n#include \"io/read.h\"\n", 1},
                 {"src/base/a.c", "#include \"cli/options.h\"\n", 1},
                 {"src/kernel/a.c", "#include \"method/method.h\"\n#include \"model/fit.h\"\n", 2},
                 {"src/score/a.c", "#include \"base/memory.h\"\n#include \"data/view.h\"\n", 1},
                 {"src/io/a.c", "#include \"file.h\"\n", 1},
                 {"src/odd/a.c", "", 1},
                 {"cli/main.c", "#include \"options.h\"\n#include \"model/fit.h\"\n", 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        problems = 0;
        see_includes(cases[c].path, cases[c].text);
        assert_int_equal(problems, cases[c].found);
    }
    problems = 0;
}

/* ---- what a file may hold ---- */

static void see_text(const char *path, const char *text)
{
    for (size_t i = 0; i < sizeof only_in / sizeof *only_in; i++)
        if (strstr(text, only_in[i].text) && strcmp(path, only_in[i].file) != 0)
            PROBLEM("%s has \"%s\", which belongs in %s", path, only_in[i].text, only_in[i].file);
    static const char *const unfinished[] = {"TODO", "FIXME", "XXX:"};
    for (size_t i = 0; i < sizeof unfinished / sizeof *unfinished; i++)
        if (strstr(text, unfinished[i]))
            PROBLEM("%s has a %s", path, unfinished[i]);
}

/* A call is the name, not part of a longer one, with a bracket after it. */
static int calls(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length) {
        int starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (starts && at[length] == '(')
            return 1;
    }
    return 0;
}

static void see_calls(const char *path, const char *text)
{
    for (size_t i = 0; i < sizeof never_called / sizeof *never_called; i++)
        if (calls(text, never_called[i]))
            PROBLEM("%s calls %s: the library never prints or ends the process", path,
                    never_called[i]);
}

static void the_library_keeps_to_itself(void **state)
{
    (void)state;
    problems = 0;
    walk("src", is_source, see_text);
    walk("src", is_source, see_calls);
    walk("cli", is_source, see_text);
    assert_int_equal(problems, 0);
    see_calls("src/x.c", "a = snprintf(text, 3); myexit(1); /* exit */");
    assert_int_equal(problems, 0);
    see_calls("src/x.c", "if (bad)\n    exit(1);");
    see_text("src/io/x.c", "#pragma omp parallel");
    assert_int_equal(problems, 2);
    problems = 0;
}

/* ---- licences ---- */

/* In the first three lines: a script's first line names its interpreter. */
static void see_licence(const char *path, const char *text)
{
    size_t length = 0;
    for (int line = 0; line < 3 && text[length]; line++) {
        length += strcspn(text + length, "\n");
        length += text[length] == '\n';
    }
    const char *mark = "SPDX-License-Identifier: Apache-2.0";
    const char *at = strstr(text, mark);
    if (!at || at + strlen(mark) > text + length)
        PROBLEM("%s does not start with its licence (%s)", path, mark);
}

static void every_file_says_its_licence(void **state)
{
    (void)state;
    static const char *const folders[] = {"src",   "cli",  "include",  "tests",
                                          "tools", "fuzz", "examples", "cmake",
                                          "bench", "web",  "bindings"};
    problems = 0;
    size_t seen = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        seen += walk(folders[i], is_ours, see_licence);
    assert_true(seen > 100);
    assert_int_equal(problems, 0);
    see_licence("x.c", "/* mine */\n\n\n/* SPDX-License-Identifier: Apache-2.0 */\n");
    see_licence("x.c", "");
    assert_int_equal(problems, 2);
    problems = 0;
}

/* ---- tests mirror sources ---- */

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

/* src/io/write_zip.c is tested by tests/io/test_write_zip.c, or by tests/io/test_write.c. */
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
    if (!ends_in(path, ".c") || has_mirror(path))
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
    problems = 0;
    elsewhere = folder_read(OF_TEST_SOURCE "/tests/house/tested_elsewhere.txt", NULL);
    assert_true(walk("src", is_source, see_mirror) > 50);
    check_list();
    assert_int_equal(problems, 0);
    assert_true(has_mirror("src/base/random.c") && has_mirror("src/io/write_deflate.c"));
    see_mirror("src/base/new.c", "");
    see_mirror("src/base/new.h", "");
    assert_int_equal(problems, 1);
    problems = 0;
    free(elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(includes_go_down_only),
        cmocka_unit_test(the_check_of_includes_can_fail),
        cmocka_unit_test(the_library_keeps_to_itself),
        cmocka_unit_test(every_file_says_its_licence),
        cmocka_unit_test(tests_mirror_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
