/* SPDX-License-Identifier: Apache-2.0 */
/* Walking through the project's own files. */
#include "support/house.h"

#include "support/check.h"
#include "support/folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int house_problems;

int house_ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), size = strlen(ending);
    return length >= size && strcmp(name + length - size, ending) == 0;
}

int house_is_source(const char *name)
{
    return house_ends_in(name, ".c") || house_ends_in(name, ".h");
}

int house_is_ours(const char *name)
{
    static const char *const endings[] = {".c",        ".h",   ".py",           ".sh",
                                          ".cmake",    ".js",  ".ts",           ".mjs",
                                          ".cmake.in", ".map", "CMakeLists.txt"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (house_ends_in(name, endings[i]))
            return 1;
    return 0;
}

size_t house_walk(const char *folder, int (*wanted)(const char *name), house_visit see)
{
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", OF_TEST_SOURCE, folder);
    DIR *directory = opendir(full);
    size_t seen = 0;
    if (!directory)
        return 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "node_modules") == 0)
            continue;
        char path[2048];
        struct stat about;
        snprintf(path, sizeof path, "%.1000s/%.1000s", folder, entry->d_name);
        snprintf(full, sizeof full, "%s/%s", OF_TEST_SOURCE, path);
        if (stat(full, &about) != 0)
            continue;
        if (S_ISDIR(about.st_mode)) {
            seen += house_walk(path, wanted, see);
        } else if (wanted(entry->d_name)) {
            char *text = folder_read(full, NULL);
            see(path, text);
            free(text);
            seen++;
        }
    }
    closedir(directory);
    return seen;
}
