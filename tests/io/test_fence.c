/* SPDX-License-Identifier: Apache-2.0 */
/* Reading in a child process first: a failure of the child is an error here. */
#include "base/team.h"
#include "io/file.h"
#include "support/check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static of_file file_of(of_context *context)
{
    of_file file = {.context = of_context_or_default(context), .path = "made", .size = 1000};
    file.arena = of_arena_make(context);
    return file;
}

/* ---- readers ------------------------------------------------------------------------------ */

enum { ROWS = 300, COLUMNS = 7 };

/* A dense matrix with names, a sparse one that shares them, texts, and a cell of both. */
static onefold_status read_well(of_file *file, void *user)
{
    (void)user;
    of_top *top;
    double *values;
    const char **names;
    OF_TRY(of_file_add(file, &top, "dense"));
    OF_TRY(OF_NEW(&top->store->arena, &values, ROWS, COLUMNS));
    OF_TRY(OF_NEW(&top->store->arena, &names, ROWS, 1));
    for (size_t i = 0; i < (size_t)ROWS * COLUMNS; i++)
        values[i] = (double)i / 3;
    for (size_t i = 0; i < ROWS; i++) {
        char *name;
        OF_TRY(of_arena_string(&top->store->arena, &name, "sample %zu", i));
        names[i] = name;
    }
    top->variable.pages = 1;
    top->variable.matrix = (of_matrix){.rows = ROWS,
                                       .columns = COLUMNS,
                                       .data = values,
                                       .type = OF_F64,
                                       .row_step = COLUMNS,
                                       .column_step = 1,
                                       .row_names = names,
                                       .owner = top->store};
    size_t *start;
    uint32_t *index;
    double *value;
    OF_TRY(of_file_add(file, &top, "sparse"));
    OF_TRY(OF_NEW(&top->store->arena, &start, ROWS + 1, 1));
    OF_TRY(OF_NEW(&top->store->arena, &index, ROWS, 1));
    OF_TRY(OF_NEW(&top->store->arena, &value, ROWS, 1));
    for (uint32_t i = 0; i < ROWS; i++) {
        start[i] = i;
        index[i] = i % 5;
        value[i] = i;
    }
    start[ROWS] = ROWS;
    top->variable.pages = 1;
    top->variable.matrix = (of_matrix){
        .storage = OF_SPARSE, .rows = ROWS, .columns = 5, .row_names = names, .owner = top->store};
    top->variable.matrix.sparse = (of_sparse){ROWS, 5, start, index, value};
    OF_TRY(of_file_add(file, &top, "cell"));
    top->variable.kind = OF_VARIABLE_CELL;
    top->variable.count = 2;
    OF_TRY(OF_NEW_ZERO(&top->store->arena, &top->variable.item, 2, 1));
    char *words[2];
    OF_TRY(of_arena_string(&top->store->arena, &words[0], "cell{1}"));
    OF_TRY(of_arena_string(&top->store->arena, &words[1], "cell{2}"));
    OF_TRY(of_build_other(&top->variable.item[0], words[0], "a struct"));
    top->variable.item[1] =
        (of_variable){.name = words[1], .kind = OF_VARIABLE_TEXT, .count = ROWS, .text = names};
    file->single_cell = 1;
    return ONEFOLD_OK;
}

static onefold_status crash(of_file *file, void *user)
{
    (void)file;
    raise(*(int *)user);
    return ONEFOLD_OK;
}

static onefold_status leave(of_file *file, void *user)
{
    (void)file;
    _exit(*(int *)user);
}

static onefold_status never_end(of_file *file, void *user)
{
    (void)file;
    (void)user;
    while (pause())
        ;
    return ONEFOLD_OK;
}

static onefold_status take_all_memory(of_file *file, void *user)
{
    size_t size = *(size_t *)user;
    void *memory;
    OF_TRY(of_arena_allocate(&file->arena, &memory, 1, size, 1));
    return of_fail(ONEFOLD_FAULT, "so much memory was given");
}

static onefold_status read_slowly(of_file *file, void *user)
{
    nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
    return read_well(file, user);
}

/* What the C library gives in the child, which is limited too: room for variables, and as much
 * again. */
static onefold_status take_other_memory(of_file *file, void *user)
{
    (void)file;
    for (size_t taken = 0; taken < 16; taken++)
        if (mmap(NULL, *(size_t *)user, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0) == MAP_FAILED)
            return of_fail(ONEFOLD_NO_MEMORY, "the system gave %zu pieces", taken);
    return of_fail(ONEFOLD_FAULT, "so much memory was given");
}

