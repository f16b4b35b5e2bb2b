/* SPDX-License-Identifier: Apache-2.0 */
/* Labels that come a batch at a time make the same file as labels that come at once, or none. */
#include "io/label_file.h"

#include "io/write.h"
#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

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
            of_label_file file;
            size_t sizes[2];
            CHECK_OK(of_label_file_open(&file, of_context_or_default(NULL),
                                        folder_path(state, names[i][0]), N, NULL));
            for (size_t first = 0; first < N; first += stretch[s])
                CHECK_OK(of_label_file_add(&file, labels + first, NULL,
                                           N - first < stretch[s] ? N - first : stretch[s]));
            CHECK_OK(of_label_file_commit(&file));
            of_label_file_abandon(&file); /* after a commit it does nothing to the file */
            CHECK_OK(of_write_labels(of_context_or_default(NULL), folder_path(state, names[i][1]),
                                     labels, N));
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
        of_label_file file;
        CHECK_OK(of_label_file_open(&file, of_context_or_default(NULL),
                                    folder_path(state, names[i]), 10, NULL));
        CHECK_FAILS(of_label_file_add(&file, labels, NULL, 11), ONEFOLD_USAGE,
                    "more labels than the 10");
        CHECK_OK(of_label_file_add(&file, labels, NULL, 9));
        CHECK_FAILS(of_label_file_commit(&file), ONEFOLD_USAGE, "9 labels of the 10");
        of_label_file_abandon(&file);
        assert_int_equal(folder_count(state), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stretches_make_the_same_file, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(too_many_or_too_few_are_a_fault, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
