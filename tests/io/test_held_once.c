/* SPDX-License-Identifier: Apache-2.0 */
/* Data are in memory once: a mapped file takes none, a compressed one its decompressed size, text
 * its numbers. Numbers keep the type of the file. */
#include "onefold.h"

#include "support/ask.h"
#include "support/check.h"
#include "support/folder.h"

#include <string.h>

enum { SAMPLES = 20000, COLUMNS = 25, SMALL = 64 << 10 };

/* Reads a file in a context of its own; returns the peak of its memory. */
static size_t peak_of(void **state, const char *name, const char *type)
{
    const char *path = folder_path(state, name);
    onefold_context *context = NULL;
    onefold_dataset *data = NULL;
    onefold_view_info info = ONEFOLD_VIEW_INFO_INIT;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_dataset_read(&data, context, &path, 1, NULL));
    CHECK_OK(onefold_dataset_view(data, 0, &info));
    assert_string_equal(onefold_name(ONEFOLD_NAMES_TYPE, info.type), type);
    assert_int_equal(onefold_dataset_describe(data)->samples, SAMPLES);
    assert_int_equal(info.columns, COLUMNS);
    double one[COLUMNS];
    CHECK_OK(onefold_dataset_values(one, data, 0, SAMPLES - 1, 1));
    for (size_t i = 0; i < COLUMNS; i++)
        assert_true(one[i] == (double)((SAMPLES - 1) * COLUMNS + i));
    onefold_dataset_free(data);
    size_t peak = ask_peak(context);
    onefold_context_free(context);
    return peak;
}

static void files_are_held_once(void **state)
{
    CHECK_PYTHON(state, "numpy,scipy",
                 "import numpy, scipy.io\n"
                 "x = numpy.arange(500000.0).reshape(20000, 25)\n"
                 "f = x.astype(numpy.float32)\n"
                 "numpy.save('rows.npy', x)\n"
                 "numpy.save('columns.npy', numpy.asfortranarray(x))\n"
                 "numpy.save('single.npy', f)\n"
                 "numpy.savez('plain.npz', X1=f)\n"
                 "numpy.savez_compressed('packed.npz', X1=f)\n"
                 "scipy.io.savemat('packed.mat', {'X': x}, do_compression=True)\n"
                 "numpy.savetxt('text.csv', x, fmt='%d', delimiter=',')\n");
    const size_t numbers = (size_t)SAMPLES * COLUMNS;
    assert_true(peak_of(state, "rows.npy", "float64") < SMALL);
    assert_true(peak_of(state, "columns.npy", "float64") < SMALL);
    assert_true(peak_of(state, "single.npy", "float32") < SMALL);
    assert_true(peak_of(state, "plain.npz", "float32") < SMALL);
    assert_true(peak_of(state, "packed.npz", "float32") < 4 * numbers + SMALL);
    assert_true(peak_of(state, "packed.mat", "float64") < 8 * numbers + SMALL);
    assert_true(peak_of(state, "text.csv", "float64") < 8 * numbers + SMALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_held_once),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
