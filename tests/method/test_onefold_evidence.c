/* SPDX-License-Identifier: Apache-2.0 */
/* Information of neighbours, evidence, score and weights of the method onefold, against their
 * literal restatement (tests/oracle/evidence.h): on random ties and weights, and for every
 * candidate and every view of whole fits. Graphs and labellings are the method's own. */
#include "data/dataset.h"
#include "method/onefold_pool.h"
#include "model/fit.h"
#include "oracle/evidence.h"
#include "support/check.h"
#include "support/mixed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- information of neighbours --------------------------------------------------------------- */

/* Ties as a whole matrix. */
static evidence_teller spread(size_t n, const of_sparse *ties, double weight)
{
    evidence_teller v = {ties->columns, NULL, weight};
    v.z = calloc(n * v.landmarks + 1, sizeof *v.z);
    for (size_t j = 0; j < ties->rows; j++)
        for (size_t e = ties->start[j]; e < ties->start[j + 1]; e++)
            v.z[j + ties->index[e] * n] += ties->value[e];
    return v;
}

/* The restated information on labels, compared with the pool's. Views have these weights, p times,
 * and joined columns 1; NULL: equal weights, without joined columns. */
static evidence_told told_of(const of_pool *pool, const double *weights, const int32_t *labels)
{
    OF_SCRATCH(arena, NULL);
    evidence_teller shown[EVIDENCE_MOST + 1];
    of_information told;
    for (size_t v = 0; v < pool->voters; v++)
        shown[v] = spread(pool->n, &pool->ties[v],
                          weights && v < pool->p ? (double)pool->p * weights[v] : 1);
    evidence_told want = evidence_tell(pool->n, pool->mu, pool->p, pool->voters, shown, labels);
    for (size_t v = 0; v < pool->voters; v++)
        free(shown[v].z);
    CHECK_OK(of_information_make(&arena, pool->p, &told));
    CHECK_OK(of_pool_information(arena.context, pool, labels, &told));
    CHECK_CLOSE(told.all, want.I_all, 1e-11, 1e-11);
    CHECK_CLOSE(told.entropy, want.H_all, 1e-11, 1e-11);
    for (size_t v = 0; v < pool->p; v++) {
        CHECK_CLOSE(told.view[v], want.I_view[v], 1e-11, 1e-11);
        CHECK_CLOSE(told.view_entropy[v], want.H_view[v], 1e-11, 1e-11);
    }
    return want;
}

enum { N = 60, MU = 3, TIED = 3, LANDMARKS = 12 };

/* The second view has no ties of sample 7, nor of most of the last cluster. */
static int is_tied(size_t view, size_t j)
{
    return view != 1 || (j != 7 && j % 20 != 9);
}

/* Ties of samples to three of ten landmarks; one more has only sample 3, and one has no ties. */
static void make_ties(of_arena *arena, size_t view, of_sparse *ties)
{
    enum { SHARED = 10, ALONE = 3 };
    size_t *start, at = 0;
    uint32_t *index;
    double *value, noise[TIED * N];
    check_random(30, view, TIED, N, noise);
    CHECK_OK(OF_NEW(arena, &start, N + 1, 1));
    CHECK_OK(OF_NEW(arena, &index, N * TIED + 1, 1));
    CHECK_OK(OF_NEW(arena, &value, N * TIED + 1, 1));
    for (size_t j = 0; j < N; j++) {
        start[j] = at;
        for (size_t r = 0; r < TIED && is_tied(view, j); r++) {
            index[at] = (uint32_t)((j + 3 * r + (size_t)(view && fabs(noise[j]) > 1)) % SHARED);
            value[at++] = 0.2 + fabs(noise[r * N + j]);
        }
        if (j == ALONE) {
            index[at] = SHARED;
            value[at++] = 2;
        }
    }
    start[N] = at;
    *ties = (of_sparse){N, LANDMARKS, start, index, value};
}

/* Two views and their joined columns, for three labellings: of three clusters, of one that holds
 * all but one sample, and one that leaves a cluster empty. */
