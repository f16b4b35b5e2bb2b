/* SPDX-License-Identifier: Apache-2.0 */
#include "base/comm.h"

#include "base/team.h"
#include "support/check.h"
#include "support/ranks.h"

#include <string.h>

enum { MANY = 70001 };

static void check_shares(size_t n, size_t groups)
{
    for (int size = 1; (size_t)size <= groups; size++) {
        of_context context = {.comm = {.size = size, .split_above = 1000}};
        size_t next = 0;
        CHECK_OK(of_comm_check(&context, n));
        for (int r = 0; r < size; r++) {
            of_range share = of_comm_share(&context, n, r);
            assert_int_equal(share.first, next);
            size_t length = share.end - share.first, even = n / (size_t)size, group = n / groups;
            assert_true(length && length + group + 1 > even && length < even + group + 2);
            next = share.end;
        }
        assert_int_equal(next, n);
    }
    of_context more = {.comm = {.size = (int)groups + 1, .split_above = 1000}};
    CHECK_FAILS(of_comm_check(&more, n), ONEFOLD_USAGE, "processes were started, and at most");
    more.comm.split_above = n; /* every process has all samples */
    CHECK_OK(of_comm_check(&more, n));
}

static void shares_cover_the_samples_in_order_and_are_nearly_equal(void **state)
{
    (void)state;
    check_shares(MANY, 64);
    check_shares((1 << 24) - 1, 64);
    check_shares(1 << 24, 128);
    check_shares((size_t)1 << 27, 1024);
    check_shares(10000000000, 1024);
    /* from there on, groups are as many as shares need */
    of_context low = {.comm = {.size = 3, .rank = 1, .split_above = 100}};
    assert_int_equal(of_tiles_make(1 << 16, 1, SIZE_MAX).groups, OF_TEAM_GROUPS);
    assert_true(of_tiles_make((1 << 16) - 1, 1, SIZE_MAX).groups < OF_TEAM_GROUPS);
    assert_true(of_comm_splits(&low, 1 << 16) && !of_comm_splits(&low, (1 << 16) - 1));
    assert_int_equal(of_comm_own(&low, 2000).end, 2000);
    of_context small = {.comm = {.size = 4, .rank = 2, .split_above = MANY}};
    assert_int_equal(of_comm_own(&small, MANY).first, 0);
    assert_int_equal(of_comm_own(&small, MANY).end, MANY);
}

/* ---- gathering ---- */

static onefold_status gather_on_rank(of_context *context, int rank, void *user)
{
    OF_SCRATCH(scratch, context);
    of_range own = of_comm_own(context, MANY);
    double *whole;
    of_share share;
    (void)user;
    OF_TRY(OF_NEW_ZERO(&scratch, &whole, MANY, 2));
    OF_TRY(of_share_make(&scratch, &share, 2, MANY));
    for (size_t j = own.first; j < own.end; j++) {
        of_share_at(share, j)[0] = (double)j;
        of_share_at(share, j)[1] = rank;
    }
    if (share.first != own.first || of_share_at(share, own.first) != share.held)
        return of_fail(ONEFOLD_FAULT, "the share of rank %d does not start with its first", rank);
    memcpy(of_share_at(of_share_whole(whole, 2), own.first), share.held,
           2 * sizeof *whole * (own.end - own.first));
    OF_TRY(of_comm_gather(context, whole, 2 * sizeof *whole, MANY));
    for (int r = 0; r < context->comm.size; r++) {
        of_range theirs = of_comm_share(context, MANY, r);
        for (size_t j = theirs.first; j < theirs.end; j++)
            if (whole[2 * j] != (double)j || whole[2 * j + 1] != r)
                return of_fail(ONEFOLD_FAULT, "sample %zu on rank %d", j, rank);
    }
    double numbers[3] = {rank, -rank, 1}, sums[2] = {rank + 1, 2};
    OF_TRY(of_comm_largest(context, MANY, 3, numbers));
    OF_TRY(of_comm_total(context, MANY, 2, sums));
    int size = context->comm.size;
    if (numbers[0] != size - 1 || numbers[1] != 0 || sums[0] != size * (size + 1) / 2.0 ||
        sums[1] != 2 * size)
        return of_fail(ONEFOLD_FAULT, "largest or total on rank %d", rank);
    return ONEFOLD_OK;
}

