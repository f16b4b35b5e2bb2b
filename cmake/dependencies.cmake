# SPDX-License-Identifier: Apache-2.0
# What the library stands on. OpenBLAS is asked for by name: Debian's default BLAS is the slow
# reference one. Another BLAS is chosen with -DONEFOLD_BLAS=<pkg-config name or library>.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

set(ONEFOLD_BLAS "openblas" CACHE STRING "pkg-config name of the CBLAS to link")
pkg_check_modules(ONEFOLD_CBLAS REQUIRED IMPORTED_TARGET ${ONEFOLD_BLAS})
pkg_check_modules(ONEFOLD_LAPACKE REQUIRED IMPORTED_TARGET lapacke)
set(ONEFOLD_LINK PkgConfig::ONEFOLD_CBLAS PkgConfig::ONEFOLD_LAPACKE)
set(ONEFOLD_DEFINES "")
set(ONEFOLD_PC_REQUIRES "${ONEFOLD_BLAS} lapacke")
if(ONEFOLD_ENGINE_ONLY)
  set(ONEFOLD_WITH_HDF5 OFF)
else()
  find_package(ZLIB REQUIRED)
  list(APPEND ONEFOLD_LINK ZLIB::ZLIB)
  string(APPEND ONEFOLD_PC_REQUIRES " zlib")
endif()
list(APPEND ONEFOLD_LINK Threads::Threads ${CMAKE_DL_LIBS} m)
if(ONEFOLD_WITH_HDF5)
  pkg_check_modules(ONEFOLD_HDF5 REQUIRED IMPORTED_TARGET hdf5)
  set(ONEFOLD_HDF5_LINK PkgConfig::ONEFOLD_HDF5) # of the program that reads such files, not of the library
  list(APPEND ONEFOLD_DEFINES ONEFOLD_WITH_HDF5=1)
endif()
if(ONEFOLD_WITH_CUDA) # the library for GPUs is found at run time: nothing is linked
  list(APPEND ONEFOLD_DEFINES ONEFOLD_WITH_CUDA=1)
endif()
if(ONEFOLD_WITH_MPI)
  find_package(MPI REQUIRED COMPONENTS C)
  list(APPEND ONEFOLD_LINK MPI::MPI_C)
  list(APPEND ONEFOLD_DEFINES ONEFOLD_WITH_MPI=1)
endif()
