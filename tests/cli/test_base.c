/* SPDX-License-Identifier: Apache-2.0 */
/* Names that are not ours, as they are printed and as they are exported. */
#include "base.h"

#include "screen.h"
#include "support/check.h"

#include <stdlib.h>

static void formulas_of_spreadsheets_are_known(void **state)
{
    (void)state;
    static const char *const formulas[] = {"=1",           "+a",           "-1",
                                           "@x",           "\t=1",         "\rx",
                                           "\nx",          " =1",          "\xef\xbc\x9d=",
                                           "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    static const char *const others[] = {"", "a=1", "'=1", "1", "\xef\xbc\x8c", " a", "\xef\xbc"};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        assert_true(cli_is_formula(formulas[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(cli_is_formula(others[i]));
}

static void cells_are_quoted_guarded_and_shown(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int how;
        const char *cell;
    } cases[] = {{"plain", 0, "plain"},
                 {"plain", CLI_CELL_QUOTED, "\"plain\""},
                 {"a,\"b\"", 0, "\"a,\"\"b\"\"\""},
                 {"=1", 0, "=1"},
                 {"=1", CLI_CELL_GUARDED, "'=1"},
                 {"=1,2", CLI_CELL_GUARDED, "\"'=1,2\""},
                 {"a\nb", CLI_CELL_SHOWN, "\"a\\x0ab\""},
                 {"a\nb", 0, "\"a\nb\""},
                 {"\x1b[31m", CLI_CELL_SHOWN, "\\x1b[31m"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        cli_print_cell(out, cases[i].text, cases[i].how);
        fclose(out);
        assert_string_equal(text, cases[i].cell);
        free(text);
    }
}

/* Line breaks of a format are line breaks; those of what is put into it are not. */
static void a_name_begins_no_line(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    cli_screen screen = {.file = open_memstream(&text, &size)};
    cli_put(&screen, CLI_PLAIN, "\n%s: %s\n\n", "a\nb", "c\r\x1b[1m\n");
    cli_put(&screen, CLI_PLAIN, "%s", "\nd\n");
    cli_put(&screen, CLI_PLAIN, "\n");
    fclose(screen.file);
    assert_string_equal(text, "\na\\x0ab: c\\x0d\\x1b[1m\\x0a\n\n\\x0ad\\x0a\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_of_spreadsheets_are_known),
        cmocka_unit_test(cells_are_quoted_guarded_and_shown),
        cmocka_unit_test(a_name_begins_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
