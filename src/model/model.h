/* SPDX-License-Identifier: Apache-2.0 */
/* A model: what labels new samples, and nothing else. */
#ifndef OF_MODEL_MODEL_H
#define OF_MODEL_MODEL_H

#include "data/dataset.h"
#include "method/method.h"
#include "model/fit.h"
#include "partition/projection.h"

/*
 * Numbers to bytes and back, little-endian on any machine. One description of a format counts its
 * bytes, writes it and reads it: each call writes its argument or reads into it. A file is not
 * trusted: counts are checked against limits and the remaining bytes before memory is allocated,
 * and numbers must be finite. Counting does not touch arrays, which may not exist (base/memory.h).
 */

typedef struct of_codec {
    size_t at; /* bytes counted, written or read so far */
    onefold_status (*write)(void *to, const void *bytes, size_t size); /* or NULL */
    void *to;
    unsigned char *out;         /* written, or NULL */
    uint32_t crc;               /* CRC-32 of the written bytes */
    const unsigned char *bytes; /* read, or NULL; all three NULL: bytes are counted */
    size_t size;
    of_arena *arena; /* of arrays that are read */
    int older;       /* read: of the format before, without the knots of the confidence */
} of_codec;

/* A whole number of 4 or 8 bytes in least .. most. */
onefold_status of_code_count(of_codec *codec, size_t *count, size_t size, size_t least,
                             size_t most);

/* The low `size` bytes of a number. Writing leaves it unchanged. */
onefold_status of_code_whole(of_codec *codec, uint64_t *number, size_t size);

/* A finite number of 8 bytes, IEEE 754. */
onefold_status of_code_real(of_codec *codec, double *number);

/* Arrays: rows x columns finite numbers of 8 bytes; `count` whole numbers of 4 bytes, less than
 * `below`; `count` whole numbers of 8 bytes. Arrays that are read are from the arena. */
onefold_status of_code_reals(of_codec *codec, const double **array, size_t rows, size_t columns);
onefold_status of_code_columns(of_codec *codec, const uint32_t **array, size_t count, size_t below);
onefold_status of_code_starts(of_codec *codec, const size_t **array, size_t count);

/* A string: its length in 4 bytes, then its bytes. */
onefold_status of_code_text(of_codec *codec, const char **text);

/* A description of a view. Its projections are in the rule's sources. */
typedef struct of_model_view {
    const char *name;
    of_storage storage;
    of_kernel_kind kernel;
    size_t raw_columns; /* of a new sample */
    const double *fill; /* raw_columns: means or medians of the training samples; NULL: none */
    const char *const *column_names; /* raw_columns; NULL: none */
} of_model_view;

struct onefold_model {
    of_arena arena; /* of a model that was read; the model of a result is in the result's arena */
    uint64_t run;   /* number of the run (of_run_part); 0: unknown */
    char run_text[OF_RUN_TEXT];
    of_rule rule;
    const of_model_view *view;
    onefold_model_info info;
};

/* Makes the model of an outcome. Memory is from `arena`, which must hold the outcome's arrays. */
onefold_status of_model_make(of_context *context, of_arena *arena, const of_fit_plan *plan,
                             const of_outcome *outcome, onefold_model **model);

/* Checks a model that was read, and computes what is not in the file. */
onefold_status of_model_complete(of_arena *arena, onefold_model *model);

/* Computes what is not in the file from the arrays of a rule. */
onefold_status of_rule_prepare(of_arena *arena, onefold_precision precision, of_rule *rule);

/* Broadcasts the arrays of the rule of rank 0, into `arena`. The other fields must be equal. Uses
 * samples, views, clusters and precision of `info`. */
onefold_status of_rule_broadcast(of_arena *arena, onefold_model_info info, of_rule *rule);

/* The first bytes of a model, which no text and no file of data begins with. */
enum { OF_MODEL_MAGIC = 8 };
extern const char of_model_magic[OF_MODEL_MAGIC + 1];

/* Writes a model of `bytes` bytes (of_model_size). */
onefold_status of_model_code(of_codec *codec, const onefold_model *model, size_t bytes);

/* The number of bytes of the model's file. */
onefold_status of_model_size(const onefold_model *model, size_t *bytes);

/* Labels the samples of the fit by the model. With wanted->distance, sets the mean and the largest
 * distance in `model`. */
onefold_status of_model_relabel(of_context *context, onefold_model *model,
                                const of_dataset *dataset, const onefold_prediction *wanted);

/* A model of joined columns as a map: x of a sample is the constant, then `map` times y, the
 * sample's columns minus their centres. */
typedef struct of_columns {
    const of_dataset *dataset;
    const of_rule *rule;
    size_t rows;          /* columns of all views side by side */
    const double *centre; /* rows */
    const double *map;    /* dims x rows */
    const double *square; /* rows: factors of the squares of y in a sample's squared length */
} of_columns;

/* `rows` becomes 0 for models of another kind, and for views that are not dense and complete. */
onefold_status of_columns_make(of_arena *arena, const onefold_model *model,
                               const of_dataset *dataset, of_columns *columns);

/* y (rows x count) and x (dims x count) of samples first .. first+count-1. *usable is 0, and x not
 * set, where a number is missing or too large. */
onefold_status of_columns_apply(const of_columns *columns, size_t first, size_t count, double *y,
                                double *x, int *usable);

/* of_rule_distance of a sample. */
double of_columns_distance(const of_columns *columns, const double *y, const double *x);

/* A step of k-means over all samples, for a model of joined columns that was fitted on a sample:
 * centres move to the means of their samples. Other models stay as they are, and so does one where
 * a cluster would become empty. */
onefold_status of_model_step(of_context *context, of_arena *arena, onefold_model *model,
                             const of_dataset *dataset);

/* A data set with the model's views in their order, and the model's columns in their order where
 * both have names of columns. A missing view becomes one that every sample lacks. A missing or
 * repeated column is refused by name; columns that the model does not have are ignored. The result
 * is from `arena` and reads from `dataset`. */
onefold_status of_model_order(of_context *context, of_arena *arena, const onefold_model *model,
                              const of_dataset *dataset, const of_dataset **ordered);

#endif
