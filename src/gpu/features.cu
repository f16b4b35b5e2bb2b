/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over the dense features of a kernel that is their product, in double precision: their
 * mean, the largest lengths, the Gram matrix of what is centred and normalised, and its projection.
 * Raw samples come in pieces, as in project.cu, or stay on the GPU where there is room. A sum goes
 * on where the piece before left it, so that pieces change no bit.
 *
 * A block has the 128 samples of a tile, a thread to each; raw numbers are read 32 columns at a
 * time, as they lie, and a thread then takes its own. A sample is gone through several times, for
 * its length and for what is made with that, which its block finds in the cache.
 */
#include "gpu/device.cuh"

#include <cstring>

/* ---- kernels -------------------------------------------------------------------------------- */

enum { WIDTH = 32, ROOM_BYTES = TILE * (WIDTH + 1) * sizeof(double) }; /* columns at a time */

/* take(c, x) for the columns of this thread's sample: the kept ones, shifted and scaled. A block
 * has the 128 samples of a tile, and all of its threads are here. */
template <typename RAW, typename F>
__device__ void visit(const Shown &g, const RAW *raw, size_t samples, double *room, F take)
{
    for (size_t begin = 0; begin < g.columns; begin += WIDTH) {
        __syncthreads();
        for (int e = threadIdx.x; e < TILE * WIDTH; e += TILE) {
            size_t s = (size_t)(e / WIDTH), c = begin + (size_t)(e % WIDTH);
            double x = 0;
            if (c < g.columns && s < samples)
                x = ((double)raw[s * g.raw_columns + (g.kept ? g.kept[c] : c)] - g.shift[c]) *
                    g.factor[c];
            room[s * (WIDTH + 1) + e % WIDTH] = x;
        }
        __syncthreads();
        for (int i = 0; i < WIDTH && begin + i < g.columns; i++)
            take(begin + i, room[threadIdx.x * (WIDTH + 1) + i]);
    }
}

/* 1 / length of this thread's sample, or what leaves it as it is. */
template <typename RAW>
__device__ double unit_of(const Shown &g, const RAW *raw, size_t samples, double *room)
{
    double most = 0, square = 0;
    if (!g.unit)
        return 1;
    visit(g, raw, samples, room, [&](size_t, double x) { most = fabs(x) > most ? fabs(x) : most; });
    visit(g, raw, samples, room,
          [&](size_t, double x) { square += most > 0 ? x / most * (x / most) : 0; });
    return most > 0 ? most * sqrt(square) : 1;
}

/* |f - mean|^2 and |f|^2. */
template <typename RAW>
__device__ void lengths_of(const Shown &g, const RAW *raw, size_t samples, double unit,
                           double *room, double *centred, double *whole)
{
    double c2 = 0, w2 = 0;
    visit(g, raw, samples, room, [&](size_t c, double x) {
        double f = g.unit ? x / unit : x, less = f - g.mean[c];
        c2 += less * less;
        w2 += f * f;
    });
    *centred = c2;
    *whole = w2;
}

/* f - mean, times 1 / its length where `scaled`, in tiles; 0 beyond the samples. */
template <typename RAW>
__global__ void centre(Shown g, const RAW *raw, size_t count, int scaled, double *to)
{
    OF_SHARED(double, room);
    size_t first = (size_t)blockIdx.x * TILE, left = count - first,
           samples = left < TILE ? left : (size_t)TILE;
    const RAW *from = raw + first * g.raw_columns;
    double unit = unit_of(g, from, samples, room), scale = 1, centred, whole;
    if (scaled) {
        lengths_of(g, from, samples, unit, room, &centred, &whole);
        scale = centred > g.floor ? 1 / sqrt(centred) : 0;
    }
    scale = threadIdx.x < samples ? scale : 0;
    double *own = to + (size_t)blockIdx.x * g.columns * TILE + threadIdx.x;
    visit(g, from, samples, room, [&](size_t c, double x) {
        own[c * TILE] = scale * ((g.unit ? x / unit : x) - g.mean[c]);
    });
}

/* The larger, or what is no number. */
__device__ inline double larger(double a, double b)
{
    return a != a || a >= b ? a : b;
}

