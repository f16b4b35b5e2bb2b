/* SPDX-License-Identifier: Apache-2.0 */
/* Reading data sets: options, several files, files that cannot be read, and threads. */
#include "support/ask.h"
#include "support/folder.h"
#include "support/made.h"
#include "support/memory.h"
#include "support/views_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const double a[6] = {1, 2, 3, 4, 5, 6}; /* 3 samples of 2, by column */
static const double b[3] = {7, 8, 9};
static const double a_sample[6] = {1, 4, 2, 5, 3, 6};

/* X of two views, a copy of them, other matrices, and two lists of labels. */
static const char *container(void **state)
{
    made file = {0}, cell = {0};
    made_mat_header(&file, 0);
    made_mat_dense(&cell, "", 3, 2, OF_F64, a, 0);
    made_mat_dense(&cell, "", 3, 1, OF_F64, b, 0);
    made_mat_array(&file, MADE_CELL, (size_t[3]){1, 2, 0}, "X", &cell, 0);
    made_mat_dense(&file, "Extra", 2, 3, OF_F64, (double[]){10, 40, 20, 50, 30, 60}, 0);
    made_mat_dense(&file, "gt", 3, 1, OF_U8, (double[]){1, 2, 1}, 0);
    made_mat_dense(&file, "groups", 3, 1, OF_U8, (double[]){5, 5, 6}, 0);
    made_mat_dense(&file, "noise", 3, 1, OF_F64, (double[]){0.5, 5, 6}, 0);
    const char *path = folder_path(state, "c.mat");
    made_save(&file, path);
    made_free(&file);
    made_free(&cell);
    return path;
}

