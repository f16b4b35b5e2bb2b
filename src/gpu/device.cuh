/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this folder share: the GPU, its rooms, tiles and errors. The same sources are
 * compiled for a GPU by nvcc and, for tests on machines without one, by a C++ compiler with
 * tests/gpu/emulate.h, which runs the threads of a block one after the other; so kernels use
 * barriers, whole-number atomics and the products of tensor.cuh, and nothing else of a warp.
 */
#ifndef OF_GPU_DEVICE_CUH
#define OF_GPU_DEVICE_CUH

#include "base/device_table.h"

#include <functional>
#include <mutex>
#include <type_traits>
#include <vector>

#ifdef ONEFOLD_EMULATE
#include "gpu/emulate.h"
#else
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#define OF_LAUNCH(kernel, grid, block, bytes, stream, ...)                                         \
    kernel<<<grid, block, bytes, stream>>>(__VA_ARGS__)
#define OF_SHARED(type, name)                                                                      \
    extern __shared__ __align__(16) unsigned char of_shared_bytes[];                               \
    type *name = (type *)of_shared_bytes
#define OF_ALIGNED(at)
#endif

/* ---- tiles ---------------------------------------------------------------------------------- */

/* A matrix on the GPU lies in tiles of 128 samples: number (row i, sample j) of `rows` rows is at
 * ((j / TILE) * rows + i) * TILE + j % TILE. Samples beyond the last are zero. */
#ifdef ONEFOLD_EMULATE
enum { TILE = 128, MOST_CHUNKS = 12, LEAST_CHUNKS = 2 }; /* of several tiles even for few samples */
#else
enum { TILE = 128, MOST_CHUNKS = 1584, LEAST_CHUNKS = 32 };
#endif

/* A sum over samples adds up tiles in order within a chunk, and chunks in order: by the number of
 * samples and the length of the sum alone, so that neither the GPU nor pieces change a bit. */
struct Cut {
    size_t tiles, chunk, chunks; /* tiles in all, and in a chunk */
};
static inline size_t tiles_of(size_t samples)
{
    return (samples + TILE - 1) / TILE;
}
static inline Cut cut_of(size_t samples, size_t length)
{
    const size_t bytes = (size_t)256 << 20;
    size_t most = bytes / sizeof(double) / (length ? length : 1), tiles = tiles_of(samples);
    most = most > MOST_CHUNKS ? MOST_CHUNKS : most < LEAST_CHUNKS ? LEAST_CHUNKS : most;
    size_t chunk = (tiles + most - 1) / most;
    return Cut{tiles, chunk ? chunk : 1, chunk ? (tiles + chunk - 1) / chunk : 0};
}

/* ---- the GPU -------------------------------------------------------------------------------- */

/* Blocks of the GPU's memory that are kept from call to call, each for one purpose. */
enum Room {
    ROOM_SMALL,    /* small matrices on their way in */
    ROOM_PARTIAL,  /* partial sums */
    ROOM_REDUCED,  /* and these added up */
    ROOM_SCORES,   /* what a product makes of a piece of samples */
    ROOM_STAGING,  /* samples as they come from the host or go there */
    ROOM_FACTOR,   /* of a product with a kernel that is not formed, */
    ROOM_IMAGE,    /* and what comes of it */
    ROOM_ONES,
    ROOM_LABELS,
    ROOM_DISTANCE,
    ROOM_COUNTS,
    ROOM_PROJECT, /* the last pass: landmarks and weights */
    ROOM_RAW0,    /* samples from a staging area, twice */
    ROOM_RAW1,
    ROOM_WINDOW, /* of a stack that streams (stack.cu) */
    ROOMS
};

struct of_device {
    int index;
    cudaStream_t stream, copy;
    cudaEvent_t filled[2], worked[2]; /* of the staging areas */
    size_t limit, held;               /* bytes that it may hold, 0: all there is; and holds */
    void *room[ROOMS];
    size_t bytes[ROOMS];
    void *pinned[2];
    size_t pinned_bytes[2];
    size_t piece; /* most bytes worked at once; 0: the usual */
};

