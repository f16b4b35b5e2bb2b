/* SPDX-License-Identifier: Apache-2.0 */
/* The restarts of OS-LFMVC-CS (docs/method.md section 5): their starts, and how they are pruned. */
#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/kmeans.h"
#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <string.h>

/* ---- align (section 5, step 1) --------------------------------------------------------------- */

/* G = sum_{j != i} W_j N_ji (k x k). */
static void sum_others(size_t p, size_t k, const double *N, const double *W, size_t i, double *G)
{
    memset(G, 0, k * k * sizeof *G);
    for (size_t j = 0; j < p; j++)
        if (j != i)
            of_gemm('N', 'N', k, k, k, 1, W + j * k * k, k, N + j * k + i * k * p * k, p * k, 1, G,
                    k);
}

onefold_status of_cs_align(of_context *context, size_t p, size_t k, const double *N, double *W,
                           double *alignment)
{
    enum { SWEEPS = 20 };
    OF_SCRATCH(scratch, context);
    size_t pk = p * k;
    double *copy, *V, *value, *G, sum = 0, before; /* sum: the alignment */
    OF_TRY(OF_NEW_ALL(&scratch, {&copy, pk, pk}, {&V, pk, k}, {&value, k, 1}, {&G, k, k}));
    if (!of_counts(context))
        memcpy(copy, N, pk * pk * sizeof *copy);
    OF_TRY(of_eigh_top(context, pk, k, copy, value, V));
    if (of_counts(context))
        return of_polar(context, k, k, G, OF_POLAR_NEAR, W);
    memset(W, 0, k * pk * sizeof *W);
    for (size_t i = 0; i < p; i++) {
        double *Wi = W + i * k * k;
        for (size_t r = 0; r < k; r++) {
            Wi[r + r * k] = 1;
            for (size_t c = 0; c < k; c++)
                G[r + c * k] = V[i * k + c + r * pk]; /* V_i' */
        }
        OF_TRY(of_polar(context, k, k, G, OF_POLAR_NEAR, Wi));
    }
    for (size_t i = 0; i < p; i++) {
        sum_others(p, k, N, W, i, G);
        sum += of_dot(k, k, W + i * k * k, G);
    }
    if (alignment)
        alignment[0] = sum;
    for (int sweep = 0; p > 1 && sweep < SWEEPS; sweep++) {
        OF_TRY(of_context_check(context));
        before = sum;
        for (size_t i = 0; i < p; i++) { /* the sum has the terms of view i twice */
            double *Wi = W + i * k * k;
            sum_others(p, k, N, W, i, G);
            sum -= 2 * of_dot(k, k, Wi, G);
            OF_TRY(of_polar(context, k, k, G, OF_POLAR_NEAR, Wi));
            sum += 2 * of_dot(k, k, Wi, G);
        }
        if (!(sum - before > 1e-6 * fabs(sum)))
            break;
    }
    if (alignment)
        alignment[1] = sum;
    return ONEFOLD_OK;
}

/* ---- C and P of a start (section 5, step 3) -------------------------------------------------- */

/* The first C. Where a cluster is empty, the polar factor is completed from an isometry. */
static onefold_status first_C(const of_cs_solver *s, of_cs_runner *run)
{
    size_t k = s->sizes.k, mu = s->sizes.mu;
    memset(run->now.C, 0, k * mu * sizeof(double));
    for (size_t c = 0; c < mu; c++)
        run->now.C[c + c * k] = 1;
    return of_cs_step_C(s, run);
}

/* The first P (section 5): column j of E is unit vector j mod rank, of changing sign, and rows of E
 * have length 1. With S >= 0, an anchor that starts at 0 would stay unused. */
static onefold_status first_P(const of_cs_solver *s, of_cs_runner *run)
{
    size_t k = s->sizes.k, m = s->sizes.m, rank;
    OF_TRY(of_cs_factor_H(s, run, &rank));
    for (size_t i = 0; i < rank; i++) { /* the same signs with any LAPACK */
        double *v = run->F + i * k;
        if (v[cblas_idamax((int)k, v, 1)] < 0)
            cblas_dscal((int)k, -1, v, 1);
    }
    memset(run->M1, 0, k * m * sizeof(double));
    for (size_t j = 0; j < m && rank > 0; j++) {
        size_t i = j % rank, uses = m / rank + (i < m % rank);
        run->M1[i + j * rank] = (j / rank % 2 ? -1 : 1) / sqrt((double)uses);
    }
    of_cs_set_P(s, run, rank);
    return ONEFOLD_OK;
}

