/* SPDX-License-Identifier: Apache-2.0 */
/* The description of a model's bytes: each part once, for counting, for writing and for reading. */
#include "io/build.h"
#include "model/model.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

/* Numbers to bytes and back. */

onefold_status of_code_refuse(const char *what)
{
    return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s", what);
}

onefold_status of_code_bytes(of_codec *codec, void *bytes, size_t size)
{
    switch (codec->kind) {
    case OF_CODEC_COUNT:
        return of_size_add(&codec->at, codec->at, size);
    case OF_CODEC_WRITE:
        if (codec->out && size)
            memcpy(codec->out + codec->at, bytes, size);
        codec->at += size;
        for (size_t done = 0; done < size;) { /* crc32 counts in unsigned int */
            size_t part = size - done < (1u << 30) ? size - done : 1u << 30;
            codec->crc = (uint32_t)crc32(codec->crc, (unsigned char *)bytes + done, (uInt)part);
            done += part;
        }
        return codec->file ? of_atomic_write(codec->file, bytes, size) : ONEFOLD_OK;
    default:
        if (size > codec->size - codec->at)
            return of_code_refuse("it ends too soon");
        if (size)
            memcpy(bytes, codec->bytes + codec->at, size);
        codec->at += size;
        return ONEFOLD_OK;
    }
}

static void put(unsigned char *bytes, uint64_t number, int size)
{
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t get(const unsigned char *bytes, int size)
{
    uint64_t number = 0;
    for (int i = 0; i < size; i++)
        number |= (uint64_t)bytes[i] << (8 * i);
    return number;
}

static onefold_status code_whole(of_codec *codec, uint64_t *number, int size)
{
    unsigned char bytes[8];
    put(bytes, *number, size);
    OF_TRY(of_code_bytes(codec, bytes, (size_t)size));
    if (codec->kind == OF_CODEC_READ)
        *number = get(bytes, size);
    return ONEFOLD_OK;
}

onefold_status of_code_u64(of_codec *codec, uint64_t *number)
{
    return code_whole(codec, number, 8);
}

onefold_status of_code_count(of_codec *codec, size_t *count, int size, size_t least, size_t most,
                             const char *what)
{
    uint64_t number = *count;
    if (codec->kind != OF_CODEC_READ && size == 4 && number > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "%s is %zu, too large for a model file", what, *count);
    OF_TRY(code_whole(codec, &number, size));
    if (number < least || number > most)
        return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s is %llu", what,
                       (unsigned long long)number);
    *count = (size_t)number;
    return ONEFOLD_OK;
}

static onefold_status check_finite(double number, const char *what)
{
    if (isfinite(number))
        return ONEFOLD_OK;
    return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s is not finite", what);
}

onefold_status of_code_real(of_codec *codec, double *number, const char *what)
{
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    OF_TRY(code_whole(codec, &bits, 8));
    memcpy(number, &bits, sizeof bits);
    return check_finite(*number, what);
}

/* Room for an array whose bytes are there to be read. */
static onefold_status begin_array(of_codec *codec, void **array, size_t size, size_t stored,
                                  size_t rows, size_t columns, const char *what)
{
    size_t left = (codec->size - codec->at) / stored;
    if (rows && columns > left / rows)
        return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s would go past its end",
                       what);
    return of_arena_allocate(codec->arena, array, size, rows, columns);
}

/* How many numbers pass through the buffer at once. */
enum { AT_ONCE = 512 };

onefold_status of_code_reals(of_codec *codec, const double **array, size_t rows, size_t columns,
                             const char *what)
{
    double *made = NULL;
    unsigned char bytes[8 * AT_ONCE];
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(begin_array(codec, (void **)&made, sizeof *made, 8, rows, columns, what));
        *array = made;
    }
    size_t count;
    OF_TRY(of_size_multiply(&count, rows, columns));
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t part = count - done < AT_ONCE ? count - done : AT_ONCE;
        for (size_t i = 0; !made && i < part; i++) {
            uint64_t bits;
            OF_TRY(check_finite((*array)[done + i], what));
            memcpy(&bits, *array + done + i, sizeof bits);
            put(bytes + 8 * i, bits, 8);
        }
        OF_TRY(of_code_bytes(codec, bytes, 8 * part));
        for (size_t i = 0; made && i < part; i++) {
            uint64_t bits = get(bytes + 8 * i, 8);
            memcpy(made + done + i, &bits, sizeof bits);
            OF_TRY(check_finite(made[done + i], what));
        }
    }
    return ONEFOLD_OK;
}

