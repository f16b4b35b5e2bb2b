/* SPDX-License-Identifier: Apache-2.0 */
/* A small matrix times every sample, and what follows from the result: embeddings, labels, their
 * confidence, and the distance of new samples from the model. Products are in double precision. */
#include "gpu/device.cuh"

/* ---- kernels -------------------------------------------------------------------------------- */

enum { COLUMNS = 8, MOST_ROWS = 256 }; /* rows of the result by a block, and of X at a time */

/* Rows out_row .. of `out` = M (q x used) times rows row .. of x. */
template <typename T, typename O>
__global__ void multiply(const T *x, size_t x_rows, size_t row, size_t used, const double *M,
                         size_t q, O *out, size_t out_rows, size_t out_row)
{
    OF_SHARED(double, m);
    size_t tile = blockIdx.x, first = (size_t)blockIdx.y * COLUMNS;
    double sum[COLUMNS] = {0};
    for (size_t begin = 0; begin < used; begin += MOST_ROWS) {
        size_t rows = used - begin < MOST_ROWS ? used - begin : (size_t)MOST_ROWS;
        __syncthreads();
        for (size_t e = threadIdx.x; e < rows * COLUMNS; e += TILE) {
            size_t c = first + e % COLUMNS, i = begin + e / COLUMNS;
            m[e] = c < q ? M[c + i * q] : 0;
        }
        __syncthreads();
        for (size_t i = 0; i < rows; i++) {
            double value = (double)x[(tile * x_rows + row + begin + i) * TILE + threadIdx.x];
            for (int c = 0; c < COLUMNS; c++)
                sum[c] = fma(m[i * COLUMNS + c], value, sum[c]);
        }
    }
    for (int c = 0; c < COLUMNS; c++)
        if (first + c < q)
            out[(tile * out_rows + out_row + first + c) * TILE + threadIdx.x] = (O)sum[c];
}

/* method/rule.c, of_confidence; the q scores lie TILE apart. */
__device__ inline double confidence_of(const double *own, size_t q)
{
    double best = -INFINITY, second = -INFINITY, largest = 0, square = 0;
    for (size_t c = 0; c < q; c++) {
        double s = own[c * TILE];
        second = s > best ? best : s > second ? s : second;
        best = s > best ? s : best;
        largest = fabs(s) > largest ? fabs(s) : largest;
    }
    for (size_t c = 0; largest > 0 && c < q; c++)
        square += own[c * TILE] / largest * (own[c * TILE] / largest);
    double margin = (best / largest - second / largest) / sqrt(square);
    return !(largest > 0) ? 0 : q == 1 ? 1 : margin < 1 ? margin : 1;
}

/* The parts of a projection (base/device_table.h), on the GPU. */
struct Parts {
    size_t count, k, q;
    size_t row, stack_rows;       /* their first row, and all rows of the stack */
    const double *value, *weight; /* k x count; count */
    int32_t largest;
};

/* The first of the largest scores; the largest cluster where all are 0. */
__device__ inline int32_t choose_label(const double *own, size_t q, int32_t largest)
{
    size_t best = 0;
    int zero = 1;
    for (size_t c = 0; c < q; c++) {
        zero &= own[c * TILE] == 0;
        best = own[c * TILE] > own[best * TILE] ? c : best;
    }
    return zero ? largest : (int32_t)best;
}

/* method/rule.c, of_rule_distance: a part whose rows are all 0 does not count. */
template <typename T> __device__ double distance_of(const Parts &parts, const T *x)
{
    double left = 0, all = 0;
    for (size_t b = 0; b < parts.count; b++) {
        double kept = 0;
        int counts = 0;
        for (size_t r = 0; r < parts.k; r++) {
            double h = (double)x[(b * parts.k + r) * TILE];
            counts |= h != 0;
            kept += parts.value[b * parts.k + r] * h * h;
        }
        if (!counts)
            continue;
        left += parts.weight[b] * (1 - (kept < 1 ? kept : 1));
        all += parts.weight[b];
    }
    return all > 0 ? sqrt(left / all) : 1;
}

template <typename T>
__global__ void decide(Parts parts, const double *score, const T *x, size_t count, int32_t *labels,
                       double *confidence, double *distance)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    const double *own = score + (size_t)blockIdx.x * parts.q * TILE + threadIdx.x;
    if (j >= count)
        return;
    if (labels)
        labels[j] = choose_label(own, parts.q, parts.largest);
    if (confidence)
        confidence[j] = confidence_of(own, parts.q);
    if (distance)
        distance[j] =
            distance_of(parts, x + (blockIdx.x * parts.stack_rows + parts.row) * TILE + threadIdx.x);
}

/* ---- calls ---------------------------------------------------------------------------------- */

int of_gpu_matrix(of_device *device, const double *M, size_t count, double **there)
{
    GPU_TRY(room(device, ROOM_SMALL, count, there));
    return of_gpu_send(device, *there, M, count * sizeof *M);
}

