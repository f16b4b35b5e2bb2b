/* SPDX-License-Identifier: Apache-2.0 */
/* What names suggest; and groups of matrices that belong together: in a cell, in a tensor,
 * numbered, or free-named. */
#include "io/find.h"

#include "base/number.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names --------------------------------------------------------------------------------- */

enum { LONGEST = 64 };

/* Letters and digits only, in lower case. */
static void plain(const char *name, char text[LONGEST])
{
    size_t length = 0;
    for (; *name && length < LONGEST - 1; name++)
        if ((of_is_letter(*name) || of_is_digit(*name)))
            text[length++] = of_lower(*name);
    text[length] = '\0';
}

int of_is_one_of(const char *text, const char *list, int contains)
{
    size_t size = strlen(text);
    for (size_t length; *(list += strspn(list, " ")); list += length) {
        length = strcspn(list, " ");
        if (contains ? memmem(text, size, list, length) != NULL
                     : size == length && memcmp(text, list, length) == 0)
            return 1;
    }
    return 0;
}

/* As of_is_one_of, for the letters and digits of a name. */
static int is_called(const char *name, const char *list, int contains)
{
    char text[LONGEST];
    plain(name, text);
    return of_is_one_of(text, list, contains);
}

int of_name_of_labels(const char *name)
{
    static const char usual[] =
        "y gt gnd truth truelabel truelabels label labels truey groundtruth class classes "
        "target targets ytrue truelab classlabel labely lab classlabels cluster";
    static const char words[] = "label truth gnd celltype types class clusters target";
    static const char about[] = "size num count dim name meaning weight prob";
    if (is_called(name, usual, 0))
        return 2;
    return is_called(name, words, 1) && !is_called(name, about, 1);
}

/* Splits the number off the end of a name, and returns it; 0 where there is none. */
static size_t plain_numbered(const char *name, char text[LONGEST])
{
    plain(name, text);
    char *end = text + strlen(text);
    while (end > text && of_is_digit(end[-1]))
        end--;
    size_t number = strlen(end) < 9 ? (size_t)strtoul(end, NULL, 10) : 0;
    *end = '\0';
    return number;
}

/* Whether the name is one under which views, or kernels, are usually stored. */
static int name_of_views(const char *name)
{
    static const char usual[] =
        "x data fea feas feat feats views features feature view xs k kh kernels";
    char text[LONGEST];
    plain_numbered(name, text);
    return of_is_one_of(text, usual, 0);
}

int of_name_of_ids(const char *name)
{
    static const char usual[] =
        "id ids sample samples sampleid sampleids samplename samplenames barcode barcodes "
        "cell cells cellid cellids cellname cellnames cellbarcode cellbarcodes patient "
        "patients patientid patientids subject subjects subjectid caseid obsnames obsname "
        "rowname rownames unnamed0 index donorid participant participantid";
    return is_called(name, usual, 0);
}

int of_name_of_features(const char *name)
{
    static const char words[] = "gene symbol feature probe protein peptide transcript marker term";
    return is_called(name, words, 1);
}

/* The next word of a name, in lower case: a run of letters, cut where capitals start. */
static const char *next_word(const char *name, char word[LONGEST])
{
    size_t length = 0;
    while (*name && !of_is_letter(*name))
        name++;
    while (of_is_letter(*name) && length < LONGEST - 1) {
        int before_capital =
            (of_is_letter(name[0]) && !of_is_capital(name[0])) && of_is_capital(name[1]);
        word[length++] = of_lower(*name++);
        if (before_capital)
            break;
    }
    word[length] = '\0';
    return length ? name : NULL;
}

int of_name_of_decoy(const char *name)
{
    static const char words[] =
        "index indices idx ind perm permutation split splits fold folds train test mask "
        "missing status param params order present presence";
    static const char parts[] = "index idx indices";
    char text[LONGEST];
    if (is_called(name, parts, 1))
        return 1;
    for (const char *at = name; (at = next_word(at, text));)
        if (of_is_one_of(text, words, 0))
            return 1;
    return 0;
}

