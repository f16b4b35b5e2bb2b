/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a data set: from files to variables, from variables to views and labels. */

#include "base/comm.h"
#include "base/mapped.h"
#include "io/find.h"

#include <math.h>
#include <string.h>

/* ---- the number of samples: the side that all views and the labels share -------------------- */

static onefold_status no_common_side_error(const of_reading *reading)
{
    size_t common[2], last = 1;
    while (last < reading->found_count && of_sides_common(reading->found, last + 1, common))
        last++;
    const of_matrix *first = &reading->found[0].matrix, *odd = &reading->found[last].matrix;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "the views have different numbers of samples: %s is %zu x %zu and %s is "
                           "%zu x %zu",
                           first->name, first->rows, first->columns, odd->name, odd->rows,
                           odd->columns),
                   "every view needs the same samples: pick those that have them with `views`");
}

static onefold_status labels_length_error(const of_reading *reading, const of_labels *labels)
{
    const of_matrix *first = &reading->found[0].matrix;
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "%s has %zu labels, and no side of all the views is that long (%s is "
                           "%zu x %zu)",
                           labels->name, labels->length, first->name, first->rows, first->columns),
                   reading->truth ? "name other labels with `truth`"
                                  : "ignore the labels with `no_truth`, or name others with "
                                    "`truth`");
}

/* Finds the number of samples of views that are lists of (sample, column, value). */
static int find_triplets(of_reading *reading)
{
    size_t common[2];
    for (size_t i = 0; i < reading->label_count && !reading->triplets; i++) {
        reading->samples = reading->labels[i].length;
        reading->true_labels = &reading->labels[i];
        reading->triplets =
            of_triplets_are(reading->found, reading->found_count, &reading->samples);
    }
    if (reading->triplets)
        return 1;
    reading->samples = 0;
    reading->true_labels = NULL;
    reading->triplets = !reading->label_count && reading->found_count > 1 &&
                        of_sides_common(reading->found, reading->found_count, common) == 1 &&
                        of_triplets_are(reading->found, reading->found_count, &reading->samples);
    return reading->triplets;
}

/* Sets a number of samples that ids or the file determine, and the labels of that length. */
static onefold_status set_samples(of_reading *reading, size_t samples, const char *why)
{
    reading->samples = samples;
    reading->side = why;
    for (size_t i = 0; i < reading->label_count && !reading->true_labels; i++)
        if (reading->labels[i].length == samples)
            reading->true_labels = &reading->labels[i];
    return !reading->true_labels && reading->truth
               ? labels_length_error(reading, &reading->labels[0])
               : ONEFOLD_OK;
}

/* The side beside the one that a list of features names, or 0. */
static size_t samples_beside_names(const of_reading *reading)
{
    for (size_t m = 0; m < reading->found_count; m++) {
        const of_matrix *matrix = &reading->found[m].matrix;
        const of_found *found = &reading->found[m];
        if (matrix->rows != matrix->columns && found->listed.rows != found->listed.columns)
            return found->listed.rows ? matrix->columns : matrix->rows;
    }
    return 0;
}

/* Finds the number of samples, and the labels that fit. */
static onefold_status find_samples(of_reading *reading)
{
    size_t common[2], sides = of_sides_common(reading->found, reading->found_count, common);
    size_t n = reading->found[0].matrix.rows, cells = 0, as_long = 0;
    if (reading->matched)
        return set_samples(reading, reading->matched, "as their ids say");
    for (size_t m = 0; m < reading->found_count; m++) {
        cells += reading->found[m].file->single_cell != 0;
        as_long += reading->found[m].matrix.rows == n;
    }
    if (cells == reading->found_count)
        return as_long == cells ? set_samples(reading, n, "as the file says")
                                : no_common_side_error(reading);
    for (size_t i = 0; i < reading->label_count; i++)
        for (size_t s = 0; s < sides; s++)
            if (reading->labels[i].length == common[s]) {
                reading->samples = common[s];
                reading->true_labels = &reading->labels[i];
                return ONEFOLD_OK;
            }
    if (find_triplets(reading))
        return ONEFOLD_OK;
    if (sides == 0)
        return no_common_side_error(reading);
    if (reading->label_count && !reading->given->no_truth &&
        (reading->truth || reading->labels[0].certainty > 1))
        return labels_length_error(reading, &reading->labels[0]);
    const of_matrix *first = &reading->found[0].matrix;
    onefold_side requested = reading->given->samples_are;
    size_t unnamed = requested == ONEFOLD_SIDE_AUTO ? samples_beside_names(reading) : 0;
    if (sides == 1) {
        reading->samples = common[0];
        reading->side = reading->found_count > 1 ? "the side all the views share" : NULL;
        if (first->rows != common[0] && first->row_names && !reading->found[0].listed.rows &&
            reading->found_count > 1)
            return of_reading_note(reading, OF_NOTE_SIDE, "columns", first->name, OF_BY_LENGTH);
    } else if (unnamed) {
        reading->samples = unnamed;
        reading->side = "as the other side has the names of features";
    } else {
        int headed = reading->found[0].file->ids.headed;
        reading->samples = requested == ONEFOLD_SIDE_COLUMNS ? first->columns : first->rows;
        reading->side = requested != ONEFOLD_SIDE_AUTO ? "as was asked for"
                        : headed                       ? "as a column has their ids"
                                                       : "assumed: both sides are possible";
        if (requested == ONEFOLD_SIDE_AUTO && !headed && /* names of columns alone are features */
            !first->row_names == !first->column_names)
            return of_reading_note(reading, OF_NOTE_SIDE, "rows", first->name,
                                   "assumed, as both sides are possible");
    }
    return ONEFOLD_OK;
}

