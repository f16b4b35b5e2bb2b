/* SPDX-License-Identifier: Apache-2.0 */
/* The bar is drawn at most ten times a second, and wiped before anything else is said. */
#include "progress.h"

#include "json.h"

#include <string.h>

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
        for (size_t i = cli_bar(screen, share, BAR); i < BAR; i++)
            cli_put(screen, CLI_FAINT, "%s", screen->unicode ? "\xe2\x94\x80" : "-");
        snprintf(line, sizeof line, " %3.0f %%", 100 * share);
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
    if (progress->mode == CLI_PROGRESS_NONE)
        return;
    if (fresh) {
        progress->stage = step->stage;
        progress->began = now;
    }
    if (!fresh && !last && now - progress->said < between)
        return;
    progress->said = now;
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
    cli_margin(&progress->screen, NULL);
    cli_put(&progress->screen, CLI_FAINT, "%s\n", line);
}
