/* SPDX-License-Identifier: Apache-2.0 */
/* What the program of fenced.c and the test of the fence agree on. */
#ifndef OF_TESTS_IO_FENCED_H
#define OF_TESTS_IO_FENCED_H

enum { ROWS = 300, COLUMNS = 7 }; /* of the matrix that is read well */

#endif
