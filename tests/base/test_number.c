/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include "base/random.h"
#include "support/check.h"
#include "support/comma.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The same bits as the C library, with the whole text read. */
static void check_text(const char *text)
{
    double got = -7, want = strtod(text, NULL);
    const char *end = text + strlen(text);
    if (of_number_read(text, end, '.', &got) != end)
        fail_msg("%s is not read to its end", text);
    if (memcmp(&got, &want, sizeof got) != 0)
        fail_msg("%s is read as %.17g, not %.17g", text, got, want);
}

static void written_numbers_are_the_nearest_doubles(void **state)
{
    (void)state;
    static const struct {
        int digits;
        char style;
    } formats[] = {{17, 'g'}, {18, 'e'}, {16, 'e'}, {20, 'e'}, {6, 'f'}, {3, 'g'}, {25, 'f'}};
    of_random random = of_random_make(5, OF_PURPOSE_TEST, 0);
    for (int i = 0; i < 200000; i++) {
        double scale = pow(10, of_random_uniform(&random) * 24 - 12);
        double value = of_random_normal(&random) * (i % 5 ? scale : 1);
        char text[400];
        int digits = formats[i % 7].digits;
        if (formats[i % 7].style == 'e')
            snprintf(text, sizeof text, "%.*e", digits, value);
        else if (formats[i % 7].style == 'f')
            snprintf(text, sizeof text, "%.*f", digits, value);
        else
            snprintf(text, sizeof text, "%.*g", digits, value);
        check_text(text);
    }
    for (int i = 0; i < 200000; i++) { /* random bits */
        uint64_t bits = (uint64_t)of_random_bits(&random) << 32 | of_random_bits(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[64];
        snprintf(text, sizeof text, i % 2 ? "%.17g" : "%.18e", value);
        check_text(text);
    }
}

/* Digits and exponents of every length, and numbers next to the middle between two doubles. */
static void hard_numbers_are_the_nearest_doubles(void **state)
{
    (void)state;
    of_random random = of_random_make(6, OF_PURPOSE_TEST, 0);
    char text[1200];
    for (int i = 0; i < 300000; i++) {
        int digits = 1 + (int)of_random_below(&random, 24),
            point = (int)of_random_below(&random, 25);
        char *at = text;
        if (i % 3 == 0)
            *at++ = i % 2 ? '-' : '+';
        for (int d = 0; d < digits; d++) {
            if (d == point)
                *at++ = '.';
            *at++ = (char)('0' + of_random_below(&random, 10));
        }
        if (i % 2)
            sprintf(at, "e%d", (int)of_random_below(&random, 130) - 65);
        else
            *at = '\0';
        check_text(text);
    }
    for (int i = 0; i < 100000;
         i++) { /* the middle of two doubles, exactly and a digit beside it */
        double low = ldexp(1 + of_random_uniform(&random), (int)of_random_below(&random, 120) - 60);
        double high = nextafter(low, INFINITY);
        long double middle = ((long double)low + (long double)high) / 2;
        snprintf(text, sizeof text, i % 2 ? "%.18Le" : "%.60Lf", middle);
        check_text(text);
    }
    static const char *const some[] = {"0",
                                       "-0",
                                       "0.0",
                                       "-0e5",
                                       "1",
                                       "00012",
                                       "9007199254740993",
                                       "9007199254740992",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "9999999999999999999",
                                       "1e22",
                                       "1e23",
                                       "8.5e-324",
                                       "4.9e-324",
                                       "2.4e-324",
                                       "1e-400",
                                       "1e400",
                                       "-1e999999999",
                                       "1.7976931348623157e308",
                                       "2.2250738585072011e-308",
                                       "1.",
                                       ".5",
                                       "-.5e-3",
                                       "0.000000000000000000000000000000001",
                                       "123456789012345678901234567890",
                                       "0.1e1",
                                       "1e+5",
                                       "1E-5",
                                       "6.999883177967922143e-02",
                                       "1.0000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        check_text(some[i]);
    text[0] = '1', text[1] = '.';
    memset(text + 2, '3', 1000);
    text[1002] = '\0';
    check_text(text);
}

static void reading_stops_where_the_number_does(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        double value;
    } cases[] = {{"12,5", 2, 12}, {"1e", 1, 1},    {"1e+", 1, 1}, {"3abc", 1, 3}, {"1.5.2", 3, 1.5},
                 {"-", 0, 0},     {"", 0, 0},      {".", 0, 0},   {"abc", 0, 0},  {"nan", 0, 0},
                 {"inf", 0, 0},   {"0x10", 1, 0},  {"--1", 0, 0}, {" 1", 0, 0},   {"e5", 0, 0},
                 {"+.e1", 0, 0},  {"7e3x", 3, 7e3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        const char *text = cases[i].text, *end = text + strlen(text);
        assert_int_equal(of_number_read(text, end, '.', &value) - text, cases[i].length);
        assert_true(value == cases[i].value);
    }
    double value;
    const char *comma = "12,5";
    assert_int_equal(of_number_read(comma, comma + 4, ',', &value) - comma, 4);
    assert_true(value == 12.5);
    comma = "1234567890123456789012,5";
    assert_int_equal(of_number_read(comma, comma + 24, ',', &value) - comma, 24);
    assert_true(value == 1234567890123456789012.5);
}

static void sizes_do_not_overflow(void **state)
{
    (void)state;
    size_t value = 0;
    const char *text = "18446744073709551615 ";
    assert_ptr_equal(of_number_read_size(text, text + 21, &value), text + 20);
    assert_true(value == SIZE_MAX);
    text = "18446744073709551616";
    assert_ptr_equal(of_number_read_size(text, text + 20, &value), text);
    text = "-1";
    assert_ptr_equal(of_number_read_size(text, text + 2, &value), text);
}

/* The calling thread's locale may have a decimal comma, or that of the process: it is as before. */
static void the_locale_has_no_part(void **state)
{
    (void)state;
    static const char hard[] = "1.00000000000000011102230246251565404236316680908203125";
    if (!comma_set())
        skip();
    for (int thread = 0; thread < 2; thread++) {
        locale_t mine = duplocale(LC_GLOBAL_LOCALE), before = (locale_t)0;
        char text[33];
        double value = 0;
        assert_non_null(mine);
        if (thread) {
            setlocale(LC_ALL, "C");
            before = uselocale(mine);
        }
        of_number_text(text, 0.1f, 1);
        assert_string_equal(text, "0.1");
        of_number_text(text, 1.0 / 3, 0);
        assert_string_equal(text, "0.3333333333333333");
        assert_int_equal(of_number_print(text, sizeof text, "%.2f of %s", 2.5, "3.5"), 11);
        assert_string_equal(text, "2.50 of 3.5");
        assert_ptr_equal(of_number_read(hard, hard + strlen(hard), '.', &value),
                         hard + strlen(hard));
        assert_true(value == 1);
        snprintf(text, sizeof text, "%.1f", 1.5);
        assert_string_equal(text, "1,5");
        if (thread)
            assert_ptr_equal(uselocale(before), mine);
        freelocale(mine);
    }
    comma_unset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_numbers_are_the_nearest_doubles),
        cmocka_unit_test(hard_numbers_are_the_nearest_doubles),
        cmocka_unit_test(reading_stops_where_the_number_does),
        cmocka_unit_test(sizes_do_not_overflow),
        cmocka_unit_test(the_locale_has_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
