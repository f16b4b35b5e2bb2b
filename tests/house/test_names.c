/* SPDX-License-Identifier: Apache-2.0 */
/* Names and words: no two sources have one name (a .c file and the .h file beside it are one), and
 * what is written uses the field's ordinary words. */
#include "support/check.h"
#include "support/house.h"

#include "support/folder.h"

#include <ctype.h>
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

/* ---- words ---- */

/* Words that a reader would have to learn here, each with the ordinary one to write instead. */
static const struct {
    const char *word, *instead;
} private_words[] = {{"foretell", "estimate"},
                     {"foretells", "estimates"},
                     {"foretold", "estimated"},
                     {"outlook", "estimate"},
                     {"reckon", "estimate, assume or compute"},
                     {"reckons", "estimates, assumes or computes"},
                     {"reckoned", "estimated, assumed or computed"},
                     {"mend", "fix"},
                     {"mends", "fixes"},
                     {"mended", "fixed"},
                     {"let go", "released"},
                     {"lets go", "releases"},
                     {"letting go", "releasing"},
                     {"the command by itself", "a single process"},
                     {"made data", "synthetic data"},
                     {"worked out", "computed"},
                     {"works out", "computes"},
                     {"turned over", "transposed"},
                     {"everybody", "every process"},
                     {"anew", "again"}};

/* The word with its first letter at `at`, whole, in any case; a blank in it is any blanks, with the
 * mark of a comment's new line among them. NULL: another word. */
static const char *word_at(const char *text, const char *at, const char *word)
{
    if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
        return NULL;
    for (; *word; word++) {
        if (*word == ' ' && isspace((unsigned char)*at))
            at += strspn(at, " \t\n*");
        else if (tolower((unsigned char)*at) == *word)
            at++;
        else
            return NULL;
    }
    return isalnum((unsigned char)*at) || *at == '_' ? NULL : at;
}

static void see_words(const char *path, const char *text)
{
    size_t line = 1;
    for (const char *at = text; *at; line += *at == '\n', at++)
        for (size_t i = 0; i < sizeof private_words / sizeof *private_words; i++)
            if (word_at(text, at, private_words[i].word))
                PROBLEM("%s:%zu: \"%s\": write %s", path, line, private_words[i].word,
                        private_words[i].instead);
}

static int is_read(const char *name)
{
    return house_is_source(name) || house_ends_in(name, ".md") || house_ends_in(name, ".1") ||
           house_ends_in(name, ".sh") || house_ends_in(name, ".py");
}

static void what_is_written_uses_ordinary_words(void **state)
{
    (void)state;
    static const char *const folders[] = {"src", "cli", "include", "docs", "man", "examples"};
    house_problems = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_true(house_walk(folders[i], is_read, see_words) > 0);
    static const char *const files[] = {"README.md", "CHANGELOG.md"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char full[4096];
        snprintf(full, sizeof full, "%s/%s", OF_TEST_SOURCE, files[i]);
        char *text = folder_read(full, NULL);
        see_words(files[i], text);
        free(text);
    }
    assert_int_equal(house_problems, 0);
    see_words("x.md", "amended, recommend; each view by itself; they let gold flow; unreckoned_");
    assert_int_equal(house_problems, 0);
    see_words("x.md", "Reckoned\nas if the command\nby itself (foretold)");
    see_words("x.c", "/* pages that are let\n * go */");
    assert_int_equal(house_problems, 4);
    house_problems = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_sources_have_one_name),
        cmocka_unit_test(what_is_written_uses_ordinary_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
