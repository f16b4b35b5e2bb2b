/* SPDX-License-Identifier: Apache-2.0 */
/* Run by mpirun on 1, 2, 3 and 4 ranks: each rank checks what it is given against what one process
 * computes. Only in builds with MPI. */
#include "base/comm.h"
#include "base/random.h"
#include "base/team.h"
#include "support/check.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
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

/* ---- joins, each in a run of its own ------------------------------------------------------- */

static onefold_context *joined(void)
{
    onefold_context *made = NULL;
    CHECK_OK(onefold_context_create(&made, NULL));
    CHECK_OK(onefold_context_join(made));
    return made;
}

/* What ranks exchange with a context: the largest of their numbers. */
static void check_exchange(onefold_context *with)
{
    double number = with->comm.rank;
    if (with->comm.size <= 1)
        return;
    CHECK_OK(of_comm_largest(with, MANY, 1, &number));
    assert_true(number == with->comm.size - 1);
}

static void contexts_join_again_and_again(void)
{
    for (int round = 0; round < 4; round++) {
        cpu_set_t before, after;
        CPU_ZERO(&before);
        CPU_ZERO(&after);
        sched_getaffinity(0, sizeof before, &before);
        onefold_context *one = joined();
        check_exchange(one);
        sched_getaffinity(0, sizeof after, &after);
        assert_true(CPU_EQUAL(&before, &after));
        onefold_context_free(one);
    }
}

static void a_context_outlives_another(void)
{
    onefold_context *one = joined(), *two = joined();
    check_exchange(two);
    check_exchange(one);
    onefold_context_free(one);
    check_exchange(two);
    one = joined();
    onefold_context_free(two);
    check_exchange(one);
    onefold_context_free(one);
}

/* The last rank frees its context; the others are told, and wait for nobody. */
static void a_rank_that_leaves_is_not_waited_for(void)
{
    onefold_context *one = joined();
    int size = one->comm.size, last = one->comm.rank == size - 1;
    double number = 1;
    check_exchange(one);
    for (int round = 0; round < 2 && !last && size > 1; round++)
        CHECK_FAILS(of_comm_largest(one, MANY, 1, &number), ONEFOLD_USAGE, "has left the work");
    onefold_context_free(one);
}

/* A host that starts MPI ends it. Its messages are its own. */
static void a_host_with_mpi_keeps_it(void)
{
    int rank, over = 1, sum = 1;
    onefold_context *one, *late = NULL;
    assert_int_equal(MPI_Init(NULL, NULL), MPI_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    one = joined();
    check_exchange(one);
    onefold_context_free(one);
    MPI_Finalized(&over);
    assert_int_equal(over, 0);
    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                     MPI_SUCCESS);
    late = joined(); /* is freed after MPI has ended */
    check_exchange(late);
    MPI_Finalize();
    onefold_context_free(late);
    CHECK_OK(onefold_context_create(&late, NULL));
    CHECK_FAILS(onefold_context_join(late), ONEFOLD_UNSUPPORTED, "MPI has ended");
    onefold_context_free(late);
}

/* Rank 0 has less room than the others send: MPI returns the error, and does not end the host. */
static void errors_of_mpi_are_returned(void)
{
    onefold_context *one = joined();
    of_comm *comm = &one->comm;
    static char bytes[1000];
    size_t start[8] = {0};
    int first = comm->rank == 0;
    for (int r = 0; r <= comm->size; r++)
        start[r] = (size_t)r * (first ? 8 : 100);
    onefold_status status = comm->size > 1 ? comm->collect(comm->user, bytes, start) : ONEFOLD_OK;
    if (comm->size > 1 && first)
        assert_int_equal(status, ONEFOLD_FAULT);
    onefold_context_free(one);
}

static const struct {
    const char *name;
    void (*run)(void);
} joins[] = {{"again", contexts_join_again_and_again},
             {"two", a_context_outlives_another},
             {"early", a_rank_that_leaves_is_not_waited_for},
             {"host", a_host_with_mpi_keeps_it},
             {"errors", errors_of_mpi_are_returned}};

static const char *asked;

static void run_join(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
        if (strcmp(joins[i].name, asked) == 0) {
            joins[i].run();
            return;
        }
    fail_msg("there is no run %s", asked);
}

int main(int count, char **words)
{
    const struct CMUnitTest join_tests[] = {cmocka_unit_test(run_join)};
    if (count > 1) {
        asked = words[1];
        return cmocka_run_group_tests(join_tests, NULL, NULL);
    }
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
