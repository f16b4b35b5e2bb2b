/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of options and verbs; help, version, and the list that completions read. */
#include "options.h"

#include "base/number.h"
#include "verbs.h"

#include <string.h>

/* The largest count of any option: labels are 32-bit. */
#define MOST 2147483647.0

enum {
    READS = CLI_FIT | CLI_INFO | CLI_CONVERT | CLI_BENCH | CLI_PREDICT | CLI_CHOOSE,
    PLANS = CLI_FIT | CLI_INFO | CLI_BENCH,
    FITS = CLI_FIT | CLI_BENCH,
    WORKS = CLI_FIT | CLI_INFO | CLI_CONVERT | CLI_SYNTH | CLI_BENCH | CLI_PREDICT | CLI_CHOOSE |
            CLI_EXPERIMENT,
    TRIES = CLI_FIT | CLI_INFO | CLI_BENCH | CLI_CHOOSE,
    WRITES = CLI_FIT | CLI_CONVERT | CLI_SYNTH | CLI_PREDICT,
    ALL = (WORKS | CLI_SCORE) & ~CLI_EXPERIMENT
};

static const char experiment[] = "Comparison", clustering[] = "Clustering",
                  partitions[] = "Base partitions", data[] = "Data", making[] = "Synthetic data",
                  output[] = "Output", running[] = "Running";

