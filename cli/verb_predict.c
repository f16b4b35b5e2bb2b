/* SPDX-License-Identifier: Apache-2.0 */
/* onefold predict: label new samples with a saved model, a batch of them at a time. */
#include "verbs.h"

#include "interrupt.h"
#include "ranks.h"

#include "base/clock.h"
#include "base/comm.h"
#include "data/dataset.h"
#include "data/fingerprint.h"
#include "io/write.h"
#include "linalg/blas.h"
#include "model/predict.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

enum { BATCH = 1 << 14 };

/* Where labels go as they come: a file, standard output, or memory for what needs them all. */
typedef struct label_sink {
    of_label_file file;
    int to_file, to_output;
    int32_t *labels; /* all of them, or NULL */
    double *confidence, *distance;
} label_sink;

typedef struct prediction_job {
    cli_session session;
    onefold_model *model;
    onefold_model_info info;
    size_t samples;
    of_range own;  /* those that this process labels */
    size_t *sizes; /* of each cluster */
    size_t far;    /* samples further away than any training sample */
    label_sink sink;
    double seconds;
} prediction_job;

static onefold_status put_labels(label_sink *sink, const int32_t *labels, size_t count)
{
    if (sink->to_file)
        return of_label_file_add(&sink->file, labels, count);
    errno = 0;
    for (size_t i = 0; sink->to_output && i < count; i++)
        printf("%d\n", (int)labels[i]);
    return sink->to_output && ferror(stdout) ? cli_flush_output() : ONEFOLD_OK;
}

/* What has to be known of all samples at once, or can go out as it comes. */
static onefold_status open_sink(prediction_job *job, of_arena *arena)
{
    const cli_value *value = job->session.call->value;
    label_sink *sink = &job->sink;
    int json = value[CLI_JSON].given, split = of_comm_splits(job->session.context, job->samples);
    if (json || split || onefold_dataset_truth(job->session.dataset))
        OF_TRY(OF_NEW(arena, &sink->labels, job->samples, 1));
    if (json) {
        OF_TRY(OF_NEW(arena, &sink->confidence, job->samples, 1));
        OF_TRY(OF_NEW(arena, &sink->distance, job->samples, 1));
    }
    sink->to_file = value[CLI_LABELS].given && cli_ranks_first();
    sink->to_output = !value[CLI_LABELS].given && !json && cli_ranks_first();
    return sink->to_file ? of_label_file_open(&sink->file, job->session.context,
                                              value[CLI_LABELS].text, job->samples)
                         : ONEFOLD_OK;
}

static onefold_status label_stretch(prediction_job *job, const of_predictor *predictor,
                                    onefold_prediction *room, size_t first)
{
    size_t count = job->own.end - first < BATCH ? job->own.end - first : BATCH;
    label_sink *sink = &job->sink;
    OF_TRY(of_predictor_run(predictor, first, count, room));
    for (size_t j = 0; j < count; j++) {
        job->sizes[room->labels[j]]++;
        job->far += room->distance[j] > job->info.distance_most;
    }
    if (sink->labels)
        memcpy(sink->labels + first, room->labels, count * sizeof *room->labels);
    if (sink->confidence) {
        memcpy(sink->confidence + first, room->confidence, count * sizeof *room->confidence);
        memcpy(sink->distance + first, room->distance, count * sizeof *room->distance);
    }
    for (size_t i = 0; i < job->info.views; i++)
        of_view_release(&job->session.dataset->set.views[i], first, count);
    return of_comm_splits(job->session.context, job->samples)
               ? ONEFOLD_OK /* they go out when all are here */
               : put_labels(sink, room->labels, count);
}

/* ---- several processes -------------------------------------------------------------------- */

/* Refuses to go on unless every process has the same model and data. */
static onefold_status check_same(const prediction_job *job, const of_predictor *predictor)
{
    onefold_context *context = job->session.context;
    char print[OF_FINGERPRINT + 32];
    if (cli_ranks_count() == 1)
        return ONEFOLD_OK;
    OF_TRY(of_comm_same(context, predictor->fused,
                        job->info.clusters * predictor->stack * sizeof *predictor->fused,
                        "models"));
    snprintf(print, sizeof print, "%31zu", job->samples);
    OF_TRY(of_dataset_fingerprint_first(context, &job->session.dataset->set, OF_FINGERPRINT_SAMPLES,
                                        print + 31));
    return of_comm_same(context, print, strlen(print), "data");
}

