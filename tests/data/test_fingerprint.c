/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints do not depend on storage, and differ after any change of the data. */
#include "data/dataset.h"
#include "support/check.h"

#include <string.h>

enum { SAMPLES = 5, COLUMNS = 3 };

static const double values[SAMPLES * COLUMNS] = {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 0, 0, 6, 7, 8};

static void print(const onefold_dataset *data, char text[OF_FINGERPRINT])
{
    CHECK_OK(of_dataset_fingerprint(of_context_or_default(NULL), &data->set, SIZE_MAX, text));
    assert_int_equal(strlen(text), 32);
    assert_int_equal(strspn(text, "0123456789abcdef"), 32);
}

/* A data set of one dense view; `as` chooses strides and type. */
static onefold_dataset *dense(const double *x, const char *name, int as)
{
    onefold_dataset *data;
    double turned[SAMPLES * COLUMNS];
    float single[SAMPLES * COLUMNS];
    for (size_t j = 0; j < SAMPLES; j++)
        for (size_t i = 0; i < COLUMNS; i++) {
            turned[j + i * SAMPLES] = x[i + j * COLUMNS];
            single[i + j * COLUMNS] = (float)x[i + j * COLUMNS];
        }
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    if (as == 0)
        CHECK_OK(onefold_dataset_add_dense(data, name, x, COLUMNS, COLUMNS, 1));
    else if (as == 1)
        CHECK_OK(onefold_dataset_add_dense(data, name, turned, COLUMNS, 1, SAMPLES));
    else
        CHECK_OK(onefold_dataset_add_dense_single(data, name, single, COLUMNS, COLUMNS, 1));
    return data;
}

static void storage_does_not_matter(void **state)
{
    (void)state;
    char first[OF_FINGERPRINT], text[OF_FINGERPRINT];
    for (int as = 0; as < 3; as++) {
        onefold_dataset *data = dense(values, "words", as);
        print(data, as == 0 ? first : text);
        if (as > 0)
            assert_string_equal(text, first);
        onefold_dataset_free(data);
    }
}

static void changes_matter(void **state)
{
    (void)state;
    enum { SETS = SAMPLES * COLUMNS + 6 };
    char texts[SETS][OF_FINGERPRINT];
    const int64_t truth[SAMPLES] = {0, 1, 0, 1, 1}, other[SAMPLES] = {0, 1, 0, 0, 1};
    const size_t start[] = {0, 2, 3, 5, 5, 8};
    const uint32_t column[] = {0, 2, 2, 0, 1, 0, 1, 2};
    const double value[] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t s = 0; s < SETS; s++) {
        double x[SAMPLES * COLUMNS];
        memcpy(x, values, sizeof x);
        if (s < SAMPLES * COLUMNS)
            x[s] += 1e-15 + x[s] * 3e-16; /* the last bit of one value */
        onefold_dataset *data = dense(x, s == SETS - 1 ? "links" : "words", 0);
        if (s == SETS - 2)
            CHECK_OK(onefold_dataset_set_truth(data, truth, NULL));
        if (s == SETS - 3)
            CHECK_OK(onefold_dataset_set_truth(data, other, NULL));
        if (s == SETS - 4)
            CHECK_OK(onefold_dataset_add_dense(data, "more", x, COLUMNS, COLUMNS, 1));
        if (s == SETS - 5) {
            onefold_dataset_free(data);
            CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
            CHECK_OK(onefold_dataset_add_sparse(data, "words", COLUMNS, start, column, value));
        }
        print(data, texts[s]);
        onefold_dataset_free(data);
        for (size_t t = 0; t < s; t++)
            assert_string_not_equal(texts[s], texts[t]);
    }
}

