/* SPDX-License-Identifier: Apache-2.0 */
/* A locale in which 1.5 is printed as 1,5, and I is not the capital of i: the Turkish one, made in
 * a folder of its own. */
#include "support/comma.h"

#include "support/check.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];

int comma_set(void)
{
    char command[256], text[8];
    strcpy(folder, "/tmp/onefold-locale-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command,
             "localedef -i tr_TR -f UTF-8 %s/tr_TR.UTF-8 > %s/said 2>&1 && rm %s/said", folder,
             folder, folder);
    int made = system(command) == 0;
    setenv("LOCPATH", folder, 1);
    if (!made || !setlocale(LC_ALL, "tr_TR.UTF-8")) {
        print_message("skipped: localedef makes no Turkish locale (Debian's package locales)\n");
        comma_unset();
        return 0;
    }
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    return 1;
}

void comma_unset(void)
{
    char command[128];
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}
