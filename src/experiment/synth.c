/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synthetic data with known clusters. Every sample of every view has a random stream of its own, so
 * that the data do not depend on the number of threads, and the first n samples do not depend on
 * the number of samples.
 *
 * Dense views: a centre per cluster, plus normal noise of unit variance in every column. The root
 * mean square distance between two centres is `separation`. Sparse views: counts. Column i belongs
 * to cluster i mod clusters. An entry in a column of its own cluster is 1 + `separation` times as
 * likely as in another column, or as much likelier as the density allows.
 *
 * With `noise` > 0 and two views or more, no view separates all clusters: view v merges clusters e
 * and e + 1 where e mod views = v, for at most noise * clusters such e, rounded up. No two views
 * merge the same pair, so that together they separate all clusters.
 *
 * With `balance` below 1, clusters have unequal sizes.
 */
#include "model/engine.h"

#include <math.h>

/* A stream is (purpose, what | view | sample or cluster). */
enum { VIEW_SHIFT = 40, MOST_VIEWS = 1 << 14 };
static const uint64_t label_streams = 0, missing_streams = 1ull << 54, value_streams = 2ull << 54,
                      centre_streams = 3ull << 54;

typedef struct synthesis {
    onefold_synth_options options;
    of_context *context;
    of_dataset *dataset;
    const int64_t *labels;
    const uint8_t *present; /* samples x views, or NULL: nothing is missing */
    /* of the current view */
    size_t view, columns, informative; /* columns that depend on the cluster come first */
    const size_t *merged;              /* the cluster that each cluster is merged into */
    of_tiles tiles;
    /* dense */
    const double *centre; /* informative x clusters */
    double *value;        /* columns x samples */
    /* sparse: the probability of an entry in another cluster's column, in one's own, in noise */
    double low, high, noise;
    size_t *start;   /* samples + 1: first the number of entries of sample j at j + 1, then sums */
    uint32_t *index; /* NULL: entries are counted, and not stored */
    double *count;
} synthesis;

static of_random stream(const synthesis *synth, uint64_t what, size_t number)
{
    return of_random_make(synth->options.seed, OF_PURPOSE_SYNTH,
                          what | (uint64_t)synth->view << VIEW_SHIFT | number);
}

static int is_missing(const synthesis *synth, size_t sample)
{
    return synth->present && !synth->present[sample * synth->options.views + synth->view];
}

/* Sample j < clusters is of cluster j, so that no cluster is empty; the other labels are drawn.
 * Expected sizes fall in geometric progression, to `balance` times the first for the last. */
static onefold_status make_labels(of_arena *arena, synthesis *synth)
{
    const onefold_synth_options *o = &synth->options;
    double *share, total = 0; /* share[c]: the probability of the clusters 0 to c */
    int64_t *labels;
    OF_TRY(OF_NEW(arena, &share, o->clusters, 1));
    OF_TRY(OF_NEW(arena, &labels, o->samples, 1));
    for (size_t c = 0; c < o->clusters; c++) {
        total += o->clusters > 1 ? pow(o->balance, (double)c / (double)(o->clusters - 1)) : 1;
        share[c] = total;
    }
    for (size_t c = 0; c < o->clusters; c++)
        share[c] /= total;
    for (size_t j = 0; j < o->samples; j++) {
        of_random random = of_random_make(o->seed, OF_PURPOSE_SYNTH, label_streams | j);
        /* Clusters of equal size are drawn as integers: such data keep their values. */
        size_t low = o->balance == 1 ? of_random_below(&random, o->clusters) : 0,
               high = o->balance == 1 ? low : o->clusters - 1;
        double at = of_random_uniform(&random);
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (at < share[middle])
                high = middle;
            else
                low = middle + 1;
        }
        labels[j] = (int64_t)(j < o->clusters ? j : low);
    }
    synth->labels = labels;
    return ONEFOLD_OK;
}

/* The probability q that a sample lacks a view, for an expected share of missing pairs. A sample
 * that would lack all p views keeps one of them, so q - q^p / p = share. The left side rises with
 * q. */
