/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market: coordinate and array; real, integer and pattern; general and symmetric. And
 * folders of 10x Genomics. */
#include "base/number.h"
#include "base/utf8.h"
#include "data/dataset.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- folders of 10x Genomics ---------------------------------------------------------------- */

/* "folder/name" or "folder/name.gz", the first that exists, or NULL. */
static onefold_status find_beside(of_arena *arena, const char *before, size_t length,
                                  const char *name, const char **found)
{
    struct stat about;
    *found = NULL;
    for (int packed = 0; packed < 2 && !*found; packed++) {
        char *path;
        OF_TRY(of_arena_string(arena, &path, "%.*s%s%s", (int)length, before, name,
                               packed ? ".gz" : ""));
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            *found = path;
    }
    return ONEFOLD_OK;
}

onefold_status of_cells_folder_find(of_file *file)
{
    struct stat about;
    char *folder;
    if (of_is_standard_input(file->path) || stat(file->path, &about) != 0 ||
        !S_ISDIR(about.st_mode))
        return ONEFOLD_OK;
    OF_TRY(of_arena_string(&file->arena, &folder, "%s/", file->path));
    return find_beside(&file->arena, folder, strlen(folder), "matrix.mtx", &file->inner);
}

/* ---- lists of names ------------------------------------------------------------------------- */

/* Field `field`, from 0, of every line; the last where there are fewer. */
static onefold_status read_field(of_arena *arena, const of_file *list, size_t field, size_t count,
                                 const char **names)
{
    const char *at = (const char *)list->bytes, *end = at + list->size;
    for (size_t i = 0; i < count; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *from = at, *to = stop > at && stop[-1] == '\r' ? stop - 1 : stop, *tab;
        for (size_t f = 0; f < field && (tab = memchr(from, '\t', (size_t)(to - from))); f++)
            from = tab + 1;
        tab = memchr(from, '\t', (size_t)(to - from));
        char *name;
        OF_TRY(of_arena_string(arena, &name, "%.*s", (int)((tab ? tab : to) - from), from));
        of_text_clean(name);
        names[i] = name;
        at = stop + (stop < end);
    }
    return ONEFOLD_OK;
}

/* Reads a list of names: its second column, the symbols, if `symbols` and none is repeated; else
 * its first. *names is NULL where the list is as long as neither side. */
static onefold_status read_names(of_file *file, const char *path, size_t rows, size_t columns,
                                 int symbols, const char *const **names, size_t *count)
{
    __attribute__((cleanup(of_file_close))) of_file list = {0};
    const char **read;
    *names = NULL;
    OF_TRY(of_file_read(&list, file->context, path, NULL, 0));
    *count = list.bytes[list.size - 1] != '\n';
    for (size_t i = 0; i < list.size; i++)
        *count += list.bytes[i] == '\n';
    if (*count != rows && *count != columns)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&file->arena, &read, *count, 1));
    for (int second = symbols; second >= 0; second--) {
        OF_SCRATCH(scratch, file->context);
        of_name_index index = {0};
        OF_TRY(read_field(&file->arena, &list, (size_t)second, *count, read));
        OF_TRY(of_name_index_make(&scratch, read, *count, &index));
        if (!index.repeated && !index.empty)
            break;
    }
    *names = read;
    return ONEFOLD_OK;
}

/* Names the sides of the matrix by lists beside it that are as long: barcodes.tsv, features.tsv or
 * genes.tsv, each perhaps with .gz, after the same folder and prefix as "matrix.mtx". */
static onefold_status name_sides(of_file *file, of_variable *variable)
{
    const char *path = file->inner ? file->inner : file->path, *list = NULL;
    of_matrix *matrix = &variable->matrix;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path,
               *own = strstr(name, "matrix.mtx");
    size_t before = (size_t)((own ? own : name) - path), count;
    const char *const *names;
    if (of_is_standard_input(path))
        return ONEFOLD_OK;
    static const char *const lists[] = {"barcodes.tsv", "features.tsv", "genes.tsv"};
    for (int l = 0; l < 3 && !(l == 2 && list); l++) { /* genes where there are no features */
        OF_TRY(find_beside(&file->arena, path, before, lists[l], &list));
        if (!list)
            continue;
        OF_TRY(read_names(file, list, matrix->rows, matrix->columns, l > 0, &names, &count));
        if (l == 0 && names && count == matrix->columns) {
            matrix->column_names = names;
            variable->listed.ids_columns = 1;
        } else if (names && count == matrix->rows && !matrix->row_names) {
            matrix->row_names = names;
            variable->listed.rows = l > 0;
        } else if (names && count == matrix->columns && !matrix->column_names) {
            matrix->column_names = names;
            variable->listed.columns = 1;
        }
    }
    return ONEFOLD_OK;
}

