/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's experiments on one data set: every method at its fixed default and over its published
 * grid, each figure with its spread over repeats, the sensitivity to k and m, traces, time, memory.
 *
 * A cell is one method at one setting. A method that ends in k-means is run once in a cell, and the
 * k-means on its embedding is repeated; of the others every repeat is a fit with the next seed. As
 * that is expensive, their cells of a grid have fewer repeats, on which the best is chosen; the
 * best and the default have all of them.
 */
#ifndef OF_EXPERIMENT_EXPERIMENT_H
#define OF_EXPERIMENT_EXPERIMENT_H

#include "data/dataset.h"
#include "io/json_build.h"
#include "linalg/kmeans.h"
#include "method/method.h"

/*
 * A grid of settings of a method, as text: "l1=2|4|8,l2=16|32" is every pair, the last name moving
 * fastest; grids with '/' between them are taken one after the other. A value is what the option
 * takes; "2c" is twice the number of clusters; "*" is every number from 1 to the number of views.
 * Besides its own options a method that takes dims has the names dims and anchors.
 */

typedef struct of_setting {
    size_t dims, anchors; /* 0: not set here */
    const char *own;      /* "name=value,..." of the method's own options; "" */
} of_setting;

/* Every setting of the grid, each checked, from `arena`. A grid without a setting is refused. */
onefold_status of_grid_expand(of_arena *arena, const of_method *method, const char *grid,
                              size_t clusters, size_t views, of_setting **settings, size_t *count);

double of_measure_of(const onefold_scores *scores, onefold_measure measure);

/* What a cell came to, as it is shown: what comes before its status is filled in at the end. */
typedef onefold_experiment_cell_info of_cell_result;

typedef struct of_cell {
    const of_method *method;
    of_setting setting;         /* over the method's defaults */
    const char *name;           /* the setting for people: "default", "k 14, m 7", "l1=2,l2=8" */
    const char *key;            /* all that its figures depend on but the repeats, as text */
    size_t repeats;             /* wanted */
    size_t samples, view_count; /* of the data */
    unsigned roles;
    int done, kept; /* computed; not in this run but taken from the store */
    of_cell_result result;
} of_cell;

typedef struct of_experiment_options {
    onefold_fit_options fit;          /* for every method; method and method_options are not read */
    onefold_experiment_options bench; /* with a grid */
} of_experiment_options;
#define OF_EXPERIMENT_OPTIONS_INIT                                                                 \
    {                                                                                              \
        ONEFOLD_FIT_OPTIONS_INIT, ONEFOLD_EXPERIMENT_OPTIONS_INIT                                  \
    }
enum {
    OF_EXPERIMENT_KMEANS_ITERATIONS = 100,
    OF_MOST_TIMES = 32 /* multiples in a sensitivity table */
};

/* A method among the others. */
typedef struct of_contender {
    const of_method *method;
    onefold_experiment_method_info info;
    const char *grid;  /* that was asked of it; NULL: none */
    const char *given; /* options of its own for all cells; or NULL */
    double seconds;    /* estimated for its default; 0: not known */
} of_contender;
typedef struct onefold_experiment of_experiment;
struct onefold_experiment {
    of_arena arena;
    of_experiment_options options;
    struct of_cell_store *store; /* where finished cells are kept between runs; NULL: nowhere */
    const of_dataset *dataset;
    const char *const *kernels; /* one per view */
    char fingerprint[OF_FINGERPRINT];
    of_cell *cells;
    size_t cell_count, cell_room;
    of_contender *contenders;
    size_t contender_count;
    size_t memory_limit;          /* 0: none */
    onefold_experiment_info info; /* what callers are shown: lists are made at the end */
};

/* Makes the lists of `info` from the rest. */
onefold_status of_experiment_show(of_experiment *experiment);

/* The parts an experiment is made of, for its own files only. */

/* The caller's options in our size, with texts of the experiment's own. */
onefold_status of_experiment_read(of_experiment *experiment, const onefold_fit_options *fit,
                                  const onefold_experiment_options *options);

/* Fills contenders, cells and the sensitivity table; checks options against the data. */
onefold_status of_experiment_plan(of_context *context, of_experiment *experiment);

/* The options of a fit at a cell, with its own options joined to those given; from `arena`. */
onefold_status of_cell_options(of_arena *arena, const of_experiment *experiment,
                               const of_method *method, const of_setting *setting,
                               onefold_fit_options *options);

/* The place of a method among the contenders, NULL where it takes no part. */
static inline of_contender *of_experiment_contender(const of_experiment *experiment,
                                                    const of_method *method)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        if (experiment->contenders[i].method == method)
            return &experiment->contenders[i];
    return NULL;
}

/* ---- finished cells (cell_store.c) --------------------------------------------------------- */

/* "scores": of each figure a number, or, where there are `repeats`, one for each of them. */
void of_json_scores(of_json *to, const onefold_scores *const *scores, size_t repeats);

/* Everything of the result, left open; labels only where `with_labels`. */
void of_cell_open(of_json *to, const of_cell *cell, int with_labels);

/* The result of such an object, whole and consistent, or ONEFOLD_BAD_DATA. */
onefold_status of_cell_read(const char *text, of_arena *arena, const of_cell *cell,
                            of_cell_result *result);

/* A file with a line of JSON for each finished cell, safe on the disk when `keep` returns. It is
 * made where there is none; a line that an earlier run could not finish is cut off. Only one run at
 * a time may have it. `find` fills the result of a cell that is in it, from `arena`, and sets
 * `kept`. The path must outlive it. */
typedef struct of_cell_store of_cell_store;
onefold_status of_cell_store_open(of_cell_store **store, of_context *context, const char *path);
onefold_status of_cell_store_find(const of_cell_store *store, of_arena *arena, of_cell *cell);
onefold_status of_cell_store_keep(of_cell_store *store, const of_cell *cell);
void of_cell_store_close(of_cell_store *store);

#endif
