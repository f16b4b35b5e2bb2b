/* SPDX-License-Identifier: Apache-2.0 */
/* The bundled digits: what the file holds, that tools/make_digits.py makes it to the byte, and that
 * fusing their views helps. */

#include "support/ask.h"
#include "support/folder.h"
#include "support/paper_options.h"

#include <math.h>

#define DIGITS OF_TEST_SOURCE "/data/digits/digits.mat"

static void the_file_holds_four_views_and_the_digits(void **state)
{
    (void)state;
    static const size_t columns[4] = {64, 16, 25, 64};
    /* how often each digit comes, as the UCI repository states for this part */
    static const size_t expected[10] = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
    const char *path = DIGITS;
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_read(&dataset, NULL, &path, 1, NULL));
    assert_int_equal(onefold_dataset_describe(dataset)->samples, 1797);
    assert_int_equal(onefold_dataset_describe(dataset)->views, 4);
    assert_int_equal(onefold_dataset_describe(dataset)->classes, 10);
    for (size_t v = 0; v < 4; v++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(dataset, v, &info));
        assert_int_equal(info.columns, columns[v]);
        assert_string_equal(onefold_name(ONEFOLD_NAMES_STORAGE, info.storage), "dense");
    }
    size_t count[10] = {0};
    for (size_t j = 0; j < 1797; j++)
        count[onefold_dataset_describe(dataset)->truth[j]]++;
    assert_memory_equal(count, expected, sizeof expected);
    onefold_dataset_free(dataset);
}

/* The first digit is a 0; its pixels, and what they have in the other views, by hand. */
static void the_first_digit_is_as_it_should_be(void **state)
{
    (void)state;
    static const double image[8][8] = {{0, 0, 5, 13, 9, 1, 0, 0},   {0, 0, 13, 15, 10, 15, 5, 0},
                                       {0, 3, 15, 2, 0, 11, 8, 0},  {0, 4, 12, 0, 0, 8, 8, 0},
                                       {0, 5, 8, 0, 0, 9, 8, 0},    {0, 4, 11, 0, 1, 12, 7, 0},
                                       {0, 2, 14, 5, 10, 12, 0, 0}, {0, 0, 6, 13, 10, 0, 0, 0}};
    const char *path = DIGITS;
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_read(&dataset, NULL, &path, 1, NULL));
    double row[64];
    CHECK_OK(onefold_dataset_values(row, dataset, 0, 0, 1));
    assert_memory_equal(row, image, sizeof image);
    CHECK_OK(onefold_dataset_values(row, dataset, 3, 0, 1));
    static const double ink[8] = {28, 58, 39, 32, 30, 35, 43, 29};
    for (int i = 0; i < 8; i++)
        assert_true(row[i] == ink[i]);
    for (int i = 0; i < 8; i++) {
        int count = 0;
        for (int c = 1; c < 8; c++)
            count += (image[i][c] >= 8) != (image[i][c - 1] >= 8);
        assert_true(row[8 + i] == count);
    }
    /* the amplitude of frequency (0, 0) is all the ink there is: log(1 + 294) */
    CHECK_OK(onefold_dataset_values(row, dataset, 2, 0, 1));
    assert_true(row[0] == 5687);
    onefold_dataset_free(dataset);
}

/* Correlation of a column with a list of 0 and 1. */
static double correlation(size_t n, const double *x, const int32_t *labels, int32_t cluster)
{
    double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t j = 0; j < n; j++) {
        mean_x += x[j] / (double)n;
        mean_y += (labels[j] == cluster) / (double)n;
    }
    for (size_t j = 0; j < n; j++) {
        double a = x[j] - mean_x, b = (labels[j] == cluster) - mean_y;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    return xy / sqrt(xx * yy);
}

