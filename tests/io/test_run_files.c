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
        IN_FOLDER(what_is_never_placed_is_gone),
        IN_FOLDER(a_folder_is_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
