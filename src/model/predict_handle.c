/* SPDX-License-Identifier: Apache-2.0 */
/* The public predictor: a model made ready once, that is fed samples; and onefold_predict. */
#include "model/predict.h"

#include "base/blas_threads.h"
#include "base/public_call.h"
#include "base/structs.h"

struct onefold_predictor {
    of_arena arena; /* of what it points to, and of the predictor itself */
    const onefold_model *model;
    of_fusion fusion;
    size_t on_card; /* samples that a card has labelled */
};

onefold_status onefold_predictor_create(onefold_predictor **predictor, onefold_context *context,
                                        const onefold_model *model)
{
    if (!predictor || !model)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_predictor_create needs a place for the predictor and a model");
    of_arena arena = of_arena_make(of_context_or_default(context));
    onefold_predictor *made;
    OF_TRY(of_blas_room(arena.context->threads));
    OF_TRY(OF_NEW_ZERO(&arena, &made, 1, 1));
    made->arena = arena; /* it lives in its own arena */
    made->model = model;
    of_blas_enter();
    onefold_status status = of_fusion_make(&made->arena, model, &made->fusion);
    of_blas_leave();
    if (status == ONEFOLD_OK)
        *predictor = made;
    else
        onefold_predictor_free(made);
    return status;
}

void onefold_predictor_free(onefold_predictor *predictor)
{
    if (!predictor)
        return;
    of_arena arena = predictor->arena;
    of_arena_free(&arena);
}

size_t onefold_predictor_on_card(const onefold_predictor *predictor)
{
    return predictor ? predictor->on_card : 0;
}

typedef struct feed_arguments {
    onefold_predictor *predictor;
    const of_dataset *dataset;
    size_t first, count;
    const onefold_prediction *wanted;
} feed_arguments;

static onefold_status feed_together(of_context *context, void *opaque)
{
    const feed_arguments *of = opaque;
    OF_SCRATCH(scratch, context);
    of_predictor fed;
    onefold_status status = of_blas_room(context->threads);
    if (status == ONEFOLD_OK)
        status = of_predictor_make(context, &scratch, of->predictor->model, &of->predictor->fusion,
                                   of->dataset, &fed);
    fed.on_card = &of->predictor->on_card;
    if (status == ONEFOLD_OK)
        status = of_predictor_run(&fed, of->first, of->count, of->wanted);
    return of_comm_agree(context, of_dataset_intact(of->dataset, status));
}

onefold_status onefold_predictor_feed(onefold_predictor *predictor, const onefold_dataset *dataset,
                                      size_t first, size_t count, onefold_prediction *prediction)
{
    if (!predictor || !dataset || !prediction)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_predictor_feed needs a predictor, a data set and a place for the "
                       "labels");
    onefold_prediction wanted = ONEFOLD_PREDICTION_INIT;
    OF_TRY(OF_STRUCT_READ(&wanted, prediction, onefold_prediction));
    feed_arguments arguments = {predictor, &dataset->set, first, count, &wanted};
    return of_call(predictor->arena.context, "predict", feed_together, &arguments);
}

onefold_status onefold_predict(onefold_prediction *prediction, onefold_context *context,
                               const onefold_model *model, const onefold_dataset *dataset,
                               size_t first, size_t count)
{
    onefold_predictor *predictor = NULL;
    if (!prediction || !model || !dataset)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_predict needs a place for the labels, a model and a data set");
    OF_TRY(onefold_predictor_create(&predictor, context, model));
    onefold_status status = onefold_predictor_feed(predictor, dataset, first, count, prediction);
    onefold_predictor_free(predictor);
    return status;
}
