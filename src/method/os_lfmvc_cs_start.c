/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run of OS-LFMVC-CS starts (docs/method.md section 5): aligned views with labels from
 * k-means, or the paper's random start. */
#include "method/os_lfmvc_cs_parts.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/kmeans.h"

#include <math.h>
#include <string.h>

/* ---- aligned W ---------------------------------------------------------------------------- */

/* G = sum_{j != i} W_j N_ji (k x k): what the other views ask of view i. */
static void others_of(size_t p, size_t k, const double *N, const double *W, size_t i, double *G)
{
    memset(G, 0, k * k * sizeof *G);
    for (size_t j = 0; j < p; j++)
        if (j != i)
            of_gemm('N', 'N', k, k, k, 1, W + j * k * k, k, N + j * k + i * k * p * k, p * k, 1, G,
                    k);
}

/* sum over i != j of <W_i H_i, W_j H_j> */
static double alignment_of(size_t p, size_t k, const double *N, const double *W, double *G)
{
    double sum = 0;
    for (size_t i = 0; i < p; i++) {
        others_of(p, k, N, W, i, G);
        sum += of_dot(k, k, W + i * k * k, k, G, k);
    }
    return sum;
}

onefold_status of_cs_align(of_context *context, size_t p, size_t k, const double *N, double *W,
                           double *alignment)
{
    enum { SWEEPS = 20 };
    OF_SCRATCH(scratch, context);
    size_t pk = p * k;
    double *copy, *V, *value, *G, now, before;
    OF_TRY(OF_NEW(&scratch, &copy, pk, pk));
    OF_TRY(OF_NEW(&scratch, &V, pk, k));
    OF_TRY(OF_NEW(&scratch, &value, k, 1));
    OF_TRY(OF_NEW(&scratch, &G, k, k));
    memcpy(copy, N, pk * pk * sizeof *copy);
    OF_TRY(of_eigh_top(context, pk, k, copy, pk, value, V, pk));
    memset(W, 0, k * pk * sizeof *W);
    for (size_t i = 0; i < p; i++) {
        double *Wi = W + i * k * k;
        for (size_t r = 0; r < k; r++) {
            Wi[r + r * k] = 1;
            for (size_t c = 0; c < k; c++)
                G[r + c * k] = V[i * k + c + r * pk]; /* V_i' */
        }
        OF_TRY(of_polar_near(context, k, k, G, k, Wi, k, Wi, k));
    }
    now = alignment_of(p, k, N, W, G);
    if (alignment)
        alignment[0] = now;
    for (int sweep = 0; p > 1 && sweep < SWEEPS; sweep++) {
        OF_TRY(of_context_check(context));
        before = now;
        for (size_t i = 0; i < p; i++) { /* view i is in every sum twice */
            double *Wi = W + i * k * k;
            others_of(p, k, N, W, i, G);
            now -= 2 * of_dot(k, k, Wi, k, G, k);
            OF_TRY(of_polar_near(context, k, k, G, k, Wi, k, Wi, k));
            now += 2 * of_dot(k, k, Wi, k, G, k);
        }
        if (!(now - before > 1e-6 * fabs(now)))
            break;
    }
    if (alignment)
        alignment[1] = now;
    return ONEFOLD_OK;
}

/* ---- labels, C, P and S ------------------------------------------------------------------- */

/* Every second restart keeps the best of several runs of k-means: half of the starts are good ones,
 * and half of them as different as chance makes them. By sizes alone: only where k-means is cheap.
 */
static size_t kmeans_runs(const of_cs_sizes *sizes, size_t restart)
{
    enum { RUNS = 16, MOST_PRODUCTS = 1 << 21 };
    int cheap = sizes->n <= MOST_PRODUCTS / sizes->k / sizes->mu;
    return cheap && restart % 2 == 1 ? RUNS : 1;
}

