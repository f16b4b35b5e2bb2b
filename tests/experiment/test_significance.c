/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of whether methods differ: by hand, and against numbers of R 4.2's friedman.test,
 * wilcox.test(paired = TRUE), p.adjust("holm") and qtukey(0.95, k, Inf) / sqrt(2),
 * which is exact to 1e-8. */
#include "onefold.h"

#include "support/check.h"

#include <math.h>

/* What R says of a table. */
typedef struct of_r {
    const char *name;
    size_t rows, methods;
    double chi, p, critical;
    double rank[5], v[10], pair[10], holm[10];
} of_r;

static void check_r(const double *values, const of_r *r)
{
    onefold_comparison *comparison = NULL;
    CHECK_OK(onefold_compare(&comparison, NULL, values, r->rows, r->methods));
    const onefold_comparison_info *info = onefold_comparison_describe(comparison);
    print_message("%s\n", r->name);
    assert_int_equal(info->rows, r->rows);
    assert_int_equal(info->methods, r->methods);
    assert_int_equal(info->pairs, r->methods * (r->methods - 1) / 2);
    CHECK_CLOSE(info->chi_square, r->chi, 1e-12, 0);
    CHECK_CLOSE(info->p, r->p, 1e-12, 0);
    CHECK_CLOSE(info->critical_difference, r->critical, 1e-8, 0);
    for (size_t m = 0; m < r->methods; m++)
        CHECK_CLOSE(info->rank[m], r->rank[m], 1e-14, 0);
    for (size_t i = 0; i < info->pairs; i++) {
        CHECK_CLOSE(info->pair[i]->statistic, r->v[i], 1e-14, 0);
        CHECK_CLOSE(info->pair[i]->p, r->pair[i], 1e-12, 0);
        CHECK_CLOSE(info->pair[i]->p_holm, r->holm[i], 1e-12, 0);
    }
    onefold_comparison_free(comparison);
}

static void three_sets_are_too_few(void **state)
{
    (void)state;
    static const double values[9] = {.5, .25, .75, .625, .5, .125, .875, .75, .25};
    const of_r r = {"three sets",
                    3,
                    3,
                    2,
                    0.36787944117144233,
                    1.9136235167404001,
                    {4.0 / 3, 7.0 / 3, 7.0 / 3},
                    {6, 5, 3.5},
                    {0.17356816655592155, 0.5, 1},
                    {0.52070449966776466, 1, 1}};
    check_r(values, &r);
    onefold_comparison *comparison = NULL;
    CHECK_OK(onefold_compare(&comparison, NULL, values, 3, 3));
    const onefold_comparison_info *info = onefold_comparison_describe(comparison);
    assert_true(info->can_tell); /* at best 6, and exp(-3) < 0.05 */
    for (size_t i = 0; i < info->pairs; i++)
        assert_false(info->pair[i]->can_tell);
    onefold_comparison_free(comparison);
    /* two methods on six sets can differ, on five they cannot: 2 / 2^6 < 0.05 < 2 / 2^5 */
    static const double two[12] = {2, 1, 4, 2, 7, 4, 11, 7, 16, 11, 22, 16};
    for (size_t rows = 1; rows <= 6; rows++) {
        CHECK_OK(onefold_compare(&comparison, NULL, two, rows, 2));
        info = onefold_comparison_describe(comparison);
        assert_int_equal(info->pair[0]->can_tell, rows == 6);
        assert_int_equal(info->can_tell, rows >= 4); /* chi-square of 4 on 1 degree */
        CHECK_CLOSE(info->pair[0]->p, ldexp(2, -(int)rows), 1e-15, 0);
        assert_true(info->pair[0]->exact);
        onefold_comparison_free(comparison);
    }
}

static void ties_as_in_r(void **state)
{
    (void)state;
    double values[28] = {8, 6, 6, 3, 7, 7, 5, 2, 9, 5, 6, 4, 6, 8,
                         4, 4, 8, 8, 8, 1, 5, 3, 4, 2, 9, 7, 2, 3};
    const of_r r = {"ties",
                    7,
                    4,
                    14.619047619047619,
                    0.002172910377940766,
                    1.772800350454117,
                    {9.5 / 7, 15.0 / 7, 19.0 / 7, 26.5 / 7},
                    {12.5, 21, 28, 12, 28, 20},
                    {0.20309178757716789, 0.034006402864386984, 0.021539452429296765,
                     0.27851702382957805, 0.02201493444367288, 0.057779571123597238},
                    {0.40618357515433579, 0.13602561145754793, 0.12923671457578059,
                     0.40618357515433579, 0.12923671457578059, 0.17333871337079171}};
    check_r(values, &r);
    /* the same up to rounding: what was a tie stays one */
    for (size_t i = 0; i < 28; i++)
        values[i] = values[i] / 3 * (i % 2 ? 1 + 1e-15 : 1);
    check_r(values, &r);
}