/* The largest of a tile's |f - mean|^2 and |f|^2. */
template <typename RAW>
__global__ void find_lengths(Shown g, const RAW *raw, size_t count, double *largest)
{
    OF_SHARED(double, room);
    size_t first = (size_t)blockIdx.x * TILE, left = count - first,
           samples = left < TILE ? left : (size_t)TILE;
    const RAW *from = raw + first * g.raw_columns;
    double centred, whole, unit = unit_of(g, from, samples, room);
    lengths_of(g, from, samples, unit, room, &centred, &whole);
    __syncthreads();
    room[threadIdx.x] = threadIdx.x < samples ? centred : 0;
    room[TILE + threadIdx.x] = threadIdx.x < samples ? whole : 0;
    __syncthreads();
    if (threadIdx.x < 2) {
        double most = 0;
        for (int s = 0; s < TILE; s++)
            most = larger(room[threadIdx.x * TILE + s], most);
        largest[2 * blockIdx.x + threadIdx.x] = most;
    }
}

/* ---- a piece of samples on the GPU ---------------------------------------------------------- */

/* What a pass adds up is a product with the rows themselves, or with ones. */
static size_t sum_rows(const FeaturePasses *f)
{
    return f->pass.sum == OF_DEVICE_SUM_GRAM ? f->told.columns : 1;
}

static int add_tiles(of_device_stack *X, const double *x, size_t first, size_t tiles)
{
    size_t d = X->features.told.columns, rows = sum_rows(&X->features);
    int gram = X->features.pass.sum == OF_DEVICE_SUM_GRAM;
    Cut cut;
    double *partial, *ones;
    GPU_TRY(partial_sums(X->device, X->samples, d * rows, &cut, &partial));
    GPU_TRY(of_gpu_ones(X->device, tiles, &ones));
    Blocked psi = {x, d, 0, d, 1}, other = {gram ? x : ones, rows, 0, rows, 1};
    return of_gpu_outer(X->device, psi, other, cut, first, tiles, gram, partial);
}

