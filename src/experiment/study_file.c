/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of a study: data sets, methods with their grids, methods of others, and what is wanted,
 * as JSON. Names that are not known here are options of the command, which checks them.
 */
#include "experiment/experiment.h"
#include "io/file.h"

#include <math.h>
#include <unistd.h>

struct onefold_study {
    of_arena arena;
    onefold_study_info info;
    const char *path;
    int folder; /* length of the folder of the file, with its slash */
};

/* A list of texts that grows. */
typedef struct texts {
    const char **text;
    size_t count, room;
} texts;

static onefold_status add_text(of_arena *arena, texts *list, const char *text)
{
    OF_TRY(OF_GROW(arena, &list->text, list->count, &list->room, list->count + 1));
    list->text[list->count++] = text;
    return ONEFOLD_OK;
}

static onefold_status wrong(const onefold_study *study, const char *where, const char *what)
{
    return of_hint(of_fail(ONEFOLD_USAGE, "%s: %s %s", study->path, where, what),
                   "docs/experiment.md describes the file");
}

/* ---- values --------------------------------------------------------------------------------- */

/* A text as text, another single value as it is written. */
static onefold_status single_text(of_arena *arena, of_span value, const char **text)
{
    const char **one = NULL;
    if (*value.at == '"') {
        char *list;
        OF_TRY(of_arena_string(arena, &list, "[%.*s]", (int)value.size, value.at));
        OF_TRY(of_json_array(arena, (of_span){list, strlen(list)}, 't', 1, &one));
    }
    if (one) {
        *text = *one;
        return ONEFOLD_OK;
    }
    return OF_TEXT(arena, text, "%.*s", (int)value.size, value.at);
}

/* One value, or an array of values. An object is refused. */
static onefold_status read_texts(const onefold_study *study, of_arena *arena, const char *where,
                                 of_span value, texts *list)
{
    size_t count = of_json_count(value);
    of_span *item = NULL;
    const char *text;
    if (*value.at == '[') {
        OF_TRY(of_json_array(arena, value, 'v', count, &item));
    } else {
        item = &value;
        count = 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (strchr("[{", *item[i].at))
            return wrong(study, where, "has a value that is neither text nor number");
        OF_TRY(single_text(arena, item[i], &text));
        OF_TRY(add_text(arena, list, text));
    }
    return ONEFOLD_OK;
}

/* The texts with a character between each two. */
static onefold_status join(of_arena *arena, const texts *list, char between, const char **joined)
{
    size_t size = 1;
    char *text;
    for (size_t i = 0; i < list->count; i++)
        OF_TRY(of_size_add(&size, size, strlen(list->text[i]) + 1));
    OF_TRY(OF_NEW(arena, &text, size, 1));
    *joined = text;
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strlen(list->text[i]);
        memcpy(text, list->text[i], length);
        text[length] = between;
        text += length + 1;
    }
    *(list->count ? text - 1 : text) = '\0';
    return ONEFOLD_OK;
}

/* A path from the folder of the file; another path stays. "FILE:COLUMN" is a path too. */
static onefold_status place_path(onefold_study *study, const char **path, int must_exist)
{
    char *placed;
    const char *colon = strrchr(*path, ':');
    if (**path == '/' || !study->folder)
        return ONEFOLD_OK;
    OF_TRY(of_arena_string(&study->arena, &placed, "%.*s%s", study->folder, study->path, *path));
    if (must_exist && access(placed, F_OK) != 0) {
        char *file;
        OF_TRY(of_arena_string(&study->arena, &file, "%.*s", (int)strlen(placed), placed));
        if (!colon)
            return ONEFOLD_OK;
        file[strlen(placed) - strlen(colon)] = '\0';
        if (access(file, F_OK) != 0)
            return ONEFOLD_OK;
    }
    *path = placed;
    return ONEFOLD_OK;
}

static onefold_status key_text(of_arena *arena, const of_member *member, const char **key)
{
    return OF_TEXT(arena, key, "%.*s", (int)member->key.size, member->key.at);
}

