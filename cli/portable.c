/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OpenBLAS picks its kernels by the processor it finds, and glibc its exp, log and cos by whether
 * there are fused multiply-adds. Both take orders from the environment, once, when they are loaded.
 * Our own code is compiled without contraction and adds up in an order of its own, so vector width
 * does not change its results.
 */
#include "portable.h"
#include "base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
static const char core[] = "Prescott", tunables[] = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4";
#elif defined(__aarch64__)
static const char core[] = "ARMV8", tunables[] = "";
#else
static const char core[] = "", tunables[] = "";
#endif

/* OpenBLAS's own name for what it has picked, where the BLAS is OpenBLAS. */
extern char *openblas_get_corename(void) __attribute__((weak));

static int is_set(const char *name, const char *value)
{
    const char *now = getenv(name);
    return now && strcmp(now, value) == 0;
}

void cli_portable_start(char **argv)
{
    if (!core[0] || (is_set("OPENBLAS_CORETYPE", core) && is_set("GLIBC_TUNABLES", tunables)))
        return;
    if (setenv("OPENBLAS_CORETYPE", core, 1) == 0 && setenv("GLIBC_TUNABLES", tunables, 1) == 0)
        execv("/proc/self/exe", argv);
}

onefold_status cli_portable_check(void)
{
    if (core[0] && openblas_get_corename && strcmp(openblas_get_corename(), core) == 0 &&
        is_set("GLIBC_TUNABLES", tunables))
        return ONEFOLD_OK;
    return cli_hint(
        cli_fail(ONEFOLD_UNSUPPORTED,
                 "--portable needs OpenBLAS with kernels for \"%s\", and this build has "
                 "%s",
                 core, openblas_get_corename ? openblas_get_corename() : "another BLAS"),
        "leave it out: the labels are the same for any threads and processes all the "
        "same");
}
