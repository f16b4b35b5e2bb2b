/* SPDX-License-Identifier: Apache-2.0 */
/* Views, storage, labels and names are written and read back, in every format. */
#include "data/dataset.h"
#include "io/atomic_file.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/views_read.h"
#include "support/written.h"

#include <stdlib.h>
#include <string.h>

static void check_same_values(const of_view *a, const of_view *b)
{
    assert_int_equal(a->samples, b->samples);
    assert_int_equal(a->columns, b->columns);
    double *x = malloc(a->samples * a->columns * sizeof *x),
           *y = malloc(a->samples * a->columns * sizeof *y);
    of_view_tile(a, 0, a->samples, x, a->columns);
    of_view_tile(b, 0, a->samples, y, a->columns);
    for (size_t e = 0; e < a->samples * a->columns; e++)
        assert_true(x[e] == y[e]);
    free(x);
    free(y);
}

static void check_same_truth(const of_dataset *a, const of_dataset *b)
{
    assert_int_equal(a->class_count, b->class_count);
    for (size_t j = 0; j < a->samples; j++)
        assert_string_equal(a->class_names[a->truth[j]], b->class_names[b->truth[j]]);
}

static onefold_dataset *read_back(const char *const *paths, size_t count, const char *truth)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.truth = truth;
    onefold_dataset *dataset;
    CHECK_OK(onefold_dataset_read(&dataset, NULL, paths, count, &options));
    return dataset;
}

static void containers_give_everything_back(void **state)
{
    static const char *const names[] = {"d.mat", "d.npz"};
    for (int f = 0; f < 2; f++) {
        const char *path = folder_path(state, names[f]);
        onefold_dataset *written = written_mixed();
        CHECK_OK(onefold_dataset_write(written, NULL, path));
        onefold_dataset *read = read_back(&path, 1, NULL);
        assert_int_equal(read->set.view_count, 4);
        assert_int_equal(read->set.samples, 25);
        for (size_t v = 0; v < 4; v++) {
            assert_int_equal(read->set.views[v].storage, written->set.views[v].storage);
            assert_int_equal(read->set.views[v].type, written->set.views[v].type);
            check_same_values(&read->set.views[v], &written->set.views[v]);
        }
        assert_non_null(read->set.truth);
        check_same_truth(&written->set, &read->set);
        onefold_dataset_free(written);
        onefold_dataset_free(read);
    }
}

static void kernels_come_back_as_kernels(void **state)
{
    static const char *const names[] = {"k.mat", "k.npz"};
    for (int f = 0; f < 2; f++)
        for (int same_type = 0; same_type < 2; same_type++) {
            const char *path = folder_path(state, names[f]);
            onefold_dataset *written = written_kernels(same_type);
            CHECK_OK(onefold_dataset_write(written, NULL, path));
            onefold_dataset *read = read_back(&path, 1, NULL);
            assert_int_equal(read->set.view_count, 2);
            for (size_t v = 0; v < 2; v++) {
                assert_int_equal(read->set.views[v].storage, OF_KERNEL);
                check_same_values(&read->set.views[v], &written->set.views[v]);
            }
            assert_null(read->set.truth);
            onefold_dataset_free(written);
            onefold_dataset_free(read);
        }
}

static void one_file_per_view_and_its_truth_come_back(void **state)
{
    static const char *const endings[] = {"npy", "csv", "tsv", "mtx"};
    for (int f = 0; f < 4; f++) {
        char name[64], truth[4096];
        snprintf(name, sizeof name, "d.%s", endings[f]);
        onefold_dataset *written = written_mixed();
        CHECK_OK(onefold_dataset_write(written, NULL, folder_path(state, name)));
        const char *paths[4];
        for (int v = 0; v < 4; v++) {
            snprintf(name, sizeof name, "d.%d.%s", v + 1, endings[f]);
            paths[v] = folder_path(state, name);
        }
        snprintf(truth, sizeof truth, "%s/d.truth.%s", (const char *)*state,
                 f == 3 ? "txt" : endings[f]);
        onefold_dataset *read = read_back(paths, 4, truth);
        assert_int_equal(read->set.view_count, 4);
        for (size_t v = 0; v < 4; v++) {
            if (f == 3 && v == 3)
                assert_int_equal(read->set.views[v].storage, OF_SPARSE);
            check_same_values(&read->set.views[v], &written->set.views[v]);
        }
        check_same_truth(&written->set, &read->set);
        onefold_dataset_free(written);
        onefold_dataset_free(read);
    }
}

