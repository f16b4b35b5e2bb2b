# SPDX-License-Identifier: Apache-2.0
# cmake --install: header, both libraries, command, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)
install(TARGETS onefold_static onefold_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(NOT ONEFOLD_ENGINE_ONLY) # libonefold loads it
  install(TARGETS onefold_bench_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES ${PROJECT_SOURCE_DIR}/include/onefold.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# The .pc file finds its prefix from where it lies, so that --prefix at install time is right too.
file(RELATIVE_PATH ONEFOLD_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" ONEFOLD_PC_UP "${ONEFOLD_PC_UP}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/onefold.pc.in ${PROJECT_BINARY_DIR}/onefold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/onefold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/onefold-config.cmake.in
  ${PROJECT_BINARY_DIR}/onefold-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatible SameMinorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onefold-config-version.cmake COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/onefold-config.cmake ${PROJECT_BINARY_DIR}/onefold-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/onefold)
