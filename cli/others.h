/* SPDX-License-Identifier: Apache-2.0 */
/* Labels that were made elsewhere: files of one labelling or many, and commands that make them. */
#ifndef CLI_OTHERS_H
#define CLI_OTHERS_H

#include "base.h"

/* Labellings of the same samples, one after the other: samples x count. */
typedef struct cli_labellings {
    int32_t *label;
    size_t samples, count, ignored; /* ignored: samples of the file that are not wanted */
    int matched;                    /* by ids */
} cli_labellings;

/* Reads one labelling, or a matrix of whole numbers, samples x labellings; "FILE:NAME" names a
 * column or variable. They are brought into the order of the samples of `with`, by id. */
onefold_status cli_labellings_read(onefold_context *context, const char *path,
                                   const onefold_dataset *with, cli_arena *arena,
                                   cli_labellings *made);

/* What a command is run for. */
typedef struct cli_other_run {
    const onefold_study_other *other;
    const char *folder;                   /* it runs here: that of the file of the study */
    const char *out;                      /* labels are kept here */
    const onefold_study_set *set;         /* paths from where the program was started */
    size_t clusters, repeats, stop_after; /* stop_after: repeats of this call; 0: all */
    uint64_t seed;
} cli_other_run;

/* Runs the command for each repeat that is not kept yet, and reads the labels of all. The command
 * gets ONEFOLD_SET, ONEFOLD_DATA, ONEFOLD_FILES, ONEFOLD_CLUSTERS, ONEFOLD_REPEAT, ONEFOLD_SEED and
 * ONEFOLD_LABELS, the file that it writes. *seconds: of a run, the mean. */
onefold_status cli_other_labels(onefold_context *context, const cli_other_run *run,
                                const onefold_dataset *with, cli_arena *arena, cli_labellings *made,
                                double *seconds);

#endif
