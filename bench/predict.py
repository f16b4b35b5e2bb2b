#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of Onefold: how well new samples are labelled, how fast, and in how much memory.

Prints a table (what, bar, measured) and writes the same as JSON. The hold-out experiment fits on
70 % of the samples and predicts the others; beside it stands the accuracy of the same samples when
all are fitted. Data for the figures of speed and memory is made in a temporary folder.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from scipy.optimize import linear_sum_assignment

from common import DATA, Figures, Skip, arguments_of, load_views

# name: file, views, labels, clusters, which view is a graph
SETS = {
    "Handwritten": ("handwritten/Handwritten.mat", "X", "y", 10, None),
    "BBCSport": ("bbcsport/BBCSport.mat", "data", "truelabel", 5, None),
    "Cora": ("cora/Cora_2view.mat", "data", "labels", 7, 0),
    "Hdigit": ("hdigit/Hdigit.mat", "X", "Y", 10, None),
    "CUB": ("cub/cub_googlenet_doc2vec_c10.mat", "X", "gt", 10, None),
    "MSRC_v1": ("msrc/MSRC_v1.mat", "fea", "gt", 7, None),
    "MSRCV1_6view": ("msrc/MSRCV1_6view.mat", "X", "Y", 7, None),
    "NGs": ("ngs/NGs.mat", "data", "truelabel", 5, None),
    "3sources": ("3sources/3sources.mat", "data", "truelabel", 6, None),
    "ProteinFold": ("proteinfold/ProteinFold.mat", "X", "y", 27, None),
    "Reuters-1200": ("reuters/Reuters-1200.mat", "fea", "gt", 6, None),
}
METHODS = ["onefold", "os-lfmvc-cs"]
COMMON = ["--samples-are", "rows", "--no-truth"]
COLUMNS, VIEWS, CLUSTERS, LANDMARKS, TRAINING = 64, 3, 10, 500, 20000


class Models(Figures):
    def __init__(self, arguments):
        super().__init__(arguments.onefold)
        self.splits, self.samples, self.sets = arguments.splits, arguments.samples, arguments.sets

    def labels(self, *words):
        done = subprocess.run([self.onefold, *words, "-q"], stdout=subprocess.PIPE, check=True)
        return numpy.array(done.stdout.split(), dtype=int)


# ---- hold-out ---------------------------------------------------------------------------------


def accuracy(labels, truth):
    """Percent of samples that agree under the best one-to-one matching."""
    _, truth = numpy.unique(truth, return_inverse=True)
    table = numpy.zeros((labels.max() + 1, truth.max() + 1))
    numpy.add.at(table, (labels, truth), 1)
    rows, columns = linear_sum_assignment(-table)
    return 100 * table[rows, columns].sum() / len(truth)


def parts_of(views, graph, old, new):
    """The views of the samples `old`, and of `new`, which bring their links to `old` as a graph."""
    parts = {"old": {}, "new": {}}
    for i, view in enumerate(views):
        name = f"X{i + 1}"
        if i == graph:
            parts["old"][name] = view[numpy.ix_(old, old)]
            parts["new"][name] = (view + view.T)[numpy.ix_(new, old)]
        else:
            parts["old"][name], parts["new"][name] = view[old], view[new]
    return parts


def hold_out_one(models, name, method):
    path, views, labels, clusters, graph = SETS[name]
    views, truth = load_views(path, views, labels)
    n, runs = len(truth), []
    with tempfile.TemporaryDirectory() as folder:
        place = lambda part: os.path.join(folder, part)
        fit = lambda part, *words: models.labels("fit", place(part), "--method", method, "--clusters", str(clusters), *COMMON,
                                                 *words)
        numpy.savez(place("all.npz"), **{f"X{i + 1}": view for i, view in enumerate(views)})
        whole = fit("all.npz")
        for split in range(models.splits):
            order = numpy.random.default_rng(split).permutation(n)
            old, new = numpy.sort(order[: round(0.7 * n)]), numpy.sort(order[round(0.7 * n):])
            for part, arrays in parts_of(views, graph, old, new).items():
                numpy.savez(place(part + ".npz"), **arrays)
            own = fit("old.npz", "--model", place("model"))
            guess = models.labels("predict", place("model"), place("new.npz"), *COMMON)
            runs.append({"fitted": accuracy(whole[new], truth[new]), "predicted": accuracy(guess, truth[new]),
                         "own": accuracy(own, truth[old]), "own_of_all": accuracy(whole[old], truth[old])})
    models.details[f"{name}, {method}"] = runs
    mean = {key: statistics.mean(run[key] for run in runs) for key in runs[0]}
    apart = [run["predicted"] - run["fitted"] for run in runs]
    models.row(f"{name}, {method}: ACC of 30 % predicted, over fitted", "at least -2 points",
               f"{mean['predicted']:.1f} predicted, {mean['fitted']:.1f} fitted: {statistics.mean(apart):+.1f} "
               f"(each of {models.splits}: {min(apart):+.1f} to {max(apart):+.1f}); the 70 % by themselves "
               f"{mean['own']:.1f}, fitted with all {mean['own_of_all']:.1f}",
               statistics.mean(apart) >= -2)


