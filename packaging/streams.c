/* SPDX-License-Identifier: Apache-2.0 */
/* The streams that archives in the Python extension were made to ask for (packaging/whole.cmake).
 */
#include <stdio.h>

extern FILE *of_stdin, *of_stdout, *of_stderr;
FILE *of_stdin, *of_stdout, *of_stderr;

__attribute__((constructor)) static void take_streams(void)
{
    of_stdin = stdin;
    of_stdout = stdout;
    of_stderr = stderr;
}
