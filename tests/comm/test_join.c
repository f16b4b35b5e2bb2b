/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdlib.h>

static void leave_the_launcher(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK",
                                        "MV2_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static void a_process_that_was_not_launched_stays_alone(void **state)
{
    (void)state;
    onefold_context *context = NULL;
    leave_the_launcher();
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_threads(context, 3));
    CHECK_OK(onefold_context_join(context));
    assert_int_equal(onefold_context_describe(context)->rank, 0);
    assert_int_equal(onefold_context_describe(context)->ranks, 1);
    assert_int_equal(onefold_context_describe(context)->threads, 3);
    assert_true(onefold_context_describe(context)->split_from > (size_t)1 << 40);
    onefold_context_free(context);
    CHECK_FAILS(onefold_context_join(NULL), ONEFOLD_USAGE, "needs a context");
    assert_null(onefold_context_describe(NULL));
}

#ifndef ONEFOLD_WITH_MPI
/* Otherwise each process would do all work, and write the same files. */
static void a_build_without_mpi_refuses_to_be_one_of_several(void **state)
{
    (void)state;
    onefold_context *context = NULL;
    leave_the_launcher();
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_FAILS(onefold_context_join(context), ONEFOLD_UNSUPPORTED, "no MPI");
    leave_the_launcher();
    onefold_context_free(context);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_was_not_launched_stays_alone),
#ifndef ONEFOLD_WITH_MPI
        cmocka_unit_test(a_build_without_mpi_refuses_to_be_one_of_several),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
