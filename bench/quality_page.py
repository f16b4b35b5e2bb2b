# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/quality.md, and the cut of them for README.md, from the results of bench/quality.py."""
import math

import quality_methods

DEFAULT, PAPER = "onefold", "os-lfmvc-cs"
TITLES = {"real": "real", "judge": "more real", "kernels": "given kernels", "hard": "hard", "users": "users'", "brought": "brought", "more": "more"}
SIMPLE = ["lloyd", "hartigan", "ward", "spectral", "gmm", PAPER]  # what a user's table should not be far below
README = [DEFAULT, PAPER, "lloyd", "hartigan", "ward", "gmm", "spectral", "graphs", "snf", "nemo", "cotrained", "coregularised"]


def mean(values):
    return sum(values) / len(values)


def error(values):
    """The standard error of a mean, or None."""
    if len(values) < 2:
        return None
    middle = mean(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))


def with_error(value, wide):
    return f"{value:.1f}" if wide is None else f"{value:.1f}±{wide:.1f}"


def tabulate(head, rows):
    lines = ["| " + " | ".join(map(str, cells)) + " |" for cells in (head, ["---"] * len(head), *rows)]
    return [*lines, ""]


class Results:
    """NMI in percent over the larger entropy: of[set][method][seed]."""

    def __init__(self, lines, sets):
        self.of, self.acc, self.why, self.size = {}, {}, {}, {}
        self.sets = sets
        for line in lines:
            name, method = line["set"], line["method"]
            self.size[name] = line["samples"], line["clusters"]
            if "error" in line:
                self.why.setdefault((method, line["error"]), []).append(name)
                continue
            self.of.setdefault(name, {}).setdefault(method, {})[line["seed"]] = 100 * line["nmi"]
            self.acc.setdefault((name, method), []).append(100 * line["acc"])
        named = {line["method"] for line in lines}
        self.methods = [method for method in quality_methods.WHAT if method in named]
        groups = {self.group(name) for name in self.of}
        self.groups = {title: [name for name in sets.groups if name in self.of and self.group(name) == title]
                       for title in TITLES if title in groups}

    def group(self, name):
        group = self.sets.groups[name]
        return group if group in TITLES else "more"

    def values(self, name, method):
        return list(self.of[name].get(method, {}).values())

    def nmi(self, name, method):
        values = self.values(name, method)
        return mean(values) if values else None

    def cell(self, name, method):
        values = self.values(name, method)
        return with_error(mean(values), error(values)) if values else "-"

    def of_group(self, names, method):
        """Mean over sets, its standard error over seeds, and how many sets it stands for."""
        there = [name for name in names if self.values(name, method)]
        if not there:
            return None
        errors = [error(self.values(name, method)) for name in there]
        wide = None if None in errors else math.sqrt(sum(one * one for one in errors)) / len(errors)
        return mean([self.nmi(name, method) for name in there]), wide, len(there)

    def against(self, names, method):
        """Mean over sets that both have of a method less the default, each over the seeds that both have."""
        gaps = []
        for name in names:
            own, base = self.of[name].get(method, {}), self.of[name].get(DEFAULT, {})
            both = set(own) & set(base)
            if both:
                gaps.append(mean([own[seed] - base[seed] for seed in both]))
        return gaps

    def ahead(self, name, methods):
        """(points ahead of the default, method), the best last."""
        return sorted((self.against([name], method)[0], method) for method in methods
                      if method not in (DEFAULT, "quick") and self.against([name], method))


def heads(results):
    return [f"{TITLES[group]} ({len(names)})" for group, names in results.groups.items()]


def cells_of(results, method):
    for names in results.groups.values():
        found = results.of_group(names, method)
        yield "-" if found is None else with_error(*found[:2]) + (f" ({found[2]})" if found[2] < len(names) else "")


def means(results, methods):
    rows = [[f"`{method}`", quality_methods.WHAT[method], *cells_of(results, method)] for method in methods]
    return tabulate(["method", "what it is", *heads(results)], rows)


def differences(results):
    rows = []
    for method in results.methods:
        if method == DEFAULT:
            continue
        cells = []
        for names in results.groups.values():
            gaps = results.against(names, method)
            cells.append("-" if not gaps else f"{with_error(mean(gaps), error(gaps))}, "
                         f"{sum(gap < -1 for gap in gaps)} : {sum(gap > 1 for gap in gaps)}")
        rows.append([f"`{method}`", *cells])
    return tabulate(["method", *(TITLES[group] for group in results.groups)], rows)


def set_by_set(results, names):
    baselines = [method for method in results.methods if method in quality_methods.BASELINES]
    others = [method for method in results.methods if method not in baselines and method != "quick"]
    rows = []
    for name in names:
        found = [(results.nmi(name, method), method) for method in baselines if results.values(name, method)]
        rows.append([name, "{} / {}".format(*results.size[name]), *(results.cell(name, method) for method in others),
                     "{:.1f} `{}`".format(*max(found)) if found else "-"])
    return tabulate(["set", "samples / clusters", *(f"`{method}`" for method in others), "best baseline"], rows)


def first_on(results):
    """On how many sets no other method is more than a point ahead of the default, and of how many."""
    ahead = [results.ahead(name, results.methods) for names in results.groups.values() for name in names]
    ahead = [found for found in ahead if found]
    return sum(found[-1][0] <= 1 for found in ahead), len(ahead)


