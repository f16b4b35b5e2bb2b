/* SPDX-License-Identifier: Apache-2.0 */
/* Scores by hand, against slow restatements of their definitions, and where formulas give 0/0. */
#include "onefold.h"

#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static onefold_scores score(const int64_t *labels, const int64_t *truth, size_t samples)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, labels, truth, samples));
    return scores;
}

/* Ten samples: clusters of 5, 3 and 2, classes of 4, 4 and 2. The table is
 *     3 2 0
 *     1 1 1
 *     0 1 1
 */
static void scores_by_hand(void **state)
{
    (void)state;
    static const int64_t labels[10] = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2};
    static const int64_t truth[10] = {5, 5, 5, -7, -7, 5, -7, 9, -7, 9};
    onefold_scores s = score(labels, truth, 10);
    assert_int_equal(s.clusters, 3);
    assert_int_equal(s.classes, 3);
    CHECK_CLOSE(s.acc, 0.5, 0, 1e-15);    /* 3 + 1 + 1 */
    CHECK_CLOSE(s.purity, 0.5, 0, 1e-15); /* 3 + 1 + 1 */
    /* pairs: 3 + 1 = 4 together in both, 10 + 3 + 1 = 14 joined, 6 + 6 + 1 = 13 true, 45 in all */
    CHECK_CLOSE(s.precision, 4.0 / 14, 1e-15, 0);
    CHECK_CLOSE(s.recall, 4.0 / 13, 1e-15, 0);
    CHECK_CLOSE(s.f, 8.0 / 27, 1e-15, 0);
    double expected = 14 * 13 / 45.0;
    CHECK_CLOSE(s.ari, (4 - expected) / (13.5 - expected), 1e-14, 0);
    double a = -0.5 * log(0.5) - 0.3 * log(0.3) - 0.2 * log(0.2),
           b = -0.8 * log(0.4) - 0.2 * log(0.2),
           together = 0.3 * log(0.3 / (0.5 * 0.4)) + 0.2 * log(0.2 / (0.5 * 0.4)) +
                      0.2 * log(0.1 / (0.3 * 0.4)) + 0.1 * log(0.1 / (0.3 * 0.2)) +
                      0.1 * log(0.1 / (0.2 * 0.4)) + 0.1 * log(0.1 / (0.2 * 0.2));
    CHECK_CLOSE(s.nmi_max, together / fmax(a, b), 1e-14, 0);
    CHECK_CLOSE(s.nmi_sum, 2 * together / (a + b), 1e-14, 0);
    CHECK_CLOSE(s.nmi_sqrt, together / sqrt(a * b), 1e-14, 0);
    assert_true(s.nmi == s.nmi_max);
}

/* ---- restatements: straight from the definitions, over samples and pairs of samples ---- */

static double share(const int64_t *a, int64_t x, const int64_t *b, int64_t y, size_t samples)
{
    size_t count = 0;
    for (size_t i = 0; i < samples; i++)
        count += a[i] == x && b[i] == y;
    return (double)count / (double)samples;
}

/* H = the mean over samples of -log P(label). */
static double slow_entropy(const int64_t *a, size_t samples)
{
    double total = 0;
    for (size_t i = 0; i < samples; i++)
        total -= log(share(a, a[i], a, a[i], samples)) / (double)samples;
    return total;
}

/* I = the mean over samples of log P(label, class) / P(label) P(class). */
static double slow_information(const int64_t *a, const int64_t *b, size_t samples)
{
    double total = 0;
    for (size_t i = 0; i < samples; i++)
        total += log(share(a, a[i], b, b[i], samples) / share(a, a[i], a, a[i], samples) /
                     share(b, b[i], b, b[i], samples)) /
                 (double)samples;
    return total;
}

/* The best renaming of clusters 0 .. clusters-1 to distinct classes 0 .. 5, all tried in turn. */
static size_t slow_matched(const int64_t *labels, const int64_t *truth, size_t samples,
                           int64_t cluster, int64_t clusters, unsigned taken)
{
    if (cluster == clusters)
        return 0;
    size_t best = 0;
    for (int64_t c = 0; c < 6; c++) {
        if (taken >> c & 1)
            continue;
        size_t here = 0;
        for (size_t i = 0; i < samples; i++)
            here += labels[i] == cluster && truth[i] == c;
        here += slow_matched(labels, truth, samples, cluster + 1, clusters, taken | 1u << c);
        best = here > best ? here : best;
    }
    return best;
}

