/* SPDX-License-Identifier: Apache-2.0 */
/* Headers of .npy that were changed: what NumPy's own reader refuses is refused, and what is read
 * has NumPy's values. */
#include "support/check.h"
#include "support/folder.h"
#include "support/made.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 3, CHANGED = 1200 };

static const char sound[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3), }";

/* Pieces of the sound header, and what takes their place. */
static const struct {
    const char *piece, *other;
} changes[] = {
    {"(5, 3)", "(5)"},
    {"(5, 3)", "(5,)"},
    {"(5, 3)", "(5 3)"},
    {"(5, 3)", "(5,, 3)"},
    {"(5, 3)", "(,)"},
    {"(5, 3)", "()"},
    {"(5, 3)", "(5, 3,)"},
    {"(5, 3)", "[5, 3]"},
    {"(5, 3)", "5, 3"},
    {"(5, 3)", "(05, 3)"},
    {"(5, 3)", "(5, 03)"},
    {"(5, 3)", "(5.0, 3)"},
    {"(5, 3)", "(5L, 3L)"},
    {"(5, 3)", "(5LL, 3)"},
    {"(5, 3)", "(5l, 3)"},
    {"(5, 3)", "(-5, -3)"},
    {"(5, 3)", "(5, 3) "},
    {"(5, 3)", "(5, 3)) "},
    {"(5, 3)", "((5, 3))"},
    {"(5, 3)", "('5', 3)"},
    {"(5, 3)", "(5, 3"},
    {"(5, 3)", "(0x5, 3)"},
    {"(5, 3)", "(5\n,\t3)"},
    {"(5, 3)", "(5,\v3)"},
    {"(5, 3)", "(15)"},
    {"(5, 3)", "(15,)"},
    {"False", "false"},
    {"False", "0"},
    {"False", "T"},
    {"False", "True"},
    {"False", "Fals"},
    {"False", "Falsee"},
    {"False", "'False'"},
    {"False", "None"},
    {"False", "False, "},
    {"False,", "False"},
    {"'<f8'", "<f8"},
    {"'<f8'", "'<f8"},
    {"'<f8'", "'<f8\""},
    {"'<f8'", "\"<f8\""},
    {"'<f8'", "'<f08'"},
    {"'<f8'", "'<f8x'"},
    {"'<f8'", "'<f8 '"},
    {"'<f8'", "' <f8'"},
    {"'<f8'", "'<f3'"},
    {"'<f8'", "'xf8'"},
    {"'<f8'", "'=f8'"},
    {"'<f8'", "'|f8'"},
    {"'<f8'", "'!f8'"},
    {"'<f8'", "'>f8'"},
    {"'<f8'", "'<F8'"},
    {"'<f8'", "'<i4'"},
    {"'<f8'", "'<i3'"},
    {"'<f8'", "'<u0'"},
    {"'<f8'", "'|b1'"},
    {"'<f8'", "'|b2'"},
    {"'<f8'", "'<f'"},
    {"'<f8'", "'<'"},
    {"'<f8'", "''"},
    {"'<f8'", "'<f8' '<f8'"},
    {"'<f8'", "8"},
    {"'<f8'", "['<f8']"},
    {"'<f8'", "('<f8', (2,))"},
    {"'descr'", "'Descr'"},
    {"'descr'", "descr"},
    {"'descr'", "'descr '"},
    {"'descr': '<f8', ", ""},
    {"'descr':", "'descr'"},
    {"'descr':", "'descr'::"},
    {"'shape': (5, 3), ", ""},
    {"'shape'", "'shape_'"},
    {"'shape'", "'a': 1, 'shape'"},
    {"'shape'", "'shape': (1,), 'shape'"},
    {"{", ""},
    {"{", "{{"},
    {"{", "\n{"},
    {"{", " {"},
    {"{", "[{"},
    {"}", ""},
    {"}", "}}"},
    {"}", "} x"},
    {"}", "}; 1"},
    {"}", "}\n"},
    {"}", "} # a note"},
    {", }", "}"},
    {", }", ",, }"},
    {"'fortran_order'", "'fortran_orde'"},
    {"'fortran_order'", "b'fortran_order'"},
};
enum { CHANGES = sizeof changes / sizeof *changes };