/* What the others have labelled, for the first process to write. */
static onefold_status bring_together(prediction_job *job)
{
    onefold_context *context = job->session.context;
    label_sink *sink = &job->sink;
    size_t n = job->samples, clusters = job->info.clusters;
    if (!of_comm_splits(context, n))
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    double *counts;
    OF_TRY(OF_NEW(&scratch, &counts, clusters + 1, 1));
    for (size_t c = 0; c < clusters; c++)
        counts[c] = (double)job->sizes[c];
    counts[clusters] = (double)job->far;
    OF_TRY(of_comm_total(context, n, clusters + 1, counts));
    for (size_t c = 0; c < clusters; c++)
        job->sizes[c] = (size_t)counts[c];
    job->far = (size_t)counts[clusters];
    OF_TRY(of_comm_gather(context, sink->labels, sizeof *sink->labels, n));
    if (sink->confidence) {
        OF_TRY(of_comm_gather(context, sink->confidence, sizeof *sink->confidence, n));
        OF_TRY(of_comm_gather(context, sink->distance, sizeof *sink->distance, n));
    }
    return put_labels(sink, sink->labels, n);
}

/* ---- all of them -------------------------------------------------------------------------- */

static onefold_status label_all(prediction_job *job)
{
    onefold_context *context = job->session.context;
    OF_SCRATCH(scratch, context);
    of_predictor predictor;
    onefold_prediction room = ONEFOLD_PREDICTION_INIT;
    size_t most = job->samples < BATCH ? job->samples : BATCH;
    OF_TRY(
        of_predictor_make(context, &scratch, job->model, &job->session.dataset->set, &predictor));
    OF_TRY(check_same(job, &predictor));
    predictor.apart = 1;
    OF_TRY(OF_NEW(&scratch, &room.labels, most, 1));
    OF_TRY(OF_NEW(&scratch, &room.distance, most, 1));
    if (job->sink.confidence)
        OF_TRY(OF_NEW(&scratch, &room.confidence, most, 1));
    for (size_t first = job->own.first; first < job->own.end; first += BATCH) {
        of_context_progress(context, "predict", (double)(first - job->own.first),
                            (double)(job->own.end - job->own.first), NULL);
        OF_TRY(label_stretch(job, &predictor, &room, first));
    }
    OF_TRY(bring_together(job));
    cli_progress_end(&job->session.progress);
    if (cli_interrupted())
        return of_fail(ONEFOLD_INTERRUPTED, "interrupted");
    if (job->sink.to_file)
        return of_label_file_commit(&job->sink.file);
    return job->sink.to_output ? cli_flush_output() : ONEFOLD_OK;
}

/* ---- telling ------------------------------------------------------------------------------ */

static onefold_status show(const prediction_job *job, const onefold_scores *scores)
{
    const cli_call *call = job->session.call;
    cli_screen screen = cli_screen_of(job->sink.to_file ? stdout : stderr);
    const char *dot = cli_dot(&screen);
    char read[32], predict[32];
    cli_margin(&screen, "model");
    cli_put(&screen, CLI_PLAIN, "%s%sfitted on %zu samples%s%zu clusters\n", call->operands[0], dot,
            job->info.samples, dot, job->info.clusters);
    cli_margin(&screen, "data");
    cli_put(&screen, CLI_PLAIN, "%zu sample%s%s%zu view%s\n", job->samples,
            job->samples == 1 ? "" : "s", dot, job->info.views, job->info.views == 1 ? "" : "s");
    cli_margin(&screen, "sizes");
    for (size_t c = 0; c < job->info.clusters && c < 20; c++)
        cli_put(&screen, CLI_PLAIN, "%s%zu", c ? " " : "", job->sizes[c]);
    cli_put(&screen, CLI_PLAIN, "%s\n", job->info.clusters > 20 ? " ..." : "");
    if (job->far) {
        cli_margin(&screen, "far");
        cli_put(&screen, CLI_WARN,
                "%zu sample%s further from what was seen in training than any "
                "training sample\n",
                job->far, job->far == 1 ? " is" : "s are");
    }
    if (scores)
        cli_scores_line(&screen, scores);
    cli_margin(&screen, "time");
    cli_put(&screen, CLI_PLAIN, "read %s%spredict %s%s%.3g samples/s\n",
            cli_seconds_text(read, job->session.seconds_read), dot,
            cli_seconds_text(predict, job->seconds), dot,
            job->seconds > 0 ? (double)job->samples / job->seconds : 0);
    cli_margin(&screen, "labels");
    cli_put(&screen, CLI_PLAIN, "%s\n",
            job->sink.to_file ? call->value[CLI_LABELS].text : "on standard output");
    return job->sink.to_file ? cli_flush_output() : ONEFOLD_OK;
}

