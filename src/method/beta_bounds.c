/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds on the weights: reading them from text, and the point within them along a direction. */
#include "method/beta_bounds.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- text --------------------------------------------------------------------------------- */

static onefold_status not_a_weight(const char *word, size_t length)
{
    return of_hint(
        of_fail(ONEFOLD_USAGE, "'%.*s' is not a weight", (int)(length < 40 ? length : 40), word),
        "`weights` has a word for each view: auto, a number such as 0.5, or bounds such "
        "as 0.2..0.6");
}

/* A number at least 0 from `text`; *end is what follows. */
static int read_number(const char *text, double *value, const char **end)
{
    if (!((*text >= '0' && *text <= '9') || *text == '.'))
        return 0;
    *end = of_number_read(text, text + strlen(text), '.', value);
    return *end > text && isfinite(*value);
}

/* "0.5", "0.2..0.6" or "auto". Cut at "..", whose first dot is a point otherwise. */
static onefold_status read_word(const char *word, size_t length, double *lower, double *upper)
{
    char text[64], *dots;
    const char *end;
    if (length >= sizeof text)
        return not_a_weight(word, length);
    memcpy(text, word, length);
    text[length] = '\0';
    *lower = 0;
    *upper = 1;
    if (strcmp(text, "auto") == 0)
        return ONEFOLD_OK;
    dots = strstr(text, "..");
    if (dots)
        *dots = '\0';
    if (!read_number(text, lower, &end) || *end)
        return not_a_weight(word, length);
    *upper = *lower;
    if (dots && (!read_number(dots + 2, upper, &end) || *end || *upper < *lower))
        return not_a_weight(word, length);
    return ONEFOLD_OK;
}

/* The weight, or its square: the terms of the total, which is 1. */
static double term_of(of_weights add, double weight)
{
    return add == OF_WEIGHTS_SUM ? weight : weight * weight;
}

/* The factor on all weights that multiplies their total by `ratio`. */
static double factor_of(of_weights add, double ratio)
{
    return add == OF_WEIGHTS_SUM ? ratio : sqrt(ratio);
}

static double total(of_weights add, size_t p, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < p; i++)
        sum += term_of(add, b[i]);
    return sum;
}

static onefold_status check_totals(of_weights add, size_t p, const double *lower,
                                   const double *upper)
{
    const double slack = 1e-12, least = total(add, p, lower), most = total(add, p, upper);
    const char *what = add == OF_WEIGHTS_SUM ? "" : "the squares of ";
    if (least <= 1 + slack && most >= 1 - slack)
        return ONEFOLD_OK;
    onefold_status status =
        least > 1 + slack
            ? of_fail(ONEFOLD_USAGE,
                      "the weights are too large: %stheir lower bounds add up to %.4g", what, least)
            : of_fail(ONEFOLD_USAGE,
                      "the weights are too small: %stheir upper bounds add up to %.4g", what, most);
    return of_hint(
        status, "%sall weights must add up to 1; `weights` that are all given are scaled to that",
        what);
}

onefold_status of_beta_bounds_parse(of_arena *arena, const char *text, of_weights add, size_t views,
                                    const of_beta_bounds **bounds)
{
    of_beta_bounds *made;
    double *lower, *upper;
    size_t count = 0, fixed = 0, free = 0;
    *bounds = NULL;
    if (!text)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(arena, &made, 1, 1));
    OF_TRY(OF_NEW_ALL(arena, {&lower, views, 1}, {&upper, views, 1}));
    for (const char *at = text;; count++) {
        size_t length = strcspn(at, ",");
        double least = 0, most = 0;
        OF_TRY(read_word(at, length, &least, &most));
        if (count < views) {
            lower[count] = least;
            upper[count] = most;
            fixed += least == most;
            free += least == 0 && most == 1;
        }
        if (!at[length])
            break;
        at += length + 1;
    }
    if (++count != views)
        return of_hint(of_fail(ONEFOLD_USAGE, "%zu weight%s given for %zu views", count,
                               count == 1 ? " is" : "s are", views),
                       "give `weights` a word for each view; auto leaves one to the method");
    if (free == views)
        return ONEFOLD_OK;
    if (fixed == views) { /* scaled so that the total is 1 */
        double length = factor_of(add, total(add, views, lower));
        if (!(length > 0))
            return of_fail(ONEFOLD_USAGE, "all weights are 0");
        for (size_t i = 0; i < views; i++)
            lower[i] = upper[i] = lower[i] / length;
    }
    OF_TRY(check_totals(add, views, lower, upper));
    for (size_t i = 0; i < views; i++)
        upper[i] = fmin(upper[i], 1);
    *made = (of_beta_bounds){lower, upper};
    *bounds = made;
    return ONEFOLD_OK;
}

