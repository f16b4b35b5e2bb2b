/* SPDX-License-Identifier: Apache-2.0 */
/* onefold score: the agreement of one labelling, or of many, with another. */
#include "others.h"
#include "verbs.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* The scores that are shown, with what they mean. */
static const struct {
    const char *name, *key, *meaning;
    size_t place;
} figures[] = {
    {"ACC", "acc", "samples that agree under the best matching of clusters and classes",
     offsetof(onefold_scores, acc)},
    {"NMI", "nmi", "mutual information over the larger entropy", offsetof(onefold_scores, nmi)},
    {"NMI sum", "nmi_sum", "over the mean of the entropies", offsetof(onefold_scores, nmi_sum)},
    {"NMI sqrt", "nmi_sqrt", "over their geometric mean", offsetof(onefold_scores, nmi_sqrt)},
    {"purity", "purity", "samples of the most frequent class of their cluster",
     offsetof(onefold_scores, purity)},
    {"ARI", "ari", "adjusted Rand index", offsetof(onefold_scores, ari)},
    {"F", "f", "over pairs of samples", offsetof(onefold_scores, f)},
    {"precision", "precision", "pairs of one cluster that are of one class",
     offsetof(onefold_scores, precision)},
    {"recall", "recall", "pairs of one class that are of one cluster",
     offsetof(onefold_scores, recall)},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static double figure(const onefold_scores *scores, size_t place)
{
    return *(const double *)((const char *)scores + figures[place].place);
}

static onefold_status show(const cli_call *call, onefold_dataset *const *labels, int matched,
                           size_t ignored, const onefold_scores *scores)
{
    size_t samples = onefold_dataset_describe(labels[0])->samples;
    cli_screen screen = cli_screen_of(stdout);
    errno = 0;
    cli_line(&screen, "labels", CLI_PLAIN, "%zu samples%s%zu cluster%s%s%zu class%s\n", samples,
             cli_dot(&screen), scores->clusters, scores->clusters == 1 ? "" : "s", cli_dot(&screen),
             scores->classes, scores->classes == 1 ? "" : "es");
    cli_margin(&screen, "compared");
    for (int i = 0; i < 2; i++)
        cli_put(&screen, CLI_PLAIN, "%s%s of %s", i ? " with " : "",
                onefold_dataset_describe(labels[i])->note[0], call->operands[i]);
    cli_put(&screen, CLI_PLAIN, "%s\n", matched ? ", matched by id" : ", matched by order");
    if (ignored)
        cli_line(&screen, NULL, CLI_WARN, "%zu sample%s of %s %s not in %s: ignored\n", ignored,
                 ignored == 1 ? "" : "s", call->operands[1], ignored == 1 ? "is" : "are",
                 call->operands[0]);
    const char *run[2] = {onefold_dataset_describe(labels[0])->note[1],
                          onefold_dataset_describe(labels[1])->note[1]};
    if (*run[0] && strcmp(run[0], run[1]) == 0)
        cli_line(&screen, NULL, CLI_WARN, "both are labels of run %s\n", run[0]);
    else if (*run[0] && *run[1])
        cli_line(&screen, NULL, CLI_WARN, "labels of different runs: %s of run %s, %s of run %s\n",
                 call->operands[0], run[0], call->operands[1], run[1]);
    for (size_t i = 0; i < FIGURES; i++) {
        cli_line(&screen, figures[i].name, CLI_GOOD, "%7.2f", 100 * figure(scores, i));
        cli_put(&screen, CLI_FAINT, "  %s\n", figures[i].meaning);
    }
    return cli_flush_output();
}

static onefold_status compare(const cli_call *call, onefold_dataset *const *labels)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    int matched = 0;
    size_t ignored = onefold_dataset_describe(labels[1])->samples;
    CLI_TRY(onefold_labels_match(labels[1], labels[0], &matched));
    ignored -= onefold_dataset_describe(labels[1])->samples;
    size_t samples = onefold_dataset_describe(labels[0])->samples,
           others = onefold_dataset_describe(labels[1])->samples;
    if (samples != others)
        return cli_hint(cli_fail(ONEFOLD_BAD_DATA, "%s has %zu labels, and %s has %zu",
                                 call->operands[0], samples, call->operands[1], others),
                        "both must be of the same samples, in the same order");
    CLI_TRY(onefold_score(&scores, ONEFOLD_INT32, onefold_dataset_describe(labels[0])->truth,
                          onefold_dataset_describe(labels[1])->truth, samples));
    if (!call->value[CLI_JSON].given)
        return show(call, labels, matched, ignored, &scores);
    onefold_report page = ONEFOLD_REPORT_INIT;
    page.scores = &scores;
    page.samples = samples;
    return cli_json_print(&page);
}

