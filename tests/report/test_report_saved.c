/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of fits from their JSON: copied members, blocks, samples matched by name, refused texts. */
#include "onefold.h"

#include "support/check.h"
#include "support/folder.h"
#include "support/page_reader.h"

#include <stdlib.h>
#include <string.h>

static void write_text(void **state, const char *name, const char *text)
{
    FILE *file = fopen(folder_path(state, name), "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void check_page(void **state, const char *program)
{
    char whole[6144];
    snprintf(whole, sizeof whole, "%s%s", read_page, program);
    CHECK_PYTHON(state, "zlib", whole);
}

/* Paths outlive the call that makes them. */
static onefold_status write_page(void **state, const char *a, const char *b)
{
    char *paths[2] = {strdup(folder_path(state, a)), b ? strdup(folder_path(state, b)) : NULL};
    onefold_status status = onefold_report_from_json((const char *const *)paths, b ? 2 : 1, NULL,
                                                     folder_path(state, "page.html"));
    free(paths[0]);
    free(paths[1]);
    return status;
}

#define HEAD "{\"onefold\": \"9\", \"clusters\": 3, \"views\": [{\"weight\": 0.5}], "
static const char first[] =
    HEAD "\"samples\": 4, \"labels\": [0, 2, 1, 0], \"note\": \"a \\\"b\\\" \\u00e9 </script>\", "
         "\"confidence\": [1, 0.5, null, 0], \"view_parts\": [[1], [1], [1], [1]], "
         "\"sample_names\": [\"d\", \"a\\n\", \"c\", \"b\"], \"sizes\": [2, 1, 1]}\n";
static const char second[] = HEAD
    "\"samples\": 4, \"labels\": [1, 1, 0, 2], \"sample_names\": [\"a\\n\", \"b\", \"c\", \"d\"]}";

static void a_fit_is_passed_on_without_its_samples(void **state)
{
    write_text(state, "a.json", first);
    CHECK_OK(write_page(state, "a.json", NULL));
    check_page(state, "assert summary['kind'] == 'fit'\n"
                      "assert not set(data) & {'labels', 'confidence', 'view_parts', "
                      "'sample_names'}\n"
                      "assert data['note'] == 'a \"b\" \\u00e9 </script>'\n"
                      "assert data['sizes'] == [2, 1, 1] and data['views'] == [{'weight': 0.5}]\n"
                      "assert list(block('labels')) == [0, 2, 1, 0]\n"
                      "assert list(block('confidence')) == [250, 125, 255, 0]\n"
                      "assert json.loads(block('names-json')) == ['d', 'a\\n', 'c', 'b']\n"
                      "assert extra['confidence']['histogram'] == [1, 0, 0, 0, 0, 1, 0, 0, 0, 1]\n"
                      "assert [d['sample'] for d in extra['doubtful']] == [3, 1, 0]\n"
                      "assert extra['title'] == 'a.json'\n"
                      "assert len(extra['origin']['files']) == 1\n");
}

static void two_fits_are_matched_by_name(void **state)
{
    write_text(state, "a.json", first);
    write_text(state, "b.json", second);
    CHECK_OK(write_page(state, "a.json", "b.json"));
    check_page(state, "assert summary['kind'] == 'compare' and len(data['fits']) == 2\n"
                      "assert list(block('labels')) == [0, 2, 1, 0]\n"
                      "assert list(block('labels-b')) == [2, 1, 0, 1]\n"
                      "assert extra['contingency'] == [[0, 1, 1], [1, 0, 0], [0, 1, 0]]\n"
                      "assert extra['titles'] == ['a.json', 'b.json']\n");
}

static void what_is_no_fit_is_refused(void **state)
{
    static const char *const texts[] = {
        "[1]",
        "{\"error\": {\"code\": \"bad-data\"}}",
        "{\"onefold\": \"9\",",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2]} x",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2],}",
        HEAD "\"samples\": 3, \"labels\": [0, 1 2]}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 02]}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"x\": tru}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"x\": \"\\x\"}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"x\": \"\\u12g4\"}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"x\": \"\xff\"}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"x\": \"a\nb\"}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"x\": 1.}",
        HEAD "\"samples\": 3, \"labels\": [0, 1]}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 3]}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, -1]}",
        HEAD "\"samples\": 3, \"labels\": {}}",
        HEAD "\"samples\": 2, \"labels\": [0, 1]}", /* in three clusters */
        HEAD "\"samples\": 0, \"labels\": []}",
        HEAD "\"samples\": 99999999999, \"labels\": [0]}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"confidence\": [1]}",
        HEAD "\"samples\": 3, \"labels\": [0, 1, 2], \"sample_names\": [\"a\", \"b\", 2]}",
        "{\"onefold\": \"9\", \"clusters\": 3, \"samples\": 1, \"labels\": [0]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_text(state, "a.json", texts[i]);
        onefold_status status = write_page(state, "a.json", NULL);
        if (status != ONEFOLD_BAD_DATA || !strstr(onefold_last_error(), "not the JSON of a fit"))
            fail_msg("%s: %d, %s", texts[i], (int)status, onefold_last_error());
    }
    char deep[400] = HEAD "\"samples\": 1, \"labels\": [0], \"x\": ";
    memset(deep + strlen(deep), '[', 200);
    write_text(state, "a.json", deep);
    CHECK_FAILS(write_page(state, "a.json", NULL), ONEFOLD_BAD_DATA, "no JSON object");
    CHECK_FAILS(write_page(state, "none.json", NULL), ONEFOLD_IO, "there is no such file");
    write_text(state, "a.json", "");
    CHECK_FAILS(write_page(state, "a.json", NULL), ONEFOLD_BAD_DATA, "the file is empty");
    assert_int_equal(folder_count(state), 1);
}

