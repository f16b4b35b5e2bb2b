/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a library beside this one. */
#include "base/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* The folder of the library, or program, that holds this code. */
static int own_folder(char *path, size_t size)
{
    Dl_info own;
    if (!dladdr((void *)of_library_open, &own) || !own.dli_fname)
        return 0;
    const char *slash = strrchr(own.dli_fname, '/');
    return slash &&
           snprintf(path, size, "%.*s", (int)(slash - own.dli_fname), own.dli_fname) < (int)size;
}

void *of_library_open(const char *name)
{
    static const char *const beside[] = {"", "/../src", "/../lib"};
    char folder[PATH_MAX / 2], path[PATH_MAX];
    void *library = NULL;
    for (size_t i = 0; own_folder(folder, sizeof folder) && !library && i < 3; i++) {
        snprintf(path, sizeof path, "%s%s/%s", folder, beside[i], name);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library ? library : dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