const cli_option cli_options[] = {
    {CLI_CLUSTERS, "clusters", 0, "N|auto", CLI_COUNT, 1, MOST, NULL, CLI_FIT, clustering,
     "number of clusters; required. auto: the number that choose suggests"},
    {CLI_CLUSTERS, "clusters", 0, "N", CLI_COUNT, 1, MOST, "the classes, or 10", CLI_INFO,
     clustering, "number of clusters of the fit whose memory and time are estimated"},
    {CLI_METHODS, "methods", 0, "LIST|all", CLI_TEXT, 0, 0, "all", CLI_BENCH, experiment,
     "methods to compare, separated by commas; their own options are --NAME-OPTION"},
    {CLI_GRID, "grid", 0, "paper|default|none|CELLS", CLI_TEXT, 0, 0, "default", CLI_BENCH,
     experiment,
     "settings to try: the published grid of every method that has one (paper, default), the "
     "defaults alone (none), or METHOD:NAME=1|2,NAME=3|4;METHOD:paper"},
    {CLI_REPEATS, "repeats", 0, "N", CLI_COUNT, 0, 1000000, "20", CLI_BENCH, experiment,
     "repeats of every cell: runs of the whole method with the next seeds"},
    {CLI_GRID_REPEATS, "grid-repeats", 0, "N", CLI_COUNT, 0, 1000000, NULL, CLI_BENCH, experiment,
     "no longer used: every cell has all repeats"},
    {CLI_SENSITIVITY, "sensitivity", 0, "F[,F...]", CLI_TEXT, 0, 0, "1,2,4", CLI_BENCH, experiment,
     "k and m of the sensitivity table, in multiples of the clusters"},
    {CLI_KMEANS_START, "kmeans-start", 0, "plusplus|samples", CLI_WORD, 0, 0, "plusplus", CLI_BENCH,
     experiment,
     "start of the final k-means: k-means++, or random samples as in published figures"},
    {CLI_REPLICATES, "replicates", 0, "N", CLI_COUNT, 0, 1000000, "10", CLI_BENCH, experiment,
     "k-means starts in each repeat, the best kept"},
    {CLI_LABELS_OF, "labels-of", 0, "NAME=FILE[,...]", CLI_TEXT, 0, 0, NULL, CLI_BENCH, experiment,
     "add a method by its labels: one labelling, or a matrix with a column for each repeat"},
    {CLI_RESUME, "resume", 0, "FILE", CLI_FILE, 0, 0, NULL, CLI_BENCH, experiment,
     "store finished cells in FILE, and reuse those stored there"},
    {CLI_CLUSTERS, "clusters", 0, "N", CLI_COUNT, 1, MOST, "the classes", CLI_BENCH, clustering,
     "number of clusters"},
    {CLI_MIN, "min", 0, "A", CLI_COUNT, 0, MOST, "2", CLI_CHOOSE, clustering,
     "smallest number of clusters to try"},
    {CLI_MAX, "max", 0, "B", CLI_COUNT, 0, MOST, "20, or a third of the samples", CLI_CHOOSE,
     clustering, "largest number of clusters to try"},
    {CLI_METHOD, "method", 0, "NAME", CLI_TEXT, 0, 0, "onefold", CLI_FIT | CLI_INFO, clustering,
     "clustering method; its own options are --NAME-OPTION"},
    {CLI_KERNEL, "kernel", 0, "K[,K...]", CLI_TEXT, 0, 0, "auto", TRIES, clustering,
     "kernel of every view, or one per view: auto, linear, cosine, rbf, graph, precomputed, "
     "laplacian, knn, subspace"},
    {CLI_DIMS, "dims", 0, "K", CLI_COUNT, 1, MOST, "twice the clusters", PLANS, clustering,
     "dimensions kept per view; at least the clusters"},
    {CLI_ANCHORS, "anchors", 0, "M", CLI_COUNT, 1, MOST, "twice the clusters", PLANS, clustering,
     "anchors of the compressed subspace"},
    {CLI_RESTARTS, "restarts", 0, "R", CLI_COUNT, 1, MOST, "10; 2 of each fit of onefold", PLANS,
     clustering, "restarts; the best is kept"},
    {CLI_RESTARTS, "restarts", 0, "R", CLI_COUNT, 1, MOST, "2", CLI_CHOOSE, clustering,
     "restarts of each fit; the best is kept"},
    {CLI_START, "start", 0, "aligned|paper", CLI_WORD, 0, 0, "aligned", FITS, clustering,
     "start from aligned views and k-means, or at random as in the paper"},
    {CLI_VARIANT, "variant", 0, "exact|printed", CLI_WORD, 0, 0, "exact", FITS, clustering,
     "the exact update of the rotations, or the one the paper prints"},
    {CLI_NONNEG, "nonneg", 0, NULL, CLI_FLAG, 0, 0, NULL, FITS, clustering,
     "constrain the compressed subspace to be non-negative"},
    {CLI_STOP, "stop", 0, "relative|paper|settled", CLI_WORD, 0, 0, "relative", FITS, clustering,
     "stop on the relative change of the objective, by the paper's rule, or, with longer steps, "
     "when labels settle"},
    {CLI_TOL, "tol", 0, "X", CLI_NUMBER, 0, 1, "1e-6", FITS, clustering,
     "relative change of the objective at which a run stops"},
    {CLI_MAX_ITER, "max-iter", 0, "N", CLI_COUNT, 1, MOST, "100", FITS, clustering,
     "maximum number of iterations"},
    {CLI_SEED, "seed", 0, "S", CLI_WHOLE, 0, 0, "0", FITS | CLI_CHOOSE, clustering,
     "the same seed gives the same labels for any number of threads"},
    {CLI_EFFORT, "effort", 0, "normal|quick|thorough", CLI_WORD, 0, 0, "normal", FITS, clustering,
     "work of the method onefold: recipes compared, one recipe, or compared with more restarts"},
    {CLI_WEIGHTS, "weights", 0, "W,W,...", CLI_TEXT, 0, 0, "auto", CLI_FIT | CLI_INFO, clustering,
     "weight of each view: auto, a number, or bounds such as 0.2..0.6; they add up to 1 (of "
     "os-lfmvc-cs their squares)"},
    {CLI_BASE, "base", 0, "auto|exact|nystrom", CLI_WORD, 0, 0, "auto", PLANS, partitions,
     "exact eigenvectors or landmarks; auto takes the cheaper one"},
    {CLI_LANDMARKS, "landmarks", 0, "L", CLI_COUNT, 1, MOST, "chosen", TRIES, partitions,
     "landmarks of the nystrom route, and of knn and subspace"},
    {CLI_NEIGHBOURS, "neighbours", 0, "R", CLI_COUNT, 1, 1000, "8", TRIES, partitions,
     "landmarks that knn and subspace link a sample to"},
    {CLI_PRECISION, "precision", 0, "double|single", CLI_WORD, 0, 0, "double", PLANS, partitions,
     "storage of base partitions"},

    {CLI_SAMPLES, "samples", 0, "N", CLI_COUNT, 1, MOST, "1000", CLI_SYNTH, making,
     "number of samples"},
    {CLI_VIEW_COUNT, "views", 0, "P", CLI_COUNT, 1, 10000, "3", CLI_SYNTH, making,
     "number of views"},
    {CLI_CLUSTERS, "clusters", 0, "N", CLI_COUNT, 1, MOST, "5", CLI_SYNTH, making,
     "number of clusters"},
    {CLI_COLUMNS, "columns", 0, "D[,D...]", CLI_TEXT, 0, 0, "20", CLI_SYNTH, making,
     "columns of every view, or one number per view"},
    {CLI_SEPARATION, "separation", 0, "X", CLI_NUMBER, 0, 1e6, "4", CLI_SYNTH, making,
     "distance between cluster centres in units of the noise"},
    {CLI_NOISE, "noise", 0, "SHARE", CLI_NUMBER, 0, 1, "0", CLI_SYNTH, making,
     "share of columns without clusters"},
    {CLI_DENSITY, "density", 0, "SHARE", CLI_NUMBER, 0, 1, "1", CLI_SYNTH, making,
     "below 1: sparse counts with this share of non-zero entries"},
    {CLI_MISSING, "missing", 0, "SHARE", CLI_NUMBER, 0, 1, "0", CLI_SYNTH, making,
     "share of (sample, view) pairs left out"},
    {CLI_BALANCE, "balance", 0, "X", CLI_NUMBER, 0, 1, "1", CLI_SYNTH, making,
     "size of the smallest cluster over that of the largest"},
    {CLI_SEED, "seed", 0, "S", CLI_WHOLE, 0, 0, "0", CLI_SYNTH, making,
     "the same seed gives the same data"},

    {CLI_VIEWS, "views", 0, "A,B,...", CLI_TEXT, 0, 0, "all", READS, data,
     "views to take, by name or by number from 1"},
    {CLI_SAMPLES_ARE, "samples-are", 0, "rows|columns", CLI_WORD, 0, 0, "found", READS, data,
     "whether samples are rows or columns, where the lengths of the views do not decide"},
    {CLI_TRUTH, "truth", 0, "NAME|FILE[:COLUMN]", CLI_TEXT, 0, 0, "found", READS, data,
     "variable, column or file with the true labels, used for scoring only"},
    {CLI_NO_TRUTH, "no-truth", 0, NULL, CLI_FLAG, 0, 0, NULL, READS, data, "ignore true labels"},
    {CLI_PRESENT, "present", 0, "FILE", CLI_FILE, 0, 0, "found", READS, data,
     "file of present views: a row per sample, a column per view, 1 where the sample has the view"},
    {CLI_IDS, "ids", 0, "COLUMN|none", CLI_TEXT, 0, 0, "found", READS, data,
     "column of a table with the ids of its samples, by name or by number from 1"},
    {CLI_MATCH, "match", 0, "ids|order", CLI_WORD, 0, 0, "ids", READS, data,
     "how samples of several files are matched"},
    {CLI_HEADER, "header", 0, "yes|no", CLI_WORD, 0, 0, "found", READS, data,
     "whether the first line of a table is a header"},
    {CLI_DROP, "drop", 0, "COLUMN[,...]", CLI_TEXT, 0, 0, NULL, READS, data,
     "columns of tables to leave out, by name or by number from 1"},
    {CLI_ONLY, "columns", 0, "COLUMN[,...]", CLI_TEXT, 0, 0, "all", READS, data,
     "the columns of tables that are features"},
    {CLI_AS, "as", 0, "category|number COLUMN[,...]", CLI_AS_LIST, 0, 0, "found", READS, data,
     "read columns of tables as categories or numbers"},
    {CLI_IMPUTE, "impute", 0, "mean|median", CLI_WORD, 0, 0, "refused", READS, data,
     "fill single missing values of a sample with the column's mean or median"},

    {CLI_LABELS, "labels", 0, "FILE", CLI_FILE, 0, 0, "standard output", CLI_FIT | CLI_PREDICT,
     output,
     "write the labels: .csv and .tsv have sample, cluster and confidence, .mat and .npz the same "
     "as variables; .txt and .npy have the labels alone"},
    {CLI_NAMES, "names", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_FIT | CLI_PREDICT, output,
     "labels on standard output as sample,cluster,confidence"},
    {CLI_GUARD, "guard", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_FIT | CLI_PREDICT, output,
     "put ' before ids that a spreadsheet would run as formulas: = + - @"},
    {CLI_EMBEDDING, "embedding", 0, "FILE", CLI_FILE, 0, 0, NULL, CLI_FIT, output,
     "write the fused embedding, a row per sample, to .npy, .csv, .txt or .mat"},
    {CLI_MODEL, "model", 0, "FILE", CLI_FILE, 0, 0, NULL, CLI_FIT, output,
     "write a model for onefold predict"},
    {CLI_LAYOUT, "layout", 0, "FILE", CLI_FILE, 0, 0, NULL, CLI_FIT, output,
     "write two coordinates of each sample, for a picture, to .npy, .csv, .txt or .mat"},
    {CLI_PARTS, "parts", 0, "FILE", CLI_FILE, 0, 0, NULL, CLI_FIT, output,
     "write each view's part in each sample's label, a row per sample, to .npy, .csv, .txt or "
     ".mat"},
    {CLI_REPORT, "report", 0, "FILE.html", CLI_FILE, 0, 0, NULL,
     CLI_FIT | CLI_CHOOSE | CLI_BENCH | CLI_PREDICT, output,
     "write a report page, complete in one file"},
    {CLI_EXPLAIN, "explain", 0, "N", CLI_COUNT, 1, MOST, NULL, CLI_FIT, output,
     "name up to N columns that set each cluster apart, in views whose columns have names"},
    {CLI_MARKDOWN, "markdown", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_BENCH, output,
     "the tables as Markdown"},
    {CLI_OUT, "out", 0, "FOLDER", CLI_TEXT, 0, 0, "FILE without its ending", CLI_EXPERIMENT, output,
     "folder of the results, and of what was finished when a run was stopped"},
    {CLI_MARKDOWN, "markdown", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_EXPERIMENT, output,
     "the tables on standard output as Markdown"},
    {CLI_FIGURES, "figures", 0, "FOLDER", CLI_TEXT, 0, 0, NULL, CLI_BENCH, output,
     "draw scores, ranks, times, convergence and sensitivity as SVG and PDF"},
    {CLI_LATEX, "latex", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_EXPERIMENT | CLI_BENCH, output,
     "the tables on standard output as LaTeX (booktabs, graphicx)"},
    {CLI_CSV, "csv", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_EXPERIMENT | CLI_BENCH, output,
     "every number as CSV: set, method, setting, repeat, measure, value"},
    {CLI_JSON, "json", 0, NULL, CLI_FLAG, 0, 0, NULL, ALL, output,
     "one JSON object on standard output, errors too"},
    {CLI_PROGRESS, "progress", 0, "auto|never|json", CLI_WORD, 0, 0, "auto", WORKS, output,
     "a bar on standard error where that is a terminal, nothing, or a JSON object per line"},
    {CLI_QUIET, "quiet", 'q', NULL, CLI_FLAG, 0, 0, NULL, WRITES, output,
     "no summary and no progress"},
    {CLI_QUIET, "quiet", 'q', NULL, CLI_FLAG, 0, 0, NULL, CLI_BENCH | CLI_CHOOSE | CLI_EXPERIMENT,
     output, "no progress"},
    {CLI_QUIET, "quiet", 'q', NULL, CLI_FLAG, 0, 0, NULL, CLI_PAGE, output,
     "do not list the files written"},
    {CLI_VERBOSE, "verbose", 'v', NULL, CLI_FLAG, 0, 0, NULL, CLI_FIT, output,
     "more output: a line per restart, what was found in the files"},

    {CLI_THREADS, "threads", 0, "T", CLI_COUNT, 1, 4096, "all cores", WORKS, running,
     "threads to use; the result is the same for any number"},
    {CLI_DEVICE, "device", 0, "cpu|gpu|auto", CLI_WORD, 0, 0, "cpu",
     FITS | CLI_CHOOSE | CLI_PREDICT, running,
     "where the work over all samples is done; auto uses a GPU where that is faster"},
    {CLI_PORTABLE, "portable", 0, NULL, CLI_FLAG, 0, 0, NULL,
     FITS | CLI_PREDICT | CLI_CHOOSE | CLI_EXPERIMENT, running,
     "the same labels on any processor of this architecture, several times slower"},
    {CLI_MAX_MEMORY, "max-memory", 0, "SIZE", CLI_SIZE, 0, 0, "80%", WORKS, running,
     "memory limit, checked before the work starts: 500M, 2GiB, or a share of free memory"},
    {CLI_DRY_RUN, "dry-run", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_EXPERIMENT, running,
     "read the file and the data, print the cells and the estimated time, and stop"},
    {CLI_DRY_RUN, "dry-run", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_FIT, running,
     "read the data, print the route of each view, memory and estimated time, and stop"},
    {CLI_MACHINE, "machine", 0, NULL, CLI_FLAG, 0, 0, NULL, CLI_INFO, running,
     "describe processor, BLAS and GPU, and warn of BLAS kernels older than the processor"},
    {CLI_HELP, "help", 'h', NULL, CLI_FLAG, 0, 0, NULL, ~0u, running, "this text"},
    {CLI_VERSION, "version", 0, NULL, CLI_FLAG, 0, 0, NULL, ~0u, running,
     "the version and the features of this build"},
};
const size_t cli_option_count = sizeof cli_options / sizeof *cli_options;