static onefold_status refuse_twice(const onefold_study *study, const char *where,
                                   const of_members *members)
{
    for (size_t i = 0; i < members->count; i++)
        for (size_t j = 0; j < i; j++)
            if (members->list[i].key.size == members->list[j].key.size &&
                memcmp(members->list[i].key.at, members->list[j].key.at,
                       members->list[i].key.size) == 0)
                return wrong(study, where, "names a member twice");
    return ONEFOLD_OK;
}

/* The members of an object; anything else is refused. */
static onefold_status read_object(const onefold_study *study, const char *where, of_span value,
                                  of_arena *arena, of_members *members)
{
    OF_TRY(of_json_members(arena, value.at, members));
    if (members->wrong)
        return wrong(study, where, "is not an object, { ... }");
    return refuse_twice(study, where, members);
}

/* ---- options --------------------------------------------------------------------------------- */

typedef struct options {
    onefold_study_option *option;
    size_t count, room;
} options;

static onefold_status keep_option(of_arena *arena, options *list, const char *name,
                                  const char *value)
{
    OF_TRY(OF_GROW(arena, &list->option, list->count, &list->room, list->count + 1));
    list->option[list->count++] = (onefold_study_option){name, value};
    return ONEFOLD_OK;
}

/* A list of values is one text with commas; false and null leave the option out. */
static onefold_status add_option(onefold_study *study, const char *where, const char *key,
                                 of_span value, options *list)
{
    of_arena *arena = &study->arena;
    texts values = {NULL, 0, 0};
    const char *joined;
    if (of_span_is(value, "false") || of_span_is(value, "null"))
        return ONEFOLD_OK;
    if (of_span_is(value, "true"))
        return keep_option(arena, list, key, NULL);
    OF_TRY(read_texts(study, arena, where, value, &values));
    for (size_t i = 0; i < values.count; i++)
        if (strcmp(key, "truth") == 0 || strcmp(key, "present") == 0)
            OF_TRY(place_path(study, &values.text[i], 1));
    OF_TRY(join(arena, &values, ',', &joined));
    return keep_option(arena, list, key, joined);
}

/* ---- data sets ------------------------------------------------------------------------------ */

/* {"fmr": {"acc": [30.6, 0.4], "nmi": 10.1}}: figures in percent, with their deviations. */
static onefold_status read_published(onefold_study *study, const char *where, of_span value,
                                     onefold_study_set *set)
{
    of_arena *arena = &study->arena;
    onefold_study_figure *figures = NULL;
    size_t count = 0, room = 0;
    of_members methods, measures;
    OF_TRY(read_object(study, where, value, arena, &methods));
    for (size_t m = 0; m < methods.count; m++) {
        OF_TRY(read_object(study, where, methods.list[m].value, arena, &measures));
        for (size_t i = 0; i < measures.count; i++) {
            onefold_study_figure made = {.deviation = NAN};
            of_span figure = measures.list[i].value;
            const double *pair = &made.mean;
            OF_TRY(key_text(arena, &methods.list[m], &made.method));
            while (made.measure < ONEFOLD_MEASURES &&
                   !of_span_is(measures.list[i].key,
                               onefold_name(ONEFOLD_NAMES_MEASURE, (int)made.measure)))
                made.measure++;
            if (*figure.at == '[')
                OF_TRY(of_json_array(arena, figure, 'r', 2, &pair));
            else if (!of_json_value(figure, 'r', &made.mean))
                pair = NULL;
            if (!pair || made.measure == ONEFOLD_MEASURES)
                return wrong(study, where,
                             "takes acc, nmi, purity and ari, each a number or [mean, deviation]");
            if (*figure.at == '[') {
                made.mean = pair[0];
                made.deviation = pair[1];
            }
            OF_TRY(OF_GROW(arena, &figures, count, &room, count + 1));
            figures[count++] = made;
        }
    }
    set->figures = count;
    return OF_LIST(arena, &set->figure, figures, count);
}

