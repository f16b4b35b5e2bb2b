# SPDX-License-Identifier: Apache-2.0
"""Recomputes every number of every table of report.md from results.csv, by other code: means, deviations, marks, best cells,
ranks, Friedman's and Wilcoxon's tests with Holm's correction, sensitivity, times, objectives. usage: recompute.py FOLDER"""
import csv
import itertools
import math
import re
import sys
from collections import defaultdict
from fractions import Fraction

import numpy as np
from scipy import stats

folder = sys.argv[1]
MEASURES = {"ACC": "acc", "NMI": "nmi", "purity": "purity", "ARI": "ari"}
score = defaultdict(dict)  # (set, method, setting, measure) -> {repeat: value}
single = {}                # (set, method, setting, measure) -> value
sets, methods, settings = [], [], defaultdict(list)
for row in csv.DictReader(open(f"{folder}/results.csv")):
    key = (row["set"], row["method"], row["setting"], row["measure"])
    for name, names in ((row["set"], sets), (row["method"], methods), (row["setting"], settings[key[:2]])):
        if name not in names:
            names.append(name)
    if row["repeat"]:
        score[key][int(row["repeat"])] = float(row["value"])
    else:
        single[key] = float(row["value"])


tables, title, checked = {}, None, 0
for line in open(f"{folder}/report.md"):
    if line.startswith("## "):
        title = line[3:].strip()
    elif line.startswith("|") and not line.startswith("| ---"):
        tables.setdefault(title, []).append([c.strip() for c in line.strip()[1:-1].split(" | ")])


def values(s, m, setting, measure):
    found = score.get((s, m, setting, measure), {})
    return [found[r] for r in sorted(found)]


def mean(numbers):
    return float(sum(Fraction(x) for x in numbers) / len(numbers))


def deviation(numbers):
    return float(np.std(numbers, ddof=1)) if len(numbers) > 1 else 0.0


def role(s, m, setting, name):
    return single.get((s, m, setting, name), 0) == 1


def default(s, m):
    return next((c for c in settings[s, m] if role(s, m, c, "default")), None)


def tried(s, m):
    """The cells among which the best is chosen: of a grid over the views those of the grid, else all."""
    cells = [c for c in settings[s, m] if values(s, m, c, "acc")]
    grid = [c for c in cells if role(s, m, c, "grid")]
    return grid if not grid or m == "sb-kkm" else cells  # without a grid there is no choice


def best(s, m):
    """The one that is named, which none exceeds; of equal ones any may be named."""
    cells = tried(s, m)
    if not cells:
        return None
    named = next(row[2] for row in tables["Grids: best, median and default setting (ACC)"][1:] if row[:2] == [s, m])
    assert mean(values(s, m, named, "acc")) >= max(mean(values(s, m, c, "acc")) for c in cells) - 1e-12, (s, m, named)
    return named


def chosen(s, m, how):
    return best(s, m) or default(s, m) if how == "best of a grid" else default(s, m)


def cell(s, m, how, measure):
    setting = chosen(s, m, how)
    return values(s, m, setting, measure) if setting else []


def close(shown, value, digits=1, what=""):
    """The number that is shown is the value, rounded."""
    global checked
    checked += 1
    assert abs(float(shown) - value) <= 0.5000001 * 10 ** -digits, (what, shown, value)


def near(shown, value, what=""):
    """Three figures."""
    global checked
    checked += 1
    assert math.isclose(float(shown), value, rel_tol=6e-3, abs_tol=1e-12), (what, shown, value)


def plain(text):
    return text.strip("*")


def complete(how):
    return [m for m in methods if all(cell(s, m, how, "acc") for s in sets)]


def ranks(how, measure):
    order = complete(how)
    table = [[-round(mean(cell(s, m, how, measure)), 12) for m in order] for s in sets]
    return order, np.array(table), np.mean([stats.rankdata(row) for row in table], axis=0)


def wilcoxon(a, b):
    """V and p as R's wilcox.test(a, b, paired = TRUE)."""
    off = [round(x - y, 13) for x, y in zip(a, b)]
    left = [d for d in off if d]
    sizes = [abs(d) for d in left]
    rank = stats.rankdata(sizes) if left else []
    v = float(sum(r for r, d in zip(rank, left) if d > 0))
    n = len(left)
    if not n:
        return v, 1.0, n
    if n == len(off) and len(set(sizes)) == n and n < 50:
        ways = [sum(c) for k in range(n + 1) for c in itertools.combinations(range(1, n + 1), k)] if n <= 12 else None
        if ways is None:
            p = stats.wilcoxon(left, mode="exact").pvalue
        else:
            low, high = sum(w <= v for w in ways), sum(w >= v for w in ways)
            p = min(1.0, 2 * min(low, high) / 2 ** n)
        return v, p, n
    ties = sum(c ** 3 - c for c in np.unique(sizes, return_counts=True)[1])
    z = v - n * (n + 1) / 4
    z = (z - math.copysign(0.5, z) if z else 0) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    return v, min(1.0, 2 * stats.norm.sf(abs(z))), n


