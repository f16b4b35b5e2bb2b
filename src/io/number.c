/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal text to the nearest double. Up to 19 digits are taken as a whole number w, so the value
 * is w * 10^q = w * 5^q * 2^q. Small w and q are exact in doubles. Otherwise w is multiplied by a
 * power of five that is known to 64 bits: where everything the product may be rounds to the same
 * double, that is the answer; in about one case of a thousand it does not, and strtod decides.
 */
#include "io/number.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned __int128 wide;

enum { EXACT = 27 }; /* 5^27 is the last below 2^64 */

static int leading_zeros(uint64_t bits)
{
    return __builtin_clzll(bits);
}

enum { POWER_LOW = -54, POWER_HIGH = 54 };

/* Powers of five to 64 bits, and the locale in which a point is a point. */
static struct {
    uint64_t bits; /* power of five times a power of two, cut off: between 2^63 and 2^64 */
    int exponent;  /* 5^q is bits * 2^exponent, and up to `slack` more in the last place */
    unsigned slack;
} powers[POWER_HIGH - POWER_LOW + 1], *const power = powers - POWER_LOW;
static locale_t plain;
static pthread_once_t known = PTHREAD_ONCE_INIT;

/* bits * 2^exponent, cut off to 64 bits with the first one set. */
static void set_power(int q, wide bits, int exponent, unsigned slack)
{
    int shift = bits >> 64 ? 64 - leading_zeros((uint64_t)(bits >> 64)) : 0;
    uint64_t top = (uint64_t)(bits >> shift);
    int left = leading_zeros(top);
    power[q].bits = top << left;
    power[q].exponent = exponent + shift - left;
    power[q].slack = slack;
}

static void find_powers(void)
{
    uint64_t five[EXACT + 1] = {1};
    for (int q = 1; q <= EXACT; q++)
        five[q] = 5 * five[q - 1];
    for (int q = 0; q <= EXACT; q++)
        set_power(q, five[q], 0, 0);
    for (int q = EXACT + 1; q <= POWER_HIGH; q++)
        set_power(q, (wide)five[EXACT] * five[q - EXACT], 0, 1);
    for (int q = 1; q <= EXACT; q++)
        set_power(-q, ((wide)1 << 127) / five[q], -127, 1);
    /* the product of two that are each up to one too small is up to four too small, cut off five */
    for (int q = EXACT + 1; q <= -POWER_LOW; q++)
        set_power(-q, (wide)power[-EXACT].bits * power[EXACT - q].bits,
                  power[-EXACT].exponent + power[EXACT - q].exponent, 5);
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* takes no memory: it is always there */
}

/* The C library's answer for what was found to be a number. */
static double read_slowly(const char *text, const char *end)
{
    enum { LONGEST = 1100 }; /* more digits than any double needs to be told from its neighbours */
    char copy[LONGEST];
    size_t length = 0;
    for (; text < end && length < LONGEST - 1; text++)
        copy[length++] = *text == ',' ? '.' : *text == 'd' || *text == 'D' ? 'e' : *text;
    copy[length] = '\0';
    pthread_once(&known, find_powers);
    return plain ? strtod_l(copy, NULL, plain) : strtod(copy, NULL);
}

/* bits * 2^exponent rounded to the nearest double, ties to even; bits has 128 significant ones. */
static uint64_t round_mantissa(wide bits, int *carry)
{
    uint64_t mantissa = (uint64_t)(bits >> (128 - 53));
    wide rest = bits << 53, half = (wide)1 << 127;
    mantissa += rest > half || (rest == half && (mantissa & 1));
    *carry = mantissa >> 53 != 0;
    return *carry ? mantissa >> 1 : mantissa;
}

/* w * 10^q, or 0 where the product alone cannot tell. */
static int multiply(uint64_t w, int q, double *value)
{
    if (q < POWER_LOW || q > POWER_HIGH)
        return 0;
    pthread_once(&known, find_powers);
    int left = leading_zeros(w), carry, carry_high;
    wide low = (wide)(w << left) * power[q].bits;
    wide high = low + (wide)(w << left) * power[q].slack;
    int exponent = power[q].exponent + q - left;
    if (high < low)
        return 0;
    int shift = low >> 127 ? 0 : 1;
    if ((high >> 127 ? 0 : 1) != shift)
        return 0;
    uint64_t mantissa = round_mantissa(low << shift, &carry);
    if (mantissa != round_mantissa(high << shift, &carry_high) || carry != carry_high)
        return 0;
    *value = ldexp((double)mantissa, exponent - shift + 128 - 53 + carry);
    return 1; /* far from where doubles end: q is small */
}

/* Takes digits into w as long as it holds them; those beyond count in `dropped`. */
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
