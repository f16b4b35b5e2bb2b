/* SPDX-License-Identifier: Apache-2.0 */
/* New samples through a base partition's projection: as the definition has them on every route and
 * kernel, the training samples onto themselves, and the same bits for any number of threads. */
#include "oracle/literal_project.h"
#include "partition/projection.h"
#include "routes_check.h"
#include "support/views.h"

enum { MOST = 600, FRESH = 37, ROWS = 6 };

typedef struct sample_case {
    const char *what;
    literal_kind literal;
    of_kernel_kind kernel;
    of_route route;
    size_t n, columns;
    int sparse; /* counts, most of them 0 */
    int stored; /* as a sparse view */
    size_t landmarks;
    double near; /* the error against the definition: the residual of eigenvectors, or of the
                    landmarks */
} sample_case;

static const sample_case cases[] = {
    {"gram, linear", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_GRAM, 320, 9, 0, 0, 0, 1e-9},
    {"gram, cosine", LITERAL_COSINE, OF_KERNEL_COSINE, OF_ROUTE_GRAM, 320, 9, 0, 0, 0, 1e-9},
    {"gram, tf-idf", LITERAL_TFIDF, OF_KERNEL_AUTO, OF_ROUTE_GRAM, 320, 40, 1, 1, 0, 1e-9},
    {"gram, tf-idf of a dense view", LITERAL_TFIDF, OF_KERNEL_AUTO, OF_ROUTE_GRAM, 320, 40, 1, 0, 0,
     1e-9},
    {"gram, sparse cosine", LITERAL_COSINE, OF_KERNEL_COSINE, OF_ROUTE_GRAM, 320, 40, 1, 1, 0,
     1e-9},
    {"gram, sparse linear", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_GRAM, 320, 40, 1, 1, 0,
     1e-9},
    {"krylov, linear", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_KRYLOV, 500, 510, 0, 0, 0, 1e-8},
    {"krylov, cosine", LITERAL_COSINE, OF_KERNEL_COSINE, OF_ROUTE_KRYLOV, 500, 510, 0, 0, 0, 1e-8},
    {"krylov, tf-idf", LITERAL_TFIDF, OF_KERNEL_AUTO, OF_ROUTE_KRYLOV, 320, 300, 1, 1, 0, 1e-8},
    {"krylov, sparse linear", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_KRYLOV, 320, 300, 1, 1, 0,
     1e-8},
    {"krylov, graph", LITERAL_GRAPH, OF_KERNEL_GRAPH, OF_ROUTE_KRYLOV, 320, 320, 1, 1, 0, 1e-8},
    {"dense, graph", LITERAL_GRAPH, OF_KERNEL_GRAPH, OF_ROUTE_DENSE, 200, 200, 1, 0, 0, 1e-9},
    {"dense, linear", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_DENSE, 200, 300, 0, 0, 0, 1e-9},
    {"dense, cosine", LITERAL_COSINE, OF_KERNEL_COSINE, OF_ROUTE_DENSE, 200, 300, 0, 0, 0, 1e-9},
    {"dense, tf-idf", LITERAL_TFIDF, OF_KERNEL_AUTO, OF_ROUTE_DENSE, 200, 300, 1, 1, 0, 1e-9},
    {"dense, rbf", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_DENSE, 320, 7, 0, 0, 0, 1e-9},
    {"dense, sparse rbf", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_DENSE, 320, 12, 1, 1, 0, 1e-9},
    {"tiles, rbf", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_TILES, 320, 7, 0, 0, 0, 1e-7},
    {"tiles, sparse rbf", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_TILES, 320, 12, 1, 1, 0, 1e-7},
    {"nystrom", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 320, 7, 0, 0, 320, 1e-5},
    {"nystrom, sparse", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 320, 12, 1, 1, 320, 1e-5},
};

typedef struct fitted {
    double *train, *new;
    of_view view, fresh;
    of_kernel kernel;
    of_partition partition;
    double H[ROWS * MOST];
} fitted;

