/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one mex function behind the package, for Octave and MATLAB: its first argument names what is
 * to be done, the second is a struct of what it takes. Errors leave by a jump, so all that is held
 * of the library is in one place and is freed before.
 */
#include "mex.h"

#include <onefold.h>
#include <signal.h> /* sig_atomic_t */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- what a call holds, and its end -------------------------------------------------------- */

static struct {
    onefold_context *context;
    onefold_dataset *data;
    onefold_result *result;
    onefold_model *model;
    onefold_choice *choice;
    onefold_experiment *experiment;
    void *bytes;
} held;

static void release(void)
{
    onefold_free(held.bytes);
    onefold_choice_free(held.choice);
    onefold_experiment_free(held.experiment);
    onefold_model_free(held.model);
    onefold_result_free(held.result);
    onefold_dataset_free(held.data);
    onefold_context_free(held.context);
    memset(&held, 0, sizeof held);
}

/* Ends the call with an error of the package itself. */
static void refuse(const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    release();
    mexErrMsgIdAndTxt("onefold:usage", "%s", text);
}

/* Copies a sentence of the library; what it calls `clusters` is the argument k here. */
static size_t in_arguments(char *to, size_t room, const char *sentence)
{
    static const char field[] = "`clusters`", argument[] = "`k`";
    size_t length = 0;
    while (*sentence && length + 1 < room)
        if (strncmp(sentence, field, sizeof field - 1) == 0 && length + sizeof argument < room) {
            memcpy(to + length, argument, sizeof argument - 1);
            length += sizeof argument - 1;
            sentence += sizeof field - 1;
        } else {
            to[length++] = *sentence++;
        }
    to[length] = 0;
    return length;
}

/* A failure of the library becomes an error whose identifier names its status. */
static void check(onefold_status status)
{
    char id[64], text[2048];
    if (status == ONEFOLD_OK)
        return;
    snprintf(id, sizeof id, "onefold:%s", onefold_name(ONEFOLD_NAMES_STATUS, status));
    for (char *at = id; *at; at++)
        if (*at == '-')
            *at = '_';
    size_t length = in_arguments(text, sizeof text, onefold_last_error());
    if (*onefold_last_hint()) {
        length += (size_t)snprintf(text + length, sizeof text - length, "; ");
        if (length < sizeof text)
            in_arguments(text + length, sizeof text - length, onefold_last_hint());
    }
    release();
    mexErrMsgIdAndTxt(id, "%s", text);
}

/* ---- Ctrl-C -------------------------------------------------------------------------------- */

#ifdef MATLAB_MEX_FILE
/* MATLAB takes the signal itself; this is how its own functions ask (link with -lut). */
extern bool utIsInterruptPending(void);
static int cancel(void *unused)
{
    (void)unused;
    return utIsInterruptPending();
}
#else
/* Octave takes the signal on a thread of its own and counts it here; our error ends the count. */
extern volatile sig_atomic_t octave_interrupt_state;
static int cancel(void *unused)
{
    (void)unused;
    return octave_interrupt_state > 0;
}
#endif

static void tell(void *user, const onefold_progress *at)
{
    static const char *last;
    (void)user;
    if (last && strcmp(last, at->stage) == 0 && at->done > 0)
        return;
    last = at->stage;
    mexPrintf("onefold: %s\n", at->stage);
}

/* ---- arguments ----------------------------------------------------------------------------- */

static const mxArray *field(const mxArray *from, const char *name)
{
    const mxArray *found = from ? mxGetField(from, 0, name) : NULL;
    return found && !mxIsEmpty(found) ? found : NULL;
}

static double number(const mxArray *from, const char *name, double otherwise)
{
    const mxArray *found = field(from, name);
    if (!found)
        return otherwise;
    if (!(mxIsNumeric(found) || mxIsLogical(found)) || mxGetNumberOfElements(found) != 1)
        refuse("%s must be one number", name);
    return mxGetScalar(found);
}

static uint64_t whole(const mxArray *from, const char *name, uint64_t otherwise)
{
    double value = number(from, name, (double)otherwise);
    if (!(value >= 0 && value <= 9007199254740992.0) || value != (double)(uint64_t)value)
        refuse("%s must be a whole number from 0 on, not %g", name, value);
    return (uint64_t)value;
}

