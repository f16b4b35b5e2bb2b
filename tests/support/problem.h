/* SPDX-License-Identifier: Apache-2.0 */
/* A whole problem for a method: data, kernels and every option at its default. */
#ifndef OF_TESTS_SUPPORT_PROBLEM_H
#define OF_TESTS_SUPPORT_PROBLEM_H

#include "linalg/kmeans.h"
#include "method/method.h"
#include "support/reference.h"

enum { PROBLEM_OWN = 16 };

typedef struct problem_case {
    onefold_context *context;
    onefold_dataset *dataset;
    of_arena arena; /* of kernels and outcomes' scratch */
    onefold_fit_options options;
    double own[PROBLEM_OWN];
    of_problem problem; /* points to all of these */
} problem_case;

/* The data set of a file below the folder of real data, each view with this kernel; clusters are as
 * many as classes. Where the file is absent, or in a format this build does not read, 0, with a
 * line saying so: then call skip(). */
int problem_open(problem_case *of, const char *path, of_kernel_kind kind, int threads);

/* The set of kernels of this name, and the numbers that the method's authors' code gives on it. The
 * test is skipped where either is absent. */
reference *problem_open_reference(problem_case *of, const of_method *method, const char *set);

/* The check for every set of kernels that there are such numbers of. */
void problem_check_sets(void (*check)(const char *set));

/* A data set of kernels that are given, samples x samples each. */
void problem_of_kernels(problem_case *of, size_t samples, size_t views, const double *const *kernel,
                        size_t clusters, int threads);
void problem_close(problem_case *of);

/* Every own option of the method at its default; then one of them by name. */
void problem_defaults(problem_case *of, const of_method *method);
void problem_set(problem_case *of, const of_method *method, const char *name, double value);

/* Runs the method; free the outcome's arena. */
void problem_run(problem_case *of, const of_method *method, of_outcome *outcome);

/* ---- what every method is held to ---- */

/* Runs the method on the kernels for 1, 2 and 3 threads: the same bits in labels, embedding, trace
 * and weights. */
void problem_check_threads(const of_method *method, size_t samples, size_t views,
                           const double *const *kernel, size_t clusters);

/* Bytes a method will hold at once besides the data set: its run, counted. */
onefold_status problem_bytes(of_context *context, const of_method *method,
                             const of_problem *problem, size_t *bytes);

/* What the method says it will hold is enough, and not more than twice what it held. */
void problem_check_estimate(const of_method *method, size_t samples, size_t views,
                            const double *const *kernel, size_t clusters);

/* Each allocation is made to fail in turn, and the run is cancelled at each place it may be: the
 * error is passed on and nothing is left behind. */
void problem_check_failures(const of_method *method, size_t samples, size_t views,
                            const double *const *kernel, size_t clusters);

/* The three of them on made kernels: threads and cost on `many` samples, failures on few. */
void problem_check_promises(const of_method *method, size_t many, size_t views);

/* The finished kernels of all views, packed, in the case's arena. */
double **problem_kernels(problem_case *of, of_finish finish);

/* Mean ACC, NMI, purity and ARI of 20 repeats of k-means, the best of 10 starts each, on an
 * embedding (rows x samples, unit columns). */
void problem_scores(const problem_case *of, size_t rows, const double *embedding,
                    of_kmeans_start start, double mean[4]);

/* These are the means of the reference's "labels" at `place`, within one of its standard deviations
 * and a point. */
void problem_check_labels(const problem_case *of, size_t rows, const double *embedding,
                          of_kmeans_start start, const reference *from, const char *place);

/* The finished kernels are those of the reference's "input". */
void problem_check_kernels(const problem_case *of, double *const *kernel, const reference *from);

/* UU' of U (samples x columns, packed) is the reference's projector at `place`. */
void problem_check_projector(const reference *from, const char *place, size_t samples,
                             size_t columns, const double *u);

#endif