def holm(p):
    order = sorted(range(len(p)), key=lambda i: p[i])
    made, so_far = [0.0] * len(p), 0.0
    for place, i in enumerate(order):
        so_far = max(so_far, min(1.0, (len(p) - place) * p[i]))
        made[i] = so_far
    return made


def check_scores(name, how, rows):
    head, measure = rows[0], MEASURES[name]
    order, _, rank = ranks(how, measure)
    for row in rows[1:]:
        if row[0] == "average rank":
            for m, shown in zip(head[1:], row[1:]):
                if shown != "-":
                    close(shown, rank[order.index(m)], 2, (name, how, m))
            continue
        numbers = {m: cell(row[0], m, how, measure) for m in head[1:]}
        tops = sorted({math.floor(1000 * mean(v) + 0.5) for v in numbers.values() if v}, reverse=True)
        for m, shown in zip(head[1:], row[1:]):
            v = numbers[m]
            if not v:
                assert shown == "-", (row, m)
                continue
            top = math.floor(1000 * mean(v) + 0.5)
            mark = "**" if top == tops[0] else "*" if len(tops) > 1 and top == tops[1] else ""
            assert shown == mark + plain(shown) + mark, (name, how, row[0], m, shown, tops)
            parts = plain(shown).split(" ± ")
            close(parts[0], 100 * mean(v), 1, (name, how, row[0], m))
            assert (len(parts) == 2) == (len(v) > 1)
            if len(v) > 1:
                close(parts[1], 100 * deviation(v), 1, (name, how, row[0], m))


def check_grids(rows):
    for s, m, setting, cells, top, within, median, standard, gain in rows[1:]:
        means = sorted(mean(values(s, m, c, "acc")) for c in tried(s, m))
        assert setting == best(s, m) and int(cells) == len(means), (s, m, setting, best(s, m))
        mine = values(s, m, setting, "acc")
        error = deviation(mine) / math.sqrt(len(mine))
        assert int(within) == sum(x >= mean(mine) - error - 1e-12 for x in means) - 1, (s, m, within)
        close(top, 100 * mean(mine))
        close(median, 100 * means[(len(means) - 1) // 2])
        base = values(s, m, default(s, m), "acc")
        close(standard, 100 * mean(base))
        close(gain, 100 * (mean(mine) - mean(base)))


def check_friedman(how, rows):
    for name, chi, degrees, p, critical in rows[1:]:
        order, table, _ = ranks(how, MEASURES[name])
        k, n = len(order), len(sets)
        result = stats.friedmanchisquare(*table.T) if k > 2 else None
        assert int(degrees) == k - 1
        if result is not None:
            assert math.isclose(float(chi), result.statistic, rel_tol=1e-3), (name, chi, result)
            if stats.chi2.sf(n * (k - 1), k - 1) > 0.05:
                assert p == "too few"
            else:
                near(plain(p), result.pvalue, name)
        close(critical, stats.studentized_range.ppf(0.95, k, np.inf) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n)), 3)


def check_pairs(how, rows):
    pairs = list(itertools.combinations(complete(how), 2))
    assert [tuple(r[:2]) for r in rows[1:]] == pairs
    for place, measure in enumerate(MEASURES.values()):
        found = [wilcoxon(*[[mean(cell(s, m, how, measure)) for s in sets] for m in pair]) for pair in pairs]
        corrected = holm([p for _, p, _ in found])
        for row, (v, p, n), ours in zip(rows[1:], found, corrected):
            close(row[2 + 3 * place], v, 1, row)
            near(row[3 + 3 * place], p, row)
            if len(pairs) * 2 ** (1 - n) > 0.05:
                assert row[4 + 3 * place] == "too few", row
            else:
                near(plain(row[4 + 3 * place]), ours, row)
                assert (row[4 + 3 * place][:2] == "**") == (ours <= 0.05), row


def check_within(how, rows):
    for place, s in enumerate(rows[0][2:]):
        there = [m for m in methods if len(cell(s, m, how, "acc")) > 1]
        most = min(len(cell(s, m, how, "acc")) for m in there)
        pairs = list(itertools.combinations(there, 2))
        found = [wilcoxon(cell(s, a, how, "acc")[:most], cell(s, b, how, "acc")[:most]) for a, b in pairs]
        corrected = holm([p for _, p, _ in found])
        for row in rows[1:]:
            shown = plain(row[2 + place])
            if tuple(row[:2]) not in pairs:
                assert shown == "-", row
                continue
            at = pairs.index(tuple(row[:2]))
            off, p = re.fullmatch(r"(\S+) \((.*)\)", shown).groups()
            a, b = (cell(s, m, how, "acc")[:most] for m in row[:2])
            close(off, 100 * (mean(a) - mean(b)), 1, row)
            if len(pairs) * 2 ** (1 - found[at][2]) > 0.05:
                assert p == "too few", row
            else:
                assert math.isclose(float(p), corrected[at], rel_tol=6e-2, abs_tol=1e-12), (row, corrected[at])


