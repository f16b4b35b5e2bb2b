/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last pass of the landmark route: raw samples in, rows of the stack out. For 128 samples a
 * block forms 64 columns of k(x) - kbar at a time by a product, an exponential and a difference,
 * in true single precision, and multiplies them with the weights while they are in shared memory.
 * Standardising, squares and the scale s_j are double. Raw samples come in pieces through two
 * areas, one of which is filled while the other is worked.
 */
#include "gpu/four.cuh"

#include <cstring>

enum { THREADS = 128, COLUMNS = 64, PITCH = TILE + 4, AT_PITCH = COLUMNS + 4, GROUPS = 4 };
enum { MOST_PER_THREAD = 24 }; /* rows of the weights that a thread has: 96 in all */

struct Given {
    size_t raw_columns, columns, lpad, landmarks, rows;
    const uint32_t *kept;
    const double *shift, *factor;
    const float *at, *half, *centre, *weight;
    double mean;
};

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Features begin .. begin + 63 of the block's samples, xs (64 x 128); `own` += half their squares.
 */
template <typename RAW>
__device__ void load_features(const Given &g, const RAW *raw, size_t samples, size_t begin,
                              float *xs)
{
    int i = threadIdx.x % COLUMNS;
    size_t c = begin + i, column = c < g.columns && g.kept ? g.kept[c] : c;
    double shift = c < g.columns ? g.shift[c] : 0, factor = c < g.columns ? g.factor[c] : 0;
    for (int s = threadIdx.x / COLUMNS; s < TILE; s += THREADS / COLUMNS) {
        double x = c < g.columns && (size_t)s < samples ? (double)raw[s * g.raw_columns + column]
                                                        : shift;
        xs[i * PITCH + s] = (float)((x - shift) * factor);
    }
}

/* Landmarks l .. l + 63, features begin .. begin + 63: as (64 x 64). */
__device__ inline void load_landmarks(const Given &g, size_t l, size_t begin, float *as)
{
    for (int e = 4 * threadIdx.x; e < COLUMNS * COLUMNS; e += 4 * THREADS) {
        size_t c = begin + e / COLUMNS;
        Four<float> none = {{0, 0, 0, 0}};
        store_four(as + e / COLUMNS * AT_PITCH + e % COLUMNS,
                   c < g.columns ? load_four(g.at + c * g.lpad + l + e % COLUMNS) : none);
    }
}

/* sum[a][b] += <landmark a, sample b>: a thread has landmarks lg .. lg + 3 and lg + 32 .., samples
 * sg .. and sg + 64 .. */
__device__ inline void add_products(const float *xs, const float *as, int sg, int lg,
                                    float sum[8][8])
{
#pragma unroll 4
    for (int i = 0; i < COLUMNS; i++) {
        Four<float> x[2] = {load_four(xs + i * PITCH + sg), load_four(xs + i * PITCH + 64 + sg)},
                    a[2] = {load_four(as + i * AT_PITCH + lg),
                            load_four(as + i * AT_PITCH + 32 + lg)};
#pragma unroll
        for (int u = 0; u < 8; u++)
#pragma unroll
            for (int v = 0; v < 8; v++)
                sum[u][v] = fmaf(a[u / 4].v[u % 4], x[v / 4].v[v % 4], sum[u][v]);
    }
}

/* exp(<a, x> - |a|^2/2 - |x|^2/2) - centre, into ks (64 x 128). */
__device__ inline void make_kernel(const Given &g, size_t l, const float *own, int sg, int lg,
                                   const float sum[8][8], float *ks)
{
#pragma unroll
    for (int u = 0; u < 8; u++) {
        int at = u < 4 ? lg + u : 28 + lg + u;
        float half = g.half[l + at], centre = g.centre[l + at];
#pragma unroll
        for (int v = 0; v < 8; v += 4) {
            int s = v < 4 ? sg : 64 + sg;
            Four<float> at_own = load_four(own + s), k;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                float x = sum[u][v + e] - half - at_own.v[e];
                k.v[e] = (at_own.v[e] > 1e30f ? 0.0f /* far from everything */
                                              : expf(x < 0 ? x : 0.0f)) -
                         centre;
            }
            store_four(ks + at * PITCH + s, k);
        }
    }
}

