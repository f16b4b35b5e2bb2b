/* SPDX-License-Identifier: Apache-2.0 */
/* A model: everything that labels a new sample, and nothing else. */
#ifndef OF_MODEL_MODEL_H
#define OF_MODEL_MODEL_H

#include "data/dataset.h"
#include "io/atomic_file.h"
#include "method/method.h"
#include "model/fit.h"
#include "partition/projection.h"

/*
 * Numbers to bytes and back, little end first on any machine. One description of a format serves
 * for counting its bytes, for writing and for reading: every call either writes what it is given or
 * reads into it. What is read is never trusted: counts are held against limits and against the
 * bytes that are left before anything is allocated, and numbers must be finite. Where bytes are
 * only counted, numbers need not be there (base/memory.h).
 */

typedef struct of_codec {
    size_t at;                  /* bytes counted, written or read so far */
    of_atomic_file *file;       /* to write to, or */
    unsigned char *out;         /* to write to */
    uint32_t crc;               /* CRC-32 of all that was written */
    const unsigned char *bytes; /* to read; NULL as the two above: bytes are counted */
    size_t size;
    of_arena *arena; /* of what is made of the bytes that are read */
} of_codec;

onefold_status of_code_bytes(of_codec *codec, void *bytes, size_t size);

/* A whole number of 4 or 8 bytes in least .. most. */
onefold_status of_code_count(of_codec *codec, size_t *count, size_t size, size_t least,
                             size_t most);

/* The low `size` bytes of a number, the least first; what is written comes out as it went in. */
onefold_status of_code_whole(of_codec *codec, uint64_t *number, size_t size);

/* A finite number of 8 bytes, IEEE 754. */
onefold_status of_code_real(of_codec *codec, double *number);

/* Arrays: rows x columns finite numbers of 8 bytes; `count` whole numbers below `below`, of 4 bytes
 * or of 8. Read ones are from the arena. */
onefold_status of_code_reals(of_codec *codec, const double **array, size_t rows, size_t columns);
onefold_status of_code_columns(of_codec *codec, const uint32_t **array, size_t count, size_t below);
onefold_status of_code_starts(of_codec *codec, const size_t **array, size_t count);

/* A string: its length in 4 bytes, then its bytes. */
onefold_status of_code_text(of_codec *codec, const char **text);

/* One view: what it was. What it does to a sample is in the rule's sources. */
typedef struct of_model_view {
    const char *name;
    of_storage storage;
    of_kernel_kind kernel;
    size_t raw_columns; /* that a new sample has */
    const double *fill; /* raw_columns: the training samples' means or medians; NULL: none */
    const char *const *column_names; /* raw_columns; NULL: none */
} of_model_view;

struct onefold_model {
    of_arena arena; /* of a model that was read; a result's own lives in the result's */
    uint64_t run;   /* its number (of_run_part); 0: not known */
    char run_text[OF_RUN_TEXT];
    of_rule rule;
    const of_model_view *view;
    onefold_model_info info; /* what it is, as callers are shown it */
};

/* The model of what a method found. Everything is from `arena`, which the method's arrays are from
 * too. */
onefold_status of_model_make(of_context *context, of_arena *arena, const of_fit_plan *plan,
                             const of_outcome *outcome, onefold_model **model);

/* Checks a model that was read, and makes of it what is not in the file. */
onefold_status of_model_complete(of_arena *arena, onefold_model *model);

/* Makes of a rule whose arrays were read what is not among them. */
onefold_status of_rule_prepare(of_arena *arena, onefold_precision precision, of_rule *rule);

/* The arrays of the rule that rank 0 has become everyone's, from `arena`; its other fields are
 * there. Of `info`: samples, views, clusters, precision. */
onefold_status of_rule_broadcast(of_arena *arena, onefold_model_info info, of_rule *rule);

/* Bytes of its file. */
onefold_status of_model_size(const onefold_model *model, size_t *bytes);

/* Labels the samples of the fit by the model: what it would say of them again. Sets the distances
 * seen in training where they are wanted. */
onefold_status of_model_relabel(of_context *context, onefold_model *model,
                                const of_dataset *dataset, const onefold_prediction *wanted);

/* Models of joined columns, as a map of the columns of all views that they join: x of a sample is
 * the constant and `map` times y, its columns less their centres. */
typedef struct of_columns {
    const of_dataset *dataset;
    const of_rule *rule;
    size_t rows;          /* columns of all views side by side */
    const double *centre; /* rows */
    const double *map;    /* dims x rows */
    const double *square; /* rows: by which squares of y count in a sample's squared length */
} of_columns;

/* rows is 0 where the model is of another kind, or the views are not dense and complete. */
onefold_status of_columns_make(of_arena *arena, const onefold_model *model,
                               const of_dataset *dataset, of_columns *columns);

/* y (rows x count) and x (dims x count) of samples first .. first+count-1. *usable is 0, and x not
 * made, where a number is missing or too large. */
onefold_status of_columns_apply(const of_columns *columns, size_t first, size_t count, double *y,
                                double *x, int *usable);

/* What of_rule_distance says of a sample. */
double of_columns_distance(const of_columns *columns, const double *y, const double *x);

/* A step of k-means over all samples, of a model of joined columns whose clusters were found on
 * some of them: centres move to the means of the samples that are nearest to them. Models of other
 * kinds, and those of which a cluster would lose all samples, stay as they are. */
onefold_status of_model_step(of_context *context, of_arena *arena, onefold_model *model,
                             const of_dataset *dataset);

/* The data set as the model's: its views in their order, those that it has not as views that every
 * sample lacks, and of views that have names of columns, as the model's have, the columns in their
 * order. It is from `arena` and reads through the given one. A column that the model has and the
 * data has not, or has twice, is refused by name; others are passed over. */
onefold_status of_model_order(of_context *context, of_arena *arena, const onefold_model *model,
                              const of_dataset *dataset, const of_dataset **ordered);

#endif
