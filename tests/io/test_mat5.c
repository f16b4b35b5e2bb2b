/* SPDX-License-Identifier: Apache-2.0 */
/* MATLAB 5 files in every stored form, and damaged at every place. */
#include "io/file.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/views_read.h"

#include <string.h>

/* Four samples of three columns by column, and the same by sample. */
static const double by_column[12] = {1, 0, 3, 0, 5, 6, 0, 8, 0, 10, 11, 100};
static const double by_sample[12] = {1, 5, 0, 0, 6, 10, 3, 0, 11, 0, 8, 100};
static const double label[4] = {1, 2, 1, 3};

static void numbers_keep_their_stored_type(void **state)
{
    for (int type = 0; type < (int)OF_TYPE_COUNT; type++)
        for (int big = 0; big < 2; big++)
            for (int packed = 0; packed < 2 - big; packed++) {
                made file = {0};
                made_mat_header(&file, big);
                size_t start = file.size;
                made_mat_dense(&file, "X", 4, 3, (of_type)type, by_column, big);
                if (packed)
                    made_mat_pack(&file, start);
                made_mat_dense(&file, "gt", 4, 1, OF_F64, label, big);
                const char *path = folder_path(state, "x.mat");
                made_save(&file, path);
                onefold_dataset *data = read_one(path, NULL);
                assert_int_equal(onefold_dataset_describe(data)->views, 1);
                expect_view(data, 0, "X", "dense", 3, by_sample);
                assert_int_equal(data->set.views[0].type, type);
                expect_truth(data, "1 2 1 3");
                onefold_dataset_free(data);
                made_free(&file);
            }
}

/* Numbers stay in the mapped file; compressed ones are decompressed once. */
static void numbers_are_held_once(void **state)
{
    enum { N = 1000, D = 200 };
    static double values[N * D];
    check_random(1, 0, N, D, values);
    for (int packed = 0; packed < 2; packed++) {
        made file = {0};
        made_mat_header(&file, 0);
        made_mat_dense(&file, "X", N, D, OF_F64, values, 0);
        if (packed)
            made_mat_pack(&file, 128);
        const char *path = folder_path(state, "once.mat");
        made_save(&file, path);
        onefold_context *context;
        onefold_dataset *data = NULL;
        CHECK_OK(onefold_context_create(&context, NULL));
        CHECK_OK(onefold_dataset_read(&data, context, &path, 1, NULL));
        size_t peak = ask_peak(context), bytes = sizeof values;
        assert_true(packed ? peak < bytes + 100000 : peak < 100000);
        assert_true(data->set.views[0].sample_step == 1 && data->set.views[0].column_step == N);
        double got[D];
        of_view_tile(&data->set.views[0], 17, 1, got, D);
        for (size_t i = 0; i < D; i++)
            assert_true(got[i] == values[i * N + 17]);
        onefold_dataset_free(data);
        assert_int_equal(atomic_load(&context->bytes), 0);
        onefold_context_free(context);
        made_free(&file);
    }
}

static void sparse_stays_sparse_either_way_round(void **state)
{
    for (int type = 0; type < (int)OF_TYPE_COUNT; type++)
        for (int big = 0; big < 2; big++) {
            made file = {0}, cell = {0};
            made_mat_header(&file, big);
            made_mat_sparse(&cell, "", 4, 3, (of_type)type, by_column, big); /* samples are rows */
            made_mat_sparse(&cell, "", 3, 4, (of_type)type, by_sample, big); /* and columns */
            made_mat_array(&file, MADE_CELL, (size_t[3]){2, 1, 0}, "data", &cell, big);
            made_mat_dense(&file, "Y", 1, 4, OF_U8, label, big);
            const char *path = folder_path(state, "s.mat");
            made_save(&file, path);
            onefold_dataset *data = read_one(path, NULL);
            expect_view(data, 0, "data{1}", "sparse", 3, by_sample);
            expect_view(data, 1, "data{2}", "sparse", 3, by_sample);
            for (int v = 0; v < 2; v++) {
                const of_sparse *sparse = &data->set.views[v].sparse;
                assert_int_equal(sparse->start[4], 8);
                for (size_t j = 0; j < 4; j++)
                    for (size_t e = sparse->start[j] + 1; e < sparse->start[j + 1]; e++)
                        assert_true(sparse->index[e] > sparse->index[e - 1]);
            }
            expect_truth(data, "1 2 1 3");
            onefold_dataset_free(data);
            made_free(&file);
            made_free(&cell);
        }
}