static double missing_probability(double share, size_t views)
{
    double low = share, high = 1;
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (middle - pow(middle, (double)views) / (double)views < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Draws which (sample, view) pairs are missing. Every sample keeps a view, and every view keeps two
 * samples where there are two. */
static onefold_status make_missing(of_arena *arena, synthesis *synth)
{
    const onefold_synth_options *o = &synth->options;
    size_t samples = o->samples, views = o->views;
    double most = 1 - 1 / (double)views;
    uint8_t *present;
    if (o->missing == 0)
        return ONEFOLD_OK;
    if (o->missing > most)
        return of_hint(of_fail(ONEFOLD_USAGE,
                               "%g of the (sample, view) pairs cannot be left out of %zu view%s: "
                               "every sample needs one",
                               o->missing, views, views == 1 ? "" : "s"),
                       "leave out at most %g of them", most);
    OF_TRY(OF_NEW(arena, &present, samples, views));
    double probability = o->missing == most ? 1 : missing_probability(o->missing, views);
    for (size_t j = 0; j < samples; j++) {
        of_random random = of_random_make(o->seed, OF_PURPOSE_SYNTH, missing_streams | j);
        uint8_t *has = present + j * views;
        size_t kept = 0;
        for (size_t i = 0; i < views; i++)
            kept += has[i] = of_random_uniform(&random) >= probability;
        if (kept == 0)
            has[of_random_below(&random, views)] = 1;
    }
    for (size_t i = 0; i < views; i++) {
        size_t count = 0;
        for (size_t j = 0; j < samples; j++)
            count += present[j * views + i];
        for (size_t j = 0; j < samples && count < 2; j++) {
            count += !present[j * views + i];
            present[j * views + i] = 1;
        }
    }
    synth->present = present;
    return ONEFOLD_OK;
}

static onefold_status check_options(const onefold_synth_options *o)
{
    if (o->samples == 0 || o->views == 0 || o->clusters == 0)
        return of_fail(ONEFOLD_USAGE,
                       "synthetic data needs at least one sample, one view and one cluster");
    if (o->clusters > o->samples)
        return of_fail(ONEFOLD_USAGE, "%zu clusters cannot be made from %zu samples", o->clusters,
                       o->samples);
    if (o->samples > (1ull << VIEW_SHIFT) || o->views >= MOST_VIEWS)
        return of_fail(ONEFOLD_USAGE, "%zu samples in %zu views are more than can be made",
                       o->samples, o->views);
    for (size_t v = 0; o->columns && v < o->views; v++)
        if (o->columns[v] == 0 || o->columns[v] > UINT32_MAX)
            return of_fail(ONEFOLD_USAGE, "view %zu cannot have %zu columns", v + 1, o->columns[v]);
    const struct {
        int holds;
        const char *what;
        double value;
    } range[] = {
        {o->separation >= 0 && o->separation < 1e6, "separation is a number from 0 up",
         o->separation},
        {o->noise >= 0 && o->noise < 1, "noise is a share from 0 to below 1", o->noise},
        {o->density > 0 && o->density <= 1, "density is a share above 0 and up to 1", o->density},
        {o->missing >= 0 && o->missing < 1, "missing is a share from 0 to below 1", o->missing},
        {o->balance > 0 && o->balance <= 1,
         "balance is the size of the smallest cluster over that of the largest, above 0 and up "
         "to 1",
         o->balance},
    };
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (!range[i].holds)
            return of_fail(ONEFOLD_USAGE, "%s, not %g", range[i].what, range[i].value);
    return ONEFOLD_OK;
}

/* ---- dense ---- */

static onefold_status make_centres(of_arena *arena, synthesis *synth)
{
    size_t clusters = synth->options.clusters, rows = synth->informative;
    double *centre, spread = 0;
    OF_TRY(OF_NEW(arena, &centre, rows, clusters));
    for (size_t c = 0; c < clusters; c++) {
        of_random random = stream(synth, centre_streams, c);
        for (size_t i = 0; i < rows; i++)
            centre[i + c * rows] = of_random_normal(&random);
    }
    /* The mean squared distance of pairs is 2 / (clusters - 1) times the squares about the mean. */
    for (size_t i = 0; i < rows; i++) {
        double mean = 0;
        for (size_t c = 0; c < clusters; c++)
            mean += centre[i + c * rows] / (double)clusters;
        for (size_t c = 0; c < clusters; c++)
            spread += (centre[i + c * rows] - mean) * (centre[i + c * rows] - mean);
    }
    double scale = 1;
    if (clusters > 1)
        scale = synth->options.separation / sqrt(2 * spread / (double)(clusters - 1));
    for (size_t e = 0; e < rows * clusters; e++)
        centre[e] *= scale;
    synth->centre = centre;
    return ONEFOLD_OK;
}

static onefold_status fill_dense(void *task, size_t tile)
{
    synthesis *synth = task;
    size_t first = of_tiles_first(&synth->tiles, tile),
           count = of_tiles_length(&synth->tiles, tile);
    for (size_t j = first; j < first + count; j++) {
        of_random random = stream(synth, value_streams, j);
        const double *centre = synth->centre + synth->merged[synth->labels[j]] * synth->informative;
        double *value = synth->value + j * synth->columns;
        int missing = is_missing(synth, j);
        for (size_t i = 0; i < synth->columns; i++)
            value[i] = missing
                           ? NAN
                           : of_random_normal(&random) + (i < synth->informative ? centre[i] : 0);
    }
    return ONEFOLD_OK;
}

static onefold_status add_dense(of_arena *scratch, synthesis *synth)
{
    OF_TRY(make_centres(scratch, synth));
    OF_TRY(OF_NEW(&synth->dataset->arena, &synth->value, synth->columns, synth->options.samples));
    OF_TRY(of_team_run(synth->context, synth->tiles.count, fill_dense, synth));
    of_view view = of_matrix_over(synth->value, OF_F64, synth->options.samples, synth->columns,
                                  synth->columns, NULL);
    return of_dataset_push(synth->dataset, &view);
}

/* ---- sparse ---- */

/* The next column from `first` on with an entry. The number of columns skipped is drawn in one
 * step, so that time is proportional to the entries. */
static size_t next_entry(of_random *random, size_t first, double probability, size_t end)
{
    if (probability >= 1)
        return first;
    if (probability <= 0)
        return end;
    double skipped = floor(log(1 - of_random_uniform(random)) / log1p(-probability));
    return skipped < (double)(end - first) ? first + (size_t)skipped : end;
}

/* The entries of a sample: counted, and stored where there is an array for them. */
typedef struct row {
    uint32_t *index;
    double *count;
    size_t entries;
} row;

static void put_entry(row *to, of_random *random, size_t column)
{
    double count = 1 + floor(-log2(1 - of_random_uniform(random)));
    if (to->index) {
        to->index[to->entries] = (uint32_t)column;
        to->count[to->entries] = count;
    }
    to->entries++;
}

/* Merges two sequences of entries, over all informative columns and over those of the sample's own
 * cluster; then adds entries in the other columns. No sample stays without an entry. */
static void draw_sample(const synthesis *synth, size_t sample, row *to)
{
    of_random random = stream(synth, value_streams, sample);
    size_t clusters = synth->options.clusters, group = synth->merged[synth->labels[sample]],
           end = synth->informative, own_end = group < end ? (end - group - 1) / clusters + 1 : 0;
    double extra = (synth->high - synth->low) / (1 - synth->low);
    size_t any = next_entry(&random, 0, synth->low, end),
           own = next_entry(&random, 0, extra, own_end);
    while (any < end || own < own_end) {
        size_t own_column = own < own_end ? group + own * clusters : end,
               column = any < own_column ? any : own_column;
        if (any == column)
            any = next_entry(&random, any + 1, synth->low, end);
        if (own_column == column)
            own = next_entry(&random, own + 1, extra, own_end);
        put_entry(to, &random, column);
    }
    for (size_t i = next_entry(&random, end, synth->noise, synth->columns); i < synth->columns;
         i = next_entry(&random, i + 1, synth->noise, synth->columns))
        put_entry(to, &random, i);
    if (to->entries == 0)
        put_entry(to, &random,
                  own_end ? group + clusters * of_random_below(&random, own_end)
                          : of_random_below(&random, synth->columns));
}

static onefold_status fill_sparse(void *task, size_t tile)
{
    synthesis *synth = task;
    size_t first = of_tiles_first(&synth->tiles, tile),
           count = of_tiles_length(&synth->tiles, tile);
    for (size_t j = first; j < first + count; j++) {
        row to = {NULL, NULL, 0};
        if (synth->index) {
            to.index = synth->index + synth->start[j];
            to.count = synth->count + synth->start[j];
        }
        if (!is_missing(synth, j))
            draw_sample(synth, j, &to);
        if (!synth->index)
            synth->start[j + 1] = to.entries;
    }
    return ONEFOLD_OK;
}

/* Samples are drawn twice: first to count the entries, so that all can be stored at once. */
static onefold_status add_sparse(synthesis *synth)
{
    size_t samples = synth->options.samples;
    double clusters = (double)synth->options.clusters, density = synth->options.density;
    synth->noise = density;
    synth->low = density / (1 + synth->options.separation / clusters);
    synth->high = synth->low * (1 + synth->options.separation);
    if (synth->high > 1) {
        synth->high = 1;
        synth->low = (density - 1 / clusters) / (1 - 1 / clusters);
    }
    synth->index = NULL;
    OF_TRY(OF_NEW_ZERO(&synth->dataset->arena, &synth->start, samples + 1, 1));
    OF_TRY(of_team_run(synth->context, synth->tiles.count, fill_sparse, synth));
    for (size_t j = 0; j < samples; j++)
        synth->start[j + 1] += synth->start[j];
    OF_TRY(OF_NEW(&synth->dataset->arena, &synth->count, synth->start[samples], 1));
    OF_TRY(OF_NEW(&synth->dataset->arena, &synth->index, synth->start[samples], 1));
    OF_TRY(of_team_run(synth->context, synth->tiles.count, fill_sparse, synth));
    of_sparse sparse = {samples, synth->columns, synth->start, synth->index, synth->count};
    of_view view = of_matrix_sparse(sparse, NULL);
    return of_dataset_push(synth->dataset, &view);
}

static onefold_status make_views(of_context *context, void *opaque)
{
    synthesis *synth = opaque;
    of_dataset *dataset = synth->dataset;
    const onefold_synth_options *o = &synth->options;
    OF_SCRATCH(scratch, context);
    OF_TRY(make_labels(&scratch, synth));
    OF_TRY(of_dataset_set_labels(dataset, synth->labels, NULL));
    OF_TRY(make_missing(&scratch, synth));
    for (synth->view = 0; synth->view < o->views; synth->view++) {
        OF_SCRATCH(view_scratch, synth->context);
        of_context_progress(synth->context, "synth", (double)synth->view, (double)o->views, NULL);
        synth->columns = o->columns ? o->columns[synth->view] : 20;
        synth->informative = synth->columns - (size_t)(o->noise * (double)synth->columns);
        synth->tiles = of_tiles_make(o->samples, synth->columns, 1 << 18);
        size_t *merged, left = (size_t)ceil(o->noise * (double)o->clusters);
        OF_TRY(OF_NEW(&view_scratch, &merged, o->clusters, 1));
        for (size_t c = 0; c < o->clusters; c++)
            merged[c] = c;
        for (size_t e = synth->view; o->views > 1 && e + 1 < o->clusters && left > 0; left--) {
            merged[e + 1] = e;
            e += o->views;
        }
        synth->merged = merged;
        OF_TRY(o->density < 1 ? add_sparse(synth) : add_dense(&view_scratch, synth));
    }
    of_context_progress(synth->context, "synth", (double)o->views, (double)o->views, NULL);
    for (size_t v = 0; synth->present && v < o->views; v++)
        OF_TRY(of_present_leave_out(dataset, v, synth->present + v, o->views));
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_synth(onefold_dataset **dataset, onefold_context *context,
                                     const onefold_synth_options *options)
{
    if (!dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_dataset_synth was given no place for the data set");
    synthesis synth = {.options = ONEFOLD_SYNTH_OPTIONS_INIT,
                       .context = of_context_or_default(context)};
    OF_TRY(OF_STRUCT_READ(&synth.options, options, onefold_synth_options));
    OF_TRY(check_options(&synth.options));
    OF_TRY(of_dataset_make(&synth.dataset, synth.context, synth.options.samples));
    onefold_status status = of_call(synth.context, "synth", make_views, &synth);
    return of_object_give(dataset, synth.dataset, status);
}
