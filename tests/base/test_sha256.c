/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256: the vectors of FIPS 180-4, and Python's hashlib on every length around a block. */
#include "base/sha256.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

/* The hash of a file with these bytes. */
static void hash(void **state, const char *bytes, size_t size, char text[OF_SHA256_TEXT])
{
    const char *path = folder_path(state, "bytes");
    uint64_t counted = 0;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    CHECK_OK(of_sha256_file(of_context_or_default(NULL), path, text, &counted));
    assert_int_equal(counted, size);
}

static void check(void **state, const char *bytes, size_t size, const char *want)
{
    char text[OF_SHA256_TEXT];
    hash(state, bytes, size, text);
    assert_string_equal(text, want);
}

static void published_vectors(void **state)
{
    check(state, "", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check(state, "abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check(state, two, strlen(two),
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *many = malloc(1000000);
    memset(many, 'a', 1000000);
    check(state, many, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}

/* Every length around a block of 64, and around the bytes read at once. */
static void python_says_the_same(void **state)
{
    enum { AT_ONCE = 1 << 16, LONGEST = 2 * AT_ONCE + 70 };
    static const size_t around[] = {0, 64, 128, AT_ONCE - 64, AT_ONCE, AT_ONCE + 64, 2 * AT_ONCE};
    size_t room = 1 << 16;
    char *program = malloc(room), *end = program, *bytes = malloc(LONGEST);
    memset(bytes, 'x', LONGEST);
    end += sprintf(program, "import hashlib\nok = True\n");
    for (size_t a = 0; a < sizeof around / sizeof *around; a++)
        for (size_t size = around[a] < 10 ? 0 : around[a] - 10; size <= around[a] + 10; size++) {
            char text[OF_SHA256_TEXT];
            hash(state, bytes, size, text);
            end +=
                sprintf(end, "ok &= hashlib.sha256(b'x' * %zu).hexdigest() == '%s'\n", size, text);
            assert_true((size_t)(end - program) + 200 < room);
        }
    sprintf(end, "raise SystemExit(0 if ok else 1)\n");
    CHECK_PYTHON(state, "hashlib", program);
    free(program);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(published_vectors, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(python_says_the_same, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