/* The columns have names, and a fit says that zeros are a ring around paper. */
static void a_zero_is_explained_by_its_middle(void **state)
{
    (void)state;
    const char *path = DIGITS;
    onefold_fit_options options = paper_options();
    onefold_dataset *dataset;
    onefold_result *result;
    options.clusters = 10;
    options.explain = 2;
    CHECK_OK(onefold_dataset_read(&dataset, NULL, &path, 1, NULL));
    assert_string_equal(ask_column_name(dataset, 0, 63), "pixel 8,8");
    assert_string_equal(ask_column_name(dataset, 1, 7), "falling top right");
    assert_string_equal(ask_column_name(dataset, 2, 24), "wave 3,3");
    assert_string_equal(ask_column_name(dataset, 3, 63), "paper after column 8");
    CHECK_OK(onefold_fit(&result, NULL, dataset, &options));
    const int32_t *labels = onefold_result_describe(result)->labels,
                  *truth = onefold_dataset_describe(dataset)->truth;
    size_t zeros[10] = {0}, cluster = 0, named = 0;
    for (size_t j = 0; j < 1797; j++)
        zeros[labels[j]] += truth[j] == 0;
    for (size_t c = 0; c < 10; c++)
        cluster = zeros[c] > zeros[cluster] ? c : cluster;
    for (size_t r = 0; r < 2; r++) { /* rows and columns 4 and 5 */
        onefold_column pixel = ask_column(result, 0, cluster, r);
        size_t row = pixel.index / 8, column = pixel.index % 8;
        assert_true((row == 3 || row == 4) && (column == 3 || column == 4));
        assert_true(pixel.strength < -0.4);
    }
    static double values[1797];
    for (size_t c = 0; c < 10; c++) /* and every strength is what it is said to be */
        for (size_t v = 0; v < 4; v++)
            for (size_t r = 0; onefold_result_column(result, v, c, r); r++, named++) {
                onefold_column it = ask_column(result, v, c, r);
                double row[64];
                for (size_t j = 0; j < 1797; j++) {
                    CHECK_OK(onefold_dataset_values(row, dataset, v, j, 1));
                    values[j] = row[it.index];
                }
                CHECK_CLOSE(it.strength, correlation(1797, values, labels, (int32_t)c), 0, 1e-12);
                assert_string_equal(it.name, ask_column_name(dataset, v, it.index));
            }
    assert_true(named >= 60);
    onefold_result_free(result);
    onefold_dataset_free(dataset);
}

static void the_script_makes_the_same_bytes(void **state)
{
    CHECK_PYTHON(
        state, "numpy,scipy.io,sklearn.datasets",
        "import subprocess, sys\n"
        "root = '" OF_TEST_SOURCE "'\n"
        "subprocess.run([sys.executable, '-B', root + '/tools/make_digits.py', 'new.mat'],\n"
        "               check=True)\n"
        "new, old = (open(p, 'rb').read() for p in\n"
        "            ('new.mat', root + '/data/digits/digits.mat'))\n"
        "assert len(new) < 1000000 and new == old\n");
    assert_int_equal(folder_count(state), 1);
}

/* The scores of a default fit of the views asked for (NULL: all). */
static onefold_scores fit(const char *views, uint64_t seed)
{
    const char *path = DIGITS;
    onefold_read_options reading = ONEFOLD_READ_OPTIONS_INIT;
    reading.views = views;
    onefold_fit_options options = paper_options();
    options.clusters = 10;
    options.seed = seed;
    onefold_dataset *dataset;
    onefold_result *result;
    CHECK_OK(onefold_dataset_read(&dataset, NULL, &path, 1, &reading));
    CHECK_OK(onefold_fit(&result, NULL, dataset, &options));
    static int64_t labels[1797], truth[1797];
    for (size_t j = 0; j < 1797; j++) {
        labels[j] = onefold_result_describe(result)->labels[j];
        truth[j] = onefold_dataset_describe(dataset)->truth[j];
    }
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    CHECK_OK(onefold_score(&scores, ONEFOLD_INT64, labels, truth, 1797));
    onefold_result_free(result);
    onefold_dataset_free(dataset);
    return scores;
}

/* The demonstration holds whatever the seed: all views at their worst beat any one at its best. */
static void fusing_helps(void **state)
{
    (void)state;
    static const char *const alone[4] = {"pixels", "strokes", "frequencies", "profiles"};
    double best_acc = 0, best_nmi = 0, worst_acc = 1, worst_nmi = 1;
    for (uint64_t seed = 0; seed < (check_everything() ? 3 : 1); seed++) {
        for (int v = 0; v < 4; v++) {
            onefold_scores scores = fit(alone[v], seed);
            best_acc = scores.acc > best_acc ? scores.acc : best_acc;
            best_nmi = scores.nmi > best_nmi ? scores.nmi : best_nmi;
        }
        onefold_scores scores = fit(NULL, seed);
        worst_acc = scores.acc < worst_acc ? scores.acc : worst_acc;
        worst_nmi = scores.nmi < worst_nmi ? scores.nmi : worst_nmi;
    }
    printf("one view at most %.3f ACC and %.3f NMI, all at least %.3f and %.3f\n", best_acc,
           best_nmi, worst_acc, worst_nmi);
    assert_true(worst_acc > best_acc && worst_nmi > best_nmi);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_holds_four_views_and_the_digits),
        cmocka_unit_test(the_first_digit_is_as_it_should_be),
        cmocka_unit_test(a_zero_is_explained_by_its_middle),
        cmocka_unit_test_setup_teardown(the_script_makes_the_same_bytes, folder_make,
                                        folder_remove),
        cmocka_unit_test(fusing_helps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
