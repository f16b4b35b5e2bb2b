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

/* The number of restarts that a fit of dense views, or of a kernel, would run. */
static size_t restarts_of(const char *method, onefold_effort effort, size_t given, int as_kernel)
{
    enum { N = 40 };
    double values[N], kernel[N * N];
    onefold_dataset *data = NULL;
    onefold_estimate *estimate = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    for (size_t i = 0; i < N * N; i++) {
        values[i / N] = (double)(i / N % 7);
        kernel[i] = i / N == i % N ? 2 : i / N % 2 == i % N % 2;
    }
    options.clusters = 2;
    options.method = method;
    options.effort = effort;
    assert_int_equal(options.restarts, 0); /* the default is no number that a caller can mean */
    options.restarts = given;
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(as_kernel ? onefold_dataset_add_kernel(data, "k", kernel)
                       : onefold_dataset_add_dense(data, "a", values, 1, 1, 1));
    CHECK_OK(onefold_fit_estimate(&estimate, NULL, data, &options, 0));
    size_t restarts = onefold_estimate_describe(estimate)->restarts;
    onefold_estimate_free(estimate);
    onefold_dataset_free(data);
    return restarts;
}

static void a_given_number_of_restarts_is_run(void **state)
{
    (void)state;
    for (size_t given = 1; given < 12; given++) {
        assert_int_equal(restarts_of("onefold", ONEFOLD_EFFORT_NORMAL, given, 0), given);
        assert_int_equal(restarts_of("onefold", ONEFOLD_EFFORT_THOROUGH, given, 0), given);
        assert_int_equal(restarts_of("os-lfmvc-cs", ONEFOLD_EFFORT_NORMAL, given, 1), given);
    }
    assert_int_equal(restarts_of(NULL, ONEFOLD_EFFORT_NORMAL, 0, 0), 2);
    assert_int_equal(restarts_of("onefold", ONEFOLD_EFFORT_QUICK, 0, 0), 2);
    assert_int_equal(restarts_of("onefold", ONEFOLD_EFFORT_THOROUGH, 0, 0), 10);
    assert_int_equal(restarts_of("onefold", ONEFOLD_EFFORT_NORMAL, 0, 1), 10);
    assert_int_equal(restarts_of("os-lfmvc-cs", ONEFOLD_EFFORT_NORMAL, 0, 0), 10);
    assert_int_equal(restarts_of("avg-kkm", ONEFOLD_EFFORT_NORMAL, 0, 0), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_in_the_table),
        cmocka_unit_test(a_given_number_of_restarts_is_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
