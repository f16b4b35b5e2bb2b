/* SPDX-License-Identifier: Apache-2.0 */
/* Landmark graphs (docs/method.md section 10) as whole matrices, in plain loops. */
#ifndef OF_TESTS_ORACLE_LITERAL_GRAPH_H
#define OF_TESTS_ORACLE_LITERAL_GRAPH_H

#include <stddef.h>

/* z (landmarks x samples): each sample (column of x, columns x samples) tied to the r nearest
 * columns of `at` (columns x landmarks). A sample of zeros has none where `empty` says so. */
void literal_ties(size_t samples, size_t columns, const double *x, size_t landmarks,
                  const double *at, size_t r, int empty, double *z);

/* K = Z diag(1'Z)^-1 Z' - 11'/m over the m samples that have ties (samples x samples). */
void literal_graph_kernel(size_t samples, size_t landmarks, const double *z, double *kernel);

#endif
