/* SPDX-License-Identifier: Apache-2.0 */
/* Products by BLAS, on one thread or by tiles on the team. */
#include "linalg/blas.h"

#include "base/memory.h"
#include "base/team.h"

#include <limits.h>

static CBLAS_TRANSPOSE transpose(char op)
{
    return op == 'T' ? CblasTrans : CblasNoTrans;
}

void of_gemm(char op_a, char op_b, size_t rows, size_t columns, size_t inner, double alpha,
             const double *a, size_t lda, const double *b, size_t ldb, double beta, double *c,
             size_t ldc)
{
    cblas_dgemm(CblasColMajor, transpose(op_a), transpose(op_b), (int)rows, (int)columns,
                (int)inner, alpha, a, (int)lda, b, (int)ldb, beta, c, (int)ldc);
}

double of_dot(size_t rows, size_t columns, const double *a, const double *b)
{
    double sum = 0;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < rows; i += INT_MAX) {
            int length = rows - i < INT_MAX ? (int)(rows - i) : INT_MAX;
            sum += cblas_ddot(length, a + i + j * rows, 1, b + i + j * rows, 1);
        }
    return sum;
}

void of_add(size_t length, double factor, const double *x, double *y)
{
    for (size_t i = 0; i < length; i += INT_MAX) {
        int count = length - i < INT_MAX ? (int)(length - i) : INT_MAX;
        cblas_daxpy(count, factor, x + i, 1, y + i, 1);
    }
}

/* ---- tiled products on the thread team ------------------------------------------------------- */

typedef struct product {
    char op_a, op_b;
    size_t rows, columns, inner;
    double alpha;
    const double *a;
    size_t lda;
    const double *b;
    size_t ldb;
    double beta;
    double *c;
    size_t ldc;
    size_t height, width; /* of a tile */
    size_t down;          /* tiles in a column of tiles */
    int symmetric;        /* only tiles below and on the diagonal are computed, then mirrored */
} product;

/* The side of tiles along `length` numbers: large enough for BLAS to be fast, and small enough to
 * keep all threads busy. Depends on the length alone. */
static size_t tile_side(size_t length)
{
    size_t side = (length + 7) / 8;
    side = (side + 15) / 16 * 16;
    return side < 96 ? 96 : side > 384 ? 384 : side;
}

/* Computes a tile of C. Tiles are counted down their columns, if symmetric from the diagonal on. */
static onefold_status work_tile(void *task, size_t index)
{
    const product *p = task;
    size_t across = 0, left = p->down;
    for (; index >= left; left -= (size_t)p->symmetric, across++)
        index -= left;
    size_t column = across * p->width, row = (p->down - left + index) * p->height;
    size_t height = of_size_least(p->height, p->rows - row),
           width = of_size_least(p->width, p->columns - column);
    const double *a = p->a + (p->op_a == 'T' ? row * p->lda : row);
    const double *b = p->b + (p->op_b == 'T' ? column : column * p->ldb);
    of_gemm(p->op_a, p->op_b, height, width, p->inner, p->alpha, a, p->lda, b, p->ldb, p->beta,
            p->c + row + column * p->ldc, p->ldc);
    for (size_t i = row; p->symmetric && i < row + height; i++)
        for (size_t j = column; j < of_size_least(column + width, i); j++)
            p->c[j + i * p->ldc] = p->c[i + j * p->ldc];
    return ONEFOLD_OK;
}

onefold_status of_team_gemm(of_context *context, char op_a, char op_b, size_t rows, size_t columns,
                            size_t inner, double alpha, const double *a, size_t lda,
                            const double *b, size_t ldb, double beta, double *c, size_t ldc)
{
    product p = {op_a, op_b, rows, columns, inner, alpha, a, lda, b, ldb, beta, c, ldc, 0, 0, 0, 0};
    if (rows == 0 || columns == 0)
        return ONEFOLD_OK;
    p.height = tile_side(rows);
    p.width = tile_side(columns);
    p.down = (rows + p.height - 1) / p.height;
    size_t across = (columns + p.width - 1) / p.width;
    return of_team_run(context, p.down * across, work_tile, &p);
}

onefold_status of_team_syrk(of_context *context, char op, size_t n, size_t inner, double alpha,
                            const double *a, size_t lda, double beta, double *c, size_t ldc)
{
    char other = op == 'T' ? 'N' : 'T';
    size_t side = tile_side(n);
    product p = {op, other, n,    n, inner, alpha, a,    lda,
                 a,  lda,   beta, c, ldc,   side,  side, (n + side - 1) / side,
                 1};
    return of_team_run(context, p.down * (p.down + 1) / 2, work_tile, &p);
}

void of_transpose(size_t rows, size_t columns, const double *a, size_t lda, double *b, size_t ldb)
{
    enum { BLOCK = 16 };
    for (size_t j0 = 0; j0 < columns; j0 += BLOCK)
        for (size_t i0 = 0; i0 < rows; i0 += BLOCK)
            for (size_t j = j0; j < columns && j < j0 + BLOCK; j++)
                for (size_t i = i0; i < rows && i < i0 + BLOCK; i++)
                    b[j + i * ldb] = a[i + j * lda];
}
