/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the GPU library and opens a GPU. */
#include "base/device.h"

#include "base/comm.h"
#include "base/memory.h"
#include "base/team.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY                                                                                    \
    "libonefold-cuda.so.1" /* its SONAME, which packages install without the bare name */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const of_device_table *table; /* NULL: there is none, for this reason: */
static char reason[400];

/* The folder of the library, or program, that holds this code. */
static int own_folder(char *path, size_t size)
{
    Dl_info own;
    if (!dladdr((void *)of_device_for, &own) || !own.dli_fname)
        return 0;
    const char *slash = strrchr(own.dli_fname, '/');
    return slash &&
           snprintf(path, size, "%.*s", (int)(slash - own.dli_fname), own.dli_fname) < (int)size;
}

/* From ONEFOLD_CUDA_LIBRARY; else from beside this library, as built or installed; else from the
 * system's folders. */
static void *open_library(void)
{
    static const char *const beside[] = {"", "/../src", "/../lib"};
    char folder[PATH_MAX / 2], path[PATH_MAX];
    const char *named = secure_getenv("ONEFOLD_CUDA_LIBRARY");
    void *library = NULL;
    if (named && *named)
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; own_folder(folder, sizeof folder) && !library && i < 3; i++) {
        snprintf(path, sizeof path, "%s%s/" LIBRARY, folder, beside[i]);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library ? library : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static void load(void)
{
    void *library = open_library();
    if (!library) {
        const char *why = dlerror();
        snprintf(reason, sizeof reason, "the GPU library libonefold-cuda.so cannot be loaded: %s",
                 why ? why : "unknown reason");
        return;
    }
    const of_device_table *(*entry)(void);
    *(void **)&entry = dlsym(library, OF_DEVICE_ENTRY);
    const of_device_table *found = entry ? entry() : NULL;
    if (!found || found->abi != OF_DEVICE_ABI)
        snprintf(reason, sizeof reason, "libonefold-cuda.so is of another version of onefold");
    else
        table = found;
}

static const of_device_table *find_table(void)
{
    pthread_once(&once, load);
    return table;
}

/* The GPU of process `here` of a machine, whose processes take its GPUs in turn. */
static int device_of(const of_device_info *info, int here)
{
    return info->gpus > 0 ? here % info->gpus : 0;
}

/* ---- the driver, started beside other work --------------------------------------------------- */

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t starter;
static int starting; /* there is a thread to wait for */

static atomic_int own_number;

void of_device_number(int here)
{
    atomic_store(&own_number, here);
}

/* The first opening of a GPU takes the driver's start-up time, later ones do not. */
static void *start_driver(void *nothing)
{
    of_device_info info;
    of_device *device;
    if (find_table() && table->describe(0, &info) == OF_DEVICE_OK &&
        table->open(device_of(&info, atomic_load(&own_number)), &device) == OF_DEVICE_OK)
        table->close(device);
    return nothing;
}

void of_device_settle(void)
{
    pthread_mutex_lock(&start_lock);
    if (starting)
        pthread_join(starter, NULL);
    starting = 0;
    pthread_mutex_unlock(&start_lock);
}

void onefold_device_start(void)
{
    static int begun;
    pthread_mutex_lock(&start_lock);
    if (!begun) {
        begun = 1;
        starting = of_thread_start(&starter, start_driver, NULL) == 0;
        if (starting)
            atexit(of_device_settle); /* exiting while a driver starts crashes it */
    }
    pthread_mutex_unlock(&start_lock);
}

onefold_status of_device_status(const of_device_use *use, int code)
{
    switch (code) {
    case OF_DEVICE_OK:
        return ONEFOLD_OK;
    case OF_DEVICE_NO_MEMORY:
        return of_hint(of_fail(ONEFOLD_NO_MEMORY, "the GPU: %s", use->table->message()),
                       "use `precision` single, or the CPU: `device` cpu");
    case OF_DEVICE_UNSUPPORTED:
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "the GPU: %s", use->table->message()),
                       "use the CPU: `device` cpu");
    default:
        return of_hint(of_fail(ONEFOLD_FAULT, "the GPU failed: %s", use->table->message()),
                       "start again, or use the CPU: `device` cpu");
    }
}

const of_device_use *of_device_for(const of_context *context, size_t n)
{
    const of_device_use *use = context->device;
    return use && n >= use->least ? use : NULL;
}

/* "NVIDIA H200, 140 GB, driver for CUDA 13.0", or why there is none. */
const char *onefold_device_description(void)
{
    static _Thread_local char text[640];
    of_device_info info;
    char memory[32], several[32] = "";
    if (!find_table())
        snprintf(text, sizeof text, "none: %s", reason);
    else if (table->describe(0, &info) != OF_DEVICE_OK)
        snprintf(text, sizeof text, "none: %s", table->message());
    else {
        if (info.gpus > 1)
            snprintf(several, sizeof several, "%d GPUs, the first ", info.gpus);
        snprintf(text, sizeof text, "%s%s, %s, driver for CUDA %d.%d", several, info.name,
                 of_size_text(memory, info.memory), info.driver / 1000, info.driver % 1000 / 10);
    }
    return text;
}

