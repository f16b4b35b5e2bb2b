/* SPDX-License-Identifier: Apache-2.0 */
/* A point of the curve of docs/choose.md in plain loops. Slow on purpose. */
#include "oracle/choose.h"

#include "linalg/kmeans.h"
#include "oracle/os_lfmvc_cs_dense.h"
#include "oracle/plain.h"
#include "oracle/plain_eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- samples ------------------------------------------------------------------------------ */

void choose_literal_draw(uint64_t seed, uint64_t stream, size_t samples, size_t size,
                         uint32_t *members)
{
    of_random random = of_random_make(seed, OF_PURPOSE_SUBSAMPLE, stream);
    size_t needed = size;
    for (size_t j = 0; j < samples && needed > 0; j++) {
        double left = (double)(samples - j);
        if (of_random_uniform(&random) * left < (double)needed) {
            *members++ = (uint32_t)j;
            needed--;
        }
    }
}

/* The leading k rows of each view, of the members (NULL: of all), times `scale`; new. */
static double *leading(const choose_literal *c, size_t k, const double *X, size_t count,
                       const uint32_t *members, double scale)
{
    double *out = plain_new(c->views * k, count);
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < c->views; i++)
            for (size_t r = 0; r < k; r++)
                out[r + i * k + j * c->views * k] =
                    scale * X[r + i * c->dims + (members ? members[j] : j) * c->views * c->dims];
    return out;
}

/* ---- the start ---------------------------------------------------------------------------- */

/* U V' of G = U s V' into W, both k x k. */
static void polar_into(size_t k, const double *G, double *W)
{
    double *u = plain_new(k, k), *v = plain_new(k, k), *s = plain_new(k, 1);
    plain_svd(k, k, G, u, s, v);
    double *flipped = plain_flip(k, k, v), *product = plain_times(k, k, k, u, flipped);
    memcpy(W, product, k * k * sizeof *W);
    free(u);
    free(v);
    free(s);
    free(flipped);
    free(product);
}

/* G = sum over the other views j of W_j N_ji; new. */
static double *others_of(size_t p, size_t k, const double *N, const double *W, size_t i)
{
    double *G = plain_new(k, k);
    for (size_t j = 0; j < p; j++)
        for (size_t a = 0; j != i && a < k; a++)
            for (size_t b = 0; b < k; b++)
                for (size_t e = 0; e < k; e++)
                    G[a + b * k] += W[a + e * k + j * k * k] * N[j * k + e + (i * k + b) * p * k];
    return G;
}

static double alignment(size_t p, size_t k, const double *N, const double *W)
{
    double sum = 0;
    for (size_t i = 0; i < p; i++) {
        double *G = others_of(p, k, N, W, i);
        for (size_t e = 0; e < k * k; e++)
            sum += G[e] * W[i * k * k + e];
        free(G);
    }
    return sum;
}

/* docs/method.md section 5 step 1; new, k x pk. */
static double *aligned(size_t p, size_t k, size_t n, const double *X)
{
    size_t pk = p * k;
    double *flipped = plain_flip(pk, n, X), *N = plain_times(pk, n, pk, X, flipped);
    double *value = plain_new(k, 1), *V = plain_new(pk, k), *W = plain_new(k, pk);
    plain_eigen_top(pk, k, N, value, V);
    for (size_t i = 0; i < p; i++) {
        double *G = plain_new(k, k);
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++)
                G[a + b * k] = V[i * k + b + a * pk];
        polar_into(k, G, W + i * k * k);
        free(G);
    }
    for (int sweep = 0; p > 1 && sweep < 20; sweep++) {
        double before = alignment(p, k, N, W);
        for (size_t i = 0; i < p; i++) {
            double *G = others_of(p, k, N, W, i);
            polar_into(k, G, W + i * k * k);
            free(G);
        }
        double now = alignment(p, k, N, W);
        if (!(now - before > 1e-6 * fabs(now)))
            break;
    }
    free(flipped);
    free(N);
    free(value);
    free(V);
    return W;
}

/* k-means, eight starts of fifteen steps, on the columns of sum_i W_i H_i scaled to length 1. */
static void start_labels(const choose_literal *c, size_t k, size_t n, const double *X,
                         const double *W, size_t run, int32_t *labels)
{
    double *H = plain_times(k, c->views * k, n, W, X);
    for (size_t j = 0; j < n; j++) {
        double square = 0;
        for (size_t r = 0; r < k; r++)
            square += H[r + j * k] * H[r + j * k];
        for (size_t r = 0; r < k; r++)
            H[r + j * k] /= sqrt(square);
    }
    of_kmeans_options options = {.clusters = c->clusters,
                                 .replicates = 8,
                                 .max_iterations = 15,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = c->seed,
                                 .index = (1ull << 32) + run};
    if (of_kmeans(of_context_or_default(NULL), &options, k, n, H, k, labels, NULL, NULL))
        abort();
    free(H);
}

/* ---- a run -------------------------------------------------------------------------------- */