/* A text of the argument, which lives until the call ends. */
static const char *text(const mxArray *from, const char *name)
{
    const mxArray *found = field(from, name);
    if (!found)
        return NULL;
    char *copy = mxIsChar(found) ? mxArrayToString(found) : NULL;
    if (!copy)
        refuse("%s must be a text", name);
    return copy;
}

/* The number of a word in a set that names its values. */
#define WORD(from, name, member, type, set)                                                        \
    do {                                                                                           \
        const char *word_ = text(from, name);                                                      \
        int at_ = 0;                                                                               \
        while (word_ && onefold_name(set, at_) && strcmp(onefold_name(set, at_), word_) != 0)      \
            at_++;                                                                                 \
        if (word_ && !onefold_name(set, at_))                                                      \
            refuse("%s cannot be '%s'", name, word_);                                              \
        if (word_)                                                                                 \
            (member) = (type)at_;                                                                  \
    } while (0)

static void begin(const mxArray *from)
{
    onefold_hooks hooks = ONEFOLD_HOOKS_INIT;
    hooks.cancel = cancel;
    if (number(from, "progress", 0) != 0)
        hooks.progress = tell;
    check(onefold_context_create(&held.context, &hooks));
    check(onefold_context_set_threads(held.context, (int)whole(from, "threads", 0)));
}

/* ---- data sets ----------------------------------------------------------------------------- */

static onefold_type type_of(const mxArray *array)
{
    switch (mxGetClassID(array)) {
    case mxDOUBLE_CLASS:
        return ONEFOLD_FLOAT64;
    case mxSINGLE_CLASS:
        return ONEFOLD_FLOAT32;
    case mxINT8_CLASS:
        return ONEFOLD_INT8;
    case mxUINT8_CLASS:
    case mxLOGICAL_CLASS:
        return ONEFOLD_UINT8;
    case mxINT16_CLASS:
        return ONEFOLD_INT16;
    case mxUINT16_CLASS:
        return ONEFOLD_UINT16;
    case mxINT32_CLASS:
        return ONEFOLD_INT32;
    case mxUINT32_CLASS:
        return ONEFOLD_UINT32;
    case mxINT64_CLASS:
        return ONEFOLD_INT64;
    case mxUINT64_CLASS:
        return ONEFOLD_UINT64;
    default:
        refuse("a view holds %s; numbers are needed", mxGetClassName(array));
        return ONEFOLD_FLOAT64;
    }
}

static size_t type_size(const mxArray *array)
{
    return mxGetElementSize(array);
}

/* Views lie as they are in the host: columns are contiguous, and `side` 1 has samples as columns.
 * A sparse one always has. A kernel may be a stack of several, samples x samples x kernels. */
static void add_view(const mxArray *view, const char *name, int columns_are, int kernel)
{
    size_t rows = mxGetM(view), samples = onefold_dataset_describe(held.data)->samples;
    size_t columns = mxGetDimensions(view)[1];
    if (mxIsSparse(view)) {
        onefold_type index = sizeof(mwIndex) == 8 ? ONEFOLD_UINT64 : ONEFOLD_UINT32;
        if (columns != samples || !mxIsDouble(view))
            refuse("the sparse view %s is not by sample", name);
        check(onefold_dataset_borrow_sparse(held.data, name, rows, mxGetJc(view), mxGetIr(view),
                                            index, mxGetData(view), ONEFOLD_FLOAT64));
        return;
    }
    onefold_type type = type_of(view);
    if (!kernel) {
        if ((columns_are ? columns : rows) != samples)
            refuse("the view %s has other samples than the first", name);
        check(onefold_dataset_borrow_dense(held.data, name, mxGetData(view), type,
                                           columns_are ? rows : columns, columns_are ? rows : 1,
                                           columns_are ? 1 : rows));
        return;
    }
    size_t slices = mxGetNumberOfDimensions(view) > 2 ? mxGetDimensions(view)[2] : 1;
    if (rows != samples || columns != samples)
        refuse("the kernel %s is not samples x samples", name);
    for (size_t i = 0; i < slices; i++) {
        char numbered[32];
        snprintf(numbered, sizeof numbered, "kernel %zu", i + 1);
        check(onefold_dataset_borrow_kernel(
            held.data, slices > 1 ? numbered : name,
            (const char *)mxGetData(view) + i * rows * columns * type_size(view), type, 1, rows));
    }
}