static double slow_purity(const int64_t *labels, const int64_t *truth, size_t samples)
{
    double total = 0;
    for (int64_t cluster = 0; cluster < 6; cluster++) {
        double most = 0;
        for (int64_t c = 0; c < 6; c++)
            most = fmax(most, share(labels, cluster, truth, c, samples));
        total += most;
    }
    return total;
}

static void random_labellings_against_the_definitions(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int round = 0; round < 300; round++) {
        size_t samples = 2 + check_below(&random, 60), keep = check_below(&random, 4);
        size_t clusters = 2 + check_below(&random, 5), classes = 2 + check_below(&random, 5);
        int64_t labels[62], truth[62];
        for (size_t i = 0; i < samples; i++) {
            truth[i] = (int64_t)check_below(&random, classes);
            labels[i] = check_below(&random, 4) < keep ? truth[i] % (int64_t)clusters
                                                       : (int64_t)check_below(&random, clusters);
        }
        /* with the first samples, nothing is 0/0 */
        labels[0] = labels[1] = truth[0] = truth[1] = 0;
        if (samples > 2)
            labels[2] = truth[2] = 1;
        else
            labels[1] = 1;
        onefold_scores s = score(labels, truth, samples);

        double pair[2][2] = {{0}}; /* [together in labels][together in truth] */
        for (size_t i = 0; i < samples; i++)
            for (size_t j = 0; j < i; j++)
                pair[labels[i] == labels[j]][truth[i] == truth[j]]++;
        double all = (double)samples * (double)(samples - 1) / 2, joined = pair[1][0] + pair[1][1],
               same = pair[0][1] + pair[1][1], chance = joined * same / all;
        if (joined > 0)
            CHECK_CLOSE(s.precision, pair[1][1] / joined, 1e-14, 0);
        CHECK_CLOSE(s.recall, pair[1][1] / same, 1e-14, 0);
        CHECK_CLOSE(s.f, 2 * pair[1][1] / (joined + same), 1e-14, 0);
        if (samples > 2)
            CHECK_CLOSE(s.ari, (pair[1][1] - chance) / ((joined + same) / 2 - chance), 1e-12,
                        1e-14);
        double a = slow_entropy(labels, samples), b = slow_entropy(truth, samples),
               i = slow_information(labels, truth, samples);
        CHECK_CLOSE(s.nmi_max, i / fmax(a, b), 1e-12, 1e-14);
        CHECK_CLOSE(s.nmi_sum, 2 * i / (a + b), 1e-12, 1e-14);
        if (a > 0 && b > 0)
            CHECK_CLOSE(s.nmi_sqrt, i / sqrt(a * b), 1e-12, 1e-14);
        CHECK_CLOSE(s.purity, slow_purity(labels, truth, samples), 1e-14, 0);
        size_t matched = slow_matched(labels, truth, samples, 0, (int64_t)clusters, 0);
        assert_true(s.acc == (double)matched / (double)samples);
    }
}

static void check_same(const onefold_scores *a, const onefold_scores *b)
{
    assert_true(a->acc == b->acc && a->purity == b->purity);
    CHECK_CLOSE(a->nmi_max, b->nmi_max, 1e-13, 1e-15);
    CHECK_CLOSE(a->nmi_sum, b->nmi_sum, 1e-13, 1e-15);
    CHECK_CLOSE(a->nmi_sqrt, b->nmi_sqrt, 1e-13, 1e-15);
    assert_true(a->ari == b->ari && a->f == b->f);
    assert_true(a->precision == b->precision && a->recall == b->recall);
}

/* New names for clusters and classes, and another order of the samples, change nothing; swapping
 * labels and truth swaps precision and recall and keeps what is symmetric. */