static void other_samples_are_refused(void **state)
{
    write_text(state, "a.json", first);
    write_text(state, "b.json", HEAD "\"samples\": 3, \"labels\": [0, 1, 2]}");
    CHECK_FAILS(write_page(state, "a.json", "b.json"), ONEFOLD_BAD_DATA, "of 4 samples");
    write_text(state, "b.json",
               HEAD "\"samples\": 4, \"labels\": [0, 1, 2, 0], "
                    "\"sample_names\": [\"a\\n\", \"b\", \"c\", \"dd\"]}");
    CHECK_FAILS(write_page(state, "a.json", "b.json"), ONEFOLD_BAD_DATA, "different samples");
    write_text(state, "b.json", HEAD "\"samples\": 4, \"labels\": [0, 1, 2, 0]}");
    CHECK_OK(write_page(state, "a.json", "b.json")); /* without names, in their order */
}

/* A program that writes escapes has changed nothing of the names. */
static void escaped_names_are_the_same(void **state)
{
    write_text(state, "a.json",
               HEAD "\"samples\": 3, \"labels\": [0, 1, 2], "
                    "\"sample_names\": [\"\xc3\xa9\", \"\xf0\x9f\x98\x80\", \"a\\tb\"]}");
    write_text(state, "b.json",
               HEAD "\"samples\": 3, \"labels\": [2, 1, 0], "
                    "\"sample_names\": [\"a\\u0009b\", \"\\ud83d\\ude00\", \"\\u00e9\"]}");
    CHECK_OK(write_page(state, "a.json", "b.json"));
    check_page(state,
               "assert list(block('labels')) == list(block('labels-b')) == [0, 1, 2]\n"
               "assert json.loads(block('names-json')) == ['\\u00e9', '\\U0001f600', 'a\\tb']\n");
}

/* As any file that is read with a context: none of its outputs may be one. */
static void what_was_read_is_no_output(void **state)
{
    onefold_context *context;
    char path[300];
    const char *paths[] = {path};
    snprintf(path, sizeof path, "%s", folder_path(state, "a.json"));
    write_text(state, "a.json", first);
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_hold_outputs(context));
    CHECK_OK(onefold_context_check_output(context, path));
    CHECK_OK(onefold_report_from_json(paths, 1, context, folder_path(state, "page.html")));
    CHECK_FAILS(onefold_context_check_output(context, path), ONEFOLD_USAGE,
                "would overwrite the data itself");
    CHECK_OK(onefold_context_place_outputs(context));
    onefold_context_free(context);
}

static void many_clusters_take_two_bytes(void **state)
{
    char text[4096] = "{\"onefold\": \"9\", \"clusters\": 300, \"views\": [], \"samples\": 300, "
                      "\"labels\": [299, 0, 256";
    for (int j = 3; j < 300; j++)
        strcat(text, ",7");
    strcat(text, "]}");
    write_text(state, "a.json", text);
    CHECK_OK(write_page(state, "a.json", NULL));
    check_page(state, "assert struct.unpack('<300H', block('labels'))[:4] == (299, 0, 256, 7)\n"
                      "assert extra['points']['wide_labels']\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_fit_is_passed_on_without_its_samples, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(two_fits_are_matched_by_name, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_is_no_fit_is_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(other_samples_are_refused, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(many_clusters_take_two_bytes, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(escaped_names_are_the_same, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(what_was_read_is_no_output, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
