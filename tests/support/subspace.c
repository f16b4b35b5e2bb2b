/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of FMR and LSGMC against reference numbers share. */
#include "support/subspace.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/kmeans.h"
#include "oracle/plain.h"
#include "support/check.h"
#include "support/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

of_context *subspace_context(void)
{
    static onefold_context *context;
    if (!context) {
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, 1));
    }
    return context;
}

subspace_made subspace_make(uint64_t seed, size_t n, size_t views, const size_t *rows,
                            double spread)
{
    enum { GROUPS = 3 };
    subspace_made made = {.n = n, .views = views};
    for (size_t v = 0; v < views; v++) {
        size_t d = rows[v];
        double *centre = plain_new(d, GROUPS), *x = plain_new(d, n);
        check_random(seed, 2 * v, d, GROUPS, centre);
        check_random(seed, 2 * v + 1, d, n, x);
        for (size_t j = 0; j < n; j++) {
            for (size_t i = 0; i < d; i++)
                x[i + j * d] = spread * x[i + j * d] + centre[i + j % GROUPS * d];
            double length = plain_frobenius(d, 1, x + j * d);
            for (size_t i = 0; i < d && length > 0; i++)
                x[i + j * d] /= length;
        }
        made.rows[v] = d;
        made.x[v] = x;
        free(centre);
    }
    return made;
}

void subspace_unmake(subspace_made *made)
{
    for (size_t v = 0; v < made->views; v++)
        free(made->x[v]);
}

void subspace_residuals(const of_lsgmc *l, size_t v, double residual[3])
{
    const of_lsgmc_view *view = &l->views[v];
    size_t n = l->samples, rank = view->features.rank, inner = l->spectrum.rank;
    double *scaled = plain_new(n, inner), *turned = plain_new(n, n);
    for (size_t i = 0; i < n * inner; i++)
        scaled[i] = view->left_core[i] * l->spectrum.value[i / n];
    if (inner)
        of_gemm('N', 'T', n, n, inner, 1, scaled, n, view->right_core, n, 0, turned, n);
    residual[0] = residual[1] = residual[2] = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < rank; i++) {
            size_t at = i + j * rank;
            double seen = view->features.value[i] * view->basis_self[at];
            residual[0] += pow(view->turned[at] - seen - view->noise[at], 2);
        }
        for (size_t i = 0; i < n; i++) {
            double own = view->self[i + j * n];
            residual[1] += pow(own - turned[i + j * n], 2);
            residual[2] += pow(own - (view->mirror[i + j * n] + view->mirror[j + i * n]) / 2, 2);
        }
    }
    for (size_t i = 0; i < 3; i++)
        residual[i] = sqrt(residual[i]);
    free(scaled);
    free(turned);
}

const of_dataset *subspace_set(subspace_made *made)
{
    for (size_t v = 0; v < made->views; v++)
        made->view[v] = views_dense(made->n, made->rows[v], made->x[v]);
    made->set = (of_dataset){.samples = made->n, .view_count = made->views, .views = made->view};
    return &made->set;
}

static void check_gram(const reference *r, size_t v, size_t rows, size_t n, const double *x)
{
    double *gram = plain_new(n, n), sum = 0;
    of_gemm('T', 'N', n, n, rows, 1, x, rows, x, rows, 0, gram, n);
    for (size_t i = 0; i < n * n; i++)
        sum += gram[i];
    CHECK_CLOSE(plain_frobenius(n, n, gram),
                reference_number(r, "input.gram_after_preprocessing.%zu.frobenius", v), 1e-11, 0);
    CHECK_CLOSE(sum, reference_number(r, "input.gram_after_preprocessing.%zu.sum", v), 1e-11, 0);
    CHECK_CLOSE(gram[n], reference_number(r, "input.gram_after_preprocessing.%zu.entry_1_2", v), 0,
                1e-11);
    CHECK_CLOSE(gram[n * (n - 1)],
                reference_number(r, "input.gram_after_preprocessing.%zu.entry_1_last", v), 0,
                1e-11);
    free(gram);
}

