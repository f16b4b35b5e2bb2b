/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a whole fit goes: bench_gpu_fit cpu|gpu|predict CLUSTERS LABELS FILE... reads
 * the files, fits them in single precision, writes the labels, and prints when each step began and
 * how long it took, in milliseconds. `predict` is on a card, too, keeps a model and labels the same
 * samples with it, from memory, three times.
 */
#include "base/clock.h"
#include "onefold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double began, last;

static void say(const char *what)
{
    double now = of_clock_seconds();
    printf("%8.1f\t%8.1f\t%s\n", 1e3 * (last - began), 1e3 * (now - last), what);
    last = now;
}

#define RUN(call)                                                                                  \
    do {                                                                                           \
        if ((call) != ONEFOLD_OK) {                                                                \
            fprintf(stderr, "%s\n", onefold_last_error());                                         \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

/* What is done between two calls of the hook, by the stage that it is called in. */
static void note_progress(void *user, const onefold_progress *progress)
{
    static char before[64] = "until the first view";
    char now[64];
    (void)user;
    snprintf(now, sizeof now, "%s %.40s", progress->stage,
             progress->detail && strcmp(progress->stage, "base") == 0 ? progress->detail : "");
    if (strcmp(now, before) == 0)
        return;
    say(before);
    snprintf(before, sizeof before, "%s", now);
}

static int predict(onefold_context *context, const onefold_model *model,
                   const onefold_dataset *dataset)
{
    onefold_predictor *predictor;
    onefold_prediction out = ONEFOLD_PREDICTION_INIT;
    size_t n = onefold_dataset_samples(dataset);
    out.labels = calloc(n, sizeof *out.labels);
    RUN(onefold_predictor_create(&predictor, context, model));
    for (int t = 0; t < 3; t++) {
        last = of_clock_seconds();
        RUN(onefold_predictor_feed(predictor, dataset, 0, n, &out));
        say("predicted");
    }
    printf("\t\t%zu of %zu by the card\n", onefold_predictor_on_card(predictor), 3 * n);
    onefold_predictor_free(predictor);
    free(out.labels);
    return 0;
}

int main(int count, char **arguments)
{
    onefold_context *context;
    onefold_dataset *dataset;
    onefold_result *result;
    onefold_fit_info info = ONEFOLD_FIT_INFO_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    if (count < 5) {
        fprintf(stderr, "usage: bench_gpu_fit cpu|gpu|predict CLUSTERS LABELS FILE...\n");
        return 2;
    }
    began = last = of_clock_seconds();
    hooks.progress = note_progress;
    RUN(onefold_context_create(&context, &hooks));
    if (strcmp(arguments[1], "cpu") != 0)
        RUN(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
    say("start of the card");
    RUN(onefold_dataset_read(&dataset, context, (const char *const *)arguments + 4,
                             (size_t)(count - 4), NULL));
    say("read");
    options.method = "os-lfmvc-cs";
    options.clusters = strtoull(arguments[2], NULL, 10);
    options.precision = ONEFOLD_SINGLE;
    options.keep_model = strcmp(arguments[1], "predict") == 0;
    RUN(onefold_fit(&result, context, dataset, &options));
    say("after the solver");
    RUN(onefold_result_describe(result, &info));
    printf("\t\tof which base %.1f, solver %.1f ms, %zu passes\n", 1e3 * info.seconds_base,
           1e3 * info.seconds_fit, info.iterations);
    RUN(onefold_labels_write(onefold_result_labels(result), info.samples, context, arguments[3]));
    say("labels written");
    if (options.keep_model && predict(context, onefold_result_model(result), dataset))
        return 1;
    onefold_result_free(result);
    say("result released");
    onefold_dataset_free(dataset);
    say("data released");
    onefold_context_free(context);
    say("card given back");
    return 0;
}
