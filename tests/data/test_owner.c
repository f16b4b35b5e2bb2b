/* SPDX-License-Identifier: Apache-2.0 */
/* What numbers lie in goes with the last that holds it, and not before. */
#include "data/dataset.h"
#include "data/view.h"
#include "support/check.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int ended;
static void count_end(void *what)
{
    ended += *(int *)what;
}

static of_owner *made(int *worth)
{
    of_owner *owner;
    CHECK_OK(of_owner_make(&owner, NULL));
    owner->end = count_end;
    owner->ended = worth;
    return owner;
}

static void it_ends_with_the_last_holder(void **state)
{
    (void)state;
    int worth = 1;
    ended = 0;
    of_owner *owner = made(&worth);
    assert_ptr_equal(of_owner_retain(owner), owner);
    of_owner_release(owner);
    assert_int_equal(ended, 0);
    of_owner_release(owner);
    assert_int_equal(ended, 1);
    of_owner_release(NULL);
    assert_null(of_owner_retain(NULL));
}

static void owners_hold_others(void **state)
{
    (void)state;
    int worth[3] = {1, 10, 100};
    ended = 0;
    of_owner *file = made(&worth[0]), *first = made(&worth[1]), *second = made(&worth[2]);
    for (int twice = 0; twice < 2; twice++) { /* the second time changes nothing */
        CHECK_OK(of_owner_hold(first, file));
        CHECK_OK(of_owner_hold(second, file));
        CHECK_OK(of_owner_hold(second, first));
        CHECK_OK(of_owner_hold(second, second));
        CHECK_OK(of_owner_hold(second, NULL));
    }
    of_owner_release(file);
    of_owner_release(first);
    assert_int_equal(ended, 0);
    of_owner_release(second);
    assert_int_equal(ended, 111);
}

static void views_hold_theirs(void **state)
{
    (void)state;
    int worth = 1;
    ended = 0;
    of_owner *owner = made(&worth);
    double *values;
    CHECK_OK(OF_NEW(&owner->arena, &values, 2, 1));
    values[0] = values[1] = 5;
    of_dataset *set;
    CHECK_OK(of_dataset_make(&set, NULL, 2));
    of_view view = {.samples = 2, .columns = 1, .data = values, .sample_step = 1, .owner = owner};
    CHECK_OK(of_dataset_push(set, &view));
    CHECK_OK(of_dataset_push(set, &view));
    of_owner_release(owner);
    assert_int_equal(ended, 0);
    assert_true(of_matrix_get(&set->views[1], 1, 0) == 5);
    of_dataset_free(set);
    assert_int_equal(ended, 1);
}

/* The pages are given back: the address can be mapped again. */
static void a_mapped_file_is_given_back(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fputs("12345678", file), 1);
    assert_int_equal(fflush(file), 0);
    of_owner *owner;
    CHECK_OK(of_owner_make(&owner, NULL));
    owner->map_size = 8;
    owner->map = mmap(NULL, 8, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    assert_true(owner->map != MAP_FAILED);
    void *map = owner->map;
    of_owner_release(owner);
    unsigned char there;
    assert_int_equal(mincore(map, 8, &there), -1);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_with_the_last_holder),
        cmocka_unit_test(owners_hold_others),
        cmocka_unit_test(views_hold_theirs),
        cmocka_unit_test(a_mapped_file_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
