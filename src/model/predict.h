/* SPDX-License-Identifier: Apache-2.0 */
/* Labelling the samples of a data set with a model, in as many pieces as one likes. */
#ifndef OF_MODEL_PREDICT_H
#define OF_MODEL_PREDICT_H

#include "model/model.h"

/* How the partitions become the fused embedding and scores. */
typedef struct of_fusion {
    size_t stack;        /* parts * dims */
    const double *B;     /* dims x stack: [beta_1 W_1, ...] */
    const double *fused; /* clusters x stack: C' B */
} of_fusion;
onefold_status of_fusion_make(of_arena *arena, const onefold_model *model, of_fusion *fusion);

typedef struct of_predictor {
    of_context *context;
    const onefold_model *model;
    const of_dataset *dataset;
    of_fusion fusion;
    size_t width;    /* samples of a block */
    of_fresh *fresh; /* one per view, for all its sources */
    double *room;    /* per worker */
    size_t room_size;
    size_t *on_gpu; /* samples that a GPU has labelled are added to it; NULL: nobody asks */
} of_predictor;

/* Holds the views against the model's: what does not fit is refused with the view's name. Memory is
 * from `arena` and does not depend on the number of samples, but for a training graph. */
onefold_status of_predictor_make(of_context *context, of_arena *arena, const onefold_model *model,
                                 const of_fusion *fusion, const of_dataset *dataset,
                                 of_predictor *predictor);

#endif
