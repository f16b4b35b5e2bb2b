/* SPDX-License-Identifier: Apache-2.0 */
/* What a context has read, and outputs that are placed together. */
#include "io/run_files.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct known_file {
    dev_t device;
    ino_t number;
} known_file;

struct of_run_files {
    of_arena arena;
    pthread_mutex_t lock; /* files may be read side by side */
    known_file *read;
    size_t read_count, read_room;
    of_atomic_file **held;
    size_t held_count, held_room;
    int holding;
};

static void drop_held(struct of_run_files *files)
{
    for (size_t i = 0; i < files->held_count; i++)
        of_atomic_abandon(files->held[i]);
    files->held_count = 0;
}

static void end(struct of_run_files *files)
{
    drop_held(files);
    pthread_mutex_destroy(&files->lock);
    of_arena_free(&files->arena);
    free(files);
}

static onefold_status make(of_context *context)
{
    if (context->run_files)
        return ONEFOLD_OK;
    struct of_run_files *made = calloc(1, sizeof *made);
    if (!made)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for a list of files");
    made->arena = of_arena_make(context);
    pthread_mutex_init(&made->lock, NULL);
    context->run_files = made;
    context->run_files_end = end;
    return ONEFOLD_OK;
}

static int is_known(const struct of_run_files *files, const struct stat *about)
{
    for (size_t i = 0; i < files->read_count; i++)
        if (files->read[i].device == about->st_dev && files->read[i].number == about->st_ino)
            return 1;
    return 0;
}

onefold_status of_run_files_read(of_context *context, int descriptor)
{
    struct stat about;
    struct of_run_files *files = context->run_files;
    if (!files || fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        return ONEFOLD_OK;
    pthread_mutex_lock(&files->lock);
    onefold_status status = ONEFOLD_OK;
    if (!is_known(files, &about))
        status = OF_GROW(&files->arena, &files->read, files->read_count, &files->read_room,
                         files->read_count + 1);
    if (status == ONEFOLD_OK && !is_known(files, &about))
        files->read[files->read_count++] = (known_file){about.st_dev, about.st_ino};
    pthread_mutex_unlock(&files->lock);
    return status;
}

onefold_status of_run_files_hold(of_atomic_file *file, int *held)
{
    struct of_run_files *files = file->context->run_files;
    of_atomic_file *copy;
    *held = 0;
    if (!files || !files->holding)
        return ONEFOLD_OK;
    OF_TRY(OF_GROW(&files->arena, &files->held, files->held_count, &files->held_room,
                   files->held_count + 1));
    OF_TRY(OF_NEW(&files->arena, &copy, 1, 1));
    of_arena_release(&file->arena, file->block);
    file->block = NULL;
    *copy = *file;
    char *path; /* the caller's may be gone by the time it is placed */
    OF_TRY(of_arena_string(&files->arena, &path, "%s", file->path));
    copy->path = path;
    files->held[files->held_count++] = copy;
    *file = (of_atomic_file){
        .context = file->context, .arena = of_arena_make(file->context), .descriptor = -1};
    *held = 1;
    return ONEFOLD_OK;
}

onefold_status of_run_files_place(of_atomic_file *const *files, size_t count)
{
    const struct of_run_files *with = count ? files[0]->context->run_files : NULL;
    if (!with || !with->holding)
        return of_atomic_place_all(files, count);
    for (size_t i = 0; i < count; i++) {
        int held;
        OF_TRY(of_run_files_hold(files[i], &held));
    }
    return ONEFOLD_OK;
}

onefold_status onefold_context_hold_outputs(onefold_context *context)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "holding outputs needs a context");
    OF_TRY(make(context));
    context->run_files->holding = 1;
    return ONEFOLD_OK;
}

onefold_status onefold_context_place_outputs(onefold_context *context)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "placing outputs needs a context");
    struct of_run_files *files = context->run_files;
    if (!files || !files->holding)
        return of_fail(ONEFOLD_USAGE, "outputs are placed that were not held before");
    files->holding = 0;
    onefold_status status =
        files->held_count ? of_atomic_place_all(files->held, files->held_count) : ONEFOLD_OK;
    drop_held(files);
    return status;
}

onefold_status onefold_context_check_output(onefold_context *context, const char *path)
{
    struct stat about;
    if (!context || !path)
        return of_fail(ONEFOLD_USAGE, "checking an output needs a context and a path");
    if (!context->run_files || stat(path, &about) != 0 || !is_known(context->run_files, &about))
        return ONEFOLD_OK;
    return of_hint(of_fail(ONEFOLD_USAGE, "%s would overwrite the data itself", path),
                   "give it another name");
}
