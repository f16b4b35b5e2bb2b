/* SPDX-License-Identifier: Apache-2.0 */
/* The child process: how it is started, what it may use up, and how its end is understood. */
#include "io/fence.h"

#include "data/dataset.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- variables out of the room -------------------------------------------------------------- */

enum { DEEPEST = 32 };

/* Names as they lie in the room, and what they have become. */
typedef struct list {
    const char *const *told, *const *text;
    size_t count;
} list;

typedef struct reader {
    of_file *file;
    const of_fence_room *room;
    size_t variables; /* that the room can hold beside those that were met */
    of_owner *names;  /* of all lists: several variables may share one */
    list *list;
    size_t lists, space;
} reader;

static onefold_status nonsense(void)
{
    return of_fail(ONEFOLD_FAULT, "the process that read it sent data that is not valid");
}

/* Bytes of the room from an address on; 0 for one that lies outside, or not as pointers do where
 * `aligned`. */
static size_t bytes_from(const reader *from, const void *at, int aligned)
{
    uintptr_t place = (uintptr_t)at - (uintptr_t)from->room->base;
    return place < from->room->used && !(aligned && place % sizeof(void *))
               ? from->room->used - place
               : 0;
}

static int is_text(const reader *from, const char *text)
{
    return !text || memchr(text, '\0', bytes_from(from, text, 0)) != NULL;
}

static onefold_status get_text(const reader *from, of_arena *arena, const char *told,
                               const char **text)
{
    *text = NULL;
    if (!is_text(from, told))
        return nonsense();
    return told ? OF_TEXT(arena, text, "%s", told) : ONEFOLD_OK;
}

/* A copy of elements of `size` bytes each, whose pages in the room are given back. */
static onefold_status get_array(const reader *from, of_arena *arena, const void *told, size_t size,
                                size_t elements, const void **array)
{
    enum { STEP = 16 << 20, PAGES = 1 << 16 };
    size_t bytes, place = (size_t)((uintptr_t)told - (uintptr_t)from->room->base);
    void *copy;
    *array = NULL;
    if (!told && !elements)
        return ONEFOLD_OK;
    if (__builtin_mul_overflow(size, elements, &bytes) || !told ||
        bytes > bytes_from(from, told, 0))
        return nonsense();
    OF_TRY(of_arena_allocate(arena, &copy, size, elements, 1));
    for (size_t done = 0; done < bytes; done += STEP) {
        size_t step = bytes - done < STEP ? bytes - done : STEP;
        memcpy((char *)copy + done, (const char *)told + done, step);
        size_t first = (place + done + PAGES - 1) / PAGES * PAGES,
               last = (place + done + step) / PAGES * PAGES;
        if (first < last)
            (void)madvise(from->room->base + first, last - first, MADV_REMOVE);
        OF_TRY(of_context_check(from->file->context));
    }
    *array = copy;
    return ONEFOLD_OK;
}

static onefold_status get_list(reader *from, const char *const *told, size_t count,
                               const char *const **texts)
{
    *texts = NULL;
    for (size_t l = 0; told && l < from->lists && !*texts; l++)
        if (from->list[l].told == told && from->list[l].count == count)
            *texts = from->list[l].text;
    if (!told || *texts)
        return ONEFOLD_OK;
    if (count > bytes_from(from, told, 1) / sizeof *told)
        return nonsense();
    for (size_t i = 0; i < count; i++)
        if (!is_text(from, told[i]))
            return nonsense();
    of_arena *arena = &from->names->arena;
    OF_TRY(of_dataset_names_copy(arena, count, told, texts));
    OF_TRY(OF_GROW(arena, &from->list, from->lists, &from->space, from->lists + 1));
    from->list[from->lists++] = (list){told, *texts, count};
    return ONEFOLD_OK;
}

/* One more than the last element that is in use, whatever the order. */
static onefold_status count_elements(const of_variable *variable, size_t *elements)
{
    const of_matrix *matrix = &variable->matrix;
    size_t sides[3][2] = {{matrix->rows, matrix->row_step},
                          {matrix->columns, matrix->column_step},
                          {variable->pages, variable->page_step}},
           last = 0, reach;
    *elements = 0;
    for (int s = 0; s < 3; s++) {
        if (sides[s][0] == 0)
            return ONEFOLD_OK;
        if (__builtin_mul_overflow(sides[s][0] - 1, sides[s][1], &reach) ||
            __builtin_add_overflow(last, reach, &last))
            return nonsense();
    }
    return of_size_add(elements, last, 1);
}