static void many_sets_as_in_r(void **state)
{
    (void)state;
    double values[300];
    for (int i = 0; i < 60; i++) {
        values[i * 5] = i * 37 % 101 / 128.0;
        values[i * 5 + 1] = (i * 53 + 7) % 97 / 128.0 + 0.0625;
        values[i * 5 + 2] = (i * 29 + 11) % 89 / 128.0;
        values[i * 5 + 3] = (i * 71 + 3) % 103 / 128.0 + 0.03125;
        values[i * 5 + 4] = (i * 19 + 5) % 83 / 128.0;
    }
    const of_r sixty = {"sixty sets",
                        60,
                        5,
                        11.949706621961441,
                        0.017729204733682915,
                        0.78744063701782618,
                        {174.5 / 60, 160.5 / 60, 201.5 / 60, 160.5 / 60, 203.0 / 60},
                        {751.5, 1116.5, 747.5, 1120, 1173.5, 847.5, 1213, 544.5, 923.5, 1232.5},
                        {0.3154067742498558, 0.081209174872169401, 0.30107635414610068,
                         0.13218540241460794, 0.029710734039914758, 0.62182713043028848,
                         0.013434728290876993, 0.010274575925546285, 0.95303000451540831,
                         0.0088089540358568651},
                        {1, 0.48725504923301644, 1, 0.66092701207303972, 0.20797513827940331, 1,
                         0.10747782632701594, 0.092471183329916565, 1, 0.088089540358568655}};
    const of_r twelve = {"twelve sets",
                         12,
                         5,
                         5.666666666666667,
                         0.2254631412959813,
                         1.7607707926175968,
                         {3, 2.5, 43.0 / 12, 29.0 / 12, 3.5},
                         {25, 59, 21, 43, 56, 38, 52, 18, 34.5, 59},
                         {0.30126953125, 0.12939453125, 0.17626953125, 0.78357112521436778,
                          0.20361328125, 0.96972656250, 0.33935546875, 0.10725993027292303,
                          0.75359199820377065, 0.12939453125},
                         {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
    check_r(values, &sixty);
    check_r(values, &twelve);
}

static void equal_methods_do_not_differ(void **state)
{
    (void)state;
    static const double values[12] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4};
    onefold_comparison *comparison = NULL;
    CHECK_OK(onefold_compare(&comparison, NULL, values, 4, 3));
    const onefold_comparison_info *info = onefold_comparison_describe(comparison);
    assert_true(info->chi_square == 0 && info->p == 1);
    for (size_t i = 0; i < 3; i++) {
        assert_true(info->rank[i] == 2 && info->pair[i]->p == 1 && info->pair[i]->p_holm == 1);
        assert_int_equal(info->pair[i]->differing, 0);
        assert_false(info->pair[i]->can_tell);
    }
    onefold_comparison_free(comparison);
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    double values[4] = {1, 2, 3, NAN};
    onefold_comparison *comparison = NULL;
    CHECK_FAILS(onefold_compare(&comparison, NULL, values, 2, 2), ONEFOLD_BAD_DATA,
                "method 2 has no value in row 2");
    CHECK_FAILS(onefold_compare(&comparison, NULL, values, 2, 1), ONEFOLD_USAGE, "two methods");
    CHECK_FAILS(onefold_compare(&comparison, NULL, values, 0, 2), ONEFOLD_USAGE, "one set");
    CHECK_FAILS(onefold_compare(&comparison, NULL, NULL, 2, 2), ONEFOLD_USAGE, "needs");
    assert_null(comparison);
    assert_null(onefold_comparison_describe(NULL));
    onefold_comparison_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_sets_are_too_few), cmocka_unit_test(ties_as_in_r),
        cmocka_unit_test(many_sets_as_in_r),      cmocka_unit_test(equal_methods_do_not_differ),
        cmocka_unit_test(bad_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
