/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks on the GPU: made, filled from the host or from others, read back, and gone through. */
#include "gpu/device.cuh"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

/* ---- kernels -------------------------------------------------------------------------------- */

/* Thread t of a block has numbers t, t + 128, ... of its 128 samples as they lie on the host. */
template <typename S, typename T>
__global__ void pack(const S *from, size_t ld, size_t count, size_t first, size_t row, size_t rows,
                     T *to, size_t to_rows)
{
    size_t begin = (size_t)blockIdx.x * TILE;
    for (size_t e = threadIdx.x; e < rows * TILE; e += blockDim.x) {
        size_t j = begin + e / rows, i = e % rows, at = first + j;
        if (j < count)
            to[((at / TILE) * to_rows + row + i) * TILE + at % TILE] = (T)from[j * ld + i];
    }
}

/* Samples place[0 ..] (NULL: first ..) as doubles, rows x count packed. */
template <typename T>
__global__ void unpack(const T *from, size_t rows, size_t first, const unsigned long long *place,
                       size_t count, double *to)
{
    size_t begin = (size_t)blockIdx.x * TILE;
    for (size_t e = threadIdx.x; e < rows * TILE; e += blockDim.x) {
        size_t j = begin + e / rows, i = e % rows;
        if (j < count) {
            size_t at = place ? (size_t)place[j] : first + j;
            to[j * rows + i] = (double)from[((at / TILE) * rows + i) * TILE + at % TILE];
        }
    }
}

/* A block has 128 samples of `to`, whose first lies at a tile's start or within it. */
template <typename T>
__global__ void spread(T *to, size_t to_rows, size_t row, size_t first, size_t count, const T *from,
                       size_t rows, const unsigned long long *place, const double *scale)
{
    size_t j = (size_t)blockIdx.x * TILE + threadIdx.x, at = first + j;
    if (j >= count)
        return;
    double times = scale[j];
    const T *own = from + (place[j] / TILE * rows) * TILE + place[j] % TILE;
    T *out = to + (at / TILE * to_rows + row) * TILE + at % TILE;
    for (size_t r = 0; r < rows; r++)
        out[r * TILE] = times == 0 ? (T)0 : (T)(times * (double)own[r * TILE]);
}

static_assert(sizeof(size_t) == sizeof(unsigned long long), "places are sent as they lie");

/* ---- making --------------------------------------------------------------------------------- */

/* Under the lock. */
static void give_back(of_device_stack *stack)
{
    for (int32_t *labels : *stack->labels)
        of_gpu_release(stack->device, labels);
    of_gpu_release(stack->device, stack->data);
    of_gpu_release(stack->device, stack->features.all);
    cudaFreeHost(stack->home);
    delete stack->labels;
    delete stack;
}

/* With its first `here` tiles on the GPU, and the others on the host. */
static int make(of_device *device, size_t rows, size_t samples, int doubles, size_t here,
                of_device_stack **out)
{
    std::unique_ptr<std::vector<int32_t *>> labels(new std::vector<int32_t *>());
    of_device_stack *stack = new of_device_stack();
    stack->device = device;
    stack->rows = rows;
    stack->samples = samples;
    stack->doubles = doubles;
    stack->labels = labels.release();
    stack->here = here;
    size_t bytes = here * tile_bytes(stack), rest = (tiles_of(samples) - here) * tile_bytes(stack);
    int code = of_gpu_allocate(device, &stack->data, bytes);
    if (code == OF_DEVICE_OK)
        code = of_gpu_status(cudaMemsetAsync(stack->data, 0, bytes, device->stream), "stack");
    if (code == OF_DEVICE_OK && rest)
        code = of_gpu_status(cudaMallocHost((void **)&stack->home, rest), "memory of the host");
    if (code != OF_DEVICE_OK) {
        give_back(stack);
        return code;
    }
    if (rest)
        of_gpu_by_several(
            rest, [=](size_t at, size_t length) { memset(stack->home + at, 0, length); });
    *out = stack;
    return OF_DEVICE_OK;
}

/* Bytes of a window (below) at the most, unless one chunk takes more. */
static size_t window_bytes(const of_device *device)
{
    return of_gpu_piece_bytes(device, (size_t)256 << 20);
}

/* What is worked with a stack takes room as well: up to 1.5 GB, or a quarter of what there is, and
 * for each sample labels, views' own labels and how sure they are. */
