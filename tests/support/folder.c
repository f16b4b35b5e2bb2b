/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of its own for tests that write files. */
#include "support/folder.h"

#include "support/check.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int folder_make(void **state)
{
    const char *base = getenv("TMPDIR");
    char name[4096];
    snprintf(name, sizeof name, "%s/onefold-test-XXXXXX", base ? base : "/tmp");
    if (!mkdtemp(name))
        return -1;
    *state = strdup(name);
    return *state ? 0 : -1;
}

const char *folder_path(void **state, const char *name)
{
    static char path[8][4096];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", (const char *)*state, name);
    return path[turn];
}

static size_t walk(void **state, int delete)
{
    DIR *folder = opendir(*state);
    assert_non_null(folder);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (delete)
            unlink(folder_path(state, entry->d_name));
    }
    closedir(folder);
    return count;
}

size_t folder_count(void **state)
{
    return walk(state, 0);
}

int folder_remove(void **state)
{
    folder_limit_files(SIZE_MAX);
    walk(state, 1);
    int result = rmdir(*state);
    free(*state);
    return result;
}

void folder_limit_files(size_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

char *folder_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is not there", path);
    size_t room = 1 << 16, length = 0, got;
    char *text = malloc(room + 1);
    while (text && (got = fread(text + length, 1, room - length, file)) > 0) {
        length += got;
        if (length == room)
            text = realloc(text, (room *= 2) + 1);
    }
    fclose(file);
    assert_non_null(text);
    text[length] = '\0';
    if (size)
        *size = length;
    return text;
}

static int run(const char *folder, const char *program)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (chdir(folder) == 0)
            execl("/usr/bin/python3", "/usr/bin/python3", "-B", "-c", program, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 126;
    return WEXITSTATUS(status);
}

int folder_python(void **state, const char *modules, const char *program)
{
    char line[512];
    snprintf(line, sizeof line,
             "import sys\ntry:\n    import %s\nexcept ImportError:\n    sys.exit(1)", modules);
    if (access("/usr/bin/python3", X_OK) != 0 || run(*state, line) != 0) {
        printf("skipped: /usr/bin/python3 with %s is not here\n", modules);
        return -1;
    }
    return run(*state, program);
}
