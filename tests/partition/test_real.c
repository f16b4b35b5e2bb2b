/* SPDX-License-Identifier: Apache-2.0 */
/* Base partitions of real data: eigenvalues against reference numbers, and the contract on
 * residuals against LAPACK on the kernel that the same view gives when it is formed. */
#include "data/dataset.h"

#include "partition/routes_check.h"
#include "support/reference.h"

#include <lapacke.h>

static onefold_dataset *read_set(const char *name)
{
    const char *path = check_shared(name);
    if (!path)
        skip();
    onefold_dataset *data;
    CHECK_OK(onefold_dataset_read(&data, NULL, &path, 1, NULL));
    return data;
}

/* The leading k + 1 eigenvalues of every view of a data set of kernels. */
static void check_reference(const char *set, size_t k)
{
    char json[128], mat[128];
    snprintf(json, sizeof json, "os-lfmvc-cs-%s-k%zu.json", set, k);
    snprintf(mat, sizeof mat, "data/kernels/%s_Kmatrix.mat", set);
    reference *numbers = reference_open(json);
    if (!numbers)
        skip();
    onefold_dataset *data = read_set(mat);
    size_t n = data->set.samples;
    double *H = malloc((k + 1) * n * sizeof *H);
    for (size_t v = 0; v < data->set.view_count; v++) {
        OF_SCRATCH(arena, NULL);
        of_kernel kernel;
        of_partition partition;
        of_partition_options options = {.dims = k + 1, .tolerance = 1e-8};
        CHECK_OK(
            of_kernel_make(arena.context, &arena, &data->set.views[v], OF_KERNEL_AUTO, &kernel));
        CHECK_OK(of_partition_make(arena.context, &arena, &kernel,
                                   of_partition_route(&kernel, &options), &options,
                                   of_share_whole(H, k + 1), &partition));
        for (size_t r = 0; r <= k; r++)
            CHECK_CLOSE(partition.values[r], reference_number(numbers, "eigenvalues.%zu.%zu", v, r),
                        1e-10, 0);
        /* the block eigensolver agrees, where LAPACK was used above */
        double *again = malloc((k + 1) * n * sizeof *again),
               *matrix = malloc(n * n * sizeof *matrix), *value = malloc((k + 1) * sizeof *value);
        of_route_work work = {.kernel = &kernel,
                              .rows = k + 1,
                              .tolerance = 1e-8,
                              .H = of_share_whole(again, k + 1),
                              .value = value};
        of_matrix_operator formed = {arena.context, n, matrix};
        CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_CENTRED_NORMALISED, matrix));
        CHECK_OK(of_eigen_work(arena.context, n, of_matrix_apply, &formed, 8, 1e-10, NULL, &work));
        assert_true(work.residual <= 1e-8);
        for (size_t r = 0; r <= k; r++)
            CHECK_CLOSE(value[r], partition.values[r], 1e-10, 0);
        free(again);
        free(matrix);
        free(value);
    }
    free(H);
    onefold_dataset_free(data);
    reference_close(numbers);
}

static void real_eigenvalues_of_AR10P(void **state)
{
    (void)state;
    check_reference("AR10P", 10);
    check_reference("AR10P", 20);
}

static void real_eigenvalues_of_YALE(void **state)
{
    (void)state;
    check_reference("YALE", 15);
    check_reference("YALE", 30);
}

static void real_eigenvalues_of_liver(void **state)
{
    (void)state;
    check_reference("liver", 4);
    check_reference("liver", 8);
}

/* Every view of a data set with kernel `auto`: the residuals hold on the formed kernel, rows are
 * orthonormal, and no eigenvalue is missing: n - (number of eigenvalues above the last one)
 * is counted by the inertia of K - shift I. */
static size_t values_above(size_t n, const double *matrix, double shift)
{
    double *copy = malloc(n * n * sizeof *copy);
    lapack_int *pivot = malloc(n * sizeof *pivot);
    memcpy(copy, matrix, n * n * sizeof *copy);
    for (size_t j = 0; j < n; j++)
        copy[j * n + j] -= shift;
    assert_true(LAPACKE_dsytrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, copy, (lapack_int)n, pivot) >=
                0);
    size_t positive = 0;
    for (size_t j = 0; j < n; j++) {
        if (pivot[j] > 0) {
            positive += copy[j * n + j] > 0;
        } else { /* a 2 x 2 block of D */
            double a = copy[j * n + j], b = copy[j * n + j + 1], c = copy[(j + 1) * n + j + 1];
            positive += a * c - b * b < 0 ? 1 : a + c > 0 ? 2 : 0;
            j++;
        }
    }
    free(copy);
    free(pivot);
    return positive;
}