/* The name of a file without folder and ending. */
static onefold_status stem_of(of_arena *arena, const char *path, const char **name)
{
    const char *slash = strrchr(path, '/'), *stem = slash ? slash + 1 : path;
    size_t length = *stem ? strcspn(stem + 1, ".") + 1 : 0;
    return OF_TEXT(arena, name, "%.*s", (int)length, stem);
}

static onefold_status read_set(onefold_study *study, of_span value, onefold_study_set *set)
{
    of_arena *arena = &study->arena;
    of_members members;
    texts paths = {NULL, 0, 0};
    options own = {NULL, 0, 0};
    OF_TRY(read_object(study, "a member of \"sets\"", value, arena, &members));
    for (size_t i = 0; i < members.count; i++) {
        of_span item = members.list[i].value;
        const char *key;
        OF_TRY(key_text(arena, &members.list[i], &key));
        if (strcmp(key, "name") == 0)
            OF_TRY(single_text(arena, item, &set->name));
        else if (strcmp(key, "data") == 0)
            OF_TRY(read_texts(study, arena, "\"data\"", item, &paths));
        else if (strcmp(key, "published") == 0)
            OF_TRY(read_published(study, "\"published\"", item, set));
        else
            OF_TRY(add_option(study, key, key, item, &own));
    }
    if (paths.count == 0)
        return wrong(study, set->name ? set->name : "a data set", "has no \"data\": its files");
    for (size_t i = 0; i < paths.count; i++)
        OF_TRY(place_path(study, &paths.text[i], 0));
    if (!set->name)
        OF_TRY(stem_of(arena, paths.text[0], &set->name));
    if (!*set->name || strchr(set->name, '/') || *set->name == '.')
        return wrong(study, set->name, "is no name of a set, which becomes the name of files");
    set->paths = paths.count;
    set->path = paths.text;
    set->options = own.count;
    return OF_LIST(arena, &set->option, own.option, own.count);
}

static onefold_status read_sets(onefold_study *study, of_span value)
{
    of_arena *arena = &study->arena;
    onefold_study_set *sets;
    size_t count = of_json_count(value);
    of_span *item;
    OF_TRY(of_json_array(arena, value, 'v', count, &item));
    if (!item || count == 0)
        return wrong(study, "\"sets\"", "is not a list of data sets, [ {\"data\": FILE}, ... ]");
    OF_TRY(OF_NEW_ZERO(arena, &sets, count, 1));
    for (size_t i = 0; i < count; i++) {
        OF_TRY(read_set(study, item[i], &sets[i]));
        for (size_t j = 0; j < i; j++)
            if (strcmp(sets[j].name, sets[i].name) == 0)
                return wrong(study, sets[i].name, "names two data sets: give each a \"name\"");
    }
    study->info.sets = count;
    return OF_LIST(arena, &study->info.set, sets, count);
}

/* ---- methods -------------------------------------------------------------------------------- */

/* A list of names, or names with their grids: {"mkkm": "none", "fmr": "paper"}. */
static onefold_status read_methods(onefold_study *study, of_span value, options *list)
{
    of_arena *arena = &study->arena;
    of_members members;
    texts names = {NULL, 0, 0}, grids = {NULL, 0, 0};
    const char *joined, *key, *grid;
    if (*value.at != '{')
        return add_option(study, "\"methods\"", "methods", value, list);
    OF_TRY(read_object(study, "\"methods\"", value, arena, &members));
    for (size_t i = 0; i < members.count; i++) {
        OF_TRY(key_text(arena, &members.list[i], &key));
        OF_TRY(single_text(arena, members.list[i].value, &grid));
        OF_TRY(add_text(arena, &names, key));
        if (!*grid || strcmp(grid, "none") == 0)
            continue;
        OF_TRY(OF_TEXT(arena, &grid, "%s:%s", key, grid));
        OF_TRY(add_text(arena, &grids, grid));
    }
    OF_TRY(join(arena, &names, ',', &joined));
    if (*joined)
        OF_TRY(keep_option(arena, list, "methods", joined));
    OF_TRY(join(arena, &grids, ';', &joined));
    return keep_option(arena, list, "grid", *joined ? joined : "none");
}

