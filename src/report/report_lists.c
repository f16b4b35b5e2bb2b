/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and tables of a report: spreads, samples that stand out, contingency, patterns of views. */
#include "report/report.h"

#ifdef ONEFOLD_WITH_JSON
#include "data/present.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAND_OUT = 20, MOST_PATTERNS = 20, PATTERN_VIEWS = 64 };

json_t *of_report_spread(const double *values, size_t count, size_t bins)
{
    json_t *object = json_object();
    size_t *histogram = calloc(bins, sizeof *histogram), seen = 0;
    double sum = 0, most = 0;
    if (!histogram)
        return of_json_keep(object, 1);
    for (size_t j = 0; j < count; j++) {
        double v = values[j];
        if (isnan(v))
            continue;
        size_t bin = v <= 0 ? 0 : v >= 1 ? bins - 1 : (size_t)(v * (double)bins);
        histogram[bin < bins ? bin : bins - 1]++;
        sum += v;
        most = v > most ? v : most;
        seen++;
    }
    int failed =
        of_json_put(object, "mean", seen ? of_json_real(sum / (double)seen) : json_null()) |
        of_json_put(object, "most", seen ? of_json_real(most) : json_null()) |
        of_json_put(object, "histogram", of_json_sizes(histogram, bins));
    free(histogram);
    return of_json_keep(object, failed);
}

json_t *of_report_extremes(const onefold_dataset *dataset, const char *key, const double *values,
                           const int32_t *labels, size_t count, int largest)
{
    size_t kept[STAND_OUT], length = 0;
    for (size_t j = 0; j < count; j++) {
        if (isnan(values[j]))
            continue;
        double v = largest ? -values[j] : values[j];
        size_t at = length;
        while (at && v < (largest ? -values[kept[at - 1]] : values[kept[at - 1]]))
            at--;
        if (at == STAND_OUT)
            continue;
        length += length < STAND_OUT;
        memmove(kept + at + 1, kept + at, (length - at - 1) * sizeof *kept);
        kept[at] = j;
    }
    json_t *list = json_array();
    int failed = 0;
    for (size_t i = 0; i < length; i++) {
        json_t *one = json_object();
        const char *name = dataset ? onefold_dataset_sample_name(dataset, kept[i]) : NULL;
        if (name)
            failed |= of_json_put(one, "name", of_json_text(name));
        failed |= of_json_put(one, "sample", of_json_whole(kept[i])) |
                  of_json_put(one, "label", json_integer(labels[kept[i]])) |
                  of_json_put(one, key, of_json_real(values[kept[i]])) |
                  (json_array_append_new(list, one) != 0);
    }
    return of_json_keep(list, failed);
}

json_t *of_report_contingency(of_report *report, const int32_t *labels, size_t clusters)
{
    const int32_t *truth = onefold_dataset_truth(report->dataset);
    size_t classes = onefold_dataset_class_count(report->dataset),
           n = onefold_dataset_samples(report->dataset);
    size_t *table = calloc(clusters * classes + 1, sizeof *table);
    json_t *rows = json_array();
    int failed = !table;
    for (size_t j = 0; table && j < n; j++)
        if (truth[j] >= 0)
            table[(size_t)labels[j] * classes + (size_t)truth[j]]++;
    for (size_t c = 0; table && c < clusters; c++)
        failed |= json_array_append_new(rows, of_json_sizes(table + c * classes, classes)) != 0;
    free(table);
    return of_json_keep(rows, failed);
}

typedef struct pattern {
    uint64_t views;
    size_t count;
} pattern;

static int commoner(const void *a, const void *b)
{
    const pattern *one = a, *other = b;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return one->views < other->views ? 1 : -1;
}

static int by_views(const void *a, const void *b)
{
    const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return one < other ? -1 : one > other;
}

/* The patterns of all samples, counted, commonest first; returns how many there are. */
static size_t count_patterns(const of_dataset *set, uint64_t *all, pattern *found)
{
    size_t views = set->view_count < PATTERN_VIEWS ? set->view_count : PATTERN_VIEWS, length = 0;
    for (size_t j = 0; j < set->samples; j++) {
        all[j] = 0;
        for (size_t v = 0; v < views; v++)
            all[j] = all[j] << 1 | (uint64_t)of_present_at(set, j, v);
    }
    qsort(all, set->samples, sizeof *all, by_views);
    for (size_t j = 0; j < set->samples; j++) {
        if (j == 0 || all[j] != all[j - 1])
            found[length++] = (pattern){all[j], 0};
        found[length - 1].count++;
    }
    qsort(found, length, sizeof *found, commoner);
    return length;
}

json_t *of_report_patterns(of_report *report)
{
    const of_dataset *set = &report->dataset->set;
    size_t views = set->view_count < PATTERN_VIEWS ? set->view_count : PATTERN_VIEWS;
    uint64_t *all = malloc((set->samples + 1) * sizeof *all);
    pattern *found = malloc((set->samples + 1) * sizeof *found);
    json_t *list = json_array();
    int failed = !all || !found;
    size_t length = failed ? 0 : count_patterns(set, all, found);
    for (size_t i = 0; i < length && i < MOST_PATTERNS; i++) {
        json_t *one = json_object(), *has = json_array();
        for (size_t v = 0; v < views; v++)
            failed |= json_array_append_new(
                          has, json_integer((int)(found[i].views >> (views - 1 - v) & 1))) != 0;
        failed |= of_json_put(one, "views", has) |
                  of_json_put(one, "count", of_json_whole(found[i].count)) |
                  (json_array_append_new(list, one) != 0);
    }
    free(all);
    free(found);
    return of_json_keep(list, failed);
}

#endif
