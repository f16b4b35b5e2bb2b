/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routes to a base partition. Each fills H (rows x samples, a sample contiguous) with the
 * leading eigenvectors of the finished kernel and `value` with their eigenvalues, both zero beyond
 * the rank, and sets the residual. The caller sets the signs. rows is at least 1 and at most the
 * number of samples.
 *
 * Flops and memory for n samples, d features, k rows; m is the number of rows of the eigensolver's
 * basis, 4 to 18 times k on real data, of which at most 2 k + 256 are held:
 *
 *     gram     n d^2 + 2 n d k flops; (4 to 64) d^2 partial sums and a few tiles
 *     krylov   4 m flops for each nonzero of the features, 4 n m^2 for orthogonality; the
 *              transpose of the features and n (2 k + 256) numbers
 *     dense    n^2 (d + an exponential) to form, 2 n^2 m to multiply; n^2 numbers, up to 256 MB
 *     tiles    (m / b) n^2 (d + half an exponential + 2 b), b = 16 to 32 rows at a time;
 *              n (2 k + 400) numbers, partial sums of some 64 MB
 */
#ifndef OF_PARTITION_ROUTES_H
#define OF_PARTITION_ROUTES_H

#include "base/comm.h"
#include "base/device.h"
#include "base/random.h"
#include "base/team.h"
#include "kernel/kernel.h"
#include "kernel/landmarks.h"
#include "linalg/eigen_block.h"
#include "partition/partition.h"
#include "partition/projection.h"

#include <math.h>

typedef struct of_route_work {
    const of_kernel *kernel;
    size_t rows;
    double tolerance;
    const of_partition_options *options; /* of landmark graphs */
    of_share H;
    double *sign; /* not NULL: H is made on the GPU of `options`, and gets these signs there */
    double *value;
    /* results */
    size_t rank;
    double residual; /* of the Nystrom route: relative error of the kernel on held-out samples */
    int on_gpu;      /* a GPU did the products with the kernel */
    /* the projection of new samples, or NULL; its arrays are from `arena` */
    of_projection *projection;
    of_arena *arena;
} of_route_work;

typedef onefold_status (*of_route_run)(of_context *context, of_route_work *work);

onefold_status of_route_gram(of_context *context, of_route_work *work);
onefold_status of_route_krylov(of_context *context, of_route_work *work);
onefold_status of_route_dense(of_context *context, of_route_work *work);
onefold_status of_route_tiles(of_context *context, of_route_work *work);
onefold_status of_route_nystrom(of_context *context, of_route_work *work);

/* The gram route for the weighted sum of finished kernels of features over the same samples.
 * work->projection is for a single kernel. */
onefold_status of_gram_make(of_context *context, size_t views, const of_kernel *kernels,
                            const double *weights, of_route_work *work);

/* Whether the Krylov route iterates on the side of the columns: for sparse features of at most half
 * as many columns as samples, and fewer than 2^16. */
int of_krylov_uses_features(const of_kernel *kernel);

/* The Krylov route on the side of the columns. */
onefold_status of_gram_applied(of_context *context, of_route_work *work);

/* Products of at most `deepest` rows with a finished kernel: a given one, or one of explicit
 * features, which is not formed. */
typedef struct of_product {
    of_operator_apply apply;
    void *task;
} of_product;
onefold_status of_product_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                               size_t deepest, of_product *made);

/* Rows of a partition: dims, but at most the number of samples. */
static inline size_t of_partition_rows(const of_kernel *kernel, const of_partition_options *options)
{
    return of_size_least(options->dims, kernel->view->samples);
}

/* Sets rank, residual and all eigenvalues to 0, and signs to 1. */
void of_route_nothing(const of_context *context, of_route_work *work);

/* Sets rows of H beyond the rank to zero. On a GPU they are zero already. */
void of_route_clear(of_context *context, const of_route_work *work);

/* The number of landmarks of the Nystrom route where `asked` are wanted (0: the default). */
size_t of_nystrom_landmarks(const of_kernel *kernel, size_t rows, size_t asked);