int of_name_of_present(const char *name)
{
    static const char words[] = "missing present presence ind mask status";
    char text[LONGEST];
    int found = 0, missing = 0, status = 0;
    for (const char *at = name; (at = next_word(at, text));) {
        found |= of_is_one_of(text, words, 0);
        missing |= strcmp(text, "missing") == 0;
        status |= strcmp(text, "status") == 0;
    }
    return missing && !status ? -1 : found; /* a 1 in MissingStatus means present */
}

int of_name_of_columns(const char *name, size_t *number)
{
    static const char usual[] =
        "columnnames colnames columns featurenames featnames feanames features varnames "
        "variables words terms vocab vocabulary genenames genes attributes attributenames";
    char text[LONGEST];
    *number = plain_numbered(name, text);
    return of_is_one_of(text, usual, 0);
}

int of_name_listed(const char *list, const char *name, size_t column)
{
    const char *item;
    size_t number;
    for (int length; of_list_next(&list, &item, &length);)
        if (length && ((strlen(name) == (size_t)length && memcmp(item, name, strlen(name)) == 0) ||
                       (of_number_read_size(item, item + length, &number) == item + length &&
                        number && number == column + 1)))
            return 1;
    return 0;
}

/* Splits "X12" into "X#" and 12, the last number in the name. Returns 0 where there is none. The
 * pattern has room for strlen(name) + 2 characters. */
static int name_number(const char *name, char *pattern, size_t *number)
{
    size_t end = strlen(name);
    while (end > 0 && !of_is_digit(name[end - 1]))
        end--;
    size_t first = end;
    while (first > 0 && of_is_digit(name[first - 1]))
        first--;
    if (first == end || end - first > 9)
        return 0;
    *number = (size_t)strtoul(name + first, NULL, 10);
    sprintf(pattern, "%.*s#%s", (int)first, name, name + end);
    return 1;
}

/* ---- groups -------------------------------------------------------------------------------- */

size_t of_sides_common(const of_found *found, size_t count, size_t common[2])
{
    if (count == 0)
        return 0;
    size_t sides = found[0].matrix.rows == found[0].matrix.columns ? 1 : 2;
    common[0] = found[0].matrix.rows;
    common[1] = found[0].matrix.columns;
    for (size_t m = 1; m < count; m++) {
        size_t kept = 0;
        for (size_t s = 0; s < sides; s++)
            if (common[s] == found[m].matrix.rows || common[s] == found[m].matrix.columns)
                common[kept++] = common[s];
        sides = kept;
    }
    return sides;
}

/* Whether some labels are as long as a side. */
static int fits_labels(const of_reading *reading, size_t side)
{
    for (size_t i = 0; i < reading->label_count; i++)
        if (reading->labels[i].length == side)
            return 1;
    return 0;
}

/* Adds the matrix of a variable to a group. */
static onefold_status add_found(of_arena *arena, of_group *group, of_file *file, of_top *top,
                                const of_variable *variable)
{
    OF_TRY(OF_GROW(arena, &group->found, group->count, &group->room, group->count + 1));
    of_found *found = &group->found[group->count++];
    *found = (of_found){
        .matrix = variable->matrix, .file = file, .top = top, .listed = variable->listed};
    found->matrix.name = variable->name;
    return ONEFOLD_OK;
}

/* ---- tensors: n x n x p kernels, or a view on each page ------------------------------------- */

/* Whether a dense matrix is symmetric up to rounding, in a spread of rows. */
static int is_symmetric(const of_matrix *matrix)
{
    enum { ROWS = 256 };
    size_t n = matrix->rows, step = n / ROWS + 1;
    double largest = 0, differs = 0;
    if (n != matrix->columns || matrix->storage == OF_SPARSE)
        return 0;
    for (size_t r = 0; r < n; r += step)
        for (size_t c = 0; c < n; c++) {
            double value = of_matrix_get(matrix, r, c);
            largest = fmax(largest, fabs(value));
            differs = fmax(differs, fabs(value - of_matrix_get(matrix, c, r)));
        }
    return differs <= (matrix->type == OF_F32 ? 1e-4 : 1e-8) * largest;
}

