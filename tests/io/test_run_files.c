/* SPDX-License-Identifier: Apache-2.0 */
/* Input files are recognised under any name, and held outputs appear together. */
#include "io/atomic_file.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const int32_t labels[3] = {0, 1, 1};

static void expect_text(const char *path, const char *text)
{
    char *got = folder_read(path, NULL);
    assert_string_equal(got, text);
    free(got);
}

static void write_text(void **state, const char *name, const char *text)
{
    FILE *file = fopen(folder_path(state, name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void what_was_read_is_known_by_any_name(void **state)
{
    onefold_context *context;
    onefold_dataset *read = NULL, *earlier = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    write_text(state, "a.txt", "1\n2\n2\n");
    write_text(state, "b.txt", "1\n2\n2\n");
    CHECK_OK(onefold_labels_read(&earlier, context, folder_path(state, "b.txt")));
    CHECK_OK(onefold_context_hold_outputs(context));
    CHECK_OK(onefold_labels_read(&read, context, folder_path(state, "a.txt")));
    char *a = strdup(folder_path(state, "a.txt"));
    assert_int_equal(symlink(a, folder_path(state, "soft.txt")), 0);
    assert_int_equal(link(a, folder_path(state, "hard.txt")), 0);
    const char *const names[] = {"a.txt", "soft.txt", "hard.txt", "./a.txt"};
    for (size_t i = 0; i < 4; i++)
        CHECK_FAILS(onefold_context_check_output(context, folder_path(state, names[i])),
                    ONEFOLD_USAGE, "would overwrite the data itself");
    CHECK_OK(onefold_context_check_output(context, folder_path(state, "new.txt")));
    CHECK_OK(
        onefold_context_check_output(context, folder_path(state, "b.txt"))); /* before `hold` */
    free(a);
    onefold_dataset_free(read);
    onefold_dataset_free(earlier);
    onefold_context_free(context);
}

static void held_outputs_appear_together(void **state)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    write_text(state, "a.txt", "old");
    CHECK_OK(onefold_context_hold_outputs(context));
    CHECK_OK(onefold_labels_write(labels, NULL, 3, NULL, context, folder_path(state, "a.txt")));
    CHECK_OK(onefold_labels_write(labels, NULL, 3, NULL, context, folder_path(state, "b.csv")));
    expect_text(folder_path(state, "a.txt"), "old");
    assert_int_equal(folder_count(state), 3); /* with two temporary ones */
    CHECK_OK(onefold_context_place_outputs(context));
    expect_text(folder_path(state, "a.txt"), "0\n1\n1\n");
    expect_text(folder_path(state, "b.csv"), "sample,cluster\n1,0\n2,1\n3,1\n");
    assert_int_equal(folder_count(state), 2);
    CHECK_OK(onefold_labels_write(labels, NULL, 1, NULL, context,
                                  folder_path(state, "b.csv"))); /* at once */
    expect_text(folder_path(state, "b.csv"), "sample,cluster\n1,0\n");
    assert_int_equal(folder_count(state), 2);
    onefold_context_free(context);
}

/* By the same name, by a link, and by a link to a file that is not there yet. */
static void two_outputs_are_two_files(void **state)
{
    static const char *const pairs[][2] = {{"a.csv", "./a.csv"},
                                           {"a.csv", "link.csv"},
                                           {"link.csv", "a.csv"},
                                           {"link.csv", "other.csv"}};
    assert_int_equal(symlink("a.csv", folder_path(state, "link.csv")), 0);
    assert_int_equal(symlink("./link.csv", folder_path(state, "other.csv")), 0);
    for (int there = 0; there < 2; there++)
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
            onefold_context *context;
            if (there)
                write_text(state, "a.csv", "old");
            CHECK_OK(onefold_context_create(&context, NULL));
            CHECK_OK(onefold_context_hold_outputs(context));
            CHECK_OK(onefold_labels_write(labels, NULL, 3, NULL, context,
                                          folder_path(state, pairs[i][0])));
            CHECK_FAILS(onefold_labels_write(labels, NULL, 2, NULL, context,
                                             folder_path(state, pairs[i][1])),
                        ONEFOLD_USAGE, "would write the same file");
            onefold_context_free(context);
            assert_int_equal(folder_count(state), 2 + there);
        }
    expect_text(folder_path(state, "a.csv"), "old");
}

/* The parts of a data set, too, none of which is then written. */
static void the_files_of_a_data_set_are_different(void **state)
{
    onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_dataset *data;
    options.samples = 20;
    options.clusters = 2;
    options.views = 2;
    CHECK_OK(onefold_dataset_synth(&data, NULL, &options));
    assert_int_equal(symlink("d.1.csv", folder_path(state, "d.2.csv")), 0);
    CHECK_FAILS(onefold_dataset_write(data, NULL, folder_path(state, "d.csv")), ONEFOLD_USAGE,
                "would write the same file");
    assert_int_equal(folder_count(state), 1);
    onefold_dataset_free(data);
}

static void what_is_never_placed_is_gone(void **state)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    write_text(state, "a.txt", "old");
    CHECK_OK(onefold_context_hold_outputs(context));
    CHECK_OK(onefold_labels_write(labels, NULL, 3, NULL, context, folder_path(state, "a.txt")));
    CHECK_OK(onefold_labels_write(labels, NULL, 3, NULL, context, folder_path(state, "b.txt")));
    onefold_context_free(context);
    expect_text(folder_path(state, "a.txt"), "old");
    assert_int_equal(folder_count(state), 1);
}

/* A folder that takes the name of an output meanwhile stays. */
static void a_folder_is_not_replaced(void **state)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_hold_outputs(context));
    CHECK_OK(onefold_labels_write(labels, NULL, 3, NULL, context, folder_path(state, "b.txt")));
    assert_int_equal(mkdir(folder_path(state, "b.txt"), 0700), 0);
    CHECK_FAILS(onefold_context_place_outputs(context), ONEFOLD_IO, "b.txt");
    onefold_context_free(context);
    assert_int_equal(rmdir(folder_path(state, "b.txt")), 0);
    assert_int_equal(folder_count(state), 0);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_was_read_is_known_by_any_name),
        IN_FOLDER(held_outputs_appear_together),
        IN_FOLDER(two_outputs_are_two_files),
        IN_FOLDER(the_files_of_a_data_set_are_different),
        IN_FOLDER(what_is_never_placed_is_gone),
        IN_FOLDER(a_folder_is_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
