/* SPDX-License-Identifier: Apache-2.0 */
/* A finished cell as JSON and back: the same again; missing and wrong members are refused. */
#include "support/check.h"
#include "support/experiments.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 30, REPEATS = 2 };

typedef struct made {
    onefold_dataset *data;
    of_experiment *experiment;
} made;

static int make(void **state)
{
    static made it;
    it.data = experiments_data(SAMPLES, 2, 3, 2);
    of_experiment_options options = experiments_options("os-lfmvc-cs", "default", REPEATS);
    CHECK_OK(experiments_run(&it.experiment, NULL, it.data, &options));
    *state = &it;
    return 0;
}

static int end(void **state)
{
    made *it = *state;
    onefold_experiment_free(it->experiment);
    onefold_dataset_free(it->data);
    return 0;
}

static const of_cell *cell_of(void **state)
{
    return &((made *)*state)->experiment->cells[0];
}

/* What is written of the cell, as objects. */
static json_t *object_of(const of_cell *cell, int with_labels)
{
    OF_JSON(to) = {.text = NULL};
    of_cell_open(&to, cell, with_labels);
    of_json_put(&to, "}");
    CHECK_OK(of_json_check(&to));
    json_t *object = json_loads(to.text, 0, NULL);
    assert_non_null(object);
    return object;
}

static onefold_status read_cell(const json_t *object, of_arena *arena, of_cell_result *result)
{
    char *text = json_dumps(object, JSON_REAL_PRECISION(17));
    onefold_status status =
        of_cell_read(text, arena, &(of_cell){.samples = SAMPLES, .view_count = 2}, result);
    free(text);
    return status;
}

/* The value of a path of names and numbers, "scores/acc/0". */
static json_t *value_at(json_t *object, const char *path)
{
    char word[64];
    while (object && *path) {
        size_t length = strcspn(path, "/");
        snprintf(word, sizeof word, "%.*s", (int)length, path);
        object = json_is_array(object) ? json_array_get(object, (size_t)(*word - '0'))
                                       : json_object_get(object, word);
        path += length + (path[length] == '/');
    }
    return object;
}

/* Replaces the value at `path` by the text; an empty text removes it. */
static void replace(json_t *object, const char *path, const char *text)
{
    char above[64];
    const char *last = strrchr(path, '/');
    snprintf(above, sizeof above, "%.*s", last ? (int)(last - path) : 0, path);
    json_t *holder = value_at(object, above), *new = NULL;
    last = last ? last + 1 : path;
    assert_non_null(value_at(object, path));
    if (*text)
        assert_non_null(new = json_loads(text, JSON_DECODE_ANY, NULL));
    if (!new)
        assert_int_equal(json_is_array(holder) ? json_array_remove(holder, (size_t)(*last - '0'))
                                               : json_object_del(holder, last),
                         0);
    else if (json_is_array(holder))
        assert_int_equal(json_array_set_new(holder, (size_t)(*last - '0'), new), 0);
    else
        assert_int_equal(json_object_set_new(holder, last, new), 0);
}

static void a_cell_comes_back_as_it_was(void **state)
{
    OF_SCRATCH(arena, NULL);
    const of_cell *cell = cell_of(state);
    of_cell_result read = {0};
    json_t *object = object_of(cell, 1);
    CHECK_OK(read_cell(object, &arena, &read));
    assert_int_equal(read.status, ONEFOLD_OK);
    assert_int_equal(read.repeats, REPEATS);
    assert_int_equal(read.answer, cell->result.answer);
    assert_int_equal(read.converged, cell->result.converged);
    assert_memory_equal(read.labels, cell->result.labels, SAMPLES * sizeof *read.labels);
    assert_memory_equal(read.trace, cell->result.trace, read.iterations * sizeof *read.trace);
    assert_int_equal(read.view[1]->route, cell->result.view[1]->route);
    CHECK_CLOSE(read.scores[1]->acc, cell->result.scores[1]->acc, 0, 0);
    json_decref(object);
    object = object_of(cell, 0); /* of a report: without labels it is no kept cell */
    assert_null(json_object_get(object, "labels"));
    CHECK_FAILS(read_cell(object, &arena, &read), ONEFOLD_BAD_DATA, "incomplete");
    json_decref(object);
}

