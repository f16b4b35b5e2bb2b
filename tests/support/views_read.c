/* SPDX-License-Identifier: Apache-2.0 */
#include "support/views_read.h"
#include "support/ask.h"

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

onefold_dataset *read_one(const char *path, const onefold_read_options *options)
{
    onefold_dataset *data = NULL;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, options));
    return data;
}

void read_fails(const char *path, const onefold_read_options *options, onefold_status status,
                const char *text)
{
    onefold_dataset *data = NULL;
    CHECK_FAILS(onefold_dataset_read(&data, NULL, &path, 1, options), status, text);
    assert_null(data);
}

void expect_view(const onefold_dataset *data, size_t v, const char *name, const char *storage,
                 size_t columns, const double *values)
{
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(data, v, &info));
    assert_string_equal(info.name, name);
    assert_string_equal(onefold_name(ONEFOLD_NAMES_STORAGE, info.storage), storage);
    assert_int_equal(info.columns, columns);
    size_t n = onefold_dataset_describe(data)->samples;
    double *got = malloc(n * columns * sizeof *got);
    of_view_tile(&data->set.views[v], 0, n, got, columns);
    for (size_t e = 0; e < n * columns; e++)
        if (!(got[e] == values[e]))
            fail_msg("%s: sample %zu, column %zu is %.17g, not %.17g", name, e / columns + 1,
                     e % columns + 1, got[e], values[e]);
    free(got);
}

void expect_truth(const onefold_dataset *data, const char *names)
{
    char got[4096] = "";
    const int32_t *truth = onefold_dataset_describe(data)->truth;
    for (size_t j = 0; truth && j < onefold_dataset_describe(data)->samples; j++) {
        if (j)
            strcat(got, " ");
        strcat(got, onefold_dataset_describe(data)->class_names[(size_t)truth[j]]);
    }
    assert_string_equal(got, names);
}

void expect_note(const onefold_dataset *data, const char *text)
{
    for (size_t i = 0; i < onefold_dataset_describe(data)->notes; i++)
        if (strstr(onefold_dataset_describe(data)->note[i], text))
            return;
    for (size_t i = 0; i < onefold_dataset_describe(data)->notes; i++)
        print_message("note: %s\n", onefold_dataset_describe(data)->note[i]);
    fail_msg("no note holds \"%s\"", text);
}

void every_allocation_fails(const char *const *paths, size_t count,
                            const onefold_read_options *options)
{
    onefold_context *context;
    CHECK_OK(onefold_context_create(&context, NULL));
    long failures = 0;
    for (long until = 0;; until++) {
        atomic_store(&context->allocations_until_failure, until);
        onefold_dataset *data = NULL;
        onefold_status status = onefold_dataset_read(&data, context, paths, count, options);
        if (status == ONEFOLD_OK) {
            if (atomic_load(&context->allocations_until_failure) < 0)
                fail_msg("allocation %ld failed, and nobody said so", until);
            atomic_store(&context->allocations_until_failure, -1);
            onefold_dataset_free(data);
            assert_int_equal(atomic_load(&context->bytes), 0);
            break;
        }
        assert_int_equal(status, ONEFOLD_NO_MEMORY);
        assert_null(data);
        assert_int_equal(atomic_load(&context->bytes), 0);
        failures++;
    }
    assert_true(failures >= 8);
    onefold_context_free(context);
}

static void say(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void say(char *text, size_t room, const char *format, ...)
{
    va_list list;
    size_t used = strlen(text);
    va_start(list, format);
    vsnprintf(text + used, room - used, format, list);
    va_end(list);
}

void describe_read(const onefold_dataset *data, char *text, size_t room)
{
    size_t samples = onefold_dataset_describe(data)->samples;
    const int32_t *truth = onefold_dataset_describe(data)->truth;
    for (size_t v = 0; v < onefold_dataset_describe(data)->views; v++) {
        onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
        double row[16];
        CHECK_OK(onefold_dataset_view(data, v, &info));
        assert_true(info.columns <= 16);
        say(text, room, "%s%s", v ? "; " : "", onefold_name(ONEFOLD_NAMES_STORAGE, info.storage));
        for (size_t j = 0; j < samples; j++) {
            int there = ask_present(data, j, v);
            CHECK_OK(onefold_dataset_values(row, data, v, j, 1));
            for (size_t i = 0; there && i < info.columns; i++)
                say(text, room, " %g", row[i]);
            say(text, room, "%s%s", there ? "" : " -", j + 1 < samples ? "," : "");
        }
        for (size_t i = 0; ask_column_name(data, v, 0) && i < info.columns; i++)
            say(text, room, "%s%s", i ? " " : " of ", ask_column_name(data, v, i));
    }
    for (size_t j = 0; ask_sample_name(data, 0) && j < samples; j++)
        say(text, room, "%s%s", j ? " " : "; ids ", ask_sample_name(data, j));
    for (size_t j = 0; truth && j < samples; j++)
        say(text, room, "%s%s", j ? " " : "; truth ",
            onefold_dataset_describe(data)->class_names[(size_t)truth[j]]);
}
