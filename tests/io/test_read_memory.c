/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a table of text takes: at most three times its numbers, and its text. Few lines of
 * very many cells, empty ones above all, once took a hundred times that. */
#include "onefold.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"

#include <stdlib.h>
#include <string.h>

enum { LINES = 4 };

/* A file of lines, each a cell repeated; "#" in it stands for the cell's number. */
typedef struct shape {
    const char *what;
    struct {
        const char *cell;
        size_t cells, times;
    } line[LINES];
    char separator;
    const char *fails; /* what the message holds; NULL: it is read */
    size_t becomes;    /* a column becomes so many; 0: one */
} shape;

static const shape shapes[] = {
    {"commas", {{"", 400000, 1}}, ',', "there are no variables"},
    {"lines of commas", {{"", 40000, 20}}, ',', "column 1 has no id"},
    {"a row of commas below a heading",
     {{"a", 2, 1}, {"1", 2, 3}, {"", 400000, 1}},
     ',',
     "line 5 has 400000 cells, where the first has 2"},
    {"a row of commas below one", {{"1", 2, 1}, {"", 400000, 1}}, ',', "400000 cells"},
    {"narrow", {{"", 2, 200000}}, ',', "has no id"},
    {"one row of numbers", {{"1", 200000, 1}}, ',', NULL},
    {"two headed rows", {{"g#", 100000, 1}, {"1", 100000, 2}}, ',', NULL},
    {"ten headed rows", {{"g#", 40000, 1}, {"0.5", 40000, 10}}, '\t', NULL},
    {"decimal commas", {{"g#", 20000, 1}, {"1,5", 20000, 8}}, ';', NULL},
    {"percentages", {{"1%", 40000, 2}}, '\t', NULL},
    {"yes and no", {{"g#", 20000, 1}, {"yes", 20000, 3}, {"no", 20000, 2}}, ',', NULL},
    {"categories", {{"g#", 10000, 1}, {"red", 10000, 4}, {"blue", 10000, 4}}, ',', NULL, 2},
    {"dates", {{"2024-01-31", 40000, 1}}, ',', "40000 columns of 1 row hold words"},
    {"words", {{"a#", 100000, 2}}, ',', "columns of"},
    {"words below numbers", {{"1", 100000, 1}, {"x", 100000, 1}}, ',', "is not a number"},
    {"a sign in the last row", {{"1", 100000, 3}, {"1%", 100000, 1}}, ',', "is not a number"},
};

/* Writes the file; the most cells of a row, its lines and its bytes. */
static size_t write_shape(const shape *from, const char *path, size_t *cells, size_t *lines)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    *cells = *lines = 0;
    for (int l = 0; l < LINES && from->line[l].cell; l++)
        for (size_t t = 0; t < from->line[l].times; t++) {
            const char *cell = from->line[l].cell;
            int length = (int)strcspn(cell, "#");
            for (size_t i = 0; i < from->line[l].cells; i++) {
                if (i)
                    fputc(from->separator, file);
                fprintf(file, "%.*s", length, cell);
                if (cell[length])
                    fprintf(file, "%zu", i);
            }
            fputc('\n', file);
            *cells = from->line[l].cells > *cells ? from->line[l].cells : *cells;
            ++*lines;
        }
    size_t size = (size_t)ftell(file);
    fclose(file);
    return size;
}

/* Each file also packed: then the text is in memory, and the packed file is a hundredth of it. */
static void reading_takes_three_times_the_numbers(void **state)
{
    enum { BASE = 1 << 20 }; /* whatever the table */
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const shape *from = &shapes[s];
        const char *paths[2] = {folder_path(state, "t.csv"), folder_path(state, "t.csv.gz")};
        size_t cells, lines, size = write_shape(from, paths[0], &cells, &lines), bytes;
        made plain = {0};
        char *text = folder_read(paths[0], &bytes);
        made_put(&plain, text, bytes);
        made packed = made_packed(&plain, "gzip");
        made_save(&packed, paths[1]);
        free(text);
        for (int p = 0; p < 2; p++) {
            onefold_context *context;
            onefold_dataset *data = NULL;
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_set_threads(context, 1));
            onefold_status status = onefold_dataset_read(&data, context, &paths[p], 1, NULL);
            if (!from->fails)
                CHECK_OK(status);
            else
                CHECK_FAILS(status, ONEFOLD_BAD_DATA, from->fails);
            onefold_dataset_free(data);
            size_t peak = ask_peak(context), width = cells * (from->becomes ? from->becomes : 1),
                   most = BASE + size + 3 * sizeof(double) * width * lines;
            print_message("%s: %zu bytes, at most %zu\n", from->what, peak, most);
            if (peak > most)
                fail_msg("%s: %zu bytes, more than %zu", from->what, peak, most);
            onefold_context_free(context);
        }
        made_free(&plain);
        made_free(&packed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reading_takes_three_times_the_numbers, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
