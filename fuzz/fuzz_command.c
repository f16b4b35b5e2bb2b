/* SPDX-License-Identifier: Apache-2.0 */
/* The command in this process: a line of the input is a word. Files are those of a folder of its
 * own, where nothing else can be reached: words with a slash are left out. */
#include "fuzz/fuzz.h"

#include "command.h"
#include "session.h"
#include "verbs.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 32, LONGEST = 200 };
static char text[WORDS][LONGEST + 1];
static char *words[WORDS + 4];

/* Splits the input into words; 0 where one of them cannot be taken. */
static int split(fuzz_bytes input, int harmless)
{
    int count = 0;
    while (input.left > 0 && count < WORDS) {
        const uint8_t *end = memchr(input.at, '\n', input.left);
        size_t length = end ? (size_t)(end - input.at) : input.left, digits = 0, most = 0;
        if (length > LONGEST || memchr(input.at, 0, length))
            return 0;
        for (size_t i = 0; i < length; i++) {
            digits = isdigit(input.at[i]) ? digits + 1 : 0;
            most = digits > most ? digits : most;
            if (!harmless && (input.at[i] == '/' || (i > 0 && isdigit(input.at[i - 1]) &&
                                                     strchr("eEkKmMgGtTpP%", input.at[i]))))
                return 0;
        }
        if (!harmless && most > 2) /* work that takes long is no finding */
            return 0;
        memcpy(text[count], input.at, length);
        text[count][length] = '\0';
        words[count] = text[count];
        count++;
        input.at += length + (end != NULL);
        input.left -= length + (end != NULL);
    }
    words[count] = NULL;
    return count;
}

int fuzz_options(const uint8_t *bytes, size_t size)
{
    int count = split((fuzz_bytes){bytes, size}, 1);
    const cli_verb *verb = count ? cli_verb_find(words[0], strlen(words[0])) : NULL;
    if (!verb)
        return 0;
    CLI_SCRATCH(arena);
    cli_call call = {.arena = &arena, .verb = verb, .words = words + 1, .word_count = count - 1};
    onefold_status status = cli_parse(&call);
    if (status == ONEFOLD_OK) {
        fuzz_demand(call.operand_count >= verb->min && call.operand_count <= verb->max,
                    "as many operands as the verb takes");
        return 0;
    }
    fuzz_demand(status != ONEFOLD_FAULT, "no word is a fault of the command");
    fuzz_demand(cli_last_error()[0] != '\0', "a failure has a sentence");
    return 0;
}

static void make_files(void)
{
    static const char labels[] = "id,kind\n1,x\n2,y\n3,x\n4,y\n5,x\n6,y\n7,x\n8,y\n9,x\n10,y\n";
    static char table[1000] = "id,u,v,w\n";
    onefold_synth_options synth = ONEFOLD_SYNTH_OPTIONS_INIT;
    onefold_fit_options options = ONEFOLD_FIT_OPTIONS_INIT;
    const size_t columns[] = {3, 4};
    onefold_dataset *data = NULL;
    onefold_result *result = NULL;
    for (int j = 0; j < 10; j++)
        sprintf(table + strlen(table), "%d,%d,%d,%d\n", j + 1, j % 2 * 5 + j, j * j % 7, 3 - j);
    fuzz_save("a.csv", table, strlen(table));
    fuzz_save("t.csv", labels, sizeof labels - 1);
    synth.samples = 12;
    synth.views = synth.clusters = options.clusters = 2;
    synth.columns = columns;
    options.method = "os-lfmvc-cs";
    options.keep_model = 1;
    fuzz_demand(onefold_dataset_synth(&data, fuzz_context(), &synth) == ONEFOLD_OK &&
                    onefold_dataset_write(data, fuzz_context(), fuzz_path("b.npz")) == ONEFOLD_OK &&
                    onefold_dataset_write(data, fuzz_context(), fuzz_path("k.mat")) == ONEFOLD_OK &&
                    onefold_fit(&result, fuzz_context(), data, &options) == ONEFOLD_OK &&
                    onefold_model_write(onefold_result_describe(result)->model, fuzz_context(),
                                        fuzz_path("m.model")) == ONEFOLD_OK,
                "there are files to work on");
    onefold_result_free(result);
    onefold_dataset_free(data);
}

/* The files as they were made, for every input anew: the command may write to them. */
static void put_files(void)
{
    static const char *const names[] = {"a.csv", "b.npz", "t.csv", "m.model", "k.mat"};
    enum { FILES = sizeof names / sizeof *names, ROOM = 1 << 14 };
    static uint8_t contents[FILES][ROOM];
    static size_t size[FILES];
    if (!size[0]) {
        make_files();
        for (size_t i = 0; i < FILES; i++) {
            FILE *file = fopen(fuzz_path(names[i]), "rb");
            size[i] = file ? fread(contents[i], 1, ROOM, file) : 0;
            fuzz_demand(file && fclose(file) == 0 && size[i] > 0 && size[i] < ROOM,
                        "the files are small");
        }
    }
    fuzz_clear();
    for (size_t i = 0; i < FILES; i++)
        fuzz_save(names[i], contents[i], size[i]);
}

static int has(int count, const char *start)
{
    for (int i = 0; i < count; i++)
        if (strncmp(words[i], start, strlen(start)) == 0)
            return 1;
    return 0;
}

/* Puts a limit of memory behind a verb that takes one: words that ask for more than the machine has
 * are no finding. The number of words, 0 where they set their own. */
static int limit(int count)
{
    static char name[] = "--max-memory", most[] = "100M";
    const cli_verb *verb = cli_verb_find(words[0], strlen(words[0]));
    if (has(count, name))
        return 0;
    if (!verb || !cli_option_of(verb, CLI_MAX_MEMORY))
        return count;
    memmove(words + 3, words + 1, (size_t)count * sizeof *words);
    words[1] = name;
    words[2] = most;
    return count + 2;
}

/* Standard streams go nowhere while the command runs, and come back. */
static void run(int count)
{
    int saved[3];
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 3; i++) {
        int nothing = open("/dev/null", i ? O_WRONLY : O_RDONLY);
        saved[i] = dup(i);
        dup2(nothing, i);
        close(nothing);
    }
    onefold_status status = cli_ranks_start();
    if (status == ONEFOLD_OK)
        status = cli_command_run(count, words);
    fflush(stdout);
    fflush(stderr);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    cli_ranks_end();
    fuzz_demand(status != ONEFOLD_FAULT, "no words are a fault of the command");
    fuzz_demand(status == ONEFOLD_OK || cli_last_error()[0] != '\0', "a failure has a sentence");
}

int fuzz_command(const uint8_t *bytes, size_t size)
{
    char before[256];
    int count = split((fuzz_bytes){bytes, size}, 0);
    count = count ? limit(count) : 0;
    if (!count)
        return 0;
    put_files();
    fuzz_demand(getcwd(before, sizeof before) && chdir(fuzz_folder()) == 0, "there is a folder");
    run(count);
    fuzz_demand(chdir(before) == 0, "the folder of before is there");
    fuzz_clear();
    return 0;
}
