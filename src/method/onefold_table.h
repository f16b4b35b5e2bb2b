/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables on which the method `onefold` judges its recipes (docs/method.md section 11): an even
 * sample of the data and the same with every column shuffled, as Gram matrices of the views; and
 * subsamples of both, with the labels that each recipe gives them.
 */
#ifndef OF_METHOD_ONEFOLD_TABLE_H
#define OF_METHOD_ONEFOLD_TABLE_H

#include "method/onefold_pool.h"

/* Constants that decide labels; docs/method.md section 11 has the effect of each. A table has
 * OF_TABLE_EACH samples for each cluster, at least OF_TABLE_LEAST; a subsample has four fifths. */
enum {
    OF_TABLE_LEAST = 625,
    OF_TABLE_EACH = 75,
    OF_TABLE_MOST = 2500,
    OF_TABLE_DRAWS = 4,      /* subsamples of the table */
    OF_TABLE_NULL_DRAWS = 3, /* subsamples of the shuffled table */
    OF_TABLE_FOLDS = 1 + OF_TABLE_DRAWS + OF_TABLE_NULL_DRAWS, /* the first is the table itself */
    OF_TABLE_VOTES = 16,                                       /* neighbours that vote on labels */
    OF_TABLE_FITS = 4,  /* starts of a fit of joint partitions */
    OF_TABLE_STARTS = 2 /* random starts of k-means, beside the one from the best labelling */
};

/* The recipes; those that label all samples in the least time first. */
typedef enum of_recipe {
    OF_RECIPE_COLUMNS, /* k-means of the joined standardised columns */
    OF_RECIPE_KERNEL,  /* k-means of the joint kernel of samples of length 1 */
    OF_RECIPE_RAW,     /* k-means of the joined columns, not standardised */
    OF_RECIPE_GRAPH,   /* a fit of section 3 on the joint graph */
    OF_RECIPE_ALL,     /* on the joint kernel and both joint graphs */
    OF_RECIPE_PAPER,   /* os-lfmvc-cs */
    OF_RECIPES
} of_recipe;
enum { OF_RECIPES_ALL = (1 << OF_RECIPES) - 1 };

/* The samples of a problem by the inner products of each view. */
typedef struct of_table {
    const of_problem *problem;
    size_t n, p, mu;
    double **gram;       /* p: n x n, centred linear kernel, mean diagonal 1; 0: missing view */
    double **raw;        /* p: the same of columns not standardised; NULL: there are none */
    double **linked;     /* p: of a view of links, n x n: shares of links in common; else NULL */
    double *size;        /* p: mean diagonal of the linear kernel before it became 1 */
    double *raw_size;    /* p */
    double *width;       /* p: of a kernel of distances in units of `size`; 0: another kernel */
    const double **unit; /* p: n factors that make the diagonal of `gram` 1, or 0 */
    const of_kernel *kernel, *raw_kernel; /* p: kernels of `gram` and `raw` */
} of_table;

/* The number of samples of a table. */
size_t of_table_size(const of_problem *problem);

/* The table of a problem of of_table_size samples. Arrays are from `arena`. */
onefold_status of_table_make(of_context *context, of_arena *arena, const of_problem *problem,
                             of_table *table);

/* The problem with every column shuffled by itself; the columns of a category together. */
onefold_status of_table_shuffle(of_context *context, of_arena *arena, const of_problem *problem,
                                of_sample *shuffled);

/* The linear kernel of a view as joined columns have it: the columns that code one category share
 * the variance of one column. With `raw`, columns are not standardised. */
onefold_status of_table_kernel(of_context *context, of_arena *arena, const of_kernel *kernel,
                               int raw, of_kernel *made);

/* A subsample of a table, and the labels that the recipes give it. */
typedef struct of_fold {
    const of_table *table;
    size_t n;
    const size_t *at; /* n: places in the table, rising */
    size_t index;
    unsigned recipes;    /* bits: those that label it */
    uint32_t **near;     /* p: OF_TABLE_VOTES x n, UINT32_MAX: none; NULL: a view of links */
    of_sparse *knn;      /* p: ties */
    of_sparse *subspace; /* p */
    double **H;          /* p: dims x n, base partitions of os-lfmvc-cs */
    int32_t **labels;    /* OF_RECIPES: n, of the last round; NULL: nothing to work on */
    double *told;        /* p x OF_RECIPES: of_fold_told */
} of_fold;

/* `count` of the table's samples by the random stream of `index`, or all of them; with what the
 * `recipes` (bits) work on. */
onefold_status of_fold_make(of_context *context, of_arena *arena, const of_table *table,
                            size_t count, size_t index, unsigned recipes, of_fold *fold);

/* Samples of a table of n that a subsample has: four fifths, or all for the table itself. */
size_t of_fold_size(size_t n, size_t index);

/* Labels by every recipe, with these weights of the views. What neighbours tell of each is in
 * `told`. */
onefold_status of_fold_label(of_context *context, of_arena *arena, const double *weights,
                             of_fold *fold);

/* Centres a matrix (n x n) in place; `mean` has room for n. And the leading eigenvectors of a
 * symmetric one (rows x n). */
void of_fold_centre(size_t n, double *K, double *mean);
onefold_status of_fold_lead(of_context *context, size_t n, const double *matrix, size_t rows,
                            double *H);

/* What neighbours in a view tell of labels: the share of the labels' entropy. `room`: 2 mu. */
double of_fold_told(const of_fold *fold, size_t view, const int32_t *labels, double *room);

/* The names of recipes, and whether a problem affords them by its kinds of views. */
const char *of_recipe_name(of_recipe recipe);
int of_recipe_suits(const of_problem *problem, of_recipe recipe);

/* The rows of each partition of OF_RECIPE_ALL, with the constant: half way from mu to --dims. */
size_t of_recipe_rows(const of_problem *problem);

/* The weights of the views' kernels in the joint kernel of a recipe by k-means. */
void of_recipe_weights(const of_table *table, of_recipe recipe, const double *weights,
                       double *joined);

/* ---- the score (onefold_score.c) ------------------------------------------------------------- */

/* The adjusted Rand index of two folds' labels, over the samples that both have. `cell`: mu x (mu +
 * 2). */
double of_fold_agree(const of_fold *a, const of_fold *b, size_t recipe, double *cell);

/* What comes back of a recipe, on subsamples and on those of the shuffled table. */
typedef struct of_verdict {
    double stable, stable_chance; /* mean adjusted Rand index between subsamples */
    double told, told_chance;     /* mean over views of what neighbours tell */
    double informed;              /* power mean of what views tell over log mu, chance and all */
    double S;                     /* stable, beyond chance */
    double *T, all_T;             /* p: told by each view, beyond chance; their power mean */
    double score;                 /* S^2 T; negative: not made */
} of_verdict;

/* The verdicts of all recipes (OF_RECIPES) from the folds (OF_TABLE_FOLDS). */
onefold_status of_verdicts_make(of_context *context, of_arena *arena, const of_fold *folds,
                                of_verdict *verdicts);

#endif
