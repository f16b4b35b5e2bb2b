/* SPDX-License-Identifier: Apache-2.0 */
/* Landmark graphs of dense and of sparse features against plain loops, whatever the threads. */
#include "kernel/landmark_graph.h"
#include "oracle/literal_graph.h"
#include "support/check.h"
#include "support/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 90, D = 5, R = 8, WIDE = 20 };

/* Rows of unit length with three of D columns each; sample 7 is zero. */
static void text(size_t n, double *x)
{
    double noise[3];
    memset(x, 0, n * D * sizeof *x);
    for (size_t j = 0; j < n; j++) {
        double square = 0;
        if (j == 7)
            continue;
        check_random(11, j, 3, 1, noise);
        for (size_t i = 0; i < 3; i++)
            square += noise[i] * noise[i];
        for (size_t i = 0; i < 3; i++)
            x[j * D + (j + i) % D] = fabs(noise[i]) / sqrt(square);
    }
}

static void check_ties(const of_sparse *graph, const double *want)
{
    for (size_t j = 0; j < graph->rows; j++) {
        double sum = 0;
        size_t ties = 0;
        for (size_t l = 0; l < graph->columns; l++)
            ties += want[j * graph->columns + l] > 0;
        assert_int_equal(graph->start[j + 1] - graph->start[j], ties);
        for (size_t e = graph->start[j]; e < graph->start[j + 1]; e++) {
            CHECK_CLOSE(graph->value[e], want[j * graph->columns + graph->index[e]], 1e-9, 1e-9);
            assert_true(e == graph->start[j] || graph->index[e] > graph->index[e - 1]);
            sum += graph->value[e];
        }
        CHECK_CLOSE(sum, ties ? 1 : 0, 0, 1e-12);
    }
}

static void every_sample_is_a_landmark(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double x[N * D], z[N * N];
    check_random(2, 0, D, N, x);
    memcpy(x + D, x, D * sizeof *x); /* two samples alike */
    of_landmark_points points = {N, D, NULL, of_share_whole(x, D)};
    of_landmark_set set;
    of_sparse graph, wider;
    CHECK_OK(of_landmark_set_make(arena.context, &arena, &points, 0, 0, 0, &set));
    assert_int_equal(set.count, N);
    assert_int_equal(set.neighbours, R);
    CHECK_OK(of_landmark_graph_make(arena.context, &arena, &points, &set, WIDE, &graph, &wider));
    literal_ties(N, D, x, N, x, R, 0, z);
    check_ties(&graph, z);
    assert_int_equal(wider.start[N], WIDE * N);
    literal_ties(N, D, x, N, x, WIDE, 0, z);
    check_ties(&wider, z);
}

static void sparse_features_and_a_sample_without_entries(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static double x[N * D], at[(N - 1) * D], z[N * (N - 1)];
    text(N, x);
    of_view view = views_sparse(&arena, N, D, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_COSINE, &kernel));
    of_landmark_points points = of_landmark_points_of(&kernel);
    of_landmark_set set;
    of_sparse graph, wider;
    CHECK_OK(of_landmark_set_make(arena.context, &arena, &points, 0, 6, 0, &set));
    assert_int_equal(set.count, N - 1);
    CHECK_OK(of_landmark_graph_make(arena.context, &arena, &points, &set, 9, &graph, &wider));
    memcpy(at, x, 7 * D * sizeof *x);
    memcpy(at + 7 * D, x + 8 * D, (N - 8) * D * sizeof *x);
    literal_ties(N, D, x, N - 1, at, 6, 1, z);
    check_ties(&graph, z);
    assert_int_equal(graph.start[8], graph.start[7]);
    literal_ties(N, D, x, N - 1, at, 9, 1, z);
    check_ties(&wider, z);
}

/* Landmarks are centres of samples: every sample's nearest is nearer than a typical other sample,
 * and threads change no bit. */
