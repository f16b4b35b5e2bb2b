/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel over a view's samples: the preparation of the columns, the kernel function, and its
 * parameters. A finished kernel is centred and normalised (docs/method.md section 6). Its matrix is
 * only formed on request.
 */
#ifndef OF_KERNEL_KERNEL_H
#define OF_KERNEL_KERNEL_H

#include "base/team.h"
#include "data/dataset.h"

/* The order is that of names in lists. Models store the numbers up to OF_KERNEL_LAST. */
typedef enum of_kernel_kind {
    OF_KERNEL_AUTO,
    OF_KERNEL_LINEAR,
    OF_KERNEL_COSINE,
    OF_KERNEL_RBF,
    OF_KERNEL_GRAPH,
    OF_KERNEL_PRECOMPUTED,
    OF_KERNEL_LAPLACIAN,
    /* only on request: a landmark graph over the kernel that `auto` picks (of_kernel.graph) */
    OF_KERNEL_KNN,
    OF_KERNEL_SUBSPACE,
    OF_KERNEL_KINDS,
    OF_KERNEL_LAST = OF_KERNEL_KNN - 1
} of_kernel_kind;

/* The preparation of a raw sample: kept columns, (x - shift) * scale each. Sparse views are never
 * shifted (an rbf kernel depends on differences only). Standardising scales to variance 1 (over n,
 * not n - 1) and drops constant columns. tf-idf is sqrt(x) * ln(n / df), df the samples in which a
 * column is not 0: the scale of a view has no effect, and a column of all samples has weight 0. */
typedef enum of_prep_kind { OF_PREP_NONE, OF_PREP_STANDARDISE, OF_PREP_TFIDF } of_prep_kind;
typedef struct of_prep {
    of_prep_kind kind;
    size_t columns;       /* without those dropped */
    const uint32_t *kept; /* columns: the raw column of each; NULL: all are kept */
    const double *shift;  /* columns, or NULL: 0 */
    const double *scale;  /* columns, or NULL: 1; tf-idf: ln(n / df) */
} of_prep;

/* K_ij = <f_i, f_j> (linear; cosine and graph, whose f have length 1, or 0 for a zero sample) or
 * exp(-||f_i - f_j||^2 / width), or for laplacian exp(-||f_i - f_j|| / sqrt(width)), of the
 * features f: a sample after prep, or for a graph A its row of
 * A + A' + I with every nonzero made 1. Zero samples have a row of zeros under cosine. */
typedef struct of_kernel {
    of_kernel_kind kind; /* once made, not AUTO, KNN or SUBSPACE */
    /* OF_KERNEL_KNN or OF_KERNEL_SUBSPACE: a landmark graph over the kernel's features
     * (docs/method.md section 10); 0: the kernel itself */
    of_kernel_kind graph;
    const of_view *view;
    of_prep prep;
    double width;       /* rbf: the mean of ||f_i - f_j||^2 over all n^2 pairs, which is twice the
                           number of standardised columns */
    of_sparse features; /* rows are f; start is NULL where features are dense (of_kernel_tile), or
                           there are none (precomputed) */
    const char *reason; /* static text: why `auto` chose it, or "asked for" */
    /* the finished kernel has one scale for all samples, such that their mean squared length is 1;
     * otherwise each sample has length 1 */
    int keeps_lengths;
} of_kernel;

/* How the entries of a kernel come from the features of two samples. */
typedef enum of_kernel_entries {
    OF_ENTRIES_PRODUCTS,  /* <x, y> */
    OF_ENTRIES_DISTANCES, /* a function of -||x - y||^2 / width, of standardised features */
    OF_ENTRIES_GIVEN      /* the view has them: there are no features */
} of_kernel_entries;

/* What a kind is: a row of of_kernel_rows (kernel.c), in the kind's own file. Other code asks the
 * row, and compares no kinds. */
typedef struct of_kernel_row {
    const char *name;
    of_kernel_entries entries;
    int is_square;   /* a view has a column for each sample */
    int unit_length; /* features have length 1, or 0 */
    /* Sets features, prep and width. `compress`: features are wanted as sparse ones. prep.kind is
     * what `auto` wants. NULL: the kind stands for the one that `auto` picks. */
    onefold_status (*prepare)(of_context *context, of_arena *arena, int compress,
                              of_kernel *kernel);
    /* distances: -||x - y||^2 / width, which is not above 0, to the entry */
    void (*values)(size_t count, double *x);
    int has_landmarks; /* distances: landmarks, single precision and the GPU know its values */
} of_kernel_row;
extern const of_kernel_row *const of_kernel_rows[OF_KERNEL_KINDS];
extern const of_kernel_row of_kernel_linear, of_kernel_cosine, of_kernel_rbf, of_kernel_graph,
    of_kernel_precomputed, of_kernel_laplacian;