/* ---- tests -------------------------------------------------------------------------------- */

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
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    for (int unfenced = 0; unfenced < 2; unfenced++) {
        of_file file = file_of(context);
        context->unfenced = unfenced;
        CHECK_OK(of_fence_read(&file, read_well, NULL));
        check_well_read(&file);
        of_file_close(&file);
        assert_int_equal(atomic_load(&context->bytes), 0);
    }
    onefold_context_free(context);
}

/* An earlier value of errno has no effect. */
static void a_child_that_takes_its_time_is_waited_for(void **state)
{
    (void)state;
    of_file file = file_of(NULL);
    errno = ECHILD;
    CHECK_OK(of_fence_read(&file, read_slowly, NULL));
    check_well_read(&file);
    of_file_close(&file);
}

static void crashes_are_sentences(void **state)
{
    (void)state;
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        of_file file = file_of(NULL);
        int number = signals[i];
        CHECK_FAILS(of_fence_read(&file, crash, &number), ONEFOLD_BAD_DATA,
                    "HDF5 crashed while it read the file");
        of_file_close(&file);
    }
    of_file file = file_of(NULL);
    int number = SIGXCPU;
    CHECK_FAILS(of_fence_read(&file, crash, &number), ONEFOLD_BAD_DATA,
                "HDF5 was still reading it after 10 seconds");
    number = SIGKILL;
    CHECK_FAILS(of_fence_read(&file, crash, &number), ONEFOLD_NO_MEMORY, "was killed");
    for (int code = 0; code < 2; code++)
        CHECK_FAILS(of_fence_read(&file, leave, &code), ONEFOLD_FAULT, "ended without a result");
    of_file_close(&file);
}

static void memory_is_limited(void **state)
{
    (void)state;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_memory_limit(context, 100 << 20));
    of_file file = file_of(context);
    size_t size = 200 << 20;
    CHECK_FAILS(of_fence_read(&file, take_all_memory, &size), ONEFOLD_NO_MEMORY, "are needed, and");
    size = 100 << 20;
    CHECK_FAILS(of_fence_read(&file, take_other_memory, &size), ONEFOLD_NO_MEMORY,
                "the system gave 2 pieces");
    of_file_close(&file);
    onefold_context_free(context);
}

static int stop_at_once(void *user)
{
    (void)user;
    return 1;
}

static void a_cancel_ends_the_child(void **state)
{
    (void)state;
    onefold_context *context;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = stop_at_once;
    CHECK_OK(onefold_context_create(&context, &hooks));
    of_file file = file_of(context);
    CHECK_FAILS(of_fence_read(&file, never_end, NULL), ONEFOLD_INTERRUPTED, "interrupted");
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    of_file_close(&file);
    onefold_context_free(context);
}

/* Where the system reaps children, their status is not known. */
static void children_nobody_waits_for(void **state)
{
    (void)state;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    of_file file = file_of(NULL);
    CHECK_OK(of_fence_read(&file, read_well, NULL));
    check_well_read(&file);
    of_file_close(&file);
    file = file_of(NULL);
    int number = SIGSEGV;
    CHECK_FAILS(of_fence_read(&file, crash, &number), ONEFOLD_FAULT, "ended without a result");
    of_file_close(&file);
    signal(SIGCHLD, before);
}

#if !defined(ONEFOLD_SANITIZED) /* whose allocator may be locked for good in the child of a        \
                                 * process with threads; the C library's is not */
static atomic_int over;

static void *keep_allocating(void *none)
{
    (void)none;
    for (size_t i = 0; !atomic_load(&over); i++)
        free(memset(malloc(1 + i % 5000), 1, 1));
    return NULL;
}

static void threads_of_the_host_do_not_matter(void **state)
{
    (void)state;
    pthread_t threads[3];
    atomic_store(&over, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(of_thread_start(&threads[i], keep_allocating, NULL), 0);
    for (int i = 0; i < 20; i++) {
        of_file file = file_of(NULL);
        CHECK_OK(of_fence_read(&file, read_well, NULL));
        of_file_close(&file);
    }
    atomic_store(&over, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_read_comes_back),
        cmocka_unit_test(a_child_that_takes_its_time_is_waited_for),
        cmocka_unit_test(crashes_are_sentences),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(a_cancel_ends_the_child),
        cmocka_unit_test(children_nobody_waits_for),
#if !defined(ONEFOLD_SANITIZED)
        cmocka_unit_test(threads_of_the_host_do_not_matter),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