static void names_of_classes_come_back(void **state)
{
    static const char *names[3] = {"sport", "\xc3\xa9t\xc3\xa9, \xe2\x82\xac", "the news"};
    static const char *const files[] = {"d.mat", "d.npz", "d.csv"};
    for (int f = 0; f < 3; f++) {
        onefold_dataset *written = written_mixed();
        written->set.class_names = names;
        CHECK_OK(onefold_dataset_write(written, NULL, folder_path(state, files[f])));
        char truth[4096];
        snprintf(truth, sizeof truth, "%s/d.truth.txt", (const char *)*state);
        const char *path = folder_path(state, f < 2 ? files[f] : "d.1.csv");
        onefold_dataset *read = read_back(&path, 1, f < 2 ? NULL : truth);
        assert_non_null(read->set.truth);
        check_same_truth(&written->set, &read->set);
        onefold_dataset_free(written);
        onefold_dataset_free(read);
    }
}

/* Labels that a fit writes are what scoring reads, in every format. */
/* Four samples with names: dense columns with names, sparse ones, and a kernel; classes with names.
 */
static onefold_dataset *named_data(int views)
{
    static const char *const samples[] = {"a", "b,b", "c \"c\"", "d"}, *const genes[] = {"g", "h"},
                             *const classes[] = {"low", "high"};
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8},
                 k[] = {2, 1, 0, 0, 1, 3, 0, 0, 0, 0, 4, 1, 0, 0, 1, 5}, value[] = {9, 8, 7};
    const size_t start[] = {0, 1, 2, 2, 3};
    const uint32_t index[] = {0, 2, 1};
    const int64_t truth[] = {0, 1, 1, 0};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, NULL, 4));
    if (views & 1) {
        CHECK_OK(onefold_dataset_add_dense(data, "x", x, 2, 2, 1));
        CHECK_OK(onefold_dataset_set_column_names(data, 0, genes));
    }
    if (views & 2)
        CHECK_OK(onefold_dataset_add_sparse(data, "s", 3, start, index, value));
    if (views & 4)
        CHECK_OK(onefold_dataset_add_kernel(data, "k", k));
    CHECK_OK(onefold_dataset_set_sample_names(data, samples));
    CHECK_OK(onefold_dataset_set_truth(data, truth, classes));
    return data;
}

