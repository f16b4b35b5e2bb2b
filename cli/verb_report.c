/* SPDX-License-Identifier: Apache-2.0 */
/* onefold report: the page of a fit whose JSON was kept, or of two side by side. */
#include "verbs.h"

#include <errno.h>

onefold_status cli_report(cli_call *call)
{
    size_t inputs = call->operand_count - 1;
    const char *path = call->operands[inputs], *output[1][2] = {{"the output", path}};
    CLI_TRY(cli_check_outputs(call, inputs, (const char *const(*)[2])output, 1, ".html .htm"));
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    CLI_TRY(onefold_report_from_json(call->operands, inputs, session.context, path));
    CLI_TRY(cli_session_place(&session));
    if (!cli_says(call))
        return ONEFOLD_OK;
    cli_screen screen = cli_screen_of(stdout);
    errno = 0;
    cli_margin(&screen, "written");
    cli_put(&screen, CLI_PLAIN, "%s\n", path);
    return cli_flush_output();
}