static void what_neighbours_tell_is_what_it_says(void **state)
{
    (void)state;
    enum { VIEWS = 2, TELLERS = 3 };
    for (int kind = 0; kind < 3; kind++) {
        OF_SCRATCH(arena, NULL);
        of_sparse ties[TELLERS];
        double weights[VIEWS] = {0.75, 0.25}, voice[TELLERS] = {1.5, 0.5, 1};
        int32_t labels[N], own[VIEWS * N];
        of_pool pool = {
            .n = N, .p = VIEWS, .mu = MU, .voters = TELLERS, .ties = ties, .vote = voice};
        for (size_t v = 0; v < TELLERS; v++)
            make_ties(&arena, v, &ties[v]);
        for (size_t j = 0; j < N; j++)
            labels[j] = kind == 1 ? j == 20
                                  : (int32_t)(j % 10 < 5                ? 0
                                              : j % 10 < 9 || kind == 2 ? 1
                                                                        : 2);
        evidence_told told = told_of(&pool, weights, labels);
        if (kind == 0) { /* these labels have information */
            assert_true(told.I_all > 0 && told.I_all < told.H_all);
            assert_true(fabs(told.H_view[1] - told.H_view[0]) > 0.01);
        }
        CHECK_OK(of_pool_own_labels(arena.context, &pool, labels, own));
        assert_int_equal(own[N + 7], -1);
        for (size_t v = 0; v < VIEWS; v++) {
            evidence_teller shown = spread(N, &ties[v], 1);
            for (size_t j = 0; j < N; j++) {
                int32_t best = -1;
                double most = 0;
                for (int32_t c = 0; c < MU; c++) {
                    double share = evidence_share(N, &shown, labels, j, c);
                    best = share > most ? c : best;
                    most = fmax(share, most);
                }
                assert_int_equal(own[v * N + j], best);
            }
            free(shown.z);
        }
    }
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Random evidence, some below 0, and bounds around weights that add up to 1. */
static void weights_are_what_is_brought_within_bounds(void **state)
{
    (void)state;
    size_t clipped = 0, alike = 0, idle = 0;
    for (uint64_t index = 0; index < 600; index++) {
        size_t p = 2 + index % 5;
        double u[3 * EVIDENCE_MOST], brings[EVIDENCE_MOST], lower[EVIDENCE_MOST],
            upper[EVIDENCE_MOST], want[EVIDENCE_MOST], got[EVIDENCE_MOST], all = 0, sum = 0;
        of_beta_bounds bounds = {lower, upper};
        int free = index % 3 == 0;
        check_random(31, index, 3, p, u);
        for (size_t i = 0; i < p; i++) {
            brings[i] = index % 11 == 10 ? -fabs(u[i]) : index % 4 ? u[i] : fabs(u[i]);
            all += fabs(u[p + i]);
        }
        for (size_t i = 0; i < p; i++) {
            double at = fabs(u[p + i]) / all, room = 0.2 * fabs(u[2 * p + i]);
            size_t kind = (size_t)(1000 * fabs(u[2 * p + i])) % 4;
            lower[i] = kind == 0 ? 0 : kind == 1 ? at : fmax(at - room, 0);
            upper[i] = kind == 0 ? 1 : kind == 1 ? at : fmin(at + room, 1);
        }
        evidence_weights(p, brings, free ? NULL : lower, upper, want);
        of_weights_by(p, brings, free ? NULL : &bounds, got);
        all = 0;
        for (size_t i = 0; i < p; i++) {
            CHECK_CLOSE(got[i], want[i], 0, 2e-9);
            sum += got[i];
            all += fmax(brings[i], 0);
            clipped += !free && got[i] > 0 && (got[i] == lower[i] || got[i] == upper[i]);
            idle += !free && brings[i] < 0 && got[i] > lower[i];
        }
        alike += all == 0;
        CHECK_CLOSE(sum, 1, 0, 2e-9);
    }
    assert_true(clipped > 100 && alike > 20 && idle > 20);
}

/* ---- whole fits ------------------------------------------------------------------------------ */

/* The method's own labellings and the restated numbers of a fit, in the order of its candidates. */
typedef struct restated {
    of_pool pool;
    size_t count;
    int32_t *labels[EVIDENCE_MOST + 2 * OF_LABELLINGS];
    evidence_told told[EVIDENCE_MOST + 2 * OF_LABELLINGS];
    double score[EVIDENCE_MOST + 2 * OF_LABELLINGS];
    int by_kmeans[EVIDENCE_MOST + 2 * OF_LABELLINGS];
    double nu, by_evidence[EVIDENCE_MOST], earned[EVIDENCE_MOST];
} restated;

/* The labelling of each view alone, by columns where they are dense and by the graph elsewhere, and
 * the information of every view on it; 0 where there is no labelling in these tables. */
static void label_views(of_arena *arena, const of_pool *pool, int32_t **labels, evidence_told *told)
{
    for (size_t v = 0; v < pool->p; v++) {
        double alone[EVIDENCE_MOST] = {0};
        of_information given;
        told[v] = (evidence_told){0};
        alone[v] = 1;
        CHECK_OK(of_information_make(arena, pool->p, &given));
        CHECK_OK(OF_NEW(arena, &labels[v], pool->n, 1));
        if (!pool->ties[v].rows)
            continue;
        CHECK_OK(of_pool_label(arena->context, pool,
                               of_pool_dense(pool->problem, v) ? OF_JOINT_COLUMNS : OF_JOINT_GRAPH,
                               alone, labels[v], &given));
        if (given.entropy > 0)
            told[v] = told_of(pool, NULL, labels[v]);
    }
}

/* Weights by evidence. The views' labellings become the first candidates. */
static void weigh(of_arena *arena, restated *r, const of_pool *shuffled, const of_pool *mixed)
{
    size_t p = r->pool.p;
    evidence_told own[EVIDENCE_MOST], first[EVIDENCE_MOST], second[EVIDENCE_MOST] = {{0}};
    int32_t *labels[EVIDENCE_MOST], *none[EVIDENCE_MOST];
    double e[EVIDENCE_MOST];
    label_views(arena, &r->pool, labels, own);
    label_views(arena, shuffled, none, first);
    if (mixed)
        label_views(arena, mixed, none, second);
    evidence_of_views(p, r->pool.mu, own, first, second, r->pool.problem->dataset->present != NULL,
                      e);
    evidence_weights(p, e, NULL, NULL, r->by_evidence);
    for (size_t v = 0; v < p; v++)
        if (own[v].H_all > 0) {
            r->by_kmeans[r->count] = of_pool_dense(r->pool.problem, v);
            r->labels[r->count++] = labels[v];
        }
}

/* The nu of the score: of the labelling by columns in shuffled tables. */
static double chance_of(of_arena *arena, const of_pool *null, const double *weights)
{
    int32_t *labels;
    of_information given;
    CHECK_OK(of_information_make(arena, null->p, &given));
    CHECK_OK(OF_NEW(arena, &labels, null->n, 1));
    CHECK_OK(of_pool_label(arena->context, null, OF_JOINT_COLUMNS, weights, labels, &given));
    if (!(given.entropy > 0))
        return 0;
    evidence_told told = told_of(null, weights, labels);
    return evidence_chance(null->mu, told.I_all, told.H_all);
}

static void score_one(restated *r, size_t i)
{
    r->told[i] = told_of(&r->pool, r->by_evidence, r->labels[i]);
    r->score[i] = evidence_score(r->pool.mu, r->told[i].I_all, r->told[i].H_all, r->nu);
}

/* The labellings of a round, each from the best before it; the best of those from `from` on. */
static size_t add_round(of_arena *arena, restated *r, const double *weights, size_t from)
{
    of_joint joint[OF_JOINT_KINDS];
    of_labelling plan[OF_LABELLINGS];
    size_t count = of_labelling_plan(r->pool.problem, plan, &(int){0}), best = from;
    for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
        CHECK_OK(of_joint_make(arena->context, arena, &r->pool.views, kind, weights, r->pool.rows,
                               &joint[kind]));
    for (size_t i = 0; i < count; i++) {
        of_labelling *one = &plan[i];
        size_t before = 0;
        for (size_t o = 1; o < r->count; o++)
            before = r->score[o] > r->score[before] ? o : before;
        one->parts = 0;
        for (unsigned kind = 0; kind < OF_JOINT_KINDS; kind++)
            if (one->kinds >> kind & 1 && joint[kind].rank)
                one->part[one->parts++] = &joint[kind];
        assert_true(one->parts > 0);
        one->from = r->labels[before];
        one->weights = weights;
        CHECK_OK(of_labelling_make(arena->context, arena, &r->pool, one));
        r->labels[r->count] = one->labels;
        r->by_kmeans[r->count] = one->by_kmeans;
        score_one(r, r->count++);
    }
    for (size_t i = from + 1; i < r->count; i++) /* of equal ones columns, or else the first */
        if (r->score[i] > r->score[best] + (r->by_kmeans[i] ? -1e-9 : 1e-9))
            best = i;
    return best;
}

/* Whether two labellings have the same clusters. Which number each has may depend on which of
 * several labellings of one score a labelling began from. */
static int same_clusters(size_t n, const int32_t *a, const int32_t *b)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if ((a[i] == a[j]) != (b[i] == b[j]))
                return 0;
    return 1;
}

