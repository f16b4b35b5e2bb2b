/* SPDX-License-Identifier: Apache-2.0 */
/* Files of labels, read, written and matched: through the public header. */
#include "onefold.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"

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
        onefold_dataset *read = NULL;
        const char *path = at(names[f]);
        CHECK_OK(onefold_labels_write(labels, NULL, 7, NULL, NULL, path));
        CHECK_OK(onefold_labels_read(&read, NULL, path));
        assert_int_equal(onefold_dataset_describe(read)->samples, 7);
        assert_int_equal(onefold_dataset_describe(read)->classes, 3);
        for (size_t j = 0; j < 7; j++)
            assert_int_equal(onefold_dataset_describe(read)->truth[j], labels[j] / 2);
        assert_string_equal(onefold_dataset_describe(read)->class_names[2], "4");
        const char *name = ask_sample_name(read, 6); /* a table has the samples' numbers */
        if (f == 1)
            assert_string_equal(name, "7");
        else
            assert_null(name);
        onefold_dataset_free(read);
    }
    onefold_dataset_free(NULL);
    CHECK_FAILS(onefold_labels_write(labels, NULL, 7, NULL, NULL, at("a.what")), ONEFOLD_USAGE,
                "a.what");
    onefold_dataset *none = NULL;
    CHECK_FAILS(onefold_labels_read(&none, NULL, at("none.txt")), ONEFOLD_IO, "no such file");
    assert_null(none);
}

static void ids_bring_two_files_together(void **state)
{
    onefold_dataset *one = NULL, *two = NULL, *three = NULL;
    int matched = 7;
    CHECK_OK(
        onefold_labels_read(&one, NULL, text_file(state, "one.csv", "id,label\nb,x\na,y\nc,x\n")));
    CHECK_OK(
        onefold_labels_read(&two, NULL, text_file(state, "two.csv", "id,label\na,0\nb,1\nc,1\n")));
    CHECK_OK(onefold_labels_match(one, two, &matched));
    assert_int_equal(matched, 1);
    const char *const ids[] = {"a", "b", "c"}, *const classes[] = {"y", "x", "x"};
    for (size_t j = 0; j < 3; j++) {
        assert_string_equal(ask_sample_name(one, j), ids[j]);
        assert_string_equal(onefold_dataset_describe(one)
                                ->class_names[(size_t)onefold_dataset_describe(one)->truth[j]],
                            classes[j]);
    }
    CHECK_OK(onefold_labels_read(&three, NULL, text_file(state, "three.txt", "0\n1\n1\n")));
    CHECK_OK(onefold_labels_match(three, two, &matched)); /* it has no ids */
    assert_int_equal(matched, 0);
    onefold_dataset_free(three);
    CHECK_OK(onefold_labels_read(&three, NULL,
                                 text_file(state, "far.csv", "id,label\nu,0\nv,1\nw,1\n")));
    CHECK_FAILS(onefold_labels_match(three, two, NULL), ONEFOLD_BAD_DATA, "");
    onefold_dataset_free(one);
    onefold_dataset_free(two);
    onefold_dataset_free(three);
}

/* A table of a fit's labels gives the number of the run, in any order. Labels of other names have
 * none. */
