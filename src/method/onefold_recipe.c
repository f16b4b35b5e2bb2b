/* SPDX-License-Identifier: Apache-2.0 */
/* The recipes of the method `onefold` on a subsample (docs/method.md section 11): labels from its
 * Gram matrices, graphs and base partitions. */
#include "linalg/kmeans_gram.h"
#include "method/onefold_table.h"
#include "method/os_lfmvc_cs.h"

#include <math.h>
#include <string.h>

const char *of_recipe_name(of_recipe recipe)
{
    static const char *const NAME[OF_RECIPES] = {[OF_RECIPE_GRAPH] = "joint graph",
                                                 [OF_RECIPE_ALL] = "kernel and graphs",
                                                 [OF_RECIPE_PAPER] = "os-lfmvc-cs",
                                                 [OF_RECIPE_COLUMNS] = "k-means of columns",
                                                 [OF_RECIPE_KERNEL] = "k-means of the kernel",
                                                 [OF_RECIPE_RAW] = "k-means, not standardised"};
    return NAME[recipe];
}

int of_recipe_suits(const of_problem *problem, of_recipe recipe)
{
    size_t p = problem->dataset->view_count, graphs = 0, raw = 0;
    for (size_t i = 0; i < p; i++) {
        graphs += problem->kernels[i].kind != OF_KERNEL_PRECOMPUTED;
        raw += of_pool_dense(problem, i) && problem->kernels[i].prep.kind == OF_PREP_STANDARDISE;
    }
    return recipe == OF_RECIPE_GRAPH || recipe == OF_RECIPE_ALL ? graphs > 0
           : recipe == OF_RECIPE_RAW                            ? raw > 0
                                                                : 1;
}

size_t of_recipe_rows(const of_problem *problem)
{
    size_t mu = problem->options->clusters, dims = problem->options->dims, least = mu > 1 ? mu : 2;
    return least + ((dims > least ? dims - least : 0) + 1) / 2;
}

/* ---- joint kernels --------------------------------------------------------------------------- */

/* Where all views are of columns, each counts by its variance, as if the columns stood side by
 * side; otherwise views of equal weight count alike. */
void of_recipe_weights(const of_table *table, of_recipe recipe, const double *weights,
                       double *joined)
{
    size_t p = table->p, columns = 0;
    double sum = 0;
    for (size_t v = 0; v < p; v++)
        columns += table->raw[v] != NULL;
    for (size_t v = 0; v < p; v++) {
        double size = recipe == OF_RECIPE_KERNEL || columns < p ? 1
                      : recipe == OF_RECIPE_RAW                 ? table->raw_size[v]
                                                                : table->size[v];
        joined[v] = weights[v] * size;
        sum += joined[v];
    }
    for (size_t v = 0; v < p; v++)
        joined[v] = sum > 0 ? joined[v] / sum : 1 / (double)p;
}

/* K (n x n): the weighted sum of the views' kernels; a sample that lacks views is scaled as in
 * partition/joint.h. Centred. */
static void join_kernels(const of_fold *fold, of_recipe recipe, const double *joined, double *scale,
                         double *K)
{
    const of_table *t = fold->table;
    const of_dataset *dataset = t->problem->dataset;
    size_t n = fold->n, views = 0;
    int unit = recipe != OF_RECIPE_COLUMNS && recipe != OF_RECIPE_RAW;
    for (size_t v = 0; v < t->p; v++)
        views += joined[v] > 0;
    for (size_t j = 0; j < n; j++) {
        double has = 0;
        for (size_t v = 0; v < t->p; v++)
            has += of_present_at(dataset, fold->at[j], v) ? joined[v] : 0;
        scale[j] = !(has > 0) ? 0 : unit ? 1 / sqrt(has) : 1 / of_join_least(has, views);
    }
    memset(K, 0, n * n * sizeof *K);
    for (size_t v = 0; v < t->p; v++) {
        const double *G = recipe == OF_RECIPE_RAW && t->raw[v] ? t->raw[v] : t->gram[v];
        for (size_t j = 0; j < n && joined[v] > 0; j++) {
            size_t b = fold->at[j];
            const double *row = G + b * t->n, *length = t->unit[v];
            double own = joined[v] * scale[j] * (unit ? length[b] : 1);
            for (size_t i = 0; i < n; i++) {
                size_t a = fold->at[i];
                K[j * n + i] += own * scale[i] * (unit ? length[a] : 1) * row[a];
            }
        }
    }
    of_fold_centre(n, K, scale);
}

