/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a model: one description of the format counts, writes and reads them. */
#include "base/comm.h"
#include "base/status.h"
#include "base/utf8.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifndef ONEFOLD_ENGINE_ONLY
#include <zlib.h>
#endif

/* CRC-32: zlib's, which is several times as fast, where the library is built with zlib; else the
 * polynomial 0xedb88320 bit by bit, for each half of a byte. */
#ifndef ONEFOLD_ENGINE_ONLY
#define checksum(crc, bytes, size) ((uint32_t)crc32_z((crc), (bytes), (size)))
#else
static uint32_t checksum(uint32_t crc, const void *bytes, size_t size)
{
    static const uint32_t half[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    const unsigned char *byte = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= byte[i];
        crc = half[crc & 15] ^ (crc >> 4);
        crc = half[crc & 15] ^ (crc >> 4);
    }
    return ~crc;
}
#endif

static onefold_status refuse(const of_codec *codec, const char *what)
{
    return of_hint(
        of_fail(ONEFOLD_BAD_DATA, "the model is inconsistent: at byte %zu %s", codec->at, what),
        "fit it again");
}

/* Whether bytes are counted only, and arrays are not touched. */
static int counts_alone(const of_codec *codec)
{
    return !codec->bytes && !codec->write && !codec->out;
}

static onefold_status code_raw(of_codec *codec, void *bytes, size_t size)
{
    if (codec->bytes && size > codec->size - codec->at)
        return refuse(codec, "it ends too soon");
    if (codec->bytes && size)
        memcpy(bytes, codec->bytes + codec->at, size);
    if (codec->write || codec->out)
        codec->crc = checksum(codec->crc, bytes, size);
    if (codec->out && size)
        memcpy(codec->out + codec->at, bytes, size);
    OF_TRY(of_size_add(&codec->at, codec->at, size));
    return codec->write ? codec->write(codec->to, bytes, size) : ONEFOLD_OK;
}

onefold_status of_code_whole(of_codec *codec, uint64_t *number, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(*number >> (8 * i));
    OF_TRY(code_raw(codec, bytes, size));
    *number = 0;
    for (size_t i = 0; i < size; i++)
        *number |= (uint64_t)bytes[i] << (8 * i);
    return ONEFOLD_OK;
}

onefold_status of_code_count(of_codec *codec, size_t *count, size_t size, size_t least, size_t most)
{
    uint64_t number = *count;
    if (!codec->bytes && size == 4 && number > UINT32_MAX)
        return of_fail(ONEFOLD_UNSUPPORTED, "a count is %zu, too large for a model file", *count);
    OF_TRY(of_code_whole(codec, &number, size));
    if (!counts_alone(codec) && (number < least || number > most))
        return refuse(codec, "a number is out of range");
    *count = (size_t)number;
    return ONEFOLD_OK;
}

onefold_status of_code_real(of_codec *codec, double *number)
{
    uint64_t bits;
    memcpy(&bits, number, sizeof bits);
    OF_TRY(of_code_whole(codec, &bits, 8));
    memcpy(number, &bits, sizeof bits);
    return isfinite(*number) || counts_alone(codec) ? ONEFOLD_OK
                                                    : refuse(codec, "a number is not finite");
}

/* Numbers of `size` bytes from this machine's order to little-endian, or back. */
static void reorder(unsigned char *to, const unsigned char *from, size_t count, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(to, from, count * size);
#else
    for (size_t i = 0; i < count * size; i++)
        to[i] = from[i / size * size + size - 1 - i % size];
#endif
}

/* rows x columns numbers of `size` bytes; `array` points to the pointer to them. */
static onefold_status code_array(of_codec *codec, void *array, size_t size, size_t rows,
                                 size_t columns)
{
    enum { AT_ONCE = 512 };
    unsigned char bytes[8 * AT_ONCE], *held;
    size_t count, whole;
    if (codec->bytes) {
        if (rows && columns > (codec->size - codec->at) / size / rows)
            return refuse(codec, "numbers would go past its end");
        OF_TRY(of_arena_allocate(codec->arena, array, size, rows, columns));
    }
    memcpy(&held, array, sizeof held);
    OF_TRY(of_size_multiply(&count, rows, columns));
    OF_TRY(of_size_multiply(&whole, count, size));
    if (counts_alone(codec))
        return of_size_add(&codec->at, codec->at, whole);
    for (size_t done = 0, part; done < count; done += part, held += part * size) {
        part = count - done < AT_ONCE ? count - done : AT_ONCE;
        if (!codec->bytes)
            reorder(bytes, held, part, size);
        OF_TRY(code_raw(codec, bytes, part * size));
        if (codec->bytes)
            reorder(held, bytes, part, size);
    }
    return ONEFOLD_OK;
}

