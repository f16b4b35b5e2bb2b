/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a study: what is read from it, and what is refused with which sentence. */
#include "onefold.h"

#include "support/check.h"
#include "support/folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *folder;

/* Reads a text as the file of a study, which is in `folder`. */
static onefold_status read_text(onefold_study **study, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/study.json", folder);
    CHECK_OK(onefold_text_write(text, strlen(text), NULL, path));
    return onefold_study_read(study, NULL, path);
}

static void check_options(const onefold_study_option *const *option, size_t count,
                          const char *expected)
{
    char joined[8192] = "";
    for (size_t i = 0; i < count; i++)
        snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s%s%s", i ? " " : "",
                 option[i]->name, option[i]->value ? "=" : "",
                 option[i]->value ? option[i]->value : "");
    assert_string_equal(joined, expected);
}

static void a_whole_study(void **state)
{
    (void)state;
    onefold_study *study = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/y.csv", folder);
    CHECK_OK(onefold_text_write("y\n1\n", 4, NULL, path));
    CHECK_OK(read_text(&study,
                       " {\"name\": \"a \\\"study\\\"\", \"repeats\": 20, \"seed\": 3,\n"
                       "\"methods\": {\"onefold\": \"none\", \"fmr\": \"paper\", \"mkkm\": \"\", "
                       "\"rmsc\": \"l=1|2\"},\n"
                       "\"sets\": [{\"name\": \"A\", \"data\": \"a.mat\", \"kernel\": [\"rbf\", "
                       "\"graph\"], \"truth\": \"y.csv:y\", \"nonneg\": true, \"start\": null,\n"
                       "  \"as\": \"category a,b\", \"published\": {\"fmr\": {\"acc\": [30.6, "
                       "0.4], \"ari\": 10}}},\n"
                       "  {\"data\": [\"/x/b.one.npy\", \"c.npy\"], \"truth\": \"y\"}],\n"
                       "\"others\": [{\"name\": \"ours\", \"labels\": {\"A\": \"o.mat\", \"b\": "
                       "\"p.csv\"}, \"seconds\": {\"b\": 1.5}},\n"
                       "  {\"name\": \"theirs\", \"command\": \"Rscript t.R\", \"cite\": \"@x\"}],"
                       "\"wanted\": [\"scores\", \"tests\"]}\n"));
    const onefold_study_info *info = onefold_study_describe(study);
    assert_string_equal(info->name, "a \"study\"");
    check_options(info->option, info->options,
                  "repeats=20 seed=3 methods=onefold,fmr,mkkm,rmsc grid=fmr:paper;rmsc:l=1|2");
    assert_int_equal(info->sets, 2);
    const onefold_study_set *set = info->set[0];
    char expected[8192];
    snprintf(expected, sizeof expected, "kernel=rbf,graph truth=%s/y.csv:y nonneg as=category a,b",
             folder);
    check_options(set->option, set->options, expected);
    snprintf(expected, sizeof expected, "%s/a.mat", folder);
    assert_string_equal(set->path[0], expected);
    assert_int_equal(set->figures, 2);
    assert_string_equal(set->figure[0]->method, "fmr");
    assert_true(set->figure[0]->measure == ONEFOLD_ACC && set->figure[0]->mean == 30.6 &&
                set->figure[0]->deviation == 0.4);
    assert_true(set->figure[1]->measure == ONEFOLD_ARI && set->figure[1]->mean == 10 &&
                isnan(set->figure[1]->deviation));
    set = info->set[1];
    assert_string_equal(set->name, "b");
    assert_string_equal(set->path[0], "/x/b.one.npy");
    snprintf(expected, sizeof expected, "%s/c.npy", folder);
    assert_string_equal(set->path[1], expected);
    check_options(set->option, set->options, "truth=y");
    assert_int_equal(info->others, 2);
    const onefold_study_other *other = info->other[0];
    assert_true(other->files == 2 && !other->command && isnan(other->seconds[0]) &&
                other->seconds[1] == 1.5);
    assert_string_equal(other->set[1], "b");
    assert_string_equal(info->other[1]->command, "Rscript t.R");
    assert_string_equal(info->other[1]->ending, ".csv");
    assert_string_equal(info->other[1]->cite, "@x");
    assert_int_equal(info->wanted, ONEFOLD_WANT_SCORES | ONEFOLD_WANT_TESTS);
    onefold_study_free(study);
}

static void defaults(void **state)
{
    (void)state;
    onefold_study *study = NULL;
    CHECK_OK(read_text(&study, "{\"sets\": [{\"data\": \"a.mat\"}], \"methods\": [\"fmr\", "
                               "\"mkkm\"], \"grid\": \"none\"}"));
    const onefold_study_info *info = onefold_study_describe(study);
    assert_string_equal(info->name, "study");
    assert_string_equal(info->set[0]->name, "a");
    assert_int_equal(info->wanted & 31, 31);
    check_options(info->option, info->options, "methods=fmr,mkkm grid=none");
    onefold_study_free(study);
    assert_null(onefold_study_describe(NULL));
    onefold_study_free(NULL);
}

