/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of a whole fit goes: bench_gpu_fit cpu|gpu|kept|predict CLUSTERS LABELS FILE...
 * reads the files, fits them in single precision, writes the labels, and prints when each step
 * began and how long it took, in milliseconds. `kept` has the samples on the GPU before it begins.
 * `predict` is on a GPU, too, keeps a model and labels the same samples with it, from memory,
 * three times.
 */
#include "base/context.h"
#include "base/device.h"
#include "data/dataset.h"

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
    size_t n = onefold_dataset_describe(dataset)->samples;
    out.labels = calloc(n, sizeof *out.labels);
    RUN(onefold_predictor_create(&predictor, context, model));
    for (int t = 0; t < 3; t++) {
        last = of_clock_seconds();
        RUN(onefold_predictor_feed(predictor, dataset, 0, n, &out));
        say("predicted");
    }
    printf("\t\t%zu of %zu by the GPU\n", onefold_predictor_on_gpu(predictor), 3 * n);
    onefold_predictor_free(predictor);
    free(out.labels);
    return 0;
}

/* ---- what the GPU's functions take, by name -------------------------------------------------- */

static const of_device_table *library;
static struct timed {
    const char *name;
    double seconds;
    size_t calls;
} timed[] = {{"pass", 0, 0},          {"gram", 0, 0},           {"predict", 0, 0},
             {"labels_store", 0, 0},  {"labels_fetch", 0, 0},   {"explain", 0, 0},
             {"kmeans", 0, 0},        {"landmarks_mean", 0, 0}, {"landmarks_gram", 0, 0},
             {"project_begin", 0, 0}, {"project_kept", 0, 0},   {"project_end", 0, 0},
             {"rows_multiply", 0, 0}, {"stack_rows", 0, 0},     {"stack_make", 0, 0},
             {"stack_store", 0, 0},   {"stack_fetch", 0, 0},    {"embed", 0, 0},
             {"stack_free", 0, 0},    {"piece", 0, 0},          {"pass (starts)", 0, 0}};

/* What the GPU waits between two of its functions, by their names. */
enum { FUNCTIONS = sizeof timed / sizeof *timed };
static struct gap {
    double seconds;
    size_t times;
} gaps[FUNCTIONS][FUNCTIONS];
static size_t before_it = FUNCTIONS; /* the function that ended last, at: */
static double ended;

static void note(size_t which, double since)
{
    if (before_it < FUNCTIONS) {
        gaps[before_it][which].seconds += since - ended;
        gaps[before_it][which].times++;
    }
    before_it = which;
    ended = of_clock_seconds();
    timed[which].seconds += ended - since;
    timed[which].calls++;
}

#define TIMED(which, name, declared, given)                                                        \
    static int timed_##name declared                                                               \
    {                                                                                              \
        double since = of_clock_seconds();                                                         \
        int code = library->name given;                                                            \
        note(which, since);                                                                        \
        return code;                                                                               \
    }
/* Passes of the starts, which compete on a sample, come before all samples are labelled. */
static int timed_pass(of_device_stack *X, of_device_pass *task)
{
    double since = of_clock_seconds();
    int code = library->pass(X, task);
    note(timed[2].calls ? 0 : 20, since);
    return code;
}
TIMED(1, gram, (of_device_stack * X, double *N), (X, N))
TIMED(2, predict, (of_device_stack * X, const of_device_predict *task), (X, task))
TIMED(3, labels_store, (of_device_stack * X, size_t slot, const int32_t *from), (X, slot, from))
TIMED(4, labels_fetch, (of_device_stack * X, size_t slot, int32_t *to), (X, slot, to))
TIMED(5, explain,
      (of_device_stack * X, size_t p, size_t mu, const double *CW, const double *beta, int32_t *own,
       double *sure),
      (X, p, mu, CW, beta, own, sure))
TIMED(6, kmeans, (of_device * gpu, of_device_kmeans *task), (gpu, task))
TIMED(7, landmarks_mean,
      (of_device * gpu, const of_device_landmarks *marks, size_t n, size_t first, size_t count,
       const double *x, double *sum),
      (gpu, marks, n, first, count, x, sum))
TIMED(8, landmarks_gram,
      (of_device * gpu, const of_device_landmarks *marks, size_t n, const double *kbar,
       const double *row_mean, double mean, double *gram),
      (gpu, marks, n, kbar, row_mean, mean, gram))
TIMED(9, project_begin, (of_device_stack * X, const of_device_projection *told, size_t bytes),
      (X, told, bytes))
TIMED(10, project_kept, (of_device_stack * X, const void *from, size_t first, size_t n, int *done),
      (X, from, first, n, done))
TIMED(11, project_end, (of_device_stack * X, double *inner), (X, inner))
TIMED(12, rows_multiply,
      (of_device_stack * X, size_t row, size_t rows, const double *lower, double *largest),
      (X, row, rows, lower, largest))
