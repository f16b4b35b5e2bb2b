/* SPDX-License-Identifier: Apache-2.0 */
/* What the name of a variable says about it. Case and punctuation do not count. */
#include "io/find.h"

#include <ctype.h>
#include <stdlib.h>
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
        "y",      "gt",          "gnd",     "truth",       "truelabel",  "truelabels",
        "label",  "labels",      "truey",   "groundtruth", "class",      "classes",
        "target", "targets",     "ytrue",   "truelab",     "classlabel", "labely",
        "lab",    "classlabels", "cluster", NULL};
    static const char *const words[] = {"label", "truth",    "gnd",    "celltype", "types",
                                        "class", "clusters", "target", NULL};
    static const char *const about[] = {"size",    "num",    "count", "dim", "name",
                                        "meaning", "weight", "prob",  NULL};
    char text[LONGEST];
    plain(name, text);
    if (is_one_of(text, usual))
        return 2;
    return holds_one_of(text, words) && !holds_one_of(text, about);
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

int of_name_of_ids(const char *name)
{
    static const char *const usual[] = {
        "id",         "ids",         "sample",    "samples",     "sampleid",      "sampleids",
        "samplename", "samplenames", "barcode",   "barcodes",    "cell",          "cells",
        "cellid",     "cellids",     "cellname",  "cellnames",   "cellbarcode",   "cellbarcodes",
        "patient",    "patients",    "patientid", "patientids",  "subject",       "subjects",
        "subjectid",  "caseid",      "obsnames",  "obsname",     "rowname",       "rownames",
        "unnamed0",   "index",       "donorid",   "participant", "participantid", NULL};
    char text[LONGEST];
    plain(name, text);
    return is_one_of(text, usual);
}

int of_name_of_features(const char *name)
{
    static const char *const words[] = {"gene",    "symbol",     "feature", "probe", "protein",
                                        "peptide", "transcript", "marker",  "term",  NULL};
    char text[LONGEST];
    plain(name, text);
    return holds_one_of(text, words);
}

/* The next word of a name, in lower case: a run of letters, cut where capitals start. */
static const char *next_word(const char *name, char word[LONGEST])
{
    size_t length = 0;
    while (*name && !isalpha((unsigned char)*name))
        name++;
    while (isalpha((unsigned char)*name) && length < LONGEST - 1) {
        int before_capital = islower((unsigned char)name[0]) && isupper((unsigned char)name[1]);
        word[length++] = (char)tolower((unsigned char)*name++);
        if (before_capital)
            break;
    }
    word[length] = '\0';
    return length ? name : NULL;
}

int of_name_of_decoy(const char *name)
{
    static const char *const words[] = {
        "index",  "indices", "idx",    "ind",   "perm",    "permutation", "split",
        "splits", "fold",    "folds",  "train", "test",    "mask",        "missing",
        "status", "param",   "params", "order", "present", "presence",    NULL};
    static const char *const parts[] = {"index", "idx", "indices", NULL};
    char text[LONGEST];
    plain(name, text);
    if (holds_one_of(text, parts))
        return 1;
    for (const char *at = name; (at = next_word(at, text));)
        if (is_one_of(text, words))
            return 1;
    return 0;
}

int of_name_of_present(const char *name, int *ones_are_missing)
{
    static const char *const words[] = {"missing", "present", "presence", "ind",
                                        "mask",    "status",  NULL};
    char text[LONGEST];
    int found = 0, missing = 0, status = 0;
    for (const char *at = name; (at = next_word(at, text));) {
        found |= is_one_of(text, words);
        missing |= strcmp(text, "missing") == 0;
        status |= strcmp(text, "status") == 0;
    }
    *ones_are_missing = missing && !status; /* MissingStatus has a 1 for what is there */
    return found;
}

int of_name_of_columns(const char *name, size_t *number)
{
    static const char *const usual[] = {
        "columnnames", "colnames",  "columns",   "featurenames", "featnames",      "feanames",
        "features",    "varnames",  "variables", "words",        "terms",          "vocab",
        "vocabulary",  "genenames", "genes",     "attributes",   "attributenames", NULL};
    char text[LONGEST];
    plain(name, text);
    char *end = text + strlen(text);
    while (end > text && isdigit((unsigned char)end[-1]))
        end--;
    *number = *end && strlen(end) < 9 ? (size_t)strtoul(end, NULL, 10) : 0;
    *end = '\0';
    return is_one_of(text, usual);
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
