/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are cut short or written to while they are mapped: a sentence, not the end of the
 * program, where its handler asks; and no handler of the library's own. */
#include "base/mapped.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE = 40000 };

static const char *saved(void **state, const char *name)
{
    const char *path = folder_path(state, name);
    unsigned char *bytes = malloc(SIZE);
    memset(bytes, 7, SIZE);
    made file = {0};
    made_put(&file, bytes, SIZE);
    made_save(&file, path);
    made_free(&file);
    free(bytes);
    return path;
}

static void *mapped(const char *path)
{
    void *map = NULL;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(descriptor >= 0);
    assert_int_equal(of_mapped_make(&map, descriptor, SIZE, path), 0);
    close(descriptor);
    return map;
}

static void on_bus_error(int number, siginfo_t *about, void *state)
{
    (void)state;
    if (!onefold_mapped_fault(about->si_addr))
        signal(number, SIG_DFL);
}

/* As the command does. Within a test, as cmocka has handlers of its own. */
static void handle_bus_errors(void)
{
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    ours.sa_sigaction = on_bus_error;
    assert_int_equal(sigaction(SIGBUS, &ours, NULL), 0);
}

static void what_is_cut_off_is_zeros_and_told(void **state)
{
    const char *path = saved(state, "a"), *other = saved(state, "b");
    const volatile unsigned char *a = mapped(path), *b = mapped(other);
    handle_bus_errors();
    assert_int_equal(of_mapped_intact((const void *)a, ONEFOLD_OK), ONEFOLD_OK);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(a[SIZE - 1], 0); /* ended by SIGBUS without the handler */
    assert_int_equal(a[50], 7);
    assert_int_equal(a[20000], 0);
    assert_int_equal(of_mapped_intact((const void *)(a + 30000), ONEFOLD_OK), ONEFOLD_IO);
    assert_non_null(strstr(onefold_last_error(), "was changed while it was being read"));
    assert_int_equal(of_mapped_intact((const void *)b, ONEFOLD_BAD_DATA), ONEFOLD_BAD_DATA);
    assert_int_equal(of_mapped_intact(path, ONEFOLD_OK), ONEFOLD_OK);
    assert_int_equal(of_mapped_intact(NULL, ONEFOLD_OK), ONEFOLD_OK);
    assert_true(of_mapped_holds((const void *)b) && !of_mapped_holds(path));
    of_mapped_end((void *)(uintptr_t)a, SIZE);
    of_mapped_end((void *)(uintptr_t)b, SIZE);
}

/* A write that keeps the size, and a cut within the last page, raise no signal. */
static void a_write_is_told_and_a_rename_is_none(void **state)
{
    const char *path = saved(state, "a"), *other = saved(state, "b");
    void *map = mapped(path);
    int descriptor = open(path, O_WRONLY);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1}};
    assert_int_equal(pwrite(descriptor, "x", 1, 5), 1);
    assert_int_equal(futimens(descriptor, times), 0); /* clocks of file systems are coarse */
    close(descriptor);
    assert_int_equal(of_mapped_intact(map, ONEFOLD_OK), ONEFOLD_IO);
    of_mapped_end(map, SIZE);
    map = mapped(path);
    assert_int_equal(truncate(path, SIZE - 1), 0);
    assert_int_equal(of_mapped_intact(map, ONEFOLD_OK), ONEFOLD_IO);
    of_mapped_end(map, SIZE);
    map = mapped(other);
    assert_int_equal(rename(path, other), 0); /* the map is of the old file, which is whole */
    assert_int_equal(of_mapped_intact(map, ONEFOLD_OK), ONEFOLD_OK);
    of_mapped_end(map, SIZE);
}

static void faults_elsewhere_are_not_ours(void **state)
{
    void *map = mapped(saved(state, "a"));
    char own = 0;
    assert_false(onefold_mapped_fault(&own));
    assert_false(onefold_mapped_fault(NULL));
    assert_int_equal(of_mapped_intact(map, ONEFOLD_OK), ONEFOLD_OK);
    of_mapped_end(map, SIZE);
    assert_false(onefold_mapped_fault(map));
}

