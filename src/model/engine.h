/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine as the library of baselines and experiments sees it: this header, and of what it
 * includes the functions that are marked OF_PRIVATE, which src/onefold.map lists. Methods of other
 * authors and what compares methods are written on this header alone.
 */
#ifndef OF_MODEL_ENGINE_H
#define OF_MODEL_ENGINE_H

/* memory, errors, progress, threads, random numbers */
#include "base/comm.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/random.h"
#include "base/status.h"
#include "base/team.h"

/* products and factorisations */
#include "linalg/blas.h"
#include "linalg/eigen_block.h"
#include "linalg/factor.h"
#include "linalg/kmeans.h"

/* data, kernels, base partitions */
#include "data/dataset.h"
#include "method/base_stage.h"
#include "partition/routes.h"
#include "partition/view_graph.h"

/* a method, what is registered, a fit, scores */
#include "method/bench.h"
#include "model/fit.h"
#include "score/score.h"

#endif
