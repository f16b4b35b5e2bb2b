/* SPDX-License-Identifier: Apache-2.0 */
/*
 * k-means as linalg/kmeans.c has it: k-means++ with draws that are given, Lloyd's iteration, empty
 * clusters given the sample farthest from its centre. A row of ones below the samples carries the
 * constant of each centre's distance and counts samples; the sums of samples by label are a product
 * with a matrix that has a 1 for each sample's label.
 */
#include "gpu/device.cuh"

/* ---- kernels -------------------------------------------------------------------------------- */

/* x has rows + 1 rows. */
__device__ inline double distance_to(const double *x, size_t rows, const double *centre)
{
    const double *own = x + (size_t)blockIdx.x * (rows + 1) * TILE + threadIdx.x;
    double sum = 0;
    for (size_t i = 0; i < rows; i++) {
        double d = own[i * TILE] - centre[i];
        sum = fma(d, d, sum);
    }
    return sum;
}

/* The sum over a block, in order. */
__device__ inline void sum_tile(double value, double *out)
{
    OF_SHARED(double, all);
    all[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0;
        for (int t = 0; t < TILE; t++)
            sum += all[t];
        *out = sum;
    }
}

/* Distances to the nearest of the centres so far, of which `newest` is the last. */
__global__ void come_nearer(const double *x, size_t rows, size_t count, const double *newest,
                            int first, double *distance, double *tile_sum)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double d = j < count ? distance_to(x, rows, newest) : 0;
    if (j < count && !first && distance[j] < d)
        d = distance[j];
    distance[j] = d;
    sum_tile(d, &tile_sum[blockIdx.x]);
}

/* The next centre: a sample in proportion to its distance; `draw` is in [0, 1). One block. */
__global__ void draw_centre(const double *x, size_t rows, size_t count, size_t tiles, double draw,
                            const double *distance, const double *tile_sum, double *centre)
{
    OF_SHARED(double, shared);
    double *sums = shared, *chosen = shared + TILE;
    double total = 0, target = 0;
    size_t tile = 0;
    int found = 0;
    for (int round = 0; round < 2; round++) { /* the total, then the tile */
        target = draw * total;
        for (size_t begin = 0; begin < tiles; begin += TILE) {
            size_t part = tiles - begin < TILE ? tiles - begin : (size_t)TILE;
            __syncthreads();
            if (threadIdx.x < part)
                sums[threadIdx.x] = tile_sum[begin + threadIdx.x];
            __syncthreads();
            for (size_t t = 0; t < part; t++)
                if (round == 0)
                    total += sums[t];
                else if (!found) {
                    tile = begin + t;
                    if (target < sums[t] || tile + 1 == tiles)
                        found = 1;
                    else
                        target -= sums[t];
                }
        }
    }
    __syncthreads(); /* one number after the other is looked at: from near by */
    sums[threadIdx.x] = distance[tile * TILE + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        size_t at = total > 0 ? tile * TILE : (size_t)(draw * (double)count), last = count - 1,
               end = (tile + 1) * TILE;
        for (; total > 0 && at < count; at++) {
            double d = at < end ? sums[at - tile * TILE] : distance[at];
            if (target < d)
                break;
            target -= d;
        }
        for (; total > 0 && at >= count && last > 0 && !(distance[last] > 0); last--)
            ;
        chosen[0] = (double)(at < count ? at : last);
    }
    __syncthreads();
    size_t at = (size_t)chosen[0];
    for (size_t i = threadIdx.x; i < rows; i += TILE)
        centre[i] = x[(at / TILE * (rows + 1) + i) * TILE + at % TILE];
}

/* Labels from the scores (clusters rows, in tiles), the distance to the own centre, and how many
 * labels changed. */
