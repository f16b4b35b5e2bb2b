/* SPDX-License-Identifier: Apache-2.0 */
/* Sums over samples of products of rows, A B', in double precision and in a fixed order. */
#include "gpu/device.cuh"

/* ---- kernels -------------------------------------------------------------------------------- */

/* A block adds up a chunk's share of 64 x 64 entries; a thread 4 x 4 of them, 16 rows apart. */
enum { SIDE = 64, STEP = 32, PITCH = STEP + 1, OUTER_THREADS = 256 };

template <typename T>
__device__ void load_rows(const T *from, size_t rows, size_t row, size_t used, size_t tile,
                          size_t first, size_t sample, double *to)
{
    for (int e = threadIdx.x; e < SIDE * STEP; e += OUTER_THREADS) {
        int r = e / STEP, s = e % STEP;
        to[r * PITCH + s] = first + r < used
                               ? (double)from[(tile * rows + row + first + r) * TILE + sample + s]
                               : 0;
    }
}

template <typename A, typename B>
__global__ void outer(const A *a, size_t a_rows, size_t a_row, size_t a_used, const B *b,
                      size_t b_rows, size_t b_row, size_t b_used, size_t chunk, size_t first,
                      size_t count, int symmetric, double *partial)
{
    OF_SHARED(double, shared);
    double *as = shared, *bs = shared + SIDE * PITCH;
    size_t a0 = (size_t)blockIdx.y * SIDE, b0 = (size_t)blockIdx.z * SIDE;
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    double sum[4][4] = {{0}};
    if (symmetric && b0 > a0)
        return;
    size_t at = first / chunk + blockIdx.x, begin = at * chunk,
           end = begin + chunk < first + count ? begin + chunk : first + count;
    double *out = partial + at * a_used * b_used;
    for (size_t tile = begin - first; tile < end - first; tile++)
        for (size_t sample = 0; sample < TILE; sample += STEP) {
            __syncthreads();
            load_rows(a, a_rows, a_row, a_used, tile, a0, sample, as);
            load_rows(b, b_rows, b_row, b_used, tile, b0, sample, bs);
            __syncthreads();
            for (int s = 0; s < STEP; s++) {
                double u[4], v[4];
                for (int r = 0; r < 4; r++) {
                    u[r] = as[(y + 16 * r) * PITCH + s];
                    v[r] = bs[(x + 16 * r) * PITCH + s];
                }
                for (int r = 0; r < 4; r++)
                    for (int c = 0; c < 4; c++)
                        sum[r][c] = fma(u[r], v[c], sum[r][c]);
            }
        }
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++) {
            size_t i = a0 + y + 16 * r, j = b0 + x + 16 * c;
            if (i < a_used && j < b_used)
                out[i + j * a_used] = sum[r][c];
        }
}

__global__ void fill_ones(double *ones)
{
    ones[(size_t)blockIdx.x * TILE + threadIdx.x] = 1;
}

/* out[g * length + e] is the sum of numbers e of entries g * span .. of `count`, in order. */
__global__ void reduce(const double *partial, size_t length, size_t count, size_t span, double *out)
{
    size_t e = (size_t)blockIdx.x * blockDim.x + threadIdx.x, g = blockIdx.y;
    if (e >= length)
        return;
    size_t end = (g + 1) * span < count ? (g + 1) * span : count;
    double sum = 0;
    for (size_t c = g * span; c < end; c++)
        sum += partial[c * length + e];
    out[g * length + e] = sum;
}

/* ---- calls ---------------------------------------------------------------------------------- */

int of_gpu_outer(of_device *device, Blocked A, Blocked B, Cut cut, size_t first, size_t count,
                 int symmetric, double *partial)
{
    if (!count)
        return OF_DEVICE_OK;
    dim3 grid((unsigned)((count + cut.chunk - 1) / cut.chunk),
              (unsigned)((A.used + SIDE - 1) / SIDE), (unsigned)((B.used + SIDE - 1) / SIDE));
    size_t bytes = 2 * SIDE * PITCH * sizeof(double);
    return by_type(A.doubles, [&](auto a) {
        return by_type(B.doubles, [&](auto b) {
            typedef decltype(a) TA;
            typedef decltype(b) TB;
            auto kernel = outer<TA, TB>;
            OF_LAUNCH(kernel, grid, OUTER_THREADS, bytes, device->stream, (const TA *)A.data,
                      A.rows, A.row, A.used, (const TB *)B.data, B.rows, B.row, B.used, cut.chunk,
                      first, count, symmetric, partial);
            return launched("outer");
        });
    });
}

int of_gpu_reduce(of_device *device, const double *partial, size_t length, size_t count,
                  double *sum)
{
    const size_t SPAN = 33, groups = (count + SPAN - 1) / SPAN;
    double *reduced, *whole;
    unsigned blocks = (unsigned)((length + TILE - 1) / TILE);
    GPU_TRY(room(device, ROOM_REDUCED, (groups + 1) * length, &reduced));
    whole = reduced + groups * length;
    dim3 grid(blocks, (unsigned)(groups ? groups : 1));
    OF_LAUNCH(reduce, grid, TILE, 0, device->stream, partial, length, count, SPAN, reduced);
    OF_LAUNCH(reduce, blocks, TILE, 0, device->stream, reduced, length, groups, groups, whole);
    LAUNCHED("reduce");
    return of_gpu_fetch(device, sum, whole, length * sizeof *sum);
}

int of_gpu_stack_gram(of_device_stack *X, size_t row, size_t rows, double *gram)
{
    GPU_CALL(X->device);
    Cut cut;
    double *partial;
    GPU_TRY(partial_sums(X->device, X->samples, rows * rows, &cut, &partial));
    GPU_TRY(of_gpu_each_piece(X, cut.chunk, SIZE_MAX, [&](const Piece &p) {
        Blocked H = p.part;
        H.row = row;
        H.used = rows;
        return of_gpu_outer(X->device, H, H, cut, p.tile, p.tiles, 1, partial);
    }));
    GPU_TRY(of_gpu_reduce(X->device, partial, rows * rows, cut.chunks, gram));
    for (size_t j = 0; j < rows; j++) /* the lower half is computed */
        for (size_t i = 0; i < j; i++)
            gram[i + j * rows] = gram[j + i * rows];
    return OF_DEVICE_OK;
}

/* A B' for a row B of ones is the sum of A's samples, as those beyond the last are zero. */
int of_gpu_sum(of_device_stack *X, double *sum)
{
    Cut cut;
    double *partial, *ones;
    GPU_TRY(partial_sums(X->device, X->samples, X->rows, &cut, &partial));
    GPU_TRY(of_gpu_each_piece(X, cut.chunk, SIZE_MAX, [&](const Piece &p) {
        GPU_TRY(room(X->device, ROOM_ONES, p.tiles * TILE, &ones));
        OF_LAUNCH(fill_ones, (unsigned)p.tiles, TILE, 0, X->device->stream, ones);
        LAUNCHED("fill_ones");
        return of_gpu_outer(X->device, p.part, blocked(ones, 1), cut, p.tile, p.tiles, 0, partial);
    }));
    return of_gpu_reduce(X->device, partial, X->rows, cut.chunks, sum);
}

int of_gpu_stack_sum(of_device_stack *X, double *sum)
{
    GPU_CALL(X->device);
    return of_gpu_sum(X, sum);
}
