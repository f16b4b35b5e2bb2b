/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 files, MATLAB 7.3 and single cells: a process of their own reads them (fence.c), with
 * libhdf5 (fence_hdf.c). The library itself does not call libhdf5. */
#include "io/file.h"

#ifndef ONEFOLD_WITH_HDF5

onefold_status of_read_hdf(of_file *file, int matlab)
{
    (void)file;
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "this build cannot read %s files",
                           matlab ? "MATLAB 7.3" : "HDF5"),
                   "save %s, or build with ONEFOLD_WITH_HDF5=ON",
                   matlab ? "with -v7" : "the views as .npz, .mat or .csv");
}

#else

onefold_status of_read_hdf(of_file *file, int matlab)
{
    if (file->was_packed)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a compressed %s file is not read",
                               matlab ? "MATLAB 7.3" : "HDF5"),
                       "decompress it first");
    return of_fence_read(file, matlab);
}

#endif