static void labels_of_a_run_have_its_number(void **state)
{
    enum { N = 12 };
    double values[N];
    const char *names[N];
    char texts[N][4];
    onefold_dataset *data = NULL, *read = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    for (int j = 0; j < N; j++) {
        values[j] = j % 3 * 10 + 0.1 * j;
        snprintf(texts[j], sizeof texts[j], "s%c", 'a' + j);
        names[j] = texts[j];
    }
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(onefold_dataset_add_dense(data, "v", values, 1, 1, 1));
    CHECK_OK(onefold_dataset_set_sample_names(data, names));
    options.clusters = 3;
    options.method = "os-lfmvc-cs";
    CHECK_OK(onefold_fit(&result, NULL, data, &options));
    const onefold_fit_info *info = onefold_result_describe(result);
    assert_int_equal(strlen(info->run), 16);
    CHECK_OK(onefold_labels_write(info->labels, NULL, N, data, NULL, at("run.csv")));
    CHECK_OK(onefold_labels_read(&read, NULL, at("run.csv")));
    assert_string_equal(onefold_dataset_describe(read)->note[0], "cluster");
    assert_string_equal(onefold_dataset_describe(read)->note[1], info->run);
    onefold_dataset_free(read);
    char table[256] = "sample,cluster\n";
    for (size_t j = N; j-- > 0;)
        snprintf(table + strlen(table), sizeof table - strlen(table), "%s,%d\n", names[j],
                 (int)info->labels[j]);
    CHECK_OK(onefold_labels_read(&read, NULL, text_file(state, "back.csv", table)));
    assert_string_equal(onefold_dataset_describe(read)->note[1], info->run);
    onefold_dataset_free(read);
    CHECK_OK(onefold_labels_read(&read, NULL, text_file(state, "no.csv", "id,label\nb,1\na,0\n")));
    assert_string_equal(onefold_dataset_describe(read)->note[1], "");
    onefold_dataset_free(read);
    onefold_result_free(result);
    onefold_dataset_free(data);
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
        CHECK_OK(onefold_labels_write(labels, NULL, 1000, NULL, NULL, at(whole)));
        CHECK_OK(onefold_labels_writer_create(&writer, NULL, at(part), 1000, NULL, 0));
        for (size_t j = 0; j < 1000; j += 300)
            CHECK_OK(onefold_labels_writer_add(writer, labels + j, NULL, j < 900 ? 300 : 100));
        assert_null(fopen(at(part), "rb")); /* not before it is finished */
        CHECK_OK(onefold_labels_writer_finish(writer));
        onefold_labels_writer_free(writer);
        same_bytes(at(whole), at(part));
        CHECK_OK(onefold_labels_writer_create(&writer, NULL, at("gone.txt"), 3, NULL, 0));
        CHECK_OK(onefold_labels_writer_add(writer, labels, NULL, 2));
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
    onefold_dataset *read = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    CHECK_OK(onefold_dataset_set_sample_names(data, names));
    CHECK_OK(onefold_labels_write(labels, sure, 3, data, NULL, at("t.csv")));
    CHECK_OK(onefold_labels_read(&read, NULL, at("t.csv")));
    assert_int_equal(onefold_dataset_describe(read)->samples, 3);
    for (size_t j = 0; j < 3; j++) {
        assert_string_equal(ask_sample_name(read, j), names[j]);
        assert_int_equal(onefold_dataset_describe(read)->truth[j], labels[j]);
    }
    onefold_dataset_free(read);
    onefold_labels_writer *writer = NULL;
    CHECK_OK(onefold_labels_writer_create(&writer, NULL, at("p.csv"), 3, data, 1));
    CHECK_OK(onefold_labels_writer_add(writer, labels, sure, 1));
    CHECK_OK(onefold_labels_writer_add(writer, labels + 1, sure + 1, 2));
    CHECK_OK(onefold_labels_writer_finish(writer));
    onefold_labels_writer_free(writer);
    same_bytes(at("t.csv"), at("p.csv"));
    onefold_dataset_free(data);
}

/* The names of the classes as they come in the file, with blanks between them. */
static void spell_classes(const onefold_dataset *labels, char *text, size_t room)
{
    *text = '\0';
    for (size_t j = 0; j < onefold_dataset_describe(labels)->samples; j++) {
        size_t used = strlen(text);
        const int32_t *of = onefold_dataset_describe(labels)->truth;
        snprintf(text + used, room - used, "%s%s", j ? " " : "",
                 onefold_dataset_describe(labels)->class_names[(size_t)of[j]]);
    }
}

