/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model file (docs/model-format.md): magic, format number, size, the model, CRC-32. Each part
 * is described once, for writing and for reading; after reading, whatever the code relies on is
 * checked, as a file may have been made to mislead.
 */
#include "io/model_magic.h"
#include "model/codec.h"
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Format 3 adds landmark graphs and names of columns; what format 2 has is as it was. */
enum { FORMAT = 3, NAMELESS = 2, HEAD = 24, TAIL = 4, MOST_VIEWS = 1 << 20 };
static const size_t MOST = (size_t)1 << 48; /* no count is larger: products of two then fit */

/* ---- the parts ---------------------------------------------------------------------------- */

/* An enumeration as 4 bytes. */
static onefold_status code_choice(of_codec *codec, int *choice, int most, const char *what)
{
    size_t number = (size_t)*choice;
    OF_TRY(of_code_count(codec, &number, 4, 0, (size_t)most, what));
    *choice = (int)number;
    return ONEFOLD_OK;
}

static onefold_status code_prep(of_codec *codec, of_projection *p)
{
    of_prep *prep = &p->prep;
    int kind = prep->kind, kept = prep->kept != NULL, shift = prep->shift != NULL,
        scale = prep->scale != NULL;
    OF_TRY(code_choice(codec, &kind, OF_PREP_TFIDF, "the preparing"));
    OF_TRY(of_code_count(codec, &prep->columns, 8, 0, p->raw_columns, "the kept columns"));
    OF_TRY(code_choice(codec, &kept, 1, "whether columns are dropped"));
    OF_TRY(code_choice(codec, &shift, 1, "whether columns are shifted"));
    OF_TRY(code_choice(codec, &scale, 1, "whether columns are scaled"));
    prep->kind = (of_prep_kind)kind;
    if (kept)
        OF_TRY(of_code_columns(codec, &prep->kept, prep->columns, p->raw_columns, "kept columns"));
    if (shift)
        OF_TRY(of_code_reals(codec, &prep->shift, prep->columns, 1, "shifts"));
    if (scale)
        OF_TRY(of_code_reals(codec, &prep->scale, prep->columns, 1, "scales"));
    return ONEFOLD_OK;
}

static onefold_status code_points(of_codec *codec, of_projection *p)
{
    int dense = p->at != NULL;
    OF_TRY(of_code_count(codec, &p->points, 8, 1, MOST, "the number of points"));
    OF_TRY(of_code_real(codec, &p->scale, "the scale of an rbf kernel"));
    OF_TRY(of_code_real(codec, &p->mean_of_all, "the mean of a kernel"));
    OF_TRY(of_code_reals(codec, &p->point_mean, p->points, 1, "means of points"));
    OF_TRY(of_code_reals(codec, &p->row_mean, p->points, 1, "weights of points"));
    OF_TRY(code_choice(codec, &dense, 1, "how points are held"));
    if (dense)
        return of_code_reals(codec, &p->at, p->columns, p->points, "points");
    of_sparse *at = &p->sparse_at;
    at->rows = p->points;
    at->columns = p->columns;
    OF_TRY(of_code_starts(codec, &at->start, p->points + 1, "starts of points"));
    size_t entries = at->start[p->points];
    for (size_t i = 0; i < p->points; i++)
        if (at->start[0] != 0 || at->start[i] > at->start[i + 1])
            return of_code_refuse("the points do not follow each other");
    OF_TRY(of_code_columns(codec, &at->index, entries, p->columns, "columns of points"));
    return of_code_reals(codec, &at->value, entries, 1, "points");
}

static onefold_status code_rows(of_codec *codec, of_projection *p)
{
    OF_TRY(of_code_real(codec, &p->mean_of_all, "the mean of a kernel"));
    OF_TRY(of_code_reals(codec, &p->point_mean, p->samples, 1, "means of a kernel"));
    OF_TRY(of_code_reals(codec, &p->sample_scale, p->samples, 1, "scales of a kernel"));
    OF_TRY(code_choice(codec, &p->same_diagonal, 1, "whether a diagonal is constant"));
    return of_code_real(codec, &p->diagonal, "a diagonal");
}

