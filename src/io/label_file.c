/* SPDX-License-Identifier: Apache-2.0 */
/* Files of labels: read, matched by id, and written as they come. */
#include "io/write.h"

#include "data/dataset.h"
#include "io/match.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- a file that labels are added to -------------------------------------------------------- */

static onefold_status start_table(of_label_file *file)
{
    char mark = file->separator;
    return file->extras.confidence
               ? of_atomic_print(&file->file, "sample%ccluster%cconfidence\n", mark, mark)
               : of_atomic_print(&file->file, "sample%ccluster\n", mark);
}

/* What the ending asks for; labels of a container are held until all are there. */
static onefold_status open_kind(of_label_file *file, const char *path)
{
    const char *dot = strrchr(path, '.');
    file->binary = dot && strcasecmp(dot, ".npy") == 0;
    if (dot && (strcasecmp(dot, ".mat") == 0 || strcasecmp(dot, ".npz") == 0)) {
        if (file->extras.confidence)
            OF_TRY(OF_NEW(&file->arena, &file->sure, file->samples, 1));
        return OF_NEW(&file->arena, &file->held, file->samples, 1);
    }
    int stream = of_is_stream(path) && !file->binary && !(dot && strcasecmp(dot, ".txt") == 0);
    if (file->extras.table && (dot || stream))
        file->separator = dot && strcasecmp(dot, ".tsv") == 0               ? '\t'
                          : stream || (dot && strcasecmp(dot, ".csv") == 0) ? ','
                                                                            : '\0';
    OF_TRY(of_atomic_open(&file->file, file->arena.context, path));
    if (file->separator)
        return start_table(file);
    if (!file->binary)
        return ONEFOLD_OK;
    of_npy array = {.type = OF_I32, .dimensions = 1, .shape = {file->samples}};
    return of_npy_header(of_atomic_sink(&file->file), &array);
}

onefold_status of_label_file_open(of_label_file *file, of_context *context, const char *path,
                                  size_t samples, const of_label_extras *extras)
{
    *file = (of_label_file)OF_LABEL_FILE_INIT;
    file->samples = samples;
    file->arena = of_arena_make(context);
    if (extras)
        file->extras = *extras;
    OF_TRY(of_arena_string(&file->arena, &file->path, "%s", path));
    return open_kind(file, path);
}

/* A row of a table. Six digits of a confidence say all there is to it. */
static onefold_status add_row(of_label_file *file, size_t sample, int32_t label,
                              const double *confidence)
{
    if (file->extras.names)
        OF_TRY(of_write_name(&file->file, file->extras.names[sample], file->separator,
                             file->separator));
    else
        OF_TRY(of_atomic_print(&file->file, "%zu%c", sample + 1, file->separator));
    if (!confidence)
        return of_atomic_print(&file->file, "%d\n", (int)label);
    return of_atomic_print(&file->file, "%d%c%.6g\n", (int)label, file->separator, *confidence);
}

onefold_status of_label_file_add(of_label_file *file, const int32_t *labels,
                                 const double *confidence, size_t count)
{
    if (count > file->samples - file->written)
        return of_fail(ONEFOLD_USAGE, "more labels than the %zu promised", file->samples);
    if (file->extras.confidence && !confidence)
        return of_fail(ONEFOLD_USAGE, "labels were promised with their confidence");
    if (file->held)
        memcpy(file->held + file->written, labels, count * sizeof *labels);
    if (file->sure)
        memcpy(file->sure + file->written, confidence, count * sizeof *confidence);
    if (file->binary)
        OF_TRY(of_atomic_write(&file->file, labels, count * sizeof *labels));
    for (size_t i = 0; !file->held && !file->binary && i < count; i++)
        if (file->separator)
            OF_TRY(add_row(file, file->written + i, labels[i],
                           file->extras.confidence ? &confidence[i] : NULL));
        else
            OF_TRY(of_atomic_print(&file->file, "%d\n", (int)labels[i]));
    file->written += count;
    return ONEFOLD_OK;
}

onefold_status of_label_file_commit(of_label_file *file)
{
    if (file->written != file->samples)
        return of_fail(ONEFOLD_USAGE, "%zu labels of the %zu promised", file->written,
                       file->samples);
    if (!file->held)
        return of_atomic_commit(&file->file);
    const char *dot = strrchr(file->path, '.');
    OF_TRY(of_atomic_open(&file->file, file->arena.context, file->path));
    OF_TRY(strcasecmp(dot, ".mat") == 0 ? of_write_mat_labels(&file->file, file->held, file->sure,
                                                              file->extras.names, file->samples)
                                        : of_write_npz_labels(&file->file, file->held, file->sure,
                                                              file->extras.names, file->samples));
    return of_atomic_commit(&file->file);
}