onefold_status of_code_reals(of_codec *codec, const double **array, size_t rows, size_t columns)
{
    OF_TRY(code_array(codec, array, sizeof **array, rows, columns));
    for (size_t i = 0; i < rows * columns && !counts_alone(codec); i++)
        if (!isfinite((*array)[i]))
            return refuse(codec, "a number is not finite");
    return ONEFOLD_OK;
}

onefold_status of_code_columns(of_codec *codec, const uint32_t **array, size_t count, size_t below)
{
    OF_TRY(code_array(codec, array, sizeof **array, count, 1));
    for (size_t i = 0; i < count && !counts_alone(codec); i++)
        if ((*array)[i] >= below)
            return refuse(codec, "a number is out of range");
    return ONEFOLD_OK;
}

onefold_status of_code_starts(of_codec *codec, const size_t **array, size_t count)
{
    return code_array(codec, array, sizeof **array, count, 1);
}

onefold_status of_code_text(of_codec *codec, const char **text)
{
    size_t length = codec->bytes ? 0 : strlen(*text);
    OF_TRY(of_code_count(codec, &length, 4, 0, 1u << 20));
    if (!codec->bytes)
        return code_raw(codec, (char *)(uintptr_t)*text, length);
    char *made;
    OF_TRY(OF_NEW(codec->arena, &made, length + 1, 1));
    OF_TRY(code_raw(codec, made, length));
    made[length] = '\0';
    of_text_clean(made);
    *text = made;
    return ONEFOLD_OK;
}

enum { MOST_VIEWS = 1 << 20, MOST_SOURCES = 1 << 22, MOST_KNOTS = 1024 };
static const size_t MOST = (size_t)1 << 48; /* the largest count */

/* ---- projections -------------------------------------------------------------------------- */

/* An int or an enumeration as 4 bytes. */
static onefold_status code_choice(of_codec *codec, void *choice, int most)
{
    int *at = choice;
    size_t number = (size_t)*at;
    OF_TRY(of_code_count(codec, &number, 4, 0, (size_t)most));
    *at = (int)number;
    return ONEFOLD_OK;
}

/* An array that may be NULL: whether it exists, then its numbers. */
static onefold_status code_optional(of_codec *codec, const double **array, size_t count)
{
    int some = *array != NULL;
    OF_TRY(code_choice(codec, &some, 1));
    return some ? of_code_reals(codec, array, count, 1) : ONEFOLD_OK;
}

/* Allocates `count` structs for reading, each of at least `least` bytes of the file. */
static onefold_status begin_list(of_codec *codec, void *list, size_t size, size_t count,
                                 size_t least)
{
    if (!codec->bytes)
        return ONEFOLD_OK;
    if (count > (codec->size - codec->at) / least)
        return refuse(codec, "views or projections would go past its end");
    return of_arena_new(codec->arena, list, size, count, 1, OF_BLOCK_ZERO);
}
#define BEGIN_LIST(codec, list, count, least)                                                      \
    begin_list((codec), (list), sizeof **(list), (count), (least))

static int rises(const uint32_t *index, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (index[i] <= index[i - 1])
            return 0;
    return 1;
}

static onefold_status code_prep(of_codec *codec, of_projection *p)
{
    of_prep *prep = &p->prep;
    int kept = prep->kept != NULL, shift = prep->shift != NULL, scale = prep->scale != NULL;
    OF_TRY(code_choice(codec, &prep->kind, OF_PREP_TFIDF));
    OF_TRY(of_code_count(codec, &prep->columns, 8, 0, p->raw_columns));
    OF_TRY(code_choice(codec, &kept, 1));
    OF_TRY(code_choice(codec, &shift, 1));
    OF_TRY(code_choice(codec, &scale, 1));
    if (kept)
        OF_TRY(of_code_columns(codec, &prep->kept, prep->columns, p->raw_columns));
    if (kept && !counts_alone(codec) && !rises(prep->kept, prep->columns))
        return refuse(codec, "numbers are out of order");
    if (shift)
        OF_TRY(of_code_reals(codec, &prep->shift, prep->columns, 1));
    if (scale)
        OF_TRY(of_code_reals(codec, &prep->scale, prep->columns, 1));
    return ONEFOLD_OK;
}