/* ---- --start paper (section 5) --------------------------------------------------------------- */

typedef struct paper_task {
    const of_cs_solver *s;
    size_t restart;
    of_cs_runner *run;
} paper_task;

/* Adds X G, G'G, X S', X Y' and sizes of a tile, for a Gaussian G (n x m). Every sample has its own
 * stream of random numbers. */
static onefold_status paper_part(void *opaque, const of_stack_part *part)
{
    const paper_task *task = opaque;
    const onefold_fit_options *options = task->s->problem->options;
    size_t m = task->s->sizes.m, mu = task->s->sizes.mu, pk = task->s->sizes.pk,
           width = part->count;
    double *G = part->room, *S = G + width * m, *XG = part->sum, *GG = XG + pk * m,
           *XS = GG + m * m, *XY = XS + pk * m, *count = XY + pk * mu;
    int32_t *labels = task->run->now.labels + (part->first - task->s->problem->X->first);
    for (size_t j = 0; j < width; j++) {
        of_random random = of_random_make(options->seed, OF_PURPOSE_PAPER_START,
                                          ((uint64_t)task->restart << 40) + part->first + j);
        double square = 0;
        for (size_t i = 0; i < m; i++)
            G[j + i * width] = of_random_normal(&random);
        for (size_t i = 0; i < m; i++) {
            double z = of_random_normal(&random);
            S[j + i * width] = options->nonneg ? fabs(z) : z;
            square += z * z;
        }
        for (size_t i = 0; i < m; i++)
            S[j + i * width] /= sqrt(square);
        size_t label = of_random_below(&random, mu);
        labels[j] = (int32_t)label;
        cblas_daxpy((int)pk, 1, part->x + j * pk, 1, XY + label * pk, 1);
        count[label] += 1;
    }
    of_gemm('N', 'N', pk, m, width, 1, part->x, pk, G, width, 1, XG, pk);
    of_gemm('N', 'N', pk, m, width, 1, part->x, pk, S, width, 1, XS, pk);
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
    OF_TRY(OF_NEW_ALL(&scratch, {&value, m, 1}, {&V, m, m}, {&root, m, m}));
    OF_TRY(of_eigh(context, m, GG, value));
    OF_COUNTED(context);
    for (; rank < m && rank < sizes->n && value[rank] > 1e-13 * value[0]; rank++)
        for (size_t i = 0; i < m; i++)
            V[i + rank * m] = GG[i + rank * m] / sqrt(value[rank]);
    of_gemm('N', 'T', m, m, rank, 1, V, m, GG, m, 0, root, m);
    of_gemm('N', 'N', pk, m, m, 1, XG, pk, root, m, 0, XP, pk);
    return ONEFOLD_OK;
}

/* The paper's start: W = I, random orthonormal P, random unit columns of S, random labels. */
static onefold_status start_paper(const of_cs_solver *s, size_t restart, of_cs_runner *run)
{
    OF_SCRATCH(scratch, s->context);
    const of_cs_sizes *sizes = &s->sizes;
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, pk = sizes->pk,
           length = pk * m + m * m + pk * m + pk * mu + mu;
    of_cs_state *now = &run->now;
    paper_task task = {s, restart, run};
    double *sum;
    OF_TRY(OF_NEW(&scratch, &sum, length, 1));
    OF_TRY(of_stack_sum(s->context, s->problem->X, of_stack_cut(sizes->n, pk), 2 * m, paper_part,
                        &task, length, sum));
    OF_TRY(paper_P(s->context, sizes, sum, sum + pk * m, now->XP));
    OF_COUNTED(s->context);
    double *XS = sum + pk * m + m * m, *XY = XS + pk * m;
    memcpy(now->XS, XS, pk * m * sizeof *XS);
    memcpy(now->XY, XY, pk * mu * sizeof *XY);
    for (size_t c = 0; c < mu; c++)
        now->sizes[c] = (size_t)XY[pk * mu + c];
    memset(now->W, 0, k * pk * sizeof *now->W);
    for (size_t i = 0; i < pk; i++)
        now->W[i % k + i * k] = 1;
    of_beta_bounds_start(s->problem->bounds, sizes->p, now->beta);
    of_cs_set_B(sizes, now);
    of_gemm('N', 'N', k, m, pk, 1, now->B, k, now->XP, pk, 0, now->R, k);
    return first_C(s, run);
}