/* The route that only kernels too large for a test take by themselves. */
static void by_tiles(of_context *context, of_arena *arena, fitted *f)
{
    static const double sign[ROWS] = {1, 1, 1, 1, 1, 1};
    double *value;
    of_projection *projection;
    CHECK_OK(OF_NEW_ZERO(arena, &value, ROWS, 1));
    CHECK_OK(OF_NEW_ZERO(arena, &projection, 1, 1));
    of_route_work work = {.kernel = &f->kernel,
                          .rows = ROWS,
                          .tolerance = 1e-8,
                          .H = of_share_whole(f->H, ROWS),
                          .value = value,
                          .projection = projection,
                          .arena = arena};
    CHECK_OK(of_route_tiles(context, &work));
    CHECK_OK(
        of_projection_finish(context, arena, &f->kernel, OF_ROUTE_TILES, value, sign, projection));
    f->partition = (of_partition){
        .route = OF_ROUTE_TILES, .rank = work.rank, .values = value, .projection = projection};
}

static void fit(of_context *context, of_arena *arena, const sample_case *c, fitted *f)
{
    f->train = clustered(c->n + FRESH, c->columns, c->sparse, 11);
    f->new = f->train + c->n * c->columns;
    for (size_t j = 0; j < c->n + FRESH; j++)
        f->train[j * c->columns + 3] = 1;   /* a constant column, dropped or without effect */
    for (size_t i = 0; i < c->columns; i++) /* the last is far from all the others */
        f->new[(FRESH - 1) * c->columns + i] = 10 * (double)(i % 3);
    f->view = c->stored ? views_sparse(arena, c->n, c->columns, f->train)
                        : views_dense(c->n, c->columns, f->train);
    f->fresh = c->stored ? views_sparse(arena, FRESH, c->columns, f->new)
                         : views_dense(FRESH, c->columns, f->new);
    CHECK_OK(of_kernel_make(context, arena, &f->view, c->kernel, &f->kernel));
    if (c->route == OF_ROUTE_TILES) {
        by_tiles(context, arena, f);
        return;
    }
    of_partition_options options = {.dims = ROWS,
                                    .tolerance = 1e-8,
                                    .base =
                                        c->landmarks ? ONEFOLD_BASE_NYSTROM : ONEFOLD_BASE_EXACT,
                                    .landmarks = c->landmarks,
                                    .project = 1};
    CHECK_OK(of_partition_make(context, arena, &f->kernel, of_partition_route(&f->kernel, &options),
                               &options, of_share_whole(f->H, ROWS), &f->partition));
    assert_int_equal(f->partition.route, c->route);
    assert_non_null(f->partition.projection);
}

/* rank x count, through blocks of `width` samples. */
static void apply(of_arena *arena, const of_projection *projection, const of_view *view,
                  const of_sparse *ready, size_t width, double *h, double *kept)
{
    double *room;
    of_fresh fresh = {.view = view, .ready = ready};
    CHECK_OK(OF_NEW(arena, &room, of_projection_room(projection, view, width), 1));
    for (size_t first = 0; first < view->samples; first += width) {
        size_t count = view->samples - first < width ? view->samples - first : width;
        CHECK_OK(of_projection_apply(projection, &fresh, first, count, room,
                                     h + first * projection->rank, projection->rank, kept + first));
    }
}