/* ---- fits of section 3 ----------------------------------------------------------------------- */

/* A partition of a stack: its rows, of which the first `k` are taken, after a constant if any. */
typedef struct stack_part {
    const double *H;
    size_t rows;
} stack_part;

static onefold_status fit_stack(of_context *context, const of_fold *fold, size_t parts,
                                const stack_part *part, size_t k, int constant, size_t restarts,
                                const of_beta_bounds *bounds, int32_t *labels)
{
    OF_SCRATCH(scratch, context);
    const of_problem *problem = fold->table->problem;
    size_t n = fold->n, mu = fold->table->mu, rows = parts * k;
    onefold_fit_options options = *problem->options;
    of_cs_result result;
    double *stack;
    OF_TRY(OF_NEW(&scratch, &stack, rows, n));
    for (size_t j = 0; j < n && !of_counts(context); j++)
        for (size_t b = 0; b < parts; b++)
            for (size_t r = 0; r < k; r++) {
                size_t from = r - (constant != 0);
                stack[j * rows + b * k + r] = constant && !r ? 1 / sqrt((double)n)
                                              : from < part[b].rows
                                                  ? part[b].H[j * part[b].rows + from]
                                                  : 0;
            }
    options.no_embedding = 0;
    options.restarts = restarts;
    options.stop = ONEFOLD_STOP_SETTLED;
    of_stack X = of_stack_double(stack, rows, n);
    of_cs_problem cs = {&X, parts, k, k, mu, &options, bounds};
    OF_TRY(of_cs_run(context, &scratch, &cs, NULL, NULL, &result));
    if (constant)
        OF_TRY(of_labelling_by_size(context, n, k, mu, &result));
    if (!of_counts(context))
        memcpy(labels, result.labels, n * sizeof *labels);
    return ONEFOLD_OK;
}

/* ---- the recipes ----------------------------------------------------------------------------- */

typedef struct pool_task {
    of_context *context;
    of_arena *arena; /* of labels */
    of_fold *fold;
    const double *weights;
    double *K, *room; /* n x n; n */
    double *joined;   /* p */
} pool_task;

/* The leading rows of the joint graph of these ties (of each view). */
static onefold_status join_graphs(pool_task *task, of_arena *arena, const of_sparse *ties,
                                  size_t rows, double **H)
{
    const double tolerance = 1e-3; /* as for the joint graphs of all samples */
    OF_SCRATCH(scratch, task->context);
    const of_table *t = task->fold->table;
    of_sparse *list, all;
    of_graph_spectrum spectrum;
    double *weight;
    size_t count = 0;
    OF_TRY(OF_NEW(&scratch, &list, t->p, 1));
    OF_TRY(OF_NEW_THERE(&scratch, &weight, t->p, 1));
    OF_TRY(OF_NEW_ZERO(arena, H, rows, task->fold->n));
    for (size_t v = 0; v < t->p; v++)
        if (task->weights[v] > 0 && t->problem->kernels[v].kind != OF_KERNEL_PRECOMPUTED) {
            weight[count] = task->weights[v];
            list[count++] = ties[v];
        }
    if (!count)
        return ONEFOLD_OK;
    OF_TRY(of_graph_join(&scratch, count, list, weight, &all));
    return of_graph_spectrum_make(task->context, &scratch, &all, rows, tolerance, *H, rows,
                                  &spectrum);
}

/* The recipes that fit the joint graph, alone and with the joint kernel. */
static onefold_status label_by_fits(pool_task *task)
{
    OF_SCRATCH(scratch, task->context);
    const of_fold *fold = task->fold;
    const of_problem *problem = fold->table->problem;
    size_t n = fold->n, mu = fold->table->mu, least = of_size_least(mu > 1 ? mu : 2, n),
           k = of_size_least(of_recipe_rows(problem), n), rows = k > 1 ? k - 1 : 1;
    double *H[3];
    OF_TRY(join_graphs(task, &scratch, fold->knn, rows, &H[1]));
    if (fold->labels[OF_RECIPE_GRAPH]) {
        const stack_part graph = {H[1], rows};
        OF_TRY(fit_stack(task->context, fold, 1, &graph, least, 1, OF_TABLE_FITS, NULL,
                         fold->labels[OF_RECIPE_GRAPH]));
    }
    if (!fold->labels[OF_RECIPE_ALL])
        return ONEFOLD_OK;
    OF_TRY(OF_NEW(&scratch, &H[0], rows, n));
    if (!of_counts(task->context))
        join_kernels(fold, OF_RECIPE_ALL, task->weights, task->room, task->K);
    OF_TRY(of_fold_lead(task->context, n, task->K, rows, H[0]));
    OF_TRY(join_graphs(task, &scratch, fold->subspace, rows, &H[2]));
    const stack_part part[] = {{H[0], rows}, {H[1], rows}, {H[2], rows}};
    return fit_stack(task->context, fold, 3, part, k, 1, OF_TABLE_FITS, NULL,
                     fold->labels[OF_RECIPE_ALL]);
}

