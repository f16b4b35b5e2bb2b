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
int of_gpu_windows(of_device_stack *X, size_t step, Windows *windows);
/* To the first or the next, for what is launched on the stream until the call that follows. */
int of_gpu_next_window(Windows *windows);

static inline size_t tile_bytes(const of_device_stack *X)
{
    return X->rows * TILE * (X->doubles ? sizeof(double) : sizeof(float));
}

/* The present window as a matrix. */
static inline Blocked window_of(const Windows &w)
{
    return Blocked{w.data, w.X->rows, 0, w.X->rows, w.X->doubles};
}

/* Bytes of a window at the most, unless one chunk takes more. */
size_t of_gpu_window_bytes(const of_device *device);

#endif
