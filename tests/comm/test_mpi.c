/* SPDX-License-Identifier: Apache-2.0 */
/* Run by mpirun on 1, 2, 3 and 4 ranks: each rank checks what it is given against what one process
 * computes. Only in builds with MPI. */
#include "base/comm.h"
#include "base/random.h"
#include "base/team.h"
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 140001, LENGTH = 600 };

static onefold_context *context;

static onefold_status add_tile(void *opaque, size_t index, double *sum)
{
    const of_tiles *tiles = opaque;
    size_t end = of_tiles_first(tiles, index + 1);
    for (size_t j = of_tiles_first(tiles, index); j < end; j++) {
        of_random random = of_random_make(7, OF_PURPOSE_TEST, j);
        sum[j % LENGTH] += ldexp(of_random_uniform(&random) - 0.5, (int)(j % 40));
    }
    return ONEFOLD_OK;
}

static void a_sum_has_the_bits_of_one_process(void **state)
{
    (void)state;
    of_tiles tiles = of_tiles_make(MANY, 50, 64 << 10);
    double sum[LENGTH] = {0}, want[LENGTH] = {0};
    CHECK_OK(of_tiles_sum(context, &tiles, add_tile, &tiles, LENGTH, sum));
    of_context *alone = of_context_or_default(NULL);
    CHECK_OK(of_tiles_sum(alone, &tiles, add_tile, &tiles, LENGTH, want));
    assert_memory_equal(sum, want, sizeof sum);
}

static void an_array_of_samples_becomes_whole(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, context);
    size_t *place;
    CHECK_OK(OF_NEW_ZERO(&scratch, &place, MANY, 1));
    of_range own = of_comm_own(context, MANY);
    for (size_t j = own.first; j < own.end; j++)
        place[j] = j;
    CHECK_OK(of_comm_gather(context, place, sizeof *place, MANY));
    for (size_t j = 0; j < MANY; j++)
        assert_int_equal(place[j], j);
}

static void rank_0_is_brought_all_samples(void **state)
{
    (void)state;
    OF_SCRATCH(scratch, context);
    of_range own = of_comm_own(context, MANY), asked = {0, MANY};
    int first = context->comm.rank == 0;
    size_t *place, held = first ? MANY : own.end - own.first;
    CHECK_OK(OF_NEW_ZERO(&scratch, &place, held, 1));
    for (size_t j = own.first; j < own.end; j++)
        place[j - own.first] = j;
    CHECK_OK(of_comm_collect(context, place, sizeof *place, MANY, asked));
    for (size_t j = 0; j < held; j++)
        assert_int_equal(place[j], own.first + j);
}

static void the_same_bytes_pass_and_others_do_not(void **state)
{
    (void)state;
    int last = context->comm.size - 1, odd = context->comm.rank == last;
    CHECK_OK(of_comm_same(context, &last, sizeof last, "data"));
    if (last > 0)
        CHECK_FAILS(of_comm_same(context, &odd, sizeof odd, "data"), ONEFOLD_BAD_DATA,
                    "different data");
}

/* The last of the tests, as nothing can be exchanged after it. */
static void a_rank_that_fails_is_not_waited_for(void **state)
{
    (void)state;
    double number = 1;
    if (context->comm.size == 1)
        return;
    if (context->comm.rank == 1)
        CHECK_FAILS(of_comm_agree(context, of_fail(ONEFOLD_NO_MEMORY, "there is no room")),
                    ONEFOLD_NO_MEMORY, "there is no room");
    else
        CHECK_FAILS(of_comm_total(context, MANY, 1, &number), ONEFOLD_NO_MEMORY, "rank 1 of");
    assert_int_equal(context->comm.ended_by, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_has_the_bits_of_one_process),
        cmocka_unit_test(an_array_of_samples_becomes_whole),
        cmocka_unit_test(rank_0_is_brought_all_samples),
        cmocka_unit_test(the_same_bytes_pass_and_others_do_not),
        cmocka_unit_test(a_rank_that_fails_is_not_waited_for),
    };
    const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    if (onefold_context_create(&context, NULL) || onefold_context_join(context))
        return 1;
    if (!ranks || atoi(ranks) != onefold_context_describe(context)->ranks)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    onefold_context_free(context);
    return failed;
}
