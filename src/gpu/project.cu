/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last pass of the landmark route: raw samples in, rows of the stack out. Raw samples come in
 * pieces through two areas, one of which is filled while the other is worked.
 *
 * Kernel values against landmarks and their projection are one kernel, by tensor cores in split
 * form (tensor.cuh). A block has 8 warps of 16 W samples each. For 32 landmarks at a time a warp
 * forms <x, a> by a product, k(x) - kbar from it in registers, and the product of that with the
 * weights: a thread's results of the first product are its left side of the second, if the
 * landmarks of each 8 are taken in the order 0, 2, 4, 6, 1, 3, 5, 7. Standardising, squares and the
 * scale s_j are in double precision.
 */
#include "gpu/tensor.cuh"

/* ---- values and projection ------------------------------------------------------------------ */

/* Landmarks and features at a time; a row of features is padded so that no two threads that load
 * at once meet at a bank. */
enum { THREADS = 256, MARKS = 32, COLUMNS = 64, ROW = COLUMNS + 4, STEPS = COLUMNS / 8 };
enum { MOST_TILES = 12 }; /* of 8 rows of the weights: 96 in all, one of them the row mean's */

/* Features begin .. begin + 63 of the block's samples, xs (samples x 64). */
template <typename RAW>
__device__ void load_features(const Given &g, const RAW *raw, int block, size_t samples,
                              size_t begin, float *xs)
{
    int i = threadIdx.x % COLUMNS;
    size_t c = begin + i, column = c < g.columns && g.kept ? g.kept[c] : c;
    double shift = c < g.columns ? g.shift[c] : 0, factor = c < g.columns ? g.factor[c] : 0;
#pragma unroll 4
    for (int s = threadIdx.x / COLUMNS; s < block; s += THREADS / COLUMNS) {
        double x =
            c < g.columns && (size_t)s < samples ? (double)raw[s * g.raw_columns + column] : shift;
        xs[s * ROW + i] = (float)((x - shift) * factor);
    }
}

__device__ inline void copy_words(const uint32_t *from, int count, uint32_t *to)
{
    for (int e = 4 * threadIdx.x; e < count; e += 4 * THREADS)
        store_four((float *)to + e, load_four((const float *)from + e));
}

/* c[u][v] += <sample, landmark>: W tiles of 16 samples, 4 of 8 landmarks. */
template <int W> __device__ void add_products(const float *xs, const uint32_t *as, float c[W][4][4])
{
    int lane = threadIdx.x % 32;
    const float *own = xs + (threadIdx.x / 32 * 16 * W + lane / 4) * ROW + lane % 4;
#pragma unroll 1
    for (int step = 0; step < STEPS; step++) {
        Left a[W];
#pragma unroll
        for (int u = 0; u < W; u++) {
            const float *at = own + u * 16 * ROW + step * 8;
            a[u] = split_left(at[0], at[8 * ROW], at[4], at[8 * ROW + 4]);
        }
#pragma unroll
        for (int v = 0; v < 4; v++) {
            Right b = load_right(as + (step * 4 + v) * RIGHT + lane * 4);
#pragma unroll
            for (int u = 0; u < W; u++)
                multiply_split(a[u], b, c[u][v]);
        }
    }
}

/* exp(<a, x> - |a|^2/2 - |x|^2/2) - centre of four numbers of a thread: two samples, two landmarks.
 */
__device__ inline Left make_kernel(const float c[4], const float *half, const float *centre,
                                   const float own[2])
{
    float k[4];
#pragma unroll
    for (int e = 0; e < 4; e++) {
        float x = c[e] - half[e % 2] - own[e / 2];
        k[e] = (own[e / 2] > 1e30f ? 0.0f /* far from everything */
                                   : expf(x < 0 ? x : 0.0f)) -
               centre[e % 2];
    }
    return split_left(k[0], k[2], k[1], k[3]);
}

/* image += the 32 landmarks' share: T tiles of 8 rows. */
template <int W, int T>
__device__ void add_image(const Given &g, size_t first, const float c[W][4][4], const uint32_t *ws,
                          const float own[W][2], float image[W][T][4])
{
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int u = 0; u < W; u++) {
        float part[T][4] = {{0}};
#pragma unroll
        for (int v = 0; v < 4; v++) {
            size_t l = first + v * 8 + lane % 4 * 2;
            Left k = make_kernel(c[u][v], g.half + l, g.centre + l, own[u]);
#pragma unroll
            for (int r = 0; r < T; r++)
                multiply_split(k, load_right(ws + (v * T + r) * RIGHT + lane * 4), part[r]);
        }
#pragma unroll
        for (int r = 0; r < T; r++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                image[u][r][e] += part[r][e];
    }
}