static onefold_status tell(const prediction_job *job, const onefold_scores *scores)
{
    const cli_call *call = job->session.call;
    struct rusage usage;
    if (!call->value[CLI_JSON].given)
        return cli_says(call) ? show(job, scores) : ONEFOLD_OK;
    of_predict_report report = {
        .model = call->operands[0],
        .info = &job->info,
        .samples = job->samples,
        .labels = job->sink.labels,
        .confidence = job->sink.confidence,
        .distance = job->sink.distance,
        .sizes = job->sizes,
        .far = job->far,
        .scores = scores,
        .threads = job->session.threads,
        .seconds_read = job->session.seconds_read,
        .seconds_predict = job->seconds,
        .seconds_total = of_clock_seconds() - job->session.began,
        .peak_bytes = getrusage(RUSAGE_SELF, &usage) == 0 ? (size_t)usage.ru_maxrss * 1024 : 0,
    };
    return of_json_predict(stdout, &report);
}

/* Missing values are filled in by what the model keeps of the training samples, and it keeps one
 * thing. */
static onefold_status check_impute(const prediction_job *job)
{
    static const char *const words[] = {"mean", "median"};
    const cli_value *asked = &job->session.call->value[CLI_IMPUTE];
    if (!asked->given || strcmp(words[asked->word], job->info.impute) == 0)
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_USAGE,
                           "--impute %s is asked for, and the model keeps each "
                           "column's %s",
                           words[asked->word], job->info.impute),
                   "give --impute %s, or fit the model with --impute %s", job->info.impute,
                   words[asked->word]);
}

static onefold_status predict(prediction_job *job, of_arena *arena)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    int scored = 0;
    const cli_call *call = job->session.call;
    OF_TRY(onefold_model_read(&job->model, job->session.context, call->operands[0]));
    OF_TRY(onefold_model_describe(job->model, &job->info));
    OF_TRY(check_impute(job));
    OF_TRY(cli_session_read_from(&job->session, 1, call->operand_count - 1));
    job->samples = onefold_dataset_samples(job->session.dataset);
    job->own = of_comm_own(job->session.context, job->samples);
    OF_TRY(OF_NEW_ZERO(arena, &job->sizes, job->info.clusters, 1));
    OF_TRY(open_sink(job, arena));
    double began = of_clock_seconds();
    int threads = of_blas_enter();
    onefold_status status = label_all(job);
    of_blas_leave(threads);
    OF_TRY(status);
    job->seconds = of_clock_seconds() - began;
    if (!cli_ranks_first())
        return ONEFOLD_OK;
    if (job->sink.labels)
        OF_TRY(cli_score_labels(&job->session, job->sink.labels, &scores, &scored));
    return tell(job, scored ? &scores : NULL);
}

onefold_status cli_predict(cli_call *call)
{
    if (call->value[CLI_LABELS].given && cli_ranks_first()) {
        const char *const outputs[1][2] = {{"--labels", call->value[CLI_LABELS].text}};
        OF_TRY(cli_check_outputs(call, call->operand_count, outputs, 1, ".npy .csv .txt .mat"));
    }
    prediction_job job = {.info = ONEFOLD_MODEL_INFO_INIT, .sink = {.file = OF_LABEL_FILE_INIT}};
    OF_TRY(cli_session_start(&job.session, call));
    of_arena arena = of_arena_make(job.session.context);
    onefold_status status = predict(&job, &arena);
    of_label_file_abandon(&job.sink.file);
    of_arena_free(&arena);
    onefold_model_free(job.model);
    cli_session_end(&job.session);
    return status;
}
