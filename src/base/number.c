/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers to text and back. The locale of the calling program, which may write 1,5 for 1.5, has no
 * part in it: the C library works in the locale "C" here, set for the calling thread alone.
 *
 * Decimal text becomes the nearest double. Up to 19 digits are a whole number w, and the value is
 * w * 10^q. Small w and q are exact in doubles. Otherwise the product is computed in long doubles.
 * If its whole interval of error rounds to one double, that is the result. If not, which is rare
 * unless long doubles are doubles, strtod decides.
 */
#include "base/number.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static locale_t plain; /* in which a point is a point */
static pthread_once_t known = PTHREAD_ONCE_INIT;

static void find_locale(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* static in the C library: cannot fail */
}

/* The locale that this thread had; uselocale gives it back. */
static locale_t leave_locale(void)
{
    pthread_once(&known, find_locale);
    return uselocale(plain);
}

/* The C library's result for a text that is a number. */
static double read_slowly(const char *text, const char *end)
{
    enum { LONGEST = 1100 }; /* more digits than it takes to separate two doubles */
    char copy[LONGEST];
    size_t length = 0;
    for (; text < end && length < LONGEST - 1; text++)
        copy[length++] = *text == ',' ? '.' : *text == 'd' || *text == 'D' ? 'e' : *text;
    copy[length] = '\0';
    locale_t before = leave_locale();
    double value = strtod(copy, NULL);
    uselocale(before);
    return value;
}

/* w * 10^q; returns 0 where rounding is not certain. Powers of ten up to the 27th are exact, and
 * the error of each of at most two steps is half a unit in the last place. */
static int multiply(uint64_t w, int q, double *value)
{
    enum { EXACT = 27 };
    static const long double ten[EXACT + 1] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                               1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                               1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                               1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    long double product = (long double)w, slack;
    int left = abs(q), first = left < EXACT ? left : EXACT;
    if (left > 2 * EXACT)
        return 0;
    product = q < 0 ? product / ten[first] : product * ten[first];
    if (left > EXACT)
        product = q < 0 ? product / ten[left - EXACT] : product * ten[left - EXACT];
    slack = product * (2 * LDBL_EPSILON);
    *value = (double)product;
    return (double)(product - slack) == *value && (double)(product + slack) == *value;
}

/* Appends digits to w while they fit; the others are counted in `dropped`. */
static const char *read_digits(const char *text, const char *end, uint64_t *w, int *digits,
                               int *dropped)
{
    enum { MOST = 19 };
    for (; text < end && (unsigned)(*text - '0') < 10; text++) {
        if (*digits < MOST) {
            *w = *w * 10 + (uint64_t)(*text - '0');
            *digits += *w != 0;
        } else {
            *dropped += 1;
        }
    }
    return text;
}

static const char *read_exponent(const char *text, const char *end, int *exponent)
{
    enum { HUGE_EXPONENT = 100000 };
    const char *at = text + 1;
    int negative = at < end && *at == '-', value = 0;
    at += at < end && (*at == '-' || *at == '+');
    if (at == end || (unsigned)(*at - '0') >= 10)
        return text;
    for (; at < end && (unsigned)(*at - '0') < 10; at++)
        value = value < HUGE_EXPONENT ? value * 10 + (*at - '0') : value;
    *exponent += negative ? -value : value;
    return at;
}

const char *of_number_read(const char *text, const char *end, char point, double *value)
{
    static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = text;
    int negative = at < end && *at == '-', digits = 0, dropped = 0, q = 0;
    at += at < end && (*at == '-' || *at == '+');
    uint64_t w = 0;
    const char *first = at;
    at = read_digits(at, end, &w, &digits, &dropped);
    size_t seen = (size_t)(at - first);
    int pointed = 0;
    q = dropped;
    if (at < end && (*at == '.' || *at == point)) {
        const char *fraction = at + 1;
        pointed = 1;
        at = read_digits(fraction, end, &w, &digits, &dropped);
        seen += (size_t)(at - fraction);
        q = dropped - (int)(at - fraction);
    }
    if (seen == 0)
        return text;
    if (at < end &&
        (*at == 'e' || *at == 'E' || (pointed && (*at == 'd' || *at == 'D')))) /* as Fortran has */
        at = read_exponent(at, end, &q);
    double size;
    if (w == 0)
        size = 0;
    else if (dropped == 0 && w <= (1ull << 53) && q >= -22 && q <= 22)
        size = q < 0 ? (double)w / ten[-q] : (double)w * ten[q];
    else if (dropped || !multiply(w, q, &size))
        size = fabs(read_slowly(text, at));
    *value = negative ? -size : size;
    return at;
}

const char *of_number_read_size(const char *text, const char *end, size_t *value)
{
    const char *at = text;
    size_t sum = 0;
    for (; at < end && (unsigned)(*at - '0') < 10; at++)
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, (size_t)(*at - '0'), &sum))
            return text;
    *value = sum;
    return at;
}

int of_number_print_list(char *text, size_t size, const char *format, va_list arguments)
{
    locale_t before = leave_locale();
    int length = vsnprintf(text, size, format, arguments);
    uselocale(before);
    return length;
}

int of_number_print(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = of_number_print_list(text, size, format, arguments);
    va_end(arguments);
    return length;
}

int of_number_text(char *text, double number, int single)
{
    enum { SIZE = 32 };
    if (number == trunc(number) && fabs(number) < 1e15)
        return of_number_print(text, SIZE, "%.0f", number + 0.0); /* -0 becomes 0 */
    int length = 0;
    locale_t before = leave_locale();
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
        length = snprintf(text, SIZE, "%.*g", digits, number);
        if (single ? strtof(text, NULL) == (float)number : strtod(text, NULL) == number)
            break;
    }
    uselocale(before);
    return length;
}