/* The variance of a column x (n numbers, `step` apart) within clusters. */
static double variance_within(size_t n, size_t mu, const double *x, size_t step,
                              const int32_t *labels)
{
    double sum = 0;
    for (int32_t c = 0; c < (int32_t)mu; c++) {
        double mean = 0, size = 0;
        for (size_t j = 0; j < n; j++)
            if (labels[j] == c) {
                mean += x[j * step];
                size += 1;
            }
        for (size_t j = 0; j < n; j++)
            if (labels[j] == c)
                sum += (x[j * step] - mean / size) * (x[j * step] - mean / size);
    }
    return sum / (double)n;
}

/* Standardised columns of a dense view over the root of their variance within clusters, or of a
 * quarter of the mean of these where that is more. */
static void scale_within(of_arena *arena, size_t mu, const int32_t *labels, of_kernel *kernel)
{
    size_t n = kernel->view->samples, d = of_kernel_columns(kernel);
    double *x, *scale, *within, mean = 0;
    if (kernel->prep.kind != OF_PREP_STANDARDISE || kernel->features.start)
        return;
    CHECK_OK(OF_NEW(arena, &x, of_kernel_tile_rows(kernel), n));
    CHECK_OK(OF_NEW(arena, &scale, d, 1));
    CHECK_OK(OF_NEW(arena, &within, d, 1));
    of_kernel_tile(kernel, 0, n, x);
    for (size_t i = 0; i < d; i++) {
        within[i] = variance_within(n, mu, x + i, d, labels);
        mean += within[i] / (double)d;
    }
    for (size_t i = 0; i < d; i++)
        scale[i] = kernel->prep.scale[i] / sqrt(fmax(within[i], mean / 4));
    kernel->prep.scale = scale;
}