/* ---- labels and start of a run (section 5, steps 2 and 3) ------------------------------------ */

/* Above this number of samples, restarts save time gradually, so that more samples never take less
 * time. Up to it, labels are those of version 0.1.0. The default method has short runs, which need
 * no such rules. */
enum { FEW = 1 << 13 };

static int is_gradual(const of_cs_solver *s)
{
    return s->sizes.n > FEW && s->problem->options->stop != ONEFOLD_STOP_SETTLED;
}

/* Runs of k-means of which a start keeps the best: as many as are cheap, by sizes alone. */
static size_t start_runs(const of_cs_solver *s)
{
    enum { RUNS = 16, MOST_PRODUCTS = 1 << 21 };
    size_t n = s->sizes.n, most = MOST_PRODUCTS / s->sizes.k / s->sizes.mu;
    if (n <= most)
        return RUNS;
    return is_gradual(s) && RUNS * most > n ? RUNS * most / n : 1;
}

/* Given labels, or k-means on the columns of H at length 1. Every second restart keeps the best of
 * several runs of k-means, so that half of the starts are good and half are varied: these are of
 * Lloyd's iteration alone. */
static onefold_status first_labels(const of_cs_solver *s, size_t restart, of_cs_runner *run)
{
    OF_SCRATCH(scratch, s->context);
    const of_cs_sizes *sizes = &s->sizes;
    const of_stack *X = s->problem->X;
    of_kmeans_options kmeans = {.clusters = sizes->mu,
                                .replicates = restart % 2 == 1 ? start_runs(s) : 1,
                                .max_iterations = 100,
                                .start = OF_KMEANS_PLUSPLUS,
                                .seed = s->problem->options->seed,
                                .index = restart,
                                .lloyd = restart % 2 == 0};
    int32_t *labels = run->now.labels; /* every process runs k-means on all samples */
    if (!s->given || !s->given->labels) {
        if (X->held < sizes->n)
            OF_TRY(OF_NEW(&scratch, &labels, sizes->n, 1));
        OF_TRY(
            of_kmeans(s->context, &kmeans, sizes->k, sizes->n, s->H, sizes->k, labels, NULL, NULL));
        if (labels != run->now.labels && !of_counts(s->context))
            memcpy(run->now.labels, labels + X->first, X->held * sizeof *labels);
    } else if (!of_counts(s->context))
        memcpy(labels, s->given->labels, X->held * sizeof *labels);
    return ONEFOLD_OK;
}

/* The aligned start after its labels. */
static onefold_status start_aligned(const of_cs_solver *s, of_cs_runner *run)
{
    const of_cs_sizes *sizes = &s->sizes;
    int nonneg = s->problem->options->nonneg;
    if (of_counts(s->context))
        return of_cs_pass(s, 1, run);
    memcpy(run->now.W, s->W, sizes->k * sizes->pk * sizeof(double));
    memcpy(run->now.beta, s->beta, sizes->p * sizeof(double));
    of_cs_set_B(sizes, &run->now);
    /* With S free and m >= k the first P is optimal: its range contains the rows of H. */
    OF_TRY(first_P(s, run));
    OF_TRY(of_cs_pass(s, 1, run));
    for (int sweep = 1; sweep < 3 && (nonneg || sizes->m < sizes->k); sweep++) {
        OF_TRY(of_cs_step_P(s, run));
        OF_TRY(of_cs_pass(s, 1, run));
    }
    return first_C(s, run);
}

/* ---- restarts, pruned (section 5, step 4) ---------------------------------------------------- */

/* A round: the restarts that are left run from one iteration to another. */
typedef struct round_task {
    of_cs_solver *s;
    of_cs_runner **left;
    size_t count, from, to;
    int share_tiles; /* threads without a run help with the tiles of others */
} round_task;

