/* SPDX-License-Identifier: Apache-2.0 */
/* New samples through a base partition's projection: as the definition has them on every route and
 * kernel, the training samples onto themselves, and the same bits for any number of threads. */
#include "oracle/literal_project.h"
#include "partition/projection.h"
#include "routes_check.h"
#include "support/views.h"

enum { N = 320, FRESH = 37, ROWS = 6 };

typedef struct sample_case {
    const char *what;
    literal_kind literal;
    of_kernel_kind kernel;
    of_route route;
    size_t columns;
    int sparse; /* counts, most of them 0 */
    int stored; /* as a sparse view */
    size_t landmarks;
    double near; /* how near the definition: the residual of eigenvectors, or of the landmarks */
} sample_case;

static const sample_case cases[] = {
    {"gram of a linear kernel", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_GRAM, 9, 0, 0, 0, 1e-9},
    {"gram of a cosine kernel", LITERAL_COSINE, OF_KERNEL_COSINE, OF_ROUTE_GRAM, 9, 0, 0, 0, 1e-9},
    {"gram of tf-idf", LITERAL_TFIDF, OF_KERNEL_AUTO, OF_ROUTE_GRAM, 40, 1, 1, 0, 1e-9},
    {"gram of tf-idf, stored dense", LITERAL_TFIDF, OF_KERNEL_AUTO, OF_ROUTE_GRAM, 40, 1, 0, 0,
     1e-9},
    {"gram of sparse cosine", LITERAL_COSINE, OF_KERNEL_COSINE, OF_ROUTE_GRAM, 40, 1, 1, 0, 1e-9},
    {"gram of sparse linear", LITERAL_LINEAR, OF_KERNEL_LINEAR, OF_ROUTE_GRAM, 40, 1, 1, 0, 1e-9},
    {"nystrom", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 7, 0, 0, N, 1e-5},
    {"nystrom, sparse", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 12, 1, 1, N, 1e-5},
};

typedef struct fitted {
    double *train, *new;
    of_view view, fresh;
    of_kernel kernel;
    of_partition partition;
    double H[ROWS * N];
} fitted;

static void fit(of_context *context, of_arena *arena, const sample_case *c, fitted *f)
{
    f->train = clustered(N + FRESH, c->columns, c->sparse, 11);
    f->new = f->train + N * c->columns;
    for (size_t j = 0; j < N + FRESH; j++)
        f->train[j * c->columns + 3] = 1;   /* a column that is dropped, or says nothing */
    for (size_t i = 0; i < c->columns; i++) /* the last is far from all the others */
        f->new[(FRESH - 1) * c->columns + i] = 10 * (double)(i % 3);
    f->view = c->stored ? views_sparse(arena, N, c->columns, f->train)
                        : views_dense(N, c->columns, f->train);
    f->fresh = c->stored ? views_sparse(arena, FRESH, c->columns, f->new)
                         : views_dense(FRESH, c->columns, f->new);
    CHECK_OK(of_kernel_make(context, arena, &f->view, c->kernel, 0, &f->kernel));
    of_partition_options options = {.dims = ROWS,
                                    .tolerance = 1e-8,
                                    .base =
                                        c->landmarks ? ONEFOLD_BASE_NYSTROM : ONEFOLD_BASE_EXACT,
                                    .landmarks = c->landmarks,
                                    .project = 1};
    CHECK_OK(of_partition_make(context, arena, &f->kernel, &options, f->H, ROWS, &f->partition));
    assert_string_equal(of_route_name(f->partition.route), of_route_name(c->route));
    assert_non_null(f->partition.projection);
}

/* rank x count, through blocks of `width` samples. */
static void apply(of_arena *arena, const of_projection *projection, const of_view *view,
                  size_t width, double *h, double *kept)
{
    double *room;
    CHECK_OK(OF_NEW(arena, &room, of_projection_room(projection, width), 1));
    for (size_t first = 0; first < view->samples; first += width) {
        size_t count = view->samples - first < width ? view->samples - first : width;
        CHECK_OK(of_projection_apply(projection, view, NULL, first, count, room,
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
    CHECK_OK(OF_NEW(arena, &K, N, N));
    CHECK_OK(OF_NEW(arena, &k, N, FRESH));
    CHECK_OK(OF_NEW(arena, &self, FRESH, 1));
    literal_cross(c->literal, N, c->columns, f->train, FRESH, f->new, K, k, self);
    literal_project(N, K, FRESH, k, self, p->rank, f->H, ROWS, f->partition.values, want);
    apply(arena, p, &f->fresh, 16, h, kept);
    double most = largest(p->rank * FRESH, want);
    for (size_t j = 0; j < FRESH; j++) {
        double share = 0;
        for (size_t r = 0; r < p->rank; r++) {
            CHECK_CLOSE(h[j * p->rank + r], want[j * p->rank + r], 0, c->near * most);
            share += f->partition.values[r] * pow(want[j * p->rank + r], 2);
        }
        CHECK_CLOSE(kept[j], share, 0, 100 * c->near);
        assert_true(kept[j] >= 0 && kept[j] <= 1);
    }
}

static void training_samples_come_back(const sample_case *c, const fitted *f, of_arena *arena)
{
    const of_projection *p = f->partition.projection;
    static double h[ROWS * N], kept[N];
    apply(arena, p, &f->view, 32, h, kept);
    double most = largest(ROWS * N, f->H);
    for (size_t j = 0; j < N; j++)
        for (size_t r = 0; r < p->rank; r++)
            CHECK_CLOSE(h[j * p->rank + r], f->H[j * ROWS + r], 0, 1e-8 * most);
    (void)c;
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
        free(f.train);
    }
}

/* Few landmarks: no definition but the route's own, so the training samples say it all. */
static void few_landmarks_project_the_training_samples(void **state)
{
    (void)state;
    const sample_case few = {
        "few landmarks", LITERAL_RBF, OF_KERNEL_RBF, OF_ROUTE_NYSTROM, 7, 0, 0, 20, 0};
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
            apply(&arena, f.partition.projection, &f.fresh, 16, h, kept);
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

/* A sample where the training mean is says nothing; one too large to be squared is refused. */
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
    apply(&arena, p, &view, 3, h, kept);
    assert_true(kept[0] == -1 && kept[1] >= 0);
    for (size_t r = 0; r < p->rank; r++)
        assert_true(h[r] == 0);
    x[18] = 1e200;
    CHECK_OK(OF_NEW(&arena, &room, of_projection_room(p, 3), 1));
    CHECK_FAILS(of_projection_apply(p, &view, NULL, 0, 3, room, h, p->rank, kept), ONEFOLD_BAD_DATA,
                "sample 3 of view 'dense' has values too large to be squared");
    free(f.train);
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
    CHECK_OK(OF_NEW(&arena, &room, of_projection_room(p, FRESH), 1));
    CHECK_FAILS(of_projection_apply(p, &f.fresh, NULL, 0, FRESH, room, h, p->rank, kept),
                ONEFOLD_BAD_DATA, "sample 2 of view 'dense' has a negative entry");
    free(f.train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_and_kernel),
        cmocka_unit_test(few_landmarks_project_the_training_samples),
        cmocka_unit_test(the_same_bits_for_any_threads),
        cmocka_unit_test(samples_without_a_direction),
        cmocka_unit_test(tf_idf_refuses_negative_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
