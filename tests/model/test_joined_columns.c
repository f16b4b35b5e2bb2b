/* SPDX-License-Identifier: Apache-2.0 */
/* Models of joined columns: the map of all columns equals projections and rule, and a step of
 * k-means assigns samples to the nearest mean, by their definitions. */
#include "base/context.h"
#include "model/model.h"
#include "support/check.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 1200, SOME = 300, VIEWS = 3, CLUSTERS = 4, COLUMNS = 6, CONSTANT = 2 };

/* Three views of overlapping clusters far from the origin, in columns of other scales and one that
 * is constant. */
static double numbers[VIEWS][SAMPLES * COLUMNS];
static float singles[VIEWS][SAMPLES * COLUMNS];

static void make_numbers(void)
{
    static double noise[SAMPLES * COLUMNS], centre[CLUSTERS * COLUMNS];
    for (size_t v = 0; v < VIEWS; v++) {
        check_random(1, v, COLUMNS, SAMPLES, noise);
        check_random(2, v, COLUMNS, CLUSTERS, centre);
        for (size_t e = 0; e < SAMPLES * COLUMNS; e++) {
            size_t i = e % COLUMNS, c = e / COLUMNS % CLUSTERS;
            double x = 1.5 * centre[i + c * COLUMNS] + noise[e];
            numbers[v][e] = i == CONSTANT ? 7 : 1000 * (double)v + x * pow(4, (double)i);
            singles[v][e] = (float)numbers[v][e];
            numbers[v][e] = (double)singles[v][e];
        }
    }
}

/* The first `count` samples; views in single precision, or column by column. */
static onefold_dataset *make_data(size_t count, int single)
{
    onefold_dataset *data = NULL;
    static double turned[SAMPLES * COLUMNS];
    CHECK_OK(onefold_dataset_create(&data, NULL, count));
    for (size_t v = 0; v < VIEWS; v++) {
        for (size_t e = 0; e < count * COLUMNS; e++)
            turned[e % COLUMNS * count + e / COLUMNS] = numbers[v][e];
        CHECK_OK(single
                     ? onefold_dataset_add_dense_single(data, NULL, singles[v], COLUMNS, COLUMNS, 1)
                     : onefold_dataset_add_dense(data, NULL, turned, COLUMNS, 1, count));
    }
    return data;
}

typedef struct fitted {
    onefold_dataset *some, *all;
    onefold_result *result;
    onefold_model *model; /* of some */
} fitted;

static int set_up(void **state)
{
    static fitted made;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = CLUSTERS;
    options.keep_model = 1;
    make_numbers();
    made.some = make_data(SOME, 0);
    made.all = make_data(SAMPLES, 1);
    CHECK_OK(onefold_fit(&made.result, NULL, made.some, &options));
    made.model = (onefold_model *)(uintptr_t)onefold_result_describe(made.result)->model;
    assert_int_equal(made.model->rule.parts, 1);
    assert_int_equal(made.model->rule.part->join, OF_JOIN_COLUMNS);
    *state = &made;
    return 0;
}

static int tear_down(void **state)
{
    fitted *made = *state;
    onefold_result_free(made->result);
    onefold_dataset_free(made->some);
    onefold_dataset_free(made->all);
    return 0;
}

/* u: a view's features, standardised, less their training mean, as long as the joint kernel has
 * them. */
static void features(const of_projection *p, size_t view, size_t sample, double *u)
{
    for (size_t i = 0; i < p->columns; i++) {
        size_t raw = p->prep.kept ? p->prep.kept[i] : i;
        double f = (numbers[view][sample * COLUMNS + raw] - p->prep.shift[i]) * p->prep.scale[i];
        u[i] = p->scale * (f - p->mean[i]);
    }
}

/* x and distance by their definitions: h = sum_v w_v W_v u_v, and what of the length
 * sum_v w_v |u_v|^2 the components sqrt(value) h leave out. */
static double restate(const of_rule *rule, size_t sample, double *x)
{
    const of_rule_part *part = rule->part;
    double length = 0, kept = 0;
    memset(x, 0, rule->dims * sizeof *x);
    x[0] = 1 / sqrt((double)part->known);
    for (size_t t = 0; t < part->terms; t++) {
        const of_rule_source *source = &rule->source[part->source[t]];
        const of_projection *p = source->projection;
        double u[COLUMNS];
        features(p, source->view, sample, u);
        for (size_t i = 0; i < p->columns; i++) {
            length += part->weight[t] * u[i] * u[i];
            for (size_t r = 0; r < part->rank; r++)
                x[r + 1] += part->weight[t] * p->weight[i * p->rank + r] * u[i];
        }
    }
    for (size_t r = 0; r < part->rank; r++)
        kept += part->value[r] * x[r + 1] * x[r + 1];
    return sqrt(1 - kept / length);
}

