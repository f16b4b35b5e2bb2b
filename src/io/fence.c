/* SPDX-License-Identifier: Apache-2.0 */
/* The child process: how it is started, what it may use up, and how its end is understood. */
#include "io/fence.h"

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

/* ---- variables as bytes -------------------------------------------------------------------- */

/* ---- in the process that read them ---------------------------------------------------------- */

typedef struct writer {
    const of_fence_room *room;
    of_arena *arena;
    unsigned char *bytes;
    size_t count, space;
    const void *list[OF_FENCE_LISTS]; /* that have been told */
    size_t lists;
    onefold_status status; /* the first failure; nothing is told after it */
} writer;

static void put(writer *to, const void *from, size_t size)
{
    if (to->status == ONEFOLD_OK)
        to->status = OF_GROW(to->arena, &to->bytes, to->count, &to->space, to->count + size);
    if (to->status != ONEFOLD_OK)
        return;
    memcpy(to->bytes + to->count, from, size);
    to->count += size;
}

static void put_number(writer *to, size_t number)
{
    put(to, &number, sizeof number);
}

/* Its length and one, 0 for none. */
static void put_text(writer *to, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(to, text ? length + 1 : 0);
    if (text)
        put(to, text, length + 1);
}

/* The place of an array in the room and one, 0 for none. */
static void put_place(writer *to, const void *array)
{
    const char *at = array;
    if (array && (at < to->room->base || at >= to->room->base + to->room->size))
        to->status = of_fail(ONEFOLD_FAULT, "an array lies outside the shared memory");
    put_number(to, array ? (size_t)(at - to->room->base) + 1 : 0);
}

/* The number of the list from 1, 0 for none; its texts where it is a new one. */
static void put_list(writer *to, const char *const *list, size_t count)
{
    size_t known = 0;
    while (known < to->lists && to->list[known] != list)
        known++;
    put_number(to, list ? known + 1 : 0);
    if (!list || known < to->lists)
        return;
    if (to->lists == OF_FENCE_LISTS) {
        to->status =
            of_fail(ONEFOLD_UNSUPPORTED, "it has more than %d lists of names", OF_FENCE_LISTS);
        return;
    }
    to->list[to->lists++] = list;
    put_number(to, count);
    for (size_t i = 0; i < count; i++)
        put_text(to, list[i]);
}

static void put_matrix(writer *to, const of_matrix *matrix)
{
    size_t numbers[] = {matrix->storage,  matrix->rows,        matrix->columns,  matrix->type,
                        matrix->row_step, matrix->column_step, matrix->by_column};
    put(to, numbers, sizeof numbers);
    if (matrix->storage == OF_SPARSE) {
        const of_csr *sparse = &matrix->sparse;
        size_t flags[] = {sparse->rows, sparse->columns, sparse->narrow_start, sparse->wide_index,
                          sparse->single_value};
        put(to, flags, sizeof flags);
        put_place(to, sparse->start);
        put_place(to, sparse->index);
        put_place(to, sparse->value);
    } else {
        put_place(to, matrix->data);
    }
    put_list(to, matrix->column_names, matrix->columns);
    put_list(to, matrix->row_names, matrix->rows);
}

static void put_variable(writer *to, const of_variable *variable)
{
    size_t numbers[] = {variable->kind, variable->pages, variable->page_step, variable->count};
    put_text(to, variable->name);
    put_text(to, variable->what);
    put(to, numbers, sizeof numbers);
    if (variable->kind == OF_VARIABLE_MATRIX)
        put_matrix(to, &variable->matrix);
    else if (variable->kind == OF_VARIABLE_TEXT) {
        put_list(to, variable->text, variable->count);
        put_list(to, variable->matrix.row_names, variable->matrix.rows);
        put_number(to, variable->matrix.rows);
    } else if (variable->kind == OF_VARIABLE_CELL)
        for (size_t i = 0; i < variable->count && to->status == ONEFOLD_OK; i++)
            put_variable(to, &variable->item[i]);
}

onefold_status of_fence_encode(const of_file *file, of_fence_room *room, of_arena *arena,
                               size_t *at, size_t *size)
{
    writer *to;
    OF_TRY(OF_NEW_ZERO(arena, &to, 1, 1));
    to->room = room;
    to->arena = arena;
    put_number(to, (size_t)file->cells);
    put_number(to, file->left_over);
    put_number(to, file->count);
    for (size_t t = 0; t < file->count && to->status == ONEFOLD_OK; t++)
        put_variable(to, &file->top[t].variable);
    *at = (size_t)((char *)to->bytes - room->base);
    *size = to->count;
    return to->status;
}

