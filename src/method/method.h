/* SPDX-License-Identifier: Apache-2.0 */
/* What a clustering method is: a name, its own options, its estimate, and how it runs. */
#ifndef OF_METHOD_METHOD_H
#define OF_METHOD_METHOD_H

#include "base/memory.h"
#include "data/dataset.h"
#include "kernel/kernel.h"
#include "method/beta_bounds.h"
#include "method/rule.h"
#include "partition/partition.h"

/* What a report draws of a fit besides its result (options.picture). */

typedef struct of_picture {
    /* Each view by itself, 2 x samples for one after the other: the two leading components of its
     * kernel. NaN where a sample lacks the view. */
    float *places;
    /* views x samples, a sample contiguous: each view's part in what gave the sample its cluster,
     * adding up to 1. NaN where it lacks the view, or where no view spoke for the cluster. NULL:
     * the method cannot tell. */
    float *parts;
    size_t spectrum_rows;
    double *spectrum; /* spectrum_rows x views: leading eigenvalues of its kernel, descending */
    /* The objective after each iteration of every restart, one restart after the other; NULL: not
     * kept, as where restarts compete on a sample. */
    double *traces;
} of_picture;

/* One of a method's own options: --<method>-<name> on the command line. Values are numbers, or one
 * of a list of words (then the value is the word's place in the list). */
typedef onefold_method_option_info of_method_option;

/* A problem as a method sees it. */
typedef struct of_problem {
    const of_dataset *dataset;
    const of_kernel *kernels;           /* one per view */
    const onefold_fit_options *options; /* dims and anchors are resolved, never 0 */
    const double *own;                  /* the method's own options, in the order of its table */
    const of_beta_bounds *bounds;       /* on the views' weights; NULL: none */
    /* How base partitions are made, and the route of each view's: of_base_stage_decide. */
    of_partition_options partition;
    const of_route *routes;
} of_problem;

/* What a method found. Arrays are from the outcome's arena. */
/* Clusters beyond these are not explained: what compares labels has dense tables. */
enum { OF_MOST_EXPLAINED = 1024 };

typedef struct of_outcome {
    of_arena arena;
    int32_t *labels;         /* samples: those of this process alone, where they are split, as all
                                arrays of samples; rank 0 collects labels, confidence, view_parts */
    size_t sampled;          /* not 0: so many were fitted, and `rule` is to fill labels, confidence
                                and embedding, where there is room for them */
    onefold_view_fit *views; /* one per view: weight, and base route where the method has one */
    double objective;
    double *trace;  /* objective after each iteration */
    double *traces; /* the same of every restart, one after the other; or NULL */
    size_t iterations;
    int converged;
    size_t restarts, best_restart;
    double *restart_objective; /* of each restart; the cost of each where it ends in k-means */
    size_t *restart_iterations, *restart_clusters_used;
    /* What labels were read off: rows x samples, a sample contiguous. For the methods that end in
     * k-means its columns have unit length. */
    double *embedding;
    size_t embedding_rows;
    double seconds_base, seconds_fit; /* fit: all the rest, whatever the method; by who ran it */
    const char *note;                 /* a sentence to say, or NULL */
    of_rule rule;                     /* where options->keep_model asks for it */
    /* Labels that each view by itself would give, samples x views, below 0 where a sample lacks it;
     * and how sure each fused label is. NULL: the method has none, or there are too many clusters.
     */
    int32_t *own_labels;
    double *confidence;
    of_picture *picture; /* where options->picture asks for it: made of the rest by who ran it */
    double *view_parts;  /* views x samples, where options->view_parts or picture asks for them; or
                            NULL */
    size_t candidates;   /* that were chosen from, where the method fits several */
    const onefold_candidate *candidate;
} of_outcome;

/* What a method will do, and about how long that will take. */
typedef struct of_method_estimate {
    of_partition_estimate *views; /* one per view; times 0: it makes no base partition */
    of_work fit;                  /* all that is no base partition */
    size_t iterations;            /* that are assumed, over all restarts; 0: not known */
    size_t passes;                /* over the stacked partitions */
    double seconds_base, seconds_fit;
} of_method_estimate;

typedef struct of_method {
    const char *name;  /* "os-lfmvc-cs" */
    const char *title; /* a line for people */
    const of_method_option *options;
    size_t option_count;
    /* Also in a context that counts what it takes (base/memory.h), of shapes alone. */
    onefold_status (*run)(of_context *context, const of_problem *problem, of_outcome *outcome);
    /* Adds the work that it will do to an estimate whose views are there and all zero, by shapes
     * alone: all but seconds. NULL: not known. */
    void (*work)(of_context *context, const of_problem *problem, of_method_estimate *estimate);
    int accepts_missing; /* samples may lack views */
    /* For experiments: */
    const char *grid; /* its published settings, as experiment/experiment.h says; NULL: just one */
    int has_model;    /* options->keep_model means something to it */
    of_weights weights;         /* what options->weights bounds */
    const char *why_no_weights; /* where that is nothing: the end of a sentence */
    int has_view_parts;         /* options->view_parts means something to it */
    int can_split;              /* it can work on samples that are split over processes */
    size_t partitions;          /* that it holds of all samples; 0: one of each view */
    /* Bytes that it would hold on the context's GPU at the most. NULL: none, and nothing says that
     * it gains by a GPU. */
    onefold_status (*gpu_bytes)(of_context *context, const of_problem *problem, size_t *bytes);
    /* Names of options that it has no use for, with blanks between them, which are refused; NULL:
     * none. And its starts where options->restarts is left as it is; 0: as many as that says. */
    const char *unused;
    size_t restarts;
    int uses_dims, uses_anchors; /* options->dims, options->anchors mean something to it */
    int ends_in_kmeans;          /* labels come from k-means on the outcome's embedding */
} of_method;

/* Every method there is, each in its own file. */
extern const of_method of_method_os_lfmvc_cs;
extern const of_method of_method_onefold;
extern const of_method of_method_avg_kkm;
extern const of_method of_method_sb_kkm;
extern const of_method of_method_mkkm;
extern const of_method of_method_rmsc;
extern const of_method of_method_fmkkm;
extern const of_method of_method_fmr;
extern const of_method of_method_lsgmc;

/* The registry: every method of this build, the paper's own first. */
size_t of_method_count(void);
const of_method *of_method_at(size_t index);

/* The method of this name (NULL: onefold); an unknown name suggests the nearest. */
onefold_status of_method_find(const of_method **method, const char *name);

/* Reads "name=value,name=value" into own[] (option_count numbers, set to defaults first); unknown
 * names suggest the nearest. */
onefold_status of_method_parse_options(const of_method *method, const char *text, double *own);

#endif
