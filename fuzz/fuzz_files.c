/* SPDX-License-Identifier: Apache-2.0 */
/* Several files at once: matching by id, truth, who is present, labels, and a folder of cells. The
 * pieces of an input lie between lines "@@"; the first byte is the options of reading. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *save_piece(fuzz_bytes *bytes, const char *name)
{
    fuzz_bytes piece = fuzz_piece(bytes);
    return fuzz_save(name, piece.at, piece.left);
}

/* Views, then what the second byte asks for: truth, a table of who is present, ids. */
int fuzz_files(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"a.csv", "b.tsv", "c.mtx"};
    fuzz_bytes rest = {bytes, size};
    onefold_read_options options = fuzz_read_options(fuzz_take(&rest));
    unsigned asked = fuzz_take(&rest);
    const char *paths[3], *truth = NULL;
    size_t count = 1 + asked % 3;
    char column[160];
    for (size_t i = 0; i < count; i++)
        paths[i] = save_piece(&rest, names[i]);
    if (asked & 4)
        options.truth = truth = save_piece(&rest, "truth.csv");
    if (asked & 8)
        options.present = save_piece(&rest, "present.csv");
    if (asked & 16)
        options.ids = asked & 32 ? "2" : "none";
    if (asked & 64)
        options.views = "2,a";
    if (truth && asked & 128) {
        snprintf(column, sizeof column, "%s:%s", truth, "kind");
        options.truth = column;
    }
    fuzz_read(paths, count, &options);
    return 0;
}

int fuzz_cells(const uint8_t *bytes, size_t size)
{
    fuzz_bytes rest = {bytes, size};
    onefold_read_options options = fuzz_read_options(fuzz_take(&rest));
    const char *folder = fuzz_folder();
    (void)save_piece(&rest, "matrix.mtx");
    (void)save_piece(&rest, "barcodes.tsv");
    (void)save_piece(&rest, "features.tsv");
    fuzz_read(&folder, 1, &options);
    return 0;
}

/* The first byte says whether one fit is shown, or two. */
int fuzz_saved(const uint8_t *bytes, size_t size)
{
    fuzz_bytes rest = {bytes, size};
    size_t count = 1 + fuzz_take(&rest) % 2;
    const char *results[2];
    results[0] = save_piece(&rest, "a.json");
    results[1] = save_piece(&rest, "b.json");
    (void)fuzz_worked(
        onefold_report_from_json(results, count, fuzz_context(), fuzz_path("page.html")));
    fuzz_clear();
    return 0;
}

static onefold_dataset *labels_of(fuzz_bytes *rest, const char *name)
{
    onefold_dataset *labels = NULL;
    const char *path = save_piece(rest, name);
    if (!fuzz_worked(onefold_labels_read(&labels, fuzz_context(), path)))
        return NULL;
    size_t samples = onefold_dataset_describe(labels)->samples,
           classes = onefold_dataset_describe(labels)->classes;
    fuzz_demand(samples > 0 && classes > 0, "labels that are read are there");
    fuzz_demand(onefold_dataset_describe(labels)->note[0] != NULL, "labels have a name");
    for (size_t j = 0; j < samples; j++) {
        int32_t own = onefold_dataset_describe(labels)->truth[j];
        fuzz_demand(own >= 0 && (size_t)own < classes, "classes are in range");
    }
    for (size_t c = 0; c < classes; c++)
        fuzz_demand(onefold_dataset_describe(labels)->class_names[c] != NULL, "a class has a name");
    return labels;
}

static int is_share(double score)
{
    return score >= -1 && score <= 1 + 1e-12;
}

int fuzz_labels(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {"l.csv", "l.txt", "l.npy", "l.mat", "l.tsv"};
    fuzz_bytes rest = {bytes, size};
    const char *name = names[fuzz_take(&rest) % 5];
    onefold_dataset *one = labels_of(&rest, name), *two = labels_of(&rest, "truth.csv");
    int matched = 0;
    if (one && two && fuzz_worked(onefold_labels_match(one, two, &matched)) &&
        onefold_dataset_describe(one)->samples == onefold_dataset_describe(two)->samples) {
        onefold_scores scores = ONEFOLD_SCORES_INIT;
        fuzz_demand(onefold_score(&scores, ONEFOLD_INT32, onefold_dataset_describe(one)->truth,
                                  onefold_dataset_describe(two)->truth,
                                  onefold_dataset_describe(one)->samples) == ONEFOLD_OK,
                    "labels of as many samples are scored");
        fuzz_demand(is_share(scores.acc) && is_share(scores.nmi) && is_share(scores.purity) &&
                        is_share(scores.ari) && is_share(scores.f),
                    "scores are in range");
    }
    onefold_dataset_free(one);
    onefold_dataset_free(two);
    return 0;
}