const cli_option *cli_option_find(const cli_verb *verb, const char *name, size_t length)
{
    for (size_t i = 0; i < cli_option_count; i++)
        if ((cli_options[i].verbs & verb->bit) && strlen(cli_options[i].name) == length &&
            memcmp(cli_options[i].name, name, length) == 0)
            return &cli_options[i];
    return NULL;
}

const cli_option *cli_option_of(const cli_verb *verb, cli_option_id id)
{
    for (size_t i = 0; i < cli_option_count; i++)
        if ((cli_options[i].verbs & verb->bit) && cli_options[i].id == id)
            return &cli_options[i];
    return NULL;
}

int cli_accepts_methods(const cli_verb *verb)
{
    return cli_option_of(verb, CLI_METHOD) || cli_option_of(verb, CLI_METHODS);
}

const cli_verb *cli_verb_find(const char *name, size_t length)
{
    for (size_t i = 0; i < cli_verb_count; i++)
        if (strlen(cli_verbs[i].name) == length && memcmp(cli_verbs[i].name, name, length) == 0)
            return &cli_verbs[i];
    return NULL;
}

/* ---- the table of verbs --------------------------------------------------------------------- */

#define DATA_TEXT                                                                                  \
    "DATA is one container with all the views (.mat, .npz, .h5ad, .h5mu), or one file per view "   \
    "(.npy, .csv, "                                                                                \
    ".tsv, .txt, .mtx; text also as .gz; a 10x folder; - for standard input). Samples may be "     \
    "rows or columns, and are matched by id; true labels are found "                               \
    "by the usual names. 'onefold info DATA' shows what was found and why."