/* ---- Matrix Market -------------------------------------------------------------------------- */

typedef struct mtx_reader {
    const char *at, *end;
    size_t line;
    int coordinate, pattern;
    int mirror; /* 0 general, 1 symmetric, -1 skew-symmetric */
    size_t rows, columns, entries;
} mtx_reader;

static onefold_status truncated(const mtx_reader *in, size_t have)
{
    return of_damaged("the file is truncated: %zu entries are declared, and "
                      "%zu are present (line %zu)",
                      in->entries, have, in->line);
}

/* Skips blanks and ends of lines, and, where `comments`, lines of comment. */
static void pass_blanks(mtx_reader *in, int comments)
{
    while (in->at < in->end) {
        char c = *in->at;
        if (c == '%' && comments) {
            while (in->at < in->end && *in->at != '\n')
                in->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            in->line += c == '\n';
            in->at++;
        } else {
            return;
        }
    }
}

static int read_size(mtx_reader *in, size_t *value)
{
    pass_blanks(in, 0);
    const char *stop = of_number_read_size(in->at, in->end, value);
    int read = stop > in->at;
    in->at = stop;
    return read;
}

/* Reads a number; "nan" is a missing one. */
static int read_value(mtx_reader *in, double *value)
{
    pass_blanks(in, 0);
    if (in->end - in->at >= 3 && of_same_start(in->at, "nan", 3)) {
        *value = NAN;
        in->at += 3;
        return 1;
    }
    const char *stop = of_number_read(in->at, in->end, '.', value);
    int read = stop > in->at;
    in->at = stop;
    return read;
}

/* The error for a text that is not a number, after `have` entries. */
static onefold_status not_a_number(const mtx_reader *in, size_t have)
{
    size_t length = 0;
    if (in->at == in->end)
        return truncated(in, have);
    while (in->at + length < in->end && length < 30 && in->at[length] > ' ')
        length++;
    return of_fail(ONEFOLD_BAD_DATA, "line %zu holds \"%.*s\" where a number should be", in->line,
                   (int)length, in->at);
}

/* ---- header --------------------------------------------------------------------------------- */

static onefold_status read_banner(mtx_reader *in)
{
    char words[4][24] = {"", "", "", ""};
    const char *stop = memchr(in->at, '\n', (size_t)(in->end - in->at));
    if (!stop)
        return of_fail(ONEFOLD_BAD_DATA, "there is nothing after the first line");
    char line[160];
    int length = (int)of_size_least((size_t)(stop - in->at), sizeof line);
    snprintf(line, sizeof line, "%.*s", length, in->at);
    if (sscanf(line, "%*s %23s %23s %23s %23s", words[0], words[1], words[2], words[3]) != 4 ||
        !of_same_word(words[0], "matrix"))
        return of_fail(ONEFOLD_BAD_DATA, "the first line is not a Matrix Market header");
    in->coordinate = of_same_word(words[1], "coordinate");
    in->pattern = of_same_word(words[2], "pattern");
    int real = in->pattern || of_same_word(words[2], "real") || of_same_word(words[2], "integer") ||
               of_same_word(words[2], "double");
    int general = of_same_word(words[3], "general");
    in->mirror = of_same_word(words[3], "symmetric")        ? 1
                 : of_same_word(words[3], "skew-symmetric") ? -1
                                                            : 0;
    if ((!in->coordinate && !of_same_word(words[1], "array")) || !real ||
        (!general && !in->mirror) || (in->pattern && !in->coordinate))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a matrix that is %s %s %s is not read", words[1],
                               words[2], words[3]),
                       "coordinate or array, real, integer or pattern, general, symmetric or "
                       "skew-symmetric are");
    in->at = stop;
    return ONEFOLD_OK;
}

