/* SPDX-License-Identifier: Apache-2.0 */
/* onefold predict: labels new samples with a saved model, batch by batch. */
#include "verbs.h"

#include "outputs.h"
#include "session.h"

#include <string.h>
#include <strings.h>

/* Samples of a batch, on the CPU and on a GPU. */
enum { BATCH = 1 << 14, GPU_BATCH = 1 << 22 };

typedef struct prediction_job {
    cli_session session;
    onefold_model *model;
    const onefold_model_info *info;
    size_t samples;
    size_t on_gpu;          /* samples that a GPU has labelled */
    onefold_prediction out; /* of all samples, or of a batch */
    int all;                /* which of the two */
    size_t *sizes;          /* of each cluster */
    size_t far;             /* samples further away than any training sample */
    onefold_labels_writer *file;
    double seconds;
} prediction_job;

static int to_file(const prediction_job *job)
{
    return job->session.call->value[CLI_LABELS].given;
}

static onefold_status put_labels(prediction_job *job, const onefold_prediction *here, size_t first,
                                 size_t count)
{
    if (job->file)
        return onefold_labels_writer_add(job->file, here->labels, here->confidence, count);
    if (!cli_labels_printed(job->session.call))
        return ONEFOLD_OK;
    cli_labels_print(&job->session, here->labels, here->confidence, first, count);
    return ferror(stdout) ? cli_flush_output() : ONEFOLD_OK;
}

/* Whether the confidence of the labels is an output. */
static int says_confidence(const cli_value *value)
{
    const char *path = value[CLI_LABELS].text, *dot = path ? strrchr(path, '.') : NULL;
    return value[CLI_JSON].given || value[CLI_REPORT].given || value[CLI_NAMES].given ||
           (path && !(dot && (strcasecmp(dot, ".npy") == 0 || strcasecmp(dot, ".txt") == 0)));
}

static size_t batch_of(const prediction_job *job)
{
    const cli_value *device = &job->session.call->value[CLI_DEVICE];
    return device->given && device->word != ONEFOLD_DEVICE_CPU ? GPU_BATCH : BATCH;
}

/* Allocates the results of all samples, if an output needs all at once, or of a batch. */
static onefold_status make_room(prediction_job *job, cli_arena *arena)
{
    const cli_value *value = job->session.call->value;
    const onefold_dataset *names;
    int json = value[CLI_JSON].given || value[CLI_REPORT].given,
        split = job->samples >= onefold_context_describe(job->session.context)->split_from;
    if (split && !cli_ranks_first()) /* the first process gets all results */
        return ONEFOLD_OK;
    job->all = json || split || onefold_dataset_describe(job->session.dataset)->truth;
    size_t batch = batch_of(job), count = job->all || job->samples < batch ? job->samples : batch;
    CLI_TRY(CLI_NEW(arena, &job->out.labels, count));
    if (json || cli_says(job->session.call))
        CLI_TRY(CLI_NEW(arena, &job->out.distance, count));
    if (says_confidence(value))
        CLI_TRY(CLI_NEW(arena, &job->out.confidence, count));
    CLI_TRY(CLI_NEW(arena, &job->sizes, job->info->clusters));
    if (!to_file(job) || !cli_ranks_first())
        return ONEFOLD_OK;
    CLI_TRY(cli_labels_names(&job->session, &names));
    return onefold_labels_writer_create(&job->file, job->session.context, value[CLI_LABELS].text,
                                        job->samples, names, says_confidence(value));
}

static onefold_status label_batch(prediction_job *job, onefold_predictor *predictor, size_t first,
                                  size_t count)
{
    onefold_prediction here = job->out;
    if (job->all) {
        here.labels += first;
        if (here.distance)
            here.distance += first;
        if (here.confidence)
            here.confidence += first;
    }
    CLI_TRY(onefold_predictor_feed(predictor, job->session.dataset, first, count, &here));
    if (!here.labels)
        return ONEFOLD_OK;
    for (size_t j = 0; j < count; j++) {
        job->sizes[here.labels[j]]++;
        job->far += here.distance && here.distance[j] > job->info->distance_most;
    }
    return put_labels(job, &here, first, count);
}