/* Which columns of the last view are one category's: uint32, one for each column; empty: none. */
static void add_units(const mxArray *units)
{
    size_t view = onefold_dataset_describe(held.data)->views - 1;
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    if (!units || mxIsEmpty(units))
        return;
    check(onefold_dataset_view(held.data, view, &info));
    if (mxGetClassID(units) != mxUINT32_CLASS || mxGetNumberOfElements(units) != info.columns)
        refuse("Units of the view %s are a number for each of its %zu columns", info.name,
               info.columns);
    check(onefold_dataset_set_column_units(held.data, view, mxGetData(units)));
}

/* `views`, a cell; `sides`, `kernels`, a number for each; `names`, `units`, cells; `present`,
 * `impute`. */
static void make_data(const mxArray *from)
{
    const mxArray *views = field(from, "views"), *names = field(from, "names"),
                  *present = field(from, "present"), *units = field(from, "units");
    const double *sides = (const double *)mxGetData(field(from, "sides")),
                 *kernels = (const double *)mxGetData(field(from, "kernels"));
    onefold_impute impute = ONEFOLD_IMPUTE_NONE;
    WORD(from, "impute", impute, onefold_impute, ONEFOLD_NAMES_IMPUTE);
    check(onefold_dataset_create(&held.data, held.context, whole(from, "samples", 0)));
    check(onefold_dataset_set_impute(held.data, impute));
    for (size_t i = 0; i < mxGetNumberOfElements(views); i++) {
        char *name = mxArrayToString(mxGetCell(names, i));
        add_view(mxGetCell(views, i), name, sides[i] != 0, kernels[i] != 0);
        if (units)
            add_units(mxGetCell(units, i));
    }
    if (present) { /* views x samples, of uint8 */
        if (mxGetClassID(present) != mxUINT8_CLASS ||
            mxGetM(present) != onefold_dataset_describe(held.data)->views ||
            mxGetN(present) != onefold_dataset_describe(held.data)->samples)
            refuse("Present is samples x views of zeros and ones");
        check(onefold_dataset_set_present(held.data, mxGetData(present)));
    }
}

static void fit_options_of(const mxArray *from, onefold_fit_options *options)
{
    options->clusters = whole(from, "clusters", 0);
    options->method = text(from, "method");
    options->method_options = text(from, "method_options");
    options->kernel = text(from, "kernel");
    options->weights = text(from, "weights");
    options->dims = whole(from, "dims", 0);
    options->anchors = whole(from, "anchors", 0);
    options->restarts = whole(from, "restarts", options->restarts);
    options->tolerance = number(from, "tolerance", options->tolerance);
    options->max_iterations = whole(from, "max_iterations", options->max_iterations);
    options->landmarks = whole(from, "landmarks", 0);
    options->neighbours = whole(from, "neighbours", 0);
    options->seed = whole(from, "seed", 0);
    options->nonneg = number(from, "nonneg", 0) != 0;
    WORD(from, "start", options->start, onefold_start, ONEFOLD_NAMES_START);
    WORD(from, "variant", options->variant, onefold_variant, ONEFOLD_NAMES_VARIANT);
    WORD(from, "stop", options->stop, onefold_stop, ONEFOLD_NAMES_STOP);
    WORD(from, "base", options->base, onefold_base, ONEFOLD_NAMES_BASE);
    WORD(from, "precision", options->precision, onefold_precision, ONEFOLD_NAMES_PRECISION);
    const char *effort = text(from, "effort");
    if (effort)
        options->effort = strcmp(effort, "quick") == 0      ? ONEFOLD_EFFORT_QUICK
                          : strcmp(effort, "thorough") == 0 ? ONEFOLD_EFFORT_THOROUGH
                                                            : ONEFOLD_EFFORT_NORMAL;
}

/* ---- values -------------------------------------------------------------------------------- */

static void put(mxArray *to, const char *name, mxArray *value)
{
    mxAddField(to, name);
    mxSetField(to, 0, name, value);
}

static mxArray *empty_struct(void)
{
    return mxCreateStructMatrix(1, 1, 0, NULL);
}

static mxArray *numbers(const double *values, size_t rows, size_t columns)
{
    mxArray *copy = mxCreateDoubleMatrix(values ? rows : 0, values ? columns : 0, mxREAL);
    if (values && rows && columns)
        memcpy(mxGetData(copy), values, rows * columns * sizeof *values);
    return copy;
}

