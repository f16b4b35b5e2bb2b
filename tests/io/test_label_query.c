/* SPDX-License-Identifier: Apache-2.0 */
/* Files of labels, read, written and matched: through the public header. */
#include "onefold.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdio.h>
#include <string.h>

#define at(name) folder_path(state, name)

static const char *text_file(void **state, const char *name, const char *text)
{
    const char *path = at(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void what_is_written_reads_back(void **state)
{
    static const char *const names[] = {"a.npy", "a.csv", "a.txt", "a.mat"};
    const int32_t labels[] = {4, 0, 2, 2, 0, 4, 4};
    for (size_t f = 0; f < 4; f++) {
        onefold_labels *read = NULL;
        const char *path = at(names[f]);
        CHECK_OK(onefold_labels_write(labels, 7, NULL, path));
        CHECK_OK(onefold_labels_read(&read, NULL, path));
        assert_int_equal(onefold_labels_samples(read), 7);
        assert_int_equal(onefold_labels_class_count(read), 3);
        for (size_t j = 0; j < 7; j++)
            assert_int_equal(onefold_labels_classes(read)[j], labels[j] / 2);
        assert_string_equal(onefold_labels_class_name(read, 2), "4");
        assert_null(onefold_labels_class_name(read, 3));
        assert_null(onefold_labels_sample_name(read, 0));
        onefold_labels_free(read);
    }
    onefold_labels_free(NULL);
    CHECK_FAILS(onefold_labels_write(labels, 7, NULL, at("a.what")), ONEFOLD_USAGE, "a.what");
    onefold_labels *none = NULL;
    CHECK_FAILS(onefold_labels_read(&none, NULL, at("none.txt")), ONEFOLD_IO, "no such file");
    assert_null(none);
}

static void ids_bring_two_files_together(void **state)
{
    onefold_labels *one = NULL, *two = NULL, *three = NULL;
    int matched = 7;
    CHECK_OK(
        onefold_labels_read(&one, NULL, text_file(state, "one.csv", "id,label\nb,x\na,y\nc,x\n")));
    CHECK_OK(
        onefold_labels_read(&two, NULL, text_file(state, "two.csv", "id,label\na,0\nb,1\nc,1\n")));
    CHECK_OK(onefold_labels_match(one, two, &matched));
    assert_int_equal(matched, 1);
    const char *const ids[] = {"a", "b", "c"}, *const classes[] = {"y", "x", "x"};
    for (size_t j = 0; j < 3; j++) {
        assert_string_equal(onefold_labels_sample_name(one, j), ids[j]);
        assert_string_equal(onefold_labels_class_name(one, (size_t)onefold_labels_classes(one)[j]),
                            classes[j]);
    }
    CHECK_OK(onefold_labels_read(&three, NULL, text_file(state, "three.txt", "0\n1\n1\n")));
    CHECK_OK(onefold_labels_match(three, two, &matched)); /* it has no ids */
    assert_int_equal(matched, 0);
    onefold_labels_free(three);
    CHECK_OK(onefold_labels_read(&three, NULL,
                                 text_file(state, "far.csv", "id,label\nu,0\nv,1\nw,1\n")));
    CHECK_FAILS(onefold_labels_match(three, two, NULL), ONEFOLD_BAD_DATA, "");
    onefold_labels_free(one);
    onefold_labels_free(two);
    onefold_labels_free(three);
}

static void same_bytes(const char *a, const char *b)
{
    FILE *file[2] = {fopen(a, "rb"), fopen(b, "rb")};
    assert_true(file[0] && file[1]);
    for (int c = 0; c != EOF;) {
        c = fgetc(file[0]);
        assert_int_equal(c, fgetc(file[1]));
    }
    fclose(file[0]);
    fclose(file[1]);
}

static void a_writer_writes_the_same_bytes(void **state)
{
    static const char *const endings[] = {"npy", "csv", "txt", "mat"};
    int32_t labels[1000];
    for (int j = 0; j < 1000; j++)
        labels[j] = j * 7 % 11;
    for (size_t f = 0; f < 4; f++) {
        char whole[32], part[32];
        onefold_labels_writer *writer = NULL;
        snprintf(whole, sizeof whole, "whole.%s", endings[f]);
        snprintf(part, sizeof part, "part.%s", endings[f]);
        CHECK_OK(onefold_labels_write(labels, 1000, NULL, at(whole)));
        CHECK_OK(onefold_labels_writer_create(&writer, NULL, at(part), 1000));
        for (size_t j = 0; j < 1000; j += 300)
            CHECK_OK(onefold_labels_writer_add(writer, labels + j, j < 900 ? 300 : 100));
        assert_null(fopen(at(part), "rb")); /* not before it is finished */
        CHECK_OK(onefold_labels_writer_finish(writer));
        onefold_labels_writer_free(writer);
        same_bytes(at(whole), at(part));
        CHECK_OK(onefold_labels_writer_create(&writer, NULL, at("gone.txt"), 3));
        CHECK_OK(onefold_labels_writer_add(writer, labels, 2));
        onefold_labels_writer_free(writer); /* and nothing is left */
        assert_null(fopen(at("gone.txt"), "rb"));
    }
    onefold_labels_writer_free(NULL);
}

static void tables_have_names_and_confidence(void **state)
{
    const char *const names[] = {"ann", "bo,b", "cy"};
    const int32_t labels[] = {1, 0, 1};
    const double sure[] = {0.5, 0.25, 1};
    onefold_dataset *data = NULL;
    onefold_labels *read = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    CHECK_OK(onefold_dataset_set_sample_names(data, names));
    CHECK_OK(onefold_labels_write_table(labels, sure, 3, data, NULL, at("t.csv")));
    CHECK_OK(onefold_labels_read(&read, NULL, at("t.csv")));
    assert_int_equal(onefold_labels_samples(read), 3);
    for (size_t j = 0; j < 3; j++) {
        assert_string_equal(onefold_labels_sample_name(read, j), names[j]);
        assert_int_equal(onefold_labels_classes(read)[j], labels[j]);
    }
    onefold_labels_free(read);
    onefold_labels_writer *writer = NULL;
    CHECK_OK(onefold_labels_writer_create_table(&writer, NULL, at("p.csv"), 3, data, 1));
    CHECK_OK(onefold_labels_writer_add_sure(writer, labels, sure, 1));
    CHECK_OK(onefold_labels_writer_add_sure(writer, labels + 1, sure + 1, 2));
    CHECK_OK(onefold_labels_writer_finish(writer));
    onefold_labels_writer_free(writer);
    same_bytes(at("t.csv"), at("p.csv"));
    onefold_dataset_free(data);
}

static void a_matrix_reads_back(void **state)
{
    static const char *const names[] = {"m.npy", "m.csv", "m.txt", "m.mat"};
    double values[5 * 4];
    for (int i = 0; i < 20; i++)
        values[i] = 1.0 / (i + 3);
    for (size_t f = 0; f < 4; f++) {
        onefold_dataset *data = NULL;
        const char *path = at(names[f]);
        double back[5 * 3];
        CHECK_OK(onefold_matrix_write(values, 5, 3, 4, NULL, path));
        CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, NULL));
        CHECK_OK(onefold_dataset_values(back, data, 0, 0, 5));
        for (size_t j = 0; j < 5; j++)
            assert_memory_equal(back + 3 * j, values + 4 * j, 3 * sizeof *back);
        onefold_dataset_free(data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_reads_back, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(ids_bring_two_files_together, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_writer_writes_the_same_bytes, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(tables_have_names_and_confidence, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_matrix_reads_back, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
