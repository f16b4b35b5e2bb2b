/* SPDX-License-Identifier: Apache-2.0 */
/* NumPy's .npy: the numbers are used where they lie in the mapped file. */
#include "io/build.h"
#include "io/file.h"
#include "io/number.h"

#include <ctype.h>
#include <string.h>

typedef struct npy_header {
    char order, kind; /* '<', '>' or '|'; 'f', 'i', 'u', 'b', 'S', 'U', ... */
    size_t item;      /* bytes of an element */
    int fortran;
    size_t rank, side[3], elements;
    const unsigned char *data;
    size_t size; /* bytes there are */
} npy_header;

static onefold_status cut_off(void)
{
    return of_hint(of_fail(ONEFOLD_BAD_DATA,
                           "the array is truncated: it is shorter than its header "
                           "says"),
                   "copy or download the file again");
}

/* What stands after 'key': in the header's dictionary. */
static const char *value_of(const char *text, const char *end, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = text; at + length + 2 < end; at++)
        if ((*at == '\'' || *at == '"') && memcmp(at + 1, key, length) == 0 &&
            at[length + 1] == *at) {
            at += length + 2;
            while (at < end && (*at == ':' || isspace((unsigned char)*at)))
                at++;
            return at < end ? at : NULL;
        }
    return NULL;
}

static const char *past_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

static onefold_status no_sense(void)
{
    return of_fail(ONEFOLD_BAD_DATA, "the header of the array has a shape that makes no sense");
}

static onefold_status read_shape(const char *at, const char *end, npy_header *header)
{
    header->elements = 1;
    if (!at || *at++ != '(')
        return of_fail(ONEFOLD_BAD_DATA, "the header of the array has no shape");
    while (at < end && *at != ')') {
        size_t side;
        const char *stop = of_number_read_size(at, end, &side);
        if (stop == at)
            return no_sense();
        if (header->rank < 3)
            header->side[header->rank] = side;
        header->rank++;
        OF_TRY(of_claimed_size(&header->elements, header->elements, side));
        at = past_blanks(stop + (stop < end && *stop == 'L'), end);
        if (at < end && *at == ',')
            at = past_blanks(at + 1, end);
        else if (at < end && *at != ')')
            return no_sense();
    }
    return at < end ? ONEFOLD_OK : no_sense();
}

static onefold_status read_header(const unsigned char *bytes, size_t size, npy_header *header)
{
    memset(header, 0, sizeof *header);
    if (size < 12)
        return cut_off();
    size_t start = bytes[6] == 1 ? 10 : 12, length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (bytes[6] < 1 || bytes[6] > 3)
        return of_fail(ONEFOLD_BAD_DATA, "version %d of the .npy format is not known", bytes[6]);
    if (length > size - start)
        return cut_off();
    const char *text = (const char *)bytes + start, *end = text + length;
    const char *type = value_of(text, end, "descr"), *order = value_of(text, end, "fortran_order");
    OF_TRY(read_shape(value_of(text, end, "shape"), end, header));
    if (!type || !order || end - type < 5)
        return of_fail(ONEFOLD_BAD_DATA, "the header of the array is damaged");
    header->fortran = *order == 'T';
    header->data = bytes + start + length;
    header->size = size - start - length;
    if (*type != '\'' && *type != '"') {
        header->kind = 'V'; /* a list: records of several fields */
        return ONEFOLD_OK;
    }
    header->order = type[1];
    header->kind = type[2];
    of_number_read_size(type + 3, end, &header->item);
    if (header->kind == 'U') /* counts characters, of four bytes each */
        return of_claimed_size(&header->item, header->item, 4);
    return ONEFOLD_OK;
}

static of_type type_of(const npy_header *header)
{
    static const of_type integer[2][9] = {{0, OF_I8, OF_I16, 0, OF_I32, 0, 0, 0, OF_I64},
                                          {0, OF_U8, OF_U16, 0, OF_U32, 0, 0, 0, OF_U64}};
    size_t item = header->item;
    if (header->kind == 'b' && item == 1)
        return OF_U8;
    if (header->kind == 'f' && (item == 4 || item == 8))
        return item == 4 ? OF_F32 : OF_F64;
    if ((header->kind == 'i' || header->kind == 'u') &&
        (item == 1 || item == 2 || item == 4 || item == 8))
        return integer[header->kind == 'u'][item];
    return OF_TYPE_COUNT;
}

static const char *what_kind(const npy_header *header)
{
    switch (header->kind) {
    case 'O':
        return "an array of Python objects";
    case 'c':
        return "complex";
    case 'V':
        return "an array of records";
    case 'M':
    case 'm':
        return "an array of times";
    default:
        return "of a type that is not read";
    }
}

