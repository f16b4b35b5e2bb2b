/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the public header is called by tests/model/test_bad_values.c. */
#include "support/check.h"
#include "support/folder.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Names that follow ONEFOLD_API in the header stand in the test. */
static void no_function_is_left_out(void **state)
{
    (void)state;
    static const char *const without_arguments[] = {
        "onefold_last_error",   "onefold_last_hint",         "onefold_version",
        "onefold_capabilities", "onefold_free_memory",       "onefold_method_count",
        "onefold_kernel_count", "onefold_device_description"};
    size_t size, functions = 0;
    char *header = folder_read(OF_TEST_SOURCE "/include/onefold.h", &size);
    char *own = folder_read(OF_TEST_SOURCE "/tests/model/test_bad_values.c", &size);
    for (const char *at = header; (at = strstr(at, "\nONEFOLD_API "));) {
        char name[128], call[160];
        const char *open = strchr(at, '('), *start = open;
        while (start > at && (isalnum((unsigned char)start[-1]) || start[-1] == '_'))
            start--;
        snprintf(name, sizeof name, "%.*s", (int)(open - start), start);
        snprintf(call, sizeof call, "%s(", name);
        int listed = strstr(own, call) != NULL;
        for (size_t i = 0; i < sizeof without_arguments / sizeof *without_arguments; i++)
            listed |= strcmp(name, without_arguments[i]) == 0;
        if (!listed)
            fail_msg("%s is not tried with bad values: add it to tests/model/test_bad_values.c",
                     name);
        functions++;
        at = open;
    }
    assert_true(functions > 130);
    free(header);
    free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_function_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
