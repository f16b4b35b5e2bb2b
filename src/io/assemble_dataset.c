/* SPDX-License-Identifier: Apache-2.0 */
/* From matrices and labels to a data set: views, truth, missing values, names of samples, notes. */
#include "base/comm.h"
#include "data/dataset.h"
#include "io/find.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a matrix as a view --------------------------------------------------------------------- */

/* The matrix as a view. Its values are not copied, unless it is sparse by column. */
static onefold_status matrix_to_view(of_dataset *dataset, const of_matrix *matrix,
                                     int samples_are_rows, int kernel, of_view *view)
{
    *view = *matrix;
    if (!samples_are_rows)
        *view = of_matrix_transposed(view);
    OF_TRY(OF_TEXT(&dataset->arena, &view->name, "%s", matrix->name));
    if (view->storage == OF_SPARSE) {
        view->type = OF_F64;
        if (view->by_column) { /* a view is stored by sample */
            of_sparse lines = view->sparse;
            OF_TRY(of_sparse_transpose(&dataset->arena, &lines, &view->sparse));
            view->by_column = 0;
            view->owner = NULL;
        }
    } else if (kernel) {
        view->storage = OF_KERNEL;
    }
    const char *const *names = kernel ? NULL : view->column_names;
    view->row_names = view->column_names = NULL;
    if (view->column_unit) {
        uint32_t *unit;
        OF_TRY(OF_NEW(&dataset->arena, &unit, view->columns, 1));
        memcpy(unit, view->column_unit, view->columns * sizeof *unit);
        view->column_unit = unit;
    }
    if (names)
        OF_TRY(of_dataset_names_copy(&dataset->arena, view->columns, names, &view->column_names));
    return ONEFOLD_OK;
}

/* ---- triplets ------------------------------------------------------------------------------- */

/* The largest number of a column of whole numbers from 1; 0 for any other column. */
static size_t largest_place(const of_matrix *matrix, size_t column)
{
    double largest = 0;
    for (size_t r = 0; r < matrix->rows; r++) {
        double place = of_matrix_get(matrix, r, column);
        if (!(place >= 1) || place > UINT32_MAX || place != floor(place))
            return 0;
        largest = fmax(largest, place);
    }
    return (size_t)largest;
}

int of_triplets_are(const of_found *found, size_t count, size_t *samples)
{
    size_t most = 0;
    for (size_t m = 0; m < count; m++) {
        const of_matrix *matrix = &found[m].matrix;
        if (matrix->storage == OF_SPARSE || matrix->columns != 3 || matrix->rows <= 3)
            return 0;
        size_t last = largest_place(matrix, 0);
        if (last == 0 || largest_place(matrix, 1) == 0 || (*samples && last > *samples) ||
            (!*samples && most && last != most))
            return 0;
        most = last;
    }
    if (!*samples)
        *samples = most;
    return count > 0;
}

static onefold_status triplets_to_view(of_dataset *dataset, const of_matrix *matrix, of_view *view)
{
    OF_SCRATCH(scratch, dataset->arena.context);
    of_array part[3];
    for (size_t c = 0; c < 3; c++) {
        double *number;
        OF_TRY(OF_NEW(&scratch, &number, matrix->rows, 1));
        for (size_t e = 0; e < matrix->rows; e++) /* places count from 1 */
            number[e] = of_matrix_get(matrix, e, c) - (c < 2);
        part[c] = (of_array){number, OF_F64, matrix->rows, NULL};
    }
    OF_TRY(of_build_coordinates(&dataset->arena, dataset->samples, largest_place(matrix, 1),
                                &part[0], &part[1], &part[2], view));
    return OF_TEXT(&dataset->arena, &view->name, "%s", matrix->name);
}

/* ---- the data set --------------------------------------------------------------------------- */

/* Whether the samples of a square matrix are its rows, as in most of the other matrices. A sparse
 * matrix is a graph, which stays as it is stored. */
static int square_is_rows(const of_reading *reading, const of_matrix *matrix)
{
    size_t rows = 0, columns = 0;
    if (reading->given->samples_are != ONEFOLD_SIDE_AUTO)
        return reading->given->samples_are == ONEFOLD_SIDE_ROWS;
    if (matrix->storage == OF_SPARSE)
        return 1;
    for (size_t m = 0; m < reading->found_count; m++)
        if (reading->found[m].matrix.rows != reading->found[m].matrix.columns) {
            rows += reading->found[m].matrix.rows == reading->samples;
            columns += reading->found[m].matrix.columns == reading->samples;
        }
    return rows >= columns;
}