static void few_landmarks_cover_the_samples(void **state)
{
    (void)state;
    enum { MANY = 1500, FEW = 60 };
    double *x = malloc(MANY * D * sizeof *x), *first = NULL;
    uint32_t *index = NULL;
    size_t bytes = MANY * R;
    check_random(5, 0, D, MANY, x);
    for (size_t j = 0; j < MANY; j++)
        x[j * D + j % 4] += 9;
    for (int sparse = 0; sparse < 2; sparse++)
        for (int threads = 1; threads <= 3; threads += 2) {
            onefold_context *context;
            CHECK_OK(onefold_context_create(&context, NULL));
            context->threads = threads;
            OF_SCRATCH(arena, context);
            of_view view = views_sparse(&arena, MANY, D, x);
            of_kernel kernel;
            CHECK_OK(of_kernel_make(context, &arena, &view, OF_KERNEL_COSINE, &kernel));
            of_landmark_points points = {MANY, D, NULL, of_share_whole(x, D)};
            if (sparse)
                points = of_landmark_points_of(&kernel);
            of_landmark_set set;
            of_sparse graph;
            CHECK_OK(of_landmark_set_make(context, &arena, &points, FEW, 0, 3, &set));
            assert_int_equal(set.count, FEW);
            CHECK_OK(of_landmark_graph_make(context, &arena, &points, &set, 0, &graph, NULL));
            assert_int_equal(graph.start[MANY], bytes);
            if (threads == 1) {
                first = realloc(first, bytes * sizeof *first);
                index = realloc(index, bytes * sizeof *index);
                memcpy(first, graph.value, bytes * sizeof *first);
                memcpy(index, graph.index, bytes * sizeof *index);
            } else {
                assert_memory_equal(first, graph.value, bytes * sizeof *first);
                assert_memory_equal(index, graph.index, bytes * sizeof *index);
            }
            of_arena_free(&arena);
            onefold_context_free(context);
        }
    free(x);
    free(first);
    free(index);
}

/* A column whose sum is 0 on the way is listed once, and the centre has length 1. */
static void centres_of_columns_that_cancel_have_length_one(void **state)
{
    (void)state;
    enum { FEW = 9 };
    OF_SCRATCH(arena, NULL);
    double x[FEW * D] = {0};
    for (size_t j = 0; j < FEW; j++) {
        x[j * D] = 0.8;
        x[j * D + 1 + j % 2] = j % 4 < 2 ? 0.6 : -0.6;
    }
    of_view view = views_sparse(&arena, FEW, D, x);
    of_kernel kernel;
    CHECK_OK(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_COSINE, &kernel));
    of_landmark_points points = of_landmark_points_of(&kernel);
    of_landmark_set set;
    CHECK_OK(of_landmark_set_make(arena.context, &arena, &points, 1, 0, 0, &set));
    assert_int_equal(set.count, 1);
    double square = 0;
    for (size_t i = 0; i < set.lists.rows; i++) {
        assert_true(set.lists.start[i + 1] - set.lists.start[i] <= 1);
        for (size_t e = set.lists.start[i]; e < set.lists.start[i + 1]; e++)
            square += set.lists.value[e] * set.lists.value[e];
    }
    CHECK_CLOSE(square, 1, 0, 1e-12);
}

/* The search of a block: exact distances of the nearest, the same bits for a sample alone, numbers
 * beyond single precision, and samples too small for a step. */
static void check_nearest(int single)
{
    OF_SCRATCH(arena, NULL);
    enum { SAMPLES = 300, COUNT = 210, MOST = 40 };
    static double x[D * SAMPLES], at[D * COUNT], distance[COUNT], nearest[MOST * SAMPLES],
        alone[MOST];
    static uint32_t index[MOST * SAMPLES], alone_index[MOST];
    check_random(3, 0, D, SAMPLES, x);
    check_random(3, 1, D, COUNT, at);
    memcpy(at + 9 * D, at + 50 * D, D * sizeof *at); /* two landmarks alike, */
    memcpy(x + 77 * D, at + 9 * D, D * sizeof *x);   /* and a sample there */
    for (size_t i = 0; i < D; i++)
        x[5 * D + i] *= 1e60, x[6 * D + i] *= 1e150, x[7 * D + i] *= 1e-320;
    of_landmark_set set = {.count = COUNT, .columns = D, .at = at, .single = single};
    CHECK_OK(of_landmark_set_finish(&arena, &set));
    double *room;
    CHECK_OK(OF_NEW(&arena, &room, set.room, 1));
    for (size_t r = 8; r <= MOST; r += 16) { /* 40: more than there are blocks */
        of_landmark_nearest(&set, r, SAMPLES, x, room, index, nearest);
        for (size_t j = 0; j < SAMPLES; j++) {
            for (size_t l = 0; l < COUNT; l++) {
                distance[l] = 0;
                for (size_t i = 0; i < D; i++)
                    distance[l] += pow(x[j * D + i] - at[l * D + i], 2);
            }
            for (size_t i = 0; i < r; i++) {
                size_t nearer = 0, own = index[j * r + i];
                for (size_t l = 0; l < COUNT; l++)
                    nearer += distance[l] < distance[own] * (1 - 1e-12);
                assert_true(nearer <= i);
                CHECK_CLOSE(nearest[j * r + i], distance[own], 1e-12, 1e-12);
                assert_true(
                    i == 0 || nearest[j * r + i] > nearest[j * r + i - 1] ||
                    (nearest[j * r + i] == nearest[j * r + i - 1] && own > index[j * r + i - 1]));
            }
            of_landmark_nearest(&set, r, 1, x + j * D, room, alone_index, alone);
            assert_memory_equal(alone, nearest + j * r, r * sizeof *alone);
            assert_memory_equal(alone_index, index + j * r, r * sizeof *alone_index);
        }
    }
    assert_int_equal(index[77 * MOST], 9);
    assert_int_equal(index[77 * MOST + 1], 50);
}

