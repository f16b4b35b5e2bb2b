/* SPDX-License-Identifier: Apache-2.0 */
/* A file appears whole or not at all, after any error. */
#include "io/atomic_file.h"

#include "support/check.h"
#include "support/folder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_file(const char *path, const char *text)
{
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    CHECK_OK(of_atomic_write(&file, text, strlen(text)));
    CHECK_OK(of_atomic_commit(&file));
}

static void expect_text(const char *path, const char *text)
{
    size_t size;
    char *got = folder_read(path, &size);
    assert_int_equal(size, strlen(text));
    assert_string_equal(got, text);
    free(got);
}

static void a_file_appears_at_the_commit_and_not_before(void **state)
{
    const char *path = folder_path(state, "out.txt");
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    CHECK_OK(of_atomic_print(&file, "%d and %s", 7, "more"));
    assert_int_not_equal(access(path, F_OK), 0);
    CHECK_OK(of_atomic_commit(&file));
    expect_text(path, "7 and more");
    assert_int_equal(folder_count(state), 1);
}

/* Sizes near that of the buffer, in pieces of all lengths, with a patch in each. */
static void every_byte_arrives_in_order(void **state)
{
    static unsigned char bytes[300000];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 13);
    static const size_t pieces[] = {1, 7, 4095, 65535, 65536, 65537, 299999, 300000};
    for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
        const char *path = folder_path(state, "out.bin");
        OF_ATOMIC_FILE(file);
        CHECK_OK(of_atomic_open(&file, NULL, path));
        for (size_t i = 0; i < sizeof bytes; i += pieces[p]) {
            size_t left = sizeof bytes - i;
            CHECK_OK(of_atomic_write(&file, bytes + i, left < pieces[p] ? left : pieces[p]));
        }
        assert_int_equal(file.position, sizeof bytes);
        CHECK_OK(of_atomic_patch(&file, 65530, "patch over", 10));
        CHECK_OK(of_atomic_write(&file, "end", 3));
        CHECK_OK(of_atomic_commit(&file));
        size_t size;
        char *got = folder_read(path, &size);
        assert_int_equal(size, sizeof bytes + 3);
        assert_memory_equal(got, bytes, 65530);
        assert_memory_equal(got + 65530, "patch over", 10);
        assert_memory_equal(got + 65540, bytes + 65540, sizeof bytes - 65540);
        assert_memory_equal(got + sizeof bytes, "end", 3);
        free(got);
    }
}

/* Names, which may be long, are written and not printed. */
static void long_texts_are_not_cut(void **state)
{
    static char text[5000], table[5100];
    memset(text, 'x', sizeof text - 1);
    const char *path = folder_path(state, "long.csv"), *names[] = {text};
    int32_t label = 7;
    onefold_dataset *data;
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    assert_int_equal(of_atomic_print(&file, "%s", text), of_unformatted());
    CHECK_OK(onefold_dataset_create(&data, NULL, 1));
    CHECK_OK(onefold_dataset_set_sample_names(data, names));
    CHECK_OK(onefold_labels_write(&label, NULL, 1, data, NULL, path));
    snprintf(table, sizeof table, "sample,cluster\n%s,7\n", text);
    expect_text(path, table);
    onefold_dataset_free(data);
}

static void a_full_disk_keeps_the_old_file_and_leaves_nothing_else(void **state)
{
    const char *path = folder_path(state, "out.txt");
    static char block[1000];
    write_file(path, "old");
    /* the limit is met in a direct write, in a flush, and in the last flush of the commit */
    static const size_t limits[] = {0, 1, 65536, 100000, 299999};
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        OF_ATOMIC_FILE(file);
        CHECK_OK(of_atomic_open(&file, NULL, path));
        folder_limit_files(limits[l]);
        onefold_status status = ONEFOLD_OK;
        for (int i = 0; i < 300 && status == ONEFOLD_OK; i++)
            status = of_atomic_write(&file, block, sizeof block);
        if (status == ONEFOLD_OK)
            status = of_atomic_commit(&file);
        folder_limit_files(SIZE_MAX);
        CHECK_FAILS(status, ONEFOLD_IO, "out.txt cannot be written: File too large");
        of_atomic_abandon(&file);
        assert_int_equal(folder_count(state), 1);
        expect_text(path, "old");
    }
}

