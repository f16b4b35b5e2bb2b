#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments, run again with onefold bench, and set beside its figures.

Every data set is run twice over one file of finished cells: first each method at its default, then
the published grids of the methods that are quick enough for it at that size. The files of cells, the
JSON of every run and the synthetic data are in build/paper; a run that was stopped goes on from there,
and --fresh begins again. The tables are build/paper/results.md; docs/results.md takes its figures from them.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "shared", "data")
WORK = os.path.join(HERE, "..", "build", "paper")
TEXT = os.path.join(WORK, "results.md")

METHODS = ["avg-kkm", "sb-kkm", "mkkm", "rmsc", "fmkkm", "fmr", "lsgmc", "os-lfmvc-cs"]
MEASURES = ["acc", "nmi"]  # of the table; the JSON of every run has more
KERNEL_METHODS = ["os-lfmvc-cs", "avg-kkm", "sb-kkm", "mkkm", "rmsc", "fmkkm"]
LAPTOP = ["--max-memory", "6GB"]  # for data of the full shapes: what does not fit is a dash that says so
# Whose published grids are run, by size: those of rmsc, fmr and lsgmc are 9 to 80 cells of n^3 operations.
GRIDS = ["os-lfmvc-cs", "sb-kkm", "fmkkm"]
SMALL_GRIDS = GRIDS + ["rmsc", "fmr", "lsgmc"]

# The paper's table, percent: ACC and NMI (then purity) in the order of METHODS.
PAPER = {
    "Citeseer": [[20.8, 2.3, 24.9], [46.3, 23.2, 48.8], [20.1, 1.9, 24.2], [19.9, 0.4, 22.1],
                 [30.6, 10.1, 32.9], [23.9, 2.3, 25.8], [22.0, 1.7, 24.9], [56.6, 28.7, 58.9]],
    "Cora": [[30.7, 15.7, 41.5], [45.2, 25.6, 52.5], [25.3, 9.5, 36.1], [20.2, 1.7, 31.5],
             [38.4, 21.8, 46.9], [40.7, 20.0, 42.9], [20.9, 0.7, 30.2], [60.8, 37.8, 63.3]],
    "ProteinFold": [[29.0, 40.3, 37.4], [33.8, 41.1, 39.4], [27.0, 38.0, 33.7], [31.2, 43.2, 38.5],
                    [32.4, 41.5, 38.6], [34.5, 42.0, 40.6], [32.8, 43.9, 40.7], [35.3, 44.1, 43.4]],
}

# name: the file or what to make, options, whose figures of the paper stand beside it, what differs.
RUNS = {
    "citeseer": {
        "title": "Citeseer", "file": "citeseer/CiteSeer.mat", "paper": "Citeseer",
        "differs": "The paper's data; its kernels are not public. With ours, the cosine of tf-idf words and of the rows of "
                   "A + A' + I, methods that average kernels score far above the paper's figures: compare methods within "
                   "a column."},
    "cora": {
        "title": "Cora", "file": "cora/Cora_2view.mat", "paper": "Cora",
        "differs": "The paper's data; kernels as for Citeseer."},
    "proteinfold": {
        "title": "ProteinFold, rbf kernels", "file": "proteinfold/ProteinFold.mat",
        "paper": "ProteinFold", "grids": SMALL_GRIDS,
        "differs": "The paper's data: the leading 27 factors of each kernel, here as columns under an rbf kernel (`auto`)."},
    "proteinfold-linear": {
        "title": "ProteinFold, linear kernels", "file": "proteinfold/ProteinFold.mat",
        "paper": "ProteinFold", "options": ["--kernel", "linear"], "methods": KERNEL_METHODS,
        "grids": GRIDS + ["rmsc"],
        "differs": "The same under linear kernels: the paper's, up to 27 factors. fmr and lsgmc are as above."},
    "reuters-1200": {
        "title": "Reuters-1200", "file": "reuters/Reuters-1200.mat", "paper": None,
        "differs": "Documents in five languages, from the collection of the paper's Reuters; the paper has no figures for them."},
    "made-nus-wide": {
        "title": "Synthetic data of NUS-WIDE's shape", "paper": None, "repeats": 2, "grids": [], "options": LAPTOP,
        "made": ["--samples", "30000", "--views", "5", "--clusters", "31", "--columns",
                 "65,226,145,74,129", "--separation", "2.5", "--noise", "0.5", "--seed", "1"],
        "differs": "Made by `onefold synth`."},
    "made-reuters": {
        "title": "Synthetic data of Reuters' shape", "paper": None, "repeats": 2, "grids": [], "options": LAPTOP,
        "made": ["--samples", "18758", "--views", "5", "--clusters", "6", "--columns",
                 "21531,24892,34251,15506,11547", "--density", "0.004", "--separation", "1.5",
                 "--noise", "0.5", "--seed", "1"],
        "differs": "Sparse views made by `onefold synth`."},
}


