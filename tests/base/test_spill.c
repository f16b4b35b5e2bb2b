/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in a nameless file: it is memory, it has no name, and what cannot be had is refused. */
#include "base/memory.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t open_files(void)
{
    size_t count = 0;
    DIR *all = opendir("/proc/self/fd");
    while (all && readdir(all))
        count++;
    if (all)
        closedir(all);
    return count;
}

static void it_is_memory_without_a_name_and_without_a_count(void **state)
{
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_memory_limit(context, 4096));
    size_t files = open_files();
    of_arena arena = of_arena_make(context), other = of_arena_make(context);
    double *a, *b;
    float *c;
    const char *folder = *state;
    enum { N = 300000 };
    CHECK_OK(of_arena_allocate_spilled(&arena, (void **)&a, folder, sizeof *a, N, 3));
    CHECK_OK(OF_NEW(&arena, &b, 100, 1));
    CHECK_OK(of_arena_allocate_spilled(&other, (void **)&c, folder, sizeof *c, 5, 7));
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_int_equal(folder_count(state), 0);
    assert_int_equal(open_files(), files);
    assert_true(ask_peak(context) < 4096);
    for (size_t i = 0; i < 3 * N; i++) {
        assert_true(a[i] == 0);
        a[i] = (double)i;
    }
    memset(c, 1, 5 * 7 * sizeof *c);
    of_arena_adopt(&arena, &other);
    of_arena_release(&arena, c);
    for (size_t i = 0; i < 3 * N; i++)
        assert_true(a[i] == (double)i);
    of_arena_free(&arena);
    assert_int_equal(atomic_load(&context->bytes), 0);
    assert_int_equal(folder_count(state), 0);
    onefold_context_free(context);
}

static void a_file_system_without_nameless_files_will_do(void **state)
{
    int descriptor = of_spill_open_unlinked(*state);
    assert_true(descriptor >= 0);
    assert_int_equal(folder_count(state), 0);
    assert_int_equal(write(descriptor, "x", 1), 1);
    close(descriptor);
    assert_int_equal(of_spill_open_unlinked(folder_path(state, "absent")), -1);
}

static void refused(void **state, const char *folder, size_t size, const char *sentence)
{
    void *memory = NULL;
    size_t files = open_files();
    CHECK_FAILS(of_spill_map(of_context_or_default(NULL), folder, size, &memory), ONEFOLD_IO,
                sentence);
    assert_non_null(strstr(onefold_last_hint(), "`spill`"));
    assert_null(memory);
    assert_int_equal(open_files(), files);
    assert_true(folder_count(state) <= 1);
}

static void what_cannot_be_had_is_refused(void **state)
{
    const char *file = folder_path(state, "file");
    refused(state, folder_path(state, "absent"), 4096, "No such file");
    refused(state, "/proc", 4096, "/proc cannot hold a file");
    refused(state, *state, (size_t)1 << 62, "has no room for 4.6 EB");
    refused(state, *state, SIZE_MAX, "has no room for 18 EB");
    fclose(fopen(file, "w"));
    refused(state, file, 4096, "Not a directory");
    remove(file);
}

static void a_full_disk_is_an_error_and_leaves_nothing(void **state)
{
    folder_limit_files(1 << 20);
    refused(state, *state, (size_t)3 << 20, "has no room for 3.1 MB: File too large");
    /* the disk is asked before any of it is taken */
    refused(state, *state, (size_t)1 << 62, "has no room for 4.6 EB: No space left on device");
    void *memory;
    CHECK_OK(of_spill_map(of_context_or_default(NULL), *state, 1 << 19, &memory));
    memset(memory, 1, 1 << 19);
    munmap(memory, 1 << 19);
    folder_limit_files(SIZE_MAX);
    assert_int_equal(folder_count(state), 0);
}

static int yes(void *user)
{
    (void)user;
    return 1;
}

static void reserving_can_be_interrupted(void **state)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = yes;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, &hooks));
    void *memory;
    size_t files = open_files();
    CHECK_FAILS(of_spill_map(context, *state, 4096, &memory), ONEFOLD_INTERRUPTED, "interrupted");
    assert_int_equal(open_files(), files);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_memory_without_a_name_and_without_a_count),
        cmocka_unit_test(a_file_system_without_nameless_files_will_do),
        cmocka_unit_test(what_cannot_be_had_is_refused),
        cmocka_unit_test(a_full_disk_is_an_error_and_leaves_nothing),
        cmocka_unit_test(reserving_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