static void arrays_of_samples_become_whole_everywhere(void **state)
{
    (void)state;
    for (int ranks = 2; ranks <= 5; ranks++)
        ranks_run_ok(ranks, 1, 1000, gather_on_rank, NULL);
}

/* Rank 0 has room for all wanted samples, the others only for their own. */
static onefold_status collect_on_rank(of_context *context, int rank, void *user)
{
    OF_SCRATCH(scratch, context);
    const of_range *asked = user;
    of_range own = of_comm_own(context, MANY);
    size_t first = own.first > asked->first ? own.first : asked->first,
           end = own.end < asked->end ? own.end : asked->end, held = end > first ? end - first : 0,
           *numbers;
    OF_TRY(OF_NEW_ZERO(&scratch, &numbers, rank ? held : asked->end - asked->first, 1));
    for (size_t i = 0; i < held; i++)
        numbers[i] = first + i;
    OF_TRY(of_comm_collect(context, numbers, sizeof *numbers, MANY, *asked));
    for (size_t i = 0; i < (rank ? held : asked->end - asked->first); i++)
        if (numbers[i] != (rank ? first : asked->first) + i)
            return of_fail(ONEFOLD_FAULT, "number %zu on rank %d", i, rank);
    return ONEFOLD_OK;
}

static void samples_are_brought_to_rank_0(void **state)
{
    (void)state;
    of_range asked[] = {{0, MANY}, {20000, 60000}, {69000, MANY}, {5, 6}, {7, 7}};
    for (int ranks = 1; ranks <= 5; ranks++)
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
            ranks_run_ok(ranks, 1, 1000, collect_on_rank, &asked[i]);
}

/* ---- what one does for all ---- */

enum { TOLD = 1000 };

typedef struct led {
    atomic_int times;
    int ranks, threads;
    int fails;
} led;

typedef struct lead_arguments {
    led *of;
    of_arena *arena;
    double *numbers;
    const char *text;
} lead_arguments;

/* It is alone meanwhile: nothing is split, and a broadcast does nothing. */
static onefold_status lead(of_context *context, void *opaque)
{
    lead_arguments *to = opaque;
    double alone = 5;
    atomic_fetch_add(&to->of->times, 1);
    OF_TRY(of_comm_broadcast(context, 0, &alone, sizeof alone));
    if (context->threads != to->of->threads * to->of->ranks || of_comm_splits(context, MANY) ||
        of_comm_own(context, MANY).end != MANY)
        return of_fail(ONEFOLD_FAULT, "the leader is not alone");
    if (to->of->fails)
        return of_fail(ONEFOLD_NO_MEMORY, "the leader has no room");
    OF_TRY(OF_NEW(to->arena, &to->numbers, TOLD, 1));
    for (size_t i = 0; i < TOLD; i++)
        to->numbers[i] = 1.0 / (double)(i + 1);
    to->text = "what was found";
    return ONEFOLD_OK;
}

static onefold_status lead_on_rank(of_context *context, int rank, void *user)
{
    OF_SCRATCH(scratch, context);
    led *of = user;
    lead_arguments arguments = {of, &scratch, NULL, NULL};
    OF_TRY(of_comm_lead(context, lead, &arguments));
    if (context->threads != of->threads || context->comm.size != of->ranks)
        return of_fail(ONEFOLD_FAULT, "rank %d is not what it was", rank);
    OF_TRY(of_comm_broadcast_array(&scratch, &arguments.numbers, TOLD * sizeof *arguments.numbers));
    OF_TRY(of_comm_broadcast_text(&scratch, &arguments.text));
    for (size_t i = 0; i < TOLD; i++)
        if (arguments.numbers[i] != 1.0 / (double)(i + 1))
            return of_fail(ONEFOLD_FAULT, "number %zu on rank %d", i, rank);
    return strcmp(arguments.text, "what was found") == 0
               ? ONEFOLD_OK
               : of_fail(ONEFOLD_FAULT, "the text on rank %d", rank);
}

static void rank_0_works_for_all_with_their_threads(void **state)
{
    (void)state;
    for (int ranks = 1; ranks <= 4; ranks++)
        for (int threads = 1; threads <= 2; threads++) {
            led of = {.ranks = ranks, .threads = threads};
            ranks_run_ok(ranks, threads, 1000, lead_on_rank, &of);
            assert_int_equal(atomic_load(&of.times), 1);
        }
}