/* H = s image of the block's samples, to rows of the stack; `means` has room for each sample. */
template <typename T, int W, int TILES>
__device__ void store_image(const Given &g, const float image[W][TILES][4], size_t samples,
                            float *means, T *stack, size_t stack_rows)
{
    int lane = threadIdx.x % 32, first = threadIdx.x / 32 * 16 * W + lane / 4;
#pragma unroll
    for (int u = 0; u < W; u++)
#pragma unroll
        for (int r = 0; r < TILES; r++)
#pragma unroll
            for (int e = 0; e < 4; e++)
                if (r * 8 + lane % 4 * 2 + e % 2 == (int)g.rows)
                    means[first + u * 16 + e / 2 * 8] = image[u][r][e];
    __syncthreads();
#pragma unroll
    for (int u = 0; u < W; u++)
#pragma unroll
        for (int high = 0; high < 2; high++) {
            int s = first + u * 16 + high * 8;
            double diagonal = 1 - g.mean - 2 * (double)means[s],
                   scale = diagonal > 1e-12 ? 1 / sqrt(diagonal) : 0;
            T *out = stack + s / TILE * stack_rows * TILE + s % TILE;
#pragma unroll
            for (int r = 0; r < TILES; r++)
#pragma unroll
                for (int low = 0; low < 2; low++) {
                    size_t row = (size_t)(r * 8 + lane % 4 * 2 + low);
                    if (row < g.rows && (size_t)s < samples)
                        out[row * TILE] = (T)(scale * (double)image[u][r][high * 2 + low]);
                }
        }
}

/* W: tiles of 16 samples a warp; TILES: of 8 rows. */
template <typename RAW, typename T, int W, int TILES>
__global__ void __launch_bounds__(THREADS, TILES > 6 ? 1 : 2)
    project(Given g, const RAW *raw, size_t count, T *stack, size_t stack_rows)
{
    enum { BLOCK = 128 * W, AT = MARKS * COLUMNS * 2, WEIGHT = MARKS * TILES * 8 * 2 };
    OF_SHARED(float, shared);
    float *xs = shared, *halves = xs + BLOCK * ROW, *means = halves + BLOCK;
    uint32_t *as = (uint32_t *)(means + BLOCK), *ws = as + AT;
    size_t first = (size_t)blockIdx.x * BLOCK, left = count - first,
           samples = left < BLOCK ? left : (size_t)BLOCK,
           steps = (g.columns + COLUMNS - 1) / COLUMNS;
    const RAW *from = raw + first * g.raw_columns;
    float image[W][TILES][4] = {{{0}}}, own[W][2];
    double square = 0;
    for (size_t l = 0; l < g.landmarks; l += MARKS) {
        float c[W][4][4] = {{{0}}};
        for (size_t step = 0; step < steps; step++) {
            __syncthreads();
            if (l == 0 || steps > 1)
                load_features(g, from, BLOCK, samples, step * COLUMNS, xs);
            copy_words(g.at + (l / MARKS * steps + step) * AT, AT, as);
            if (step == 0)
                copy_words(g.weight + l / MARKS * WEIGHT, WEIGHT, ws);
            __syncthreads();
            for (int i = 0; l == 0 && threadIdx.x < BLOCK && i < COLUMNS; i++) {
                double x = (double)xs[threadIdx.x * ROW + i]; /* a thread to each sample */
                square += x * x;
            }
            add_products<W>(xs, as, c);
        }
        if (l == 0) {
            if (threadIdx.x < BLOCK)
                halves[threadIdx.x] = (float)(0.5 * square);
            __syncthreads();
#pragma unroll
            for (int u = 0; u < W; u++)
#pragma unroll
                for (int e = 0; e < 2; e++)
                    own[u][e] =
                        halves[threadIdx.x / 32 * 16 * W + u * 16 + threadIdx.x % 32 / 4 + e * 8];
        }
        add_image<W, TILES>(g, l, c, ws, own, image);
    }
    store_image<T, W, TILES>(g, image, samples, means, stack + first * stack_rows, stack_rows);
}

