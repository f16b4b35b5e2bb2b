/* SPDX-License-Identifier: Apache-2.0 */
/* The file of finished cells: what is read is what was written, whatever happened in between. */
#include "support/check.h"
#include "support/experiments.h"
#include "support/folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static of_experiment *run(const onefold_dataset *data, of_experiment_options options,
                          const char *path)
{
    of_experiment *experiment = NULL;
    options.bench.store = path;
    CHECK_OK(experiments_run(&experiment, NULL, data, &options));
    return experiment;
}

static size_t kept(const of_experiment *experiment)
{
    size_t count = 0;
    for (size_t i = 0; i < experiment->cell_count; i++)
        count += experiment->cells[i].kept != 0;
    return count;
}

static void cut(const char *path, size_t size)
{
    assert_int_equal(truncate(path, (off_t)size), 0);
}

/* Cut off at any byte, the file gives back its whole cells, and the rest is computed again. */
static void any_cut_is_repaired(void **state)
{
    const char *path = folder_path(state, "cells");
    onefold_dataset *data = experiments_data(50, 2, 3, 1);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "default", 2), plain;
    of_experiment *whole, *again;
    plain = options;
    CHECK_OK(experiments_run(&whole, NULL, data, &plain));
    again = run(data, options, path);
    experiments_same(whole, again);
    assert_int_equal(kept(again), 0);
    onefold_experiment_free(again);
    size_t size, at = 0;
    char *text = folder_read(path, &size);
    for (size_t lines = 0; at <= size; at += size / 6 + 1) {
        lines = 0;
        for (size_t i = 0; i < at; i++)
            lines += text[i] == '\n';
        cut(path, at);
        again = run(data, options, path);
        experiments_same(whole, again);
        assert_int_equal(kept(again), lines ? lines - 1 : 0);
        onefold_experiment_free(again);
    }
    again = run(data, options, path);
    assert_int_equal(kept(again), 9);
    experiments_same(whole, again);
    for (size_t i = 0; i < 9; i++) /* times are those of the run that computed the cell */
        assert_true(again->cells[i].result.seconds > 0);
    onefold_experiment_free(again);
    onefold_experiment_free(whole);
    onefold_dataset_free(data);
    free(text);
}

/* Other data, another seed, other repeats: nothing of the file is taken. */
static void stale_cells_stay(void **state)
{
    const char *path = folder_path(state, "cells");
    onefold_dataset *data = experiments_data(50, 2, 3, 1), *other = experiments_data(50, 2, 3, 1.1);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "none", 2);
    of_experiment *experiment = run(data, options, path);
    onefold_experiment_free(experiment);
    experiment = run(other, options, path);
    assert_int_equal(kept(experiment), 0);
    onefold_experiment_free(experiment);
    of_experiment_options changed = options;
    changed.fit.seed = 1;
    experiment = run(data, changed, path);
    assert_int_equal(kept(experiment), 0);
    onefold_experiment_free(experiment);
    experiment = run(data, options, path); /* and what was there first still is */
    assert_int_equal(kept(experiment), 1);
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
    onefold_dataset_free(other);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void foreign_files(void **state)
{
    const char *path = folder_path(state, "notes.txt");
    of_cell_store *store, *second;
    of_context *context = of_context_or_default(NULL);
    size_t size;
    write_file(path, "things to do\n");
    CHECK_FAILS(of_cell_store_open(&store, context, path), ONEFOLD_BAD_DATA,
                "not a file of finished cells");
    char *text = folder_read(path, &size);
    assert_string_equal(text, "things to do\n"); /* left as it was */
    free(text);
    CHECK_FAILS(of_cell_store_open(&store, context, folder_path(state, "no/such")), ONEFOLD_IO,
                "No such file");
    CHECK_FAILS(of_cell_store_open(&store, context, "/dev/null"), ONEFOLD_IO,
                "cannot hold finished cells");
    CHECK_OK(of_cell_store_open(&store, context, folder_path(state, "cells")));
    CHECK_FAILS(of_cell_store_open(&second, context, folder_path(state, "cells")), ONEFOLD_IO,
                "another run");
    of_cell_store_close(store);
    text = folder_read(folder_path(state, "cells"), &size);
    char *longer = malloc(size + 64);
    snprintf(longer, size + 64, "%s{\"key\": \"a\"\n", text);
    write_file(folder_path(state, "cells"), longer);
    CHECK_FAILS(of_cell_store_open(&store, context, folder_path(state, "cells")), ONEFOLD_BAD_DATA,
                "line 2 is not a finished cell");
    free(longer);
    free(text);
}

/* A disk that fills up ends the run; what was kept before is still whole. */
static void full_disk(void **state)
{
    const char *path = folder_path(state, "cells");
    onefold_dataset *data = experiments_data(50, 2, 3, 1);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "default", 2);
    of_experiment *experiment = NULL;
    of_experiment_options keeping = options;
    keeping.bench.store = path;
    folder_limit_files(10000);
    CHECK_FAILS(experiments_run(&experiment, NULL, data, &keeping), ONEFOLD_IO,
                "cannot be written");
    folder_limit_files(SIZE_MAX);
    experiment = run(data, options, path);
    assert_true(kept(experiment) > 0 && kept(experiment) < 9);
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(any_cut_is_repaired, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(stale_cells_stay, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(foreign_files, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(full_disk, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
