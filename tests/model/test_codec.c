/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers to bytes and back: little end first, the same again, and nothing past the end. */
#include "model/model.h"

#include "io/atomic_file.h"
#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct content {
    size_t count;
    uint64_t whole;
    double real;
    const char *text;
    const double *reals; /* 2 x 3 */
    const uint32_t *columns;
    const size_t *starts; /* 3 each */
} content;

static onefold_status code(of_codec *codec, content *c)
{
    OF_TRY(of_code_count(codec, &c->count, 4, 1, 1000));
    OF_TRY(of_code_whole(codec, &c->whole, 8));
    OF_TRY(of_code_real(codec, &c->real));
    OF_TRY(of_code_text(codec, &c->text));
    OF_TRY(of_code_reals(codec, &c->reals, 2, 3));
    OF_TRY(of_code_columns(codec, &c->columns, 3, 10));
    return of_code_starts(codec, &c->starts, 3);
}

static const double reals[] = {0.1, -0.0, 5e-324, 1.7976931348623157e308, -3, 1.0 / 3};
static const uint32_t columns[] = {0, 9, 4};
static const size_t starts[] = {0, 7, 1u << 31};

static content made(void)
{
    return (content){258, 0x0102030405060708u, -2, "caf\xc3\xa9", reals, columns, starts};
}

static onefold_status write_piece(void *to, const void *bytes, size_t size)
{
    return of_atomic_write(to, bytes, size);
}

static size_t write_it(void **state, unsigned char **bytes, uint32_t *crc)
{
    content c = made();
    size_t size;
    OF_ATOMIC_FILE(file);
    CHECK_OK(of_atomic_open(&file, of_context_or_default(NULL), folder_path(state, "bytes")));
    of_codec codec = {.write = write_piece, .to = &file}, count = {0};
    CHECK_OK(code(&codec, &c));
    CHECK_OK(code(&count, &c));
    CHECK_OK(of_atomic_commit(&file));
    *bytes = (unsigned char *)folder_read(folder_path(state, "bytes"), &size);
    assert_int_equal(size, codec.at);
    assert_int_equal(size, count.at);
    *crc = codec.crc;
    return size;
}

static void bytes_are_little_end_first(void **state)
{
    static const unsigned char start[] = {2,    1,    0,    0,    8,    7,    6,   5,    4,    3,
                                          2,    1,    0,    0,    0,    0,    0,   0,    0,    0xc0,
                                          5,    0,    0,    0,    'c',  'a',  'f', 0xc3, 0xa9, 0x9a,
                                          0x99, 0x99, 0x99, 0x99, 0x99, 0xb9, 0x3f};
    unsigned char *bytes;
    uint32_t crc;
    size_t size = write_it(state, &bytes, &crc);
    assert_int_equal(size, 4 + 8 + 8 + 9 + 48 + 12 + 24);
    assert_memory_equal(bytes, start, sizeof start);
    assert_int_equal(crc, crc32(0, bytes, (uInt)size));
    free(bytes);
}

static void what_is_written_is_read(void **state)
{
    OF_SCRATCH(arena, NULL);
    unsigned char *bytes;
    uint32_t crc;
    size_t size = write_it(state, &bytes, &crc);
    of_codec codec = {.bytes = bytes, .size = size, .arena = &arena};
    content c = {0}, want = made();
    CHECK_OK(code(&codec, &c));
    assert_int_equal(codec.at, size);
    assert_int_equal(c.count, want.count);
    assert_true(c.whole == want.whole && c.real == want.real);
    assert_string_equal(c.text, want.text);
    assert_memory_equal(c.reals, reals, sizeof reals);
    assert_memory_equal(c.columns, columns, sizeof columns);
    assert_memory_equal(c.starts, starts, sizeof starts);
    for (size_t less = 0; less < size; less++) { /* any end that comes too soon */
        OF_SCRATCH(short_lived, NULL);
        unsigned char *cut = malloc(less ? less : 1); /* so that a sanitizer sees it read past */
        memcpy(cut, bytes, less);
        codec = (of_codec){.bytes = cut, .size = less, .arena = &short_lived};
        CHECK_FAILS(code(&codec, &c), ONEFOLD_BAD_DATA, "is inconsistent");
        free(cut);
    }
    free(bytes);
}

static void limits_hold(void **state)
{
    (void)state;
    OF_SCRATCH(arena, NULL);
    static const unsigned char bytes[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    size_t count;
    double real;
    const double *array;
    const uint32_t *index;
    const size_t *from;
    const char *text;
    of_codec codec = {.bytes = bytes, .size = sizeof bytes, .arena = &arena};
    CHECK_FAILS(of_code_count(&codec, &count, 4, 0, 1000), ONEFOLD_BAD_DATA,
                "a number is out of range");
    codec.at = 0;
    CHECK_FAILS(of_code_count(&codec, &count, 8, 0, 1000), ONEFOLD_BAD_DATA,
                "a number is out of range");
    codec.at = 8;
    CHECK_FAILS(of_code_count(&codec, &count, 4, 1, 1000), ONEFOLD_BAD_DATA,
                "a number is out of range");
    codec.at = 0;
    CHECK_FAILS(of_code_real(&codec, &real), ONEFOLD_BAD_DATA, "a number is not finite");
    codec.at = 0;
    CHECK_FAILS(of_code_reals(&codec, &array, 2, 1), ONEFOLD_BAD_DATA, "a number is not finite");
    codec.at = 0;
    CHECK_FAILS(of_code_columns(&codec, &index, 2, 7), ONEFOLD_BAD_DATA,
                "a number is out of range");
    codec.at = 0;
    CHECK_FAILS(of_code_text(&codec, &text), ONEFOLD_BAD_DATA, "a number is out of range");
    /* counts whose product overflows, or that no memory could hold */
    codec.at = 0;
    CHECK_FAILS(of_code_reals(&codec, &array, SIZE_MAX / 2, 4), ONEFOLD_BAD_DATA,
                "would go past its end");
    CHECK_FAILS(of_code_reals(&codec, &array, (size_t)1 << 40, 1), ONEFOLD_BAD_DATA,
                "would go past its end");
    CHECK_FAILS(of_code_columns(&codec, &index, SIZE_MAX, 7), ONEFOLD_BAD_DATA,
                "would go past its end");
    CHECK_FAILS(of_code_starts(&codec, &from, SIZE_MAX / 8 + 1), ONEFOLD_BAD_DATA,
                "would go past its end");
    count = (size_t)1 << 33;
    codec.bytes = NULL;
    CHECK_FAILS(of_code_count(&codec, &count, 4, 0, SIZE_MAX), ONEFOLD_UNSUPPORTED,
                "too large for a model file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bytes_are_little_end_first, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_written_is_read, folder_make, folder_remove),
        cmocka_unit_test(limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
