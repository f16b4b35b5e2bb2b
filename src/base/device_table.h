/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of a GPU library (src/gpu, built as libonefold-cuda.so): one table of functions in
 * plain C. Matrices on the host are column-major, a sample contiguous; only the library knows the
 * layout on the GPU.
 *
 * Every function returns an of_device_code. Where it is not OF_DEVICE_OK, `message` has a sentence
 * for the calling thread. Calls may come from several threads; the library runs one at a time.
 */
#ifndef OF_BASE_DEVICE_TABLE_H
#define OF_BASE_DEVICE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Changes whenever the interface does: a library with another number is not used. */
#define OF_DEVICE_ABI 22
#define OF_DEVICE_ENTRY "onefold_device_table"

typedef enum of_device_code {
    OF_DEVICE_OK,
    OF_DEVICE_NONE,        /* no GPU, or a driver that is too old for the library */
    OF_DEVICE_NO_MEMORY,   /* of the GPU */
    OF_DEVICE_UNSUPPORTED, /* shapes that the library has no kernel for: the CPU does the work */
    OF_DEVICE_FAULT
} of_device_code;

typedef struct of_device of_device;             /* a GPU in use */
typedef struct of_device_stack of_device_stack; /* a matrix on it, rows x samples */

typedef struct of_device_info {
    char name[96];
    size_t memory; /* bytes */
    int driver;    /* CUDA's version number of the driver: 13000 is 13.0 */
    int gpus;
} of_device_info;

/* The landmarks of an rbf kernel. */
typedef struct of_device_landmarks {
    size_t columns, count; /* features, landmarks */
    const double *at;      /* columns x count, scaled */
    const double *half;    /* count: half the squared length of each */
} of_device_landmarks;

/* The last pass of the landmark route: H = s W (k(x) - kbar) for every sample, by products in
 * single precision, into rows row .. row + rows - 1 of a stack. */
typedef struct of_device_projection {
    of_device_landmarks landmarks;
    size_t raw_columns;
    const uint32_t *kept; /* columns: the raw column of each feature; NULL: all */
    const double *shift;  /* columns, or NULL */
    const double *factor; /* columns, or NULL */
    double scale;         /* scales features as the landmarks are scaled */
    const double *kbar;   /* count */
    const double *weight; /* (rows + 1) x count; the last row gives the sample's row mean */
    size_t rows, row;
    double mean;
    int raw_double; /* raw numbers are doubles, else floats */
} of_device_projection;

/* One pass of the solver for a run (method/os_lfmvc_cs.h). */
typedef struct of_device_pass {
    size_t k, m, mu;
    int nonneg, keep_labels;
    const double *B, *R; /* k x pk; k x (m + mu): R, then C */
    size_t largest;      /* the cluster that was largest */
    size_t slot;         /* of the run's labels */
    double *sum;         /* pk x m, pk x mu, mu sizes, and the number of labels that changed */
} of_device_pass;

/* Labels of samples from their projections in a stack, `parts` parts of equally many rows each:
 * y = argmax of fused x, `largest` where all scores are 0 (model/predict.c). */
typedef struct of_device_predict {
    size_t clusters, parts;
    size_t largest;       /* SIZE_MAX: -1 is the label where all scores are 0 */
    const double *fused;  /* clusters x rows */
    const double *value;  /* rows: eigenvalues, 0 for rows that a part does not use */
    const double *weight; /* parts: weight of each in a distance */
    int32_t *labels;      /* samples, or NULL */
    double *confidence;   /* samples, or NULL */
    double *distance;     /* samples, or NULL: then parts may be 1, and value and weight NULL */
    size_t row, rows;     /* of the stack, from `row` on; 0: all of them */
} of_device_predict;

/* y = x K for K = exp(<a, b> - |a|^2/2 - |b|^2/2) over the samples a, b of a stack of features.
 * Computes columns first .. first+count-1 of y; first is a multiple of 128. */
typedef struct of_device_rbf {
    size_t depth, first, count;
    const double *half; /* samples: half the squared length of each */
    const double *x;    /* depth x samples; `x` and `half` may change only where first = 0 */
    double *y;          /* depth x samples */
} of_device_rbf;

/* Sparse features f, and a scale for each sample, for products with their Gram matrix. */
typedef struct of_device_sparse of_device_sparse;
typedef struct of_device_entries {
    size_t rows, columns;  /* samples, and features of each */
    const size_t *start;   /* rows + 1 */
    const uint32_t *index; /* of the entries; a sample has no column twice */
    const double *value;
    const double *scale;        /* rows */
    const size_t *column_start; /* columns + 1: the same entries by column, samples rising */
    const uint32_t *sample;
    const double *column_value;
} of_device_entries;