/* Row numbers out of order, as some programs write them, are sorted; repeated entries are added. */
static void sparse_lines_are_sorted(void **state)
{
    static const int32_t rows[] = {3, 0, 1, 1, 2}, starts[] = {0, 2, 5};
    static const double values[] = {7, 5, 2, 4, 9};
    static const double want[] = {5, 0, 0, 6, 0, 9, 7, 0};
    made file = {0}, parts = {0};
    made_mat_header(&file, 0);
    made_mat_element(&parts, 5, rows, sizeof rows, 0);
    made_mat_element(&parts, 5, starts, sizeof starts, 0);
    made_mat_element(&parts, 9, values, sizeof values, 0);
    made_mat_array(&file, MADE_SPARSE, (size_t[3]){4, 2, 0}, "X", &parts, 0);
    const char *path = folder_path(state, "unsorted.mat");
    made_save(&file, path);
    onefold_dataset *data = read_one(path, NULL);
    expect_view(data, 0, "X", "sparse", 2, want);
    assert_int_equal(data->set.views[0].sparse.start[data->set.views[0].sparse.rows], 4);
    onefold_dataset_free(data);
    made_free(&file);
    made_free(&parts);
}

static void damaged_sparse_matrices_are_refused(void **state)
{
    static const struct {
        int32_t rows[2], starts[3];
        const char *says;
    } cases[] = {{{0, 4}, {0, 1, 2}, "outside"},       {{0, -1}, {0, 1, 2}, "outside"},
                 {{0, 1}, {0, 2, 1}, "line 3 starts"}, {{0, 1}, {1, 1, 2}, "line 1 starts"},
                 {{0, 1}, {0, 1, 3}, "line 3 starts"}, {{0, 1}, {0, -5, 2}, "line 2 starts"}};
    static const double values[] = {1, 2};
    const char *path = folder_path(state, "bad.mat");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made file = {0}, parts = {0};
        made_mat_header(&file, 0);
        made_mat_element(&parts, 5, cases[i].rows, sizeof cases[i].rows, 0);
        made_mat_element(&parts, 5, cases[i].starts, sizeof cases[i].starts, 0);
        made_mat_element(&parts, 9, values, sizeof values, 0);
        made_mat_array(&file, MADE_SPARSE, (size_t[3]){4, 2, 0}, "X", &parts, 0);
        made_save(&file, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, cases[i].says);
        made_free(&file);
        made_free(&parts);
    }
    made file = {0}; /* a side too long for the number of entries */
    made_mat_header(&file, 0);
    made_mat_sparse(&file, "X", 2, 2, OF_F64, by_column, 0);
    for (size_t at = 0; at + 8 < file.size; at++)
        if (memcmp(file.data + at, "\2\0\0\0\2\0\0\0", 8) == 0)
            memcpy(file.data + at, "\377\377\377\177\2\0\0\0", 8);
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "damaged");
    made_free(&file);
}

