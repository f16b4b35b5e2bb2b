/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The paper's experiments on one data set: every method at its default and over its published grid,
 * scores with their spread over repeats, the sensitivity to k and m, traces, time, memory.
 *
 * A cell is one method at one setting. A repeat is a run of the whole method with the next seed.
 * Where a method draws nothing before its final k-means, all repeats have one embedding, so it is
 * made once and the k-means alone is repeated. Every cell has all repeats, so that the best of a
 * grid is the best of what is printed.
 */
#ifndef OF_EXPERIMENT_EXPERIMENT_H
#define OF_EXPERIMENT_EXPERIMENT_H
#include "io/json_build.h"
#include "model/engine.h"

/*
 * A grid of settings of a method, as text: "l1=2|4|8,l2=16|32" is every pair, the last name
 * changing fastest. '/' separates grids. "2c" is twice the number of clusters; "*" is every number
 * from 1 to the number of views. Names are the method's own options, and dims and anchors if it
 * uses dims.
 */

typedef struct of_setting {
    size_t dims, anchors; /* 0: not set here */
    const char *own;      /* "name=value,..." of the method's own options; "" */
} of_setting;

/* The settings of a grid, checked, from `arena`. An empty grid is refused. */
onefold_status of_grid_expand(of_arena *arena, const of_method *method, const char *grid,
                              size_t clusters, size_t views, of_setting **settings, size_t *count);

double of_measure_of(const onefold_scores *scores, onefold_measure measure);

/* The public result of a cell. of_experiment_show fills in the members before `status`. */
typedef onefold_experiment_cell_info of_cell_result;

typedef struct of_cell {
    const of_method *method;
    of_setting setting;         /* over the method's defaults */
    const char *name;           /* the setting for people: "default", "k 14, m 7", "l1=2,l2=8" */
    const char *key;            /* text of all that its result depends on, except repeats */
    size_t repeats;             /* to make */
    size_t samples, view_count; /* of the data */
    unsigned roles;
    of_kmeans_options kmeans; /* of a method that ends in k-means */
    double expected;          /* estimated seconds; 0: unknown */
    int done, kept;           /* has its result; from the store */
    of_cell_result result;
} of_cell;

typedef struct of_experiment_options {
    onefold_fit_options fit;          /* of every method, without method and method_options */
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

/* A method of the experiment. */
typedef struct of_contender {
    const of_method *method;
    onefold_experiment_method_info info;
    const char *grid;  /* the chosen grid; NULL: none */
    const char *given; /* its own options for all cells; or NULL */
} of_contender;
typedef struct onefold_experiment of_experiment;
struct onefold_experiment {
    of_arena arena;
    of_experiment_options options;
    struct of_cell_store *store; /* of finished cells of all runs; or NULL */
    const of_dataset *dataset;
    const char *const *kernels; /* one per view */
    char fingerprint[OF_FINGERPRINT];
    of_cell *cells;
    size_t cell_count, cell_room;
    of_contender *contenders;
    size_t contender_count;
    size_t memory_limit;          /* 0: none */
    of_work rates;                /* of the machine, for estimates */
    size_t runs;                  /* done of the current cell, where a repeat is a whole fit */
    onefold_experiment_info info; /* public; its lists are made at the end */
};

/* Makes the lists of `info`. */
onefold_status of_experiment_show(of_experiment *experiment);

/* ---- the plan (experiment_plan.c) ---------------------------------------------------------- */

/* Copies the caller's options and their texts. */
onefold_status of_experiment_read(of_experiment *experiment, const onefold_fit_options *fit,
                                  const onefold_experiment_options *options);

/* Fills contenders, cells and the sensitivity table; checks options against the data. */
onefold_status of_experiment_plan(of_context *context, of_experiment *experiment);

/* The options of a fit at a setting: its own options after those of the contender. From `arena`. */
onefold_status of_cell_options(of_arena *arena, const of_experiment *experiment,
                               const of_method *method, const of_setting *setting,
                               onefold_fit_options *options);

/* The contender of a method, or NULL. */
static inline of_contender *of_experiment_contender(const of_experiment *experiment,
                                                    const of_method *method)
{
    for (size_t i = 0; i < experiment->contender_count; i++)
        if (experiment->contenders[i].method == method)
            return &experiment->contenders[i];
    return NULL;
}

/* The JSON of an experiment, as a member of a report (bench_json.c). */
onefold_status of_json_experiment(of_json *to, const onefold_report *request);

/* ---- finished cells (cell_store.c) --------------------------------------------------------- */

/* An object with the result, without its closing brace. */
void of_cell_open(of_json *to, const of_cell *cell, int with_labels);

/* Reads the result from such an object. An incomplete one is ONEFOLD_BAD_DATA. */
onefold_status of_cell_read(const char *text, of_arena *arena, const of_cell *cell,
                            of_cell_result *result);

/* A file with a line of JSON for each finished cell. `open` creates it, or cuts off an incomplete
 * last line, and locks it for this run. `find` fills in the result of a stored cell, from `arena`,
 * and sets `kept`. A cell is on the disk when `keep` returns. The path must outlive the store. */
typedef struct of_cell_store of_cell_store;
onefold_status of_cell_store_open(of_cell_store **store, of_context *context, const char *path);
onefold_status of_cell_store_find(const of_cell_store *store, of_arena *arena, of_cell *cell);
onefold_status of_cell_store_keep(of_cell_store *store, const of_cell *cell);
void of_cell_store_close(of_cell_store *store);

#endif