const char *of_kernel_name(of_kernel_kind kind);

/* Refuses a view whose kernel is zero once centred. */
OF_PRIVATE onefold_status of_kernel_zero(of_context *context, const of_view *view);

/* The name of a kernel; of its graph where it has one. */
OF_PRIVATE const char *of_kernel_title(const of_kernel *kernel);

/* Whether a view of this kind has a column for each sample: links, or the kernel itself. */
static inline int of_kernel_is_square(of_kernel_kind kind)
{
    return of_kernel_rows[kind]->is_square;
}

static inline int of_kernel_is_given(of_kernel_kind kind)
{
    return of_kernel_rows[kind]->entries == OF_ENTRIES_GIVEN;
}

static inline int of_kernel_is_links(of_kernel_kind kind)
{
    return of_kernel_is_square(kind) && !of_kernel_is_given(kind);
}

static inline int of_kernel_has_distances(of_kernel_kind kind)
{
    return of_kernel_rows[kind]->entries == OF_ENTRIES_DISTANCES;
}

static inline int of_kernel_has_unit_length(of_kernel_kind kind)
{
    return of_kernel_rows[kind]->unit_length;
}

/* Whether entries are products of features of any length. */
static inline int of_kernel_is_plain(of_kernel_kind kind)
{
    const of_kernel_row *row = of_kernel_rows[kind];
    return row->prepare && row->entries == OF_ENTRIES_PRODUCTS && !row->unit_length;
}

static inline int of_kernel_stands_for_auto(of_kernel_kind kind)
{
    return !of_kernel_rows[kind]->prepare;
}

/* Whether all kernels are given, without features. */
static inline int of_kernels_are_given(const of_kernel *kernels, size_t count)
{
    size_t given = 0;
    while (given < count && of_kernel_is_given(kernels[given].kind))
        given++;
    return given == count;
}

/* "rbf" -> OF_KERNEL_RBF; an unknown name suggests the nearest. */
onefold_status of_kernel_parse(of_kernel_kind *kind, const char *name);

/* The kernel that `auto` picks for a view, and why (static text): precomputed for a kernel; rbf
 * where at least three entries in ten are not 0; else cosine if some are negative, graph for a
 * square view, and tf-idf with cosine for others. Sparse or dense storage makes no difference. */
of_kernel_kind of_auto_kernel(const of_view *view, const char **reason);

/* The view of a kernel of this kind: the samples present in view `index` of the data set, as
 * columns too where it is a kernel or a graph. A copy from `arena` where some are missing,
 * otherwise the data set's own. */
onefold_status of_kernel_view(of_arena *arena, const of_dataset *dataset, size_t index,
                              of_kernel_kind kind, const of_view **view);

/* Makes the kernel of a view: resolves AUTO, computes column statistics, sets the width. Memory is
 * from `arena`. The view must outlive the kernel. `rbf` always standardises; only AUTO uses tf-idf.
 * Refuses more columns than INT_MAX. */
onefold_status of_kernel_make(of_context *context, of_arena *arena, const of_view *view,
                              of_kernel_kind kind, of_kernel *kernel);

/* The number of features, and the doubles that reading one sample needs. */
size_t of_kernel_columns(const of_kernel *kernel);
size_t of_kernel_tile_rows(const of_kernel *kernel);

/* Features of samples first .. first+count-1, of_kernel_columns x count packed, a sample
 * contiguous. `tile` has room for of_kernel_tile_rows x count. Not for precomputed kernels. */
void of_kernel_tile(const of_kernel *kernel, size_t first, size_t count, double *tile);

/* Turns raw samples in the tile into features: kept columns, shifted and scaled; of unit length
 * under cosine. In place, as numbers only move to the front. */
void of_kernel_prepare(of_kernel_kind kind, const of_prep *prep, size_t raw_columns, size_t count,
                       double *tile);

/* The whole kernel matrix, samples x samples: raw, or centred and normalised. For small n, and for
 * methods that need it. Symmetric to the bit: a given kernel K is read as (K + K') / 2. */
typedef enum of_finish { OF_RAW, OF_CENTRED_NORMALISED } of_finish;
onefold_status of_kernel_matrix(of_context *context, const of_kernel *kernel, of_finish finish,
                                double *matrix);

/* Centres and normalises a symmetric matrix in place. The mean of all entries is subtracted first,
 * which keeps digits when entries are nearly equal. A row becomes zero where its centred diagonal
 * is not above rounding: 1e-14 of the largest one, or 4 epsilon of the largest entry. */
onefold_status of_centre_normalise(of_context *context, size_t n, double *matrix);

