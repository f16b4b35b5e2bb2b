/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C: the first asks the work to stop, the second ends the program at once. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* Takes over SIGINT, SIGTERM and SIGHUP (those that were not already ignored). A limit on the size
 * of files becomes an error of the write instead of the end of the program. When the program ends,
 * signals are as they were. */
void cli_interrupt_start(void);

/* Non-zero once a signal has come. */
int cli_interrupted(void);

#endif