/* image[r][e] += sum over 64 landmarks of weight r times k of samples 4 s + e. */
template <int R>
__device__ void add_image(const float *ks, const float *ws, int s, int first, float image[R][4])
{
#pragma unroll 4
    for (int l = 0; l < COLUMNS; l++) {
        Four<float> k = load_four(ks + l * PITCH + 4 * s);
#pragma unroll
        for (int r = 0; r < R; r++) {
            float w = ws[l * (GROUPS * R) + first + r];
#pragma unroll
            for (int e = 0; e < 4; e++)
                image[r][e] = fmaf(w, k.v[e], image[r][e]);
        }
    }
}

/* H = s image of the block's samples, to rows of the stack. */
template <typename T, int R>
__device__ void store_image(const Given &g, const float image[R][4], int s, int first,
                            size_t samples, float *means, T *out)
{
    for (int r = 0; r < R; r++)
        for (int e = 0; e < 4 && first + r == (int)g.rows; e++)
            means[4 * s + e] = image[r][e];
    __syncthreads();
    for (int e = 0; e < 4; e++) {
        double diagonal = 1 - g.mean - 2 * (double)means[4 * s + e],
               scale = diagonal > 1e-12 && (size_t)(4 * s + e) < samples ? 1 / sqrt(diagonal) : 0;
        for (int r = 0; r < R; r++)
            if (first + r < (int)g.rows)
                out[(first + r) * TILE + 4 * s + e] = (T)(scale * (double)image[r][e]);
    }
}

template <typename RAW, typename T, int R>
__global__ void __launch_bounds__(THREADS, 2)
    project(Given g, const RAW *raw, size_t count, T *stack, size_t stack_rows)
{
    OF_SHARED(float, shared);
    float *xs = shared, *as = xs + COLUMNS * PITCH, *ks = as + COLUMNS * AT_PITCH,
          *ws = ks + COLUMNS * PITCH, *own = ws + COLUMNS * GROUPS * R, *means = own + TILE;
    size_t tile = blockIdx.x, left = count - tile * TILE,
           samples = left < TILE ? left : (size_t)TILE;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sg = (warp % 2 * 8 + lane % 8) * 4,
        lg = (warp / 2 * 4 + lane / 8) * 4, s = lane, first = warp * R;
    const RAW *from = raw + tile * TILE * g.raw_columns;
    float image[R][4] = {{0}};
    double square = 0;
    for (size_t l = 0; l < g.landmarks; l += COLUMNS) {
        float sum[8][8] = {{0}};
        for (size_t begin = 0; begin < g.columns; begin += COLUMNS) {
            __syncthreads();
            if (l == 0 || g.columns > COLUMNS)
                load_features(g, from, samples, begin, xs);
            load_landmarks(g, l, begin, as);
            __syncthreads();
            for (int i = 0; l == 0 && i < COLUMNS; i++) /* a thread to each sample */
                square += (double)xs[i * PITCH + threadIdx.x] * (double)xs[i * PITCH + threadIdx.x];
            add_products(xs, as, sg, lg, sum);
        }
        if (l == 0)
            own[threadIdx.x] = (float)(0.5 * square);
        for (int e = threadIdx.x; e < COLUMNS * GROUPS * R; e += THREADS)
            ws[e] = g.weight[l * GROUPS * R + e];
        __syncthreads();
        make_kernel(g, l, own, sg, lg, sum, ks);
        __syncthreads();
        add_image<R>(ks, ws, s, first, image);
    }
    __syncthreads();
    store_image<T, R>(g, image, s, first, samples, means, stack + tile * stack_rows * TILE);
}

/* ---- rows afterwards ------------------------------------------------------------------------- */