/* Ids decide the order, where both files have ids that are not row numbers. */
static void when_ids_are_matched(void **state)
{
    static const struct {
        const char *labels, *with, *want; /* the classes of `labels` afterwards, or a sentence */
        int matched;
    } cases[] = {
        {"id,label\na,u\nb,v\nc,u\n", "id,label\nb,1\nc,2\na,1\n", "v u u", 1},
        {"id,label\n1,u\n2,v\n3,u\n", "id,label\n1,1\n2,2\n3,1\n", "u v u", 0},
        {"id,label\n1,u\n2,v\n3,v\n", "id,label\n3,1\n1,2\n2,1\n", "v u v", 1},
        {"id,label\n3,u\n1,v\n2,v\n", "id,label\n1,1\n2,2\n3,1\n", "v v u", 1},
        {"id,label\na,u\nb,v\nc,u\n", "id,label\n1,1\n2,2\n3,1\n", "u v u", 0},
        {"id,label\n1,u\n2,v\n3,u\n", "id,label\na,1\nb,2\nc,1\n", "u v u", 0},
        {"u\nv\nu\n", "id,label\na,1\nb,2\nc,1\n", "u v u", 0},
        {"id,label\na,u\nb,v\nc,u\n", "1\n2\n1\n", "u v u", 0},
        {"id,label\na,u\nb,v\nc,u\n", "id,label\nx,1\ny,2\nz,1\n", "the files share few ids", 0},
        {"id,label\na,u\nb,v\nc,u\n", "id,label\na,1\nb,2\n", "u v", 1},
        {"id,label\na,u\nb,v\n", "id,label\na,1\nb,2\nc,1\n",
         "1 of the 3 samples have no true label, c first", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        onefold_dataset *labels = NULL, *with = NULL;
        char text[100];
        int matched = -1;
        made_file(folder_path(state, "labels.csv"), cases[i].labels);
        made_file(folder_path(state, "with.csv"), cases[i].with);
        CHECK_OK(onefold_labels_read(&labels, NULL, folder_path(state, "labels.csv")));
        CHECK_OK(onefold_labels_read(&with, NULL, folder_path(state, "with.csv")));
        if (onefold_labels_match(labels, with, &matched) == ONEFOLD_OK) {
            spell_classes(labels, text, sizeof text);
            if (strcmp(text, cases[i].want) != 0 || matched != cases[i].matched)
                fail_msg("case %zu: %s, %d", i, text, matched);
            CHECK_OK(onefold_labels_match(labels, with, NULL));
        } else {
            assert_int_equal(matched, -1);
            assert_non_null(strstr(onefold_last_error(), cases[i].want));
        }
        CHECK_FAILS(onefold_labels_match(labels, NULL, NULL), ONEFOLD_USAGE, "two files");
        CHECK_FAILS(onefold_labels_match(NULL, with, NULL), ONEFOLD_USAGE, "two files");
        onefold_dataset_free(labels);
        onefold_dataset_free(with);
    }
}

/* Labels with and without names and confidence, in each format that has them. */
static void tables_of_every_format(void **state)
{
    static const char *const formats[] = {"t.csv", "t.tsv", "t.npz", "t.txt", "t.npy"};
    static const char *const names[] = {"a", "b,b", "c"};
    const int32_t labels[] = {1, 0, 1};
    const double sure[] = {0.5, 1, 0.25};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    CHECK_OK(onefold_dataset_add_dense(data, "x", sure, 1, 1, 1));
    for (int which = 0; which < 4; which++) {
        if (which == 2)
            CHECK_OK(onefold_dataset_set_sample_names(data, names));
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            const char *path = folder_path(state, formats[f]);
            onefold_dataset *read = NULL;
            char text[100];
            onefold_status status =
                onefold_labels_write(labels, which % 2 ? sure : NULL, 3, data, NULL, path);
            if (status != ONEFOLD_OK) /* a list of numbers has no room for more */
                fail_msg("%s, %d: %s", formats[f], which, onefold_last_error());
            CHECK_OK(onefold_labels_read(&read, NULL, path));
            spell_classes(read, text, sizeof text);
            assert_string_equal(text, "1 0 1");
            const char *name = ask_sample_name(read, 1);
            if (which >= 2 && f < 3)
                assert_string_equal(name ? name : "none", "b,b");
            onefold_dataset_free(read);
        }
    }
    CHECK_FAILS(onefold_labels_write(labels, sure, 2, data, NULL, folder_path(state, "t.csv")),
                ONEFOLD_USAGE, "there are 2 labels, and the data set has 3 samples");
    onefold_dataset_free(data);
}