static double largest(size_t count, const double *x)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void new_samples_are_projected_as_defined(const sample_case *c, const fitted *f,
                                                 of_arena *arena)
{
    const of_projection *p = f->partition.projection;
    double *K, *k, *self, want[ROWS * FRESH], h[ROWS * FRESH], kept[FRESH];
    CHECK_OK(OF_NEW(arena, &K, c->n, c->n));
    CHECK_OK(OF_NEW(arena, &k, c->n, FRESH));
    CHECK_OK(OF_NEW(arena, &self, FRESH, 1));
    literal_cross(c->literal, c->n, c->columns, f->train, FRESH, f->new, K, k, self);
    literal_project(c->n, K, FRESH, k, self, p->rank, f->H, ROWS, f->partition.values, want);
    apply(arena, p, &f->fresh, NULL, 16, h, kept);
    double most = largest(p->rank * FRESH, want);
    for (size_t j = 0; j < FRESH; j++) {
        double share = 0;
        for (size_t r = 0; r < p->rank; r++) {
            CHECK_CLOSE(h[j * p->rank + r], want[j * p->rank + r], 0, c->near * most);
            share += f->partition.values[r] * pow(want[j * p->rank + r], 2);
        }
        double own = 0;
        for (size_t r = 0; r < p->rank; r++)
            own += p->value[r] * pow(h[j * p->rank + r], 2);
        assert_true(kept[j] > 0);
        CHECK_CLOSE(own / kept[j], share, 0, 100 * c->near);
        assert_true(own / kept[j] <= 1 + 100 * c->near);
    }
}

static void training_samples_come_back(const sample_case *c, const fitted *f, of_arena *arena)
{
    const of_projection *p = f->partition.projection;
    static double h[ROWS * MOST], kept[MOST];
    const of_sparse *ready = p->kernel == OF_KERNEL_GRAPH ? &f->kernel.features : NULL;
    apply(arena, p, &f->view, ready, 32, h, kept);
    double most = largest(ROWS * c->n, f->H);
    for (size_t j = 0; j < c->n; j++)
        for (size_t r = 0; r < p->rank; r++)
            CHECK_CLOSE(h[j * p->rank + r], f->H[j * ROWS + r], 0, 1e-8 * most);
}

/* Its bytes, array by array; and the estimate is close to them. */
static void its_memory_is_what_it_holds(const sample_case *c, const fitted *f)
{
    const of_projection *p = f->partition.projection;
    size_t whole = p->rank * sizeof *p->value, inputs = p->columns;
    of_partition_options options = {
        .dims = ROWS, .tolerance = 1e-8, .landmarks = c->landmarks, .project = 1};
    of_partition_size size;
    whole += p->prep.shift ? p->prep.columns * sizeof(double) : 0;
    whole += p->prep.scale ? p->prep.columns * sizeof(double) : 0;
    whole += p->prep.kept ? p->prep.columns * sizeof(uint32_t) : 0;
    if (p->form == OF_PROJECT_FEATURES)
        whole += p->columns * sizeof *p->mean;
    if (p->form == OF_PROJECT_POINTS) {
        inputs = p->points;
        whole += p->points * (sizeof *p->point_mean + sizeof *p->row_mean);
        if (p->at)
            whole += p->points * p->columns * sizeof *p->at;
        else
            whole += (p->points + 1) * sizeof *p->sparse_at.start +
                     p->sparse_at.start[p->points] *
                         (sizeof *p->sparse_at.index + sizeof *p->sparse_at.value);
    }
    assert_int_equal(of_projection_bytes(p), whole + p->rank * inputs * sizeof *p->weight);
    CHECK_OK(of_partition_bytes(NULL, &f->kernel, c->route, &options, &size));
    assert_in_range(size.projection, 0.95 * (double)of_projection_bytes(p),
                    1.1 * (double)of_projection_bytes(p));
}

static void every_route_and_kernel(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OF_SCRATCH(arena, NULL);
        fitted f;
        print_message("  %s\n", cases[i].what);
        fit(arena.context, &arena, &cases[i], &f);
        assert_int_equal(f.partition.projection->rank, f.partition.rank);
        new_samples_are_projected_as_defined(&cases[i], &f, &arena);
        training_samples_come_back(&cases[i], &f, &arena);
        its_memory_is_what_it_holds(&cases[i], &f);
        free(f.train);
    }
}