/* What the kernel of a projection reads besides samples (project.cu). Landmarks and weights lie
 * split, as right matrices (tensor.cuh): `at` by 32 landmarks, 64 features, 8 features, 8
 * landmarks; `weight` by 8 landmarks, 8 rows. */
struct Given {
    size_t raw_columns, columns, landmarks, rows;
    const uint32_t *kept;
    const double *shift, *factor;
    const uint32_t *at, *weight;
    const float *half, *centre;
    double mean;
};
struct Projection {
    of_device_projection spec;
    size_t tiles; /* of 8 rows; 0: none has begun */
    Given given;
};

struct of_device_stack {
    of_device *device;
    size_t rows, samples;
    int doubles;
    void *data;
    int streams; /* data are memory of the host (stack.cu) */
    std::vector<int32_t *> labels; /* one per slot */
    Projection projection;
};

/* ---- errors --------------------------------------------------------------------------------- */

extern std::mutex of_gpu_lock; /* one call at a time */
int of_gpu_fail(int code, const char *format, ...);
int of_gpu_status(cudaError_t error, const char *what);

#define GPU_TRY(call)                                                                              \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != OF_DEVICE_OK)                                                                 \
            return code_;                                                                          \
    } while (0)
#define CUDA_TRY(call) GPU_TRY(of_gpu_status((call), #call))
/* Whether the kernels before have been launched. */
static inline int launched(const char *what)
{
    return of_gpu_status(cudaGetLastError(), what);
}
#define LAUNCHED(what) GPU_TRY(launched(what))

/* work(0), of type double or float. */
template <typename F> int by_type(int doubles, F work)
{
    return doubles ? work(double()) : work(float());
}

/* Begins a call of the table: takes the lock and selects the GPU. */
int of_gpu_enter(of_device *device);
#define GPU_CALL(device)                                                                           \
    std::lock_guard<std::mutex> held_(of_gpu_lock);                                                \
    GPU_TRY(of_gpu_enter(device))

/* ---- rooms and copies ----------------------------------------------------------------------- */

/* Memory of the GPU, within the limit. */
int of_gpu_allocate(of_device *device, void **at, size_t bytes);
void of_gpu_release(of_device *device, void *at);
/* Bytes that can still be allocated. */
int of_gpu_left(of_device *device, size_t *bytes);

int of_gpu_pinned(of_device *device, int which, size_t bytes, void **out);
int of_gpu_room(of_device *device, Room which, size_t bytes, void **room);
template <typename T> int room(of_device *device, Room which, size_t count, T **out)
{
    return of_gpu_room(device, which, count * sizeof(T), (void **)out);
}

/* Copies between host memory and the GPU, after all kernels that were launched. */
int of_gpu_send(of_device *device, void *to, const void *from, size_t bytes);
int of_gpu_fetch(of_device *device, void *to, const void *from, size_t bytes);

/* Lets a kernel have so many bytes of shared memory; OF_DEVICE_UNSUPPORTED where the GPU has not. */
int of_gpu_shared(const void *kernel, size_t bytes);

/* Bytes of a piece of work: as set by set_piece, else `usual`, but at most a sixteenth of the limit
 * on the GPU's memory. */
size_t of_gpu_piece_bytes(const of_device *device, size_t usual);
/* The same in tiles of `rows` doubles a sample. */
size_t of_gpu_piece_tiles(const of_device *device, size_t rows);

/* Raw samples first .. first + count - 1 on the GPU to their rows, by the projection (project.cu). */
int of_gpu_project_samples(of_device_stack *X, const void *raw, size_t first, size_t count);

/* ---- sums and products (sums.cu, products.cu) ------------------------------------------------ */