/* Counts the memory of an iteration: a pass, and the factors of W and of P. */
static onefold_status count_iteration(const of_cs_solver *s, of_cs_runner *run)
{
    size_t k = s->sizes.k, m = s->sizes.m;
    OF_TRY(of_cs_pass(s, 0, run));
    OF_TRY(of_polar(s->context, k, k, run->G, OF_POLAR_NEAR, run->now.W));
    return of_polar(s->context, k, m, run->M0, OF_POLAR_DROP, run->M1);
}

static void report_round(const round_task *r, size_t index)
{
    double done = (double)r->from + (double)((r->to - r->from) * index) / (double)r->count;
    of_context_progress(r->s->context, "fit", done, (double)r->s->problem->options->max_iterations,
                        NULL);
}

static onefold_status run_round(void *opaque, size_t index)
{
    const round_task *r = opaque;
    const of_cs_solver *s = r->s;
    of_cs_runner *run = r->left[index];
    size_t restart = s->given ? s->given->restart : run->slot;
    if (r->share_tiles)
        of_team_share(s->context);
    if (!of_team_for_another())
        report_round(r, index);
    if (r->from == 0 && s->problem->options->start == ONEFOLD_START_PAPER) {
        OF_TRY(start_paper(s, restart, run));
    } else if (r->from == 0) {
        OF_TRY(first_labels(s, restart, run));
        OF_TRY(start_aligned(s, run));
    }
    return of_counts(s->context) ? count_iteration(s, run) : of_cs_iterate(s, run, r->from, r->to);
}

/* Whether J is behind the best by more than four times its gain in the second half of the
 * iterations. Gains shrink from iteration to iteration, so the run would hardly catch up. */
static int is_behind(const of_cs_runner *run, double best)
{
    size_t t = run->end.iterations;
    double gain = run->trace[t - 1] - run->trace[t / 2 - 1];
    return best - run->end.J > 4 * gain;
}

/* Order of runs: fewer empty clusters, then the larger J, then the first. */
static int is_better(const of_cs_runner *a, const of_cs_runner *b)
{
    if (a->end.clusters_used != b->end.clusters_used)
        return a->end.clusters_used > b->end.clusters_used;
    return a->end.J > b->end.J || (a->end.J == b->end.J && a < b);
}

/* Leaves the runs that have neither converged nor fallen behind, and of these the best: at most the
 * share `kept` of the runs of this round. */
static void prune(round_task *r, double kept)
{
    double best = -INFINITY; /* largest J of the runs without an empty cluster */
    size_t most = (size_t)ceil(kept * (double)r->count), count = 0;
    for (size_t i = 0; i < r->s->restarts; i++)
        if (r->s->runs[i].end.clusters_used == r->s->sizes.mu)
            best = fmax(best, r->s->runs[i].end.J);
    for (size_t i = 0; i < r->s->restarts; i++) {
        of_cs_runner *run = &r->s->runs[i];
        if (run->end.iterations == r->to && !run->end.converged && !is_behind(run, best))
            r->left[count++] = run;
    }
    for (; count > most; count--) {
        size_t worst = 0;
        for (size_t i = 1; i < count; i++)
            worst = is_better(r->left[worst], r->left[i]) ? i : worst;
        memmove(r->left + worst, r->left + worst + 1, (count - worst - 1) * sizeof(*r->left));
    }
    r->count = count;
}

/* Operations of 100 iterations of every restart. */
static double restart_operations(const of_cs_solver *s)
{
    double p = (double)s->sizes.p, k = (double)s->sizes.k;
    /* an iteration: the pass, N B', and the polar factors at about 40 k^3 each */
    double operations =
        of_cs_pass_flops((double)s->sizes.n, p, k, (double)s->sizes.m, (double)s->sizes.mu) +
        2 * p * k * p * k * k + 40 * p * k * k * k;
    return operations * (double)s->restarts * 100;
}

/* Restarts are pruned only where all of them would take seconds: a run on a plateau can still
 * become the best. */
static const double MANY_OPERATIONS = 5e10;

