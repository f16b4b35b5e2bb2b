/* SPDX-License-Identifier: Apache-2.0 */
#include "base/comm.h"
#include "base/team.h"

#include "base/random.h"
#include "support/check.h"
#include "support/ranks.h"

#include <math.h>
#include <string.h>

enum { MANY = 70001, VERY_MANY = 1 << 24, MOST_LENGTH = 150000, MOST_RANKS = 64 };

/* ---- the sum, by the definition in team.h ---- */

/* Number i of sample j. Numbers differ widely in size, so another order of adding changes bits. */
static double number(size_t j, size_t i)
{
    of_random random = of_random_make(7, OF_PURPOSE_TEST, j);
    return ldexp(of_random_uniform(&random) - 0.5, (int)((j * 7 + i) % 40));
}

static onefold_status add_tile(void *opaque, size_t index, double *sum)
{
    const of_tiles *tiles = *(const of_tiles **)opaque;
    size_t length = ((size_t *)opaque)[1], end = of_tiles_first(tiles, index + 1);
    for (size_t j = of_tiles_first(tiles, index); j < end; j++)
        for (size_t i = 0; i<length; i += length> 8 ? 1009 : 1)
            sum[i] += number(j, i);
    return ONEFOLD_OK;
}

typedef struct sum_case {
    const of_tiles *tiles;
    size_t length;
    double *sums[MOST_RANKS];
} sum_case;

static onefold_status sum_on_rank(of_context *context, int rank, void *user)
{
    sum_case *c = user;
    memset(c->sums[rank], 0xff, c->length * sizeof(double)); /* whatever was there before */
    return of_tiles_sum(context, c->tiles, add_tile, c, c->length, c->sums[rank]);
}

/* Leaf by leaf, then pairs of neighbours, level by level. */
static void restate(const of_tiles *tiles, size_t length, double *leaves)
{
    void *task[2] = {(void *)(uintptr_t)tiles, (void *)(uintptr_t)length};
    memset(leaves, 0, tiles->groups * length * sizeof *leaves);
    for (size_t g = 0; g < tiles->groups; g++)
        for (size_t t = 0; t < tiles->tiles_per_group; t++)
            add_tile(task, g * tiles->tiles_per_group + t, leaves + g * length);
    for (size_t left = tiles->groups / 2; left >= 1; left /= 2)
        for (size_t g = 0; g < left; g++)
            for (size_t i = 0; i < length; i++)
                leaves[g * length + i] =
                    leaves[2 * g * length + i] + leaves[(2 * g + 1) * length + i];
}

static void check_sum(size_t n, size_t length, const int *ranks, size_t count, const int *threads)
{
    of_tiles tiles = of_tiles_make(n, 50, 64 << 10);
    assert_int_equal(tiles.groups, n == MANY ? 64 : 128);
    OF_SCRATCH(scratch, of_context_or_default(NULL));
    double *want;
    sum_case c = {&tiles, length, {NULL}};
    CHECK_OK(OF_NEW(&scratch, &want, tiles.groups, length));
    restate(&tiles, length, want);
    for (size_t i = 0; i < count; i++) {
        for (int r = 0; r < ranks[i]; r++)
            CHECK_OK(OF_NEW(&scratch, &c.sums[r], length, 1));
        ranks_run_ok(ranks[i], threads[i], 1 << 16, sum_on_rank, &c);
        for (int r = 0; r < ranks[i]; r++)
            assert_memory_equal(c.sums[r], want, length * sizeof *want);
    }
}

static void sums_have_the_bits_of_one_process_on_any_number_of_ranks_and_threads(void **state)
{
    (void)state;
    static const int ranks[] = {1, 1, 1, 1, 2, 2, 3, 4, 4, 5, 7, 8, 64},
                     threads[] = {1, 2, 3, 8, 1, 3, 1, 1, 2, 1, 1, 1, 1};
    check_sum(MANY, 5, ranks, sizeof ranks / sizeof *ranks, threads);
}

