/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Under load: 64 fits in parallel threads give the bits of one alone, and memory does not grow over
 * consecutive fits. ONEFOLD_FITS is their number (100; ./dev soak has more).
 */
#include "support/check.h"
#include "support/whole.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 64 };

static onefold_dataset *made(uint64_t seed)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    options.samples = 60;
    options.views = 2;
    options.clusters = 3;
    options.seed = seed;
    if (onefold_dataset_synth(&data, NULL, &options) != ONEFOLD_OK)
        return NULL;
    return data;
}

/* A hash of a fit, its model and a prediction; 0 where one failed. */
static uint64_t round_trip(uint64_t seed, int threads)
{
    onefold_context *context = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_prediction prediction = ONEFOLD_PREDICTION_INIT;
    int32_t labels[60];
    uint64_t hash = 0;
    onefold_dataset *data = made(seed);
    options.clusters = 3;
    options.seed = seed;
    options.keep_model = 1;
    options.method = seed % 2 ? "onefold" : "os-lfmvc-cs";
    options.effort = ONEFOLD_EFFORT_QUICK;
    prediction.labels = labels;
    if (data && onefold_context_create(&context, NULL) == ONEFOLD_OK &&
        onefold_context_set_threads(context, threads) == ONEFOLD_OK &&
        onefold_fit(&result, context, data, &options) == ONEFOLD_OK &&
        onefold_predict(&prediction, context, onefold_result_describe(result)->model, data, 0,
                        60) == ONEFOLD_OK) {
        const onefold_fit_info *info = onefold_result_describe(result);
        hash = whole_hash(0, info->labels, sizeof labels);
        hash = whole_hash(hash, &info->objective, sizeof info->objective);
        hash = whole_hash(hash, labels, sizeof labels);
    }
    onefold_result_free(result);
    onefold_context_free(context);
    onefold_dataset_free(data);
    return hash;
}

typedef struct task {
    uint64_t seed, hash;
} task;

static void *work(void *opaque)
{
    task *own = opaque;
    own->hash = round_trip(own->seed, 1 + (int)(own->seed % 2));
    return NULL;
}

static void many_fits_at_once_get_the_bits_of_one(void **state)
{
    (void)state;
    enum { KINDS = 4 };
    static task tasks[AT_ONCE];
    static pthread_t thread[AT_ONCE];
    uint64_t alone[KINDS];
    for (uint64_t seed = 0; seed < KINDS; seed++) {
        alone[seed] = round_trip(seed, 1);
        assert_true(alone[seed] != 0);
    }
    for (size_t i = 0; i < AT_ONCE; i++) {
        tasks[i] = (task){.seed = i % KINDS};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &tasks[i]), 0);
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < AT_ONCE; i++)
        assert_true(tasks[i].hash == alone[i % KINDS]);
}

/* Bytes that the process holds, and how many files are open. */
static size_t held_bytes(void)
{
    long pages = 0, resident = 0;
    malloc_trim(0);
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%ld %ld", &pages, &resident), 2);
    fclose(file);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

static int next_descriptor(void)
{
    int descriptor = dup(0);
    close(descriptor);
    return descriptor;
}

static void fits_in_a_row_leave_the_memory_as_it_was(void **state)
{
    (void)state;
    const char *asked = getenv("ONEFOLD_FITS");
    size_t fits = asked ? strtoul(asked, NULL, 10) : 100, before = 0;
    uint64_t first[2] = {round_trip(0, 2), round_trip(1, 2)};
    int descriptor = 0;
    for (size_t i = 0; i < fits; i++) {
        assert_true(round_trip(i % 2, 1 + (int)(i / 2 % 2)) == first[i % 2]);
        if (i == fits / 2) {
            before = held_bytes();
            descriptor = next_descriptor();
        }
    }
    size_t after = held_bytes();
    printf("%zu fits: %zu bytes held after half of them, %zu after all\n", fits, before, after);
    assert_int_equal(next_descriptor(), descriptor);
#if !defined(ONEFOLD_SANITIZED) /* sanitizers keep what was freed */
    assert_true(after < before + ((size_t)1 << 20));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_fits_at_once_get_the_bits_of_one),
        cmocka_unit_test(fits_in_a_row_leave_the_memory_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
