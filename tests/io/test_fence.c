/* SPDX-License-Identifier: Apache-2.0 */
/* Reading in a process of its own, which may do anything (fenced.c): what it reads comes back, and
 * its failures are errors here. */
#include "base/mapped.h"
#include "base/seccomp.h"
#include "base/team.h"
#include "io/fence.h"
#include "io/fenced.h"
#include "support/check.h"
#include "support/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef ONEFOLD_WITH_HDF5

static onefold_context *context_of(const onefold_hooks *hooks)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, hooks));
    context->fence_program = OF_TEST_FENCED;
    return context;
}

/* A file whose reader behaves as `how` says. */
static of_file file_of(of_context *context, const char *how)
{
    of_file file = {.context = context, .path = "/dev/null", .size = 1000};
    file.options = (onefold_read_options)ONEFOLD_READ_OPTIONS_INIT;
    file.options.truth = how;
    file.arena = of_arena_make(context);
    return file;
}

static void check_well_read(const of_file *file)
{
    assert_int_equal(file->count, 3);
    const of_matrix *dense = &file->top[0].variable.matrix, *sparse = &file->top[1].variable.matrix;
    assert_string_equal(file->top[0].variable.name, "dense");
    assert_int_equal(dense->rows, ROWS);
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        assert_true(of_matrix_get(dense, i / COLUMNS, i % COLUMNS) == (double)i / 3);
    assert_string_equal(dense->row_names[ROWS - 1], "sample 299");
    assert_ptr_equal(sparse->row_names, dense->row_names);
    assert_int_equal(of_sparse_entries(&sparse->sparse), ROWS);
    assert_true(sparse->sparse.value[17] == 17);
    const of_variable *cell = &file->top[2].variable;
    assert_int_equal(cell->count, 2);
    assert_string_equal(cell->item[0].what, "a struct");
    assert_ptr_equal(cell->item[1].text, dense->row_names);
    assert_int_equal(file->single_cell, 1);
}

