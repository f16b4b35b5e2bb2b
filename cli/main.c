/* SPDX-License-Identifier: Apache-2.0 */
/* The process: start of the libraries, standard streams, messages of errors, exit status. */
#include "command.h"
#include "onefold.h"
#include "session.h"
#include "verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stddef.h>
#include <stdint.h>

/* ---- from fields of the library to options of the command ----------------------------------- */

/* Fields whose option is not the name of the field with dashes. */
static const struct {
    const char *field, *flag;
} flags[] = {
    {"keep_model", "--model"},
    {"memory_limit", "--max-memory"},
    {"max_iterations", "--max-iter"},
    {"tolerance", "--tol"},
    {"least", "--min"},
    {"most", "--max"},
    {"store", "--resume"},
    {"view_parts", "--parts"},
    {"method_options", "its options"},
    {"as_category", "--as category"},
    {"as_number", "--as number"},
};

static void translate_field(const char *field, size_t length, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strlen(flags[i].field) == length && memcmp(flags[i].field, field, length) == 0) {
            snprintf(out, size, "%s", flags[i].flag);
            return;
        }
    snprintf(out, size, "--%.*s", (int)length, field);
    for (char *at = out; *at; at++)
        *at = *at == '_' ? '-' : *at;
}

/* The text with the option in place of each field: "`clusters`" becomes "--clusters". */
static void hint_translate(const char *text, char *out, size_t size)
{
    size_t used = 0;
    while (*text && used + 1 < size) {
        const char *end = *text == '`' ? strchr(text + 1, '`') : NULL;
        if (!end) {
            out[used++] = *text++;
            continue;
        }
        translate_field(text + 1, (size_t)(end - text - 1), out + used, size - used);
        used += strlen(out + used);
        text = end + 1;
    }
    out[used] = '\0';
}

/* ---- before the libraries start ------------------------------------------------------------- */

static int limited(void)
{
    struct rlimit space, data;
    return getrlimit(RLIMIT_AS, &space) == 0 && getrlimit(RLIMIT_DATA, &data) == 0 &&
           (space.rlim_cur != RLIM_INFINITY || data.rlim_cur != RLIM_INFINITY);
}

#if !defined(ONEFOLD_SANITIZED) /* sanitizers have to begin before anything else */
/* Bytes that the limit of address space leaves. The libraries are mapped by now, and not begun. */
static size_t left_of_limit(void)
{
    struct rlimit space;
    char text[64] = "";
    int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = file < 0 ? 0 : read(file, text, sizeof text - 1);
    size_t used = 0;
    for (const char *at = text; got > 0 && *at >= '0' && *at <= '9'; at++)
        used = used * 10 + (size_t)(*at - '0');
    if (file >= 0)
        close(file);
    used *= (size_t)sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_AS, &space) != 0 || space.rlim_cur == RLIM_INFINITY)
        return SIZE_MAX;
    return space.rlim_cur > used ? (size_t)space.rlim_cur - used : 0;
}

static void tell(int stream, const char *text)
{
    (void)!write(stream, text, strlen(text));
}

/* Libraries that find no memory as they begin end the process in ways of their own. */
static void refuse_too_little(int argc, char **argv)
{
    enum { LEAST = 4 << 20 }; /* of the libraries, the stack, and the first messages */
    int json = 0;
    if (left_of_limit() >= LEAST)
        return;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        json |= strcmp(argv[i], "--json") == 0;
    if (json)
        tell(
            1,
            "{\"error\": {\"code\": \"no-memory\", \"message\": \"the limit of address space "
            "leaves no room beside the libraries\", \"hint\": \"raise the limit (ulimit -v)\"}}\n");
    else
        tell(2, "onefold: the limit of address space leaves no room beside the libraries\n"
                "onefold: raise the limit (ulimit -v)\n");
    _exit(4);
}

/* OpenBLAS starts threads when it is loaded. They stay idle: a call of ours uses one thread.
 * Under a limit of memory OpenBLAS ends the process if a thread cannot start, and a thread that
 * gets no buffer asks for one for ever. So under a limit the command starts itself again, before
 * any library begins, with an environment that has OpenBLAS start no thread. */
static void start_alone(int argc, char **argv, char **environment)
{
    static char alone[] = "OPENBLAS_NUM_THREADS=1";
    enum { MOST = 4096 };
    static char *with[MOST + 2];
    int count = 0;
    if (!limited())
        return;
    refuse_too_little(argc, argv);
    for (; count < MOST && environment[count]; count++) {
        if (strcmp(environment[count], alone) == 0)
            return;
        with[count] =
            strncmp(environment[count], alone, sizeof alone - 2) == 0 ? alone : environment[count];
    }
    if (environment[count])
        return;
    with[count] = alone;
    execve("/proc/self/exe", argv, with);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const before_libraries)(int, char **, char **) = start_alone;
#endif

/* Takes `size` bytes of the stack. */
static void hold_stack(size_t size)
{
    enum { FRAME = 4096 };
    char room[FRAME];
    volatile char *at = room;
    at[0] = 0;
    if (size > FRAME)
        hold_stack(size - FRAME);
    at[FRAME - 1] = 0; /* the frame is kept until here */
}