static void check_contract(const onefold_dataset *data, size_t v, size_t dims, of_route expected)
{
    size_t n = data->set.samples;
    OF_SCRATCH(arena, NULL);
    of_kernel kernel;
    of_partition partition;
    of_partition_options options = {.dims = dims, .tolerance = 1e-8};
    double *H = malloc(dims * n * sizeof *H), *matrix = malloc(n * n * sizeof *matrix),
           *image = malloc(dims * n * sizeof *image);
    CHECK_OK(of_kernel_make(arena.context, &arena, &data->set.views[v], OF_KERNEL_AUTO, &kernel));
    CHECK_OK(of_partition_make(arena.context, &arena, &kernel,
                               of_partition_route(&kernel, &options), &options,
                               of_share_whole(H, dims), &partition));
    assert_int_equal(partition.route, expected);
    assert_int_equal(partition.rank, dims);
    assert_true(partition.converged && partition.residual <= 1e-8);
    CHECK_OK(of_kernel_matrix(arena.context, &kernel, OF_CENTRED_NORMALISED, matrix));
    of_gemm('N', 'N', dims, n, n, 1, H, dims, matrix, n, 0, image, dims);
    for (size_t r = 0; r < dims; r++) {
        double square = 0;
        for (size_t j = 0; j < n; j++)
            square += pow(image[j * dims + r] - partition.values[r] * H[j * dims + r], 2);
        assert_true(sqrt(square) <= 1e-8 * partition.values[0]);
        for (size_t l = 0; l <= r; l++) {
            double product = 0;
            for (size_t j = 0; j < n; j++)
                product += H[j * dims + r] * H[j * dims + l];
            CHECK_CLOSE(product, l == r, 0, 1e-11);
        }
    }
    assert_int_equal(values_above(n, matrix, partition.values[dims - 1] * (1 - 1e-9)), dims);
    free(H);
    free(matrix);
    free(image);
}

static void real_contract_on_cora(void **state)
{
    (void)state;
    onefold_dataset *data = read_set("data/cora/Cora_2view.mat");
    check_contract(data, 0, 14, OF_ROUTE_KRYLOV);
    check_contract(data, 1, 14, OF_ROUTE_KRYLOV);
    onefold_dataset_free(data);
}

static void real_contract_on_citeseer(void **state)
{
    (void)state;
    onefold_dataset *data = read_set("data/citeseer/CiteSeer.mat");
    check_contract(data, 0, 24, OF_ROUTE_KRYLOV);
    check_contract(data, 1, 12, OF_ROUTE_KRYLOV);
    onefold_dataset_free(data);
}

static void real_contract_on_bbcsport(void **state)
{
    (void)state;
    onefold_dataset *data = read_set("data/bbcsport/BBCSport.mat");
    for (size_t v = 0; v < data->set.view_count; v++)
        check_contract(data, v, 10, OF_ROUTE_KRYLOV);
    onefold_dataset_free(data);
}

static void real_contract_on_handwritten(void **state)
{
    (void)state;
    onefold_dataset *data = read_set("data/handwritten/Handwritten.mat");
    check_contract(data, 0, 20, OF_ROUTE_DENSE);
    check_contract(data, 3, 20, OF_ROUTE_DENSE); /* 6 columns: a spectrum that falls fast */
    onefold_dataset_free(data);
}

static void real_contract_on_proteinfold(void **state)
{
    (void)state;
    onefold_dataset *data = read_set("data/proteinfold/ProteinFold.mat");
    for (size_t v = 0; v < data->set.view_count; v++)
        check_contract(data, v, 54, OF_ROUTE_DENSE);
    onefold_dataset_free(data);
}

/* Half of the samples of a view are all zero. */
static void real_contract_on_bdgp(void **state)
{
    (void)state;
    onefold_dataset *data = read_set("data/bdgp/BDGP.mat");
    for (size_t v = 0; v < data->set.view_count; v++)
        check_contract(data, v, 10, OF_ROUTE_KRYLOV);
    onefold_dataset_free(data);
}

int main(void)
{
    of_blas_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_eigenvalues_of_AR10P),
        cmocka_unit_test(real_eigenvalues_of_YALE),
        cmocka_unit_test(real_eigenvalues_of_liver),
        cmocka_unit_test(real_contract_on_cora),
        cmocka_unit_test(real_contract_on_citeseer),
        cmocka_unit_test(real_contract_on_bbcsport),
        cmocka_unit_test(real_contract_on_handwritten),
        cmocka_unit_test(real_contract_on_proteinfold),
        cmocka_unit_test(real_contract_on_bdgp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
