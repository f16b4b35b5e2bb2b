/* SPDX-License-Identifier: Apache-2.0 */
/* Fits whose memory comes from the caller: the bytes after a block must not be written, and no
 * result may depend on the first content of a block. This test is for every build, with more
 * samples than those of the sanitizers have time for. */
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 256, HEAD = 64 };

typedef struct guarded {
    unsigned char first; /* what a fresh block is full of */
    size_t broken;
} guarded;

static void *allocate(void *user, size_t size)
{
    const guarded *of = user;
    unsigned char *raw = NULL;
    if (posix_memalign((void **)&raw, 64, HEAD + size + GUARD) != 0)
        return NULL;
    memcpy(raw, &size, sizeof size);
    memset(raw + HEAD, of->first, size);
    memset(raw + HEAD + size, 0x5a, GUARD);
    return raw + HEAD;
}

static void release(void *user, void *memory)
{
    guarded *of = user;
    if (!memory)
        return;
    unsigned char *raw = (unsigned char *)memory - HEAD;
    size_t size, broken = 0;
    memcpy(&size, raw, sizeof size);
    for (size_t i = 0; i < GUARD; i++)
        broken += raw[HEAD + size + i] != 0x5a;
    __atomic_fetch_add(&of->broken, broken, __ATOMIC_RELAXED);
    free(raw);
}

/* The labels and the objective of a fit in such memory. */
static double fit(const char *method, onefold_synth_options synth, unsigned char first,
                  int32_t *labels)
{
    guarded of = {.first = first};
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    onefold_context *context = NULL;
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    hooks.user = &of;
    hooks.allocate = allocate;
    hooks.release = release;
    options.method = method;
    options.clusters = synth.clusters;
    options.restarts = 2;
    options.keep_model = strcmp(method, "onefold") == 0 || strcmp(method, "os-lfmvc-cs") == 0;
    CHECK_OK(onefold_context_create(&context, &hooks));
    CHECK_OK(onefold_dataset_synth(&data, context, &synth));
    CHECK_OK(onefold_fit(&result, context, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    memcpy(labels, onefold_result_describe(result)->labels, synth.samples * sizeof *labels);
    double objective = info->objective;
    if (options.keep_model) {
        int32_t *again = malloc(synth.samples * sizeof *again);
        onefold_prediction prediction = {sizeof prediction, again, NULL, NULL, NULL, NULL};
        CHECK_OK(onefold_predict(&prediction, context, onefold_result_describe(result)->model, data,
                                 0, synth.samples));
        free(again);
    }
    onefold_result_free(result);
    onefold_dataset_free(data);
    onefold_context_free(context);
    assert_int_equal(of.broken, 0);
    return objective;
}

static void check(const char *method, onefold_synth_options synth)
{
    int32_t *labels = malloc(2 * synth.samples * sizeof *labels);
    double objective = fit(method, synth, 0, labels);
    CHECK_CLOSE(fit(method, synth, 0xff, labels + synth.samples), objective, 0, 0); /* NaN */
    assert_memory_equal(labels, labels + synth.samples, synth.samples * sizeof *labels);
    free(labels);
}

static void every_method_keeps_to_its_memory(void **state)
{
    (void)state;
    for (size_t i = 0; onefold_method_describe(i); i++)
        for (int missing = 0; missing < 2; missing++) {
            onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
            const char *method = onefold_method_describe(i)->name;
            synth.samples = 90;
            synth.clusters = 3;
            synth.views = 2;
            synth.missing = missing ? 0.2 : 0;
            if (missing && strcmp(method, "onefold") != 0 && strcmp(method, "os-lfmvc-cs") != 0)
                continue;
            print_message("  %s%s\n", method, missing ? ", views that samples lack" : "");
            check(method, synth);
        }
}

/* More samples than the even sample has. */
static void and_so_does_the_default_on_many_samples(void **state)
{
    (void)state;
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    size_t columns[] = {2, 2};
    synth.samples = 33500;
    synth.clusters = 2;
    synth.views = 2;
    synth.columns = columns;
    int32_t *labels = malloc(synth.samples * sizeof *labels);
    fit("onefold", synth, 0xff, labels);
    free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_keeps_to_its_memory),
        cmocka_unit_test(and_so_does_the_default_on_many_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