/* All files that onefold_dataset_outputs lists, read together, give the same data set. */
static void names_of_samples_come_back(void **state)
{
    static const struct {
        const char *name;
        int views;
        const char *want;
    } cases[] = {
        {"d.mat", 3,
         "dense 1 2, 3 4, 5 6, 7 8 of g h; sparse 9 0 0, 0 0 8, 0 0 0, 0 7 0; ids a b,b c \"c\" d; "
         "truth low high high low"},
        {"d.npz", 3,
         "dense 1 2, 3 4, 5 6, 7 8 of g h; sparse 9 0 0, 0 0 8, 0 0 0, 0 7 0; ids a b,b c \"c\" d; "
         "truth low high high low"},
        {"d.csv", 1,
         "dense 1 2, 3 4, 5 6, 7 8 of g h; ids a b,b c \"c\" d; truth low high high low"},
        {"d.tsv", 1,
         "dense 1 2, 3 4, 5 6, 7 8 of g h; ids a b,b c \"c\" d; truth low high high low"},
        {"d.csv", 3,
         "dense 1 2, 3 4, 5 6, 7 8 of g h; dense 9 0 0, 0 0 8, 0 0 0, 0 7 0 of 1 2 3; ids a b,b c "
         "\"c\" d; truth low high high low"},
        {"d.tsv", 5,
         "dense 1 2, 3 4, 5 6, 7 8 of g h; dense 2 1 0 0, 1 3 0 0, 0 0 4 1, 0 0 1 5 of a b,b c "
         "\"c\" d; ids a b,b c \"c\" d; truth low high high low"},
        {"d.npy", 1, "dense 1 2, 3 4, 5 6, 7 8; ids a b,b c \"c\" d; truth low high high low"},
        {"d.npy", 5,
         "dense 1 2, 3 4, 5 6, 7 8; dense 2 1 0 0, 1 3 0 0, 0 0 4 1, 0 0 1 5; ids a b,b c \"c\" d; "
         "truth low high high low"},
        {"d.mtx", 2,
         "sparse 9 0 0, 0 0 8, 0 0 0, 0 7 0; ids a b,b c \"c\" d; truth low high high low"},
        {"d.mtx", 3,
         "dense 1 2, 3 4, 5 6, 7 8; sparse 9 0 0, 0 0 8, 0 0 0, 0 7 0; ids a b,b c \"c\" d; truth "
         "low high high low"},
        {"d.npz", 2,
         "sparse 9 0 0, 0 0 8, 0 0 0, 0 7 0; ids a b,b c \"c\" d; truth low high high low"},
        {"d.mat", 4,
         "kernel 2 1 0 0, 1 3 0 0, 0 0 4 1, 0 0 1 5; ids a b,b c \"c\" d; truth low high high low"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        onefold_dataset *data = named_data(cases[c].views);
        const char *path = folder_path(state, cases[c].name), *paths[8];
        char *list = NULL, text[1000] = "";
        size_t count = 0;
        CHECK_OK(onefold_dataset_write(data, NULL, path));
        CHECK_OK(onefold_dataset_outputs(&list, data, path));
        for (char *at = strtok(list, "\n"); at; at = strtok(NULL, "\n"))
            paths[count++] = at;
        assert_int_equal(folder_count(state), count);
        onefold_dataset *read = read_back(paths, count, NULL);
        describe_read(read, text, sizeof text);
        if (strcmp(text, cases[c].want) != 0)
            fail_msg("%s: %s\n  and not: %s", cases[c].name, text, cases[c].want);
        for (size_t i = 0; i < count; i++)
            remove(paths[i]);
        onefold_free(list);
        onefold_dataset_free(read);
        onefold_dataset_free(data);
    }
}

static void labels_come_back(void **state)
{
    static const char *const names[] = {"l.npy", "l.csv", "l.txt", "l.mat"};
    int32_t labels[25];
    for (int j = 0; j < 25; j++)
        labels[j] = j * j % 7;
    for (int f = 0; f < 4; f++) {
        CHECK_OK(onefold_labels_write(labels, NULL, 25, NULL, NULL, folder_path(state, names[f])));
        onefold_dataset *written = written_mixed();
        CHECK_OK(onefold_dataset_write(written, NULL, folder_path(state, "d.mat")));
        char truth[4096];
        snprintf(truth, sizeof truth, "%s/%s", (const char *)*state, names[f]);
        const char *path = folder_path(state, "d.mat");
        onefold_dataset *read = read_back(&path, 1, truth);
        for (int j = 0; j < 25; j++)
            assert_int_equal(atoi(read->set.class_names[read->set.truth[j]]), labels[j]);
        onefold_dataset_free(written);
        onefold_dataset_free(read);
    }
}

/* Synthetic data, larger than any buffer, through every container and back, to the bit. */
static void large_data_comes_back_to_the_bit(void **state)
{
    static const char *const names[] = {"s.mat", "s.npz"};
    for (int sparse = 0; sparse < 2; sparse++)
        for (int f = 0; f < 2; f++) {
            onefold_synth_options options = ONEFOLD_SYNTH_OPTIONS_INIT;
            options.samples = 20000;
            options.columns = (const size_t[]){30, 70, 1};
            options.density = sparse ? 0.1 : 1;
            onefold_dataset *made;
            CHECK_OK(onefold_dataset_synth(&made, NULL, &options));
            const char *path = folder_path(state, names[f]);
            CHECK_OK(onefold_dataset_write(made, NULL, path));
            onefold_dataset *read = read_back(&path, 1, NULL);
            assert_int_equal(read->set.view_count, 3);
            for (size_t v = 0; v < 3; v++) {
                assert_int_equal(read->set.views[v].storage, made->set.views[v].storage);
                check_same_values(&read->set.views[v], &made->set.views[v]);
            }
            check_same_truth(&made->set, &read->set);
            onefold_dataset_free(made);
            onefold_dataset_free(read);
        }
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(containers_give_everything_back),
        IN_FOLDER(kernels_come_back_as_kernels),
        IN_FOLDER(one_file_per_view_and_its_truth_come_back),
        IN_FOLDER(names_of_classes_come_back),
        IN_FOLDER(names_of_samples_come_back),
        IN_FOLDER(labels_come_back),
        IN_FOLDER(large_data_comes_back_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