/* Sparse points, or lists of landmarks. */
static onefold_status code_sparse(of_codec *codec, of_sparse *sparse, size_t rows, size_t columns)
{
    sparse->rows = rows;
    sparse->columns = columns;
    OF_TRY(of_code_starts(codec, &sparse->start, rows + 1));
    const size_t *start = sparse->start;
    for (size_t i = 0; i < rows; i++)
        if (start[0] != 0 || start[i] > start[i + 1])
            return refuse(codec, "numbers are out of order");
    OF_TRY(of_code_columns(codec, &sparse->index, start[rows], columns));
    for (size_t i = 0; i < rows && !counts_alone(codec); i++)
        if (!rises(sparse->index + start[i], start[i + 1] - start[i]))
            return refuse(codec, "numbers are out of order");
    return of_code_reals(codec, &sparse->value, start[rows], 1);
}

static onefold_status code_points(of_codec *codec, of_projection *p)
{
    int dense = p->at != NULL;
    OF_TRY(of_code_count(codec, &p->points, 8, 1, MOST));
    OF_TRY(of_code_real(codec, &p->scale));
    OF_TRY(of_code_real(codec, &p->mean_of_all));
    OF_TRY(of_code_reals(codec, &p->point_mean, p->points, 1));
    OF_TRY(of_code_reals(codec, &p->row_mean, p->points, 1));
    OF_TRY(code_choice(codec, &dense, 1));
    return dense ? of_code_reals(codec, &p->at, p->columns, p->points)
                 : code_sparse(codec, &p->sparse_at, p->points, p->columns);
}

/* Names of columns, which may be NULL. */
static onefold_status code_names(of_codec *codec, of_model_view *view)
{
    const char **names = (const char **)(uintptr_t)view->column_names;
    int named = names != NULL;
    OF_TRY(code_choice(codec, &named, 1));
    if (!named)
        return ONEFOLD_OK;
    OF_TRY(BEGIN_LIST(codec, &names, view->raw_columns, 4));
    view->column_names = names;
    for (size_t i = 0; i < view->raw_columns; i++)
        OF_TRY(of_code_text(codec, &names[i]));
    return ONEFOLD_OK;
}

static onefold_status code_projection(of_codec *codec, size_t most_samples, size_t most_rank,
                                      int outer, of_projection *p);

static onefold_status code_ties(of_codec *codec, of_projection *p)
{
    int subspace = p->graph == OF_KERNEL_SUBSPACE, within = p->inner != NULL,
        landmarks = p->at                ? 1  /* dense */
                    : p->sparse_at.start ? 2  /* sparse, by column */
                                         : 0; /* the samples of a graph view */
    OF_TRY(code_choice(codec, &subspace, 1));
    p->graph = subspace ? OF_KERNEL_SUBSPACE : OF_KERNEL_KNN;
    OF_TRY(of_code_count(codec, &p->points, 8, 1, MOST));
    OF_TRY(of_code_count(codec, &p->neighbours, 8, 0, p->points));
    OF_TRY(of_code_real(codec, &p->common));
    OF_TRY(of_code_reals(codec, &p->degree, p->points, 1));
    OF_TRY(code_choice(codec, &within, 1));
    if (within) {
        of_projection *inner = (of_projection *)(uintptr_t)p->inner;
        OF_TRY(BEGIN_LIST(codec, &inner, 1, 1));
        p->inner = inner;
        OF_TRY(code_projection(codec, p->samples, MOST, 0, inner));
        p->columns = inner->rank;
    }
    OF_TRY(code_choice(codec, &landmarks, 2));
    return landmarks == 1   ? of_code_reals(codec, &p->at, p->columns, p->points)
           : landmarks == 2 ? code_sparse(codec, &p->sparse_at, p->columns, p->points)
                            : ONEFOLD_OK;
}

