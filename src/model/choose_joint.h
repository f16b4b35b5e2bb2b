/* SPDX-License-Identifier: Apache-2.0 */
/* What `choose` takes of the method `onefold`: the joint partitions of all views, and how labels
 * are read. */
#ifndef OF_MODEL_CHOOSE_JOINT_H
#define OF_MODEL_CHOOSE_JOINT_H

#include "method/method.h"
#include "method/os_lfmvc_cs.h"

/* Joint partitions that there are at the most. */
enum { OF_JOINT_STACK_MOST = 3 };

/* Whether the problem's views have joint partitions: not where each is a kernel that is given. */
int of_joint_stack_suits(const of_problem *problem);

/* What the spectrum of the joint graph says of the number of clusters, 0 where it says nothing. */
typedef struct of_joint_pieces {
    size_t most;  /* a gap of many spacings is behind so many: there are no more */
    size_t clear; /* one more cut would cost many times what the last did: there are so many */
} of_joint_pieces;

/* The stack of the joint kernel and the joint graphs: `dims` rows of each of *count, the first of
 * them the constant, over all samples, or an even sample of many. Arrays are from `arena`. */
onefold_status of_joint_stack(of_context *context, of_arena *arena, const of_problem *problem,
                              of_stack *X, size_t *count, size_t *rank, of_joint_pieces *pieces);

/* Whether views are dense, have at most OF_FEW_COLUMNS columns together, and no sample lacks any.
 */
enum { OF_FEW_COLUMNS = 12 };
int of_pool_has_few_columns(const of_problem *problem);

/* The clear pieces alone, where views have few columns: rows of their kernels are mostly bends of
 * these, and come back whether there are clusters or not. 0 where columns are many. */
onefold_status of_joint_pieces_find(of_context *context, const of_problem *problem,
                                    of_joint_pieces *pieces);
onefold_status of_joint_pieces_bytes(of_context *context, const of_problem *problem, size_t *bytes);

/* The most bytes that the stack holds. */
onefold_status of_joint_stack_bytes(of_context *context, const of_problem *problem, size_t *bytes);

/* Rows of each for so many clusters, `most` at the most: one for each cluster, so that none is left
 * that would split one. */
size_t of_joint_stack_rows(size_t clusters, size_t most);

/* Labels and sizes of a run on such a stack, read as the method reads them. */
onefold_status of_joint_stack_label(of_context *context, size_t samples, size_t rows,
                                    size_t clusters, of_cs_result *result);

#endif
