/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/windows.cuh"

size_t of_gpu_window_bytes(const of_device *device)
{
    return of_gpu_piece_bytes(device, (size_t)256 << 20);
}

Windows of_gpu_windows(of_device_stack *X, size_t step)
{
    size_t all = tiles_of(X->samples), whole = X->here == all ? all : X->here / step * step,
           most = of_gpu_window_bytes(X->device) / tile_bytes(X) / step;
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

int of_gpu_next_window(Windows *w)
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
