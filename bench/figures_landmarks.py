# SPDX-License-Identifier: Apache-2.0
"""Landmarks against the exact route on every real set that has a view of features and labels."""
import collections
import math
import os
import statistics

from common import DATA, Skip, measured

# name: files and options, clusters, kernels. Landmarks stand in for rbf kernels alone, which `auto` takes for
# the first of these; the others are text, which is rbf here to compare the routes. Copies of a set in other
# layouts are left out.
SETS = {
    "CUB": (["cub/cub_googlenet_doc2vec_c10.mat"], 10, "rbf"),
    "Digit4k": (["layouts/v73_cell1x2_X_Y_Digit4k.mat"], 4, "rbf"),
    "Handwritten": (["handwritten/Handwritten.mat"], 10, "rbf"),
    "Hdigit": (["hdigit/Hdigit.mat"], 10, "auto"),
    "100Leaves": (["layouts/data_cols_truth_100Leaves.mat"], 100, "rbf"),
    "MSRC_v1": (["msrc/MSRC_v1.mat"], 7, "rbf"),
    "MSRCV1_6view": (["msrc/MSRCV1_6view.mat"], 7, "rbf"),
    "ProteinFold": (["proteinfold/ProteinFold.mat"], 27, "rbf"),
    "ROSMAP": (["rosmap/1_tr.csv", "rosmap/2_tr.csv", "rosmap/3_tr.csv", "--truth",
                "rosmap/labels_tr.csv"], 2, "rbf"),
    "SNARE-seq": (["snareseq/SNAREseq_atac_feat.npy", "snareseq/SNAREseq_rna_feat.npy", "--truth",
                   "snareseq/SNAREseq_rna_types.txt"], 4, "rbf"),
    "Wikipedia": (["wikipedia/Wikipedia.mat"], 10, "rbf"),
    "3sources": (["3sources/3sources.mat"], 6, "rbf"),
    "BBCSport": (["bbcsport/BBCSport.mat"], 5, "rbf"),
    "BDGP": (["bdgp/BDGP.mat"], 5, "rbf"),
    "CiteSeer": (["citeseer/CiteSeer.mat"], 6, "graph,rbf"),
    "Cora": (["cora/Cora_2view.mat"], 7, "graph,rbf"),
    "NGs": (["ngs/NGs.mat"], 5, "rbf"),
    "Reuters-1200": (["reuters/Reuters-1200.mat"], 6, "rbf"),
    "WebKB cornell": (["webkb/WebKB_cornell.mat"], 5, "graph,rbf"),
    "WebKB wisconsin": (["webkb/WebKB_wisconsin.mat"], 5, "rbf"),
    "BBC4view": (["layouts/trailing_garbage_BBC4view.mat"], 5, "rbf"),
}
FEWEST, MOST, UNSURE = 5, 30, 0.4  # seeds; more than the fewest while the standard error is larger


def nmi(one, other):
    """Mutual information over the larger entropy of two labelings, in points."""
    n = len(one)
    entropy = lambda counts: -sum(c / n * math.log(c / n) for c in counts.values())
    a, b = collections.Counter(one), collections.Counter(other)
    both = entropy(collections.Counter(zip(one, other)))
    larger = max(entropy(a), entropy(b))
    return 100 * (entropy(a) + entropy(b) - both) / larger if larger else 100.0


def fit(bench, files, clusters, kernels, base, seed, options):
    return measured([bench.onefold, "fit", *files, "--method", "os-lfmvc-cs", "--clusters", str(clusters), "--kernel", kernels, "--base",
                     base, "--seed", str(seed), "--json", "--progress", "never", *options])["json"]


def compare(bench, name, options=()):
    """NMI of both routes for one seed after another, and of each labeling with the other."""
    files, clusters, kernels = SETS[name]
    files = [file if file.startswith("--") else os.path.join(DATA, file) for file in files]
    found = {"exact": [], "nystrom": [], "together": [], "error": []}
    while True:
        labels = []
        for base in ("exact", "nystrom"):
            run = fit(bench, files, clusters, kernels, base, len(found["together"]), options)
            found[base].append(100 * run["scores"]["nmi"])
            labels.append(run["labels"])
        found["samples"] = run["samples"]
        found["error"].append([view["residual"] for view in run["views"] if view["base"] == "nystrom"])
        found["together"].append(nmi(*labels))
        seeds = len(found["together"])
        apart = [b - a for a, b in zip(found["exact"], found["nystrom"])]
        found["less"] = statistics.mean(apart)
        found["unsure"] = statistics.stdev(apart) / math.sqrt(seeds) if seeds > 1 else math.inf
        if seeds >= FEWEST and (found["unsure"] <= UNSURE or seeds >= MOST):
            return found


def landmarks(bench):
    """NMI of landmarks less NMI of the exact route, in points, mean over the seeds of each set."""
    if not os.path.isdir(DATA):
        raise Skip("the real data is not beside the project (../shared/data)")
    all_found = bench.details.setdefault("landmarks", {})
    for name in SETS:
        found = all_found[name] = compare(bench, name)
        bench.row(f"landmarks less exact, {name}, n = {found['samples']}: NMI", "within 1 point",
                  f"{found['less']:+.2f} +- {found['unsure']:.2f} ({statistics.mean(found['exact']):.1f} and "
                  f"{statistics.mean(found['nystrom']):.1f} over {len(found['together'])} seeds; one with the other "
                  f"{statistics.mean(found['together']):.1f})", abs(found["less"]) < 1)
    sizes = [abs(found["less"]) for found in all_found.values()]
    bench.row(f"landmarks and exact, mean of {len(sizes)} sets: difference in NMI", "< 1 point",
              f"{statistics.mean(sizes):.2f}; signed "
              f"{statistics.mean(found['less'] for found in all_found.values()):+.2f}",
              statistics.mean(sizes) < 1)


FIGURES = [landmarks]