static void a_full_device_is_an_error_with_advice(void **state)
{
    const char *path = folder_path(state, "full.txt");
    assert_int_equal(symlink("/dev/full", path), 0);
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    CHECK_OK(of_atomic_write(&file, "text", 4));
    CHECK_FAILS(of_atomic_commit(&file), ONEFOLD_IO,
                "full.txt cannot be written: No space left on device");
    assert_string_equal(onefold_last_hint(), "free some space, or write to another disk");
    struct stat link;
    assert_int_equal(lstat(path, &link), 0);
    assert_true(S_ISLNK(link.st_mode));
}

static void places_that_cannot_be_are_refused(void **state)
{
    write_file(folder_path(state, "plain"), "x");
    struct {
        const char *name, *reason;
    } cases[] = {{"none/out.txt", "No such file or directory"},
                 {"plain/out.txt", "Not a directory"},
                 {".", "Is a directory"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        OF_ATOMIC_FILE(file);
        CHECK_FAILS(of_atomic_open(&file, NULL, folder_path(state, cases[c].name)), ONEFOLD_IO,
                    cases[c].reason);
    }
    assert_int_equal(folder_count(state), 1);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    {
        OF_ATOMIC_FILE(file);
        CHECK_OK(of_atomic_open(&file, context, folder_path(state, "out.txt")));
        CHECK_OK(of_atomic_write(&file, "text", 4));
        assert_int_equal(folder_count(state), 1);
    }
    assert_int_equal(folder_count(state), 0);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

static void links_and_permissions_stay(void **state)
{
    const char *target = folder_path(state, "target.txt"), *path = folder_path(state, "link.txt");
    write_file(target, "old");
    assert_int_equal(chmod(target, 0640), 0);
    assert_int_equal(symlink("target.txt", path), 0);
    write_file(path, "new");
    struct stat link, file;
    assert_int_equal(lstat(path, &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    assert_int_equal(stat(target, &file), 0);
    assert_int_equal(file.st_mode & 0777, 0640);
    expect_text(target, "new");
    assert_int_equal(folder_count(state), 2);
}

/* The name of the next temporary file cannot be guessed. */
static void temporary_names_cannot_be_foreseen(void **state)
{
    char start[64];
    int length = snprintf(start, sizeof start, ".onefold-%ld-", (long)getpid());
    OF_ATOMIC_FILE(one);
    OF_ATOMIC_FILE(other);
    CHECK_OK(of_atomic_open(&one, NULL, folder_path(state, "a")));
    CHECK_OK(of_atomic_open(&other, NULL, folder_path(state, "b")));
    const char *names[2] = {strrchr(one.temporary, '/') + 1, strrchr(other.temporary, '/') + 1};
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(names[i], start, (size_t)length);
        assert_int_equal(strspn(names[i] + length, "0123456789abcdef"), 16);
    }
    assert_string_not_equal(names[0], names[1]);
}

/* Opening a pipe waits for a reader, or until the caller cancels. */
static int enough(void *looks)
{
    return --*(int *)looks < 0;
}

static void a_pipe_without_a_reader_is_waited_for(void **state)
{
    const char *path = folder_path(state, "pipe");
    int looks = 3;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &looks;
    hooks.cancel = enough;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, &hooks));
    assert_int_equal(mkfifo(path, 0600), 0);
    {
        OF_ATOMIC_FILE(file);
        CHECK_FAILS(of_atomic_open(&file, context, path), ONEFOLD_INTERRUPTED, "interrupted");
    }
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    char got[8] = "";
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    CHECK_OK(of_atomic_write(&file, "text", 4));
    CHECK_OK(of_atomic_commit(&file));
    assert_int_equal(read(reader, got, sizeof got), 4);
    assert_string_equal(got, "text");
    close(reader);
    onefold_context_free(context);
}

static void a_file_has_a_temporary_name_until_then(void **state)
{
    const char *path = folder_path(state, "out.txt");
    write_file(path, "old");
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, NULL, path));
    CHECK_OK(of_atomic_write(&file, "new", 3));
    assert_int_equal(folder_count(state), 2);
    expect_text(path, "old");
    CHECK_OK(of_atomic_commit(&file));
    expect_text(path, "new");
    assert_int_equal(folder_count(state), 1);
}