/* Names of columns, where there are any: one for each. */
static onefold_status code_names(of_codec *codec, of_model_view *view)
{
    size_t columns = view->projection.raw_columns;
    int named = view->column_names != NULL;
    OF_TRY(code_choice(codec, &named, 1, "whether columns have names"));
    if (!named)
        return ONEFOLD_OK;
    if (codec->kind == OF_CODEC_READ) {
        const char **names;
        if (columns > (codec->size - codec->at) / 4) /* each takes four bytes at least */
            return of_code_refuse("names of columns would go past its end");
        OF_TRY(OF_NEW(codec->arena, &names, columns, 1));
        for (size_t i = 0; i < columns; i++)
            OF_TRY(of_code_text(codec, &names[i], "the name of a column"));
        view->column_names = names;
        return ONEFOLD_OK;
    }
    for (size_t i = 0; i < columns; i++) {
        const char *name = view->column_names[i];
        OF_TRY(of_code_text(codec, &name, "the name of a column"));
    }
    return ONEFOLD_OK;
}

static onefold_status code_projection(of_codec *codec, size_t most_samples, size_t most_rank,
                                      int outer, of_projection *p, const double **fill);

/* The landmarks of a graph: none of a graph view, which has its samples, dense, or by column. */
static onefold_status code_landmarks(of_codec *codec, of_projection *p)
{
    int held = p->at ? 1 : p->sparse_at.start ? 2 : 0;
    OF_TRY(code_choice(codec, &held, 2, "how landmarks are held"));
    if (held == 1)
        return of_code_reals(codec, &p->at, p->columns, p->points, "landmarks");
    if (held == 0)
        return ONEFOLD_OK;
    of_sparse *lists = &p->sparse_at;
    lists->rows = p->columns;
    lists->columns = p->points;
    OF_TRY(of_code_starts(codec, &lists->start, p->columns + 1, "starts of landmarks"));
    for (size_t i = 0; i < p->columns; i++)
        if (lists->start[0] != 0 || lists->start[i] > lists->start[i + 1])
            return of_code_refuse("the landmarks do not follow each other");
    size_t entries = lists->start[p->columns];
    OF_TRY(of_code_columns(codec, &lists->index, entries, p->points, "landmarks of columns"));
    return of_code_reals(codec, &lists->value, entries, 1, "landmarks");
}

static onefold_status code_ties(of_codec *codec, of_projection *p)
{
    int subspace = p->graph == OF_KERNEL_SUBSPACE, within = p->inner != NULL;
    OF_TRY(code_choice(codec, &subspace, 1, "what a graph is over"));
    p->graph = subspace ? OF_KERNEL_SUBSPACE : OF_KERNEL_KNN;
    OF_TRY(of_code_count(codec, &p->points, 8, 1, MOST, "the number of landmarks"));
    OF_TRY(of_code_count(codec, &p->neighbours, 8, 0, p->points, "the number of neighbours"));
    OF_TRY(of_code_real(codec, &p->common, "the weight of the shared landmark"));
    OF_TRY(of_code_reals(codec, &p->degree, p->points, 1, "degrees of landmarks"));
    OF_TRY(code_choice(codec, &within, 1, "whether components come first"));
    if (within) {
        of_projection *inner = (of_projection *)(uintptr_t)p->inner;
        const double *none = NULL;
        if (codec->kind == OF_CODEC_READ) {
            OF_TRY(OF_NEW_ZERO(codec->arena, &inner, 1, 1));
            p->inner = inner;
        }
        OF_TRY(code_projection(codec, p->samples, MOST, 0, inner, &none));
        p->columns = inner->rank;
    }
    return code_landmarks(codec, p);
}

