/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a base partition made orthonormal to rounding. */
#ifndef OF_PARTITION_ORTHONORMAL_H
#define OF_PARTITION_ORTHONORMAL_H

#include "base/comm.h"
#include "base/device.h"

/* H (rows x n) <- L^-1 H for the Cholesky factor of inner = H H' (rows x
 * rows, destroyed): each row is made orthogonal to those before it. Rows that come from an
 * eigenproblem of a Gram matrix are orthogonal only to eps lambda_1 / lambda; the large ones are
 * left as they are. */
onefold_status of_orthonormalise(of_context *context, size_t n, size_t rows, of_share H,
                                 double *inner);

/* The same for rows row .. of a stack on a GPU, with the signs of of_sign_rows; of n samples
 * that may be split. */
onefold_status of_orthonormalise_device(of_context *context, const of_device_use *use,
                                        of_device_stack *there, size_t n, size_t row, size_t rows,
                                        double *inner, double *sign);

/* The same change of the weights (rows x columns packed) that H was made with: `lower` is what
 * of_orthonormalise left in `inner`. */
void of_orthonormalise_weight(const of_context *context, size_t columns, size_t rows,
                              const double *lower, double *weight);

/* Makes the entry of largest modulus of each row positive, the first among equals; sign[r] is what
 * row r was multiplied with. Where n samples are split, of this process's share. */
onefold_status of_sign_rows(of_context *context, size_t n, size_t rows, of_share H, double *sign);

#endif
