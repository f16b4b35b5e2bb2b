/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables, what neighbours tell of labels, what comes back on subsamples, the score and the
 * weights of the method `onefold`, as docs/method.md section 11 writes them, in plain loops over
 * samples and pairs. The letters are those of the text.
 */
#ifndef OF_TESTS_ORACLE_EVIDENCE_H
#define OF_TESTS_ORACLE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

enum { EVIDENCE_MOST = 8 };

/* Inner products G (n x n) of the samples of x (columns x n) about their mean, over the mean square
 * length, which is returned. levels[c]: columns that code the category of column c, which share the
 * variance of one; NULL: columns are not standardised. Samples with has[j] == 0 have rows of zeros.
 * Constant columns count for nothing. */
double evidence_gram(size_t n, size_t columns, const double *x, const uint8_t *levels,
                     const uint8_t *has, double *G);

/* K (n x n): the joint kernel of p views with weights w, from the G of each. `unit`: every sample
 * of a view has length 1, and a sample that lacks views is divided by the root of the weights it
 * has; otherwise by these weights, or by the mean weight of a view of weight if that is more. */
void evidence_join(size_t n, size_t p, const double *const *G, const double *w,
                   const uint8_t *present, int unit, double *K);

/* I_v: H of the labels of samples with voters, plus the mean of log q, over sqrt(H log mu); at
 * least 0. votes (n x n): votes[j + i n] is the weight of voter i for sample j. */
double evidence_told(size_t n, size_t mu, const uint8_t *has, const double *votes,
                     const int32_t *y);

/* The adjusted Rand index, by looking at every pair of samples. */
double evidence_rand(size_t n, const int32_t *a, const int32_t *b);

/* (value - chance) / (1 - chance) between 0 and 1; chance counts as at most 0.98. */
double evidence_beyond(double value, double chance);

/* (S + 0.01)^2 (T + 0.001), T the power mean of T_v (p) with exponent 1/2. */
double evidence_score(size_t p, double S, const double *T);

/* q_v(j, c) of ties z (n x landmarks): the share of the ties of sample j, over the landmarks, that
 * other samples with label c have; -1 where no other sample is tied to a landmark of sample j. */
double evidence_share(size_t n, size_t landmarks, const double *z, const int32_t *y, size_t j,
                      int32_t c);

/* Weights (p) in proportion to max(0, brings), alike where nothing is brought. Without bounds they
 * are in thousandths, and the largest has what lacks to 1; with them they are clip(t brings, lower,
 * upper) with the t that makes the sum 1. Where that t is infinite, those that bring nothing share
 * the rest alike. */
void evidence_weights(size_t p, const double *brings, const double *lower, const double *upper,
                      double *weights);

#endif
