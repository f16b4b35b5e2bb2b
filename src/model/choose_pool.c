/* SPDX-License-Identifier: Apache-2.0 */
/* The samples a curve is drawn from, subsamples of them, and samples without clusters beside them.
 */
#include "model/choose.h"

#include "base/random.h"
#include "linalg/blas.h"
#include "linalg/factor.h"

#include <math.h>

/* Beyond these a curve is hardly better, only later. */
enum { MOST_SAMPLES = 8192, MOST_IN_SUBSAMPLE = 1280, MOST_WITHOUT_CLUSTERS = 512 };
enum { CHANCE_SUBSAMPLES = 6 };
static const uint64_t data_draws = 0, chance_draws = 1ull << 32, chance_values = 2ull << 32;

size_t of_choose_pool_samples(size_t samples)
{
    return samples < MOST_SAMPLES ? samples : MOST_SAMPLES;
}

size_t of_choose_chance_samples(size_t pool)
{
    return pool < MOST_WITHOUT_CLUSTERS ? pool : MOST_WITHOUT_CLUSTERS;
}

size_t of_choose_subsample_size(size_t pool, double share)
{
    size_t size = (size_t)ceil(share * (double)pool);
    return size < MOST_IN_SUBSAMPLE ? size : MOST_IN_SUBSAMPLE;
}

/* `subsamples` times `size` of the pool's samples, every choice as likely. */
static onefold_status draw(of_choose_work *work, of_arena *arena, size_t subsamples, size_t size,
                           uint64_t stream, of_choose_pool *pool)
{
    pool->subsamples = subsamples;
    pool->size = size;
    OF_TRY(OF_NEW(arena, &pool->members, size, subsamples));
    for (size_t b = 0; b < subsamples; b++) {
        of_random random = of_random_make(work->fit.seed, OF_PURPOSE_SUBSAMPLE, stream + b);
        size_t taken = 0;
        for (size_t j = 0; j < pool->X.samples && taken < size; j++)
            if (of_random_uniform(&random) * (double)(pool->X.samples - j) < (double)(size - taken))
                pool->members[b * size + taken++] = (uint32_t)j;
    }
    return ONEFOLD_OK;
}

/* An even sample of X as doubles, scaled so that its rows have about unit length again. */
static onefold_status thin_out(of_arena *arena, const of_stack *X, size_t count, of_stack *thin)
{
    double *out, scale = sqrt((double)X->samples / (double)count);
    OF_TRY(OF_NEW(arena, &out, X->rows, count));
    for (size_t i = 0; i < count; i++) {
        size_t n = X->samples, ld, at = n / count * i + n % count * i / count;
        const double *in = of_stack_tile(X, at, 1, out + i * X->rows, &ld);
        OF_TRY(of_stack_check(X, in));
        for (size_t r = 0; r < X->rows; r++)
            out[i * X->rows + r] = scale * in[r];
    }
    *thin = of_stack_double(out, X->rows, count, X->rows);
    return ONEFOLD_OK;
}

/* rows x count normal samples with the second moments of X, N = X X': N^(1/2) Z / sqrt(count). */
static onefold_status without_clusters(of_choose_work *work, of_arena *arena, const of_stack *X,
                                       size_t count, of_stack *made)
{
    OF_SCRATCH(scratch, work->context);
    size_t rows = X->rows;
    double *N, *value, *Z, *out;
    OF_TRY(OF_NEW(arena, &out, rows, count));
    OF_TRY(OF_NEW(&scratch, &N, rows, rows));
    OF_TRY(OF_NEW(&scratch, &value, rows, 1));
    OF_TRY(OF_NEW(&scratch, &Z, rows, count));
    OF_TRY(of_cs_gram(work->context, X, N));
    OF_TRY(of_eigh(work->context, rows, N, rows, value));
    for (size_t j = 0; j < count; j++) {
        of_random random = of_random_make(work->fit.seed, OF_PURPOSE_SUBSAMPLE, chance_values + j);
        for (size_t r = 0; r < rows; r++)
            Z[r + j * rows] = of_random_normal(&random) * sqrt(fmax(value[r], 0) / (double)count);
    }
    of_gemm('N', 'N', rows, count, rows, 1, N, rows, Z, rows, 0, out, rows);
    for (size_t j = 0; work->joint && j < count; j++) /* what is constant stays so */
        for (size_t b = 0; b < work->blocks; b++)
            out[j * rows + b * work->dims] = 1 / sqrt((double)count);
    *made = of_stack_double(out, rows, count, rows);
    return ONEFOLD_OK;
}

onefold_status of_choose_pools(of_choose_work *work, of_arena *arena, const of_stack *X)
{
    size_t count = of_choose_pool_samples(X->samples), chance = of_choose_chance_samples(count);
    double share = work->options.share;
    work->scale = sqrt((double)X->samples / (double)count);
    if (count < X->samples)
        OF_TRY(thin_out(arena, X, count, &work->data.X));
    else
        work->data.X = *X;
    OF_TRY(without_clusters(work, arena, &work->data.X, chance, &work->chance.X));
    OF_TRY(draw(work, arena, work->options.subsamples, of_choose_subsample_size(count, share),
                data_draws, &work->data));
    return draw(work, arena, CHANCE_SUBSAMPLES, of_choose_subsample_size(chance, share),
                chance_draws, &work->chance);
}
