# SPDX-License-Identifier: Apache-2.0
# What makes a flaw in memory handling end the program rather than be used: guards on the stack, checked
# calls of libc, a program that lies at a random place, jumps that land only where functions begin.
# tests/install/hardened.sh looks at the binaries. Sanitized and counted builds do without.
if(ONEFOLD_HARDEN AND NOT ONEFOLD_SANITIZE AND NOT ONEFOLD_COVERAGE AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  include(CheckCCompilerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
    string(MAKE_C_IDENTIFIER has${flag} has)
    check_c_compiler_flag("${flag} -Werror" ${has})
    if(${has})
      target_compile_options(onefold_flags INTERFACE ${flag})
    endif()
  endforeach()
  if(NOT CMAKE_BUILD_TYPE STREQUAL Debug) # it needs an optimiser; 3 also checks sizes known at run time alone
    target_compile_options(onefold_flags INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  target_link_options(onefold_flags INTERFACE -Wl,-z,noexecstack
                      $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
endif()