def say(text):
    print(text, file=sys.stderr, flush=True)


class Paper:
    def __init__(self, onefold, repeats):
        self.onefold, self.repeats = onefold, repeats
        os.makedirs(WORK, exist_ok=True)

    def command(self, arguments, out=None):
        """Runs the command; an interruption is passed on. Returns whether it succeeded."""
        done = subprocess.run([self.onefold, *arguments], stdout=out)
        if done.returncode == 130:
            sys.exit("paper: interrupted; ./dev paper goes on from here")
        return done.returncode == 0

    def data(self, name):
        """The path of a run's data, made where it is synthetic data, or None where there is none."""
        run = RUNS[name]
        if "made" not in run:
            path = os.path.join(DATA, run["file"])
            return path if os.path.exists(path) else None
        path = os.path.join(WORK, name + ".npz")
        if not os.path.exists(path) and not self.command(["synth", path, "-q", *run["made"]]):
            return None
        return path

    def bench(self, name, path, what, arguments):
        """Runs bench over the run's file of cells; the JSON, or None."""
        target = os.path.join(WORK, f"{name}.{what}.json")
        options = ["bench", path, "--repeats", str(RUNS[name].get("repeats", self.repeats)), "--kmeans-start", "samples",
                   "--resume", os.path.join(WORK, name + ".cells"), "--json",
                   *RUNS[name].get("options", []), *arguments]
        with open(target + ".part", "w") as out:
            ok = self.command(options, out)
        if not ok:
            with open(target + ".part") as part:
                say(f"{name}: {part.read().strip()}")
            return None
        os.replace(target + ".part", target)
        with open(target) as file:
            return json.load(file)

    def run(self, name):
        path = self.data(name)
        if path is None:
            say(f"{name}: the data is not here")
            return
        run = RUNS[name]
        methods = ["--methods", ",".join(run.get("methods", METHODS))]
        say(f"{run['title']}: every method at its default")
        if self.bench(name, path, "default", methods + ["--grid", "none"]) is None:
            return
        grids = run.get("grids", GRIDS)
        say(f"{run['title']}: grids of {', '.join(grids) or 'none'}")
        self.bench(name, path, "grid", methods + ["--grid", ";".join(f"{m}:paper" for m in grids) or "none"])
        if run["paper"]:
            say(f"{run['title']}: the paper's own start")
            self.bench(name, path, "start", ["--methods", "os-lfmvc-cs", "--start", "paper",
                                             "--restarts", "1", "--grid", "default"])


# ---- the text -----------------------------------------------------------------------------------

def percent(spread):
    return "-" if spread is None else f"{100 * spread['mean']:.1f}±{100 * spread['deviation']:.1f}"


def size_text(number):
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if number < 999.5 or unit == "TB":
            return f"{number:.1f} {unit}" if unit != "B" and number < 9.95 else f"{number:.0f} {unit}"
        number /= 1000


def seconds_text(number):
    return f"{number:.2f} s" if number < 10 else f"{number:.0f} s" if number < 600 else f"{number / 60:.0f} min"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def load(name, what):
    path = os.path.join(WORK, f"{name}.{what}.json")
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return json.load(file)


