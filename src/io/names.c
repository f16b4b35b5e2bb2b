/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a variable says about it. Case and punctuation do not count. */
#include "io/find.h"

#include <ctype.h>
#include <string.h>

enum { LONGEST = 64 };

/* Letters and digits only, in lower case. */
static void plain(const char *name, char text[LONGEST])
{
    size_t length = 0;
    for (; *name && length < LONGEST - 1; name++)
        if (isalnum((unsigned char)*name))
            text[length++] = (char)tolower((unsigned char)*name);
    text[length] = '\0';
}

static int is_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(text, *list) == 0)
            return 1;
    return 0;
}

static int holds_one_of(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strstr(text, *list))
            return 1;
    return 0;
}

int of_name_of_labels(const char *name)
{
    static const char *const usual[] = {
        "y",      "gt",      "gnd",         "truth",  "truelabel", "truelabels",  "label",
        "labels", "truey",   "groundtruth", "class",  "classes",   "target",      "targets",
        "ytrue",  "truelab", "classlabel",  "labely", "lab",       "classlabels", NULL};
    static const char *const words[] = {"label", "truth",    "gnd",    "celltype", "types",
                                        "class", "clusters", "target", NULL};
    char text[LONGEST];
    plain(name, text);
    if (is_one_of(text, usual))
        return 2;
    return holds_one_of(text, words);
}

int of_name_of_views(const char *name)
{
    static const char *const usual[] = {"x",     "data",  "fea",      "feas",    "feat",
                                        "feats", "views", "features", "feature", "view",
                                        "xs",    "k",     "kh",       "kernels", NULL};
    char text[LONGEST];
    plain(name, text);
    return is_one_of(text, usual);
}

int of_name_of_kernels(const char *name)
{
    static const char *const usual[] = {"k", "kh", "ks", "km", "kmat", "kmatrix", "kall", NULL};
    char text[LONGEST];
    plain(name, text);
    for (char *c = text + strlen(text); c > text && isdigit((unsigned char)c[-1]);)
        *--c = '\0';
    return is_one_of(text, usual) || strstr(text, "kernel") != NULL;
}

int of_name_of_decoy(const char *name)
{
    static const char *const words[] = {"index",  "idx",   "indic", "perm",   "split",
                                        "fold",   "train", "test",  "mask",   "miss",
                                        "status", "param", "order", "anchor", NULL};
    char text[LONGEST];
    plain(name, text);
    return holds_one_of(text, words);
}

int of_name_number(const char *name, char *pattern, size_t *number)
{
    size_t end = strlen(name);
    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    size_t first = end;
    while (first > 0 && isdigit((unsigned char)name[first - 1]))
        first--;
    if (first == end || end - first > 9)
        return 0;
    *number = 0;
    for (size_t i = first; i < end; i++)
        *number = *number * 10 + (size_t)(name[i] - '0');
    memcpy(pattern, name, first);
    pattern[first] = '#';
    strcpy(pattern + first + 1, name + end);
    return 1;
}