onefold_status of_code_columns(of_codec *codec, const uint32_t **array, size_t count, size_t below,
                               const char *what)
{
    uint32_t *made = NULL;
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(begin_array(codec, (void **)&made, sizeof *made, 4, count, 1, what));
        *array = made;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t number = made ? 0 : (*array)[i];
        OF_TRY(code_whole(codec, &number, 4));
        if (number >= below)
            return of_fail(ONEFOLD_BAD_DATA, "the model contradicts itself: %s has %llu of %zu",
                           what, (unsigned long long)number, below);
        if (made)
            made[i] = (uint32_t)number;
    }
    return ONEFOLD_OK;
}

onefold_status of_code_starts(of_codec *codec, const size_t **array, size_t count, const char *what)
{
    size_t *made = NULL;
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(begin_array(codec, (void **)&made, sizeof *made, 8, count, 1, what));
        *array = made;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t number = made ? 0 : (*array)[i];
        OF_TRY(code_whole(codec, &number, 8));
        if (made)
            made[i] = (size_t)number;
    }
    return ONEFOLD_OK;
}

onefold_status of_code_text(of_codec *codec, const char **text, const char *what)
{
    size_t length = codec->kind == OF_CODEC_READ ? 0 : strlen(*text);
    OF_TRY(of_code_count(codec, &length, 4, 0, 1u << 20, what));
    if (codec->kind != OF_CODEC_READ)
        return of_code_bytes(codec, (char *)(uintptr_t)*text, length);
    char *made;
    if (length > codec->size - codec->at)
        return of_code_refuse("a name would go past its end");
    OF_TRY(OF_NEW(codec->arena, &made, length + 1, 1));
    OF_TRY(of_code_bytes(codec, made, length));
    made[length] = '\0';
    of_text_clean(made);
    *text = made;
    return ONEFOLD_OK;
}

enum { MOST_VIEWS = 1 << 20, MOST_SOURCES = 1 << 22 };
static const size_t MOST = (size_t)1 << 48; /* no count is larger: products of two then fit */

/* ---- projections -------------------------------------------------------------------------- */

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
    size_t columns = view->raw_columns;
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

/* Whether the format has weights of terms, and scales of features. */
static int has_weights(const of_codec *codec)
{
    return codec->kind != OF_CODEC_READ || codec->format > OF_MODEL_FORMAT_ALIKE;
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
    if (p->form == OF_PROJECT_FEATURES && has_weights(codec))
        OF_TRY(of_code_real(codec, &p->scale, "the scale of features"));
    if (p->form == OF_PROJECT_FEATURES)
        OF_TRY(of_code_reals(codec, &p->mean, p->columns, 1, "means of features"));
    else if (p->form == OF_PROJECT_TIES)
        OF_TRY(code_ties(codec, p));
    else
        OF_TRY(p->form == OF_PROJECT_POINTS ? code_points(codec, p) : code_rows(codec, p));
    return of_code_reals(codec, &p->weight, p->rank, of_projection_inputs(p), "weights");
}

/* ---- views and what they are fused by ------------------------------------------------------ */

/* Up to format 3 a view is the one projection that it has, with what fills its missing values. */
static onefold_status code_older_view(of_codec *codec, const onefold_model *model,
                                      of_model_view *view, of_projection *p)
{
    OF_TRY(code_projection(codec, model->samples, model->rule.dims, 1, p, &view->fill));
    view->kernel = p->kernel;
    view->raw_columns = p->raw_columns;
    return codec->format == OF_MODEL_FORMAT_NAMELESS ? ONEFOLD_OK : code_names(codec, view);
}