static onefold_status note_view(const of_reading *reading, of_dataset *dataset,
                                const of_matrix *matrix, int rows, int kernel)
{
    const char *stored =
        matrix->storage == OF_SPARSE ? "sparse" : onefold_name(ONEFOLD_NAMES_TYPE, matrix->type);
    const char *side = rows ? "samples are rows" : "samples are columns";
    char kind[160];
    if (kernel)
        snprintf(kind, sizeof kind, "a kernel, as it is symmetric");
    else if (matrix->rows == matrix->columns)
        snprintf(kind, sizeof kind, "square: %s", side);
    else if (reading->true_labels)
        snprintf(kind, sizeof kind, "%s, as %.60s has %zu entries", side,
                 reading->true_labels->name, reading->true_labels->length);
    else
        snprintf(kind, sizeof kind, "%s%s%s", side, reading->side ? ", " : "",
                 reading->side ? reading->side : "");
    return of_dataset_note(dataset, "%s: %zu x %zu %s, %s", matrix->name, matrix->rows,
                           matrix->columns, stored, kind);
}

/* The name of a view of the data set with the same values, or NULL. */
static onefold_status find_equal(of_dataset *dataset, const of_view *view, const char **equal)
{
    of_context *context = dataset->arena.context;
    of_range own = of_comm_own(context, view->samples);
    OF_SCRATCH(scratch, dataset->arena.context);
    double *sample[2];
    for (int i = 0; i < 2; i++)
        OF_TRY(OF_NEW(&scratch, &sample[i], view->columns, 1));
    *equal = NULL;
    for (size_t v = 0; v < dataset->view_count && !*equal; v++) {
        const of_view *other = &dataset->views[v];
        size_t j = own.first;
        for (; other->columns == view->columns && j < own.end; j++) {
            of_view_tile(view, j, 1, sample[0], view->columns);
            of_view_tile(other, j, 1, sample[1], view->columns);
            if (memcmp(sample[0], sample[1], view->columns * sizeof **sample) != 0)
                break;
        }
        double differ = j < own.end;
        OF_TRY(of_comm_total(context, view->samples, 1, &differ));
        if (differ == 0)
            *equal = other->name;
    }
    return ONEFOLD_OK;
}

/* Groups adjacent columns like colour=blue and colour=red, which `convert` writes for a category:
 * together they weigh as one column. */
static onefold_status group_columns(of_reading *reading, of_dataset *dataset, of_view *view)
{
    const char *const *names = view->column_names;
    uint32_t *unit;
    of_list list = {.used = 0};
    if (!names || view->column_unit || view->passing || view->storage != OF_DENSE)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&dataset->arena, &unit, view->columns, 1));
    for (size_t first = 0, end; first < view->columns; first = end) {
        const char *sign = strchr(names[first], '=');
        size_t length = sign ? (size_t)(sign - names[first]) : 0;
        int numbers = 0;
        for (end = first; end == first || (end < view->columns && length &&
                                           strncmp(names[end], names[first], length + 1) == 0);
             end++)
            numbers |= of_name_listed(reading->given->as_number, names[end], SIZE_MAX);
        int is_category = end - first > 1 && !numbers;
        for (size_t c = first; c < end; c++)
            unit[c] = (uint32_t)(is_category ? first : c);
        if (is_category)
            of_list_add(&list, "%.*s", (int)(length < 40 ? length : 40), names[first]);
    }
    if (list.count == 0)
        return ONEFOLD_OK;
    view->column_unit = unit;
    return of_reading_note(reading, OF_NOTE_GROUPED, view->name, list.text);
}

