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
#define OF_DEVICE_ABI 15
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

/* k-means as linalg/kmeans.h has it, on rows x samples doubles. */
typedef struct of_device_kmeans {
    size_t rows, samples, ldx, clusters, max_iterations;
    const double *X;
    const double *start; /* rows x clusters, or NULL: k-means++ with: */
    size_t first;        /* the first centre's sample, */
    const double *draws; /* and clusters - 1 numbers in [0, 1) */
    int32_t *labels;     /* samples */
    double *centres;     /* rows x clusters */
    double cost;
    size_t iterations;
    int converged;
} of_device_kmeans;

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
    int sparse;     /* samples arrive as entries (below), raw_columns doubles each */
} of_device_projection;

/* Sparse samples in a staging area: count + 1 starts (uint64_t, the first 0), the entries' values
 * (double) and then their columns (uint32_t), none of which a sample has twice. */
#define OF_DEVICE_SPARSE_BYTES(count, entries)                                                     \
    (((count) + 1) * sizeof(uint64_t) + (entries) * (sizeof(double) + sizeof(uint32_t)))

/* One pass of the solver for several runs (method/os_lfmvc_cs.h). */
typedef struct of_device_run {
    const double *B, *R;   /* k x pk; k x (m + mu): R, then C */
    size_t largest;        /* the cluster that was largest */
    size_t slot;           /* where its labels lie */
    double *sum;           /* pk x m, then pk x mu */
    size_t *sizes, *moved; /* mu; samples whose label changed */
} of_device_run;
typedef struct of_device_pass {
    size_t k, m, mu;
    int nonneg, keep_labels;
    size_t count;
    of_device_run *runs;
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
    int stay;             /* labels go to slot 0, as by labels_store */
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

/* Dense features of a kernel that is their product, in double precision (partition/centred.h): the
 * raw columns kept, shifted and scaled, to unit length where `unit`. */
typedef struct of_device_features {
    size_t raw_columns, columns;
    const uint32_t *kept;         /* columns, or NULL: all */
    const double *shift, *factor; /* columns, or NULL */
    int unit, raw_double, sparse;
} of_device_features;

/* What a pass over the features f of all samples comes to. */
typedef enum of_device_sum {
    OF_DEVICE_SUM_MEAN,    /* columns: the sum of f - mean */
    OF_DEVICE_SUM_LARGEST, /* 2: the largest |f - mean|^2 and |f|^2, NaN where one is */
    OF_DEVICE_SUM_GRAM,    /* columns x columns: psi psi' of psi = (f - mean) / |f - mean|, 0 where
                              the squared length is not above `floor` */
    OF_DEVICE_SUM_ROWS     /* rows x rows: H H' of H = weight psi, which goes to the stack's rows
                              row .. row + rows - 1 */
} of_device_sum;
typedef struct of_device_features_pass {
    of_device_sum sum;
    const double *mean; /* columns */
    double floor;
    const double *weight; /* rows x columns */
    size_t row, rows;
} of_device_features_pass;

/* Sparse features f and what each sample's are scaled by, for products with their Gram matrix. */
typedef struct of_device_sparse of_device_sparse;
typedef struct of_device_entries {
    size_t rows, columns;  /* samples, and features of each */
    const size_t *start;   /* rows + 1 */
    const uint32_t *index; /* of the entries; a sample has no column twice */
    const double *value;
    const double *scale; /* rows */
} of_device_entries;

typedef struct of_device_table {
    int abi;
    const char *(*message)(void);
    int (*describe)(int index, of_device_info *info);
    int (*open)(int index, of_device **device);
    void (*close)(of_device *device);
    /* Bytes that are free on it now. */
    int (*available)(of_device *device, size_t *bytes);
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
    /* Rows row .. of all samples from another of as many, which does not stream. */
    int (*stack_rows)(of_device_stack *to, size_t row, of_device_stack *from);

    /* ---- the solver ---- */
    int (*gram)(of_device_stack *X, double *N); /* rows x rows: X X' */
    /* M X (rows x samples packed) for M rows x X's rows; columns to unit length where `unit`. */
    int (*embed)(of_device_stack *X, size_t rows, const double *M, int unit, double *H);
    int (*labels_store)(of_device_stack *X, size_t slot, const int32_t *labels);
    int (*labels_fetch)(of_device_stack *X, size_t slot, int32_t *labels);
    int (*pass)(of_device_stack *X, of_device_pass *pass);

    /* ---- base partitions ---- */
    int (*kmeans)(of_device *device, of_device_kmeans *task);
    /* Of scaled features (columns x count packed) of samples first .. first + count - 1 of
     * `samples`, given in order from 0 on, in pieces that start at multiples of 128: with the last
     * piece the sum of k(x) over all (count), which also readies the next; and, with kbar and the
     * row means' weights, sum s^2 (k - kbar)(k - kbar)' (count x count). */
    int (*landmarks_mean)(of_device *device, const of_device_landmarks *landmarks, size_t samples,
                          size_t first, size_t count, const double *features, double *sum);
    int (*landmarks_gram)(of_device *device, const of_device_landmarks *landmarks, size_t samples,
                          const double *kbar, const double *row_mean, double mean, double *gram);
    /* The last pass: begin; pieces of samples, in any order; then inner (rows x rows) = H H'. */
    int (*project_begin)(of_device_stack *X, const of_device_projection *projection,
                         size_t piece_bytes);
    int (*project_end)(of_device_stack *X, double *inner);
    /* A piece of what project_begin or features_begin has begun, from one of two staging areas,
     * which may be filled once `staging` has given it; it starts at a multiple of 128. */
    int (*piece_staging)(of_device_stack *X, int which, void **area);
    int (*piece)(of_device_stack *X, int which, size_t first, size_t count);
    /* Rows row .. become `lower` (rows x rows, a lower triangle) times them, and largest[r] is then
     * the entry of largest modulus of each, the first among equals. */
    int (*rows_multiply)(of_device_stack *X, size_t row, size_t rows, const double *lower,
                         double *largest);

    /* ---- new samples, and what the solver says of its own ---- */
    int (*predict)(of_device_stack *X, const of_device_predict *task);

    /* ---- kernels that are not formed ---- */
    int (*rbf_multiply)(of_device_stack *features, const of_device_rbf *task);

    /* ---- views that samples lack ---- */
    /* Rows row .. of samples first .. first + count - 1 of `to`, from a stack of the samples that
     * have a view: scale[j] times all rows of its sample place[j], or 0 where scale[j] is. */
    int (*stack_spread)(of_device_stack *to, size_t row, size_t first, size_t count,
                        of_device_stack *from, const size_t *place, const double *scale);

    /* ---- features whose products are the kernel ---- */
    /* Passes over all samples of X: begin; for each pass its start, the samples in order in pieces,
     * and its end. Where *keep is asked for and there is room, which it then says, raw samples stay
     * on the GPU until the pass that makes rows has ended, and pieces of passes after the first are
     * those with `which` -1, also in order. */
    int (*features_begin)(of_device_stack *X, const of_device_features *features,
                          size_t piece_bytes, int *keep);
    int (*features_start)(of_device_stack *X, const of_device_features_pass *pass);
    int (*features_end)(of_device_stack *X, double *sum);

    /* ---- sparse features that stay on the GPU, in double precision ---- */
    int (*sparse_make)(of_device *device, const of_device_entries *entries,
                       of_device_sparse **sparse);
    void (*sparse_free)(of_device_sparse *sparse);
    /* Of u = scale^2 (x f - in), for x (depth x columns) and `in` (depth): the sum of u over all
     * samples (depth), and right behind it that of u f (depth x columns). */
    int (*sparse_multiply)(of_device_sparse *sparse, size_t depth, const double *x,
                           const double *in, double *sum);
    /* Rows row .. of a stack = scale (x f - in) for x rows x columns; inner (rows x rows): H H'. */
    int (*sparse_project)(of_device_sparse *sparse, of_device_stack *X, size_t row, size_t rows,
                          const double *x, const double *in, double *inner);

    /* The two halves of a product with the kernel matrix itself. Of u = scale x, for x (depth x
     * rows), the sums as above; and y (depth x rows) = scale (z f - in) for z depth x columns. */
    int (*sparse_gather)(of_device_sparse *sparse, size_t depth, const double *x, double *sum);
    int (*sparse_spread)(of_device_sparse *sparse, size_t depth, const double *z, const double *in,
                         double *y);

    /* ---- landmarks of few samples, in double precision ---- */
    /* After landmarks_gram of as many samples as X has: rows row .. of X = weight s (k - kbar), for
     * weight rows x count; inner (rows x rows): H H'. */
    int (*landmarks_rows)(of_device_stack *X, size_t count, size_t row, size_t rows,
                          const double *weight, double *inner);
} of_device_table;

#endif
