/* SPDX-License-Identifier: Apache-2.0 */
/* Values of R and of the library, one as the other. */
#include "onefold_r.h"

#include <math.h>
#include <string.h>

SEXP entry(SEXP list, const char *name)
{
    SEXP names = Rf_getAttrib(list, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(list, i);
    return R_NilValue;
}

void option_text(SEXP list, const char *name, const char **value)
{
    SEXP found = entry(list, name);
    if (found == R_NilValue)
        return;
    if (!Rf_isString(found) || Rf_xlength(found) != 1)
        Rf_error("`%s` must be one text", name);
    *value = Rf_translateCharUTF8(STRING_ELT(found, 0));
}

void option_number(SEXP list, const char *name, double *value)
{
    SEXP found = entry(list, name);
    if (found == R_NilValue)
        return;
    if (!(Rf_isNumeric(found) || Rf_isLogical(found)) || Rf_xlength(found) != 1 ||
        ISNAN(Rf_asReal(found)))
        Rf_error("`%s` must be one number", name);
    *value = Rf_asReal(found);
}

/* A whole number from 0 on that a double holds exactly. */
static double whole(SEXP list, const char *name, double otherwise)
{
    double value = otherwise;
    option_number(list, name, &value);
    if (value < 0 || value > 9007199254740992.0 || floor(value) != value)
        Rf_error("`%s` must be a whole number from 0 on, not %g", name, value);
    return value;
}

void option_size(SEXP list, const char *name, size_t *value)
{
    *value = (size_t)whole(list, name, (double)*value);
}

void option_seed(SEXP list, const char *name, uint64_t *value)
{
    *value = (uint64_t)whole(list, name, (double)*value);
}

void option_flag(SEXP list, const char *name, int *value)
{
    double number = *value;
    option_number(list, name, &number);
    *value = number != 0;
}

SEXP list_new(int most)
{
    SEXP list = PROTECT(Rf_allocVector(VECSXP, most));
    Rf_setAttrib(list, R_NamesSymbol, PROTECT(Rf_allocVector(STRSXP, most)));
    UNPROTECT(2);
    return list;
}

void list_add(SEXP list, const char *name, SEXP value)
{
    PROTECT(value);
    SEXP names = PROTECT(Rf_getAttrib(list, R_NamesSymbol));
    R_xlen_t at = 0;
    while (at < Rf_xlength(names) && *CHAR(STRING_ELT(names, at)))
        at++;
    if (at == Rf_xlength(names))
        Rf_error("a list of the package is too short for %s", name);
    SET_STRING_ELT(names, at, Rf_mkChar(name));
    SET_VECTOR_ELT(list, at, value);
    Rf_setAttrib(list, R_NamesSymbol, names);
    UNPROTECT(2);
}

SEXP numbers_of(const double *values, size_t count)
{
    if (!values)
        return R_NilValue;
    SEXP copy = Rf_allocVector(REALSXP, (R_xlen_t)count);
    if (count)
        memcpy(REAL(copy), values, count * sizeof *values);
    return copy;
}

SEXP finding_of(const onefold_finding *it)
{
    if (!it)
        return R_NilValue;
    SEXP all = PROTECT(list_new(6));
    list_add(all, "stable", Rf_ScalarReal(it->stable));
    list_add(all, "chance", Rf_ScalarReal(it->chance));
    list_add(all, "told", Rf_ScalarReal(it->told));
    list_add(all, "told_chance", Rf_ScalarReal(it->told_chance));
    list_add(all, "beyond", Rf_ScalarReal(it->beyond));
    list_add(all, "verdict", text_of(it->verdict));
    UNPROTECT(1);
    return all;
}

SEXP sizes_of(const size_t *values, size_t count)
{
    if (!values)
        return R_NilValue;
    SEXP copy = Rf_allocVector(REALSXP, (R_xlen_t)count);
    for (size_t i = 0; i < count; i++)
        REAL(copy)[i] = (double)values[i];
    return copy;
}

SEXP matrix_of(const double *values, size_t rows, size_t columns)
{
    if (!values)
        return R_NilValue;
    SEXP copy = Rf_allocMatrix(REALSXP, (int)rows, (int)columns);
    if (rows && columns)
        memcpy(REAL(copy), values, rows * columns * sizeof *values);
    return copy;
}

SEXP turned_of(const double *values, size_t rows, size_t columns)
{
    if (!values)
        return R_NilValue;
    SEXP copy = Rf_allocMatrix(REALSXP, (int)columns, (int)rows);
    double *to = REAL(copy);
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            to[j + i * columns] = values[i + j * rows];
    return copy;
}

/* Labels of R count from 1. */
SEXP labels_of(const int32_t *labels, size_t count)
{
    if (!labels)
        return R_NilValue;
    SEXP copy = Rf_allocVector(INTSXP, (R_xlen_t)count);
    for (size_t i = 0; i < count; i++)
        INTEGER(copy)[i] = labels[i] + 1;
    return copy;
}

SEXP text_of(const char *text)
{
    SEXP one = PROTECT(Rf_mkCharCE(text ? text : "", CE_UTF8));
    SEXP vector = Rf_ScalarString(one);
    UNPROTECT(1);
    return vector;
}

SEXP size_of(size_t size)
{
    return Rf_ScalarReal((double)size);
}

const char **texts_of(SEXP texts)
{
    size_t count = (size_t)Rf_xlength(texts);
    const char **list = (const char **)R_alloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = Rf_translateCharUTF8(STRING_ELT(texts, (R_xlen_t)i));
    list[count] = NULL;
    return list;
}