onefold_status of_cs_start_labels(of_context *context, const of_cs_sizes *sizes, const double *H,
                                  uint64_t seed, size_t restart, int32_t *labels)
{
    of_kmeans_options options = {.clusters = sizes->mu,
                                 .replicates = kmeans_runs(sizes, restart),
                                 .max_iterations = 100,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = seed,
                                 .index = restart};
    return of_kmeans(context, &options, sizes->k, sizes->n, H, sizes->k, labels, NULL, NULL);
}

/* C from nothing: an isometry for the polar factor to fall back on where a cluster is empty. */
static onefold_status first_C(of_context *context, const of_cs_sizes *sizes, of_cs_runner *run)
{
    memset(run->now.C, 0, sizes->k * sizes->mu * sizeof(double));
    for (size_t c = 0; c < sizes->mu; c++)
        run->now.C[c + c * sizes->k] = 1;
    return of_cs_step_C(context, sizes, run);
}

typedef struct complete_task {
    of_cs_pass *pass;
    const double *N;
    of_cs_runner **runs;
    int sweep; /* 0: the first P */
} complete_task;

static onefold_status complete_P(void *opaque, size_t r, int worker)
{
    complete_task *task = opaque;
    of_cs_pass *pass = task->pass;
    (void)worker;
    if (task->sweep == 0)
        return of_cs_first_P(pass->context, &pass->sizes, task->N, task->runs[r]);
    return of_cs_step_P(pass->context, &pass->sizes, task->N, task->runs[r]);
}

static onefold_status complete_C(void *opaque, size_t r, int worker)
{
    complete_task *task = opaque;
    (void)worker;
    return first_C(task->pass->context, &task->pass->sizes, task->runs[r]);
}

onefold_status of_cs_start_complete(of_cs_pass *pass, const double *N, of_cs_runner **runs,
                                    size_t count)
{
    /* With S free and m >= k the first P is already a best one: its range holds the rows of H. */
    int sweeps = pass->nonneg || pass->sizes.m < pass->sizes.k ? 3 : 1;
    complete_task task = {pass, N, runs, 0};
    for (task.sweep = 0; task.sweep < sweeps; task.sweep++) {
        OF_TRY(of_team_run(pass->context, count, complete_P, &task));
        OF_TRY(of_cs_pass_run(pass, OF_CS_PASS_KEEP_LABELS, runs, count));
    }
    return of_team_run(pass->context, count, complete_C, &task);
}

/* ---- the paper's start -------------------------------------------------------------------- */

typedef struct paper_task {
    const of_stack *X;
    const of_cs_sizes *sizes;
    const onefold_fit_options *options;
    size_t restart;
    of_cs_runner *run;
    of_tiles tiles;
    double *room; /* per worker: a tile of X, then width x m twice */
    size_t room_size;
} paper_task;

/* Adds X G, G'G, X S', X Y' and sizes of a tile, for a Gaussian G (n x m). Every sample draws from
 * a stream of its own. */
static onefold_status paper_tile(void *opaque, size_t tile, int worker, double *sum)
{
    paper_task *task = opaque;
    size_t m = task->sizes->m, mu = task->sizes->mu, pk = task->sizes->pk, ldx;
    size_t first = of_tiles_first(&task->tiles, tile), width = of_tiles_length(&task->tiles, tile);
    double *room = task->room + (size_t)worker * task->room_size,
           *G = room + of_stack_room(task->X, task->tiles.width), *S = G + task->tiles.width * m;
    double *XG = sum, *GG = XG + pk * m, *XS = GG + m * m, *XY = XS + pk * m, *count = XY + pk * mu;
    if (width == 0)
        return ONEFOLD_OK;
    const double *X = of_stack_tile(task->X, first, width, room, &ldx);
    OF_TRY(of_stack_check(task->X, X));
    for (size_t j = 0; j < width; j++) {
        of_random random = of_random_make(task->options->seed, OF_PURPOSE_PAPER_START,
                                          ((uint64_t)task->restart << 40) + first + j);
        double square = 0;
        for (size_t i = 0; i < m; i++)
            G[j + i * width] = of_random_normal(&random);
        for (size_t i = 0; i < m; i++) {
            double z = of_random_normal(&random);
            S[j + i * width] = task->options->nonneg ? fabs(z) : z;
            square += z * z;
        }
        for (size_t i = 0; i < m; i++)
            S[j + i * width] /= sqrt(square);
        size_t label = of_random_below(&random, mu);
        task->run->now.labels[first + j] = (int32_t)label;
        cblas_daxpy((int)pk, 1, X + j * ldx, 1, XY + label * pk, 1);
        count[label] += 1;
    }
    of_gemm('N', 'N', pk, m, width, 1, X, ldx, G, width, 1, XG, pk);
    of_gemm('N', 'N', pk, m, width, 1, X, ldx, S, width, 1, XS, pk);
    of_gemm('T', 'N', m, m, width, 1, G, width, G, width, 1, GG, m);
    return ONEFOLD_OK;
}

