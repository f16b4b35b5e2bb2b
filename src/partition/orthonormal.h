/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a base partition made orthonormal to rounding. */
#ifndef OF_PARTITION_ORTHONORMAL_H
#define OF_PARTITION_ORTHONORMAL_H

#include "base/comm.h"
#include "partition/routes.h"

/* H (rank x n) of `work` <- L^-1 H for the Cholesky factor of inner = H H' (rank x rank,
 * destroyed): each row is made orthogonal to those before it. Rows that come from an eigenproblem
 * of a Gram matrix are orthogonal only to eps lambda_1 / lambda; the large ones are left as they
 * are. The weights (rank x columns packed) that H was made with change alike. Of rows on the GPU
 * the signs are set as well, as of_sign_rows does it. */
onefold_status of_orthonormalise(of_context *context, size_t n, const of_route_work *work,
                                 size_t columns, double *inner, double *weight);

/* H (rank x n) of `work`, which `make` fills a tile at a time, made orthonormal. */
onefold_status of_orthonormal_rows(of_context *context, const of_tiles *tiles, of_team_work make,
                                   void *task, const of_route_work *work, size_t columns,
                                   double *weight);

/* Makes the entry of largest modulus of each row positive, the first among equals; sign[r] is what
 * row r was multiplied with. Where n samples are split, of this process's share. */
onefold_status of_sign_rows(of_context *context, size_t n, size_t rows, of_share H, double *sign);

#endif
