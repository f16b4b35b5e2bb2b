/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel cosine: products of features of unit length, of texts after tf-idf. */
#include "kernel/kernel.h"

static onefold_status prepare(of_context *context, of_arena *arena, int compress, of_kernel *kernel)
{
    if (kernel->prep.kind == OF_PREP_TFIDF)
        return of_prep_tfidf(context, arena, kernel);
    return compress ? of_prep_unit_rows(context, arena, kernel) : ONEFOLD_OK;
}

const of_kernel_row of_kernel_cosine = {
    .name = "cosine",
    .entries = OF_ENTRIES_PRODUCTS,
    .unit_length = 1,
    .prepare = prepare,
};
