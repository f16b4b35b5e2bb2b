/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The routes to a base partition. Each fills H (rows x samples, a sample contiguous) with the
 * leading eigenvectors of the finished kernel, `value` with their eigenvalues, both zero beyond the
 * rank, and says how well it did. Signs are set by the caller. rows is at least 1 and at most the
 * number of samples.
 *
 * Work and scratch for n samples, d features, k rows; m is the rows of basis that the block
 * eigensolver goes through, 4 to 18 times k on real data, of which at most 2 k + 256 are held:
 *
 *     gram     n d^2 + 2 n d k flops; (4 to 64) d^2 partial sums and a few tiles
 *     krylov   4 m flops for each entry of the features that is not 0, 4 n m^2 for orthogonality;
 *              the features' transpose and n (2 k + 256) numbers
 *     dense    n^2 (d + an exponential) to form, 2 n^2 m to multiply; n^2 numbers, of rbf at most
 * 256 MB tiles    (m / b) n^2 (d + half an exponential + 2 b), b = 16 to 32 rows at a time; n (2 k
 * + 400) numbers, partial sums of some 64 MB
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
    size_t landmarks;                    /* of the Nystrom route; 0: chosen */
    const of_partition_options *options; /* of landmark graphs */
    uint64_t seed;
    of_share H;
    double *sign; /* H goes to the GPU of `options`, and the rows' signs are left here; or NULL */
    double *value;
    /* what came of it */
    size_t rank;
    double residual; /* of the Nystrom route: relative error of the kernel on held-out samples */
    int on_gpu;      /* a GPU did the products with the kernel */
    /* what projects new samples, where that is asked for; its arrays are from `arena` */
    of_projection *projection;
    of_arena *arena;
} of_route_work;

typedef onefold_status (*of_route_run)(of_context *context, of_route_work *work);

onefold_status of_route_gram(of_context *context, of_route_work *work);
onefold_status of_route_krylov(of_context *context, of_route_work *work);
onefold_status of_route_dense(of_context *context, of_route_work *work);
onefold_status of_route_tiles(of_context *context, of_route_work *work);
onefold_status of_route_nystrom(of_context *context, of_route_work *work);

/* The gram route for the weighted sum of several finished kernels of features, over the same
 * samples; with work->projection for one alone. */
onefold_status of_gram_make(of_context *context, size_t views, const of_kernel *kernels,
                            const double *weights, of_route_work *work);

/* Whether the Krylov route works on the side of the columns: sparse features of at most half as
 * many columns as samples, and of no more than 2^16. */
int of_krylov_uses_features(const of_kernel *kernel);

/* The same, where it does. */
onefold_status of_gram_applied(of_context *context, of_route_work *work);

/* Products of at most `deepest` rows with a finished kernel: of explicit features, where it is
 * never formed, or one that is given. */
typedef struct of_product {
    of_operator_apply apply;
    void *task;
} of_product;
onefold_status of_product_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                               size_t deepest, of_product *made);

/* Rows that a partition can have. */
static inline size_t of_partition_rows(const of_kernel *kernel, const of_partition_options *options)
{
    size_t n = kernel->view->samples;
    return options->dims < n ? options->dims : n;
}

/* No eigenpairs yet: rank, residual and all eigenvalues 0, signs 1. */
void of_route_nothing(const of_context *context, of_route_work *work);

/* Rows of H beyond the rank become zero; those on a GPU are. */
void of_route_clear(of_context *context, const of_route_work *work);

/* Landmarks the Nystrom route takes when `asked` for (0: its own choice). */
size_t of_nystrom_landmarks(const of_kernel *kernel, size_t rows, size_t asked);

/* Its landmarks, with the solve of their kernel. Arrays are from `arena`. */
onefold_status of_nystrom_landmarks_make(of_context *context, of_arena *arena,
                                         const of_kernel *kernel,
                                         const of_partition_options *options,
                                         of_landmarks *landmarks);

/* Of more samples its sums see about so many, and only the last pass all. */
enum { OF_NYSTROM_LARGE = 1 << 16 };

/* Rows of a block of the tiles route, and of its longest product. */
static inline size_t of_tiles_block(size_t n, size_t rows)
{
    size_t block = rows < 16 ? 16 : rows > 32 ? 32 : (rows + 7) / 8 * 8;
    return block < n ? block : n;
}

static inline size_t of_tiles_deepest(size_t n, size_t rows)
{
    size_t block = of_tiles_block(n, rows);
    return rows > block + 2 ? rows : block + 2;
}

/* What centring and normalising take of an rbf or given kernel. */
onefold_status of_kernel_means_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                    of_kernel_means *means);

/* The leading eigenpairs of a symmetric matrix (n x n), by LAPACK where it is
 * small or most pairs are wanted, else by the block eigensolver. Vectors are rows. */
onefold_status of_eigen_matrix(of_context *context, size_t n, const double *matrix,
                               of_route_work *work);
int of_eigen_is_small(size_t n, size_t rows); /* LAPACK takes `rows` pairs of it */

/* Such a matrix as an operator. */
typedef struct of_matrix_operator {
    of_context *context;
    size_t n;
    const double *matrix;
} of_matrix_operator;
onefold_status of_matrix_apply(void *matrix_operator, size_t depth, const double *x, double *y);

/* Keeps what projects new samples from features, where it is asked for: weight (rank x columns) is
 * copied. Signs and what is common to all forms come with of_projection_finish. */
onefold_status of_projection_features(const of_centred *centred, const double *weight,
                                      of_route_work *work);

/* Keeps what projects new samples, where it is asked for, from the eigenvectors in work->H: of any
 * exact route, or of features whose means and lengths are known. */
onefold_status of_projection_exact(of_context *context, of_route_work *work);
onefold_status of_projection_of_features(of_context *context, const of_centred *centred,
                                         of_route_work *work);

/* Hands the block eigensolver's answer over to `work`. */
onefold_status of_eigen_work(of_context *context, size_t n, of_operator_apply apply, void *task,
                             size_t block, double aim, const double *start, of_route_work *work);

/* A centred diagonal up to this counts as zero. */
#define OF_NYSTROM_LEAST 1e-12

/* s_j from the centred diagonal. */
static inline double of_nystrom_scale(double diagonal)
{
    return diagonal > OF_NYSTROM_LEAST ? 1 / sqrt(diagonal) : 0;
}

/* Rows of a base partition made orthonormal to rounding. */

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