const cli_verb cli_verbs[] = {
    {"fit", CLI_FIT, "DATA... --clusters N [options]", 1, SIZE_MAX,
     "cluster samples described by several views",
     DATA_TEXT " Labels go to standard output, one per line, unless --labels or --json is given; "
               "where the data has true labels, the result is scored against them.",
     "  onefold synth made.mat --clusters 7 && onefold convert made.mat made.csv\n"
     "  onefold fit made.mat --clusters 7 > labels.txt\n"
     "  onefold fit made.mat --clusters 7 --labels labels.npy --embedding fused.npy\n"
     "  onefold fit made.1.csv made.2.csv --clusters 7 --kernel cosine,rbf --truth made.truth.csv\n"
     "  onefold fit made.mat --clusters 7 --json | jq .scores\n",
     cli_fit},
    {"predict", CLI_PREDICT, "MODEL DATA... [options]", 2, SIZE_MAX,
     "label new samples with a saved model",
     "MODEL is a file that onefold fit --model wrote. DATA has the views of the model, as one "
     "container or one file per view: by name, by the names of their columns, or in the same "
     "order. Columns are taken by name where both have names. An absent view counts as missing. A "
     "graph view takes each new sample's links to the training samples; a kernel view takes the "
     "kernel against the training samples and, optionally, against itself in one more column. "
     "Labels go to standard output, one per line; memory does not depend on the number of samples "
     "of a .npy file or a plain table. --json adds each label's confidence and each sample's "
     "distance from the training data, both from 0 to 1.",
     "  onefold synth old.mat --clusters 7 && onefold synth new.mat --clusters 7 --samples 50\n"
     "  onefold fit old.mat --clusters 7 --model old.model -q > labels.txt\n"
     "  onefold predict old.model new.mat > labels.txt\n"
     "  onefold predict old.model new.mat --labels labels.npy\n"
     "  onefold predict old.model new.mat --json | jq .confidence\n",
     cli_predict},
    {"score", CLI_SCORE, "LABELS TRUTH [options]", 2, 2,
     "compare one labelling with another: ACC, NMI, purity, ARI, F",
     "LABELS and TRUTH are files with one label per sample: any integers or words (.npy, .csv, "
     ".txt, .mat). Names of clusters need not match names of classes. LABELS may also be a matrix "
     "of whole numbers, a row for each sample and a column for each labelling: then each score is "
     "a mean with its standard deviation.",
     "  onefold synth made.csv --views 1 && onefold fit made.csv --clusters 5 --labels labels.csv\n"
     "  onefold score labels.csv made.truth.csv\n"
     "  onefold score labels.csv made.truth.csv --json | jq .scores.nmi\n",
     cli_score},
    {"choose", CLI_CHOOSE, "DATA... [--min A --max B] [options]", 1, SIZE_MAX,
     "how many clusters? a curve and a suggestion",
     DATA_TEXT
     " The default method compares its recipes at every number of clusters from A to B. Agreement "
     "is the mean adjusted Rand index between the labels of subsamples. Told is what neighbouring "
     "samples tell of the labels, as a share of the entropy of clusters of equal size; chance is "
     "the same share where the values of every column are shuffled. Evidence is the square of "
     "agreement times the root of told, both beyond chance, times the entropy. The smallest number "
     "with nearly the most evidence is suggested, with reasons, or none. True labels are shown for "
     "comparison only.",
     "  onefold synth made.mat --samples 150 && onefold convert made.mat made.csv\n"
     "  onefold choose made.mat\n"
     "  onefold choose made.mat --min 3 --max 8\n"
     "  onefold choose made.1.csv made.2.csv --json | jq .suggested\n",
     cli_choose},
    {"bench", CLI_BENCH, "DATA... [--methods LIST|all] [options]", 1, SIZE_MAX,
     "compare the methods on this data",
     DATA_TEXT
     " Every method runs at its default and over a grid of settings, by default with as many "
     "clusters as true classes. A run of minutes says first how long it will take. The tables on "
     "standard output have the mean and standard deviation of ACC, NMI, purity and ARI over "
     "repeats, for the best, the median and the default setting of each method, the sensitivity of "
     "os-lfmvc-cs to k and m, times, "
     "memory and convergence. A method that fails is shown as a dash with the reason. Without true "
     "labels there are silhouettes and the agreement between methods.",
     "  onefold synth made.mat --samples 60 --clusters 3\n"
     "  onefold bench made.mat\n"
     "  onefold bench made.mat --methods fmkkm --grid paper --resume a.cells --json > a.json\n"
     "  onefold bench made.mat --methods os-lfmvc-cs,avg-kkm,mkkm --markdown\n"
     "  onefold bench made.mat --methods rmsc --grid 'rmsc:lambda=0.001|0.01|0.1'\n",
     cli_bench},
    {"experiment", CLI_EXPERIMENT, "FILE [options]", 1, 1,
     "compare methods on many data sets, by a file that says what",
     "FILE is JSON: data sets, methods with their grids, repeats, seeds, methods of others by "
     "their labels or a command (docs/experiment.md). The folder of the results gets the tables as "
     "Markdown and LaTeX, results.csv with every number, figures as SVG and PDF, a paragraph on "
     "the methods with BibTeX, and a page for each set. A run that was stopped goes on where it "
     "was.",
     "  onefold synth a.npz --samples 60 --clusters 3 --seed 1\n"
     "  onefold synth b.npz --samples 60 --clusters 3 --seed 2\n"
     "  echo "
     "'{\"sets\":[{\"data\":\"a.npz\"},{\"data\":\"b.npz\"}],\"grid\":\"none\",\"repeats\":2}' > "
     "ab.json\n"
     "  onefold experiment ab.json\n"
     "  onefold experiment ab.json --latex > tables.tex\n",
     cli_experiment},
    {"info", CLI_INFO, "DATA...|MODEL|--machine [options]", 1, SIZE_MAX,
     "what the files hold, and what a fit would cost",
     DATA_TEXT " MODEL is a file that onefold fit --model wrote.",
     "  onefold synth made.mat && onefold convert made.mat made.npy\n"
     "  onefold info made.mat\n"
     "  onefold info made.1.npy made.2.npy --samples-are rows\n"
     "  onefold info --machine\n"
     "  onefold info made.mat --clusters 50 --json | jq .estimate\n"
     "  onefold fit made.mat --clusters 5 --model made.model -q > labels.txt\n"
     "  onefold info made.model\n",
     cli_info},
    {"convert", CLI_CONVERT, "IN... OUT [options]", 2, SIZE_MAX,
     "write the same data in another format",
     "The ending of OUT gives the format: .mat and .npz hold all views and the labels; .npy, .csv, "
     ".tsv and .mtx have one file per view, with its number before the ending.",
     "  onefold synth made.mat\n"
     "  onefold convert made.mat made.npz\n"
     "  onefold convert made.mat views.csv --views 1,3\n",
     cli_convert},
    {"report", CLI_PAGE, "RESULT.json [RESULT.json] OUT.html", 2, 3,
     "the page of a fit, or of two side by side",
     "RESULT.json is what onefold fit --json wrote; OUT.html is a report page, complete in one "
     "file. For two fits of the same samples it shows their agreement, the clusters that split and "
     "the samples that moved; samples are matched by id where they have ids. The page of onefold "
     "fit --report also has a picture of the samples, which the JSON does not hold.",
     "  onefold synth made.mat --clusters 7\n"
     "  onefold fit made.mat --clusters 7 --json > seven.json\n"
     "  onefold fit made.mat --clusters 8 --json > eight.json\n"
     "  onefold report seven.json eight.json both.html\n",
     cli_report},
    {"synth", CLI_SYNTH, "OUT [options]", 1, 1, "make multi-view data with known clusters",
     "The ending of OUT gives the format, as for convert. The true clusters are written too.",
     "  onefold synth made.npz --samples 1000 --views 3 --clusters 5\n"
     "  onefold synth made.mat --columns 100,20,50 --separation 2 --noise 0.5 --seed 7\n"
     "  onefold synth counts.npz --columns 2000 --density 0.01\n"
     "  onefold synth patchy.mat --missing 0.3\n"
     "  onefold synth unequal.npz --samples 2000 --balance 0.02\n",
     cli_synth},
};
const size_t cli_verb_count = sizeof cli_verbs / sizeof *cli_verbs;

