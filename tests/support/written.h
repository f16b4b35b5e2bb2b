/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data sets for the tests of writing. Every number follows from its place by a formula that is
 * simple enough to be restated in Python: numerator(j, i) = (7 j + 3 i) mod 11 - 5, of which real
 * types hold a quarter, integer ones the number itself and unsigned ones its square.
 */
#ifndef OF_TESTS_SUPPORT_WRITTEN_H
#define OF_TESTS_SUPPORT_WRITTEN_H

#include "data/dataset.h"

/* A dense view in memory of its own, held sample by sample or column by column. free() its data. */
of_view written_dense(of_type type, size_t samples, size_t columns, int columns_first);

/* 25 samples: float64 with 4 columns, float32 with 1, uint8 with 3 held column by column, and a
 * sparse view of 40 columns with the positive entries only; truth (j mod 3) - 1. */
onefold_dataset *written_mixed(void);

/* 6 samples and 2 kernels, 1 / (1 + v + |j - i|); the second in float32 unless `same_type`. */
onefold_dataset *written_kernels(int same_type);

/* Python that defines numerator(j, i), the mixed set's views x1, x2, x3, x4 and truth y. */
#define WRITTEN_PYTHON                                                                             \
    "import numpy as np\n"                                                                         \
    "def numerator(n, d):\n"                                                                       \
    "    return (7 * np.arange(n)[:, None] + 3 * np.arange(d)[None, :]) % 11 - 5\n"                \
    "x1 = numerator(25, 4) / 4\n"                                                                  \
    "x2 = (numerator(25, 1) / 4).astype(np.float32)\n"                                             \
    "x3 = (numerator(25, 3) ** 2).astype(np.uint8)\n"                                              \
    "x4 = np.maximum(numerator(25, 40), 0) / 4\n"                                                  \
    "y = np.arange(25) % 3 - 1\n"                                                                  \
    "def same(a, b):\n"                                                                            \
    "    assert a.shape == b.shape, (a.shape, b.shape)\n"                                          \
    "    assert a.dtype == b.dtype, (a.dtype, b.dtype)\n"                                          \
    "    assert (a == b).all()\n"

#endif