int of_gpu_stack_make(of_device *device, size_t rows, size_t samples, int doubles, size_t spare,
                      of_device_stack **out, int *streams)
{
    GPU_CALL(device);
    const size_t most = (size_t)1536 << 20, each = 32, tiles = tiles_of(samples),
                 bytes = rows * TILE * (doubles ? sizeof(double) : sizeof(float));
    size_t left, taken, here;
    if (!streams)
        return make(device, rows, samples, doubles, tiles, out);
    GPU_TRY(of_gpu_left(device, &left));
    taken = (left / 4 < most ? left / 4 : most) + samples * each;
    here = taken < left ? (left - taken) / bytes : 0;
    *streams = here < tiles;
    if (*streams) {
        size_t others = (2 * window_bytes(device) + spare) / bytes + 1;
        here = here > others ? here - others : 0;
    }
    return make(device, rows, samples, doubles, *streams ? here : tiles, out);
}

void of_gpu_stack_free(of_device_stack *stack)
{
    std::lock_guard<std::mutex> held(of_gpu_lock);
    if (cudaSetDevice(stack->device->index) == cudaSuccess)
        cudaDeviceSynchronize();
    give_back(stack);
}

/* ---- to the GPU ----------------------------------------------------------------------------- */

int of_gpu_pack(of_device *device, const void *from, size_t ld, int floats, size_t count,
                size_t first, size_t row, size_t rows, void *to, size_t to_rows, int doubles)
{
    if (!count || !rows)
        return OF_DEVICE_OK;
    return by_type(!floats, [&](auto given) {
        return by_type(doubles, [&](auto number) {
            typedef decltype(given) S;
            typedef decltype(number) T;
            auto kernel = pack<S, T>;
            OF_LAUNCH(kernel, (unsigned)tiles_of(count), TILE, 0, device->stream, (const S *)from,
                      ld, count, first, row, rows, (T *)to, to_rows);
            return launched("pack");
        });
    });
}

/* The tiles of the host are filled by the host. */
static int store_home(of_device_stack *stack, size_t row, size_t rows, size_t first, size_t count,
                      const void *from, size_t ld, int floats)
{
    return by_type(!floats, [&](auto given) {
        return by_type(stack->doubles, [&](auto number) {
            const decltype(given) *own = (const decltype(given) *)from;
            decltype(number) *home = (decltype(number) *)stack->home;
            for (size_t j = 0, at = first - stack->here * TILE; j < count; j++, at++)
                for (size_t i = 0; i < rows; i++)
                    home[((at / TILE) * stack->rows + row + i) * TILE + at % TILE] =
                        (decltype(number))own[j * ld + i];
            return (int)OF_DEVICE_OK;
        });
    });
}

/* How many of samples first .. first + count - 1 lie on the GPU. */
static size_t count_here(const of_device_stack *stack, size_t first, size_t count)
{
    size_t here = stack->here * TILE;
    return here <= first ? 0 : here - first < count ? here - first : count;
}

int of_gpu_stack_store(of_device_stack *stack, size_t row, size_t rows, size_t first, size_t all,
                       const void *from, size_t ld, int floats)
{
    of_device *device = stack->device;
    GPU_CALL(device);
    size_t count = count_here(stack, first, all);
    size_t size = floats ? sizeof(float) : sizeof(double),
           most = of_gpu_piece_tiles(device, ld) * TILE;
    if (count < all)
        GPU_TRY(store_home(stack, row, rows, first + count, all - count,
                           (const char *)from + count * ld * size, ld, floats));
    for (size_t at = 0; at < count; at += most) {
        size_t length = count - at < most ? count - at : most,
               bytes = ((length - 1) * ld + rows) * size;
        char *staging;
        GPU_TRY(room(device, ROOM_STAGING, bytes, &staging));
        CUDA_TRY(cudaStreamSynchronize(device->stream));
        GPU_TRY(of_gpu_send(device, staging, (const char *)from + at * ld * size, bytes));
        GPU_TRY(of_gpu_pack(device, staging, ld, floats, length, first + at, row, rows, stack->data,
                            stack->rows, stack->doubles));
    }
    return of_gpu_status(cudaStreamSynchronize(device->stream), "store");
}

/* ---- and back ------------------------------------------------------------------------------- */

/* One sample that the host has, as doubles. */
static void copy_home(const of_device_stack *stack, size_t sample, double *to)
{
    size_t at = sample - stack->here * TILE, from = at / TILE * stack->rows * TILE + at % TILE;
    for (size_t i = 0; i < stack->rows; i++, from += TILE)
        to[i] = stack->doubles ? ((const double *)stack->home)[from]
                               : (double)((const float *)stack->home)[from];
}

