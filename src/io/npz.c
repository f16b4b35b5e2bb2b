/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NumPy's .npy, whose numbers are borrowed from the mapped file; and .npz, a zip of .npy files,
 * stored or deflated, also beyond 4 GB (zip64). Members are found by the central directory, and
 * every size in it is checked against the size of the file.
 */
#include "io/file.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- .npy ----------------------------------------------------------------------------------- */

typedef struct npy_header {
    char order, kind; /* '<', '>' or '|'; 'f', 'i', 'u', 'b', 'S', 'U', ... */
    size_t item;      /* bytes of an element */
    int fortran;
    size_t rank, side[3], elements;
    const unsigned char *data;
    size_t size; /* of the data, in bytes */
} npy_header;

static onefold_status truncated(void)
{
    return of_damaged("the array is truncated: it is shorter than its header says");
}

static onefold_status bad_header(const char *what)
{
    return of_fail(ONEFOLD_BAD_DATA, "the header of the array has an invalid %s", what);
}

/* The header is a dictionary as Python writes it, with three keys; what NumPy's reader refuses is
 * refused, and some of what only it can make of other texts. */
typedef struct npy_text {
    const char *at, *end;
    int major; /* version of the format */
} npy_text;

static void pass_blanks(npy_text *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' || *text->at == '\n'))
        text->at++;
}

/* Whether the next sign is this one; it is then passed, and the blanks after it. */
static int take(npy_text *text, char sign)
{
    if (text->at == text->end || *text->at != sign)
        return 0;
    text->at++;
    pass_blanks(text);
    return 1;
}

static int take_word(npy_text *text, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
        return 0;
    text->at += length;
    pass_blanks(text);
    return 1;
}

/* A text between quotes, without escapes; NULL: there is none. */
static const char *take_text(npy_text *text, size_t *length)
{
    char quote = text->at < text->end ? *text->at : '\0';
    const char *begin = text->at + 1, *at = begin;
    if (quote != '\'' && quote != '"')
        return NULL;
    while (at < text->end && *at != quote && *at != '\\' && *at != '\n')
        at++;
    if (at == text->end || *at != quote)
        return NULL;
    *length = (size_t)(at - begin);
    text->at = at + 1;
    pass_blanks(text);
    return begin;
}

/* "(5, 3)", "(5,)" or "()"; "(5)" is a number to Python. Its version 2 wrote some sides as 5L. */
static onefold_status read_shape(npy_text *text, npy_header *header)
{
    int comma = 0, good = take(text, '(');
    header->elements = 1;
    header->rank = 0;
    while (good && text->at < text->end && *text->at != ')') {
        size_t side = 0;
        const char *stop = of_number_read_size(text->at, text->end, &side);
        good = stop > text->at && (*text->at != '0' || stop == text->at + 1) &&
               (header->rank == 0 || comma);
        text->at = stop;
        if (text->major < 3 && text->at < text->end && *text->at == 'L')
            text->at++;
        pass_blanks(text);
        comma = take(text, ',');
        if (header->rank < 3)
            header->side[header->rank] = side;
        header->rank++;
        OF_TRY(of_claimed_size(&header->elements, header->elements, side));
    }
    good = good && take(text, ')') && (header->rank != 1 || comma);
    return good ? ONEFOLD_OK : bad_header("shape");
}

/* '<f8', in quotes; or a list, of the fields of records. */
static onefold_status read_type(npy_text *text, npy_header *header)
{
    size_t length;
    if (text->at < text->end && (*text->at == '[' || *text->at == '(')) {
        header->kind = 'V';
        return ONEFOLD_OK;
    }
    const char *type = take_text(text, &length);
    if (!type || length < 2 || !strchr("<>|=", type[0]))
        return bad_header("type");
    header->order = type[0];
    header->kind = type[1];
    if (strchr("fiubSU", header->kind)) {
        const char *end = type + length;
        if (length < 3 || (type[2] == '0' && length > 3) ||
            of_number_read_size(type + 2, end, &header->item) != end)
            return bad_header("type");
    }
    if (header->kind == 'U') /* counts characters, of four bytes each */
        return of_claimed_size(&header->item, header->item, 4);
    return ONEFOLD_OK;
}

