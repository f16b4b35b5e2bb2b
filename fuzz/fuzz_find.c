/* SPDX-License-Identifier: Apache-2.0 */
/* The rules that find views, labels and who is present: an archive of variables whose names, types
 * and shapes the input picks. */
#include "fuzz/fuzz.h"
#include "fuzz/zip.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"X",
                                    "X1",
                                    "X2",
                                    "x",
                                    "K",
                                    "KH",
                                    "Y",
                                    "y",
                                    "gt",
                                    "labels",
                                    "truth",
                                    "gnd",
                                    "fea",
                                    "data",
                                    "MissingStatus",
                                    "present",
                                    "names",
                                    "ids",
                                    "sample_names",
                                    "row_names",
                                    "A.data",
                                    "A.indices",
                                    "A.indptr",
                                    "A.shape",
                                    "data.0",
                                    "indices",
                                    "indptr",
                                    "shape",
                                    "format",
                                    "V{1}",
                                    "a/b",
                                    "",
                                    "views",
                                    "view_names"};
enum { NAMES = sizeof names / sizeof *names };

static const struct {
    const char *descr;
    size_t bytes;
} types[] = {{"<f8", 8}, {"<f4", 4},  {"<i4", 4}, {"<i8", 8}, {"|u1", 1},
             {"|b1", 1}, {"<U3", 12}, {"|S4", 4}, {">f8", 8}, {"<u2", 2}};
enum { TYPES = sizeof types / sizeof *types };

/* One variable: name, type, shape, values that repeat. */
static void add_variable(fuzz_zip *zip, fuzz_bytes *rest)
{
    static uint8_t array[1 << 13];
    char name[64], shape[64], header[128];
    snprintf(name, sizeof name, "%s.npy", names[fuzz_take(rest) % NAMES]);
    unsigned kind = fuzz_take(rest), type = kind % TYPES, form = fuzz_take(rest);
    size_t rows = fuzz_take(rest) % 24, columns = fuzz_take(rest) % 24, count = rows * columns;
    if (form % 4 == 0)
        count = rows;
    if (form % 4 == 0)
        snprintf(shape, sizeof shape, "(%zu,)", rows);
    else
        snprintf(shape, sizeof shape, "(%zu, %zu)", rows, columns);
    int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n",
                 types[type].descr, form & 4 ? "True" : "False", shape);
    memcpy(array, "\x93NUMPY\1\0", 8);
    array[8] = (uint8_t)length;
    array[9] = 0;
    memcpy(array + 10, header, (size_t)length);
    size_t size = 10 + (size_t)length, total = size + count * types[type].bytes;
    unsigned step = fuzz_take(rest), cut = form >> 3;
    for (size_t i = 0; size < total; size++, i++)
        array[size] = (uint8_t)(kind & 128 ? fuzz_take(rest) : i / types[type].bytes % (step + 1));
    if (type == 0 && !(kind & 128))
        for (size_t i = 0; i < count; i++) {
            double value = (double)(i * (step + 1) % 17) - 3;
            memcpy(array + total - (count - i) * 8, &value, 8);
        }
    fuzz_zip_add(zip, name, array, cut < total && cut > 24 ? total - cut : total);
}

int fuzz_find(const uint8_t *bytes, size_t size)
{
    static fuzz_zip zip;
    fuzz_bytes rest = {bytes, size};
    onefold_read_options options = fuzz_read_options(fuzz_take(&rest) & 0x7f);
    zip.size = zip.list_size = 0;
    zip.entries = 0;
    for (int i = 0; i < 8 && rest.left > 0; i++)
        add_variable(&zip, &rest);
    fuzz_zip_end(&zip);
    const char *path = fuzz_save("found.npz", zip.bytes, zip.size);
    fuzz_read(&path, 1, &options);
    return 0;
}
