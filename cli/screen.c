/* SPDX-License-Identifier: Apache-2.0 */
/* Styles, margins, bars: the small things a summary is made of. */
#include "screen.h"

#include "utf8_text.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

void cli_put(const cli_screen *screen, cli_style style, const char *format, ...)
{
    static const char *const escape[] = {"",         "\033[1m",  "\033[2m",
                                         "\033[32m", "\033[33m", "\033[31m"};
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    int painted = screen->colour && style != CLI_PLAIN;
    fputs(painted ? escape[style] : "", screen->file);
    for (const char *at = text; *at;) {
        char shown[CLI_SHOWN];
        size_t taken = cli_show_character(at, shown);
        fputs(*at == '\n' ? "\n" : shown, screen->file);
        at += taken;
    }
    fputs(painted ? "\033[0m" : "", screen->file);
}

void cli_margin(const cli_screen *screen, const char *heading)
{
    cli_put(screen, heading ? CLI_STRONG : CLI_PLAIN, "%-*s", CLI_MARGIN, heading ? heading : "");
}

void cli_left_out(const cli_screen *screen, size_t total, size_t shown)
{
    if (shown >= total)
        return;
    cli_margin(screen, NULL);
    cli_put(screen, CLI_FAINT, "and %zu more: see --json\n", total - shown);
}

const char *cli_dot(const cli_screen *screen)
{
    return screen->unicode ? " \xc2\xb7 " : " - ";
}

size_t cli_bar(const cli_screen *screen, double share, size_t width)
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
        snprintf(text, 32, "%.2f s", seconds);
    else if (seconds < 99.5)
        snprintf(text, 32, "%.1f s", seconds);
    else if (whole < 7200)
        snprintf(text, 32, "%lu min %lu s", whole / 60, whole % 60);
    else
        snprintf(text, 32, "%lu h %lu min", whole / 3600, whole / 60 % 60);
    return text;
}
