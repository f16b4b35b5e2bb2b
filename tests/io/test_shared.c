/* SPDX-License-Identifier: Apache-2.0 */
/* Real files in the layouts that people use: samples, views, columns and classes are as they are.
 */
#include "data/dataset.h"

#include "support/check.h"
#include "support/views_read.h"

#include <string.h>

typedef struct expected {
    const char *path;
    size_t samples, classes, views;
    size_t columns[12];
    const char *storage; /* a letter per view: d, s or k */
} expected;

static const expected files[] = {
    {"data/3sources/3sources.mat", 169, 6, 3, {3560, 3631, 3068}, "ddd"},
    {"data/bbcsport/BBCSport.mat", 544, 5, 2, {3183, 3203}, "ss"},
    {"data/bdgp/BDGP.mat", 2500, 5, 2, {1000, 500}, "dd"},
    {"data/citeseer/CiteSeer.mat", 3312, 6, 2, {3312, 3703}, "ss"},
    {"data/cora/Cora_2view.mat", 2708, 7, 2, {2708, 1433}, "dd"},
    {"data/cora/Cora_4view_sparse.mat", 2708, 7, 4, {2708, 1433, 2708, 2708}, "ssss"},
    {"data/cub/cub_googlenet_doc2vec_c10.mat", 600, 10, 2, {1024, 300}, "dd"},
    {"data/handwritten/Handwritten.mat", 2000, 10, 6, {216, 76, 64, 6, 240, 47}, "dddddd"},
    {"data/hdigit/Hdigit.mat", 10000, 10, 2, {784, 256}, "dd"},
    {"data/msrc/MSRCV1_6view.mat", 210, 7, 6, {1302, 48, 512, 100, 256, 210}, "dddddd"},
    {"data/msrc/MSRC_v1.mat", 210, 7, 5, {24, 576, 512, 256, 254}, "ddddd"},
    {"data/ngs/NGs.mat", 500, 5, 3, {2000, 2000, 2000}, "ddd"},
    {"data/proteinfold/ProteinFold.mat",
     694,
     27,
     12,
     {27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27},
     "dddddddddddd"},
    {"data/reuters/Reuters-1200.mat", 1200, 6, 5, {2000, 2000, 2000, 2000, 2000}, "sssss"},
    {"data/reuters/Reuters-600_fullvocab_triplets.mat",
     600,
     6,
     5,
     {21526, 24892, 34121, 15487, 11539},
     "sssss"},
    {"data/webkb/WebKB_cornell.mat", 195, 5, 2, {195, 1703}, "dd"},
    {"data/webkb/WebKB_wisconsin.mat", 265, 5, 2, {1703, 221}, "dd"},
    {"data/wikipedia/Wikipedia.mat", 2866, 10, 2, {128, 10}, "dd"},
    {"data/kernels/AR10P_Kmatrix.mat", 130, 10, 6, {130, 130, 130, 130, 130, 130}, "kkkkkk"},
    {"data/kernels/liver_Kmatrix.mat", 345, 2, 6, {345, 345, 345, 345, 345, 345}, "kkkkkk"},
    {"data/layouts/X1toX6_Yrow_HW.mat", 2000, 10, 6, {216, 76, 64, 6, 240, 47}, "dddddd"},
    {"data/layouts/X_sparse_cols_Y_BBCSport.mat", 544, 5, 2, {3183, 3203}, "ss"},
    {"data/layouts/data_cols_truth_100Leaves.mat", 1600, 100, 3, {64, 64, 64}, "ddd"},
    {"data/layouts/msr1to5_truth_MSRC_v1.mat", 210, 7, 5, {24, 576, 512, 256, 254}, "ddddd"},
    /* its fourth matrix is the third one transposed: the same view */
    {"data/layouts/named_views_coracites_Cora.mat", 2708, 7, 3, {2708, 1433, 2706}, "ddd"},
    {"data/layouts/onehot_sparse_uint8_Wisconsin.mat", 265, 5, 2, {265, 1703}, "ss"},
    {"data/layouts/trailing_garbage_BBC4view.mat", 685, 5, 4, {4659, 4633, 4665, 4684}, "dddd"},
#ifdef ONEFOLD_WITH_HDF5
    {"data/kernels/YALE_Kmatrix.mat", 165, 15, 5, {165, 165, 165, 165, 165}, "kkkkk"},
    {"data/layouts/v73_cell1x2_X_Y_Digit4k.mat", 4000, 4, 2, {30, 30}, "dd"},
#endif
    {"data/layouts/zero_based_int64_float32_Cora.mat", 2708, 7, 2, {1433, 2708}, "dd"},
};

static void check_file(const expected *want)
{
    const char *path = check_shared(want->path);
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, NULL));
    print_message("%s\n", want->path);
    assert_int_equal(onefold_dataset_describe(data)->samples, want->samples);
    assert_int_equal(onefold_dataset_describe(data)->classes, want->classes);
    assert_int_equal(onefold_dataset_describe(data)->views, want->views);
    for (size_t v = 0; v < want->views; v++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(data, v, &info));
        assert_int_equal(info.columns, want->columns[v]);
        assert_int_equal(onefold_name(ONEFOLD_NAMES_STORAGE, info.storage)[0], want->storage[v]);
    }
    assert_true(onefold_dataset_describe(data)->notes >= want->views + 1);
    onefold_dataset_free(data);
}