static void names_and_order_do_not_matter(void **state)
{
    (void)state;
    enum { SAMPLES = 500 };
    static int64_t labels[SAMPLES], truth[SAMPLES], renamed[SAMPLES], renamed_truth[SAMPLES];
    uint64_t random = 5;
    for (int round = 0; round < 20; round++) {
        size_t clusters = 1 + check_below(&random, 40);
        for (size_t i = 0; i < SAMPLES; i++) {
            truth[i] = (int64_t)check_below(&random, 17);
            labels[i] = (truth[i] + (int64_t)check_below(&random, 4)) % (int64_t)clusters;
        }
        for (size_t i = 0; i < SAMPLES; i++) {
            size_t from = i * 123 % SAMPLES;
            renamed[i] = (labels[from] * 29 + 3) % 41 * 1000000000000 - 5;
            renamed_truth[i] = -truth[from];
        }
        onefold_scores s = score(labels, truth, SAMPLES),
                       r = score(renamed, renamed_truth, SAMPLES),
                       swapped = score(truth, labels, SAMPLES);
        check_same(&s, &r);
        for (size_t i = 0; i < SAMPLES; i++) { /* some are counted in a table, others one by one */
            renamed[i] = labels[i] + 240;
            renamed_truth[i] = 262 - truth[i];
        }
        r = score(renamed, renamed_truth, SAMPLES);
        check_same(&s, &r);
        assert_true(s.precision == swapped.recall && s.recall == swapped.precision);
        assert_true(s.acc == swapped.acc && s.ari == swapped.ari && s.f == swapped.f);
        CHECK_CLOSE(s.nmi_max, swapped.nmi_max, 1e-13, 1e-15);
    }
}

static void check_all(const onefold_scores *s, double acc, double nmi, double purity, double ari,
                      double f, double precision, double recall)
{
    assert_true(s->acc == acc);
    assert_true(s->nmi == nmi && s->nmi_max == nmi && s->nmi_sum == nmi && s->nmi_sqrt == nmi);
    assert_true(s->purity == purity);
    assert_true(s->ari == ari);
    assert_true(s->f == f && s->precision == precision && s->recall == recall);
}

static void where_formulas_give_nothing(void **state)
{
    (void)state;
    static const int64_t one[4] = {3, 3, 3, 3}, alone[4] = {9, 2, -4, 0}, two[4] = {1, 1, 2, 2};
    onefold_scores s = score(one, one, 4);
    check_all(&s, 1, 1, 1, 1, 1, 1, 1);
    s = score(alone, alone, 4);
    assert_true(s.acc == 1 && s.purity == 1 && s.ari == 1 && s.f == 1);
    assert_true(s.precision == 1 && s.recall == 1);
    CHECK_CLOSE(s.nmi, 1, 1e-15, 0);
    s = score(one, one, 1);
    check_all(&s, 1, 1, 1, 1, 1, 1, 1);
    s = score(one, two, 4);
    check_all(&s, 0.5, 0, 0.5, 0, 0.5, 2.0 / 6, 1);
    s = score(two, one, 4);
    check_all(&s, 0.5, 0, 1, 0, 0.5, 1, 2.0 / 6);
    s = score(one, alone, 4);
    check_all(&s, 0.25, 0, 0.25, 0, 0, 0, 0);
    s = score(alone, one, 4);
    check_all(&s, 0.25, 0, 1, 0, 0, 0, 0);
    s = score(alone, two, 4);
    assert_true(s.acc == 0.5 && s.purity == 1 && s.ari == 0 && s.f == 0);
    assert_true(s.precision == 0 && s.recall == 0);
    CHECK_CLOSE(s.nmi_max, 0.5, 1e-15, 0);
}

