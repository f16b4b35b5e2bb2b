/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack that the GPU has no room for streams: its first tiles lie on the GPU, the others in
 * memory of the host, and work over all samples goes from window to window, the next of which is
 * copied to the GPU while the present one is worked. A stack that fits is one window. Windows end
 * where a chunk of a sum ends, so that no bit depends on them.
 */
#ifndef OF_GPU_WINDOWS_CUH
#define OF_GPU_WINDOWS_CUH

#include "gpu/device.cuh"

struct Windows {
    of_device_stack *X;
    size_t whole, most, all; /* tiles of the first window, of others, and of the stack */
    size_t tile, tiles;      /* the present one; tiles is 0 after the last */
    const char *data;        /* its first tile, on the GPU */
    int which;               /* the room it lies in; -1: the stack's own memory */
    size_t asked;            /* tiles before this one have been sent for */
};

/* Windows of X whose ends are multiples of `step` tiles. */
Windows of_gpu_windows(of_device_stack *X, size_t step);
/* To the first or the next, for what is launched on the stream until the call that follows. */
int of_gpu_next_window(Windows *windows);

static inline size_t tile_bytes(const of_device_stack *X)
{
    return X->rows * TILE * (X->doubles ? sizeof(double) : sizeof(float));
}

/* Bytes of a window at the most, unless one chunk takes more. */
size_t of_gpu_window_bytes(const of_device *device);

/* A window, or a part of it. */
struct Piece {
    size_t tile, tiles, first, count; /* and the samples in it */
    Blocked part;
};

/* work(piece) of all samples, in pieces of at most `most` tiles whose ends are multiples of `step`.
 */
template <typename F> int each_piece(of_device_stack *X, size_t step, size_t most, F work)
{
    Windows w = of_gpu_windows(X, step);
    most = most > step ? most / step * step : step;
    for (;;) {
        GPU_TRY(of_gpu_next_window(&w));
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

#endif