int subspace_open(subspace_data *data, const reference *r)
{
    const char *path = check_shared(reference_text(r, "input.data"));
    memset(data, 0, sizeof *data);
    if (!path)
        return 0;
    CHECK_OK(onefold_dataset_read(&data->dataset, NULL, &path, 1, NULL));
    const of_dataset *set = &data->dataset->set;
    data->samples = set->samples;
    data->views = set->view_count;
    data->clusters = set->class_count;
    assert_int_equal(data->samples, (size_t)reference_number(r, "input.n"));
    assert_int_equal(data->views, (size_t)reference_number(r, "input.views"));
    assert_int_equal(data->clusters, (size_t)reference_number(r, "input.clusters"));
    for (size_t v = 0; v < data->views; v++) {
        data->rows[v] = set->views[v].columns;
        assert_int_equal(data->rows[v], (size_t)reference_number(r, "input.dimensions.%zu", v));
        data->features[v] = plain_new(data->rows[v], data->samples);
        CHECK_OK(of_features_load(subspace_context(), set, v, data->features[v]));
        check_gram(r, v, data->rows[v], data->samples, data->features[v]);
    }
    return 1;
}

void subspace_close(subspace_data *data)
{
    for (size_t v = 0; v < data->views; v++)
        free(data->features[v]);
    onefold_dataset_free(data->dataset);
}

void subspace_values(const reference *r, const char *place, size_t rows, size_t columns,
                     const double *a, double relative, double absolute)
{
    size_t side = rows < columns ? rows : columns, count = reference_length(r, "%s", place);
    double *copy = plain_copy(rows, columns, a), *s = plain_new(side, 1);
    double *u = plain_new(rows, side), *vt = plain_new(side, columns);
    CHECK_OK(of_svd(subspace_context(), rows, columns, copy, s, u, vt));
    assert_true(count > 0 && count <= side);
    for (size_t i = 0; i < count; i++)
        CHECK_CLOSE(s[i], reference_number(r, "%s.%zu", place, i), relative, absolute * s[0]);
    free(copy);
    free(s);
    free(u);
    free(vt);
}

void subspace_summary(const reference *r, const char *place, size_t n, const double *a,
                      double relative, double absolute)
{
    double sum = 0, sum_abs = 0, max_abs = 0, trace = 0;
    for (size_t i = 0; i < n * n; i++) {
        sum += a[i];
        sum_abs += fabs(a[i]);
        max_abs = fmax(max_abs, fabs(a[i]));
        trace += i % (n + 1) == 0 ? a[i] : 0;
    }
    const struct {
        const char *name;
        double value;
    } norms[] = {{"frobenius", plain_frobenius(n, n, a)},
                 {"sum", sum},
                 {"sum_abs", sum_abs},
                 {"max_abs", max_abs},
                 {"row_sum_norm", plain_row_sum(n, n, a)},
                 {"trace", trace}},
      entries[] = {{"entry_1_1", a[0]},
                   {"entry_1_2", a[n]},
                   {"entry_2_1", a[1]},
                   {"entry_last_1", a[n - 1]}};
    for (size_t i = 0; i < 6; i++)
        CHECK_CLOSE(norms[i].value, reference_number(r, "%s.%s", place, norms[i].name), relative,
                    0);
    for (size_t i = 0; i < 4; i++)
        CHECK_CLOSE(entries[i].value, reference_number(r, "%s.%s", place, entries[i].name), 0,
                    absolute);
    char values[256];
    snprintf(values, sizeof values, "%s.singular_values", place);
    subspace_values(r, values, n, n, a, relative, 1e-14);
}

/* The c + 2 leading eigenpairs of D^-1/2 W D^-1/2. */
static void normalised_eigenpairs(size_t n, size_t count, const double *affinity, double *value,
                                  double *vector)
{
    double *w = plain_copy(n, n, affinity), *d = plain_new(n, 1);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            d[i] += affinity[i + j * n];
        d[i] = 1 / sqrt(d[i] + 2e-16);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            w[i + j * n] *= d[i] * d[j];
    CHECK_OK(of_eigh_top(subspace_context(), n, count, w, value, vector));
    free(w);
    free(d);
}

typedef struct mean_scores {
    double acc, nmi_max, nmi_2i, purity, ari;
} mean_scores;

static void add_scores(mean_scores *mean, const subspace_data *data, const int32_t *labels,
                       double share)
{
    int64_t *mine = malloc(data->samples * sizeof *mine),
            *truth = malloc(data->samples * sizeof *truth);
    for (size_t j = 0; j < data->samples; j++) {
        mine[j] = labels[j];
        truth[j] = onefold_dataset_describe(data->dataset)->truth[j];
    }
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, mine, truth, data->samples));
    mean->acc += share * scores.acc;
    mean->nmi_max += share * scores.nmi_max;
    mean->nmi_2i += share * scores.nmi_sum;
    mean->purity += share * scores.purity;
    mean->ari += share * scores.ari;
    free(mine);
    free(truth);
}