/* A given kernel: new samples are rows of it. Where the diagonal does not determine K(x, x), it may
 * follow the row. */
static void rows_of_a_given_kernel(void **state)
{
    (void)state;
    enum { N = 250, D = 8 };
    const literal_kind kinds[] = {LITERAL_RBF, LITERAL_LINEAR, LITERAL_LINEAR};
    const double unit[] = {1, 1, 0.01}; /* of the values: lengths above 1, and below */
    for (size_t kind = 0; kind < 3; kind++) {
        OF_SCRATCH(arena, NULL);
        double *x = clustered(N + FRESH, D, 0, 5), *K, *k, *self, *wide;
        static double H[ROWS * N], h[ROWS * N], kept[N], want[ROWS * FRESH];
        double high = 1e6 * unit[kind] * unit[kind];
        for (size_t i = 0; i < (N + FRESH) * D; i++)
            x[i] *= unit[kind];
        CHECK_OK(OF_NEW(&arena, &K, N, N));
        CHECK_OK(OF_NEW(&arena, &k, N, FRESH));
        CHECK_OK(OF_NEW(&arena, &self, FRESH, 1));
        CHECK_OK(OF_NEW(&arena, &wide, N + 1, FRESH));
        literal_cross(kinds[kind], N, D, x, FRESH, x + N * D, K, k, self);
        for (size_t i = 0; i < N * N; i++)
            K[i] += high; /* which centring subtracts */
        of_view view = views_dense(N, N, K);
        view.storage = OF_KERNEL;
        of_kernel kernel;
        of_partition partition;
        of_partition_options options = {.dims = ROWS, .tolerance = 1e-8, .project = 1};
        CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_AUTO, &kernel));
        CHECK_OK(of_partition_make(arena.context, &arena, &kernel,
                                   of_partition_route(&kernel, &options), &options,
                                   of_share_whole(H, ROWS), &partition));
        const of_projection *p = partition.projection;
        assert_int_equal(p->same_diagonal, kinds[kind] == LITERAL_RBF);
        apply(&arena, p, &view, NULL, 16, h, kept);
        for (size_t j = 0; j < N; j++)
            for (size_t r = 0; r < p->rank; r++)
                CHECK_CLOSE(h[j * p->rank + r], H[j * ROWS + r], 0, 1e-8);
        for (size_t j = 0; j < FRESH; j++) {
            for (size_t i = 0; i < N; i++)
                wide[j * (N + 1) + i] = k[j * N + i] + high;
            wide[j * (N + 1) + N] = self[j] + high;
        }
        for (size_t i = 0; i < N * N; i++)
            K[i] -= high;
        literal_project(N, K, FRESH, k, self, p->rank, H, ROWS, partition.values, want);
        of_view fresh = views_dense(FRESH, N + 1, wide);
        apply(&arena, p, &fresh, NULL, 16, h, kept);
        double most = largest(p->rank * FRESH, want);
        for (size_t i = 0; i < p->rank * FRESH; i++)
            CHECK_CLOSE(h[i], want[i], 0, 1e-7 * most); /* 1e6 of 1: nine digits are left */
        free(x);
    }
}

/* Few landmarks: only the route itself defines the result, so training samples are projected. */
static void few_landmarks_project_the_training_samples(void **state)
{
    (void)state;
    const sample_case few = {
        "few landmarks", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 320, 7, 0, 0, 20, 0};
    OF_SCRATCH(arena, NULL);
    fitted f;
    fit(arena.context, &arena, &few, &f);
    assert_int_equal(f.partition.projection->points, 20);
    training_samples_come_back(&few, &f, &arena);
    free(f.train);
}

