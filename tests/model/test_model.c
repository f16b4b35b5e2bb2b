/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: any changed byte, any truncation and any harmful number is refused with a sentence
 * or does no harm. */
#include "model/model.h"

#include "support/ask.h"
#include "support/folder.h"
#include "support/mixed.h"
#include "support/paper_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SMALL = 24 };

/* A small model with a projection of every form, and what it was fitted on. */
typedef struct small {
    onefold_dataset *data;
    unsigned char *bytes;
    size_t size;
} small;

static const char *const kernels[] = {"rbf,rbf,graph,auto", "linear,auto,cosine,auto"};

static small make(void **state, size_t which, onefold_base base)
{
    small made = {.data = mixed(SMALL, 0, SMALL)};
    onefold_fit_options options = paper_options();
    onefold_result *result = NULL;
    options.clusters = MIXED_CLUSTERS;
    options.dims = MIXED_CLUSTERS;
    options.kernel = kernels[which];
    options.base = base;
    options.landmarks = base == ONEFOLD_BASE_NYSTROM ? 4 : 0;
    options.keep_model = 1;
    CHECK_OK(onefold_fit(&result, NULL, made.data, &options));
    CHECK_OK(onefold_model_write(onefold_result_describe(result)->model, NULL,
                                 folder_path(state, "model")));
    made.bytes = (unsigned char *)folder_read(folder_path(state, "model"), &made.size);
    onefold_result_free(result);
    return made;
}

static void end(small *model)
{
    onefold_dataset_free(model->data);
    free(model->bytes);
}

/* Parses a copy of the bytes, so that a sanitizer sees a read past the end. */
static onefold_status parse(const unsigned char *bytes, size_t size, onefold_context *context,
                            onefold_model **model)
{
    unsigned char *own = malloc(size ? size : 1);
    memcpy(own, bytes, size);
    onefold_status status = onefold_model_decode(model, context, own, size);
    free(own);
    return status;
}

static void every_flipped_byte_is_noticed(void **state)
{
    for (size_t which = 0; which < 2; which++) {
        small model = make(state, which, ONEFOLD_BASE_EXACT);
        for (size_t i = 0; i < model.size; i++)
            for (unsigned bit = 1; bit < 256; bit *= i < 32 ? 2 : 16) {
                onefold_model *read = NULL;
                model.bytes[i] ^= (unsigned char)bit;
                assert_int_equal(parse(model.bytes, model.size, NULL, &read), ONEFOLD_BAD_DATA);
                assert_null(read);
                assert_true(onefold_last_error()[0]);
                model.bytes[i] ^= (unsigned char)bit;
            }
        end(&model);
    }
}

static void every_truncation_is_noticed(void **state)
{
    small model = make(state, 0, ONEFOLD_BASE_EXACT);
    for (size_t size = 0; size < model.size; size++) {
        onefold_model *read = NULL;
        CHECK_FAILS(parse(model.bytes, size, NULL, &read), ONEFOLD_BAD_DATA,
                    size < 8 ? "this is not a model" : "truncated");
    }
    unsigned char *longer = calloc(model.size + 1, 1);
    memcpy(longer, model.bytes, model.size);
    onefold_model *read = NULL;
    CHECK_FAILS(parse(longer, model.size + 1, NULL, &read), ONEFOLD_BAD_DATA, "damaged");
    free(longer);
    end(&model);
}

static void put_checksum(small *model)
{
    uint32_t crc = (uint32_t)crc32(0, model->bytes, (uInt)(model->size - 4));
    for (size_t i = 0; i < 4; i++)
        model->bytes[model->size - 4 + i] = (unsigned char)(crc >> (8 * i));
}

/* A damaged model with a right checksum: refused, or it gives valid labels, within a small limit of
 * memory. */
static size_t survives(const small *model, onefold_context *context)
{
    onefold_model *read = NULL;
    size_t refused = 1;
    onefold_status status = parse(model->bytes, model->size, context, &read);
    if (status == ONEFOLD_OK) {
        int32_t labels[SMALL];
        double confidence[SMALL], distance[SMALL];
        onefold_prediction prediction = {sizeof prediction, labels, confidence,
                                         distance,          NULL,   NULL};
        refused = 0;
        status = onefold_predict(&prediction, context, read, model->data, 0, SMALL);
        for (size_t j = 0; status == ONEFOLD_OK && j < SMALL; j++)
            assert_true(labels[j] >= 0 && (size_t)labels[j] < read->info.clusters);
    }
    assert_true(status == ONEFOLD_OK || status == ONEFOLD_BAD_DATA);
    onefold_model_free(read);
    return refused;
}