def hold_out(models):
    """ACC of samples that were held out"""
    if not os.path.isdir(DATA):
        raise Skip("the real data is not beside the project (../shared/data)")
    for name in models.sets or SETS:
        for method in METHODS:
            hold_out_one(models, name, method)


# ---- speed and memory -------------------------------------------------------------------------


def make(folder, count, name):
    """Three views of dense clusters in single precision, a file each."""
    random = numpy.random.default_rng(5)
    paths = []
    for view in range(VIEWS):
        centres = 3 * random.standard_normal((CLUSTERS, COLUMNS), dtype=numpy.float32) / 8 ** 0.5
        path = os.path.join(folder, f"{name}.{view + 1}.npy")
        out = numpy.lib.format.open_memmap(path, "w+", numpy.float32, (count, COLUMNS))
        for first in range(0, count, 100000):
            size = min(100000, count - first)
            noise = random.standard_normal((size, COLUMNS), dtype=numpy.float32)
            out[first:first + size] = centres[numpy.arange(first, first + size) % CLUSTERS] + noise
        del out
        paths.append(path)
    return paths


def watched(command):
    """Wall and CPU seconds of a command, and the most memory it has held, as the system counts it
    while it runs. (What wait4 says counts this program's own, from before the process became
    another.)"""
    before, began = os.times(), time.perf_counter()
    process, peak = subprocess.Popen(command), 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as status:
                peak = max([peak] + [int(line.split()[1]) * 1024 for line in status
                                     if line.startswith("VmHWM:")])
        except OSError:
            pass
        time.sleep(0.01)
    wall, after = time.perf_counter() - began, os.times()
    if process.returncode:
        sys.exit(f"bench: {' '.join(command)} ended with {process.returncode}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall, cpu, peak


def predicting(models, model, paths, folder):
    return watched([models.onefold, "predict", model, *paths, "--labels", os.path.join(folder, "labels.npy"),
                    "--threads", "2", "-q", *COMMON])


def speed_and_memory(models):
    """Samples a second and peak memory of predict"""
    large, small = models.samples, models.samples // 10
    flops = VIEWS * LANDMARKS * (2 * COLUMNS + 2 * (2 * CLUSTERS + 1))
    with tempfile.TemporaryDirectory() as folder:
        model, peaks = os.path.join(folder, "model"), {}
        models.labels("fit", *make(folder, TRAINING, "train"), "--method", "os-lfmvc-cs", "--clusters", str(CLUSTERS), "--base", "nystrom",
                      "--landmarks", str(LANDMARKS), "--precision", "single", "--model", model, *COMMON)
        for count in (small, large):
            paths = make(folder, count, "new")
            runs = [predicting(models, model, paths, folder) for _ in range(3)]
            peaks[count] = max(peak for _, _, peak in runs)
        wall, cpu = min(wall for wall, _, _ in runs), min(cpu for _, cpu, _ in runs)
        models.details["predict"] = {"runs": runs, "peaks": peaks, "flops": flops * large}
        models.row(f"samples a second, {VIEWS} views of {COLUMNS} columns, {LANDMARKS} landmarks",
                   "2e5 on 2 cores",
                   f"{large / wall:.3g}, .npy to labels; {2 * large / cpu:.3g} by the CPU time of two cores, "
                   f"{flops * large / cpu / 1e9:.0f} GFLOPS each", large / wall >= 2e5)
        models.row(f"memory of {large:g} samples, over a tenth of them", "at most 1.25",
                   f"{peaks[large] / peaks[small]:.2f} ({peaks[large] / 1e6:.0f} MB, data "
                   f"{large * VIEWS * COLUMNS * 4 / 1e6:.0f} MB)", peaks[large] <= 1.25 * peaks[small])


def graph_models(models):
    """Samples a second of models of landmark graphs, on one core"""
    count = models.samples // 10
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        train, paths = make(folder, TRAINING, "train"), make(folder, count, "new")
        for name, words in (("one graph per view", ["--method", "os-lfmvc-cs", "--kernel", "knn"]),
                            ("kernel and graphs of the default", ["--effort", "quick"])):
            models.labels("fit", *train, "--clusters", str(CLUSTERS), "--model", model, *COMMON, *words)
            cpu = min(predicting(models, model, paths, folder)[1] for _ in range(5))
            models.details[name] = {"samples": count, "cpu": cpu}
            models.row(f"samples a second and core, {name}", "2e5", f"{count / cpu:.3g}", count / cpu >= 2e5)


FIGURES = [hold_out, speed_and_memory, graph_models]


def main():
    parser = arguments_of(__doc__, FIGURES, "build/predict.json")
    parser.add_argument("--predict", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--splits", type=int, default=5, help="hold-out splits of each data set")
    parser.add_argument("--sets", nargs="*", choices=list(SETS), help="hold-out on these sets alone")
    parser.add_argument("--samples", type=int, default=1000000, help="samples of the speed figure")
    arguments = parser.parse_args()
    Models(arguments).work(FIGURES, arguments.only, arguments.out)


if __name__ == "__main__":
    main()