static void views_by_name_and_number(void **state)
{
    const char *path = container(state);
    static const struct {
        const char *list;
        size_t count;
        const char *name[3];
    } cases[] = {{"1", 1, {"X{1}"}},
                 {"2,1", 2, {"X{2}", "X{1}"}},
                 {"X{2}", 1, {"X{2}"}},
                 {" X{2} , 1 ", 2, {"X{2}", "X{1}"}},
                 {"X", 2, {"X{1}", "X{2}"}},
                 {"Extra,X{1}", 2, {"Extra", "X{1}"}},
                 {"Extra,X", 3, {"Extra", "X{1}", "X{2}"}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
        options.views = cases[i].list;
        onefold_dataset *data = read_one(path, &options);
        assert_int_equal(onefold_dataset_describe(data)->views, cases[i].count);
        for (size_t v = 0; v < cases[i].count; v++)
            assert_string_equal(ask_data_view(data, v).name, cases[i].name[v]);
        if (strcmp(cases[i].name[0], "Extra") == 0)
            expect_view(data, 0, "Extra", "dense", 2, (double[]){10, 40, 20, 50, 30, 60});
        expect_truth(data, "1 2 1");
        onefold_dataset_free(data);
    }
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.views = "3";
    read_fails(path, &options, ONEFOLD_USAGE, "view 3 was asked for, and there are 2");
    options.views = "0";
    read_fails(path, &options, ONEFOLD_USAGE, "view 0 was asked for");
    options.views = "1,pixels";
    read_fails(path, &options, ONEFOLD_USAGE, "there is no view named pixels");
    assert_non_null(strstr(onefold_last_hint(), "X{1}, X{2}"));
    options.views = " ,";
    read_fails(path, &options, ONEFOLD_USAGE, "no view named");
    options.views = "";
    read_fails(path, &options, ONEFOLD_USAGE, "the list of views is empty");
}

static void truth_by_name_or_file_or_not_at_all(void **state)
{
    const char *path = container(state), *text = folder_path(state, "t.csv");
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.truth = "groups";
    onefold_dataset *data = read_one(path, &options);
    expect_truth(data, "5 5 6");
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    onefold_dataset_free(data);
    made_file(text, "u\nu\nv\n");
    options.truth = text;
    data = read_one(path, &options);
    expect_truth(data, "u u v");
    onefold_dataset_free(data);
    options.truth = path; /* the labels of another container, by their name */
    data = read_one(path, &options);
    expect_truth(data, "1 2 1");
    onefold_dataset_free(data);
    options.no_truth = 1;
    data = read_one(path, &options);
    expect_truth(data, "");
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    onefold_dataset_free(data);
    options.no_truth = 0;
    options.truth = "noise";
    read_fails(path, &options, ONEFOLD_BAD_DATA, "noise holds no labels");
    options.truth = "nowhere";
    read_fails(path, &options, ONEFOLD_USAGE, "there is no variable and no file named nowhere");
    options.truth = "nowhere.csv";
    read_fails(path, &options, ONEFOLD_IO, "nowhere.csv: there is no such file");
    made_file(text, "1\n2\n");
    options.truth = text;
    read_fails(path, &options, ONEFOLD_BAD_DATA, "t has 2 labels");
    made_file(text, "1.5 1.5\n2.5 3\n");
    read_fails(path, &options, ONEFOLD_BAD_DATA, "there are no labels in it");
}

/* Labels are no view, under any option. */
static void labels_never_become_a_view(void **state)
{
    const char *path = folder_path(state, "l.mat");
    for (int no_truth = 0; no_truth < 2; no_truth++) {
        made file = {0};
        made_mat_header(&file, 0);
        made_mat_dense(&file, "fea", 3, 2, OF_F64, a, 0);
        made_mat_dense(&file, "labels", 3, 2, OF_U8, (double[]){1, 0, 1, 0, 1, 0}, 0); /* one-hot */
        made_save(&file, path);
        made_free(&file);
        onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
        options.no_truth = no_truth;
        onefold_dataset *data = read_one(path, &options);
        assert_int_equal(onefold_dataset_describe(data)->views, 1);
        expect_view(data, 0, "fea", "dense", 2, a_sample);
        expect_truth(data, no_truth ? "" : "1 2 1");
        onefold_dataset_free(data);
    }
}

static void several_files(void **state)
{
    const char *paths[] = {folder_path(state, "rna.csv"), folder_path(state, "atac.mtx"),
                           folder_path(state, "cell_type.txt"), folder_path(state, "odd.csv"),
                           container(state)};
    made_file(paths[0], "1,4\n2,5\n3,6\n");
    made_file(paths[1], "%%MatrixMarket matrix coordinate pattern general\n4 3 2\n4 1\n2 3\n");
    made_file(paths[2], "T\nB\nT\n");
    made_file(paths[3], "1,2\n3,4\n5,6\n7,8\n");
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 3, NULL));
    assert_int_equal(onefold_dataset_describe(data)->views, 2);
    expect_view(data, 0, "rna", "dense", 2, a_sample);
    expect_view(data, 1, "atac", "sparse", 4, (double[]){0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0});
    expect_truth(data, "T B T");
    onefold_dataset_free(data);
    data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, 2, NULL));
    assert_int_equal(onefold_dataset_describe(data)->samples, 3); /* the side they share */
    expect_truth(data, "");
    onefold_dataset_free(data);
    data = NULL;
    const char *wrong[] = {paths[0], paths[3], paths[1]};
    CHECK_FAILS(onefold_dataset_read(&data, NULL, wrong, 3, NULL), ONEFOLD_BAD_DATA,
                "the views have different numbers of samples: rna is 3 x 2 and atac is 4 x 3");
    const char *mixed[] = {paths[4], paths[0]}; /* a container and a view of its own */
    CHECK_OK(onefold_dataset_read(&data, NULL, mixed, 2, NULL));
    assert_int_equal(onefold_dataset_describe(data)->views, 3);
    expect_view(data, 2, "rna", "dense", 2, a_sample);
    expect_truth(data, "1 2 1");
    onefold_dataset_free(data);
    every_allocation_fails(paths, 3, NULL);
}