/* Of the harmful numbers at a place every one is tried, or, where the build makes each trial ten
 * times as long, every sixth, another at the next place: `./dev test --full` asks for all. */
static size_t stride_of_trials(void)
{
#if defined(ONEFOLD_SANITIZED)
    return check_everything() ? 1 : 6;
#else
    return 1;
#endif
}

/* Every place of the model overwritten by the numbers that do most harm. */
static void numbers_made_to_mislead(void **state)
{
    static const unsigned char patterns[][8] = {
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, /* 2^64 - 1, and NaN */
        {0, 0, 0, 0, 0, 0, 0, 0},
        {0, 0, 0, 0, 0, 0, 0xf0, 0x7f},       /* infinity */
        {0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0}, /* 2^31 - 1 */
        {0, 0, 0, 0, 1, 0, 0, 0},             /* 2^32 */
        {1, 0, 0, 0, 0, 0, 0, 0x80},
        {2, 0, 0, 0, 2, 0, 0, 0},
    };
    static const size_t width[] = {8, 4, 1};
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    CHECK_OK(onefold_context_set_memory_limit(context, 64 << 20));
    for (size_t which = 0; which < 4; which++) {
        small model = make(state, which % 2, which < 2 ? ONEFOLD_BASE_EXACT : ONEFOLD_BASE_NYSTROM);
        size_t refused = 0, tried = 0, stride = stride_of_trials();
        for (size_t i = 8; i + 12 <= model.size; i++)
            for (size_t p = i % stride; p < sizeof patterns / sizeof *patterns; p += stride) {
                unsigned char kept[8];
                size_t w = width[(i + p) % 3];
                memcpy(kept, model.bytes + i, 8);
                memcpy(model.bytes + i, patterns[p], w);
                put_checksum(&model);
                refused += survives(&model, context);
                tried++;
                memcpy(model.bytes + i, kept, 8);
            }
        put_checksum(&model);
        assert_int_equal(survives(&model, context), 0);
        assert_true(refused > 0 && refused < tried);
        end(&model);
    }
    onefold_context_free(context);
}

static void formats_and_kinds_of_files(void **state)
{
    small model = make(state, 0, ONEFOLD_BASE_EXACT);
    onefold_model *read = NULL;
    assert_memory_equal(model.bytes, "\x89OFM\r\n\x1a\n", 8);
    model.bytes[8] = 8;
    put_checksum(&model);
    CHECK_FAILS(parse(model.bytes, model.size, NULL, &read), ONEFOLD_BAD_DATA,
                "the model has format 8, and this version reads 7");
    model.bytes[8] = 1;
    put_checksum(&model);
    CHECK_FAILS(parse(model.bytes, model.size, NULL, &read), ONEFOLD_BAD_DATA,
                "the model has format 1, and this version reads 7");
    model.bytes[8] = 0;
    put_checksum(&model);
    CHECK_FAILS(parse(model.bytes, model.size, NULL, &read), ONEFOLD_BAD_DATA, "format 0");
    const char *path = folder_path(state, "nothing");
    CHECK_FAILS(onefold_model_read(&read, NULL, path), ONEFOLD_IO, "there is no such file");
    CHECK_FAILS(onefold_model_read(&read, NULL, folder_path(state, ".")), ONEFOLD_IO, "not a file");
    FILE *text = fopen(folder_path(state, "text"), "w");
    CHECK_FAILS(onefold_model_read(&read, NULL, folder_path(state, "text")), ONEFOLD_BAD_DATA,
                "the file is empty");
    fputs("1,2,3\n4,5,6\n", text);
    fclose(text);
    CHECK_FAILS(onefold_model_read(&read, NULL, folder_path(state, "text")), ONEFOLD_BAD_DATA,
                "this is not a model");
    CHECK_FAILS(onefold_model_read(NULL, NULL, path), ONEFOLD_USAGE, "needs a place");
    CHECK_FAILS(onefold_model_write(NULL, NULL, path), ONEFOLD_USAGE, "needs a model");
    assert_null(read);
    end(&model);
}