int of_gpu_stack_fetch(of_device_stack *stack, size_t first, const size_t *place, size_t all,
                       double *to)
{
    of_device *device = stack->device;
    GPU_CALL(device);
    size_t rows = stack->rows, here = stack->here * TILE,
           count = count_here(stack, first, all);
    if (place)
        count = std::find_if(place, place + all, [=](size_t at) { return at >= here; }) - place;
    for (size_t j = count; j < all; j++) {
        if (place && place[j] < here)
            return of_gpu_fail(OF_DEVICE_FAULT, "samples that are asked for are not in order");
        copy_home(stack, place ? place[j] : first + j, to + j * rows);
    }
    if (!count)
        return OF_DEVICE_OK;
    double *staging;
    unsigned long long *there = NULL;
    GPU_TRY(room(device, ROOM_STAGING, count * rows, &staging));
    if (place) {
        GPU_TRY(room(device, ROOM_SMALL, count, &there));
        GPU_TRY(of_gpu_send(device, there, place, count * sizeof *there));
    }
    GPU_TRY(by_type(stack->doubles, [&](auto number) {
        typedef decltype(number) T;
        OF_LAUNCH(unpack<T>, (unsigned)tiles_of(count), TILE, 0, device->stream,
                  (const T *)stack->data, rows, first, there, count, staging);
        return launched("unpack");
    }));
    return of_gpu_fetch(device, to, staging, count * rows * sizeof *to);
}

/* ---- from stack to stack -------------------------------------------------------------------- */

int of_gpu_stack_rows(of_device_stack *to, size_t row, of_device_stack *from)
{
    GPU_CALL(to->device);
    if (to->samples != from->samples || to->doubles != from->doubles || from->home ||
        row + from->rows > to->rows)
        return of_gpu_fail(OF_DEVICE_FAULT, "%zu rows of %zu samples into %zu", from->rows,
                           from->samples, to->samples);
    size_t part = row * (tile_bytes(to) / to->rows), width = tile_bytes(from),
           pitch = tile_bytes(to), tiles = tiles_of(to->samples), here = to->here;
    CUDA_TRY(cudaStreamSynchronize(to->device->stream));
    if (here)
        CUDA_TRY(cudaMemcpy2D((char *)to->data + part, pitch, from->data, width, width, here,
                              cudaMemcpyDeviceToDevice));
    if (here < tiles)
        CUDA_TRY(cudaMemcpy2D(to->home + part, pitch, (char *)from->data + here * width, width,
                              width, tiles - here, cudaMemcpyDeviceToHost));
    return of_gpu_status(cudaDeviceSynchronize(), "rows");
}

/* Places and scales of some samples to the GPU. */
static int send_places(of_device *device, size_t count, const size_t *place, const double *scale,
                       unsigned long long **places, double **scales)
{
    double *staging;
    GPU_TRY(room(device, ROOM_STAGING, 2 * count, &staging));
    CUDA_TRY(cudaStreamSynchronize(device->stream));
    *places = (unsigned long long *)staging;
    *scales = staging + count;
    GPU_TRY(of_gpu_send(device, *places, place, count * sizeof *place));
    return of_gpu_send(device, *scales, scale, count * sizeof *scale);
}

int of_gpu_stack_spread(of_device_stack *to, size_t row, size_t first, size_t count,
                        of_device_stack *from, const size_t *place, const double *scale)
{
    of_device *device = to->device;
    GPU_CALL(device);
    if (to->doubles != from->doubles || row + from->rows > to->rows || first + count > to->samples)
        return of_gpu_fail(OF_DEVICE_FAULT, "samples %zu to %zu of %zu", first, first + count,
                           to->samples);
    size_t most = of_gpu_piece_tiles(device, 2) * TILE;
    for (size_t done = 0; done < count; done += most) {
        size_t length = count - done < most ? count - done : most;
        unsigned long long *places;
        double *scales;
        GPU_TRY(send_places(device, length, place + done, scale + done, &places, &scales));
        GPU_TRY(by_type(to->doubles, [&](auto number) {
            typedef decltype(number) T;
            OF_LAUNCH(spread<T>, (unsigned)tiles_of(length), TILE, 0, device->stream, (T *)to->data,
                      to->rows, row, first + done, length, (const T *)from->data, from->rows,
                      places, scales);
            return launched("spread");
        }));
    }
    return of_gpu_status(cudaStreamSynchronize(device->stream), "spread");
}

