/* SPDX-License-Identifier: Apache-2.0 */
/* Fingerprints of data sets: every word is mixed into two 64-bit lanes, in a fixed order. And the
 * numbers of runs. */
#include "data/dataset.h"

#include <stdio.h>
#include <string.h>

typedef struct lanes {
    uint64_t a, b;
} lanes;

/* The finaliser of SplitMix64: every bit of the word reaches every bit of the result. */
static uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

static void add_word(lanes *to, uint64_t word)
{
    to->a = mix(to->a + 0x9e3779b97f4a7c15u + word);
    to->b = mix(to->b ^ (word * 0xd6e8feb86659fd93u)) + 0xa0761d6478bd642fu;
}

static void add_bytes(lanes *to, const void *bytes, size_t size)
{
    add_word(to, size);
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t left = size - at;
        memcpy(&word, (const char *)bytes + at, left < sizeof word ? left : sizeof word);
        add_word(to, word);
    }
}

static void add_sparse(lanes *to, const of_sparse *sparse)
{
    add_bytes(to, sparse->start, (sparse->rows + 1) * sizeof *sparse->start);
    add_bytes(to, sparse->index, of_sparse_entries(sparse) * sizeof *sparse->index);
    add_bytes(to, sparse->value, of_sparse_entries(sparse) * sizeof *sparse->value);
}

/* The first `count` samples, value by value. */
static onefold_status add_samples(lanes *to, of_context *context, const of_view *view, size_t count)
{
    OF_SCRATCH(scratch, context);
    double *sample;
    OF_TRY(OF_NEW(&scratch, &sample, view->columns, 1));
    for (size_t j = 0; j < count; j++) {
        of_view_tile(view, j, 1, sample, view->columns);
        add_bytes(to, sample, view->columns * sizeof *sample);
    }
    return ONEFOLD_OK;
}

onefold_status of_dataset_fingerprint(of_context *context, const of_dataset *dataset, size_t most,
                                      char text[OF_FINGERPRINT])
{
    lanes all = {1, 2};
    int whole = most >= dataset->samples;
    if (whole) {
        add_word(&all, dataset->samples);
        add_word(&all, dataset->view_count);
    }
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        const uint32_t *unit = whole ? view->column_unit : NULL;
        if (whole) {
            add_bytes(&all, view->name, strlen(view->name));
            add_word(&all, view->storage);
            add_word(&all, view->columns);
        }
        if (unit) /* which columns are one category, not the numbers that mark them */
            add_word(&all, view->columns);
        for (size_t c = 1; unit && c < view->columns; c++)
            if (unit[c] == unit[c - 1])
                add_word(&all, c);
        if (whole && view->storage == OF_SPARSE)
            add_sparse(&all, &view->sparse);
        else
            OF_TRY(add_samples(&all, context, view, whole ? view->samples : most));
    }
    if (whole) {
        add_word(&all, dataset->present != NULL);
        if (dataset->present)
            add_bytes(&all, dataset->present, dataset->samples * dataset->view_count);
        add_word(&all, dataset->truth != NULL);
        if (dataset->truth)
            add_bytes(&all, dataset->truth, dataset->samples * sizeof *dataset->truth);
    }
    snprintf(text, OF_FINGERPRINT, "%016llx%016llx", (unsigned long long)mix(all.a),
             (unsigned long long)mix(all.b));
    return ONEFOLD_OK;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* A name that is a whole number counts as a sample's number. */
uint64_t of_run_part(const char *name, size_t size, size_t sample, int32_t label)
{
    enum { MOST_DIGITS = 18 };
    uint64_t word = 0;
    size_t digits = 0;
    if (name && size > 1 && name[0] == '\'' && strchr("=+-@", name[1])) {
        name++;
        size--;
    }
    for (; name && digits < size && name[digits] >= '0' && name[digits] <= '9'; digits++)
        word = 10 * word + (uint64_t)(name[digits] - '0');
    if (!name) {
        word = (uint64_t)sample + 1;
    } else if (!size || digits < size || size > MOST_DIGITS || (name[0] == '0' && size > 1)) {
        lanes all = {5, 6};
        add_bytes(&all, name, size);
        word = mix(all.a) ^ all.b;
    }
    return mix(mix(word + 0x9e3779b97f4a7c15u) + (uint64_t)(uint32_t)label + 1);
}

uint64_t of_run_end(uint64_t sum, size_t samples)
{
    uint64_t number = mix(sum + samples);
    return number ? number : 1;
}

void of_run_text(uint64_t number, char text[OF_RUN_TEXT])
{
    text[0] = '\0';
    if (number)
        snprintf(text, OF_RUN_TEXT, "%016llx", (unsigned long long)number);
}