/* `outer`: the projection is not the inner one of another. */
static onefold_status code_projection(of_codec *codec, size_t most_samples, size_t most_rank,
                                      int outer, of_projection *p)
{
    OF_TRY(code_choice(codec, &p->kernel, OF_KERNEL_LAST));
    OF_TRY(code_choice(codec, &p->route, OF_ROUTE_LANDMARKS));
    OF_TRY(code_choice(codec, &p->form, outer ? OF_PROJECT_TIES : OF_PROJECT_FEATURES));
    OF_TRY(code_choice(codec, &p->sparse, 1));
    OF_TRY(of_code_count(codec, &p->samples, 8, 1, most_samples));
    OF_TRY(of_code_count(codec, &p->raw_columns, 8, 1, UINT32_MAX));
    OF_TRY(of_code_count(codec, &p->rank, 4, 1, most_rank));
    OF_TRY(code_prep(codec, p));
    p->columns = p->prep.columns;
    OF_TRY(of_code_reals(codec, &p->value, p->rank, 1));
    OF_TRY(of_code_real(codec, &p->floor));
    OF_TRY(of_code_whole(codec, &p->links, 8));
    OF_TRY(code_choice(codec, &(int){0}, 0)); /* reserved */
    if (p->form == OF_PROJECT_FEATURES) {
        OF_TRY(of_code_real(codec, &p->scale));
        OF_TRY(of_code_reals(codec, &p->mean, p->columns, 1));
    } else if (p->form == OF_PROJECT_ROWS) {
        OF_TRY(of_code_real(codec, &p->mean_of_all));
        OF_TRY(of_code_reals(codec, &p->point_mean, p->samples, 1));
        OF_TRY(of_code_reals(codec, &p->sample_scale, p->samples, 1));
        OF_TRY(code_choice(codec, &p->same_diagonal, 1));
        OF_TRY(of_code_real(codec, &p->diagonal));
    } else
        OF_TRY(p->form == OF_PROJECT_TIES ? code_ties(codec, p) : code_points(codec, p));
    return of_code_reals(codec, &p->weight, p->rank, of_projection_inputs(p));
}

/* ---- views and the rule -------------------------------------------------------------------- */

static onefold_status code_fusion(of_codec *codec, onefold_model *model)
{
    of_rule *rule = &model->rule;
    OF_TRY(of_code_reals(codec, &rule->beta, rule->parts, 1));
    OF_TRY(of_code_reals(codec, &rule->W, rule->dims, rule->parts * rule->dims));
    OF_TRY(of_code_reals(codec, &rule->C, rule->dims, model->info.clusters));
    if (codec->older)
        return ONEFOLD_OK; /* confidence is the margin */
    OF_TRY(of_code_count(codec, &rule->knots, 4, 0, MOST_KNOTS));
    OF_TRY(of_code_reals(codec, &rule->margin, rule->knots, 1));
    OF_TRY(of_code_reals(codec, &rule->share, rule->knots, 1));
    for (size_t i = 0; i < rule->knots && !counts_alone(codec); i++)
        if (rule->share[i] < 0 || rule->share[i] > 1 ||
            (i && !(rule->margin[i] > rule->margin[i - 1] && rule->share[i] >= rule->share[i - 1])))
            return refuse(codec, "its confidences do not rise from 0 to 1");
    return ONEFOLD_OK;
}

/* Sources and parts. */
static onefold_status code_rule(of_codec *codec, onefold_model *model)
{
    of_rule *rule = &model->rule;
    of_rule_part *parts = (of_rule_part *)(uintptr_t)rule->part;
    OF_TRY(BEGIN_LIST(codec, &rule->source, rule->sources, 64));
    OF_TRY(BEGIN_LIST(codec, &parts, rule->parts, 24));
    rule->part = parts;
    for (size_t s = 0; s < rule->sources; s++) {
        of_rule_source *source = &rule->source[s];
        of_projection *p = (of_projection *)(uintptr_t)source->projection;
        OF_TRY(BEGIN_LIST(codec, &p, 1, 1));
        source->projection = p;
        OF_TRY(of_code_count(codec, &source->view, 4, 0, model->info.views - 1));
        OF_TRY(code_projection(codec, model->info.samples, MOST_SOURCES, 1, p));
    }
    for (size_t b = 0; b < rule->parts; b++) {
        of_rule_part *part = &parts[b];
        OF_TRY(code_choice(codec, &part->join, OF_JOIN_COLUMNS));
        OF_TRY(of_code_count(codec, &part->known, 8, 1, model->info.samples));
        OF_TRY(of_code_count(codec, &part->rank, 4, 1, rule->dims));
        OF_TRY(of_code_reals(codec, &part->value, part->rank, 1));
        OF_TRY(of_code_count(codec, &part->terms, 4, 1, rule->sources));
        OF_TRY(of_code_columns(codec, &part->source, part->terms, rule->sources));
        OF_TRY(of_code_columns(codec, &part->row, part->terms, UINT32_MAX));
        OF_TRY(code_optional(codec, &part->weight, part->terms));
    }
    return ONEFOLD_OK;
}

