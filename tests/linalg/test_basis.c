/* SPDX-License-Identifier: Apache-2.0 */
/* Orthogonalisation of blocks of every condition, and its factors. */
#include "linalg/eigen_block.h"

#include "linalg/blas.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 900, ROWS = 12, DEPTH = 5 };

typedef struct space {
    of_arena arena;
    of_basis basis;
    double *block, *before, *inner, *lower;
} space;

static space make_space(void)
{
    space s = {.arena = of_arena_make(NULL)};
    CHECK_OK(of_basis_make(s.arena.context, &s.arena, N, ROWS + 2 * DEPTH, ROWS, &s.basis));
    CHECK_OK(OF_NEW(&s.arena, &s.block, ROWS, N));
    CHECK_OK(OF_NEW(&s.arena, &s.before, ROWS, N));
    CHECK_OK(OF_NEW(&s.arena, &s.inner, ROWS, DEPTH));
    CHECK_OK(OF_NEW(&s.arena, &s.lower, ROWS, ROWS));
    CHECK_OK(of_basis_random(&s.basis, ROWS, s.block));
    CHECK_OK(of_basis_orthogonalise(&s.basis, ROWS, s.block, 0, NULL, NULL));
    CHECK_OK(of_basis_append(&s.basis, ROWS, s.block));
    return s;
}

/* The basis is orthonormal to rounding. */
static void check_orthonormal(const of_basis *basis)
{
    for (size_t a = 0; a < basis->rows; a++)
        for (size_t b = 0; b <= a; b++) {
            double sum = 0;
            for (size_t j = 0; j < N; j++)
                sum += basis->v.held[j * basis->most + a] * basis->v.held[j * basis->most + b];
            CHECK_CLOSE(sum, a == b, 0, 1e-13);
        }
}

/* Orthogonalises s->block, keeps a copy in s->before, and checks before = inner' V + lower Q
 * relative to the largest row. */
static void check_block(space *s, double negligible)
{
    double size = 0;
    for (size_t i = 0; i < DEPTH * N; i++)
        size = fmax(size, fabs(s->block[i]));
    memcpy(s->before, s->block, DEPTH * N * sizeof *s->block);
    CHECK_OK(of_basis_orthogonalise(&s->basis, DEPTH, s->block, negligible, s->inner, s->lower));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < DEPTH; i++) {
            double sum = 0;
            for (size_t r = 0; r < ROWS; r++)
                sum += s->inner[i * ROWS + r] * s->basis.v.held[j * s->basis.most + r];
            for (size_t l = 0; l <= i; l++)
                sum += s->lower[l * DEPTH + i] * s->block[j * DEPTH + l];
            CHECK_CLOSE(sum, s->before[j * DEPTH + i], 0, 1e-14 * N * size + 2 * negligible);
        }
    CHECK_OK(of_basis_append(&s->basis, DEPTH, s->block));
    check_orthonormal(&s->basis);
    s->basis.rows = ROWS;
}

static void ordinary_blocks(void **state)
{
    (void)state;
    space s = make_space();
    check_orthonormal(&s.basis);
    check_random(1, 0, DEPTH, N, s.block);
    check_block(&s, 0);
    of_arena_free(&s.arena);
}

/* Rows that differ by 1e-3 down to 1e-15 of their length, or hardly leave the basis. */
static void ill_conditioned_blocks(void **state)
{
    (void)state;
    for (double apart = 1e-3; apart > 1e-16; apart *= 1e-3) {
        space s = make_space();
        check_random(2, 0, DEPTH, N, s.block);
        for (size_t j = 0; j < N; j++)
            for (size_t i = 1; i < DEPTH; i++)
                s.block[j * DEPTH + i] = s.block[j * DEPTH] + apart * s.block[j * DEPTH + i];
        check_block(&s, 0);
        check_random(3, 0, DEPTH, N, s.block);
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < DEPTH; i++)
                s.block[j * DEPTH + i] =
                    s.basis.v.held[j * s.basis.most + i] + apart * s.block[j * DEPTH + i];
        check_block(&s, 0);
        of_arena_free(&s.arena);
    }
}

/* Zero rows, equal rows, rows of the basis itself, and rows of very different lengths. */
static void deficient_blocks(void **state)
{
    (void)state;
    space s = make_space();
    memset(s.block, 0, DEPTH * N * sizeof *s.block);
    check_block(&s, 0);
    for (size_t i = 0; i < DEPTH * DEPTH; i++)
        assert_true(s.lower[i] == 0);
    check_random(4, 0, DEPTH, N, s.block);
    for (size_t j = 0; j < N; j++) {
        s.block[j * DEPTH + 1] = s.block[j * DEPTH];
        s.block[j * DEPTH + 2] = s.basis.v.held[j * s.basis.most + 3];
        s.block[j * DEPTH + 3] = 0;
    }
    check_block(&s, 1e-13);
    check_random(5, 0, DEPTH, N, s.block);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < DEPTH; i++)
            s.block[j * DEPTH + i] *= pow(1e-4, (double)i);
    check_block(&s, 0);
    of_arena_free(&s.arena);
}

static void combining_and_rotating_are_products(void **state)
{
    (void)state;
    space s = make_space();
    double rotation[ROWS * 3], *out = malloc(4 * N * sizeof *out);
    check_random(6, 0, ROWS, 3, rotation);
    CHECK_OK(of_basis_combine(&s.basis, 3, rotation, of_share_whole(out, 4)));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < 3; i++) {
            double sum = 0;
            for (size_t r = 0; r < ROWS; r++)
                sum += rotation[i * ROWS + r] * s.basis.v.held[j * s.basis.most + r];
            CHECK_CLOSE(out[j * 4 + i], sum, 0, 1e-14);
        }
    CHECK_OK(of_basis_combine(&s.basis, 3, rotation, s.basis.v));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < 3; i++)
            assert_true(s.basis.v.held[j * s.basis.most + i] == out[j * 4 + i]);
    free(out);
    of_arena_free(&s.arena);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ordinary_blocks),
        cmocka_unit_test(ill_conditioned_blocks),
        cmocka_unit_test(deficient_blocks),
        cmocka_unit_test(combining_and_rotating_are_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