/* Samples that are split over processes are one batch, labelled by all processes. */
static onefold_status label_all(prediction_job *job, onefold_predictor *predictor)
{
    size_t batch = cli_ranks_count() > 1 ? job->samples : batch_of(job);
    for (size_t first = 0; first < job->samples; first += batch) {
        size_t left = job->samples - first;
        CLI_TRY(label_batch(job, predictor, first, left < batch ? left : batch));
    }
    job->on_gpu = onefold_predictor_on_gpu(predictor);
    cli_progress_end(job->session.progress);
    if (cli_interrupted())
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    if (job->file)
        return onefold_labels_writer_finish(job->file);
    return cli_labels_printed(job->session.call) ? cli_flush_output() : ONEFOLD_OK;
}

/* ---- the summary ---------------------------------------------------------------------------- */

/* Lines on what was assumed of the data, and on ignored columns and absent views. */
static void data_lines(const cli_screen *screen, const prediction_job *job)
{
    const onefold_dataset_info *info = onefold_dataset_describe(job->session.dataset);
    char *text = NULL, *rest;
    for (size_t i = 0; i < info->assumptions; i++)
        cli_line(screen, NULL, CLI_WARN, "%s\n", info->assumption[i]);
    if (onefold_model_remarks(&text, job->model, job->session.dataset) != ONEFOLD_OK)
        return;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        cli_line(screen, NULL, CLI_WARN, "%s\n", line);
    onefold_free(text);
}

/* A warning if the truth is the labels of another run than the model's. */
static void run_line(const cli_screen *screen, const prediction_job *job)
{
    const cli_value *truth = &job->session.call->value[CLI_TRUTH];
    onefold_dataset *labels = NULL;
    if (!truth->given || !*job->info->run ||
        onefold_labels_read(&labels, job->session.context, truth->text) != ONEFOLD_OK)
        return; /* a column or a variable of the data */
    const char *run = onefold_dataset_describe(labels)->note[1];
    if (*run && strcmp(run, job->info->run) != 0)
        cli_line(screen, NULL, CLI_WARN,
                 "%s has the labels of run %s, and the model is of run %s\n", truth->text, run,
                 job->info->run);
    onefold_dataset_free(labels);
}

static onefold_status show(const prediction_job *job, const onefold_scores *scores)
{
    const cli_call *call = job->session.call;
    cli_screen screen = cli_screen_of(to_file(job) ? stdout : stderr);
    const char *dot = cli_dot(&screen);
    char read[32], predict[32];
    size_t views = onefold_dataset_describe(job->session.dataset)->views;
    cli_line(&screen, "model", CLI_PLAIN, "%s%sfitted on %zu samples%s%zu clusters\n",
             call->operands[0], dot, job->info->samples, dot, job->info->clusters);
    cli_line(&screen, "data", CLI_PLAIN, "%zu sample%s%s%zu view%s\n", job->samples,
             job->samples == 1 ? "" : "s", dot, views, views == 1 ? "" : "s");
    data_lines(&screen, job);
    run_line(&screen, job);
    cli_margin(&screen, "sizes");
    for (size_t c = 0; c < job->info->clusters && c < 20; c++)
        cli_put(&screen, CLI_PLAIN, "%s%zu", c ? " " : "", job->sizes[c]);
    cli_put(&screen, CLI_PLAIN, "%s\n", job->info->clusters > 20 ? " ..." : "");
    if (job->far)
        cli_line(&screen, "far", CLI_WARN,
                 "%zu sample%s farther from the training data than any training sample\n", job->far,
                 job->far == 1 ? " is" : "s are");
    if (scores)
        cli_scores_line(&screen, scores);
    if (batch_of(job) == GPU_BATCH)
        cli_line(&screen, "device", CLI_PLAIN, "%zu of %zu samples labelled by the GPU\n",
                 job->on_gpu, job->samples);
    cli_line(&screen, "time", CLI_PLAIN, "read %s%spredict %s%s%.3g samples/s\n",
             cli_seconds_text(read, job->session.seconds_read), dot,
             cli_seconds_text(predict, job->seconds), dot,
             job->seconds > 0 ? (double)job->samples / job->seconds : 0);
    cli_line(&screen, "labels", CLI_PLAIN, "%s\n", cli_labels_place(call));
    return to_file(job) ? cli_flush_output() : ONEFOLD_OK;
}