static onefold_status read_dictionary(npy_text *text, npy_header *header)
{
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    enum { TYPE, ORDER, SHAPE, KEYS };
    unsigned seen = 0;
    int comma = 1, good = take(text, '{');
    while (good && text->at < text->end && *text->at != '}') {
        size_t length, key = 0;
        const char *name = comma ? take_text(text, &length) : NULL;
        while (name && key < KEYS &&
               (strlen(keys[key]) != length || memcmp(keys[key], name, length) != 0))
            key++;
        if (!name || key == KEYS || (seen & 1u << key) || !take(text, ':'))
            return bad_header("key");
        seen |= 1u << key;
        if (key == SHAPE) {
            OF_TRY(read_shape(text, header));
        } else if (key == TYPE) {
            OF_TRY(read_type(text, header));
            if (header->kind == 'V') /* such an array is not read */
                return ONEFOLD_OK;
        } else {
            header->fortran = take_word(text, "True");
            if (!header->fortran && !take_word(text, "False"))
                return bad_header("order");
        }
        comma = take(text, ',');
    }
    good = good && take(text, '}') && text->at == text->end && seen == (1u << KEYS) - 1;
    return good ? ONEFOLD_OK : of_fail(ONEFOLD_BAD_DATA, "the header of the array is damaged");
}

static onefold_status read_header(const unsigned char *bytes, size_t size, npy_header *header)
{
    enum { LONGEST = 10000 }; /* as NumPy has it */
    memset(header, 0, sizeof *header);
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return of_fail(ONEFOLD_BAD_DATA, "it is not an array");
    if (size < 12)
        return truncated();
    size_t start = bytes[6] == 1 ? 10 : 12, length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1)
        length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return of_fail(ONEFOLD_BAD_DATA, "version %d.%d of the .npy format is not known", bytes[6],
                       bytes[7]);
    if (length > size - start)
        return truncated();
    if (length > LONGEST)
        return of_fail(ONEFOLD_BAD_DATA, "the header of the array has %zu bytes, and %d are enough",
                       length, LONGEST);
    npy_text text = {(const char *)bytes + start, (const char *)bytes + start + length, bytes[6]};
    header->data = bytes + start + length;
    header->size = size - start - length;
    return read_dictionary(&text, header);
}

static const char *what_kind(const npy_header *header)
{
    char kind = header->kind;
    return kind == 'O'                  ? "an array of Python objects"
           : kind == 'c'                ? "complex"
           : kind == 'V'                ? "an array of records"
           : kind == 'M' || kind == 'm' ? "an array of times"
                                        : "of a type that is not read";
}

/* 16-bit floats become 32-bit ones, which hold them all. */
static onefold_status widen_halves(of_arena *arena, const npy_header *header, const void **data)
{
    float *out;
    OF_TRY(OF_NEW(arena, &out, header->elements, 1));
    for (size_t e = 0; e < header->elements; e++) {
        const unsigned char *half = header->data + 2 * e;
        uint32_t bits = header->order == '>' ? (uint32_t)half[0] << 8 | half[1]
                                             : (uint32_t)half[1] << 8 | half[0];
        uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31, rest = bits & 1023;
        float value = (float)rest / 16777216; /* subnormal */
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
    of_array units = {header->data, unit == 4 ? OF_U32 : OF_U8, header->item * header->elements,
                      owner};
    if (header->item == 0 || header->rank > 1)
        return of_build_other(variable, variable->name, "text");
    OF_TRY(of_claimed_size(&units.count, header->item / unit, header->elements));
    OF_TRY(of_array_align(top->store, header->order == '>', &units));
    return of_build_text(&top->store->arena, header->elements, header->item / unit, 1, &units,
                         variable);
}

/* Reads one .npy into top->variable. Its numbers are borrowed. */
static onefold_status npy_parse(of_top *top, const unsigned char *bytes, size_t size,
                                of_owner *owner)
{
    npy_header header;
    size_t need;
    OF_TRY(read_header(bytes, size, &header));
    of_variable *variable = &top->variable;
    of_type type =
        header.kind == 'b' && header.item == 1 ? OF_U8 : of_type_find(header.kind, header.item);
    int half = header.kind == 'f' && header.item == 2;
    int text = header.kind == 'S' || header.kind == 'U';
    if (type == OF_TYPE_COUNT && !half && !text)
        return of_build_other(variable, variable->name, what_kind(&header));
    OF_TRY(of_claimed_size(&need, header.elements, header.item));
    if (need > header.size)
        return truncated();
    if (header.elements == 0)
        return of_build_other(variable, variable->name, "empty");
    if (header.rank > 3)
        return of_build_other(variable, variable->name, "an array of more than three dimensions");
    if (text)
        return read_strings(top, owner, &header);
    of_array numbers = {header.data, type, header.elements, owner};
    if (half) {
        numbers = (of_array){NULL, OF_F32, header.elements, top->store};
        OF_TRY(widen_halves(&top->store->arena, &header, &numbers.data));
    } else {
        OF_TRY(of_array_align(top->store, header.order == '>', &numbers));
    }
    for (size_t s = header.rank; s < 3; s++)
        header.side[s] = 1;
    of_build_dense(variable, &numbers, header.side, !header.fortran);
    return ONEFOLD_OK;
}

onefold_status of_read_npy(of_file *file)
{
    of_top *top;
    OF_TRY(of_file_add(file, &top, file->stem));
    OF_TRY(npy_parse(top, file->bytes, file->size, file->contents));
    if (top->variable.kind == OF_VARIABLE_OTHER)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "the array is %s", top->variable.what),
                       "save numbers: float64, float32, integers or bool");
    return ONEFOLD_OK;
}

