/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of our k-means beside that of R's, which is Hartigan and Wong's. */
#include "linalg/blas.h"
#include "linalg/kmeans.h"
#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>

enum { PROBLEMS = 200 };

static const char program[] =
    "f <- file('problems', 'rb')\n"
    "for (p in 1:200) {\n"
    "  h <- readBin(f, 'double', 4)\n"
    "  x <- matrix(readBin(f, 'double', h[1] * h[2]), h[1], byrow = TRUE)\n"
    "  set.seed(p)\n"
    "  r <- suppressWarnings(kmeans(x, h[3], nstart = h[4], iter.max = 100))\n"
    "  cat(format(r$tot.withinss, digits = 17), '\\n')\n"
    "}\n";

/* Ten times as many columns as samples or more, with no groups in them to clear ones. */
static void costs_no_more_than_that_of_r(void **state)
{
    if (system("Rscript --version >/dev/null 2>&1") != 0) {
        printf("skipped: there is no Rscript\n");
        skip();
    }
    char command[4300];
    double ours[2] = {0, 0}, theirs[2] = {0, 0};
    for (int many = 0; many < 2; many++) {
        FILE *problems = fopen(folder_path(state, "problems"), "wb"),
             *file = fopen(folder_path(state, "kmeans.R"), "w");
        fputs(program, file);
        fclose(file);
        for (uint64_t p = 0; p < PROBLEMS; p++) {
            size_t n = 40 + p % 5 * 20, rows = 10 * n + p % 7 * 100, k = 2 + p % 6,
                   groups = 2 + p % 4;
            double *X = malloc(rows * n * sizeof *X), *centre = malloc(rows * groups * sizeof *X),
                   head[4] = {(double)n, (double)rows, (double)k, many ? 10 : 1};
            check_random(24, 2 * p, rows, n, X);
            check_random(24, 2 * p + 1, rows, groups, centre);
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < rows; i++)
                    X[i + j * rows] += 0.05 * (double)(p % 8) * centre[i + j % groups * rows];
            fwrite(head, sizeof *head, 4, problems);
            fwrite(X, sizeof *X, rows * n, problems);
            int32_t labels[120];
            of_kmeans_result result;
            of_kmeans_options o = {
                .clusters = k, .replicates = many ? 10 : 1, .max_iterations = 100, .seed = p};
            CHECK_OK(of_kmeans(NULL, &o, rows, n, X, rows, labels, NULL, &result));
            ours[many] += result.cost / PROBLEMS;
            free(X);
            free(centre);
        }
        fclose(problems);
        snprintf(command, sizeof command, "cd '%s' && Rscript kmeans.R", folder_path(state, ""));
        FILE *answers = popen(command, "r");
        double cost;
        size_t read = 0;
        for (; fscanf(answers, "%lf", &cost) == 1; read++)
            theirs[many] += cost / PROBLEMS;
        assert_int_equal(pclose(answers), 0);
        assert_int_equal(read, PROBLEMS);
        printf("%d starts: %.3f, R %.3f\n", many ? 10 : 1, ours[many], theirs[many]);
    }
    assert_true(ours[0] <= theirs[0]);
    assert_true(ours[1] <= theirs[1]);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(costs_no_more_than_that_of_r, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
