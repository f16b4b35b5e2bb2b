/* SPDX-License-Identifier: Apache-2.0 */
/* Labels added in batches give the same file as labels written at once, or no file. */
#include "onefold.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1000 };

static void fill(int32_t *labels)
{
    for (size_t j = 0; j < N; j++)
        labels[j] = (int32_t)(j * j % 1237);
}

static void stretches_make_the_same_file(void **state)
{
    static const char *const names[][2] = {
        {"a.npy", "b.npy"}, {"a.csv", "b.csv"}, {"a.txt", "b.txt"}, {"a.MAT", "b.MAT"}};
    static const size_t stretch[] = {N, 1, 300};
    int32_t labels[N];
    fill(labels);
    for (size_t i = 0; i < 4; i++)
        for (size_t s = 0; s < 3; s++) {
            onefold_labels_writer *writer;
            size_t sizes[2];
            CHECK_OK(onefold_labels_writer_create(&writer, NULL, folder_path(state, names[i][0]), N,
                                                  NULL, 0));
            for (size_t first = 0; first < N; first += stretch[s])
                CHECK_OK(onefold_labels_writer_add(
                    writer, labels + first, NULL, N - first < stretch[s] ? N - first : stretch[s]));
            CHECK_OK(onefold_labels_writer_finish(writer));
            onefold_labels_writer_free(writer); /* does nothing to the file */
            CHECK_OK(
                onefold_labels_write(labels, NULL, N, NULL, NULL, folder_path(state, names[i][1])));
            char *ours = folder_read(folder_path(state, names[i][0]), &sizes[0]),
                 *theirs = folder_read(folder_path(state, names[i][1]), &sizes[1]);
            assert_int_equal(sizes[0], sizes[1]);
            assert_memory_equal(ours, theirs, sizes[0]);
            free(ours);
            free(theirs);
        }
}

static void too_many_or_too_few_are_a_fault(void **state)
{
    static const char *const names[] = {"a.npy", "a.txt", "a.mat"};
    int32_t labels[N];
    fill(labels);
    for (size_t i = 0; i < 3; i++) {
        onefold_labels_writer *writer;
        CHECK_OK(
            onefold_labels_writer_create(&writer, NULL, folder_path(state, names[i]), 10, NULL, 0));
        CHECK_FAILS(onefold_labels_writer_add(writer, labels, NULL, 11), ONEFOLD_USAGE,
                    "more labels than the 10");
        CHECK_OK(onefold_labels_writer_add(writer, labels, NULL, 9));
        CHECK_FAILS(onefold_labels_writer_finish(writer), ONEFOLD_USAGE, "9 labels of the 10");
        onefold_labels_writer_free(writer);
        assert_int_equal(folder_count(state), 0);
    }
}

/* After an error a part of the lines may be written, so a second try would write them twice. */
static void a_writer_that_failed_is_over(void **state)
{
    enum { MANY = 1 << 20 }; /* more than the buffer */
    const char *path = folder_path(state, "full.txt");
    int32_t *labels = calloc(MANY, sizeof *labels);
    onefold_labels_writer *writer = NULL;
    assert_non_null(labels);
    assert_int_equal(symlink("/dev/full", path), 0);
    CHECK_OK(onefold_labels_writer_create(&writer, NULL, path, MANY, NULL, 0));
    CHECK_FAILS(onefold_labels_writer_add(writer, labels, NULL, MANY), ONEFOLD_IO, "full.txt");
    CHECK_FAILS(onefold_labels_writer_add(writer, labels, NULL, 1), ONEFOLD_USAGE, "failed");
    CHECK_FAILS(onefold_labels_writer_finish(writer), ONEFOLD_USAGE, "failed");
    onefold_labels_writer_free(writer);
    free(labels);
}

static void tables_name_their_samples(void **state)
{
    static const char *const ids[] = {"a", "b, c", "say \"d\""};
    static const int32_t labels[] = {1, 0, 1};
    static const double sure[] = {0.5, 1, 0.123456789};
    const char *path = folder_path(state, "t.csv");
    onefold_dataset *data = NULL;
    size_t size;
    CHECK_OK(onefold_dataset_create(&data, NULL, 3));
    CHECK_OK(onefold_dataset_set_sample_names(data, ids));
    CHECK_OK(onefold_labels_write(labels, sure, 3, data, NULL, path));
    char *text = folder_read(path, &size);
    static const char expected[] = "sample,cluster,confidence\na,1,0.5\n\"b, c\",0,1\n"
                                   "\"say \"\"d\"\"\",1,0.123457\n";
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(text, expected, size);
    free(text);
    CHECK_OK(onefold_labels_write(labels, NULL, 3, NULL, NULL, path));
    text = folder_read(path, &size);
    assert_memory_equal(text, "sample,cluster\n1,1\n2,0\n3,1\n", size);
    free(text);
    CHECK_FAILS(onefold_labels_write(labels, NULL, 2, data, NULL, path), ONEFOLD_USAGE,
                "the data set has 3 samples");
    CHECK_FAILS(onefold_labels_write(labels, NULL, 3, data, NULL, "t.xyz"), ONEFOLD_USAGE,
                "in a format with this ending");
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tables_name_their_samples, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(a_writer_that_failed_is_over, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(stretches_make_the_same_file, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(too_many_or_too_few_are_a_fault, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
