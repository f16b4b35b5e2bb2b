/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of single cells: .h5ad (anndata 0.8 and later) and .h5mu (MuData). Samples are the rows of
 * every matrix, and their names and those of the variables are in the file. Only what was asked
 * for is read: X, or of an .h5mu every modality's X, unless `views` names others.
 */
#include "io/h5ad.h"

#ifndef ONEFOLD_WITH_HDF5

onefold_status of_read_h5ad(of_file *file)
{
    (void)file;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "this build cannot read HDF5 files"),
                   "save the views as .npz, .mat or .csv, or build with ONEFOLD_WITH_HDF5=ON");
}

#else

#include <stdio.h>
#include <string.h>

enum { COLUMNS_NAMED = 12 };

/* ---- the table of samples ------------------------------------------------------------------ */

/* What obs has, for people. */
static onefold_status describe_obs(of_file *file, hid_t root, char **text)
{
    char list[400] = "", name[64];
    size_t used = 0, shown = 0;
    H5G_info_t info;
    hid_t obs = H5Gopen2(root, "obs", H5P_DEFAULT);
    char index[256];
    if (H5Gget_info(obs, &info) < 0)
        return of_hdf_damaged();
    of_hdf_text_attribute(obs, "_index", index, sizeof index);
    for (hsize_t i = 0; i < info.nlinks && shown < COLUMNS_NAMED; i++) {
        if (H5Lget_name_by_idx(obs, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                               H5P_DEFAULT) < 0 ||
            strcmp(name, index) == 0 || strcmp(name, "__categories") == 0)
            continue;
        int wrote = snprintf(list + used, sizeof list - used, "%s%.40s", shown++ ? ", " : "", name);
        used += used + (size_t)wrote < sizeof list ? (size_t)wrote : 0;
    }
    H5Gclose(obs);
    OF_TRY(of_arena_string(&file->arena, text, "the table of samples, with the columns %s%s",
                           shown ? list : "none", shown == COLUMNS_NAMED ? ", ..." : ""));
    of_text_clean(*text);
    return ONEFOLD_OK;
}

/* The column of obs that is the truth, where one was asked for. */
static onefold_status add_truth(const of_h5ad_part *of)
{
    const char *truth = of->file->wishes.truth;
    char path[OF_H5AD_NAME], *what;
    int said = truth && strncmp(truth, "obs/", 4) == 0;
    OF_TRY(describe_obs(of->file, of->group, &what));
    if (truth && strlen(truth) < OF_H5AD_NAME - 8) {
        snprintf(path, sizeof path, "%s%s", said ? "" : "obs/", truth);
        if (!strchr(path + 4, '/') && H5Lexists(of->group, path, H5P_DEFAULT) > 0) {
            of_top *top;
            OF_TRY(of_file_add(of->file, &top, truth));
            OF_TRY(of_h5ad_column(of->file, top->store, of->group, path, &top->variable));
            if (top->variable.count != of->samples)
                return of_blame(of_hdf_damaged(), "%s", path);
            OF_TRY(of_owner_hold(top->store, of->store));
            top->variable.matrix.row_names = of->names;
        } else if (said) {
            return of_hint(of_fail(ONEFOLD_USAGE, "obs has no column %s", truth + 4), "obs is %s",
                           what);
        }
    }
    return of_h5ad_add_other(of->file, "obs", what);
}

/* ---- the file ----------------------------------------------------------------------------- */

static onefold_status nothing_to_read(const of_file *file)
{
    char list[400] = "";
    size_t used = 0;
    for (size_t t = 0; t < file->count; t++) {
        if (file->top[t].variable.kind == OF_VARIABLE_MATRIX)
            return ONEFOLD_OK;
        const char *name = file->top[t].variable.name;
        if (used + strlen(name) + 3 > sizeof list)
            continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
    }
    if (file->wishes.views)
        return of_hint(of_fail(ONEFOLD_USAGE, "it has none of the views %s", file->wishes.views),
                       "there are: %s", list);
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "it has no X"), "name matrices with `views`: %s",
                   *list ? list : "there are none");
}

/* The names of the samples need an owner that outlives the reading: a top of their own. */
static onefold_status read_cells(of_file *file, hid_t root, int multimodal)
{
    of_h5ad_part of = {.file = file, .group = root};
    onefold_status status = of_owner_make(&of.store, file->context);
    if (status == ONEFOLD_OK)
        status = of_h5ad_index(file, of.store, root, "obs", &of.samples, &of.names);
    if (status == ONEFOLD_OK)
        status = multimodal ? of_h5ad_add_modalities(&of, root) : of_h5ad_add_matrices(&of);
    if (status == ONEFOLD_OK)
        status = nothing_to_read(file);
    if (status == ONEFOLD_OK)
        status = add_truth(&of);
    of_owner_release(of.store); /* the matrices hold it */
    return status;
}

static onefold_status read_kind(of_file *file, hid_t root)
{
    char encoding[OF_ENCODING];
    of_hdf_text_attribute(root, "encoding-type", encoding, sizeof encoding);
    file->cells = 1;
    if (strcmp(encoding, "anndata") == 0)
        return read_cells(file, root, 0);
    if (strcmp(encoding, "MuData") == 0 || strcmp(encoding, "mudata") == 0)
        return read_cells(file, root, 1);
    int has_obs = H5Lexists(root, "obs", H5P_DEFAULT) > 0;
    if (has_obs && H5Lexists(root, "mod", H5P_DEFAULT) > 0)
        return read_cells(file, root, 1);
    if (has_obs)
        return of_hint(
            of_fail(ONEFOLD_UNSUPPORTED,
                    "it was written by anndata before 0.8, whose encodings are not read"),
            "write it again: anndata.read_h5ad(path).write_h5ad(path) with anndata 0.8 "
            "or later");
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "this HDF5 file is neither MATLAB's nor anndata's "
                                                "(.h5ad) nor MuData's (.h5mu)"),
                   "save the views as .npz, .mat or .csv");
}

onefold_status of_read_h5ad(of_file *file)
{
    if (!file->contents->map)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a packed HDF5 file is not read"),
                       "unpack it first");
    return of_hdf_read(file, read_kind);
}

#endif
