/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of an experiment, from one that is made up: what is bold, what is a dash, and why. */
#include "bench_sheet.h"

#include "experiment/experiment.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const of_method fused = {.name = "fused", .uses_dims = 1, .grid = "dims=1c|2c"};
static const of_method plain = {.name = "plain", .ends_in_kmeans = 1};
static const of_method tuned = {.name = "tuned", .ends_in_kmeans = 1, .grid = "q=1|2"};
static const of_method large = {.name = "large", .ends_in_kmeans = 1};

static const onefold_scores no_scores;
static const onefold_scores *const scores[1] = {&no_scores};
static double trace[] = {5, 4, 3.5};

static of_cell cell(const of_method *method, const char *name, double acc, double nmi,
                    unsigned roles)
{
    of_cell made = {.method = method, .name = name, .key = name, .roles = roles, .done = 1};
    made.result = (of_cell_result){.reason = "", .note = "", .repeats = 1, .scores = scores};
    made.result.converged = 1;
    made.result.peak_bytes = 2500000;
    made.result.seconds_base = 3;
    made.result.seconds_fit = 12.34;
    made.result.seconds_run = 15.34;
    made.result.mean[ONEFOLD_ACC] = acc;
    made.result.deviation[ONEFOLD_ACC] = 0.0123;
    made.result.mean[ONEFOLD_NMI] = nmi;
    return made;
}

static of_contender contender(const of_method *method, size_t standard, size_t cells, size_t best)
{
    return (of_contender){.method = method,
                          .info = {.name = method->name,
                                   .title = method->title,
                                   .standard = standard,
                                   .grid_cells = cells,
                                   .has_grid = method->grid != NULL,
                                   .takes_dims = method->uses_dims,
                                   .ends_in_kmeans = method->ends_in_kmeans,
                                   .tried = cells,
                                   .near_best = 1,
                                   .median = cells ? standard : best,
                                   .drawn = "k-means",
                                   .best = {best, best, best, best}}};
}

static char *sheet_of(of_experiment *experiment)
{
    char *text = NULL;
    size_t size;
    CLI_SCRATCH(arena);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    cli_sheet sheet = cli_sheet_make(&arena, (cli_screen){.file = out}, 1);
    experiment->arena = of_arena_make(of_context_or_default(NULL));
    CHECK_OK(of_experiment_show(experiment));
    CHECK_OK(cli_bench_sheet(&sheet, "made up", onefold_experiment_describe(experiment)));
    assert_int_equal(fclose(out), 0);
    of_arena_free(&experiment->arena);
    return text;
}

static void has(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("'%s' is not in:\n%s", line, text);
}

static void bold_dashes_and_reasons(void **state)
{
    (void)state;
    const unsigned standard = ONEFOLD_CELL_STANDARD, grid = ONEFOLD_CELL_GRID;
    of_cell cells[] = {
        cell(&fused, "k=6", 0.50, 0.31, standard | grid | ONEFOLD_CELL_SENSITIVITY),
        cell(&plain, "default", 0.58, 0.31, standard),
        cell(&tuned, "default", 0.40, 0.20, standard),
        cell(&large, "default", 0, 0, standard),
        cell(&fused, "k=3", 0.55, 0.30, grid),
        cell(&tuned, "q=1", 0.45, 0.60, grid),
        cell(&tuned, "q=2", 0.5799, 0.10, grid),
    };
    of_contender contenders[] = {
        contender(&fused, 0, 2, 4), contender(&plain, 1, 0, ONEFOLD_NO_CELL),
        contender(&tuned, 2, 2, 6), contender(&large, 3, 0, ONEFOLD_NO_CELL)};
    contenders[3].info.peak_bytes = 7200000000;
    size_t times[] = {2}, sensitivity[] = {0};
    double agreement[16] = {0};
    int32_t truth[1] = {0};
    of_view view = {.name = "words", .columns = 9, .samples = 1};
    of_dataset dataset = {
        .samples = 30, .view_count = 1, .views = &view, .truth = truth, .class_count = 3};
    const char *kernels[] = {"rbf"};
    const onefold_experiment_options standards = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    of_experiment experiment = {.dataset = &dataset,
                                .kernels = kernels,
                                .cells = cells,
                                .cell_count = 7,
                                .contenders = contenders,
                                .contender_count = 4,
                                .info = {.samples = 30,
                                         .views = 1,
                                         .clusters = 3,
                                         .classes = 3,
                                         .repeats = standards.repeats,
                                         .replicates = standards.replicates,
                                         .times = times,
                                         .times_count = 1,
                                         .sensitivity = sensitivity,
                                         .agreement = agreement}};
    experiment.options = (of_experiment_options)OF_EXPERIMENT_OPTIONS_INIT;
    cells[2].result.converged = 0;
    cells[1].result.trace = trace;
    cells[1].result.iterations = 3;
    cells[3].result.status = ONEFOLD_NO_MEMORY;
    cells[3].result.scores = NULL;
    cells[3].result.reason = "it is too large";
    char *text = sheet_of(&experiment);
    has(text, "30 samples, 1 view of 9 columns in all, 3 clusters.");
    has(text, "over 20 repeats");
    has(text, "| fused | best of 2: k=3 | 55.0 \xc2\xb1 1.2 | 30.0 ");
    has(text, "|  | median of 2: k=6 | 50.0 \xc2\xb1 1.2 | 31.0 \xc2\xb1 0.0 |");
    has(text, "|  | default | 50.0 \xc2\xb1 1.2 | **31.0 \xc2\xb1 0.0** |");
    has(text, "one standard error of the best mean ACC: fused 1 of 1, tuned 1 of 1.");
    has(text, "A run draws: k-means (fused, plain, tuned, large).");
    /* what is shown alike is bold alike; a method without a grid stands in both comparisons */
    has(text, "| plain | nothing to tune | **58.0 \xc2\xb1 1.2** | **31.0 \xc2\xb1 0.0** |");
    has(text, "| tuned | best of 2: q=2 | **58.0 \xc2\xb1 1.2** | 10.0 ");
    has(text, "|  | default * | 40.0 ");
    has(text, "*: stopped at its limit of iterations");
    has(text, "| large | nothing to tune | - | - | - | - |");
    has(text, "| ACC | m = 6 |\n| --- | ---: |\n| k = 6 | **50.0 \xc2\xb1 1.2** |");
    has(text, "| plain | 3.00 s | 12.3 s | 0.00 s | 15.3 s | 2.5 MB peak |");
    has(text, "| large | - | - | - | - | 7.2 GB needed |");
    has(text, "| plain | 5 | 4 |  |  |  |  |  | 3.5 | 3 |");
    has(text, "## Missing\n\n- large: it is too large.\n");
    free(text);

    dataset.truth = NULL;
    experiment.info.classes = dataset.class_count = 0;
    agreement[1] = 0.5;
    agreement[3] = NAN;
    cells[0].result.silhouette = 0.25;
    text = sheet_of(&experiment);
    has(text, "no true labels: there is no ACC");
    has(text, "| fused | 0.250 | 0 |\n");
    has(text, "| large | - | - |\n");
    has(text, "| fused | 0.0 | 50.0 | 0.0 | - |\n");
    assert_null(strstr(text, "best of"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bold_dashes_and_reasons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