static void the_same_bits_for_any_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double first[ROWS * FRESH], h[ROWS * FRESH], kept[FRESH];
        for (size_t t = 0; t < 4; t++) {
            onefold_context *context = NULL;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, threads[t]));
            of_arena arena = of_arena_make(context);
            fitted f;
            fit(context, &arena, &cases[i], &f);
            apply(&arena, f.partition.projection, &f.fresh, NULL, 16, h, kept);
            size_t size = f.partition.rank * FRESH * sizeof *h;
            if (t == 0)
                memcpy(first, h, size);
            assert_memory_equal(first, h, size);
            free(f.train);
            of_arena_free(&arena);
            onefold_context_free(context);
        }
    }
}

/* A sample at the training mean gives nothing; one too large to be squared is refused. */
static void samples_without_a_direction(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    fitted f;
    fit(arena.context, &arena, &cases[0], &f);
    const of_projection *p = f.partition.projection;
    double x[3 * 9], h[3 * ROWS], kept[3], *room;
    memcpy(x, p->mean, sizeof(double) * 9);
    memcpy(x + 9, f.new, sizeof(double) * 9);
    memcpy(x + 18, f.new, sizeof(double) * 9);
    of_view view = views_dense(3, 9, x);
    apply(&arena, p, &view, NULL, 3, h, kept);
    assert_true(kept[0] == OF_KEPT_NOTHING && kept[1] >= 0);
    for (size_t r = 0; r < p->rank; r++)
        assert_true(h[r] == 0);
    x[18] = 1e200;
    CHECK_OK(OF_NEW(&arena, &room, of_projection_room(p, &view, 3), 1));
    CHECK_FAILS(of_projection_apply(p, &(of_fresh){.view = &view}, 0, 3, room, h, p->rank, kept),
                ONEFOLD_BAD_DATA, "sample 3 of view 'dense' has values too large to be squared");
    free(f.train);
}

/* Where a sample lacks the view, its h is 0 for any values, and the others do not change. */
static void absent_samples_say_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].n > 320 || cases[i].stored)
            continue;
        OF_SCRATCH(arena, NULL);
        fitted f;
        double *room, h[ROWS * FRESH], alone[ROWS * FRESH], kept[FRESH];
        uint8_t present[3 * FRESH];
        fit(arena.context, &arena, &cases[i], &f);
        const of_projection *p = f.partition.projection;
        CHECK_OK(OF_NEW(&arena, &room, of_projection_room(p, &f.fresh, FRESH), 1));
        apply(&arena, p, &f.fresh, NULL, FRESH, h, kept);
        for (size_t j = 0; j < FRESH; j++) {
            present[3 * j + 1] = j % 4 != 2;
            for (size_t c = 0; j % 4 == 2 && c < cases[i].columns; c++)
                f.new[j * cases[i].columns + c] = j % 8 == 2 ? NAN : -1e300;
        }
        of_fresh some = {.view = &f.fresh, .present = present + 1, .step = 3};
        CHECK_OK(of_projection_apply(p, &some, 0, FRESH, room, alone, p->rank, kept));
        for (size_t j = 0; j < FRESH; j++) {
            assert_true((kept[j] == OF_KEPT_ABSENT) == (j % 4 == 2));
            for (size_t r = 0; r < p->rank; r++)
                assert_true(alone[j * p->rank + r] == (j % 4 == 2 ? 0 : h[j * p->rank + r]));
        }
        free(f.train);
    }
}

/* The view's samples with other values, and their projections. */
static onefold_status apply_values(of_arena *arena, const of_projection *p, const of_view *view,
                                   const double *fill, double *h, double *kept)
{
    double *room;
    of_fresh fresh = {.view = view, .fill = fill};
    CHECK_OK(OF_NEW(arena, &room, of_projection_room(p, view, view->samples), 1));
    return of_projection_apply(p, &fresh, 0, view->samples, room, h, p->rank, kept);
}

/* A sample of NaN alone lacks the view. Single NaN are filled in, with the same result as the value
 * itself, or refused, as infinite values are. Other samples keep their bits. */
