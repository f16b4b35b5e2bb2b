/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings: the same marks as SVG and PDF, and charts of data that are hard to draw. */
#include "drawing.h"

#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* Both forms of a drawing; every text of it is in both. */
static void write_both(const cli_drawing *drawing, char **svg, char **pdf)
{
    size_t size, texts = 0;
    CHECK_OK(cli_drawing_svg(drawing, svg, &size));
    assert_int_equal(strlen(*svg), size);
    CHECK_OK(cli_drawing_pdf(drawing, pdf, &size));
    assert_int_equal(strlen(*pdf), size); /* these drawings have no zero bytes */
    for (size_t i = 0; i < drawing->count; i++)
        texts += drawing->mark[i].kind == 't';
    assert_int_equal(count_of(*svg, "<text "), texts);
    assert_int_equal(count_of(*pdf, " Tj ET"), texts);
    assert_null(strstr(*svg, "nan"));
    assert_null(strstr(*svg, "inf"));
    assert_null(strstr(*pdf, "nan"));
    assert_null(strstr(*pdf, "inf"));
}

static void texts_are_escaped(void **state)
{
    (void)state;
    CLI_SCRATCH(arena);
    char *svg, *pdf;
    cli_drawing drawing = cli_drawing_make(&arena, 100, 50);
    cli_draw_text(&drawing, 100, 40, 10, 1, 0, "%s", "<a & \"b\">");
    cli_draw_text(&drawing, 20, 20, 10, 0, 1, "%s", "(x) \\ \xc3\xa9 \xe4\xb8\xad");
    write_both(&drawing, &svg, &pdf);
    assert_non_null(strstr(svg, ">&#60;a &#38; &#34;b&#34;&#62;</text>"));
    assert_non_null(strstr(svg, "rotate(-90 20.00 20.00)"));
    assert_non_null(strstr(pdf, "(\\(x\\) \\\\ \\351 ?) Tj"));
    /* the first ends at 100: Helvetica has < 584, a 556, blank 278, & 667, " 355, b 556, > 584:
     * 4213 */
    assert_non_null(strstr(pdf, "1 0 0 1 57.87 10.00 Tm (<a & \"b\">)"));
    free(svg);
    free(pdf);
}

static void charts_of_any_numbers(void **state)
{
    (void)state;
    static const double rows[][4] = {{1, 2, 3, 4},
                                     {5, 5, 5, 5},
                                     {0, 0, 0, 0},
                                     {NAN, NAN, NAN, NAN},
                                     {1, NAN, 3, INFINITY},
                                     {-5.6e7, -5.6e7 - 1e-9, -5.6e7, -5.6e7},
                                     {1e-300, 1e-290, 1, 1e300},
                                     {-1, 0, 1, 1e-9}};
    static const char *const groups[] = {"one", "two", "a name that is far too long", "four"};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int log = 0; log < 2; log++) {
            CLI_SCRATCH(arena);
            char *svg, *pdf;
            cli_drawing drawing = cli_drawing_make(&arena, 400, 300);
            const cli_series series[2] = {
                {.name = "a", .y = rows[r], .deviation = rows[0], .count = 4, .colour = 0},
                {.name = "b", .x = rows[0], .y = rows[r], .count = 4, .colour = 9}};
            cli_chart chart = {.title = "t",
                               .across = "x",
                               .up = "y",
                               .width = 200,
                               .height = 150,
                               .log_x = log,
                               .log_y = log,
                               .dots = 1};
            cli_chart_lines(&drawing, &chart, series, 2);
            chart.y = 150;
            chart.group = groups;
            chart.groups = 4;
            cli_chart_bars(&drawing, &chart, series, 2);
            assert_true(cli_chart_legend(&drawing, 0, 0, 20, series, 2) > 26); /* two rows */
            write_both(&drawing, &svg, &pdf);
            assert_true(drawing.count < 5000);
            free(svg);
            free(pdf);
        }
}

/* Bars join those that differ by less, and none is inside another. */
static void critical_differences(void **state)
{
    (void)state;
    static const char *const names[] = {"d", "a", "c", "b"};
    static const double rank[] = {4, 1, 2.5, 2};
    CLI_SCRATCH(arena);
    cli_drawing drawing = cli_drawing_make(&arena, 400, 200);
    size_t bars = 0;
    (void)cli_chart_ranks(&drawing, 0, 0, 400, "ranks", names, rank, 4, 1.6);
    for (size_t i = 0; i < drawing.count; i++)
        bars += drawing.mark[i].kind == 'l' && drawing.mark[i].size > 2;
    assert_int_equal(bars, 2); /* a b c, c d */
    drawing.count = bars = 0;
    (void)cli_chart_ranks(&drawing, 0, 0, 400, "ranks", names, rank, 4, 0.4);
    for (size_t i = 0; i < drawing.count; i++)
        bars += drawing.mark[i].kind == 'l' && drawing.mark[i].size > 2;
    assert_int_equal(bars, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_escaped),
        cmocka_unit_test(charts_of_any_numbers),
        cmocka_unit_test(critical_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