/* ---- in the process that asked for them ----------------------------------------------------- */

enum { DEEPEST = 32 };

typedef struct list {
    const char **text;
    size_t count;
} list;

typedef struct reader {
    of_file *file;
    const of_fence_room *room;
    const unsigned char *at, *end;
    of_owner *names; /* of all lists: several variables may share one */
    list list[OF_FENCE_LISTS];
    size_t lists;
} reader;

static onefold_status nonsense(void)
{
    return of_fail(ONEFOLD_FAULT, "the process that read it sent data that is not valid");
}

static onefold_status get(reader *from, void *to, size_t size)
{
    if ((size_t)(from->end - from->at) < size)
        return nonsense();
    memcpy(to, from->at, size);
    from->at += size;
    return ONEFOLD_OK;
}

static onefold_status get_number(reader *from, size_t *number)
{
    *number = 0;
    return get(from, number, sizeof *number);
}

static onefold_status get_text(reader *from, of_arena *arena, const char **text)
{
    size_t size;
    char *copy;
    *text = NULL;
    OF_TRY(get_number(from, &size));
    if (size == 0)
        return ONEFOLD_OK;
    if (size > (size_t)(from->end - from->at) || from->at[size - 1] != '\0')
        return nonsense();
    OF_TRY(OF_NEW(arena, &copy, size, 1));
    *text = copy;
    return get(from, copy, size);
}

/* A copy of elements of `size` bytes each that lie at a place of the room; NULL: none. */
static onefold_status get_array(reader *from, of_arena *arena, size_t size, size_t elements,
                                void **array)
{
    enum { STEP = 16 << 20, PAGES = 1 << 16 };
    size_t place, bytes;
    *array = NULL;
    OF_TRY(get_number(from, &place));
    if (place-- == 0)
        return ONEFOLD_OK;
    if (__builtin_mul_overflow(size, elements, &bytes) || place > from->room->used ||
        bytes > from->room->used - place)
        return nonsense();
    OF_TRY(of_arena_allocate(arena, array, size, elements, 1));
    for (size_t done = 0; done < bytes; done += STEP) {
        size_t step = bytes - done < STEP ? bytes - done : STEP;
        memcpy((char *)*array + done, from->room->base + place + done, step);
        size_t first = (place + done + PAGES - 1) / PAGES * PAGES,
               last = (place + done + step) / PAGES * PAGES;
        if (first < last)
            (void)madvise(from->room->base + first, last - first, MADV_REMOVE);
        OF_TRY(of_context_check(from->file->context));
    }
    return ONEFOLD_OK;
}

/* Texts that lie one after the other become one block with pointers into it. */
static onefold_status get_new_list(reader *from, list *made)
{
    of_arena *arena = &from->names->arena;
    OF_TRY(get_number(from, &made->count));
    if (made->count > (size_t)(from->end - from->at) / sizeof(size_t))
        return nonsense();
    const unsigned char *start = from->at;
    size_t bytes = 0;
    for (size_t i = 0; i < made->count; i++) {
        size_t size;
        OF_TRY(get_number(from, &size));
        if (size > (size_t)(from->end - from->at) || (size && from->at[size - 1] != '\0'))
            return nonsense();
        from->at += size;
        bytes += size;
    }
    char *block;
    OF_TRY(OF_NEW(arena, &made->text, made->count, 1));
    OF_TRY(OF_NEW(arena, &block, bytes, 1));
    from->at = start;
    for (size_t i = 0; i < made->count; i++) {
        size_t size;
        OF_TRY(get_number(from, &size));
        OF_TRY(get(from, block, size));
        made->text[i] = size ? block : NULL;
        block += size;
    }
    return ONEFOLD_OK;
}

static onefold_status get_list(reader *from, size_t count, const char *const **texts)
{
    size_t number;
    *texts = NULL;
    OF_TRY(get_number(from, &number));
    if (number == 0)
        return ONEFOLD_OK;
    if (number > from->lists + 1 || number > OF_FENCE_LISTS)
        return nonsense();
    list *found = &from->list[number - 1];
    if (number > from->lists) {
        OF_TRY(get_new_list(from, found));
        from->lists++;
    }
    if (found->count != count)
        return nonsense();
    *texts = found->text;
    return ONEFOLD_OK;
}

