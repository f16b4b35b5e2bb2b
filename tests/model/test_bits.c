/* SPDX-License-Identifier: Apache-2.0 */
/* A fit has the same bits - of labels, weights, trace, embedding and model - for any number of
 * threads and any size of tiles, on every route, with and without missing views. test_bits_large.c
 * has many samples, and processes. */
#include "support/ask.h"
#include "support/bits.h"
#include "support/folder.h"
#include "support/paper_options.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where an eigensolver is to settle soon there are more clusters than are asked for. */
enum { SAMPLES = 2100, FEWER = 1100, CLUSTERS = 3, MORE = 6, VIEWS = 2 };
enum { SMALL = 4096, LARGE = 1 << 30 };

typedef enum view_kind { DENSE, WIDE, COUNTS, LINKS, KERNEL } view_kind;

typedef struct route_case {
    const char *name, *route;
    view_kind kind;
    const char *kernel;
    onefold_base base;
    onefold_precision precision;
} route_case;

static const route_case cases[] = {
    {"gram", "gram", DENSE, "linear", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE},
    {"gram, single precision", "gram", DENSE, "cosine", ONEFOLD_BASE_AUTO, ONEFOLD_SINGLE},
    {"krylov, dense", "krylov", WIDE, "linear", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE},
    {"krylov, sparse", "krylov", COUNTS, NULL, ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE},
    {"rbf, kernel formed", "dense", DENSE, "rbf", ONEFOLD_BASE_EXACT, ONEFOLD_DOUBLE},
    {"nystrom", "nystrom", DENSE, "rbf", ONEFOLD_BASE_NYSTROM, ONEFOLD_DOUBLE},
    {"nystrom, single precision", "nystrom", DENSE, "rbf", ONEFOLD_BASE_NYSTROM, ONEFOLD_SINGLE},
    {"precomputed", "dense", KERNEL, NULL, ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE},
    {"graph", "krylov", LINKS, "graph", ONEFOLD_BASE_AUTO, ONEFOLD_DOUBLE},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- data --------------------------------------------------------------------------------- */

static double uniform(uint64_t stream, uint64_t index)
{
    of_random random = of_random_make(stream, OF_PURPOSE_TEST, index);
    return of_random_uniform(&random);
}

/* Links within a cluster are likelier. */
static void add_links(onefold_dataset *data, size_t n, uint64_t stream)
{
    size_t *start = malloc((n + 1) * sizeof *start), count = 0, room = n * 100;
    uint32_t *to = malloc(room * sizeof *to);
    double *value = malloc(room * sizeof *value);
    for (size_t j = 0; j < n; j++) {
        start[j] = count;
        for (size_t i = 0; i < n; i++)
            if (uniform(stream, j * n + i) < (i % MORE == j % MORE ? 0.04 : 0.002)) {
                assert_true(count < room);
                to[count] = (uint32_t)i;
                value[count++] = 1;
            }
    }
    start[n] = count;
    CHECK_OK(onefold_dataset_add_sparse(data, NULL, n, start, to, value));
    free(start);
    free(to);
    free(value);
}

static void add_kernel(onefold_dataset *data, size_t n, uint64_t stream)
{
    enum { D = 3 };
    double *x = malloc(n * D * sizeof *x), *K = malloc(n * n * sizeof *K);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < D; i++)
            x[j * D + i] = 2 * uniform(stream, j * D + i) + (j % CLUSTERS == i ? 2 : 0);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            for (size_t r = 0; r < D; r++)
                square += pow(x[j * D + r] - x[i * D + r], 2);
            K[j * n + i] = exp(-square / 4);
        }
    CHECK_OK(onefold_dataset_add_kernel(data, NULL, K));
    free(x);
    free(K);
}

/* One sample in seven lacks one view or the other. */
static void leave_gaps(onefold_dataset *data, size_t n, size_t views)
{
    uint8_t *present = malloc(n * views);
    memset(present, 1, n * views);
    for (size_t j = 0; j < n; j++)
        if (uniform(9, j) < 1.0 / 7)
            present[j * views + (j % views)] = 0;
    CHECK_OK(onefold_dataset_set_present(data, present));
    free(present);
}

static onefold_dataset *made(size_t n, view_kind kind, int gaps)
{
    onefold_dataset *data = NULL;
    static const size_t columns[][VIEWS] = {
        [DENSE] = {8, 9}, [WIDE] = {600, 610}, [COUNTS] = {300, 320}};
    if (kind == LINKS || kind == KERNEL) {
        CHECK_OK(onefold_dataset_create(&data, NULL, n));
        for (uint64_t v = 0; v < VIEWS; v++)
            (kind == LINKS ? add_links : add_kernel)(data, n, v + 1);
    } else {
        onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
        options.samples = n;
        options.views = VIEWS;
        options.columns = columns[kind];
        options.clusters = kind == DENSE ? CLUSTERS : MORE;
        options.density = kind == COUNTS ? 0.05 : 1;
        options.separation = kind == COUNTS ? 60 : 3;
        CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    }
    if (gaps)
        leave_gaps(data, n, VIEWS);
    return data;
}

