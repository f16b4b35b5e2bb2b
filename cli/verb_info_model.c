/* SPDX-License-Identifier: Apache-2.0 */
/* onefold info MODEL: what is in a model file. */
#include "verbs.h"

#include <errno.h>

static onefold_status view_table(const cli_screen *screen, cli_arena *arena,
                                 const onefold_model *model, size_t views)
{
    static const char *const heading[] = {"",     "name", "columns", "prep",   "kernel",
                                          "base", "rank", "points",  "weight", "memory"};
    cli_table table = cli_table_make(arena, "rlrlllrrrr");
    for (size_t i = 0; i < 10; i++)
        CLI_TRY(cli_table_add(&table, "%s", heading[i]));
    for (size_t v = 0; v < views; v++) {
        onefold_model_view_info view = ONEFOLD_MODEL_VIEW_INFO_INIT;
        char bytes[32];
        CLI_TRY(onefold_model_view(model, v, &view));
        CLI_TRY(cli_table_add(&table, "%zu", v + 1));
        CLI_TRY(cli_table_add(&table, "%s", view.name));
        CLI_TRY(cli_table_add(&table, "%zu", view.columns));
        CLI_TRY(cli_table_add(&table, "%s", onefold_name(ONEFOLD_NAMES_PREP, view.prep)));
        CLI_TRY(cli_table_add(&table, "%s", view.kernel));
        CLI_TRY(cli_table_add(&table, "%s", onefold_name(ONEFOLD_NAMES_ROUTE, view.route)));
        CLI_TRY(cli_table_add(&table, "%zu", view.rank));
        CLI_TRY(cli_table_add(&table, "%zu", view.points));
        CLI_TRY(cli_table_add(&table, "%.3f", view.weight));
        CLI_TRY(cli_table_add(&table, "%s", cli_size_text(bytes, view.bytes)));
    }
    cli_table_show(screen, &table, "views", NULL);
    return ONEFOLD_OK;
}

static onefold_status show(const cli_call *call, cli_arena *arena, const onefold_model *model,
                           const onefold_model_info *info)
{
    cli_screen screen = cli_screen_of(stdout);
    const char *dot = cli_dot(&screen);
    char bytes[32];
    errno = 0;
    cli_margin(&screen, "model");
    cli_put(&screen, CLI_PLAIN, "%s%s%s%sby onefold %s\n", call->operands[0], dot,
            cli_size_text(bytes, info->bytes), dot, info->version);
    cli_margin(&screen, "fitted");
    cli_put(&screen, CLI_PLAIN, "on %zu samples%s%zu clusters%s%zu dims%sseed %llu%s%s precision\n",
            info->samples, dot, info->clusters, dot, info->dims, dot,
            (unsigned long long)info->seed, dot,
            onefold_name(ONEFOLD_NAMES_PRECISION, info->precision));
    CLI_TRY(view_table(&screen, arena, model, info->views));
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

static onefold_status tell_json(const cli_session *session, const onefold_model *model)
{
    onefold_json_extras extras = cli_extras(session);
    char *text = NULL;
    extras.model = session->call->operands[0];
    onefold_status made = onefold_model_json(&text, model, &extras);
    return cli_json_print(made, text);
}

onefold_status cli_info_model(cli_call *call)
{
    onefold_model_info info = ONEFOLD_MODEL_INFO_INIT;
    onefold_model *model = NULL;
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(onefold_model_read(&model, session.context, call->operands[0]));
    onefold_status status = onefold_model_describe(model, &info);
    if (status == ONEFOLD_OK)
        status = cli_check_read(&session);
    if (status == ONEFOLD_OK && call->value[CLI_JSON].given)
        status = tell_json(&session, model);
    else if (status == ONEFOLD_OK) {
        cli_arena scratch = {NULL};
        status = show(call, &scratch, model, &info);
        cli_arena_free(&scratch);
    }
    onefold_model_free(model);
    return status;
}