/* The literal form at its start: P the right singular vectors of H = sum_i W_i H_i / sqrt(p). */
static cs_dense *begin(const choose_literal *c, size_t k, size_t n, const double *X,
                       const double *W, const int32_t *labels)
{
    size_t p = c->views;
    double *beta = plain_new(p, 1), *u = plain_new(k, k), *s = plain_new(k, 1),
           *P = plain_new(n, k), *H = plain_times(k, p * k, n, W, X);
    for (size_t i = 0; i < p; i++)
        beta[i] = 1 / sqrt((double)p);
    plain_svd(k, n, H, u, s, P);
    cs_dense *dense = cs_dense_make(n, p, k, k, c->clusters, 0, 0, X, W, beta, P, NULL, labels);
    free(beta);
    free(u);
    free(s);
    free(P);
    free(H);
    return dense;
}

/* Runs to its end; labels are those it starts with, and then those it ends with. */
static double run(const choose_literal *c, size_t k, size_t n, const double *X, const double *W,
                  int light, int32_t *labels)
{
    double tolerance = light ? fmax(c->tolerance, 1e-3) : c->tolerance, J = 0;
    size_t most = light && c->max_iterations > 15 ? 15 : c->max_iterations;
    cs_dense *dense = begin(c, k, n, X, W, labels);
    for (size_t t = 1; t <= most; t++) {
        double before = J;
        for (size_t i = 0; i < c->views; i++)
            cs_dense_step_W(dense, i);
        cs_dense_step_beta(dense);
        cs_dense_step_P(dense);
        cs_dense_step_C(dense);
        cs_dense_step_S(dense);
        cs_dense_step_Y(dense);
        J = cs_dense_objective(dense);
        if (t > 1 && fabs(J - before) <= tolerance * fabs(J))
            break;
    }
    memcpy(labels, dense->labels, n * sizeof *labels);
    cs_dense_free(dense);
    return J;
}

static size_t used(size_t n, size_t clusters, const int32_t *labels)
{
    size_t count = 0;
    for (size_t x = 0; x < clusters; x++) {
        int there = 0;
        for (size_t j = 0; j < n; j++)
            there |= labels[j] == (int32_t)x;
        count += (size_t)there;
    }
    return count;
}

/* ---- the point ---------------------------------------------------------------------------- */

/* Runs `whole` times on all samples of `pool` and once on each of `parts` subsamples, whose streams
 * are from `stream` on; runs are numbered from `first`. */
static choose_literal_point runs_on(const choose_literal *c, const double *W, size_t n,
                                    const double *pool, size_t whole, int whole_light, size_t parts,
                                    uint64_t stream, size_t first)
{
    size_t k = 2 * c->clusters, runs = whole + parts, size = (size_t)ceil(c->share * (double)n);
    int32_t *labels = malloc(n * runs * sizeof *labels), *own = malloc(n * sizeof *own);
    uint32_t *members = malloc(n * sizeof *members);
    choose_literal_point point = {.objective = -INFINITY};
    for (size_t r = 0; r < runs; r++) {
        int part = r >= whole;
        size_t count = part ? size : n;
        for (size_t j = 0; j < n; j++)
            members[j] = (uint32_t)j;
        if (part)
            choose_literal_draw(c->seed, stream + r - whole, n, size, members);
        double *X = leading(c, k, pool, count, members, sqrt((double)n / (double)count));
        start_labels(c, k, count, X, W, first + r, own);
        double J = run(c, k, count, X, W, part || whole_light, own);
        for (size_t j = 0; j < n; j++)
            labels[r * n + j] = -1;
        for (size_t j = 0; j < count; j++)
            labels[r * n + members[j]] = own[j];
        size_t now = used(count, c->clusters, own);
        int better = now == c->clusters && point.clusters_used < c->clusters;
        int worse = now < c->clusters && point.clusters_used == c->clusters;
        if (!part && (r == 0 || better || (!worse && J > point.objective))) {
            point.objective = J;
            point.clusters_used = now;
        }
        free(X);
    }
    choose_literal_compare(n, runs, c->clusters, labels, &point);
    free(labels);
    free(own);
    free(members);
    return point;
}

static double *aligned_on(const choose_literal *c, size_t samples, const double *X)
{
    double *all = leading(c, 2 * c->clusters, X, samples, NULL, 1);
    double *W = aligned(c->views, 2 * c->clusters, samples, all);
    free(all);
    return W;
}

choose_literal_point choose_literal_data(const choose_literal *c, size_t samples, const double *X)
{
    double *W = aligned_on(c, samples, X);
    choose_literal_point point = runs_on(c, W, samples, X, c->restarts, 0, c->subsamples, 0, 0);
    free(W);
    return point;
}

choose_literal_point choose_literal_chance(const choose_literal *c, size_t samples, const double *X,
                                           size_t count, const double *Z)
{
    double *W = aligned_on(c, samples, X);
    choose_literal_point point = runs_on(c, W, count, Z, 1, 1, c->clusters <= 6 ? 6 : 3, 1ull << 32,
                                         c->restarts + c->subsamples);
    free(W);
    return point;
}
