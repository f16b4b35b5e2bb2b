/* SPDX-License-Identifier: Apache-2.0 */
/* A program behind the fence that reads well, or does what a library under a stranger's control may
 * do: the option `truth` says what. */
#include "io/fenced.h"
#include "io/fence.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- well ----------------------------------------------------------------------------------- */

/* A dense matrix with names, a sparse one that shares them, texts, and a cell of both. */
static onefold_status read_well(of_file *file)
{
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

static void rest(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* ---- badly ---------------------------------------------------------------------------------- */

static onefold_status take_all_memory(of_file *file, size_t size)
{
    void *memory;
    OF_TRY(of_arena_allocate(&file->arena, &memory, 1, size, 1));
    return of_fail(ONEFOLD_FAULT, "so much memory was given");
}

/* What the C library gives, which is limited too: room for variables, and as much again. */
static onefold_status take_other_memory(size_t size)
{
    for (size_t taken = 0; taken < 16; taken++)
        if (mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) ==
            MAP_FAILED)
            return of_fail(ONEFOLD_NO_MEMORY, "the system gave %zu pieces", taken);
    return of_fail(ONEFOLD_FAULT, "so much memory was given");
}

/* An index beyond its matrix; or a list of names of another length. */
static onefold_status lie(of_file *file, int of_names)
{
    OF_TRY(read_well(file));
    of_matrix *dense = &file->top[0].variable.matrix, *sparse = &file->top[1].variable.matrix;
    if (of_names)
        dense->rows--;
    else
        ((uint32_t *)sparse->sparse.index)[ROWS - 1] = 1 << 30;
    return ONEFOLD_OK;
}

/* ---- outwards ------------------------------------------------------------------------------- */

static int refused;

static void must_fail(const char *what, long result)
{
    if (result >= 0 || (errno != EPERM && errno != EACCES))
        of_fail(ONEFOLD_BAD_DATA, "it could %s", what);
    else
        refused++;
}

static onefold_status escape(void (*opened)(void))
{
    char name[] = "/bin/true", *words[] = {name, NULL};
    of_fail(ONEFOLD_BAD_DATA, "it could do nothing");
    int passwords = open("/etc/passwd", O_RDONLY);
    if (passwords < 0)
        return of_fail(ONEFOLD_BAD_DATA, "it could not even read");
    must_fail("write before", open("/dev/null", O_WRONLY));
    opened();
    must_fail("read", open("/etc/passwd", O_RDONLY));
    must_fail("write", open("/dev/null", O_WRONLY));
    must_fail("create", open("escaped", O_WRONLY | O_CREAT, 0600));
    must_fail("start a program", execv(name, words));
    must_fail("fork", fork());
    must_fail("have a socket", socket(AF_INET, SOCK_STREAM, 0));
    must_fail("have a local socket", socket(AF_UNIX, SOCK_STREAM, 0));
    must_fail("trace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    must_fail("signal its parent", kill(getppid(), 0));
    must_fail("remove", unlink("/tmp/none"));
    must_fail("map code", mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                               0) == MAP_FAILED
                              ? -1
                              : 0);
    return ONEFOLD_BAD_DATA;
}

/* Nothing of the host's environment and descriptors is here. */
static onefold_status look_around(void)
{
    static const char *const names[] = {"HDF5_DRIVER", "HDF5_VOL_CONNECTOR", "HDF5_PLUGIN_PATH",
                                        "LD_PRELOAD", "HOME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return of_fail(ONEFOLD_BAD_DATA, "it has %s", names[i]);
    for (int descriptor = OF_FENCE_FILE + 1; descriptor < 1000; descriptor++)
        if (fcntl(descriptor, F_GETFD) >= 0)
            return of_fail(ONEFOLD_BAD_DATA, "it has descriptor %d", descriptor);
    return of_fail(ONEFOLD_BAD_DATA, "it has nothing");
}

static onefold_status behave(of_file *file, int matlab, void (*opened)(void))
{
    char how[32] = "";
    size_t number = 0;
    (void)matlab;
    if (sscanf(file->options.truth, "%31s %zu", how, &number) < 1)
        return ONEFOLD_FAULT;
    if (strcmp(how, "crash") == 0)
        raise((int)number);
    if (strcmp(how, "leave") == 0)
        _exit((int)number);
    while (strcmp(how, "never") == 0)
        rest(1000);
    for (volatile size_t turns = 0; strcmp(how, "spin") == 0; turns++)
        ;
    if (strcmp(how, "slow") == 0)
        rest(150);
    return strcmp(how, "all-memory") == 0     ? take_all_memory(file, number)
           : strcmp(how, "other-memory") == 0 ? take_other_memory(number)
           : strcmp(how, "lie") == 0          ? lie(file, (int)number)
           : strcmp(how, "escape") == 0       ? escape(opened)
           : strcmp(how, "look") == 0         ? look_around()
                                              : read_well(file);
}

int main(void)
{
    return of_fence_child(behave);
}
