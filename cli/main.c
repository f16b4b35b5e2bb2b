/* SPDX-License-Identifier: Apache-2.0 */
/* The command: finds the verb and hands over. */
#include "onefold.h"

#include <stdio.h>

int main(void)
{
    printf("onefold %s\n", onefold_version());
    return 0;
}
