/* SPDX-License-Identifier: Apache-2.0 */
/* The last error: its sentence and hint, per thread, and its copies between threads. */
#include "base/status.h"

#include "support/check.h"

#include <pthread.h>
#include <string.h>

static void codes_and_words_are_pinned(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *word;
    } pinned[] = {{0, "ok"},         {-1, "fault"}, {-2, "usage"},       {-3, "bad-data"},
                  {-4, "no-memory"}, {-5, "io"},    {-6, "unsupported"}, {-7, "interrupted"}};
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++)
        assert_string_equal(onefold_name(ONEFOLD_NAMES_STATUS, pinned[i].code), pinned[i].word);
    assert_string_equal(onefold_name(ONEFOLD_NAMES_STATUS, -99), "fault");
    assert_string_equal(onefold_version(), ONEFOLD_VERSION);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", ONEFOLD_VERSION_MAJOR, ONEFOLD_VERSION_MINOR,
             ONEFOLD_VERSION_PATCH);
    assert_string_equal(version, ONEFOLD_VERSION);
}

/* The capabilities are a word for each switch of the build. */
static void capabilities_are_those_of_the_build(void **state)
{
    (void)state;
    const char *words = onefold_capabilities();
    assert_non_null(strstr(words, "threads"));
    assert_non_null(strstr(words, "json"));
    assert_null(strstr(words, "  "));
}

static void a_failure_has_a_sentence_and_perhaps_a_hint(void **state)
{
    (void)state;
    assert_int_equal(of_hint(of_fail(ONEFOLD_IO, "file %s", "a"), "try %d", 2), ONEFOLD_IO);
    assert_string_equal(onefold_last_error(), "file a");
    assert_string_equal(onefold_last_hint(), "try 2");
    assert_int_equal(of_fail(ONEFOLD_USAGE, "other"), ONEFOLD_USAGE);
    assert_string_equal(onefold_last_error(), "other");
    assert_string_equal(onefold_last_hint(), ""); /* the old hint is not of this failure */
}

static void blame_goes_before_the_sentence_and_keeps_the_hint(void **state)
{
    (void)state;
    of_hint(of_fail(ONEFOLD_BAD_DATA, "row %d is bad", 3), "repair it");
    assert_int_equal(of_blame(ONEFOLD_BAD_DATA, "view %s", "x"), ONEFOLD_BAD_DATA);
    of_blame(ONEFOLD_BAD_DATA, "a.mat");
    assert_string_equal(onefold_last_error(), "a.mat: view x: row 3 is bad");
    assert_string_equal(onefold_last_hint(), "repair it");
}

static void long_sentences_are_cut_not_overrun(void **state)
{
    (void)state;
    static char text[5000];
    memset(text, 'x', sizeof text - 1);
    of_hint(of_fail(ONEFOLD_IO, "%s", text), "%s", text);
    assert_int_equal(strlen(onefold_last_error()), 1023);
    assert_int_equal(strlen(onefold_last_hint()), 511);
    of_blame(ONEFOLD_IO, "%s", text);
    assert_int_equal(strlen(onefold_last_error()), 1023);
    of_blame(ONEFOLD_IO, "who");
    assert_memory_equal(onefold_last_error(), "who: xxx", 8);
}

static void *fail_elsewhere(void *carried)
{
    assert_string_equal(onefold_last_error(), ""); /* each thread starts with none */
    of_hint(of_fail(ONEFOLD_BAD_DATA, "elsewhere"), "there");
    of_error_save(carried, ONEFOLD_BAD_DATA);
    return NULL;
}

static void each_thread_has_its_own_and_can_hand_it_on(void **state)
{
    (void)state;
    of_fail(ONEFOLD_IO, "here");
    of_error carried;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &carried), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_string_equal(onefold_last_error(), "here");
    assert_int_equal(of_error_restore(&carried), ONEFOLD_BAD_DATA);
    assert_string_equal(onefold_last_error(), "elsewhere");
    assert_string_equal(onefold_last_hint(), "there");
}

static onefold_status pass_on(onefold_status status, int *went_on)
{
    OF_TRY(status);
    *went_on = 1;
    return ONEFOLD_OK;
}

static void try_passes_an_error_on(void **state)
{
    (void)state;
    int went_on = 0;
    assert_int_equal(pass_on(ONEFOLD_IO, &went_on), ONEFOLD_IO);
    assert_int_equal(went_on, 0);
    assert_int_equal(pass_on(ONEFOLD_OK, &went_on), ONEFOLD_OK);
    assert_int_equal(went_on, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_and_words_are_pinned),
        cmocka_unit_test(capabilities_are_those_of_the_build),
        cmocka_unit_test(a_failure_has_a_sentence_and_perhaps_a_hint),
        cmocka_unit_test(blame_goes_before_the_sentence_and_keeps_the_hint),
        cmocka_unit_test(long_sentences_are_cut_not_overrun),
        cmocka_unit_test(each_thread_has_its_own_and_can_hand_it_on),
        cmocka_unit_test(try_passes_an_error_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
