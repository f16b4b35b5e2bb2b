/* SPDX-License-Identifier: Apache-2.0 */
/* onefold score: the agreement of two labellings. */
#include "verbs.h"

#include <errno.h>
#include <string.h>

static onefold_status show(const cli_call *call, onefold_dataset *const *labels, int matched,
                           size_t ignored, const onefold_scores *scores)
{
    size_t samples = onefold_dataset_describe(labels[0])->samples;
    const struct {
        const char *name, *meaning;
        double value;
    } shown[] = {
        {"ACC", "samples that agree under the best matching of clusters and classes", scores->acc},
        {"NMI", "mutual information over the larger entropy", scores->nmi},
        {"NMI sum", "over the mean of the entropies", scores->nmi_sum},
        {"NMI sqrt", "over their geometric mean", scores->nmi_sqrt},
        {"purity", "samples of the most frequent class of their cluster", scores->purity},
        {"ARI", "adjusted Rand index", scores->ari},
        {"F", "over pairs of samples", scores->f},
        {"precision", "pairs of one cluster that are of one class", scores->precision},
        {"recall", "pairs of one class that are of one cluster", scores->recall},
    };
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
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        cli_line(&screen, shown[i].name, CLI_GOOD, "%7.2f", 100 * shown[i].value);
        cli_put(&screen, CLI_FAINT, "  %s\n", shown[i].meaning);
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

onefold_status cli_score(cli_call *call)
{
    onefold_dataset *labels[2] = {NULL, NULL};
    CLI_SESSION(session);
    CLI_TRY(cli_session_start(&session, call));
    onefold_status status = ONEFOLD_OK;
    for (int i = 0; i < 2 && status == ONEFOLD_OK; i++)
        status = onefold_labels_read(&labels[i], session.context, call->operands[i]);
    if (status == ONEFOLD_OK)
        status = cli_check_read(&session);
    if (status == ONEFOLD_OK)
        status = compare(call, labels);
    onefold_dataset_free(labels[0]);
    onefold_dataset_free(labels[1]);
    return status;
}