/* Refuses sizes that are too large for the rest of the file. */
static onefold_status read_sizes(mtx_reader *in)
{
    pass_blanks(in, 1);
    if (!read_size(in, &in->rows) || !read_size(in, &in->columns) ||
        (in->coordinate && !read_size(in, &in->entries)))
        return of_fail(ONEFOLD_BAD_DATA, "line %zu does not say the size of the matrix", in->line);
    size_t left = (size_t)(in->end - in->at), lines = in->rows;
    if (in->rows == 0 || in->columns == 0)
        return of_fail(ONEFOLD_BAD_DATA, "the matrix is empty: %zu x %zu", in->rows, in->columns);
    if (in->rows > UINT32_MAX || in->columns > UINT32_MAX)
        return of_fail(ONEFOLD_BAD_DATA, "the matrix has %zu x %zu entries, which is too many",
                       in->rows, in->columns);
    if (in->mirror && in->rows != in->columns)
        return of_fail(ONEFOLD_BAD_DATA, "a symmetric matrix is square, and this one is %zu x %zu",
                       in->rows, in->columns);
    if (!in->coordinate) {
        OF_TRY(of_claimed_size(&in->entries, in->rows, in->columns));
        if (in->mirror > 0)
            in->entries = (in->entries + lines) / 2;
        else if (in->mirror < 0)
            in->entries = (in->entries - lines) / 2;
    }
    size_t bytes = !in->coordinate ? 2 : in->pattern ? 4 : 6; /* at least, of an entry */
    if (in->entries > left / bytes + 1)
        return truncated(in, left / bytes);
    return ONEFOLD_OK;
}

/* ---- entries -------------------------------------------------------------------------------- */

static onefold_status read_list(mtx_reader *in, of_top *top)
{
    enum { CHECK_EVERY = 1 << 20 };
    OF_SCRATCH(scratch, top->store->arena.context);
    size_t most = in->mirror ? 2 * in->entries : in->entries, count = 0;
    uint32_t *row, *column;
    double *value;
    OF_TRY(OF_NEW(&scratch, &row, most, 1));
    OF_TRY(OF_NEW(&scratch, &column, most, 1));
    OF_TRY(OF_NEW(&scratch, &value, most, 1));
    for (size_t e = 0; e < in->entries; e++) {
        if (e % CHECK_EVERY == 0)
            OF_TRY(of_context_check(scratch.context));
        for (int i = 0; i < 2; i++) {
            size_t place;
            if (!read_size(in, &place))
                return not_a_number(in, e);
            if (place < 1 || place > (i ? in->columns : in->rows))
                return of_fail(ONEFOLD_BAD_DATA,
                               "line %zu: %s %zu lies outside the %zu x %zu matrix", in->line,
                               i ? "column" : "row", place, in->rows, in->columns);
            (i ? column : row)[count] = (uint32_t)(place - 1);
        }
        value[count] = 1;
        if (!in->pattern && !read_value(in, &value[count]))
            return not_a_number(in, e);
        if (in->mirror && row[count] != column[count]) {
            row[count + 1] = column[count];
            column[count + 1] = row[count];
            value[count + 1] = in->mirror * value[count];
            count++;
        }
        count++;
    }
    OF_TRY(of_build_coordinates(&top->store->arena, in->rows, in->columns,
                                &(of_array){row, OF_U32, count, NULL},
                                &(of_array){column, OF_U32, count, NULL},
                                &(of_array){value, OF_F64, count, NULL}, &top->variable.matrix));
    top->variable.matrix.owner = top->store;
    return ONEFOLD_OK;
}

/* Reads numbers by column; of a symmetric matrix only the lower triangle. */
static onefold_status read_array(mtx_reader *in, of_top *top)
{
    double *value;
    size_t done = 0;
    OF_TRY(OF_NEW_ZERO(&top->store->arena, &value, in->rows, in->columns));
    for (size_t c = 0; c < in->columns; c++) {
        OF_TRY(of_context_check(top->store->arena.context));
        size_t first = !in->mirror ? 0 : in->mirror > 0 ? c : c + 1;
        for (size_t r = first; r < in->rows; r++, done++) {
            double *at = &value[c * in->rows + r];
            if (!read_value(in, at))
                return not_a_number(in, done);
            if (in->mirror)
                value[r * in->rows + c] = r == c ? *at : in->mirror * *at;
        }
    }
    of_build_dense(&top->variable, &(of_array){value, OF_F64, in->rows * in->columns, top->store},
                   (size_t[]){in->rows, in->columns, 1}, 0);
    return ONEFOLD_OK;
}

onefold_status of_read_mtx(of_file *file)
{
    mtx_reader matrix = {
        .at = (const char *)file->bytes, .end = (const char *)file->bytes + file->size, .line = 1};
    of_top *top;
    OF_TRY(read_banner(&matrix));
    OF_TRY(read_sizes(&matrix));
    OF_TRY(of_file_add(file, &top, file->stem));
    OF_TRY(matrix.coordinate ? read_list(&matrix, top) : read_array(&matrix, top));
    return name_sides(file, &top->variable);
}