static void compare_scores(const reference *r, const char *place, int with_spread,
                           const mean_scores *mean, double slack)
{
    const char *rest = with_spread ? ".0" : "";
    CHECK_CLOSE(mean->acc, reference_number(r, "%s.acc%s", place, rest), 0, slack);
    CHECK_CLOSE(mean->nmi_max, reference_number(r, "%s.nmi_max%s", place, rest), 0, slack);
    CHECK_CLOSE(mean->nmi_2i, reference_number(r, "%s.nmi_2i%s", place, rest), 0, slack);
    CHECK_CLOSE(mean->purity, reference_number(r, "%s.purity%s", place, rest), 0, slack);
    CHECK_CLOSE(mean->ari, reference_number(r, "%s.ari%s", place, rest), 0, slack);
}

/* Means over 20 runs of 10 replicates, and the least cost met, with its labels. */
static double kmeans_runs(const subspace_data *data, const double *embedding, of_kmeans_start start,
                          mean_scores *mean, int32_t *best_labels)
{
    enum { RUNS = 20 };
    size_t c = data->clusters, n = data->samples;
    int32_t *labels = malloc(n * sizeof *labels);
    double best = INFINITY;
    memset(mean, 0, sizeof *mean);
    for (uint64_t run = 0; run < RUNS; run++) {
        of_kmeans_options options = {c, 10, 100, start, 0, run, 0};
        options.lloyd = 1; /* as the reference */
        of_kmeans_result result;
        CHECK_OK(
            of_kmeans(subspace_context(), &options, c, n, embedding, c, labels, NULL, &result));
        add_scores(mean, data, labels, 1.0 / RUNS);
        if (result.cost < best) {
            best = result.cost;
            memcpy(best_labels, labels, n * sizeof *labels);
        }
    }
    free(labels);
    return best;
}

static void compare_least_cost(const reference *r, const subspace_data *data, double cost,
                               const int32_t *labels)
{
    mean_scores scores = {0};
    int32_t name[64]; /* of each of our labels, by first appearance */
    int32_t names = 0;
    memset(name, 0, sizeof name);
    CHECK_CLOSE(cost, reference_number(r, "least_kmeans_cost"), 1e-6, 0);
    add_scores(&scores, data, labels, 1);
    compare_scores(r, "scores_of_least_cost", 0, &scores, 1e-9);
    for (size_t j = 0; j < data->samples; j++) {
        if (name[labels[j]] == 0)
            name[labels[j]] = ++names;
        assert_int_equal(name[labels[j]], (int)reference_number(r, "labels_of_least_cost.%zu", j));
    }
}

void subspace_scores(const reference *r, const subspace_data *data, const double *affinity,
                     double relative, double slack, int least_cost)
{
    size_t n = data->samples, c = data->clusters;
    double *value = plain_new(c + 2, 1), *vector = plain_new(n, c + 2);
    normalised_eigenpairs(n, c + 2, affinity, value, vector);
    for (size_t i = 0; i < c + 2; i++)
        CHECK_CLOSE(value[i], reference_number(r, "eigenvalues_normalised_affinity.%zu", i),
                    relative, 0);
    CHECK_CLOSE(value[c - 1] - value[c], reference_number(r, "eigengap"), 0, 2 * relative);
    double *embedding = plain_flip(n, c, vector);
    for (size_t j = 0; j < n; j++) {
        double length = cblas_dnrm2((int)c, embedding + j * c, 1);
        for (size_t i = 0; i < c && length > 0; i++)
            embedding[i + j * c] /= length;
    }
    mean_scores mean;
    int32_t *labels = malloc(n * sizeof *labels);
    kmeans_runs(data, embedding, OF_KMEANS_SAMPLES, &mean, labels);
    compare_scores(r, "scores_random_start", 1, &mean, slack);
    double cost = kmeans_runs(data, embedding, OF_KMEANS_PLUSPLUS, &mean, labels);
    compare_scores(r, "scores_kmeanspp", 1, &mean, slack);
    if (least_cost)
        compare_least_cost(r, data, cost, labels);
    free(value);
    free(vector);
    free(embedding);
    free(labels);
}