/* As with cp, the link stays, and its target is made. */
static void a_link_to_nothing_is_written_through(void **state)
{
    const char *path = folder_path(state, "link.txt");
    assert_int_equal(symlink("second.txt", path), 0);
    assert_int_equal(symlink("target.txt", folder_path(state, "second.txt")), 0);
    write_file(path, "new");
    struct stat link;
    assert_int_equal(lstat(path, &link), 0);
    assert_true(S_ISLNK(link.st_mode));
    expect_text(folder_path(state, "target.txt"), "new");
    assert_int_equal(folder_count(state), 3);
    assert_int_equal(symlink("round.txt", folder_path(state, "round.txt")), 0);
    OF_ATOMIC_FILE(file);
    CHECK_FAILS(of_atomic_open(&file, NULL, folder_path(state, "round.txt")), ONEFOLD_IO,
                "Too many levels of symbolic links");
}

/* As the kernel has it with fs.protected_symlinks, whatever it is set to: in a folder for all, a
 * link is followed only if it is the user's own or of the owner of the folder. */
static void links_of_others_in_a_shared_folder_are_not_followed(void **state)
{
    enum { OTHER = 12345 };
    static const char *const targets[] = {"target.txt", "nothing.txt"};
    const char *target = folder_path(state, targets[0]), *path = folder_path(state, "link.txt");
    if (geteuid() != 0) {
        print_message("skipped: only root makes links of another user\n");
        skip();
    }
    write_file(target, "old");
    assert_int_equal(chmod(*state, 01777), 0);
    for (int t = 0; t < 2; t++) {
        OF_ATOMIC_FILE(file);
        OF_ATOMIC_FILE(owned);
        OF_ATOMIC_FILE(mine);
        assert_int_equal(symlink(targets[t], path), 0);
        assert_int_equal(lchown(path, OTHER, OTHER), 0);
        CHECK_FAILS(of_atomic_open(&file, NULL, path), ONEFOLD_IO, "cannot be written");
        assert_int_equal(folder_count(state), 2);
        assert_int_equal(chown(*state, OTHER, OTHER), 0); /* the owner's own link */
        CHECK_OK(of_atomic_open(&owned, NULL, path));
        assert_int_equal(chown(*state, 0, 0), 0);
        assert_int_equal(lchown(path, 0, 0), 0); /* the user's own */
        CHECK_OK(of_atomic_open(&mine, NULL, path));
        assert_int_equal(unlink(path), 0);
    }
    expect_text(target, "old");
}

/* A name without a folder, and links that are given without one or from the root. */
static void names_without_a_folder(void **state)
{
    char before[4096], there[300];
    assert_non_null(getcwd(before, sizeof before));
    snprintf(there, sizeof there, "%s", folder_path(state, "there.txt"));
    assert_int_equal(chdir(folder_path(state, "")), 0);
    assert_int_equal(symlink("target.txt", "link.txt"), 0);
    assert_int_equal(symlink(there, "far.txt"), 0);
    static const char *const names[][2] = {
        {"plain.txt", "plain.txt"}, {"link.txt", "target.txt"}, {"far.txt", "there.txt"}};
    onefold_status status = ONEFOLD_OK;
    for (size_t i = 0; i < 6 && status == ONEFOLD_OK; i++) {
        OF_ATOMIC_FILE(file);
        status = of_atomic_open(&file, of_context_or_default(NULL), names[i % 3][0]);
        if (status == ONEFOLD_OK)
            status = of_atomic_write(&file, i < 3 ? "once" : "twice", i < 3 ? 4 : 5);
        if (status == ONEFOLD_OK)
            status = of_atomic_commit(&file);
        of_atomic_abandon(&file);
    }
    assert_int_equal(chdir(before), 0);
    CHECK_OK(status);
    for (size_t i = 0; i < 3; i++)
        expect_text(folder_path(state, names[i][1]), "twice");
    assert_int_equal(folder_count(state), 5); /* with both links, and nothing else */
}

