/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a model. */
#include "base/mapped.h"
#include "io/atomic_file.h"
#include "io/file.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static onefold_status write_piece(void *to, const void *bytes, size_t size)
{
    return of_atomic_write(to, bytes, size);
}

onefold_status onefold_model_write(const onefold_model *model, onefold_context *context,
                                   const char *path)
{
    if (!model || !path)
        return of_fail(ONEFOLD_USAGE, "onefold_model_write needs a model and a path");
    OF_ATOMIC_FILE(file);
    size_t bytes;
    OF_TRY(of_model_size(model, &bytes));
    OF_TRY(of_atomic_open(&file, of_context_or_default(context), path));
    of_codec codec = {.write = write_piece, .to = &file};
    OF_TRY(of_model_code(&codec, model, bytes));
    return of_atomic_commit(&file);
}

onefold_status onefold_model_read(onefold_model **model, onefold_context *context, const char *path)
{
    if (!model || !path)
        return of_fail(ONEFOLD_USAGE, "onefold_model_read needs a place for the model and a path");
    of_file file;
    onefold_model *made = NULL;
    OF_TRY(of_file_read(&file, of_context_or_default(context), path, NULL, 0));
    onefold_status status = onefold_model_decode(&made, context, file.bytes, file.size);
    if (status != ONEFOLD_OK)
        of_blame(status, "%s", path);
    status = of_mapped_intact(file.bytes, status);
    of_file_close(&file);
    return of_object_give(model, made, status);
}

int onefold_model_is_file(const char *path)
{
    char start[OF_MODEL_MAGIC];
    struct stat about;
    if (!path || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return 0; /* opening a pipe could wait for ever, and could not be cancelled */
    FILE *file = fopen(path, "rb");
    int is = file && fread(start, sizeof start, 1, file) == 1 &&
             memcmp(start, of_model_magic, sizeof start) == 0;
    if (file)
        fclose(file);
    return is;
}