/* ---- rows afterwards ------------------------------------------------------------------------- */

/* Rows row .. of each sample become `lower` times them, from the last one down. */
template <typename T>
__global__ void lower_times(T *stack, size_t stack_rows, size_t row, size_t rows,
                            const double *lower)
{
    T *own = stack + ((size_t)blockIdx.x * stack_rows + row) * TILE + threadIdx.x;
    for (size_t r = rows; r-- > 0;) {
        double sum = 0;
        for (size_t i = 0; i <= r; i++)
            sum = fma(lower[r + i * rows], (double)own[i * TILE], sum);
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

/* ---- calls ---------------------------------------------------------------------------------- */

/* Two numbers of a thread as a right matrix has them (tensor.cuh). */
static void split_pair(float a, float b, uint32_t *to)
{
    split(a, &to[0], &to[2]);
    split(b, &to[1], &to[3]);
}

/* Landmarks by 32, 64 features, 8 features and 8 landmarks. */
static void split_landmarks(const of_device_landmarks *marks, size_t lpad, size_t steps,
                            uint32_t *at)
{
    size_t d = marks->columns, l = marks->count;
    for (size_t f = 0; f < lpad / 8 * steps * STEPS; f++)
        for (size_t lane = 0; lane < 32; lane++) {
            size_t block = f / (4 * STEPS) / steps, part = f / (4 * STEPS) % steps,
                   i = part * COLUMNS + f / 4 % STEPS * 8 + lane % 4,
                   c = block * MARKS + f % 4 * 8 + lane / 4;
            split_pair(c < l && i < d ? (float)marks->at[i + c * d] : 0.0f,
                       c < l && i + 4 < d ? (float)marks->at[i + 4 + c * d] : 0.0f,
                       at + f * RIGHT + lane * 4);
        }
}

/* Weights ((rows + 1) x count) by 8 landmarks and 8 rows. */
static void split_weights(const of_device_projection *spec, size_t lpad, size_t tiles,
                          uint32_t *weight)
{
    size_t height = spec->rows + 1, l = spec->landmarks.count;
    for (size_t f = 0; f < lpad / 8 * tiles; f++)
        for (size_t lane = 0; lane < 32; lane++) {
            size_t c = f / tiles * 8 + lane % 4 * 2, r = f % tiles * 8 + lane / 4;
            split_pair(c < l && r < height ? (float)spec->weight[r + c * height] : 0.0f,
                       c + 1 < l && r < height ? (float)spec->weight[r + (c + 1) * height] : 0.0f,
                       weight + f * RIGHT + lane * 4);
        }
}

/* All that the kernel reads besides samples goes to one block of the GPU's memory. */
static int send_landmarks(of_device_stack *X, const of_device_projection *spec, Projection *p)
{
    size_t d = spec->landmarks.columns, l = spec->landmarks.count,
           lpad = (l + MARKS - 1) / MARKS * MARKS, steps = (d + COLUMNS - 1) / COLUMNS,
           at_words = 2 * lpad * steps * COLUMNS, weight_words = 2 * lpad * p->tiles * 8,
           kept = spec->kept ? d : 0;
    std::vector<double> numbers(2 * d + (at_words + weight_words + 2 * lpad) / 2 + kept / 2 + 1,
                                   0.0);
    double *shift = numbers.data(), *factor = shift + d;
    /* loads of four words need multiples of 16 bytes, which 2 d doubles are */
    uint32_t *at = (uint32_t *)(factor + d), *weight = at + at_words;
    float *half = (float *)(weight + weight_words), *centre = half + lpad;
    for (size_t i = 0; i < d; i++) {
        shift[i] = spec->shift ? spec->shift[i] : 0;
        factor[i] = spec->scale * (spec->factor ? spec->factor[i] : 1);
    }
    split_landmarks(&spec->landmarks, lpad, steps, at);
    split_weights(spec, lpad, p->tiles, weight);
    for (size_t j = 0; j < l; j++) {
        half[j] = (float)spec->landmarks.half[j];
        centre[j] = (float)spec->kbar[j];
    }
    if (kept)
        memcpy(centre + lpad, spec->kept, kept * sizeof *spec->kept);
    char *there;
    GPU_TRY(room(X->device, ROOM_PROJECT, numbers.size() * sizeof(double), &there));
    GPU_TRY(of_gpu_send(X->device, there, numbers.data(), numbers.size() * sizeof(double)));
    /* the same offsets on the GPU */
    auto moved = [&](const void *own) { return there + ((char *)own - (char *)shift); };
    p->given = Given{spec->raw_columns,
                     d,
                     lpad,
                     spec->rows,
                     kept ? (const uint32_t *)moved(centre + lpad) : NULL,
                     (const double *)moved(shift),
                     (const double *)moved(factor),
                     (const uint32_t *)moved(at),
                     (const uint32_t *)moved(weight),
                     (const float *)moved(half),
                     (const float *)moved(centre),
                     spec->mean};
    return OF_DEVICE_OK;
}

int of_gpu_project_begin(of_device_stack *X, const of_device_projection *spec)
{
    GPU_CALL(X->device);
    Projection *p = &X->projection;
    size_t tiles = (spec->rows + 1 + 7) / 8;
    if (tiles > MOST_TILES)
        return of_gpu_fail(OF_DEVICE_UNSUPPORTED, "%zu dimensions of a view are more than %d",
                           spec->rows, MOST_TILES * 8 - 1);
    *p = Projection();
    p->spec = *spec;
    p->tiles = tiles <= 3 ? 3 : tiles <= 6 ? 6 : MOST_TILES;
    return send_landmarks(X, spec, p);
}

template <typename RAW, typename T, int W, int TILES>
static int launch(of_device_stack *X, const void *raw, size_t first, size_t count)
{
    const Projection *p = &X->projection;
    const size_t block = 128 * W,
                 bytes = (block * (ROW + 2) + 2 * MARKS * COLUMNS + 2 * MARKS * TILES * 8) *
                         sizeof(float);
    auto kernel = project<RAW, T, W, TILES>;
    GPU_TRY(of_gpu_shared((const void *)kernel, bytes));
    T *out = (T *)X->data + (first / TILE * X->rows + p->spec.row) * TILE;
    OF_LAUNCH(kernel, (unsigned)((count + block - 1) / block), THREADS, bytes, X->device->stream,
              p->given, (const RAW *)raw, count, out, X->rows);
    return launched("project");
}

int of_gpu_project_samples(of_device_stack *X, const void *raw, size_t first, size_t count)
{
    return by_type(X->projection.spec.raw_double, [&](auto given) {
        return by_type(X->doubles, [&](auto number) {
            typedef decltype(given) RAW;
            typedef decltype(number) T;
            return X->projection.tiles == 3   ? launch<RAW, T, 2, 3>(X, raw, first, count)
                   : X->projection.tiles == 6 ? launch<RAW, T, 1, 6>(X, raw, first, count)
                                              : launch<RAW, T, 1, MOST_TILES>(X, raw, first, count);
        });
    });
}

int of_gpu_rows_multiply(of_device_stack *X, size_t row, size_t rows, const double *lower,
                         double *most)
{
    of_device *device = X->device;
    GPU_CALL(device);
    Cut cut = cut_of(X->samples, rows);
    double *there, *found;
    std::vector<double> parts(cut.chunks * rows);
    GPU_TRY(of_gpu_matrix(device, lower, rows * rows, &there));
    GPU_TRY(room(device, ROOM_REDUCED, cut.chunks * rows, &found));
    GPU_TRY(by_type(X->doubles, [&](auto number) {
        typedef decltype(number) T;
        dim3 grid((unsigned)cut.chunks, (unsigned)rows);
        OF_LAUNCH(lower_times<T>, (unsigned)cut.tiles, TILE, 0, device->stream, (T *)X->data,
                  X->rows, row, rows, there);
        OF_LAUNCH(largest<T>, grid, TILE, 2 * TILE * sizeof(double), device->stream,
                  (const T *)X->data, X->rows, row, cut.tiles, cut.chunk, found);
        return launched("lower_times");
    }));
    GPU_TRY(of_gpu_fetch(device, parts.data(), found, parts.size() * sizeof(double)));
    for (size_t r = 0; r < rows; r++) { /* the first of the largest by modulus */
        most[r] = 0;
        for (size_t c = 0; c < cut.chunks; c++)
            if (fabs(parts[c * rows + r]) > fabs(most[r]))
                most[r] = parts[c * rows + r];
    }
    return OF_DEVICE_OK;
}