/* Under a limit the stack takes its memory now, because the process ends if there is none later;
 * and the C library does not reserve 64 MB of unused address space per thread. */
static void hold_memory(void)
{
    enum { ROOM = 512 << 10 };
    struct rlimit stack;
    if (!limited())
        return;
    if (getrlimit(RLIMIT_STACK, &stack) == 0)
        hold_stack(stack.rlim_cur / 4 < ROOM ? (size_t)stack.rlim_cur / 4 : ROOM);
    (void)mallopt(M_ARENA_MAX, 1);
}

/* Without a limit the threads of OpenBLAS end here: an idle one yields in a loop for 0.1 s. */
extern void openblas_set_num_threads(int) __attribute__((weak));
extern int blas_thread_shutdown_(void) __attribute__((weak));

static void end_idle_threads(void)
{
    if (!openblas_set_num_threads || !blas_thread_shutdown_)
        return;
    openblas_set_num_threads(1);
    blas_thread_shutdown_();
}

/* An OpenBLAS that is older than the processor takes its oldest kernels, at a quarter of the speed.
 * The library leaves a host's kernels as they are. This process is the command's own: it starts
 * itself again with the kernels for the widest vectors, unless the environment names some. */
static void start_with_new_kernels(char **argv)
{
    static const char name[] = "OPENBLAS_CORETYPE";
    const char *text = onefold_machine_description(), *kernels = strstr(text, "\nkernels "),
               *old = kernels ? strstr(kernels, "(without AVX2)") : NULL;
    size_t first = strcspn(text, "\n");
    if (!old || getenv(name))
        return;
    const char *wide = first >= 9 && memcmp(text + first - 9, "(AVX-512)", 9) == 0 ? "SkylakeX"
                       : first >= 6 && memcmp(text + first - 6, "(AVX2)", 6) == 0  ? "Haswell"
                                                                                   : NULL;
    if (wide && setenv(name, wide, 1) == 0)
        execv("/proc/self/exe", argv);
    if (wide) /* there is no /proc */
        unsetenv(name);
}

/* ---- the process ---------------------------------------------------------------------------- */

/* The next file that is opened would get the number of a closed standard stream. The file that
 * takes its place here can be neither read nor written, so using the stream is still an error. */
static void hold_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++)
        if (fcntl(stream, F_GETFD) == -1)
            (void)!open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
}

static int exit_status(onefold_status status)
{
    return status == ONEFOLD_INTERRUPTED ? 130 : -(int)status;
}

/* Reports a failure: with --json on standard output, else on standard error. */
static int report_failure(onefold_status status, int json)
{
    char message[1024], hint[1024]; /* writing JSON may fail and take the last error's place */
    hint_translate(cli_last_error(), message, sizeof message);
    hint_translate(cli_last_hint(), hint, sizeof hint);
    if (json && cli_json_error(status, message, hint) == ONEFOLD_OK)
        return exit_status(status);
    cli_screen screen = cli_screen_of(stderr);
    cli_put(&screen, CLI_BAD, "onefold: ");
    cli_put(&screen, CLI_PLAIN, "%s\n", message);
    if (hint[0])
        cli_put(&screen, CLI_FAINT, "onefold: %s\n", hint);
    return exit_status(status);
}

/* Gives interruptions one message: those in a view ("X: interrupted"), and those that cut a system
 * call short. Other messages stay. */
static onefold_status plain_interruption(onefold_status status)
{
    const char *message = cli_last_error(), *colon = strrchr(message, ':');
    int in_a_view = status == ONEFOLD_INTERRUPTED && colon && strcmp(colon, ": interrupted") == 0;
    if (in_a_view || status == ONEFOLD_IO)
        return cli_fail(ONEFOLD_INTERRUPTED, "interrupted");
    return status;
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    hold_memory();
    end_idle_threads();
    setlocale(LC_CTYPE, "");
    if (cli_command_has(argc - 1, argv + 1, "--portable"))
        cli_portable_start(argv);
    start_with_new_kernels(argv);
    cli_interrupt_start();
    onefold_status status = cli_ranks_start();
    if (status == ONEFOLD_OK)
        status = cli_command_run(argc - 1, argv + 1);
    if (cli_interrupted())
        status = plain_interruption(status);
    int json = cli_command_has(argc - 1, argv + 1, "--json");
    if (status == ONEFOLD_OK && fclose(stdout) != 0) {
        status = cli_fail(ONEFOLD_IO, "standard output cannot be written: %s", strerror(errno));
        json = 0; /* standard output is closed */
    }
    char message[1024], hint[512]; /* agreeing may fail and take the last error's place */
    int speaks, ending = 0;
    onefold_status mine = status;
    snprintf(message, sizeof message, "%s", cli_last_error());
    snprintf(hint, sizeof hint, "%s", cli_last_hint());
    status = cli_ranks_agree(status, &speaks);
    if (mine != ONEFOLD_OK)
        cli_hint(cli_fail(mine, "%s", message), "%s", hint);
    if (status != ONEFOLD_OK)
        ending = speaks ? report_failure(status, json) : exit_status(status);
    cli_ranks_end(); /* together: mpirun ends the others once a process exits with a failure */
    return ending;
}