/* Rising starts from 0 on, and rising places within the lines. */
static int is_sparse_matrix(const of_csr *sparse, size_t entries)
{
    if (of_csr_start(sparse, 0) != 0)
        return 0;
    for (size_t line = 0; line < sparse->rows; line++) {
        size_t first = of_csr_start(sparse, line), end = of_csr_start(sparse, line + 1);
        if (end < first || end > entries)
            return 0;
        for (size_t e = first; e < end; e++)
            if (of_csr_index(sparse, e) >= sparse->columns ||
                (e > first && of_csr_index(sparse, e) <= of_csr_index(sparse, e - 1)))
                return 0;
    }
    return 1;
}

static onefold_status get_sparse(const reader *from, of_arena *arena, of_matrix *matrix)
{
    of_csr *sparse = &matrix->sparse;
    if (sparse->rows != (matrix->by_column ? matrix->columns : matrix->rows) ||
        sparse->columns != (matrix->by_column ? matrix->rows : matrix->columns) ||
        sparse->rows == SIZE_MAX)
        return nonsense();
    OF_TRY(get_array(from, arena, sparse->start, sparse->narrow_start ? 4 : 8, sparse->rows + 1,
                     &sparse->start));
    size_t entries = of_csr_entries(sparse);
    OF_TRY(
        get_array(from, arena, sparse->index, sparse->wide_index ? 8 : 4, entries, &sparse->index));
    OF_TRY(get_array(from, arena, sparse->value, sparse->single_value ? 4 : 8, entries,
                     &sparse->value));
    return is_sparse_matrix(sparse, entries) ? ONEFOLD_OK : nonsense();
}

/* A matrix as it was told, with memory of its own in the place of the room's. */
static onefold_status get_matrix(reader *from, of_owner *store, of_variable *variable)
{
    of_matrix *matrix = &variable->matrix;
    size_t elements;
    if ((unsigned)matrix->storage > OF_SPARSE || (unsigned)matrix->type >= OF_TYPE_COUNT)
        return nonsense();
    if (matrix->storage == OF_SPARSE) {
        OF_TRY(get_sparse(from, &store->arena, matrix));
    } else {
        OF_TRY(count_elements(variable, &elements));
        OF_TRY(get_array(from, &store->arena, matrix->data, of_type_size(matrix->type), elements,
                         &matrix->data));
    }
    OF_TRY(get_list(from, matrix->column_names, matrix->columns, &matrix->column_names));
    return get_list(from, matrix->row_names, matrix->rows, &matrix->row_names);
}

/* The variable that lies at an address of the room. Only what readers of other formats set is
 * believed, after it was checked. */
static onefold_status get_variable(reader *from, of_owner *store, const of_variable *at,
                                   of_variable *variable, int depth)
{
    of_variable told;
    if (bytes_from(from, at, 1) < sizeof told || depth > DEEPEST || from->variables-- == 0)
        return nonsense();
    memcpy(&told, at, sizeof told);
    *variable = (of_variable){.kind = told.kind,
                              .pages = told.pages,
                              .page_step = told.page_step,
                              .count = told.count,
                              .matrix = {.storage = told.matrix.storage,
                                         .rows = told.matrix.rows,
                                         .columns = told.matrix.columns,
                                         .data = told.matrix.data,
                                         .type = told.matrix.type,
                                         .row_step = told.matrix.row_step,
                                         .column_step = told.matrix.column_step,
                                         .sparse = told.matrix.sparse,
                                         .by_column = told.matrix.by_column,
                                         .column_names = told.matrix.column_names,
                                         .row_names = told.matrix.row_names,
                                         .owner = store}};
    OF_TRY(get_text(from, &store->arena, told.name, &variable->name));
    OF_TRY(get_text(from, &store->arena, told.what, &variable->what));
    if (!variable->name)
        return nonsense();
    switch ((unsigned)told.kind) {
    case OF_VARIABLE_MATRIX:
        return get_matrix(from, store, variable);
    case OF_VARIABLE_TEXT:
        OF_TRY(get_list(from, told.text, told.count, &variable->text));
        if (told.matrix.row_names && told.matrix.rows != told.count)
            return nonsense();
        return get_list(from, told.matrix.row_names, told.count, &variable->matrix.row_names);
    case OF_VARIABLE_CELL:
        if (told.count > bytes_from(from, told.item, 1) / sizeof told)
            return nonsense();
        OF_TRY(OF_NEW_ZERO(&store->arena, &variable->item, told.count, 1));
        for (size_t i = 0; i < told.count; i++)
            OF_TRY(get_variable(from, store, &told.item[i], &variable->item[i], depth + 1));
        return ONEFOLD_OK;
    case OF_VARIABLE_OTHER:
        return variable->what ? ONEFOLD_OK : nonsense();
    default:
        return nonsense();
    }
}

