/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a fit's options has every field of the public struct. The comparison between
 * processes, the keys of stored cells and the refusal of unused options are by this table. */
#include "model/fit.h"

#include "support/check.h"
#include "support/folder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Comments become blanks. */
static void blank_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "/*"));) {
        char *end = strstr(at, "*/");
        assert_non_null(end);
        memset(at, ' ', (size_t)(end + 2 - at));
    }
}

/* The fields of the struct as the header declares it: the word before each ; and each comma. */
static void every_field_is_in_the_table(void **state)
{
    (void)state;
    const onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    char *all; /* "\nname=value\n..." */
    size_t size, fields = 0, lines = 0;
    CHECK_OK(of_fit_options_text(&scratch, &options, &all));
    CHECK_OK(of_arena_string(&scratch, &all, "\n%s", all));
    char *text = folder_read(OF_TEST_SOURCE "/include/onefold.h", &size);
    char *begin = strstr(text, "typedef struct onefold_fit_options {");
    assert_non_null(begin);
    begin = strchr(begin, '{') + 1;
    char *end = strstr(begin, "} onefold_fit_options;");
    assert_non_null(end);
    *end = '\0';
    blank_comments(begin);
    for (char *at = begin; (at = strpbrk(at, ";,")); at++) {
        char *last = at, name[64];
        while (last > begin && isspace((unsigned char)last[-1]))
            last--;
        char *first = last;
        while (first > begin && (isalnum((unsigned char)first[-1]) || first[-1] == '_'))
            first--;
        snprintf(name, sizeof name, "\n%.*s=", (int)(last - first), first);
        if (strcmp(name, "\nstruct_size=") == 0)
            continue;
        fields++;
        if (!strstr(all, name))
            fail_msg("the option %s is not in the table", name);
    }
    for (const char *at = all + 1; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(fields, lines);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_in_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
