/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU library (src/gpu, built as libonefold-cuda.so) gives: one table of functions, in
 * plain C, so that neither side knows more of the other than this file. Matrices on the host are
 * column-major, samples contiguous; what lies on the GPU only the library knows.
 *
 * Every function returns an of_device_code, and the sentence that belongs to one that is not
 * OF_DEVICE_OK is `message`, of the calling thread. Calls may come from several threads; the
 * library works them one at a time.
 */
#ifndef OF_BASE_DEVICE_TABLE_H
#define OF_BASE_DEVICE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Changes whenever this file does: a library of another one is not used. */
#define OF_DEVICE_ABI 22
#define OF_DEVICE_ENTRY "onefold_device_table"

typedef enum of_device_code {
    OF_DEVICE_OK,
    OF_DEVICE_NONE,        /* no GPU, or a driver that is too old for the library */
    OF_DEVICE_NO_MEMORY,   /* of the GPU */
    OF_DEVICE_UNSUPPORTED, /* shapes that the library has nothing for: the CPU's turn */
    OF_DEVICE_FAULT
} of_device_code;

typedef struct of_device of_device;             /* a GPU in use */
typedef struct of_device_stack of_device_stack; /* rows x samples numbers on it */

typedef struct of_device_info {
    char name[96];
    size_t memory; /* bytes */
    int driver;    /* its version as CUDA counts them: 13000 is 13.0 */
    int gpus;
} of_device_info;

/* Landmarks and what a sample's features become, for the two calls below. */
typedef struct of_device_landmarks {
    size_t columns, count; /* features, landmarks */
    const double *at;      /* columns x count, scaled */
    const double *half;    /* count: half their squared lengths */
} of_device_landmarks;

/* The last pass of the landmark route: H = s W (k(x) - kbar) for every sample, in single precision
 * products, into rows row .. row + rows - 1 of a stack. */
typedef struct of_device_projection {
    of_device_landmarks landmarks;
    size_t raw_columns;
    const uint32_t *kept; /* columns: the raw column of each feature; NULL: all */
    const double *shift;  /* columns, or NULL */
    const double *factor; /* columns, or NULL */
    double scale;         /* features times this are the landmarks' */
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
    size_t slot;         /* where the run's labels lie */
    double *sum;         /* pk x m, pk x mu, then mu sizes, and samples whose label changed */
} of_device_pass;

/* Labels of samples whose projections a stack has, parts of equal numbers of rows below each
 * other: y = argmax of fused x, `largest` where all scores are 0 (model/predict.c). */
typedef struct of_device_predict {
    size_t clusters, parts;
    size_t largest;       /* SIZE_MAX: -1 is the label where all scores are 0 */
    const double *fused;  /* clusters x rows */
    const double *value;  /* rows: eigenvalues, 0 for rows that a part has not */
    const double *weight; /* parts: what each counts for in a distance */
    int32_t *labels;      /* samples, or NULL */
    double *confidence;   /* samples, or NULL */
    double *distance;     /* samples, or NULL: then parts may be 1, and value and weight NULL */
    size_t row, rows;     /* of the stack, from `row` on; 0: all of them */
} of_device_predict;

/* y = x K for K = exp(<a, b> - |a|^2/2 - |b|^2/2) of the samples a, b of a stack of features, of
 * which y is made for samples first .. first+count-1 (first: a multiple of 128). */
typedef struct of_device_rbf {
    size_t depth, first, count;
    const double *half; /* samples: half their squared lengths */
    const double *x; /* depth x samples; as `half`, the same in calls that go on from first = 0 */
    double *y;       /* the same */
} of_device_rbf;

/* Sparse features f and what each sample's are scaled by, for products with their Gram matrix. */
typedef struct of_device_sparse of_device_sparse;
typedef struct of_device_entries {
    size_t rows, columns;  /* samples, and features of each */
    const size_t *start;   /* rows + 1 */
    const uint32_t *index; /* of the entries; a sample has no column twice */
    const double *value;
    const double *scale;        /* rows */
    const size_t *column_start; /* columns + 1: the same entries by column, */
    const uint32_t *sample;     /* in the order of samples */
    const double *column_value;
} of_device_entries;