static onefold_status code_view(of_codec *codec, const onefold_model *model, of_model_view *view,
                                of_projection *older)
{
    int storage = (int)view->storage, kernel = (int)view->kernel, filled = view->fill != NULL;
    OF_TRY(of_code_text(codec, &view->name, "the name of a view"));
    OF_TRY(code_choice(codec, &storage, OF_KERNEL, "how a view is stored"));
    view->storage = (of_storage)storage;
    if (older)
        return code_older_view(codec, model, view, older);
    OF_TRY(code_choice(codec, &kernel, OF_KERNEL_PRECOMPUTED, "a kernel"));
    view->kernel = (of_kernel_kind)kernel;
    OF_TRY(of_code_count(codec, &view->raw_columns, 8, 1, UINT32_MAX, "the columns of a view"));
    OF_TRY(code_choice(codec, &filled, 1, "whether missing values are filled in"));
    if (filled)
        OF_TRY(
            of_code_reals(codec, &view->fill, view->raw_columns, 1, "what fills missing values"));
    return code_names(codec, view);
}

static onefold_status code_source(of_codec *codec, const onefold_model *model,
                                  of_rule_source *source)
{
    const double *none = NULL;
    of_projection *p = (of_projection *)(uintptr_t)source->projection;
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(OF_NEW_ZERO(codec->arena, &p, 1, 1));
        source->projection = p;
    }
    OF_TRY(of_code_count(codec, &source->view, 4, 0, model->views - 1, "the view of a projection"));
    return code_projection(codec, model->samples, MOST_SOURCES, 1, p, &none);
}

static onefold_status code_part(of_codec *codec, const onefold_model *model, of_rule_part *part)
{
    const of_rule *rule = &model->rule;
    int join = (int)part->join;
    OF_TRY(code_choice(codec, &join, OF_JOIN_COLUMNS, "how a partition is made"));
    part->join = (of_join)join;
    OF_TRY(of_code_count(codec, &part->known, 8, 1, model->samples, "the samples of a partition"));
    OF_TRY(of_code_count(codec, &part->rank, 4, 1, rule->dims, "the rank of a partition"));
    OF_TRY(of_code_reals(codec, &part->value, part->rank, 1, "eigenvalues"));
    OF_TRY(of_code_count(codec, &part->terms, 4, 1, rule->sources, "the terms of a partition"));
    OF_TRY(of_code_columns(codec, &part->source, part->terms, rule->sources, "terms"));
    OF_TRY(of_code_columns(codec, &part->row, part->terms, UINT32_MAX, "rows of terms"));
    int weighed = part->weight != NULL;
    if (!has_weights(codec))
        return ONEFOLD_OK;
    OF_TRY(code_choice(codec, &weighed, 1, "whether terms have weights"));
    return weighed ? of_code_reals(codec, &part->weight, part->terms, 1, "weights of terms")
                   : ONEFOLD_OK;
}

/* Refuses a count of things that take `least` bytes each, before memory is taken for them. */
static onefold_status check_room(const of_codec *codec, size_t count, size_t least)
{
    if (codec->kind == OF_CODEC_READ && count > (codec->size - codec->at) / least)
        return of_code_refuse("views or projections would go past its end");
    return ONEFOLD_OK;
}

/* Sources and parts, behind the views; of older formats they follow from these. */
static onefold_status code_rule(of_codec *codec, onefold_model *model)
{
    of_rule *rule = &model->rule;
    of_rule_part *parts = (of_rule_part *)(uintptr_t)rule->part;
    OF_TRY(check_room(codec, rule->sources, 64));
    OF_TRY(check_room(codec, rule->parts, 24));
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(OF_NEW_ZERO(codec->arena, &rule->source, rule->sources, 1));
        OF_TRY(OF_NEW_ZERO(codec->arena, &parts, rule->parts, 1));
        rule->part = parts;
    }
    for (size_t s = 0; s < rule->sources; s++)
        OF_TRY(code_source(codec, model, &rule->source[s]));
    for (size_t b = 0; b < rule->parts; b++)
        OF_TRY(code_part(codec, model, &parts[b]));
    return ONEFOLD_OK;
}

