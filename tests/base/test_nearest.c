/* SPDX-License-Identifier: Apache-2.0 */
#include "base/nearest.h"

#include "base/random.h"
#include "support/check.h"

#include <string.h>

/* The definition, by recursion on the ends of the two texts. */
static size_t distance_by_definition(const char *a, size_t m, const char *b, size_t n)
{
    if (m == 0 || n == 0)
        return m + n;
    size_t best = distance_by_definition(a, m - 1, b, n - 1) + (a[m - 1] != b[n - 1]);
    size_t drop = distance_by_definition(a, m - 1, b, n) + 1;
    size_t add = distance_by_definition(a, m, b, n - 1) + 1;
    best = drop < best ? drop : best;
    best = add < best ? add : best;
    if (m > 1 && n > 1 && a[m - 1] == b[n - 2] && a[m - 2] == b[n - 1]) {
        size_t swap = distance_by_definition(a, m - 2, b, n - 2) + 1;
        best = swap < best ? swap : best;
    }
    return best;
}

static void distance_equals_its_definition(void **state)
{
    (void)state;
    of_random random = of_random_make(1, OF_PURPOSE_TEST, 0);
    for (int trial = 0; trial < 300; trial++) {
        char text[2][8] = {"", ""};
        for (int t = 0; t < 2; t++) {
            size_t length = of_random_below(&random, 7);
            for (size_t i = 0; i < length; i++)
                text[t][i] = (char)('a' + of_random_below(&random, 3));
        }
        assert_int_equal(
            of_edit_distance(text[0], text[1]),
            distance_by_definition(text[0], strlen(text[0]), text[1], strlen(text[1])));
    }
}

static void a_slip_is_forgiven_and_a_stranger_is_not(void **state)
{
    (void)state;
    const char *const kernels[] = {"auto", "linear", "cosine", "rbf", "graph", "precomputed"};
    struct {
        const char *typed, *meant;
    } cases[] = {
        {"cosin", "cosine"}, {"csoine", "cosine"},   {"RBF", "rbf"},
        {"rbg", "rbf"},      {"pre", "precomputed"}, {"grpah", "graph"},
        {"liner", "linear"}, {"gaussian", NULL},     {"", NULL},
        {"x", NULL},         {"polynomial", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *got = onefold_nearest(cases[i].typed, kernels, 6);
        if (cases[i].meant)
            assert_true(got && strcmp(got, cases[i].meant) == 0);
        else
            assert_null(got);
    }
}

static void the_nearer_wins_and_the_first_among_equals(void **state)
{
    (void)state;
    const char *const names[] = {"restart", "restarts", "abcx", "abcy"};
    assert_string_equal(onefold_nearest("restrats", names, 4), "restarts");
    assert_string_equal(onefold_nearest("restart", names, 4), "restart");
    assert_string_equal(onefold_nearest("abcz", names, 4), "abcx");
    assert_null(onefold_nearest("restart", names, 0));
}

static void a_very_long_name_is_near_nothing(void **state)
{
    (void)state;
    char typed[200];
    memset(typed, 'a', sizeof typed - 1);
    typed[sizeof typed - 1] = '\0';
    const char *const names[] = {"aaaa", typed};
    assert_true(of_edit_distance(typed, "aaaa") == (size_t)-1);
    assert_null(onefold_nearest(typed, names, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_equals_its_definition),
        cmocka_unit_test(a_slip_is_forgiven_and_a_stranger_is_not),
        cmocka_unit_test(the_nearer_wins_and_the_first_among_equals),
        cmocka_unit_test(a_very_long_name_is_near_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