/* k-means in all joined columns, scaled by their deviation within clusters, while no cluster is
 * empty. All components together are these columns, rotated. */
static void move_in_all_columns(of_arena *arena, const of_pool *pool, const double *weights,
                                int32_t *labels)
{
    size_t n = pool->n, mu = pool->mu;
    of_joint_views views = pool->views;
    of_joint all;
    of_kernel *kernels;
    double *mean, *size;
    CHECK_OK(OF_NEW(arena, &kernels, pool->p, 1));
    memcpy(kernels, views.kernels, pool->p * sizeof *kernels);
    for (size_t i = 0; i < pool->p && !views.dataset->present; i++)
        scale_within(arena, mu, labels, &kernels[i]);
    views.kernels = kernels;
    CHECK_OK(of_joint_make(arena->context, arena, &views, OF_JOINT_COLUMNS, weights, n, &all));
    CHECK_OK(OF_NEW(arena, &mean, all.rank, mu));
    CHECK_OK(OF_NEW(arena, &size, mu, 1));
    for (int step = 0; step < OF_POOL_STEPS; step++) {
        memset(size, 0, mu * sizeof *size);
        memset(mean, 0, all.rank * mu * sizeof *mean);
        for (size_t j = 0; j < n; j++)
            size[labels[j]] += 1;
        for (size_t c = 0; c < mu; c++)
            if (size[c] < 1)
                return;
        for (size_t j = 0; j < n; j++)
            for (size_t r = 0; r < all.rank; r++)
                mean[r + (size_t)labels[j] * all.rank] +=
                    sqrt(all.value[r]) * all.H[r + j * n] / size[labels[j]];
        for (size_t j = 0; j < n; j++) {
            double nearest = INFINITY;
            for (size_t c = 0; c < mu; c++) {
                double square = 0;
                for (size_t r = 0; r < all.rank; r++) {
                    double gap = sqrt(all.value[r]) * all.H[r + j * n] - mean[r + c * all.rank];
                    square += gap * gap;
                }
                if (square < nearest) {
                    nearest = square;
                    labels[j] = (int32_t)c;
                }
            }
        }
    }
}

