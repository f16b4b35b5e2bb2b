/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of FMR and LSGMC against reference numbers share. */
#ifndef OF_TESTS_SUPPORT_SUBSPACE_H
#define OF_TESTS_SUPPORT_SUBSPACE_H

#include "peers/common.h"
#include "support/reference.h"

enum { SUBSPACE_MOST_VIEWS = 16 };

/* A context of one thread: on problems this small a team would mostly wait. */
of_context *subspace_context(void);

/* Made views: samples around a few centres, unit columns. */
typedef struct subspace_made {
    size_t n, views, rows[SUBSPACE_MOST_VIEWS];
    double *x[SUBSPACE_MOST_VIEWS]; /* rows x n */
    of_view view[SUBSPACE_MOST_VIEWS];
    of_dataset set;
} subspace_made;

subspace_made subspace_make(uint64_t seed, size_t n, size_t views, const size_t *rows,
                            double spread);
void subspace_unmake(subspace_made *made);

/* They as a data set, in `made` itself. */
const of_dataset *subspace_set(subspace_made *made);

/* Of one view of LSGMC, after a step, the Frobenius norms of X - XZ - E, Z - LCR' and Z - J. */
void subspace_residuals(const of_lsgmc *l, size_t v, double residual[3]);

/* The data set of a reference file, and its features. */
typedef struct subspace_data {
    onefold_dataset *dataset;
    size_t samples, views, clusters;
    size_t rows[SUBSPACE_MOST_VIEWS];
    double *features[SUBSPACE_MOST_VIEWS]; /* rows x samples, unit columns */
} subspace_data;

/* Reads "input.data" and checks shapes and Gram matrices; 0 where the file is absent. */
int subspace_open(subspace_data *data, const reference *r);
void subspace_close(subspace_data *data);

/* The summary of a square matrix at `place`: norms and leading singular values to `relative`,
 * single entries to `absolute`. */
void subspace_summary(const reference *r, const char *place, size_t n, const double *a,
                      double relative, double absolute);

/* The leading singular values of a (rows x columns) at `place`; those below `absolute` times the
 * largest only to that. */
void subspace_values(const reference *r, const char *place, size_t rows, size_t columns,
                     const double *a, double relative, double absolute);

/* Eigenvalues of the normalised affinity to `relative`, and k-means scores on its eigenvectors
 * (means over 20 runs of 10 replicates, both kinds of start) within `slack` of the reference. With
 * `least_cost`, the least cost of 200 starts of k-means++ and its labels too. */
void subspace_scores(const reference *r, const subspace_data *data, const double *affinity,
                     double relative, double slack, int least_cost);

#endif