/* Which columns are one category counts, and not the numbers that mark them. */
static void categories_matter(void **state)
{
    (void)state;
    const uint32_t units[][COLUMNS] = {{0, 1, 2}, {0, 0, 1}, {7, 7, 9}, {0, 1, 1}, {0, 0, 0}};
    char texts[6][OF_FINGERPRINT];
    for (size_t s = 0; s < 6; s++) {
        onefold_dataset *data = dense(values, "words", 0);
        if (s > 0)
            CHECK_OK(onefold_dataset_set_column_units(data, 0, units[s - 1]));
        print(data, texts[s]);
        onefold_dataset_free(data);
        for (size_t t = 0; t < s; t++)
            assert_int_equal(strcmp(texts[s], texts[t]) == 0, t == 2 && s == 3);
    }
}

/* Of the first samples alone: neither the other samples nor the storage counts. */
static void the_first_samples_have_one_of_their_own(void **state)
{
    (void)state;
    enum { COUNT = 3 };
    char want[OF_FINGERPRINT], text[OF_FINGERPRINT];
    of_context *context = of_context_or_default(NULL);
    for (size_t s = 0; s <= SAMPLES * COLUMNS; s++) {
        double x[SAMPLES * COLUMNS];
        memcpy(x, values, sizeof x);
        if (s > 0)
            x[s - 1] += 1;
        onefold_dataset *data = dense(x, "words", s == 0 ? 2 : 0);
        CHECK_OK(of_dataset_fingerprint(context, &data->set, COUNT, s == 0 ? want : text));
        if (s > COUNT * COLUMNS)
            assert_string_equal(text, want);
        else if (s > 0)
            assert_string_not_equal(text, want);
        CHECK_OK(of_dataset_fingerprint(context, &data->set, 100, text)); /* all there are */
        onefold_dataset_free(data);
    }
}

/* The number of a run, restated with names as texts and the finaliser in its published form. */
static uint64_t finalised(uint64_t z)
{
    z ^= z >> 30;
    z *= UINT64_C(0xbf58476d1ce4e5b9);
    z ^= z >> 27;
    z *= UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t run_number(const char *const *names, const int32_t *labels, size_t samples)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < samples; j++)
        sum += of_run_part(names ? names[j] : NULL, names ? strlen(names[j]) : 0, j, labels[j]);
    return of_run_end(sum, samples);
}

static void runs_are_numbered_by_names_and_labels(void **state)
{
    (void)state;
    const char *const names[] = {"b", "7", "'=x", "", "007", "a b"},
                      *const turned[] = {"a b", "007", "", "=x", "7", "b"},
                      *const numbers[] = {"1", "2", "3", "4", "5", "6"};
    const int32_t labels[] = {0, 1, 2, 1, 0, 3}, back[] = {3, 0, 1, 2, 1, 0};
    enum { SIZE = 6 };
    uint64_t number = run_number(names, labels, SIZE), sum = 0;
    assert_true(number == run_number(turned, back, SIZE));
    for (size_t j = 0; j < SIZE; j++) {
        const char *other[SIZE];
        int32_t moved[SIZE];
        memcpy(other, names, sizeof other);
        memcpy(moved, labels, sizeof moved);
        moved[j] += 1;
        assert_true(number != run_number(names, moved, SIZE));
        other[j] = "c";
        assert_true(number != run_number(other, labels, SIZE));
        assert_true(number != run_number(names, labels, j));
        sum += finalised(finalised(j + 1 + UINT64_C(0x9e3779b97f4a7c15)) + (uint64_t)labels[j] + 1);
    }
    assert_true(run_number(NULL, labels, SIZE) == finalised(sum + SIZE));
    assert_true(run_number(NULL, labels, SIZE) == run_number(numbers, labels, SIZE));
    char text[OF_RUN_TEXT];
    of_run_text(0xab, text);
    assert_string_equal(text, "00000000000000ab");
    of_run_text(0, text);
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage_does_not_matter),
        cmocka_unit_test(changes_matter),
        cmocka_unit_test(categories_matter),
        cmocka_unit_test(runs_are_numbered_by_names_and_labels),
        cmocka_unit_test(the_first_samples_have_one_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
