/* SPDX-License-Identifier: Apache-2.0 */
/* A model that version 0.1.0 has written (format 2): it labels as it did then, is written again as
 * of today, and says nothing in two ways. tests/cases/model-0.1.0.ofm is of these eight samples:
 *
 *     onefold fit one.csv two.csv --clusters 2 --impute mean --kernel rbf,linear --model FILE
 */
#include "model/model.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define OLDER OF_TEST_SOURCE "/tests/cases/model-0.1.0.ofm"
enum { SAMPLES = 8 };

static onefold_dataset *samples(void)
{
    static const double one[SAMPLES * 3] = {1, 2, 3, 1.1, 2.2, 2.9, 0.9, NAN, 3.1, 1.05, 2.1, 3,
                                            8, 9, 1, 8.1, 9.2, NAN, 7.9, 8.8, 1.2, 8.2,  9.1, 0.9};
    static const double two[SAMPLES * 2] = {0.1, 5, 0.2, 5.1, 0.15, 4.9, NAN,  5.05,
                                            3,   1, 3.1, 1.1, 2.9,  0.9, 3.05, 1};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_set_impute(data, ONEFOLD_IMPUTE_MODEL));
    CHECK_OK(onefold_dataset_add_dense(data, "one", one, 3, 3, 1));
    CHECK_OK(onefold_dataset_add_dense(data, "two", two, 2, 2, 1));
    return data;
}

/* Labels and confidence as 0.1.0 gave them for the same file. */
static void labels_as_then(const onefold_model *model)
{
    static const double sure[SAMPLES] = {1, 1, 0.714864, 0.783415, 1, 1, 1, 1};
    int32_t labels[SAMPLES];
    double confidence[SAMPLES];
    onefold_prediction prediction = {sizeof prediction, labels, confidence, NULL, NULL, NULL};
    onefold_dataset *data = samples();
    CHECK_OK(onefold_predict(&prediction, NULL, model, data, 0, SAMPLES));
    for (size_t j = 0; j < SAMPLES; j++) {
        assert_int_equal(labels[j], j < SAMPLES / 2);
        CHECK_CLOSE(confidence[j], sure[j], 1e-5, 0);
    }
    onefold_dataset_free(data);
}

static void an_older_model_labels_as_it_did(void **state)
{
    onefold_model *model = NULL, *again = NULL;
    CHECK_OK(onefold_model_read(&model, NULL, OLDER));
    const onefold_model_info *info = onefold_model_describe(model);
    assert_string_equal(info->version, "0.1.0");
    assert_int_equal(info->impute, ONEFOLD_IMPUTE_MEAN);
    labels_as_then(model);
    CHECK_OK(onefold_model_write(model, NULL, folder_path(state, "new")));
    CHECK_OK(onefold_model_read(&again, NULL, folder_path(state, "new")));
    labels_as_then(again);
    onefold_model_free(model);
    onefold_model_free(again);
}

/* What the bytes are as a file of today; NULL where they are refused. */
static char *as_of_today(void **state, const unsigned char *bytes, size_t size, size_t *now)
{
    OF_SCRATCH(arena, NULL);
    onefold_model *model = NULL;
    onefold_status status = of_model_parse(&arena, bytes, size, &model);
    if (status != ONEFOLD_OK) {
        assert_int_equal(status, ONEFOLD_BAD_DATA);
        return NULL;
    }
    CHECK_OK(onefold_model_write(model, NULL, folder_path(state, "new")));
    return folder_read(folder_path(state, "new"), now);
}

/* No two files say the same: a flag that is neither 0 nor 1 is refused, not taken for yes. */
static void a_byte_that_says_something_else_is_heard(void **state)
{
    size_t size, whole, now, tried = 0, refused = 0;
    unsigned char *bytes = (unsigned char *)folder_read(OLDER, &size);
    char *plain = as_of_today(state, bytes, size, &whole);
    for (size_t i = 8; i < size - 4; i++) {
        unsigned char kept = bytes[i];
        if (kept > 1)
            continue;
        bytes[i] = 2;
        uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)(size - 4));
        for (size_t c = 0; c < 4; c++)
            bytes[size - 4 + c] = (unsigned char)(crc >> (8 * c));
        char *other = as_of_today(state, bytes, size, &now);
        if (other && now == whole && memcmp(other, plain, whole) == 0)
            fail_msg("byte %zu may be %d or 2", i, kept);
        tried++;
        refused += other == NULL;
        free(other);
        bytes[i] = kept;
    }
    assert_true(refused > 50 && refused < tried);
    free(plain);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_older_model_labels_as_it_did, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_byte_that_says_something_else_is_heard, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