/* {"name": "ours", "labels": {"Cora": "ours.mat"}, "seconds": {"Cora": 1.5}} or
 * {"name": "ours", "command": "Rscript ours.R", "ending": ".csv"} */
static onefold_status read_other(onefold_study *study, of_span value, onefold_study_other *other)
{
    of_arena *arena = &study->arena;
    of_members members, files, seconds = {NULL, 0, 0, NULL, 0};
    texts list = {NULL, 0, 0}, names = {NULL, 0, 0};
    const char *key;
    OF_TRY(read_object(study, "a member of \"others\"", value, arena, &members));
    other->ending = ".csv";
    for (size_t i = 0; i < members.count; i++) {
        of_span item = members.list[i].value;
        OF_TRY(key_text(arena, &members.list[i], &key));
        if (strcmp(key, "name") == 0) {
            OF_TRY(single_text(arena, item, &other->name));
        } else if (strcmp(key, "command") == 0) {
            OF_TRY(single_text(arena, item, &other->command));
        } else if (strcmp(key, "ending") == 0) {
            OF_TRY(single_text(arena, item, &other->ending));
        } else if (strcmp(key, "cite") == 0) {
            OF_TRY(single_text(arena, item, &other->cite));
        } else if (strcmp(key, "seconds") == 0) {
            OF_TRY(read_object(study, "\"seconds\"", item, arena, &seconds));
        } else if (strcmp(key, "labels") == 0) {
            OF_TRY(read_object(study, "\"labels\"", item, arena, &files));
            for (size_t f = 0; f < files.count; f++) {
                const char *set, *path;
                OF_TRY(key_text(arena, &files.list[f], &set));
                OF_TRY(single_text(arena, files.list[f].value, &path));
                OF_TRY(place_path(study, &path, 0));
                OF_TRY(add_text(arena, &names, set));
                OF_TRY(add_text(arena, &list, path));
            }
        } else {
            return wrong(study, key, "is not known in a member of \"others\"");
        }
    }
    if (!other->name || !*other->name || strchr(other->name, '/') || *other->name == '.')
        return wrong(study, "a member of \"others\"", "has no \"name\", or one with a slash");
    if (!other->command == !list.count)
        return wrong(study, other->name, "needs either \"labels\" or a \"command\"");
    double *took;
    OF_TRY(OF_NEW_THERE(arena, &took, list.count, 1));
    for (size_t f = 0; f < list.count; f++)
        if (!of_json_value(of_json_member(&seconds, names.text[f]), 'r', &took[f]))
            took[f] = NAN;
    other->files = list.count;
    other->set = names.text;
    other->file = list.text;
    other->seconds = took;
    return ONEFOLD_OK;
}

static onefold_status read_others(onefold_study *study, of_span value)
{
    of_arena *arena = &study->arena;
    size_t count = of_json_count(value);
    onefold_study_other *others;
    of_span *item;
    OF_TRY(of_json_array(arena, value, 'v', count, &item));
    if (!item)
        return wrong(study, "\"others\"", "is not a list of methods");
    OF_TRY(OF_NEW_ZERO(arena, &others, count, 1));
    for (size_t i = 0; i < count; i++)
        OF_TRY(read_other(study, item[i], &others[i]));
    study->info.others = count;
    return OF_LIST(arena, &study->info.other, others, count);
}

/* ---- the file ------------------------------------------------------------------------------- */

