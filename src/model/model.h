/* SPDX-License-Identifier: Apache-2.0 */
/* A model: everything that labels a new sample, and nothing else. */
#ifndef OF_MODEL_MODEL_H
#define OF_MODEL_MODEL_H

#include "method/method.h"
#include "model/fit.h"
#include "partition/projection.h"

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
    of_arena arena;      /* of a model that was read; a result's own lives in the result's */
    const char *version; /* of the library that made it */
    size_t samples;      /* fitted on */
    size_t views, clusters;
    uint64_t seed;
    onefold_precision precision;
    onefold_impute impute;               /* what the fills are: means or medians */
    double distance_mean, distance_most; /* of the training samples, as predict has them */
    of_rule rule;
    const of_model_view *view;
    size_t bytes;                         /* of its file */
    const onefold_model_view_info *shown; /* one per view */
};

/* The model of what a method found. Everything is from `arena`, which the method's arrays are from
 * too. */
onefold_status of_model_make(of_context *context, of_arena *arena, const of_fit_plan *plan,
                             const of_outcome *outcome, onefold_model **model);

/* What keeping the model of a fit will take: bytes of its file, and held beside what the fit holds
 * without one. */
onefold_status of_model_estimate_bytes(of_context *context, const of_method *method,
                                       const of_problem *problem, size_t *file, size_t *held);

/* What of_model_make and of_model_read leave to be computed: bytes, and what is shown. */
onefold_status of_model_finish(of_arena *arena, onefold_model *model);

/* Refuses a model whose parts contradict each other. */
onefold_status of_model_check(const onefold_model *model);

/* Bytes of the model file. */
onefold_status of_model_size(const onefold_model *model, size_t *bytes);

/* The model that the bytes of a file are. */
onefold_status of_model_parse(of_arena *arena, const unsigned char *bytes, size_t size,
                              onefold_model **model);

/* Labels the samples the model was made of, by the model: what it would say of them again, with
 * the views' parts in that (views x samples; NULL: not asked for). Sets the distances seen in
 * training. */
onefold_status of_model_relabel(of_context *context, onefold_model *model,
                                const of_dataset *dataset, int32_t *labels, double *parts);

#endif
