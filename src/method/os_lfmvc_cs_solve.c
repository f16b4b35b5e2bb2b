/* SPDX-License-Identifier: Apache-2.0 */
/* OS-LFMVC-CS from problem to result: the sample of large n, the common start, the best restart,
 * the estimate. */
#include "linalg/blas.h"
#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <string.h>

/* ---- large n (section 5) -----------------------------------------------------------------------
 *
 * docs/method.md section 5: restarts run on an even sample of the samples, and the best is finished
 * on all of them. The sample's partitions are scaled to rows of about length 1, which keeps the
 * balance of T1 and T2 in J.
 */

enum { SAMPLE = 1 << 15 };

size_t of_cs_sample_size(size_t n)
{
    return n < SAMPLE ? n : SAMPLE;
}

/* The even sample of X (rows x count), scaled, in every process. */
static onefold_status copy_sample(of_context *context, of_arena *arena, const of_stack *X,
                                  size_t count, double **sample)
{
    double scale = sqrt((double)X->samples / (double)count);
    OF_SCRATCH(scratch, context);
    size_t *place;
    OF_TRY(OF_NEW(&scratch, &place, count, 1));
    OF_TRY(OF_NEW(arena, sample, X->rows, count));
    OF_COUNTED(context);
    for (size_t i = 0; i < count; i++)
        place[i] = of_part_start(X->samples, count, i);
    OF_TRY(of_cs_backend_of(X)->sample(context, X, place, count, *sample));
    OF_TRY(of_comm_gather_chosen(context, *sample, X->rows * sizeof **sample, X->samples, place,
                                 count));
    for (size_t i = 0; i < X->rows * count; i++)
        (*sample)[i] *= scale;
    return ONEFOLD_OK;
}

/* Labels of all samples from W, beta and C: y = argmax C' B x. */
static onefold_status label_all(of_context *context, of_arena *arena, const of_cs_problem *problem,
                                const of_cs_result *from, int32_t **labels)
{
    size_t k = problem->k, pk = problem->p * k, mu = problem->mu;
    double *B, *CB;
    OF_TRY(OF_NEW(arena, labels, problem->X->held, 1));
    OF_TRY(OF_NEW_ALL(arena, {&B, k, pk}, {&CB, mu, pk}));
    for (size_t i = 0; i < k * pk && !of_counts(context); i++)
        B[i] = from->beta[i / (k * k)] * from->W[i];
    if (!of_counts(context))
        of_gemm('T', 'N', mu, pk, k, 1, from->C, k, B, k, 0, CB, mu);
    return of_cs_backend_of(problem->X)->label(context, problem->X, mu, CB, *labels);
}

typedef struct sample_task {
    of_arena *arena;
    of_cs_problem problem;
    of_cs_result result;
} sample_task;

static onefold_status solve_sample(of_context *context, void *opaque)
{
    sample_task *task = opaque;
    return of_cs_run(context, task->arena, &task->problem, NULL, NULL, &task->result);
}

/* Broadcasts the result of rank 0, without its arrays of samples. */
static onefold_status broadcast_result(of_context *context, sample_task *task)
{
    of_cs_result *result = &task->result;
    of_arena *arena = task->arena;
    size_t k = task->problem.k, p = task->problem.p, mu = task->problem.mu;
    OF_TRY(of_comm_broadcast(context, 0, result, sizeof *result));
    OF_TRY(of_comm_broadcast_array(arena, &result->end, result->restarts * sizeof *result->end));
    OF_TRY(of_comm_broadcast_array(arena, &result->W, k * k * p * sizeof *result->W));
    OF_TRY(of_comm_broadcast_array(arena, &result->beta, p * sizeof *result->beta));
    return of_comm_broadcast_array(arena, &result->C, k * mu * sizeof *result->C);
}

