/* SPDX-License-Identifier: Apache-2.0 */
/* A small matrix times every sample, and what is read off the result: embeddings, labels, what a
 * view by itself would say. Products are in double precision. */
#include "gpu/pieces.cuh"

/* ---- kernels -------------------------------------------------------------------------------- */

enum { COLUMNS = 8, MOST_ROWS = 256 }; /* rows of the result by a block, and of X at a time */

template <typename T>
__global__ void multiply(const T *x, size_t x_rows, size_t row, size_t used, const double *M,
                         size_t q, double *out)
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
            out[(tile * q + first + c) * TILE + threadIdx.x] = sum[c];
}

/* Columns of h (q rows, in tiles) as the host has them, to unit length where `unit`. */
__global__ void hand_over(const double *h, size_t q, size_t count, int unit, double *out)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    const double *own = h + (size_t)blockIdx.x * q * TILE + threadIdx.x;
    double square = 0;
    if (j >= count)
        return;
    for (size_t i = 0; unit && i < q; i++)
        square += own[i * TILE] * own[i * TILE];
    double scale = !unit ? 1 : square > 0 ? 1 / sqrt(square) : 0;
    for (size_t i = 0; i < q; i++)
        out[j * q + i] = scale * own[i * TILE];
}

/* The first of the largest scores of each sample. */
__global__ void pick(const double *score, size_t q, size_t count, int32_t *labels)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x, best = 0;
    const double *own = score + (size_t)blockIdx.x * q * TILE + threadIdx.x;
    if (j >= count)
        return;
    for (size_t c = 1; c < q; c++)
        best = own[c * TILE] > own[best * TILE] ? c : best;
    labels[j] = (int32_t)best;
}

/* The label a view by itself would give, -1 where all its scores are 0; and its share of the sum.
 */
__global__ void hear_view(const double *score, size_t q, size_t count, double beta, int first,
                          double *sum, int32_t *labels)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x, best = 0,
           at = (size_t)blockIdx.x * q * TILE + threadIdx.x;
    int zero = 1;
    for (size_t c = 0; c < q; c++) {
        double s = score[at + c * TILE];
        zero &= s == 0;
        best = s > score[at + best * TILE] ? c : best;
        sum[at + c * TILE] = (first ? 0 : sum[at + c * TILE]) + beta * s;
    }
    if (labels && j < count)
        labels[j] = zero ? -1 : (int32_t)best;
}

__global__ void be_sure(const double *score, size_t q, size_t count, double *confidence)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x;
    if (j < count)
        confidence[j] = confidence_of(score + (size_t)blockIdx.x * q * TILE + threadIdx.x, q);
}

template <typename T>
__global__ void keep_rows(const double *from, size_t rows, size_t first, T *stack,
                          size_t stack_rows, size_t row)
{
    T *out = stack + ((first + blockIdx.x) * stack_rows + row) * TILE + threadIdx.x;
    for (size_t r = 0; r < rows; r++)
        out[r * TILE] = (T)from[(blockIdx.x * rows + r) * TILE + threadIdx.x];
}

/* ---- calls ---------------------------------------------------------------------------------- */

int of_gpu_matrix(of_device *device, const double *M, size_t count, double **there)
{
    GPU_TRY(room(device, ROOM_SMALL, count, there));
    return of_gpu_send(device, *there, M, count * sizeof *M);
}

int of_gpu_multiply(of_device *device, Blocked X, size_t tiles, const double *M, size_t q,
                    double *out)
{
    dim3 grid((unsigned)tiles, (unsigned)((q + COLUMNS - 1) / COLUMNS));
    size_t bytes = COLUMNS * MOST_ROWS * sizeof(double);
    if (X.doubles) {
        auto kernel = multiply<double>;
        OF_LAUNCH(kernel, grid, TILE, bytes, device->stream, (const double *)X.data, X.rows, X.row,
                  X.used, M, q, out);
    } else {
        auto kernel = multiply<float>;
        OF_LAUNCH(kernel, grid, TILE, bytes, device->stream, (const float *)X.data, X.rows, X.row,
                  X.used, M, q, out);
    }
    LAUNCHED("multiply");
    return OF_DEVICE_OK;
}

int of_gpu_keep_rows(of_device_stack *X, const double *from, size_t rows, size_t first,
                     size_t tiles, size_t row)
{
    cudaStream_t stream = X->device->stream;
    (void)stream;
    if (X->doubles) {
        auto kernel = keep_rows<double>;
        OF_LAUNCH(kernel, (unsigned)tiles, TILE, 0, stream, from, rows, first, (double *)X->data,
                  X->rows, row);
    } else {
        auto kernel = keep_rows<float>;
        OF_LAUNCH(kernel, (unsigned)tiles, TILE, 0, stream, from, rows, first, (float *)X->data,
                  X->rows, row);
    }
    LAUNCHED("keep_rows");
    return OF_DEVICE_OK;
}

