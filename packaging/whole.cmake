# SPDX-License-Identifier: Apache-2.0
# ONEFOLD_PYTHON_WHOLE: the Python extension holds OpenBLAS, LAPACKE, zlib and Fortran's runtime, from
# Debian's static libraries, with none of their names showing, and the program that reads HDF5 files, which has
# that library (src/CMakeLists.txt): a wheel that needs libc alone and does not meet the OpenBLAS that NumPy
# brings. packaging/wheel.py checks that with readelf.
function(of_find_archive result)
  foreach(name IN LISTS ARGN)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=${name} OUTPUT_VARIABLE path
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT IS_ABSOLUTE "${path}")
      unset(found CACHE)
      find_file(found ${name} PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}
                /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread NO_DEFAULT_PATH)
      set(path ${found})
      unset(found CACHE)
    endif()
    if(NOT path)
      message(FATAL_ERROR "the static library ${name}, which a wheel holds, is not here")
    endif()
    list(APPEND paths ${path})
  endforeach()
  set(${result} ${paths} PARENT_SCOPE)
endfunction()

of_find_archive(blas liblapacke.a libopenblas.a)
of_find_archive(rest libz.a libgfortran.a libquadmath.a)
target_include_directories(onefold_python PRIVATE ${PROJECT_SOURCE_DIR}/include)
# the number of OpenBLAS's threads is a weak reference, which takes nothing from an archive
target_link_options(onefold_python PRIVATE -Wl,-u,openblas_set_num_threads -Wl,-u,openblas_get_num_threads
                    -Wl,--gc-sections -s)
target_link_libraries(onefold_python PRIVATE onefold_flags $<TARGET_FILE:onefold_static> ${blas} ${rest}
                      Threads::Threads ${CMAKE_DL_LIBS} m)
add_dependencies(onefold_python onefold_static)
