/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the experiments on many data sets found: for every set, method, setting and repeat the
 * scores, with times and traces; and what is printed, drawn and written of it.
 */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "sheet.h"

/* A method at a setting on a set. Everything is copied from the experiment. */
typedef struct cli_entry {
    size_t set, method;
    const char *setting, *reason; /* why there are no figures; "" */
    unsigned roles;
    size_t repeats;                  /* 0: none */
    double *score[ONEFOLD_MEASURES]; /* of every repeat; NULL: there is no truth */
    double mean[ONEFOLD_MEASURES], deviation[ONEFOLD_MEASURES];
    double base, fit, kmeans, run, peak_bytes; /* of one run; NaN: not known */
    double all, silhouette, used, converged;   /* seconds of all runs; of the labels; NaN */
    int status;                                /* of onefold_status */
    const double *trace;
    size_t iterations;
} cli_entry;

/* A method on a set: entries, or CLI_NONE. */
#define CLI_NONE ((size_t)-1)
typedef struct cli_result {
    size_t set, method, standard, best, median, near_best, tried;
} cli_result;

typedef struct cli_study_set {
    const char *name, *kernels, *truth; /* truth: where the true labels are from */
    size_t samples, views, clusters, classes;
    size_t times_count;                /* of the sensitivity table; 0: none */
    const size_t *times, *sensitivity; /* entries */
    const onefold_study_set *about;    /* as the file of the study has it, or NULL */
} cli_study_set;

typedef struct cli_study_method {
    const char *name, *drawn; /* what a repeat draws; NULL: not ours, its labels were given */
    const onefold_study_other *other;
} cli_study_method;

typedef struct cli_study {
    cli_arena *arena;
    const char *name;
    cli_entry *entry;
    cli_result *result;
    cli_study_set *set;
    cli_study_method *method;
    size_t entries, results, sets, methods;
    size_t entry_room, result_room, set_room, method_room;
    size_t repeats, replicates, kmeans_iterations, restarts;
    onefold_kmeans_start kmeans_start;
    uint64_t seed;
    int threads;
    unsigned wanted; /* ONEFOLD_WANT_... */
} cli_study;

cli_study cli_study_make(cli_arena *arena, const char *name);

/* The entry of a method on a set: at its default, or with `best` at the best of its grid if it has
 * one. NULL: none with scores. */
const cli_entry *cli_study_entry(const cli_study *study, size_t set, size_t method, int best);

/* Whether a method has a grid on any set. */
int cli_study_grids(const cli_study *study);

/* Adds all cells of an experiment as a new set. */
onefold_status cli_study_add(cli_study *study, const char *name,
                             const onefold_experiment_info *info);

/* Adds labels that were not made here, of the set that was added last: samples x repeats, a repeat
 * after the other. */
onefold_status cli_study_add_labels(cli_study *study, const onefold_study_other *other,
                                    const int32_t *labels, size_t repeats, const int32_t *truth,
                                    size_t samples, double seconds);
/* Adds that there are none, and why. */
onefold_status cli_study_add_failure(cli_study *study, const onefold_study_other *other,
                                     onefold_status status, const char *reason);

/* Cells of a grid that differ from the cell `around` in one parameter, in rising order. Returns
 * whether the setting has a parameter of this number. */
enum { CLI_PARAMETER_VALUES = 64 };
typedef struct cli_parameter {
    char name[32];
    size_t count, entry[CLI_PARAMETER_VALUES];
    double value[CLI_PARAMETER_VALUES];
} cli_parameter;
int cli_study_parameter(const cli_study *study, size_t around, size_t number,
                        cli_parameter *parameter);

/* ---- what is made of it ---------------------------------------------------------------------- */

/* Rows set, method, setting, repeat, measure, value. */
void cli_study_csv(const cli_study *study, FILE *out);

/* All tables that are wanted (study_sheet.c). */
onefold_status cli_study_sheet(const cli_study *study, cli_sheet *sheet);

/* All figures that are wanted, as SVG and PDF in a folder; their names in *names, NULL at the end
 * (study_figures.c). */
onefold_status cli_study_figures(const cli_study *study, onefold_context *context,
                                 const char *folder, const char ***names);

/* A paragraph on what was run, with citations, and the entries that it cites (study_text.c). */
void cli_study_methods(const cli_study *study, FILE *out);
void cli_study_bibtex(const cli_study *study, FILE *out);

/* A document with the paragraph, the tables and the figures, for LaTeX. */
void cli_study_document(const char *const *figures, FILE *out);

/* The values of methods on sets, as onefold_compare takes them. With set CLI_NONE a row is a set
 * that has a value of every method; else a row is a repeat of the methods on that set. `method`
 * lists the methods; those without values on every set are left out. Fewer than two methods or no
 * row: *rows is 0. */
typedef struct cli_values {
    double *value;
    size_t *method, rows, methods;
} cli_values;
onefold_status cli_study_values(const cli_study *study, size_t set, int best, int measure,
                                cli_arena *arena, cli_values *values);

#endif