int of_gpu_embed(of_device_stack *X, size_t rows, const double *M, int unit, double *H)
{
    of_device *device = X->device;
    GPU_CALL(device);
    size_t most = of_gpu_piece_tiles(device, 2 * rows);
    double *there, *score, *out;
    GPU_TRY(of_gpu_matrix(device, M, rows * X->rows, &there));
    Piece p;
    GPU_TRY(first_piece(X, most, &p));
    for (;;) {
        GPU_TRY(next_piece(&p));
        if (!p.tiles)
            break;
        GPU_TRY(room(device, ROOM_SCORES, p.tiles * TILE * rows, &score));
        GPU_TRY(room(device, ROOM_STAGING, p.tiles * TILE * rows, &out));
        GPU_TRY(of_gpu_multiply(device, p.part, p.tiles, there, rows, score));
        OF_LAUNCH(hand_over, (unsigned)p.tiles, TILE, 0, device->stream, score, rows, p.count, unit,
                  out);
        LAUNCHED("hand_over");
        GPU_TRY(of_gpu_fetch(device, H + p.first * rows, out, p.count * rows * sizeof *H));
    }
    return OF_DEVICE_OK;
}

int of_gpu_label(of_device_stack *X, size_t mu, const double *CB, int32_t *labels)
{
    of_device *device = X->device;
    GPU_CALL(device);
    size_t most = of_gpu_piece_tiles(device, mu);
    double *there, *score;
    int32_t *found;
    GPU_TRY(of_gpu_matrix(device, CB, mu * X->rows, &there));
    GPU_TRY(labels ? room(device, ROOM_LABELS, X->samples, &found)
                   : of_gpu_labels_slot(X, 0, &found));
    Piece p;
    GPU_TRY(first_piece(X, most, &p));
    for (;;) {
        GPU_TRY(next_piece(&p));
        if (!p.tiles)
            break;
        GPU_TRY(room(device, ROOM_SCORES, p.tiles * TILE * mu, &score));
        GPU_TRY(of_gpu_multiply(device, p.part, p.tiles, there, mu, score));
        OF_LAUNCH(pick, (unsigned)p.tiles, TILE, 0, device->stream, score, mu, p.count,
                  found + p.first);
        LAUNCHED("pick");
    }
    if (!labels)
        return of_gpu_status(cudaStreamSynchronize(device->stream), "label");
    return of_gpu_fetch(device, labels, found, X->samples * sizeof *labels);
}

static int explain_piece(of_device_stack *X, const Piece &p, size_t views, size_t mu, const double *CW,
                         const double *beta, int32_t *own, double *sure)
{
    of_device *device = X->device;
    size_t k = X->rows / views;
    double *score, *sum;
    GPU_TRY(room(device, ROOM_SCORES, 2 * p.tiles * TILE * mu, &score));
    sum = score + p.tiles * TILE * mu;
    for (size_t i = 0; i < views; i++) {
        Blocked part = p.part;
        part.row = i * k;
        part.used = k;
        GPU_TRY(of_gpu_multiply(device, part, p.tiles, CW + i * mu * k, mu, score));
        OF_LAUNCH(hear_view, (unsigned)p.tiles, TILE, 0, device->stream, score, mu, p.count,
                  beta[i], i == 0, sum, own ? own + i * X->samples + p.first : NULL);
        LAUNCHED("hear_view");
    }
    OF_LAUNCH(be_sure, (unsigned)p.tiles, TILE, 0, device->stream, sum, mu, p.count,
              sure + p.first);
    LAUNCHED("be_sure");
    return OF_DEVICE_OK;
}

int of_gpu_explain(of_device_stack *X, size_t views, size_t mu, const double *CW,
                   const double *beta, int32_t *own, double *confidence)
{
    of_device *device = X->device;
    GPU_CALL(device);
    size_t most = of_gpu_piece_tiles(device, 2 * mu);
    double *there, *sure;
    int32_t *found = NULL;
    GPU_TRY(of_gpu_matrix(device, CW, mu * X->rows, &there));
    GPU_TRY(room(device, ROOM_DISTANCE, X->samples, &sure));
    if (own)
        GPU_TRY(room(device, ROOM_LABELS, X->samples * views, &found));
    Piece p;
    GPU_TRY(first_piece(X, most, &p));
    for (;;) {
        GPU_TRY(next_piece(&p));
        if (!p.tiles)
            break;
        GPU_TRY(explain_piece(X, p, views, mu, there, beta, found, sure));
    }
    if (own)
        GPU_TRY(of_gpu_fetch(device, own, found, X->samples * views * sizeof *own));
    if (confidence)
        GPU_TRY(of_gpu_fetch(device, confidence, sure, X->samples * sizeof *confidence));
    return of_gpu_status(cudaStreamSynchronize(device->stream), "explain");
}
