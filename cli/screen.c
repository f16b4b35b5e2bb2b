/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a summary: styles, margins, bars, tables; and the progress bar. */
#include "screen.h"

#include "base.h"
#include "base/number.h"
#include "json.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- styles, margins, bars ------------------------------------------------------------------ */

static int is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

cli_screen cli_screen_of(FILE *file)
{
    const char *kind = getenv("TERM");
    cli_screen screen = {file, isatty(fileno(file)), 0, 0, 80};
    if (kind && strcmp(kind, "dumb") == 0)
        screen.terminal = 0;
    screen.colour = screen.terminal && !is_set("NO_COLOR");
    screen.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    struct winsize size;
    if (screen.terminal && ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        screen.width = size.ws_col;
    return screen;
}

/* Line breaks at the start and the end of the format are printed; one anywhere else is of a name.
 */
__attribute__((format(printf, 3, 0))) static void
put_formatted(const cli_screen *screen, cli_style style, const char *format, va_list arguments)
{
    static const char *const escape[] = {"",         "\033[1m",  "\033[2m",
                                         "\033[32m", "\033[33m", "\033[31m"};
    char text[2048];
    size_t begin = strspn(format, "\n"), end = 0, size = strlen(format);
    while (end < size - begin && format[size - 1 - end] == '\n')
        end++;
    int length = of_number_print_list(text, sizeof text, format, arguments);
    if (length < 0)
        return;
    if ((size_t)length < sizeof text)
        text[(size_t)length - end] = '\0';
    int painted = screen->colour && style != CLI_PLAIN;
    fputs(painted ? escape[style] : "", screen->file);
    for (size_t i = 0; i < begin; i++)
        fputc('\n', screen->file);
    cli_print_text(screen->file, text + begin);
    for (size_t i = 0; i < end; i++)
        fputc('\n', screen->file);
    fputs(painted ? "\033[0m" : "", screen->file);
}

void cli_put(const cli_screen *screen, cli_style style, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put_formatted(screen, style, format, arguments);
    va_end(arguments);
}

void cli_margin(const cli_screen *screen, const char *heading)
{
    cli_put(screen, heading ? CLI_STRONG : CLI_PLAIN, "%-*s", CLI_MARGIN, heading ? heading : "");
}

void cli_line(const cli_screen *screen, const char *heading, cli_style style, const char *format,
              ...)
{
    va_list arguments;
    cli_margin(screen, heading);
    va_start(arguments, format);
    put_formatted(screen, style, format, arguments);
    va_end(arguments);
}

void cli_left_out(const cli_screen *screen, size_t total, size_t shown)
{
    if (shown >= total)
        return;
    cli_line(screen, NULL, CLI_FAINT, "and %zu more: see --json\n", total - shown);
}

const char *cli_dot(const cli_screen *screen)
{
    return screen->unicode ? " \xc2\xb7 " : " - ";
}

/* Prints a bar of the share (0 .. 1) of `width` characters. Returns how many it has. */
static size_t bar(const cli_screen *screen, double share, size_t width)
{
    /* eighths of a character, from the Unicode block elements U+2588 .. U+258F */
    size_t parts = screen->unicode ? 8 : 1;
    share = share > 0 ? share < 1 ? share : 1 : 0;
    size_t filled = (size_t)(share * (double)(width * parts) + 0.5);
    if (screen->colour)
        fputs("\033[36m", screen->file);
    for (size_t i = 0; i < filled / parts; i++)
        fputs(screen->unicode ? "\xe2\x96\x88" : "#", screen->file);
    if (filled % parts)
        fprintf(screen->file, "\xe2\x96%c", (char)(0x90 - (int)(filled % parts)));
    if (screen->colour)
        fputs("\033[0m", screen->file);
    return (filled + parts - 1) / parts;
}

const char *cli_seconds_text(char *text, double seconds)
{
    unsigned long whole = (unsigned long)(seconds + 0.5);
    if (seconds < 9.95)
        of_number_print(text, 32, "%.2f s", seconds);
    else if (seconds < 99.5)
        of_number_print(text, 32, "%.1f s", seconds);
    else if (whole < 7200)
        snprintf(text, 32, "%lu min %lu s", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%lu h %lu min", whole / 3600, whole / 60 % 60);
    return text;
}

/* ---- tables --------------------------------------------------------------------------------- */

cli_cells cli_cells_make(cli_arena *arena, const char *align)
{
    return (cli_cells){.arena = arena, .align = align, .longest = 32, .columns = strlen(align)};
}

static onefold_status add_cell(cli_cells *cells, int strong, const char *text)
{
    char *kept;
    if (cells->count == cells->room) {
        cli_cell *longer;
        CLI_TRY(CLI_NEW(cells->arena, &longer, 2 * cells->room + 64));
        if (cells->count)
            memcpy(longer, cells->cell, cells->count * sizeof *longer);
        cells->cell = longer;
        cells->room = 2 * cells->room + 64;
    }
    CLI_TRY(cli_arena_string(cells->arena, &kept, "%s", text));
    cells->cell[cells->count++] = (cli_cell){kept, strong};
    return ONEFOLD_OK;
}

void cli_cells_add(cli_cells *cells, int strong, char *text)
{
    for (char *cell; (cell = strsep(&text, "\t")) && cells->status == ONEFOLD_OK;) {
        if (cells->longest && cells->count % cells->columns + 1 < cells->columns)
            cli_shorten(cell, cells->longest);
        cells->status = add_cell(cells, strong, cell);
    }
}

void cli_table_add(cli_cells *table, const char *format, ...)
{
    char text[2048] = "";
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_cells_add(table, 0, text);
}

static size_t width_of(const cli_cell *cell)
{
    return cli_characters(cell->text, strlen(cell->text));
}

/* Characters of the widest cell of a column. */
static size_t cells_width(const cli_cells *cells, size_t column)
{
    size_t width = 0;
    for (size_t i = column; i < cells->count; i += cells->columns) {
        size_t length = width_of(&cells->cell[i]);
        width = length > width ? length : width;
    }
    return width;
}

void cli_cells_row(const cli_screen *screen, const cli_cells *cells, size_t row, size_t lead,
                   cli_style style)
{
    size_t owed = lead; /* blanks: none are left at the end of a line */
    for (size_t c = 0; c < cells->columns; c++) {
        const cli_cell *cell = &cells->cell[row * cells->columns + c];
        size_t blanks = cells_width(cells, c) - width_of(cell);
        int right = cells->align[c] == 'r';
        owed += (c > 0 ? 2 : 0) + (right ? blanks : 0);
        if (*cell->text) {
            fprintf(screen->file, "%*s", (int)owed, "");
            cli_put(screen, cell->strong == 1 ? CLI_STRONG : style, "%s", cell->text);
            owed = 0;
        }
        owed += right ? 0 : blanks;
    }
}

/* Width of the bars after the columns: the rest of the line, at most BAR. */
static size_t bar_width(const cli_screen *screen, const cli_cells *table)
{
    enum { BAR = 20 };
    size_t used = CLI_MARGIN;
    for (size_t c = 0; c < table->columns; c++)
        used += cells_width(table, c) + 2;
    if (!screen->terminal || used + BAR <= screen->width)
        return BAR;
    return used < screen->width ? screen->width - used : 0;
}

onefold_status cli_table_show(const cli_screen *screen, const cli_cells *table, const char *heading,
                              const double *bars)
{
    for (size_t row = 0; row < table->count / table->columns; row++) {
        cli_margin(screen, row == 0 ? heading : NULL);
        cli_cells_row(screen, table, row, 0, row == 0 ? CLI_FAINT : CLI_PLAIN);
        if (bars && row > 0) {
            cli_put(screen, CLI_PLAIN, "  ");
            bar(screen, bars[row - 1], bar_width(screen, table));
        }
        cli_put(screen, CLI_PLAIN, "\n");
    }
    return table->status;
}

/* ---- progress: drawn at most ten times a second, and wiped before other output -------------- */

static const double between = 0.1; /* seconds */

void cli_progress_end(cli_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", progress->screen.file);
    fflush(progress->screen.file);
    progress->drawn = 0;
}

static void draw(cli_progress *progress, const onefold_progress *step, double now)
{
    enum { BAR = 24 };
    const cli_screen *screen = &progress->screen;
    char elapsed[32], line[256] = "";
    double share = step->total > 0 ? step->done / step->total : 0;
    int room = (int)screen->width - BAR - 26;
    fputs("\r\033[K", screen->file);
    cli_put(screen, CLI_STRONG, "%-6s", step->stage);
    if (step->total > 0) {
        for (size_t i = bar(screen, share, BAR); i < BAR; i++)
            cli_put(screen, CLI_FAINT, "%s", screen->unicode ? "\xe2\x94\x80" : "-");
        of_number_print(line, sizeof line, " %3.0f %%", 100 * share);
    }
    cli_put(screen, CLI_PLAIN, "%s  %s", line, cli_seconds_text(elapsed, now - progress->began));
    if (step->detail && room > 0)
        cli_put(screen, CLI_FAINT, "  %.*s", room, step->detail);
    fflush(screen->file);
    progress->drawn = 1;
}

void cli_progress_step(void *user, const onefold_progress *step)
{
    cli_progress *progress = user;
    double now = cli_clock();
    int fresh = !progress->stage || strcmp(progress->stage, step->stage) != 0;
    int last = step->total > 0 && step->done >= step->total;
    if (progress->announces && step->detail) {
        progress->announces = 0;
        if (strstr(step->detail, " min left") || strstr(step->detail, " h left"))
            cli_put(&progress->screen, CLI_FAINT, "%s\n", step->detail);
    }
    if (progress->mode == CLI_PROGRESS_NONE)
        return;
    if (fresh) {
        progress->stage = step->stage;
        progress->began = now;
    }
    if (!fresh && !last && now - progress->shown < between)
        return;
    progress->shown = now;
    if (progress->mode == CLI_PROGRESS_BAR)
        draw(progress, step, now);
    else
        cli_json_progress(progress->screen.file, step);
}

void cli_progress_log(void *user, const char *line)
{
    cli_progress *progress = user;
    if (!progress->verbose)
        return;
    cli_progress_end(progress);
    cli_line(&progress->screen, NULL, CLI_FAINT, "%s\n", line);
}
