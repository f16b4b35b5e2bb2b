/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times one iteration's pass over the data at n = 10^6, p = 5, k = m = 20, mu = 10 (other sizes as
 * arguments: n p k m mu) against its three matrix products alone on the same tiles, and against one
 * read of the same memory, all on the same threads in turn. Prints one JSON object.
 */
#include "base/context.h"
#include "base/random.h"
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 9 };

typedef struct bench {
    of_cs_solver solver;
    of_cs_runner run;
    of_tiles tiles;
    double *room;    /* per worker: H and Q of a tile */
    double *sink;    /* per group: keeps the reads from being optimised away */
    double *partial; /* per group: a sum */
} bench;

/* The three products of a pass, on its tiles and threads, with nothing between them. */
static onefold_status products_only(void *opaque, size_t group)
{
    bench *b = opaque;
    const of_cs_sizes *z = &b->solver.sizes;
    size_t tiles = b->tiles.tiles_per_group;
    double *H = b->room + of_team_worker() * (z->k + z->m + z->mu) * b->tiles.width,
           *sum = b->partial + group * z->pk * z->m;
    memset(sum, 0, z->pk * z->m * sizeof *sum);
    for (size_t tile = group * tiles; tile < (group + 1) * tiles; tile++) {
        size_t first = of_tiles_first(&b->tiles, tile), width = of_tiles_length(&b->tiles, tile);
        const double *X = (const double *)b->solver.problem->X->data + first * z->pk;
        double *Q = H + z->k * width;
        of_gemm('T', 'T', width, z->k, z->pk, 1, X, z->pk, b->run.now.B, z->k, 0, H, width);
        of_gemm('N', 'N', width, z->m + z->mu, z->k, 1, H, width, b->run.now.R, z->k, 0, Q, width);
        of_gemm('N', 'N', z->pk, z->m, width, 1, X, z->pk, Q, width, 1, sum, z->pk);
    }
    return ONEFOLD_OK;
}

static onefold_status read_only(void *opaque, size_t group)
{
    bench *b = opaque;
    size_t count = b->solver.sizes.n / b->tiles.groups * b->solver.sizes.pk;
    const double *X = (const double *)b->solver.problem->X->data + group * count;
    double sum[8] = {0};
    for (size_t i = 0; i + 8 <= count; i += 8)
        for (size_t s = 0; s < 8; s++)
            sum[s] += X[i + s];
    for (size_t s = 0; s < 8; s++)
        b->sink[group] += sum[s];
    return ONEFOLD_OK;
}

/* The least of the rounds: what others do on the machine can only add to it. */
static double least(const double *times)
{
    double best = times[0];
    for (int i = 1; i < ROUNDS; i++)
        best = fmin(best, times[i]);
    return best;
}

/* X of random numbers, and B, R, C as a run might have them. */
static onefold_status prepare(bench *b, of_arena *arena, of_stack *stack, const of_cs_sizes *z)
{
    double *X;
    OF_TRY(OF_NEW(arena, &X, z->pk, z->n));
    OF_TRY(OF_NEW_ZERO(arena, &b->sink, OF_TEAM_GROUPS, 1));
    of_random random = of_random_make(1, OF_PURPOSE_TEST, 0);
    for (size_t i = 0; i < z->pk * z->n; i++)
        X[i] = (of_random_uniform(&random) - 0.5) / sqrt((double)z->n);
    *stack = of_stack_double(X, z->pk, z->n);
    b->tiles = of_stack_cut(z->n, z->pk);
    OF_TRY(OF_NEW(arena, &b->partial, b->tiles.groups, z->pk * z->m));
    OF_TRY(OF_NEW(arena, &b->room, of_team_size(arena->context),
                  (z->k + z->m + z->mu) * b->tiles.width));
    const onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    OF_TRY(of_cs_runner_make(arena, z, z->n, &options, &b->run));
    for (size_t i = 0; i < z->k * z->pk; i++)
        b->run.now.B[i] = of_random_normal(&random);
    for (size_t i = 0; i < z->k * (z->m + z->mu); i++)
        b->run.now.R[i] = of_random_normal(&random);
    return ONEFOLD_OK;
}

static onefold_status measure(of_context *context, const of_cs_sizes *z)
{
    OF_SCRATCH(arena, context);
    of_stack stack;
    const onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    of_cs_problem problem = {&stack, z->p, z->k, z->m, z->mu, &options, NULL};
    bench b = {.solver = {.context = context, .problem = &problem, .sizes = *z}};
    OF_TRY(prepare(&b, &arena, &stack, z));
    double pass[ROUNDS], products[ROUNDS], reading[ROUNDS];
    for (int round = -1; round < ROUNDS; round++) { /* the first is a rehearsal */
        double start = of_clock_seconds();
        OF_TRY(of_cs_pass(&b.solver, 0, &b.run));
        double one = of_clock_seconds();
        OF_TRY(of_team_run(context, b.tiles.groups, products_only, &b));
        double two = of_clock_seconds();
        OF_TRY(of_team_run(context, b.tiles.groups, read_only, &b));
        double three = of_clock_seconds();
        if (round < 0)
            continue;
        pass[round] = one - start;
        products[round] = two - one;
        reading[round] = three - two;
    }
    double seconds = least(pass), gemm = least(products), read = least(reading);
    printf("{\"n\": %zu, \"p\": %zu, \"k\": %zu, \"m\": %zu, \"mu\": %zu, \"threads\": %zu, "
           "\"tile\": %zu, \"pass_seconds\": %.6f, \"products_seconds\": %.6f, "
           "\"read_seconds\": %.6f, \"ratio\": %.4f}\n",
           z->n, z->p, z->k, z->m, z->mu, of_team_size(context), b.tiles.width, seconds, gemm, read,
           seconds / fmax(gemm, read));
    return ONEFOLD_OK;
}

int main(int argc, char **argv)
{
    size_t size[5] = {1000000, 5, 20, 20, 10};
    for (int i = 1; i < argc && i <= 5; i++)
        size[i - 1] = strtoull(argv[i], NULL, 10);
    of_cs_sizes sizes = {size[0], size[1], size[2], size[3], size[4], size[1] * size[2]};
    of_blas_enter();
    onefold_status status = measure(of_context_or_default(NULL), &sizes);
    of_blas_leave();
    if (status != ONEFOLD_OK)
        fprintf(stderr, "bench_pass: %s\n", onefold_last_error());
    return status == ONEFOLD_OK ? 0 : 1;
}
