/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a model must be to each other. A file may have any numbers in it; past this, no
 * sample can lead outside of an array, divide by zero or come out as NaN. */
#include "model/codec.h"
#include "model/model.h"

static int rises(const uint32_t *index, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (index[i] <= index[i - 1])
            return 0;
    return 1;
}

static int all_above(const double *number, size_t count, double least)
{
    for (size_t i = 0; i < count; i++)
        if (!(number[i] > least))
            return 0;
    return 1;
}

static int all_from(const double *number, size_t count, double least)
{
    for (size_t i = 0; i < count; i++)
        if (!(number[i] >= least))
            return 0;
    return 1;
}

/* A linear kernel may be of standardised columns: components that another takes, or a joint kernel.
 */
static onefold_status check_prep(const of_projection *p)
{
    const of_prep *prep = &p->prep;
    int standardised = prep->kind == OF_PREP_STANDARDISE, tfidf = prep->kind == OF_PREP_TFIDF;
    if (!prep->kept && prep->columns != p->raw_columns)
        return of_code_refuse("columns are dropped, and it does not say which");
    int some = standardised || p->kernel == OF_KERNEL_GRAPH || p->kernel == OF_KERNEL_PRECOMPUTED;
    if (prep->kept && (!some || !rises(prep->kept, prep->columns)))
        return of_code_refuse("the kept columns are out of order");
    if ((standardised || tfidf) != (prep->scale != NULL))
        return of_code_refuse("columns are scaled, and it does not say how");
    if (prep->shift && (!standardised || p->sparse))
        return of_code_refuse("columns are shifted that must not be");
    if (standardised != (p->kernel == OF_KERNEL_RBF) && p->kernel != OF_KERNEL_LINEAR)
        return of_code_refuse("an rbf kernel goes with standardised columns");
    if (tfidf && (p->kernel != OF_KERNEL_COSINE || !p->sparse))
        return of_code_refuse("tf-idf goes with a cosine kernel");
    if (prep->scale && !all_from(prep->scale, prep->columns, 0))
        return of_code_refuse("a column has a negative scale");
    return ONEFOLD_OK;
}

static onefold_status check_sparse(const of_sparse *rows)
{
    for (size_t i = 0; i < rows->rows; i++)
        if (!rises(rows->index + rows->start[i], rows->start[i + 1] - rows->start[i]))
            return of_code_refuse("the columns of a point are out of order");
    return ONEFOLD_OK;
}

static onefold_status check_lists(const of_sparse *lists)
{
    for (size_t i = 0; i < lists->rows; i++)
        if (!rises(lists->index + lists->start[i], lists->start[i + 1] - lists->start[i]))
            return of_code_refuse("the landmarks of a column are out of order");
    return ONEFOLD_OK;
}

static onefold_status check_projection(const of_projection *p);

static onefold_status check_ties(const of_projection *p)
{
    int graph = p->kernel == OF_KERNEL_GRAPH;
    if (p->kernel == OF_KERNEL_AUTO || p->kernel == OF_KERNEL_PRECOMPUTED)
        return of_code_refuse("a landmark graph is over another kernel");
    if (graph && (!p->sparse || p->points != p->samples + 1 || !(p->common > 0)))
        return of_code_refuse("a graph has other landmarks than its samples");
    if (!graph && p->neighbours < 1)
        return of_code_refuse("a sample has no neighbours");
    if (!all_from(p->degree, p->points, 0))
        return of_code_refuse("a landmark has a negative degree");
    if (p->inner) {
        if (graph || !p->at || p->graph != OF_KERNEL_SUBSPACE)
            return of_code_refuse("components are compared with other landmarks");
        if (p->inner->samples != p->samples || p->inner->raw_columns != p->raw_columns)
            return of_code_refuse("components are of other samples");
        return check_projection(p->inner);
    }
    if (!graph && p->sparse != (p->at == NULL))
        return of_code_refuse("features are held against other landmarks");
    if (!graph && p->sparse && !p->sparse_at.start)
        return of_code_refuse("there are no landmarks");
    return p->sparse_at.start ? check_lists(&p->sparse_at) : ONEFOLD_OK;
}