__global__ void assign(const double *x, size_t rows, size_t count, const double *score,
                       size_t clusters, const double *centres, int32_t *labels, double *distance,
                       int *changed)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x, best = 0;
    const double *own = score + (size_t)blockIdx.x * clusters * TILE + threadIdx.x;
    if (j >= count)
        return;
    double least = own[0];
    for (size_t c = 1; c < clusters; c++) {
        double value = own[c * TILE];
        best = value < least ? c : best;
        least = value < least ? value : least;
    }
    if (labels[j] != (int32_t)best)
        atomicAdd(changed, 1);
    labels[j] = (int32_t)best;
    distance[j] = distance_to(x, rows, centres + best * rows);
}

/* 1 in the last row of x for each sample. */
__global__ void fill_last(double *x, size_t rows, size_t count)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    x[((size_t)blockIdx.x * (rows + 1) + rows) * TILE + threadIdx.x] = j < count;
}

/* The mean from the sum of all samples, whose number is behind it. */
__global__ void take_mean(const double *sum, size_t rows, double *mean)
{
    for (size_t i = threadIdx.x; i < rows; i += blockDim.x)
        mean[i] = sum[i] / sum[rows];
}

/* Centres from sums by label (clusters x (rows + 1), the last column counts; NULL: they stay), and
 * M = [-2 (centre - mean), |centre|^2 - |mean|^2] of each, so that M [x; 1] orders them by
 * distance; offsets from the mean keep the digits that large common parts would take. Where a
 * cluster is empty nothing moves, and *empty says so. A block is one cluster's. */
__global__ void move_centres(const double *sums, size_t rows, size_t clusters, const double *mean,
                             int *empty, double *centres, double *M)
{
    OF_SHARED(int, some);
    size_t c = blockIdx.x;
    double *own = centres + c * rows;
    if (threadIdx.x == 0) {
        some[0] = 0;
        for (size_t e = 0; sums && e < clusters; e++)
            some[0] |= sums[e + rows * clusters] == 0;
        if (c == 0)
            *empty = some[0];
    }
    __syncthreads();
    if (some[0])
        return;
    for (size_t i = threadIdx.x; i < rows; i += blockDim.x) {
        double centre = sums ? sums[c + i * clusters] / sums[c + rows * clusters] : own[i];
        own[i] = centre;
        M[c + i * clusters] = -2 * (centre - mean[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double constant = 0;
        for (size_t i = 0; i < rows; i++)
            constant = fma(own[i] - mean[i], own[i] + mean[i], constant);
        M[c + rows * clusters] = constant;
    }
}

/* A 1 for each sample's label. */
__global__ void mark_labels(const int32_t *labels, size_t count, size_t clusters, double *marks)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double *own = marks + (size_t)blockIdx.x * clusters * TILE + threadIdx.x;
    for (size_t c = 0; c < clusters; c++)
        own[c * TILE] = j < count && labels[j] == (int32_t)c;
}

/* Squared distances to the own centres, by tile. */
__global__ void add_cost(const double *x, size_t rows, size_t count, const double *centres,
                         const int32_t *labels, double *tile_sum)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    double d = j < count ? distance_to(x, rows, centres + (size_t)labels[j] * rows) : 0;
    sum_tile(d, &tile_sum[blockIdx.x]);
}

/* ---- calls ---------------------------------------------------------------------------------- */

struct Work {
    of_device *device;
    of_device_kmeans *task;
    size_t tiles;
    double *x, *score, *distance, *tile_sum, *centres, *M, *mean;
    int32_t *labels;
    int *changed; /* labels that did; and behind it whether a cluster is empty */
};

static const size_t SUM_BYTES = TILE * sizeof(double);