/* ---- windows -------------------------------------------------------------------------------- */

/*
 * A stack that the GPU has no room for streams: its first tiles lie on the GPU, the others in
 * memory of the host, and work over all samples goes from window to window, the next of which is
 * copied to the GPU while the present one is worked. A stack that fits is one window. Windows end
 * where a chunk of a sum ends, so that no bit depends on them.
 */
struct Windows {
    of_device_stack *X;
    size_t whole, most, all; /* tiles of the first window, of others, and of the stack */
    size_t tile, tiles;      /* the present one; tiles is 0 after the last */
    const char *data;        /* its first tile, on the GPU */
    int which;               /* the room it lies in; -1: the stack's own memory */
    size_t asked;            /* tiles before this one have been sent for */
};

/* Windows of X whose ends are multiples of `step` tiles. */
static Windows make_windows(of_device_stack *X, size_t step)
{
    size_t all = tiles_of(X->samples), whole = X->here == all ? all : X->here / step * step,
           most = window_bytes(X->device) / tile_bytes(X) / step;
    return Windows{X, whole, (most ? most : 1) * step, all, 0, 0, NULL, -1, whole};
}

static int room_of(const Windows *w, size_t tile)
{
    return (int)((tile - w->whole) / w->most % 2);
}

/* Sends for the window at w->asked, into the room that the last but one has left. */
static int ask(Windows *w)
{
    of_device *device = w->X->device;
    size_t at = w->asked, bytes = tile_bytes(w->X),
           end = at + w->most < w->all ? at + w->most : w->all,
           here = w->X->here < at    ? at
                  : w->X->here < end ? w->X->here
                                     : end;
    int which = room_of(w, at);
    char *to;
    GPU_TRY(room(device, which ? ROOM_WINDOW1 : ROOM_WINDOW0, w->most * bytes, &to));
    CUDA_TRY(cudaStreamWaitEvent(device->copy, device->left[which], 0));
    if (here > at)
        CUDA_TRY(cudaMemcpyAsync(to, (const char *)w->X->data + at * bytes, (here - at) * bytes,
                                 cudaMemcpyDeviceToDevice, device->copy));
    if (end > here)
        CUDA_TRY(cudaMemcpyAsync(to + (here - at) * bytes, w->X->home + (here - w->X->here) * bytes,
                                 (end - here) * bytes, cudaMemcpyHostToDevice, device->copy));
    w->asked = end;
    return of_gpu_status(cudaEventRecord(device->arrived[which], device->copy), "window");
}

/* To the first or the next, for what is launched on the stream until the call that follows. */
static int go_on(Windows *w)
{
    of_device *device = w->X->device;
    size_t at = w->tile + w->tiles;
    if (w->which >= 0) /* what works it has been launched */
        CUDA_TRY(cudaEventRecord(device->left[w->which], device->stream));
    w->tile = at;
    w->which = -1;
    w->tiles = 0;
    if (at >= w->all)
        return OF_DEVICE_OK;
    if (at < w->whole) {
        w->tiles = w->whole - at;
        w->data = (const char *)w->X->data + at * tile_bytes(w->X);
    } else {
        if (w->asked == at)
            GPU_TRY(ask(w));
        w->tiles = w->asked - at;
        w->which = room_of(w, at);
        w->data = (const char *)device->room[w->which ? ROOM_WINDOW1 : ROOM_WINDOW0];
        CUDA_TRY(cudaStreamWaitEvent(device->stream, device->arrived[w->which], 0));
    }
    return w->asked < w->all ? ask(w) : OF_DEVICE_OK;
}

int of_gpu_each_piece(of_device_stack *X, size_t step, size_t most,
                      const std::function<int(const Piece &)> &work)
{
    Windows w = make_windows(X, step);
    most = most > step ? most / step * step : step;
    for (;;) {
        GPU_TRY(go_on(&w));
        if (!w.tiles)
            return OF_DEVICE_OK;
        for (size_t done = 0; done < w.tiles; done += most) {
            Piece p = {w.tile + done, w.tiles - done < most ? w.tiles - done : most, 0, 0,
                       blocked(X)};
            p.first = p.tile * TILE;
            p.count = X->samples - p.first < p.tiles * TILE ? X->samples - p.first : p.tiles * TILE;
            p.part.data = w.data + done * tile_bytes(X);
            GPU_TRY(work(p));
        }
    }
}