static onefold_status code_views(of_codec *codec, onefold_model *model, int older)
{
    of_model_view *views = (of_model_view *)(uintptr_t)model->view;
    of_projection *projections = NULL;
    const of_projection **list;
    OF_TRY(check_room(codec, model->views, 24));
    if (codec->kind == OF_CODEC_READ) {
        OF_TRY(OF_NEW_ZERO(codec->arena, &views, model->views, 1));
        model->view = views;
    }
    if (older)
        OF_TRY(OF_NEW_ZERO(codec->arena, &projections, model->views, 1));
    for (size_t i = 0; i < model->views; i++)
        OF_TRY(code_view(codec, model, &views[i], older ? &projections[i] : NULL));
    if (!older)
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(codec->arena, &list, model->views, 1));
    for (size_t i = 0; i < model->views; i++)
        list[i] = &projections[i];
    return of_rule_plain(codec->arena, model->views, list, &model->rule);
}

/* How many sources and parts there are: of older formats one of each for each view. */
static onefold_status code_counts(of_codec *codec, of_rule *rule, size_t views, int older)
{
    rule->sources = older ? views : rule->sources;
    rule->parts = older ? views : rule->parts;
    if (older)
        return ONEFOLD_OK;
    OF_TRY(of_code_count(codec, &rule->sources, 4, 1, MOST_SOURCES, "the number of projections"));
    OF_TRY(of_code_count(codec, &rule->parts, 4, 1, MOST_SOURCES, "the number of partitions"));
    return code_choice(codec, &rule->constant, 1, "whether partitions have the constant");
}

onefold_status of_model_code(of_codec *codec, onefold_model *model)
{
    int precision = (int)model->precision, median = model->impute == ONEFOLD_IMPUTE_MEDIAN,
        older = codec->kind == OF_CODEC_READ && codec->format <= OF_MODEL_FORMAT_VIEWS;
    of_rule *rule = &model->rule;
    OF_TRY(of_code_text(codec, &model->version, "the version of the library"));
    OF_TRY(of_code_count(codec, &model->samples, 8, 1, MOST, "the number of samples"));
    OF_TRY(of_code_count(codec, &model->views, 4, 1, MOST_VIEWS, "the number of views"));
    OF_TRY(of_code_count(codec, &rule->dims, 4, 1, INT32_MAX, "the number of dims"));
    OF_TRY(of_code_count(codec, &model->clusters, 4, 1, rule->dims, "the number of clusters"));
    OF_TRY(of_code_count(codec, &rule->largest, 4, 0, model->clusters - 1, "the largest cluster"));
    OF_TRY(code_choice(codec, &precision, ONEFOLD_SINGLE, "the precision"));
    OF_TRY(code_choice(codec, &median, 1, "what fills missing values"));
    OF_TRY(of_code_u64(codec, &model->seed));
    if (codec->kind != OF_CODEC_READ || codec->format > OF_MODEL_FORMAT_RUNLESS)
        OF_TRY(of_code_u64(codec, &model->run));
    of_run_text(model->run, model->run_text);
    OF_TRY(of_code_real(codec, &model->distance_mean, "the mean distance"));
    OF_TRY(of_code_real(codec, &model->distance_most, "the largest distance"));
    model->precision = (onefold_precision)precision;
    model->impute = median ? ONEFOLD_IMPUTE_MEDIAN : ONEFOLD_IMPUTE_MEAN;
    OF_TRY(code_counts(codec, rule, model->views, older));
    OF_TRY(of_code_reals(codec, &rule->beta, rule->parts, 1, "the weights"));
    OF_TRY(of_code_reals(codec, &rule->W, rule->dims, rule->parts * rule->dims, "the rotations"));
    OF_TRY(of_code_reals(codec, &rule->C, rule->dims, model->clusters, "the centroids"));
    OF_TRY(code_views(codec, model, older));
    return older ? ONEFOLD_OK : code_rule(codec, model);
}
