/* SPDX-License-Identifier: Apache-2.0 */
/* The predictor handle, and models in memory: through the public header. */
#include "onefold.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 150, VIEWS = 2, CLUSTERS = 3, DIMS = 2 * CLUSTERS };

typedef struct answers {
    int32_t labels[SAMPLES];
    double confidence[SAMPLES], distance[SAMPLES], embedding[SAMPLES * DIMS], part[SAMPLES * VIEWS];
} answers;

static onefold_prediction place(answers *to, size_t first)
{
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    prediction.labels = to->labels + first;
    prediction.confidence = to->confidence + first;
    prediction.distance = to->distance + first;
    prediction.embedding = to->embedding + first * DIMS;
    prediction.view_part = to->part + first * VIEWS;
    return prediction;
}

typedef struct fitted {
    onefold_dataset *data;
    onefold_result *result;
    const onefold_model *model;
} fitted;

static int set_up(void **state)
{
    static fitted made;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    synth.samples = SAMPLES;
    synth.views = VIEWS;
    synth.clusters = CLUSTERS;
    options.method = "os-lfmvc-cs";
    options.clusters = CLUSTERS;
    options.keep_model = 1;
    CHECK_OK(onefold_dataset_synth(&made.data, NULL, &synth));
    CHECK_OK(onefold_fit(&made.result, NULL, made.data, &options));
    made.model = onefold_result_describe(made.result)->model;
    assert_non_null(made.model);
    *state = &made;
    return 0;
}

static int tear_down(void **state)
{
    fitted *made = *state;
    onefold_result_free(made->result);
    onefold_dataset_free(made->data);
    return 0;
}

static void pieces_are_the_whole(void **state)
{
    const fitted *of = *state;
    static answers whole, fed;
    onefold_predictor *predictor = NULL;
    onefold_prediction prediction = place(&whole, 0);
    CHECK_OK(onefold_predict(&prediction, NULL, of->model, of->data, 0, SAMPLES));
    assert_memory_equal(whole.labels, onefold_result_describe(of->result)->labels,
                        sizeof whole.labels);
    CHECK_OK(onefold_predictor_create(&predictor, NULL, of->model));
    for (size_t first = 0; first < SAMPLES; first += 47) {
        size_t count = SAMPLES - first < 47 ? SAMPLES - first : 47;
        prediction = place(&fed, first);
        CHECK_OK(onefold_predictor_feed(predictor, of->data, first, count, &prediction));
    }
    assert_memory_equal(&whole, &fed, sizeof whole);
    prediction = (onefold_prediction)ONEFOLD_PREDICTION_INIT; /* nothing is wanted: allowed */
    CHECK_OK(onefold_predictor_feed(predictor, of->data, 0, SAMPLES, &prediction));
    onefold_predictor_free(predictor);
    onefold_predictor_free(NULL);
}

static void misuse_is_refused(void **state)
{
    const fitted *of = *state;
    onefold_predictor *predictor = NULL;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *other = NULL;
    CHECK_FAILS(onefold_predictor_create(NULL, NULL, of->model), ONEFOLD_USAGE, "a place");
    CHECK_FAILS(onefold_predictor_create(&predictor, NULL, NULL), ONEFOLD_USAGE, "a model");
    assert_null(predictor);
    CHECK_OK(onefold_predictor_create(&predictor, NULL, of->model));
    CHECK_FAILS(onefold_predictor_feed(predictor, NULL, 0, 1, &prediction), ONEFOLD_USAGE,
                "a data set");
    CHECK_FAILS(onefold_predictor_feed(predictor, of->data, SAMPLES - 1, 2, &prediction),
                ONEFOLD_USAGE, "of 150");
    prediction.struct_size = 0;
    CHECK_FAILS(onefold_predictor_feed(predictor, of->data, 0, 1, &prediction), ONEFOLD_USAGE, "");
    prediction.struct_size = sizeof prediction;
    synth.views = VIEWS + 1;
    CHECK_OK(onefold_dataset_synth(&other, NULL, &synth));
    CHECK_FAILS(onefold_predictor_feed(predictor, other, 0, 1, &prediction), ONEFOLD_BAD_DATA,
                "views");
    onefold_dataset_free(other);
    onefold_predictor_free(predictor);
}

static void bytes_are_the_model(void **state)
{
    const fitted *of = *state;
    static answers before, after;
    void *bytes = NULL, *again = NULL;
    size_t size = 0, size_again = 0;
    onefold_model *model = NULL;
    onefold_prediction prediction = place(&before, 0);
    CHECK_OK(onefold_predict(&prediction, NULL, of->model, of->data, 0, SAMPLES));
    CHECK_OK(onefold_model_encode(&bytes, &size, NULL, of->model));
    CHECK_OK(onefold_model_decode(&model, NULL, bytes, size));
    prediction = place(&after, 0);
    CHECK_OK(onefold_predict(&prediction, NULL, model, of->data, 0, SAMPLES));
    assert_memory_equal(&before, &after, sizeof before);
    CHECK_OK(onefold_model_encode(&again, &size_again, NULL, model));
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
    onefold_model_free(model);
    model = NULL;
    for (size_t cut = 0; cut < size; cut += size / 7 + 1) /* cut short anywhere: refused */
        CHECK_FAILS(onefold_model_decode(&model, NULL, bytes, cut), ONEFOLD_BAD_DATA, "");
    ((unsigned char *)bytes)[size / 2] ^= 64;
    CHECK_FAILS(onefold_model_decode(&model, NULL, bytes, size), ONEFOLD_BAD_DATA, "");
    assert_null(model);
    onefold_free(bytes);
    onefold_free(again);
    onefold_free(NULL);
}

static void a_model_file_is_told_from_others(void **state)
{
    const fitted *of = *state;
    void *folder;
    assert_int_equal(folder_make(&folder), 0);
    const char *path = folder_path(&folder, "fit.model"), *other = folder_path(&folder, "o.txt");
    CHECK_OK(onefold_model_write(of->model, NULL, path));
    int32_t labels[] = {0, 1};
    CHECK_OK(onefold_labels_write(labels, NULL, 2, NULL, NULL, other));
    assert_true(onefold_model_is_file(path));
    assert_false(onefold_model_is_file(other));
    assert_false(onefold_model_is_file("there/is/none"));
    folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_the_whole),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(bytes_are_the_model),
        cmocka_unit_test(a_model_file_is_told_from_others),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
