/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last pass of the landmark route: raw samples in, rows of the stack out (project_kernel.cuh).
 * Raw samples come in pieces through two areas, one of which is filled while the other is worked.
 */
#include "gpu/project_kernel.cuh"

#include <cstring>

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

/* Two numbers of a thread as a right matrix has them (tensor.cuh). */
static void split_pair(float a, float b, uint32_t *to)
{
    const float given[2] = {a, b};
    for (int e = 0; e < 2; e++) {
        uint32_t bits;
        float big, small;
        memcpy(&bits, &given[e], sizeof bits);
        to[e] = bits = big_of(bits);
        memcpy(&big, &bits, sizeof big);
        small = given[e] - big;
        memcpy(&bits, &small, sizeof bits);
        to[2 + e] = bits & 0xffffe000u;
    }
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
static void split_weights(const of_device_projection *told, size_t lpad, size_t tiles,
                          uint32_t *weight)
{
    size_t wide = told->rows + 1, l = told->landmarks.count;
    for (size_t f = 0; f < lpad / 8 * tiles; f++)
        for (size_t lane = 0; lane < 32; lane++) {
            size_t c = f / tiles * 8 + lane % 4 * 2, r = f % tiles * 8 + lane / 4;
            split_pair(c < l && r < wide ? (float)told->weight[r + c * wide] : 0.0f,
                       c + 1 < l && r < wide ? (float)told->weight[r + (c + 1) * wide] : 0.0f,
                       weight + f * RIGHT + lane * 4);
        }
}

/* One room for all that the kernel reads besides samples. */
static int send_landmarks(of_device_stack *X, const of_device_projection *told, Projection *p)
{
    size_t d = told->landmarks.columns, l = told->landmarks.count, lpad = p->lpad,
           steps = (d + COLUMNS - 1) / COLUMNS, at_words = 2 * lpad * steps * COLUMNS,
           weight_words = 2 * lpad * p->tiles * 8, kept = told->kept ? d : 0;
    std::vector<double> told_there(2 * d + (at_words + weight_words + 2 * lpad) / 2 + kept / 2 + 1,
                                   0.0);
    double *shift = told_there.data(), *factor = shift + d;
    /* what is read four words at a time lies at multiples of 16 bytes: 2 d doubles are */
    uint32_t *at = (uint32_t *)(factor + d), *weight = at + at_words;
    float *half = (float *)(weight + weight_words), *centre = half + lpad;
    for (size_t i = 0; i < d; i++) {
        shift[i] = told->shift ? told->shift[i] : 0;
        factor[i] = told->scale * (told->factor ? told->factor[i] : 1);
    }
    split_landmarks(&told->landmarks, lpad, steps, at);
    split_weights(told, lpad, p->tiles, weight);
    for (size_t j = 0; j < l; j++) {
        half[j] = (float)told->landmarks.half[j];
        centre[j] = (float)told->kbar[j];
    }
    if (kept)
        memcpy(centre + lpad, told->kept, kept * sizeof *told->kept);
    char *there;
    GPU_TRY(room(X->device, ROOM_PROJECT, told_there.size() * sizeof(double), &there));
    GPU_TRY(of_gpu_send(X->device, there, told_there.data(), told_there.size() * sizeof(double)));
    p->shift = (double *)there;
    p->factor = p->shift + d;
    p->at = (uint32_t *)(p->factor + d);
    p->weight = p->at + at_words;
    p->half = (float *)(p->weight + weight_words);
    p->centre = p->half + lpad;
    p->kept = kept ? (uint32_t *)(p->centre + lpad) : NULL;
    return OF_DEVICE_OK;
}

int of_gpu_project_begin(of_device_stack *X, const of_device_projection *told, size_t piece_bytes)
{
    of_device *device = X->device;
    GPU_CALL(device);
    Projection *p = &X->projection;
    size_t tiles = (told->rows + 1 + 7) / 8;
    if (tiles > MOST_TILES)
        return of_gpu_fail(OF_DEVICE_UNSUPPORTED, "%zu dimensions of a view are more than %d",
                           told->rows, MOST_TILES * 8 - 1);
    *p = Projection();
    p->told = *told;
    p->lpad = (told->landmarks.count + MARKS - 1) / MARKS * MARKS;
    p->tiles = tiles <= 3 ? 3 : tiles <= 6 ? 6 : MOST_TILES;
    p->arrival = Arrival{told->raw_columns, told->raw_double ? sizeof(double) : sizeof(float),
                         piece_bytes, told->sparse};
    GPU_TRY(send_landmarks(X, told, p));
    return of_gpu_arrive_begin(device, p->arrival, 0);
}

int of_gpu_project_staging(of_device_stack *X, int which, void **area)
{
    of_device *device = X->device;
    GPU_CALL(device);
    CUDA_TRY(cudaEventSynchronize(device->filled[which])); /* its last copy has left it */
    return of_gpu_pinned(device, which, X->projection.arrival.piece_bytes, area);
}

template <typename RAW, typename T, int W, int TILES>
static int launch(of_device_stack *X, const RAW *raw, size_t first, size_t count)
{
    const Projection *p = &X->projection;
    const size_t block = 128 * W;
    Given g = {p->told.raw_columns,
               p->told.landmarks.columns,
               p->lpad,
               p->told.rows,
               p->kept,
               p->shift,
               p->factor,
               p->at,
               p->weight,
               p->half,
               p->centre,
               p->told.mean};
    size_t bytes =
        (block * (ROW + 2) + 2 * MARKS * COLUMNS + 2 * MARKS * TILES * 8) * sizeof(float);
    auto kernel = project<RAW, T, W, TILES>;
    GPU_TRY(of_gpu_shared((const void *)kernel, bytes));
    T *out = (T *)X->data + (first / TILE * X->rows + p->told.row) * TILE;
    OF_LAUNCH(kernel, (unsigned)((count + block - 1) / block), THREADS, bytes, X->device->stream, g,
              raw, count, out, X->rows);
    LAUNCHED("project");
    return OF_DEVICE_OK;
}

template <typename RAW, typename T>
static int launch_for(of_device_stack *X, const RAW *raw, size_t first, size_t count)
{
    switch (X->projection.tiles) {
    case 3:
        return launch<RAW, T, 2, 3>(X, raw, first, count);
    case 6:
        return launch<RAW, T, 1, 6>(X, raw, first, count);
    default:
        return launch<RAW, T, 1, MOST_TILES>(X, raw, first, count);
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

int of_gpu_project_kept(of_device_stack *X, const void *from, size_t first, size_t count, int *done)
{
    of_device *device = X->device;
    GPU_CALL(device);
    const Projection *p = &X->projection;
    size_t bytes = count * p->arrival.columns * p->arrival.number;
    *done = 0;
    for (int i = 0; !p->arrival.sparse && i < MOST_KEPT && !*done; i++) {
        uintptr_t begin = (uintptr_t)device->kept[i].from, at = (uintptr_t)from;
        if (!device->kept[i].there || at < begin || at + bytes > begin + device->kept[i].bytes)
            continue;
        GPU_TRY(work_piece(X, device->kept[i].there + (at - begin), first, count));
        *done = 1;
    }
    return OF_DEVICE_OK;
}

int of_gpu_project_piece(of_device_stack *X, int which, size_t first, size_t count)
{
    GPU_CALL(X->device);
    void *raw = NULL;
    if (first % TILE)
        return of_gpu_fail(OF_DEVICE_FAULT, "a piece of %zu samples at %zu", count, first);
    GPU_TRY(of_gpu_arrive(X->device, X->projection.arrival, which, count, &raw));
    GPU_TRY(work_piece(X, raw, first, count));
    return of_gpu_arrive_end(X->device, which);
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
