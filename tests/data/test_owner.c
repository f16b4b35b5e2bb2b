/* SPDX-License-Identifier: Apache-2.0 */
/* The last holder of an owner frees it. */
#include "data/dataset.h"
#include "data/view.h"
#include "support/check.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* An owner with mapped memory. */
static of_owner *made(void **map)
{
    of_owner *owner;
    CHECK_OK(of_owner_make(&owner, NULL));
    *map = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(*map != MAP_FAILED);
    owner->map = *map;
    owner->map_size = PAGE;
    return owner;
}

static int ended(void *map)
{
    unsigned char there;
    return mincore(map, PAGE, &there) < 0;
}

static void it_ends_with_the_last_holder(void **state)
{
    (void)state;
    void *map;
    of_owner *owner = made(&map);
    assert_ptr_equal(of_owner_retain(owner), owner);
    of_owner_release(owner);
    assert_false(ended(map));
    of_owner_release(owner);
    assert_true(ended(map));
    of_owner_release(NULL);
    assert_null(of_owner_retain(NULL));
}

static void owners_hold_others(void **state)
{
    (void)state;
    void *map[3];
    of_owner *file = made(&map[0]), *first = made(&map[1]), *second = made(&map[2]);
    for (int twice = 0; twice < 2; twice++) { /* the second time changes nothing */
        CHECK_OK(of_owner_hold(first, file));
        CHECK_OK(of_owner_hold(second, file));
        CHECK_OK(of_owner_hold(second, first));
        CHECK_OK(of_owner_hold(second, second));
        CHECK_OK(of_owner_hold(second, NULL));
    }
    of_owner_release(file);
    of_owner_release(first);
    for (int i = 0; i < 3; i++)
        assert_false(ended(map[i]));
    of_owner_release(second);
    for (int i = 0; i < 3; i++)
        assert_true(ended(map[i]));
}

static void views_hold_theirs(void **state)
{
    (void)state;
    void *map;
    of_owner *owner = made(&map);
    double *values;
    CHECK_OK(OF_NEW(&owner->arena, &values, 2, 1));
    values[0] = values[1] = 5;
    of_dataset *set;
    CHECK_OK(of_dataset_make(&set, NULL, 2));
    of_view view = {.samples = 2, .columns = 1, .data = values, .sample_step = 1, .owner = owner};
    CHECK_OK(of_dataset_push(set, &view));
    CHECK_OK(of_dataset_push(set, &view));
    of_owner_release(owner);
    assert_false(ended(map));
    assert_true(of_matrix_get(&set->views[1], 1, 0) == 5);
    of_dataset_free(set);
    assert_true(ended(map));
}

/* The pages are unmapped: the address can be mapped again. */
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