/* Samples with a row of ones, and room. */
static int load(Work *w)
{
    of_device *device = w->device;
    const of_device_kmeans *t = w->task;
    size_t d = t->rows, n = t->samples;
    double *raw;
    w->tiles = tiles_of(n);
    GPU_TRY(room(device, ROOM_STAGING, n * t->ldx, &raw));
    GPU_TRY(room(device, ROOM_FEATURES, w->tiles * TILE * (d + 1), &w->x));
    GPU_TRY(room(device, ROOM_KERNEL, w->tiles * TILE * t->clusters, &w->score));
    GPU_TRY(room(device, ROOM_DISTANCE, w->tiles * (TILE + 1), &w->distance));
    GPU_TRY(room(device, ROOM_LABELS, n + 1, &w->labels));
    GPU_TRY(room(device, ROOM_SMALL, t->clusters * (2 * d + 1) + d, &w->centres));
    GPU_TRY(room(device, ROOM_COUNTS, 2, &w->changed));
    w->tile_sum = w->distance + w->tiles * TILE;
    w->M = w->centres + t->clusters * d;
    w->mean = w->M + t->clusters * (d + 1);
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    GPU_TRY(of_gpu_send(device, raw, t->X, ((n - 1) * t->ldx + d) * sizeof *raw));
    CUDA_TRY(cudaMemsetAsync(w->x, 0, w->tiles * TILE * (d + 1) * sizeof *w->x, device->stream));
    CUDA_TRY(cudaMemsetAsync(w->labels, 0, n * sizeof *w->labels, device->stream));
    GPU_TRY(of_gpu_pack(device, raw, t->ldx, 0, n, 0, 0, d, w->x, d + 1, 1));
    OF_LAUNCH(fill_last, (unsigned)w->tiles, TILE, 0, device->stream, w->x, d, n);
    return launched("fill_last");
}

static int take_mean_of_all(Work *w)
{
    size_t d = w->task->rows;
    Blocked one = {w->x, d + 1, d, 1, 1}, X = {w->x, d + 1, 0, d + 1, 1};
    double *sum;
    GPU_TRY(of_gpu_outer_there(w->device, one, X, w->task->samples, 0, &sum));
    OF_LAUNCH(take_mean, 1, TILE, 0, w->device->stream, sum, d, w->mean);
    return launched("take_mean");
}

static int start(Work *w)
{
    of_device *device = w->device;
    const of_device_kmeans *t = w->task;
    size_t d = t->rows;
    if (t->start)
        return of_gpu_send(device, w->centres, t->start, d * t->clusters * sizeof(double));
    GPU_TRY(of_gpu_send(device, w->centres, t->X + t->first * t->ldx, d * sizeof(double)));
    for (size_t c = 0; c + 1 < t->clusters; c++) {
        OF_LAUNCH(come_nearer, (unsigned)w->tiles, TILE, SUM_BYTES, device->stream, w->x, d,
                  t->samples, w->centres + c * d, c == 0, w->distance, w->tile_sum);
        OF_LAUNCH(draw_centre, 1, TILE, SUM_BYTES + sizeof(double), device->stream, w->x, d,
                  t->samples, w->tiles, t->draws[c], w->distance, w->tile_sum,
                  w->centres + (c + 1) * d);
    }
    return launched("k-means++");
}

static int move(Work *w, const double *sums)
{
    const of_device_kmeans *t = w->task;
    OF_LAUNCH(move_centres, (unsigned)t->clusters, TILE, sizeof(int), w->device->stream, sums,
              t->rows, t->clusters, w->mean, w->changed + 1, w->centres, w->M);
    return launched("move_centres");
}

static int assign_all(Work *w)
{
    of_device *device = w->device;
    const of_device_kmeans *t = w->task;
    Blocked X = {w->x, t->rows + 1, 0, t->rows + 1, 1};
    GPU_TRY(of_gpu_multiply(device, X, w->tiles, w->M, blocked(w->score, t->clusters)));
    OF_LAUNCH(assign, (unsigned)w->tiles, TILE, 0, device->stream, w->x, t->rows, t->samples,
              w->score, t->clusters, w->centres, w->labels, w->distance, w->changed);
    return launched("assign");
}