/* ---- points ------------------------------------------------------------------------------- */

/* Entry i of clip(t c). */
static double entry_at(const of_beta_bounds *bounds, size_t i, double c, double t)
{
    double lower = of_beta_lower(bounds, i);
    return c > 0 ? fmin(fmax(t * c, lower), of_beta_upper(bounds, i)) : lower;
}

static double total_at(const of_beta_bounds *bounds, of_weights add, size_t p, const double *c,
                       double t)
{
    double sum = 0;
    for (size_t i = 0; i < p; i++)
        sum += term_of(add, entry_at(bounds, i, c[i], t));
    return sum;
}

/* Whether entry i of clip(t c) lies between its bounds. */
static int is_between(const of_beta_bounds *bounds, size_t i, double c, double t)
{
    double value = entry_at(bounds, i, c, t);
    return c > 0 && value > of_beta_lower(bounds, i) && value < of_beta_upper(bounds, i);
}

int of_beta_bounds_point(const of_beta_bounds *bounds, of_weights add, size_t p, const double *c,
                         double *b)
{
    double low = 0, high = 0, fixed = 0, free = 0;
    for (size_t i = 0; i < p; i++) {
        if (c[i] > 0)
            high = fmax(high, of_beta_upper(bounds, i) / c[i]);
        free += c[i] > 0 ? term_of(add, c[i]) : 0;
    }
    if (!bounds && free > 0 && isfinite(free)) {
        double length = factor_of(add, free);
        for (size_t i = 0; i < p; i++)
            b[i] = fmax(c[i], 0) / length;
        return 1;
    }
    if (total_at(bounds, add, p, c, high) < 1 - 1e-12)
        return 0;
    for (;;) { /* the total rises with t */
        double middle = low + (high - low) / 2;
        if (!(middle > low && middle < high))
            break;
        *(total_at(bounds, add, p, c, middle) < 1 ? &low : &high) = middle;
    }
    free = 0;
    for (size_t i = 0; i < p; i++) { /* t to the last digit, from the entries between bounds */
        int between = is_between(bounds, i, c[i], high);
        *(between ? &free : &fixed) +=
            term_of(add, between ? c[i] : entry_at(bounds, i, c[i], high));
    }
    double t = free > 0 && fixed < 1 ? factor_of(add, (1 - fixed) / free) : high;
    for (size_t i = 0; i < p; i++)
        b[i] = entry_at(bounds, i, c[i], is_between(bounds, i, c[i], high) ? t : high);
    return 1;
}

void of_beta_bounds_start(const of_beta_bounds *bounds, size_t p, double *b)
{
    for (size_t i = 0; i < p; i++)
        b[i] = 1 / sqrt((double)p);
    if (bounds)
        of_beta_bounds_point(bounds, OF_WEIGHTS_SQUARES, p, b, b);
}

void of_weights_by(size_t p, const double *evidence, const of_beta_bounds *bounds, double *weights)
{
    double parts = 1000, all = 0, sum = 0;
    size_t most = 0;
    while ((double)p * (double)p > parts) /* what lacks to 1 stays below the largest weight */
        parts *= 1000;
    for (size_t i = 0; i < p && evidence; i++)
        all += fmax(evidence[i], 0);
    for (size_t i = 0; i < p; i++) {
        weights[i] = all > 0 ? fmax(evidence[i], 0) / all : 1 / (double)p;
        if (bounds) /* not 0: the upper bounds of other views may leave something */
            weights[i] = fmax(weights[i], 1e-12);
    }
    if (bounds)
        of_beta_bounds_point(bounds, OF_WEIGHTS_SUM, p, weights, weights);
    for (size_t i = 0; i < p; i++) {
        double rounded = round(weights[i] * parts) / parts;
        if (!bounds || fabs(rounded - weights[i]) < 1e-9)
            weights[i] = rounded;
        sum += weights[i];
        most = weights[i] > weights[most] ? i : most;
    }
    if (!bounds)
        weights[most] += 1 - sum;
}