/* The sides of a tensor with their steps; the last side is that of the pages. */
typedef struct tensor_sides {
    size_t length[3], step[3];
} tensor_sides;

/* Whether `side` and side 1 are those of a kernel: equal, and not by chance, as when only the third
 * side is as long as the labels. */
static int is_kernel(const tensor_sides *tensor, int side, int third, const of_reading *reading)
{
    return tensor->length[side] == tensor->length[1] &&
           (fits_labels(reading, tensor->length[1]) ||
            !fits_labels(reading, tensor->length[third]));
}

/* Moves the side of the pages to the end. Pages are the third side beside those of a kernel;
 * otherwise the shorter side beside that of the samples. Returns 0 where neither is known. */
static int find_pages(tensor_sides *tensor, const of_reading *reading)
{
    int pages = is_kernel(tensor, 0, 2, reading) ? 2 : is_kernel(tensor, 2, 0, reading) ? 0 : -1;
    for (int s = 0; s < 3 && pages < 0; s++)
        if (fits_labels(reading, tensor->length[s])) {
            int a = (s + 1) % 3, b = (s + 2) % 3;
            pages = tensor->length[a] < tensor->length[b] ? a : b;
        }
    if (pages < 0)
        return 0;
    size_t length = tensor->length[pages], step = tensor->step[pages];
    for (int s = pages; s < 2; s++) {
        tensor->length[s] = tensor->length[s + 1];
        tensor->step[s] = tensor->step[s + 1];
    }
    tensor->length[2] = length;
    tensor->step[2] = step;
    return 1;
}

/* The pages of a tensor as a group; it stays empty where they are no views. */
static onefold_status group_pages(of_file *file, of_top *top, const of_reading *reading,
                                  of_group *group)
{
    const of_variable *variable = &top->variable;
    tensor_sides tensor = {
        {variable->matrix.rows, variable->matrix.columns, variable->pages},
        {variable->matrix.row_step, variable->matrix.column_step, variable->page_step}};
    if (!find_pages(&tensor, reading))
        return ONEFOLD_OK;
    int symmetric = 1;
    for (size_t p = 0; p < tensor.length[2]; p++) {
        OF_TRY(add_found(reading->arena, group, file, top, variable));
        of_matrix *matrix = &group->found[p].matrix;
        OF_TRY(OF_TEXT(reading->arena, &matrix->name, "%s(%zu)", variable->name, p + 1));
        matrix->rows = tensor.length[0];
        matrix->columns = tensor.length[1];
        matrix->row_step = tensor.step[0];
        matrix->column_step = tensor.step[1];
        matrix->data = (const char *)variable->matrix.data +
                       p * tensor.step[2] * of_type_size(variable->matrix.type);
        symmetric = symmetric && is_symmetric(matrix);
    }
    int fits = fits_labels(reading, tensor.length[0]) || fits_labels(reading, tensor.length[1]);
    group->kind = OF_GROUP_PAGES;
    group->name = variable->name;
    for (size_t p = 0; p < group->count; p++)
        group->found[p].kernel = (unsigned char)symmetric;
    if (!symmetric && !fits)
        group->count = 0;
    return ONEFOLD_OK;
}