/* Variables without numbers are passed over; an item of a cell is named by its number. */
static void other_classes_are_passed_over(void **state)
{
    made file = {0}, parts = {0}, cell = {0};
    made_mat_header(&file, 0);
    size_t start = file.size;
    made_mat_array(&file, MADE_STRUCT, (size_t[3]){1, 1, 0}, "options", &parts, 0);
    made_mat_pack(&file, start);
    static const uint32_t opaque[2] = {17, 0}; /* a class whose arrays have a name but no sides */
    made_mat_element(&parts, 6, opaque, sizeof opaque, 0);
    made_mat_element(&parts, 1, "table", 5, 0);
    made_mat_element(&parts, 1, "MCOS", 4, 0);
    made_number(&file, 14, 4, 0);
    made_number(&file, parts.size, 4, 0);
    made_put(&file, parts.data, parts.size);
    parts.size = 0;
    made_mat_text(&file, "info", 1, 5, "hello");
    made_mat_element(&parts, 9, by_column, 16, 0);
    made_mat_array(&file, MADE_DOUBLE | MADE_COMPLEX, (size_t[3]){2, 1, 0}, "z", &parts, 0);
    made_mat_array(&file, MADE_DOUBLE, (size_t[3]){0, 7, 0}, "none", &(made){0}, 0);
    made_mat_dense(&cell, "", 4, 3, OF_U8, by_column, 0);
    made_number(&cell, 14, 4, 0); /* an empty element */
    made_number(&cell, 0, 4, 0);
    made_mat_dense(&cell, "", 4, 1, OF_U8, label, 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){3, 1, 0}, "views", &cell, 0);
    const char *path = folder_path(state, "others.mat");
    made_save(&file, path);
    onefold_dataset *data = read_one(path, NULL);
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect_view(data, 0, "views{1}", "dense", 3, by_sample);
    expect_view(data, 1, "views{3}", "dense", 1, label);
    expect_note(data, "options: passed over, as it is a struct");
    expect_note(data, "table: passed over, as it is a MATLAB object");
    expect_note(data, "z: passed over, as it is complex");
    expect_note(data, "none: passed over, as it is empty");
    expect_note(data, "info: passed over");
    onefold_dataset_free(data);
    made_free(&file);
    made_free(&parts);
    made_free(&cell);
}

/* A whole file with a cell, a sparse matrix and text, packed or not. */
static made whole_file(int packed)
{
    made file = {0}, cell = {0};
    made_mat_header(&file, 0);
    made_mat_dense(&cell, "", 4, 3, OF_U8, by_column, 0);
    made_mat_sparse(&cell, "", 4, 3, OF_F64, by_column, 0);
    size_t start = file.size;
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &cell, 0);
    if (packed)
        made_mat_pack(&file, start);
    start = file.size;
    made_mat_dense(&file, "gt", 4, 1, OF_U8, label, 0);
    if (packed)
        made_mat_pack(&file, start);
    made_free(&cell);
    return file;
}

static void trailing_bytes_are_passed_over_and_said(void **state)
{
    static const char garbage[] = "\x10\x32\x5a\x7e garbage that no variable owns";
    const char *path = folder_path(state, "trailing.mat");
    for (int packed = 0; packed < 2; packed++)
        for (size_t more = 1; more < sizeof garbage; more++) {
            made file = whole_file(packed);
            made_put(&file, garbage, more);
            made_save(&file, path);
            onefold_dataset *data = read_one(path, NULL);
            assert_int_equal(onefold_dataset_describe(data)->views, 2);
            char note[64];
            snprintf(note, sizeof note, "%zu bytes after the last variable", more);
            expect_note(data, note);
            onefold_dataset_free(data);
            made_free(&file);
        }
}

/* A truncated file is refused, unless a whole variable is left, which is read correctly. */
static void truncated_files_are_refused(void **state)
{
    const char *path = folder_path(state, "cut.mat");
    for (int packed = 0; packed < 2; packed++) {
        made file = whole_file(packed);
        size_t whole = 0;
        for (size_t size = 1; size < file.size; size++) {
            made_save_part(&file, size, path);
            onefold_dataset *data = NULL;
            onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, NULL);
            if (status == ONEFOLD_OK) {
                whole++;
                expect_view(data, 0, "X{1}", "dense", 3, by_sample);
                expect_view(data, 1, "X{2}", "sparse", 3, by_sample);
                onefold_dataset_free(data);
            } else {
                assert_int_equal(status, ONEFOLD_BAD_DATA);
            }
        }
        assert_in_range(whole, 1, 8); /* the cut lies behind X and within the tag of gt */
        made_save_part(&file, file.size - 1, path);
        read_fails(path, NULL, ONEFOLD_BAD_DATA, "truncated");
        assert_non_null(strstr(onefold_last_hint(), "again"));
        made_free(&file);
    }
}

