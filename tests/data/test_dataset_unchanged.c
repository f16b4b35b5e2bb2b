/* SPDX-License-Identifier: Apache-2.0 */
/* A call that fails changes nothing: each allocation of each call that changes an object is made to
 * fail, and the object has the same content, and the context the same bytes, as before. */
#include "data/dataset.h"

#include "support/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6, D = 3 };

static double values[N * D], kernel[N * N];
static float singles[N * D];
static size_t starts[N + 1], wide[N];
static uint32_t places[N];
static int64_t labels[N];
static uint8_t present[N * 4];
static const char *const names[] = {"one", "two", "three", "four", "five", "six", "seven"};

static void make_numbers(void)
{
    for (size_t i = 0; i < N * D; i++)
        singles[i] = (float)(values[i] = 1 + (double)(i * 7 % 11));
    for (size_t j = 0; j < N; j++) {
        labels[j] = (int64_t)(j % 2) + 3;
        starts[j + 1] = j + 1;
        wide[j] = (size_t)(places[j] = (uint32_t)(j % D));
        for (size_t i = 0; i < N; i++)
            kernel[j * N + i] = i == j ? 2 : 1;
    }
    memset(present, 1, sizeof present);
    present[2] = 0;
}

static void tell_names(FILE *to, const char *const *list, size_t count)
{
    fprintf(to, list ? "(" : "-");
    for (size_t i = 0; list && i < count; i++)
        fprintf(to, "%s,", list[i]);
    fprintf(to, "\n");
}

/* All that a data set holds, as text. */
static char *tell(const onefold_dataset *data)
{
    const of_dataset *set = &data->set;
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    fprintf(to, "%zu %zu %zu %d %d\n", set->samples, set->view_count, set->class_count,
            (int)set->impute, set->unsettled);
    tell_names(to, set->sample_names, set->samples);
    tell_names(to, set->class_names, set->class_count);
    tell_names(to, (const char *const *)set->notes, set->note_count);
    tell_names(to, (const char *const *)set->assumptions, set->assumption_count);
    for (size_t j = 0; set->truth && j < set->samples; j++)
        fprintf(to, "%d ", (int)set->truth[j]);
    for (size_t j = 0; set->present && j < set->samples * set->view_count; j++)
        fprintf(to, "%d", set->present[j]);
    for (size_t v = 0; v < set->view_count; v++) {
        const of_view *view = &set->views[v];
        double row[N];
        fprintf(to, "\n%s %d %d %zu x %zu, %p\n", view->name, (int)view->storage, (int)view->type,
                view->samples, view->columns, view->data);
        tell_names(to, view->column_names, view->columns);
        for (size_t i = 0; view->column_unit && i < view->columns; i++)
            fprintf(to, "%u ", view->column_unit[i]);
        for (size_t j = 0; j < view->samples; j++) {
            of_view_tile(view, j, 1, row, view->columns);
            for (size_t i = 0; i < view->columns; i++) {
                uint64_t bits;
                memcpy(&bits, &row[i], sizeof bits);
                fprintf(to, "%" PRIx64 " ", bits);
            }
        }
    }
    fclose(to);
    return text;
}

static onefold_dataset *other; /* with the names of labels in another order */

static onefold_status add_dense(onefold_dataset *data)
{
    return onefold_dataset_add_dense(data, NULL, values, D, D, 1);
}
static onefold_status add_single(onefold_dataset *data)
{
    return onefold_dataset_add_dense_single(data, "s", singles, D, D, 1);
}
static onefold_status add_sparse(onefold_dataset *data)
{
    return onefold_dataset_add_sparse(data, "t", D, starts, places, values);
}
static onefold_status add_kernel(onefold_dataset *data)
{
    return onefold_dataset_add_kernel(data, "k", kernel);
}
static onefold_status borrow_dense(onefold_dataset *data)
{
    return onefold_dataset_borrow_dense(data, "b", values, ONEFOLD_FLOAT64, D, D, 1);
}
static onefold_status borrow_kernel(onefold_dataset *data)
{
    return onefold_dataset_borrow_kernel(data, "l", kernel, ONEFOLD_FLOAT64, N, 1);
}
static onefold_status borrow_sparse(onefold_dataset *data)
{
    return onefold_dataset_borrow_sparse(data, "u", D, starts, wide, ONEFOLD_UINT64, values,
                                         ONEFOLD_FLOAT64);
}