static void a_leader_that_fails_ends_those_who_wait(void **state)
{
    (void)state;
    of_error outcome[3];
    led of = {.ranks = 3, .threads = 1, .fails = 1};
    ranks_run(3, 1, 1000, lead_on_rank, &of, outcome);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(outcome[r].status, ONEFOLD_NO_MEMORY);
        assert_string_equal(outcome[r].message,
                            r == 0 ? "the leader has no room" : "rank 0 of 3 has failed");
    }
}

/* ---- what goes wrong ---- */

static onefold_status compare_on_rank(of_context *context, int rank, void *user)
{
    char text[16] = "the same";
    size_t size = sizeof text;
    OF_TRY(of_comm_same(context, text, size, "data"));
    if (rank == 2 && *(int *)user == 0)
        text[3] = '-';
    if (rank == 2 && *(int *)user == 1)
        size = 8;
    return of_comm_same(context, text, size, "data");
}

static void bytes_that_differ_are_refused_on_every_rank(void **state)
{
    (void)state;
    for (int how = 0; how < 2; how++) {
        of_error outcome[4];
        ranks_run(4, 1, 1000, compare_on_rank, &how, outcome);
        for (int r = 0; r < 4; r++) {
            assert_int_equal(outcome[r].status, ONEFOLD_BAD_DATA);
            assert_string_equal(outcome[r].message, "rank 0 and rank 2 have different data");
        }
    }
}

/* Rank 1 fails at once, while the others go on to the next time they meet. */
static onefold_status fail_on_rank(of_context *context, int rank, void *user)
{
    double number = 1;
    (void)user;
    if (rank == 1)
        return of_fail(ONEFOLD_NO_MEMORY, "there is no room");
    OF_TRY(of_comm_total(context, MANY, 1, &number));
    return of_fail(ONEFOLD_FAULT, "nobody should come here");
}

static void a_rank_that_fails_ends_the_others_with_its_status(void **state)
{
    (void)state;
    of_error outcome[3];
    ranks_run(3, 1, 1000, fail_on_rank, NULL, outcome);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(outcome[r].status, ONEFOLD_NO_MEMORY);
        assert_string_equal(outcome[r].message,
                            r == 1 ? "there is no room" : "rank 1 of 3 has failed");
    }
}

static onefold_status late_on_rank(of_context *context, int rank, void *user)
{
    (void)user;
    (void)context;
    return rank == 2 ? of_fail(ONEFOLD_IO, "the disk is full") : ONEFOLD_OK;
}

static void a_failure_at_the_very_end_is_everybodys(void **state)
{
    (void)state;
    of_error outcome[3];
    ranks_run(3, 1, 1000, late_on_rank, NULL, outcome);
    for (int r = 0; r < 3; r++)
        assert_int_equal(outcome[r].status, ONEFOLD_IO);
    assert_string_equal(outcome[2].message, "the disk is full");
}

static onefold_status meet_inside(void *task, size_t index)
{
    double number = 1;
    (void)index;
    return of_comm_total(task, MANY, 1, &number);
}

static onefold_status inside_on_rank(of_context *context, int rank, void *user)
{
    (void)rank;
    (void)user;
    return of_team_run(context, 4, meet_inside, context);
}

static void meeting_inside_a_piece_is_a_fault_not_a_hang(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        of_error outcome[2];
        ranks_run(2, threads, 1000, inside_on_rank, NULL, outcome);
        for (int r = 0; r < 2; r++)
            assert_int_equal(outcome[r].status, ONEFOLD_FAULT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_cover_the_samples_in_order_and_are_nearly_equal),
        cmocka_unit_test(arrays_of_samples_become_whole_everywhere),
        cmocka_unit_test(samples_are_brought_to_rank_0),
        cmocka_unit_test(rank_0_works_for_all_with_their_threads),
        cmocka_unit_test(a_leader_that_fails_ends_those_who_wait),
        cmocka_unit_test(bytes_that_differ_are_refused_on_every_rank),
        cmocka_unit_test(a_rank_that_fails_ends_the_others_with_its_status),
        cmocka_unit_test(a_failure_at_the_very_end_is_everybodys),
        cmocka_unit_test(meeting_inside_a_piece_is_a_fault_not_a_hang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
