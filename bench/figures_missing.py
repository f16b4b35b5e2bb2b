# SPDX-License-Identifier: Apache-2.0
"""Samples that lack views: NMI on data made incomplete at random, beside dropping and mean filling."""
import json
import os
import statistics
import subprocess
import tempfile

from common import load_views

# name: file, views, labels, clusters, patterns of missing views at each share
SETS = {
    "Handwritten": ("handwritten/Handwritten.mat", "X", "y", 10, 5),
    "BBCSport": ("bbcsport/BBCSport.mat", "data", "truelabel", 5, 20),
    "3sources": ("3sources/3sources.mat", "data", "truelabel", 6, 20),
    "NGs": ("ngs/NGs.mat", "data", "truelabel", 5, 20),
}
SHARES = (10, 30, 50)
MORE = {"BBCSport": (40, 45)}  # two views: at 50 % no sample has both


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


def save(folder, name, views, present=None):
    import numpy
    arrays = {f"X{i + 1}": view for i, view in enumerate(views)}
    if present is not None:
        arrays["present"] = present
    path = os.path.join(folder, name)
    numpy.savez(path, **arrays)
    return path


def labels_of(bench, views, clusters, seed, present=None, fresh=None):
    """Labels of a fit of these samples; or those its model gives the samples (views, present) `fresh`."""
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        labels, model = os.path.join(folder, "labels.npy"), os.path.join(folder, "model")
        reading = ["--no-truth", "--samples-are", "rows", "--labels", labels, "-q"]
        fit = [bench.onefold, "fit", save(folder, "data.npz", views, present), "--method", "os-lfmvc-cs", "--clusters",
               str(clusters), "--seed", str(seed), *reading]
        subprocess.run(fit + (["--model", model] if fresh else []), check=True)
        if fresh:
            subprocess.run([bench.onefold, "predict", model, save(folder, "fresh.npz", *fresh), *reading],
                           check=True)
        return numpy.load(labels)


def nmi(bench, labels, truth):
    """In percent."""
    import numpy
    with tempfile.TemporaryDirectory() as folder:
        files = os.path.join(folder, "labels.txt"), os.path.join(folder, "truth.txt")
        numpy.savetxt(files[0], labels, fmt="%d")
        numpy.savetxt(files[1], truth, fmt="%d")
        done = subprocess.run([bench.onefold, "score", *files, "--json"], stdout=subprocess.PIPE,
                              check=True)
        return 100 * json.loads(done.stdout)["scores"]["nmi"]


def one(bench, views, truth, clusters, percent, seed):
    """Scores of one pattern. Dropping: only complete samples are fitted; scored on these alone, and
    on all, when its model has labelled the others by the views they have."""
    import numpy
    present = leave_out(len(truth), len(views), percent, seed)
    complete = present.all(axis=1)
    labels = labels_of(bench, views, clusters, seed, present)
    filled = [numpy.where(present[:, [i]] > 0, view, view[present[:, i] > 0].mean(axis=0))
              for i, view in enumerate(views)]
    found = {"complete": int(complete.sum()), "missing": nmi(bench, labels, truth),
             "filled": nmi(bench, labels_of(bench, filled, clusters, seed), truth),
             "dropped": None, "missing_on_complete": None, "dropped_on_complete": None}
    if complete.sum() >= 2 * clusters:
        dropped = labels_of(bench, [view[complete] for view in views], clusters, seed,
                            fresh=(views, present))
        found["dropped"] = nmi(bench, dropped, truth)
        found["missing_on_complete"] = nmi(bench, labels[complete], truth[complete])
        found["dropped_on_complete"] = nmi(bench, dropped[complete], truth[complete])
    return found


def mean_of(runs, key):
    values = [run[key] for run in runs if run[key] is not None]
    return statistics.mean(values) if values else None


def text_of(value):
    return "-" if value is None else f"{value:.1f}"


def missing(bench):
    """10, 30 and 50 % of (sample, view) pairs left out: NMI beside mean filling and dropping."""
    for name in SETS:
        path, variable, labels, clusters, _ = SETS[name]
        views, truth = load_views(path, variable, labels)
        whole = statistics.mean(nmi(bench, labels_of(bench, views, clusters, seed), truth)
                                for seed in range(3))
        bench.details.setdefault("missing", {})[name] = {"whole": whole}
        for percent in sorted(SHARES + MORE.get(name, ())):
            runs = [one(bench, views, truth, clusters, percent, seed) for seed in range(SETS[name][4])]
            bench.details["missing"][name][percent] = runs
            mean = {key: mean_of(runs, key) for key in runs[0]}
            text = {key: text_of(value) for key, value in mean.items()}
            met = mean["missing"] > mean["filled"] and (
                mean["dropped"] is None or (mean["missing"] > mean["dropped"] and
                                            mean["missing_on_complete"] > mean["dropped_on_complete"]))
            bench.row(f"{name}, {percent} % missing: NMI ({whole:.1f} of complete data)",
                      "> filled, > dropped" if percent == 30 else "(no bar)",
                      f"{text['missing']}, filled {text['filled']}, dropped {text['dropped']}; on the "
                      f"{mean['complete']:.0f} complete samples {text['missing_on_complete']}, "
                      f"dropped {text['dropped_on_complete']}", met or percent != 30)


FIGURES = [missing]
