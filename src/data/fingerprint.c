/* SPDX-License-Identifier: Apache-2.0 */
/* Two 64-bit lanes that every word of the data is mixed into, in a fixed order. */
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

/* The same words whatever types the arrays are held in. */
static onefold_status add_sparse(lanes *to, of_context *context, const of_csr *held)
{
    OF_SCRATCH(scratch, context);
    of_sparse sparse;
    OF_TRY(of_csr_native(&scratch, held, &sparse));
    add_bytes(to, sparse.start, (sparse.rows + 1) * sizeof *sparse.start);
    add_bytes(to, sparse.index, sparse.start[sparse.rows] * sizeof *sparse.index);
    add_bytes(to, sparse.value, sparse.start[sparse.rows] * sizeof *sparse.value);
    return ONEFOLD_OK;
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

static void write_digits(const lanes *from, char text[OF_FINGERPRINT])
{
    snprintf(text, OF_FINGERPRINT, "%016llx%016llx", (unsigned long long)mix(from->a),
             (unsigned long long)mix(from->b));
}

onefold_status of_dataset_fingerprint(of_context *context, const of_dataset *dataset,
                                      char text[OF_FINGERPRINT])
{
    lanes all = {1, 2};
    add_word(&all, dataset->samples);
    add_word(&all, dataset->view_count);
    for (size_t i = 0; i < dataset->view_count; i++) {
        const of_view *view = &dataset->views[i];
        add_bytes(&all, view->name, strlen(view->name));
        add_word(&all, view->storage);
        add_word(&all, view->columns);
        if (view->storage == OF_SPARSE)
            OF_TRY(add_sparse(&all, context, &view->sparse));
        else
            OF_TRY(add_samples(&all, context, view, view->samples));
    }
    add_word(&all, dataset->present != NULL);
    if (dataset->present)
        add_bytes(&all, dataset->present, dataset->samples * dataset->view_count);
    add_word(&all, dataset->truth != NULL);
    if (dataset->truth)
        add_bytes(&all, dataset->truth, dataset->samples * sizeof *dataset->truth);
    write_digits(&all, text);
    return ONEFOLD_OK;
}

onefold_status of_dataset_fingerprint_first(of_context *context, const of_dataset *dataset,
                                            size_t count, char text[OF_FINGERPRINT])
{
    lanes all = {3, 4};
    count = count < dataset->samples ? count : dataset->samples;
    for (size_t i = 0; i < dataset->view_count; i++)
        OF_TRY(add_samples(&all, context, &dataset->views[i], count));
    write_digits(&all, text);
    return ONEFOLD_OK;
}