/* Whole or not at all: a disk that fills up leaves the file that was there. */
static void a_full_disk_leaves_the_old_model(void **state)
{
    small model = make(state, 0, ONEFOLD_BASE_EXACT);
    onefold_model *read = NULL;
    CHECK_OK(onefold_model_read(&read, NULL, folder_path(state, "model")));
    folder_limit_files(model.size / 2);
    onefold_status status = onefold_model_write(read, NULL, folder_path(state, "model"));
    folder_limit_files(SIZE_MAX);
    assert_int_equal(status, ONEFOLD_IO);
    assert_int_equal(folder_count(state), 1);
    size_t size;
    char *bytes = folder_read(folder_path(state, "model"), &size);
    assert_int_equal(size, model.size);
    assert_memory_equal(bytes, model.bytes, size);
    free(bytes);
    /* and what is read is written with the same bytes */
    CHECK_OK(onefold_model_write(read, NULL, folder_path(state, "again")));
    bytes = folder_read(folder_path(state, "again"), &size);
    assert_int_equal(size, model.size);
    assert_memory_equal(bytes, model.bytes, size);
    free(bytes);
    onefold_model_free(read);
    end(&model);
}

static void every_allocation_fails_once(void **state)
{
    small model = make(state, 0, ONEFOLD_BASE_EXACT);
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    onefold_status status = ONEFOLD_NO_MEMORY;
    for (long at = 1; status != ONEFOLD_OK; at++) {
        onefold_model *read = NULL;
        int32_t labels[SMALL];
        onefold_prediction prediction = {sizeof prediction, labels, NULL, NULL, NULL, NULL};
        atomic_store(&context->allocations_until_failure, at);
        status = onefold_model_read(&read, context, folder_path(state, "model"));
        assert_true((status == ONEFOLD_OK) == (read != NULL));
        if (read)
            status = onefold_predict(&prediction, context, read, model.data, 0, SMALL);
        atomic_store(&context->allocations_until_failure, -1);
        assert_true(status == ONEFOLD_OK || status == ONEFOLD_NO_MEMORY);
        onefold_model_free(read);
        assert_int_equal(atomic_load(&context->bytes), 0);
    }
    onefold_context_free(context);
    end(&model);
}

static void models_tell_what_they_are(void **state)
{
    small model = make(state, 0, ONEFOLD_BASE_EXACT);
    onefold_model *read = NULL;
    CHECK_OK(onefold_model_read(&read, NULL, folder_path(state, "model")));
    const onefold_model_info *info = onefold_model_describe(read);
    assert_string_equal(info->version, ONEFOLD_VERSION);
    assert_int_equal(info->samples, SMALL);
    assert_int_equal(info->clusters, MIXED_CLUSTERS);
    assert_int_equal(info->dims, MIXED_CLUSTERS);
    assert_int_equal(info->views, 4);
    assert_int_equal(info->bytes, model.size);
    assert_int_equal(info->holds_samples, 1);
    assert_string_equal(ask_model_view(read, 0).name, "dense");
    assert_string_equal(ask_model_view(read, 0).kernel, "rbf");
    assert_string_equal(onefold_name(ONEFOLD_NAMES_PREP, ask_model_view(read, 0).prep),
                        "standardise");
    assert_int_equal(ask_model_view(read, 0).columns, MIXED_DENSE);
    assert_int_equal(ask_model_view(read, 0).kept_columns, MIXED_DENSE - 1);
    assert_int_equal(ask_model_view(read, 0).points, SMALL);
    assert_int_equal(ask_model_view(read, 0).holds_samples, 1);
    assert_string_equal(ask_model_view(read, 2).kernel, "graph");
    assert_int_equal(ask_model_view(read, 2).holds_samples, 0);
    assert_string_equal(onefold_name(ONEFOLD_NAMES_STORAGE, ask_model_view(read, 3).storage),
                        "kernel");
    assert_int_equal(ask_model_view(read, 3).holds_samples, 1);
    double square = 0;
    for (size_t i = 0; i < 4; i++)
        square += ask_model_view(read, i).weight * ask_model_view(read, i).weight;
    CHECK_CLOSE(square, 1, 1e-10, 0);
    assert_null(onefold_model_describe(NULL));
    onefold_model_free(read);
    onefold_model_free(NULL);
    end(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_flipped_byte_is_noticed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_truncation_is_noticed, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(numbers_made_to_mislead, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(formats_and_kinds_of_files, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_full_disk_leaves_the_old_model, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_fails_once, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(models_tell_what_they_are, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