/* The same laid down on the other side: what is a column becomes a row. */
static mxArray *turned(const double *values, size_t rows, size_t columns)
{
    mxArray *copy = mxCreateDoubleMatrix(values ? columns : 0, values ? rows : 0, mxREAL);
    double *to = (double *)mxGetData(copy);
    for (size_t j = 0; values && j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            to[j + i * columns] = values[i + j * rows];
    return copy;
}

/* Labels of the host count from 1, and are doubles as all its scripts have them. */
static mxArray *labels_of(const int32_t *labels, size_t count)
{
    mxArray *copy = mxCreateDoubleMatrix(labels ? count : 0, labels ? 1 : 0, mxREAL);
    for (size_t i = 0; labels && i < count; i++)
        ((double *)mxGetData(copy))[i] = labels[i] + 1;
    return copy;
}

static mxArray *bytes_of(const void *bytes, size_t size)
{
    mxArray *copy = mxCreateNumericMatrix(size, bytes ? 1 : 0, mxUINT8_CLASS, mxREAL);
    if (bytes)
        memcpy(mxGetData(copy), bytes, size);
    return copy;
}

/* ---- what can be done ---------------------------------------------------------------------- */

/* Whether labels are more than chance; empty where the method does not judge. */
static mxArray *finding_of(const onefold_finding *it)
{
    mxArray *all = empty_struct();
    if (!it)
        return all;
    put(all, "stable", mxCreateDoubleScalar(it->stable));
    put(all, "chance", mxCreateDoubleScalar(it->chance));
    put(all, "told", mxCreateDoubleScalar(it->told));
    put(all, "told_chance", mxCreateDoubleScalar(it->told_chance));
    put(all, "beyond", mxCreateDoubleScalar(it->beyond));
    put(all, "verdict", mxCreateString(it->verdict));
    return all;
}

static mxArray *describe_fit(void)
{
    const onefold_fit_info *info = onefold_result_describe(held.result);
    size_t n = info->samples, p = info->views;
    mxArray *all = empty_struct(), *weights = mxCreateDoubleMatrix(p, 1, mxREAL),
            *kernels = mxCreateCellMatrix(p, 1);
    for (size_t i = 0; i < p; i++) {
        const onefold_view_fit *view = info->view[i];
        ((double *)mxGetData(weights))[i] = view->weight;
        mxSetCell(kernels, i, mxCreateString(view->kernel ? view->kernel : ""));
    }
    put(all, "labels", labels_of(info->labels, n));
    put(all, "method", mxCreateString(info->method));
    put(all, "weights", weights);
    put(all, "kernels", kernels);
    put(all, "objective", mxCreateDoubleScalar(info->objective));
    put(all, "trace", numbers(info->trace, info->iterations, 1));
    put(all, "iterations", mxCreateDoubleScalar((double)info->iterations));
    put(all, "converged", mxCreateLogicalScalar(info->converged != 0));
    put(all, "confidence", numbers(info->confidence, n, 1));
    put(all, "agreement", numbers(info->agreement, p, 1));
    put(all, "view_agreement", numbers(info->view_agreement, p, p));
    put(all, "cluster_agreement", numbers(info->cluster_agreement, p, info->clusters));
    put(all, "embedding", turned(info->embedding, info->embedding_rows, n));
    put(all, "view_parts", turned(info->view_parts, p, n));
    put(all, "seconds", mxCreateDoubleScalar(info->seconds_base + info->seconds_fit));
    put(all, "note", mxCreateString(info->note));
    put(all, "stability", numbers(info->stability, info->stability ? info->clusters : 0, 1));
    put(all, "finding", finding_of(info->finding));
    return all;
}

static mxArray *fit(const mxArray *from)
{
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    fit_options_of(field(from, "options"), &options);
    begin(from);
    make_data(from);
    double keep = number(from, "model", -1); /* below 0: where the method can */
    onefold_fit_options asking = options;
    asking.keep_model = 1;
    options.keep_model =
        keep > 0 || (keep < 0 && onefold_fit_options_check(&options) == ONEFOLD_OK &&
                     onefold_fit_options_check(&asking) == ONEFOLD_OK);
    options.view_parts = 1; /* where the method can tell */
    options.view_parts = onefold_fit_options_check(&options) == ONEFOLD_OK;
    check(onefold_fit(&held.result, held.context, held.data, &options));
    mxArray *all = describe_fit();
    const onefold_model *model = onefold_result_describe(held.result)->model;
    size_t size = 0;
    if (model)
        check(onefold_model_encode(&held.bytes, &size, held.context, model));
    put(all, "model", bytes_of(held.bytes, size));
    return all;
}

static mxArray *predict(const mxArray *from)
{
    const mxArray *bytes = field(from, "bytes");
    if (!bytes || mxGetClassID(bytes) != mxUINT8_CLASS)
        refuse("there is no model: fit with a method that has one");
    begin(from);
    check(onefold_model_decode(&held.model, held.context, mxGetData(bytes),
                               mxGetNumberOfElements(bytes)));
    const onefold_model_info *info = onefold_model_describe(held.model);
    make_data(from);
    size_t n = onefold_dataset_describe(held.data)->samples;
    onefold_prediction to = ONEFOLD_PREDICTION_INIT;
    mxArray *all = empty_struct(), *confidence = mxCreateDoubleMatrix(n, 1, mxREAL),
            *distance = mxCreateDoubleMatrix(n, 1, mxREAL);
    to.labels = mxMalloc((n + 1) * sizeof *to.labels);
    to.embedding = mxMalloc((n * info->dims + 1) * sizeof *to.embedding);
    to.confidence = mxGetData(confidence);
    to.distance = mxGetData(distance);
    check(onefold_predict(&to, held.context, held.model, held.data, 0, n));
    put(all, "labels", labels_of(to.labels, n));
    put(all, "confidence", confidence);
    put(all, "distance", distance);
    put(all, "embedding", turned(to.embedding, info->dims, n));
    return all;
}

static mxArray *choose(const mxArray *from)
{
    static const char *const names[] = {"clusters", "agreement", "entropy",
                                        "told",     "chance",    "evidence"};
    enum { COLUMNS = sizeof names / sizeof *names };
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_choose_options range = ONEFOLD_CHOOSE_OPTIONS_INIT;
    fit_options_of(field(from, "options"), &options);
    range.least = whole(from, "least", range.least);
    range.most = whole(from, "most", range.most);
    begin(from);
    make_data(from);
    check(onefold_choose(&held.choice, held.context, held.data, &options, &range));
    const onefold_choose_info *info = onefold_choice_describe(held.choice);
    mxArray *all = empty_struct(), *reasons = mxCreateCellMatrix(info->reasons, 1);
    double *to[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        mxArray *column = mxCreateDoubleMatrix(info->points, 1, mxREAL);
        to[c] = mxGetData(column);
        put(all, names[c], column);
    }
    for (size_t i = 0; i < info->points; i++) {
        const onefold_choose_point *point = info->point[i];
        const double row[COLUMNS] = {(double)point->clusters, point->agreement,
                                     point->entropy,          point->told,
                                     point->chance,           point->evidence};
        for (int c = 0; c < COLUMNS; c++)
            to[c][i] = row[c];
    }
    for (size_t i = 0; i < info->reasons; i++)
        mxSetCell(reasons, i, mxCreateString(info->reason[i]));
    put(all, "suggested", mxCreateDoubleScalar((double)info->suggested));
    put(all, "reasons", reasons);
    put(all, "finding", finding_of(&info->finding));
    return all;
}

/* A column of texts for each cell of the experiment. */
static void put_texts(mxArray *all, const onefold_experiment_info *info)
{
    mxArray *method = mxCreateCellMatrix(info->cells, 1),
            *setting = mxCreateCellMatrix(info->cells, 1),
            *status = mxCreateCellMatrix(info->cells, 1);
    for (size_t i = 0; i < info->cells; i++) {
        const onefold_experiment_cell_info *cell = info->cell[i];
        mxSetCell(method, i, mxCreateString(info->method[cell->method]->name));
        mxSetCell(setting, i, mxCreateString(cell->setting));
        mxSetCell(status, i, mxCreateString(cell->status ? cell->reason : "ok"));
    }
    put(all, "method", method);
    put(all, "setting", setting);
    put(all, "status", status);
}

/* Marks, means and deviations, and seconds of a run; NaN where there is none. */
static void put_numbers(mxArray *all, const onefold_experiment_info *info)
{
    static const char *const names[] = {"default",          "best",
                                        "median",           "tried",
                                        "near_best",        "view",
                                        "repeats",          "acc",
                                        "acc_deviation",    "nmi",
                                        "nmi_deviation",    "purity",
                                        "purity_deviation", "ari",
                                        "ari_deviation",    "seconds_base",
                                        "seconds_fit",      "seconds_kmeans",
                                        "seconds",          "peak_bytes"};
    enum { COLUMNS = sizeof names / sizeof *names, SCORES = 7, SECONDS = 15 };
    for (int c = 0; c < COLUMNS; c++) {
        mxArray *column = mxCreateDoubleMatrix(info->cells, 1, mxREAL);
        double *to = mxGetData(column);
        for (size_t i = 0; i < info->cells; i++) {
            const onefold_experiment_cell_info *cell = info->cell[i];
            const onefold_experiment_method_info *own = info->method[cell->method];
            const double row[COLUMNS] = {(cell->roles & ONEFOLD_CELL_STANDARD) != 0,
                                         own->best[ONEFOLD_ACC] == i,
                                         own->median == i,
                                         (double)own->tried,
                                         (double)own->near_best,
                                         (double)cell->only_view,
                                         (double)cell->repeats,
                                         cell->mean[ONEFOLD_ACC],
                                         cell->deviation[ONEFOLD_ACC],
                                         cell->mean[ONEFOLD_NMI],
                                         cell->deviation[ONEFOLD_NMI],
                                         cell->mean[ONEFOLD_PURITY],
                                         cell->deviation[ONEFOLD_PURITY],
                                         cell->mean[ONEFOLD_ARI],
                                         cell->deviation[ONEFOLD_ARI],
                                         cell->seconds_base,
                                         cell->seconds_fit,
                                         cell->seconds_kmeans,
                                         cell->seconds_run,
                                         (double)cell->peak_bytes};
            int there = c < SCORES ? 1 : c < SECONDS ? cell->scores != NULL : !cell->status;
            to[i] = there ? row[c] : mxGetNaN();
        }
        put(all, names[c], column);
    }
}

static mxArray *bench(const mxArray *from)
{
    onefold_fit_options fit = ONEFOLD_FIT_OPTIONS_INIT;
    onefold_experiment_options options = ONEFOLD_EXPERIMENT_OPTIONS_INIT;
    const mxArray *truth = field(from, "truth");
    fit_options_of(field(from, "options"), &fit);
    options.methods = text(from, "methods");
    options.grid = text(from, "grid");
    options.sensitivity = text(from, "sensitivity");
    options.store = text(from, "store");
    options.repeats = whole(from, "repeats", options.repeats);
    options.replicates = whole(from, "replicates", options.replicates);
    WORD(from, "kmeans_start", options.kmeans_start, onefold_kmeans_start,
         ONEFOLD_NAMES_KMEANS_START);
    begin(from);
    make_data(from);
    if (!truth || mxGetClassID(truth) != mxINT64_CLASS ||
        mxGetNumberOfElements(truth) != onefold_dataset_describe(held.data)->samples)
        refuse("as many true labels as samples are needed");
    check(onefold_dataset_set_truth(held.data, mxGetData(truth), NULL));
    check(onefold_experiment_run(&held.experiment, held.context, held.data, &fit, &options));
    mxArray *all = empty_struct();
    put_texts(all, onefold_experiment_describe(held.experiment));
    put_numbers(all, onefold_experiment_describe(held.experiment));
    return all;
}

/* `labels` and `truth`: int64, as many of the one as of the other. */
static mxArray *score(const mxArray *from)
{
    const mxArray *labels = field(from, "labels"), *truth = field(from, "truth");
    onefold_scores scores = ONEFOLD_SCORES_INIT;
    if (!labels || !truth || mxGetClassID(labels) != mxINT64_CLASS ||
        mxGetClassID(truth) != mxINT64_CLASS ||
        mxGetNumberOfElements(labels) != mxGetNumberOfElements(truth))
        refuse("as many labels as true ones are needed");
    check(onefold_score(&scores, ONEFOLD_INT64, mxGetData(labels), mxGetData(truth),
                        mxGetNumberOfElements(labels)));
    mxArray *all = empty_struct();
    put(all, "acc", mxCreateDoubleScalar(scores.acc));
    put(all, "nmi", mxCreateDoubleScalar(scores.nmi));
    put(all, "purity", mxCreateDoubleScalar(scores.purity));
    put(all, "ari", mxCreateDoubleScalar(scores.ari));
    put(all, "f", mxCreateDoubleScalar(scores.f));
    put(all, "precision", mxCreateDoubleScalar(scores.precision));
    put(all, "recall", mxCreateDoubleScalar(scores.recall));
    put(all, "nmi_sum", mxCreateDoubleScalar(scores.nmi_sum));
    put(all, "nmi_sqrt", mxCreateDoubleScalar(scores.nmi_sqrt));
    return all;
}

static int is_present(size_t sample, size_t view)
{
    const onefold_dataset_info *info = onefold_dataset_describe(held.data);
    return !info->present || info->present[sample * info->views + view];
}

/* Samples x columns; a sample that lacks the view is a row of NaN. */
static mxArray *values_of(size_t view, size_t columns)
{
    size_t n = onefold_dataset_describe(held.data)->samples;
    mxArray *matrix = mxCreateDoubleMatrix(n, columns, mxREAL);
    double *row = mxMalloc((columns + 1) * sizeof *row), *to = mxGetData(matrix);
    for (size_t j = 0; j < n; j++) {
        int there = is_present(j, view);
        if (there)
            check(onefold_dataset_values(row, held.data, view, j, 1));
        for (size_t i = 0; i < columns; i++)
            to[j + i * n] = there ? row[i] : mxGetNaN();
    }
    return matrix;
}

/* A sparse view, columns x samples: the host turns it. */
static mxArray *sparse_of(size_t view, size_t columns, size_t most)
{
    size_t n = onefold_dataset_describe(held.data)->samples, at = 0;
    mxArray *matrix = mxCreateSparse(columns, n, most ? most : 1, mxREAL);
    double *row = mxMalloc((columns + 1) * sizeof *row), *to = mxGetData(matrix);
    mwIndex *index = mxGetIr(matrix), *start = mxGetJc(matrix);
    start[0] = 0;
    for (size_t j = 0; j < n; j++) {
        int there = is_present(j, view);
        if (there)
            check(onefold_dataset_values(row, held.data, view, j, 1));
        for (size_t i = 0; there && i < columns && at < most; i++)
            if (row[i] != 0) {
                index[at] = (mwIndex)i;
                to[at++] = row[i];
            }
        start[j + 1] = (mwIndex)at;
    }
    return matrix;
}

/* The names of a view's columns; empty where they have none. */
static mxArray *columns_of(const onefold_view_info *info)
{
    size_t count = info->column_names ? info->columns : 0;
    mxArray *names = mxCreateCellMatrix(count ? 1 : 0, count);
    for (size_t i = 0; i < count; i++)
        mxSetCell(names, i, mxCreateString(info->column_names[i]));
    return names;
}

/* The same number for the columns of one category; empty where there is none. */
static mxArray *units_of(const onefold_view_info *info)
{
    mxArray *units = mxCreateNumericMatrix(info->units ? 1 : 0, info->units ? info->columns : 0,
                                           mxUINT32_CLASS, mxREAL);
    if (info->units)
        memcpy(mxGetData(units), info->units, info->columns * sizeof *info->units);
    return units;
}

/* The options that say what columns of tables are, and what samples are matched by. */
static void read_columns_of(const mxArray *from, onefold_read_options *options)
{
    const char *match = text(from, "match"), *header = text(from, "header");
    const mxArray *expected = field(from, "expected");
    options->views = text(from, "views");
    options->truth = text(from, "truth");
    options->present = text(from, "present");
    options->no_truth = number(from, "no_truth", 0) != 0;
    options->ids = text(from, "ids");
    options->drop = text(from, "drop");
    options->columns = text(from, "columns");
    options->as_category = text(from, "as_category");
    options->as_number = text(from, "as_number");
    if (match && strcmp(match, "ids") != 0 && strcmp(match, "order") != 0)
        refuse("match cannot be '%s'", match);
    if (header && strcmp(header, "yes") != 0 && strcmp(header, "no") != 0)
        refuse("header cannot be '%s'", header);
    options->match = match && strcmp(match, "order") == 0 ? ONEFOLD_MATCH_ORDER : ONEFOLD_MATCH_IDS;
    if (header)
        options->header = strcmp(header, "yes") == 0 ? ONEFOLD_HEADER_YES : ONEFOLD_HEADER_NO;
    if (!expected)
        return;
    options->expected_count = mxGetNumberOfElements(expected);
    const char **names = mxMalloc((options->expected_count + 1) * sizeof *names);
    for (size_t i = 0; i < options->expected_count; i++)
        names[i] = mxArrayToString(mxGetCell(expected, i));
    options->expected = names;
}

static mxArray *read_files(const mxArray *from)
{
    const mxArray *paths = field(from, "paths");
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    const char *side = text(from, "samples_are");
    size_t count = paths ? mxGetNumberOfElements(paths) : 0;
    const char **list = mxMalloc((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = mxArrayToString(mxGetCell(paths, i));
    if (side)
        options.samples_are = strcmp(side, "rows") == 0 ? ONEFOLD_SIDE_ROWS : ONEFOLD_SIDE_COLUMNS;
    read_columns_of(from, &options);
    WORD(from, "impute", options.impute, onefold_impute, ONEFOLD_NAMES_IMPUTE);
    begin(from);
    check(onefold_dataset_read(&held.data, held.context, list, count, &options));
    size_t p = onefold_dataset_describe(held.data)->views,
           n = onefold_dataset_describe(held.data)->samples,
           notes = onefold_dataset_describe(held.data)->notes,
           assumptions = onefold_dataset_describe(held.data)->assumptions;
    mxArray *all = empty_struct(), *views = mxCreateCellMatrix(1, p),
            *names = mxCreateCellMatrix(1, p), *sparse = mxCreateDoubleMatrix(1, p, mxREAL),
            *kernel = mxCreateDoubleMatrix(1, p, mxREAL), *found = mxCreateCellMatrix(notes, 1),
            *assumed = mxCreateCellMatrix(assumptions, 1), *columns = mxCreateCellMatrix(1, p),
            *units = mxCreateCellMatrix(1, p), *present = mxCreateDoubleMatrix(n, p, mxREAL);
    for (size_t i = 0; i < p; i++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        check(onefold_dataset_view(held.data, i, &info));
        int is_sparse = info.storage == ONEFOLD_STORAGE_SPARSE;
        ((double *)mxGetData(sparse))[i] = is_sparse;
        ((double *)mxGetData(kernel))[i] = info.storage == ONEFOLD_STORAGE_KERNEL;
        mxSetCell(names, i, mxCreateString(info.name));
        mxSetCell(columns, i, columns_of(&info));
        mxSetCell(units, i, units_of(&info));
        mxSetCell(views, i,
                  is_sparse ? sparse_of(i, info.columns, info.nonzeros)
                            : values_of(i, info.columns));
        for (size_t j = 0; j < n; j++)
            ((double *)mxGetData(present))[j + i * n] = is_present(j, i);
    }
    for (size_t i = 0; i < notes; i++)
        mxSetCell(found, i, mxCreateString(onefold_dataset_describe(held.data)->note[i]));
    for (size_t i = 0; i < assumptions; i++)
        mxSetCell(assumed, i, mxCreateString(onefold_dataset_describe(held.data)->assumption[i]));
    put(all, "views", views);
    put(all, "names", names);
    put(all, "columns", columns);
    put(all, "units", units);
    put(all, "sparse", sparse);
    put(all, "kernel", kernel);
    put(all, "present", present);
    put(all, "notes", found);
    put(all, "assumptions", assumed);
    put(all, "truth", labels_of(onefold_dataset_describe(held.data)->truth, n));
    return all;
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    static const struct {
        const char *name;
        mxArray *(*run)(const mxArray *from);
    } verbs[] = {{"fit", fit},     {"predict", predict}, {"choose", choose},
                 {"bench", bench}, {"score", score},     {"read", read_files}};
    char verb[16] = "";
    (void)nlhs;
    release(); /* what a call that was ended from outside may have left */
    if (nrhs == 2 && mxIsStruct(prhs[1]))
        mxGetString(prhs[0], verb, sizeof verb);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verb, verbs[i].name) == 0) {
            plhs[0] = verbs[i].run(prhs[1]);
            release();
            return;
        }
    refuse("onefold_mex serves the functions of the package: see help onefold");
}