/* The side of the option `samples_are` must be that of the samples in some view. */
static onefold_status check_side(const of_reading *reading)
{
    onefold_side requested = reading->given->samples_are;
    const of_matrix *other = NULL;
    for (size_t m = 0; m < reading->found_count && requested && !reading->triplets; m++) {
        const of_matrix *matrix = &reading->found[m].matrix;
        if ((requested == ONEFOLD_SIDE_ROWS ? matrix->rows : matrix->columns) == reading->samples)
            return ONEFOLD_OK;
        other = matrix;
    }
    return other ? of_hint(of_fail(ONEFOLD_USAGE,
                                   "%s cannot be the samples: %s is %zu x %zu, and there are %zu, "
                                   "as the ids, the labels or the other views say",
                                   requested == ONEFOLD_SIDE_ROWS ? "rows" : "columns", other->name,
                                   other->rows, other->columns, reading->samples),
                           "leave `samples_are` out")
                 : ONEFOLD_OK;
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Reads a file of the data again, with other options. */
static onefold_status read_again(of_reading *reading, size_t f, onefold_read_options options,
                                 int encode)
{
    of_file *file = &reading->file[f];
    const char *path = file->path;
    of_file_close(file);
    return of_file_read(file, reading->arena->context, path, &options, encode);
}

/* The matrix of a table, or NULL. */
static const of_matrix *table_of(const of_file *file)
{
    for (size_t t = 0; t < file->count; t++)
        if (file->top[t].variable.of_table && file->top[t].variable.matrix.data)
            return &file->top[t].variable.matrix;
    return NULL;
}

/* The whole numbers of a column as ids; without names where some number is not whole. */
static onefold_status ids_of_column(of_arena *arena, const of_matrix *matrix, size_t column,
                                    of_ids *ids)
{
    const char **names;
    *ids = (of_ids){.count = 0};
    OF_TRY(OF_NEW(arena, &names, matrix->rows, 1));
    for (size_t r = 0; r < matrix->rows; r++) {
        double value = of_matrix_get(matrix, r, column);
        if (!(value >= 0) || value != floor(value))
            return ONEFOLD_OK;
        OF_TRY(OF_TEXT(arena, &names[r], "%.0f", value));
    }
    return of_ids_make(arena, names, matrix->rows, ids);
}

/* Whether a column of table `f` has the ids of another file, or of its column of the same name. */
static onefold_status is_shared(of_reading *reading, const of_matrix *matrix, size_t column,
                                size_t f, int *shared)
{
    OF_SCRATCH(scratch, reading->arena->context);
    of_ids own, others;
    *shared = 0;
    OF_TRY(ids_of_column(&scratch, matrix, column, &own));
    for (size_t g = 0; own.usable && g < reading->file_count && !*shared; g++) {
        const of_matrix *other = table_of(&reading->file[g]);
        size_t c = 0;
        if (g == f || !other || !other->column_names)
            continue;
        while (c < other->columns &&
               strcmp(other->column_names[c], matrix->column_names[column]) != 0)
            c++;
        if (reading->file[g].ids.name)
            OF_TRY(of_ids_make(&scratch, other->row_names, other->rows, &others));
        else if (c < other->columns)
            OF_TRY(ids_of_column(&scratch, other, c, &others));
        else
            continue;
        *shared = of_ids_overlap(&own, &others) >= 0.5;
    }
    return ONEFOLD_OK;
}

/* Reads a table without ids again if one of its columns has the ids of another file. The ids may
 * then be found in further tables. */
static onefold_status find_shared_ids(of_reading *reading)
{
    enum { MOST_COLUMNS = 100 };
    size_t *column, files = reading->file_count, found = 0;
    if (files < 2 || reading->given->ids || reading->given->match == ONEFOLD_MATCH_ORDER)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(reading->arena, &column, files, 1));
    for (size_t f = 0; f < files; f++) {
        const of_file *file = &reading->file[f];
        const of_matrix *matrix = table_of(file);
        column[f] = SIZE_MAX;
        if (!matrix || !matrix->column_names || file->ids.name || of_is_standard_input(file->path))
            continue;
        for (size_t c = 0; c < matrix->columns && c < MOST_COLUMNS && column[f] == SIZE_MAX; c++) {
            int shared;
            OF_TRY(is_shared(reading, matrix, c, f, &shared));
            column[f] = shared ? c : SIZE_MAX;
            found += (size_t)shared;
        }
    }
    for (size_t f = 0; f < files; f++) {
        char *heading;
        if (column[f] == SIZE_MAX)
            continue;
        of_file *file = &reading->file[f];
        onefold_read_options options = file->options;
        OF_TRY(of_arena_string(reading->arena, &heading, "%s",
                               table_of(file)->column_names[column[f]]));
        options.ids = heading;
        OF_TRY(read_again(reading, f, options, file->encode));
        OF_TRY(of_file_note(file, OF_NOTE_IDS, heading, "another file has them too"));
    }
    return found ? find_shared_ids(reading) : ONEFOLD_OK;
}

