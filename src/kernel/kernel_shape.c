/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel as far as the shape of its view tells: for estimates, which read no value. */
#include "data/present.h"
#include "kernel/prep.h"

/* What the arrays that of_kernel_make and of_present_view would make count for. */
typedef struct shape_bytes {
    size_t sum;
    onefold_status status; /* of the first size that was too large */
} shape_bytes;

static void add(shape_bytes *bytes, size_t size, size_t rows, size_t columns)
{
    size_t block;
    if (bytes->status == ONEFOLD_OK)
        bytes->status = of_arena_block_bytes(&block, size, rows, columns);
    if (bytes->status == ONEFOLD_OK)
        bytes->status = of_size_add(&bytes->sum, bytes->sum, block);
}

static void add_features(shape_bytes *bytes, size_t rows, size_t entries)
{
    add(bytes, sizeof(size_t), rows + 1, 1);
    add(bytes, sizeof(uint32_t), entries, 1);
    add(bytes, sizeof(double), entries, 1);
}

/* The arrays of a sparse view that are not of the types that kernels read, which are copied. */
static void add_native(const of_csr *sparse, shape_bytes *bytes)
{
    if (sparse->narrow_start)
        add(bytes, sizeof(size_t), sparse->rows + 1, 1);
    if (sparse->wide_index)
        add(bytes, sizeof(uint32_t), of_csr_entries(sparse), 1);
    if (sparse->single_value)
        add(bytes, sizeof(double), of_csr_entries(sparse), 1);
}

/* Where the entries of each sample present start: those of a sparse view are counted by the view
 * itself, a dense one may have them all. */
static onefold_status find_starts(of_arena *arena, const of_dataset *dataset, size_t index,
                                  const of_view *view, size_t **start)
{
    const of_csr *sparse = &dataset->views[index].sparse;
    size_t row = 0;
    OF_TRY(OF_NEW(arena, start, view->samples + 1, 1));
    (*start)[0] = 0;
    for (size_t j = 0; j < dataset->samples; j++) {
        if (dataset->present && !of_present_at(dataset, j, index))
            continue;
        size_t entries = view->storage == OF_SPARSE
                             ? of_csr_start(sparse, j + 1) - of_csr_start(sparse, j)
                             : view->columns;
        (*start)[row + 1] = (*start)[row] + entries;
        row++;
    }
    return ONEFOLD_OK;
}

/* The view of those present, of which nothing but the shape is true, and what its copy takes. */
static onefold_status shape_view(of_arena *arena, const of_dataset *dataset, size_t index,
                                 int square, const of_view **view, size_t **start,
                                 shape_bytes *bytes)
{
    const of_view *whole = &dataset->views[index];
    of_view *made;
    OF_TRY(OF_NEW(arena, &made, 1, 1));
    *made = *whole;
    if (of_present_missing(dataset, index)) {
        made->samples = of_present_count(dataset, index);
        if (square && whole->samples == whole->columns)
            made->columns = made->samples;
    }
    OF_TRY(find_starts(arena, dataset, index, made, start));
    if (made->samples < whole->samples) {
        add(bytes, sizeof *made, 1, 1);
        if (whole->storage == OF_SPARSE)
            add_features(bytes, made->samples, (*start)[made->samples]);
        else
            add(bytes, of_type_size(whole->type), made->samples, made->columns);
    }
    *view = made;
    return ONEFOLD_OK;
}

/* What is done to columns, as numbers that stand for those of the data: a model has as many. */
static onefold_status shape_prep(of_arena *arena, of_prep_kind kind, of_kernel *kernel)
{
    double *numbers;
    OF_TRY(OF_NEW_ZERO(arena, &numbers, kernel->view->columns, 1));
    kernel->prep.kind = kind;
    kernel->prep.scale = numbers;
    if (kind == OF_PREP_STANDARDISE && kernel->view->storage != OF_SPARSE)
        kernel->prep.shift = numbers;
    return ONEFOLD_OK;
}

static void shape_standardised(of_kernel *kernel, size_t entries, shape_bytes *bytes)
{
    const of_view *view = kernel->view;
    kernel->width = 2 * (double)(view->columns ? view->columns : 1);
    add(bytes, sizeof(uint32_t), view->columns, 1);
    add(bytes, sizeof(double), view->columns, 1);
    add(bytes, sizeof(double), view->columns, 1);
    if (view->storage == OF_SPARSE)
        add_features(bytes, view->samples, entries);
}

/* Sparse features, where of_kernel_make would make them; links of a graph count for both ends. */
static void shape_features(of_kernel *kernel, size_t *start, of_prep_kind prep, int compress,
                           shape_bytes *bytes)
{
    const of_view *view = kernel->view;
    size_t n = view->samples;
    if (kernel->kind == OF_KERNEL_RBF)
        shape_standardised(kernel, start[n], bytes);
    for (size_t j = 1; kernel->kind == OF_KERNEL_GRAPH && j <= n; j++)
        start[j] = (view->storage == OF_SPARSE ? 2 * start[j] : start[j]) + j;
    if (prep == OF_PREP_TFIDF)
        add(bytes, sizeof(double), view->columns, 1);
    if (kernel->kind == OF_KERNEL_GRAPH || (kernel->kind == OF_KERNEL_COSINE && compress))
        add_features(bytes, n, start[n]);
    if (kernel->kind == OF_KERNEL_LINEAR && view->storage == OF_SPARSE && view->sparse.rows == n)
        add_native(&view->sparse, bytes);
    if (view->storage == OF_SPARSE || kernel->kind == OF_KERNEL_GRAPH)
        kernel->features = (of_sparse){n, view->columns, start, NULL, NULL};
}

onefold_status of_kernel_shape(of_arena *arena, const of_dataset *dataset, size_t index,
                               of_kernel_kind kind, of_kernel *kernel, size_t *bytes)
{
    const of_view *whole = &dataset->views[index], *view;
    shape_bytes taken = {0, ONEFOLD_OK};
    of_prep_kind prep = OF_PREP_NONE;
    int compress;
    size_t *start;
    OF_TRY(of_kernel_resolve_shape(whole, &kind, &prep, &compress, kernel));
    OF_TRY(shape_view(arena, dataset, index,
                      kind == OF_KERNEL_GRAPH || kind == OF_KERNEL_PRECOMPUTED, &view, &start,
                      &taken));
    kernel->view = view;
    kernel->prep.columns = view->columns;
    if (kernel->kind == OF_KERNEL_RBF || prep == OF_PREP_TFIDF)
        OF_TRY(shape_prep(arena, prep == OF_PREP_TFIDF ? prep : OF_PREP_STANDARDISE, kernel));
    shape_features(kernel, start, prep, compress, &taken);
    OF_TRY(taken.status);
    return of_size_add(bytes, *bytes, taken.sum);
}