static void what_is_read_comes_back(void **state)
{
    (void)state;
    onefold_context *context = context_of(NULL);
    of_file file = file_of(context, "well");
    CHECK_OK(of_fence_read(&file, 0));
    check_well_read(&file);
    of_file_close(&file);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

/* An earlier value of errno has no effect. */
static void a_process_that_takes_its_time_is_waited_for(void **state)
{
    (void)state;
    onefold_context *context = context_of(NULL);
    of_file file = file_of(context, "slow");
    errno = ECHILD;
    CHECK_OK(of_fence_read(&file, 0));
    check_well_read(&file);
    of_file_close(&file);
    onefold_context_free(context);
}

static void fails(const char *how, size_t number, onefold_status status, const char *sentence)
{
    char words[64];
    onefold_context *context = context_of(NULL);
    snprintf(words, sizeof words, "%s %zu", how, number);
    CHECK_OK(onefold_context_set_memory_limit(context, 100 << 20));
    of_file file = file_of(context, words);
    CHECK_FAILS(of_fence_read(&file, 0), status, sentence);
    of_file_close(&file);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

static void crashes_are_sentences(void **state)
{
    (void)state;
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        fails("crash", (size_t)signals[i], ONEFOLD_BAD_DATA, "HDF5 crashed while it read the file");
    fails("spin", 0, ONEFOLD_BAD_DATA, "HDF5 was still reading it after 4 seconds");
    fails("crash", SIGKILL, ONEFOLD_NO_MEMORY, "was killed");
    for (size_t code = 0; code < 2; code++)
        fails("leave", code, ONEFOLD_FAULT, "ended without a result");
    fails("leave", 127, ONEFOLD_FAULT, "did not start");
}

static void memory_is_limited(void **state)
{
    (void)state;
    fails("all-memory", 200 << 20, ONEFOLD_NO_MEMORY, "are needed, and");
    fails("other-memory", 100 << 20, ONEFOLD_NO_MEMORY, "the system gave 2 pieces");
}

/* What the process sends is not trusted. */
static void lies_are_refused(void **state)
{
    (void)state;
    fails("lie", 0, ONEFOLD_BAD_DATA, "lies outside its 5 places");
    fails("lie", 1, ONEFOLD_BAD_DATA, "sent what is no table");
}

/* It has no socket, starts no program, writes and traces nothing. */
static void it_cannot_get_out(void **state)
{
    (void)state;
#if !defined(ONEFOLD_SANITIZED) && !defined(ONEFOLD_COUNTED)
    if (of_seccomp_works())
        fails("escape", 0, ONEFOLD_BAD_DATA, "it could do nothing");
#endif
    assert_int_equal(!of_seccomp_works(), strstr(onefold_capabilities(), "seccomp") == NULL);
}

static void it_has_nothing_of_its_host(void **state)
{
    (void)state;
    setenv("HDF5_DRIVER", "stdio", 1);
    setenv("HDF5_VOL_CONNECTOR", "none", 1);
    setenv("HDF5_PLUGIN_PATH", "/tmp", 1);
    int open_in_host = open("/dev/null", O_RDONLY); /* which a program inherits */
    fails("look", 0, ONEFOLD_BAD_DATA, "it has nothing");
    close(open_in_host);
    unsetenv("HDF5_DRIVER");
    unsetenv("HDF5_VOL_CONNECTOR");
    unsetenv("HDF5_PLUGIN_PATH");
}

static void a_program_that_is_not_there(void **state)
{
    (void)state;
    onefold_context *context = context_of(NULL);
    context->fence_program = "/none";
    of_file file = file_of(context, "well");
    CHECK_FAILS(of_fence_read(&file, 0), ONEFOLD_IO, "cannot be started");
    of_file_close(&file);
    onefold_context_free(context);
}

static int stop_at_once(void *user)
{
    (void)user;
    return 1;
}

static void a_cancel_ends_the_process(void **state)
{
    (void)state;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = stop_at_once;
    onefold_context *context = context_of(&hooks);
    of_file file = file_of(context, "never");
    CHECK_FAILS(of_fence_read(&file, 0), ONEFOLD_INTERRUPTED, "interrupted");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    of_file_close(&file);
    onefold_context_free(context);
}

/* Where the system reaps children, their status is not known. */
static void children_nobody_waits_for(void **state)
{
    (void)state;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    onefold_context *context = context_of(NULL);
    of_file file = file_of(context, "well");
    CHECK_OK(of_fence_read(&file, 0));
    check_well_read(&file);
    of_file_close(&file);
    onefold_context_free(context);
    fails("crash", SIGSEGV, ONEFOLD_FAULT, "ended without a result");
    signal(SIGCHLD, before);
}

/* ---- threads of the host --------------------------------------------------------------------- */

static atomic_int over;
static const char *mapped_path;

/* Holds the lock of maps, and that of the allocator, as often as it can. */
static void *keep_mapping(void *none)
{
    (void)none;
    for (size_t i = 0; !atomic_load(&over); i++) {
        void *map = NULL;
        int descriptor = open(mapped_path, O_RDONLY | O_CLOEXEC);
        if (descriptor >= 0 && of_mapped_make(&map, descriptor, 8, mapped_path) == 0)
            of_mapped_end(map, 8);
        close(descriptor);
        free(memset(malloc(1 + i % 5000), 1, 1));
        nanosleep(&(struct timespec){.tv_nsec = 10000},
                  NULL); /* on few processors all take turns */
    }
    return NULL;
}

/* A process that is forked while another thread holds a lock waits for it for ever: here is none.
 */
static void locks_of_other_threads_do_not_matter(void **state)
{
    enum { TURNS = 3000, THREADS = 3, SECONDS = 300 };
    pthread_t threads[THREADS];
    onefold_context *context = context_of(NULL);
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.truth = "well";
    const char *path = folder_path(state, "x.h5ad");
    FILE *raw = fopen(path, "wb");
    assert_int_equal(fwrite("\x89HDF\r\n\x1a\n", 1, 8, raw), 8);
    fclose(raw);
    mapped_path = path;
    atomic_store(&over, 0);
    alarm(SECONDS); /* ends the test */
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(of_thread_start(&threads[i], keep_mapping, NULL), 0);
    for (int i = 0; i < TURNS; i++) {
        of_file file;
        CHECK_OK(of_file_read(&file, context, path, &options, 0));
        assert_int_equal(file.count, 3);
        of_file_close(&file);
    }
    atomic_store(&over, 1);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    alarm(0);
    onefold_context_free(context);
}

enum { FORKS = 300 };

/* Forks without a program: each process has what was open at that moment, for a while. */
static void *keep_forking(void *list)
{
    pid_t *forked = list;
    for (size_t i = 0; i < FORKS; i++) {
        forked[i] = atomic_load(&over) ? -1 : fork();
        if (forked[i] == 0) {
            sleep(200);
            _exit(0);
        }
        nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
    }
    return NULL;
}

/* A reader's crash is seen although others hold its socket open. */
static void processes_of_other_threads_do_not_matter(void **state)
{
    enum { TURNS = 40, SECONDS = 100 };
    static pid_t forked[FORKS];
    pthread_t thread;
    (void)state;
    atomic_store(&over, 0);
    alarm(SECONDS); /* ends the test: a crash that is not seen takes longer */
    assert_int_equal(of_thread_start(&thread, keep_forking, forked), 0);
    for (int i = 0; i < TURNS; i++)
        fails("crash", SIGSEGV, ONEFOLD_BAD_DATA, "HDF5 crashed while it read the file");
    atomic_store(&over, 1);
    pthread_join(thread, NULL);
    for (size_t i = 0; i < FORKS; i++)
        if (forked[i] > 0 && kill(forked[i], SIGKILL) == 0)
            waitpid(forked[i], NULL, 0);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_comes_back),
        cmocka_unit_test(a_process_that_takes_its_time_is_waited_for),
        cmocka_unit_test(crashes_are_sentences),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(it_cannot_get_out),
        cmocka_unit_test(it_has_nothing_of_its_host),
        cmocka_unit_test(a_program_that_is_not_there),
        cmocka_unit_test(a_cancel_ends_the_process),
        cmocka_unit_test(children_nobody_waits_for),
        cmocka_unit_test_setup_teardown(locks_of_other_threads_do_not_matter, folder_make,
                                        folder_remove),
        cmocka_unit_test(processes_of_other_threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void there_is_no_fence_in_this_build(void **state)
{
    (void)state;
    assert_null(strstr(onefold_capabilities(), "hdf5"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_no_fence_in_this_build)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
