/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU: opening it, its memory, copies to and from it, errors, and the table of functions. */
#include "gpu/device.cuh"

#include "base/number.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <thread>

std::mutex of_gpu_lock;
static thread_local char message[512] = "";

enum { PINNED_BYTES = 16 << 20, PAGEABLE_BYTES = 4 << 20, COPIERS = 8 };
static const size_t PIECE_BYTES = (size_t)512 << 20;

/* ---- errors --------------------------------------------------------------------------------- */

int of_gpu_fail(int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    of_number_print_list(message, sizeof message, format, arguments);
    va_end(arguments);
    return code;
}

static const char *last_message(void)
{
    return message;
}

int of_gpu_status(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return OF_DEVICE_OK;
    (void)cudaGetLastError(); /* or it comes back with the next launch */
    if (error == cudaErrorMemoryAllocation)
        return of_gpu_fail(OF_DEVICE_NO_MEMORY, "its memory is used up");
    if (error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ||
        error == cudaErrorDevicesUnavailable) /* another process has it for itself */
        return of_gpu_fail(OF_DEVICE_NONE, "%s", cudaGetErrorString(error));
    return of_gpu_fail(OF_DEVICE_FAULT, "%s (%.200s)", cudaGetErrorString(error), what);
}

int of_gpu_enter(of_device *device)
{
    return of_gpu_status(cudaSetDevice(device->index), "cudaSetDevice");
}

/* ---- opening -------------------------------------------------------------------------------- */

int of_gpu_describe(int index, of_device_info *info)
{
    std::lock_guard<std::mutex> held(of_gpu_lock);
    memset(info, 0, sizeof *info);
    cudaDeviceProp properties;
    CUDA_TRY(cudaGetDeviceCount(&info->gpus));
    if (index >= info->gpus)
        return of_gpu_fail(OF_DEVICE_NONE, "no GPU with the number %d was found", index);
    CUDA_TRY(cudaGetDeviceProperties(&properties, index));
    CUDA_TRY(cudaDriverGetVersion(&info->driver));
    snprintf(info->name, sizeof info->name, "%.95s", properties.name);
    info->memory = properties.totalGlobalMem;
    return OF_DEVICE_OK;
}

static void give_back(of_device *device)
{
    for (int i = 0; i < ROOMS; i++)
        of_gpu_release(device, device->room[i]);
    for (int i = 0; i < 2; i++) {
        cudaFreeHost(device->pinned[i]);
        for (cudaEvent_t *events : {device->filled, device->worked})
            if (events[i])
                cudaEventDestroy(events[i]);
    }
    if (device->stream)
        cudaStreamDestroy(device->stream);
    if (device->copy)
        cudaStreamDestroy(device->copy);
    free(device);
}

