/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells as 10x Genomics writes them: a folder with matrix.mtx, barcodes.tsv and features.tsv
 * (before version 3 genes.tsv), each perhaps packed, or the same names behind a prefix. The matrix
 * has a row per feature and a column per cell.
 */
#include "data/name_index.h"
#include "io/build.h"
#include "io/file.h"

#include <string.h>
#include <sys/stat.h>

/* "folder/name", or "folder/name.gz", whichever is there; NULL where neither is. */
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

/* ---- lists of names ----------------------------------------------------------------------- */

/* Field `field` (from 0) of every line, or the first where there are fewer. */
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

static size_t count_lines(const of_file *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->size; i++)
        count += list->bytes[i] == '\n';
    return count + (list->bytes[list->size - 1] != '\n');
}

/* The names of a list with `count` lines: its second column, the symbols, where no two are the
 * same, else its first. *names is NULL where it has another length. */
static onefold_status read_names(of_file *file, const char *path, size_t rows, size_t columns,
                                 int symbols, const char *const **names, size_t *count)
{
    of_file list;
    const char **read;
    *names = NULL;
    OF_TRY(of_file_load(&list, file->context, path));
    *count = count_lines(&list);
    onefold_status status = ONEFOLD_OK;
    if (*count == rows || *count == columns) {
        status = OF_NEW(&file->arena, &read, *count, 1);
        for (int second = symbols; second >= 0 && status == ONEFOLD_OK; second--) {
            OF_SCRATCH(scratch, file->context);
            of_name_index index = {0};
            status = read_field(&file->arena, &list, (size_t)second, *count, read);
            if (status == ONEFOLD_OK)
                status = of_name_index_make(&scratch, read, *count, &index);
            if (!index.repeated && !index.empty)
                break;
        }
        *names = read;
    }
    of_file_close(&list);
    return status;
}

/* What stands before "matrix.mtx" or the file's own name: its folder, and a prefix. */
static size_t before_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *matrix = strstr(name, "matrix.mtx");
    return (size_t)((matrix ? matrix : name) - path);
}

onefold_status of_cells_folder_names(of_file *file)
{
    const char *path = file->inner ? file->inner : file->path, *list = NULL;
    of_variable *variable = &file->top[file->count - 1].variable;
    of_matrix *matrix = &variable->matrix;
    size_t before = before_name(path), count;
    const char *const *names;
    if (of_is_standard_input(path))
        return ONEFOLD_OK;
    OF_TRY(find_beside(&file->arena, path, before, "barcodes.tsv", &list));
    if (list) {
        OF_TRY(read_names(file, list, matrix->rows, matrix->columns, 0, &names, &count));
        if (names && count == matrix->columns) {
            matrix->column_names = names;
            variable->ids_columns = 1;
        } else if (names) {
            matrix->row_names = names;
        }
    }
    OF_TRY(find_beside(&file->arena, path, before, "features.tsv", &list));
    if (!list)
        OF_TRY(find_beside(&file->arena, path, before, "genes.tsv", &list));
    if (!list)
        return ONEFOLD_OK;
    OF_TRY(read_names(file, list, matrix->rows, matrix->columns, 1, &names, &count));
    if (names && count == matrix->rows && !matrix->row_names) {
        matrix->row_names = names;
        variable->listed_rows = 1;
    } else if (names && count == matrix->columns && !matrix->column_names) {
        matrix->column_names = names;
        variable->listed_columns = 1;
    }
    return ONEFOLD_OK;
}
