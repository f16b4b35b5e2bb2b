/* SPDX-License-Identifier: Apache-2.0 */
/* Hashes of a fit's labels, weights, trace, embedding and model. */
#include "support/bits.h"

#include "support/ask.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* FNV-1a: a difference in one bit always shows. */
static uint64_t hash(uint64_t seed, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t value = 0xcbf29ce484222325u ^ seed;
    for (size_t i = 0; i < size; i++)
        value = (value ^ at[i]) * 0x100000001b3u;
    return value;
}

static onefold_status hash_model(of_context *context, const onefold_model *model, const char *path,
                                 uint64_t *out)
{
    size_t size;
    OF_TRY(onefold_model_write(model, context, path));
    char *bytes = folder_read(path, &size);
    *out = hash(size, bytes, size);
    free(bytes);
    unlink(path);
    return ONEFOLD_OK;
}

static onefold_status hash_result(of_context *context, const onefold_result *result,
                                  const char *path, bits *out)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    *out = (bits){.weights = info->views, .trace = info->iterations + 1000 * info->best_restart};
    snprintf(out->route, sizeof out->route, "%s",
             onefold_name(ONEFOLD_NAMES_ROUTE, ask_view(result, 0).route));
    if (info->held == info->samples)
        out->labels = hash(info->samples, info->labels, info->samples * sizeof(int32_t));
    out->run = hash(0, info->run, strlen(info->run));
    for (size_t v = 0; v < info->views; v++) {
        double weight = ask_view(result, v).weight;
        out->weights = hash(out->weights, &weight, sizeof(double));
    }
    out->trace = hash(out->trace, info->trace, info->iterations * sizeof(double));
    out->trace = hash(out->trace, &info->objective, sizeof info->objective);
    if (info->embedding)
        out->embedding = hash(info->embedding_rows, info->embedding,
                              info->samples * info->embedding_rows * sizeof(double));
    const onefold_model *model = onefold_result_describe(result)->model;
    return model ? hash_model(context, model, path, &out->model) : ONEFOLD_OK;
}

onefold_status bits_fit(of_context *context, const onefold_dataset *data,
                        const onefold_fit_options *options, const char *path, bits *out)
{
    onefold_result *result = NULL;
    OF_TRY(onefold_fit(&result, context, data, options));
    onefold_status status = hash_result(context, result, path, out);
    onefold_result_free(result);
    return status;
}

void bits_check(const bits *got, const bits *want, const char *what)
{
    assert_string_equal(got->route, want->route);
    const char *other = got->labels && got->labels != want->labels ? "labels"
                        : got->run != want->run                    ? "run"
                        : got->weights != want->weights            ? "weights"
                        : got->trace != want->trace                ? "trace"
                        : got->embedding != want->embedding        ? "embedding"
                        : got->model != want->model                ? "model"
                                                                   : NULL;
    if (other)
        fail_msg("%s: other bits of the %s", what, other);
}