/* A piece replaced, or one to three signs replaced, put in or taken out. */
static void change(size_t number, uint64_t *random, char text[512])
{
    static const char signs[] = "'\"(){}[]:, \n\t0123456789<>|=fiubSULTFalse_\\#.-+x\v";
    strcpy(text, sound);
    if (number == 0)
        return;
    if (number <= CHANGES) {
        const char *piece = changes[number - 1].piece, *at = strstr(sound, piece);
        snprintf(text, 512, "%.*s%s%s", (int)(at - sound), sound, changes[number - 1].other,
                 at + strlen(piece));
        return;
    }
    for (size_t times = 1 + check_below(random, 3); times > 0; times--) {
        size_t length = strlen(text), at = check_below(random, length),
               how = check_below(random, 3);
        char sign = signs[check_below(random, sizeof signs - 1)];
        if (how == 0)
            text[at] = sign;
        if (how == 1)
            memmove(text + at, text + at + 1, length - at);
        if (how == 2) {
            memmove(text + at + 1, text + at, length - at + 1);
            text[at] = sign;
        }
    }
}

static const char *file_path(void **state, size_t number)
{
    char name[32];
    snprintf(name, sizeof name, "%zu.npy", number);
    return folder_path(state, name);
}

static void write_changed(void **state, size_t number, uint64_t *random)
{
    char text[512];
    made file = {0};
    size_t version =
               number <= 2 * CHANGES ? 1 + number / (CHANGES + 1) * 2 : 1 + check_below(random, 3),
           minor = number == CHANGED - 1;
    change(number <= 2 * CHANGES ? number % (CHANGES + 1) : number, random, text);
    made_put(&file, "\x93NUMPY", 6);
    made_number(&file, version, 1, 0);
    made_number(&file, minor, 1, 0);
    made_number(&file, strlen(text), version == 1 ? 2 : 4, 0);
    made_text(&file, text);
    for (int e = 0; e < ROWS * COLUMNS; e++)
        made_value(&file, ONEFOLD_FLOAT64, 1.5 + e * e, 0);
    made_save(&file, file_path(state, number));
    made_free(&file);
}

/* Compares with what NumPy said of a file: its number of values, or -1 where it refused it. */
static void check_changed(void **state, size_t number, FILE *said, size_t *both)
{
    const char *path = file_path(state, number);
    onefold_read_options options = ONEFOLD_READ_OPTIONS_INIT;
    onefold_dataset *data = NULL;
    int count;
    double values[256], want, got[256];
    options.samples_are = ONEFOLD_SIDE_ROWS;
    assert_int_equal(fscanf(said, "%d", &count), 1);
    onefold_status status = onefold_dataset_read(&data, NULL, &path, 1, &options);
    if (count < 0 && status == ONEFOLD_OK) {
        size_t size;
        char *bytes = folder_read(path, &size);
        fail_msg("NumPy refuses what is read: %.*s", (int)(size - 130), bytes + 10);
    }
    for (int e = 0; e < count; e++) {
        assert_int_equal(fscanf(said, "%lf", &want), 1);
        values[e] = want;
    }
    if (status != ONEFOLD_OK)
        return;
    onefold_view_info view = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_dataset_view(data, 0, &view));
    size_t samples = onefold_dataset_describe(data)->samples;
    if (onefold_dataset_describe(data)->views == 1 && view.missing == 0) {
        assert_int_equal(samples * view.columns, count);
        CHECK_OK(onefold_dataset_values(got, data, 0, 0, samples));
        for (int e = 0; e < count; e++)
            if (got[e] != values[e])
                fail_msg("%s: value %d is %g, and %g to NumPy", path, e, got[e], values[e]);
        ++*both;
    }
    onefold_dataset_free(data);
}

static void what_numpy_refuses_is_refused(void **state)
{
    uint64_t random = 7;
    size_t both = 0;
    for (size_t i = 0; i < CHANGED; i++)
        write_changed(state, i, &random);
    CHECK_PYTHON(state, "numpy",
                 "import numpy, warnings\n"
                 "warnings.simplefilter('ignore')\n"
                 "with open('said', 'w') as said:\n"
                 "    for i in range(1200):\n"
                 "        try:\n"
                 "            x = numpy.load('%d.npy' % i)\n"
                 "            x = x.view('u1') if x.dtype == bool else x\n"
                 "            x = x.astype(float).ravel()[:256]\n"
                 "            print(len(x), *(repr(float(v)) for v in x), file=said)\n"
                 "        except Exception:\n"
                 "            print(-1, file=said)\n");
    FILE *said = fopen(folder_path(state, "said"), "r");
    assert_non_null(said);
    for (size_t i = 0; i < CHANGED; i++)
        check_changed(state, i, said, &both);
    fclose(said);
    print_message("%zu of %d headers are read by both\n", both, CHANGED);
    assert_true(both >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_numpy_refuses_is_refused, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
