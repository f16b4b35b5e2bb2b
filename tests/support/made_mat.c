/* SPDX-License-Identifier: Apache-2.0 */
/* MATLAB 5 files made byte by byte. */
#include "support/made.h"

#include "support/check.h"

#include <string.h>

static const int stored[OF_TYPE_COUNT] = {
    [OF_F64] = 9, [OF_F32] = 7, [OF_I8] = 1,  [OF_U8] = 2,   [OF_I16] = 3,
    [OF_U16] = 4, [OF_I32] = 5, [OF_U32] = 6, [OF_I64] = 12, [OF_U64] = 13};

void made_mat_header(made *bytes, int big)
{
    char text[124];
    memset(text, ' ', sizeof text);
    memcpy(text, "MATLAB 5.0 MAT-file, made by a test", 35);
    memset(text + 116, 0, 8);
    made_put(bytes, text, sizeof text);
    made_number(bytes, 0x0100, 2, big);
    made_number(bytes, 'M' << 8 | 'I', 2, big);
}

void made_mat_element(made *bytes, int type, const void *data, size_t size, int big)
{
    static const char zeros[8];
    if (size > 0 && size <= 4) { /* the small form */
        made_number(bytes, (uint64_t)size << 16 | (uint64_t)type, 4, big);
        made_put(bytes, data, size);
        made_put(bytes, zeros, 4 - size);
        return;
    }
    made_number(bytes, (uint64_t)type, 4, big);
    made_number(bytes, size, 4, big);
    made_put(bytes, data, size);
    made_put(bytes, zeros, (8 - size % 8) % 8);
}

void made_mat_array(made *bytes, int class, const size_t side[3], const char *name,
                    const made *parts, int big)
{
    made inside = {0}, words = {0};
    made_number(&words, (uint64_t) class, 4, big);
    made_number(&words, 0, 4, big);
    made_mat_element(&inside, 6, words.data, words.size, big);
    words.size = 0;
    for (int s = 0; s < (side[2] ? 3 : 2); s++)
        made_number(&words, side[s], 4, big);
    made_mat_element(&inside, 5, words.data, words.size, big);
    made_mat_element(&inside, 1, name, strlen(name), big);
    made_put(&inside, parts->data, parts->size);
    made_number(bytes, 14, 4, big);
    made_number(bytes, inside.size, 4, big);
    made_put(bytes, inside.data, inside.size);
    made_free(&inside);
    made_free(&words);
}

/* Values in a type as one element. */
static void put_values(made *to, of_type type, const double *values, size_t count, int big)
{
    made data = {0};
    for (size_t i = 0; i < count; i++)
        made_value(&data, type, values[i], big);
    made_mat_element(to, stored[type], data.data, data.size, big);
    made_free(&data);
}

void made_mat_dense(made *bytes, const char *name, size_t rows, size_t columns, of_type type,
                    const double *values, int big)
{
    made parts = {0};
    put_values(&parts, type, values, rows * columns, big);
    made_mat_array(bytes, MADE_DOUBLE, (size_t[3]){rows, columns, 0}, name, &parts, big);
    made_free(&parts);
}

void made_mat_tensor(made *bytes, const char *name, size_t rows, size_t columns, size_t pages,
                     const double *values)
{
    made parts = {0};
    put_values(&parts, OF_F64, values, rows * columns * pages, 0);
    made_mat_array(bytes, MADE_DOUBLE, (size_t[3]){rows, columns, pages}, name, &parts, 0);
    made_free(&parts);
}

void made_mat_sparse(made *bytes, const char *name, size_t rows, size_t columns, of_type type,
                     const double *values, int big)
{
    made parts = {0}, index = {0}, start = {0}, data = {0};
    size_t count = 0;
    made_number(&start, 0, 4, big);
    for (size_t c = 0; c < columns; c++) {
        for (size_t r = 0; r < rows; r++)
            if (values[c * rows + r] != 0) {
                made_number(&index, r, 4, big);
                made_value(&data, type, values[c * rows + r], big);
                count++;
            }
        made_number(&start, count, 4, big);
    }
    made_mat_element(&parts, 5, index.data, index.size, big);
    made_mat_element(&parts, 5, start.data, start.size, big);
    made_mat_element(&parts, stored[type], data.data, data.size, big);
    made_mat_array(bytes, MADE_SPARSE, (size_t[3]){rows, columns, 0}, name, &parts, big);
    made_free(&parts);
    made_free(&index);
    made_free(&start);
    made_free(&data);
}

void made_mat_text(made *bytes, const char *name, size_t rows, size_t columns, const char *text)
{
    made parts = {0}, units = {0};
    for (size_t i = 0; i < rows * columns; i++)
        made_number(&units, (unsigned char)text[i], 2, 0);
    made_mat_element(&parts, 4, units.data, units.size, 0);
    made_mat_array(bytes, MADE_CHAR, (size_t[3]){rows, columns, 0}, name, &parts, 0);
    made_free(&parts);
    made_free(&units);
}

void made_mat_pack(made *bytes, size_t start)
{
    made array = {0};
    made_put(&array, bytes->data + start, bytes->size - start);
    made packed = made_packed(&array, "zlib");
    bytes->size = start;
    made_number(bytes, 15, 4, 0);
    made_number(bytes, packed.size, 4, 0);
    made_put(bytes, packed.data, packed.size);
    made_free(&array);
    made_free(&packed);
}