static void more_groups_have_the_same_bits_too(void **state)
{
    (void)state;
    static const int ranks[] = {1, 64}, threads[] = {2, 1};
    check_sum(VERY_MANY, 1, ranks, sizeof ranks / sizeof *ranks, threads);
}

/* Sums so long that the memory for partial sums decides how many leaves a piece has. */
static void long_sums_have_the_same_bits_too(void **state)
{
    (void)state;
    static const int ranks[] = {1, 1, 2, 3}, threads[] = {1, 3, 1, 2};
    of_tiles tiles = of_tiles_make(MANY, 50, 64 << 10);
    OF_COUNTING(few, NULL);
    few->threads = 2;
    CHECK_OK(of_tiles_sum(few, &tiles, NULL, NULL, 100, NULL));
    const size_t held = 64 * 100 * 8 + 64 * (2 * sizeof(size_t) + sizeof(double *)); /* and nodes */
    assert_in_range(of_count_peak(few), held, held + 1000);
    OF_COUNTING(many, NULL);
    many->threads = 2;
    CHECK_OK(of_tiles_sum(many, &tiles, NULL, NULL, MOST_LENGTH, NULL));
    assert_true(of_count_peak(many) < 64 * MOST_LENGTH * 8);
    check_sum(MANY, MOST_LENGTH, ranks, sizeof ranks / sizeof *ranks, threads);
}

static void a_short_problem_sums_as_the_team_does(void **state)
{
    (void)state;
    of_tiles tiles = of_tiles_make(5000, 50, 64 << 10);
    of_context *context = of_context_or_default(NULL);
    double sum[5] = {0}, want[5] = {0};
    void *task[2] = {&tiles, (void *)5};
    CHECK_OK(of_tiles_sum(context, &tiles, add_tile, task, 5, sum));
    CHECK_OK(of_team_sum(context, tiles.count, add_tile, task, 5, want));
    assert_memory_equal(sum, want, sizeof sum);
}

/* ---- running ---- */

typedef struct run_case {
    of_tiles tiles;
    int seen[MOST_RANKS][4096];
    size_t split_above;
} run_case;

typedef struct run_seat {
    run_case *c;
    int rank;
} run_seat;

static onefold_status see_tile(void *opaque, size_t index)
{
    run_seat *seat = opaque;
    seat->c->seen[seat->rank][index]++;
    return ONEFOLD_OK;
}

static onefold_status run_on_rank(of_context *context, int rank, void *user)
{
    run_seat seat = {user, rank};
    return of_tiles_run(context, &seat.c->tiles, see_tile, &seat);
}

static void every_tile_is_worked_by_the_rank_that_holds_its_samples(void **state)
{
    (void)state;
    static run_case c;
    for (int ranks = 1; ranks <= 5; ranks++) {
        memset(&c, 0, sizeof c);
        c.tiles = of_tiles_make(MANY, 50, 64 << 10);
        assert_true(c.tiles.count <= 4096);
        ranks_run_ok(ranks, 2, 1 << 16, run_on_rank, &c);
        of_context whole = {.comm = {.size = ranks, .split_above = 1 << 16}};
        for (int r = 0; r < ranks; r++) {
            of_range own = of_comm_share(&whole, MANY, r);
            for (size_t t = 0; t < c.tiles.count; t++) {
                size_t first = of_tiles_first(&c.tiles, t);
                assert_int_equal(c.seen[r][t], first >= own.first && first < own.end);
            }
        }
    }
}

static void what_is_not_split_is_worked_whole_by_every_rank(void **state)
{
    (void)state;
    static run_case c;
    memset(&c, 0, sizeof c);
    c.tiles = of_tiles_make(5000, 50, 64 << 10);
    ranks_run_ok(3, 1, 1 << 16, run_on_rank, &c);
    for (int r = 0; r < 3; r++)
        for (size_t t = 0; t < c.tiles.count; t++)
            assert_int_equal(c.seen[r][t], 1);
}

