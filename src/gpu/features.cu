/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over the dense features of a kernel that is their product, in double precision: their
 * mean, the largest lengths, the Gram matrix of what is centred and normalised, and its projection.
 * Raw samples come in pieces, as in project.cu, or stay on the GPU where there is room. A sum goes
 * on where the piece before left it, so that pieces change no bit.
 */
#include "gpu/features_kernel.cuh"

#include <cstring>

/* ---- a piece of samples on the GPU -------------------------------------------------------------
 */

static Shown shown(const FeaturePasses *f)
{
    return Shown{f->told.raw_columns, f->told.columns, f->kept,      f->shift,
                 f->factor,           f->mean,         f->told.unit, f->pass.floor};
}

static Cut mean_cut(const of_device_stack *X)
{
    return cut_of(X->samples, X->features.told.columns * TILE);
}

static Cut gram_cut(const of_device_stack *X)
{
    size_t d = X->features.told.columns;
    return cut_of(X->samples, d * d);
}

template <typename RAW>
static int centre_piece(of_device_stack *X, const RAW *raw, size_t count, int scaled, double **x)
{
    of_device *device = X->device;
    size_t tiles = tiles_of(count);
    GPU_TRY(room(device, ROOM_FEATURES, tiles * TILE * X->features.told.columns, x));
    auto kernel = centre<RAW>;
    OF_LAUNCH(kernel, (unsigned)tiles, TILE, ROOM_BYTES, device->stream, shown(&X->features), raw,
              count, scaled, *x);
    LAUNCHED("centre");
    return OF_DEVICE_OK;
}

static int add_mean(of_device_stack *X, const double *x, size_t first, size_t tiles)
{
    Cut cut = mean_cut(X);
    size_t d = X->features.told.columns;
    double *partial;
    GPU_TRY(room(X->device, ROOM_PARTIAL, cut.chunks * d * TILE, &partial));
    dim3 grid((unsigned)((first + tiles - 1) / cut.chunk - first / cut.chunk + 1), (unsigned)d);
    OF_LAUNCH(add_places, grid, TILE, 0, X->device->stream, x, d, cut.chunk, first, tiles, partial);
    LAUNCHED("add_places");
    return OF_DEVICE_OK;
}

static int add_gram(of_device_stack *X, const double *x, size_t first, size_t tiles)
{
    Cut cut = gram_cut(X);
    size_t d = X->features.told.columns;
    double *partial;
    Blocked psi = {x, d, 0, d, 1};
    GPU_TRY(room(X->device, ROOM_PARTIAL, cut.chunks * d * d, &partial));
    return of_gpu_outer(X->device, psi, psi, cut, first, tiles, 1, partial);
}

static int make_rows(of_device_stack *X, const double *x, size_t first, size_t tiles)
{
    of_device *device = X->device;
    const FeaturePasses *f = &X->features;
    size_t d = f->told.columns, rows = f->pass.rows;
    double *h;
    Blocked psi = {x, d, 0, d, 1};
    GPU_TRY(room(device, ROOM_SCORES, tiles * TILE * rows, &h));
    GPU_TRY(of_gpu_multiply(device, psi, tiles, f->weight, rows, h));
    return of_gpu_keep_rows(X, h, rows, first, tiles, f->pass.row);
}

template <typename RAW>
static int work_raw(of_device_stack *X, const RAW *raw, size_t first, size_t count)
{
    of_device *device = X->device;
    of_device_sum sum = X->features.pass.sum;
    size_t tiles = tiles_of(count), tile = first / TILE;
    double *x;
    if (sum == OF_DEVICE_SUM_LARGEST) {
        GPU_TRY(room(device, ROOM_PARTIAL, 2 * tiles_of(X->samples), &x));
        auto kernel = find_lengths<RAW>;
        OF_LAUNCH(kernel, (unsigned)tiles, TILE, ROOM_BYTES, device->stream, shown(&X->features),
                  raw, count, x + 2 * tile);
        LAUNCHED("find_lengths");
        return OF_DEVICE_OK;
    }
    int scaled = sum != OF_DEVICE_SUM_MEAN && !X->features.pass.lengths;
    GPU_TRY(centre_piece(X, raw, count, scaled, &x));
    return sum == OF_DEVICE_SUM_MEAN   ? add_mean(X, x, tile, tiles)
           : sum == OF_DEVICE_SUM_GRAM ? add_gram(X, x, tile, tiles)
                                       : make_rows(X, x, tile, tiles);
}

