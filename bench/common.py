# SPDX-License-Identifier: Apache-2.0
"""What the figures share: the data sets, running the command, and the rows of the table."""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "shared", "data")

# name: file, clusters
SETS = {
    "Cora": ("cora/Cora_2view.mat", 7),
    "CiteSeer": ("citeseer/CiteSeer.mat", 6),
    "ProteinFold": ("proteinfold/ProteinFold.mat", 27),
    "CUB": ("cub/cub_googlenet_doc2vec_c10.mat", 10),
    "BBCSport": ("bbcsport/BBCSport.mat", 5),
    "Handwritten": ("handwritten/Handwritten.mat", 10),
    "MSRC_v1": ("msrc/MSRC_v1.mat", 7),
    "Reuters-1200": ("reuters/Reuters-1200.mat", 6),
    "BDGP": ("bdgp/BDGP.mat", 5),
}
PAPER = {  # ACC, NMI, purity (percent) and seconds of the paper's iterations alone
    "Cora": (60.8, 37.8, 63.3, 3.46),
    "CiteSeer": (56.6, 28.7, 58.9, 2.27),
    "ProteinFold": (35.3, 44.1, 43.4, 5.68),
}


# Runs a command and writes its wall and CPU seconds and peak bytes to a file descriptor. In a process of
# its own: the system counts as a child's peak what its parent held when it was made, and this one is small.
WATCH = """
import os, resource, sys, time
began = time.perf_counter()
status = os.spawnvp(os.P_WAIT, sys.argv[2], sys.argv[2:])
wall, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
os.write(int(sys.argv[1]), f"{wall} {used.ru_utime + used.ru_stime} {used.ru_maxrss * 1024}".encode())
sys.exit(status)
"""


def measured(command):
    """Wall and CPU seconds and peak bytes of a command, with what it wrote as JSON."""
    numbers, end = os.pipe()
    child = subprocess.run([sys.executable, "-S", "-E", "-c", WATCH, str(end), *command], stdout=subprocess.PIPE,
                           pass_fds=[end], check=False)
    os.close(end)
    with os.fdopen(numbers) as lines:
        wall, cpu, peak = map(float, lines.read().split())
    if child.returncode:
        sys.exit(f"bench: {' '.join(command)} ended with {child.returncode}")
    return {"wall": wall, "cpu": cpu, "peak": peak, "json": json.loads(child.stdout) if child.stdout else None}


def load_views(path, views, labels):
    """Views of a .mat file as dense matrices with samples as rows, and the classes."""
    import numpy
    import scipy.io
    import scipy.sparse
    file = scipy.io.loadmat(os.path.join(DATA, path))
    truth = file[labels]
    truth = (truth.ravel()[0] if truth.dtype == object else truth).ravel().astype(int)
    views = [view.toarray() if scipy.sparse.issparse(view) else view for view in file[views].ravel()]
    views = [numpy.array(view if len(view) == len(truth) else view.T, dtype=float) for view in views]
    return views, truth


class Skip(Exception):
    """Why a figure was not measured."""


class Figures:
    """Rows of a table (what, bar, measured, met) and the details behind them."""

    def __init__(self, build):
        self.onefold = os.path.join(build, "cli", "onefold")
        self.build = build
        self.rows = []
        self.details = {}

    def row(self, what, bar, measured, met):
        """`met` None: a figure without a bar of its own."""
        met = None if met is None else bool(met)
        self.rows.append({"what": what, "bar": bar, "measured": measured, "met": met})
        mark = {True: "ok ", False: "LOW", None: "-  "}[met]
        print(f"{mark}  {what:<58} {bar:>28}   {measured}", flush=True)

    def synth(self, path, *options):
        subprocess.run([self.onefold, "synth", path, "-q", *options], check=True)

    def work(self, figures, only, out):
        """Measures those of `figures` that `only` names (all where it is None), and writes the JSON."""
        names = [figure.__name__ for figure in figures]
        wanted = only.split(",") if only else names
        unknown = sorted(set(wanted) - set(names))
        if unknown:
            sys.exit(f"bench: there is no figure {', '.join(unknown)}; there are {', '.join(names)}")
        for figure in figures:
            if figure.__name__ not in wanted:
                continue
            try:
                figure(self)
            except Skip as reason:
                self.row(figure.__doc__.splitlines()[0], "", f"not measured: {reason}", None)
        with open(out, "w") as file:
            json.dump({"rows": self.rows, "details": self.details}, file, indent=1)
        low = sum(row["met"] is False for row in self.rows)
        print(f"{len(self.rows)} figures, {low} under their bar; all of it in {out}")


class Bench(Figures):
    """Figures on the real data sets."""

    def run(self, verb, name, *options):
        """The JSON of a verb on one of the sets, with the seconds it took as a whole."""
        path = os.path.join(DATA, SETS[name][0])
        run = measured([self.onefold, verb, path, "--json", "--progress", "never", *options])
        run["json"].update(wall=run["wall"], cpu=run["cpu"])
        return run["json"]

    def fit(self, name, seed=0, *options):
        """By the paper's own method, whose figures they are, unless the options name another."""
        method = [] if "--method" in options else ["--method", "os-lfmvc-cs"]
        return self.run("fit", name, "--clusters", str(SETS[name][1]), "--seed", str(seed), *method, *options)


def arguments_of(doc, figures, out):
    """The options that all programs of figures have."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--onefold", required=True, help="build folder")
    parser.add_argument("--out", default=out)
    parser.add_argument("--only", help="names of figures, comma-separated: "
                        + ", ".join(figure.__name__ for figure in figures))
    return parser


def percent(result, *keys):
    return [100 * result["scores"][key] for key in keys]
