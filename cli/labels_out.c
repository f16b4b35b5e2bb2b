/* SPDX-License-Identifier: Apache-2.0 */
/* Labels on standard output. */
#include "labels_out.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

onefold_status cli_labels_check(const cli_call *call)
{
    const cli_value *value = call->value;
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

/* A name as a field of CSV. */
static void put_field(const char *text)
{
    if (!text[strcspn(text, ",\"\n\r")]) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text; text++)
        printf(*text == '"' ? "\"\"" : "%c", *text);
    putchar('"');
}

void cli_labels_print(const cli_session *session, const int32_t *labels, const double *confidence,
                      size_t first, size_t count)
{
    int names = session->call->value[CLI_NAMES].given;
    errno = 0;
    if (names && first == 0)
        puts(confidence ? "sample,cluster,confidence" : "sample,cluster");
    for (size_t i = 0; i < count && !ferror(stdout); i++) {
        const char *name = onefold_dataset_sample_name(session->dataset, first + i);
        if (names && name)
            put_field(name);
        else if (names)
            printf("%zu", first + i + 1);
        printf(names ? ",%d" : "%d", (int)labels[i]);
        if (names && confidence)
            printf(",%.6g", confidence[i]);
        putchar('\n');
    }
}
