/* SPDX-License-Identifier: Apache-2.0 */
/* The program of all tests: onefold_tests FOLDER/NAME [--real|--made] runs one file's, and without
 * a name it lists them. CMake writes mains.inc, a line TEST("FOLDER/NAME", function) for each. */
#include "onefold.h"

#include <stdio.h>
#include <string.h>

#define TEST(name, function) int function(void);
#include "mains.inc"
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name, function) {name, function},
#include "mains.inc"
};

int main(int count, char **arguments)
{
    onefold_map_files(1); /* as the command does */
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (count < 2)
            puts(tests[i].name);
        else if (strcmp(arguments[1], tests[i].name) == 0)
            return tests[i].run();
    }
    if (count < 2)
        return 0;
    fprintf(stderr, "there is no test %s\n", arguments[1]);
    return 2;
}