/* os-lfmvc-cs with the weights of the views. */
static onefold_status label_by_paper(pool_task *task)
{
    OF_SCRATCH(scratch, task->context);
    const of_fold *fold = task->fold;
    const of_table *t = fold->table;
    size_t dims = of_size_least(t->problem->options->dims, fold->n);
    stack_part *part;
    double *beta;
    OF_TRY(OF_NEW(&scratch, &part, t->p, 1));
    OF_TRY(OF_NEW_THERE(&scratch, &beta, t->p, 1));
    for (size_t v = 0; v < t->p; v++) {
        part[v] = (stack_part){fold->H[v], dims};
        beta[v] = sqrt(task->weights[v]);
    }
    of_beta_bounds bounds = {beta, beta};
    return fit_stack(task->context, fold, t->p, part, dims, 0, 1, &bounds,
                     fold->labels[OF_RECIPE_PAPER]);
}

/* K-means of a joint kernel: from random starts, and from the labels of which neighbours tell most
 * so far; the least cost is kept. */
static onefold_status label_by_kmeans(pool_task *task, of_recipe recipe, const int32_t *best)
{
    const of_fold *fold = task->fold;
    of_kmeans_options options = {.clusters = fold->table->mu,
                                 .replicates = OF_TABLE_STARTS + 1,
                                 .max_iterations = OF_POOL_CENTRE_STEPS,
                                 .start = OF_KMEANS_PLUSPLUS,
                                 .seed = fold->table->problem->options->seed,
                                 .index = (uint64_t)5 << 40 | fold->index << 8 | (size_t)recipe,
                                 .from_labels = best};
    of_kmeans_result result;
    of_recipe_weights(fold->table, recipe, task->weights, task->joined);
    if (!of_counts(task->context))
        join_kernels(fold, recipe, task->joined, task->room, task->K);
    return of_kmeans_gram(task->context, &options, fold->n, task->K, fold->n, NULL,
                          fold->labels[recipe], &result);
}

onefold_status of_fold_label(of_context *context, of_arena *arena, const double *weights,
                             of_fold *fold)
{
    OF_SCRATCH(scratch, context);
    const of_table *t = fold->table;
    size_t n = fold->n, p = t->p, best = OF_RECIPE_PAPER;
    double *room, most = -1;
    pool_task task = {context, arena, fold, weights, NULL, NULL, NULL};
    OF_TRY(OF_NEW_ALL(&scratch, {&task.K, n, n}, {&task.room, n, 1}, {&room, t->mu, 2}));
    OF_TRY(OF_NEW_THERE(&scratch, &task.joined, p, 1));
    for (size_t r = 0; r < OF_RECIPES; r++)
        if (fold->recipes >> r & 1 && !fold->labels[r] && of_recipe_suits(t->problem, (of_recipe)r))
            OF_TRY(OF_NEW_ZERO(arena, &fold->labels[r], n, 1));
    if (fold->labels[OF_RECIPE_GRAPH] || fold->labels[OF_RECIPE_ALL])
        OF_TRY(label_by_fits(&task));
    if (fold->labels[OF_RECIPE_PAPER])
        OF_TRY(label_by_paper(&task));
    for (size_t i = 0; i < OF_RECIPES; i++) {
        size_t r =
            (OF_RECIPE_GRAPH + i) % OF_RECIPES; /* k-means last, from the best of the others */
        if (!fold->labels[r])
            continue;
        if (r < OF_RECIPE_GRAPH)
            OF_TRY(label_by_kmeans(&task, (of_recipe)r, fold->labels[best]));
        double mean = 0;
        for (size_t v = 0; v < p && !of_counts(context); v++) {
            fold->told[r * p + v] = of_fold_told(fold, v, fold->labels[r], room);
            mean += sqrt(fold->told[r * p + v]);
        }
        if (mean > most) {
            most = mean;
            best = r;
        }
    }
    return ONEFOLD_OK;
}
