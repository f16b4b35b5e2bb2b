#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The paper's experiments, run again with onefold experiment, and set beside its figures.

All data sets are one study (docs/experiment.md): build/paper/study.json, with its tables, LaTeX, figures,
tests and pages in build/paper/study. Each method runs at its default, and over its published grid where it
is quick enough for the set at that size (--grids names others). onefold bench then reads the same
finished cells for the text build/paper/results.md, which --document puts into docs/results.md too. A run
that was stopped goes on from its cells, and --fresh begins again. Every sentence is computed from what ran.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HOUSE = os.path.join(HERE, "..")
DATA = os.path.join(HOUSE, "..", "shared", "data")
WORK = os.path.join(HOUSE, "build", "paper")  # or --work
DOCUMENT = os.path.join(HOUSE, "docs", "results.md")

METHODS = ["avg-kkm", "sb-kkm", "mkkm", "rmsc", "fmkkm", "fmr", "lsgmc", "os-lfmvc-cs"]
MEASURES = ["acc", "nmi", "purity", "ari"]
TITLES = {"acc": "ACC", "nmi": "NMI", "purity": "purity", "ari": "ARI"}
KERNEL_METHODS = ["os-lfmvc-cs", "avg-kkm", "sb-kkm", "mkkm", "rmsc", "fmkkm"]
LAPTOP = ["--max-memory", "6GB"]  # for data of the full shapes: what does not fit is a dash that says so
OURS = ["onefold"]  # in the study, beside the methods that the paper compares
# Whose published grids are run, by size: those of rmsc, fmr and lsgmc are 5 to 80 cells of n^3 operations.
GRIDS = ["os-lfmvc-cs", "sb-kkm", "fmkkm"]
SMALL_GRIDS = GRIDS + ["rmsc", "fmr", "lsgmc"]
# Whose defaults are run by --portable as well, whose products are several times slower.
PORTABLE = ["avg-kkm", "sb-kkm", "mkkm", "fmkkm", "os-lfmvc-cs"]

# The paper's tables, percent: means and deviations of ACC, NMI and purity in the order of METHODS.
PAPER = {
    "Citeseer": {
        "acc": "20.8±0.0 46.3±0.2 20.1±0.0 19.9±0.3 30.6±0.7 23.9±0.0 22.0±0.4 56.6±0.0",
        "nmi": "2.3±0.0 23.2±0.5 1.9±0.0 0.4±0.1 10.1±0.4 2.3±0.0 1.7±0.1 28.7±0.0",
        "purity": "24.9±0.0 48.8±0.4 24.2±0.0 22.1±0.3 32.9±0.7 25.8±0.0 24.9±0.2 58.9±0.0"},
    "Cora": {
        "acc": "30.7±0.8 45.2±0.1 25.3±0.4 20.2±0.1 38.4±0.1 40.7±0.5 20.9±0.2 60.8±0.0",
        "nmi": "15.7±1.4 25.6±0.1 9.5±0.2 1.7±0.1 21.8±0.1 20.0±0.2 0.7±0.0 37.8±0.0",
        "purity": "41.5±1.3 52.5±0.1 36.1±1.0 31.5±0.0 46.9±0.1 42.9±0.5 30.2±0.0 63.3±0.0"},
    "ProteinFold": {
        "acc": "29.0±1.5 33.8±1.3 27.0±1.1 31.2±1.0 32.4±1.8 34.5±1.4 32.8±1.2 35.3±0.0",
        "nmi": "40.3±1.3 41.1±1.1 38.0±0.6 43.2±0.8 41.5±1.0 42.0±1.1 43.9±0.5 44.1±0.0",
        "purity": "37.4±1.7 39.4±1.2 33.7±1.1 38.5±0.9 38.6±1.5 40.6±1.4 40.7±0.6 43.4±0.0"},
}

