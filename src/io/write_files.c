/* SPDX-License-Identifier: Apache-2.0 */
/* A data set as several files: one per view, and what else there is beside them. */
#include "data/present.h"
#include "io/run_files.h"
#include "io/write_parts.h"

#include <stdio.h>
#include <string.h>

typedef enum part_kind { VIEW, TRUTH, PRESENT, SAMPLES } part_kind;

/* One of the files. */
typedef struct part {
    part_kind kind;
    size_t view;
    of_format in;
    char *path;
    of_atomic_file file;
} part;

typedef struct plan {
    of_arena *arena;
    const of_dataset *dataset;
    part *parts;
    size_t count;
    const int64_t *labels; /* the truth as numbers, or, */
    int named;             /* non-zero, as the names of classes */
} plan;

static int is_table(of_format in)
{
    return in == OF_CSV || in == OF_TSV;
}

/* "out.npy" and "2" give "out.2.npy". */
static onefold_status add_part(plan *to, part_kind kind, size_t view, of_format in,
                               const char *path, const char *name)
{
    part *made = &to->parts[to->count++];
    *made = (part){.kind = kind, .view = view, .in = in, .file = {.descriptor = -1}};
    if (!name)
        return of_arena_string(to->arena, &made->path, "%s", path);
    const char *dot = strrchr(path, '.'), *ending = kind == VIEW ? dot : of_format_ending(in);
    return of_arena_string(to->arena, &made->path, "%.*s.%s%s", (int)(dot - path), path, name,
                           ending);
}

/* Whether a sparse view lacks samples, which it cannot say by itself. */
static int needs_present(const of_dataset *dataset)
{
    for (size_t v = 0; dataset->present && v < dataset->view_count; v++)
        if (dataset->views[v].storage == OF_SPARSE && of_present_missing(dataset, v))
            return 1;
    return 0;
}

/* Tables have the names of samples in themselves; beside other formats they are a list of texts. So
 * are labels that are no numbers. */
static onefold_status make_plan(plan *to, of_arena *arena, of_format in, const char *path,
                                const of_dataset *dataset)
{
    int64_t *labels;
    of_format beside = in == OF_MTX ? OF_TXT : in;
    *to = (plan){.arena = arena, .dataset = dataset};
    OF_TRY(OF_NEW(arena, &to->parts, dataset->view_count + 3, 1));
    for (size_t v = 0; v < dataset->view_count; v++) {
        char number[32];
        snprintf(number, sizeof number, "%zu", v + 1);
        OF_TRY(add_part(to, VIEW, v, in, path, dataset->view_count > 1 ? number : NULL));
    }
    if (dataset->truth) {
        OF_TRY(of_write_truth(arena, &labels, &to->named, dataset));
        to->labels = labels;
        int table = is_table(in) && dataset->sample_names;
        OF_TRY(add_part(to, TRUTH, 0, to->named && !table ? OF_TXT : beside, path, "truth"));
    }
    if (needs_present(dataset))
        OF_TRY(add_part(to, PRESENT, 0, beside, path, "present"));
    if (dataset->sample_names && !is_table(in))
        OF_TRY(add_part(to, SAMPLES, 0, OF_TXT, path, "samples"));
    return ONEFOLD_OK;
}

/* ---- writing ---- */

static onefold_status write_table(const plan *from, part *to, const of_view *view)
{
    of_view named = *view;
    if (view->storage == OF_KERNEL)
        named.column_names = from->dataset->sample_names;
    return of_write_named_text(&to->file, &named, from->dataset->sample_names,
                               to->in == OF_TSV ? '\t' : ',');
}

static onefold_status write_truth(const plan *from, part *to)
{
    const of_dataset *dataset = from->dataset;
    of_view column = of_view_over(from->labels, OF_I64, dataset->samples, 1, 1);
    char mark = to->in == OF_TSV ? '\t' : ',';
    if (!is_table(to->in) || !dataset->sample_names)
        return from->named ? of_write_class_names(&to->file, dataset)
                           : of_write_column(&to->file, to->in, NULL, &column);
    OF_TRY(of_atomic_print(&to->file, "sample%clabel\n", mark));
    for (size_t j = 0; j < dataset->samples; j++) {
        OF_TRY(of_write_name(&to->file, dataset->sample_names[j], mark, mark));
        OF_TRY(of_write_name(&to->file, dataset->class_names[dataset->truth[j]], mark, '\n'));
    }
    return ONEFOLD_OK;
}

static onefold_status write_part(const plan *from, part *to)
{
    const of_dataset *dataset = from->dataset;
    of_view table;
    OF_TRY(of_atomic_open(&to->file, from->arena->context, to->path));
    switch (to->kind) {
    case VIEW:
    case PRESENT:
        table = to->kind == VIEW ? dataset->views[to->view] : of_write_present(dataset);
        OF_TRY(dataset->sample_names && is_table(to->in)
                   ? write_table(from, to, &table)
                   : of_write_array(&to->file, to->in, NULL, &table));
        break;
    case TRUTH:
        OF_TRY(write_truth(from, to));
        break;
    case SAMPLES:
        for (size_t j = 0; j < dataset->samples; j++)
            OF_TRY(of_write_name(&to->file, dataset->sample_names[j], ',', '\n'));
        break;
    }
    return of_atomic_finish(&to->file);
}

/* Every file is finished before the first takes its place. */
static onefold_status write_all(plan *from)
{
    for (size_t i = 0; i < from->count; i++)
        OF_TRY(write_part(from, &from->parts[i]));
    OF_TRY(of_dataset_intact(from->dataset, ONEFOLD_OK));
    of_atomic_file **files;
    OF_TRY(OF_NEW(from->arena, &files, from->count, 1));
    for (size_t i = 0; i < from->count; i++)
        files[i] = &from->parts[i].file;
    return of_run_files_place(files, from->count);
}

onefold_status of_write_files(of_arena *arena, of_format in, const char *path,
                              const of_dataset *shown)
{
    plan all;
    OF_TRY(make_plan(&all, arena, in, path, shown));
    onefold_status status = write_all(&all);
    for (size_t i = 0; i < all.count; i++)
        of_atomic_abandon(&all.parts[i].file);
    return status;
}

onefold_status of_write_files_list(of_arena *arena, of_format in, const char *path,
                                   const of_dataset *dataset, char **list)
{
    plan all;
    OF_TRY(make_plan(&all, arena, in, path, dataset));
    OF_TRY(of_arena_string(arena, list, "%s", all.parts[0].path));
    for (size_t i = 1; i < all.count; i++)
        OF_TRY(of_arena_string(arena, list, "%s\n%s", *list, all.parts[i].path));
    return ONEFOLD_OK;
}