/* Both rounds, compared with the result of the fit. */
static void check_fit(const char *name, const onefold_dataset *data, size_t clusters,
                      const char *weights)
{
    OF_SCRATCH(arena, NULL);
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    of_fit_plan plan;
    of_sample shuffled, mixed;
    of_pool null, other;
    size_t p = data->set.view_count, dense = 0;
    restated r = {.count = 0};
    options.clusters = clusters;
    options.method = "onefold";
    options.weights = weights;
    CHECK_OK(of_fit_plan_make(arena.context, &arena, &data->set, &options, &plan));
    const of_problem *problem = &plan.problem;
    for (size_t i = 0; i < p; i++)
        dense += of_pool_dense(problem, i) != 0;
    CHECK_OK(of_pool_make(arena.context, &arena, problem, (1 << OF_JOINT_KINDS) - 1, 0, &r.pool));
    CHECK_OK(of_sample_null(arena.context, &arena, problem, OF_NULL_SHUFFLED, &shuffled));
    CHECK_OK(of_pool_make(arena.context, &arena, &shuffled.problem, 0, 0, &null));
    if (dense) {
        CHECK_OK(of_sample_null(arena.context, &arena, problem, OF_NULL_MIXED, &mixed));
        CHECK_OK(of_pool_make(arena.context, &arena, &mixed.problem, 0, 1, &other));
    }
    weigh(&arena, &r, &null, dense ? &other : NULL);
    CHECK_OK(of_pool_vote_by(arena.context, &arena, &r.pool, r.by_evidence));
    CHECK_OK(of_pool_vote_by(arena.context, &arena, &null, r.by_evidence));
    r.nu = chance_of(&arena, &null, r.by_evidence);
    for (size_t i = 0; i < r.count; i++)
        score_one(&r, i);
    size_t best = add_round(&arena, &r, r.by_evidence, 0);
    evidence_weights(p, r.told[best].I_view, problem->bounds ? problem->bounds->lower : NULL,
                     problem->bounds ? problem->bounds->upper : NULL, r.earned);
    size_t last = r.count;
    best = add_round(&arena, &r, r.earned, last);
    print_message("%s: by evidence", name);
    for (size_t v = 0; v < p; v++)
        print_message(" %.3f", r.by_evidence[v]);
    print_message(", earned");
    for (size_t v = 0; v < p; v++)
        print_message(" %.3f", r.earned[v]);
    print_message("\n");

    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    assert_int_equal(info->candidates, r.count);
    for (size_t i = 0; i < r.count; i++) {
        const onefold_candidate *one = info->candidate[i];
        CHECK_CLOSE(one->told, r.told[i].I_all, 1e-10, 1e-10);
        CHECK_CLOSE(one->entropy, r.told[i].H_all, 1e-10, 1e-10);
        CHECK_CLOSE(one->chance, r.nu, 1e-10, 1e-10);
        CHECK_CLOSE(one->score, r.score[i], 1e-10, 1e-10);
        assert_int_equal(one->chosen != 0, i == best);
        assert_int_equal(one->eligible != 0, i >= last);
    }
    for (size_t v = 0; v < p; v++)
        CHECK_CLOSE(info->view[v]->weight, r.earned[v], 0, 2e-9);
    if (r.by_kmeans[best])
        move_in_all_columns(&arena, &r.pool, r.earned, r.labels[best]);
    assert_true(same_clusters(r.pool.n, info->labels, r.labels[best]));
    onefold_result_free(result);
}

