/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The solver's work over all samples, on the CPU: N = X X', the embedding H = B X, and the pass of
 * docs/method.md section 3, three matrix products per tile with loops between them while the tile
 * is in cache.
 */
#include "linalg/blas.h"
#include "linalg/simd.h"
#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <string.h>

/* ---- N (section 3) --------------------------------------------------------------------------- */

static onefold_status gram_part(void *opaque, const of_stack_part *part)
{
    const of_stack *X = opaque;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)X->rows, (int)part->count, 1, part->x,
                (int)X->rows, 1, part->sum, (int)X->rows);
    return ONEFOLD_OK;
}

static onefold_status gram_cpu(of_context *context, const of_stack *X, double *N)
{
    enum { GRAM_BYTES = 1 << 30 }; /* N gains from long inner sums */
    size_t pk = X->rows;
    OF_TRY(of_stack_sum(context, X, of_tiles_make(X->samples, pk, GRAM_BYTES), 0, gram_part,
                        (of_stack *)(uintptr_t)X, pk * pk, N));
    OF_COUNTED(context);
    for (size_t j = 0; j < pk; j++)
        for (size_t i = 0; i < j; i++)
            N[i + j * pk] = N[j + i * pk];
    return ONEFOLD_OK;
}

/* ---- a matrix times all samples: H, or labels ------------------------------------------------ */

typedef struct product_task {
    const double *M; /* q x rows */
    size_t q, rows;
    int unit;        /* scale columns of H to length 1 */
    of_share H;      /* q x n: the product, */
    int32_t *labels; /* or the first largest entry of each of its columns */
    size_t first;    /* the sample of labels[0] */
} product_task;

static onefold_status multiply_part(void *opaque, const of_stack_part *part)
{
    const product_task *task = opaque;
    size_t q = task->q;
    double *H = task->labels ? part->room : of_share_at(task->H, part->first);
    of_gemm('N', 'N', q, part->count, task->rows, 1, task->M, q, part->x, task->rows, 0, H, q);
    for (size_t j = 0; task->labels && j < part->count; j++)
        task->labels[part->first - task->first + j] = (int32_t)of_first_largest(H + j * q, q);
    for (size_t j = 0; task->unit && j < part->count; j++) {
        double square = cblas_ddot((int)q, H + j * q, 1, H + j * q, 1);
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (size_t i = 0; i < q; i++)
            H[i + j * q] *= scale;
    }
    return ONEFOLD_OK;
}

static onefold_status embed_cpu(of_context *context, const of_stack *X, const of_cs_sizes *sizes,
                                const double *B, int unit, of_share H)
{
    product_task task = {.M = B, .q = sizes->k, .rows = X->rows, .unit = unit, .H = H};
    return of_stack_walk(context, X, 0, multiply_part, &task);
}

static onefold_status label_cpu(of_context *context, const of_stack *X, size_t mu, const double *CB,
                                int32_t *labels)
{
    product_task task = {.M = CB, .q = mu, .rows = X->rows, .labels = labels, .first = X->first};
    return of_stack_walk(context, X, mu, multiply_part, &task);
}

/* ---- columns of X ---------------------------------------------------------------------------- */

static onefold_status sample_cpu(of_context *context, const of_stack *X, const size_t *place,
                                 size_t count, double *out)
{
    of_range own = of_comm_own(context, X->samples);
    OF_COUNTED(context);
    for (size_t i = 0; i < count; i++, out += X->rows) {
        const double *in;
        if (place[i] < own.first || place[i] >= own.end)
            continue;
        OF_TRY(of_stack_tile(X, place[i], 1, out, &in));
        if (in != out)
            memcpy(out, in, X->rows * sizeof *out);
    }
    return ONEFOLD_OK;
}

/* ---- the pass: S and Y (section 3) ----------------------------------------------------------- */

/* Q (width x m, a sample is a row) becomes S': rows of length 1; a row of zeros stays. */
OF_SIMD static void normalise_rows(double *Q, size_t width, size_t m, double *norm)
{
    for (size_t j = 0; j < width; j++)
        norm[j] = Q[j] * Q[j];
    for (size_t i = 1; i < m; i++)
        for (size_t j = 0; j < width; j++)
            norm[j] += Q[j + i * width] * Q[j + i * width];
    for (size_t j = 0; j < width; j++)
        norm[j] = norm[j] > 0 ? 1 / sqrt(norm[j]) : 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < width; j++)
            Q[j + i * width] *= norm[j];
}