static onefold_fit_options options_of(const route_case *c)
{
    onefold_fit_options options = paper_options();
    options.clusters = CLUSTERS;
    options.dims = c->kind == DENSE ? 2 * CLUSTERS : CLUSTERS;
    options.kernel = c->kernel;
    options.base = c->base;
    options.precision = c->precision;
    options.landmarks = c->base == ONEFOLD_BASE_NYSTROM ? 40 : 0;
    options.restarts = 3;
    options.max_iterations = 6;
    options.keep_model = 1;
    return options;
}

/* ---- ways --------------------------------------------------------------------------------- */

typedef struct way {
    int threads; /* 0: as many as there are cores */
    size_t chunk;
} way;

static onefold_context *context_of(const way *w)
{
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, w->threads));
    context->chunk = w->chunk;
    return context;
}

static void check_ways(void **state, const char *name, const onefold_dataset *data,
                       onefold_fit_options options, const char *route, const way *ways,
                       size_t count)
{
    bits want = {0}, got;
    const char *path = folder_path(state, "model");
    for (size_t w = 0; w < count; w++) {
        char what[128];
        onefold_context *context = context_of(&ways[w]);
        CHECK_OK(bits_fit(context, data, &options, path, w ? &got : &want));
        snprintf(what, sizeof what, "%s: %d threads, chunk %zu", name, ways[w].threads,
                 ways[w].chunk);
        if (w)
            bits_check(&got, &want, what);
        onefold_context_free(context);
    }
    assert_string_equal(want.route, route);
    assert_true(want.embedding != 0 && (want.model != 0 || !options.keep_model));
}

/* The first ones are enough where a full run was not asked for: they differ in both. */
static const way every_way[] = {{1, 0}, {3, SMALL}, {0, LARGE}, {2, LARGE}, {8, 0}};
enum { WAYS = sizeof every_way / sizeof *every_way, TWO_WAYS = 2, SOME_WAYS = 3 };

static void check_every_route(void **state, int gaps)
{
    /* the groups of sums do not depend on missing views */
    size_t samples = gaps && !check_everything() ? FEWER : SAMPLES;
    for (size_t c = 0; c < CASES; c++) {
        onefold_dataset *data = made(samples, cases[c].kind, gaps);
        check_ways(state, cases[c].name, data, options_of(&cases[c]), cases[c].route, every_way,
                   check_everything() ? WAYS : SOME_WAYS);
        onefold_dataset_free(data);
    }
}

static void every_route_has_the_same_bits_every_way(void **state)
{
    check_every_route(state, 0);
}

static void samples_that_lack_views_have_the_same_bits_every_way(void **state)
{
    check_every_route(state, 1);
}

/* The route that needs so many samples that it is tested by itself. */
static void tiles_on_the_fly_have_the_same_bits_every_way(void **state)
{
    const route_case c = {"tiles", "tiles", DENSE, "rbf", ONEFOLD_BASE_EXACT, ONEFOLD_DOUBLE};
    for (int gaps = 0; gaps < 2; gaps++) {
        onefold_dataset *data = made(gaps ? 6900 : 5900, c.kind, gaps);
        onefold_fit_options options = options_of(&c);
        options.clusters = options.dims = 2;
        options.keep_model = 0;
        check_ways(state, c.name, data, options, c.route, every_way,
                   check_everything() ? WAYS : TWO_WAYS);
        onefold_dataset_free(data);
    }
}

/* ---- reading ------------------------------------------------------------------------------ */

/* A table of text in pieces of any size is the same data. */
static void a_table_read_in_pieces_of_any_size_has_the_same_bits(void **state)
{
    onefold_dataset *data = made(SAMPLES, DENSE, 0);
    CHECK_OK(onefold_dataset_write(data, NULL, folder_path(state, "table.csv")));
    onefold_dataset_free(data);
    const char *paths[] = {folder_path(state, "table.1.csv"), folder_path(state, "table.2.csv")};
    static const size_t chunks[] = {0, 100, SMALL, LARGE};
    size_t pieces[4] = {0};
    bits want = {0}, got;
    for (size_t c = 0; c < 4; c++) {
        onefold_context *context = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_context_set_threads(context, 3));
        context->chunk = chunks[c];
        CHECK_OK(onefold_dataset_read(&data, context, paths, 2, NULL));
        pieces[c] = atomic_load(&context->pieces);
        onefold_fit_options options = options_of(&cases[0]);
        CHECK_OK(bits_fit(context, data, &options, folder_path(state, "model"), c ? &got : &want));
        if (c)
            bits_check(&got, &want, "table of text");
        onefold_dataset_free(data);
        onefold_context_free(context);
    }
    assert_true(pieces[1] > pieces[0] + 1000);
    assert_true(pieces[2] > pieces[3] + 50);
    assert_true(pieces[1] > pieces[2]);
    for (size_t i = 0; i < 2; i++)
        remove(paths[i]);
    remove(folder_path(state, "table.truth.csv"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_has_the_same_bits_every_way),
        cmocka_unit_test(samples_that_lack_views_have_the_same_bits_every_way),
        cmocka_unit_test(tiles_on_the_fly_have_the_same_bits_every_way),
        cmocka_unit_test(a_table_read_in_pieces_of_any_size_has_the_same_bits),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