/* ---- many labellings ------------------------------------------------------------------------- */

/* Mean and deviation (n - 1) of a figure. */
static void spread(const onefold_scores *scores, size_t count, size_t place, double *mean,
                   double *deviation)
{
    double square = 0;
    *mean = 0;
    for (size_t r = 0; r < count; r++)
        *mean += figure(&scores[r], place) / (double)count;
    for (size_t r = 0; r < count; r++)
        square += (figure(&scores[r], place) - *mean) * (figure(&scores[r], place) - *mean);
    *deviation = count > 1 ? sqrt(square / (double)(count - 1)) : 0;
}

static void json_many(const onefold_scores *scores, size_t count, size_t samples)
{
    static const char *const parts[] = {"mean", "deviation", "scores"};
    double value[2];
    printf("{\"onefold\": \"%s\", \"samples\": %zu, \"labellings\": %zu", onefold_version(),
           samples, count);
    for (int part = 0; part < 3; part++) {
        printf(", \"%s\": {", parts[part]);
        for (size_t i = 0; i < FIGURES; i++) {
            spread(scores, count, i, &value[0], &value[1]);
            printf("%s\"%s\": ", i ? ", " : "", figures[i].key);
            if (part < 2)
                cli_print(stdout, "%.17g", value[part]);
            for (size_t r = 0; part == 2 && r < count; r++)
                cli_print(stdout, "%s%.17g", r ? ", " : "[", figure(&scores[r], i));
            fputs(part == 2 ? "]" : "", stdout);
        }
        putchar('}');
    }
    puts("}");
}

static void show_many(const cli_call *call, const onefold_scores *scores,
                      const cli_labellings *labels)
{
    cli_screen screen = cli_screen_of(stdout);
    const char *between = screen.unicode ? " \xc2\xb1 " : " +- ";
    cli_line(&screen, "labels", CLI_PLAIN, "%zu samples%s%zu labellings%s%zu classes\n",
             labels->samples, cli_dot(&screen), labels->count, cli_dot(&screen), scores->classes);
    cli_line(&screen, "compared", CLI_PLAIN, "%s with %s, matched by %s; mean%sdeviation (n - 1)\n",
             call->operands[0], call->operands[1], labels->matched ? "id" : "order", between);
    for (size_t i = 0; i < FIGURES; i++) {
        double mean, deviation;
        spread(scores, labels->count, i, &mean, &deviation);
        cli_line(&screen, figures[i].name, CLI_GOOD, "%7.2f%s%5.2f", 100 * mean, between,
                 100 * deviation);
        cli_put(&screen, CLI_FAINT, "  %s\n", figures[i].meaning);
    }
}

/* Whether the first operand is a matrix of labellings; its scores are then printed. */
static onefold_status compare_many(const cli_session *session, const onefold_dataset *truth,
                                   int *done)
{
    CLI_SCRATCH(scratch);
    const cli_call *call = session->call;
    cli_labellings labels;
    onefold_scores *scores;
    CLI_TRY(cli_labellings_read(session->context, call->operands[0], truth, &scratch, &labels));
    *done = labels.count > 1;
    if (!*done)
        return ONEFOLD_OK;
    CLI_TRY(CLI_NEW(&scratch, &scores, labels.count));
    for (size_t r = 0; r < labels.count; r++) {
        scores[r].struct_size = sizeof *scores;
        CLI_TRY(onefold_score(&scores[r], ONEFOLD_INT32, labels.label + r * labels.samples,
                              onefold_dataset_describe(truth)->truth, labels.samples));
    }
    errno = 0;
    if (call->value[CLI_JSON].given)
        json_many(scores, labels.count, labels.samples);
    else
        show_many(call, scores, &labels);
    return cli_flush_output();
}

onefold_status cli_score(cli_call *call)
{
    onefold_dataset *labels[2] = {NULL, NULL};
    int done = 0;
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    onefold_status status = onefold_labels_read(&labels[0], session.context, call->operands[0]),
                   one = status;
    if (status == ONEFOLD_OK || status == ONEFOLD_BAD_DATA)
        status = onefold_labels_read(&labels[1], session.context, call->operands[1]);
    if (status == ONEFOLD_OK)
        status = cli_check_read(&session);
    if (status == ONEFOLD_OK && one != ONEFOLD_OK)
        status = compare_many(&session, labels[1], &done);
    if (status == ONEFOLD_OK && !done)
        status = compare(call, labels);
    onefold_dataset_free(labels[0]);
    onefold_dataset_free(labels[1]);
    return status;
}
