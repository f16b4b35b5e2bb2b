/* SPDX-License-Identifier: Apache-2.0 */
/* The one table of the options of a fit: what goes through all of them goes through this. */
#ifndef OF_MODEL_FIT_OPTIONS_H
#define OF_MODEL_FIT_OPTIONS_H

#include "method/method.h"

typedef enum of_option_kind {
    OF_OPTION_COUNT, /* size_t */
    OF_OPTION_WORD,  /* an enum */
    OF_OPTION_FLAG,  /* int */
    OF_OPTION_REAL,  /* double */
    OF_OPTION_SEED,  /* uint64_t */
    OF_OPTION_TEXT   /* const char *, or NULL */
} of_option_kind;

typedef struct of_fit_option {
    const char *name;
    of_option_kind kind;
    size_t offset;
    int own; /* each process of a fit may have its own */
} of_fit_option;

/* Every option, in the order of the struct, struct_size apart. */
extern const of_fit_option of_fit_option_table[];
extern const size_t of_fit_option_count;

/* The value of an option as text that tells any two apart; NULL is "". `size` bytes of `room` hold
 * what is not text. */
const char *of_fit_option_text(const of_fit_option *option, const onefold_fit_options *options,
                               char *room, size_t size);

/* The caller's options in our size: what a shorter, older struct lacks keeps its default. */
onefold_status of_fit_options_copy(onefold_fit_options *copy, const onefold_fit_options *options);

/* Sets options that a method has no use for as they are where nobody asks for them. */
void of_fit_options_drop(onefold_fit_options *options, const of_method *method);

/* Refuses options that differ from `standard` and are none of `used` ("kernel seed"): `who` would
 * ignore them. */
onefold_status of_fit_options_refuse(const onefold_fit_options *options,
                                     const onefold_fit_options *standard, const char *used,
                                     const char *who);

#endif
