/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that several processes read together: each has its own rows, in the order of the samples,
 * and what cannot be split is refused by every one of them. The processes are threads here. */
#include "support/ranks.h"

#include "data/dataset.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 70000, COLUMNS = 4, RANKS = 3, FILES = 2 };

static double entry(size_t row, size_t column)
{
    return (double)((row * 7 + column * 13) % 1000) / 8;
}

/* The peculiarities of a file. */
typedef struct oddity {
    const char *header; /* NULL: none */
    size_t columns;     /* of numbers */
    int ids;            /* 1: a first column of them; -1: from the last to the first */
    size_t hole;        /* row (from 1) with an empty cell, */
    int all;            /* or with empty cells alone */
} oddity;

static void put_row(made *text, const oddity *of, size_t row, size_t columns)
{
    char cell[32];
    size_t at = of->ids < 0 ? ROWS - 1 - row : row;
    if (of->ids) {
        snprintf(cell, sizeof cell, "s%zu,", at);
        made_text(text, cell);
    }
    for (size_t i = 0; i < columns; i++) {
        int empty = of->hole == row + 1 && (of->all || i == 1);
        snprintf(cell, sizeof cell, "%.3f", entry(at, i));
        made_text(text, empty ? "NA" : cell);
        made_text(text, i + 1 < columns ? "," : "\n");
    }
}

static void write_table(const char *path, const oddity *of)
{
    made text = {0};
    if (of->header)
        made_text(&text, of->header);
    for (size_t j = 0; j < ROWS; j++)
        put_row(&text, of, j, of->columns);
    made_save(&text, path);
    made_free(&text);
}

/* ---- reading together --------------------------------------------------------------------- */

typedef struct reading {
    const char *paths[FILES];
    size_t count;
    onefold_read_options options;
    int checked; /* views whose own rows were compared with the file */
    size_t wrong[RANKS], truth[RANKS];
} reading;

static onefold_status read_own(of_context *context, int rank, void *user)
{
    reading *of = user;
    onefold_dataset *data = NULL;
    OF_TRY(onefold_dataset_read(&data, context, of->paths, of->count, &of->options));
    of_range own = of_comm_own(context, ROWS);
    of->truth[rank] = onefold_dataset_describe(data)->classes;
    for (size_t v = 0; v < onefold_dataset_describe(data)->views; v++)
        for (size_t j = own.first; of->checked && j < own.end; j++) {
            double row[COLUMNS + 1];
            of_view_tile(&data->set.views[v], j, 1, row, COLUMNS + 1);
            for (size_t i = 0; i < data->set.views[v].columns; i++)
                of->wrong[rank] += row[i] != entry(j, i);
        }
    onefold_dataset_free(data);
    return ONEFOLD_OK;
}

static reading files(void **state, const oddity *first, const oddity *second)
{
    reading of = {.count = second ? 2 : 1, .options = ONEFOLD_READ_OPTIONS_INIT};
    static char path[FILES][300];
    snprintf(path[0], sizeof path[0], "%s", folder_path(state, "one.csv"));
    snprintf(path[1], sizeof path[1], "%s", folder_path(state, "two.csv"));
    write_table(path[0], first);
    if (second)
        write_table(path[1], second);
    of.paths[0] = path[0];
    of.paths[1] = path[1];
    return of;
}

static void expect_refused(reading *of, const char *sentence)
{
    of_error outcome[RANKS];
    ranks_run(RANKS, 1, 1000, read_own, of, outcome);
    int reported = 0; /* by one; the others may have that one to blame */
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(outcome[r].status, ONEFOLD_UNSUPPORTED);
        reported |= strstr(outcome[r].message, sentence) != NULL;
    }
    if (!reported)
        fail_msg("the first says: %s", outcome[0].message);
}

static void every_process_has_its_own_rows(void **state)
{
    static const oddity plain = {.columns = COLUMNS}, named = {.header = "p,q,r,s\n", .columns = 4};
    reading of = files(state, &plain, &named);
    of.checked = 1;
    ranks_run_ok(RANKS, 2, 1000, read_own, &of);
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(of.wrong[r], 0);
}

static void labels_are_for_all(void **state)
{
    static const oddity plain = {.columns = COLUMNS},
                        labelled = {.header = "p,q,r,label\n", .columns = 4};
    reading of = files(state, &plain, &labelled);
    ranks_run_ok(2, 1, 1000, read_own, &of);
    assert_int_equal(of.truth[0], of.truth[1]);
}

static void what_is_missing_is_not_split(void **state)
{
    static const oddity value = {.columns = COLUMNS, .hole = ROWS - 5},
                        sample = {.columns = COLUMNS, .hole = 40, .all = 1},
                        plain = {.columns = COLUMNS};
    reading of = files(state, &value, NULL);
    of.options.impute = ONEFOLD_IMPUTE_MEAN;
    expect_refused(&of, "filling them in is not split");
    of = files(state, &sample, &plain);
    expect_refused(&of, "missing views are not split over processes");
}

static void another_order_is_matched(void **state)
{
    static const oddity up = {.header = "id,p,q,r,s\n", .columns = COLUMNS, .ids = 1},
                        down = {.header = "id,t,u,v,w\n", .columns = COLUMNS, .ids = -1};
    reading of = files(state, &up, &down);
    of.checked = 1;
    ranks_run_ok(RANKS, 2, 1000, read_own, &of);
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(of.wrong[r], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_process_has_its_own_rows),
        cmocka_unit_test(labels_are_for_all),
        cmocka_unit_test(what_is_missing_is_not_split),
        cmocka_unit_test(another_order_is_matched),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
