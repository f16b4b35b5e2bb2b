/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of options and the table of verbs. Parsing, help, completions and the check of the
 * manual page use them: to add an option, add a row.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "onefold.h"

typedef struct cli_call cli_call;

typedef struct cli_verb {
    const char *name;
    unsigned bit;         /* CLI_FIT, ... */
    const char *operands; /* "DATA..." as usage shows it */
    size_t min, max;      /* operands it takes */
    const char *title;    /* a line */
    const char *text;     /* what help says below the usage */
    const char *examples; /* indented lines, or NULL */
    onefold_status (*run)(cli_call *call);
} cli_verb;

enum {
    CLI_FIT = 1 << 0,
    CLI_SCORE = 1 << 1,
    CLI_INFO = 1 << 2,
    CLI_CONVERT = 1 << 3,
    CLI_SYNTH = 1 << 4,
    CLI_PREDICT = 1 << 5,
    CLI_CHOOSE = 1 << 6,
    CLI_BENCH = 1 << 7,
    CLI_PAGE = 1 << 8, /* onefold report */
    CLI_EXPERIMENT = 1 << 9
};

extern const cli_verb cli_verbs[];
extern const size_t cli_verb_count;

typedef enum cli_option_id {
    CLI_CLUSTERS,
    CLI_METHOD,
    CLI_KERNEL,
    CLI_DIMS,
    CLI_ANCHORS,
    CLI_RESTARTS,
    CLI_START,
    CLI_VARIANT,
    CLI_NONNEG,
    CLI_STOP,
    CLI_TOL,
    CLI_MAX_ITER,
    CLI_BASE,
    CLI_LANDMARKS,
    CLI_EFFORT,
    CLI_WEIGHTS,
    CLI_NEIGHBOURS,
    CLI_PRECISION,
    CLI_SEED,
    CLI_SAMPLES_ARE,
    CLI_VIEWS,
    CLI_TRUTH,
    CLI_NO_TRUTH,
    CLI_SAMPLES,
    CLI_VIEW_COUNT,
    CLI_COLUMNS,
    CLI_SEPARATION,
    CLI_NOISE,
    CLI_DENSITY,
    CLI_MISSING,
    CLI_BALANCE,
    CLI_LABELS,
    CLI_NAMES,
    CLI_GUARD,
    CLI_EMBEDDING,
    CLI_LAYOUT,
    CLI_PARTS,
    CLI_MODEL,
    CLI_REPORT,
    CLI_PRESENT,
    CLI_IMPUTE,
    CLI_IDS,
    CLI_MATCH,
    CLI_HEADER,
    CLI_DROP,
    CLI_ONLY,
    CLI_AS,
    CLI_AS_NUMBER,
    CLI_EXPLAIN,
    CLI_METHODS,
    CLI_GRID,
    CLI_REPEATS,
    CLI_GRID_REPEATS,
    CLI_SENSITIVITY,
    CLI_KMEANS_START,
    CLI_REPLICATES,
    CLI_RESUME,
    CLI_MIN,
    CLI_MAX,
    CLI_CSV,
    CLI_MARKDOWN,
    CLI_LATEX,
    CLI_LABELS_OF,
    CLI_FIGURES,
    CLI_OUT,
    CLI_THREADS,
    CLI_DEVICE,
    CLI_PORTABLE,
    CLI_MAX_MEMORY,
    CLI_DRY_RUN,
    CLI_MACHINE,
    CLI_JSON,
    CLI_PROGRESS,
    CLI_QUIET,
    CLI_VERBOSE,
    CLI_HELP,
    CLI_VERSION,
    CLI_OPTION_IDS
} cli_option_id;

/* What an option takes; the parser checks and converts it. */
typedef enum cli_kind {
    CLI_FLAG,    /* nothing */
    CLI_COUNT,   /* a whole number, min .. max */
    CLI_WHOLE,   /* any whole number from 0 to 2^64 - 1 */
    CLI_NUMBER,  /* a finite number, min .. max */
    CLI_WORD,    /* one of a list of words */
    CLI_SIZE,    /* bytes: 500M, 2GiB, 50% (of what is free) */
    CLI_TEXT,    /* anything */
    CLI_AS_LIST, /* category or number, and a list of columns: two words */
    CLI_FILE     /* a path */
} cli_kind;

typedef struct cli_option {
    cli_option_id id;
    const char *name;     /* without the dashes */
    char letter;          /* -q, or 0 */
    const char *argument; /* as help shows it; NULL for a flag */
    cli_kind kind;
    double min, max;      /* of CLI_COUNT and CLI_NUMBER */
    const char *standard; /* default as help shows it, or NULL */
    unsigned verbs;
    const char *group; /* heading of help it stands under */
    const char *help;
} cli_option;

/* For CLI_WORD, `argument` is the list: "auto|exact|nystrom". */
extern const cli_option cli_options[];
extern const size_t cli_option_count;

/* The verb of this name, or NULL. */
const cli_verb *cli_verb_find(const char *name, size_t length);

/* The option of this name that serves the verb, or NULL. */
const cli_option *cli_option_find(const cli_verb *verb, const char *name, size_t length);

/* The option of this id that serves the verb, or NULL. */
const cli_option *cli_option_of(const cli_verb *verb, cli_option_id id);

/* Whether the verb takes the methods' own options. */
int cli_accepts_methods(const cli_verb *verb);

#endif
