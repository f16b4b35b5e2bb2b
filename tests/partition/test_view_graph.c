/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels knn and subspace: eigenvectors against a dense kernel in plain loops, the constant
 * taken out, and projections that give the training samples their rows again. */
#include "linalg/blas.h"
#include "oracle/literal_graph.h"
#include "oracle/plain_eigen.h"
#include "partition/view_graph.h"
#include "support/check.h"
#include "support/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 120, D = 6, ROWS = 7, R = 8 };

static double *blobs(size_t n, size_t clusters, double apart)
{
    double *x = malloc(n * D * sizeof *x);
    check_random(4, 0, D, n, x);
    for (size_t j = 0; j < n; j++)
        x[j * D + j % clusters] += apart;
    return x;
}

/* A dense matrix (columns x rows, a row contiguous) without its zeros. */
static of_sparse sparse_of(of_arena *arena, size_t rows, size_t columns, const double *z)
{
    size_t *start, entries = 0;
    uint32_t *index;
    double *value;
    CHECK_OK(OF_NEW(arena, &start, rows + 1, 1));
    CHECK_OK(OF_NEW(arena, &index, rows, columns));
    CHECK_OK(OF_NEW(arena, &value, rows, columns));
    for (size_t j = 0; j < rows; j++) {
        start[j] = entries;
        for (size_t i = 0; i < columns; i++)
            if (z[j * columns + i] != 0) {
                index[entries] = (uint32_t)i;
                value[entries++] = z[j * columns + i];
            }
    }
    start[rows] = entries;
    return (of_sparse){rows, columns, start, index, value};
}

/* Rows orthonormal, orthogonal to the constant, and eigenvectors of the kernel with its largest
 * eigenvalues. */
static void check_rows(size_t n, const double *kernel, size_t rows, size_t ldh, const double *H,
                       const double *value)
{
    double *want = malloc(rows * sizeof *want), *vector = malloc(n * rows * sizeof *vector);
    plain_eigen_top(n, rows, kernel, want, vector);
    for (size_t r = 0; r < rows; r++) {
        double sum = 0, off = 0;
        CHECK_CLOSE(value[r], want[r], 0, 1e-8);
        for (size_t j = 0; j < n; j++)
            sum += H[j * ldh + r];
        CHECK_CLOSE(sum, 0, 0, 1e-7);
        for (size_t q = 0; q <= r; q++) {
            double inner = 0;
            for (size_t j = 0; j < n; j++)
                inner += H[j * ldh + r] * H[j * ldh + q];
            CHECK_CLOSE(inner, q == r, 0, 1e-9);
        }
        for (size_t j = 0; j < n; j++) {
            double product = -value[r] * H[j * ldh + r];
            for (size_t i = 0; i < n; i++)
                product += kernel[j * n + i] * H[i * ldh + r];
            off += product * product;
        }
        CHECK_CLOSE(sqrt(off), 0, 0, 1e-6);
    }
    free(want);
    free(vector);
}

/* A graph of any shape against the oracle; more landmarks than samples and fewer. */
static void spectrum_of_ties(void **state)
{
    (void)state;
    for (size_t landmarks = 40; landmarks <= 200; landmarks += 160) {
        OF_SCRATCH(arena, NULL);
        double *x = blobs(N, 3, 5), *at = blobs(landmarks, 3, 5), H[ROWS * N],
               *z = malloc(N * landmarks * sizeof *z), *kernel = malloc(N * N * sizeof *kernel),
               *formed = malloc(N * N * sizeof *formed);
        literal_ties(N, D, x, landmarks, at, R, 0, z);
        memset(z + 5 * landmarks, 0, landmarks * sizeof *z); /* a sample without ties */
        literal_graph_kernel(N, landmarks, z, kernel);
        of_sparse graph = sparse_of(&arena, N, landmarks, z);
        of_graph_spectrum spectrum;
        CHECK_OK(
            of_graph_spectrum_make(arena.context, &arena, &graph, ROWS, 1e-9, H, ROWS, &spectrum));
        assert_int_equal(spectrum.rank, ROWS);
        check_rows(N, kernel, ROWS, ROWS, H, spectrum.value);
        for (size_t j = 0; j < N; j++)
            for (size_t r = 0; r < ROWS; r++) {
                double h = 0;
                for (size_t l = 0; l < landmarks; l++)
                    h += spectrum.weight[l * ROWS + r] * z[j * landmarks + l];
                CHECK_CLOSE(h, H[j * ROWS + r], 0, 1e-9);
            }
        CHECK_OK(of_graph_matrix(arena.context, &graph, formed));
        for (size_t i = 0; i < N * N; i++)
            CHECK_CLOSE(formed[i], kernel[i], 0, 1e-12);
        free(x);
        free(at);
        free(z);
        free(kernel);
        free(formed);
    }
}