/* A row of NaN alone lacks the view; a single NaN is filled in. */
static onefold_status borrow_row_of_nan(onefold_dataset *data)
{
    static double holes[N * D];
    memcpy(holes, values, sizeof holes);
    for (size_t i = 0; i < D; i++)
        holes[2 * D + i] = NAN;
    return onefold_dataset_borrow_dense(data, "holes", holes, ONEFOLD_FLOAT64, D, D, 1);
}
static onefold_status add_filled(onefold_dataset *data)
{
    double holes[N * D];
    memcpy(holes, values, sizeof holes);
    holes[4] = NAN;
    CHECK_OK(onefold_dataset_set_impute(data, ONEFOLD_IMPUTE_MEDIAN));
    return onefold_dataset_add_dense(data, "filled", holes, D, D, 1);
}
static onefold_status add_for_model(onefold_dataset *data)
{
    double holes[N * D];
    memcpy(holes, values, sizeof holes);
    holes[4] = NAN;
    CHECK_OK(onefold_dataset_set_impute(data, ONEFOLD_IMPUTE_MODEL));
    return onefold_dataset_add_dense(data, "open", holes, D, D, 1);
}
static onefold_status set_truth(onefold_dataset *data)
{
    return onefold_dataset_set_truth(data, labels, NULL);
}
static onefold_status set_named_truth(onefold_dataset *data)
{
    return onefold_dataset_set_truth(data, labels, names + 2);
}
static onefold_status set_columns(onefold_dataset *data)
{
    return onefold_dataset_set_column_names(data, 0, names);
}
static onefold_status set_units(onefold_dataset *data)
{
    return onefold_dataset_set_column_units(data, 0, places);
}
static onefold_status set_samples(onefold_dataset *data)
{
    return onefold_dataset_set_sample_names(data, names);
}
static onefold_status set_present(onefold_dataset *data)
{
    return onefold_dataset_set_present(data, present);
}
static onefold_status match(onefold_dataset *data)
{
    int matched;
    return onefold_labels_match(data, other, &matched);
}

typedef onefold_status change(onefold_dataset *data);

/* A data set with views, a view that some lack, and names that no change of the test gives. */
static onefold_dataset *begin(onefold_context *context, int with_missing)
{
    static const int64_t first[N] = {1, 2, 3, 1, 2, 3};
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_create(&data, context, N));
    CHECK_OK(onefold_dataset_add_dense(data, "first", values, D, D, 1));
    CHECK_OK(onefold_dataset_set_column_names(data, 0, names + 3));
    CHECK_OK(onefold_dataset_set_sample_names(data, names + 1));
    CHECK_OK(onefold_dataset_set_truth(data, first, names));
    CHECK_OK(add_sparse(data));
    CHECK_OK(with_missing ? borrow_row_of_nan(data) : add_single(data));
    CHECK_OK(borrow_dense(data)); /* the next view makes the list of views grow */
    return data;
}

static void try_change(onefold_context *context, change *make, int with_missing)
{
    long failing = 0;
    onefold_dataset *fresh = begin(context, with_missing);
    CHECK_OK(make(fresh));
    onefold_dataset *data = begin(context, with_missing);
    if (make == add_filled || make == add_for_model) /* they set this before the call */
        CHECK_OK(onefold_dataset_set_impute(data, fresh->set.impute));
    for (;; failing++) {
        char *before = tell(data), *after;
        size_t held = atomic_load(&context->bytes);
        atomic_store(&context->allocations_until_failure, failing);
        onefold_status status = make(data);
        atomic_store(&context->allocations_until_failure, -1);
        after = tell(data);
        if (status == ONEFOLD_OK) {
            free(before);
            free(after);
            break;
        }
        assert_int_equal(status, ONEFOLD_NO_MEMORY);
        assert_string_equal(after, before);
        if (make == match || data->set.view_count != 4) /* else a larger list of views may stay */
            assert_int_equal(atomic_load(&context->bytes), held);
        free(before);
        free(after);
    }
    assert_true(failing > 0);
    for (size_t v = 0; v < data->set.view_count; v++) /* copies lie elsewhere */
        data->set.views[v].data = fresh->set.views[v].data;
    char *want = tell(fresh), *got = tell(data);
    assert_string_equal(got, want);
    free(want);
    free(got);
    onefold_dataset_free(fresh);
    onefold_dataset_free(data);
}

