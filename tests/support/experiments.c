/* SPDX-License-Identifier: Apache-2.0 */
/* Small experiments for tests. */
#include "support/experiments.h"

#include "support/check.h"

#include <string.h>

onefold_dataset *experiments_data(size_t samples, size_t views, size_t clusters, double separation)
{
    static const size_t columns[] = {6, 6, 6, 6, 6, 6, 6, 6};
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    options.samples = samples;
    options.views = views;
    options.clusters = clusters;
    options.separation = separation;
    options.columns = columns;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    return data;
}

of_experiment_options experiments_options(const char *methods, const char *grid, size_t repeats)
{
    of_experiment_options options = OF_EXPERIMENT_OPTIONS_INIT;
    options.bench.methods = methods;
    options.bench.grid = grid;
    options.bench.repeats = repeats;
    options.fit.restarts = 3;
    return options;
}

onefold_status experiments_run(of_experiment **experiment, of_context *context,
                               const onefold_dataset *data, const of_experiment_options *options)
{
    return onefold_experiment_run(experiment, context, data, &options->fit, &options->bench);
}

static void same_cells(const of_cell *a, const of_cell *b)
{
    const of_cell_result *x = &a->result, *y = &b->result;
    assert_string_equal(a->key, b->key);
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->roles, b->roles);
    assert_int_equal(x->status, y->status);
    assert_string_equal(x->reason, y->reason);
    assert_int_equal(x->repeats, y->repeats);
    assert_int_equal(x->answer, y->answer);
    assert_int_equal(x->clusters_used, y->clusters_used);
    assert_int_equal(x->iterations, y->iterations);
    assert_int_equal(x->converged, y->converged);
    assert_int_equal(a->view_count, b->view_count);
    assert_string_equal(x->note, y->note);
    assert_int_equal(x->scores != NULL, y->scores != NULL);
    if (x->scores)
        assert_memory_equal(x->scores[0], y->scores[0], x->repeats * sizeof(onefold_scores));
    if (x->status != ONEFOLD_OK)
        return;
    assert_memory_equal(x->objectives, y->objectives, x->repeats * sizeof *x->objectives);
    assert_memory_equal(x->labels, y->labels, a->samples * sizeof *x->labels);
    assert_memory_equal(&x->silhouette, &y->silhouette, sizeof x->silhouette);
    assert_memory_equal(&x->objective, &y->objective, sizeof x->objective);
    assert_memory_equal(x->trace, y->trace, x->iterations * sizeof *x->trace);
    assert_memory_equal(x->mean, y->mean, sizeof x->mean);
    assert_memory_equal(x->deviation, y->deviation, sizeof x->deviation);
    for (size_t v = 0; v < a->view_count; v++) {
        assert_string_equal(x->view[v]->name, y->view[v]->name);
        assert_string_equal(x->view[v]->kernel, y->view[v]->kernel);
        assert_int_equal(x->view[v]->route, y->view[v]->route);
        assert_memory_equal(&x->view[v]->weight, &y->view[v]->weight, sizeof(double));
        assert_memory_equal(&x->view[v]->residual, &y->view[v]->residual, sizeof(double));
        assert_int_equal(x->view[v]->rank, y->view[v]->rank);
    }
}

void experiments_same(const of_experiment *a, const of_experiment *b)
{
    assert_int_equal(a->cell_count, b->cell_count);
    for (size_t i = 0; i < a->cell_count; i++)
        same_cells(&a->cells[i], &b->cells[i]);
    assert_int_equal(a->contender_count, b->contender_count);
    for (size_t i = 0; i < a->contender_count; i++)
        assert_memory_equal(a->contenders[i].info.best, b->contenders[i].info.best,
                            sizeof a->contenders[i].info.best);
    assert_memory_equal(a->info.agreement, b->info.agreement,
                        a->contender_count * a->contender_count * sizeof *a->info.agreement);
}
