/* SPDX-License-Identifier: Apache-2.0 */
/* Views made of arrays, for tests that need no file. */
#ifndef OF_TESTS_SUPPORT_VIEWS_H
#define OF_TESTS_SUPPORT_VIEWS_H

#include "data/view.h"

/* A dense view of x (columns x samples, a sample contiguous), which must outlive it. */
of_view views_dense(size_t samples, size_t columns, const double *x);

/* The same as a sparse view without its zeros; arrays from `arena`. */
of_view views_sparse(of_arena *arena, size_t samples, size_t columns, const double *x);

#endif