/* XP = X G (G'G)^(-1/2): P = polar(G), a partial isometry where m > n. */
static onefold_status paper_P(of_context *context, const of_cs_sizes *sizes, const double *XG,
                              double *GG, double *XP)
{
    OF_SCRATCH(scratch, context);
    size_t m = sizes->m, pk = sizes->pk, rank = 0;
    double *value, *V, *root;
    OF_TRY(OF_NEW(&scratch, &value, m, 1));
    OF_TRY(OF_NEW(&scratch, &V, m, m));
    OF_TRY(OF_NEW(&scratch, &root, m, m));
    OF_TRY(of_eigh(context, m, GG, m, value));
    for (; rank < m && rank < sizes->n && value[rank] > 1e-13 * value[0]; rank++)
        for (size_t i = 0; i < m; i++)
            V[i + rank * m] = GG[i + rank * m] / sqrt(value[rank]);
    of_gemm('N', 'T', m, m, rank, 1, V, m, GG, m, 0, root, m);
    of_gemm('N', 'N', pk, m, m, 1, XG, pk, root, m, 0, XP, pk);
    return ONEFOLD_OK;
}

onefold_status of_cs_start_paper(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                                 const onefold_fit_options *options, size_t restart,
                                 of_cs_runner *run)
{
    OF_SCRATCH(scratch, context);
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, pk = sizes->pk;
    of_cs_state *now = &run->now;
    paper_task task = {X,    sizes, options, restart, run, of_tiles_make(sizes->n, pk, 1 << 18),
                       NULL, 0};
    task.room_size = of_stack_room(X, task.tiles.width) + 2 * m * task.tiles.width;
    size_t length = pk * m + m * m + pk * m + pk * mu + mu;
    double *sum;
    OF_TRY(OF_NEW(&scratch, &task.room, task.room_size, (size_t)of_team_size(context)));
    OF_TRY(OF_NEW_ZERO(&scratch, &sum, length, 1));
    OF_TRY(of_tiles_sum(context, &task.tiles, paper_tile, &task, length, sum));
    OF_TRY(paper_P(context, sizes, sum, sum + pk * m, now->XP));
    double *XS = sum + pk * m + m * m, *XY = XS + pk * m;
    memcpy(now->XS, XS, pk * m * sizeof *XS);
    memcpy(now->XY, XY, pk * mu * sizeof *XY);
    for (size_t c = 0; c < mu; c++)
        now->sizes[c] = (size_t)XY[pk * mu + c];
    memset(now->W, 0, k * pk * sizeof *now->W);
    for (size_t i = 0; i < pk; i++)
        now->W[i % k + i * k] = 1;
    of_beta_bounds_start(run->bounds, sizes->p, now->beta);
    of_cs_set_B(sizes, now);
    of_gemm('N', 'N', k, m, pk, 1, now->B, k, now->XP, pk, 0, now->R, k);
    return first_C(context, sizes, run);
}
