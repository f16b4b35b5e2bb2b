/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the library's options to the command's flags, by one table. */
#include "hints.h"

#include "onefold.h"

#include <stdio.h>
#include <string.h>

/* Fields whose flag is not the field's own name with dashes. */
static const struct {
    const char *field, *flag;
} flags[] = {
    {"keep_model", "--model"},
    {"memory_limit", "--max-memory"},
    {"max_iterations", "--max-iter"},
    {"tolerance", "--tol"},
    {"least", "--min"},
    {"most", "--max"},
    {"store", "--resume"},
    {"view_parts", "--parts"},
    {"method_options", "its options"},
};

static void translate_field(const char *field, size_t length, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strlen(flags[i].field) == length && memcmp(flags[i].field, field, length) == 0) {
            snprintf(out, size, "%s", flags[i].flag);
            return;
        }
    snprintf(out, size, "--%.*s", (int)length, field);
    for (char *at = out; *at; at++)
        *at = *at == '_' ? '-' : *at;
}

void cli_hint_translate(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        const char *end = *text == '`' ? strchr(text + 1, '`') : NULL;
        if (!end) {
            out[used++] = *text++;
            continue;
        }
        translate_field(text + 1, (size_t)(end - text - 1), out + used, size - used);
        used += strlen(out + used);
        text = end + 1;
    }
    out[used] = '\0';
}