static void nearest_of_a_block(void **state)
{
    (void)state;
    check_nearest(0); /* by integers, where the processor has their products */
    check_nearest(1);
}

/* Landmarks far from the origin, most of which differ by less than the error of products: exact
 * distances decide the nearest, and the search finds every one. */
static void nearest_among_many_alike(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    enum { SAMPLES = 70, COUNT = 1003, COLUMNS = 33, NEAR = 16 };
    static double x[COLUMNS * SAMPLES], at[COLUMNS * COUNT], nearest[NEAR * SAMPLES];
    static uint32_t index[NEAR * SAMPLES];
    check_random(8, 0, COLUMNS, SAMPLES, x);
    check_random(8, 1, COLUMNS, COUNT, at);
    for (size_t i = 0; i < COLUMNS * COUNT; i++)
        at[i] = 5 + (i / COLUMNS % 3 ? 1e-4 : 1) * at[i];
    for (size_t i = 0; i < COLUMNS * SAMPLES; i++)
        x[i] = 5 + 1e-3 * x[i];
    for (int single = 0; single < 2; single++) {
        of_landmark_set set = {.count = COUNT, .columns = COLUMNS, .at = at, .single = single};
        double *room;
        CHECK_OK(of_landmark_set_finish(&arena, &set));
        CHECK_OK(OF_NEW(&arena, &room, set.room, 1));
        of_landmark_nearest(&set, NEAR, SAMPLES, x, room, index, nearest);
        for (size_t j = 0; j < SAMPLES; j++)
            for (size_t l = 0; l < COUNT; l++) {
                double distance = 0;
                size_t place = 0;
                for (size_t i = 0; i < COLUMNS; i++)
                    distance += pow(x[j * COLUMNS + i] - at[l * COLUMNS + i], 2);
                while (place < NEAR && index[j * NEAR + place] != l)
                    place++;
                if (place < NEAR)
                    CHECK_CLOSE(nearest[j * NEAR + place], distance, 1e-12, 0);
                else
                    assert_true(distance > nearest[j * NEAR + NEAR - 1] * (1 - 1e-12));
            }
    }
}

/* Eight groups in 1000 samples of 1400 columns, a seventh of which tell them: hardly any landmark
 * is shared by groups. Two steps of k-means would leave it near one sample. */
static void landmarks_keep_to_groups_among_many_columns(void **state)
{
    (void)state;
    enum { SAMPLES = 1000, COLUMNS = 1400, TOLD = 200, GROUPS = 8, FEW = 50 };
    double *x = malloc(SAMPLES * COLUMNS * sizeof *x), centre[TOLD * GROUPS], distance[FEW];
    size_t shared[FEW][GROUPS] = {{0}}, pure = 0;
    check_random(6, 0, COLUMNS, SAMPLES, x);
    check_random(6, 1, TOLD, GROUPS, centre);
    for (size_t j = 0; j < SAMPLES; j++)
        for (size_t i = 0; i < TOLD; i++)
            x[j * COLUMNS + i] += 0.5 * centre[j % GROUPS * TOLD + i];
    OF_SCRATCH(arena, NULL);
    of_landmark_points points = {SAMPLES, COLUMNS, NULL, of_share_whole(x, COLUMNS)};
    of_landmark_set set;
    CHECK_OK(of_landmark_set_make(arena.context, &arena, &points, FEW, 0, 0, &set));
    assert_int_equal(set.count, FEW);
    for (size_t j = 0; j < SAMPLES; j++) {
        uint32_t nearest;
        double least;
        for (size_t l = 0; l < FEW; l++) {
            distance[l] = 0;
            for (size_t i = 0; i < COLUMNS; i++) {
                double gap = x[j * COLUMNS + i] - set.at[l * COLUMNS + i];
                distance[l] += gap * gap;
            }
        }
        of_landmark_find(FEW, 1, distance, &nearest, &least);
        shared[nearest][j % GROUPS]++;
    }
    for (size_t l = 0; l < FEW; l++) {
        size_t most = 0;
        for (size_t g = 0; g < GROUPS; g++)
            most = shared[l][g] > most ? shared[l][g] : most;
        pure += most;
    }
    assert_true(pure > 0.95 * SAMPLES);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_a_landmark),
        cmocka_unit_test(sparse_features_and_a_sample_without_entries),
        cmocka_unit_test(few_landmarks_cover_the_samples),
        cmocka_unit_test(centres_of_columns_that_cancel_have_length_one),
        cmocka_unit_test(landmarks_keep_to_groups_among_many_columns),
        cmocka_unit_test(nearest_of_a_block),
        cmocka_unit_test(nearest_among_many_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