/* ---- data ------------------------------------------------------------------------------------ */

enum { SAMPLES = 240, WIDE = 12 };

/* A view of blobs, whose centres lie `apart` times a normal number away; 0: noise. */
static void add_blobs(onefold_dataset *data, uint64_t seed, size_t d, size_t clusters, size_t every,
                      double apart)
{
    double x[SAMPLES * WIDE], centre[WIDE * 8];
    check_random(seed, 1, d, SAMPLES, x);
    check_random(seed, 2, d, clusters, centre);
    for (size_t j = 0; j < SAMPLES; j++)
        for (size_t r = 0; r < d; r++)
            x[r + j * d] += apart * centre[r + j / every % clusters * d];
    CHECK_OK(onefold_dataset_add_dense(data, NULL, x, d, d, 1));
}

/* Two views that agree, one with clusters of its own, and noise in few columns. */
static onefold_dataset *dense_views(uint64_t seed)
{
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    add_blobs(data, seed, 10, 3, 1, 1.1);
    add_blobs(data, seed + 1, 8, 3, 1, 0.9);
    add_blobs(data, seed + 2, 12, 4, 3, 1.6);
    add_blobs(data, seed + 3, 2, 1, 1, 0);
    return data;
}

static void dense_views_weigh_by_evidence(void **state)
{
    (void)state;
    for (uint64_t seed = 40; seed <= 50; seed += 10) {
        onefold_dataset *data = dense_views(seed);
        check_fit("dense views", data, 3, NULL);
        onefold_dataset_free(data);
    }
}

/* The last k-means: two 0/1 columns that are the clusters beside six of noise. Such a column counts
 * four times the mean of all, not without bound. Where samples lack views, scales stay. */
static void columns_are_scaled_within_clusters(void **state)
{
    (void)state;
    enum { D = 8, CLUSTERS = 3 };
    OF_SCRATCH(arena, NULL);
    onefold_dataset *data = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    double x[SAMPLES * D], weights[] = {0.6, 0.4}, all = 0;
    uint8_t present[2 * SAMPLES];
    int32_t labels[SAMPLES];
    of_fit_plan plan;
    of_pool pool;
    of_joint columns, means;
    check_random(90, 1, D, SAMPLES, x);
    for (size_t j = 0; j < SAMPLES; j++) {
        labels[j] = (int32_t)(j % CLUSTERS);
        x[j * D] = labels[j] == 0;
        x[j * D + 5] = labels[j] == 1;
        present[2 * j] = j % 7 > 1;
        present[2 * j + 1] = j % 7 != 3;
    }
    options.clusters = CLUSTERS;
    for (int lacks = 1; lacks >= 0; lacks--) {
        onefold_dataset_free(data);
        CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
        CHECK_OK(onefold_dataset_add_dense(data, NULL, x, D, D, 1));
        add_blobs(data, 91, 4, CLUSTERS, 1, 1);
        if (lacks)
            CHECK_OK(onefold_dataset_set_present(data, present));
        CHECK_OK(of_fit_plan_make(arena.context, &arena, &data->set, &options, &plan));
        CHECK_OK(of_pool_make(arena.context, &arena, &plan.problem, (1 << OF_JOINT_KINDS) - 1, 0,
                              &pool));
        CHECK_OK(of_joint_make(arena.context, &arena, &pool.views, OF_JOINT_COLUMNS, weights,
                               pool.rows, &columns));
        CHECK_OK(of_joint_means(arena.context, &arena, &pool.views, &columns, CLUSTERS, 1,
                                OF_POOL_SPREAD, labels, &means));
        for (size_t v = 0; v < 2; v++)
            assert_true((means.kernels[v].prep.scale == pool.views.kernels[v].prep.scale) == lacks);
    }
    for (size_t v = 0; v < 2; v++) {
        of_kernel literal = pool.views.kernels[v];
        scale_within(&arena, CLUSTERS, labels, &literal);
        for (size_t i = 0; i < of_kernel_columns(&literal); i++)
            CHECK_CLOSE(means.kernels[v].prep.scale[i], literal.prep.scale[i], 0, 1e-12);
    }
    const double *was = pool.views.kernels[0].prep.scale, *is = means.kernels[0].prep.scale;
    for (size_t i = 0; i < D; i++) /* variances within clusters, of which two are 0 */
        all += i == 0 || i == 5 ? 0 : was[i] / is[i] * (was[i] / is[i]);
    CHECK_CLOSE(is[0] / was[0] * (is[0] / was[0]) * all / D, 4, 0, 1e-9);
    onefold_dataset_free(data);
}

