/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of the program that fence_main.c is: the library brings it along, so that it is found
 * wherever the library is, static or shared, and no other is started in its place. */
#include "io/fence.h"

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".hidden of_fence_program\n"
        ".global of_fence_program\n"
        "of_fence_program:\n"
        ".incbin \"" OF_FENCE_PROGRAM "\"\n"
        ".hidden of_fence_program_end\n"
        ".global of_fence_program_end\n"
        "of_fence_program_end:\n"
        ".byte 0\n"
        ".previous\n");