def check_times(rows):
    for s, m, *shown in rows[1:]:
        names = ["seconds_base", "seconds_fit", "seconds_kmeans", "seconds_run", "peak_bytes"]
        numbers = [single.get((s, m, default(s, m), name)) for name in names]
        if None not in numbers:
            assert math.isclose(sum(numbers[:3]), numbers[3], rel_tol=1e-6), (s, m, numbers)
        for text, number in zip(shown[:4], numbers[:4]):
            if number is None:
                assert text == "-"
            elif text.endswith(" s") and "min" not in text:
                close(text[:-2], number, 2 if number < 9.95 else 1, (s, m))
        if numbers[4] is not None:
            size, unit = shown[4].split()
            assert math.isclose(float(size) * {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit], numbers[4], rel_tol=0.06)


def check_objectives(rows):
    for s, m, *shown in rows[1:]:
        trace, at = [], 1
        while (s, m, default(s, m), f"objective {at}") in single:
            trace.append(single[s, m, default(s, m), f"objective {at}"])
            at += 1
        assert int(shown[-1]) == len(trace), (s, m)
        for after, text in zip((1, 2, 3, 5, 10, 20, 50), shown):
            assert (text == "") == (after > len(trace)), (s, m, after)
            if text:
                assert math.isclose(float(text), trace[after - 1], rel_tol=1e-5, abs_tol=1e-12), (s, m, after)
        assert math.isclose(float(shown[-2]), trace[-1], rel_tol=1e-5, abs_tol=1e-12)


def check_along(rows):
    for s, m, name, value, acc, nmi, spread in rows[1:]:
        s = plain(s)
        parts = dict(p.split("=") for p in best(s, m).split(","))
        parts[name] = value
        setting = ",".join(f"{k}={v}" for k, v in parts.items())
        assert (s, m, setting, "acc") in score, setting
        close(acc, 100 * mean(values(s, m, setting, "acc")))
        close(nmi, 100 * mean(values(s, m, setting, "nmi")))
        close(spread, 100 * deviation(values(s, m, setting, "acc")))


def check_square(s, rows, clusters):
    for row in rows[1:]:
        for head, shown in zip(rows[0][1:], row[1:]):
            setting = f"k={int(row[0]) * clusters},m={int(head[4:]) * clusters}"
            acc, nmi = shown.split(" / ")
            close(acc.split(" ± ")[0], 100 * mean(values(s, "os-lfmvc-cs", setting, "acc")), 1, (s, setting))
            close(acc.split(" ± ")[1], 100 * deviation(values(s, "os-lfmvc-cs", setting, "acc")), 1, (s, setting))
            close(nmi, 100 * mean(values(s, "os-lfmvc-cs", setting, "nmi")), 1, (s, setting))


def check_published(s, rows):
    for m, *shown in rows[1:]:
        for place, measure in enumerate(MEASURES.values()):
            for how, text in zip(("best of a grid", "default"), shown[3 * place + 1:3 * place + 3]):
                v = cell(s, m, how, measure)
                if not v:
                    assert text == "-", (s, m, text)
                    continue
                close(text.split(" ± ")[0], 100 * mean(v), 1, (s, m))
                close(text.split(" ± ")[1], 100 * deviation(v), 1, (s, m))


done = []
clusters = {row[0]: int(row[4]) for row in tables["Data"][1:]}
for title, rows in tables.items():
    how = "best of a grid" if "best of a grid" in title else "default"
    if title.split(",")[0] in MEASURES:
        check_scores(title.split(",")[0], how, rows)
    elif title.startswith("Grids"):
        check_grids(rows)
    elif title.startswith("Friedman"):
        check_friedman(how, rows)
    elif title.startswith("Wilcoxon"):
        check_pairs(how, rows)
    elif title.startswith("Pairs of methods"):
        check_within(how, rows)
    elif title.startswith("Time"):
        check_times(rows)
    elif title.startswith("Objective"):
        check_objectives(rows)
    elif title.startswith("Sensitivity along"):
        check_along(rows)
    elif ": sensitivity" in title:
        check_square(title.split(":")[0], rows, clusters[title.split(":")[0]])
    elif ": published" in title:
        check_published(title.split(":")[0], rows)
    elif title != "Data":
        raise AssertionError(f"a table that is not checked: {title}")
    done.append(title)
assert checked > 100, checked
for title in done:
    print(title)
