/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the file of an experiment on many sets, or as that in which one keeps its finished
 * cells. There "@K" stands for the key of the one cell, so that the rest of a line is read. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 8, COLUMNS = 2, MOST_KEY = 2000 };

static onefold_dataset *make_data(void)
{
    static const double values[SAMPLES * COLUMNS] = {10, 1, 2, 4, 12, 2, 4, 2,
                                                     14, 4, 6, 1, 16, 0, 8, 1};
    static const int64_t classes[SAMPLES] = {0, 1, 0, 1, 0, 1, 0, 1};
    onefold_dataset *data = NULL;
    fuzz_demand(onefold_dataset_create(&data, fuzz_context(), SAMPLES) == ONEFOLD_OK &&
                    onefold_dataset_add_dense(data, "a", values, COLUMNS, COLUMNS, 1) ==
                        ONEFOLD_OK &&
                    onefold_dataset_set_truth(data, classes, NULL) == ONEFOLD_OK,
                "the data can be made");
    return data;
}

static onefold_status run(onefold_experiment **experiment, const onefold_dataset *data,
                          const char *store)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    fit.kernel = "rbf";
    options.methods = "avg-kkm";
    options.grid = "none";
    options.repeats = options.replicates = 1;
    options.store = store;
    return onefold_experiment_run(experiment, fuzz_context(), data, &fit, &options);
}

/* The key of the cell, as the first run writes it. */
static const char *key_of(const onefold_dataset *data)
{
    static char key[MOST_KEY];
    char line[1 << 14];
    onefold_experiment *experiment = NULL;
    if (key[0])
        return key;
    fuzz_demand(run(&experiment, data, fuzz_path("key")) == ONEFOLD_OK, "the experiment runs");
    onefold_experiment_free(experiment);
    FILE *file = fopen(fuzz_path("key"), "r");
    while (file && !key[0] && fgets(line, sizeof line, file))
        (void)sscanf(line, "{\"key\": \"%1999[^\"]\"", key);
    if (file)
        fclose(file);
    fuzz_demand(key[0] != '\0', "a finished cell is kept");
    return key;
}

int fuzz_store(const uint8_t *bytes, size_t size)
{
    onefold_dataset *data = make_data();
    const char *key = key_of(data);
    size_t length = strlen(key), used = 0;
    char *text = malloc(size / 2 * (length + 2) + 2);
    fuzz_demand(text != NULL, "there is memory");
    for (size_t i = 0; i < size; i++)
        if (bytes[i] == '@' && i + 1 < size && bytes[i + 1] == 'K') {
            memcpy(text + used, key, length);
            used += length;
            i++;
        } else {
            text[used++] = (char)bytes[i];
        }
    onefold_experiment *experiment = NULL;
    if (fuzz_worked(run(&experiment, data, fuzz_save("cells", text, used)))) {
        const onefold_experiment_info *info = onefold_experiment_describe(experiment);
        fuzz_demand(info->cells == 1, "there is one cell");
        for (size_t j = 0; info->cell[0]->labels && j < SAMPLES; j++)
            fuzz_demand(info->cell[0]->labels[j] >= 0 && info->cell[0]->labels[j] < SAMPLES,
                        "labels of a cell are in range");
    }
    onefold_experiment_free(experiment);
    onefold_dataset_free(data);
    free(text);
    fuzz_clear();
    return 0;
}

/* Every text of a study is there, and names of sets and methods can be names of files. */
int fuzz_study(const uint8_t *bytes, size_t size)
{
    onefold_study *study = NULL;
    if (fuzz_worked(onefold_study_read(&study, fuzz_context(), fuzz_save("s.json", bytes, size)))) {
        const onefold_study_info *info = onefold_study_describe(study);
        size_t letters = strlen(info->name);
        fuzz_demand(info->sets > 0, "there is a set");
        for (size_t i = 0; i < info->options; i++)
            letters += strlen(info->option[i]->name);
        for (size_t s = 0; s < info->sets; s++) {
            const onefold_study_set *set = info->set[s];
            fuzz_demand(*set->name && *set->name != '.' && !strchr(set->name, '/'),
                        "a set's name is a file's");
            fuzz_demand(set->paths > 0, "a set has files");
            for (size_t i = 0; i < set->paths; i++)
                letters += strlen(set->path[i]);
            for (size_t i = 0; i < set->figures; i++)
                fuzz_demand(set->figure[i]->measure < ONEFOLD_MEASURES, "measures are known");
            for (size_t t = 0; t < s; t++)
                fuzz_demand(strcmp(info->set[t]->name, set->name) != 0, "names of sets differ");
        }
        for (size_t o = 0; o < info->others; o++) {
            const onefold_study_other *other = info->other[o];
            fuzz_demand(*other->name && *other->name != '.' && !strchr(other->name, '/'),
                        "a method's name is a file's");
            fuzz_demand(!other->command == (other->files > 0), "it has labels or a command");
        }
        fuzz_demand(letters > 0, "texts can be read");
    }
    onefold_study_free(study);
    fuzz_clear();
    return 0;
}
