/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the file in which an experiment keeps its finished cells. "@K" stands for the key of
 * the one cell of this experiment, so that the rest of a line is read. */
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