/* With any wrong byte, the file is read or refused, without a crash. */
static void damaged_files_do_no_harm(void **state)
{
    const char *path = folder_path(state, "damaged.mat");
    for (int packed = 0; packed < 2; packed++) {
        made file = whole_file(packed);
        size_t refused = 0;
        for (size_t at = 0; at < file.size; at++)
            for (int bit = 0; bit < 8; bit += 7) {
                file.data[at] ^= (unsigned char)(1 << bit);
                made_save(&file, path);
                onefold_dataset *data = NULL;
                onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, NULL);
                assert_true(status == ONEFOLD_OK || status == ONEFOLD_BAD_DATA);
                refused += status != ONEFOLD_OK;
                onefold_dataset_free(data);
                file.data[at] ^= (unsigned char)(1 << bit);
            }
        assert_true(refused > 50);
        made_free(&file);
    }
}

static void claims_beyond_the_file_are_not_believed(void **state)
{
    const char *path = folder_path(state, "claims.mat");
    made file = {0}, parts = {0};
    made_mat_header(&file, 0);
    made_mat_element(&parts, 9, by_column, sizeof by_column, 0);
    made_mat_array(&file, MADE_DOUBLE, (size_t[3]){1u << 30, 1u << 30, 0}, "X", &parts, 0);
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "declared");
    file.size = 128;
    made_mat_array(&file, MADE_CELL, (size_t[3]){1u << 30, 1u << 30, 0}, "X", &parts, 0);
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "truncated");
    file.size = 128;
    made_mat_array(&file, MADE_CHAR, (size_t[3]){1u << 30, 1u << 30, 0}, "X", &parts, 0);
    made_save(&file, path);
    read_fails(path, NULL, ONEFOLD_BAD_DATA, "declared");
    made_free(&file);
    made_free(&parts);
}

static void strings_are_labels_too(void **state)
{
    const char *path = folder_path(state, "strings.mat");
    made file = {0}, cell = {0};
    made_mat_header(&file, 0);
    made_mat_dense(&file, "X", 4, 3, OF_U8, by_column, 0);
    made_mat_text(&cell, "", 1, 5, "sport");
    made_mat_text(&cell, "", 1, 3, "art");
    made_mat_text(&cell, "", 1, 5, "sport");
    made_mat_text(&cell, "", 1, 5, "music");
    made_mat_array(&file, MADE_CELL, (size_t[3]){4, 1, 0}, "label", &cell, 0);
    made_save(&file, path);
    onefold_dataset *data = read_one(path, NULL);
    expect_truth(data, "sport art sport music");
    onefold_dataset_free(data);
    file.size = 128; /* a char matrix, column by column, filled up with blanks */
    made_mat_dense(&file, "X", 4, 3, OF_U8, by_column, 0);
    made_mat_text(&file, "label", 4, 3, "cdccaoaatgt ");
    made_save(&file, path);
    data = read_one(path, NULL);
    expect_truth(data, "cat dog cat ca");
    onefold_dataset_free(data);
    made_free(&file);
    made_free(&cell);
}

static void every_allocation_may_fail(void **state)
{
    for (int packed = 0; packed < 2; packed++) {
        made file = whole_file(packed);
        const char *path = folder_path(state, "memory.mat");
        made_save(&file, path);
        every_allocation_fails(&path, 1, NULL);
        made_free(&file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_keep_their_stored_type, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(numbers_are_held_once, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(sparse_stays_sparse_either_way_round, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(sparse_lines_are_sorted, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(damaged_sparse_matrices_are_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(other_classes_are_passed_over, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(trailing_bytes_are_passed_over_and_said, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(truncated_files_are_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(damaged_files_do_no_harm, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(claims_beyond_the_file_are_not_believed, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(strings_are_labels_too, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
