/* SPDX-License-Identifier: Apache-2.0 */
#include "onefold.h"
#include "support/check.h"

#include <stdio.h>
#include <string.h>

extern char *openblas_get_corename(void) __attribute__((weak));

/* The rest of the line that begins with `word`. */
static int find_line(const char *word, char *rest, size_t size)
{
    for (const char *at = onefold_machine_description(); at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, word, strlen(word)) != 0 || at[strlen(word)] != ' ')
            continue;
        snprintf(rest, size, "%.*s", (int)strcspn(at, "\n"), at);
        memmove(rest, rest + strlen(word) + 1, strlen(rest) - strlen(word));
        return 1;
    }
    return 0;
}

static void names_the_kernels_in_use(void **state)
{
    (void)state;
    char line[512];
    if (!openblas_get_corename)
        skip();
    assert_true(find_line("kernels", line, sizeof line));
    assert_memory_equal(line, openblas_get_corename(), strlen(openblas_get_corename()));
    assert_true(find_line("BLAS", line, sizeof line));
    assert_non_null(strstr(line, "OpenBLAS "));
}

/* The vectors of the processor, from the flags that the system's kernel reports. */
static void knows_the_processor(void **state)
{
    (void)state;
    char line[512], flags[8192] = "";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(flags, sizeof flags, file) && strncmp(flags, "flags", 5) != 0)
        ;
    if (file)
        fclose(file);
    if (strncmp(flags, "flags", 5) != 0)
        skip(); /* not x86 */
    assert_true(find_line("processor", line, sizeof line));
    int fused = strstr(flags, " avx2 ") && strstr(flags, " fma "),
        wide = fused && strstr(flags, " avx512f ") && strstr(flags, " avx512vl ") &&
               strstr(flags, " avx512bw ") && strstr(flags, " avx512dq ") &&
               strstr(flags, " avx512cd ");
    assert_non_null(strstr(line, wide ? "(AVX-512)" : fused ? "(AVX2)" : "(without AVX2)"));
}

/* Kernels without AVX2 on a processor that has it are warned of, and stay. */
static void warns_of_old_kernels(void **state)
{
    (void)state;
    char line[512], kernels[512];
    if (!openblas_get_corename)
        skip();
    assert_true(find_line("processor", line, sizeof line));
    assert_true(find_line("kernels", kernels, sizeof kernels));
    int old = !strstr(line, "(without AVX2)") && strstr(kernels, "(without AVX2)"),
        half = strstr(line, "(AVX-512)") && strstr(kernels, "(AVX2)");
    assert_int_equal(find_line("warning", line, sizeof line), old || half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_kernels_in_use),
        cmocka_unit_test(knows_the_processor),
        cmocka_unit_test(warns_of_old_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