static onefold_status print_result(const prediction_job *job, const onefold_report *page)
{
    const cli_call *call = job->session.call;
    if (call->value[CLI_JSON].given)
        return cli_json_print(page);
    return cli_says(call) ? show(job, page->scores) : ONEFOLD_OK;
}

/* Refuses --impute with another word than that of the fit: the model keeps means or medians. */
static onefold_status check_impute(const prediction_job *job)
{
    const cli_value *asked = &job->session.call->value[CLI_IMPUTE];
    const char *kept = onefold_name(ONEFOLD_NAMES_IMPUTE, job->info->impute), *word = asked->text;
    if (!asked->given || strcmp(word, kept) == 0)
        return ONEFOLD_OK;
    return cli_hint(cli_fail(ONEFOLD_USAGE,
                             "--impute %s was given, but the model keeps each column's %s", word,
                             kept),
                    "give --impute %s, or fit the model with --impute %s", kept, word);
}

/* Lists the columns of the model, by which tables are read. */
static onefold_status list_columns(prediction_job *job, cli_arena *arena)
{
    const char **all;
    size_t total = 0;
    for (size_t v = 0; v < job->info->views; v++)
        total += job->info->view[v]->column_names ? job->info->view[v]->columns : 0;
    if (!total)
        return ONEFOLD_OK;
    CLI_TRY(CLI_NEW(arena, &all, total));
    job->session.expected = all;
    for (size_t v = 0; v < job->info->views; v++) {
        const char *const *names = job->info->view[v]->column_names;
        for (size_t i = 0; names && i < job->info->view[v]->columns; i++)
            all[job->session.expected_count++] = names[i];
    }
    return ONEFOLD_OK;
}

static onefold_status predict(prediction_job *job, cli_arena *arena)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    onefold_predictor *predictor = NULL;
    int scored = 0;
    const cli_call *call = job->session.call;
    CLI_TRY(onefold_model_read(&job->model, job->session.context, call->operands[0]));
    job->info = onefold_model_describe(job->model);
    CLI_TRY(check_impute(job));
    CLI_TRY(list_columns(job, arena));
    CLI_TRY(cli_session_read(&job->session, 1, call->operand_count - 1));
    job->samples = onefold_dataset_describe(job->session.dataset)->samples;
    CLI_TRY(make_room(job, arena));
    double began = cli_clock();
    CLI_TRY(onefold_predictor_create(&predictor, job->session.context, job->model));
    onefold_status status = label_all(job, predictor);
    onefold_predictor_free(predictor);
    CLI_TRY(status);
    job->seconds = cli_clock() - began;
    if (!cli_ranks_first())
        return ONEFOLD_OK;
    if (job->all)
        CLI_TRY(cli_score_labels(&job->session, job->out.labels, &scores, &scored));
    onefold_report page = cli_page(&job->session);
    page.name = call->operands[1];
    page.model_path = call->operands[0];
    page.model = job->model;
    page.prediction = &job->out;
    page.samples = job->samples;
    page.scores = scored ? &scores : NULL;
    page.seconds_predict = job->seconds;
    CLI_TRY(cli_report_write(&job->session, &page));
    CLI_TRY(cli_session_place(&job->session));
    return print_result(job, &page);
}

onefold_status cli_predict(cli_call *call)
{
    CLI_TRY(cli_labels_check(call));
    CLI_TRY(cli_check_outputs(call));
    prediction_job job = {.out = ONEFOLD_PREDICTION_INIT};
    CLI_TRY(cli_session_start(&job.session, call));
    cli_arena arena = {NULL};
    onefold_status status = predict(&job, &arena);
    onefold_labels_writer_free(job.file);
    cli_arena_free(&arena);
    onefold_model_free(job.model);
    cli_session_end(&job.session);
    return status;
}
