/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work over tiles of samples, by all threads of all processes: like of_team_run and of_team_sum,
 * where each process works the tiles of its own share (base/comm.h) and the sum is known to all.
 */
#ifndef OF_BASE_TILES_H
#define OF_BASE_TILES_H

#include "base/comm.h"
#include "base/team.h"

/* Works every tile of this process's share once. */
onefold_status of_tiles_run(of_context *context, const of_tiles *tiles, of_team_work work,
                            void *task);

/* sum[0..length) += the sum over all tiles. From 2^16 samples on, the tiles of each group are added
 * in order, and the 64 groups in a fixed binary tree: the same bits for any number of threads and
 * of processes. Below, of_team_sum does it. */
onefold_status of_tiles_sum(of_context *context, const of_tiles *tiles, of_team_add add, void *task,
                            size_t length, double *sum);

#endif
