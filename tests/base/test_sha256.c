/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256: the vectors of FIPS 180-4, every length around a block, pieces of any size, and the
 * system's own sha256sum. */
#include "base/sha256.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

static void check(const char *bytes, size_t size, const char *want)
{
    of_sha256 hash = of_sha256_start();
    char text[OF_SHA256_TEXT];
    of_sha256_add(&hash, bytes, size);
    of_sha256_text(&hash, text);
    assert_string_equal(text, want);
}

static void published_vectors(void **state)
{
    (void)state;
    check("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const char *two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    check(two, strlen(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *many = malloc(1000000);
    memset(many, 'a', 1000000);
    check(many, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}

static void pieces_do_not_matter(void **state)
{
    (void)state;
    unsigned char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        char whole[OF_SHA256_TEXT], parts[OF_SHA256_TEXT];
        of_sha256 one = of_sha256_start(), other = of_sha256_start();
        of_sha256_add(&one, bytes, size);
        of_sha256_text(&one, whole);
        for (size_t at = 0, piece = 1; at < size; at += piece, piece = piece % 37 + 5) {
            piece = piece < size - at ? piece : size - at;
            of_sha256_add(&other, bytes + at, piece);
        }
        of_sha256_text(&other, parts);
        assert_string_equal(whole, parts);
    }
}

static void python_says_the_same(void **state)
{
    char program[4096], text[OF_SHA256_TEXT], *end = program;
    end += sprintf(program, "import hashlib\nok = True\n");
    for (size_t size = 50; size < 70; size++) {
        char bytes[80];
        memset(bytes, 'x', sizeof bytes);
        of_sha256 hash = of_sha256_start();
        of_sha256_add(&hash, bytes, size);
        of_sha256_text(&hash, text);
        end += sprintf(end, "ok &= hashlib.sha256(b'x' * %zu).hexdigest() == '%s'\n", size, text);
    }
    sprintf(end, "raise SystemExit(0 if ok else 1)\n");
    CHECK_PYTHON(state, "hashlib", program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(pieces_do_not_matter),
        cmocka_unit_test_setup_teardown(python_says_the_same, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
