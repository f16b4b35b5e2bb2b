/* SPDX-License-Identifier: Apache-2.0 */
/* What the targets share. */
#include "fuzz/fuzz.h"

#include "base/context.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In a child process libhdf5 may copy past the ends of its own blocks: that is what the child is
 * for, and what comes of it is seen. The sanitizer asks for this. */
const char *__asan_default_suppressions(void);
const char *__asan_default_suppressions(void)
{
    return "interceptor_via_lib:libhdf5\n";
}

void fuzz_demand(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "it does not hold that %s (last error: %s)\n", what, onefold_last_error());
    abort();
}

int fuzz_worked(onefold_status status)
{
    if (status == ONEFOLD_OK)
        return 1;
    fuzz_demand(onefold_name(ONEFOLD_NAMES_STATUS, status) != NULL, "a status has a name");
    fuzz_demand(status != ONEFOLD_FAULT, "no input is a fault of the library");
    fuzz_demand(onefold_last_error()[0] != '\0', "a failure has a sentence");
    return 0;
}

onefold_context *fuzz_context(void)
{
    static onefold_context *context;
    if (!context) {
        fuzz_demand(onefold_context_create(&context, NULL) == ONEFOLD_OK, "there is a context");
        (void)!onefold_context_set_threads(context, 1);
        (void)!onefold_context_set_memory_limit(context, (size_t)256 << 20);
    }
    return context;
}

unsigned fuzz_take(fuzz_bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

fuzz_bytes fuzz_piece(fuzz_bytes *bytes)
{
    static const char mark[] = "\n@@\n";
    enum { MARK = sizeof mark - 1 };
    fuzz_bytes piece = *bytes;
    const uint8_t *found = bytes->left ? memmem(bytes->at, bytes->left, mark, MARK) : NULL;
    if (!found) {
        bytes->at += bytes->left;
        bytes->left = 0;
        return piece;
    }
    piece.left = (size_t)(found - bytes->at);
    bytes->left -= piece.left + MARK;
    bytes->at = found + MARK;
    return piece;
}

/* ---- files ---- */

static char folder[64];
static long owner; /* a child that forked does not remove its parent's */

static void end_folder(void)
{
    if ((long)getpid() != owner)
        return;
    fuzz_clear();
    rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "%s/onefold-fuzz-%ld-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
        fuzz_demand(mkdtemp(folder) != NULL, "there is a folder");
        owner = (long)getpid();
        atexit(end_folder);
    }
    return folder;
}

const char *fuzz_path(const char *name)
{
    static char paths[8][128];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", fuzz_folder(), name);
    return path;
}

void fuzz_clear(void)
{
    DIR *list = opendir(fuzz_folder());
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char path[400];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0)
            rmdir(path);
    }
    if (list)
        closedir(list);
}

const char *fuzz_save(const char *name, const void *bytes, size_t size)
{
    const char *path = fuzz_path(name);
    FILE *file = fopen(path, "wb");
    int saved = file && (size == 0 || fwrite(bytes, 1, size, file) == size);
    fuzz_demand(file && fclose(file) == 0 && saved, "the input can be saved");
    return path;
}

/* ---- data ---- */

onefold_read_options fuzz_read_options(unsigned flags)
{
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    options.samples_are = (onefold_side)((flags & 3) % 3);
    options.impute = (onefold_impute)((flags >> 2 & 3) % 3);
    options.header = (onefold_header)((flags >> 4 & 3) % 3);
    options.match = (onefold_match)(flags >> 6 & 1);
    options.pass_once = (int)(flags >> 7 & 1);
    return options;
}

static int is_text(const char *text)
{
    return text && strlen(text) < 1 << 20;
}

static int is_present(const onefold_dataset *data, size_t sample, size_t view)
{
    const onefold_dataset_info *info = onefold_dataset_describe(data);
    return !info->present || info->present[sample * info->views + view];
}

static void look_at_views(const onefold_dataset *data, int passed)
{
    size_t samples = onefold_dataset_describe(data)->samples;
    for (size_t v = 0; v < onefold_dataset_describe(data)->views; v++) {
        onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
        fuzz_demand(onefold_dataset_view(data, v, &view) == ONEFOLD_OK, "a view is described");
        fuzz_demand(is_text(view.name) && view.columns > 0, "a view has a name and columns");
        fuzz_demand(view.missing <= samples, "no more samples lack a view than there are");
        for (size_t i = 0; i < view.columns && i < 100; i++)
            fuzz_demand(!view.column_names || is_text(view.column_names[i]),
                        "a named column has a name");
        if (passed || samples > 1000 || view.columns > 1000)
            continue;
        double *values = malloc(samples * view.columns * sizeof *values);
        fuzz_demand(values && onefold_dataset_values(values, data, v, 0, samples) == ONEFOLD_OK,
                    "values are there");
        int kernel = view.storage == ONEFOLD_STORAGE_KERNEL; /* its columns are samples */
        for (size_t j = 0; j < samples; j++)
            for (size_t i = 0; is_present(data, j, v) && i < view.columns; i++)
                fuzz_demand((kernel && !is_present(data, i, v)) ||
                                isfinite(values[j * view.columns + i]),
                            "values are finite");
        free(values);
    }
}