void of_label_file_abandon(of_label_file *file)
{
    of_atomic_abandon(&file->file);
    of_arena_free(&file->arena);
}

/* ---- the public functions ------------------------------------------------------------------- */

/* ---- reading: the truth of a data set without views ----------------------------------------- */

/* The whole number that a class is called; -1: it is called otherwise. */
static int32_t number_of(const char *name)
{
    enum { MOST_DIGITS = 9 };
    size_t digits = strspn(name, "0123456789");
    if (!digits || digits > MOST_DIGITS || name[digits] || (name[0] == '0' && digits > 1))
        return -1;
    return (int32_t)strtol(name, NULL, 10);
}

/* Notes the number of the run whose labels these are; "" where they are not called as those of a
 * run are, or have no names of samples beside them. */
static onefold_status note_run(of_dataset *named, const of_labels *labels)
{
    char text[OF_RUN_TEXT] = "";
    uint64_t sum = 0;
    int known = labels->ids &&
                (strcmp(labels->name, "cluster") == 0 || strcmp(labels->name, "labels") == 0);
    for (size_t c = 0; known && c < named->class_count; c++)
        known = number_of(named->class_names[c]) >= 0;
    for (size_t j = 0; known && j < named->samples; j++)
        sum += of_run_part(labels->ids[j], strlen(labels->ids[j]), j,
                           number_of(named->class_names[named->truth[j]]));
    if (known)
        of_run_text(of_run_end(sum, named->samples), text);
    return of_dataset_note(named, "%s", text);
}

static onefold_status read_labels(of_dataset **named, of_context *context, const char *path)
{
    OF_SCRATCH(scratch, context);
    of_file file = {0};
    of_labels labels;
    char *name;
    of_table_wishes wishes = {.encode = -1};
    OF_TRY(of_labels_split(&scratch, path, &name, &wishes.truth));
    onefold_status status = of_file_read(&file, context, name, wishes);
    if (status == ONEFOLD_OK)
        status = of_labels_of_file(&scratch, &file, &labels);
    if (status == ONEFOLD_OK)
        status = of_dataset_make(named, context, labels.length);
    if (status == ONEFOLD_OK)
        status = of_labels_assign(*named, &labels);
    if (status == ONEFOLD_OK)
        status = of_dataset_note(*named, "%s", labels.name);
    if (status == ONEFOLD_OK)
        status = note_run(*named, &labels);
    if (status == ONEFOLD_OK && labels.ids)
        status = of_dataset_names_copy(&(*named)->arena, labels.length, labels.ids,
                                       &(*named)->sample_names);
    of_file_close(&file);
    return status;
}

onefold_status onefold_labels_read(onefold_dataset **labels, onefold_context *context,
                                   const char *path)
{
    if (!labels || !path)
        return of_fail(ONEFOLD_USAGE, "reading labels needs a place for them and a file");
    of_dataset *named = NULL;
    onefold_status status = read_labels(&named, of_context_or_default(context), path);
    if (status == ONEFOLD_OK)
        *labels = (onefold_dataset *)named;
    else
        of_dataset_free(named);
    return status;
}

/* Every sample of the others must have a label of one's own: a score of some of them would be taken
 * for that of all. */
static onefold_status same_samples(const of_ids *own, const of_ids *others)
{
    size_t common = of_ids_common(own, others);
    if (common == others->count)
        return ONEFOLD_OK;
    if (of_ids_overlap(own, others) < 0.1)
        return of_hint(of_ids_refuse("one", own, "the other", others),
                       "write the ids the same way in both files");
    const char *first = "";
    for (size_t j = 0; j < others->count && !*first; j++)
        if (of_name_index_find(&own->index, others->name[j]) == SIZE_MAX)
            first = others->name[j];
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "%zu of the %zu samples have no true label, %.60s first",
                           others->count - common, others->count, first),
                   "give every sample a true label; labels of others are ignored");
}