/* Where all tables have words alone, the words are the data: the tables are read again. */
static onefold_status encode_words(of_reading *reading)
{
    for (size_t f = 0; f < reading->file_count; f++)
        if (!reading->file[f].only_words)
            return ONEFOLD_OK;
    for (size_t f = 0; f < reading->file_count && reading->file_count > 1; f++) {
        const of_file *file = &reading->file[f];
        if (!of_is_standard_input(file->path))
            OF_TRY(read_again(reading, f, file->options, file->encode ? file->encode : 1));
    }
    return ONEFOLD_OK;
}

static onefold_status read_files(of_reading *reading, const char *const *paths, size_t path_count)
{
    OF_TRY(OF_NEW_ZERO(reading->arena, &reading->file, path_count + 2, 1));
    for (size_t f = 0; f < path_count; f++) {
        onefold_read_options options = reading->options;
        size_t length = strlen(paths[f]);
        options.truth = reading->truth;
        /* "FILE:COLUMN" names a column of one file; "COLUMN" may be in any file */
        if (options.truth && strncmp(options.truth, paths[f], length) == 0 &&
            options.truth[length] == ':')
            options.truth += length + 1;
        of_context_progress(reading->arena->context, "read", (double)f, (double)path_count,
                            paths[f]);
        OF_TRY(of_file_read(&reading->file[f], reading->arena->context, paths[f], &options,
                            options.samples_are == ONEFOLD_SIDE_COLUMNS ? -1 : path_count == 1));
        reading->opened = reading->file_count = f + 1;
    }
    return ONEFOLD_OK;
}

onefold_status of_reading_beside(of_reading *reading, const char *path, const char *truth,
                                 of_file **file)
{
    onefold_read_options options = reading->options;
    options.truth = truth;
    options.drop = options.columns = options.as_category = options.as_number = NULL;
    options.samples_are = ONEFOLD_SIDE_AUTO;
    options.pass_once = 0;
    *file = &reading->file[reading->opened];
    OF_TRY(of_file_read(*file, reading->arena->context, path, &options, -1));
    reading->opened++;
    return ONEFOLD_OK;
}

static int is_table(const of_variable *variable)
{
    return of_variable_is_dense(variable) && variable->pages == 1;
}

static int is_zeros_and_ones(const of_variable *variable)
{
    for (size_t c = 0; c < variable->matrix.columns; c++)
        for (size_t r = 0; r < variable->matrix.rows; r++) {
            double value = of_matrix_get(&variable->matrix, r, c);
            if (value != 0 && value != 1)
                return 0;
        }
    return 1;
}

