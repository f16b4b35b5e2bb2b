/* SPDX-License-Identifier: Apache-2.0 */
/* What is decided or done once stays in its place: who may call it is listed here. */
#include "support/check.h"
#include "support/house.h"

#include <string.h>

typedef struct once_rule {
    const char *text;     /* a call, or what gives a second copy away */
    const char *place[5]; /* the files that may have it */
    const char *instead;
} once_rule;

static const once_rule rules[] = {
    {"OF_NEW_OWN", {NULL}, "an array of a process's own samples is an of_share"},
    {"of_partition_route(",
     {"src/partition/partition.c", "src/partition/partition.h",
      "src/partition/view_graph.c", /* of the components inside a graph */
      "src/method/base_stage.c"},
     "a view's route is decided once in a fit: problem->routes has it"},
    {"of_partition_base(",
     {"src/partition/partition.c", "src/partition/partition.h", "src/method/base_stage.c"},
     "problem->partition.base has it"},
    {"0xc0) != 0x80", {"src/base/utf8.c"}, "base/utf8.h counts characters, and cli/base.h"},
    {"0xc0) == 0x80",
     {"cli/base.c", "src/report/report_points.c"}, /* which cuts before a character */
     "base/utf8.h counts characters, and cli/base.h"},
    {" realloc(", {"cli/base.c"}, "text grows in cli/base.h, arrays by OF_GROW"},
    {"= column_width(", {NULL}, "cli/screen.h lays out tables"},
    {"of_method_parse_options(",
     {"src/method/registry.c", "src/method/method.h", "src/model/fit_plan.c",
      "src/experiment/experiment_plan.c"},
     "problem->own has a method's options, parsed"},
};

static void see_places(const char *path, const char *text)
{
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        int allowed = 0;
        for (size_t i = 0; i < 5 && rules[r].place[i]; i++)
            allowed |= strcmp(path, rules[r].place[i]) == 0;
        if (!allowed && strstr(text, rules[r].text))
            PROBLEM("%s has \"%s\": %s", path, rules[r].text, rules[r].instead);
    }
}

static void what_is_done_once_stays_in_its_place(void **state)
{
    (void)state;
    house_problems = 0;
    assert_true(house_walk("src", house_is_source, see_places) > 50);
    assert_true(house_walk("cli", house_is_source, see_places) > 0);
    assert_int_equal(house_problems, 0);
}

static void the_check_can_fail(void **state)
{
    (void)state;
    house_problems = 0;
    see_places("src/model/fit.c", "route = of_partition_route(kernel, options);");
    see_places("src/method/base_stage.c", "of_partition_route(kernel, options);");
    assert_int_equal(house_problems, 1);
    house_problems = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_done_once_stays_in_its_place),
        cmocka_unit_test(the_check_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