def not_first(results):
    """Sets on which another method has a point more than the default, the largest loss first."""
    rows, simple = [], []
    for group, names in results.groups.items():
        for name in names:
            ahead = results.ahead(name, results.methods)
            if not ahead or ahead[-1][0] <= 1:
                continue
            points, best = ahead[-1]
            rows.append([name, TITLES[group], results.cell(name, DEFAULT), f"{results.cell(name, best)} `{best}`", f"{points:.1f}",
                         sum(gap > 1 for gap, _ in ahead)])
            near = results.ahead(name, SIMPLE)
            if group in ("users", "brought") and near and near[-1][0] > 5:
                simple.append("{} ({:.1f}, `{}`)".format(name, *near[-1]))
    rows.sort(key=lambda row: -float(row[4]))
    first, total = first_on(results)
    text = [f"On {first} of {total} sets no other method is more than a point ahead of the default. On these one is:", ""]
    text += tabulate(["set", "group", "default", "best other", "points ahead", "methods ahead"], rows) if rows else []
    listed = ", ".join(simple) if simple else "none"
    return text + ["Users' and brought families on which the default is more than 5 points below the best of "
                   + ", ".join(f"`{method}`" for method in SIMPLE) + f": {listed}.", ""]


def seeds(results):
    """How far the default's NMI varies with its seed, on real sets."""
    spread = {}
    for group in ("real", "judge"):
        for name in results.groups.get(group, ()):
            values = results.values(name, DEFAULT)
            if len(values) > 1:
                spread[name] = error(values) * math.sqrt(len(values))
    if not spread:
        return []
    wide = [f"{name} {value:.1f}" for name, value in sorted(spread.items(), key=lambda one: -one[1]) if value > 2]
    return [f"Standard deviation of the default's NMI over seeds: at most 2 on {len(spread) - len(wide)} of {len(spread)} real sets; "
            f"above 2: {', '.join(wide) if wide else 'none'}.", ""]


def without(results):
    """The same words for several methods and sets stand once."""
    together = {}
    for (method, words), names in sorted(results.why.items()):
        words = words.replace("onefold: ", "").replace(method, "it")
        together.setdefault((words, ", ".join(sorted(set(names)))), []).append(f"`{method}`")
    text = [f"- {', '.join(methods)} ({names}): {words}" for (words, names), methods in together.items()]
    return ["What has no figures, and why:", "", *text, ""] if text else []


BEGIN, END = "<!-- bench/quality.py -->\n", "<!-- end of bench/quality.py -->\n"
PAPER_SETS = {"Cora": "60.8 / 37.8", "CiteSeer": "56.6 / 28.7", "ProteinFold": "35.3 / 44.1", "digits": ""}  # ACC / NMI it reports


def page(results):
    """The tables of docs/quality.md."""
    of_draws = max((len(results.values(name, DEFAULT)) for name in results.of), default=0)
    text = ["## Means", "",
            f"NMI, means over the sets of a group ± their standard errors over {of_draws} seeds (families: draws). A number in brackets is that",
            "of sets with labels, where it is not all.", ""]
    text += means(results, results.methods)
    text += ["Differences from the default on the sets and seeds that both have, ± standard errors over sets, and the number of sets on which",
             "the default : the method is more than a point ahead:", ""]
    text += differences(results)
    text += ["## Where Onefold is not first", ""] + not_first(results) + seeds(results)
    for group, names in results.groups.items():
        text += [f"## Set by set: {TITLES[group]}", ""] + set_by_set(results, names)
        if results.sets.what.get(names[0]):
            text += [f"- {name}: {results.sets.what[name]}" for name in names] + [""]
    return "\n".join(text + without(results))


def paper_sets(results):
    rows = []
    for name, reported in PAPER_SETS.items():
        found = [(results.acc.get((name, method)), results.nmi(name, method)) if name in results.of else (None, None)
                 for method in (PAPER, DEFAULT)]
        if found[0][0] and found[1][0]:
            rows.append([name, "{} / {}".format(*results.size[name]), reported, *(f"{mean(acc):.1f} / {nmi:.1f}" for acc, nmi in found)])
    head = ["ACC / NMI, means over seeds", "samples / clusters", "the paper, best of nine settings", f"`{PAPER}`", "default"]
    return tabulate(head, rows) if rows else []


def cut(results):
    """The tables of README.md."""
    shown = [method for method in README if method in results.methods]
    rows = [[f"`{method}`", quality_methods.WHAT[method].split(";")[0], *cells_of(results, method)] for method in shown]
    baselines = [method for method in results.methods if method in quality_methods.BASELINES]
    if baselines:
        rows.append(["", "the best of the paper's seven baselines", *(best_of(results, names, baselines)
                                                                     for names in results.groups.values())])
    first, total = first_on(results)
    text = ["Mean NMI in percent ± standard errors over seeds; every method with the number of clusters, its defaults and no labels.",
            "Made by `./dev bench --quality`; [quality.md](docs/quality.md) has every method and set.", ""]
    text += tabulate(["method", "what it is", *heads(results)], rows) + paper_sets(results)
    text += [f"On {first} of {total} sets no other method is more than a point ahead of the default; on the others "
             "[one is](docs/quality.md#where-onefold-is-not-first).", ""]
    return "\n".join(text)


def put(document, text):
    """Replaces what stands between the marks of a document."""
    with open(document) as file:
        before, rest = file.read().split(BEGIN)
    with open(document, "w") as file:
        file.write(before + BEGIN + "\n" + text.rstrip("\n") + "\n\n" + END + rest.split(END)[1])


def best_of(results, names, methods):
    """The largest mean over all sets of a group."""
    found = [(results.of_group(names, method)[0], method) for method in methods
             if results.of_group(names, method) and results.of_group(names, method)[2] == len(names)]
    return "{:.1f} `{}`".format(*max(found)) if found else "-"