/* of_cs_run where n is large. */
static onefold_status solve_large(of_context *context, of_arena *arena,
                                  const of_cs_problem *problem, of_cs_result *result)
{
    OF_SCRATCH(scratch, context);
    size_t n = problem->X->samples, count = of_cs_sample_size(n);
    double *sample;
    int32_t *labels;
    OF_TRY(copy_sample(context, &scratch, problem->X, count, &sample));
    of_stack small = of_stack_double(sample, problem->X->rows, count);
    sample_task task = {.arena = &scratch, .problem = *problem};
    task.problem.X = &small;
    OF_TRY(of_comm_lead(context, solve_sample, &task));
    OF_TRY(broadcast_result(context, &task));
    of_cs_result found = task.result;
    of_arena_release(&scratch, sample);
    OF_TRY(label_all(context, &scratch, problem, &found, &labels));
    of_cs_given given = {.labels = labels};
    if (problem->options->stop == ONEFOLD_STOP_SETTLED) {
        given.W = found.W;
        given.beta = found.beta;
    }
    OF_TRY(of_cs_run(context, arena, problem, &given, NULL, result));
    /* The best restart ends on all samples, the others on the sample, with J scaled. */
    of_cs_end *end;
    OF_TRY(OF_NEW(arena, &end, found.restarts, 1));
    for (size_t r = 0; r < found.restarts; r++) {
        end[r] = found.end[r];
        end[r].J *= sqrt((double)n / (double)count);
    }
    end[found.best_restart] = result->end[0];
    result->end = end;
    result->traces = NULL; /* those of the other restarts are of the sample */
    result->restarts = found.restarts;
    result->best_restart = found.best_restart;
    return ONEFOLD_OK;
}

/* ---- the common start ---------------------------------------------------------------------- */

/* N, and the W, beta and H that all restarts start from. */
static onefold_status prepare_start(of_cs_solver *s, of_arena *scratch)
{
    const of_stack *X = s->problem->X;
    const of_cs_sizes *sizes = &s->sizes;
    const of_cs_given *given = s->given;
    int counts = of_counts(s->context);
    double *W, *beta, *B, *H;
    OF_TRY(OF_NEW(scratch, &s->N, sizes->pk, sizes->pk));
    OF_TRY(of_cs_backend_of(X)->gram(s->context, X, s->N));
    if (s->problem->options->start == ONEFOLD_START_PAPER)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW_ALL(scratch, {&W, sizes->k, sizes->pk}, {&B, sizes->k, sizes->pk},
                      {&beta, sizes->p, 1}));
    s->W = W;
    s->beta = beta;
    if (given && given->W && !counts)
        memcpy(W, given->W, sizes->k * sizes->pk * sizeof *W);
    else
        OF_TRY(of_cs_align(s->context, sizes->p, sizes->k, s->N, W, NULL));
    if (given && given->beta && !counts)
        memcpy(beta, given->beta, sizes->p * sizeof *beta);
    else if (!counts)
        of_beta_bounds_start(s->problem->bounds, sizes->p, beta);
    if (!counts)
        of_cs_set_B(sizes, &(of_cs_state){.W = W, .beta = beta, .B = B});
    if (given && given->labels && !counts)
        return ONEFOLD_OK; /* no k-means: H is not needed */
    OF_TRY(OF_NEW(scratch, &H, sizes->k, sizes->n));
    s->H = H;
    OF_TRY(of_cs_backend_of(X)->embed(s->context, X, sizes, B, 1, of_share_whole(H, sizes->k)));
    return of_comm_gather(s->context, H, sizes->k * sizeof *H, sizes->n);
}

/* ---- the result --------------------------------------------------------------------------- */

/* The restart of largest J, the first among equals: rounding, which differs between processors,
 * must not decide. Restarts that use all clusters come first. */
static size_t best_restart(const of_cs_solver *s)
{
    const double equal = 1e-9;
    size_t best = 0;
    for (size_t r = 1; r < s->restarts; r++) {
        const of_cs_end *a = &s->runs[r].end, *b = &s->runs[best].end;
        int full_a = a->clusters_used == s->sizes.mu, full_b = b->clusters_used == s->sizes.mu;
        if (full_a > full_b || (full_a == full_b && a->J > b->J + equal * fabs(b->J)))
            best = r;
    }
    return best;
}