/* The memory that a list takes grows as its length does. */
static void a_long_list(void **state)
{
    (void)state;
    enum { VALUES = 20000 };
    char *text = malloc(2 * VALUES + 100), *at = text;
    assert_non_null(text);
    at += sprintf(at, "{\"sets\": [{\"data\": \"a\"}], \"methods\": [0");
    for (int i = 1; i < VALUES; i++)
        at += sprintf(at, ",1");
    sprintf(at, "]}");
    onefold_context *context = NULL;
    onefold_study *study = NULL;
    CHECK_OK(read_text(&study, text));
    assert_int_equal(strlen(onefold_study_describe(study)->option[0]->value), 2 * VALUES - 1);
    onefold_study_free(study);
    CHECK_OK(onefold_context_create(&context, NULL));
    CHECK_OK(onefold_context_set_memory_limit(context, 16 << 20));
    char path[4096];
    snprintf(path, sizeof path, "%s/study.json", folder);
    CHECK_OK(onefold_study_read(&study, context, path));
    onefold_study_free(study);
    onefold_context_free(context);
    free(text);
}

static void wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } wrong[] = {
        {"{\"sets\": [}", "study.json is not JSON"},
        {"{} x", "is not JSON"},
        {"{}", "the file has no \"sets\""},
        {"{\"sets\": {}}", "\"sets\" is not a list"},
        {"{\"sets\": [1]}", "\"sets\" is not an object"},
        {"{\"sets\": [{\"name\": \"A\"}]}", "A has no \"data\""},
        {"{\"sets\": [{\"data\": \"a\", \"data\": \"b\"}]}", "names a member twice"},
        {"{\"sets\": [{\"data\": \"a\"}, {\"data\": \"a\"}]}", "a names two data sets"},
        {"{\"sets\": [{\"data\": \"a\", \"name\": \"../x\"}]}", "../x is no name of a set"},
        {"{\"sets\": [{\"data\": \"a\"}], \"sets\": [{\"data\": \"b\"}]}",
         "the file names a member twice"},
        {"{\"sets\": [{\"data\": \"\"}]}", "is no name of a set"},
        {"{\"sets\": [{\"data\": \"folder/\"}]}", "is no name of a set"},
        {"{\"sets\": [{\"data\": {}}]}", "neither text nor number"},
        {"{\"sets\": [{\"data\": \"a\", \"published\": {\"fmr\": {\"f\": 1}}}]}",
         "takes acc, nmi, purity and ari"},
        {"{\"sets\": [{\"data\": \"a\", \"published\": {\"fmr\": {\"acc\": [1]}}}]}",
         "each a number or [mean, deviation]"},
        {"{\"sets\": [{\"data\": \"a\"}], \"wanted\": \"all\"}", "\"wanted\" takes"},
        {"{\"sets\": [{\"data\": \"a\"}], \"others\": [{\"name\": \"x\"}]}",
         "x needs either \"labels\" or a \"command\""},
        {"{\"sets\": [{\"data\": \"a\"}], \"others\": [{\"command\": \"x\"}]}", "has no \"name\""},
        {"{\"sets\": [{\"data\": \"a\"}], \"others\": [{\"name\": \"x\", \"label\": 1}]}",
         "label is not known"},
        {"{\"sets\": [{\"data\": \"a\"}], \"others\": [{\"name\": \"x\", \"labels\": {\"b\": "
         "\"f\"}}]}",
         "b is not the name of a set"},
        {"{\"sets\": [{\"data\": \"a\"}], \"others\": 1}", "\"others\" is not a list"},
    };
    onefold_study *study = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_FAILS(read_text(&study, wrong[i].text), i < 2 ? ONEFOLD_BAD_DATA : ONEFOLD_USAGE,
                    wrong[i].said);
    char path[4096];
    snprintf(path, sizeof path, "%s/study.json", folder);
    CHECK_OK(onefold_text_write("{\"sets\": [{\"data\": \"a\"}]}\0x", 28, NULL, path));
    CHECK_FAILS(onefold_study_read(&study, NULL, path), ONEFOLD_BAD_DATA, "is not JSON");
    CHECK_FAILS(onefold_study_read(&study, NULL, "/nowhere/study.json"), ONEFOLD_IO, "/nowhere");
    CHECK_FAILS(onefold_study_read(&study, NULL, NULL), ONEFOLD_USAGE, "needs a place");
    CHECK_FAILS(onefold_text_write(NULL, 0, NULL, "x"), ONEFOLD_USAGE, "needs the text");
    assert_null(study);
}

static int set_up(void **state)
{
    int failed = folder_make(state);
    folder = failed ? NULL : strdup(folder_path(state, ""));
    if (folder && folder[strlen(folder) - 1] == '/')
        folder[strlen(folder) - 1] = '\0';
    return failed;
}

static int tear_down(void **state)
{
    free(folder);
    return folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_study),
        cmocka_unit_test(defaults),
        cmocka_unit_test(wrong_files),
        cmocka_unit_test(a_long_list),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