static void files_that_cannot_be_read(void **state)
{
    char folder[512];
    snprintf(folder, sizeof folder, "%s", folder_path(state, "folder.mat"));
    assert_int_equal(mkdir(folder, 0700), 0);
    read_fails(folder, NULL, ONEFOLD_IO, "folder.mat: this is a directory, not a file");
    assert_int_equal(rmdir(folder), 0);
    read_fails(folder_path(state, "none.mat"), NULL, ONEFOLD_IO, "none.mat: there is no such file");
    read_fails(folder_path(state, "x.mat/y"), NULL, ONEFOLD_IO, "there is no such file");
    read_fails("/dev/null", NULL, ONEFOLD_IO, "a device or a pipe");
    const char *pipe_path =
        folder_path(state, "pipe.csv"); /* without a writer: reading does not wait */
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    read_fails(pipe_path, NULL, ONEFOLD_IO, "a device or a pipe");
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int listening = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(name.sun_path, sizeof name.sun_path, "%.100s", folder_path(state, "socket.csv"));
    assert_int_equal(bind(listening, (struct sockaddr *)&name, sizeof name), 0);
    read_fails(name.sun_path, NULL, ONEFOLD_IO, "a device or a pipe");
    close(listening);
    static const char *const names[] = {"e.mat", "e.npy", "e.npz", "e.csv", "e.mtx", "e.txt.gz"};
    for (size_t i = 0; i < 6; i++) {
        const char *path = folder_path(state, names[i]);
        made_file(path, "");
        read_fails(path, NULL, ONEFOLD_BAD_DATA, "the file is empty");
    }
    made nothing = {0}, packed = made_packed(&nothing, "gzip");
    made_save(&packed, folder_path(state, "e.csv.gz"));
    read_fails(folder_path(state, "e.csv.gz"), NULL, ONEFOLD_BAD_DATA, "empty once decompressed");
    made_free(&packed);
    made_file(folder_path(state, "u.xyz"), "some text");
    read_fails(folder_path(state, "u.xyz"), NULL, ONEFOLD_BAD_DATA,
               "the format of the file is not known");
    assert_non_null(strstr(onefold_last_hint(), ".npz"));
    made_file(folder_path(state, "noending"), "1,2\n");
    read_fails(folder_path(state, "noending"), NULL, ONEFOLD_BAD_DATA, "not known");
    made_file(folder_path(state, "p.mat"), "version https://git-lfs.github.com/spec/v1\noid "
                                           "sha256:b2f2\nsize 12\n");
    read_fails(folder_path(state, "p.mat"), NULL, ONEFOLD_BAD_DATA, "Git LFS pointer");
    made_file(folder_path(state, "t.mat"), "x,y\n1,2\n");
    read_fails(folder_path(state, "t.mat"), NULL, ONEFOLD_BAD_DATA,
               "the name ends in .mat, but the contents are of another format");
    assert_non_null(strstr(onefold_last_hint(), "from version 5 on"));
    made_file(folder_path(state, "h.csv"), "<html>\n<body>not found</body>\n");
    read_fails(folder_path(state, "h.csv"), NULL, ONEFOLD_BAD_DATA, "nothing in it can be a view");
    made_file(folder_path(state, "d.h5"), "\x89HDF\r\n\x1a\n and so on");
#ifdef ONEFOLD_WITH_HDF5
    read_fails(folder_path(state, "d.h5"), NULL, ONEFOLD_BAD_DATA, "HDF5 cannot open it");
#endif
    if (geteuid() != 0) {
        const char *secret = folder_path(state, "secret.csv");
        made_file(secret, "1,2\n");
        assert_int_equal(chmod(secret, 0), 0);
        read_fails(secret, NULL, ONEFOLD_IO, "may not be read");
    }
}

static void calls_that_make_no_sense(void **state)
{
    (void)state;
    onefold_dataset *data = NULL;
    const char *path = "x.csv", *empty = "", *none = NULL;
    CHECK_FAILS(onefold_dataset_read(NULL, NULL, &path, 1, NULL), ONEFOLD_USAGE, "a place");
    CHECK_FAILS(onefold_dataset_read(&data, NULL, &path, 0, NULL), ONEFOLD_USAGE, "a file");
    CHECK_FAILS(onefold_dataset_read(&data, NULL, NULL, 1, NULL), ONEFOLD_USAGE, "a file");
    CHECK_FAILS(onefold_dataset_read(&data, NULL, &empty, 1, NULL), ONEFOLD_USAGE, "no name");
    CHECK_FAILS(onefold_dataset_read(&data, NULL, &none, 1, NULL), ONEFOLD_USAGE, "no name");
}

static void reading_can_be_stopped_and_is_held_to_its_memory(void **state)
{
    const char *path = folder_path(state, "large.csv");
    made text = {0};
    for (int i = 0; i < 60000; i++)
        made_text(&text, "1,2,3,4,5,6,7,8,9,10\n");
    made_save(&text, path);
    made_free(&text);
    memory_watch memory;
    onefold_context *context = memory_context(&memory);
    onefold_dataset *data = NULL;
    memory.until_cancel = 0;
    CHECK_FAILS(onefold_dataset_read(&data, context, &path, 1, NULL), ONEFOLD_INTERRUPTED,
                "interrupted");
    assert_int_equal(memory_left(&memory), 0);
    onefold_context_free(context);
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_memory_limit(context, 1000000));
    CHECK_FAILS(onefold_dataset_read(&data, context, &path, 1, NULL), ONEFOLD_NO_MEMORY, "allowed");
    CHECK_OK(onefold_context_set_memory_limit(context, 6000000));
    CHECK_OK(onefold_dataset_read(&data, context, &path, 1, NULL));
    onefold_dataset_free(data);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
        TEST(views_by_name_and_number),
        TEST(truth_by_name_or_file_or_not_at_all),
        TEST(labels_never_become_a_view),
        TEST(several_files),
        TEST(files_that_cannot_be_read),
        TEST(calls_that_make_no_sense),
        TEST(reading_can_be_stopped_and_is_held_to_its_memory),
#undef TEST
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