static void missing_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sample_case *c = &cases[i];
        if (c->n > 320 || c->kernel == OF_KERNEL_GRAPH)
            continue;
        OF_SCRATCH(arena, NULL);
        fitted f;
        double want[ROWS * FRESH], h[ROWS * FRESH], kept[FRESH], *fill;
        size_t d = c->columns;
        fit(arena.context, &arena, c, &f);
        const of_projection *p = f.partition.projection;
        CHECK_OK(OF_NEW(&arena, &fill, d, 1));
        for (size_t k = 0; k < d; k++) {
            fill[k] = 0.5 + (double)(k % 3);
            f.new[7 * d + k] = k % 3 == 1 ? fill[k] : f.new[7 * d + k];
        }
        of_view view = c->stored ? views_sparse(&arena, FRESH, d, f.new) : f.fresh;
        CHECK_OK(apply_values(&arena, p, &view, NULL, want, kept));
        for (size_t k = 0; k < d; k++) {
            f.new[7 * d + k] = k % 3 == 1 ? NAN : f.new[7 * d + k];
            f.new[4 * d + k] = NAN;
        }
        view = c->stored ? views_sparse(&arena, FRESH, d, f.new) : f.fresh;
        CHECK_OK(apply_values(&arena, p, &view, fill, h, kept));
        for (size_t j = 0; j < FRESH; j++) {
            assert_true((kept[j] == OF_KEPT_ABSENT) == (j == 4));
            for (size_t r = 0; r < p->rank; r++)
                assert_true(h[j * p->rank + r] == (j == 4 ? 0 : want[j * p->rank + r]));
        }
        CHECK_FAILS(apply_values(&arena, p, &view, NULL, h, kept), ONEFOLD_BAD_DATA,
                    "sample 8 of view");
        assert_non_null(strstr(onefold_last_error(), "(NaN), the first in column 2"));
        f.new[5 * d + 2] = -INFINITY;
        view = c->stored ? views_sparse(&arena, FRESH, d, f.new) : f.fresh;
        CHECK_FAILS(apply_values(&arena, p, &view, fill, h, kept), ONEFOLD_BAD_DATA,
                    "has an infinite value in column 3");
        free(f.train);
    }
}

/* A precomputed kernel over some of the training samples: the columns of the others may hold
 * anything, a row that is NaN in all that count is of a sample that lacks the view. */
static void missing_rows_of_a_kernel(void **state)
{
    (void)state;
    enum { N = 60, D = 5, KEPT = 45 };
    OF_SCRATCH(arena, NULL);
    double *x = clustered(N + 4, D, 0, 5), *K, *k, *self, *some, h[ROWS * 4], want[ROWS * 4];
    static double H[ROWS * N];
    double kept[4];
    uint32_t columns[KEPT];
    CHECK_OK(OF_NEW(&arena, &K, N, N));
    CHECK_OK(OF_NEW(&arena, &k, N, 4));
    CHECK_OK(OF_NEW(&arena, &self, 4, 1));
    CHECK_OK(OF_NEW(&arena, &some, KEPT, KEPT));
    literal_cross(LITERAL_RBF, N, D, x, 4, x + N * D, K, k, self);
    for (size_t i = 0; i < KEPT; i++)
        columns[i] = (uint32_t)(i + i / 3);
    for (size_t i = 0; i < KEPT * KEPT; i++)
        some[i] = K[columns[i / KEPT] * N + columns[i % KEPT]];
    of_view view = views_dense(KEPT, KEPT, some), fresh = views_dense(4, N, k);
    view.storage = OF_KERNEL;
    of_kernel kernel;
    of_partition partition;
    of_partition_options options = {.dims = ROWS, .tolerance = 1e-8, .project = 1};
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_AUTO, &kernel));
    CHECK_OK(of_partition_make(arena.context, &arena, &kernel,
                               of_partition_route(&kernel, &options), &options,
                               of_share_whole(H, ROWS), &partition));
    of_projection p = *partition.projection; /* as a model has it that lacks samples */
    p.prep.kept = columns;
    p.raw_columns = N;
    CHECK_OK(apply_values(&arena, &p, &fresh, NULL, want, kept));
    for (size_t j = 0; j < 4; j++)
        for (size_t i = 3; i < N; i += 4) /* columns that do not count */
            k[j * N + i] = j % 2 ? NAN : INFINITY;
    for (size_t i = 0; i < N; i++)
        k[2 * N + i] = NAN;
    CHECK_OK(apply_values(&arena, &p, &fresh, NULL, h, kept));
    for (size_t j = 0; j < 4; j++) {
        assert_true((kept[j] == OF_KEPT_ABSENT) == (j == 2));
        for (size_t r = 0; r < p.rank; r++)
            assert_true(h[j * p.rank + r] == (j == 2 ? 0 : want[j * p.rank + r]));
    }
    k[3 * N + 4] = NAN;
    CHECK_FAILS(apply_values(&arena, &p, &fresh, NULL, h, kept), ONEFOLD_BAD_DATA,
                "sample 4 of view 'dense' lacks 1 value (NaN), the first in column 5");
    free(x);
}

