/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The house keeps its order: includes go down only, threads and MPI stay in their one file, the
 * library does not print or end the process, and every file says its licence.
 */
#include "support/check.h"
#include "support/house.h"

#include <ctype.h>
#include <string.h>

/* Calls go from the end of this list to its start. */
static const char *const order[] = {"base",      "linalg", "score",      "data",  "kernel",
                                    "partition", "method", "comm",       "model", "io",
                                    "report",    "peers",  "experiment", "cli"};
enum { FOLDERS = sizeof order / sizeof *order };

/* Includes that the order would allow, and a part is meant to do without. */
static const struct {
    const char *from, *to;
} kept_apart[] = {{"comm", "data"},      {"comm", "io"},     {"comm", "kernel"},
                  {"comm", "partition"}, {"comm", "method"}, {"comm", "score"}};

/* libonefold-bench: it sees one header of the engine, and what reads and writes its files. */
static const char *const bench[] = {"peers", "experiment"};
static const char *const bench_sees[] = {"model/engine.h", "io/file.h", "io/json_build.h"};

/* Text that only one file may hold. */
static const struct {
    const char *text, *file;
} only_in[] = {{"#include <mpi.h>", "src/comm/join.c"}, {"pthread_create(", "src/base/team.c"}};

/* Calls that the library does not make: it never prints or ends the process. */
static const char *const never_called[] = {"printf", "vprintf", "fprintf", "vfprintf",
                                           "puts",   "fputs",   "putchar", "perror",
                                           "exit",   "_exit",   "abort",   "assert"};

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

static int is_bench(const char *folder, size_t length)
{
    for (size_t i = 0; i < sizeof bench / sizeof *bench; i++)
        if (strlen(bench[i]) == length && strncmp(bench[i], folder, length) == 0)
            return 1;
    return 0;
}

/* What libonefold-bench includes is its own, or of the three headers. */
static void check_bench(const char *path, const char *included)
{
    int seen = is_bench(included, strcspn(included, "/"));
    for (size_t i = 0; i < sizeof bench_sees / sizeof *bench_sees; i++)
        seen |= strcmp(included, bench_sees[i]) == 0;
    if (!seen)
        PROBLEM("%s includes \"%s\": libonefold-bench sees the engine through model/engine.h", path,
                included);
}

