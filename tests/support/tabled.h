/* SPDX-License-Identifier: Apache-2.0 */
/* Clustered samples in two dense views, one of them with a category, for the tables of the method
 * onefold. */
#ifndef OF_TESTS_SUPPORT_TABLED_H
#define OF_TESTS_SUPPORT_TABLED_H

#include "data/dataset.h"
#include "method/onefold_table.h"
#include "model/fit.h"

enum {
    TABLED = 280,
    TABLED_CLUSTERS = 3,
    TABLED_VIEWS = 2,
    TABLED_COLUMNS = 8, /* of either view */
    TABLED_CATEGORY = 3 /* the first of the LEVELS columns that code one, in the first view */
};
enum { TABLED_LEVELS = 3 };

typedef struct tabled {
    onefold_context *context;
    onefold_dataset *data;
    of_arena arena;
    onefold_fit_options options;
    of_fit_plan plan;
    of_sample shuffled;
    of_table table, null; /* null: of the shuffled columns */
    double x[TABLED_VIEWS][TABLED * TABLED_COLUMNS];
    uint8_t present[TABLED * TABLED_VIEWS]; /* a sample contiguous */
    uint8_t has[TABLED_VIEWS][TABLED];      /* the same by views */
    uint8_t levels[TABLED_VIEWS][TABLED_COLUMNS];
    int32_t truth[TABLED];
    double gram[TABLED_VIEWS][TABLED * TABLED], raw[TABLED_VIEWS][TABLED * TABLED]; /* restated */
    double size[TABLED_VIEWS], raw_size[TABLED_VIEWS];
} tabled;

/* Centres `apart` deviations from each other; `lacking`: every fifth sample lacks the second view,
 * and every seventh the first. The last column of the second view is constant. New; free it. */
tabled *tabled_make(double apart, int lacking, int threads, uint64_t seed);
void tabled_free(tabled *made);

#endif
