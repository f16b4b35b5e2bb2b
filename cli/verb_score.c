/* SPDX-License-Identifier: Apache-2.0 */
/* onefold score: how one labelling agrees with another. */
#include "verbs.h"

#include "io/find.h"

#include <errno.h>
#include <string.h>

/* The labels of a file as numbers: those it has, or the places of its words in alphabetical order.
 */
static onefold_status read_labels(of_context *context, of_arena *arena, const char *path,
                                  int64_t **values, size_t *count)
{
    of_file file = {0};
    of_labels labels;
    of_dataset *named = NULL;
    onefold_status status = of_file_read(&file, context, path);
    if (status == ONEFOLD_OK)
        status = of_labels_of_file(arena, &file, &labels);
    if (status == ONEFOLD_OK)
        status = of_dataset_make(&named, context, labels.length);
    if (status == ONEFOLD_OK)
        status = of_labels_assign(named, &labels);
    if (status == ONEFOLD_OK)
        status = OF_NEW(arena, values, labels.length, 1);
    for (size_t i = 0; status == ONEFOLD_OK && i < labels.length; i++)
        (*values)[i] = named->truth[i];
    if (status == ONEFOLD_OK)
        *count = labels.length;
    of_dataset_free(named);
    of_file_close(&file);
    return status;
}

static onefold_status show(size_t samples, const onefold_scores *scores)
{
    const struct {
        const char *name, *meaning;
        double value;
    } shown[] = {
        {"ACC", "samples that agree, clusters matched with classes one to one", scores->acc},
        {"NMI", "mutual information over the larger entropy", scores->nmi},
        {"NMI sum", "over the mean of the entropies", scores->nmi_sum},
        {"NMI sqrt", "over their geometric mean", scores->nmi_sqrt},
        {"purity", "samples of their cluster's commonest class", scores->purity},
        {"ARI", "adjusted Rand index", scores->ari},
        {"F", "over pairs of samples", scores->f},
        {"precision", "pairs of one cluster that are of one class", scores->precision},
        {"recall", "pairs of one class that are of one cluster", scores->recall},
    };
    cli_screen screen = cli_screen_of(stdout);
    errno = 0;
    cli_margin(&screen, "labels");
    cli_put(&screen, CLI_PLAIN, "%zu samples%s%zu cluster%s%s%zu class%s\n", samples,
            cli_dot(&screen), scores->clusters, scores->clusters == 1 ? "" : "s", cli_dot(&screen),
            scores->classes, scores->classes == 1 ? "" : "es");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        cli_margin(&screen, shown[i].name);
        cli_put(&screen, CLI_GOOD, "%7.2f", 100 * shown[i].value);
        cli_put(&screen, CLI_FAINT, "  %s\n", shown[i].meaning);
    }
    return cli_flush_output();
}

onefold_status cli_score(cli_call *call)
{
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    int64_t *labels[2];
    size_t samples[2];
    CLI_SESSION(session);
    OF_TRY(cli_session_start(&session, call));
    OF_SCRATCH(scratch, session.context);
    for (int i = 0; i < 2; i++)
        OF_TRY(read_labels(session.context, &scratch, call->operands[i], &labels[i], &samples[i]));
    if (samples[0] != samples[1])
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "%s has %zu labels, and %s has %zu",
                               call->operands[0], samples[0], call->operands[1], samples[1]),
                       "both must be of the same samples, in the same order");
    OF_TRY(onefold_score(&scores, labels[0], labels[1], samples[0]));
    if (call->value[CLI_JSON].given)
        return of_json_scores(stdout, samples[0], &scores);
    return show(samples[0], &scores);
}