/* ---- help, version, and the list that completions read: all from the tables ----------------- */

enum { COLUMN = 26, WIDTH = 79 };

/* Prints a text from `column` on, in lines of at most `width` that start at `indent`. */
static void wrap(const char *text, size_t column, size_t indent, size_t width)
{
    while (*text) {
        size_t word = strcspn(text, " \n");
        if (column > indent && column + 1 + word > width) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        }
        column += (size_t)printf("%s%.*s", column > indent ? " " : "", (int)word, text);
        text += word + (text[word] != '\0');
    }
    printf("\n");
}

void cli_help(void)
{
    printf("onefold %s: one set of labels from several views of the same samples\n\n"
           "usage: onefold VERB ... [options]\n\n",
           onefold_version());
    for (size_t v = 0; v < cli_verb_count; v++)
        printf("  %-10s %s\n", cli_verbs[v].name, cli_verbs[v].title);
    printf("\n'onefold VERB --help' shows the options of a verb, with examples.\n"
           "'onefold --version' shows the features of this build. The manual: man onefold.\n\n"
           "Try it:\n"
           "  onefold synth made.npz --samples 1000 --clusters 5\n"
           "  onefold fit made.npz --clusters 5 --labels labels.csv\n");
}

static void option_line(const char *left, const char *help, const char *standard)
{
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s", help, standard ? " [" : "", standard ? standard : "",
             standard ? "]" : "");
    size_t length = strlen(left);
    printf("%s", left);
    if (length + 2 > COLUMN)
        printf("\n%*s", COLUMN, "");
    else
        printf("%*s", (int)(COLUMN - length), "");
    wrap(text, COLUMN, COLUMN, WIDTH);
}

