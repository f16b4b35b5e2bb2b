/* SPDX-License-Identifier: Apache-2.0 */
#include "support/tabled.h"

#include "oracle/evidence.h"
#include "support/check.h"

#include <stdlib.h>

static void fill_view(tabled *t, size_t view, double apart)
{
    enum { D = TABLED_COLUMNS };
    double centre[D * TABLED_CLUSTERS], *x = t->x[view];
    check_random(40, 2 * view, D, TABLED, x);
    check_random(40, 2 * view + 1, D, TABLED_CLUSTERS, centre);
    for (size_t j = 0; j < TABLED; j++)
        for (size_t c = 0; c < D; c++) {
            double *at = &x[c + j * D];
            *at = (*at + apart * centre[c + (size_t)t->truth[j] * D]) * (double)(1 + c);
            if (view == 0 && c >= TABLED_CATEGORY && c < TABLED_CATEGORY + TABLED_LEVELS)
                *at = (j / 3 + (size_t)t->truth[j]) % TABLED_LEVELS == c - TABLED_CATEGORY;
            if (view == 1 && c == D - 1)
                *at = 4;
            t->levels[view][c] =
                view == 0 && c >= TABLED_CATEGORY && c < TABLED_CATEGORY + TABLED_LEVELS
                    ? TABLED_LEVELS
                    : 1;
        }
    CHECK_OK(onefold_dataset_add_dense(t->data, NULL, x, D, D, 1));
    t->size[view] = evidence_gram(TABLED, D, x, t->levels[view], t->has[view], t->gram[view]);
    t->raw_size[view] = evidence_gram(TABLED, D, x, NULL, t->has[view], t->raw[view]);
}

tabled *tabled_make(double apart, int lacking, int threads, uint64_t seed)
{
    tabled *t = calloc(1, sizeof *t);
    CHECK_OK(onefold_context_create(&t->context, NULL));
    CHECK_OK(onefold_context_set_threads(t->context, threads));
    CHECK_OK(onefold_dataset_create(&t->data, t->context, TABLED));
    for (size_t j = 0; j < TABLED; j++) {
        t->truth[j] = (int32_t)(j % TABLED_CLUSTERS);
        for (size_t v = 0; v < TABLED_VIEWS; v++)
            t->has[v][j] = t->present[j * TABLED_VIEWS + v] =
                !lacking || (v ? j % 5 != 2 : j % 7 != 3 || j % 5 == 2);
    }
    for (size_t v = 0; v < TABLED_VIEWS; v++)
        fill_view(t, v, apart);
    if (lacking)
        CHECK_OK(onefold_dataset_set_present(t->data, t->present));
    t->arena = of_arena_make(t->context);
    t->options = (onefold_fit_options)ONEFOLD_FIT_OPTIONS_INIT;
    t->options.clusters = TABLED_CLUSTERS;
    t->options.seed = seed;
    CHECK_OK(of_fit_plan_make(t->context, &t->arena, &t->data->set, &t->options, &t->plan));
    CHECK_OK(of_table_make(t->context, &t->arena, &t->plan.problem, &t->table));
    CHECK_OK(of_table_shuffle(t->context, &t->arena, &t->plan.problem, &t->shuffled));
    CHECK_OK(of_table_make(t->context, &t->arena, &t->shuffled.problem, &t->null));
    return t;
}

void tabled_free(tabled *made)
{
    of_arena_free(&made->arena);
    onefold_dataset_free(made->data);
    onefold_context_free(made->context);
    free(made);
}
