/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzzing once found, and some inputs that reach far, through the same targets again: every
 * file of tests/fuzz/inputs/TARGET. A finding ends the process. */
#include "fuzz/fuzz.h"
#include "support/check.h"
#include "support/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define ROW(name) {#name, fuzz_##name},
static const struct {
    const char *name;
    int (*run)(const uint8_t *bytes, size_t size);
} targets[] = {FUZZ_TARGETS(ROW)};
#undef ROW
enum { TARGETS = sizeof targets / sizeof *targets };

static size_t replay(size_t target)
{
    char folder[512], path[1024];
    size_t count = 0;
    snprintf(folder, sizeof folder, "%s/tests/fuzz/inputs/%s", OF_TEST_SOURCE,
             targets[target].name);
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (entry->d_name[0] == '.')
            continue;
        size_t size;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        printf("%s/%s\n", targets[target].name, entry->d_name);
        char *bytes = folder_read(path, &size);
        assert_int_equal(targets[target].run((const uint8_t *)bytes, size), 0);
        free(bytes);
        count++;
    }
    if (list)
        closedir(list);
    return count;
}

static void what_was_found_is_found_no_more(void **state)
{
    (void)state;
    size_t count = 0;
    for (size_t t = 0; t < TARGETS; t++)
        count += replay(t);
    assert_true(count > 0);
}

/* No bytes, a byte, and the same byte over and over. */
static void every_target_takes_the_smallest_inputs(void **state)
{
    (void)state;
    static uint8_t bytes[300];
    for (size_t t = 0; t < TARGETS; t++) {
        assert_int_equal(targets[t].run(bytes, 0), 0);
        for (int byte = 0; byte < 256; byte += 51) {
            memset(bytes, byte, sizeof bytes);
            assert_int_equal(targets[t].run(bytes, 1), 0);
            assert_int_equal(targets[t].run(bytes, sizeof bytes), 0);
        }
    }
}

static void an_input_is_cut_into_pieces(void **state)
{
    (void)state;
    const char text[] = "ab\n@@\n\n@@\nc";
    fuzz_bytes rest = {(const uint8_t *)text, sizeof text - 1};
    const char *const pieces[] = {"ab", "", "c", ""};
    for (int i = 0; i < 4; i++) {
        fuzz_bytes piece = fuzz_piece(&rest);
        assert_int_equal(piece.left, strlen(pieces[i]));
        assert_memory_equal(piece.at, pieces[i], piece.left);
    }
    assert_int_equal(fuzz_take(&rest), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_found_is_found_no_more),
        cmocka_unit_test(every_target_takes_the_smallest_inputs),
        cmocka_unit_test(an_input_is_cut_into_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