static onefold_status read_wanted(onefold_study *study, of_span value)
{
    static const char *const known[] = {"scores", "convergence", "sensitivity", "times", "tests"};
    enum { KNOWN = sizeof known / sizeof *known };
    texts list = {NULL, 0, 0};
    OF_TRY(read_texts(study, &study->arena, "\"wanted\"", value, &list));
    study->info.wanted = 0;
    for (size_t i = 0; i < list.count; i++) {
        unsigned bit = 0;
        while (bit < KNOWN && strcmp(known[bit], list.text[i]) != 0)
            bit++;
        if (bit == KNOWN)
            return wrong(study, "\"wanted\"",
                         "takes scores, convergence, sensitivity, times and tests");
        study->info.wanted |= 1u << bit;
    }
    return ONEFOLD_OK;
}

static onefold_status read_study(onefold_study *study, const char *text, size_t size)
{
    of_arena *arena = &study->arena;
    of_members members;
    options shared = {NULL, 0, 0};
    const char *key;
    OF_TRY(of_json_members(arena, text + strspn(text, " \t\r\n"), &members));
    if (members.wrong || members.end + strspn(members.end, " \t\r\n") != text + size)
        return of_hint(
            of_fail(ONEFOLD_BAD_DATA, "%s is not JSON: one object, { ... }", study->path),
            "'python3 -m json.tool %s' names the line", study->path);
    OF_TRY(refuse_twice(study, "the file", &members));
    OF_TRY(stem_of(arena, study->path, &study->info.name));
    study->info.wanted = ~0u;
    for (size_t i = 0; i < members.count; i++) {
        of_span value = members.list[i].value;
        OF_TRY(key_text(arena, &members.list[i], &key));
        if (strcmp(key, "name") == 0)
            OF_TRY(single_text(arena, value, &study->info.name));
        else if (strcmp(key, "sets") == 0)
            OF_TRY(read_sets(study, value));
        else if (strcmp(key, "methods") == 0)
            OF_TRY(read_methods(study, value, &shared));
        else if (strcmp(key, "others") == 0)
            OF_TRY(read_others(study, value));
        else if (strcmp(key, "wanted") == 0)
            OF_TRY(read_wanted(study, value));
        else
            OF_TRY(add_option(study, key, key, value, &shared));
    }
    if (!study->info.sets)
        return wrong(study, "the file", "has no \"sets\"");
    for (size_t o = 0; o < study->info.others; o++)
        for (size_t f = 0; f < study->info.other[o]->files; f++) {
            size_t s = 0;
            while (s < study->info.sets &&
                   strcmp(study->info.set[s]->name, study->info.other[o]->set[f]) != 0)
                s++;
            if (s == study->info.sets)
                return wrong(study, study->info.other[o]->set[f], "is not the name of a set");
        }
    study->info.options = shared.count;
    return OF_LIST(arena, &study->info.option, shared.option, shared.count);
}

onefold_status onefold_study_read(onefold_study **study, onefold_context *context, const char *path)
{
    if (!study || !path)
        return of_fail(ONEFOLD_USAGE, "onefold_study_read needs a place for the study and a path");
    __attribute__((cleanup(of_file_close))) of_file file = {0};
    onefold_study *made;
    const char *slash = strrchr(path, '/');
    char *text, *copy;
    context = of_context_or_default(context);
    OF_TRY(of_file_read(&file, context, path, NULL, 0));
    OF_TRY(OF_OBJECT(context, &made));
    onefold_status status = of_arena_string(&made->arena, &copy, "%s", path);
    if (status == ONEFOLD_OK)
        status = OF_NEW(&made->arena, &text, file.size + 1, 1);
    if (status == ONEFOLD_OK) {
        memcpy(text, file.bytes, file.size);
        text[file.size] = '\0';
        made->path = copy;
        made->folder = slash ? (int)(slash - path) + 1 : 0;
        status = read_study(made, text, file.size);
    }
    return of_object_give(study, made, status);
}

const onefold_study_info *onefold_study_describe(const onefold_study *study)
{
    return study ? &study->info : NULL;
}

void onefold_study_free(onefold_study *study)
{
    of_object_free(study);
}