/* `outer`: not itself within another. */
static onefold_status code_projection(of_codec *codec, size_t most_samples, size_t most_rank,
                                      int outer, of_projection *p, const double **fill)
{
    int kernel = p->kernel, route = p->route, form = p->form, filled = *fill != NULL;
    OF_TRY(code_choice(codec, &kernel, OF_KERNEL_PRECOMPUTED, "a kernel"));
    OF_TRY(code_choice(codec, &route, OF_ROUTE_LANDMARKS, "a route"));
    OF_TRY(code_choice(codec, &form, outer ? OF_PROJECT_TIES : OF_PROJECT_FEATURES,
                       "the form of a projection"));
    OF_TRY(code_choice(codec, &p->sparse, 1, "how features are taken"));
    p->kernel = (of_kernel_kind)kernel;
    p->route = (of_route)route;
    p->form = (of_projection_form)form;
    OF_TRY(of_code_count(codec, &p->samples, 8, 1, most_samples, "the samples of a view"));
    OF_TRY(of_code_count(codec, &p->raw_columns, 8, 1, UINT32_MAX, "the columns of a view"));
    OF_TRY(of_code_count(codec, &p->rank, 4, 1, most_rank, "the rank of a view"));
    OF_TRY(code_prep(codec, p));
    p->columns = p->prep.columns;
    OF_TRY(of_code_reals(codec, &p->value, p->rank, 1, "eigenvalues"));
    OF_TRY(of_code_real(codec, &p->floor, "the least length"));
    OF_TRY(of_code_u64(codec, &p->links));
    OF_TRY(code_choice(codec, &filled, 1, "whether missing values are filled in"));
    if (filled)
        OF_TRY(of_code_reals(codec, fill, p->raw_columns, 1, "what fills missing values"));
    if (p->form == OF_PROJECT_FEATURES)
        OF_TRY(of_code_reals(codec, &p->mean, p->columns, 1, "means of features"));
    else if (p->form == OF_PROJECT_TIES)
        OF_TRY(code_ties(codec, p));
    else
        OF_TRY(p->form == OF_PROJECT_POINTS ? code_points(codec, p) : code_rows(codec, p));
    return of_code_reals(codec, &p->weight, p->rank, of_projection_inputs(p), "weights");
}

static onefold_status code_view(of_codec *codec, const onefold_model *model, of_model_view *view)
{
    int storage = (int)view->storage;
    OF_TRY(of_code_text(codec, &view->name, "the name of a view"));
    OF_TRY(code_choice(codec, &storage, OF_KERNEL, "how a view is stored"));
    view->storage = (of_storage)storage;
    OF_TRY(code_projection(codec, model->samples, model->dims, 1, &view->projection, &view->fill));
    return codec->format == NAMELESS ? ONEFOLD_OK : code_names(codec, view);
}

static onefold_status code_model(of_codec *codec, onefold_model *model)
{
    int precision = (int)model->precision, median = model->impute == ONEFOLD_IMPUTE_MEDIAN;
    of_model_view *views = (of_model_view *)(uintptr_t)model->view;
    OF_TRY(of_code_text(codec, &model->version, "the version of the library"));
    OF_TRY(of_code_count(codec, &model->samples, 8, 1, MOST, "the number of samples"));
    OF_TRY(of_code_count(codec, &model->views, 4, 1, MOST_VIEWS, "the number of views"));
    OF_TRY(of_code_count(codec, &model->dims, 4, 1, INT32_MAX, "the number of dims"));
    OF_TRY(of_code_count(codec, &model->clusters, 4, 1, model->dims, "the number of clusters"));
    OF_TRY(of_code_count(codec, &model->largest, 4, 0, model->clusters - 1, "the largest cluster"));
    OF_TRY(code_choice(codec, &precision, ONEFOLD_SINGLE, "the precision"));
    OF_TRY(code_choice(codec, &median, 1, "what fills missing values"));
    OF_TRY(of_code_u64(codec, &model->seed));
    OF_TRY(of_code_real(codec, &model->distance_mean, "the mean distance"));
    OF_TRY(of_code_real(codec, &model->distance_most, "the largest distance"));
    model->precision = (onefold_precision)precision;
    model->impute = median ? ONEFOLD_IMPUTE_MEDIAN : ONEFOLD_IMPUTE_MEAN;
    OF_TRY(of_code_reals(codec, &model->weight, model->views, 1, "the views' weights"));
    OF_TRY(of_code_reals(codec, &model->rotation, model->dims, model->views * model->dims,
                         "the rotations"));
    OF_TRY(of_code_reals(codec, &model->centroid, model->dims, model->clusters, "the centroids"));
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(OF_NEW_ZERO(codec->arena, &views, model->views, 1));
        model->view = views;
    }
    for (size_t i = 0; i < model->views; i++)
        OF_TRY(code_view(codec, model, &views[i]));
    return ONEFOLD_OK;
}

