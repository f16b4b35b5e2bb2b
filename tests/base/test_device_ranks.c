/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges between ranks that have a GPU each. */
#include "base/device.h"

#include "support/check.h"
#include "support/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 17, RANKS = 3 };

typedef struct asked {
    onefold_status status[RANKS];
    const char *name[RANKS]; /* of the GPU; NULL: none */
    int gpus;
    onefold_status got[RANKS];
    double numbers[RANKS][2];
    int gave_up[RANKS][2], alike[RANKS];
    size_t count[RANKS];
} asked;

static onefold_status lend(of_context *context, const char *name, int gpus)
{
    of_device_use *use = name ? calloc(1, sizeof *use) : NULL;
    if (name && !use)
        return of_fail(ONEFOLD_NO_MEMORY, "no memory for the test");
    context->device = use;
    if (use) {
        snprintf(use->info.name, sizeof use->info.name, "%s", name);
        use->info.gpus = gpus;
        use->device = (of_device *)use; /* never used, but there */
    }
    return ONEFOLD_OK;
}

static void take_back(of_context *context)
{
    free(context->device);
    context->device = NULL;
}

static onefold_status add_up(of_context *context, int rank, void *user)
{
    asked *a = user;
    OF_TRY(lend(context, a->name[rank], a->gpus));
    a->numbers[rank][0] = rank + 1;
    a->numbers[rank][1] = 0.5;
    onefold_status mine = a->status[rank];
    if (mine != ONEFOLD_OK)
        (void)of_fail(mine, "rank %d by itself", rank);
    a->got[rank] = of_device_total(context, N, mine, 2, a->numbers[rank]);
    for (int i = 0; i < 2; i++)
        a->gave_up[rank][i] = of_device_gave_up(context);
    onefold_status status = ONEFOLD_OK;
    if (a->got[rank] == ONEFOLD_OK) {
        status = of_device_alike(context, &a->alike[rank]);
        if (status == ONEFOLD_OK)
            status = of_device_count(context, N, &a->count[rank]);
    }
    take_back(context);
    return a->got[rank] == ONEFOLD_NO_MEMORY ? ONEFOLD_OK : status ? status : a->got[rank];
}

static void sums_are_over_ranks(void **state)
{
    (void)state;
    for (int gpus = 1; gpus <= 4; gpus++) {
        asked a = {.name = {"a", "a", "a"}, .gpus = gpus};
        ranks_run_ok(RANKS, 1, 0, add_up, &a);
        for (int r = 0; r < RANKS; r++) {
            assert_true(a.numbers[r][0] == 6 && a.numbers[r][1] == 1.5);
            assert_int_equal(a.gave_up[r][0], 0);
            assert_int_equal(a.alike[r], 1);
            assert_int_equal(a.count[r], gpus < RANKS ? gpus : RANKS);
        }
    }
}

/* Where one GPU is short of memory, all ranks give up, once. */
static void memory_is_everyones(void **state)
{
    (void)state;
    for (size_t above = 0; above <= N; above += N) { /* split, and not */
        asked a = {.status = {ONEFOLD_OK, ONEFOLD_NO_MEMORY, ONEFOLD_OK}, .name = {"a", "a", "a"}};
        ranks_run_ok(RANKS, 1, above, add_up, &a);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(a.got[r], ONEFOLD_NO_MEMORY);
            assert_int_equal(a.gave_up[r][0], 1);
            assert_int_equal(a.gave_up[r][1], 0);
        }
    }
}

/* Another failure stays with its rank, and ends the others at their next exchange. */
static void other_failures_end_all(void **state)
{
    (void)state;
    asked a = {.status = {ONEFOLD_OK, ONEFOLD_OK, ONEFOLD_FAULT}, .name = {"a", "a", "a"}};
    of_error outcome[RANKS];
    ranks_run(RANKS, 1, 0, add_up, &a, outcome);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(outcome[r].status, ONEFOLD_FAULT);
        assert_non_null(strstr(outcome[r].message, r == 2 ? "rank 2 by itself" : "rank 2 of 3"));
    }
}

static void gpus_of_several_kinds_are_seen(void **state)
{
    (void)state;
    asked a = {.name = {"a", "b", "a"}, .gpus = 1}, none = {.name = {"a", "a", NULL}, .gpus = 1};
    ranks_run_ok(RANKS, 1, 0, add_up, &a);
    ranks_run_ok(RANKS, 1, 0, add_up, &none);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(a.alike[r], 0);
        assert_int_equal(none.alike[r], 0);
    }
}

/* One process: nothing is exchanged, and the CPU may always take over. */
static void one_process_is_alone(void **state)
{
    (void)state;
    onefold_context *context;
    double number = 3;
    int alike;
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(of_device_total(context, N, ONEFOLD_OK, 1, &number));
    assert_true(number == 3);
    assert_int_equal(of_device_total(context, N, ONEFOLD_NO_MEMORY, 1, &number), ONEFOLD_NO_MEMORY);
    assert_int_equal(of_device_gave_up(context), 1);
    CHECK_OK(of_device_alike(context, &alike));
    assert_int_equal(alike, 1);
    onefold_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_over_ranks), cmocka_unit_test(memory_is_everyones),
        cmocka_unit_test(other_failures_end_all), cmocka_unit_test(gpus_of_several_kinds_are_seen),
        cmocka_unit_test(one_process_is_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
