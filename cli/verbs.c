/* SPDX-License-Identifier: Apache-2.0 */
/* The table of verbs. */
#include "verbs.h"

#define DATA_TEXT                                                                                  \
    "DATA is one container with all the views (.mat, .npz, .h5ad, .h5mu), or one file per view "   \
    "(.npy, .csv, "                                                                                \
    ".tsv, .txt, .mtx; text also as .gz; a 10x folder; - for standard input). Samples may be "     \
    "rows or columns, and are matched by id; true labels are found "                               \
    "by the usual names. 'onefold info DATA' shows what was found and why."

const cli_verb cli_verbs[] = {
    {"fit", CLI_FIT, "DATA... --clusters N [options]", 1, SIZE_MAX,
     "cluster samples seen through several views",
     DATA_TEXT " Labels go to standard output, one per line, unless --labels or --json is given; "
               "where the data has true labels, the result is scored against them.",
     "  onefold fit cora.mat --clusters 7 > labels.txt\n"
     "  onefold fit cora.mat --clusters 7 --labels labels.npy --embedding fused.npy\n"
     "  onefold fit text.mtx image.npy --clusters 10 --kernel cosine,rbf --truth classes.csv\n"
     "  onefold fit cora.mat --clusters 7 --json | jq .scores\n",
     cli_fit},
    {"predict", CLI_PREDICT, "MODEL DATA... [options]", 2, SIZE_MAX,
     "label new samples with a saved model",
     "MODEL is a file that onefold fit --model wrote. DATA has the views the model was fitted on, "
     "in the same order and with the same columns, as one container or one file per view. A view "
     "fitted as a graph takes each new sample's links to the training samples; one fitted as a "
     "kernel takes its kernel against the training samples and, where it is known, against itself "
     "in one more column. Labels go to standard output, one per line, as they come: memory does "
     "not "
     "depend on how many samples a .npy file or a plain table has. --impute fills single missing "
     "values with what the model keeps of the training samples. --json has each label's "
     "confidence, from 0 to 1, "
     "and each sample's distance from what was seen in training, from 0 to 1.",
     "  onefold fit old.mat --clusters 7 --model old.model -q > labels.txt\n"
     "  onefold predict old.model new.mat > labels.txt\n"
     "  onefold predict old.model new.mat --labels labels.npy\n"
     "  onefold predict old.model new.mat --json | jq .confidence\n",
     cli_predict},
    {"score", CLI_SCORE, "LABELS TRUTH [options]", 2, 2,
     "compare one labelling with another: ACC, NMI, purity, ARI, F",
     "LABELS and TRUTH are files with one label per sample: any integers or words (.npy, .csv, "
     ".txt, .mat). Names of clusters need not match names of classes.",
     "  onefold score labels.txt classes.csv\n"
     "  onefold score labels.npy truth.npy --json\n",
     cli_score},
    {"choose", CLI_CHOOSE, "DATA... [--min A --max B] [options]", 1, SIZE_MAX,
     "how many clusters? a curve and a suggestion",
     DATA_TEXT
     " Every number of clusters from A to B is tried. Clusters that are there come back when some "
     "of "
     "the samples are fitted again: stability is how far the labels then agree (adjusted Rand "
     "index), "
     "and weakest how far the least stable cluster comes back (Jaccard index), each beside what "
     "samples without clusters reach (chance). Evidence is the share of what lies above chance. "
     "The "
     "largest number whose evidence is near the largest is suggested, with reasons and with "
     "coarser "
     "and finer groupings, or none. True labels are shown beside it and play no part.",
     "  onefold choose cora.mat\n"
     "  onefold choose cora.mat --min 5 --max 30 --subsamples 20\n"
     "  onefold choose words.csv links.mtx --json | jq .suggested\n",
     cli_choose},
    {"bench", CLI_BENCH, "DATA... [--methods LIST|all] [options]", 1, SIZE_MAX,
     "compare the methods on this data",
     DATA_TEXT
     " Every method runs at its default and over a grid of settings; the number of clusters is "
     "that of the true classes. The tables on standard output have the mean and standard deviation "
     "of ACC, NMI, purity and ARI over repeats, the sensitivity of os-lfmvc-cs to k and m, times, "
     "memory and convergence. A method that fails is a dash with its reason. Data without true "
     "labels is compared by silhouettes and by the methods' agreement.",
     "  onefold bench cora.mat\n"
     "  onefold bench cora.mat --grid paper --resume cora.cells --json > cora.json\n"
     "  onefold bench cora.mat --methods os-lfmvc-cs,avg-kkm,mkkm --markdown\n"
     "  onefold bench cora.mat --methods rmsc --grid 'rmsc:lambda=0.001|0.01|0.1'\n",
     cli_bench},
    {"info", CLI_INFO, "DATA...|MODEL [options]", 1, SIZE_MAX,
     "what the files hold, and what a fit would cost",
     DATA_TEXT " For a MODEL that onefold fit --model wrote, what is in it.",
     "  onefold info cora.mat\n"
     "  onefold info a.npy b.npy --samples-are columns\n"
     "  onefold info cora.mat --clusters 50 --json | jq .estimate\n"
     "  onefold info cora.model\n",
     cli_info},
    {"convert", CLI_CONVERT, "IN... OUT [options]", 2, SIZE_MAX,
     "write the same data in another format",
     "The ending of OUT says the format: .mat and .npz hold all views and the labels; .npy, .csv, "
     ".tsv and .mtx have one file per view, with its number before the ending.",
     "  onefold convert cora.mat cora.npz\n"
     "  onefold convert cora.mat views.csv --views 1,3\n",
     cli_convert},
    {"report", CLI_PAGE, "RESULT.json [RESULT.json] OUT.html", 2, 3,
     "the page of a fit, or of two side by side",
     "RESULT.json is what onefold fit --json wrote; OUT.html is a page to look at, which holds all "
     "it shows. Of two fits of the same samples the page says how far they agree, which clusters "
     "come apart and which samples moved; samples are matched by id where they have ids. "
     "onefold fit --report writes the page of a fit with a picture of the samples, which the JSON "
     "does not hold.",
     "  onefold fit cora.mat --clusters 7 --json > seven.json\n"
     "  onefold fit cora.mat --clusters 8 --json > eight.json\n"
     "  onefold report seven.json eight.json both.html\n",
     cli_report},
    {"synth", CLI_SYNTH, "OUT [options]", 1, 1, "make multi-view data with known clusters",
     "The ending of OUT says the format, as for convert. The true clusters are written too, where "
     "the format has room for them.",
     "  onefold synth made.npz --samples 1000 --views 3 --clusters 5\n"
     "  onefold synth made.mat --columns 100,20,50 --separation 2 --noise 0.5 --seed 7\n"
     "  onefold synth counts.npz --columns 2000 --density 0.01\n"
     "  onefold synth patchy.mat --missing 0.3\n"
     "  onefold synth unequal.npz --samples 2000 --balance 0.02\n",
     cli_synth},
};
const size_t cli_verb_count = sizeof cli_verbs / sizeof *cli_verbs;
