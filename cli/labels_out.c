/* SPDX-License-Identifier: Apache-2.0 */
/* Labels on standard output. */
#include "labels_out.h"

#include "utf8_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

onefold_status cli_labels_check(cli_call *call)
{
    cli_value *value = call->value;
    if (value[CLI_LABELS].given && (strcmp(value[CLI_LABELS].text, "-") == 0 ||
                                    strcmp(value[CLI_LABELS].text, "/dev/stdout") == 0)) {
        if (value[CLI_JSON].given)
            return cli_hint(cli_fail(ONEFOLD_USAGE,
                                     "--labels %s and --json both say what "
                                     "standard output is",
                                     value[CLI_LABELS].text),
                            "leave --labels out: the JSON has them");
        value[CLI_LABELS] = (cli_value){0};
        value[CLI_NAMES].given = 1;
    }
    if (!value[CLI_NAMES].given)
        return ONEFOLD_OK;
    if (value[CLI_LABELS].given)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--names is for labels on standard output, and "
                                                "--labels writes them to a file"),
                        "leave --names out: a file that ends in .csv or .tsv has the names");
    if (value[CLI_JSON].given)
        return cli_hint(cli_fail(ONEFOLD_USAGE, "--names and --json both say what standard output "
                                                "is"),
                        "leave --names out: the JSON has them as sample_names");
    return ONEFOLD_OK;
}

int cli_labels_printed(const cli_call *call)
{
    static const cli_option_id others[] = {CLI_REPORT, CLI_MODEL, CLI_EMBEDDING, CLI_LAYOUT,
                                           CLI_PARTS};
    const cli_value *value = call->value;
    if (value[CLI_LABELS].given || value[CLI_JSON].given)
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (value[others[i]].given && !value[CLI_NAMES].given && isatty(STDOUT_FILENO))
            return 0;
    return 1;
}

const char *cli_labels_place(const cli_call *call)
{
    if (call->value[CLI_LABELS].given)
        return call->value[CLI_LABELS].text;
    return cli_labels_printed(call) ? "on standard output"
                                    : "not shown: --labels FILE writes them, --labels - shows them";
}

/* What a spreadsheet runs when it opens a table: a cell that starts so. */
static int is_formula(const char *text)
{
    return text[0] && strchr("=+-@\t\r", text[0]) != NULL;
}

onefold_status cli_labels_names(const cli_session *session, onefold_dataset **names)
{
    const onefold_dataset *dataset = session->dataset;
    size_t samples = onefold_dataset_samples(dataset);
    *names = session->dataset;
    if (!session->call->value[CLI_GUARD].given || !onefold_dataset_sample_name(dataset, 0))
        return ONEFOLD_OK;
    CLI_SCRATCH(scratch);
    onefold_dataset *made = NULL;
    const char **list;
    CLI_TRY(CLI_NEW(&scratch, &list, samples));
    for (size_t j = 0; j < samples; j++) {
        char *guarded;
        list[j] = onefold_dataset_sample_name(dataset, j);
        if (!is_formula(list[j]))
            continue;
        CLI_TRY(cli_arena_string(&scratch, &guarded, "'%s", list[j]));
        list[j] = guarded;
    }
    CLI_TRY(onefold_dataset_create(&made, session->context, samples));
    onefold_status status = onefold_dataset_set_sample_names(made, list);
    if (status == ONEFOLD_OK)
        *names = made;
    else
        onefold_dataset_free(made);
    return status;
}

/* A name as a field of CSV, with what a terminal would obey shown where it goes to one. */
static void put_field(const char *text, int terminal, int guard)
{
    int quoted = text[strcspn(text, ",\"\n\r")] != '\0' || text[0] == ' ' || text[0] == '\t' ||
                 (text[0] && strchr(" \t", text[strlen(text) - 1]));
    if (quoted)
        putchar('"');
    if (guard && is_formula(text))
        putchar('\'');
    while (*text) {
        char shown[CLI_SHOWN];
        size_t length = cli_show_character(text, shown);
        if (terminal)
            fputs(shown, stdout);
        else
            fwrite(text, 1, length, stdout);
        if (quoted && *text == '"')
            putchar('"');
        text += length;
    }
    if (quoted)
        putchar('"');
}

void cli_labels_print(const cli_session *session, const int32_t *labels, const double *confidence,
                      size_t first, size_t count)
{
    int names = session->call->value[CLI_NAMES].given;
    int terminal = isatty(STDOUT_FILENO), guard = session->call->value[CLI_GUARD].given;
    errno = 0;
    if (names && first == 0)
        puts(confidence ? "sample,cluster,confidence" : "sample,cluster");
    for (size_t i = 0; i < count && !ferror(stdout); i++) {
        const char *name = onefold_dataset_sample_name(session->dataset, first + i);
        if (names && name)
            put_field(name, terminal, guard);
        else if (names)
            printf("%zu", first + i + 1);
        printf(names ? ",%d" : "%d", (int)labels[i]);
        if (names && confidence)
            printf(",%.6g", confidence[i]);
        putchar('\n');
    }
}