# The files that figures were measured on (data/README.md): what others give is said to be of others.
SHA256 = {
    "citeseer/CiteSeer.mat": "36808ee290d157afbaf30b0a056ba857c364be954892badb0e4952476bcdc160",
    "cora/Cora_2view.mat": "a366b56042d79361e09063624248c70a21f7e522ffc62df25f5c0d577fb71c29",
    "proteinfold/ProteinFold.mat": "07522212f7fab626684ab07b030b47902a5ae75d1b4215ec947e919dcfe05dcf",
    "3sources/3sources.mat": "02954038b3f3cb0e443ce09cbde08e9cc378d254beae536287304de000e0bf02",
    "bbcsport/BBCSport.mat": "73d5afadcc4d32f35ce85174af900a9ddb227e383ee163a192b4ee9f6c3d74fe",
    "msrc/MSRC_v1.mat": "38d89aa41ae984f0b026f4baa8b5dcb7c569c471e2fb42b73a0f6743398e9103",
    "reuters/Reuters-1200.mat": "af6c83c63dd2428ee1d0b32183aa0f660d17e941eded390da3ad83a7af75439c",
}

# name: the file or what to make, options, whose figures of the paper stand beside it, what the data is.
RUNS = {
    "citeseer": {
        "title": "Citeseer", "file": "citeseer/CiteSeer.mat", "paper": "Citeseer",
        "differs": "The paper's data under our kernels, as its kernels are not public: the cosine of tf-idf words and of the "
                   "rows of A + A' + I."},
    "cora": {
        "title": "Cora", "file": "cora/Cora_2view.mat", "paper": "Cora",
        "differs": "The paper's data; kernels as for Citeseer."},
    "proteinfold": {
        "title": "ProteinFold, rbf kernels", "file": "proteinfold/ProteinFold.mat",
        "paper": "ProteinFold", "grids": GRIDS + ["rmsc"],
        "differs": "The paper's data: the leading 27 factors of each kernel, here as columns under an rbf kernel (`auto`)."},
    "proteinfold-linear": {
        "title": "ProteinFold, linear kernels", "file": "proteinfold/ProteinFold.mat",
        "paper": "ProteinFold", "options": ["--kernel", "linear"], "methods": KERNEL_METHODS,
        "grids": GRIDS + ["rmsc"],
        "differs": "The same under linear kernels: the paper's, up to 27 factors. fmr and lsgmc take no kernels."},
    "reuters-1200": {
        "title": "Reuters-1200", "file": "reuters/Reuters-1200.mat", "paper": None,
        "differs": "Documents in five languages, from the collection of the paper's Reuters; the paper has no figures for them."},
    "3sources": {
        "title": "3sources", "file": "3sources/3sources.mat", "paper": None, "grids": SMALL_GRIDS,
        "differs": "News stories of three sources; not in the paper."},
    "msrc-v1": {
        "title": "MSRC_v1", "file": "msrc/MSRC_v1.mat", "paper": None, "grids": SMALL_GRIDS,
        "differs": "Pictures; not in the paper."},
    "bbcsport": {
        "title": "BBCSport", "file": "bbcsport/BBCSport.mat", "paper": None, "grids": SMALL_GRIDS,
        "differs": "Articles on sports, each in two parts; not in the paper."},
    "made-nus-wide": {
        "title": "Synthetic data of NUS-WIDE's shape", "paper": None, "repeats": 2, "grids": [], "options": LAPTOP,
        "made": ["--samples", "30000", "--views", "5", "--clusters", "31", "--columns",
                 "65,226,145,74,129", "--separation", "2.5", "--noise", "0.5", "--seed", "1"],
        "differs": "Made by `onefold synth`: NUS-WIDE is not public in the form that the paper used."},
    "made-reuters": {
        "title": "Synthetic data of Reuters' shape", "paper": None, "repeats": 2, "grids": [], "options": LAPTOP,
        "made": ["--samples", "18758", "--views", "5", "--clusters", "6", "--columns",
                 "21531,24892,34251,15506,11547", "--density", "0.004", "--separation", "1.5",
                 "--noise", "0.5", "--seed", "1"],
        "differs": "Sparse views made by `onefold synth`: Reuters is not public in the form that the paper used."},
}


def say(text):
    print(text, file=sys.stderr, flush=True)


