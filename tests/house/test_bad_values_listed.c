/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the public header is called by tests/model/test_bad_values.c, and every one
 * that takes memory by tests/faults/failure_cases.c or failure_fits.c. */
#include "support/check.h"
#include "support/folder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Calls `look` with the name of every function of the header whose declaration starts with
 * `before`: at the start of a line, after the type. */
static size_t for_each_function(const char *before, void (*look)(const char *name, const char *own),
                                const char *path)
{
    size_t size, functions = 0;
    char *header = folder_read(OF_TEST_SOURCE "/include/onefold.h", &size);
    char *own = folder_read(path, &size), *rest = NULL;
    for (char *line = strtok_r(header, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const char *open = strchr(line, '('), *start = open;
        char name[128];
        if (!open || !islower((unsigned char)line[0]) || strncmp(line, "typedef", 7) == 0 ||
            strncmp(line, before, strlen(before)) != 0)
            continue;
        while (start > line && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
            start--;
        snprintf(name, sizeof name, "%.*s", (int)(open - start), start);
        look(name, own);
        functions++;
    }
    free(header);
    free(own);
    return functions;
}

static int is_called(const char *name, const char *text)
{
    char call[160];
    snprintf(call, sizeof call, "%s(", name);
    return strstr(text, call) != NULL;
}

static void has_bad_values(const char *name, const char *own)
{
    static const char *const without_arguments[] = {
        "onefold_last_error",   "onefold_last_hint",           "onefold_version",
        "onefold_capabilities", "onefold_free_memory",         "onefold_device_description",
        "onefold_device_start", "onefold_machine_description", "onefold_map_files"};
    int listed = is_called(name, own);
    for (size_t i = 0; i < sizeof without_arguments / sizeof *without_arguments; i++)
        listed |= strcmp(name, without_arguments[i]) == 0;
    if (!listed)
        fail_msg("%s is not tried with bad values: add it to tests/model/test_bad_values.c", name);
}

static void no_function_is_left_out(void **state)
{
    (void)state;
    assert_true(for_each_function("", has_bad_values,
                                  OF_TEST_SOURCE "/tests/model/test_bad_values.c") > 60);
}

/* Those that only look at what is there, or need several processes or a GPU, take no memory. */
static void has_failing_allocations(const char *name, const char *own)
{
    static const char *const without_memory[] = {
        "onefold_context_set_device", "onefold_context_join",      "onefold_context_agree",
        "onefold_dataset_view",       "onefold_fit_options_check", "onefold_experiment_check",
    };
    size_t size;
    char *fits = folder_read(OF_TEST_SOURCE "/tests/faults/failure_fits.c", &size);
    int listed = is_called(name, own) || is_called(name, fits);
    free(fits);
    for (size_t i = 0; i < sizeof without_memory / sizeof *without_memory; i++)
        listed |= strcmp(name, without_memory[i]) == 0;
    if (!listed)
        fail_msg("%s is not tried with failing allocations: add it to "
                 "tests/faults/failure_cases.c",
                 name);
}

static void no_function_that_takes_memory_is_left_out(void **state)
{
    (void)state;
    assert_true(for_each_function("onefold_status ", has_failing_allocations,
                                  OF_TEST_SOURCE "/tests/faults/failure_cases.c") > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_function_is_left_out),
                                       cmocka_unit_test(no_function_that_takes_memory_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