onefold_status of_fence_take(of_file *file, const of_fence_room *room, const of_top *told,
                             size_t count)
{
    reader from = {.file = file, .room = room, .variables = room->used / sizeof(of_variable)};
    if (!told && count)
        return nonsense();
    OF_TRY(of_owner_make(&from.names, file->context));
    onefold_status status = ONEFOLD_OK;
    for (size_t t = 0; t < count && status == ONEFOLD_OK; t++) {
        of_top *top;
        status = of_file_add(file, &top, "");
        if (status == ONEFOLD_OK)
            status = of_owner_hold(top->store, from.names);
        if (status == ONEFOLD_OK)
            status = get_variable(&from, top->store, &told[t].variable, &top->variable, 0);
    }
    of_owner_release(from.names); /* the variables hold it */
    return status;
}

/* ---- the child ------------------------------------------------------------------------------ */

extern void __gcov_dump(void) __attribute__((weak)); /* what a build for coverage has counted */

/* The first bytes of the room: what the child says at its end. */
typedef struct report {
    atomic_int done;
    onefold_status status;
    of_error error;
    long allocations_until_failure;
    size_t peak, used;
    const of_top *top; /* what it read */
    size_t count, left_over;
    int cells;
} report;

typedef struct fence {
    of_file *file;
    of_fence_room room;
    report *report;
    pid_t child;
    int how; /* its end as waitpid has it; -1: somebody else has asked for it before */
} fence;

/* ---- shared memory -------------------------------------------------------------------------- */

static size_t machine_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : (size_t)1 << 32;
}

enum { BESIDE = 48 << 20 }; /* what the other library is left at least, beside the room */

/* Room for all that may be allowed, of which only what is touched takes memory. Where the address
 * space is limited it is a third of what is left: as much goes to what is copied out of it, and to
 * the other library. */
static int make_room(of_fence_room *room, const of_context *context)
{
    enum { USUAL = 64 << 20, PAGES = 1 << 16 };
    size_t most = machine_bytes(), left = of_address_left(), smallest = USUAL;
    if (context->memory_limit && context->memory_limit < most)
        most = context->memory_limit + USUAL;
    if (left != SIZE_MAX) {
        smallest = BESIDE / 2;
        left = left < 3 * (size_t)BESIDE ? left > BESIDE ? (left - BESIDE) / 2 : 0 : left / 3;
        most = left < most ? left : most;
    }
    for (size_t size = most / PAGES * PAGES; size >= smallest; size = size / 2 / PAGES * PAGES) {
        void *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base != MAP_FAILED) {
            *room = (of_fence_room){base, size, (sizeof(report) + 63) / 64 * 64};
            return 1;
        }
    }
    return 0;
}

enum { AHEAD = 16 }; /* before each piece: its size */

static void *room_allocate(void *user, size_t size)
{
    of_fence_room *room = user;
    size_t whole;
    if (__builtin_add_overflow(size, (size_t)AHEAD + 15, &whole))
        return NULL;
    whole = whole / 16 * 16;
    if (whole > room->size - room->used)
        return NULL;
    char *made = room->base + room->used;
    memcpy(made, &whole, sizeof whole);
    room->used += whole;
    return made + AHEAD;
}

/* The last piece is used again; of a large one at least the pages are. What was allocated before
 * the fork is the parent's. */
static void room_release(void *user, void *memory)
{
    enum { LARGE = 1 << 20, PAGES = 1 << 16 };
    of_fence_room *room = user;
    size_t whole, at = (size_t)((char *)memory - AHEAD - room->base);
    if ((char *)memory < room->base || at >= room->used)
        return;
    memcpy(&whole, room->base + at, sizeof whole);
    if (at + whole == room->used)
        room->used = at;
    size_t from = (at + PAGES - 1) / PAGES * PAGES, to = (at + whole) / PAGES * PAGES;
    if (whole >= LARGE && from < to)
        (void)madvise(room->base + from, to - from, MADV_REMOVE);
}