static void what_lacks_a_part_is_refused(void **state)
{
    onefold_dataset *labels = NULL;
    onefold_labels_writer *writer = NULL;
    const char *path = folder_path(state, "x.txt");
    const int32_t one[] = {1};
    const double value[] = {1};
    CHECK_FAILS(onefold_labels_read(NULL, NULL, path), ONEFOLD_USAGE, "a place for them");
    CHECK_FAILS(onefold_labels_read(&labels, NULL, NULL), ONEFOLD_USAGE, "and a file");
    CHECK_FAILS(onefold_labels_write(NULL, NULL, 1, NULL, NULL, path), ONEFOLD_USAGE,
                "needs labels");
    CHECK_FAILS(onefold_labels_write(one, NULL, 1, NULL, NULL, NULL), ONEFOLD_USAGE, "and a path");
    CHECK_FAILS(onefold_labels_write(NULL, NULL, 1, NULL, NULL, path), ONEFOLD_USAGE, "needs");
    CHECK_FAILS(onefold_labels_write(one, NULL, 1, NULL, NULL, NULL), ONEFOLD_USAGE, "path");
    CHECK_FAILS(onefold_matrix_write(NULL, 1, 1, 1, NULL, path), ONEFOLD_USAGE, "its values");
    CHECK_FAILS(onefold_matrix_write(value, 1, 1, 1, NULL, NULL), ONEFOLD_USAGE, "a path");
    CHECK_FAILS(onefold_matrix_write(value, 1, 2, 1, NULL, path), ONEFOLD_USAGE,
                "a step of at least 2");
    CHECK_FAILS(onefold_labels_writer_create(NULL, NULL, path, 1, NULL, 0), ONEFOLD_USAGE,
                "a place");
    CHECK_FAILS(onefold_labels_writer_create(&writer, NULL, NULL, 1, NULL, 0), ONEFOLD_USAGE,
                "a path");
    CHECK_FAILS(onefold_labels_writer_create(NULL, NULL, path, 1, NULL, 0), ONEFOLD_USAGE, "");
    CHECK_FAILS(onefold_labels_writer_create(&writer, NULL, NULL, 1, NULL, 0), ONEFOLD_USAGE,
                "a path");
    CHECK_FAILS(onefold_labels_writer_finish(NULL), ONEFOLD_USAGE, "no writer to finish");
    CHECK_OK(onefold_labels_writer_create(&writer, NULL, path, 1, NULL, 0));
    CHECK_OK(onefold_labels_writer_add(writer, NULL, NULL, 0)); /* no labels */
    CHECK_FAILS(onefold_labels_writer_add(writer, NULL, NULL, 1), ONEFOLD_USAGE,
                "a writer and labels");
    CHECK_FAILS(onefold_labels_writer_add(NULL, one, NULL, 1), ONEFOLD_USAGE,
                "a writer and labels");
    onefold_labels_writer_free(writer);
    onefold_labels_writer_free(NULL);
    assert_int_equal(folder_count(state), 0);
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
        cmocka_unit_test_setup_teardown(labels_of_a_run_have_its_number, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(ids_bring_two_files_together, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_writer_writes_the_same_bytes, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(tables_have_names_and_confidence, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(when_ids_are_matched, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(tables_of_every_format, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_lacks_a_part_is_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_matrix_reads_back, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