def strong_if_top(rows, column):
    """Bold for the largest leading number of a column."""
    def lead(text):
        try:
            return float(text.split("±")[0])
        except ValueError:
            return None
    top = max((lead(row[column]) for row in rows if lead(row[column]) is not None), default=None)
    for row in rows:
        if top is not None and lead(row[column]) == top:
            row[column] = f"**{row[column]}**"


def in_order(bench):
    return sorted(bench["methods"], key=lambda m: METHODS.index(m["name"]))


def cost_of(bench, method):
    """Time with base partitions and peak memory at the default; empty where it did not run."""
    cell = bench["cells"][method["default_cell"]]
    if cell["status"] != "ok":
        return ["", ""]
    seconds = cell["seconds"]["fit"] + (cell["seconds"]["base"] if not method["ends_in_kmeans"] else 0)
    return [seconds_text(seconds), size_text(cell["peak_bytes"])]


def score_table(bench, paper, grids):
    """Ours beside the paper's, cell by cell; the best of a grid before the default. Without grids: what the default costs."""
    head, rows = ["method"], []
    scores = range(1, 1 + len(MEASURES) * (1 + bool(grids) + bool(paper)))
    for measure in MEASURES:
        columns = (["paper"] if paper else []) + (["best"] if grids else []) + ["default"]
        head += [f"{measure.upper()}: {columns[0]}", *columns[1:]]
    for method in in_order(bench):
        if not paper and method["default"] is None:
            continue  # missing_line() names it
        row, best = [method["name"]], method["best"]
        for i, measure in enumerate(MEASURES):
            if paper:
                row.append(f"{PAPER[paper][METHODS.index(method['name'])][i]:.1f}")
            if grids:
                row.append(percent(best[measure]) if best else "")
            row.append(percent(method["default"] and method["default"][measure]))
        rows.append(row + ([] if grids else cost_of(bench, method)))
    for column in scores:
        strong_if_top(rows, column)
    return table(head + ([] if grids else ["time", "memory"]), rows)


def spread_of(cell, measure):
    """Mean and deviation of a score over the repeats of a cell."""
    values = cell.get("scores", {}).get(measure)
    if not values:
        return None
    mean = sum(values) / len(values)
    return {"mean": mean, "deviation": (sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1)) ** 0.5}


def sensitivity_section():
    """ACC, then NMI, of os-lfmvc-cs by k at the default m; in a sentence, how much m changes ACC."""
    rows, most = [], 0
    for name, run in RUNS.items():
        bench = load(name, "grid")
        if bench is None or not bench["sensitivity"]:
            continue
        grid = bench["sensitivity"]
        cells = [[bench["cells"][at] for at in row] for row in grid["cells"]]
        middle = grid["times"].index(2)  # the default is 2 mu
        rows.append([run["title"], *(percent(spread_of(row[middle], measure)) for measure in MEASURES for row in cells)])
        for row in cells:
            means = [spread["mean"] for spread in (spread_of(cell, "acc") for cell in row) if spread]
            most = max(most, max(means, default=0) - min(means, default=0))
    if not rows:
        return None
    head = ["data", *(f"{measure.upper()}: {k}" for measure in MEASURES for k in ("k = mu", "2 mu", "4 mu"))]
    return "\n\n".join(["## Sensitivity", f"`os-lfmvc-cs` by k in multiples of the clusters mu, with m = 2 mu. With m = mu or 4 mu, "
                        f"ACC changes by at most {100 * most:.1f}.", table(head, rows)])


def missing_line(bench):
    """The methods that did not run, with the reason, or the memory that they need."""
    needs, others = [], []
    for method in in_order(bench):
        cell = bench["cells"][method["default_cell"]]
        if cell["status"] != "ok" and "of memory" in cell["reason"]:
            needs.append(f"{method['name']} {size_text(method['expected']['peak_bytes'])}")
        elif cell["status"] != "ok":
            others.append(f"{method['name']} gives no labels: {cell['reason']}.")
    return " ".join(([f"Not run; memory needed: {', '.join(needs)}."] if needs else []) + others)