/* ---- writing ------------------------------------------------------------------------------ */

static onefold_status code_head(of_codec *codec, size_t size)
{
    unsigned char magic[sizeof of_model_magic - 1];
    size_t format = FORMAT, reserved = 0;
    memcpy(magic, of_model_magic, sizeof magic);
    OF_TRY(of_code_bytes(codec, magic, sizeof magic));
    OF_TRY(of_code_count(codec, &format, 4, 0, SIZE_MAX, "the format"));
    OF_TRY(of_code_count(codec, &reserved, 4, 0, SIZE_MAX, "what is reserved"));
    return of_code_count(codec, &size, 8, 0, SIZE_MAX, "the size");
}

onefold_status of_model_size(const onefold_model *model, size_t *bytes)
{
    of_codec codec = {.kind = OF_CODEC_COUNT};
    onefold_model copy = *model; /* the description writes what it reads: a number onto itself */
    OF_TRY(code_head(&codec, 0));
    OF_TRY(code_model(&codec, &copy));
    *bytes = codec.at + TAIL;
    return ONEFOLD_OK;
}

/* The whole file, to where the codec writes. */
static onefold_status code_file(of_codec *codec, const onefold_model *model, size_t bytes)
{
    onefold_model copy = *model;
    OF_TRY(code_head(codec, bytes));
    OF_TRY(code_model(codec, &copy));
    size_t crc = codec->crc;
    return of_code_count(codec, &crc, 4, 0, SIZE_MAX, "the checksum");
}

onefold_status onefold_model_encode(void **bytes, size_t *size, onefold_context *context,
                                    const onefold_model *model)
{
    (void)context;
    if (!bytes || !size || !model)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_model_encode needs places for the bytes and a model");
    size_t count;
    OF_TRY(of_model_size(model, &count));
    of_codec codec = {.kind = OF_CODEC_WRITE, .out = malloc(count)};
    if (!codec.out)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the %zu bytes of the model",
                       count);
    onefold_status status = code_file(&codec, model, count);
    if (status != ONEFOLD_OK) {
        free(codec.out);
        return status;
    }
    *bytes = codec.out;
    *size = count;
    return ONEFOLD_OK;
}

void onefold_bytes_free(void *bytes)
{
    free(bytes);
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
    of_codec codec = {.kind = OF_CODEC_WRITE, .file = &file};
    OF_TRY(code_file(&codec, model, bytes));
    return of_atomic_commit(&file);
}

/* ---- reading ------------------------------------------------------------------------------ */

static uint64_t number_at(const unsigned char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = 0; i < size; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static uint32_t checksum(const unsigned char *bytes, size_t size)
{
    uLong crc = 0;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < (1u << 30) ? size - done : 1u << 30;
        crc = crc32(crc, bytes + done, (uInt)part);
        done += part;
    }
    return (uint32_t)crc;
}

static onefold_status check_file(const unsigned char *bytes, size_t size)
{
    size_t magic = sizeof of_model_magic - 1;
    if (size < magic || memcmp(bytes, of_model_magic, magic) != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "this is not a model"),
                       "models are written by a fit with `keep_model`");
    if (size < HEAD + TAIL)
        return of_fail(ONEFOLD_BAD_DATA, "the model is cut short: %zu bytes are left of it", size);
    uint64_t format = number_at(bytes + 8, 4), whole = number_at(bytes + 16, 8);
    if (format > FORMAT)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model has format %llu, and this version reads up to %d",
                               (unsigned long long)format, FORMAT),
                       "use a newer version of onefold");
    if (format == 1)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model has format 1, which lacks what this version needs"),
                       "fit it again");
    if (whole > size)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model is cut short: %zu of its %llu bytes are "
                               "there",
                               size, (unsigned long long)whole),
                       "copy it again, or fit it again");
    if (format < 1 || number_at(bytes + 12, 4) != 0 || whole < size ||
        number_at(bytes + size - TAIL, TAIL) != checksum(bytes, size - TAIL))
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model is damaged: its checksum is not that of "
                               "its contents"),
                       "copy it again, or fit it again");
    return ONEFOLD_OK;
}

