/* SPDX-License-Identifier: Apache-2.0 */
/* The basis FMR works in: the right singular vectors of the latent representation, or all of space.
 * See fmr.h for the names. */
#include "peers/fmr.h"

#include "linalg/blas.h"
#include "linalg/factor.h"
#include "linalg/lapack.h"
#include "linalg/parallel.h"

#include <string.h>

onefold_status of_fmr_open_basis(of_fmr *f, size_t width)
{
    size_t n = f->samples;
    f->basis_arena = of_arena_make(f->context);
    f->width = width;
    OF_TRY(OF_NEW_ZERO(&f->basis_arena, &f->value, width, 1));
    OF_TRY(OF_NEW(&f->basis_arena, &f->basis, n, width));
    OF_TRY(OF_NEW_ZERO(&f->basis_arena, &f->self, width, n));
    OF_TRY(OF_NEW_ZERO(&f->basis_arena, &f->low, width, n));
    return OF_NEW_ZERO(&f->basis_arena, &f->low_dual, width, n);
}

onefold_status of_fmr_factorise(of_fmr *f)
{
    size_t n = f->samples, d = f->latent_rows, r = f->values;
    OF_SCRATCH(scratch, f->context);
    double *copy, *vt;
    OF_TRY(OF_NEW(&scratch, &copy, d, n));
    OF_TRY(OF_NEW(&scratch, &vt, r, n));
    memcpy(copy, f->latent, d * n * sizeof *copy);
    OF_TRY(of_svd(f->context, d, n, copy, d, f->value, f->turn, d, vt, r));
    return of_team_transpose(f->context, r, n, vt, r, f->basis, n);
}

/* Columns that complete the first `values` columns of the basis (samples x samples). */
static onefold_status complete(of_fmr *f, double *basis)
{
    size_t n = f->samples, r = f->values;
    OF_SCRATCH(scratch, f->context);
    double *tau, *kept;
    OF_TRY(OF_NEW(&scratch, &tau, n, 1));
    OF_TRY(OF_NEW(&scratch, &kept, n, r));
    memcpy(kept, basis, n * r * sizeof *kept);
    OF_TRY(of_lapack_dgeqrf(f->context, n, r, basis, n, tau));
    OF_TRY(of_lapack_dorgqr(f->context, n, n, r, basis, n, tau));
    memcpy(basis, kept, n * r * sizeof *kept);
    return ONEFOLD_OK;
}

/* Z and Y2 / u, formed in the old basis. */
static onefold_status form(const of_fmr *f, double *self, double *low_dual)
{
    size_t n = f->samples;
    OF_TRY(of_fmr_self(f, self));
    return of_team_gemm(f->context, 'N', 'N', n, n, f->width, 1, f->basis, n, f->low_dual, f->width,
                        0, low_dual, n);
}

onefold_status of_fmr_change_basis(of_fmr *f, int moved)
{
    size_t n = f->samples;
    OF_SCRATCH(old, f->context);
    OF_SCRATCH(scratch, f->context);
    double *self, *low_dual, *value = f->value, *basis = f->basis;
    OF_TRY(OF_NEW(&scratch, &self, n, n));
    OF_TRY(OF_NEW(&scratch, &low_dual, n, n));
    OF_TRY(form(f, self, low_dual));
    of_arena_adopt(&old, &f->basis_arena);
    OF_TRY(of_fmr_open_basis(f, n));
    if (moved)
        OF_TRY(of_fmr_factorise(f));
    else {
        memcpy(f->value, value, f->values * sizeof *value);
        memcpy(f->basis, basis, n * f->values * sizeof *basis);
    }
    OF_TRY(complete(f, f->basis));
    of_arena_free(&f->outside_arena);
    f->rank = 0;
    f->outside = f->outside_rows = NULL;
    OF_TRY(of_team_gemm(f->context, 'T', 'N', n, n, n, 1, f->basis, n, self, n, 0, f->self, n));
    return of_team_gemm(f->context, 'T', 'N', n, n, n, 1, f->basis, n, low_dual, n, 0, f->low_dual,
                        n);
}
