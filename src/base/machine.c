/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The processor, and the kernels of OpenBLAS. A release of OpenBLAS older than the processor takes
 * its oldest kernels, at a quarter of the speed: the description warns of it. With another BLAS the
 * weak symbols are NULL.
 */
#include "onefold.h"

#include "base/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *openblas_get_corename(void) __attribute__((weak));
extern char *openblas_get_config(void) __attribute__((weak));

static const char CORE[] = "OPENBLAS_CORETYPE";

/* Vectors: 0 older, 1 AVX2 with fused products, 2 AVX-512. */
static const char *const VECTORS[] = {"without AVX2", "AVX2", "AVX-512"};

static int processor_vectors(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512cd")
               ? 2
               : 1;
#else
    return 0;
#endif
}

static int kernel_vectors(const char *core)
{
    static const char *const known[] = {"Haswell",  "Zen",        "Excavator",
                                        "SkylakeX", "Cooperlake", "SapphireRapids"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (of_same_word(core, known[i]))
            return i < 3 ? 1 : 2;
    return 0;
}

/* ---- description ---------------------------------------------------------------------------- */

static void name_processor(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    snprintf(name, size, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *at = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !at)
            continue;
        snprintf(name, size, "%s", at + 2);
        name[strcspn(name, "\n")] = 0;
        break;
    }
    if (file)
        fclose(file);
}

const char *onefold_machine_description(void)
{
    static _Thread_local char text[640];
    char name[160], version[32] = "";
    int most = processor_vectors(), used;
    name_processor(name, sizeof name);
    if (!openblas_get_corename || !openblas_get_config) {
        snprintf(text, sizeof text,
                 "processor %s (%s)\nBLAS not OpenBLAS: its kernels are not known", name,
                 VECTORS[most]);
        return text;
    }
    used = kernel_vectors(openblas_get_corename());
    sscanf(openblas_get_config(), "OpenBLAS %31s", version);
    snprintf(text, sizeof text, "processor %s (%s)\nBLAS OpenBLAS %s\nkernels %s (%s)%s%s", name,
             VECTORS[most], version, openblas_get_corename(), VECTORS[used],
             used < most && most > 0
                 ? "\nwarning these kernels are older than the processor: fits may take several "
                   "times as long; "
                 : "",
             !(used < most && most > 0) ? ""
             : getenv(CORE)             ? "OPENBLAS_CORETYPE selects them"
                                        : "OPENBLAS_CORETYPE=Haswell or SkylakeX selects others");
    return text;
}