/* Agreement up to names is 1 in every score, at any number of clusters. */
static void the_same_partition_scores_one(void **state)
{
    (void)state;
    enum { SAMPLES = 200000 };
    int64_t *labels = malloc(SAMPLES * sizeof *labels), *truth = malloc(SAMPLES * sizeof *truth);
    static const int64_t clusters[] = {2, 3, 1000, 70000};
    for (int c = 0; c < 4; c++) {
        for (int64_t i = 0; i < SAMPLES; i++) {
            truth[i] = i * i % clusters[c];
            labels[i] = 7 - 1000003 * truth[i];
        }
        onefold_scores s = score(labels, truth, SAMPLES);
        assert_true(s.acc == 1 && s.purity == 1 && s.ari == 1 && s.f == 1);
        assert_true(s.precision == 1 && s.recall == 1);
        CHECK_CLOSE(s.nmi_max, 1, 1e-12, 0);
        assert_true(s.nmi_max <= 1 && s.nmi_sum <= 1 && s.nmi_sqrt <= 1);
    }
    free(labels);
    free(truth);
}

static void scikit_learn_agrees(void **state)
{
    enum { SAMPLES = 3000 };
    static int64_t labels[SAMPLES], truth[SAMPLES];
    FILE *file = fopen(folder_path(state, "labels"), "w"),
         *values = fopen(folder_path(state, "scores"), "w");
    assert_non_null(file);
    assert_non_null(values);
    uint64_t random = 6;
    for (int round = 0; round < 6; round++) {
        for (size_t i = 0; i < SAMPLES; i++) {
            truth[i] = (int64_t)check_below(&random, 3 + 10 * (size_t)round);
            labels[i] = check_below(&random, 3) ? truth[i] / 2 : (int64_t)check_below(&random, 20);
            fprintf(file, "%d %lld %lld\n", round, (long long)labels[i], (long long)truth[i]);
        }
        onefold_scores s = score(labels, truth, SAMPLES);
        fprintf(values, "%.17g %.17g %.17g %.17g\n", s.nmi_max, s.nmi_sum, s.nmi_sqrt, s.ari);
    }
    fclose(file);
    fclose(values);
    CHECK_PYTHON(
        state, "numpy,sklearn.metrics",
        "import numpy as np\n"
        "from sklearn.metrics import adjusted_rand_score as ari\n"
        "from sklearn.metrics import normalized_mutual_info_score as nmi\n"
        "d, s = np.loadtxt('labels', dtype=int), np.loadtxt('scores')\n"
        "for r in range(6):\n"
        "    a, b = d[d[:, 0] == r, 1:].T\n"
        "    e = [nmi(a, b, average_method=m) for m in ['max', 'arithmetic', 'geometric']]\n"
        "    assert np.allclose(s[r], e + [ari(a, b)], rtol=1e-12, atol=0), (s[r], e)\n");
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const int64_t labels[1] = {0};
    onefold_scores s = ONEFOLD_SCORES_INIT;
    s.acc = 0.77;
    CHECK_FAILS(onefold_score(&s, ONEFOLD_INT64, labels, labels, 0), ONEFOLD_BAD_DATA,
                "no samples to score");
    CHECK_FAILS(onefold_score(&s, ONEFOLD_INT64, NULL, labels, 1), ONEFOLD_USAGE, "two labellings");
    CHECK_FAILS(onefold_score(&s, ONEFOLD_INT64, labels, NULL, 1), ONEFOLD_USAGE, "two labellings");
    CHECK_FAILS(onefold_score(NULL, ONEFOLD_INT64, labels, labels, 1), ONEFOLD_USAGE,
                "a place for the scores");
    assert_true(s.acc == 0.77);
}

/* A caller compiled against a shorter struct gets only what it has room for. */
static void older_callers_are_served(void **state)
{
    (void)state;
    static const int64_t labels[2] = {0, 1};
    onefold_scores s = ONEFOLD_SCORES_INIT;
    s.struct_size = offsetof(onefold_scores, purity);
    s.purity = 0.77;
    CHECK_OK(onefold_score(&s, ONEFOLD_INT64, labels, labels, 2));
    assert_true(s.acc == 1 && s.purity == 0.77);
    assert_int_equal(s.struct_size, offsetof(onefold_scores, purity));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_by_hand),
        cmocka_unit_test(random_labellings_against_the_definitions),
        cmocka_unit_test(names_and_order_do_not_matter),
        cmocka_unit_test(where_formulas_give_nothing),
        cmocka_unit_test(the_same_partition_scores_one),
        cmocka_unit_test_setup_teardown(scikit_learn_agrees, folder_make, folder_remove),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(older_callers_are_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