/* ---- .npz: SciPy's sparse matrices ---------------------------------------------------------- */

/* The members of one matrix: their names start with `before`. */
typedef struct members {
    of_file *file;
    const char *before; /* "X1.", or "" */
    size_t length;
} members;

static of_top *member(const members *parts, const char *name)
{
    for (size_t t = 0; t < parts->file->count; t++) {
        const char *full = parts->file->top[t].variable.name;
        if (full && strncmp(full, parts->before, parts->length) == 0 &&
            strcmp(full + parts->length, name) == 0)
            return &parts->file->top[t];
    }
    return NULL;
}

/* A list of numbers, which is empty in a matrix of zeros. Returns 0 for anything else. */
static int as_array(const of_top *top, of_array *array)
{
    *array = (of_array){.type = OF_F64};
    if (!top)
        return 0;
    if (top->variable.kind == OF_VARIABLE_OTHER && strcmp(top->variable.what, "empty") == 0)
        return 1;
    const of_matrix *list = &top->variable.matrix;
    if (!of_variable_is_dense(&top->variable) || list->columns != 1 || top->variable.pages != 1)
        return 0;
    *array = (of_array){list->data, list->type, list->rows, list->owner};
    return 1;
}

/* Makes the matrix in `made`, and removes the names of its parts. */
static onefold_status join(const members *parts, of_top *made)
{
    static const char *const names[] = {"data", "indices", "indptr", "row",
                                        "col",  "format",  "shape",  "_is_array"};
    const char *how = member(parts, "format")->variable.text[0];
    int by_row = strcmp(how, "csr") == 0, coordinates = strcmp(how, "coo") == 0;
    if (!by_row && !coordinates && strcmp(how, "csc") != 0)
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "a sparse matrix in %s form is not read", how),
                       "save it in csr, csc or coo form");
    of_array value, first, second, sides;
    size_t side[2];
    if (!as_array(member(parts, "shape"), &sides) || sides.count != 2)
        return of_fail(ONEFOLD_BAD_DATA,
                       "the shape of the sparse matrix does not have two dimensions");
    for (size_t s = 0; s < 2; s++) {
        double length = of_array_get(&sides, s);
        if (!(length >= 1) || length > UINT32_MAX)
            return of_fail(ONEFOLD_BAD_DATA, "the sparse matrix has a side of %g", length);
        side[s] = (size_t)length;
    }
    if (!as_array(member(parts, "data"), &value) ||
        !as_array(member(parts, coordinates ? "row" : "indptr"), &first) ||
        !as_array(member(parts, coordinates ? "col" : "indices"), &second) ||
        (coordinates && (first.count != value.count || second.count != value.count)))
        return of_fail(ONEFOLD_BAD_DATA, "the parts of the sparse matrix do not fit together");
    OF_TRY(coordinates ? of_build_coordinates(&made->store->arena, side[0], side[1], &first,
                                              &second, &value, &made->variable.matrix)
                       : of_build_compressed(made->store, &made->variable, side[0], side[1],
                                             !by_row, &first, &second, &value));
    made->variable.matrix.owner = made->store;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        of_top *used = member(parts, names[n]);
        if (used)
            used->variable.name = NULL;
    }
    return ONEFOLD_OK;
}