/* 12 000 samples of 6 columns, so that the file is some pages long. */
static const char *saved_view(void **state)
{
    enum { N = 12000, D = 6 };
    const char *path = folder_path(state, "x.npy");
    double *x = malloc(sizeof *x * N * D);
    for (size_t i = 0; i < N * D; i++)
        x[i] = (double)(i * 2654435761u % 1000) + (i / D % 3 == 0 ? 5000 : 0);
    made bytes = {0};
    made_npy_header(&bytes, "<f8", 0, "(12000, 6)");
    made_put(&bytes, x, sizeof *x * N * D);
    made_save(&bytes, path);
    made_free(&bytes);
    free(x);
    return path;
}

static void every_call_on_the_data_says_so(void **state)
{
    const char *path = saved_view(state), *out = folder_path(state, "out.npz");
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_choice *choice = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_read_options read = ONEFOLD_READ_OPTIONS_INIT;
    read.samples_are = ONEFOLD_SIDE_ROWS;
    options.clusters = 2;
    options.base = ONEFOLD_BASE_NYSTROM;
    handle_bus_errors();
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &read));
    assert_int_equal(truncate(path, 8192), 0);
    assert_int_equal(onefold_fit(&result, NULL, data, &options), ONEFOLD_IO);
    assert_null(result);
    assert_non_null(strstr(onefold_last_error(), "x.npy: the file was changed"));
    assert_int_equal(onefold_dataset_write(data, NULL, out), ONEFOLD_IO);
    assert_int_equal(folder_count(state), 1);
    options.clusters = 0;
    assert_int_equal(onefold_choose(&choice, NULL, data, &options, NULL), ONEFOLD_IO);
    assert_null(choice);
    onefold_dataset_free(data);
}

/* Unless it is asked to map files, the library reads them: a file that is cut short later changes
 * nothing, and there is no handler to set. One that changes while it is read is refused. */
static void files_are_read_where_none_are_mapped(void **state)
{
    const char *path = saved_view(state);
    onefold_dataset *data = NULL;
    onefold_read_options read = ONEFOLD_READ_OPTIONS_INIT;
    double before[6], after[6];
    struct sigaction handler;
    read.samples_are = ONEFOLD_SIDE_ROWS;
    signal(SIGBUS, SIG_DFL);
    onefold_map_files(0);
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, &read));
    CHECK_OK(onefold_dataset_values(before, data, 0, 11999, 1));
    assert_int_equal(sigaction(SIGBUS, NULL, &handler), 0);
    assert_true(handler.sa_handler == SIG_DFL);
    assert_int_equal(truncate(path, 8192), 0);
    CHECK_OK(onefold_dataset_values(after, data, 0, 11999, 1));
    assert_memory_equal(before, after, sizeof before);
    onefold_dataset_free(data);
    struct stat one = {.st_size = 5}, two = one;
    assert_false(of_mapped_differs(&one, &two));
    two.st_mtim.tv_nsec = 1;
    assert_true(of_mapped_differs(&one, &two));
    onefold_map_files(1);
}

/* Of a file that begins as HDF5 only that is read: it is no other format, whatever follows. */
static void hdf_that_looks_like_another_format_is_refused(void **state)
{
    const char *path = folder_path(state, "x.mat");
    unsigned char bytes[4096] = "\x89HDF\r\n\x1a\n";
    onefold_dataset *data = NULL;
    memcpy(bytes + 124, "\0\1IM", 4);
    made file = {0};
    made_put(&file, bytes, sizeof bytes);
    made_save(&file, path);
    made_free(&file);
    onefold_map_files(0);
    onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, NULL);
    onefold_map_files(1);
    assert_true(status == ONEFOLD_BAD_DATA || status == ONEFOLD_UNSUPPORTED);
    assert_null(data);
    assert_null(strstr(onefold_last_error(), "MATLAB 5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_cut_off_is_zeros_and_told, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_write_is_told_and_a_rename_is_none, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(faults_elsewhere_are_not_ours, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(every_call_on_the_data_says_so, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(hdf_that_looks_like_another_format_is_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(files_are_read_where_none_are_mapped, folder_make,
                                        folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