static int make_streams(of_device *device)
{
    CUDA_TRY(cudaSetDevice(device->index));
    CUDA_TRY(cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
    CUDA_TRY(cudaStreamCreateWithFlags(&device->copy, cudaStreamNonBlocking));
    for (cudaEvent_t *events : {device->filled, device->worked})
        for (int i = 0; i < 2; i++)
            CUDA_TRY(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
    return OF_DEVICE_OK;
}

/* ONEFOLD_GPU_MEMORY: bytes, or a number with K, M or G; 0: no limit. */
static size_t memory_limit()
{
    const char *text = getenv("ONEFOLD_GPU_MEMORY");
    double number = 0;
    const char *end = text ? of_number_read(text, text + strlen(text), '.', &number) : NULL;
    int power = !text || !*end ? 0 : *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    return number > 0 && number < 1e15 ? (size_t)(number * (double)((size_t)1 << power)) : 0;
}

int of_gpu_open(int index, of_device **out)
{
    std::lock_guard<std::mutex> held(of_gpu_lock);
    of_device *device = (of_device *)calloc(1, sizeof *device);
    if (!device)
        return of_gpu_fail(OF_DEVICE_NO_MEMORY, "the host's memory is used up");
    device->index = index;
    device->limit = memory_limit();
    int code = make_streams(device);
    if (code != OF_DEVICE_OK)
        give_back(device);
    else
        *out = device;
    return code;
}

void of_gpu_close(of_device *device)
{
    std::lock_guard<std::mutex> held(of_gpu_lock);
    if (cudaSetDevice(device->index) == cudaSuccess)
        cudaDeviceSynchronize();
    give_back(device);
}

void of_gpu_set_piece(of_device *device, size_t bytes)
{
    device->piece = bytes;
}

size_t of_gpu_piece_bytes(const of_device *device, size_t usual)
{
    if (device->piece)
        return device->piece;
    return device->limit && device->limit / 16 < usual ? device->limit / 16 : usual;
}

size_t of_gpu_piece_tiles(const of_device *device, size_t rows)
{
    size_t tiles =
        of_gpu_piece_bytes(device, PIECE_BYTES) / sizeof(double) / TILE / (rows ? rows : 1);
    return tiles ? tiles : 1;
}

/* ---- memory --------------------------------------------------------------------------------- */

static std::map<void *, size_t> allocated; /* of all GPUs, under the lock */

int of_gpu_allocate(of_device *device, void **at, size_t bytes)
{
    cudaError_t error = cudaErrorMemoryAllocation;
    *at = NULL;
    if (!device->limit || bytes <= device->limit - device->held)
        error = cudaMalloc(at, bytes ? bytes : 1);
    int code = of_gpu_status(error, "memory");
    if (code == OF_DEVICE_NO_MEMORY)
        return of_gpu_fail(code, "it has no %zu MB free", (bytes >> 20) + 1);
    GPU_TRY(code);
    try {
        allocated[*at] = bytes;
    } catch (const std::bad_alloc &) {
        cudaFree(*at);
        *at = NULL;
        return of_gpu_fail(OF_DEVICE_NO_MEMORY, "the host's memory is used up");
    }
    device->held += bytes;
    return OF_DEVICE_OK;
}

void of_gpu_release(of_device *device, void *at)
{
    auto found = allocated.find(at);
    if (found == allocated.end())
        return;
    device->held -= found->second;
    allocated.erase(found);
    cudaFree(at);
}

int of_gpu_left(of_device *device, size_t *bytes)
{
    size_t all;
    CUDA_TRY(cudaMemGetInfo(bytes, &all));
    if (device->limit && *bytes > device->limit - device->held)
        *bytes = device->limit - device->held;
    return OF_DEVICE_OK;
}

int of_gpu_room(of_device *device, Room which, size_t bytes, void **out)
{
    if (device->bytes[which] < bytes) {
        CUDA_TRY(cudaDeviceSynchronize());
        of_gpu_release(device, device->room[which]);
        device->room[which] = NULL;
        device->bytes[which] = 0;
        GPU_TRY(of_gpu_allocate(device, &device->room[which], bytes));
        device->bytes[which] = bytes;
    }
    *out = device->room[which];
    return OF_DEVICE_OK;
}

int of_gpu_shared(const void *kernel, size_t bytes)
{
    int most = 0, device = 0;
    CUDA_TRY(cudaGetDevice(&device));
    CUDA_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (bytes > (size_t)most)
        return of_gpu_fail(OF_DEVICE_UNSUPPORTED, "its shared memory is too small");
    if (bytes > (48 << 10))
        CUDA_TRY(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return OF_DEVICE_OK;
}

/* ---- copies --------------------------------------------------------------------------------- */

int of_gpu_pinned(of_device *device, int which, size_t bytes, void **out)
{
    if (device->pinned_bytes[which] < bytes) {
        CUDA_TRY(cudaDeviceSynchronize());
        CUDA_TRY(cudaFreeHost(device->pinned[which]));
        device->pinned[which] = NULL;
        device->pinned_bytes[which] = 0;
        CUDA_TRY(cudaMallocHost(&device->pinned[which], bytes));
        device->pinned_bytes[which] = bytes;
    }
    *out = device->pinned[which];
    return OF_DEVICE_OK;
}

/* The first touch of a page takes longer than a copy. */
static void copy_by_several(void *to, const void *from, size_t bytes)
{
    std::vector<std::thread> threads;
    size_t share = (bytes / COPIERS + 4096) / 4096 * 4096;
    for (size_t at = share; at < bytes; at += share)
        threads.emplace_back(memcpy, (char *)to + at, (const char *)from + at,
                             bytes - at < share ? bytes - at : share);
    memcpy(to, from, bytes < share ? bytes : share);
    for (std::thread &thread : threads)
        thread.join();
}

/* Waits for the stream first. Large copies go through pinned memory: the driver copies pageable
 * memory with one thread. */
static int copy(of_device *device, void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    if (bytes <= PAGEABLE_BYTES) {
        CUDA_TRY(cudaMemcpyAsync(to, from, bytes, kind, device->stream));
        return of_gpu_status(cudaStreamSynchronize(device->stream), "copy");
    }
    void *area;
    int in = kind == cudaMemcpyHostToDevice;
    GPU_TRY(of_gpu_pinned(device, 0, PINNED_BYTES, &area));
    CUDA_TRY(cudaDeviceSynchronize()); /* the area may hold a piece of samples */
    for (size_t at = 0; at < bytes; at += PINNED_BYTES) {
        size_t length = bytes - at < PINNED_BYTES ? bytes - at : PINNED_BYTES;
        char *there = (char *)to + at;
        const char *here = (const char *)from + at;
        if (in)
            copy_by_several(area, here, length);
        CUDA_TRY(cudaMemcpyAsync(in ? there : area, in ? area : here, length, kind,
                                 device->stream));
        CUDA_TRY(cudaStreamSynchronize(device->stream));
        if (!in)
            copy_by_several(there, area, length);
    }
    return OF_DEVICE_OK;
}

int of_gpu_send(of_device *device, void *to, const void *from, size_t bytes)
{
    return copy(device, to, from, bytes, cudaMemcpyHostToDevice);
}

int of_gpu_fetch(of_device *device, void *to, const void *from, size_t bytes)
{
    return copy(device, to, from, bytes, cudaMemcpyDeviceToHost);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* A function of the table as C calls it: an exception, for lack of host memory or of a thread,
 * becomes a code. */
template <auto run> struct guarded;
template <typename R, typename... A, R (*run)(A...)> struct guarded<run> {
    static R call(A... arguments)
    {
        try {
            return run(arguments...);
        } catch (const std::bad_alloc &) {
            return (R)of_gpu_fail(OF_DEVICE_NO_MEMORY, "the host's memory is used up");
        } catch (...) {
            return (R)of_gpu_fail(OF_DEVICE_FAULT, "the host could not do its part");
        }
    }
};

static of_device_table make_table()
{
    of_device_table table = {};
    table.abi = OF_DEVICE_ABI;
    table.message = last_message;
#define SET(name) table.name = guarded<of_gpu_##name>::call;
    OF_GPU_TABLE(SET)
    return table;
}

extern "C" __attribute__((visibility("default"))) const of_device_table *onefold_device_table(void)
{
    static const of_device_table table = make_table();
    return &table;
}
