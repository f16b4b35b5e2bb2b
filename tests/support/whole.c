/* SPDX-License-Identifier: Apache-2.0 */
/* The round of support/whole.h. Nothing here asserts: it runs in threads and in children. */
#include "support/whole.h"
#include "support/paper_options.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t whole_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    hash = hash ? hash : 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static onefold_status read_it(whole *out, onefold_context *context, const char *path,
                              onefold_dataset **data)
{
    onefold_status status = onefold_dataset_read(data, context, &path, 1, NULL);
    if (status != ONEFOLD_OK)
        return status;
    size_t n = onefold_dataset_describe(*data)->samples;
    out->read = whole_hash(0, &n, sizeof n);
    if (onefold_dataset_describe(*data)->truth)
        out->read =
            whole_hash(out->read, onefold_dataset_describe(*data)->truth, n * sizeof(int32_t));
    return ONEFOLD_OK;
}

static onefold_status fit_it(whole *out, onefold_context *context, const onefold_dataset *data,
                             const onefold_fit_options *options, onefold_result **result)
{
    onefold_status status = onefold_fit(result, context, data, options);
    if (status != ONEFOLD_OK)
        return status;
    const onefold_fit_info *info = onefold_result_describe(*result);
    out->fit = whole_hash(0, info->labels, info->samples * sizeof(int32_t));
    out->fit = whole_hash(out->fit, &info->objective, sizeof info->objective);
    out->fit = whole_hash(out->fit, info->trace, info->iterations * sizeof(double));
    if (info->embedding)
        out->fit = whole_hash(out->fit, info->embedding,
                              info->samples * info->embedding_rows * sizeof(double));
    return ONEFOLD_OK;
}

static onefold_status predict_it(whole *out, onefold_context *context, const onefold_dataset *data,
                                 const onefold_result *result)
{
    size_t n = onefold_dataset_describe(data)->samples;
    onefold_prediction to = ONEFOLD_PREDICTION_INIT;
    to.labels = calloc(n, sizeof *to.labels);
    to.confidence = calloc(n, sizeof *to.confidence);
    to.distance = calloc(n, sizeof *to.distance);
    onefold_status status =
        onefold_predict(&to, context, onefold_result_describe(result)->model, data, 0, n);
    out->predicted = whole_hash(0, to.labels, n * sizeof *to.labels);
    out->predicted = whole_hash(out->predicted, to.confidence, n * sizeof *to.confidence);
    out->predicted = whole_hash(out->predicted, to.distance, n * sizeof *to.distance);
    free(to.labels);
    free(to.confidence);
    free(to.distance);
    return status;
}

whole whole_round(const char *path, size_t clusters, const char *kernel, int threads,
                  const onefold_hooks *hooks)
{
    whole out = {.status = ONEFOLD_OK};
    onefold_context *context = NULL;
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    onefold_fit_options options = paper_options();
    options.clusters = clusters;
    options.kernel = kernel;
    options.keep_model = 1;
    options.restarts = 3;
    options.max_iterations = 6;
    out.status = onefold_context_create(&context, hooks);
    if (out.status == ONEFOLD_OK)
        out.status = onefold_context_set_threads(context, threads);
    if (out.status == ONEFOLD_OK)
        out.status = read_it(&out, context, path, &data);
    if (out.status == ONEFOLD_OK)
        out.status = fit_it(&out, context, data, &options, &result);
    if (out.status == ONEFOLD_OK)
        out.status = predict_it(&out, context, data, result);
    if (out.status != ONEFOLD_OK)
        snprintf(out.error, sizeof out.error, "%s", onefold_last_error());
    onefold_result_free(result);
    onefold_dataset_free(data);
    onefold_context_free(context);
    return out;
}
