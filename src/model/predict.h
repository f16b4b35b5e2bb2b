/* SPDX-License-Identifier: Apache-2.0 */
/* Labelling the samples of a data set with a model, in as many pieces as one likes. */
#ifndef OF_MODEL_PREDICT_H
#define OF_MODEL_PREDICT_H

#include "model/model.h"

typedef struct of_predictor {
    of_context *context;
    const onefold_model *model;
    size_t samples;
    size_t width;        /* samples of a block */
    of_fresh *fresh;     /* one per view */
    const double *fused; /* clusters x stack: C' [beta_1 W_1, ...] */
    size_t stack;        /* views * dims */
    double *room;        /* per worker */
    size_t room_size;
    int apart; /* where samples are split over processes: each labels what it asks for by itself */
} of_predictor;

/* Holds the views against the model's: what does not fit is refused with the view's name. Memory is
 * from `arena` and does not depend on the number of samples, but for a training graph. */
onefold_status of_predictor_make(of_context *context, of_arena *arena, const onefold_model *model,
                                 const of_dataset *dataset, of_predictor *predictor);

/* Labels samples first .. first+count-1. */
onefold_status of_predictor_run(const of_predictor *predictor, size_t first, size_t count,
                                const onefold_prediction *prediction);

#endif