def commit():
    """The commit that is checked out, and whether the sources differ from it."""
    def git(*words):
        done = subprocess.run(["git", "-C", HOUSE, *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""
    found = git("rev-parse", "--short=10", "HEAD")
    return found + (" with changes" if git("status", "--porcelain", "--untracked-files=no", "src", "include", "cli") else "")


def find_data(folder, file):
    """The path of a file of the paper's data in a folder, as it lies there or by its name alone; or None."""
    places = [os.path.join(folder, file), os.path.join(folder, os.path.basename(file))]
    return next((place for place in places if os.path.exists(place)), None)


def is_ours(path, file):
    """Whether a file is the one that figures were measured on."""
    with open(path, "rb") as data:
        return hashlib.sha256(data.read()).hexdigest() == SHA256[file]


class Paper:
    def __init__(self, arguments):
        self.onefold, self.repeats = os.path.abspath(arguments.onefold), arguments.repeats
        self.folder, self.asked, self.paths = arguments.data, arguments, {}
        os.makedirs(WORK, exist_ok=True)

    def command(self, arguments, out=None):
        """Runs the command; an interruption is passed on. Returns whether it succeeded."""
        try:
            code = subprocess.run([self.onefold, *arguments], stdout=out).returncode
        except KeyboardInterrupt:
            code = 130
        if code == 130:
            say("paper: interrupted; finished cells are kept: the same command goes on from here")
            sys.exit(130)
        return code == 0

    def data(self, name):
        """The path of a run's data, made where it is synthetic data, or None where there is none; what is odd is said once."""
        if name not in self.paths:
            self.paths[name] = self.find(name)
        return self.paths[name]

    def find(self, name):
        run = RUNS[name]
        if "made" not in run:
            path = find_data(self.folder, run["file"])
            if path is None:
                say(f"{name}: {run['file']} is not in {os.path.normpath(self.folder)}: data/README.md says where its authors publish it, "
                    "and --data FOLDER takes it from where you put it")
            elif not is_ours(path, run["file"]):
                say(f"{name}: {path} is not the file that our figures are of (its SHA-256 is another)")
            return path
        path = os.path.join(WORK, name + ".npz")
        if not os.path.exists(path) and not self.command(["synth", path, "-q", *run["made"]]):
            return None
        return path

    def methods(self, name):
        """The methods of a run, and those whose published grids are run."""
        run, asked = RUNS[name], self.asked
        chosen = asked.methods.split(",") if asked.methods else run.get("methods", METHODS)
        grids = asked.grids.split(",") if asked.grids is not None else run.get("grids", GRIDS)
        return chosen, ";".join(f"{m}:paper" for m in grids if m in chosen) or "none"

    def study(self, names):
        """All sets in one study; whether it succeeded."""
        sets = []
        for name in names:
            run, path = RUNS[name], self.data(name)
            if path is None:
                continue
            methods, grid = self.methods(name)
            ours = [] if self.asked.methods or "methods" in run else OURS
            words = run.get("options", [])
            one = {"name": run["title"], "data": os.path.abspath(path), "methods": ours + methods, "grid": grid,
                   "repeats": min(self.repeats, run.get("repeats", self.repeats)),
                   **{word[2:]: value for word, value in zip(words[::2], words[1::2])}}
            if run["paper"]:
                one["published"] = {method: {measure: [float(x) for x in texts.split()[place].split("±")]
                                             for measure, texts in PAPER[run["paper"]].items()}
                                    for place, method in enumerate(METHODS)}
            sets.append(one)
        if not sets:
            return False
        file = os.path.join(WORK, "study.json")
        with open(file, "w") as out:
            json.dump({"name": "The paper's experiments", "kmeans-start": "samples", "sets": sets}, out, indent=1)
        return self.command(["experiment", file], subprocess.DEVNULL)

    def bench(self, name, what, arguments, cells=None):
        """Runs bench over the study's cells of a set, or over `cells`, and keeps its JSON with what it was made by."""
        path, target = self.data(name), os.path.join(WORK, f"{name}.{what}.json")
        cells = cells or os.path.join(WORK, "study", "cells", RUNS[name]["title"] + ".cells")
        options = ["bench", path, "--repeats", str(min(self.repeats, RUNS[name].get("repeats", self.repeats))), "--kmeans-start",
                   "samples", "--resume", cells, "--json", *RUNS[name].get("options", []), *arguments]
        with open(target + ".part", "w") as out:
            ok = self.command(options, out)
        with open(target + ".part") as part:
            text = part.read()
        if not ok:
            say(f"{name}: {text.strip()}")
            return
        found = json.loads(text)
        found["made"] = {"commit": commit(), "date": time.strftime("%Y-%m-%d"), "load": os.getloadavg()[2],
                         "ours": "file" not in RUNS[name] or is_ours(path, RUNS[name]["file"])}
        with open(target + ".part", "w") as out:
            json.dump(found, out)
        os.replace(target + ".part", target)

    def run(self, name):
        run = RUNS[name]
        if not os.path.exists(os.path.join(WORK, "study", "cells", run["title"] + ".cells")):
            return
        methods, grid = self.methods(name)
        self.bench(name, "grid", ["--methods", ",".join(methods), "--grid", grid])
        if run["paper"] and "os-lfmvc-cs" in methods:
            say(f"{run['title']}: the paper's own start")
            self.bench(name, "start", ["--methods", "os-lfmvc-cs", "--start", "paper", "--restarts", "1", "--grid", "default"])
        portable = [m for m in methods if m in PORTABLE]
        if portable and "made" not in run:
            self.bench(name, "portable", ["--methods", ",".join(portable), "--grid", "none", "--portable"],
                       os.path.join(WORK, name + ".portable.cells"))


# ---- the text: every sentence is computed from what ran ------------------------------------------

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
    """The JSON of this kind of run, or None."""
    path = os.path.join(WORK, f"{name}.{what}.json")
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return json.load(file)


def in_order(bench):
    return sorted(bench["methods"], key=lambda m: METHODS.index(m["name"]))


def setting_of(bench, method, which):
    """What a row shows: "best of 9: k=14,m=7", "default: view 1 (links)"."""
    cell = bench["cells"][method[which]["acc"]["cell"]]
    view = cell.get("only_view")
    at = f"view {view} ({bench['data']['views'][view - 1]['name']})" if view else cell["setting"]
    if which != "default":
        return f"{which} of {method['tried']}: {at}"
    return f"default: {at}" if view else "default"


def score_table(bench, paper):
    """A row for the best, the median and the default of each method; the largest mean of the bests and of the defaults is bold."""
    rows, marks = [], []
    for method in in_order(bench):
        for which in ("best", "median", "default"):
            if method[which]:
                marks.append((which, method))
    top = {(which, m): max((round(1000 * method[which][m]["mean"]) for w, method in marks if w == which), default=None)
           for which in ("best", "default") for m in MEASURES}
    last = None
    for which, method in marks:
        row = ["" if method is last else method["name"], setting_of(bench, method, which)]
        for m in MEASURES:
            text = percent(method[which][m])
            row.append(f"**{text}**" if round(1000 * method[which][m]["mean"]) == top.get((which, m)) else text)
        for m in PAPER[paper] if paper else []:
            row.append("" if method is last else PAPER[paper][m].split()[METHODS.index(method["name"])])
        rows.append(row)
        last = method
    return table(["method", "setting", *(TITLES[m] for m in MEASURES), *(f"paper's {TITLES[m]}" for m in (PAPER[paper] if paper else []))], rows)


def near_line(bench):
    tuned = [m for m in in_order(bench) if m["best"]]
    if not tuned:
        return None
    return ("Other settings within one standard error of the best mean ACC: "
            + ", ".join(f"{m['name']} {m['near_best']} of {m['tried'] - 1}" for m in tuned) + ".")


def leader(bench, which):
    """Who has the largest mean ACC among the defaults or the bests, with what is shown alike."""
    rows = [(round(1000 * m[which]["acc"]["mean"]), m["name"]) for m in in_order(bench) if m[which]]
    return [name for value, name in rows if value == max(rows)[0]]


def leader_line(bench):
    if sum(bool(m["default"]) for m in bench["methods"]) < 2:
        return None
    text = f"The largest mean ACC of a default has {' and '.join(leader(bench, 'default'))}"
    if sum(bool(m["best"]) for m in bench["methods"]) > 1:
        text += f", of a best setting {' and '.join(leader(bench, 'best'))}"
    return text + "."


def paper_line(bench, paper):
    """How far the methods that ran are from the paper's ACC."""
    if not paper:
        return None
    def gap(method):
        shown = method["best"] or method["default"]
        return 100 * shown["acc"]["mean"] - float(PAPER[paper]["acc"].split()[METHODS.index(method["name"])].split("±")[0])
    gaps = [(method["name"], gap(method)) for method in in_order(bench) if method["default"]]
    if not gaps:
        return None
    return ("ACC of the best, or else of the default, minus the paper's: " + ", ".join(f"{name} {by:+.1f}" for name, by in gaps) + ".")


def start_line(name):
    start = load(name, "start")
    if start is None or not start["methods"][0]["best"]:
        return None
    method = start["methods"][0]
    return ("`os-lfmvc-cs` from one random start, as in the paper: " + "; ".join(
        f"{setting_of(start, method, which)} " + " / ".join(percent(method[which][m]) for m in MEASURES)
        for which in ("best", "default")) + " (" + " / ".join(TITLES[m] for m in MEASURES) + ").")


def time_table(bench):
    rows = []
    for method in in_order(bench):
        cell = bench["cells"][method["default_cell"]]
        if cell["status"] == "ok":
            parts = cell["seconds"]
            rows.append([method["name"], *(seconds_text(parts[p]) for p in ("base", "fit", "kmeans", "total")),
                         size_text(cell["peak_bytes"])])
    return table(["method", "preparation", "iterations", "k-means", "total", "memory"], rows)


def sensitivity_table(bench):
    """ACC over k (down) and m (across), and how far apart the cells of a row and of a column are."""
    grid = bench["sensitivity"]
    if not grid:
        return None
    def mean(at):
        return sum(bench["cells"][at]["scores"]["acc"]) / bench["cells"][at]["repeats"] if "scores" in bench["cells"][at] else None
    means = [[mean(at) for at in row] for row in grid["cells"]]
    if any(value is None for row in means for value in row):
        return None
    def most(lines):
        return 100 * max(max(line) - min(line) for line in lines)
    name = bench["cells"][grid["cells"][0][0]]["method"]
    rows = [[f"k = {k} mu", *(f"{100 * value:.1f}" for value in row)] for k, row in zip(grid["times"], means)]
    return "\n\n".join([
        f"ACC of `{name}` over k and m in multiples of the clusters mu. It changes by at most {most(means):.1f} with m, and by at "
        f"most {most(zip(*means)):.1f} with k.", table(["", *(f"m = {m} mu" for m in grid["times"])], rows)])


def missing_line(bench):
    """The methods that did not run, with the reason, or the memory that they need."""
    needs, others = [], []
    for method in in_order(bench):
        cell = bench["cells"][method["default_cell"]]
        if cell["status"] == "no-memory":
            needs.append(f"{method['name']} {size_text(method['expected']['peak_bytes'])}")
        elif cell["status"] != "ok":
            others.append(f"{method['name']} did not run: {cell['reason']}.")
    return " ".join(([f"Not run, for the memory needed: {', '.join(needs)}."] if needs else []) + others) or None


def left_out_line(bench):
    """The methods that were not asked for here."""
    left = [m for m in METHODS if all(method["name"] != m for method in bench["methods"])]
    return f"Not part of this run: {', '.join(left)}." if left else None


def views_text(views):
    """Columns and kernel of each view; views that are alike are counted."""
    kinds = [f"{v['columns']} {v['kernel']}" for v in views]
    return ", ".join(kind if kinds.count(kind) == 1 else f"{kinds.count(kind)} x {kind}" for kind in dict.fromkeys(kinds))


def made_line(bench):
    """By what, where and how the section's figures were made."""
    machine, settings, made = bench["machine"], bench["settings"], bench["made"]
    text = (f"onefold {bench['onefold']}, commit {made['commit'] or 'unknown'}, {made['date']}; {machine['processor'] or 'unknown processor'}, "
            f"{machine['cores']} cores, {size_text(machine['memory_bytes'])}, {machine['threads']} threads. {settings['repeats']} repeats, "
            f"seeds from {settings['seed']}; k-means of {settings['kmeans_replicates']} replicates.")
    if machine["memory_limit"]:
        text += f" Limit of memory: {size_text(machine['memory_limit'])}."
    if made["load"] > 1.5 * machine["cores"]:
        text += (f" Others used the machine too (load average {made['load']:.0f} on {machine['cores']} cores): times are longer than on an "
                 "idle one.")
    if not made["ours"]:
        text += " The file is not the one of data/README.md."
    return text


def section(name):
    run, bench = RUNS[name], load(name, "grid")
    if bench is None:
        return None
    data, paper = bench["data"], run["paper"]
    parts = [f"## {run['title']}",
             f"{data['samples']} samples, {len(data['views'])} views ({views_text(data['views'])}), "
             f"{data['classes']} classes. {run['differs']}", "`./dev paper`: " + made_line(bench), score_table(bench, paper),
             " ".join(filter(None, [leader_line(bench), near_line(bench), paper_line(bench, paper), start_line(name), missing_line(bench),
                                    left_out_line(bench)])),
             "One run at the default, from features in memory to labels:", time_table(bench), sensitivity_table(bench)]
    return "\n\n".join(part for part in parts if part)


def portable_line():
    """By how much the defaults differ under --portable, over all sets."""
    off = []
    for name in RUNS:
        fast, portable = load(name, "grid"), load(name, "portable")
        means = {}
        for bench in (fast, portable) if fast and portable else ():
            for method in bench["methods"]:
                if method["default"]:
                    means.setdefault(method["name"], []).append(100 * method["default"]["acc"]["mean"])
        off += [(abs(pair[0] - pair[1]), f"{method} on {RUNS[name]['title']}", pair) for method, pair in means.items() if len(pair) == 2]
    if not off:
        return None
    most, where, pair = max(off)
    text = (f"- Figures are of the fast arithmetic, which rounds as the processor does. With `--portable`, the same on any processor, "
            f"{len(off)} mean ACC of defaults ({', '.join(PORTABLE)}) differ by {sum(o[0] for o in off) / len(off):.2f} on average")
    return text + (f", most that of {where}: {pair[1]:.1f}, here {pair[0]:.1f}." if most >= 0.05 else ".")


def write_text(document):
    sections = {name: section(name) for name in RUNS}
    texts = [text for text in sections.values() if text]
    if not texts:
        sys.exit("paper: nothing was run, so there is nothing to write")
    drawn = {m["name"]: m["drawn"] for name in RUNS for m in (load(name, "grid") or {"methods": []})["methods"]}
    missing = [RUNS[name]["title"] for name in RUNS if not sections[name]]
    text = "\n\n".join(["# The paper's experiments", f"""Written by `./dev paper` (tools/paper.py) from the runs that it names.

- Scores are percent: mean±standard deviation (n - 1) over the repeats. NMI is over the larger entropy.
- A repeat is a run of the whole method with the next seed. What it draws: {'; '.join(f'{m}: {drawn[m]}' for m in METHODS if m in drawn)}.
- *Best* and *median* are the settings of largest and of median mean ACC, chosen with the labels, as in papers; all settings have all
  repeats. *Default* uses no labels. Bold: the largest mean of the bests, and of the defaults. A method without a best has no grid here.
- The paper's figures are its best of a grid, chosen with the labels.""" + "".join("\n" + line for line in [portable_line()] if line),
                        *texts, *([f"Not run: {', '.join(missing)}."] if missing else [])]) + "\n"
    text = "\n".join(line if line.startswith("|") else textwrap.fill(line, 150, subsequent_indent="  " * line.startswith("- "),
                                                                      break_long_words=False, break_on_hyphens=False)
                     for line in text.split("\n"))
    for target in [os.path.join(WORK, "results.md"), *([DOCUMENT] if document else [])]:
        with open(target + ".part", "w") as out:
            out.write(text)
        os.replace(target + ".part", target)
        say(f"{os.path.relpath(target)} is written; missing: {', '.join(n for n in RUNS if not sections[n]) or 'nothing'}")


def main():
    global WORK
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onefold", required=True, help="the command")
    parser.add_argument("--only", help="runs, with commas between them: " + ", ".join(RUNS))
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--methods", help="methods, with commas between them, instead of each run's")
    parser.add_argument("--grids", help="methods whose published grids are run, instead of each run's; '' for none")
    parser.add_argument("--data", default=DATA, metavar="FOLDER", help="where the data sets of data/README.md are")
    parser.add_argument("--work", default=WORK, metavar="FOLDER", help="where cells and tables are kept")
    parser.add_argument("--fresh", action="store_true", help="discard what was computed before")
    parser.add_argument("--write", action="store_true", help="only write the tables from what is there")
    parser.add_argument("--document", action="store_true", help="write docs/results.md too")
    arguments = parser.parse_args()
    WORK = arguments.work
    names = arguments.only.split(",") if arguments.only else list(RUNS)
    unknown = [name for name in names if name not in RUNS]
    if unknown:
        sys.exit(f"paper: there is no run {unknown[0]}; there are {', '.join(RUNS)}")
    if arguments.fresh:
        shutil.rmtree(WORK, ignore_errors=True)
    paper = Paper(arguments)
    if not arguments.write and paper.study(names):
        for name in names:
            paper.run(name)
    write_text(arguments.document)


if __name__ == "__main__":
    main()