static void options_of(const cli_verb *verb)
{
    const char *group = NULL;
    for (size_t i = 0; i < cli_option_count; i++) {
        const cli_option *option = &cli_options[i];
        char left[96], letter[8] = "";
        if (!(option->verbs & verb->bit))
            continue;
        if (!group || strcmp(group, option->group) != 0)
            printf("\n%s\n", option->group);
        group = option->group;
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
                 option->argument ? " " : "", option->argument ? option->argument : "");
        option_line(left, option->help, option->standard);
    }
}

/* Whether the verb takes this option of a method: bench has one k-means for all methods. */
static int accepts_own(const cli_verb *verb, const onefold_method_option_info *option)
{
    return !cli_option_of(verb, CLI_KMEANS_START) ||
           (strcmp(option->name, "kmeans-start") != 0 && strcmp(option->name, "replicates") != 0);
}

/* The default of a method's own option, as a user types it. */
static void standard_text(const onefold_method_option_info *option, char *text, size_t size)
{
    const char *word = option->words;
    of_number_print(text, size, "%g", option->standard);
    if (!word)
        return;
    for (int skip = (int)option->standard; skip > 0; skip--)
        word += strcspn(word, "|") + 1;
    snprintf(text, size, "%.*s", (int)strcspn(word, "|"), word);
}