/* Three components: 1 is a triple eigenvalue, and the constant is one of its eigenvectors. */
static void a_graph_in_parts_loses_the_constant_alone(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double *x = blobs(N, 3, 200), H[ROWS * N];
    of_landmark_points points = {N, D, NULL, of_share_whole(x, D)};
    of_landmark_set set;
    of_sparse graph;
    of_graph_spectrum spectrum;
    CHECK_OK(of_landmark_set_make(arena.context, &arena, &points, 0, 0, 0, &set));
    CHECK_OK(of_landmark_graph_make(arena.context, &arena, &points, &set, 0, &graph, NULL));
    CHECK_OK(of_graph_spectrum_make(arena.context, &arena, &graph, ROWS, 1e-9, H, ROWS, &spectrum));
    CHECK_CLOSE(spectrum.value[0], 1, 0, 1e-9);
    CHECK_CLOSE(spectrum.value[1], 1, 0, 1e-9);
    assert_true(spectrum.value[2] < 1 - 1e-3);
    for (size_t j = 3; j < N; j++)
        for (size_t r = 0; r < 2; r++)
            CHECK_CLOSE(H[j * ROWS + r], H[(j - 3) * ROWS + r], 0, 1e-7);
    free(x);
}

/* Joined graphs have their ties side by side; a sample without ties in one keeps its others. */
static void joint_graphs(void **state)
{
    (void)state;
    enum { L = 30 };
    const double weights[] = {0.25, 0.75};
    OF_SCRATCH(arena, NULL);
    double *z[2], *all = calloc(N * 2 * L, sizeof *all), *x = blobs(N, 3, 4), *at = blobs(L, 3, 4);
    of_sparse graphs[2], joint;
    for (int g = 0; g < 2; g++) {
        z[g] = malloc(N * L * sizeof *z[g]);
        literal_ties(N, D, x, L, at, R - (size_t)g, 0, z[g]);
        if (g)
            memset(z[g] + 9 * L, 0, L * sizeof **z);
        graphs[g] = sparse_of(&arena, N, L, z[g]);
    }
    for (size_t j = 0; j < N; j++)
        for (size_t l = 0; l < 2 * L; l++)
            all[j * 2 * L + l] = z[l / L][j * L + l % L] * (j == 9 ? 1 : weights[l / L]);
    CHECK_OK(of_graph_join(&arena, 2, graphs, weights, &joint));
    assert_int_equal(joint.columns, 2 * L);
    for (size_t j = 0; j < N; j++) {
        double sum = 0;
        for (size_t e = joint.start[j]; e < joint.start[j + 1]; e++) {
            CHECK_CLOSE(joint.value[e], all[j * 2 * L + joint.index[e]], 0, 1e-15);
            sum += joint.value[e];
        }
        CHECK_CLOSE(sum, 1, 0, 1e-12);
    }
    free(z[0]);
    free(z[1]);
    free(all);
    free(x);
    free(at);
}

/* The arrays of a projection, one by one. */
static size_t bytes_of(const of_projection *p)
{
    size_t bytes = p->rank * sizeof *p->value;
    bytes += p->prep.shift ? p->prep.columns * sizeof *p->prep.shift : 0;
    bytes += p->prep.scale ? p->prep.columns * sizeof *p->prep.scale : 0;
    bytes += p->prep.kept ? p->prep.columns * sizeof *p->prep.kept : 0;
    if (p->form == OF_PROJECT_FEATURES)
        return bytes + p->columns * (sizeof *p->mean + p->rank * sizeof *p->weight);
    bytes += p->points * (sizeof *p->degree + p->rank * sizeof *p->weight);
    bytes += p->at ? p->points * p->columns * sizeof *p->at : 0;
    if (p->sparse_at.start) /* as a file has them: 8 bytes for a start */
        bytes += (p->sparse_at.rows + 1) * sizeof(uint64_t) +
                 p->sparse_at.start[p->sparse_at.rows] *
                     (sizeof *p->sparse_at.index + sizeof *p->sparse_at.value);
    return bytes + (p->inner ? bytes_of(p->inner) : 0);
}

