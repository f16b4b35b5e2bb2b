/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include "support/check.h"

#include <string.h>

/* Every code point, written by the definition of UTF-8, comes back; surrogates do not. */
static void every_character_comes_back(void **state)
{
    (void)state;
    for (uint32_t point = 1; point < 0x110000; point++) {
        char text[8] = {0};
        size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        for (size_t i = 1; i < length; i++)
            text[i] = (char)(0x80 | (point >> 6 * (length - 1 - i) & 0x3f));
        static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
        text[0] = (char)(lead[length] | point >> 6 * (length - 1));
        int is = point < 0xd800 || point > 0xdfff;
        const char *at = text;
        assert_int_equal(of_utf8_length(text), is ? length : 0);
        if (is)
            assert_int_equal(of_utf8_next(&at), point);
        if (is)
            assert_ptr_equal(at, text + length);
    }
}

static void what_is_not_utf8_is_told(void **state)
{
    (void)state;
    static const char *const wrong[] = {"\x80",
                                        "\xbfx",
                                        "\xc0\x80",
                                        "\xc1\xbf",
                                        "\xc3",
                                        "\xc3(",
                                        "\xe0\x9f\xbf",
                                        "\xe2\x82",
                                        "\xed\xa0\x80",
                                        "\xf0\x8f\xbf\xbf",
                                        "\xf4\x90\x80\x80",
                                        "\xf5\x80\x80\x80",
                                        "\xff"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *at = wrong[i];
        assert_int_equal(of_utf8_length(at), 0);
        assert_int_equal(of_utf8_next(&at), (unsigned char)wrong[i][0]);
        assert_ptr_equal(at, wrong[i] + 1);
    }
}

static void characters_are_counted(void **state)
{
    (void)state;
    const char *text = "na\xc3\xafve \xe2\x88\xa9 \xf0\x9d\x94\xb8";
    assert_int_equal(of_utf8_count(text, strlen(text)), 9);
    assert_int_equal(of_utf8_count(text, SIZE_MAX / 4), 9);
    assert_int_equal(of_utf8_count(text, 4), 3);
    assert_int_equal(of_utf8_count("a\xff\xff", 3), 3);
    assert_int_equal(of_utf8_count("", 5), 0);
    const char *end = "";
    assert_int_equal(of_utf8_next(&end), 0);
    assert_int_equal(*end, 0);
}

static void characters_come_one_by_one(void **state)
{
    (void)state;
    const char *text = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82\xff\xc3(";
    static const uint32_t points[] = {'a', 0xe9, 0x20ac, 0x1f642, 0xff, 0xc3, '(', 0};
    assert_int_equal(of_utf8_count(text, strlen(text)), 7);
    for (int i = 0; i < 8; i++)
        assert_int_equal(of_utf8_next(&text), points[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_comes_back),
        cmocka_unit_test(what_is_not_utf8_is_told),
        cmocka_unit_test(characters_are_counted),
        cmocka_unit_test(characters_come_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