/* The paper's own start and rules are not pruned. */
static int prunes(const of_cs_solver *s)
{
    const onefold_fit_options *options = s->problem->options;
    return s->restarts > 1 && options->start == ONEFOLD_START_ALIGNED &&
           options->stop != ONEFOLD_STOP_PAPER && options->variant == ONEFOLD_VARIANT_EXACT &&
           restart_operations(s) > MANY_OPERATIONS;
}

/* The share of runs that a round leaves: all where samples or operations are just many, half where
 * there are four times as many. With the root, more samples never take less work; and the work
 * depends on chance far less than where all may stay. */
static double share_kept(const of_cs_solver *s)
{
    double few = fmax(MANY_OPERATIONS / restart_operations(s), (double)FEW / (double)s->sizes.n);
    return is_gradual(s) ? fmax(sqrt(few), 0.5) : 1;
}

onefold_status of_cs_runner_make(of_arena *arena, const of_cs_sizes *sizes, size_t held,
                                 const onefold_fit_options *options, of_cs_runner *run)
{
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, p = sizes->p, pk = sizes->pk;
    size_t last = options->stop == ONEFOLD_STOP_SETTLED; /* 0: its arrays are empty */
    of_cs_runner made = {.trace = NULL};
    OF_TRY(OF_NEW_ALL(arena, {&made.now.W, k, pk}, {&made.now.beta, p, 1}, {&made.now.B, k, pk},
                      {&made.now.XS, pk, m}, {&made.now.XP, pk, m}, {&made.now.XY, pk, mu},
                      {&made.now.R, k, m + mu}, {&made.trace, options->max_iterations, 1}));
    OF_TRY(OF_NEW_ALL(arena, {&made.last.W, last * k, pk}, {&made.last.beta, last * p, 1},
                      {&made.last.XS, last * pk, m}, {&made.last.XY, last * pk, mu}));
    OF_TRY(OF_NEW_ALL(arena, {&made.US, pk, m}, {&made.UP, pk, m}, {&made.TS, k, m},
                      {&made.TP, k, m}, {&made.T, pk, k}, {&made.F, k, k}, {&made.G, k, k},
                      {&made.value, k, 1}, {&made.M0, k, m}, {&made.M1, k, m}, {&made.BXY, k, mu},
                      {&made.A, p, p}, {&made.f, p, 1}));
    OF_TRY(OF_NEW_ZERO(arena, &made.now.labels, held, 1));
    OF_TRY(OF_NEW_ZERO(arena, &made.now.sizes, mu, 1));
    if (!of_counts(arena->context))
        made.now.C = made.now.R + k * m;
    *run = made;
    return ONEFOLD_OK;
}

/* Rounds end at 10, 20, 40, ... iterations. A run is one piece of work, except where samples are
 * split over processes: then all processes work on every pass. */
onefold_status of_cs_run_restarts(of_cs_solver *s, of_arena *scratch)
{
    enum { FIRST_ROUND = 10, FEWEST_TO_SHARE = 4096 };
    size_t most = s->problem->options->max_iterations;
    int splits = of_comm_splits(s->context, s->sizes.n);
    round_task r = {s, NULL, s->restarts, 0, prunes(s) && FIRST_ROUND < most ? FIRST_ROUND : most,
                    0};
    OF_TRY(OF_NEW(scratch, &s->runs, s->restarts, 1));
    OF_TRY(OF_NEW(scratch, &r.left, s->restarts, 1));
    for (size_t i = 0; i < s->restarts; i++) {
        OF_TRY(of_cs_runner_make(scratch, &s->sizes, s->problem->X->held, s->problem->options,
                                 &s->runs[i]));
        s->runs[i].slot = i;
        r.left[i] = &s->runs[i];
    }
    for (;;) {
        report_round(&r, 0); /* here too: other threads may take every piece */
        r.share_tiles = r.count < of_team_size(s->context) && s->sizes.n >= FEWEST_TO_SHARE;
        OF_TRY(of_team_each(s->context, r.count > 1 && !splits, r.count, run_round, &r));
        OF_COUNTED(s->context);
        if (r.to < most)
            prune(&r, share_kept(s));
        if (r.to == most || r.count == 0)
            return ONEFOLD_OK;
        r.from = r.to;
        r.to = 2 * r.to < most ? 2 * r.to : most;
    }
}
