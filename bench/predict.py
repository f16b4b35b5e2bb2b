#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of Onefold: how well new samples are labelled, how fast, and in how much memory.

Prints a table (what, bar, measured) and writes the same as JSON. The hold-out experiment fits on
70 % of the samples and predicts the others; beside it stands the accuracy of the same samples when
all are fitted. Data for the figures of speed is made in a temporary folder.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import scipy.io
import scipy.sparse
from scipy.optimize import linear_sum_assignment

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "shared", "data")

# name: file, views, labels, clusters, which view is a graph
SETS = {
    "Handwritten": ("handwritten/Handwritten.mat", "X", "y", 10, None),
    "BBCSport": ("bbcsport/BBCSport.mat", "data", "truelabel", 5, None),
    "Cora": ("cora/Cora_2view.mat", "data", "labels", 7, 0),
    "Hdigit": ("hdigit/Hdigit.mat", "X", "Y", 10, None),
}


def load(name):
    """Views as dense matrices with samples as rows, and the classes."""
    path, views, labels, clusters, graph = SETS[name]
    file = scipy.io.loadmat(os.path.join(DATA, path))
    truth = file[labels]
    truth = (truth.ravel()[0] if truth.dtype == object else truth).ravel().astype(int)
    views = [view.toarray() if scipy.sparse.issparse(view) else view for view in file[views].ravel()]
    views = [numpy.array(view if len(view) == len(truth) else view.T, dtype=float) for view in views]
    return views, truth, clusters, graph


def accuracy(labels, truth):
    """Percent of samples that agree under the best one-to-one matching."""
    _, truth = numpy.unique(truth, return_inverse=True)
    table = numpy.zeros((labels.max() + 1, truth.max() + 1))
    numpy.add.at(table, (labels, truth), 1)
    rows, columns = linear_sum_assignment(-table)
    return 100 * table[rows, columns].sum() / len(truth)


