/* SPDX-License-Identifier: Apache-2.0 */
#include "method/method.h"

#include "support/check.h"

#include <string.h>

static const of_method_option some_options[] = {
    {"lambda", NULL, 0.5, 0, 10, "a weight"},
    {"input", "plain|signed|other", 0, 0, 0, "what it is fed"},
};
static const of_method some = {
    .name = "some", .title = "a method", .options = some_options, .option_count = 2};

static void names_are_found_and_the_first_is_the_papers(void **state)
{
    (void)state;
    assert_string_equal(of_method_at(0)->name, "os-lfmvc-cs");
    for (size_t i = 0; i < of_method_count(); i++) {
        const of_method *method = NULL;
        CHECK_OK(of_method_find(&method, onefold_method_describe(i)->name));
        assert_ptr_equal(method, of_method_at(i));
        const onefold_method_info *info = onefold_method_describe(i);
        assert_true(strlen(info->title) > 10);
        assert_string_equal(info->name, of_method_at(i)->name);
        assert_int_equal(info->options, method->option_count);
        for (size_t o = 0; o < info->options; o++) {
            const onefold_method_option_info *option = onefold_method_option(i, o);
            assert_string_equal(option->name, method->options[o].name);
            assert_true(option->standard == method->options[o].standard);
        }
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(onefold_method_describe(i)->name,
                                    onefold_method_describe(j)->name);
    }
    assert_null(onefold_method_describe(of_method_count()));
    const of_method *method = NULL;
    CHECK_OK(of_method_find(&method, NULL));
    assert_string_equal(method->name, "onefold");
}

static void an_unknown_name_suggests_the_nearest(void **state)
{
    (void)state;
    const of_method *method = NULL;
    CHECK_FAILS(of_method_find(&method, "os-lfmvc-sc"), ONEFOLD_USAGE, "no method 'os-lfmvc-sc'");
    assert_string_equal(onefold_last_hint(), "did you mean 'os-lfmvc-cs'?");
    assert_null(method);
}

static void own_options_are_read(void **state)
{
    (void)state;
    double own[2] = {-1, -1};
    CHECK_OK(of_method_parse_options(&some, NULL, own));
    assert_true(own[0] == 0.5 && own[1] == 0);
    CHECK_OK(of_method_parse_options(&some, "input=signed,lambda=2.5", own));
    assert_true(own[0] == 2.5 && own[1] == 1);
    CHECK_OK(of_method_parse_options(&some, "input=other", own));
    assert_true(own[0] == 0.5 && own[1] == 2);
}

static void wrong_own_options_are_refused(void **state)
{
    (void)state;
    double own[2];
    CHECK_FAILS(of_method_parse_options(&some, "lambda", own), ONEFOLD_USAGE, "name=value");
    CHECK_FAILS(of_method_parse_options(&some, "lambda=2x", own), ONEFOLD_USAGE, "from 0 to 10");
    CHECK_FAILS(of_method_parse_options(&some, "lambda=11", own), ONEFOLD_USAGE, "from 0 to 10");
    CHECK_FAILS(of_method_parse_options(&some, "lambda=nan", own), ONEFOLD_USAGE, "from 0 to 10");
    CHECK_FAILS(of_method_parse_options(&some, "input=sign", own), ONEFOLD_USAGE,
                "plain|signed|other");
    CHECK_FAILS(of_method_parse_options(&some, "lamda=1", own), ONEFOLD_USAGE, "no option 'lamda'");
    assert_string_equal(onefold_last_hint(), "did you mean `some-lambda`?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_and_the_first_is_the_papers),
        cmocka_unit_test(an_unknown_name_suggests_the_nearest),
        cmocka_unit_test(own_options_are_read),
        cmocka_unit_test(wrong_own_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