static onefold_status code_views(of_codec *codec, onefold_model *model)
{
    of_model_view *views = (of_model_view *)(uintptr_t)model->view;
    OF_TRY(BEGIN_LIST(codec, &views, model->info.views, 24));
    model->view = views;
    for (size_t i = 0; i < model->info.views; i++) {
        of_model_view *view = &views[i];
        OF_TRY(of_code_text(codec, &view->name));
        OF_TRY(code_choice(codec, &view->storage, OF_KERNEL));
        OF_TRY(code_choice(codec, &view->kernel, OF_KERNEL_LAST));
        OF_TRY(of_code_count(codec, &view->raw_columns, 8, 1, UINT32_MAX));
        OF_TRY(code_optional(codec, &view->fill, view->raw_columns));
        OF_TRY(code_names(codec, view));
    }
    return ONEFOLD_OK;
}

static onefold_status code_model(of_codec *codec, onefold_model *model)
{
    int median = model->info.impute == ONEFOLD_IMPUTE_MEDIAN;
    of_rule *rule = &model->rule;
    OF_TRY(of_code_text(codec, &model->info.version));
    OF_TRY(of_code_count(codec, &model->info.samples, 8, 1, MOST));
    OF_TRY(of_code_count(codec, &model->info.views, 4, 1, MOST_VIEWS));
    OF_TRY(of_code_count(codec, &rule->dims, 4, 1, INT32_MAX));
    OF_TRY(of_code_count(codec, &model->info.clusters, 4, 1, rule->dims));
    OF_TRY(of_code_count(codec, &rule->largest, 4, 0, model->info.clusters - 1));
    OF_TRY(code_choice(codec, &model->info.precision, ONEFOLD_SINGLE));
    OF_TRY(code_choice(codec, &median, 1));
    OF_TRY(of_code_whole(codec, &model->info.seed, 8));
    OF_TRY(of_code_whole(codec, &model->run, 8));
    of_run_text(model->run, model->run_text);
    OF_TRY(of_code_real(codec, &model->info.distance_mean));
    OF_TRY(of_code_real(codec, &model->info.distance_most));
    model->info.impute = median ? ONEFOLD_IMPUTE_MEDIAN : ONEFOLD_IMPUTE_MEAN;
    OF_TRY(of_code_count(codec, &rule->sources, 4, 1, MOST_SOURCES));
    OF_TRY(of_code_count(codec, &rule->parts, 4, 1, MOST_SOURCES));
    OF_TRY(code_choice(codec, &rule->constant, 1));
    OF_TRY(code_fusion(codec, model));
    OF_TRY(code_views(codec, model));
    return code_rule(codec, model);
}

/* ---- broadcast ------------------------------------------------------------------------------ */

static onefold_status code_arrays(of_codec *codec, onefold_model *model)
{
    OF_TRY(code_fusion(codec, model));
    return code_rule(codec, model);
}

onefold_status of_rule_broadcast(of_arena *arena, onefold_model_info info, of_rule *rule)
{
    of_context *context = arena->context;
    OF_SCRATCH(scratch, context);
    onefold_model model = {.rule = *rule, .info = info};
    of_codec codec = {0};
    unsigned char *bytes;
    int leads = context->comm.rank == 0;
    if (leads)
        OF_TRY(code_arrays(&codec, &model));
    OF_TRY(of_comm_broadcast(context, 0, &codec.at, sizeof codec.at));
    size_t size = codec.at;
    OF_TRY(OF_NEW(&scratch, &bytes, size, 1));
    codec = (of_codec){.out = bytes};
    if (leads)
        OF_TRY(code_arrays(&codec, &model));
    OF_TRY(of_comm_broadcast(context, 0, bytes, size));
    if (leads)
        return ONEFOLD_OK;
    codec = (of_codec){.bytes = bytes, .size = size, .arena = arena};
    OF_TRY(code_arrays(&codec, &model));
    *rule = model.rule;
    return of_rule_prepare(arena, info.precision, rule);
}