static onefold_status fill_result(of_cs_solver *s, of_arena *scratch, of_arena *arena,
                                  of_cs_result *result)
{
    const of_cs_sizes *sizes = &s->sizes;
    const of_stack *X = s->problem->X;
    size_t k = sizes->k, length = 0;
    *result = (of_cs_result){.H = of_share_whole(NULL, k), .restarts = s->restarts};
    result->best_restart = best_restart(s);
    of_cs_runner *best = &s->runs[result->best_restart];
    of_arena_release(scratch, s->H);
    OF_TRY(OF_NEW(arena, &result->end, s->restarts, 1));
    for (size_t r = 0; r < s->restarts; r++) {
        if (of_counts(s->context))
            s->runs[r].end.iterations = s->problem->options->max_iterations;
        result->end[r] = s->runs[r].end;
        length += s->runs[r].end.iterations;
    }
    OF_TRY(OF_NEW(arena, &result->labels, X->held, 1));
    OF_TRY(OF_NEW(arena, &result->sizes, sizes->mu, 1));
    OF_TRY(OF_NEW_ALL(arena, {&result->W, k, sizes->pk}, {&result->beta, sizes->p, 1},
                      {&result->C, k, sizes->mu}, {&result->traces, length, 1}));
    if (best->labels_on_gpu) /* copied directly into the result */
        best->now.labels = result->labels;
    OF_TRY(of_cs_pass_labels(X, best));
    if (!s->problem->options->no_embedding) {
        OF_TRY(of_share_make(arena, &result->H, k, sizes->n));
        OF_TRY(of_cs_backend_of(X)->embed(s->context, X, sizes, best->now.B, 0, result->H));
    }
    OF_COUNTED(s->context);
    for (size_t r = 0, at = 0; r < s->restarts; at += s->runs[r++].end.iterations) {
        memcpy(result->traces + at, s->runs[r].trace,
               s->runs[r].end.iterations * sizeof *result->traces);
        if (r == result->best_restart)
            result->trace = result->traces + at;
    }
    if (best->now.labels != result->labels)
        memcpy(result->labels, best->now.labels, X->held * sizeof *result->labels);
    memcpy(result->W, best->now.W, k * sizes->pk * sizeof(double));
    memcpy(result->beta, best->now.beta, sizes->p * sizeof(double));
    memcpy(result->C, best->now.C, k * sizes->mu * sizeof(double));
    memcpy(result->sizes, best->now.sizes, sizes->mu * sizeof(size_t));
    return ONEFOLD_OK;
}

/* Copies a stack that the CPU made to the GPU. `there` stays empty where it does not fit. */
static onefold_status send_stack(of_context *context, const of_stack *X, of_stack *there)
{
    const of_device_use *use = of_device_for(context, X->samples);
    if (!use || X->type == OF_STACK_DEVICE || of_comm_splits(context, X->samples) ||
        of_team_inside())
        return ONEFOLD_OK;
    int single = X->type == OF_STACK_SINGLE;
    onefold_status status = of_stack_device(context, X->rows, X->samples,
                                            single ? ONEFOLD_SINGLE : ONEFOLD_DOUBLE, there);
    if (status == ONEFOLD_OK)
        status = OF_DEVICE(
            use, stack_store(there->there, 0, X->rows, 0, X->samples, X->data, X->rows, single));
    status = of_device_total(context, 0, status, 0, NULL);
    if (status != ONEFOLD_OK)
        of_stack_leave(there);
    return status == ONEFOLD_NO_MEMORY && of_device_gave_up(context) ? ONEFOLD_OK : status;
}

