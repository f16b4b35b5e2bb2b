/* SPDX-License-Identifier: Apache-2.0 */
/* Sheets: the same content as Markdown and as text, byte for byte. */
#include "sheet.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

static char *written(int markdown, int unicode, int strong)
{
    char *text = NULL;
    size_t size;
    CLI_SCRATCH(arena);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cli_sheet sheet = cli_sheet_make(
        &arena, (cli_screen){.file = out, .unicode = unicode, .colour = strong}, markdown);
    cli_sheet_heading(&sheet, 2, "A %s", "heading");
    cli_sheet_paragraph(&sheet, "Words that are many enough to fill a line and to be carried over "
                                "to the next one, by the \x1b[31m word.");
    cli_sheet_table(&sheet, "lrl");
    cli_sheet_cell(&sheet, 0, "name");
    cli_sheet_cell(&sheet, 0, "score");
    cli_sheet_cell(&sheet, 0, "note");
    cli_sheet_cell(&sheet, 0, "a|b");
    cli_sheet_cell(&sheet, 1, "65.5%s0.3", cli_sheet_spread(&sheet));
    cli_sheet_cell(&sheet, 0, "%s", "");
    cli_sheet_cell(&sheet, 0, "%s", "");
    cli_sheet_cell(&sheet, 0, "7");
    cli_sheet_cell(&sheet, 0, "last");
    cli_sheet_table_end(&sheet);
    cli_sheet_item(&sheet, "one");
    CHECK_OK(cli_sheet_end(&sheet));
    assert_int_equal(fclose(out), 0);
    return text;
}

static void as_markdown(void **state)
{
    (void)state;
    char *text = written(1, 0, 1);
    assert_string_equal(text,
                        "## A heading\n\n"
                        "Words that are many enough to fill a line and to be carried over to the "
                        "next one, by the \\x1b[31m word.\n\n"
                        "| name | score | note |\n"
                        "| --- | ---: | --- |\n"
                        "| a/b | **65.5 \xc2\xb1 0.3** |  |\n"
                        "|  | 7 | last |\n"
                        "- one\n");
    free(text);
}

static void as_text(void **state)
{
    (void)state;
    char *text = written(0, 0, 0);
    assert_string_equal(text, "A heading\n\n"
                              "Words that are many enough to fill a line and to be carried over to "
                              "the next\none, by the \\x1b[31m word.\n\n"
                              "  name        score  note\n"
                              "  a|b   65.5 +- 0.3\n"
                              "                  7  last\n"
                              "- one\n");
    free(text);
    text = written(0, 1, 1);
    assert_non_null(strstr(text, "\033[1m65.5 \xc2\xb1 0.3\033[0m\n"));
    assert_non_null(strstr(text, "  name       score  note\n")); /* one column less than in ASCII */
    free(text);
}

static void as_latex(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    CLI_SCRATCH(arena);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cli_sheet sheet = cli_sheet_make(&arena, (cli_screen){.file = out, .colour = 1}, 1);
    cli_sheet_latex(&sheet);
    cli_sheet_heading(&sheet, 1, "50%% of A_1 & B");
    cli_sheet_titled(&sheet, "lr", "a {caption}", "x < y\\z");
    cli_sheet_cell(&sheet, 0, "set\tm~1");
    cli_sheet_cell(&sheet, 0, "a#");
    cli_sheet_cell(&sheet, CLI_SHEET_BEST, "65.5%s0.3", cli_sheet_spread(&sheet));
    cli_sheet_cell(&sheet, 0, "b");
    cli_sheet_cell(&sheet, CLI_SHEET_SECOND, "$7^2");
    cli_sheet_table_end(&sheet);
    cli_sheet_item(&sheet, "one");
    CHECK_OK(cli_sheet_end(&sheet));
    assert_int_equal(fclose(out), 0);
    assert_string_equal(
        text, "\\section*{50\\% of A\\_1 \\& B}\n\n"
              "\\begin{table}[htbp]\n\\centering\\small\n\\caption{a \\{caption\\}}\n"
              "\\setlength{\\tabcolsep}{4pt}\n\\sbox0{\\begin{tabular}{@{}lr@{}}\n\\toprule\n"
              "  set & m\\textasciitilde{}1 \\\\\n\\midrule\n"
              "  a\\# & \\textbf{65.5 $\\pm$ 0.3} \\\\\n"
              "  b & \\underline{\\$7\\textasciicircum{}2} \\\\\n\\bottomrule\n\\end{tabular}}\n"
              "\\ifdim\\wd0>\\textwidth\\resizebox{\\textwidth}{!}{\\usebox0}\\else\\usebox0\\fi\n"
              "\n\\medskip\\parbox{\\textwidth}{\\footnotesize x $<$ y\\textbackslash{}z}\n"
              "\\end{table}\n\n\\noindent\\textbullet\\ one\\par\n");
    free(text);
}

static void nowhere_to_write(void **state)
{
    (void)state;
    CLI_SCRATCH(arena);
    FILE *out = fopen("/dev/full", "w");
    assert_non_null(out);
    cli_sheet sheet = cli_sheet_make(&arena, (cli_screen){.file = out}, 0);
    cli_sheet_paragraph(&sheet, "something");
    assert_int_equal(cli_sheet_end(&sheet), ONEFOLD_IO);
    assert_non_null(strstr(cli_last_error(), "the report cannot be written"));
    fclose(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_markdown),
        cmocka_unit_test(as_text),
        cmocka_unit_test(as_latex),
        cmocka_unit_test(nowhere_to_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
