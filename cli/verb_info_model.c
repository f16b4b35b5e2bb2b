/* SPDX-License-Identifier: Apache-2.0 */
/* onefold info MODEL: what is in a model file. */
#include "verbs.h"

#include "io/model_magic.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

int cli_is_model(const char *path)
{
    char start[sizeof of_model_magic - 1];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return 0; /* a pipe would be waited for here, out of reach of Ctrl-C */
    FILE *file = fopen(path, "rb");
    int is = file && fread(start, sizeof start, 1, file) == 1 &&
             memcmp(start, of_model_magic, sizeof start) == 0;
    if (file)
        fclose(file);
    return is;
}

static onefold_status view_table(const cli_screen *screen, of_arena *arena,
                                 const onefold_model_info *info)
{
    static const char *const heading[] = {"",     "name", "columns", "prep",   "kernel",
                                          "base", "rank", "points",  "weight", "memory"};
    cli_table table = cli_table_make(arena, "rlrlllrrrr");
    for (size_t i = 0; i < 10; i++)
        OF_TRY(cli_table_add(&table, "%s", heading[i]));
    for (size_t v = 0; v < info->views; v++) {
        const onefold_model_view *view = &info->view[v];
        char bytes[32];
        OF_TRY(cli_table_add(&table, "%zu", v + 1));
        OF_TRY(cli_table_add(&table, "%s", view->name));
        OF_TRY(cli_table_add(&table, "%zu", view->columns));
        OF_TRY(cli_table_add(&table, "%s", view->prep));
        OF_TRY(cli_table_add(&table, "%s", view->kernel));
        OF_TRY(cli_table_add(&table, "%s", view->base));
        OF_TRY(cli_table_add(&table, "%zu", view->rank));
        OF_TRY(cli_table_add(&table, "%zu", view->points));
        OF_TRY(cli_table_add(&table, "%.3f", view->weight));
        OF_TRY(cli_table_add(&table, "%s", of_size_text(bytes, view->bytes)));
    }
    cli_table_show(screen, &table, "views", NULL);
    return ONEFOLD_OK;
}

static onefold_status show(const cli_call *call, of_arena *arena, const onefold_model_info *info)
{
    cli_screen screen = cli_screen_of(stdout);
    const char *dot = cli_dot(&screen);
    char bytes[32];
    errno = 0;
    cli_margin(&screen, "model");
    cli_put(&screen, CLI_PLAIN, "%s%s%s%sby onefold %s\n", call->operands[0], dot,
            of_size_text(bytes, info->bytes), dot, info->version);
    cli_margin(&screen, "fitted");
    cli_put(&screen, CLI_PLAIN, "on %zu samples%s%zu clusters%s%zu dims%sseed %llu%s%s precision\n",
            info->samples, dot, info->clusters, dot, info->dims, dot,
            (unsigned long long)info->seed, dot, info->precision);
    OF_TRY(view_table(&screen, arena, info));
    if (info->holds_samples) {
        cli_margin(&screen, NULL);
        cli_put(&screen, CLI_PLAIN,
                "it holds training samples; --base nystrom keeps models of rbf "
                "views small\n");
    }
    cli_margin(&screen, "distance");
    cli_put(&screen, CLI_PLAIN, "of the training samples: mean %.3f%slargest %.3f\n",
            info->distance_mean, dot, info->distance_most);
    return cli_flush_output();
}

onefold_status cli_info_model(cli_call *call)
{
    onefold_model_info info = ONEFOLD_MODEL_INFO_INIT;
    onefold_model *model = NULL;
    CLI_SESSION(session);
    OF_TRY(cli_session_start(&session, call));
    OF_TRY(onefold_model_read(&model, session.context, call->operands[0]));
    onefold_status status = onefold_model_describe(model, &info);
    if (status == ONEFOLD_OK && call->value[CLI_JSON].given)
        status = of_json_model(stdout, call->operands[0], &info);
    else if (status == ONEFOLD_OK) {
        of_arena scratch = of_arena_make(session.context);
        status = show(call, &scratch, &info);
        of_arena_free(&scratch);
    }
    onefold_model_free(model);
    return status;
}