/* ---- the child ------------------------------------------------------------------------------ */

/* Seconds of work that a file can be worth: a megabyte of it takes a small part of one, and a
 * packed one more. libhdf5 goes round for ever in some damaged files, so small ones are not given
 * long. */
static size_t seconds_for(const of_file *file)
{
    return 10 + 2 * (file->size >> 20);
}

static void limit(int what, size_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return;
    if (now.rlim_cur == RLIM_INFINITY || most < now.rlim_cur)
        now.rlim_cur = most;
    (void)setrlimit(what, &now);
}

/* What is mapped already, and as much again as the room has: that much the other library may take
 * beside it. */
static void limit_memory(const of_fence_room *room)
{
    char text[64] = "";
    unsigned long long pages = 0;
    int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (statm >= 0 && read(statm, text, sizeof text - 1) > 0 && sscanf(text, "%llu", &pages) == 1)
        limit(RLIMIT_AS, (size_t)pages * (size_t)sysconf(_SC_PAGESIZE) +
                             (room->size > BESIDE ? room->size : (size_t)BESIDE));
    if (statm >= 0)
        close(statm);
}

/* Its crash is nobody else's: no handler of the host runs in it, no core is left, nothing is
 * printed. A signal to all processes of a terminal is for the parent, which ends the child. */
static void become_a_child(const fence *of)
{
    static const int parents[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    sigset_t none;
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++)
        signal(parents[i], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds_for(of->file));
    limit_memory(&of->room);
#if !defined(ONEFOLD_SANITIZED)
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
#endif
}

/* None of the caller's hooks is called in the child, and no thread is started. */
static void change_context(of_context *context, of_fence_room *room)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = room;
    hooks.allocate = room_allocate;
    hooks.release = room_release;
    context->hooks = hooks;
    context->call = NULL;
    context->retell = NULL;
    context->threads = 1;
}

/* Names that lie in the program itself are brought into the room. */
static onefold_status bring_words(of_arena *arena, of_variable *variable)
{
    OF_TRY(OF_TEXT(arena, &variable->name, "%s", variable->name));
    if (variable->what)
        OF_TRY(OF_TEXT(arena, &variable->what, "%s", variable->what));
    for (size_t i = 0; variable->kind == OF_VARIABLE_CELL && i < variable->count; i++)
        OF_TRY(bring_words(arena, &variable->item[i]));
    return ONEFOLD_OK;
}

static void read_in_child(fence *of, onefold_status (*read)(of_file *file, void *user), void *user,
                          pid_t parent, int tell)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    become_a_child(of);
    of_context *context = of->file->context;
    change_context(context, &of->room);
    onefold_status status = read(of->file, user);
    report *said = of->report;
    said->allocations_until_failure = atomic_exchange(&context->allocations_until_failure, -1);
    for (size_t t = 0; t < of->file->count && status == ONEFOLD_OK; t++)
        status = bring_words(&of->file->arena, &of->file->top[t].variable);
    of_error_save(&said->error, status);
    said->status = status;
    said->top = of->file->top;
    said->count = of->file->count;
    said->left_over = of->file->left_over;
    said->cells = of->file->cells;
    said->peak = atomic_load(&context->peak);
    said->used = of->room.used;
    atomic_store(&said->done, 1);
    (void)!write(tell, "", 1);
    if (__gcov_dump)
        __gcov_dump();
    _exit(0);
}

/* ---- the parent ----------------------------------------------------------------------------- */

static onefold_status no_room(void)
{
    char limit[32];
    if (of_address_limit() == SIZE_MAX)
        return of_fail(ONEFOLD_NO_MEMORY, "the system has no memory for the process that reads it");
    return of_hint(of_fail(ONEFOLD_NO_MEMORY,
                           "the limit of address space (%s) leaves no room for the process that "
                           "reads it",
                           of_size_text(limit, of_address_limit())),
                   "raise the limit (ulimit -v)");
}

/* A failure of the other library under a limit that leaves it little is one of memory, as far as
 * anybody can tell: it says the same of a file that is damaged. */
static onefold_status by_limit(const fence *of, onefold_status status)
{
    enum { TIMES = 4 };
    size_t need = 2 * (size_t)BESIDE + TIMES * of->file->size;
    char limit[32], said[512];
    if (status != ONEFOLD_BAD_DATA || of_address_limit() == SIZE_MAX || of_address_left() > need)
        return status;
    snprintf(said, sizeof said, "%s", onefold_last_error());
    return of_hint(of_fail(ONEFOLD_NO_MEMORY, "%s, under a limit of address space (%s)", said,
                           of_size_text(limit, of_address_limit())),
                   "raise the limit (ulimit -v); a file that fails without one is damaged");
}