class Models:
    def __init__(self, arguments):
        self.onefold = os.path.join(arguments.onefold, "cli", "onefold")
        self.splits, self.samples = arguments.splits, arguments.samples
        self.rows, self.details = [], {}

    def row(self, what, bar, measured, met):
        self.rows.append({"what": what, "bar": bar, "measured": measured, "met": bool(met)})
        print(f"{'ok ' if met else 'LOW'}  {what:<50} {bar:>28}   {measured}", flush=True)

    def run(self, *words):
        done = subprocess.Popen([self.onefold, *words], stdout=subprocess.PIPE)
        text = done.stdout.read()
        _, status, usage = os.wait4(done.pid, 0)
        if status:
            sys.exit(f"predict: onefold {' '.join(words)} failed")
        return text, usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime

    def labels(self, *words):
        text, _, _ = self.run(*words, "-q")
        return numpy.array(text.split(), dtype=int)

    def hold_out(self, name):
        views, truth, clusters, graph = load(name)
        n, apart, less, fitted, predicted = len(truth), [], [], [], []
        with tempfile.TemporaryDirectory() as folder:
            path = lambda part: os.path.join(folder, part)
            common = ["--samples-are", "rows", "--no-truth"]
            numpy.savez(path("all.npz"), **{f"X{i + 1}": v for i, v in enumerate(views)})
            whole = self.labels("fit", path("all.npz"), "--clusters", str(clusters), *common)
            for split in range(self.splits):
                order = numpy.random.default_rng(split).permutation(n)
                old, new = numpy.sort(order[: round(0.7 * n)]), numpy.sort(order[round(0.7 * n):])
                parts = {"old": {}, "new": {}}
                for i, view in enumerate(views):
                    if i == graph:
                        parts["old"][f"X{i + 1}"] = view[numpy.ix_(old, old)]
                        parts["new"][f"X{i + 1}"] = (view + view.T)[numpy.ix_(new, old)]
                    else:
                        parts["old"][f"X{i + 1}"], parts["new"][f"X{i + 1}"] = view[old], view[new]
                for part, arrays in parts.items():
                    numpy.savez(path(part + ".npz"), **arrays)
                own = self.labels("fit", path("old.npz"), "--clusters", str(clusters), "--model",
                                  path("model"), *common)
                less.append(accuracy(own, truth[old]) - accuracy(whole[old], truth[old]))
                guess = self.labels("predict", path("model"), path("new.npz"), *common)
                fitted.append(accuracy(whole[new], truth[new]))
                predicted.append(accuracy(guess, truth[new]))
                apart.append(predicted[-1] - fitted[-1])
        self.details[name] = {"fitted": fitted, "predicted": predicted, "less": less}
        mean = statistics.mean(apart)
        self.row(f"{name}: ACC of 30 % predicted, over fitted", "at least -2 points",
                 f"{statistics.mean(predicted):.1f} predicted, {statistics.mean(fitted):.1f} fitted: "
                 f"{mean:+.1f} (each of {self.splits}: {min(apart):+.1f} to {max(apart):+.1f}); "
                 f"the 70 % in their own fit {statistics.mean(less):+.1f}",
                 mean >= -2)

    def watch(self, process):
        """The most memory a process has held, as the system counts it, until it ends. (What wait4
        says counts this program's own, from before the process became another.)"""
        peak = 0
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status") as status:
                    lines = [line.split() for line in status if line.startswith("VmHWM:")]
            except OSError:
                break
            peak = max([peak] + [int(line[1]) * 1024 for line in lines])
            time.sleep(0.01)
        return peak

    def make(self, folder, count, name):
        random = numpy.random.default_rng(5)
        paths = []
        for view in range(3):
            centres = 3 * random.standard_normal((10, 64), dtype=numpy.float32) / 8 ** 0.5
            path = os.path.join(folder, f"{name}.{view + 1}.npy")
            out = numpy.lib.format.open_memmap(path, "w+", numpy.float32, (count, 64))
            for first in range(0, count, 100000):
                size = min(100000, count - first)
                noise = random.standard_normal((size, 64), dtype=numpy.float32)
                out[first:first + size] = centres[numpy.arange(first, first + size) % 10] + noise
            del out
            paths.append(path)
        return paths

    def speed_and_memory(self):
        with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
            model = os.path.join(folder, "model")
            common = ["--samples-are", "rows", "--no-truth"]
            train = self.make(folder, 20000, "train")
            self.run("fit", *train, "--clusters", "10", "--base", "nystrom", "--landmarks", "500",
                     "--precision", "single", "--model", model, "-q", *common)
            peaks = {}
            for count in (self.samples // 10, self.samples):
                paths = self.make(folder, count, "new")
                out = os.path.join(folder, "labels.npy")
                best = None
                for _ in range(2):
                    before = os.times()
                    done = subprocess.Popen([self.onefold, "predict", model, *paths, "--labels", out,
                                             "--threads", "2", *common], stdout=subprocess.PIPE)
                    peak = self.watch(done)
                    text = done.stdout.read().decode()
                    if done.wait():
                        sys.exit("predict: it failed")
                    after = os.times()
                    cpu = (after.children_user + after.children_system
                           - before.children_user - before.children_system)
                    rate = float(next(part for part in text.split("\n") if part.startswith("time"))
                                 .split()[-2])
                    best = max(best or 0, rate)
                    peaks[count] = peak
                for path in paths:
                    os.remove(path)
            self.details["rate"], self.details["peaks"] = best, peaks
            self.row("samples a second, 3 views of 64 columns, 500 landmarks", "2e5 on 2 cores",
                     f"{best:.3g} (at {2 * count / cpu:.3g} for two cores of CPU time, reading too)",
                     best >= 2e5)
            small, large = peaks[self.samples // 10], peaks[self.samples]
            self.row(f"memory of {self.samples:g} samples, over a tenth of them", "at most 1.1",
                     f"{large / small:.2f} ({large / 1e6:.0f} MB, data {self.samples * 768 / 1e6:.0f} MB)",
                     large <= 1.1 * small)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--onefold", required=True, help="build folder")
    parser.add_argument("--predict", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--out", default="build/predict.json")
    parser.add_argument("--splits", type=int, default=5, help="hold-out splits of each data set")
    parser.add_argument("--samples", type=int, default=1000000, help="samples of the speed figure")
    arguments = parser.parse_args()
    models = Models(arguments)
    if os.path.isdir(DATA):
        for name in SETS:
            models.hold_out(name)
    else:
        print("bench: the real data is not beside the project (../shared/data): no hold-out figures")
    models.speed_and_memory()
    with open(arguments.out, "w") as out:
        json.dump({"rows": models.rows, "details": models.details}, out, indent=1)
    low = sum(not row["met"] for row in models.rows)
    print(f"{len(models.rows)} figures, {low} under their bar; all of it in {arguments.out}")


if __name__ == "__main__":
    main()