/* The largest of `count` entries in each row of Q, and its index, the first among equals. Values
 * and indices have a loop each, because these vectorise. */
OF_SIMD static void row_maxima(const double *Q, size_t width, size_t count, double *best,
                               double *index)
{
    memcpy(best, Q, width * sizeof *best);
    memset(index, 0, width * sizeof *index); /* a valid index for a row with NaN, too */
    for (size_t c = 1; c < count; c++)
        for (size_t j = 0; j < width; j++)
            best[j] = Q[j + c * width] > best[j] ? Q[j + c * width] : best[j];
    for (size_t c = count; c-- > 0;) {
        const double column = (double)c;
        for (size_t j = 0; j < width; j++)
            index[j] = Q[j + c * width] == best[j] ? column : index[j];
    }
}

/* S >= 0 (section 2): max(q, 0) at length 1, or the unit vector at the largest entry where none is
 * positive. A q of zeros, as of a sample without views, stays. */
static void normalise_rows_nonneg(double *Q, size_t width, size_t m, double *norm, double *best,
                                  double *index)
{
    row_maxima(Q, width, m, best, index);
    for (size_t j = 0; j < width; j++) {
        if (best[j] > 0)
            continue;
        int zero = 1;
        for (size_t i = 0; i < m; i++) {
            zero &= Q[j + i * width] == 0;
            Q[j + i * width] = 0;
        }
        Q[j + (size_t)index[j] * width] = zero ? 0 : 1;
    }
    for (size_t i = 0; i < m * width; i++)
        Q[i] = Q[i] > 0 ? Q[i] : 0;
    normalise_rows(Q, width, m, norm);
}

/* The labels of a tile from its scores (width x mu). A sample whose scores are all zero, as one
 * without views, joins the cluster that is largest by `count`. Returns how many labels changed. */
static size_t assign(const double *score, size_t width, size_t mu, const size_t *count,
                     double *best, double *index, int32_t *labels)
{
    row_maxima(score, width, mu, best, index);
    size_t largest = of_largest_cluster(count, mu), moved = 0;
    for (size_t j = 0; j < width; j++) {
        if (best[j] != 0)
            continue;
        int zero = 1;
        for (size_t c = 0; c < mu; c++)
            zero &= score[j + c * width] == 0;
        if (zero)
            index[j] = (double)largest;
    }
    for (size_t j = 0; j < width; j++) {
        moved += labels[j] != (int32_t)index[j];
        labels[j] = (int32_t)index[j];
    }
    return moved;
}

typedef struct pass_task {
    const of_cs_solver *s;
    const of_cs_state *now;
    int keep_labels;
} pass_task;

OF_SIMD static onefold_status pass_part(void *opaque, const of_stack_part *part)
{
    const pass_task *task = opaque;
    const of_cs_sizes *sizes = &task->s->sizes;
    const of_cs_state *now = task->now;
    size_t k = sizes->k, m = sizes->m, mu = sizes->mu, pk = sizes->pk, width = part->count;
    size_t columns = task->keep_labels ? m : m + mu; /* of R, or of R and C */
    double *H = part->room, *Q = H + k * width, *norm = Q + (m + mu) * width, *best = norm + width,
           *index = best + width, *XS = part->sum, *XY = XS + pk * m, *count = XY + pk * mu;
    int32_t *labels = now->labels + (part->first - task->s->problem->X->first);
    OF_TRY(of_context_check(task->s->context));
    of_gemm('T', 'T', width, k, pk, 1, part->x, pk, now->B, k, 0, H, width); /* H' */
    of_gemm('N', 'N', width, columns, k, 1, H, width, now->R, k, 0, Q, width);
    if (!task->keep_labels)
        count[mu] += (double)assign(Q + m * width, width, mu, now->sizes, best, index, labels);
    if (task->s->problem->options->nonneg)
        normalise_rows_nonneg(Q, width, m, norm, best, index);
    else
        normalise_rows(Q, width, m, norm);
    of_gemm('N', 'N', pk, m, width, 1, part->x, pk, Q, width, 1, XS, pk);
    for (size_t j = 0; j < width; j++) {
        const double *x = part->x + j * pk;
        double *y = XY + (size_t)labels[j] * pk;
        for (size_t i = 0; i < pk; i++)
            y[i] += x[i];
        count[labels[j]] += 1;
    }
    return ONEFOLD_OK;
}

