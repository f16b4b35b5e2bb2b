/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What neighbours tell of labels, chance, the score, evidence and weights, as docs/method.md
 * section 11 writes them, in plain loops over whole matrices. The letters are those of the text.
 */
#ifndef OF_TESTS_ORACLE_EVIDENCE_H
#define OF_TESTS_ORACLE_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

enum { EVIDENCE_MOST = 8 };

/* One by whose ties neighbours tell: a view, or the joined columns. No ties: it tells nothing. */
typedef struct evidence_teller {
    size_t landmarks;
    double *z;     /* n x landmarks: z[j + l n] is the tie of sample j to landmark l */
    double weight; /* of its q in Q */
} evidence_teller;

/* What is told of one labelling: I and H of all, I_v and H_v of each view. A view that ties no
 * sample has 0 and 0. */
typedef struct evidence_told {
    double I_all, H_all, I_view[EVIDENCE_MOST], H_view[EVIDENCE_MOST];
} evidence_told;

/* q_v(j, c); -1 where no other sample is tied to a landmark of sample j. */
double evidence_share(size_t n, const evidence_teller *v, const int32_t *y, size_t j, int32_t c);

/* What `tellers` tell of labels y, the first p of them views. */
evidence_told evidence_tell(size_t n, size_t mu, size_t p, size_t tellers,
                            const evidence_teller *shown, const int32_t *y);

/* The nu of the score, from the I (told) and the H of shuffled tables. */
double evidence_chance(size_t mu, double told, double H);

/* (I - nu H) / sqrt(H log mu); 0 where one cluster holds all. */
double evidence_score(size_t mu, double told, double H, double nu);

/* e_v (p) from what is told of the labelling L_v of each view (p each) in the data, and in both
 * tables without clusters; `lacks`: samples lack views. What is not known there has H_u = 0. */
void evidence_of_views(size_t p, size_t mu, const evidence_told *data,
                       const evidence_told *shuffled, const evidence_told *mixed, int lacks,
                       double *e);

/* Weights (p) in proportion to max(0, brings), alike where nothing is brought. Without bounds they
 * are in thousandths, and the largest has what lacks to 1; with them they are clip(t brings, lower,
 * upper) with the t that makes the sum 1. Where that t is infinite, those that bring nothing share
 * the rest alike. */
void evidence_weights(size_t p, const double *brings, const double *lower, const double *upper,
                      double *weights);

#endif
