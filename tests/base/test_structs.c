/* SPDX-License-Identifier: Apache-2.0 */
/* Structs of older, equal and newer callers: nothing is read or written past the shorter of the
 * two. */
#include "base/status.h"

#include "support/check.h"

#include <stdint.h>

typedef struct old_struct {
    size_t struct_size;
    int64_t a;
} old_struct;

typedef struct our_struct {
    size_t struct_size;
    int64_t a, b;
} our_struct;

typedef struct new_struct {
    size_t struct_size;
    int64_t a, b, c;
} new_struct;

static void taking(void **state)
{
    (void)state;
    const our_struct standard = {sizeof standard, 10, 20};
    our_struct ours = standard;
    old_struct older = {sizeof older, 1};
    CHECK_OK(of_struct_read(&ours, sizeof ours, &older, "it"));
    assert_int_equal(ours.struct_size, sizeof ours);
    assert_int_equal(ours.a, 1);
    assert_int_equal(ours.b, 20);
    ours = standard;
    new_struct newer = {sizeof newer, 1, 2, 3};
    CHECK_FAILS(of_struct_read(&ours, sizeof ours, &newer, "it"), ONEFOLD_USAGE, "past the 24");
    assert_memory_equal(&ours, &standard, sizeof ours);
    newer.c = 0; /* sets no field that is unknown here */
    CHECK_OK(of_struct_read(&ours, sizeof ours, &newer, "it"));
    assert_int_equal(ours.struct_size, sizeof ours);
    assert_int_equal(ours.a, 1);
    assert_int_equal(ours.b, 2);
    ours = standard;
    CHECK_OK(of_struct_read(&ours, sizeof ours, NULL, "it"));
    assert_memory_equal(&ours, &standard, sizeof ours);
    older.struct_size = 0; /* a struct nobody filled in */
    CHECK_FAILS(of_struct_read(&ours, sizeof ours, &older, "it"), ONEFOLD_USAGE,
                "struct_size of it is 0");
    assert_memory_equal(&ours, &standard, sizeof ours);
}

static void giving(void **state)
{
    (void)state;
    const our_struct ours = {sizeof ours, 1, 2};
    struct {
        old_struct given;
        int64_t after;
    } older = {{sizeof older.given, 0}, 77};
    CHECK_OK(of_struct_write(&older.given, &ours, sizeof ours, "it"));
    assert_int_equal(older.given.struct_size, sizeof older.given);
    assert_int_equal(older.given.a, 1);
    assert_int_equal(older.after, 77);
    new_struct newer = {sizeof newer, 0, 0, 99};
    CHECK_FAILS(of_struct_write(&newer, &ours, sizeof ours, "it"), ONEFOLD_USAGE, "past the 24");
    assert_int_equal(newer.b, 0);
    newer.c = 0;
    CHECK_OK(of_struct_write(&newer, &ours, sizeof ours, "it"));
    assert_int_equal(newer.struct_size, sizeof ours);
    assert_int_equal(newer.b, 2);
    newer.struct_size = 0;
    CHECK_FAILS(of_struct_write(&newer, &ours, sizeof ours, "it"), ONEFOLD_USAGE, "is 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taking),
        cmocka_unit_test(giving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