/* The methods, and the options that are a method's own. */
static void methods(const cli_verb *verb)
{
    printf("\nMethods\n");
    for (size_t m = 0; onefold_method_describe(m); m++) {
        char left[96], standard[32];
        const onefold_method_info *method = onefold_method_describe(m);
        snprintf(left, sizeof left, "  %s", method->name);
        option_line(left, method->title, NULL);
        for (size_t i = 0; i < method->options; i++) {
            const onefold_method_option_info *option = onefold_method_option(m, i);
            if (!accepts_own(verb, option))
                continue;
            snprintf(left, sizeof left, "    --%s-%s %s", method->name, option->name,
                     option->words ? option->words : "X");
            standard_text(option, standard, sizeof standard);
            option_line(left, option->help, standard);
        }
    }
}

void cli_help_verb(const cli_verb *verb)
{
    printf("onefold %s: %s\n\nusage: onefold %s %s\n", verb->name, verb->title, verb->name,
           verb->operands);
    if (verb->text) {
        printf("\n");
        wrap(verb->text, 0, 0, WIDTH);
    }
    options_of(verb);
    if (cli_accepts_methods(verb))
        methods(verb);
    if (verb->examples)
        printf("\nExamples\n%s", verb->examples);
}

void cli_version(void)
{
    printf("onefold %s\nbuilt with %s\nmethods", onefold_version(), onefold_capabilities());
    for (size_t m = 0; onefold_method_describe(m); m++)
        printf(" %s", onefold_method_describe(m)->name);
    printf("\nverbs");
    for (size_t v = 0; v < cli_verb_count; v++)
        printf(" %s", cli_verbs[v].name);
    printf("\n");
    if (strstr(onefold_capabilities(), "cuda"))
        printf("GPU %s\n", onefold_device_description());
}

