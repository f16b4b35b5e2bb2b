/* SPDX-License-Identifier: Apache-2.0 */
/* The bits of a fit of many samples - labels, weights, trace and model - for any number of threads,
 * any size of what is worked at once, and 1, 2 and 4 processes, on every route that so many samples
 * can take. The processes are threads here; tests/comm does the same with MPI. */
#include "support/bits.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/paper_options.h"
#include "support/ranks.h"

#include <string.h>

enum { CLUSTERS = 3, MOST_RANKS = 4, SMALL = 4096, LARGE = 1 << 30 };

typedef struct large_case {
    const char *name, *route;
    size_t samples, columns;
    double density;
    const char *kernel;
    onefold_precision precision;
    /* of a fit under way */
    const onefold_dataset *data;
    onefold_fit_options options;
    size_t chunk;
    const char *path[MOST_RANKS];
    bits got[MOST_RANKS];
} large_case;

/* More than 2^17: the last pass of the nystrom route is single precision, and starts compete on a
 * sample. */
enum { MANY = 140001, SPLIT = 66001 };

static onefold_status fit_on_rank(of_context *context, int rank, void *user)
{
    large_case *c = user;
    context->chunk = c->chunk;
    return bits_fit(context, c->data, &c->options, c->path[rank], &c->got[rank]);
}

static onefold_dataset *made(const large_case *c)
{
    onefold_dataset *data = NULL;
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    const size_t columns[] = {c->columns, c->columns + 1};
    options.samples = c->samples;
    options.columns = columns;
    options.views = c->columns > 100 ? 1 : 2;
    options.clusters = c->columns > 100 ? 2 * CLUSTERS : CLUSTERS;
    options.density = c->density;
    options.separation = c->density < 1 ? 60 : 3;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

static onefold_fit_options options_of(const large_case *c)
{
    onefold_fit_options options = paper_options();
    options.clusters = CLUSTERS;
    options.dims = CLUSTERS;
    options.kernel = c->kernel;
    options.precision = c->precision;
    options.restarts = 2;
    options.max_iterations = 4;
    options.keep_model = 1;
    if (strcmp(c->route, "nystrom") == 0) {
        options.base = ONEFOLD_BASE_NYSTROM;
        options.landmarks = 40;
    }
    return options;
}

static const struct way {
    int ranks, threads;
    size_t chunk;
} ways[] = {{1, 1, 0}, {4, 1, SMALL}, {1, 3, LARGE}, {2, 1, 0}, {1, 2, 0}, {1, 8, SMALL}};
enum { TWO = 2, SOME = 3, ALL = sizeof ways / sizeof *ways };

/* The first so many ways, or all of them in a full run. */
static void check_case(void **state, large_case *c, size_t count)
{
    count = check_everything() ? ALL : count;
    bits want = {0};
    onefold_dataset *data = made(c);
    c->data = data;
    c->options = options_of(c);
    for (int r = 0; r < MOST_RANKS; r++) {
        char name[16];
        snprintf(name, sizeof name, "model-%d", r);
        c->path[r] = folder_path(state, name);
    }
    for (size_t w = 0; w < count; w++) {
        char what[128];
        c->chunk = ways[w].chunk;
        ranks_run_ok(ways[w].ranks, ways[w].threads, c->samples - 1, fit_on_rank, c);
        snprintf(what, sizeof what, "%s: %d ranks of %d threads, chunk %zu", c->name, ways[w].ranks,
                 ways[w].threads, ways[w].chunk);
        if (w == 0)
            want = c->got[0];
        bits expected = want;
        if (ways[w].ranks > 1)
            expected.embedding = 0; /* it stays where the samples are */
        assert_true(c->got[0].labels != 0);
        for (int r = 0; r < ways[w].ranks; r++)
            bits_check(&c->got[r], &expected, what);
    }
    assert_string_equal(want.route, c->route);
    assert_true(want.model != 0 && want.embedding != 0);
    onefold_dataset_free(data);
}

static void gram_has_the_same_bits(void **state)
{
    large_case c = {"gram", "gram", MANY, 4, 1, "linear,cosine", ONEFOLD_DOUBLE, .data = NULL};
    check_case(state, &c, SOME);
}

static void nystrom_has_the_same_bits(void **state)
{
    large_case c = {"nystrom", "nystrom", MANY, 4, 1, "rbf", ONEFOLD_DOUBLE, .data = NULL};
    check_case(state, &c, SOME);
    c.precision = ONEFOLD_SINGLE;
    check_case(state, &c, TWO);
    c.precision = ONEFOLD_DOUBLE;
    c.samples = SPLIT; /* all of it in double precision */
    check_case(state, &c, TWO);
}

static void sparse_views_have_the_same_bits(void **state)
{
    large_case c = {"sparse", "krylov", SPLIT, 260, 0.04, NULL, ONEFOLD_DOUBLE, .data = NULL};
    check_case(state, &c, SOME);
}

/* Too many columns for the Gram matrix. */
static void wide_views_have_the_same_bits(void **state)
{
    large_case c = {"wide", "krylov", SPLIT, 400, 1, "linear", ONEFOLD_DOUBLE, .data = NULL};
    check_case(state, &c, TWO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_has_the_same_bits),
        cmocka_unit_test(nystrom_has_the_same_bits),
        cmocka_unit_test(sparse_views_have_the_same_bits),
        cmocka_unit_test(wide_views_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