static void a_socket_is_no_place(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", folder_path(state, "socket"));
    int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    OF_ATOMIC_FILE(file);
    CHECK_FAILS(of_atomic_open(&file, of_context_or_default(NULL), address.sun_path), ONEFOLD_IO,
                "socket cannot be written");
    close(descriptor);
    assert_int_equal(folder_count(state), 1);
}

/* A kill before the commit leaves the old file and the temporary one. */
static void a_kill_leaves_the_old_file(void **state)
{
    const char *path = folder_path(state, "out.txt");
    static char block[100000];
    write_file(path, "old");
    for (int finished = 0; finished < 2; finished++) {
        pid_t child = fork();
        if (child == 0) {
            of_atomic_file file;
            if (of_atomic_open(&file, NULL, path) == ONEFOLD_OK)
                (void)of_atomic_write(&file, block, sizeof block);
            if (finished)
                (void)of_atomic_finish(&file);
            raise(SIGKILL);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        expect_text(path, "old");
        assert_int_equal(folder_count(state), 2 + (size_t)finished);
    }
}

static int say_stop(void *user)
{
    return *(int *)user;
}

static void interruption_stops_the_writing(void **state)
{
    int stop = 0;
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.user = &stop;
    hooks.cancel = say_stop;
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, &hooks));
    {
        OF_ATOMIC_FILE(file);
        CHECK_OK(of_atomic_open(&file, context, folder_path(state, "out.txt")));
        CHECK_OK(of_atomic_write(&file, "text", 4));
        stop = 1;
        CHECK_FAILS(of_atomic_commit(&file), ONEFOLD_INTERRUPTED, "interrupted");
    }
    assert_int_equal(folder_count(state), 0);
    onefold_context_free(context);
}

static void every_allocation_may_fail(void **state)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    long failures = 0;
    for (;; failures++) {
        OF_ATOMIC_FILE(file);
        atomic_store(&context->allocations_until_failure, failures);
        onefold_status status = of_atomic_open(&file, context, folder_path(state, "out.txt"));
        if (status == ONEFOLD_OK)
            break;
        assert_int_equal(status, ONEFOLD_NO_MEMORY);
        assert_int_equal(folder_count(state), 0);
    }
    assert_int_equal(failures, 4); /* the buffer, and the names of place, folder, temporary file */
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_file_appears_at_the_commit_and_not_before),
        IN_FOLDER(every_byte_arrives_in_order),
        IN_FOLDER(a_file_has_a_temporary_name_until_then),
        IN_FOLDER(a_link_to_nothing_is_written_through),
        IN_FOLDER(links_of_others_in_a_shared_folder_are_not_followed),
        IN_FOLDER(names_without_a_folder),
        IN_FOLDER(a_socket_is_no_place),
        IN_FOLDER(a_kill_leaves_the_old_file),
        IN_FOLDER(long_texts_are_not_cut),
        IN_FOLDER(a_full_disk_keeps_the_old_file_and_leaves_nothing_else),
        IN_FOLDER(a_full_device_is_an_error_with_advice),
        IN_FOLDER(places_that_cannot_be_are_refused),
        IN_FOLDER(an_abandoned_file_leaves_nothing),
        IN_FOLDER(links_and_permissions_stay),
        IN_FOLDER(temporary_names_cannot_be_foreseen),
        IN_FOLDER(a_pipe_without_a_reader_is_waited_for),
        IN_FOLDER(interruption_stops_the_writing),
        IN_FOLDER(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