/* Finds the variable that says which sample has which view: in the file of the option `present`, or
 * by its name and its contents, zeros and ones. */
static onefold_status find_present(of_reading *reading)
{
    for (size_t f = 0; f < reading->file_count; f++)
        for (size_t t = 0; t < reading->file[f].count; t++) {
            of_top *top = &reading->file[f].top[t];
            const of_variable *variable = &top->variable;
            size_t last = strlen(variable->name);
            /* the only variable of the only file is a view */
            if (top->is_label || !is_table(variable) || variable->matrix.rows < 2 ||
                variable->matrix.columns < 2 ||
                (reading->file[f].count == 1 && reading->file_count == 1) ||
                !of_name_of_present(variable->name) ||
                (last && variable->name[last - 1] >= '0' && variable->name[last - 1] <= '9') ||
                !is_zeros_and_ones(variable))
                continue;
            top->is_label = 1;
            if (!reading->present)
                reading->present = variable;
        }
    const char *path = reading->given->present;
    of_file *file;
    if (!path)
        return ONEFOLD_OK;
    reading->present = NULL;
    OF_TRY(of_reading_beside(reading, path, NULL, &file));
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        if (is_table(variable) && (!reading->present || of_name_of_present(variable->name)))
            reading->present = variable;
    }
    if (!reading->present || !is_zeros_and_ones(reading->present))
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s: there is no table of zeros and ones in it", path),
            "it has a row per sample and a column per view, with a 1 where the sample "
            "has the view");
    reading->present_named = 1;
    return ONEFOLD_OK;
}

/* Collects the notes on tables. Some file must have the column of the option `ids`. */
static onefold_status check_tables(of_reading *reading)
{
    int found = 0;
    for (size_t f = 0; f < reading->opened; f++) {
        const of_file *file = &reading->file[f];
        found |= file->ids.by_name;
        for (size_t i = 0; i < file->notes.count; i++)
            OF_TRY(of_reading_note(reading, OF_NOTE_OF_TABLE, file->path, file->notes.text[i]));
    }
    if (reading->given->ids && strcmp(reading->given->ids, "none") != 0 && !found)
        return of_hint(of_fail(ONEFOLD_USAGE, "no file has a column %s", reading->given->ids),
                       "`ids` is the name of a column in the header, its number from 1, or none");
    return ONEFOLD_OK;
}

/* Some file must have each column that an option names. */
static onefold_status check_columns(const of_reading *reading)
{
    const onefold_read_options *options = reading->given;
    const char *const lists[] = {options->drop, options->columns, options->as_category,
                                 options->as_number};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
        const char *list = lists[l], *name;
        for (int length; of_list_next(&list, &name, &length);) {
            char *requested;
            int found = 0;
            OF_TRY(of_arena_string(reading->arena, &requested, "%.*s", length, name));
            for (size_t f = 0; f < reading->file_count; f++) {
                const of_file *file = &reading->file[f];
                for (size_t c = 0; c < file->columns && !found; c++)
                    found = of_name_listed(requested, file->header ? file->header[c] : "", c);
            }
            if (!found)
                return of_hint(of_fail(ONEFOLD_USAGE, "no table has a column %s", requested),
                               "columns are named as in the header, or by number from 1");
        }
    }
    return ONEFOLD_OK;
}

/* Processes that read together must find the same shapes before they exchange anything. */
static onefold_status check_same(const of_reading *reading)
{
    size_t *sides;
    OF_TRY(OF_NEW(reading->arena, &sides, reading->found_count + 1, 3));
    sides[0] = reading->samples;
    sides[1] = (size_t)reading->may_repeat;
    sides[2] = (size_t)reading->triplets;
    for (size_t m = 0; m < reading->found_count; m++) {
        sides[3 * m + 3] = reading->found[m].matrix.rows;
        sides[3 * m + 4] = reading->found[m].matrix.columns;
        sides[3 * m + 5] = reading->found[m].matrix.storage == OF_SPARSE;
    }
    return of_comm_same(reading->arena->context, sides,
                        3 * (reading->found_count + 1) * sizeof *sides, "data");
}

/* Whether samples are the columns of a table with categories. Then the files are read again, as
 * a column of 0 and 1 for a word is not a sample. */