static onefold_status check_form(const of_projection *p)
{
    if (p->form == OF_PROJECT_TIES)
        return check_ties(p);
    int rbf = p->kernel == OF_KERNEL_RBF, given = p->kernel == OF_KERNEL_PRECOMPUTED,
        graph = p->kernel == OF_KERNEL_GRAPH;
    if (p->kernel == OF_KERNEL_AUTO || rbf != (p->form == OF_PROJECT_POINTS) ||
        given != (p->form == OF_PROJECT_ROWS))
        return of_code_refuse("a kernel goes with another form of projection");
    if ((graph || given) && p->columns != p->samples)
        return of_code_refuse("a graph or kernel is not square");
    if ((graph && !p->sparse) || (given && p->sparse))
        return of_code_refuse("a graph or kernel has other features");
    if (rbf && !p->at && !p->sparse)
        return of_code_refuse("dense features are held against sparse points");
    if (rbf && p->columns == 0)
        return of_code_refuse("an rbf kernel has no column");
    if (rbf && !(p->scale > 0))
        return of_code_refuse("an rbf kernel has no width");
    if (given && !all_from(p->sample_scale, p->samples, 0))
        return of_code_refuse("a kernel has negative scales");
    return rbf && !p->at ? check_sparse(&p->sparse_at) : ONEFOLD_OK;
}

static onefold_status check_projection(const of_projection *p)
{
    OF_TRY(check_prep(p));
    OF_TRY(check_form(p));
    if (!all_above(p->value, p->rank, 0))
        return of_code_refuse("an eigenvalue is not positive");
    if (!(p->floor >= 0))
        return of_code_refuse("the least length is negative");
    return ONEFOLD_OK;
}

static onefold_status check_view(const of_model_view *view)
{
    if (view->fill && (view->kernel == OF_KERNEL_GRAPH || view->kernel == OF_KERNEL_PRECOMPUTED))
        return of_code_refuse("links or kernels are filled in");
    return ONEFOLD_OK;
}

static onefold_status check_source(const onefold_model *model, const of_rule_source *source)
{
    const of_projection *p = source->projection;
    const of_model_view *view = &model->view[source->view];
    int given = p->kernel == OF_KERNEL_PRECOMPUTED, graph = p->kernel == OF_KERNEL_GRAPH;
    if (p->raw_columns != view->raw_columns)
        return of_code_refuse("a projection has other columns than its view");
    if (given != (view->kernel == OF_KERNEL_PRECOMPUTED) ||
        graph != (view->kernel == OF_KERNEL_GRAPH))
        return of_code_refuse("a projection is of another kernel than its view");
    return check_projection(p);
}

/* Rows that its terms have, and forms that go together. */
static onefold_status check_part(const of_rule *rule, const of_rule_part *part)
{
    if (part->rank + (rule->constant != 0) > rule->dims)
        return of_code_refuse("a partition has more rows than there are dims");
    if (!all_above(part->value, part->rank, 0))
        return of_code_refuse("an eigenvalue is not positive");
    if (part->join == OF_JOIN_ONE && part->terms != 1)
        return of_code_refuse("a view's own partition is of several views");
    for (size_t t = 0; t < part->terms; t++) {
        const of_projection *p = rule->source[part->source[t]].projection;
        int ties = p->form == OF_PROJECT_TIES;
        if (part->row[t] > p->rank || part->rank > p->rank - part->row[t])
            return of_code_refuse("a partition has rows that its projection lacks");
        if (part->join != OF_JOIN_ONE && ties != (part->join == OF_JOIN_TIES))
            return of_code_refuse("kernels are joined with graphs");
    }
    return ONEFOLD_OK;
}

onefold_status of_model_check(const onefold_model *model)
{
    const of_rule *rule = &model->rule;
    if (!all_from(rule->beta, rule->parts, 0))
        return of_code_refuse("a partition has a negative weight");
    for (size_t i = 0; i < model->views; i++)
        OF_TRY(check_view(&model->view[i]));
    for (size_t s = 0; s < rule->sources; s++)
        OF_TRY(check_source(model, &rule->source[s]));
    for (size_t b = 0; b < rule->parts; b++)
        if (rule->part[b].weight && !all_from(rule->part[b].weight, rule->part[b].terms, 0))
            return of_code_refuse("a weight is negative, or no number");
    for (size_t b = 0; b < rule->parts; b++)
        OF_TRY(check_part(rule, &rule->part[b]));
    return ONEFOLD_OK;
}