void of_device_leave(of_context *context)
{
    if (context->device && context->device->device)
        context->device->table->close(context->device->device);
    free(context->device);
    context->device = NULL;
}

static onefold_status open_gpu(const of_context *context, of_device_use *made)
{
    of_device_settle();
    made->table = find_table();
    if (!made->table)
        return of_hint(of_fail(ONEFOLD_UNSUPPORTED, "%s", reason),
                       "build it with -DONEFOLD_WITH_CUDA=ON, or use the CPU: `device` cpu");
    int code = made->table->describe(0, &made->info), own = 0;
    if (code == OF_DEVICE_OK)
        own = device_of(&made->info, context->comm.here);
    if (code == OF_DEVICE_OK && own > 0) /* it may be of another kind */
        code = made->table->describe(own, &made->info);
    if (code == OF_DEVICE_OK)
        code = made->table->open(own, &made->device);
    if (code == OF_DEVICE_NONE)
        return of_hint(
            of_fail(ONEFOLD_UNSUPPORTED, "there is no GPU to use: %s", made->table->message()),
            "use the CPU: `device` cpu");
    return of_device_status(made, code);
}

onefold_status onefold_context_set_device(onefold_context *context, onefold_device device)
{
    if (!context)
        return of_fail(ONEFOLD_USAGE, "the device needs a context");
    if (device != ONEFOLD_DEVICE_CPU && device != ONEFOLD_DEVICE_GPU &&
        device != ONEFOLD_DEVICE_AUTO)
        return of_fail(ONEFOLD_USAGE, "%d is not a device", (int)device);
    if (device == ONEFOLD_DEVICE_CPU) {
        of_device_leave(context);
        return ONEFOLD_OK;
    }
    of_device_use *made = calloc(1, sizeof *made);
    if (!made)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no memory for a GPU");
    made->waits = device == ONEFOLD_DEVICE_AUTO;
    onefold_status status = made->waits ? ONEFOLD_OK : open_gpu(context, made);
    made->full = status == ONEFOLD_NO_MEMORY; /* another process uses it: the CPU does the work */
    status = made->full ? ONEFOLD_OK : status;
    made->least = made->waits || made->full ? SIZE_MAX : 0;
    if (status == ONEFOLD_OK) {
        of_device_leave(context);
        context->device = made;
    } else
        free(made);
    return status;
}

void of_device_consider(of_context *context, int wins)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    of_device_use *use = context->device;
    if (!of_device_waits(context))
        return;
    pthread_mutex_lock(&lock);
    if (wins && !use->device && open_gpu(context, use) != ONEFOLD_OK) {
        use->device = NULL;
        use->waits = 0; /* there is none: it is not tried again */
    }
    use->least = wins && use->device ? 0 : SIZE_MAX;
    pthread_mutex_unlock(&lock);
}

/* GPUs of several ranks: each works on the share of its rank, and results are added up in the order
 * of ranks. */

onefold_status of_device_alike(of_context *context, int *alike)
{
    char name[sizeof context->device->info.name] = "";
    int different;
    if (context->device && context->device->device)
        memcpy(name, context->device->info.name, sizeof name);
    OF_TRY(of_comm_compare(context, name, sizeof name, &different));
    *alike = !different;
    return ONEFOLD_OK;
}

onefold_status of_device_total(of_context *context, size_t n, onefold_status status, size_t count,
                               double *numbers)
{
    if (context->comm.size <= 1 || (status != ONEFOLD_OK && status != ONEFOLD_NO_MEMORY))
        return status;
    OF_SCRATCH(scratch, context);
    double *mine, *all; /* of each rank: its numbers, then 1 where its GPU was short of memory */
    count = of_comm_splits(context, n) ? count : 0;
    OF_TRY(OF_NEW_ZERO(&scratch, &mine, count + 1, 1));
    if (status == ONEFOLD_OK && count)
        memcpy(mine, numbers, count * sizeof *mine);
    mine[count] = status == ONEFOLD_NO_MEMORY;
    OF_TRY(of_comm_each(context, &scratch, mine, (count + 1) * sizeof *mine, (void **)&all));
    for (size_t r = 1; r < (size_t)context->comm.size; r++)
        for (size_t i = 0; i <= count; i++)
            all[i] += all[r * (count + 1) + i];
    if (all[count] == 0) {
        if (count)
            memcpy(numbers, all, count * sizeof *numbers);
        return ONEFOLD_OK;
    }
    if (context->device)
        context->device->all_short = 1;
    return status != ONEFOLD_OK ? status
                                : of_hint(of_fail(ONEFOLD_NO_MEMORY,
                                                  "the GPU of another rank has too little memory"),
                                          "use the CPU: `device` cpu");
}

int of_device_gave_up(of_context *context)
{
    int all = context->comm.size <= 1 || (context->device && context->device->all_short);
    if (context->device)
        context->device->all_short = 0;
    return all;
}

onefold_status of_device_count(of_context *context, size_t n, size_t *gpus)
{
    /* the first ranks of a machine have a GPU each; the others share these */
    double own = context->device && context->comm.here < context->device->info.gpus;
    OF_TRY(of_comm_total(context, n, 1, &own));
    *gpus = (size_t)own;
    return ONEFOLD_OK;
}
