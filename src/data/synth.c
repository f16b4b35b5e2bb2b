/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synthetic data with known clusters. Every sample of every view has a random stream of its own, so
 * the data is the same for any number of threads, and the first n samples are the same whatever
 * comes after them.
 *
 * Dense views: a centre per cluster, scaled so that the root mean square distance between two of
 * them is `separation`, plus normal noise of unit variance in every column. Sparse views: counts;
 * column i belongs to cluster i mod clusters, and a cluster's own columns are 1 + `separation`
 * times as likely to be there as the others (or as much likelier as the density allows).
 *
 * With `noise` > 0 and two views or more, a view also cannot tell all clusters apart: view v takes
 * clusters e and e + 1 for one where e mod views = v, for at most noise * clusters such e, rounded
 * up. No two views do so to the same pair, so that together they tell all of them apart.
 *
 * With `balance` below 1 clusters are of unequal size.
 */
#include "base/context.h"
#include "base/random.h"
#include "base/status.h"
#include "base/team.h"
#include "data/dataset.h"

#include <math.h>

/* Which stream: (purpose, what | view | sample or cluster). */
enum { VIEW_SHIFT = 40, MOST_VIEWS = 1 << 14 };
static const uint64_t label_streams = 0, missing_streams = 1ull << 54, value_streams = 2ull << 54,
                      centre_streams = 3ull << 54;

typedef struct maker {
    onefold_synth_options options;
    of_context *context;
    of_dataset *dataset; /* that is made */
    const int64_t *labels;
    const uint8_t *present;            /* samples x views, or NULL: nothing is missing */
    size_t view, columns, informative; /* columns that carry the clusters come first */
    const size_t *group;               /* the cluster a cluster counts as in this view */
    of_tiles tiles;
    /* dense */
    const double *centre; /* informative x clusters */
    double *value;        /* columns x samples */
    /* sparse */
    double low, high, plain; /* chances of an entry in another's column, in one's own, in noise */
    size_t *start;           /* samples + 1: first the counts, one place on, then their sums */
    uint32_t *index;         /* NULL while counting */
    double *count;
} maker;

static of_random stream(const maker *make, uint64_t what, size_t number)
{
    return of_random_make(make->options.seed, OF_PURPOSE_SYNTH,
                          what | (uint64_t)make->view << VIEW_SHIFT | number);
}

static int is_missing(const maker *make, size_t sample)
{
    return make->present && !make->present[sample * make->options.views + make->view];
}

/* Sample j < clusters is of cluster j, so that every cluster has one, and the others are drawn.
 * Sizes fall in geometric progression from the first cluster to the last, which can be expected to
 * have `balance` times as many samples. */
static onefold_status make_labels(of_arena *arena, maker *make)
{
    const onefold_synth_options *o = &make->options;
    double *share, total = 0; /* share[c]: the chance of the clusters up to and with c */
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
        /* Clusters of one size are drawn as whole numbers, as before sizes could differ. */
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
    make->labels = labels;
    return ONEFOLD_OK;
}

/*
 * Which views a sample of synthetic data lacks. Each view is left out by chance, and a sample that
 * would lack all of them keeps one of them. The chance is a little above the share that is asked
 * for, by what is kept: q - q^p / p = share.
 */

/* The chance q for the share: the left side rises with q. */
static double chance_of(double share, size_t views)
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

/* `missing` of all (sample, view) pairs on average, where that is above 0; every sample keeps a
 * view, and every view two samples where there are as many. */