/* Replaces the parts in which SciPy saves a sparse matrix by one variable. */
static onefold_status npz_find_sparse(of_file *file)
{
    for (size_t t = 0; t < file->count; t++) {
        const of_variable *format = &file->top[t].variable; /* the text "csr", "csc" or "coo" */
        size_t length = format->name ? strlen(format->name) : 0, tail = strlen("format");
        if (length < tail || format->kind != OF_VARIABLE_TEXT || !format->count ||
            (length > tail && format->name[length - tail - 1] != '.'))
            continue;
        members parts = {file, format->name, length - tail};
        if (member(&parts, "format") != &file->top[t] || !member(&parts, "shape") ||
            !member(&parts, "data"))
            continue; /* another variable of this name */
        of_top made = {.variable = {.kind = OF_VARIABLE_MATRIX, .pages = 1}};
        const char **name = &made.variable.name;
        OF_TRY(parts.length
                   ? OF_TEXT(&file->arena, name, "%.*s", (int)parts.length - 1, parts.before)
                   : OF_TEXT(&file->arena, name, "%s", file->stem));
        OF_TRY(of_owner_make(&made.store, file->context));
        onefold_status status = join(&parts, &made);
        of_owner_release(file->top[t].store); /* of the text, which is not needed any more */
        file->top[t].store = made.store;
        if (status != ONEFOLD_OK)
            return parts.length ? of_blame(status, "%s", *name) : status;
        file->top[t].variable = made.variable;
    }
    size_t kept = 0; /* a variable without a name is part of a matrix */
    for (size_t t = 0; t < file->count; t++)
        if (file->top[t].variable.name)
            file->top[kept++] = file->top[t];
        else
            of_owner_release(file->top[t].store); /* the matrix holds it if it borrows from it */
    file->count = kept;
    return ONEFOLD_OK;
}

/* ---- .npz: the archive ---------------------------------------------------------------------- */

enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };

typedef struct zip_entry {
    const unsigned char *name;
    size_t name_length;
    unsigned method, flags;
    uint32_t checksum;
    uint64_t packed, size, offset;
} zip_entry;

/* A little-endian number of `length` bytes. */
static uint64_t number(const unsigned char *at, int length)
{
    uint64_t value = 0;
    for (int b = length - 1; b >= 0; b--)
        value = value << 8 | at[b];
    return value;
}

static onefold_status damaged(const char *what)
{
    return of_damaged("the archive is truncated or damaged: %s", what);
}

/* Finds the start of the directory, and the number of its entries. */
static onefold_status find_directory(const of_file *file, uint64_t *start, uint64_t *count)
{
    enum { END = 22, LOCATOR = 20, END64 = 56, COMMENT = 65535 };
    const unsigned char *bytes = file->bytes;
    if (file->size < END)
        return damaged("it has no directory");
    size_t last = file->size - END, first = last > COMMENT ? last - COMMENT : 0, at = last + 1;
    while (at-- > first)
        if (memcmp(bytes + at, "PK\5\6", 4) == 0)
            break;
    if (at + 1 == first)
        return damaged("it has no directory");
    *count = number(bytes + at + 10, 2);
    *start = number(bytes + at + 16, 4);
    if (at >= LOCATOR && memcmp(bytes + at - LOCATOR, "PK\6\7", 4) == 0) {
        uint64_t end64 = number(bytes + at - LOCATOR + 8, 8);
        if (end64 > file->size || file->size - end64 < END64 ||
            memcmp(bytes + end64, "PK\6\6", 4) != 0)
            return damaged("its zip64 directory is not where it should be");
        *count = number(bytes + end64 + 32, 8);
        *start = number(bytes + end64 + 48, 8);
    }
    return *start > file->size ? damaged("its directory lies beyond its end") : ONEFOLD_OK;
}

/* Sizes that do not fit into 32 bits are in an extra field, in this order. */
static void read_zip64(const unsigned char *extra, size_t length, zip_entry *entry)
{
    while (length >= 4) {
        size_t size = (size_t)number(extra + 2, 2);
        if (size > length - 4)
            return;
        if (number(extra, 2) == 1) {
            uint64_t *const field[] = {&entry->size, &entry->packed, &entry->offset};
            const unsigned char *at = extra + 4, *end = at + size;
            for (int f = 0; f < 3; f++)
                if (*field[f] == 0xffffffffu && end - at >= 8) {
                    *field[f] = number(at, 8);
                    at += 8;
                }
        }
        extra += 4 + size;
        length -= 4 + size;
    }
}