TIMED(13, stack_rows, (of_device_stack * to, size_t row, of_device_stack *from), (to, row, from))
TIMED(14, stack_make,
      (of_device * gpu, size_t rows, size_t n, int doubles, size_t spare, of_device_stack **stack,
       int *streams),
      (gpu, rows, n, doubles, spare, stack, streams))
TIMED(15, stack_store,
      (of_device_stack * X, size_t row, size_t rows, size_t first, size_t n, const void *from,
       size_t ld, int floats),
      (X, row, rows, first, n, from, ld, floats))
TIMED(16, stack_fetch,
      (of_device_stack * X, size_t first, const size_t *place, size_t n, double *to),
      (X, first, place, n, to))
TIMED(17, embed, (of_device_stack * X, size_t rows, const double *M, int unit, double *H),
      (X, rows, M, unit, H))
TIMED(19, piece, (of_device_stack * X, int which, size_t first, size_t n), (X, which, first, n))
static void timed_stack_free(of_device_stack *X)
{
    double since = of_clock_seconds();
    library->stack_free(X);
    note(18, since);
}

static void time_table(onefold_context *context)
{
    static of_device_table table;
    if (!context->device)
        return;
    library = context->device->table;
    table = *library;
#define OWN(name) table.name = timed_##name
    OWN(pass), OWN(gram), OWN(predict), OWN(labels_store), OWN(labels_fetch), OWN(explain);
    OWN(kmeans), OWN(landmarks_mean), OWN(landmarks_gram), OWN(project_begin), OWN(project_kept);
    OWN(project_end), OWN(rows_multiply), OWN(stack_rows), OWN(stack_make), OWN(stack_store);
    OWN(stack_fetch), OWN(embed), OWN(stack_free), OWN(piece);
#undef OWN
    context->device->table = &table;
}

static void say_table(void)
{
    for (size_t i = 0; i < FUNCTIONS; i++)
        if (timed[i].calls)
            printf("\t\t%8.1f ms in %zu calls of %s\n", 1e3 * timed[i].seconds, timed[i].calls,
                   timed[i].name);
    for (size_t i = 0; i < FUNCTIONS; i++)
        for (size_t j = 0; j < FUNCTIONS; j++)
            if (gaps[i][j].seconds > 5e-4)
                printf("\t\t%8.1f ms in %zu waits after %s for %s\n", 1e3 * gaps[i][j].seconds,
                       gaps[i][j].times, timed[i].name, timed[j].name);
}

/* Copies of all samples to the GPU, to stay there. */
static int keep_samples(onefold_context *context, const onefold_dataset *dataset)
{
    const of_device_use *use = of_device_for(context, dataset->set.samples);
    for (size_t i = 0; i < dataset->set.view_count; i++) {
        const of_view *view = &dataset->set.views[i];
        if (use->table->keep(use->device, view->data,
                             view->samples * view->columns * sizeof(float)) != OF_DEVICE_OK) {
            fprintf(stderr, "%s\n", use->table->message());
            return 1;
        }
    }
    return 0;
}

int main(int count, char **arguments)
{
    onefold_context *context;
    onefold_dataset *dataset;
    onefold_result *result;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    if (count < 5) {
        fprintf(stderr, "usage: bench_gpu_fit cpu|gpu|kept|predict CLUSTERS LABELS FILE...\n");
        return 2;
    }
    began = last = of_clock_seconds();
    hooks.progress = note_progress;
    RUN(onefold_context_create(&context, &hooks));
    if (strcmp(arguments[1], "cpu") != 0)
        RUN(onefold_context_set_device(context, ONEFOLD_DEVICE_GPU));
    time_table(context);
    say("start of the GPU");
    RUN(onefold_dataset_read(&dataset, context, (const char *const *)arguments + 4,
                             (size_t)(count - 4), NULL));
    say("read");
    if (strcmp(arguments[1], "kept") == 0 && keep_samples(context, dataset))
        return 1;
    say("samples kept on the GPU");
    options.no_embedding = 1;
    options.method = "os-lfmvc-cs";
    options.clusters = strtoull(arguments[2], NULL, 10);
    options.precision = ONEFOLD_SINGLE;
    options.keep_model = strcmp(arguments[1], "predict") == 0;
    RUN(onefold_fit(&result, context, dataset, &options));
    say("after the solver");
    const onefold_fit_info *info = onefold_result_describe(result);
    printf("\t\tof which base %.1f, solver %.1f ms, %zu passes\n", 1e3 * info->seconds_base,
           1e3 * info->seconds_fit, info->iterations);
    say_table();
    RUN(onefold_labels_write(info->labels, NULL, info->samples, NULL, context, arguments[3]));
    say("labels written");
    if (options.keep_model && predict(context, onefold_result_describe(result)->model, dataset))
        return 1;
    onefold_result_free(result);
    say("result released");
    onefold_dataset_free(dataset);
    say("data released");
    onefold_context_free(context);
    say("GPU given back");
    return 0;
}