static void map_is_what_views_say(void **state)
{
    const fitted *of = *state;
    enum { FIRST = 37, COUNT = 61, DIMS = 2 * CLUSTERS };
    static double y[VIEWS * COLUMNS * COUNT], x[DIMS * COUNT];
    const of_rule *rule = &of->model->rule;
    const onefold_dataset *both[] = {of->some, of->all};
    for (size_t d = 0; d < 2; d++) {
        OF_SCRATCH(scratch, of_context_or_default(NULL));
        of_columns columns;
        int usable;
        CHECK_OK(of_columns_make(&scratch, of->model, &both[d]->set, &columns));
        assert_int_equal(columns.rows, VIEWS * COLUMNS);
        assert_true(rule->dims <= DIMS);
        CHECK_OK(of_columns_apply(&columns, FIRST, COUNT, y, x, &usable));
        assert_true(usable);
        for (size_t j = 0; j < COUNT; j++) {
            double want[DIMS], distance = restate(rule, FIRST + j, want);
            for (size_t r = 0; r < rule->dims; r++)
                CHECK_CLOSE(x[j * rule->dims + r], want[r], 1e-10, 1e-12);
            CHECK_CLOSE(of_columns_distance(&columns, y + j * columns.rows, x + j * rule->dims),
                        distance, 1e-9, 0);
        }
    }
}

/* Unusable numbers are left to the projections, whose error names the sample. */
static void bad_numbers_are_not_taken(void **state)
{
    const fitted *of = *state;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    double *number = &numbers[1][5 * COLUMNS + 1], kept = *number, y[VIEWS * COLUMNS * 10],
           x[2 * CLUSTERS * 10];
    static int32_t labels[SOME];
    onefold_prediction wanted = ONEFOLD_PREDICTION_INIT;
    of_columns columns;
    int usable;
    *number = 1e200;
    onefold_dataset *data = make_data(SOME, 0);
    *number = kept;
    wanted.labels = labels;
    CHECK_OK(of_columns_make(&scratch, of->model, &data->set, &columns));
    CHECK_OK(of_columns_apply(&columns, 0, 5, y, x, &usable));
    assert_true(usable);
    CHECK_OK(of_columns_apply(&columns, 0, 6, y, x, &usable));
    assert_false(usable);
    CHECK_FAILS(onefold_predict(&wanted, NULL, of->model, data, 0, SOME), ONEFOLD_BAD_DATA,
                "too large to be squared");
    onefold_dataset_free(data);
}

/* The nearest of the means of clusters in the joined columns, for every sample. */
static size_t step_literally(const of_rule *rule, const int32_t *labels, int32_t *nearest)
{
    const of_rule_part *part = rule->part;
    static double mean[CLUSTERS][VIEWS * COLUMNS], size[CLUSTERS];
    double u[VIEWS * COLUMNS];
    size_t moved = 0;
    memset(mean, 0, sizeof mean);
    memset(size, 0, sizeof size);
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = 0; j < SAMPLES; j++) {
            size_t at = 0, c = (size_t)labels[j];
            double least = INFINITY;
            for (size_t t = 0; t < part->terms; t++) {
                const of_rule_source *source = &rule->source[part->source[t]];
                features(source->projection, source->view, j, u + at);
                for (size_t i = 0; i < source->projection->columns; i++)
                    u[at++] *= sqrt(part->weight[t]);
            }
            for (size_t i = 0; pass == 0 && i < at; i++)
                mean[c][i] += u[i];
            size[c] += pass == 0;
            for (size_t d = 0; pass == 1 && d < CLUSTERS; d++) {
                double square = 0;
                for (size_t i = 0; i < at; i++)
                    square += pow(u[i] - mean[d][i] / size[d], 2);
                nearest[j] = square < least ? (int32_t)d : nearest[j];
                least = fmin(least, square);
            }
            moved += pass == 1 && nearest[j] != labels[j];
        }
    return moved;
}

static void a_step_takes_the_nearest_mean(void **state)
{
    const fitted *of = *state;
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    static int32_t before[SAMPLES], want[SAMPLES], after[SAMPLES];
    onefold_prediction wanted = ONEFOLD_PREDICTION_INIT;
    onefold_model moved = *of->model;
    of_rule_source source[VIEWS];
    wanted.labels = before;
    CHECK_OK(onefold_predict(&wanted, NULL, of->model, of->all, 0, SAMPLES));
    assert_true(step_literally(&of->model->rule, before, want) > 0);
    memcpy(source, moved.rule.source, moved.rule.sources * sizeof *source);
    moved.rule.source = source; /* the model of the others stays */
    CHECK_OK(of_model_step(of_context_or_default(NULL), &scratch, &moved, &of->all->set));
    wanted.labels = after;
    CHECK_OK(onefold_predict(&wanted, NULL, &moved, of->all, 0, SAMPLES));
    assert_memory_equal(after, want, sizeof want);
    /* its rows are directions at right angles of unit length: of a sample no more is kept than
     * there is, and of the means, all but for what they have in common */
    for (size_t j = 0; j < SAMPLES; j++) {
        double x[2 * CLUSTERS];
        assert_true(restate(&moved.rule, j, x) >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_is_what_views_say),
        cmocka_unit_test(bad_numbers_are_not_taken),
        cmocka_unit_test(a_step_takes_the_nearest_mean),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
