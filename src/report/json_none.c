/* SPDX-License-Identifier: Apache-2.0 */
/* The same functions in a build without a JSON library: each says so. */
#include "base/status.h"

#ifndef ONEFOLD_WITH_JSON

static onefold_status refuse(void)
{
    return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "JSON is not in this build"),
                   "build with -DONEFOLD_WITH_JSON=ON");
}

#define WITHOUT(...)                                                                               \
    onefold_status __VA_ARGS__                                                                     \
    {                                                                                              \
        (void)text, (void)object, (void)extras;                                                    \
        return refuse();                                                                           \
    }

WITHOUT(onefold_result_json(char **text, const onefold_result *object,
                            const onefold_json_extras *extras))
WITHOUT(onefold_estimate_json(char **text, const onefold_estimate *object,
                              const onefold_json_extras *extras))
WITHOUT(onefold_model_json(char **text, const onefold_model *object,
                           const onefold_json_extras *extras))
WITHOUT(onefold_choice_json(char **text, const onefold_choice *object,
                            const onefold_json_extras *extras))
WITHOUT(onefold_experiment_json(char **text, const onefold_experiment *object,
                                const onefold_json_extras *extras))
WITHOUT(onefold_dataset_json(char **text, const onefold_dataset *object,
                             const onefold_json_extras *extras))
WITHOUT(onefold_scores_json(char **text, const onefold_scores *object, size_t extras))

onefold_status onefold_prediction_json(char **text, const onefold_model *model,
                                       const onefold_prediction *prediction, size_t samples,
                                       const onefold_json_extras *extras)
{
    (void)text, (void)model, (void)prediction, (void)samples, (void)extras;
    return refuse();
}

#endif