static void a_failed_call_changes_nothing(void **state)
{
    (void)state;
    static change *const changes[] = {
        add_dense,     add_single,        add_sparse,  add_kernel,    borrow_dense, borrow_kernel,
        borrow_sparse, borrow_row_of_nan, add_filled,  add_for_model, set_truth,    set_named_truth,
        set_columns,   set_units,         set_samples, set_present,   match,
    };
    onefold_context *context = NULL;
    make_numbers();
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 1));
    CHECK_OK(onefold_dataset_create(&other, context, N));
    CHECK_OK(onefold_dataset_set_truth(other, labels, NULL));
    CHECK_OK(onefold_dataset_set_sample_names(
        other, (const char *const[]){"seven", "six", "five", "four", "three", "two"}));
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (int with_missing = 0; with_missing < 2; with_missing++)
            try_change(context, changes[i], with_missing);
    onefold_dataset_free(other);
    assert_int_equal(atomic_load(&context->bytes), 0);
    onefold_context_free(context);
}

/* Every adder refuses an array that reaches beyond memory, before it reads the first number. */
static void extents_are_checked_by_every_adder(void **state)
{
    (void)state;
    static const size_t steps[] = {(size_t)1 << 60, (size_t)-4, SIZE_MAX, PTRDIFF_MAX / 8};
    onefold_dataset *data = NULL;
    make_numbers();
    CHECK_FAILS(onefold_dataset_create(&data, NULL, SIZE_MAX), ONEFOLD_USAGE, "memory can hold");
    CHECK_FAILS(onefold_dataset_create(&data, NULL, PTRDIFF_MAX / 8 + 1), ONEFOLD_USAGE,
                "memory can hold");
    CHECK_OK(onefold_dataset_create(&data, NULL, N));
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        size_t step = steps[s];
#define REFUSED(call) CHECK_FAILS(call, ONEFOLD_USAGE, "are more than memory can hold")
        REFUSED(onefold_dataset_add_dense(data, "a", values, D, step, 1));
        REFUSED(onefold_dataset_add_dense(data, "a", values, D, D, step));
        REFUSED(onefold_dataset_add_dense(data, "a", values, step, D, 1));
        REFUSED(onefold_dataset_add_dense_single(data, "a", singles, D, step, 1));
        REFUSED(onefold_dataset_add_dense_single(data, "a", singles, D, D, step));
        REFUSED(onefold_dataset_borrow_dense(data, "a", values, ONEFOLD_FLOAT64, D, step, 1));
        REFUSED(onefold_dataset_borrow_dense(data, "a", values, ONEFOLD_INT64, D, D, step));
        REFUSED(onefold_dataset_borrow_kernel(data, "a", kernel, ONEFOLD_FLOAT64, step, 1));
        REFUSED(onefold_dataset_borrow_kernel(data, "a", kernel, ONEFOLD_FLOAT64, N, step));
    }
    assert_int_equal(onefold_dataset_describe(data)->views, 0);
    onefold_dataset_free(data);
    CHECK_OK(onefold_dataset_create(&data, NULL, PTRDIFF_MAX / 8)); /* no memory is taken yet */
    REFUSED(onefold_dataset_add_dense(data, "a", values, 2, 2, 1));
    REFUSED(onefold_dataset_add_kernel(data, "a", kernel));
    REFUSED(onefold_dataset_add_sparse(data, "a", D, starts, places, values));
    REFUSED(onefold_dataset_borrow_sparse(data, "a", D, starts, wide, ONEFOLD_UINT64, values,
                                          ONEFOLD_FLOAT64));
    onefold_dataset_free(data);
}

/* A device that cannot be used leaves the one that was chosen before. */
static void a_device_that_fails_changes_nothing(void **state)
{
    (void)state;
    onefold_context *context = NULL;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_device(context, ONEFOLD_DEVICE_AUTO));
    const void *before = context->device;
    assert_non_null(before);
    CHECK_FAILS(onefold_context_set_device(context, (onefold_device)7), ONEFOLD_USAGE, "7");
    if (onefold_context_set_device(context, ONEFOLD_DEVICE_GPU) != ONEFOLD_OK)
        assert_ptr_equal(context->device, before);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_call_changes_nothing),
        cmocka_unit_test(extents_are_checked_by_every_adder),
        cmocka_unit_test(a_device_that_fails_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
