/* SPDX-License-Identifier: Apache-2.0 */
/* The modalities of an .h5mu: their order, and which of the file's samples each has. */
#include "io/h5ad.h"

#ifdef ONEFOLD_WITH_HDF5

#include <stdio.h>
#include <string.h>

/* obsmap: 1 and up for the row of each sample, 0 where it has none. */
static onefold_status read_map(of_h5ad_part *of, hid_t root)
{
    char path[OF_H5AD_NAME];
    of_array map;
    size_t *from, own = 0;
    int moved = 0;
    const char *const *names;
    OF_TRY(of_h5ad_index(of->file, of->store, of->group, "obs", &of->own, &names));
    snprintf(path, sizeof path, "obsmap/%.400s", of->modality);
    if (H5Lexists(root, "obsmap", H5P_DEFAULT) <= 0 || H5Lexists(root, path, H5P_DEFAULT) <= 0) {
        if (of->own == of->samples)
            return ONEFOLD_OK;
        return of_fail(ONEFOLD_BAD_DATA,
                       "it has %zu of the %zu samples, and obsmap does not say "
                       "which",
                       of->own, of->samples);
    }
    OF_TRY(of_hdf_array(of->file, of->store, root, path, &map));
    if (map.count != of->samples)
        return of_blame(of_hdf_damaged(), "%s", path);
    OF_TRY(OF_NEW(&of->store->arena, &from, of->samples, 1));
    for (size_t j = 0; j < of->samples; j++) {
        double at = of_array_get(&map, j);
        if (!(at >= 0 && at <= (double)of->own))
            return of_blame(of_hdf_damaged(), "%s", path);
        from[j] = at > 0 ? (size_t)at - 1 : SIZE_MAX;
        moved |= from[j] != j;
        own += at > 0;
    }
    if (own != of->own)
        return of_fail(ONEFOLD_BAD_DATA, "obsmap has %zu of its %zu samples", own, of->own);
    of->from = moved ? from : NULL;
    return ONEFOLD_OK;
}

static onefold_status add_modality(of_h5ad_part of, hid_t root, hid_t modalities, const char *name)
{
    of.modality = name;
    of.group = H5Gopen2(modalities, name, H5P_DEFAULT);
    char encoding[OF_ENCODING];
    onefold_status status = ONEFOLD_OK;
    if (of.group < 0)
        status = of_hdf_damaged();
    of_h5ad_encoding(modalities, name, encoding);
    if (status == ONEFOLD_OK && strcmp(encoding, "anndata") != 0)
        status = of_fail(ONEFOLD_BAD_DATA, "it is not encoded as anndata");
    if (status == ONEFOLD_OK)
        status = read_map(&of, root);
    if (status != ONEFOLD_OK)
        return of_blame(status, "mod/%s", name);
    OF_TRY(of_h5ad_add_matrices(&of));
    H5Gclose(of.group);
    return ONEFOLD_OK;
}

/* The attribute mod-order, or the order of the names. */
static onefold_status list_modalities(const of_file *file, of_owner *store, hid_t modalities,
                                      size_t *count, const char ***names)
{
    H5G_info_t info;
    if (H5Gget_info(modalities, &info) < 0 || info.nlinks > file->size)
        return of_hdf_damaged();
    *count = (size_t)info.nlinks;
    OF_TRY(OF_NEW_ZERO(&store->arena, names, *count, 1));
    hid_t order =
        H5Aexists(modalities, "mod-order") > 0 ? H5Aopen(modalities, "mod-order", H5P_DEFAULT) : -1;
    hid_t space = H5Aget_space(order), type = H5Aget_type(order);
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0 &&
        H5Sget_simple_extent_npoints(space) == (hssize_t)*count) {
        OF_SCRATCH(scratch, store->arena.context);
        char **found;
        OF_TRY(OF_NEW_ZERO(&scratch, &found, *count, 1));
        hid_t memory = H5Tcopy(H5T_C_S1);
        H5Tset_size(memory, H5T_VARIABLE);
        H5Tset_cset(memory, H5Tget_cset(type));
        onefold_status status = H5Aread(order, memory, found) < 0 ? of_hdf_damaged() : ONEFOLD_OK;
        for (size_t i = 0; i < *count && status == ONEFOLD_OK; i++) {
            char *copy = NULL;
            status = of_arena_string(&store->arena, &copy, "%s", found[i] ? found[i] : "");
            (*names)[i] = copy;
        }
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, found);
        H5Tclose(memory);
        return status;
    }
    for (size_t i = 0; i < *count; i++) {
        char name[OF_H5AD_NAME], *copy;
        if (H5Lget_name_by_idx(modalities, ".", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)i, name,
                               sizeof name, H5P_DEFAULT) < 0)
            return of_hdf_damaged();
        OF_TRY(of_arena_string(&store->arena, &copy, "%s", name));
        (*names)[i] = copy;
    }
    return ONEFOLD_OK;
}

onefold_status of_h5ad_add_modalities(of_h5ad_part *of, hid_t root)
{
    size_t count = 0;
    const char **names;
    hid_t modalities = H5Gopen2(root, "mod", H5P_DEFAULT);
    if (modalities < 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no modalities in it");
    if (of_hdf_number_attribute(root, "axis") != 0)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "its modalities share variables, not samples"),
                       "views are of the same samples: axis must be 0");
    OF_TRY(list_modalities(of->file, of->store, modalities, &count, &names));
    for (size_t i = 0; i < count; i++)
        OF_TRY(add_modality(*of, root, modalities, names[i]));
    return of_h5ad_add_members(of, "obsm");
}

#endif