static void check_include(const char *path, int from, const char *included)
{
    const char *slash = strchr(included, '/');
    if (!slash) {
        if (strcmp(included, "onefold.h") != 0 && from != FOLDERS - 1)
            PROBLEM("%s includes \"%s\" without its folder", path, included);
        return;
    }
    if (from == FOLDERS - 1 && strcmp(included, "base/number.h") == 0)
        return; /* the command compiles that one file of the library, too */
    if (from == FOLDERS - 1) {
        PROBLEM("%s includes \"%s\": the command sees the library through onefold.h alone", path,
                included);
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
    if (to >= 0 && to <= from && is_bench(order[from], strlen(order[from])))
        check_bench(path, included);
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
    house_problems = 0;
    assert_true(house_walk("src", house_is_source, see_includes) > 50);
    assert_true(house_walk("cli", house_is_source, see_includes) > 0);
    assert_int_equal(house_problems, 0);
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
                 {"src/model/a.c", "#include \"io/file.h\"\n", 1},
                 {"src/report/a.c", "#include \"experiment/experiment.h\"\n", 1},
                 {"src/method/a.c", "#include \"peers/common.h\"\n", 1},
                 {"src/experiment/a.c", "#include \"peers/common.h\"\n#include \"io/file.h\"\n", 0},
                 {"src/peers/a.c", "#include \"model/engine.h\"\n#include \"linalg/blas.h\"\n", 1},
                 {"src/experiment/a.c", "#include \"report/report.h\"\n", 1},
                 {"src/odd/a.c", "", 1},
                 {"cli/main.c", "#include \"options.h\"\n#include \"onefold.h\"\n", 0},
                 {"cli/main.c", "#include \"base/number.h\"\n", 0},
                 {"cli/main.c", "#include \"options.h\"\n#include \"model/fit.h\"\n", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        house_problems = 0;
        see_includes(cases[c].path, cases[c].text);
        assert_int_equal(house_problems, cases[c].found);
    }
    house_problems = 0;
}

/* The engine knows the default and OS-LFMVC-CS; other methods register (method/bench.h). */
static void see_methods(const char *path, const char *text)
{
    static const char *const others[] = {"avg-kkm", "sb-kkm", "mkkm", "rmsc",
                                         "fmkkm",   "fmr",    "lsgmc"};
    int place = place_of_file(path);
    if (place > place_of("model", 5))
        return;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (const char *at = text; (at = strstr(at, others[i])); at++)
            if (!isalpha((unsigned char)at[-1]) && !isalpha((unsigned char)at[strlen(others[i])]))
                PROBLEM("%s names the method %s, which the engine does not have", path, others[i]);
}

static void the_engine_names_no_other_method(void **state)
{
    (void)state;
    house_problems = 0;
    assert_true(house_walk("src", house_is_source, see_methods) > 50);
    assert_int_equal(house_problems, 0);
    see_methods("src/model/x.c", "of_hint(status, \"use mkkm or avg-kkm\");");
    see_methods("src/peers/x.c", "{.name = \"mkkm\"}");
    assert_int_equal(house_problems, 2);
    house_problems = 0;
}

/* ---- flags ---- */

/* Past the string or comment that starts here; *text is set where it was a string. */
static const char *skip_piece(const char *at, const char **text, size_t *length)
{
    const char *start = at + 1;
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    for (at++; *at && *at != '"'; at++)
        at += at[0] == '\\' && at[1];
    *text = start;
    *length = (size_t)(at - start);
    return *at ? at + 1 : at;
}

/* The library does not know the command's flags: its texts name fields. */
static void see_flags(const char *path, const char *text)
{
    for (const char *at = text; *at;) {
        const char *string = NULL;
        size_t length = 0;
        if (at[0] == '\'' && at[1] && at[2]) { /* a character may be a quote */
            at += at[1] == '\\' ? 4 : 3;
            continue;
        }
        if (at[0] != '"' && !(at[0] == '/' && at[1] == '*')) {
            at++;
            continue;
        }
        at = skip_piece(at, &string, &length);
        for (size_t i = 0; string && i + 2 < length; i++)
            if (string[i] == '-' && string[i + 1] == '-' && islower((unsigned char)string[i + 2]) &&
                (i == 0 || string[i - 1] != '!'))
                PROBLEM("%s speaks of a flag: %.*s", path, (int)(length - i < 20 ? length - i : 20),
                        string + i);
    }
}

static void the_library_knows_no_flags(void **state)
{
    (void)state;
    house_problems = 0;
    assert_true(house_walk("src", house_is_source, see_flags) > 50);
    assert_int_equal(house_problems, 0);
}

static void the_check_of_flags_can_fail(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int found;
    } cases[] = {{"of_hint(s, \"give --clusters N\");", 1},
                 {"/* --clusters */ of_hint(s, \"give `clusters`\"); i--; j --k;", 0},
                 {"c == '\"' ? \"a\" : \"b --x --y\"", 2},
                 {"\"a \\\" --flag\"", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        house_problems = 0;
        see_flags("src/a.c", cases[c].text);
        assert_int_equal(house_problems, cases[c].found);
    }
    house_problems = 0;
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
    house_problems = 0;
    house_walk("src", house_is_source, see_text);
    house_walk("src", house_is_source, see_calls);
    house_walk("cli", house_is_source, see_text);
    assert_int_equal(house_problems, 0);
    see_calls("src/x.c", "a = snprintf(text, 3); myexit(1); /* exit */");
    assert_int_equal(house_problems, 0);
    see_calls("src/x.c", "if (bad)\n    exit(1);");
    see_text("src/io/x.c", "pthread_create(&thread, NULL, run, NULL);");
    assert_int_equal(house_problems, 2);
    house_problems = 0;
}

/* ---- reads of HDF5 ---- */

static int reads_of_hdf;

static void see_reads(const char *path, const char *text)
{
    static const char *const readers[] = {"H5Aread", "H5Dread"};
    (void)path;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        for (const char *at = text; (at = strstr(at, readers[i])); at++)
            reads_of_hdf++;
}

/* One function reads, and counts first what there is: each of HDF5's two is called once. */
static void one_function_reads_hdf5(void **state)
{
    (void)state;
    reads_of_hdf = 0;
    house_walk("src", house_is_source, see_reads);
    assert_int_equal(reads_of_hdf, 2);
    see_reads("src/x.c", "H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out)");
    assert_int_equal(reads_of_hdf, 3);
}

/* ---- numbers and text ---- */

/* The text of a call's arguments, from its opening bracket on, without what is no string: "" where
 * no format is written out. */
static const char *strings_of(const char *at, char strings[4096])
{
    size_t length = 0;
    int depth = 0, quoted = 0;
    for (; *at && length < 4000; at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (quoted)
            strings[length++] = *at;
        else if ((depth += (*at == '(') - (*at == ')')) == 0)
            break;
    }
    strings[length] = '\0';
    return strings;
}

/* Whether a format has a conversion of a floating-point number; "%%" is none. */
static int formats_a_real(const char *format)
{
    while ((format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, "-+ #0123456789.*lL");
        if (*format && strchr("aAeEfFgG", *format))
            return 1;
        format += *format == '%';
    }
    return 0;
}

/* The C library's functions turn numbers into text, and back, in the locale of the program: only
 * src/base/number.c calls them, in the locale "C". A list of arguments can have numbers in it. */
static void see_numbers(const char *path, const char *text)
{
    static const char *const readers[] = {"strtod", "strtof",    "strtold",   "strtod_l",
                                          "atof",   "setlocale", "uselocale", "localeconv"};
    static const char *const printers[] = {"printf",   "fprintf", "sprintf", "snprintf", "dprintf",
                                           "asprintf", "scanf",   "fscanf",  "sscanf"};
    static const char *const lists[] = {"vprintf",   "vfprintf", "vsprintf",
                                        "vsnprintf", "vdprintf", "vasprintf"};
    if (strcmp(path, "src/base/number.c") == 0)
        return;
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        if (calls(text, readers[i]) &&
            (strcmp(path, "cli/main.c") != 0 || strcmp(readers[i], "setlocale") != 0))
            PROBLEM("%s calls %s: src/base/number.h reads numbers", path, readers[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (calls(text, lists[i]))
            PROBLEM("%s calls %s: of_number_print_list does", path, lists[i]);
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++) {
        size_t length = strlen(printers[i]);
        for (const char *at = text; (at = strstr(at, printers[i])); at += length) {
            char strings[4096];
            int starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
            if (starts && at[length] == '(' && formats_a_real(strings_of(at + length, strings)))
                PROBLEM("%s formats a number by %s: of_number_print does: %.40s", path, printers[i],
                        strings);
        }
    }
}

static int is_compiled(const char *name)
{
    return house_is_source(name) || house_ends_in(name, ".cu") || house_ends_in(name, ".cuh");
}

static void one_file_turns_numbers_into_text_and_back(void **state)
{
    (void)state;
    house_problems = 0;
    assert_true(house_walk("src", is_compiled, see_numbers) > 50);
    assert_true(house_walk("cli", is_compiled, see_numbers) > 10);
    assert_int_equal(house_problems, 0);
    static const struct {
        const char *text;
        int found;
    } cases[] = {{"snprintf(t, 8, \"%zu of %d %% good\", f(a, b), c); fail(\"%g\", x);", 0},
                 {"snprintf(t, 8, \"%s: %5.2f\", name(x), y);", 1},
                 {"printf(big ? \"%d\" : \"%-*.3g\", y);", 1},
                 {"fprintf(out,\n        \"a\"\n        \"%.17g\", y);", 1},
                 {"sscanf(line, \"%lf\", &y); x = strtod(line, NULL);", 2},
                 {"of_number_print(t, 8, \"%g\", y); my_strtod(x);", 0},
                 {"vsnprintf(t, 8, format, list); setlocale(LC_ALL, \"\");", 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        house_problems = 0;
        see_numbers("src/a.c", cases[c].text);
        assert_int_equal(house_problems, cases[c].found);
    }
    house_problems = 0;
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
    house_problems = 0;
    size_t seen = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        seen += house_walk(folders[i], house_is_ours, see_licence);
    assert_true(seen > 100);
    assert_int_equal(house_problems, 0);
    see_licence("x.c", "/* mine */\n\n\n/* SPDX-License-Identifier: Apache-2.0 */\n");
    see_licence("x.c", "");
    assert_int_equal(house_problems, 2);
    house_problems = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(includes_go_down_only),
        cmocka_unit_test(the_check_of_includes_can_fail),
        cmocka_unit_test(the_engine_names_no_other_method),
        cmocka_unit_test(the_library_knows_no_flags),
        cmocka_unit_test(the_check_of_flags_can_fail),
        cmocka_unit_test(the_library_keeps_to_itself),
        cmocka_unit_test(one_function_reads_hdf5),
        cmocka_unit_test(one_file_turns_numbers_into_text_and_back),
        cmocka_unit_test(every_file_says_its_licence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