onefold_status onefold_labels_match(onefold_dataset *labels, const onefold_dataset *with,
                                    int *matched)
{
    if (!labels || !with)
        return of_fail(ONEFOLD_USAGE, "matching labels needs those of two files");
    of_dataset *set = &labels->set;
    const of_dataset *other = &with->set;
    OF_SCRATCH(scratch, set->arena.context);
    of_ids own, others;
    int32_t *truth;
    OF_TRY(of_ids_make(&scratch, set->sample_names, set->samples, &own));
    OF_TRY(of_ids_make(&scratch, other->sample_names, other->samples, &others));
    int both = own.usable && others.usable && !(own.counting && others.counting);
    if (both && (own.counting || others.counting)) /* numbers of rows, beside ids: no ids */
        both = of_ids_overlap(&own, &others) >= 0.1;
    if (both) {
        OF_TRY(same_samples(&own, &others));
        OF_TRY(OF_NEW(&set->arena, &truth, others.count, 1));
        for (size_t j = 0; j < others.count; j++)
            truth[j] = set->truth[of_name_index_find(&own.index, others.name[j])];
        OF_TRY(of_dataset_names_copy(&set->arena, others.count, others.name, &set->sample_names));
        set->truth = truth;
        set->samples = others.count;
    }
    if (matched)
        *matched = both;
    return ONEFOLD_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Labels with what is known of their samples; the names are those of a data set that has as many.
 */
static onefold_status extras_for(of_label_extras *extras, const char *path, size_t samples,
                                 const onefold_dataset *dataset, int confidence)
{
    OF_TRY(of_write_label_format(path));
    *extras = (of_label_extras){.confidence = confidence != 0, .table = 1};
    if (!dataset)
        return ONEFOLD_OK;
    if (dataset->set.samples != samples)
        return of_fail(ONEFOLD_USAGE, "there are %zu labels, and the data set has %zu samples",
                       samples, dataset->set.samples);
    extras->names = dataset->set.sample_names;
    return ONEFOLD_OK;
}

onefold_status onefold_labels_write(const int32_t *labels, const double *confidence, size_t samples,
                                    const onefold_dataset *dataset, onefold_context *context,
                                    const char *path)
{
    of_label_extras extras;
    of_label_file file;
    if (!labels || !path)
        return of_fail(ONEFOLD_USAGE, "writing labels needs labels and a path");
    OF_TRY(extras_for(&extras, path, samples, dataset, confidence != NULL));
    onefold_status status =
        of_label_file_open(&file, of_context_or_default(context), path, samples, &extras);
    if (status == ONEFOLD_OK)
        status = of_label_file_add(&file, labels, confidence, samples);
    if (status == ONEFOLD_OK)
        status = of_label_file_commit(&file);
    of_label_file_abandon(&file);
    return status;
}

struct onefold_labels_writer {
    of_label_file file;
};

static onefold_status make_writer(onefold_labels_writer **writer, onefold_context *context,
                                  const char *path, size_t samples, const of_label_extras *extras)
{
    onefold_labels_writer *made = malloc(sizeof *made);
    if (!made)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for a writer");
    onefold_status status =
        of_label_file_open(&made->file, of_context_or_default(context), path, samples, extras);
    if (status == ONEFOLD_OK)
        *writer = made;
    else
        onefold_labels_writer_free(made);
    return status;
}

onefold_status onefold_labels_writer_create(onefold_labels_writer **writer,
                                            onefold_context *context, const char *path,
                                            size_t samples, const onefold_dataset *dataset,
                                            int confidence)
{
    of_label_extras extras;
    if (!writer || !path)
        return of_fail(ONEFOLD_USAGE, "writing labels needs a place for the writer and a path");
    OF_TRY(extras_for(&extras, path, samples, dataset, confidence));
    return make_writer(writer, context, path, samples, &extras);
}

onefold_status onefold_labels_writer_add(onefold_labels_writer *writer, const int32_t *labels,
                                         const double *confidence, size_t count)
{
    if (!writer || (count && !labels))
        return of_fail(ONEFOLD_USAGE, "adding labels needs a writer and labels");
    return of_label_file_add(&writer->file, labels, confidence, count);
}

onefold_status onefold_labels_writer_finish(onefold_labels_writer *writer)
{
    if (!writer)
        return of_fail(ONEFOLD_USAGE, "there is no writer to finish");
    return of_label_file_commit(&writer->file);
}

void onefold_labels_writer_free(onefold_labels_writer *writer)
{
    if (!writer)
        return;
    of_label_file_abandon(&writer->file);
    free(writer);
}