/* Its landmarks, with the solve of their kernel. Arrays are from `arena`. */
onefold_status of_nystrom_landmarks_make(of_context *context, of_arena *arena,
                                         const of_kernel *kernel,
                                         const of_partition_options *options,
                                         of_landmarks *landmarks);

/* With more samples than this, the sums of the Nystrom route take about so many, and only the last
 * pass takes all. */
enum { OF_NYSTROM_LARGE = 1 << 16 };

/* Rows of a block of the tiles route. */
static inline size_t of_tiles_block(size_t n, size_t rows)
{
    return of_size_least(rows < 16 ? 16 : rows > 32 ? 32 : (rows + 7) / 8 * 8, n);
}

/* The most rows of a product in an eigenproblem of `rows` pairs, with blocks of `block` rows. */
static inline size_t of_eigen_deepest(size_t rows, size_t block)
{
    return rows > block + 2 ? rows : block + 2;
}

/* The means and scales of an rbf or given kernel. */
onefold_status of_kernel_means_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                    of_kernel_means *means);

/* The leading eigenpairs of a symmetric matrix (n x n), by LAPACK where it is small or many pairs
 * are wanted, else by the block eigensolver. Vectors are rows. */
onefold_status of_eigen_matrix(of_context *context, size_t n, const double *matrix,
                               of_route_work *work);
int of_eigen_is_small(size_t n, size_t rows); /* whether LAPACK computes `rows` pairs */

/* A symmetric matrix as an operator. */
typedef struct of_matrix_operator {
    of_context *context;
    size_t n;
    const double *matrix;
} of_matrix_operator;
OF_PRIVATE onefold_status of_matrix_apply(void *matrix_operator, size_t depth, const double *x,
                                          double *y);

/* Fills work->projection, if not NULL, from weights (rank x columns, copied) of features. Signs and
 * the fields of all forms are set by of_projection_finish. */
onefold_status of_projection_features(const of_centred *centred, const double *weight,
                                      of_route_work *work);

/* Fills work->projection, if not NULL, from the eigenvectors in work->H: of any exact route, or of
 * features whose means and lengths are known. */
onefold_status of_projection_exact(of_context *context, of_route_work *work);
onefold_status of_projection_of_features(of_context *context, const of_centred *centred,
                                         of_route_work *work);

/* Runs the block eigensolver, and stores its result in `work`. */
onefold_status of_eigen_work(of_context *context, size_t n, of_operator_apply apply, void *task,
                             size_t block, double aim, const double *start, of_route_work *work);

/* In the Nystrom route, a centred diagonal up to this counts as zero. */
#define OF_NYSTROM_LEAST 1e-12

/* s_j from the centred diagonal. */
static inline double of_nystrom_scale(double diagonal)
{
    return diagonal > OF_NYSTROM_LEAST ? 1 / sqrt(diagonal) : 0;
}

/* H (rank x n) of `work` <- L^-1 H with the Cholesky factor L of inner = H H' (rank x rank,
 * destroyed): makes each row orthogonal to those before it, to rounding. Rows from an eigenproblem
 * of a Gram matrix are orthogonal only to eps lambda_1 / lambda. The weights of H (rank x columns
 * packed) are divided too. Rows on a GPU also get the signs of of_sign_rows. */
onefold_status of_orthonormalise(of_context *context, size_t n, const of_route_work *work,
                                 size_t columns, double *inner, double *weight);

/* Fills H (rank x n) of `work` by `make`, a tile at a time, and makes its rows orthonormal. */
onefold_status of_orthonormal_rows(of_context *context, const of_tiles *tiles, of_team_work make,
                                   void *task, const of_route_work *work, size_t columns,
                                   double *weight);

/* Makes the entry of largest modulus of each row positive, the first among equals. sign[r]: the
 * factor of row r. Where n samples are split, H is this process's share. */
onefold_status of_sign_rows(of_context *context, size_t n, size_t rows, of_share H, double *sign);

#endif
