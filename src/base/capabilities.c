/* SPDX-License-Identifier: Apache-2.0 */
/* What this build can do, as the build's switches have it. */
#include "onefold.h"

const char *onefold_capabilities(void)
{
    return "threads zlib"
#ifdef ONEFOLD_WITH_HDF5
           " hdf5"
#endif
#ifdef ONEFOLD_WITH_JSON
           " json"
#endif
#ifdef ONEFOLD_WITH_MPI
           " mpi"
#endif
#ifdef ONEFOLD_WITH_CUDA
           " cuda"
#endif
        ;
}