static onefold_status took_too_long(const fence *of)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA, "HDF5 was still reading it after %zu seconds",
                           seconds_for(of->file)),
                   "the file is damaged: copy or download it again");
}

/* Waits for the child's end. */
static onefold_status await(fence *of, int told)
{
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (;;) {
        struct pollfd news = {.fd = told, .events = POLLIN};
        (void)poll(&news, 1, 50);
        pid_t got = waitpid(of->child, &of->how, atomic_load(&of->report->done) ? 0 : WNOHANG);
        if (got < 0 && errno == ECHILD)
            of->how = -1;
        if (got == of->child || of->how < 0)
            return ONEFOLD_OK;
        onefold_status status = of_context_check(of->file->context);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (status == ONEFOLD_OK &&
            (size_t)(now.tv_sec - began.tv_sec) > 10 * seconds_for(of->file))
            status = took_too_long(of); /* it waits for something that does not come */
        if (status == ONEFOLD_OK)
            continue;
        kill(of->child, SIGKILL);
        while (waitpid(of->child, &of->how, 0) < 0 && errno == EINTR)
            ;
        return status;
    }
}

/* The child has not said anything. */
static onefold_status ended_early(const fence *of)
{
    int number = of->how >= 0 && WIFSIGNALED(of->how) ? WTERMSIG(of->how) : 0;
    if (number == SIGXCPU)
        return took_too_long(of);
    if (number == SIGKILL)
        return of_hint(of_fail(ONEFOLD_NO_MEMORY, "the process that read it was killed"),
                       "the system may have run out of memory");
    if (number)
        return of_damaged("HDF5 crashed while it read the file (%s), which is damaged",
                          strsignal(number));
    return of_fail(ONEFOLD_FAULT, "the process that read it ended without an answer");
}

static onefold_status take_over(fence *of)
{
    report said = *of->report;
    of_context *context = of->file->context;
    if (!said.done)
        return ended_early(of);
    if (atomic_load(&context->allocations_until_failure) >= 0)
        atomic_store(&context->allocations_until_failure, said.allocations_until_failure);
    size_t peak = atomic_load(&context->peak);
    while (said.peak > peak && !atomic_compare_exchange_weak(&context->peak, &peak, said.peak))
        ;
    if (said.status != ONEFOLD_OK) {
        said.error.status =
            said.status < 0 && said.status >= ONEFOLD_INTERRUPTED ? said.status : ONEFOLD_FAULT;
        said.error.message[sizeof said.error.message - 1] = '\0';
        said.error.hint[sizeof said.error.hint - 1] = '\0';
        return of_error_restore(&said.error);
    }
    if (said.used > of->room.size)
        return nonsense();
    of->room.used = said.used;
    of->file->cells = said.cells != 0;
    of->file->left_over = said.left_over;
    return of_fence_take(of->file, &of->room, said.top, said.count);
}

/* 0 where there can be no child. */
static int start_child(fence *of, onefold_status (*read)(of_file *file, void *user), void *user,
                       int news[2])
{
    pid_t parent = getpid();
    if (pipe2(news, O_CLOEXEC) != 0)
        return 0;
    of->child = fork();
    if (of->child == 0)
        read_in_child(of, read, user, parent, news[1]);
    close(news[1]);
    if (of->child < 0)
        close(news[0]);
    return of->child > 0;
}

onefold_status of_fence_read(of_file *file, onefold_status (*read)(of_file *file, void *user),
                             void *user)
{
    fence of = {.file = file};
    int news[2];
    if (file->context->unfenced || file->context->comm.size > 1)
        return read(file, user);
    if (!make_room(&of.room, file->context))
        return no_room();
    of.report = (report *)of.room.base;
    errno = 0;
    int started = start_child(&of, read, user, news), reason = errno;
    onefold_status status = ONEFOLD_OK;
    if (started) {
        status = await(&of, news[0]);
        close(news[0]);
        if (status == ONEFOLD_OK)
            status = take_over(&of);
        status = by_limit(&of, status);
    }
    munmap(of.room.base, of.room.size);
    if (!started && reason == ENOMEM)
        return no_room();
    return started ? status : read(file, user);
}
