/* SPDX-License-Identifier: Apache-2.0 */
/* A model of version 0.1.0 (format 2) is refused; a current model has only one encoding. */
#include "model/model.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void an_older_model_is_refused(void **state)
{
    (void)state;
    onefold_model *model = NULL;
    CHECK_FAILS(onefold_model_read(&model, NULL, OF_TEST_SOURCE "/tests/cases/model-0.1.0.ofm"),
                ONEFOLD_BAD_DATA, "the model has format 2, and this version reads 7");
    assert_string_equal(onefold_last_hint(), "fit it again");
    assert_null(model);
}

/* The bytes of a model of two views, with values filled in and names of columns. */
static unsigned char *fitted_model(void **state, size_t *size)
{
    enum { SAMPLES = 8 };
    static const double one[SAMPLES * 3] = {1, 2, 3, 1.1, 2.2, 2.9, 0.9, NAN, 3.1, 1.05, 2.1, 3,
                                            8, 9, 1, 8.1, 9.2, NAN, 7.9, 8.8, 1.2, 8.2,  9.1, 0.9};
    static const double two[SAMPLES * 2] = {0.1, 5, 0.2, 5.1, 0.15, 4.9, NAN,  5.05,
                                            3,   1, 3.1, 1.1, 2.9,  0.9, 3.05, 1};
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 2;
    options.method = "os-lfmvc-cs";
    options.kernel = "rbf,linear";
    options.keep_model = 1;
    CHECK_OK(onefold_dataset_create(&data, NULL, SAMPLES));
    CHECK_OK(onefold_dataset_set_impute(data, ONEFOLD_IMPUTE_MEAN));
    CHECK_OK(onefold_dataset_add_dense(data, "one", one, 3, 3, 1));
    CHECK_OK(onefold_dataset_add_dense(data, "two", two, 2, 2, 1));
    CHECK_OK(onefold_dataset_set_column_names(data, 1, (const char *const[]){"x", "y"}));
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    CHECK_OK(onefold_model_write(onefold_result_describe(result)->model, NULL,
                                 folder_path(state, "model")));
    onefold_result_free(result);
    onefold_dataset_free(data);
    return (unsigned char *)folder_read(folder_path(state, "model"), size);
}

/* What the bytes are once they are read and written; NULL where they are refused. */
static char *written_again(void **state, const unsigned char *bytes, size_t size, size_t *now)
{
    onefold_model *model = NULL;
    onefold_status status = onefold_model_decode(&model, NULL, bytes, size);
    if (status != ONEFOLD_OK) {
        assert_int_equal(status, ONEFOLD_BAD_DATA);
        return NULL;
    }
    CHECK_OK(onefold_model_write(model, NULL, folder_path(state, "new")));
    onefold_model_free(model);
    return folder_read(folder_path(state, "new"), now);
}

/* Every model has one encoding: a flag that is neither 0 nor 1 is refused. */
static void a_byte_that_says_something_else_is_heard(void **state)
{
    size_t size, whole, now, tried = 0, refused = 0;
    unsigned char *bytes = fitted_model(state, &size);
    char *plain = written_again(state, bytes, size, &whole);
    for (size_t i = 8; i < size - 4; i++) {
        unsigned char kept = bytes[i];
        if (kept > 1)
            continue;
        bytes[i] = 2;
        uint32_t crc = (uint32_t)crc32(0, bytes, (uInt)(size - 4));
        for (size_t c = 0; c < 4; c++)
            bytes[size - 4 + c] = (unsigned char)(crc >> (8 * c));
        char *other = written_again(state, bytes, size, &now);
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
        cmocka_unit_test(an_older_model_is_refused),
        cmocka_unit_test_setup_teardown(a_byte_that_says_something_else_is_heard, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
