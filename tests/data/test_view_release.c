/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of a mapped file are released and can be read again; memory that is no file is left alone.
 */
#include "data/dataset.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { N = 20000, D = 16 };

/* Pages of the view that are in this process's memory (not only in the file cache). */
static size_t resident(const void *data, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), kilobytes = 0;
    uintptr_t from = (uintptr_t)data / page * page;
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (!maps)
        skip();
    char line[512];
    int inside = 0;
    while (fgets(line, sizeof line, maps)) {
        unsigned long start, end;
        size_t rss;
        if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
            inside = start <= from + size && end > from;
        else if (inside && sscanf(line, "Rss: %zu kB", &rss) == 1)
            kilobytes += rss;
    }
    fclose(maps);
    return kilobytes << 10;
}

static double sum(const of_view *view)
{
    double total = 0, row[D];
    for (size_t j = 0; j < view->samples; j++) {
        of_view_tile(view, j, 1, row, D);
        for (size_t i = 0; i < D; i++)
            total += row[i];
    }
    return total;
}

static void pages_of_a_file_are_let_go(void **state)
{
    made bytes = {0};
    double *x = malloc(sizeof(double) * N * D), total = 0;
    check_random(1, 0, D, N, x);
    for (size_t i = 0; i < N * D; i++)
        total += x[i];
    made_npy_header(&bytes, "<f8", 0, "(20000, 16)");
    made_put(&bytes, x, sizeof(double) * N * D);
    made_save(&bytes, folder_path(state, "x.npy"));
    made_free(&bytes);
    onefold_dataset *data = NULL;
    const char *path = folder_path(state, "x.npy");
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.samples_are = ONEFOLD_SIDE_ROWS;
    options.pass_once = 1;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &options));
    const of_view *view = &data->set.views[0];
    size_t whole = sizeof(double) * N * D;
    of_view_release(view, 0, N); /* read with the page of the header */
    assert_true(resident(view->data, whole) < whole / 10);
    CHECK_CLOSE(sum(view), total, 1e-9, 0);
    assert_true(resident(view->data, whole) > whole / 2);
    of_view_release(view, 0, N / 2);
    size_t half = resident(view->data, whole);
    assert_true(half < whole / 2 + whole / 10);
    of_view_release(view, N / 2, N - N / 2);
    assert_true(resident(view->data, whole) < half);
    CHECK_CLOSE(sum(view), total, 1e-9, 0);
    onefold_dataset_free(data);
    free(x);
}

static void memory_is_left_alone(void **state)
{
    (void)state;
    double *x = malloc(sizeof(double) * N * D);
    onefold_dataset *data = NULL;
    check_random(1, 0, D, N, x);
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    CHECK_OK(onefold_dataset_add_dense(data, "x", x, D, D, 1));
    double before = sum(&data->set.views[0]);
    of_view_release(&data->set.views[0], 0, N);
    CHECK_CLOSE(sum(&data->set.views[0]), before, 0, 0);
    onefold_dataset_free(data);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_of_a_file_are_let_go, folder_make, folder_remove),
        cmocka_unit_test(memory_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
