/* SPDX-License-Identifier: Apache-2.0 */
/* host LIBRARY COPY NEEDED...: what a host of the library sees of it. Its process is the same after
 * the library is loaded, and after calls; two copies of the library work beside each other. */
#include <onefold.h>

#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static size_t count_entries(const char *folder)
{
    size_t count = 0;
    DIR *list = opendir(folder);
    while (list && readdir(list))
        count++;
    if (list)
        closedir(list);
    return count;
}

/* What a library could change of its process, as text. `loading`: with the number of threads. */
static char *look(int loading)
{
    static const int limits[] = {RLIMIT_AS,    RLIMIT_CORE,   RLIMIT_CPU,   RLIMIT_DATA,
                                 RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_STACK};
    char *text, here[4096];
    size_t size;
    FILE *to = open_memstream(&text, &size);
    sigset_t blocked;
    cpu_set_t cores;
    fenv_t numbers;
    mode_t mask = umask(0);
    umask(mask);
    for (int number = 1; number < 65; number++) {
        struct sigaction now;
        if (sigaction(number, NULL, &now) == 0)
            fprintf(to, "signal %d: %p %x\n", number, (void *)(size_t)now.sa_handler,
                    (unsigned)now.sa_flags);
    }
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < 65; number++)
        fprintf(to, "%d", sigismember(&blocked, number));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit now;
        getrlimit(limits[i], &now);
        fprintf(to, "\nlimit %d: %lu %lu", limits[i], (unsigned long)now.rlim_cur,
                (unsigned long)now.rlim_max);
    }
    for (char **at = environ; *at; at++)
        fprintf(to, "\n%s", *at);
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    fprintf(to, "\ncores");
    for (int i = 0; i < CPU_SETSIZE; i++)
        fprintf(to, "%d", CPU_ISSET(i, &cores) != 0);
    fegetenv(&numbers);
#ifdef __x86_64__
    fprintf(to, "\nnumbers %x", (unsigned)numbers.__mxcsr & ~0x3fu); /* without its flags */
#endif
    fprintf(to, "\nround %d locale %s folder %s mask %o nice %d dump %d", fegetround(),
            setlocale(LC_ALL, NULL), getcwd(here, sizeof here), (unsigned)mask,
            getpriority(PRIO_PROCESS, 0), prctl(PR_GET_DUMPABLE));
    int (*threads)(void), parent = 0;
    char *(*core)(void);
    *(void **)&threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void **)&core = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    prctl(PR_GET_PDEATHSIG, &parent);
    fprintf(to, "\ndeath %d threads of BLAS %d kernels %s files %zu threads %zu\n", parent,
            threads ? threads() : 0, core ? core() : "", count_entries("/proc/self/fd"),
            loading ? count_entries("/proc/self/task") : 0);
    fclose(to);
    return text;
}

static int bad;

static void compare(const char *what, char *before, char *after)
{
    if (strcmp(before, after) != 0) {
        bad = 1;
        printf("%s changes the process from\n%s\nto\n%s\n", what, before, after);
    } else
        printf("%s changes nothing\n", what);
    free(before);
    free(after);
}

typedef struct library {
    onefold_status (*synth)(onefold_dataset **, onefold_context *, const onefold_synth_options *);
    onefold_status (*write)(const onefold_dataset *, onefold_context *, const char *);
    onefold_status (*read)(onefold_dataset **, onefold_context *, const char *const *, size_t,
                           const onefold_read_options *);
    onefold_status (*fit)(onefold_result **, onefold_context *, const onefold_dataset *,
                          const onefold_fit_options *);
    void (*free_data)(onefold_dataset *);
    void (*free_result)(onefold_result *);
    const char *(*error)(void);
} library;

static library load(const char *path)
{
    library loaded = {0};
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        printf("%s\n", dlerror());
        exit(1);
    }
    *(void **)&loaded.synth = dlsym(handle, "onefold_dataset_synth");
    *(void **)&loaded.write = dlsym(handle, "onefold_dataset_write");
    *(void **)&loaded.read = dlsym(handle, "onefold_dataset_read");
    *(void **)&loaded.fit = dlsym(handle, "onefold_fit");
    *(void **)&loaded.free_data = dlsym(handle, "onefold_dataset_free");
    *(void **)&loaded.free_result = dlsym(handle, "onefold_result_free");
    *(void **)&loaded.error = dlsym(handle, "onefold_last_error");
    return loaded;
}

static void check(const library *with, onefold_status status)
{
    if (status == ONEFOLD_OK)
        return;
    printf("%s\n", with->error());
    exit(1);
}

/* A data set that is written, read from its file, and fitted. */
static onefold_dataset *work(const library *with, const char *path)
{
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_synth_options made = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_read_options how = ONEFOLD_READ_OPTIONS_INIT;
    made.views = 1;
    options.clusters = 5;
    how.samples_are = ONEFOLD_SIDE_ROWS;
    check(with, with->synth(&data, NULL, &made));
    check(with, with->write(data, NULL, path));
    with->free_data(data);
    check(with, with->read(&data, NULL, &path, 1, &how));
    check(with, with->fit(&result, NULL, data, &options));
    with->free_result(result);
    return data;
}

static int seen;

static void on_host(int number)
{
    (void)number;
    seen++;
    printf("the host's handler was called %d time%s\n", seen, seen == 1 ? "" : "s");
    fflush(stdout);
    _exit(bad || seen != 1);
}

int main(int count, char **words)
{
    for (int i = 3; i < count; i++)
        dlopen(words[i], RTLD_NOW | RTLD_GLOBAL);
    struct sigaction host = {.sa_handler = on_host};
    sigaction(SIGBUS, &host, NULL);
    feclearexcept(FE_ALL_EXCEPT);
    char *before = look(1);
    library one = load(words[1]);
    compare("loading", before, look(1));
    before = look(0);
    one.free_data(work(&one, "one.npy"));
    compare("a fit", before, look(0));
    library two = load(words[2]);
    onefold_dataset *b = work(&two, "two.npy");
    if (truncate("two_1.npy", 0) != 0 && truncate("two.npy", 0) != 0)
        return 1;
    onefold_result *result = NULL;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    options.clusters = 5;
    check(&two, two.fit(&result, NULL, b, &options));
    printf("a file that is cut short once it is read changes nothing\n");
    /* a fault of the host's own */
    FILE *own = tmpfile();
    volatile char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(own), 0);
    fflush(stdout);
    return map[0] + 2;
}
