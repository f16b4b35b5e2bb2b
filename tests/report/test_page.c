/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a page: data come back as they were, no data end their element, and the file appears
 * whole or not at all. */
#include "report/report.h"

#include "support/check.h"
#include "support/folder.h"

#include <stdlib.h>
#include <string.h>

static onefold_status write_page(const char *path, const char *json, const void *bytes, size_t size)
{
    OF_PAGE(page);
    OF_JSON(summary) = {.in_page = 1};
    OF_JSON(extra) = {.in_page = 1};
    of_json_put(&summary, "{");
    of_json_raw(&extra, NULL, (of_span){json, strlen(json)});
    OF_TRY(of_page_open(&page, of_context_or_default(NULL), path));
    OF_TRY(of_page_summary(&page, &summary, &extra));
    OF_TRY(of_page_block(&page, "numbers", bytes, size, SIZE_MAX, NULL));
    return of_page_close(&page);
}

static void hostile_text_stays_text(void **state)
{
    const char *json = "{\"name\": \"</script><img src=x onerror=alert(1)>&amp;<!--\"}";
    const char *path = folder_path(state, "page.html");
    CHECK_OK(write_page(path, json, "abc", 3));
    char *text = folder_read(path, NULL);
    assert_non_null(strstr(text, "\\u003c/script\\u003e\\u003cimg"));
    assert_null(strstr(text, "<img"));
    assert_null(strstr(text, "<!--"));
    const char *policy = strstr(text, "Content-Security-Policy");
    assert_non_null(policy);
    assert_non_null(strstr(policy, "default-src 'none'; script-src 'sha256-"));
    assert_null(strstr(text, "unsafe-inline"));
    assert_null(strstr(text, "unsafe-eval"));
    assert_null(strstr(text, "http://www.onefold"));
    free(text);
}

static void python_reads_the_same_numbers(void **state)
{
    size_t size = 40000;
    unsigned char *bytes = malloc(size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * i % 251);
    CHECK_OK(write_page(folder_path(state, "page.html"), "{\"a\": \"1 < 2\"}", bytes, size));
    free(bytes);
    CHECK_PYTHON(state, "zlib",
                 "import base64, hashlib, json, re, zlib\n"
                 "page = open('page.html', encoding='utf-8').read()\n"
                 "def element(name):\n"
                 "    return re.search(r'id=\"%s\">([^<]*)</script>' % name, page).group(1)\n"
                 "assert json.loads(element('summary')) == {'extra': {'a': '1 < 2'}}\n"
                 "raw = zlib.decompress(base64.b64decode(element('block-numbers')))\n"
                 "assert raw == bytes(i * i % 251 for i in range(40000))\n"
                 "script = re.search(r'<script>(.*)</script>', page, re.S).group(1)\n"
                 "digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()\n"
                 "assert \"script-src 'sha256-%s'\" % digest in page\n");
}

static void there_whole_or_not_at_all(void **state)
{
    const char *path = folder_path(state, "page.html");
    CHECK_OK(write_page(path, "{\"old\": 1}", "", 0));
    size_t there = folder_count(state);
    folder_limit_files(30000);
    onefold_status status = write_page(path, "{\"new\": 1}", "", 0);
    folder_limit_files(SIZE_MAX);
    assert_int_equal(status, ONEFOLD_IO);
    assert_int_equal(folder_count(state), there);
    char *text = folder_read(path, NULL);
    assert_non_null(strstr(text, "{\"old\": 1}"));
    free(text);
    CHECK_FAILS(write_page(folder_path(state, "no/page.html"), "{}", "", 0), ONEFOLD_IO,
                "page.html");
    assert_int_equal(folder_count(state), there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hostile_text_stays_text, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(python_reads_the_same_numbers, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(there_whole_or_not_at_all, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