/* Reads the entry of the directory at *at, and advances *at. */
static onefold_status read_entry(const of_file *file, size_t *at, zip_entry *entry)
{
    enum { FIXED = 46 };
    const unsigned char *head = file->bytes + *at;
    if (file->size - *at < FIXED || memcmp(head, "PK\1\2", 4) != 0)
        return damaged("an entry of its directory is missing");
    *entry = (zip_entry){.name = head + FIXED,
                         .name_length = (size_t)number(head + 28, 2),
                         .flags = (unsigned)number(head + 8, 2),
                         .method = (unsigned)number(head + 10, 2),
                         .checksum = (uint32_t)number(head + 16, 4),
                         .packed = number(head + 20, 4),
                         .size = number(head + 24, 4),
                         .offset = number(head + 42, 4)};
    size_t extra = (size_t)number(head + 30, 2), comment = (size_t)number(head + 32, 2);
    if (file->size - *at < FIXED + entry->name_length + extra + comment)
        return damaged("an entry of its directory is truncated");
    read_zip64(entry->name + entry->name_length, extra, entry);
    *at += FIXED + entry->name_length + extra + comment;
    return ONEFOLD_OK;
}

/* The bytes of a member: in the mapped file if stored, in the variable's store if compressed. */
static onefold_status unpack(const of_file *file, const zip_entry *entry, of_top *top,
                             const unsigned char **bytes, of_owner **owner)
{
    if (entry->flags & ENCRYPTED)
        return of_fail(ONEFOLD_BAD_DATA, "it is encrypted");
    enum { FIXED = 30 }; /* of the member's own header, only its length is used */
    if (entry->offset > file->size || file->size - entry->offset < FIXED ||
        memcmp(file->bytes + entry->offset, "PK\3\4", 4) != 0)
        return damaged("an entry is not where the directory says");
    const unsigned char *head = file->bytes + entry->offset;
    size_t skip = FIXED + (size_t)number(head + 26, 2) + (size_t)number(head + 28, 2);
    if (file->size - entry->offset < skip || file->size - entry->offset - skip < entry->packed)
        return damaged("an entry is truncated");
    *bytes = head + skip;
    *owner = file->contents;
    if (entry->method == STORED) {
        if (entry->size != entry->packed)
            return damaged("an entry has two sizes");
    } else if (entry->method == DEFLATED) {
        unsigned char *out;
        size_t got;
        if (entry->size > of_inflate_most(entry->packed))
            return damaged("an entry is larger than it can be");
        OF_TRY(OF_NEW(&top->store->arena, &out, entry->size, 1));
        OF_TRY(of_inflate(file->context, 1, *bytes, entry->packed, out, entry->size, 1, &got));
        *bytes = out;
        *owner = top->store;
    } else {
        return of_hint(of_fail(ONEFOLD_BAD_DATA, "it is compressed by method %u, which is not read",
                               entry->method),
                       "save it with numpy.savez or numpy.savez_compressed");
    }
    enum { STEP = 1 << 24 };
    uLong sum = crc32(0, NULL, 0);
    for (uint64_t done = 0; done < entry->size; done += STEP) {
        OF_TRY(of_context_check(file->context));
        uint64_t left = entry->size - done;
        sum = crc32(sum, *bytes + done, (uInt)(left < STEP ? left : STEP));
    }
    return sum == entry->checksum ? ONEFOLD_OK : damaged("the checksum of an entry is wrong");
}

static onefold_status add_array(of_file *file, const zip_entry *entry)
{
    char name[256];
    of_top *top;
    const unsigned char *bytes = NULL;
    of_owner *owner = NULL;
    snprintf(name, sizeof name, "%.*s", (int)entry->name_length - 4, entry->name);
    OF_TRY(of_file_add(file, &top, name));
    OF_TRY_OF(name, unpack(file, entry, top, &bytes, &owner));
    OF_TRY_OF(name, npy_parse(top, bytes, (size_t)entry->size, owner));
    return ONEFOLD_OK;
}

/* The first pass checks the size of all arrays, the second reads them. */
onefold_status of_read_npz(of_file *file)
{
    uint64_t start = 0, count = 0;
    OF_TRY(find_directory(file, &start, &count));
    for (int pass = 0; pass < 2; pass++) {
        size_t at = (size_t)start, size = 0;
        for (uint64_t e = 0; e < count; e++) {
            zip_entry entry = {0};
            OF_TRY(read_entry(file, &at, &entry));
            if (entry.name_length <= 4 ||
                memcmp(entry.name + entry.name_length - 4, ".npy", 4) != 0)
                continue;
            if (pass == 1)
                OF_TRY(add_array(file, &entry));
            else if (entry.method == DEFLATED && /* `unpack` refuses an impossible size */
                     entry.size <= of_inflate_most(entry.packed))
                OF_TRY(of_size_add(&size, size, (size_t)entry.size));
        }
        OF_TRY(of_file_unpacks(file, size));
    }
    if (file->count == 0)
        return of_fail(ONEFOLD_BAD_DATA, "there are no arrays in the archive");
    return npz_find_sparse(file);
}
