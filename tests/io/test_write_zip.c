/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that Python's zipfile can read, with narrow and wide sizes. */
#include "io/atomic_file.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

enum { LENGTH = 200000 };

/* Three members (some text, nothing, noise) in an archive whose sizes are wide from `wide_from`. */
static void write_archive(void **state, const char *name, uint64_t wide_from)
{
    OF_ATOMIC_FILE(file);
    OF_SCRATCH(scratch, NULL);
    of_zip zip = of_zip_make(&scratch, &file);
    CHECK_OK(of_atomic_open(&file, NULL, folder_path(state, name)));
    zip.wide_from = wide_from;
    CHECK_OK(of_zip_begin(&zip, "one.txt", 10));
    CHECK_OK(of_atomic_write(&file, "hello ", 6));
    CHECK_OK(of_atomic_write(&file, "zip!", 4));
    CHECK_OK(of_zip_end(&zip));
    CHECK_OK(of_zip_begin(&zip, "empty", 0));
    CHECK_OK(of_zip_end(&zip));
    CHECK_OK(of_zip_begin(&zip, "noise", LENGTH));
    for (uint64_t i = 0, word = 1; i < LENGTH; i += 8) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        CHECK_OK(of_atomic_write(&file, &word, 8));
    }
    CHECK_OK(of_zip_end(&zip));
    CHECK_OK(of_zip_finish(&zip));
    CHECK_OK(of_atomic_commit(&file));
}

/* The same members whether nothing, later offsets, large sizes or everything is wide. */
static void pythons_zipfile_reads_narrow_and_wide(void **state)
{
    write_archive(state, "0.zip", 0xff000000u);
    write_archive(state, "1.zip", 100);
    write_archive(state, "2.zip", 0);
    write_archive(state, "3.zip", 150000);
    CHECK_PYTHON(state, "zipfile",
                 "import zipfile, struct\n"
                 "word, words = 1, []\n"
                 "for i in range(25000):\n"
                 "    word = (word * 6364136223846793005 + 1442695040888963407) % 2 ** 64\n"
                 "    words.append(word)\n"
                 "noise = struct.pack('=25000Q', *words)\n"
                 "for a in '0123':\n"
                 "    z = zipfile.ZipFile(a + '.zip')\n"
                 "    assert z.testzip() is None\n"
                 "    assert z.namelist() == ['one.txt', 'empty', 'noise']\n"
                 "    assert z.read('one.txt') == b'hello zip!' and z.read('empty') == b''\n"
                 "    assert z.read('noise') == noise\n"
                 "    assert z.getinfo('noise').date_time == (1980, 1, 1, 0, 0, 0)\n"
                 "    wide = [len(i.extra) for i in z.infolist()]\n"
                 "    assert wide == {'0': [0, 0, 0], '1': [0, 0, 20], '2': [28, 28, 28],\n"
                 "                    '3': [0, 0, 20]}[a], wide\n");
}

static void sizes_that_were_not_announced_are_faults(void **state)
{
    OF_ATOMIC_FILE(file);
    OF_SCRATCH(scratch, NULL);
    of_zip zip = of_zip_make(&scratch, &file);
    CHECK_OK(of_atomic_open(&file, NULL, folder_path(state, "a.zip")));
    CHECK_OK(of_zip_begin(&zip, "x", 5));
    CHECK_OK(of_atomic_write(&file, "four", 4));
    CHECK_FAILS(of_zip_end(&zip), ONEFOLD_FAULT, "member x does not have the size");
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(pythons_zipfile_reads_narrow_and_wide),
        IN_FOLDER(sizes_that_were_not_announced_are_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