/* ---- gathering the tiles of all processes ---- */

typedef struct share_case {
    of_tiles tiles;
    size_t *start;             /* of the entries of each sample: none of every fifth */
    size_t worked[MOST_RANKS]; /* tiles */
} share_case;

typedef struct share_seat {
    share_case *c;
    int rank;
    uint32_t *of_sample, *of_entry;
} share_seat;

static onefold_status fill_tile(void *opaque, size_t index)
{
    share_seat *seat = opaque;
    share_case *c = seat->c;
    size_t end = of_tiles_first(&c->tiles, index + 1);
    seat->c->worked[seat->rank]++;
    for (size_t j = of_tiles_first(&c->tiles, index); j < end; j++) {
        seat->of_sample[j] = (uint32_t)(j + 1);
        for (size_t e = c->start[j]; e < c->start[j + 1]; e++)
            seat->of_entry[e] = (uint32_t)(3 * e + 1);
    }
    return ONEFOLD_OK;
}

static onefold_status share_on_rank(of_context *context, int rank, void *user)
{
    OF_SCRATCH(scratch, context);
    share_seat seat = {user, rank, NULL, NULL};
    share_case *c = seat.c;
    size_t n = c->tiles.samples;
    OF_TRY(OF_NEW_ZERO(&scratch, &seat.of_sample, n, 1));
    OF_TRY(OF_NEW_ZERO(&scratch, &seat.of_entry, c->start[n], 1));
    OF_TRY(of_tiles_run(context, &c->tiles, fill_tile, &seat));
    OF_TRY(of_tiles_gather(context, &c->tiles, NULL, sizeof *seat.of_sample, seat.of_sample));
    OF_TRY(of_tiles_gather(context, &c->tiles, c->start, sizeof *seat.of_entry, seat.of_entry));
    for (size_t j = 0; j < n; j++)
        if (seat.of_sample[j] != j + 1)
            return of_fail(ONEFOLD_FAULT, "rank %d was not told of sample %zu", rank, j);
    for (size_t e = 0; e < c->start[n]; e++)
        if (seat.of_entry[e] != 3 * e + 1)
            return of_fail(ONEFOLD_FAULT, "rank %d was not told of entry %zu", rank, e);
    return ONEFOLD_OK;
}

static void what_tiles_gave_is_told(void **state)
{
    (void)state;
    static const size_t samples[] = {7, 5000, MANY}; /* the last are split */
    for (size_t i = 0; i < 3; i++)
        for (int ranks = 1; ranks <= 9; ranks += 2) {
            OF_SCRATCH(scratch, of_context_or_default(NULL));
            share_case c = {.tiles = of_tiles_make(samples[i], 50, 64 << 10)};
            size_t worked = 0;
            CHECK_OK(OF_NEW_ZERO(&scratch, &c.start, samples[i] + 1, 1));
            for (size_t j = 0; j < samples[i]; j++)
                c.start[j + 1] = c.start[j] + j % 5;
            ranks_run_ok(ranks, 1, 1 << 16, share_on_rank, &c);
            for (int r = 0; r < ranks; r++)
                worked += c.worked[r];
            /* each by one of them, where samples are split */
            assert_int_equal(worked, c.tiles.count * (samples[i] == MANY ? 1 : (size_t)ranks));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_bits_of_one_process_on_any_number_of_ranks_and_threads),
        cmocka_unit_test(more_groups_have_the_same_bits_too),
        cmocka_unit_test(long_sums_have_the_same_bits_too),
        cmocka_unit_test(a_short_problem_sums_as_the_team_does),
        cmocka_unit_test(every_tile_is_worked_by_the_rank_that_holds_its_samples),
        cmocka_unit_test(what_is_not_split_is_worked_whole_by_every_rank),
        cmocka_unit_test(what_tiles_gave_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
