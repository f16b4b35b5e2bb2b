# SPDX-License-Identifier: Apache-2.0
"""Samples that lack views: NMI on data made incomplete at random, beside dropping and mean filling."""
import json
import os
import statistics
import subprocess
import tempfile

from common import DATA

# name: file, views, labels, clusters, patterns of missing views at each share
SETS = {
    "Handwritten": ("handwritten/Handwritten.mat", "X", "y", 10, 5),
    "BBCSport": ("bbcsport/BBCSport.mat", "data", "truelabel", 5, 20),
    "3sources": ("3sources/3sources.mat", "data", "truelabel", 6, 20),
    "NGs": ("ngs/NGs.mat", "data", "truelabel", 5, 20),
}
SHARES = (10, 30, 50)


def load(name):
    """Views as dense matrices with samples as rows, and the classes."""
    import numpy
    import scipy.io
    import scipy.sparse
    path, views, labels, clusters, _ = SETS[name]
    file = scipy.io.loadmat(os.path.join(DATA, path))
    truth = file[labels]
    truth = (truth.ravel()[0] if truth.dtype == object else truth).ravel().astype(int)
    views = [view.toarray() if scipy.sparse.issparse(view) else view for view in file[views].ravel()]
    views = [numpy.array(view if len(view) == len(truth) else view.T, dtype=float) for view in views]
    return views, truth, clusters


def leave_out(samples, views, percent, seed):
    """samples x views of ones and, for `percent` of it, zeros; every sample keeps a view."""
    import numpy
    present = numpy.ones((samples, views), dtype=numpy.uint8)
    left = round(percent / 100 * samples * views)
    for entry in numpy.random.default_rng(seed).permutation(samples * views):
        sample, view = divmod(entry, views)
        if left and present[sample].sum() > 1:
            present[sample, view] = 0
            left -= 1
    return present


def nmi(bench, views, truth, clusters, seed, on=None, present=None):
    """NMI of a fit of these samples, in percent: of all, or of those `on`."""
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        data, labels = os.path.join(folder, "data.npz"), os.path.join(folder, "labels.npy")
        arrays = {f"X{i + 1}": view for i, view in enumerate(views)}
        if present is not None:
            arrays["present"] = present
        numpy.savez(data, **arrays)
        subprocess.run([bench.onefold, "fit", data, "--clusters", str(clusters), "--seed", str(seed),
                        "--no-truth", "--samples-are", "rows", "--labels", labels, "-q"], check=True)
        scores = []
        for those in (numpy.ones(len(truth), dtype=bool), on):
            if those is None:
                continue
            files = os.path.join(folder, "a.txt"), os.path.join(folder, "b.txt")
            numpy.savetxt(files[0], numpy.load(labels)[those], fmt="%d")
            numpy.savetxt(files[1], truth[those], fmt="%d")
            done = subprocess.run([bench.onefold, "score", *files, "--json"], stdout=subprocess.PIPE,
                                  check=True)
            scores.append(100 * json.loads(done.stdout)["scores"]["nmi"])
    return scores if on is not None else scores[0]


def one(bench, views, truth, clusters, percent, seed):
    """Scores of one pattern: with missing views, mean-filled, and on complete samples alone."""
    import numpy
    present = leave_out(len(truth), len(views), percent, seed)
    complete = present.all(axis=1)
    found = {"complete": int(complete.sum())}
    enough = complete.sum() >= 2 * clusters and len(set(truth[complete])) > 1
    found["missing"], found["missing_on_complete"] = \
        nmi(bench, views, truth, clusters, seed, complete, present) if enough else \
        (nmi(bench, views, truth, clusters, seed, present=present), None)
    filled = [numpy.where(present[:, [i]] > 0, view, view[present[:, i] > 0].mean(axis=0))
              for i, view in enumerate(views)]
    found["filled"] = nmi(bench, filled, truth, clusters, seed)
    found["dropped"] = None
    if enough:
        found["dropped"] = nmi(bench, [view[complete] for view in views], truth[complete], clusters, seed)
    return found


def mean_of(runs, key):
    values = [run[key] for run in runs if run[key] is not None]
    return statistics.mean(values) if values else None


def text_of(value):
    return "-" if value is None else f"{value:.1f}"


def missing(bench):
    """10, 30 and 50 % of (sample, view) pairs left out: NMI beside mean filling and dropping."""
    for name in SETS:
        views, truth, clusters = load(name)
        whole = statistics.mean(nmi(bench, views, truth, clusters, seed) for seed in range(3))
        bench.details.setdefault("missing", {})[name] = {"whole": whole}
        for percent in SHARES:
            runs = [one(bench, views, truth, clusters, percent, seed) for seed in range(SETS[name][4])]
            bench.details["missing"][name][percent] = runs
            ours, same, filled, dropped = (mean_of(runs, key) for key in (
                "missing", "missing_on_complete", "filled", "dropped"))
            met = ours > filled and (dropped is None or same > dropped)
            bench.row(f"{name}, {percent} % of views missing: NMI (complete data {whole:.1f})",
                      "> filled; > dropped, same samples" if percent == 30 else "(not held to a bar)",
                      f"{ours:.1f}, filled {filled:.1f}; on the {mean_of(runs, 'complete'):.0f} complete "
                      f"samples {text_of(same)}, dropping the rest {text_of(dropped)}",
                      met or percent != 30)


FIGURES = [missing]