/* A partition, and its projection of the samples it was made of. */
static void check_kernel(of_context *context, const of_view *view, of_kernel_kind kind,
                         size_t landmarks)
{
    OF_SCRATCH(arena, context);
    size_t n = view->samples;
    double *H = malloc(ROWS * n * sizeof *H), *again = malloc(ROWS * n * sizeof *again),
           *kept = malloc(n * sizeof *kept);
    of_kernel kernel;
    of_partition partition;
    of_partition_options options = {.dims = ROWS,
                                    .tolerance = 1e-8,
                                    .landmarks = landmarks,
                                    .directions = 5,
                                    .seed = 1,
                                    .project = 1};
    CHECK_OK(of_kernel_make(context, &arena, view, kind, &kernel));
    assert_string_equal(of_kernel_title(&kernel), of_kernel_name(kind));
    CHECK_OK(of_partition_make(context, &arena, &kernel, of_partition_route(&kernel, &options),
                               &options, of_share_whole(H, ROWS), &partition));
    assert_int_equal(partition.route, OF_ROUTE_LANDMARKS);
    const of_projection *p = partition.projection;
    of_fresh fresh = {.view = view,
                      .ready = kernel.kind == OF_KERNEL_GRAPH ? &kernel.features : NULL};
    double *room = malloc(of_projection_room(p, view, n) * sizeof *room);
    memset(again, 0, ROWS * n * sizeof *again);
    CHECK_OK(of_projection_apply(p, &fresh, 0, n, room, again, ROWS, kept));
    for (size_t j = 0; j < n; j++) {
        for (size_t r = 0; r < ROWS; r++)
            CHECK_CLOSE(again[j * ROWS + r], H[j * ROWS + r], 0, 1e-6); /* as the components */
        assert_true(kept[j] >= 0 && kept[j] <= 1);
    }
    assert_int_equal(p->form, OF_PROJECT_TIES);
    assert_int_equal(of_projection_bytes(p), bytes_of(p));
    free(H);
    free(again);
    free(kept);
    free(room);
}

static void projections_give_the_training_samples_again(void **state)
{
    (void)state;
    enum { MANY = 300 };
    OF_SCRATCH(arena, NULL);
    double *x = blobs(MANY, 4, 6), *links = calloc(MANY * MANY, sizeof *links), *words;
    of_kernel_kind kinds[] = {OF_KERNEL_KNN, OF_KERNEL_SUBSPACE};
    words = calloc(MANY * 40, sizeof *words);
    for (size_t j = 0; j < MANY; j++) {
        for (size_t i = 0; i < 3; i++)
            links[j * MANY + (j + 4 * (i + 1)) % MANY] = 1;
        for (size_t i = 0; i < 6; i++) /* of ten columns of its own */
            words[j * 40 + 10 * (j % 4) + (j * 7 + i * i) % 10] += 1 + fabs(x[j * D + i]);
    }
    of_view dense = views_dense(MANY, D, x), sparse = views_sparse(&arena, MANY, 40, words),
            graph = views_sparse(&arena, MANY, MANY, links);
    for (int k = 0; k < 2; k++)
        for (size_t landmarks = 0; landmarks <= 50; landmarks += 50) {
            check_kernel(arena.context, &dense, kinds[k], landmarks);
            check_kernel(arena.context, &sparse, kinds[k], landmarks);
            check_kernel(arena.context, &graph, kinds[k], landmarks);
        }
    free(x);
    free(links);
    free(words);
}

static void a_given_kernel_is_refused(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    double given[4] = {1, 0, 0, 1};
    of_view view = views_dense(2, 2, given);
    view.storage = OF_KERNEL;
    of_kernel kernel;
    CHECK_FAILS(of_kernel_make(arena.context, &arena, &view, OF_KERNEL_KNN, &kernel), ONEFOLD_USAGE,
                "is a kernel already, so \"knn\" cannot be made of it");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectrum_of_ties),
        cmocka_unit_test(a_graph_in_parts_loses_the_constant_alone),
        cmocka_unit_test(joint_graphs),
        cmocka_unit_test(projections_give_the_training_samples_again),
        cmocka_unit_test(a_given_kernel_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