static onefold_status pass_cpu(const of_cs_solver *s, int keep_labels, of_cs_runner *run,
                               size_t length, double *sums)
{
    const of_cs_sizes *sizes = &s->sizes;
    pass_task task = {s, &run->now, keep_labels};
    return of_stack_sum(s->context, s->problem->X, of_stack_cut(sizes->n, sizes->pk),
                        sizes->k + sizes->m + sizes->mu + 3, pass_part, &task, length, sums);
}

onefold_status of_cs_pass(const of_cs_solver *s, int keep_labels, of_cs_runner *run)
{
    OF_SCRATCH(scratch, s->context);
    size_t mu = s->sizes.mu, XS = s->sizes.pk * s->sizes.m, XY = s->sizes.pk * mu,
           length = XS + XY + mu + 1;
    double *sums;
    OF_TRY(OF_NEW(&scratch, &sums, length, 1));
    OF_TRY(of_cs_backend_of(s->problem->X)->pass(s, keep_labels, run, length, sums));
    OF_COUNTED(s->context);
    memcpy(run->now.XS, sums, XS * sizeof *sums);
    memcpy(run->now.XY, sums + XS, XY * sizeof *sums);
    for (size_t c = 0; c < mu; c++)
        run->now.sizes[c] = (size_t)sums[XS + XY + c];
    run->moved = (size_t)sums[XS + XY + mu];
    return ONEFOLD_OK;
}

/* ---- labels of each view, confidence, parts (docs/explain.md) ------------------------------- */

typedef struct explain_task {
    const of_cs_problem *problem;
    const of_cs_result *result;
    const double *CW; /* mu x pk: C' W_1, ..., C' W_p */
    int32_t *own;
    double *confidence;
    double *parts; /* p x n; each of the three may be NULL */
} explain_task;

/* The first largest score, or OF_CS_NO_LABEL where all are 0: the view is missing. */
static int32_t label_of(const double *score, size_t mu)
{
    int zero = 1;
    for (size_t c = 0; c < mu; c++)
        zero &= score[c] == 0;
    return zero ? OF_CS_NO_LABEL : (int32_t)of_first_largest(score, mu);
}

static onefold_status explain_part(void *opaque, const of_stack_part *part)
{
    const explain_task *task = opaque;
    const of_cs_result *result = task->result;
    const of_stack *X = task->problem->X;
    size_t k = task->problem->k, p = task->problem->p, mu = task->problem->mu,
           first = part->first - X->first, count = part->count;
    double *score = part->room, *sum = score + mu * count;
    memset(sum, 0, mu * count * sizeof *sum);
    for (size_t i = 0; i < p; i++) {
        of_gemm('N', 'N', mu, count, k, 1, task->CW + i * mu * k, mu, part->x + i * k, p * k, 0,
                score, mu);
        for (size_t e = 0; e < mu * count; e++)
            sum[e] += result->beta[i] * score[e];
        for (size_t j = 0; task->own && j < count; j++)
            task->own[i * X->held + first + j] = label_of(score + j * mu, mu);
        for (size_t j = 0; task->parts && j < count; j++)
            task->parts[i + (first + j) * p] =
                result->beta[i] * score[j * mu + (size_t)result->labels[first + j]];
    }
    for (size_t j = 0; task->confidence && j < count; j++)
        task->confidence[first + j] = of_confidence(sum + j * mu, mu);
    return ONEFOLD_OK;
}

onefold_status of_cs_explain_cpu(of_context *context, const of_cs_problem *problem,
                                 const of_cs_result *result, const double *CW, int32_t *own,
                                 double *confidence, double *parts)
{
    explain_task task = {problem, result, CW, own, confidence, parts};
    return of_stack_walk(context, problem->X, 2 * problem->mu, explain_part, &task);
}

onefold_status of_cs_explain(of_context *context, const of_cs_problem *problem,
                             const of_cs_result *result, int32_t *own, double *confidence,
                             double *parts)
{
    OF_SCRATCH(scratch, context);
    size_t k = problem->k, pk = problem->p * k, mu = problem->mu;
    double *CW;
    OF_TRY(OF_NEW(&scratch, &CW, mu, pk));
    if (!of_counts(context))
        of_gemm('T', 'N', mu, pk, k, 1, result->C, k, result->W, k, 0, CW, mu);
    return of_cs_backend_of(problem->X)
        ->explain(context, problem, result, CW, own, confidence, parts);
}

const of_cs_backend of_cs_backend_cpu = {
    .gram = gram_cpu,
    .embed = embed_cpu,
    .pass = pass_cpu,
    .label = label_cpu,
    .sample = sample_cpu,
    .explain = of_cs_explain_cpu,
};
