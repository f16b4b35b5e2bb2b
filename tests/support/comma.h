/* SPDX-License-Identifier: Apache-2.0 */
/* A locale in which 1.5 is printed as 1,5, and I is not the capital of i, for tests that it changes
 * nothing. */
#ifndef OF_TESTS_SUPPORT_COMMA_H
#define OF_TESTS_SUPPORT_COMMA_H

/* Makes the locale by localedef and sets it for the process. Returns 0, with a line that says so,
 * where localedef or its sources (Debian's package locales) are absent. */
int comma_set(void);

/* Sets the locale "C" again and removes what was made. */
void comma_unset(void);

#endif