int of_gpu_pass_features(of_device_stack *X, const void *raw, size_t first, size_t count)
{
    of_device *device = X->device;
    FeaturePasses *f = &X->features;
    of_device_sum sum = f->pass.sum;
    size_t tiles = tiles_of(count), tile = first / TILE;
    double *x;
    if (first != f->next || count == 0)
        return of_gpu_fail(OF_DEVICE_FAULT, "features of %zu samples at %zu", count, first);
    f->next = first + count;
    if (sum == OF_DEVICE_SUM_LARGEST)
        GPU_TRY(room(device, ROOM_PARTIAL, 2 * tiles_of(X->samples), &x));
    else
        GPU_TRY(room(device, ROOM_FEATURES, tiles * TILE * f->told.columns, &x));
    GPU_TRY(by_type(f->told.raw_double, [&](auto number) {
        typedef decltype(number) RAW;
        if (sum == OF_DEVICE_SUM_LARGEST)
            OF_LAUNCH(find_lengths<RAW>, (unsigned)tiles, TILE, ROOM_BYTES, device->stream,
                      f->shown, (const RAW *)raw, count, x + 2 * tile);
        else
            OF_LAUNCH(centre<RAW>, (unsigned)tiles, TILE, ROOM_BYTES, device->stream, f->shown,
                      (const RAW *)raw, count, sum != OF_DEVICE_SUM_MEAN, x);
        return launched("features");
    }));
    if (sum == OF_DEVICE_SUM_LARGEST)
        return OF_DEVICE_OK;
    if (sum != OF_DEVICE_SUM_ROWS)
        return add_tiles(X, x, tile, tiles);
    Blocked psi = {x, f->told.columns, 0, f->told.columns, 1};
    return of_gpu_make_rows(X, psi, tile, tiles, f->weight, f->pass.rows, f->pass.row);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Room for all raw samples, where it is there. */
static void make_kept(of_device_stack *X, FeaturePasses *f, size_t bytes, int *keep)
{
    of_gpu_release(X->device, f->all);
    f->all = NULL;
    *keep = *keep && of_gpu_allocate(X->device, &f->all, bytes) == OF_DEVICE_OK;
}

int of_gpu_features_begin(of_device_stack *X, const of_device_features *told, size_t piece_bytes,
                          int *keep)
{
    GPU_CALL(X->device);
    FeaturePasses *f = &X->features;
    size_t sample = told->raw_columns * (told->raw_double ? sizeof(double) : sizeof(float));
    f->told = *told;
    make_kept(X, f, X->samples * sample, keep);
    return of_gpu_arrive_begin(X, Arrival{told->raw_columns, sample, piece_bytes, told->sparse}, 1,
                               *keep);
}

/* One room for all that a pass reads besides samples. */
int of_gpu_features_start(of_device_stack *X, const of_device_features_pass *pass)
{
    GPU_CALL(X->device);
    FeaturePasses *f = &X->features;
    const of_device_features *told = &f->told;
    size_t d = told->columns, weights = pass->sum == OF_DEVICE_SUM_ROWS ? pass->rows * d : 0;
    std::vector<double> small(3 * d + weights + d / 2 + 1, 0.0);
    for (size_t i = 0; i < d; i++) {
        small[i] = told->shift ? told->shift[i] : 0;
        small[d + i] = told->factor ? told->factor[i] : 1;
        small[2 * d + i] = pass->mean[i];
    }
    if (weights)
        memcpy(&small[3 * d], pass->weight, weights * sizeof(double));
    if (told->kept)
        memcpy(&small[3 * d + weights], told->kept, d * sizeof *told->kept);
    double *there;
    GPU_TRY(room(X->device, ROOM_PROJECT, small.size(), &there));
    GPU_TRY(of_gpu_send(X->device, there, small.data(), small.size() * sizeof(double)));
    f->weight = there + 3 * d;
    f->shown = Shown{told->raw_columns,
                     d,
                     told->kept ? (const uint32_t *)(f->weight + weights) : NULL,
                     there,
                     there + d,
                     there + 2 * d,
                     told->unit,
                     pass->floor};
    f->pass = *pass;
    f->next = 0;
    return OF_DEVICE_OK;
}

static int end_largest(of_device_stack *X, double *sum)
{
    std::vector<double> parts(2 * tiles_of(X->samples));
    double *partial;
    GPU_TRY(room(X->device, ROOM_PARTIAL, parts.size(), &partial));
    GPU_TRY(of_gpu_fetch(X->device, parts.data(), partial, parts.size() * sizeof(double)));
    sum[0] = sum[1] = 0;
    for (size_t e = 0; e < parts.size(); e++)
        if (!(parts[e] <= sum[e % 2])) /* one that is no number stays */
            sum[e % 2] = sum[e % 2] != sum[e % 2] ? sum[e % 2] : parts[e];
    return OF_DEVICE_OK;
}

static int end_rows(of_device_stack *X, double *sum)
{
    FeaturePasses *f = &X->features;
    GPU_TRY(of_gpu_inner(X, f->pass.row, f->pass.rows, sum));
    of_gpu_release(X->device, f->all);
    f->all = NULL;
    return OF_DEVICE_OK;
}

int of_gpu_features_end(of_device_stack *X, double *sum)
{
    GPU_CALL(X->device);
    const FeaturePasses *f = &X->features;
    if (f->next != X->samples)
        return of_gpu_fail(OF_DEVICE_FAULT, "features of %zu of %zu samples", f->next, X->samples);
    if (f->pass.sum == OF_DEVICE_SUM_LARGEST)
        return end_largest(X, sum);
    if (f->pass.sum == OF_DEVICE_SUM_ROWS)
        return end_rows(X, sum);
    size_t d = f->told.columns, length = d * sum_rows(f);
    Cut cut;
    double *partial;
    GPU_TRY(partial_sums(X->device, X->samples, length, &cut, &partial));
    GPU_TRY(of_gpu_reduce(X->device, partial, length, cut.chunks, sum));
    if (f->pass.sum == OF_DEVICE_SUM_GRAM)
        of_gpu_mirror(d, sum);
    return OF_DEVICE_OK;
}