static void real_layouts_are_found_by_rule(void **state)
{
    (void)state;
    if (!check_shared("data/MANIFEST.tsv"))
        skip();
    for (size_t f = 0; f < sizeof files / sizeof *files; f++)
        check_file(&files[f]);
}

/* The files of one data set, one per view. */
static onefold_dataset *read_several(const char *const *names, size_t count, const char *truth)
{
    char path[8][512];
    const char *paths[8];
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    char truth_path[512];
    for (size_t f = 0; f < count; f++) {
        snprintf(path[f], sizeof path[f], "%s", check_shared(names[f]));
        paths[f] = path[f];
    }
    if (truth) {
        snprintf(truth_path, sizeof truth_path, "%s", check_shared(truth));
        options.truth = truth_path;
    }
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, paths, count, &options));
    return data;
}

static void real_one_file_per_view(void **state)
{
    (void)state;
    if (!check_shared("data/MANIFEST.tsv"))
        skip();
    static const char *const train[] = {"data/rosmap/1_tr.csv", "data/rosmap/2_tr.csv",
                                        "data/rosmap/3_tr.csv", "data/rosmap/labels_tr.csv"};
    static const char *const test[] = {"data/rosmap/1_te.csv", "data/rosmap/2_te.csv",
                                       "data/rosmap/3_te.csv"};
    static const char *const cells[] = {"data/snareseq/SNAREseq_rna_feat.npy",
                                        "data/snareseq/SNAREseq_atac_feat.npy"};
    static const char *const cell_truth[] = {"data/snareseq/SNAREseq_rna_types.txt",
                                             "data/snareseq/SNAREseq_atac_types.txt",
                                             "data/snareseq/SNAREseq_metadata.txt"};
    static const char *const name[] = {"1_tr", "2_tr", "3_tr"};
    for (int part = 0; part < 2; part++) {
        onefold_dataset *data = part ? read_several(test, 3, "data/rosmap/labels_te.csv")
                                     : read_several(train, 4, NULL);
        assert_int_equal(onefold_dataset_describe(data)->samples, part ? 106 : 245);
        assert_int_equal(onefold_dataset_describe(data)->views, 3);
        assert_int_equal(onefold_dataset_describe(data)->classes, 2);
        for (size_t v = 0; v < 3; v++) {
            assert_int_equal(data->set.views[v].columns, 200);
            if (!part)
                assert_string_equal(data->set.views[v].name, name[v]);
        }
        double first[200];
        of_view_tile(&data->set.views[0], 0, 1, first, 200);
        assert_true(first[0] == (part ? 6.999883177967922143e-02 : 1.813813162555837355e-01));
        onefold_dataset_free(data);
    }
    for (int t = 0; t < 3; t++) {
        onefold_dataset *data = read_several(cells, 2, cell_truth[t]);
        assert_int_equal(onefold_dataset_describe(data)->samples, 1047);
        assert_int_equal(onefold_dataset_describe(data)->classes, 4);
        assert_int_equal(data->set.views[0].columns, 10);
        assert_int_equal(data->set.views[1].columns, 19);
        assert_int_equal(data->set.views[1].sample_step, 1); /* Fortran order, where it lies */
        assert_string_equal(onefold_dataset_describe(data)->class_names[0], t == 2 ? "BJ" : "1");
        onefold_dataset_free(data);
    }
}

static void real_unusable_files_are_refused_with_the_right_sentence(void **state)
{
    (void)state;
    if (!check_shared("data/MANIFEST.tsv"))
        skip();
    onefold_dataset *data = NULL;
    const char *path = check_shared("data/layouts/git_lfs_pointer_NUS-WIDE-OBJ.mat");
    CHECK_FAILS(onefold_dataset_read(&data, NULL, &path, 1, NULL), ONEFOLD_BAD_DATA,
                "Git LFS pointer");
    assert_non_null(strstr(onefold_last_hint(), "git lfs pull"));
    path = check_shared("data/layouts/header_only_empty_Ego1618.mat");
    CHECK_FAILS(onefold_dataset_read(&data, NULL, &path, 1, NULL), ONEFOLD_BAD_DATA,
                "nothing after it");
    assert_null(data);
}

/* A file whose views mark missing samples by NaN, and whose MissingStatus says more than is so: its
 * own lists of those present (index) agree with the NaN. */
static void real_missing_samples_are_those_of_nan(void **state)
{
    (void)state;
    const char *path = check_shared("data/layouts/incomplete_NaN_MissingStatus_NGs_Per0.1.mat");
    static const size_t missing[3] = {235, 216, 221};
    if (!path)
        skip();
    onefold_dataset *data = read_one(path, NULL);
    for (size_t v = 0; v < 3; v++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        CHECK_OK(onefold_dataset_view(data, v, &info));
        assert_int_equal(info.missing, missing[v]);
    }
    expect_note(data, "MissingStatus: differs from the rows of NaN in 73 places");
    onefold_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_layouts_are_found_by_rule),
        cmocka_unit_test(real_one_file_per_view),
        cmocka_unit_test(real_unusable_files_are_refused_with_the_right_sentence),
        cmocka_unit_test(real_missing_samples_are_those_of_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