/* Rows row .. of each sample become inverse (lower) times them, from the last one down. */
template <typename T>
__global__ void divide(T *stack, size_t stack_rows, size_t row, size_t rows, const double *inverse)
{
    T *own = stack + ((size_t)blockIdx.x * stack_rows + row) * TILE + threadIdx.x;
    for (size_t r = rows; r-- > 0;) {
        double sum = 0;
        for (size_t i = 0; i <= r; i++)
            sum = fma(inverse[r + i * rows], (double)own[i * TILE], sum);
        own[r * TILE] = (T)sum;
    }
}

/* The entry of largest modulus of a row in a chunk of tiles, the first among equals. */
template <typename T>
__global__ void largest(const T *stack, size_t stack_rows, size_t row, size_t tiles, size_t chunk,
                        double *out)
{
    OF_SHARED(double, best);
    double *where = best + TILE;
    size_t begin = blockIdx.x * chunk, end = begin + chunk < tiles ? begin + chunk : tiles;
    double most = 0, place = 0;
    for (size_t tile = begin; tile < end; tile++) {
        double h = (double)stack[(tile * stack_rows + row + blockIdx.y) * TILE + threadIdx.x];
        if (fabs(h) > fabs(most)) {
            most = h;
            place = (double)(tile * TILE + threadIdx.x);
        }
    }
    best[threadIdx.x] = most;
    where[threadIdx.x] = place;
    __syncthreads();
    if (threadIdx.x > 0)
        return;
    for (int t = 1; t < TILE; t++)
        if (fabs(best[t]) > fabs(most) || (fabs(best[t]) == fabs(most) && where[t] < place)) {
            most = best[t];
            place = where[t];
        }
    out[blockIdx.x * gridDim.y + blockIdx.y] = most;
}