onefold_status of_cs_run(of_context *context, of_arena *arena, const of_cs_problem *problem,
                         const of_cs_given *given, const of_cs_watch *watch, of_cs_result *result)
{
    const onefold_fit_options *options = problem->options;
    of_stack there = {.there = NULL};
    context = of_context_or_default(context);
    if (!given && !watch)
        OF_TRY(send_stack(context, problem->X, &there));
    if (there.there) {
        of_cs_problem copy = *problem;
        copy.X = &there;
        onefold_status status = of_cs_run(context, arena, &copy, NULL, NULL, result);
        of_stack_leave(&there);
        return status;
    }
    if (!given && !watch && of_cs_sample_size(problem->X->samples) < problem->X->samples &&
        options->restarts > 1 && options->start == ONEFOLD_START_ALIGNED)
        return solve_large(context, arena, problem, result);
    of_cs_solver s = {.context = context,
                      .problem = problem,
                      .given = given,
                      .watch = watch,
                      .restarts = given || watch ? 1 : options->restarts};
    if (problem->mu > problem->X->samples) /* X may be the sample of solve_large */
        return of_fail(ONEFOLD_BAD_DATA, "%zu samples cannot make %zu clusters",
                       problem->X->samples, problem->mu);
    s.sizes = (of_cs_sizes){problem->X->samples, problem->p,  problem->k,
                            problem->m,          problem->mu, problem->p * problem->k};
    OF_SCRATCH(made, context);
    OF_SCRATCH(scratch, context);
    OF_TRY(prepare_start(&s, &scratch));
    OF_TRY(of_cs_run_restarts(&s, &scratch));
    OF_TRY(fill_result(&s, &scratch, &made, result));
    of_arena_adopt(arena, &made);
    return ONEFOLD_OK;
}

/* ---- the estimate of work (partition/partition.h) ---------------------------------------------
 */

static const struct {
    double iterations; /* of a run from its start */
    double finishing;  /* iterations of the best restart on all samples, where they are many */
    double lloyd;      /* iterations of k-means */
    double polar;      /* flops of a polar factor, k x k, over k^3 */
} TYPICAL = {18, 30, 25, 10};

double of_cs_pass_flops(double n, double p, double k, double m, double mu)
{
    return 2 * n * (p * k * k + k * (m + mu) + p * k * m);
}

/* N, the alignment, and every restart: k-means, with 16 replicates for every second where that is
 * cheap, and iterations, each a pass and steps on small matrices. */
static void add_solve(of_work *work, const of_cs_sizes *z, double n, double restarts,
                      double iterations, double threads)
{
    double p = (double)z->p, k = (double)z->k, m = (double)z->m, mu = (double)z->mu, pk = p * k,
           runs = n * k * mu <= 2097152 ? restarts + 15 * floor(restarts / 2) : restarts,
           all = restarts * (iterations + 3), together = fmin(restarts, threads),
           pass = of_cs_pass_flops(n, p, k, m, mu), small = 2 * pk * pk * k + 8 * pk * k * m;
    work->product += n * pk * pk + runs * n * k * mu * (3 + 2 * TYPICAL.lloyd) +
                     all * (pass + threads / together * small);
    work->memory += 8 * (runs * n * (k + mu) * TYPICAL.lloyd + all * n * (pk + 2 * m + 3 * mu));
    work->factor +=
        4 * pk * pk * pk + TYPICAL.polar * k * k * k * (10 * p + all * (p + 3) / together);
}

void of_cs_work(const of_context *context, size_t n, size_t p, size_t k, size_t m, size_t mu,
                const onefold_fit_options *options, size_t times, of_method_estimate *estimate)
{
    of_cs_sizes z = {n, p, k, m, mu, p * k};
    of_work *work = &estimate->fit;
    size_t restarts = options->restarts, most = options->max_iterations;
    double each = fmin(TYPICAL.iterations, (double)most), threads = context->threads,
           last = fmin(TYPICAL.finishing, (double)most);
    for (size_t t = 0; t < times; t++) {
        if (of_cs_sample_size(n) == n || restarts == 1 || options->start == ONEFOLD_START_PAPER) {
            add_solve(work, &z, (double)n, (double)restarts, each, threads);
            estimate->iterations += restarts * (size_t)each;
            estimate->passes += restarts * ((size_t)each + 3) + 3;
        } else {
            add_solve(work, &z, (double)of_cs_sample_size(n), (double)restarts, each, threads);
            add_solve(work, &z, (double)n, 1, last, threads);
            estimate->iterations += (size_t)last;
            estimate->passes += (size_t)last + 6;
        }
    }
}