typedef struct of_device_table {
    int abi;
    const char *(*message)(void);
    int (*describe)(int index, of_device_info *info);
    int (*open)(int index, of_device **device);
    void (*close)(of_device *device);
    /* Most bytes to copy or process at once; 0: the default. No result depends on it. */
    void (*set_piece)(of_device *device, size_t bytes);

    /* ---- stacks: zero at first, in doubles or in floats ---- */
    /* Where `streams` is not NULL, a stack that does not fit on the GPU stays in host memory and
     * streams through the GPU in pieces; *streams says so. No result depends on it. The calls for
     * base partitions do not take such a stack. */
    int (*stack_make)(of_device *device, size_t rows, size_t samples, int doubles,
                      of_device_stack **stack, int *streams);
    void (*stack_free)(of_device_stack *stack);
    /* Rows row .. row + rows - 1 of samples first .. first + count - 1, from host memory (floats
     * where `floats`) with leading dimension ld. */
    int (*stack_store)(of_device_stack *stack, size_t row, size_t rows, size_t first, size_t count,
                       const void *from, size_t ld, int floats);
    /* Copies all rows of samples first .. first + count - 1 to `to` as doubles; where place is not
     * NULL, of samples place[0] .. place[count - 1]. */
    int (*stack_fetch)(of_device_stack *stack, size_t first, const size_t *place, size_t count,
                       double *to);
    /* Rows row .. row + rows - 1 of `to` = M `from`, M rows x the rows of `from`. */
    int (*stack_multiply)(of_device_stack *to, size_t row, size_t rows, of_device_stack *from,
                          const double *M);
    /* Rows row .. of `to` = `from`, a stack of the same samples that does not stream. */
    int (*stack_rows)(of_device_stack *to, size_t row, of_device_stack *from);
    int (*stack_sum)(of_device_stack *X, double *sum); /* rows: over all samples */
    /* rows x rows: H H' of rows row .. row + rows - 1. */
    int (*stack_gram)(of_device_stack *X, size_t row, size_t rows, double *gram);

    /* ---- the solver ---- */
    /* H = M X (rows x samples, packed), M rows x the rows of X; columns of length 1 if `unit`. */
    int (*embed)(of_device_stack *X, size_t rows, const double *M, int unit, double *H);
    int (*labels_store)(of_device_stack *X, size_t slot, const int32_t *labels);
    int (*labels_fetch)(of_device_stack *X, size_t slot, int32_t *labels);
    int (*pass)(of_device_stack *X, const of_device_pass *pass);

    /* ---- base partitions ---- */
    /* K (a row for each landmark) = k(x) of the scaled features x in F, both in doubles; `sum` is
     * over all samples. landmarks_centre then replaces K by s (k - kbar); row_mean weights the rows
     * for the mean. */
    int (*landmarks_mean)(of_device_stack *K, of_device_stack *F,
                          const of_device_landmarks *landmarks, double *sum);
    int (*landmarks_centre)(of_device_stack *K, const double *kbar, const double *row_mean,
                            double mean);
    /* F <- F - shift, in doubles; then samples of squared length above `floor` are scaled to unit
     * length and the others to 0 (floor below 0: no scaling). largest: the maxima of |f|^2 before
     * and of |f - shift|^2. */
    int (*features_centre)(of_device_stack *F, const double *shift, double floor,
                           double largest[2]);
    /* Begins a projection; then `piece` projects samples, in any order. */
    int (*project_begin)(of_device_stack *X, const of_device_projection *projection);
    /* `piece` takes samples first .. first + count - 1 from one of two staging areas, which the
     * caller fills after piece_staging returns it. Inside a projection they are raw samples, and
     * first is a multiple of 128; else they are all rows of X, as doubles. */
    int (*piece_staging)(of_device_stack *X, int which, size_t bytes, void **area);
    int (*piece)(of_device_stack *X, int which, size_t first, size_t count);
    /* Multiplies rows row .. by `lower` (rows x rows, a lower triangle). largest[r]: the entry of
     * largest modulus of the new row r, the first among equals. */
    int (*rows_multiply)(of_device_stack *X, size_t row, size_t rows, const double *lower,
                         double *largest);

    /* ---- labels of new samples, and of the solver's own ---- */
    int (*predict)(of_device_stack *X, const of_device_predict *task);

    /* ---- kernels that are not formed ---- */
    int (*rbf_multiply)(of_device_stack *features, const of_device_rbf *task);

    /* ---- sparse features that stay on the GPU, in double precision ---- */
    int (*sparse_make)(of_device *device, const of_device_entries *entries,
                       of_device_sparse **sparse);
    void (*sparse_free)(of_device_sparse *sparse);
    /* With u = scale^2 (x f - in), x depth x columns, `in` depth: sum is the sum of u over all
     * samples (depth), followed by the sum of u f (depth x columns). */
    int (*sparse_multiply)(of_device_sparse *sparse, size_t depth, const double *x,
                           const double *in, double *sum);
    /* Rows row .. of X = scale (x f - in), x rows x columns. */
    int (*sparse_project)(of_device_sparse *sparse, of_device_stack *X, size_t row, size_t rows,
                          const double *x, const double *in);

    /* The two halves of a product with the kernel matrix. sparse_gather: the sums above for
     * u = scale x, x depth x rows. sparse_spread: y = scale (z f - in), y depth x rows, z depth x
     * columns. */
    int (*sparse_gather)(of_device_sparse *sparse, size_t depth, const double *x, double *sum);
    int (*sparse_spread)(of_device_sparse *sparse, size_t depth, const double *z, const double *in,
                         double *y);
} of_device_table;

#endif