/* Values that JSON does not have, and cells with fewer values. */
static void what_may_be_otherwise_may(void **state)
{
    OF_SCRATCH(arena, NULL);
    of_cell_result read = {0};
    json_t *object = object_of(cell_of(state), 1);
    replace(object, "silhouette", "null");
    replace(object, "converged", "false");
    replace(object, "views/0/base", "\"\"");
    replace(object, "scores", "");
    CHECK_OK(read_cell(object, &arena, &read));
    assert_true(isnan(read.silhouette));
    assert_false(read.converged);
    assert_int_equal(read.view[0]->route, 0);
    assert_null(read.scores);
    replace(object, "converged", "true");
    CHECK_OK(read_cell(object, &arena, &read));
    assert_true(read.converged);
    json_decref(object);
}

/* A cell that failed has its reason and times alone. */
static void a_failed_cell_has_its_reason(void **state)
{
    OF_SCRATCH(arena, NULL);
    of_cell cell = *cell_of(state);
    of_cell_result read = {0};
    cell.result.status = ONEFOLD_NO_MEMORY;
    cell.result.reason = "it would take 9 GB";
    json_t *object = object_of(&cell, 1);
    assert_null(json_object_get(object, "labels"));
    assert_null(json_object_get(object, "repeats"));
    CHECK_OK(read_cell(object, &arena, &read));
    assert_int_equal(read.status, ONEFOLD_NO_MEMORY);
    assert_string_equal(read.reason, "it would take 9 GB");
    assert_null(read.labels);
    json_decref(object);
}

static void what_contradicts_itself_is_refused(void **state)
{
    static const char *const damages[][2] = {
        {"code", ""},
        {"code", "\"0\""},
        {"code", "1"},
        {"code", "-1000"},
        {"reason", ""},
        {"reason", "3"},
        {"seconds", ""},
        {"seconds", "[]"},
        {"seconds/fit", ""},
        {"seconds/cell", "\"1\""},
        {"repeats", ""},
        {"repeats", "-1"},
        {"repeats", "2.5"},
        {"repeats", "3"},
        {"answer", "2"},
        {"answer", "\"0\""},
        {"silhouette", "\"high\""},
        {"note", "null"},
        {"objectives", ""},
        {"objectives/0", "true"},
        {"objectives/1", ""},
        {"iterations", "1000000"},
        {"trace", "{}"},
        {"trace/0", ""},
        {"labels", ""},
        {"labels/0", ""},
        {"labels/0", "-1"},
        {"labels/0", "2147483648"},
        {"labels/0", "1.5"},
        {"views", "{}"},
        {"views/0", "[]"},
        {"views/1/name", ""},
        {"views/1/kernel", "1"},
        {"views/1/base", "\"by hand\""},
        {"views/1/weight", "\"\""},
        {"views/1/rank", "-3"},
        {"views/1/residual", "[]"},
        {"scores", "[]"},
        {"scores/clusters", ""},
        {"scores/clusters/0", ""},
        {"scores/clusters/0", "-1"},
        {"scores/classes", ""},
        {"scores/acc", ""},
        {"scores/recall/0", ""},
        {"scores/recall/0", "\"all\""},
        {"peak_bytes", "\"many\""},
    };
    for (size_t d = 0; d < sizeof damages / sizeof *damages; d++) {
        OF_SCRATCH(arena, NULL);
        of_cell_result read = {.reason = "untouched"};
        json_t *object = object_of(cell_of(state), 1);
        replace(object, damages[d][0], damages[d][1]);
        if (read_cell(object, &arena, &read) != ONEFOLD_BAD_DATA)
            fail_msg("%s may be '%s'", damages[d][0], damages[d][1]);
        assert_non_null(strstr(onefold_last_error(), "a stored cell is incomplete"));
        assert_string_equal(read.reason, "untouched");
        json_decref(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cell_comes_back_as_it_was),
        cmocka_unit_test(what_may_be_otherwise_may),
        cmocka_unit_test(a_failed_cell_has_its_reason),
        cmocka_unit_test(what_contradicts_itself_is_refused),
    };
    return cmocka_run_group_tests(tests, make, end);
}