/* ---- files ---------------------------------------------------------------------------------- */

const char of_model_magic[] = "\x89OFM\r\n\x1a\n";

enum { FORMAT = 7, OLDER = 6, HEAD = 24, TAIL = 4 };

static onefold_status code_head(of_codec *codec, size_t *format, size_t *reserved, size_t *size)
{
    unsigned char magic[OF_MODEL_MAGIC];
    memcpy(magic, of_model_magic, sizeof magic);
    OF_TRY(code_raw(codec, magic, sizeof magic));
    OF_TRY(of_code_count(codec, format, 4, 0, SIZE_MAX));
    OF_TRY(of_code_count(codec, reserved, 4, 0, SIZE_MAX));
    return of_code_count(codec, size, 8, 0, SIZE_MAX);
}

onefold_status of_model_code(of_codec *codec, const onefold_model *model, size_t bytes)
{
    onefold_model copy = *model; /* writing stores every number again, unchanged */
    size_t format = FORMAT, reserved = 0;
    OF_TRY(code_head(codec, &format, &reserved, &bytes));
    OF_TRY(code_model(codec, &copy));
    size_t crc = codec->crc;
    return of_code_count(codec, &crc, 4, 0, SIZE_MAX);
}

onefold_status of_model_size(const onefold_model *model, size_t *bytes)
{
    of_codec codec = {0};
    OF_TRY(of_model_code(&codec, model, 0));
    *bytes = codec.at;
    return ONEFOLD_OK;
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
    of_codec codec = {.out = malloc(count)};
    if (!codec.out)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for the %zu bytes of the model",
                       count);
    onefold_status status = of_model_code(&codec, model, count);
    if (status != ONEFOLD_OK) {
        free(codec.out);
        return status;
    }
    *bytes = codec.out;
    *size = count;
    return ONEFOLD_OK;
}

/* Refuses bytes that are not a complete model of this format. */
static onefold_status check_file(of_codec *codec)
{
    size_t magic = OF_MODEL_MAGIC, size = codec->size, format, reserved, whole, crc;
    if (size < magic || memcmp(codec->bytes, of_model_magic, magic) != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "this is not a model"),
                       "models are written by a fit with `keep_model`");
    if (size < HEAD + TAIL)
        return of_fail(ONEFOLD_BAD_DATA, "the model is truncated: it has %zu bytes", size);
    OF_TRY(code_head(codec, &format, &reserved, &whole));
    codec->at = size - TAIL;
    OF_TRY(of_code_count(codec, &crc, TAIL, 0, SIZE_MAX));
    codec->older = format == OLDER;
    if (format != FORMAT && format != OLDER)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model has format %zu, and this version reads %d", format,
                               FORMAT),
                       format > FORMAT ? "use a newer version of onefold" : "fit it again");
    if (whole > size)
        return of_hint(of_fail(ONEFOLD_BAD_DATA,
                               "the model is truncated: %zu of its %zu bytes are present", size,
                               whole),
                       "copy it again, or fit it again");
    if (reserved != 0 || whole < size || crc != checksum(0, codec->bytes, size - TAIL))
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the model is damaged: wrong checksum"),
                       "copy it again, or fit it again");
    codec->at = HEAD;
    codec->size = size - TAIL;
    return ONEFOLD_OK;
}

static onefold_status parse(const unsigned char *bytes, size_t size, onefold_model *made)
{
    of_codec codec = {.bytes = bytes, .size = size, .arena = &made->arena};
    OF_TRY(check_file(&codec));
    OF_TRY(code_model(&codec, made));
    if (codec.at != codec.size)
        return refuse(&codec, "more follows than it needs");
    return of_model_complete(&made->arena, made);
}

onefold_status onefold_model_decode(onefold_model **model, onefold_context *context,
                                    const void *bytes, size_t size)
{
    if (!model || !bytes)
        return of_fail(ONEFOLD_USAGE,
                       "onefold_model_decode needs a place for the model and its bytes");
    onefold_model *made;
    OF_TRY(OF_OBJECT(context, &made));
    return of_object_give(model, made, parse(bytes, size, made));
}