/* Sums of samples by label (clusters x (rows + 1)), of which the last column counts, and centres.
 */
static int move_to_means(Work *w)
{
    of_device *device = w->device;
    const of_device_kmeans *t = w->task;
    OF_LAUNCH(mark_labels, (unsigned)w->tiles, TILE, 0, device->stream, w->labels, t->samples,
              t->clusters, w->score);
    LAUNCHED("mark_labels");
    Blocked marks = {w->score, t->clusters, 0, t->clusters, 1},
            X = {w->x, t->rows + 1, 0, t->rows + 1, 1};
    double *sums;
    GPU_TRY(of_gpu_outer_there(device, marks, X, t->samples, 0, &sums));
    return move(w, sums);
}

/* linalg/kmeans.c, repair_empty: on the host, as it is rare. */
static int repair(Work *w)
{
    const of_device_kmeans *t = w->task;
    size_t n = t->samples, k = t->clusters;
    std::vector<int32_t> labels(n);
    std::vector<double> distance(n);
    std::vector<size_t> count(k);
    GPU_TRY(of_gpu_fetch(w->device, labels.data(), w->labels, n * sizeof(int32_t)));
    GPU_TRY(of_gpu_fetch(w->device, distance.data(), w->distance, n * sizeof(double)));
    for (int32_t label : labels)
        count[label]++;
    for (size_t c = 0; c < k; c++) {
        size_t farthest = n;
        for (size_t j = 0; count[c] == 0 && j < n; j++)
            if (count[labels[j]] > 1 && (farthest == n || distance[j] > distance[farthest]))
                farthest = j;
        if (farthest == n)
            continue;
        count[labels[farthest]]--;
        count[c] = 1;
        labels[farthest] = (int32_t)c;
        distance[farthest] = 0;
    }
    GPU_TRY(of_gpu_send(w->device, w->labels, labels.data(), n * sizeof(int32_t)));
    return move_to_means(w);
}

static int iterate(Work *w)
{
    of_device_kmeans *t = w->task;
    int told[2];
    CUDA_TRY(cudaMemsetAsync(w->changed, 0, sizeof *w->changed, w->device->stream));
    GPU_TRY(assign_all(w));
    GPU_TRY(move_to_means(w));
    GPU_TRY(of_gpu_fetch(w->device, told, w->changed, sizeof told));
    t->converged = t->iterations > 0 && told[0] == 0;
    t->iterations++;
    return !t->converged && told[1] ? repair(w) : (int)OF_DEVICE_OK;
}

static int finish(Work *w)
{
    of_device *device = w->device;
    of_device_kmeans *t = w->task;
    OF_LAUNCH(add_cost, (unsigned)w->tiles, TILE, SUM_BYTES, device->stream, w->x, t->rows,
              t->samples, w->centres, w->labels, w->tile_sum);
    LAUNCHED("add_cost");
    std::vector<double> sums(w->tiles);
    GPU_TRY(of_gpu_fetch(device, sums.data(), w->tile_sum, w->tiles * sizeof(double)));
    t->cost = 0;
    for (double sum : sums)
        t->cost += sum;
    GPU_TRY(of_gpu_fetch(device, t->centres, w->centres, t->rows * t->clusters * sizeof(double)));
    return of_gpu_fetch(device, t->labels, w->labels, t->samples * sizeof *t->labels);
}

int of_gpu_kmeans(of_device *device, of_device_kmeans *task)
{
    GPU_CALL(device);
    Work w = Work();
    w.device = device;
    w.task = task;
    task->iterations = 0;
    task->converged = 0;
    GPU_TRY(load(&w));
    GPU_TRY(take_mean_of_all(&w));
    GPU_TRY(start(&w));
    GPU_TRY(move(&w, NULL));
    do
        GPU_TRY(iterate(&w));
    while (!task->converged && task->iterations < task->max_iterations);
    return finish(&w);
}