static onefold_status make_view(of_reading *reading, of_dataset *dataset, size_t m)
{
    of_found *found = &reading->found[m];
    const of_matrix *matrix = &found->matrix;
    of_view view;
    reading->matrix_of_view[dataset->view_count] = m;
    if (reading->triplets) {
        found->side = ONEFOLD_SIDE_ROWS;
        OF_TRY(triplets_to_view(dataset, matrix, &view));
        OF_TRY(of_dataset_note(dataset,
                               "%s: %zu x 3, a list of (sample, column, value), of %zu "
                               "samples and %zu columns",
                               matrix->name, matrix->rows, view.samples, view.columns));
        return of_dataset_push(dataset, &view);
    }
    int rows = found->side == ONEFOLD_SIDE_AUTO ? matrix->rows == reading->samples
                                                : found->side == ONEFOLD_SIDE_ROWS;
    if (found->side == ONEFOLD_SIDE_AUTO && rows && matrix->columns == reading->samples)
        rows = square_is_rows(reading, matrix);
    found->side = rows ? ONEFOLD_SIDE_ROWS : ONEFOLD_SIDE_COLUMNS;
    OF_TRY(matrix_to_view(dataset, matrix, rows, found->kernel, &view));
    if (reading->given->pass_once && view.owner && view.owner->map && /* a mapped file */
        view.storage != OF_SPARSE && view.column_step == 1 && view.sample_step >= view.columns)
        view.passing = 1;
    if (reading->may_repeat) {
        const char *equal;
        OF_TRY(find_equal(dataset, &view, &equal));
        if (equal)
            return of_reading_note(reading, OF_NOTE_SAME, matrix->name, equal);
    }
    OF_TRY(note_view(reading, dataset, matrix, rows, found->kernel));
    if (view.column_names && found->named_by)
        OF_TRY(of_dataset_note(dataset, "%s: names of the columns of %s", found->named_by->name,
                               matrix->name));
    OF_TRY(group_columns(reading, dataset, &view));
    return of_dataset_push(dataset, &view);
}

/* ---- which sample has which view: by rows of NaN, and by a variable of zeros and ones ------- */

/* given[v * n + j] is the value of the variable, and keep[v * n + j] is 0 for a row of NaN.
 * `marked`: the views with rows of NaN. */
typedef struct presence {
    size_t n, p;
    uint8_t *given, *keep, *marked;
} presence;

/* Whether a 1 in the variable means that a view is missing: the meaning that fits the rows of NaN
 * better, or under which no sample lacks every view, or else that of the variable's name. */
static int ones_are_missing(const presence *state, const char *name)
{
    size_t against[2] = {0, 0}, lost[2] = {0, 0};
    for (size_t j = 0; j < state->n; j++) {
        size_t ones = 0;
        for (size_t v = 0; v < state->p; v++) {
            ones += state->given[v * state->n + j];
            if (!state->keep[v * state->n + j])
                against[!state->given[v * state->n + j]]++;
        }
        lost[0] += ones == 0;
        lost[1] += ones == state->p;
    }
    if (against[0] != against[1])
        return against[0] > against[1];
    if ((lost[0] == 0) != (lost[1] == 0))
        return lost[0] > 0;
    return of_name_of_present(name) < 0;
}

static onefold_status apply_given(const of_reading *reading, of_dataset *dataset, presence *state,
                                  int missing)
{
    const char *name = reading->present->name;
    size_t conflicts = 0;
    for (size_t e = 0; e < state->n * state->p; e++) {
        int there = state->given[e] != (missing != 0);
        if (state->marked[e / state->n] && !reading->present_named) {
            conflicts += there != (state->keep[e] != 0);
            continue;
        }
        state->keep[e] = state->keep[e] && there;
    }
    if (conflicts)
        return of_dataset_note(
            dataset, "%s: differs from the rows of NaN in %zu places; the rows of NaN are used",
            name, conflicts);
    return of_dataset_note(dataset, "%s: marks the views of each sample; 1 where it %s", name,
                           missing ? "lacks the view" : "has the view");
}

/* Reads the variable. It has a column for each view of the data set, for each view found, or for
 * each view before the option `views` selected some. */