int of_gpu_multiply(of_device *device, Blocked X, size_t tiles, const double *M, Blocked out)
{
    dim3 grid((unsigned)tiles, (unsigned)((out.used + COLUMNS - 1) / COLUMNS));
    size_t bytes = COLUMNS * MOST_ROWS * sizeof(double);
    return by_type(X.doubles, [&](auto number) {
        return by_type(out.doubles, [&](auto made) {
            typedef decltype(number) T;
            typedef decltype(made) O;
            auto kernel = multiply<T, O>;
            OF_LAUNCH(kernel, grid, TILE, bytes, device->stream, (const T *)X.data, X.rows, X.row,
                      X.used, M, out.used, (O *)out.data, out.rows, out.row);
            return launched("multiply");
        });
    });
}

int of_gpu_stack_multiply(of_device_stack *to, size_t row, size_t rows, of_device_stack *from,
                          const double *M)
{
    of_device *device = to->device;
    GPU_CALL(device);
    double *there;
    if (to->samples != from->samples || row + rows > to->rows)
        return of_gpu_fail(OF_DEVICE_FAULT, "%zu rows of %zu samples into %zu", rows, from->samples,
                           to->samples);
    GPU_TRY(of_gpu_matrix(device, M, rows * from->rows, &there));
    return of_gpu_each_piece(from, 1, SIZE_MAX, [&](const Piece &p) {
        Blocked out = {(char *)to->data + p.tile * tile_bytes(to), to->rows, row, rows,
                       to->doubles};
        return of_gpu_multiply(device, p.part, p.tiles, there, out);
    });
}

int of_gpu_embed(of_device_stack *X, size_t rows, const double *M, int unit, double *H)
{
    of_device *device = X->device;
    GPU_CALL(device);
    double *there, *score, *out;
    GPU_TRY(of_gpu_matrix(device, M, rows * X->rows, &there));
    return of_gpu_each_piece(X, 1, of_gpu_piece_tiles(device, 2 * rows), [&](const Piece &p) {
        GPU_TRY(room(device, ROOM_SCORES, p.tiles * TILE * rows, &score));
        GPU_TRY(room(device, ROOM_STAGING, p.tiles * TILE * rows, &out));
        GPU_TRY(of_gpu_multiply(device, p.part, p.tiles, there, blocked(score, rows)));
        GPU_TRY(of_gpu_unpack(device, blocked(score, rows), 0, NULL, p.count, unit, out));
        return of_gpu_fetch(device, H + p.first * rows, out, p.count * rows * sizeof *H);
    });
}

int of_gpu_predict(of_device_stack *X, const of_device_predict *task)
{
    of_device *device = X->device;
    GPU_CALL(device);
    size_t q = task->clusters, rows = task->rows ? task->rows : X->rows, n = X->samples;
    std::vector<double> numbers(task->fused, task->fused + q * rows);
    if (task->distance) {
        numbers.insert(numbers.end(), task->value, task->value + rows);
        numbers.insert(numbers.end(), task->weight, task->weight + task->parts);
    }
    double *there, *score, *confidence = NULL, *distance = NULL;
    int32_t *labels = NULL;
    GPU_TRY(of_gpu_matrix(device, numbers.data(), numbers.size(), &there));
    if (task->labels)
        GPU_TRY(room(device, ROOM_LABELS, n, &labels));
    if (task->confidence)
        GPU_TRY(room(device, ROOM_DISTANCE, n, &confidence));
    if (task->distance)
        GPU_TRY(room(device, ROOM_ONES, n, &distance));
    Parts parts = {task->parts, rows / task->parts, q,
                   task->row,   X->rows,            there + q * rows,
                   there + (q + 1) * rows,          (int32_t)task->largest};
    GPU_TRY(of_gpu_each_piece(X, 1, of_gpu_piece_tiles(device, q), [&](const Piece &p) {
        Blocked part = p.part;
        part.row = task->row;
        part.used = rows;
        GPU_TRY(room(device, ROOM_SCORES, p.tiles * TILE * q, &score));
        GPU_TRY(of_gpu_multiply(device, part, p.tiles, there, blocked(score, q)));
        return by_type(X->doubles, [&](auto number) {
            typedef decltype(number) T;
            OF_LAUNCH(decide<T>, (unsigned)p.tiles, TILE, 0, device->stream, parts, score,
                      (const T *)p.part.data, p.count, labels ? labels + p.first : NULL,
                      confidence ? confidence + p.first : NULL,
                      distance ? distance + p.first : NULL);
            return launched("decide");
        });
    }));
    if (task->labels)
        GPU_TRY(of_gpu_fetch(device, task->labels, labels, n * sizeof *labels));
    if (confidence)
        GPU_TRY(of_gpu_fetch(device, task->confidence, confidence, n * sizeof *confidence));
    if (distance)
        GPU_TRY(of_gpu_fetch(device, task->distance, distance, n * sizeof *distance));
    return of_gpu_status(cudaStreamSynchronize(device->stream), "predict");
}