/* The argument of an option for completions: the words to choose from, if there is a list. */
static void list_argument(const cli_option *option)
{
    if (option->id == CLI_METHODS)
        printf("all%s", onefold_method_describe(0) ? "|" : "");
    if (option->id == CLI_METHOD || option->id == CLI_METHODS)
        for (size_t m = 0; onefold_method_describe(m); m++)
            printf("%s%s", m ? "|" : "", onefold_method_describe(m)->name);
    else if (option->id == CLI_KERNEL)
        for (size_t k = 0; onefold_kernel_name(k); k++)
            printf("%s%s", k ? "|" : "", onefold_kernel_name(k));
    else
        printf("%s", option->argument ? option->argument : "");
}

static void list_options(const cli_verb *verb)
{
    for (size_t i = 0; i < cli_option_count; i++) {
        if (!(cli_options[i].verbs & verb->bit))
            continue;
        printf("--%s\t", cli_options[i].name);
        list_argument(&cli_options[i]);
        printf("\t%s\n", cli_options[i].help);
    }
    for (size_t m = 0; cli_accepts_methods(verb) && onefold_method_describe(m); m++) {
        const onefold_method_option_info *option;
        for (size_t i = 0; (option = onefold_method_option(m, i)); i++)
            if (accepts_own(verb, option))
                printf("--%s-%s\t%s\t%s\n", onefold_method_describe(m)->name, option->name,
                       option->words ? option->words : "X", option->help);
    }
}

void cli_list(const char *name)
{
    const cli_verb *verb = name ? cli_verb_find(name, strlen(name)) : NULL;
    for (size_t v = 0; !name && v < cli_verb_count; v++)
        printf("%s\t\t%s\n", cli_verbs[v].name, cli_verbs[v].title);
    if (verb)
        list_options(verb);
}