def views_text(views):
    """Columns and kernel of each view; views that are alike are counted."""
    kinds = [f"{v['columns']} {v['kernel']}" for v in views]
    return ", ".join(kind if kinds.count(kind) == 1 else f"{kinds.count(kind)} x {kind}" for kind in dict.fromkeys(kinds))


def section(name):
    run, bench, start = RUNS[name], load(name, "grid"), load(name, "start")
    if bench is None:
        return None
    data = bench["data"]
    parts = [f"## {run['title']}",
             f"{data['samples']} samples, {len(data['views'])} views ({views_text(data['views'])}), "
             f"{data['classes']} classes. {run['differs']}",
             score_table(bench, run["paper"], run.get("grids", GRIDS))]
    if missing_line(bench):
        parts.append(missing_line(bench))
    if start is not None:
        method = start["methods"][0]
        parts.append(
            "`os-lfmvc-cs` from one random start, as in the paper (ACC / NMI): best "
            + " / ".join(percent(method["best"][m]) for m in MEASURES) + "; default "
            + " / ".join(percent(method["default"][m]) for m in MEASURES) + ".")
    return "\n\n".join(parts)


def write_text():
    sections = {name: section(name) for name in RUNS}
    texts = [text for text in [*sections.values(), sensitivity_section()] if text]
    there = [load(name, "grid") for name in RUNS if sections[name]]
    if not there:
        sys.exit("paper: nothing was run, so there is nothing to write")
    machine, settings = there[0]["machine"], there[0]["settings"]
    head = f"""# Results

Written by `./dev paper` (tools/paper.py) with onefold {there[0]['onefold']}. The scores are not edited.

- Scores are percent: mean ± standard deviation (n - 1) over {settings['repeats']} repeats. NMI is over the larger entropy. The best of a column is bold.
- `os-lfmvc-cs` is repeated with seeds 0 to {settings['repeats'] - 1}. Methods that end in k-means repeat the k-means on one embedding
  ({settings['kmeans_replicates']} replicates from random samples).
- *Best* is the setting of the published grid with the largest mean ACC, chosen with the labels, as in the paper: 9 settings of `os-lfmvc-cs`
  and rmsc, 72 of fmkkm, 5 of fmr, 80 of lsgmc, each view of sb-kkm. The grids of rmsc, fmr and lsgmc take hours and were run on ProteinFold
  only. *Default* uses no labels.
- The paper's NUS-WIDE and Reuters are not public in the form it used. Synthetic data of their shapes has 2 repeats and a limit of 6 GB
  (mkkm once had more); time and memory are those of one fit.
- Machine: {machine['processor'] or 'unknown processor'}, {machine['cores']} cores, {size_text(machine['memory_bytes'])}, {machine['threads']} threads, shared with other work: times are upper bounds.
"""
    text = head + "\n" + "\n\n".join(texts) + "\n"
    with open(TEXT + ".part", "w") as out:
        out.write(text)
    os.replace(TEXT + ".part", TEXT)
    say(f"{os.path.relpath(TEXT)} is written; missing: {', '.join(n for n in RUNS if not sections[n]) or 'nothing'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onefold", required=True, help="the command")
    parser.add_argument("--only", help="runs, with commas between them: " + ", ".join(RUNS))
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--fresh", action="store_true", help="discard what was computed before")
    parser.add_argument("--write", action="store_true", help="only write the tables from what is there")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(RUNS)
    unknown = [name for name in names if name not in RUNS]
    if unknown:
        sys.exit(f"paper: there is no run {unknown[0]}; there are {', '.join(RUNS)}")
    if arguments.fresh:
        shutil.rmtree(WORK, ignore_errors=True)
    paper = Paper(os.path.abspath(arguments.onefold), arguments.repeats)
    for name in names if not arguments.write else []:
        paper.run(name)
    write_text()


if __name__ == "__main__":
    main()