/* Rows row .. row + used - 1 of a matrix in tiles. */
struct Blocked {
    const void *data; /* written to where it is a result */
    size_t rows, row, used;
    int doubles;
};
static inline Blocked blocked(const of_device_stack *X)
{
    return Blocked{X->data, X->rows, 0, X->rows, X->doubles};
}
static inline Blocked blocked(const double *data, size_t rows)
{
    return Blocked{data, rows, 0, rows, 1};
}

/* Some tiles of a stack, on the GPU. */
struct Piece {
    size_t tile, tiles, first, count; /* and the samples in them */
    Blocked part;
};
/* work(piece) of all samples, in pieces of at most `most` tiles whose ends are multiples of `step`.
 */
int of_gpu_each_piece(of_device_stack *X, size_t step, size_t most,
                      const std::function<int(const Piece &)> &work);

static inline size_t tile_bytes(const of_device_stack *X)
{
    return X->rows * TILE * (X->doubles ? sizeof(double) : sizeof(float));
}

/* How a sum of `length` numbers over all samples is cut, and memory for its partial sums, not
 * cleared. */
static inline int partial_sums(of_device *device, size_t samples, size_t length, Cut *cut,
                               double **partial)
{
    *cut = cut_of(samples, length);
    return room(device, ROOM_PARTIAL, cut->chunks * length, partial);
}

/* Partial sums of A B' by chunk, of tiles first .. first + count - 1. A chunk begins at `first`; A
 * and B begin there, too. partial: chunks x (A.used x B.used). */
int of_gpu_outer(of_device *device, Blocked A, Blocked B, Cut cut, size_t first, size_t count,
                 int symmetric, double *partial);
/* count x length numbers added up in order, into host memory. */
int of_gpu_reduce(of_device *device, const double *partial, size_t length, size_t count,
                  double *sum);
/* The sum of a stack's samples, to the host. */
int of_gpu_sum(of_device_stack *X, double *sum);

/* out = M X of `tiles` tiles; M (out.used x X.used) is on the GPU. */
int of_gpu_multiply(of_device *device, Blocked X, size_t tiles, const double *M, Blocked out);
/* M to the GPU. */
int of_gpu_matrix(of_device *device, const double *M, size_t count, double **there);

/* ---- what the table holds -------------------------------------------------------------------- */

/* Every function of the table (base/device_table.h) is of_gpu_NAME here, with its type there. */
/* clang-format off */
#define OF_GPU_TABLE(each)                                                                         \
    each(describe) each(open) each(close) each(set_piece)                                          \
    each(stack_make) each(stack_free) each(stack_store) each(stack_fetch)                          \
    each(stack_multiply) each(stack_rows) each(stack_sum) each(stack_gram)                       \
    each(embed) each(labels_store) each(labels_fetch) each(pass) each(predict)                     \
    each(landmarks_mean) each(landmarks_centre) each(features_centre) each(rbf_multiply)           \
    each(project_begin) each(piece_staging) each(piece) each(rows_multiply)                        \
    each(sparse_make) each(sparse_free) each(sparse_multiply)                                      \
    each(sparse_project) each(sparse_gather) each(sparse_spread)
/* clang-format on */
#define OF_GPU_DECLARE(name) std::remove_pointer_t<decltype(of_device_table::name)> of_gpu_##name;
OF_GPU_TABLE(OF_GPU_DECLARE)

/* Samples place[0 ..] (NULL: first ..) of a matrix in tiles as they lie on the host, as doubles, to
 * unit length where `unit`; all of it on the GPU. */
int of_gpu_unpack(of_device *device, Blocked from, size_t first, const unsigned long long *place,
                  size_t count, int unit, double *to);
/* Samples as they lie on the host (count x ld, floats or doubles) into rows of a matrix in tiles,
 * from sample `first` on; all of it on the GPU. */
int of_gpu_pack(of_device *device, const void *from, size_t ld, int floats, size_t count,
                size_t first, size_t row, size_t rows, void *to, size_t to_rows, int doubles);

#endif
