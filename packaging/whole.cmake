# SPDX-License-Identifier: Apache-2.0
# ONEFOLD_PYTHON_WHOLE: the Python extension holds OpenBLAS, LAPACKE, HDF5, zlib and Fortran's
# runtime, from Debian's static libraries, with none of their names showing: a wheel that needs libc alone
# and does not meet the OpenBLAS that NumPy brings. packaging/wheel.py checks that with readelf.
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

# Debian compiles some static libraries for programs that are not shared libraries: they reach stdin and
# its like at a fixed distance. These names become ones of our own (packaging/streams.c).
of_find_archive(fixed libhdf5_serial.a)
set(renamed "")
foreach(archive IN LISTS fixed)
  get_filename_component(name ${archive} NAME)
  add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name} DEPENDS ${archive}
    COMMAND ${CMAKE_OBJCOPY} --redefine-sym stdin=of_stdin --redefine-sym stdout=of_stdout
            --redefine-sym stderr=of_stderr ${archive} ${CMAKE_CURRENT_BINARY_DIR}/${name})
  list(APPEND renamed ${CMAKE_CURRENT_BINARY_DIR}/${name})
endforeach()
add_custom_target(onefold_renamed DEPENDS ${renamed})
add_dependencies(onefold_python onefold_renamed)
of_find_archive(blas liblapacke.a libopenblas.a)
of_find_archive(rest libsz.a libaec.a libz.a libgfortran.a libquadmath.a)
target_sources(onefold_python PRIVATE ${PROJECT_SOURCE_DIR}/packaging/streams.c)
target_include_directories(onefold_python PRIVATE ${PROJECT_SOURCE_DIR}/include)
# the number of OpenBLAS's threads is a weak reference, which takes nothing from an archive
target_link_options(onefold_python PRIVATE -Wl,-u,openblas_set_num_threads -Wl,-u,openblas_get_num_threads
                    -Wl,--gc-sections -s)
target_link_libraries(onefold_python PRIVATE onefold_flags $<TARGET_FILE:onefold_static> ${blas} ${renamed} ${rest}
                      Threads::Threads ${CMAKE_DL_LIBS} m)
add_dependencies(onefold_python onefold_static)