static int is_big(const npy_header *header)
{
    return header->order == '>';
}

/* 16-bit floats become 32-bit ones, which hold them all. */
static onefold_status widen_halves(of_arena *arena, const npy_header *header, const void **data)
{
    float *out;
    OF_TRY(OF_NEW(arena, &out, header->elements, 1));
    for (size_t e = 0; e < header->elements; e++) {
        const unsigned char *half = header->data + 2 * e;
        uint32_t bits =
            is_big(header) ? (uint32_t)half[0] << 8 | half[1] : (uint32_t)half[1] << 8 | half[0];
        uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, rest = bits & 1023;
        float value = (float)rest / 16777216; /* below the smallest exponent */
        if (exponent) {
            uint32_t wide =
                exponent == 31 ? 255u << 23 | rest << 13 : (exponent + 112) << 23 | rest << 13;
            memcpy(&value, &wide, sizeof value);
        }
        out[e] = sign ? -value : value;
    }
    *data = out;
    return ONEFOLD_OK;
}

static onefold_status read_strings(of_top *top, of_owner *owner, const npy_header *header)
{
    of_variable *variable = &top->variable;
    size_t unit = header->kind == 'U' ? 4 : 1;
    of_array units = {.type = unit == 4 ? OF_U32 : OF_U8, .count = header->item * header->elements};
    if (header->item == 0 || header->rank > 1)
        return *variable = of_variable_other(variable->name, "text"), ONEFOLD_OK;
    if (unit == 4) {
        OF_TRY(of_claimed_size(&units.count, header->item / 4, header->elements));
        OF_TRY(of_array_align(top->store, (of_bytes){header->data, header->size, owner},
                              is_big(header), &units));
    } else {
        units.data = header->data;
    }
    return of_build_text_rows(&top->store->arena, header->elements, header->item / unit, &units,
                              variable);
}

static void set_sides(const npy_header *header, of_variable *variable)
{
    size_t rows = header->rank > 0 ? header->side[0] : 1;
    size_t columns = header->rank > 1 ? header->side[1] : 1;
    size_t pages = header->rank > 2 ? header->side[2] : 1;
    variable->matrix.rows = rows;
    variable->matrix.columns = columns;
    variable->pages = pages;
    variable->matrix.row_step = header->fortran ? 1 : columns * pages;
    variable->matrix.column_step = header->fortran ? rows : pages;
    variable->page_step = header->fortran ? rows * columns : 1;
}

onefold_status of_npy_parse(of_top *top, of_bytes bytes)
{
    npy_header header;
    size_t need;
    OF_TRY(read_header(bytes.at, bytes.size, &header));
    of_variable *variable = &top->variable;
    of_type type = type_of(&header);
    int half = header.kind == 'f' && header.item == 2;
    int text = header.kind == 'S' || header.kind == 'U';
    if (type == OF_TYPE_COUNT && !half && !text)
        return *variable = of_variable_other(variable->name, what_kind(&header)), ONEFOLD_OK;
    OF_TRY(of_claimed_size(&need, header.elements, header.item));
    if (need > header.size)
        return cut_off();
    if (header.elements == 0)
        return *variable = of_variable_other(variable->name, "empty"), ONEFOLD_OK;
    if (header.rank > 3)
        return *variable =
                   of_variable_other(variable->name, "an array of more than three dimensions"),
               ONEFOLD_OK;
    if (text)
        return read_strings(top, bytes.owner, &header);
    variable->kind = OF_VARIABLE_MATRIX;
    variable->matrix.type = half ? OF_F32 : type;
    variable->matrix.owner = top->store;
    set_sides(&header, variable);
    if (half)
        return widen_halves(&top->store->arena, &header, &variable->matrix.data);
    of_array numbers = {.type = type, .count = header.elements};
    OF_TRY(of_array_align(top->store, (of_bytes){header.data, header.size, bytes.owner},
                          is_big(&header), &numbers));
    variable->matrix.data = numbers.data;
    variable->matrix.owner = numbers.owner;
    return ONEFOLD_OK;
}

onefold_status of_read_npy(of_file *file)
{
    of_top *top;
    OF_TRY(of_file_add(file, &top, file->stem));
    OF_TRY(of_npy_parse(top, (of_bytes){file->bytes, file->size, file->contents}));
    if (top->variable.kind == OF_VARIABLE_OTHER)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the array is %s", top->variable.what),
                       "save numbers: float64, float32, integers or bool");
    return ONEFOLD_OK;
}