static int work_piece(of_device_stack *X, const void *raw, size_t first, size_t count)
{
    FeaturePasses *f = &X->features;
    if (first != f->next || first % TILE || count == 0 || first + count > X->samples)
        return of_gpu_fail(OF_DEVICE_FAULT, "features of %zu samples at %zu", count, first);
    f->next = first + count;
    return f->told.raw_double ? work_raw(X, (const double *)raw, first, count)
                              : work_raw(X, (const float *)raw, first, count);
}

/* ---- calls ---------------------------------------------------------------------------------- */

static size_t sample_bytes(const FeaturePasses *f)
{
    return f->arrival.columns * f->arrival.number;
}

/* Room for all raw samples, where it is there. */
static void make_kept(of_device_stack *X, FeaturePasses *f, int *keep)
{
    of_gpu_release(X->device, f->all);
    f->all = NULL;
    if (*keep && of_gpu_allocate(X->device, &f->all, X->samples * sample_bytes(f)) != cudaSuccess) {
        (void)cudaGetLastError();
        f->all = NULL;
    }
    *keep = f->all != NULL;
}

int of_gpu_features_begin(of_device_stack *X, const of_device_features *told, size_t piece_bytes,
                          int *keep)
{
    GPU_CALL(X->device);
    FeaturePasses *f = &X->features;
    f->told = *told;
    f->arrival = X->projection.arrival =
        Arrival{told->raw_columns, told->raw_double ? sizeof(double) : sizeof(float), piece_bytes,
                told->sparse};
    make_kept(X, f, keep);
    return of_gpu_arrive_begin(X->device, f->arrival, *keep);
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
    f->shift = there;
    f->factor = there + d;
    f->mean = there + 2 * d;
    f->weight = there + 3 * d;
    f->kept = told->kept ? (uint32_t *)(f->weight + weights) : NULL;
    f->pass = *pass;
    f->next = 0;
    return OF_DEVICE_OK;
}

int of_gpu_features_piece(of_device_stack *X, int which, size_t first, size_t count)
{
    GPU_CALL(X->device);
    const FeaturePasses *f = &X->features;
    if (first + count > X->samples)
        return of_gpu_fail(OF_DEVICE_FAULT, "features of %zu samples at %zu", count, first);
    void *raw = f->all ? (char *)f->all + first * sample_bytes(f) : NULL;
    GPU_TRY(of_gpu_arrive(X->device, f->arrival, which, count, &raw));
    GPU_TRY(work_piece(X, raw, first, count));
    return of_gpu_arrive_end(X->device, which);
}

int of_gpu_features_again(of_device_stack *X, size_t first, size_t count)
{
    GPU_CALL(X->device);
    const FeaturePasses *f = &X->features;
    if (!f->all)
        return of_gpu_fail(OF_DEVICE_FAULT, "no samples were kept");
    GPU_TRY(work_piece(X, (const char *)f->all + first * sample_bytes(f), first, count));
    return of_gpu_status(cudaStreamSynchronize(X->device->stream), "again");
}

/* Places of a tile added up in order. */
static int end_mean(of_device_stack *X, double *sum)
{
    size_t d = X->features.told.columns;
    std::vector<double> places(d * TILE);
    double *partial;
    Cut cut = mean_cut(X);
    GPU_TRY(room(X->device, ROOM_PARTIAL, cut.chunks * d * TILE, &partial));
    GPU_TRY(of_gpu_reduce(X->device, partial, d * TILE, cut.chunks, places.data()));
    for (size_t i = 0; i < d; i++) {
        sum[i] = 0;
        for (size_t s = 0; s < TILE; s++)
            sum[i] += places[i * TILE + s];
    }
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

static int end_gram(of_device_stack *X, double *sum)
{
    size_t d = X->features.told.columns;
    double *partial;
    Cut cut = gram_cut(X);
    GPU_TRY(room(X->device, ROOM_PARTIAL, cut.chunks * d * d, &partial));
    GPU_TRY(of_gpu_reduce(X->device, partial, d * d, cut.chunks, sum));
    of_gpu_mirror(d, sum);
    return OF_DEVICE_OK;
}

static int end_rows(of_device_stack *X, double *sum)
{
    FeaturePasses *f = &X->features;
    Blocked H = blocked(X);
    H.row = f->pass.row;
    H.used = f->pass.rows;
    GPU_TRY(of_gpu_outer_sum(X->device, H, H, X->samples, 1, sum));
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
    switch (f->pass.sum) {
    case OF_DEVICE_SUM_MEAN:
        return end_mean(X, sum);
    case OF_DEVICE_SUM_LARGEST:
        return end_largest(X, sum);
    case OF_DEVICE_SUM_GRAM:
        return end_gram(X, sum);
    default:
        return end_rows(X, sum);
    }
}