template <typename T>
__global__ void sign_rows(T *stack, size_t stack_rows, size_t row, size_t rows, const double *sign)
{
    T *own = stack + ((size_t)blockIdx.x * stack_rows + row) * TILE + threadIdx.x;
    for (size_t r = 0; r < rows; r++)
        own[r * TILE] = (T)(sign[r] * (double)own[r * TILE]);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* One room for all that the kernel reads besides samples. */
static int send_landmarks(of_device_stack *X, const of_device_projection *told, Projection *p)
{
    size_t d = told->landmarks.columns, l = told->landmarks.count, lpad = p->lpad,
           wide = GROUPS * p->per_thread, doubles = 2 * d,
           floats = d * lpad + 2 * lpad + lpad * wide, kept = told->kept ? d : 0;
    std::vector<double> bytes((doubles * 8 + floats * 4 + kept * 4) / 8 + 1, 0.0);
    double *shift = bytes.data(), *factor = shift + d;
    float *at = (float *)(factor + d), *half = at + d * lpad, *centre = half + lpad,
          *weight = centre + lpad;
    uint32_t *columns = (uint32_t *)(weight + lpad * wide);
    for (size_t i = 0; i < d; i++) {
        shift[i] = told->shift ? told->shift[i] : 0;
        factor[i] = told->scale * (told->factor ? told->factor[i] : 1);
        for (size_t j = 0; j < l; j++)
            at[i * lpad + j] = (float)told->landmarks.at[i + j * d];
    }
    for (size_t j = 0; j < l; j++) {
        half[j] = (float)told->landmarks.half[j];
        centre[j] = (float)told->kbar[j];
        for (size_t r = 0; r <= told->rows; r++)
            weight[j * wide + r] = (float)told->weight[r + j * (told->rows + 1)];
    }
    if (kept)
        memcpy(columns, told->kept, kept * sizeof *columns);
    char *there;
    GPU_TRY(room(X->device, ROOM_PROJECT, bytes.size() * sizeof(double), &there));
    GPU_TRY(of_gpu_send(X->device, there, bytes.data(), bytes.size() * sizeof(double)));
    p->shift = (double *)there;
    p->factor = p->shift + d;
    p->at = (float *)(p->factor + d);
    p->half = p->at + d * lpad;
    p->centre = p->half + lpad;
    p->weight = p->centre + lpad;
    p->kept = kept ? (uint32_t *)(p->weight + lpad * wide) : NULL;
    return OF_DEVICE_OK;
}

int of_gpu_project_begin(of_device_stack *X, const of_device_projection *told, size_t piece_bytes)
{
    of_device *device = X->device;
    GPU_CALL(device);
    Projection *p = &X->projection;
    size_t each = (told->rows + 1 + GROUPS - 1) / GROUPS;
    if (each > MOST_PER_THREAD)
        return of_gpu_fail(OF_DEVICE_UNSUPPORTED, "%zu dimensions of a view are more than %d",
                           told->rows, MOST_PER_THREAD * GROUPS - 1);
    *p = Projection();
    p->told = *told;
    p->lpad = (told->landmarks.count + COLUMNS - 1) / COLUMNS * COLUMNS;
    p->per_thread = each <= 6 ? 6 : each <= 12 ? 12 : 24;
    p->raw_size = told->raw_double ? sizeof(double) : sizeof(float);
    p->piece_bytes = piece_bytes;
    GPU_TRY(send_landmarks(X, told, p));
    for (int i = 0; i < 2; i++) {
        void *area, *raw;
        GPU_TRY(of_gpu_pinned(device, i, piece_bytes, &area));
        GPU_TRY(of_gpu_room(device, i ? ROOM_RAW1 : ROOM_RAW0, piece_bytes, &raw));
    }
    return of_gpu_status(cudaDeviceSynchronize(), "begin");
}

int of_gpu_project_staging(of_device_stack *X, int which, void **area)
{
    of_device *device = X->device;
    GPU_CALL(device);
    CUDA_TRY(cudaEventSynchronize(device->filled[which])); /* its last copy has left it */
    return of_gpu_pinned(device, which, X->projection.piece_bytes, area);
}

template <typename RAW, typename T, int R>
static int launch(of_device_stack *X, const RAW *raw, size_t first, size_t count)
{
    const Projection *p = &X->projection;
    Given g = {p->told.raw_columns, p->told.landmarks.columns, p->lpad, p->lpad, p->told.rows,
               p->kept, p->shift, p->factor, p->at, p->half, p->centre, p->weight, p->told.mean};
    size_t bytes = (2 * COLUMNS * PITCH + COLUMNS * AT_PITCH + COLUMNS * GROUPS * R + 2 * TILE) *
                   sizeof(float);
    auto kernel = project<RAW, T, R>;
    GPU_TRY(of_gpu_shared((const void *)kernel, bytes));
    T *out = (T *)X->data + (first / TILE * X->rows + p->told.row) * TILE;
    OF_LAUNCH(kernel, (unsigned)tiles_of(count), THREADS, bytes, X->device->stream, g, raw, count,
              out, X->rows);
    LAUNCHED("project");
    return OF_DEVICE_OK;
}

template <typename RAW, typename T>
static int launch_for(of_device_stack *X, const RAW *raw, size_t first, size_t count)
{
    switch (X->projection.per_thread) {
    case 6:
        return launch<RAW, T, 6>(X, raw, first, count);
    case 12:
        return launch<RAW, T, 12>(X, raw, first, count);
    default:
        return launch<RAW, T, 24>(X, raw, first, count);
    }
}

static int work_piece(of_device_stack *X, const void *raw, size_t first, size_t count)
{
    if (X->projection.told.raw_double)
        GPU_TRY(X->doubles ? (launch_for<double, double>(X, (const double *)raw, first, count))
                           : (launch_for<double, float>(X, (const double *)raw, first, count)));
    else
        GPU_TRY(X->doubles ? (launch_for<float, double>(X, (const float *)raw, first, count))
                           : (launch_for<float, float>(X, (const float *)raw, first, count)));
    return OF_DEVICE_OK;
}

int of_gpu_project_again(of_device_stack *X, size_t pieces, size_t count)
{
    GPU_CALL(X->device);
    for (size_t i = 0; i < pieces; i++)
        GPU_TRY(work_piece(X, X->device->room[ROOM_RAW0], i * count, count));
    return of_gpu_status(cudaStreamSynchronize(X->device->stream), "again");
}

int of_gpu_project_piece(of_device_stack *X, int which, size_t first, size_t count)
{
    of_device *device = X->device;
    GPU_CALL(device);
    const Projection *p = &X->projection;
    void *raw = device->room[which ? ROOM_RAW1 : ROOM_RAW0];
    size_t bytes = count * p->told.raw_columns * p->raw_size;
    if (first % TILE || bytes > p->piece_bytes)
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu samples at %zu", count, first);
    CUDA_TRY(cudaStreamWaitEvent(device->copy, device->worked[which], 0));
    CUDA_TRY(cudaMemcpyAsync(raw, device->pinned[which], bytes, cudaMemcpyHostToDevice,
                             device->copy));
    CUDA_TRY(cudaEventRecord(device->filled[which], device->copy));
    CUDA_TRY(cudaStreamWaitEvent(device->stream, device->filled[which], 0));
    GPU_TRY(work_piece(X, raw, first, count));
    return of_gpu_status(cudaEventRecord(device->worked[which], device->stream), "piece");
}

int of_gpu_project_end(of_device_stack *X, double *inner)
{
    GPU_CALL(X->device);
    Blocked H = blocked(X);
    H.row = X->projection.told.row;
    H.used = X->projection.told.rows;
    return of_gpu_outer_sum(X->device, H, H, X->samples, 1, inner);
}

/* The first of the largest by modulus, over chunks in order. */
static void first_largest(size_t rows, size_t chunks, const double *part, double *most)
{
    for (size_t r = 0; r < rows; r++) {
        most[r] = 0;
        for (size_t c = 0; c < chunks; c++)
            if (fabs(part[c * rows + r]) > fabs(most[r]))
                most[r] = part[c * rows + r];
    }
}

template <typename T>
static int divide_rows(of_device_stack *X, size_t row, size_t rows, const double *inverse,
                       double *most)
{
    of_device *device = X->device;
    Cut cut = cut_of(X->samples, rows);
    double *there, *found;
    std::vector<double> parts(cut.chunks * rows);
    GPU_TRY(of_gpu_matrix(device, inverse, rows * rows, &there));
    GPU_TRY(room(device, ROOM_REDUCED, cut.chunks * rows, &found));
    auto kernel = divide<T>;
    OF_LAUNCH(kernel, (unsigned)cut.tiles, TILE, 0, device->stream, (T *)X->data, X->rows, row,
              rows, there);
    LAUNCHED("divide");
    auto search = largest<T>;
    dim3 grid((unsigned)cut.chunks, (unsigned)rows);
    OF_LAUNCH(search, grid, TILE, 2 * TILE * sizeof(double), device->stream, (const T *)X->data,
              X->rows, row, cut.tiles, cut.chunk, found);
    LAUNCHED("largest");
    GPU_TRY(of_gpu_fetch(device, parts.data(), found, parts.size() * sizeof(double)));
    first_largest(rows, cut.chunks, parts.data(), most);
    return OF_DEVICE_OK;
}

int of_gpu_rows_divide(of_device_stack *X, size_t row, size_t rows, const double *inverse,
                       double *most)
{
    GPU_CALL(X->device);
    return X->doubles ? divide_rows<double>(X, row, rows, inverse, most)
                      : divide_rows<float>(X, row, rows, inverse, most);
}

int of_gpu_rows_sign(of_device_stack *X, size_t row, size_t rows, const double *sign)
{
    of_device *device = X->device;
    GPU_CALL(device);
    double *there;
    unsigned blocks = (unsigned)tiles_of(X->samples);
    GPU_TRY(of_gpu_matrix(device, sign, rows, &there));
    if (X->doubles) {
        auto kernel = sign_rows<double>;
        OF_LAUNCH(kernel, blocks, TILE, 0, device->stream, (double *)X->data, X->rows, row, rows,
                  there);
    } else {
        auto kernel = sign_rows<float>;
        OF_LAUNCH(kernel, blocks, TILE, 0, device->stream, (float *)X->data, X->rows, row, rows,
                  there);
    }
    LAUNCHED("sign_rows");
    return of_gpu_status(cudaStreamSynchronize(device->stream), "sign");
}
