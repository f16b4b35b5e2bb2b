/* SPDX-License-Identifier: Apache-2.0 */
/* What this library registers: its methods, and its functions of onefold.h (method/bench.h). */
#include "experiment/experiment.h"
#include "model/engine.h"
#include "peers/common.h"

static const of_method *const methods[] = {
    &of_method_avg_kkm, &of_method_sb_kkm, &of_method_mkkm,  &of_method_rmsc,
    &of_method_fmkkm,   &of_method_fmr,    &of_method_lsgmc,
};

static const of_bench table = {
    .version = ONEFOLD_VERSION,
    .method = methods,
    .methods = sizeof methods / sizeof *methods,
    .experiment_json = of_json_experiment,
    .dataset_synth = onefold_dataset_synth,
    .experiment_check = onefold_experiment_check,
    .experiment_run = onefold_experiment_run,
    .experiment_plan = onefold_experiment_plan,
    .experiment_free = onefold_experiment_free,
    .experiment_describe = onefold_experiment_describe,
    .study_read = onefold_study_read,
    .study_describe = onefold_study_describe,
    .study_free = onefold_study_free,
    .compare = onefold_compare,
    .comparison_describe = onefold_comparison_describe,
    .comparison_free = onefold_comparison_free,
};

const of_bench *of_bench_table(void)
{
    return &table;
}