static onefold_status read_given(const of_reading *reading, of_dataset *dataset, presence *state)
{
    OF_SCRATCH(scratch, dataset->arena.context);
    const of_variable *variable = reading->present;
    of_matrix table = variable->matrix;
    size_t *column;
    if (table.rows != state->n && !reading->present_row)
        table = of_matrix_transposed(&table);
    size_t views = table.columns;
    int fits = (reading->present_row || table.rows == state->n) &&
               (views == state->p || views == reading->found_count || views == reading->all_count);
    OF_TRY(OF_NEW(&scratch, &column, state->p, 1));
    for (size_t v = 0; v < state->p && fits; v++) {
        const of_found *found = &reading->found[reading->matrix_of_view[v]];
        size_t a = 0;
        while (a < reading->all_count && (reading->all[a].top != found->top ||
                                          reading->all[a].matrix.name != found->matrix.name))
            a++;
        column[v] = views == state->p               ? v
                    : views == reading->found_count ? reading->matrix_of_view[v]
                                                    : a;
        fits = column[v] < views;
    }
    if (!fits && reading->present_named)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "%s is %zu x %zu, where there are %zu samples and %zu views",
                               variable->name, variable->matrix.rows, variable->matrix.columns,
                               state->n, state->p),
                       "the file of `present` has a row per sample and a column per view");
    if (!fits)
        return of_dataset_note(dataset, "%s: ignored", variable->name);
    OF_TRY(OF_NEW(&scratch, &state->given, state->n, state->p));
    for (size_t j = 0; j < state->n; j++) {
        size_t row = reading->present_row ? reading->present_row[j] : j;
        for (size_t v = 0; v < state->p; v++)
            state->given[v * state->n + j] = of_matrix_get(&table, row, column[v]) != 0;
    }
    int missing = !reading->present_named && ones_are_missing(state, variable->name);
    return apply_given(reading, dataset, state, missing);
}

/* ---- single missing values ------------------------------------------------------------------ */

static onefold_status fill_gaps(of_reading *reading, of_dataset *dataset, size_t v)
{
    of_view *view = &dataset->views[v];
    const uint8_t *present = dataset->present ? dataset->present + v : NULL;
    of_gaps gaps;
    OF_TRY(of_gaps_find(dataset->arena.context, view, present, dataset->view_count, NULL, &gaps));
    if (gaps.entries && !gaps.infinite && reading->given->impute != ONEFOLD_IMPUTE_NONE &&
        view->storage != OF_KERNEL) {
        if (reading->given->impute == ONEFOLD_IMPUTE_MODEL) {
            dataset->unsettled = 1;
            return ONEFOLD_OK;
        }
        if (of_comm_splits(dataset->arena.context, dataset->samples))
            return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                   "%s: %zu values are missing, and filling them in is not split "
                                   "over processes",
                                   view->name, gaps.entries),
                           "start one process");
        OF_TRY(of_gaps_fill(&dataset->arena, view, present, dataset->view_count,
                            reading->given->impute));
        if (view->storage == OF_DENSE) { /* its values are a copy now */
            of_owner_release(view->owner);
            view->owner = NULL;
        }
        return of_dataset_note(dataset, "%s: %zu missing values of %zu samples are filled in",
                               view->name, gaps.entries, gaps.samples);
    }
    const of_found *found = &reading->found[reading->matrix_of_view[v]];
    char where[512];
    snprintf(where, sizeof where, "%s: %s", found->file->path, found->matrix.name);
    int rows = found->side == ONEFOLD_SIDE_ROWS;
    size_t row = rows ? gaps.sample : gaps.column, column = rows ? gaps.column : gaps.sample, line;
    const char *const *names = rows ? view->column_names : dataset->sample_names;
    if (rows && found->sample_row)
        row = found->sample_row[row];
    OF_TRY(of_read_text_line(found->file, row, &line));
    return of_gaps_refuse(&gaps, where, line ? "line" : "row", line ? line - 1 : row, column,
                          line && names ? names[column] : NULL);
}

/* Whether missing values are found only when the view is passed over. */
static int is_checked_later(const of_reading *reading, const of_view *view)
{
    return view->passing && !reading->present;
}

