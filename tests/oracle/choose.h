/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One point of the curve of docs/choose.md, as that page writes it: every run through the literal
 * form of OS-LFMVC-CS, labels compared pair of samples by pair of samples. Only k-means, which has
 * a restatement of its own (tests/linalg/test_kmeans.c), and the random streams are the library's.
 */
#ifndef OF_TESTS_ORACLE_CHOOSE_H
#define OF_TESTS_ORACLE_CHOOSE_H

#include <stddef.h>
#include <stdint.h>

typedef struct choose_literal {
    size_t views, dims; /* rows of each base partition */
    uint64_t seed;
    size_t clusters, restarts, subsamples, max_iterations;
    double share, tolerance;
} choose_literal;

typedef struct choose_literal_point {
    double stability, deviation, weakest, objective;
    size_t clusters_used;
} choose_literal_point;

/* Steps 3 and 4 of docs/choose.md: stability, deviation and the weakest cluster. Labels are samples
 * x runs, below 0 for who is not in a run. */
void choose_literal_compare(size_t n, size_t runs, size_t clusters, const int32_t *labels,
                            choose_literal_point *point);

/* A subsample of `size` of `samples` samples, rising; streams of the data start at 0, those
 * of the samples without clusters at 2^32. */
void choose_literal_draw(uint64_t seed, uint64_t stream, size_t samples, size_t size,
                         uint32_t *members);

/* views * dims x samples base partitions X: how labels come back over `restarts` runs on all
 * samples and `subsamples` runs on subsamples, the latter light ones. */
choose_literal_point choose_literal_data(const choose_literal *c, size_t samples, const double *X);

/* The same for samples without clusters (Z, views * dims x count): one light run on all of them and
 * six on subsamples, three where there are more than six clusters. X is the data, on which the
 * views are aligned. */
choose_literal_point choose_literal_chance(const choose_literal *c, size_t samples, const double *X,
                                           size_t count, const double *Z);

#endif
