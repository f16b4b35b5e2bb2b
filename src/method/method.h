/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a clustering method: its problem, its outcome, its estimate, the registry. */
#ifndef OF_METHOD_METHOD_H
#define OF_METHOD_METHOD_H

#include "base/memory.h"
#include "data/dataset.h"
#include "kernel/kernel.h"
#include "method/beta_bounds.h"
#include "method/rule.h"
#include "partition/partition.h"

/* What a report draws besides the result (options.picture). */
typedef struct of_picture {
    /* 2 x samples for each view: the two leading components of its kernel. NaN: missing view. */
    float *places;
    /* views x samples: the share of each view in the score of the sample's label; shares of a
     * sample add up to 1. NaN: missing view, or no share is positive. NULL: the method has no
     * parts. */
    float *parts;
    size_t spectrum_rows;
    double *spectrum; /* spectrum_rows x views: leading eigenvalues of its kernel, descending */
    /* The objective after each iteration of every restart, one restart after the other; NULL: not
     * kept, as where restarts run on a sample. */
    double *traces;
} of_picture;

/* One of a method's own options: --<method>-<name> on the command line. Its value is a number, or
 * the index of a word in a list. */
typedef onefold_method_option_info of_method_option;

/* A problem as a method sees it. */
typedef struct of_problem {
    const of_dataset *dataset;
    const of_kernel *kernels;           /* one per view */
    const onefold_fit_options *options; /* dims and anchors are resolved, never 0 */
    const double *own;                  /* the method's own options, in the order of its table */
    const of_beta_bounds *bounds;       /* on the views' weights; NULL: none */
    of_partition_options partition;     /* set by of_base_stage_decide */
    const of_route *routes;             /* of each view, set likewise */
    int draws_only; /* the method onefold ends with of_outcome.draws, and labels nothing */
} of_problem;

/* With more clusters, own labels and confidence are left out: their comparison has dense tables. */
enum { OF_MOST_EXPLAINED = 1024 };

/* The labels of subsamples by the recipe that made the labels. Draws number clusters by themselves.
 */
typedef struct of_draws {
    size_t count;        /* draws; 0: there are none */
    size_t samples;      /* of the table that they are drawn from */
    const size_t *place; /* samples: of each in the data set, rising */
    int32_t *labels;     /* samples x count; -1: not in the draw */
    int32_t *table;      /* samples: of the table itself */
    int recipe;          /* and its weights, by which of_finding_make judges */
    const double *weights;
} of_draws;

/* The outcome of a method. Arrays are from its arena. Where samples are split, arrays of samples
 * are this process's; rank 0 gathers labels, confidence and view_parts. */
typedef struct of_outcome {
    of_arena arena;
    int32_t *labels;         /* samples */
    size_t sampled;          /* not 0: the size of the sample that was fitted. The model then fills
                                labels, confidence and embedding, where these are allocated */
    onefold_view_fit *views; /* one per view: weight, and base route where the method has one */
    double objective;
    double *trace;  /* objective after each iteration */
    double *traces; /* the same for every restart, one after the other; or NULL */
    size_t iterations;
    int converged;
    size_t restarts, best_restart;
    double *restart_objective; /* one per restart; the cost, where the method ends in k-means */
    size_t *restart_iterations, *restart_clusters_used;
    /* rows x samples: what labels are computed from. Columns have length 1 for the methods that end
     * in k-means. */
    double *embedding;
    size_t embedding_rows;
    double seconds_base, seconds_fit; /* fit: all the rest; set by the caller */
    double seconds_labels;            /* of the rest: the final k-means of a comparison method */
    const char *note;                 /* a sentence for the summary, or NULL */
    of_rule rule;                     /* with options->keep_model */
    /* Labels by each view alone (samples x views, below 0: missing view), and the confidence of
     * each fused label. NULL: the method has none, or there are too many clusters. */
    int32_t *own_labels;
    double *confidence;
    of_picture *picture; /* with options->picture; made by the caller */
    double *view_parts;  /* views x samples, with options->view_parts or picture; or NULL */
    size_t candidates;   /* 0: the method does not choose among labellings */
    const onefold_candidate *candidate;
    onefold_finding finding; /* verdict NULL: the method does not judge */
    of_draws draws;
    double *stability; /* clusters: of_stability_make; or NULL */
} of_outcome;

/* The estimate of a method: work, and about how long it takes. */
typedef struct of_method_estimate {
    of_partition_estimate *views; /* one per view; times 0: without base partition */
    of_work fit;                  /* all other work */
    size_t iterations;            /* assumed, over all restarts; 0: unknown */
    size_t passes;                /* over the stacked partitions */
    double seconds_base, seconds_fit;
} of_method_estimate;

typedef struct of_method {
    const char *name;  /* "os-lfmvc-cs" */
    const char *title; /* one line */
    const of_method_option *options;
    size_t option_count;
    /* Runs on shapes alone in a context that counts bytes (base/memory.h). */
    onefold_status (*run)(of_context *context, const of_problem *problem, of_outcome *outcome);
    /* Adds its work, by shapes alone, to an estimate whose views are zero; sets no seconds. NULL:
     * unknown. */
    void (*work)(of_context *context, const of_problem *problem, of_method_estimate *estimate);
    int accepts_missing;        /* samples may lack views */
    const char *grid;           /* its published settings, of an experiment; NULL: one setting */
    int has_model;              /* it uses options->keep_model */
    of_weights weights;         /* what options->weights bounds */
    const char *why_no_weights; /* OF_WEIGHTS_NONE: the end of a sentence */
    int has_view_parts;         /* it uses options->view_parts */
    int can_split;              /* it accepts samples that are split over processes */
    size_t partitions;          /* partitions of all samples that it holds; 0: one per view */
    /* The most bytes that it holds on the context's GPU. NULL: 0, and no gain by a GPU is known. */
    onefold_status (*gpu_bytes)(of_context *context, const of_problem *problem, size_t *bytes);
    const char *unused; /* names of options, separated by blanks, that are refused; NULL: none */
    size_t restarts;    /* the default of options->restarts; 0: OF_RESTARTS */
    int uses_dims, uses_anchors; /* it uses options->dims, options->anchors */
    int ends_in_kmeans;          /* labels come from k-means on the outcome's embedding */
    const char *draws; /* what a run draws besides that k-means, for people; NULL: nothing */
} of_method;

/* The number of restarts where neither the caller nor the method says another. */
enum { OF_RESTARTS = 10 };

extern const of_method of_method_os_lfmvc_cs;
extern const of_method of_method_onefold;

/* The registry: every method of this build, the paper's first. */
OF_PRIVATE size_t of_method_count(void);
OF_PRIVATE const of_method *of_method_at(size_t index);

/* The method of this name (NULL: onefold); an unknown name suggests the nearest. */
OF_PRIVATE onefold_status of_method_find(const of_method **method, const char *name);

/* Reads "name=value,name=value" into own[] (option_count), after the defaults. An unknown name
 * suggests the nearest. */
OF_PRIVATE onefold_status of_method_parse_options(const of_method *method, const char *text,
                                                  double *own);

#endif