static int has_categories_as_samples(const of_reading *reading)
{
    for (size_t m = 0; m < reading->found_count; m++) {
        const of_found *found = &reading->found[m];
        if (found->matrix.column_unit &&
            (found->matrix.rows != reading->samples || found->side == ONEFOLD_SIDE_COLUMNS))
            return 1;
    }
    return 0;
}

static onefold_status read_all(of_reading *reading, const char *const *paths, size_t path_count,
                               of_dataset **made)
{
    OF_TRY(read_files(reading, paths, path_count));
    OF_TRY(find_shared_ids(reading));
    OF_TRY(encode_words(reading));
    OF_TRY(check_columns(reading));
    OF_TRY(of_reading_find_labels(reading));
    OF_TRY(find_present(reading));
    OF_TRY(of_reading_find_views(reading));
    OF_TRY(check_tables(reading));
    OF_TRY(of_reading_match(reading));
    OF_TRY(find_samples(reading));
    OF_TRY(check_side(reading));
    reading->reread = has_categories_as_samples(reading);
    if (reading->reread)
        return ONEFOLD_OK;
    OF_TRY(check_same(reading));
    OF_TRY(of_dataset_make(made, reading->arena->context, reading->samples));
    onefold_status status = of_assemble_dataset(reading, *made);
    for (size_t f = 0; f < reading->opened; f++)
        if (reading->file[f].contents)
            status = of_mapped_intact(reading->file[f].contents->map, status);
    OF_TRY(of_dataset_intact(*made, status));
    of_context_progress(reading->arena->context, "read", (double)path_count, (double)path_count,
                        NULL);
    return ONEFOLD_OK;
}

typedef struct read_arguments {
    onefold_dataset **dataset;
    const char *const *paths;
    size_t path_count;
    const onefold_read_options *options;
} read_arguments;

static onefold_status read_together(of_context *context, void *opaque)
{
    read_arguments *arguments = opaque;
    OF_SCRATCH(scratch, context);
    const onefold_read_options *options = arguments->options;
    of_reading reading;
    of_dataset *made = NULL;
    onefold_status status = ONEFOLD_OK;
    for (int again = 0; again < 2; again++) {
        reading = (of_reading){.arena = &scratch,
                               .given = options,
                               .options = *options,
                               .truth = options->no_truth ? NULL : options->truth};
        if (again)
            reading.options.samples_are = ONEFOLD_SIDE_COLUMNS;
        status = read_all(&reading, arguments->paths, arguments->path_count, &made);
        for (size_t f = 0; f < reading.opened; f++)
            of_file_close(&reading.file[f]);
        if (status != ONEFOLD_OK || !reading.reread)
            break;
    }
    status = of_comm_agree(context, status);
    if (status == ONEFOLD_OK)
        *arguments->dataset = (onefold_dataset *)made;
    else
        of_dataset_free(made);
    return status;
}

onefold_status onefold_dataset_read(onefold_dataset **dataset, onefold_context *context,
                                    const char *const *paths, size_t path_count,
                                    const onefold_read_options *options)
{
    if (!dataset || !paths || path_count == 0)
        return of_fail(ONEFOLD_USAGE, "reading needs a place for the data set and a file");
    size_t streams = 0;
    for (size_t f = 0; f < path_count; f++) {
        if (!paths[f] || !*paths[f])
            return of_fail(ONEFOLD_USAGE, "file %zu has no name", f + 1);
        streams += of_is_standard_input(paths[f]);
    }
    if (streams > 1)
        return of_fail(ONEFOLD_USAGE, "standard input (-) can be one of the files, not %zu",
                       streams);
    onefold_read_options all = ONEFOLD_READ_OPTIONS_INIT;
    OF_TRY(OF_STRUCT_READ(&all, options, onefold_read_options));
    const char *wrong = (unsigned)all.samples_are > ONEFOLD_SIDE_COLUMNS  ? "samples_are"
                        : !onefold_name(ONEFOLD_NAMES_IMPUTE, all.impute) ? "impute"
                        : (unsigned)all.match > ONEFOLD_MATCH_ORDER       ? "match"
                        : (unsigned)all.header > ONEFOLD_HEADER_NO        ? "header"
                                                                          : NULL;
    if (wrong)
        return of_fail(ONEFOLD_USAGE, "the option %s has a value that is not one of its choices",
                       wrong);
    read_arguments arguments = {dataset, paths, path_count, &all};
    return of_call(of_context_or_default(context), "read", read_together, &arguments);
}