static onefold_status make_missing(of_arena *arena, maker *make)
{
    const onefold_synth_options *o = &make->options;
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
    double chance = o->missing == most ? 1 : chance_of(o->missing, views);
    for (size_t j = 0; j < samples; j++) {
        of_random random = of_random_make(o->seed, OF_PURPOSE_SYNTH, missing_streams | j);
        uint8_t *has = present + j * views;
        size_t kept = 0;
        for (size_t i = 0; i < views; i++)
            kept += has[i] = of_random_uniform(&random) >= chance;
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
    make->present = present;
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

static onefold_status make_centres(of_arena *arena, maker *make)
{
    size_t clusters = make->options.clusters, rows = make->informative;
    double *centre, spread = 0;
    OF_TRY(OF_NEW(arena, &centre, rows, clusters));
    for (size_t c = 0; c < clusters; c++) {
        of_random random = stream(make, centre_streams, c);
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
        scale = make->options.separation / sqrt(2 * spread / (double)(clusters - 1));
    for (size_t e = 0; e < rows * clusters; e++)
        centre[e] *= scale;
    make->centre = centre;
    return ONEFOLD_OK;
}

static onefold_status fill_dense(void *task, size_t tile)
{
    maker *make = task;
    size_t first = of_tiles_first(&make->tiles, tile), count = of_tiles_length(&make->tiles, tile);
    for (size_t j = first; j < first + count; j++) {
        of_random random = stream(make, value_streams, j);
        const double *centre = make->centre + make->group[make->labels[j]] * make->informative;
        double *value = make->value + j * make->columns;
        int missing = is_missing(make, j);
        for (size_t i = 0; i < make->columns; i++)
            value[i] =
                missing ? NAN : of_random_normal(&random) + (i < make->informative ? centre[i] : 0);
    }
    return ONEFOLD_OK;
}

static onefold_status add_dense(of_dataset *dataset, of_arena *scratch, maker *make)
{
    OF_TRY(make_centres(scratch, make));
    OF_TRY(OF_NEW(&dataset->arena, &make->value, make->columns, make->options.samples));
    OF_TRY(of_team_run(make->context, make->tiles.count, fill_dense, make));
    of_view view = of_matrix_over(make->value, OF_F64, make->options.samples, make->columns,
                                  make->columns, NULL);
    return of_dataset_push(dataset, &view);
}

/* ---- sparse ---- */

/* Columns are passed over in one step, as many as chance has it: time goes with the entries. */
static size_t next_entry(of_random *random, size_t after, double chance, size_t end)
{
    if (chance >= 1)
        return after;
    if (chance <= 0)
        return end;
    double skipped = floor(log(1 - of_random_uniform(random)) / log1p(-chance));
    return skipped < (double)(end - after) ? after + (size_t)skipped : end;
}

/* A sample's entries as they are drawn: counted, and stored if there is a place for them. */
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

/* Those that any sample may have with, merged in, those of its cluster's own columns on top; then
 * those of the columns that carry no cluster. No sample is left without an entry. */
static void draw_sample(const maker *make, size_t sample, row *to)
{
    of_random random = stream(make, value_streams, sample);
    size_t clusters = make->options.clusters, group = make->group[make->labels[sample]],
           end = make->informative, own_end = group < end ? (end - group - 1) / clusters + 1 : 0;
    double extra = (make->high - make->low) / (1 - make->low);
    size_t any = next_entry(&random, 0, make->low, end),
           own = next_entry(&random, 0, extra, own_end);
    while (any < end || own < own_end) {
        size_t own_column = own < own_end ? group + own * clusters : end,
               column = any < own_column ? any : own_column;
        if (any == column)
            any = next_entry(&random, any + 1, make->low, end);
        if (own_column == column)
            own = next_entry(&random, own + 1, extra, own_end);
        put_entry(to, &random, column);
    }
    for (size_t i = next_entry(&random, end, make->plain, make->columns); i < make->columns;
         i = next_entry(&random, i + 1, make->plain, make->columns))
        put_entry(to, &random, i);
    if (to->entries == 0)
        put_entry(to, &random,
                  own_end ? group + clusters * of_random_below(&random, own_end)
                          : of_random_below(&random, make->columns));
}

static onefold_status fill_sparse(void *task, size_t tile)
{
    maker *make = task;
    size_t first = of_tiles_first(&make->tiles, tile), count = of_tiles_length(&make->tiles, tile);
    for (size_t j = first; j < first + count; j++) {
        row to = {NULL, NULL, 0};
        if (make->index) {
            to.index = make->index + make->start[j];
            to.count = make->count + make->start[j];
        }
        if (!is_missing(make, j))
            draw_sample(make, j, &to);
        if (!make->index)
            make->start[j + 1] = to.entries;
    }
    return ONEFOLD_OK;
}

/* Samples are drawn twice, the first time to count, so that each knows its place. */
static onefold_status add_sparse(of_dataset *dataset, maker *make)
{
    size_t samples = make->options.samples;
    double clusters = (double)make->options.clusters, density = make->options.density;
    make->plain = density;
    make->low = density / (1 + make->options.separation / clusters);
    make->high = make->low * (1 + make->options.separation);
    if (make->high > 1) {
        make->high = 1;
        make->low = (density - 1 / clusters) / (1 - 1 / clusters);
    }
    make->index = NULL;
    OF_TRY(OF_NEW_ZERO(&dataset->arena, &make->start, samples + 1, 1));
    OF_TRY(of_team_run(make->context, make->tiles.count, fill_sparse, make));
    for (size_t j = 0; j < samples; j++)
        make->start[j + 1] += make->start[j];
    OF_TRY(OF_NEW(&dataset->arena, &make->count, make->start[samples], 1));
    OF_TRY(OF_NEW(&dataset->arena, &make->index, make->start[samples], 1));
    OF_TRY(of_team_run(make->context, make->tiles.count, fill_sparse, make));
    of_sparse sparse = {samples, make->columns, make->start, make->index, make->count};
    of_view view = of_matrix_sparse(sparse, NULL);
    return of_dataset_push(dataset, &view);
}

static onefold_status make_views(of_context *context, void *opaque)
{
    maker *make = opaque;
    of_dataset *dataset = make->dataset;
    const onefold_synth_options *o = &make->options;
    OF_SCRATCH(scratch, context);
    OF_TRY(make_labels(&scratch, make));
    OF_TRY(of_dataset_set_labels(dataset, make->labels));
    OF_TRY(make_missing(&scratch, make));
    for (make->view = 0; make->view < o->views; make->view++) {
        OF_SCRATCH(passing, make->context);
        of_context_progress(make->context, "synth", (double)make->view, (double)o->views, NULL);
        make->columns = o->columns ? o->columns[make->view] : 20;
        make->informative = make->columns - (size_t)(o->noise * (double)make->columns);
        make->tiles = of_tiles_make(o->samples, make->columns, 1 << 18);
        size_t *group, left = (size_t)ceil(o->noise * (double)o->clusters);
        OF_TRY(OF_NEW(&passing, &group, o->clusters, 1));
        for (size_t c = 0; c < o->clusters; c++)
            group[c] = c;
        for (size_t e = make->view; o->views > 1 && e + 1 < o->clusters && left > 0; left--) {
            group[e + 1] = e;
            e += o->views;
        }
        make->group = group;
        OF_TRY(o->density < 1 ? add_sparse(dataset, make) : add_dense(dataset, &passing, make));
    }
    of_context_progress(make->context, "synth", (double)o->views, (double)o->views, NULL);
    for (size_t v = 0; make->present && v < o->views; v++)
        OF_TRY(of_present_leave_out(dataset, v, make->present + v, o->views));
    return ONEFOLD_OK;
}

onefold_status onefold_dataset_synth(onefold_dataset **dataset, onefold_context *context,
                                     const onefold_synth_options *options)
{
    if (!dataset)
        return of_fail(ONEFOLD_USAGE, "onefold_dataset_synth was given no place for the data set");
    maker make = {.options = ONEFOLD_SYNTH_OPTIONS_INIT, .context = of_context_or_default(context)};
    OF_TRY(OF_STRUCT_READ(&make.options, options, onefold_synth_options));
    OF_TRY(check_options(&make.options));
    OF_TRY(of_dataset_make(&make.dataset, make.context, make.options.samples));
    onefold_status status = of_call(make.context, "synth", make_views, &make);
    if (status == ONEFOLD_OK)
        *dataset = (onefold_dataset *)make.dataset;
    else
        of_dataset_free(make.dataset);
    return status;
}