/* The means and scales by which a kernel matrix is centred and normalised. */
typedef struct of_kernel_means {
    double offset;    /* the mean of all entries, subtracted from `row` and `diagonal`; 0 for an rbf
                         kernel that is not formed */
    double *row;      /* samples: means of rows */
    double all;       /* the mean of `row` */
    double *diagonal; /* samples */
    double *scale;    /* samples: 1 / sqrt of the centred diagonal, 0 where that is up to `floor` */
    double floor, largest; /* largest: the largest modulus of an entry */
} of_kernel_means;

/* Of a symmetric matrix (n x n); arrays are from `arena`. */
onefold_status of_kernel_means_of(of_context *context, of_arena *arena, size_t n,
                                  const double *matrix, of_kernel_means *means);

/* Computes `scale` and `floor` from the other fields. */
onefold_status of_kernel_means_scale(size_t n, of_kernel_means *means);

/*
 * Square blocks of a kernel matrix of dense features, or sparse ones made dense: one matrix product
 * and, for rbf, one exponential per entry. They make up a kernel matrix, or a product with a kernel
 * that is too large to be formed.
 */

typedef struct of_kernel_blocks {
    const of_kernel *kernel;
    size_t columns, tile_rows; /* of_kernel_columns and of_kernel_tile_rows */
    of_tiles tiles;
    double scale;       /* rbf: features are scaled so that 2 <x,y> / width becomes <x,y> */
    const double *mean; /* linear: subtracted, so that centring loses no digits; or NULL */
    double *half;       /* rbf: half the squared length of each sample's scaled features */
} of_kernel_blocks;
enum { OF_BLOCKS_WIDTH = 256 };

/* For linear, cosine and rbf kernels. `centre`: subtracts the mean of linear features. */
onefold_status of_kernel_blocks_make(of_context *context, of_arena *arena, const of_kernel *kernel,
                                     int centre, of_kernel_blocks *blocks);

/* Doubles that a tile needs. */
static inline size_t of_kernel_blocks_buffer(const of_kernel_blocks *blocks)
{
    return blocks->tile_rows * blocks->tiles.width;
}

/* Features of tile `index`, columns x length. */
void of_kernel_blocks_tile(const of_kernel_blocks *blocks, size_t index, double *tile);

/* K between the samples of tile i (rows) and those of tile j (columns), given their features.
 * i = j gives a symmetric block, with ones on the diagonal for rbf. */
void of_kernel_blocks_fill(const of_kernel_blocks *blocks, size_t i, const double *tile_i, size_t j,
                           const double *tile_j, double *out, size_t ldo);

/* x[i] <- exp(x[i]), for x[i] <= 0. Within 1 ulp of the exact value (measured: 0.92); exactly 1 at
 * 0; 0 below -708, near the smallest normal numbers. Same bits on any x86-64 and for any position
 * in the array. */
void of_exp(size_t count, double *x);

/* The same in single precision: within 1.5 ulp (measured: 1.02); exactly 1 at 0; 0 below -87. */
void of_exp_single(size_t count, float *x);

/* The mean of dense features: columns numbers. */
onefold_status of_kernel_mean(of_context *context, const of_kernel *kernel, double *mean);

/* ---- preparation of a view's columns: fills prep, features and width ------------------------ */

/* Mean, variance (divided by n) and mean square of each column, in one pass; dense and sparse. */
onefold_status of_moments(of_context *context, const of_view *view, double *mean, double *variance,
                          double *square);

/* Columns of mean 0 (dense views only) and variance 1, without constant ones; sets the width. */
onefold_status of_prep_standardise(of_context *context, of_arena *arena, of_kernel *kernel);

/* tf-idf, then rows of unit length, as sparse features, also for a dense view. */
onefold_status of_prep_tfidf(of_context *context, of_arena *arena, of_kernel *kernel);

/* Rows of unit length, as sparse features, also for a dense view. */
onefold_status of_prep_unit_rows(of_context *context, of_arena *arena, of_kernel *kernel);

/* The rows of A + A' + I for a square view A, with every nonzero made 1, then of unit length. */
onefold_status of_prep_graph(of_context *context, of_arena *arena, of_kernel *kernel);

/* ---- kernels from a kernel, with its means, scales and width, and a view from `arena` ------- */

/* The kernel of `count` samples of its view, sample place[i] the i-th, in rising order. Every
 * process has all of them. */
onefold_status of_kernel_take(of_context *context, of_arena *arena, const of_kernel *kernel,
                              const size_t *place, size_t count, of_kernel *taken);

/* A kernel of sparse features with every column shuffled by itself; `number` is the number of its
 * view, which selects the stream of random numbers. Entries stay among samples that have entries.
 * Another kernel is not changed. */
onefold_status of_kernel_shuffle(of_context *context, of_arena *arena, uint64_t seed, size_t number,
                                 const of_kernel *kernel, of_kernel *shuffled);

#endif