/* Single precision: as exact as floats allow, where the weights are not so large that this is poor;
 * otherwise double precision is used. */
static void single_precision(void **state)
{
    (void)state;
    static const struct {
        sample_case c;
        int single;
    } tried[] = {
        {{"dense, rbf", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_DENSE, 320, 17, 0, 0, 0, 2e-5}, 1},
        {{"nystrom", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 320, 17, 0, 0, 320, 2e-5}, 1},
        {{"sparse", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 320, 30, 1, 1, 320, 2e-5}, 1},
        {{"gram", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_GRAM, 320, 9, 0, 0, 0, 1e-9}, 0},
    };
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        OF_SCRATCH(arena, NULL);
        fitted f;
        print_message("  %s\n", tried[i].c.what);
        fit(arena.context, &arena, &tried[i].c, &f);
        of_projection p = *f.partition.projection;
        assert_null(p.single);
        p.precision = ONEFOLD_SINGLE;
        CHECK_OK(of_projection_prepare(&arena, &p));
        assert_int_equal(p.single != NULL, tried[i].single);
        f.partition.projection = &p;
        new_samples_are_projected_as_defined(&tried[i].c, &f, &arena);
        double *large; /* as they are where an eigenvalue is near 0 */
        size_t numbers = of_projection_inputs(&p) * p.rank;
        CHECK_OK(OF_NEW(&arena, &large, numbers, 1));
        for (size_t e = 0; e < numbers; e++)
            large[e] = p.weight[e] * (e % p.rank == 2 ? 1e5 : 1);
        p.weight = large;
        CHECK_OK(of_projection_prepare(&arena, &p));
        assert_null(p.single);
        free(f.train);
    }
}

/* Counts below zero have no square root. */
static void tf_idf_refuses_negative_entries(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    fitted f;
    fit(arena.context, &arena, &cases[3], &f);
    const of_projection *p = f.partition.projection;
    double *room, h[FRESH * ROWS], kept[FRESH];
    f.new[40 + 7] = -1;
    CHECK_OK(OF_NEW(&arena, &room, of_projection_room(p, &f.fresh, FRESH), 1));
    CHECK_FAILS(
        of_projection_apply(p, &(of_fresh){.view = &f.fresh}, 0, FRESH, room, h, p->rank, kept),
        ONEFOLD_BAD_DATA, "sample 2 of view 'dense' has a negative entry");
    free(f.train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_and_kernel),
        cmocka_unit_test(rows_of_a_given_kernel),
        cmocka_unit_test(few_landmarks_project_the_training_samples),
        cmocka_unit_test(the_same_bits_for_any_threads),
        cmocka_unit_test(samples_without_a_direction),
        cmocka_unit_test(absent_samples_say_nothing),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(missing_rows_of_a_kernel),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(tf_idf_refuses_negative_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
