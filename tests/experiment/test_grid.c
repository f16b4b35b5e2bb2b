/* SPDX-License-Identifier: Apache-2.0 */
/* Grids of settings: their product, their order, and what is refused. */
#include "experiment/experiment.h"
#include "support/check.h"

#include <string.h>

static const of_method_option own[] = {
    {"lambda", NULL, 1, 0, 100, "a number"},
    {"q", NULL, 0.5, 0, 1, "another"},
    {"mode", "plain|odd", 0, 0, 1, "a word"},
};
static const of_method method = {
    .name = "made", .options = own, .option_count = 3, .uses_dims = 1, .uses_anchors = 1};
static const of_method flat = {.name = "flat", .options = own, .option_count = 3, .uses_dims = 1};
static const of_method bare = {.name = "bare", .options = own, .option_count = 3};

static onefold_status expand(of_arena *arena, const of_method *of, const char *grid,
                             of_setting **settings, size_t *count)
{
    return of_grid_expand(arena, of, grid, 7, 3, settings, count);
}

static void products_in_order(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    of_setting *settings;
    size_t count;
    CHECK_OK(expand(&arena, &method, "lambda=0.5|2,q=0|0.25|1", &settings, &count));
    const char *const want[] = {"lambda=0.5,q=0", "lambda=0.5,q=0.25", "lambda=0.5,q=1",
                                "lambda=2,q=0",   "lambda=2,q=0.25",   "lambda=2,q=1"};
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(settings[i].own, want[i]);
        assert_int_equal(settings[i].dims, 0);
        assert_int_equal(settings[i].anchors, 0);
    }
}

static void sizes_in_clusters(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    of_setting *settings;
    size_t count;
    CHECK_OK(expand(&arena, &method, "dims=1c|4c,anchors=2c|9,mode=odd", &settings, &count));
    const size_t want[][2] = {{7, 14}, {7, 9}, {28, 14}, {28, 9}};
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(settings[i].dims, want[i][0]);
        assert_int_equal(settings[i].anchors, want[i][1]);
        assert_string_equal(settings[i].own, "mode=odd");
    }
}

static void views_and_lists(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    of_setting *settings;
    size_t count;
    CHECK_OK(expand(&arena, &bare, "lambda=*", &settings, &count));
    assert_int_equal(count, 3);
    assert_string_equal(settings[0].own, "lambda=1");
    assert_string_equal(settings[2].own, "lambda=3");
    CHECK_OK(expand(&arena, &bare, "lambda=1e-4,q=1/lambda=5,q=0.1|0.2/q=0", &settings, &count));
    assert_int_equal(count, 4);
    assert_string_equal(settings[0].own, "lambda=1e-4,q=1");
    assert_string_equal(settings[2].own, "lambda=5,q=0.2");
    assert_string_equal(settings[3].own, "q=0");
}

static void published_grids(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    for (size_t m = 0; m < of_method_count(); m++) {
        of_setting *settings;
        size_t count;
        if (of_method_at(m)->grid)
            CHECK_OK(expand(&arena, of_method_at(m), of_method_at(m)->grid, &settings, &count));
    }
    const of_method *paper;
    of_setting *settings;
    size_t count;
    CHECK_OK(of_method_find(&paper, "os-lfmvc-cs"));
    CHECK_OK(expand(&arena, paper, paper->grid, &settings, &count));
    assert_int_equal(count, 9);
    assert_int_equal(settings[5].dims, 14);
    assert_int_equal(settings[5].anchors, 28);
}

static void refused(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    of_setting *settings;
    size_t count;
    CHECK_FAILS(expand(&arena, &method, "", &settings, &count), ONEFOLD_USAGE, "no cells");
    CHECK_FAILS(expand(&arena, &method, "//", &settings, &count), ONEFOLD_USAGE, "no cells");
    CHECK_FAILS(expand(&arena, &method, "q=", &settings, &count), ONEFOLD_USAGE, "no value");
    CHECK_FAILS(expand(&arena, &method, "q=1||0", &settings, &count), ONEFOLD_USAGE, "no value");
    CHECK_FAILS(expand(&arena, &method, "q", &settings, &count), ONEFOLD_USAGE, "name=values");
    CHECK_FAILS(expand(&arena, &method, "lamda=1", &settings, &count), ONEFOLD_USAGE, "'lamda'");
    assert_non_null(strstr(onefold_last_hint(), "`made-lambda`"));
    CHECK_FAILS(expand(&arena, &method, "q=1,q=0", &settings, &count), ONEFOLD_USAGE, "twice");
    CHECK_FAILS(expand(&arena, &method, "q=7", &settings, &count), ONEFOLD_USAGE, "`made-q`");
    CHECK_FAILS(expand(&arena, &method, "mode=even", &settings, &count), ONEFOLD_USAGE, "'even'");
    CHECK_FAILS(expand(&arena, &method, "dims=0", &settings, &count), ONEFOLD_USAGE, "dims=0");
    static const char *const no_number[] = {"dims=+3",     "dims=3x",          "dims=x",
                                            "dims=0c",     "anchors=1048576c", "dims=3000000000",
                                            "anchors=-2c", "anchors=3cc"};
    for (size_t i = 0; i < sizeof no_number / sizeof *no_number; i++)
        CHECK_FAILS(expand(&arena, &method, no_number[i], &settings, &count), ONEFOLD_USAGE,
                    "which is not a valid number");
    CHECK_FAILS(expand(&arena, &method, "dims=2", &settings, &count), ONEFOLD_USAGE,
                "dims=2, less than the 7 clusters");
    CHECK_FAILS(expand(&arena, &method, "dims=-3", &settings, &count), ONEFOLD_USAGE, "dims=-3");
    CHECK_FAILS(expand(&arena, &bare, "dims=2c", &settings, &count), ONEFOLD_USAGE, "'dims'");
    CHECK_FAILS(expand(&arena, &flat, "dims=2c,anchors=2c", &settings, &count), ONEFOLD_USAGE,
                "'anchors'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_in_order), cmocka_unit_test(sizes_in_clusters),
        cmocka_unit_test(views_and_lists),   cmocka_unit_test(published_grids),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
