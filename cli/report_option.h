/* SPDX-License-Identifier: Apache-2.0 */
/* --report FILE.html, for the verbs that have it. */
#ifndef CLI_REPORT_OPTION_H
#define CLI_REPORT_OPTION_H

#include "session.h"

/* Refuses, before the work, a page that cannot be written. */
onefold_status cli_report_check(const cli_call *call);

/* Writes the page where it is asked for: `report` has what it is on, `extras` what surrounds it;
 * files and the command are added. */
onefold_status cli_report_write(const cli_session *session, onefold_report *report,
                                onefold_json_extras *extras);

#endif