/* Finds which sample has which view, then fills in or refuses single missing values. */
static onefold_status assign_present(of_reading *reading, of_dataset *dataset)
{
    of_context *context = dataset->arena.context;
    size_t later = 0;
    for (size_t v = 0; v < dataset->view_count; v++)
        later += (size_t)is_checked_later(reading, &dataset->views[v]);
    dataset->unsettled = later > 0;
    if (later == dataset->view_count)
        return ONEFOLD_OK;
    OF_SCRATCH(scratch, context);
    presence state = {.n = dataset->samples, .p = dataset->view_count};
    uint8_t *has_gaps; /* of each view: there may be single missing values */
    int split = of_comm_splits(context, state.n);
    OF_TRY(OF_NEW_ZERO(&scratch, &has_gaps, state.p, 1));
    OF_TRY(OF_NEW(&scratch, &state.keep, state.n, state.p));
    OF_TRY(OF_NEW_ZERO(&scratch, &state.marked, state.p, 1));
    memset(state.keep, 1, state.n * state.p);
    for (size_t v = 0; v < state.p; v++) {
        of_gaps gaps;
        if (is_checked_later(reading, &dataset->views[v]))
            continue;
        OF_TRY(of_gaps_find(context, &dataset->views[v], NULL, 1, state.keep + v * state.n, &gaps));
        size_t missing = gaps.empty;
        has_gaps[v] = gaps.entries || gaps.infinite || split; /* other processes may have some */
        if (missing && split)
            return of_hint(of_fail(ONEFOLD_UNSUPPORTED,
                                   "%s: %zu samples are missing from it, and missing views are not "
                                   "split over processes",
                                   dataset->views[v].name, missing),
                           "start one process");
        state.marked[v] = missing > 0;
        const of_found *found = &reading->found[reading->matrix_of_view[v]];
        if (missing)
            OF_TRY(of_dataset_note(dataset, "%s: %zu sample%s missing from it: %s",
                                   dataset->views[v].name, missing, missing == 1 ? " is" : "s are",
                                   found->absent || found->file->single_cell
                                       ? "it has no row with their id"
                                       : "rows of NaN"));
    }
    if (reading->present)
        OF_TRY(read_given(reading, dataset, &state));
    for (size_t v = 0; v < state.p; v++)
        OF_TRY(of_present_leave_out(dataset, v, state.keep + v * state.n, 1));
    OF_TRY(of_present_check(dataset));
    for (size_t v = 0; v < state.p; v++)
        if (has_gaps[v])
            OF_TRY(fill_gaps(reading, dataset, v));
    return ONEFOLD_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

/* Names the samples by the matched ids, or else as the first view that names them. */
static onefold_status name_samples(const of_reading *reading, of_dataset *dataset)
{
    const char *const *names = reading->ids;
    for (size_t v = 0; v < dataset->view_count && !names && !reading->triplets; v++) {
        const of_found *found = &reading->found[reading->matrix_of_view[v]];
        const of_matrix *matrix = &found->matrix;
        int rows = found->side == ONEFOLD_SIDE_ROWS;
        if (!(rows ? found->listed.rows : found->listed.columns))
            names = rows ? matrix->row_names : matrix->column_names;
    }
    if (!names)
        return ONEFOLD_OK;
    return of_dataset_names_copy(&dataset->arena, dataset->samples, names, &dataset->sample_names);
}

/* Notes that labels without ids, from another file, are taken in order beside matched views. */
static onefold_status note_label_order(of_reading *reading)
{
    const of_labels *labels = reading->true_labels;
    if (!reading->matched || !labels || labels->ids || !labels->file)
        return ONEFOLD_OK;
    for (size_t m = 0; m < reading->found_count; m++)
        if (reading->found[m].file == labels->file)
            return ONEFOLD_OK;
    return of_reading_note(reading, OF_NOTE_LABEL_ORDER, labels->name,
                           reading->found[0].matrix.name);
}

static onefold_status note_unused(const of_reading *reading, of_dataset *dataset)
{
    for (size_t f = 0; f < reading->file_count; f++) {
        const of_file *file = &reading->file[f];
        for (size_t t = 0; t < file->count; t++) {
            const of_variable *variable = &file->top[t].variable;
            int used = file->is_metadata || variable->left_out || variable == reading->view_names ||
                       variable == reading->present;
            if (variable->are_ids) {
                OF_TRY(of_dataset_note(dataset, "%s: names of the rows of %s", variable->name,
                                       file->stem));
                continue;
            }
            for (size_t m = 0; m < reading->found_count; m++)
                used |= &reading->found[m].top->variable == variable ||
                        reading->found[m].named_by == variable ||
                        reading->found[m].ids_by == variable;
            if (used ||
                (reading->true_labels && strcmp(reading->true_labels->name, variable->name) == 0))
                continue;
            OF_TRY(of_dataset_note(dataset, "%s: passed over%s%s", variable->name,
                                   variable->kind == OF_VARIABLE_OTHER ? ", as it is " : "",
                                   variable->kind == OF_VARIABLE_OTHER ? variable->what : ""));
        }
        if (file->left_over)
            OF_TRY(of_dataset_note(dataset, "%s: %zu bytes after the last variable are ignored",
                                   file->path, file->left_over));
    }
    return ONEFOLD_OK;
}

/* Notes a column of a table, or a table, that is taken for labels because of its name alone. */
static onefold_status note_truth(of_reading *reading, const of_labels *labels, int used)
{
    if ((used && reading->truth) || !labels->file || !*labels->file->ending ||
        of_is_one_of(labels->file->ending, "mat npz npy", 0))
        return ONEFOLD_OK;
    for (size_t m = 0; m < reading->found_count; m++)
        if (reading->found[m].file == labels->file)
            return of_reading_note(reading, OF_NOTE_TRUTH, labels->name, labels->file->stem,
                                   used ? "taken for the true labels" : "left out");
    return used ? of_reading_note(reading, OF_NOTE_TRUTH_FILE, labels->file->path) : ONEFOLD_OK;
}

/* "Y of a.mat"; a file of labels alone is its path. */
static onefold_status name_labels(of_dataset *dataset, const of_labels *labels, const char **name)
{
    const of_file *file = labels->file;
    if (!file)
        return OF_TEXT(&dataset->arena, name, "%s", labels->name);
    return strcmp(labels->name, file->stem) == 0
               ? OF_TEXT(&dataset->arena, name, "%s", file->path)
               : OF_TEXT(&dataset->arena, name, "%s of %s", labels->name, file->path);
}

/* Keeps where the truth is from, and, unless the caller chose it, other labels that could be meant
 * and group the samples otherwise: of another file, or under as usual a name. */
static onefold_status name_truth(const of_reading *reading, of_dataset *dataset)
{
    const of_labels *truth = reading->true_labels;
    OF_TRY(name_labels(dataset, truth, &dataset->truth_name));
    for (size_t i = 0; i < reading->label_total && !reading->truth; i++) {
        const of_labels *other = &reading->labels[i];
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        if (other == truth || other->length != truth->length ||
            (other->file == truth->file && other->certainty < truth->certainty))
            continue;
        OF_TRY(onefold_score(&scores, ONEFOLD_INT64, other->value, truth->value, truth->length));
        if (scores.purity < 1 || scores.clusters != scores.classes)
            return name_labels(dataset, other, &dataset->other_truth);
    }
    return ONEFOLD_OK;
}

onefold_status of_assemble_dataset(of_reading *reading, of_dataset *dataset)
{
    dataset->impute = reading->given->impute;
    OF_TRY(OF_NEW(reading->arena, &reading->matrix_of_view, reading->found_count, 1));
    for (size_t m = 0; m < reading->found_count; m++) {
        OF_TRY(of_context_check(dataset->arena.context));
        OF_TRY(make_view(reading, dataset, m));
    }
    OF_TRY(assign_present(reading, dataset));
    const of_labels *labels = reading->true_labels;
    if (labels && !reading->given->no_truth) {
        OF_TRY(of_labels_assign(dataset, labels));
        OF_TRY(note_truth(reading, labels, 1));
        OF_TRY(name_truth(reading, dataset));
        OF_TRY(of_dataset_note(dataset, "%s: true labels of %zu classes%s%s%s", labels->name,
                               labels->classes, labels->how ? " (" : "",
                               labels->how ? labels->how : "", labels->how ? ")" : ""));
        OF_TRY(note_label_order(reading));
    }
    for (size_t i = 0; i < reading->label_total; i++)
        if (reading->given->no_truth || !labels || reading->labels[i].file != labels->file ||
            strcmp(reading->labels[i].name, labels->name) != 0)
            OF_TRY(note_truth(reading, &reading->labels[i], 0));
    OF_TRY(name_samples(reading, dataset));
    OF_TRY(of_reading_assign_metadata(reading, dataset));
    for (size_t i = 0; i < reading->notes.count; i++) { /* an assumption is also a note */
        OF_TRY(of_dataset_note(dataset, "%s", reading->notes.text[i]));
        OF_TRY(of_sentence_add(&dataset->arena, &dataset->assumptions, &dataset->assumption_count,
                               "%s", reading->notes.text[i]));
    }
    return note_unused(reading, dataset);
}