static void look_at(const onefold_dataset *data, int passed)
{
    size_t samples = onefold_dataset_describe(data)->samples,
           classes = onefold_dataset_describe(data)->classes;
    const int32_t *truth = onefold_dataset_describe(data)->truth;
    fuzz_demand(onefold_dataset_describe(data)->views > 0, "there is a view");
    fuzz_demand(!truth == (classes == 0), "labels and classes go together");
    for (size_t j = 0; truth && j < samples; j++)
        fuzz_demand(truth[j] >= 0 && (size_t)truth[j] < classes, "classes are in range");
    for (size_t c = 0; c < classes; c++)
        fuzz_demand(is_text(onefold_dataset_describe(data)->class_names[c]), "a class has a name");
    for (size_t i = 0; i < onefold_dataset_describe(data)->notes; i++)
        fuzz_demand(is_text(onefold_dataset_describe(data)->note[i]), "a note is a sentence");
    for (size_t i = 0; i < onefold_dataset_describe(data)->assumptions; i++)
        fuzz_demand(is_text(onefold_dataset_describe(data)->assumption[i]),
                    "an assumption is a sentence");
    const char *const *names = onefold_dataset_describe(data)->sample_names;
    for (size_t j = 0; j < samples && j < 1000; j++)
        fuzz_demand(!names || is_text(names[j]), "a sample has a name");
    look_at_views(data, passed);
}

void fuzz_check_result(const onefold_result *result, size_t samples)
{
    const onefold_fit_info *info = onefold_result_describe(result);
    const int32_t *labels = info->labels;
    fuzz_demand(info->samples == samples, "every sample has a label");
    size_t all = 0;
    for (size_t j = 0; j < samples; j++)
        fuzz_demand(labels[j] >= 0 && (size_t)labels[j] < info->clusters, "labels are in range");
    for (size_t c = 0; info->sizes && c < info->clusters; c++)
        all += info->sizes[c];
    fuzz_demand(!info->sizes || all == samples, "sizes add up");
    fuzz_demand(!isnan(info->objective), "the objective is a number");
    for (size_t i = 0; info->trace && i < info->iterations; i++)
        fuzz_demand(isfinite(info->trace[i]), "the trace is of numbers");
    for (size_t i = 0; info->embedding && i < info->embedding_rows * samples; i++)
        fuzz_demand(isfinite(info->embedding[i]), "the embedding is of numbers");
    for (size_t j = 0; info->confidence && j < samples; j++)
        fuzz_demand(info->confidence[j] >= 0 && info->confidence[j] <= 1, "confidence is in range");
    for (size_t v = 0; v < info->views; v++) {
        fuzz_demand(isfinite(info->view[v]->weight), "weights are numbers");
    }
}

static void try_fit(const onefold_dataset *data)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_result *result = NULL;
    size_t samples = onefold_dataset_describe(data)->samples;
    if (samples > 40 || onefold_dataset_describe(data)->views > 4)
        return;
    options.clusters = 2;
    options.method = "os-lfmvc-cs";
    options.restarts = 2;
    options.max_iterations = 5;
    if (!fuzz_worked(onefold_fit(&result, fuzz_context(), data, &options)))
        return;
    fuzz_check_result(result, samples);
    onefold_result_free(result);
}

/* A file that was written is read again as it was. */
static void write_and_read(const onefold_dataset *data)
{
    const char *path = fuzz_path("again.npz");
    onefold_dataset *again = NULL;
    if (!fuzz_worked(onefold_dataset_write(data, fuzz_context(), path)))
        return;
    if (fuzz_worked(onefold_dataset_read(&again, fuzz_context(), &path, 1, NULL)))
        look_at(again, 0);
    onefold_dataset_free(again);
}

void fuzz_use(onefold_dataset *data, int passed)
{
    look_at(data, passed);
    if (!passed && onefold_dataset_describe(data)->samples <= 1000) {
        write_and_read(data);
        try_fit(data);
    }
    onefold_dataset_free(data);
}

void fuzz_read(const char *const *paths, size_t count, const onefold_read_options *options)
{
    onefold_dataset *data = NULL;
    if (fuzz_worked(onefold_dataset_read(&data, fuzz_context(), paths, count, options)))
        fuzz_use(data, options->pass_once);
    else
        fuzz_demand(data == NULL, "nothing is made where reading fails");
}