typedef struct of_device_table {
    int abi;
    const char *(*message)(void);
    int (*describe)(int index, of_device_info *info);
    int (*open)(int index, of_device **device);
    void (*close)(of_device *device);
    /* Most bytes it copies or works at once; 0: the usual. No result depends on it. */
    void (*set_piece)(of_device *device, size_t bytes);

    /* ---- stacks: zero at first, in doubles or in floats ---- */
    /* Where `streams` is not NULL, one that does not fit stays in memory of the host and streams
     * through the GPU in pieces, where *streams says so. No result depends on it. Such a stack is
     * made by none of the calls for base partitions. */
    int (*stack_make)(of_device *device, size_t rows, size_t samples, int doubles,
                      of_device_stack **stack, int *streams);
    void (*stack_free)(of_device_stack *stack);
    /* Rows row .. row + rows - 1 of samples first .. first + count - 1, from host memory (floats
     * where `floats`) with leading dimension ld. */
    int (*stack_store)(of_device_stack *stack, size_t row, size_t rows, size_t first, size_t count,
                       const void *from, size_t ld, int floats);
    /* All rows of samples first .. first + count - 1 into it, as doubles; or of samples place[0] ..
     * place[count - 1], where place is not NULL. */
    int (*stack_fetch)(of_device_stack *stack, size_t first, const size_t *place, size_t count,
                       double *to);
    /* Rows row .. row + rows - 1 of `to` = M (rows x from's rows) times another's samples. */
    int (*stack_multiply)(of_device_stack *to, size_t row, size_t rows, of_device_stack *from,
                          const double *M);
    /* Rows row .. of `to`: all rows of a stack of the same samples that does not stream. */
    int (*stack_rows)(of_device_stack *to, size_t row, of_device_stack *from);
    int (*stack_sum)(of_device_stack *X, double *sum); /* rows: over all samples */
    /* rows x rows: H H' of rows row .. row + rows - 1. */
    int (*stack_gram)(of_device_stack *X, size_t row, size_t rows, double *gram);

    /* ---- the solver ---- */
    /* M X (rows x samples packed) for M rows x X's rows; columns to unit length where `unit`. */
    int (*embed)(of_device_stack *X, size_t rows, const double *M, int unit, double *H);
    int (*labels_store)(of_device_stack *X, size_t slot, const int32_t *labels);
    int (*labels_fetch)(of_device_stack *X, size_t slot, int32_t *labels);
    int (*pass)(of_device_stack *X, const of_device_pass *pass);

    /* ---- base partitions ---- */
    /* K (a row for each landmark) = k(x) of the scaled features x in F, both in doubles; sum: over
     * all samples. Then K becomes s (k - kbar), with the row means' weights. */
    int (*landmarks_mean)(of_device_stack *K, of_device_stack *F,
                          const of_device_landmarks *landmarks, double *sum);
    int (*landmarks_centre)(of_device_stack *K, const double *kbar, const double *row_mean,
                            double mean);
    /* Features f, in doubles, become f - shift, and those of a sample of squared length above
     * `floor` then unit length, others 0 (floor below 0: as they are). largest: of all |f|^2 before
     * and |f - shift|^2. */
    int (*features_centre)(of_device_stack *F, const double *shift, double floor,
                           double largest[2]);
    /* The last pass: begin, then pieces of samples, in any order. */
    int (*project_begin)(of_device_stack *X, const of_device_projection *projection);
    /* Samples first .. first + count - 1, from one of two staging areas, which may be filled once
     * `staging` has given it: raw ones, which start at a multiple of 128, where a projection has
     * begun, else all rows, as doubles. */
    int (*piece_staging)(of_device_stack *X, int which, size_t bytes, void **area);
    int (*piece)(of_device_stack *X, int which, size_t first, size_t count);
    /* Rows row .. become `lower` (rows x rows, a lower triangle) times them, and largest[r] is then
     * the entry of largest modulus of each, the first among equals. */
    int (*rows_multiply)(of_device_stack *X, size_t row, size_t rows, const double *lower,
                         double *largest);

    /* ---- new samples, and what the solver says of its own ---- */
    int (*predict)(of_device_stack *X, const of_device_predict *task);

    /* ---- kernels that are not formed ---- */
    int (*rbf_multiply)(of_device_stack *features, const of_device_rbf *task);

    /* ---- sparse features that stay on the GPU, in double precision ---- */
    int (*sparse_make)(of_device *device, const of_device_entries *entries,
                       of_device_sparse **sparse);
    void (*sparse_free)(of_device_sparse *sparse);
    /* Of u = scale^2 (x f - in), for x (depth x columns) and `in` (depth): the sum of u over all
     * samples (depth), and right behind it that of u f (depth x columns). */
    int (*sparse_multiply)(of_device_sparse *sparse, size_t depth, const double *x,
                           const double *in, double *sum);
    /* Rows row .. of a stack = scale (x f - in) for x rows x columns. */
    int (*sparse_project)(of_device_sparse *sparse, of_device_stack *X, size_t row, size_t rows,
                          const double *x, const double *in);

    /* The two halves of a product with the kernel matrix itself. Of u = scale x, for x (depth x
     * rows), the sums as above; and y (depth x rows) = scale (z f - in) for z depth x columns. */
    int (*sparse_gather)(of_device_sparse *sparse, size_t depth, const double *x, double *sum);
    int (*sparse_spread)(of_device_sparse *sparse, size_t depth, const double *z, const double *in,
                         double *y);
} of_device_table;

#endif