static void bounds_hold_what_is_earned(void **state)
{
    (void)state;
    onefold_dataset *data = dense_views(40);
    check_fit("within bounds", data, 3, "0.1..0.2,auto,0.25..0.5,0.05");
    onefold_dataset_free(data);
}

/* Shuffled columns keep the gaps of few columns, mixed samples do not: either table can have the
 * smaller share. */
static void gaps_and_noise(void **state)
{
    (void)state;
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    add_blobs(data, 60, 2, 4, 1, 6);
    add_blobs(data, 61, 3, 3, 1, 2);
    add_blobs(data, 62, 6, 1, 1, 0);
    check_fit("gaps", data, 4, NULL);
    onefold_dataset_free(data);
}

/* Little evidence, so that the 0.03 decides. */
static void noise_alone(void **state)
{
    (void)state;
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    for (uint64_t i = 0; i < 3; i++)
        add_blobs(data, 70 + i, 4 + i, 1, 1, 0);
    check_fit("noise", data, 3, NULL);
    onefold_dataset_free(data);
}

static void samples_that_lack_views(void **state)
{
    (void)state;
    onefold_dataset *data = dense_views(80);
    uint8_t present[4 * SAMPLES];
    for (size_t j = 0; j < SAMPLES; j++)
        for (size_t v = 0; v < 4; v++)
            present[j * 4 + v] = j % 5 || j / 5 % 4 == v;
    CHECK_OK(onefold_dataset_set_present(data, present));
    check_fit("missing views", data, 3, NULL);
    onefold_dataset_free(data);
}

/* Dense, words, links and a given kernel; then words and links alone, where no samples are mixed.
 */
static void views_of_every_kind(void **state)
{
    (void)state;
    onefold_dataset *data = mixed(150, 0, 150);
    check_fit("every kind", data, MIXED_CLUSTERS, NULL);
    onefold_dataset_free(data);
    data = mixed_some(150, 0, 150, 1u << 1 | 1u << 2);
    check_fit("words and links", data, MIXED_CLUSTERS, NULL);
    onefold_dataset_free(data);
}

/* Every fourth of the bundled digits. */
static void the_bundled_digits(void **state)
{
    (void)state;
    enum { EVERY = 4 };
    const char *path = OF_TEST_SOURCE "/data/digits/digits.mat";
    onefold_dataset *all, *some;
    CHECK_OK(onefold_dataset_read(&all, NULL, &path, 1, NULL));
    size_t n = all->set.samples / EVERY;
    CHECK_OK(onefold_dataset_create(&some, NULL, n));
    for (size_t v = 0; v < all->set.view_count; v++) {
        const of_view *view = &all->set.views[v];
        size_t d = view->columns;
        double *x = malloc(n * d * sizeof *x);
        for (size_t j = 0; j < n; j++)
            of_view_tile(view, j * EVERY, 1, x + j * d, d);
        CHECK_OK(onefold_dataset_add_dense(some, NULL, x, d, d, 1));
        free(x);
    }
    check_fit("digits", some, 10, NULL);
    onefold_dataset_free(some);
    onefold_dataset_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_neighbours_tell_is_what_it_says),
        cmocka_unit_test(weights_are_what_is_brought_within_bounds),
        cmocka_unit_test(dense_views_weigh_by_evidence),
        cmocka_unit_test(columns_are_scaled_within_clusters),
        cmocka_unit_test(bounds_hold_what_is_earned),
        cmocka_unit_test(gaps_and_noise),
        cmocka_unit_test(noise_alone),
        cmocka_unit_test(samples_that_lack_views),
        cmocka_unit_test(views_of_every_kind),
        cmocka_unit_test(the_bundled_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