static int is_matrix(const of_variable *variable)
{
    return variable->kind == OF_VARIABLE_MATRIX && variable->pages == 1;
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* Adds the matrices of a cell, and of cells in it. Counts items of other kinds, and cells without
 * matrices, in *others. */
static onefold_status collect_below(of_arena *arena, of_file *file, of_top *top,
                                    const of_variable *cell, of_group *group, size_t *others)
{
    for (size_t i = 0; i < cell->count; i++) {
        const of_variable *item = &cell->item[i];
        size_t before = group->count;
        if (item->kind == OF_VARIABLE_CELL) {
            OF_TRY(collect_below(arena, file, top, item, group, others));
        } else if (is_matrix(item)) {
            OF_TRY(add_found(arena, group, file, top, item));
        } else if (item->kind == OF_VARIABLE_OTHER && strcmp(item->what, "empty") == 0) {
            continue;
        }
        *others += group->count == before;
    }
    return ONEFOLD_OK;
}

static onefold_status group_cell(of_arena *arena, of_file *file, of_top *top, of_group *group)
{
    size_t others = 0, vectors = 0;
    *group = (of_group){.kind = OF_GROUP_CELL, .name = top->variable.name};
    OF_TRY(collect_below(arena, file, top, &top->variable, group, &others));
    for (size_t m = 0; m < group->count; m++)
        vectors += (size_t)of_matrix_is_vector(&group->found[m].matrix);
    if (others || (vectors == group->count && !name_of_views(group->name)))
        group->count = 0;
    return ONEFOLD_OK;
}

/* ---- numbered and free-named ---------------------------------------------------------------- */

typedef struct numbered {
    size_t top, number;
    char *pattern;
} numbered;

static int compare_numbered(const void *a, const void *b)
{
    const numbered *x = a, *y = b;
    int order = strcmp(x->pattern, y->pattern);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static onefold_status group_numbered(of_arena *arena, of_file *file, of_group *groups,
                                     size_t *count)
{
    numbered *list;
    size_t found = 0;
    OF_TRY(OF_NEW(arena, &list, file->count, 1));
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        if (file->top[t].is_label || !is_matrix(variable))
            continue;
        OF_TRY(OF_NEW(arena, &list[found].pattern, strlen(variable->name) + 2, 1));
        list[found].top = t;
        found += name_number(variable->name, list[found].pattern, &list[found].number) &&
                 (!of_matrix_is_vector(&variable->matrix) || name_of_views(list[found].pattern));
    }
    qsort(list, found, sizeof *list, compare_numbered);
    for (size_t i = 0, end; i < found; i = end) {
        for (end = i + 1; end < found && strcmp(list[end].pattern, list[i].pattern) == 0;)
            end++;
        if (end - i < 2)
            continue;
        of_group *group = &groups[(*count)++];
        *group = (of_group){.kind = OF_GROUP_NUMBERED, .name = list[i].pattern};
        for (size_t e = i; e < end; e++) {
            of_top *top = &file->top[list[e].top];
            OF_TRY(add_found(arena, group, file, top, &top->variable));
        }
    }
    return ONEFOLD_OK;
}

/* The side that most matrices have. One as long as labels comes first; of equally common ones, the
 * longest. */
static size_t commonest_side(const of_found *found, size_t count, const of_reading *reading)
{
    size_t best = 0, best_count = 0;
    int best_fits = 0;
    for (size_t m = 0; m < 2 * count; m++) {
        size_t side = m % 2 ? found[m / 2].matrix.columns : found[m / 2].matrix.rows, matrices = 0;
        int fits = fits_labels(reading, side);
        for (size_t o = 0; o < count; o++)
            matrices += (size_t)of_matrix_has_side(&found[o].matrix, side);
        if (fits > best_fits || (fits == best_fits && matrices > best_count) ||
            (fits == best_fits && matrices == best_count && side > best)) {
            best = side;
            best_count = matrices;
            best_fits = fits;
        }
    }
    return best;
}

static onefold_status group_free(of_file *file, const of_reading *reading, of_group *group)
{
    *group = (of_group){.kind = OF_GROUP_FREE, .name = file->stem};
    size_t variables = 0; /* without the ids of a table's rows */
    for (size_t t = 0; t < file->count; t++)
        variables += !file->top[t].variable.are_ids;
    int one = variables == 1; /* then it may be a single column */
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *variable = &file->top[t].variable;
        if (!file->top[t].is_label && is_matrix(variable) &&
            (one || ((!of_matrix_is_vector(&variable->matrix) || variable->of_table ||
                      name_of_views(variable->name)) &&
                     !of_name_of_decoy(variable->name))))
            OF_TRY(add_found(reading->arena, group, file, &file->top[t], variable));
    }
    size_t side = commonest_side(group->found, group->count, reading), kept = 0;
    for (size_t m = 0; m < group->count; m++)
        if (of_matrix_has_side(&group->found[m].matrix, side))
            group->found[kept++] = group->found[m];
    group->count = kept;
    return ONEFOLD_OK;
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* Rates how likely a group is the views. A stored group that fits the labels or has a usual name
 * comes before free-named matrices, even if its matrices share no side: the error should be about
 * that group. */
static void rate(of_group *group, const of_reading *reading)
{
    size_t common[2], sides = of_sides_common(group->found, group->count, common);
    int fits = 0, named = name_of_views(group->name), loose = group->kind == OF_GROUP_FREE;
    int decoy = !loose && of_name_of_decoy(group->name);
    for (size_t s = 0; s < sides; s++)
        fits |= fits_labels(reading, common[s]);
    const int digits[] = {!loose && !decoy && (fits || named), fits, sides > 0, !decoy,
                          (int)(OF_GROUP_FREE - group->kind),  named};
    group->rating = 0;
    for (size_t d = 0; d < sizeof digits / sizeof *digits; d++)
        group->rating = group->rating * 4 + (unsigned)digits[d];
    group->rating = group->rating << 32 | (uint32_t)group->count;
}

/* Marks matrices as kernels if they have a usual name of kernels and all are symmetric. */
static void mark_kernels(of_group *group)
{
    static const char usual[] = "k kh ks km kmat kmatrix kall";
    char text[LONGEST];
    plain_numbered(group->kind == OF_GROUP_FREE ? group->found[0].matrix.name : group->name, text);
    int kernels = of_is_one_of(text, usual, 0) || strstr(text, "kernel") != NULL;
    for (size_t m = 0; m < group->count && kernels; m++)
        kernels = is_symmetric(&group->found[m].matrix);
    for (size_t m = 0; m < group->count; m++)
        group->found[m].kernel = (unsigned char)kernels;
}

/* Every matrix of an .h5ad or .h5mu, with samples as rows. */
static onefold_status group_cells(of_arena *arena, of_file *file, of_group *group)
{
    *group = (of_group){.kind = OF_GROUP_CELL, .name = ""};
    for (size_t t = 0; t < file->count; t++)
        if (!file->top[t].is_label && file->top[t].variable.kind == OF_VARIABLE_MATRIX) {
            OF_TRY(add_found(arena, group, file, &file->top[t], &file->top[t].variable));
            group->found[group->count - 1].side = ONEFOLD_SIDE_ROWS;
        }
    return ONEFOLD_OK;
}

onefold_status of_groups_make(const of_reading *reading, of_file *file)
{
    of_arena *arena = reading->arena;
    size_t most = file->count + file->count / 2 + 1, count = 0, kept = 0;
    of_group *groups;
    OF_TRY(OF_NEW_ZERO(arena, &groups, most, 1));
    file->groups = groups;
    file->group_count = 1;
    if (file->single_cell)
        return group_cells(arena, file, groups);
    for (size_t t = 0; t < file->count; t++) {
        of_top *top = &file->top[t];
        if (top->is_label)
            continue;
        if (top->variable.kind == OF_VARIABLE_CELL)
            OF_TRY(group_cell(arena, file, top, &groups[count++]));
        else if (of_variable_is_dense(&top->variable) && top->variable.pages > 1)
            OF_TRY(group_pages(file, top, reading, &groups[count++]));
    }
    OF_TRY(group_numbered(arena, file, groups, &count));
    OF_TRY(group_free(file, reading, &groups[count++]));
    for (size_t g = 0; g < count; g++)
        if (groups[g].count)
            groups[kept++] = groups[g];
    file->group_count = kept;
    for (size_t g = 0; g < kept; g++) { /* the likeliest first; equal ones in file order */
        of_group moving = groups[g];
        size_t at = g;
        if (moving.kind != OF_GROUP_PAGES)
            mark_kernels(&moving);
        rate(&moving, reading);
        for (; at > 0 && moving.rating > groups[at - 1].rating; at--)
            groups[at] = groups[at - 1];
        groups[at] = moving;
    }
    return ONEFOLD_OK;
}