/* One more than the last element that is in use, whatever the order. */
static onefold_status count_elements(const of_matrix *matrix, size_t pages, size_t page_step,
                                     size_t *elements)
{
    size_t sides[3][2] = {{matrix->rows, matrix->row_step},
                          {matrix->columns, matrix->column_step},
                          {pages, page_step}},
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

static onefold_status get_sparse(reader *from, of_top *top, of_matrix *matrix)
{
    size_t flags[5], entries;
    of_csr *sparse = &matrix->sparse;
    of_arena *arena = &top->store->arena;
    void *start, *index, *value;
    OF_TRY(get(from, flags, sizeof flags));
    sparse->rows = flags[0];
    sparse->columns = flags[1];
    sparse->narrow_start = flags[2] != 0;
    sparse->wide_index = flags[3] != 0;
    sparse->single_value = flags[4] != 0;
    if (sparse->rows != (matrix->by_column ? matrix->columns : matrix->rows) ||
        sparse->columns != (matrix->by_column ? matrix->rows : matrix->columns) ||
        sparse->rows == SIZE_MAX)
        return nonsense();
    OF_TRY(get_array(from, arena, sparse->narrow_start ? 4 : 8, sparse->rows + 1, &start));
    sparse->start = start;
    if (!start)
        return nonsense();
    entries = of_csr_entries(sparse);
    OF_TRY(get_array(from, arena, sparse->wide_index ? 8 : 4, entries, &index));
    OF_TRY(get_array(from, arena, sparse->single_value ? 4 : 8, entries, &value));
    sparse->index = index;
    sparse->value = value;
    if ((entries && (!index || !value)) || !is_sparse_matrix(sparse, entries))
        return nonsense();
    return ONEFOLD_OK;
}

static onefold_status get_matrix(reader *from, of_top *top, of_variable *variable)
{
    size_t numbers[7];
    of_matrix *matrix = &variable->matrix;
    void *data;
    OF_TRY(get(from, numbers, sizeof numbers));
    if (numbers[0] > OF_SPARSE || numbers[3] >= OF_TYPE_COUNT)
        return nonsense();
    *matrix = (of_matrix){.storage = (of_storage)numbers[0],
                          .rows = numbers[1],
                          .columns = numbers[2],
                          .type = (of_type)numbers[3],
                          .row_step = numbers[4],
                          .column_step = numbers[5],
                          .by_column = numbers[6] != 0,
                          .owner = top->store};
    if (matrix->storage == OF_SPARSE) {
        OF_TRY(get_sparse(from, top, matrix));
    } else {
        size_t elements;
        OF_TRY(count_elements(matrix, variable->pages, variable->page_step, &elements));
        OF_TRY(get_array(from, &top->store->arena, of_type_size(matrix->type), elements, &data));
        if (!data)
            return nonsense();
        matrix->data = data;
    }
    OF_TRY(get_list(from, matrix->columns, &matrix->column_names));
    return get_list(from, matrix->rows, &matrix->row_names);
}

static onefold_status get_variable(reader *from, of_top *top, of_variable *variable, int depth)
{
    of_arena *arena = &top->store->arena;
    size_t numbers[4];
    OF_TRY(get_text(from, arena, &variable->name));
    OF_TRY(get_text(from, arena, &variable->what));
    OF_TRY(get(from, numbers, sizeof numbers));
    if (numbers[0] > OF_VARIABLE_OTHER || depth > DEEPEST || !variable->name)
        return nonsense();
    variable->kind = (of_variable_kind)numbers[0];
    variable->pages = numbers[1];
    variable->page_step = numbers[2];
    variable->count = numbers[3];
    if (variable->kind == OF_VARIABLE_MATRIX)
        return get_matrix(from, top, variable);
    if (variable->kind == OF_VARIABLE_TEXT) {
        OF_TRY(get_list(from, variable->count, &variable->text));
        const char *const *row_names;
        size_t number = variable->count;
        OF_TRY(get_list(from, number, &row_names));
        OF_TRY(get_number(from, &number));
        variable->matrix.row_names = row_names;
        variable->matrix.rows = number;
        return number == variable->count || !row_names ? ONEFOLD_OK : nonsense();
    }
    if (variable->kind == OF_VARIABLE_OTHER)
        return ONEFOLD_OK;
    if (variable->count > (size_t)(from->end - from->at))
        return nonsense();
    OF_TRY(OF_NEW_ZERO(arena, &variable->item, variable->count, 1));
    for (size_t i = 0; i < variable->count; i++)
        OF_TRY(get_variable(from, top, &variable->item[i], depth + 1));
    return ONEFOLD_OK;
}

static onefold_status get_variables(reader *from)
{
    size_t cells, left_over, count;
    OF_TRY(get_number(from, &cells));
    OF_TRY(get_number(from, &left_over));
    OF_TRY(get_number(from, &count));
    from->file->cells = cells != 0;
    from->file->left_over = left_over;
    for (size_t t = 0; t < count; t++) {
        of_top *top;
        OF_TRY(of_file_add(from->file, &top, ""));
        OF_TRY(of_owner_hold(top->store, from->names));
        OF_TRY(get_variable(from, top, &top->variable, 0));
    }
    return from->at == from->end ? ONEFOLD_OK : nonsense();
}

onefold_status of_fence_decode(of_file *file, const of_fence_room *room, size_t at, size_t size)
{
    OF_SCRATCH(scratch, file->context);
    reader *from;
    if (at > room->used || size > room->used - at)
        return nonsense();
    OF_TRY(OF_NEW_ZERO(&scratch, &from, 1, 1));
    from->file = file;
    from->room = room;
    from->at = (const unsigned char *)room->base + at;
    from->end = from->at + size;
    OF_TRY(of_owner_make(&from->names, file->context));
    onefold_status status = get_variables(from);
    of_owner_release(from->names); /* the variables hold it */
    return status;
}

/* ---- the child ----------------------------------------------------------------------------- */

extern void __gcov_dump(void) __attribute__((weak)); /* what a build for coverage has counted */

/* The first bytes of the room: what the child says at its end. */
typedef struct report {
    atomic_int done;
    onefold_status status;
    of_error error;
    long allocations_until_failure;
    size_t peak;
    size_t used, at, size;
} report;

typedef struct fence {
    of_file *file;
    of_fence_room room;
    report *report;
    pid_t child;
    int ended; /* the child's end can be waited for no more */
    int how;   /* as waitpid has it; -1: somebody else has asked for it before */
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

static void read_in_child(fence *of, onefold_status (*read)(of_file *file, void *user), void *user,
                          pid_t parent, int tell)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    become_a_child(of);
    of_context *context = of->file->context;
    change_context(context, &of->room);
    of_arena arena = of_arena_make(context);
    onefold_status status = read(of->file, user);
    report *said = of->report;
    if (status == ONEFOLD_OK) {
        long until = atomic_exchange(&context->allocations_until_failure, -1);
        status = of_fence_encode(of->file, &of->room, &arena, &said->at, &said->size);
        atomic_store(&context->allocations_until_failure, until);
    }
    of_error_save(&said->error, status);
    said->status = status;
    said->allocations_until_failure = atomic_load(&context->allocations_until_failure);
    said->peak = atomic_load(&context->peak);
    said->used = of->room.used;
    atomic_store(&said->done, 1);
    (void)!write(tell, "", 1);
    if (__gcov_dump)
        __gcov_dump();
    _exit(0);
}

/* ---- the parent ----------------------------------------------------------------------------- */

/* Waits for the child's end, for some milliseconds at most. */
static void look(fence *of, int milliseconds, int told)
{
    struct pollfd news = {.fd = told, .events = POLLIN};
    if (milliseconds)
        (void)poll(&news, 1, milliseconds);
    int how = 0;
    pid_t got = waitpid(of->child, &how, atomic_load(&of->report->done) ? 0 : WNOHANG);
    if (got == of->child || (got < 0 && errno == ECHILD)) {
        of->ended = 1;
        of->how = got == of->child ? how : -1;
    }
}

static void end_child(fence *of)
{
    kill(of->child, SIGKILL);
    while (waitpid(of->child, &of->how, 0) < 0 && errno == EINTR)
        ;
}

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

static onefold_status await(fence *of, int told)
{
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    while (!of->ended) {
        look(of, 50, told);
        onefold_status status = of_context_check(of->file->context);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (status == ONEFOLD_OK &&
            (size_t)(now.tv_sec - began.tv_sec) > 10 * seconds_for(of->file))
            status = took_too_long(of); /* it waits for something that does not come */
        if (status != ONEFOLD_OK && !of->ended) {
            end_child(of);
            return status;
        }
    }
    return ONEFOLD_OK;
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
        return of_fail(ONEFOLD_FAULT, "the process that read it sent data that is not valid");
    of->room.used = said.used;
    return of_fence_decode(of->file, &of->room, said.at, said.size);
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