onefold_status of_model_parse(of_arena *arena, const unsigned char *bytes, size_t size,
                              onefold_model **model)
{
    of_codec codec = {
        .kind = OF_CODEC_READ, .at = HEAD, .bytes = bytes, .size = size - TAIL, .arena = arena};
    onefold_model *made;
    OF_TRY(check_file(bytes, size));
    codec.format = (int)number_at(bytes + 8, 4);
    OF_TRY(OF_NEW_ZERO(arena, &made, 1, 1));
    OF_TRY(code_model(&codec, made));
    if (codec.at != codec.size)
        return of_code_refuse("something follows its end");
    OF_TRY(of_model_check(made));
    for (size_t i = 0; i < made->views; i++) {
        of_projection *p = (of_projection *)&made->view[i].projection;
        p->precision = made->precision;
        OF_TRY(of_projection_prepare(arena, p));
        if (p->inner)
            OF_TRY(of_projection_prepare(arena, (of_projection *)(uintptr_t)p->inner));
    }
    OF_TRY(of_model_finish(arena, made));
    *model = made;
    return ONEFOLD_OK;
}

/* The bytes of a file, mapped. */
static onefold_status map_file(const char *path, void **map, size_t *size)
{
    struct stat about;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* no waiting for a pipe */
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
        return of_fail(ONEFOLD_IO, "there is no such file");
    if (descriptor < 0)
        return of_fail(ONEFOLD_IO, "the model cannot be read: %s", strerror(errno));
    onefold_status status = ONEFOLD_OK;
    if (fstat(descriptor, &about) != 0 || !S_ISREG(about.st_mode))
        status = of_fail(ONEFOLD_IO, "the model cannot be read: it is not a file");
    else if (about.st_size == 0)
        status = of_fail(ONEFOLD_BAD_DATA, "the file is empty");
    else if ((*map = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0)) ==
             MAP_FAILED)
        status = of_fail(ONEFOLD_IO, "the model cannot be read: %s", strerror(errno));
    else
        *size = (size_t)about.st_size;
    close(descriptor);
    return status;
}

/* The model of the bytes, on an arena of its own. */
static onefold_status read_model(onefold_model **model, onefold_context *context, const void *bytes,
                                 size_t size)
{
    onefold_model *made = NULL;
    of_arena arena = of_arena_make(of_context_or_default(context));
    onefold_status status = of_model_parse(&arena, bytes, size, &made);
    if (status != ONEFOLD_OK) {
        of_arena_free(&arena);
        return status;
    }
    made->arena = arena;
    *model = made;
    return ONEFOLD_OK;
}

onefold_status onefold_model_decode(onefold_model **model, onefold_context *context,
                                    const void *bytes, size_t size)
{
    if (!model || !bytes)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_model_decode needs a place for the model and its bytes");
    return read_model(model, context, bytes, size);
}

onefold_status onefold_model_read(onefold_model **model, onefold_context *context, const char *path)
{
    if (!model || !path)
        return of_fail(ONEFOLD_USAGE, "onefold_model_read needs a place for the model and a path");
    void *map = NULL;
    size_t size = 0;
    onefold_status status = map_file(path, &map, &size);
    if (status == ONEFOLD_OK) {
        status = read_model(model, context, map, size);
        munmap(map, size);
    }
    return status == ONEFOLD_OK ? ONEFOLD_OK : of_blame(status, "%s", path);
}

int onefold_model_is_file(const char *path)
{
    char start[sizeof of_model_magic - 1];
    struct stat about;
    if (!path || stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return 0; /* a pipe would be waited for here, out of reach of any cancelling */
    FILE *file = fopen(path, "rb");
    int is = file && fread(start, sizeof start, 1, file) == 1 &&
             memcmp(start, of_model_magic, sizeof start) == 0;
    if (file)
        fclose(file);
    return is;
}
