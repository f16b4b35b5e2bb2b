/* SPDX-License-Identifier: Apache-2.0 */
/* Printing JSON: reports of the library, and the command's own flat objects. */
#include "json.h"

#include "base.h"
#include "session.h"

#include <errno.h>
#include <math.h>
#include <string.h>

onefold_status cli_json_print(const onefold_report *report)
{
    char *text = NULL;
    CLI_TRY(onefold_report_json(&text, report));
    errno = 0;
    for (const char *at = text; *at && !ferror(stdout);) {
        char shown[CLI_SHOWN]; /* other characters are in strings only */
        size_t plain = 0;
        while (at[plain] >= ' ' && at[plain] < 0x7f)
            plain++;
        fwrite(at, 1, plain, stdout);
        at += plain;
        if (!*at)
            break;
        at += cli_json_character(at, shown);
        fputs(shown, stdout);
    }
    fputc('\n', stdout);
    onefold_free(text);
    return cli_flush_output();
}

/* A text between quotes; bytes that are not UTF-8 become U+FFFD. */
static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    while (*text) {
        char shown[CLI_SHOWN];
        size_t length = cli_json_character(text, shown);
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if (*text == '\n' || *text == '\t')
            fputs(*text == '\n' ? "\\n" : "\\t", out);
        else
            fputs(shown, out);
        text += length;
    }
    fputc('"', out);
}

static void put_number(FILE *out, double number)
{
    if (!isfinite(number))
        fputs("null", out);
    else
        cli_print(out, number == floor(number) && fabs(number) < 1e15 ? "%.1f" : "%.17g", number);
}

onefold_status cli_json_written(const char *files, const onefold_dataset *dataset)
{
    const onefold_dataset_info *info = onefold_dataset_describe(dataset);
    errno = 0;
    printf("{\"onefold\": \"%s\", \"written\": [", onefold_version());
    for (const char *at = files; *at;) {
        char name[4096];
        size_t length = strcspn(at, "\n");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        fputs(at == files ? "" : ", ", stdout);
        put_text(stdout, name);
        at += length + (at[length] == '\n');
    }
    printf("], \"samples\": %zu, \"views\": %zu, \"classes\": %zu}\n", info->samples, info->views,
           info->classes);
    return cli_flush_output();
}

onefold_status cli_json_error(onefold_status status, const char *message, const char *hint)
{
    errno = 0;
    printf("{\"error\": {\"code\": \"%s\", \"message\": ",
           onefold_name(ONEFOLD_NAMES_STATUS, status));
    put_text(stdout, message);
    printf(", \"hint\": ");
    put_text(stdout, hint);
    printf("}}\n");
    return cli_flush_output();
}

void cli_json_progress(FILE *out, const onefold_progress *progress)
{
    if (progress->done == 0 && progress->total == 0) /* no step is known yet */
        return;
    fprintf(out, "{\"stage\": \"%s\", \"done\": ", progress->stage);
    put_number(out, progress->done);
    fprintf(out, ", \"total\": ");
    put_number(out, progress->total);
    if (progress->detail) {
        fprintf(out, ", \"detail\": ");
        put_text(out, progress->detail);
    }
    fputs("}\n", out);
    fflush(out);
}
