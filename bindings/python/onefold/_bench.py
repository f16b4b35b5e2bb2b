# SPDX-License-Identifier: Apache-2.0
"""Comparing methods: the paper's experiments as a DataFrame, and their figures by matplotlib."""
from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from . import _onefold
from ._errors import translated
from ._functions import Dataset, _kernel_words, true_classes
from ._inputs import views_of

MEASURES = ("acc", "nmi", "purity", "ari")
STARTS = ("plusplus", "samples")


def bench(X: Any, y: Any = None, *, methods: str | Sequence[str] = "all",
          n_clusters: int | None = None, views: Any = None, kernel: Any = "auto",
          grid: str = "default", repeats: int = 20, sensitivity: str | Sequence[int] | None = None,
          kmeans_start: str = "plusplus", replicates: int = 10,
          store: str | os.PathLike | None = None, random_state: Any = None,
          n_jobs: int | None = None, verbose: int = 0, long: bool = False) -> Any:
    """The paper's experiments, as the command's `bench`: a DataFrame with a row for each setting of
    each method, best first.

    X is what `OneFold.fit` takes, with the true labels y (matched by index where both have one), or a
    dict of sets, {name: (X, y)} or {name: read(...)}; the frame then has a column `set`. `grid` is
    "default" (the published grid of every method that has one), "none", or "METHOD:name=1|2;...".
    A repeat is a run of the whole method with the next seed.

    `default`, `best` and `median` mark the default of a method and the settings of largest and of
    median mean ACC, which were chosen with y; `near_best` others lie within a standard error of the
    best. `seconds` are of one run, from features to labels: `seconds_base` (kernels and base
    partitions), `seconds_fit` (iterations) and `seconds_kmeans` add up to it. `view` is the view that
    all figures of a row are of, from 1. With `long`, a row for each repeat and measure: method,
    setting, repeat, measure, value. `store` is a file that keeps finished rows from run to run.
    """
    import pandas
    sets = X if isinstance(X, dict) and y is None else {None: (X, y)}
    if kmeans_start not in STARTS:
        raise ValueError(f"kmeans_start must be one of {', '.join(STARTS)}, not {kmeans_start!r}")
    options = {"methods": methods if isinstance(methods, str) else ",".join(methods), "grid": grid,
               "repeats": repeats, "replicates": replicates,
               "kmeans_start": STARTS.index(kmeans_start),
               "sensitivity": sensitivity if sensitivity is None or isinstance(sensitivity, str)
               else ",".join(str(times) for times in sensitivity),
               "store": None if store is None else os.fspath(store)}
    tables = []
    for name, data in sets.items():
        found = _run(data, n_clusters, views, kernel, random_state, n_jobs, verbose, options)
        table = pandas.DataFrame(_long(found) if long else _rows(found))
        if not long and "acc" in table:
            table = table.sort_values("acc", ascending=False, ignore_index=True, kind="stable")
        if name is not None:
            table.insert(0, "set", name)
        tables.append(table)
    return pandas.concat(tables, ignore_index=True)


def _run(data: Any, n_clusters: int | None, views: Any, kernel: Any, random_state: Any,
         n_jobs: int | None, verbose: int, options: dict) -> dict:
    """The experiment on one set, as the command's JSON."""
    from ._estimator import progress_bar, seed_of, threads_of
    X, y = (data, None) if isinstance(data, Dataset) else data
    taken = views_of(X, views, kernel)
    fit = {"kernel": _kernel_words(kernel, taken), "seed": seed_of(random_state),
           "clusters": n_clusters}
    capsule = taken.dataset()
    if y is not None:
        _onefold.set_truth(capsule, *true_classes(y, taken))
    elif not isinstance(X, Dataset) or X.truth is None:
        raise ValueError("bench scores against true labels: give y, or a set that has them")
    with translated(), progress_bar(verbose) as bar:
        return json.loads(_onefold.experiment(capsule, fit, options, threads_of(n_jobs), bar))


def _rows(found: dict) -> list[dict]:
    """A row for each cell."""
    rows = []
    contenders = {m["name"]: m for m in found["methods"]}
    for at, cell in enumerate(found["cells"]):
        method = contenders[cell["method"]]
        ok, seconds = cell["status"] == "ok", cell["seconds"]
        row = {"method": cell["method"], "setting": cell["setting"], "default": cell["default"],
               "grid": cell["grid"], "sensitivity": cell["sensitivity"]}
        for mark in ("best", "median"):
            row[mark] = bool(method[mark]) and method[mark]["acc"]["cell"] == at
        row |= {"tried": method["tried"], "near_best": method["near_best"],
                "repeats": cell.get("repeats", 0)}
        for measure in MEASURES:
            row[measure], row[f"{measure}_deviation"] = _spread(cell.get("scores", {}).get(measure))
        row["seconds"] = seconds["total"] if ok else None
        row |= {f"seconds_{part}": seconds[part] if ok else None
                for part in ("base", "fit", "kmeans")}
        row |= {"peak_bytes": cell.get("peak_bytes"), "dims": cell.get("dims"),
                "anchors": cell.get("anchors"), "view": cell.get("only_view"),
                "drawn": method["drawn"], "trace": cell.get("trace"),
                "status": "ok" if ok else cell["reason"]}
        rows.append(row)
    return rows


def _spread(values: list[float] | None) -> tuple[float | None, float | None]:
    """Mean and deviation over repeats."""
    if not values:
        return None, None
    mean = sum(values) / len(values)
    return mean, (sum((v - mean) ** 2 for v in values) / max(1, len(values) - 1)) ** 0.5


def _long(found: dict) -> list[dict]:
    """A row for each repeat and measure of each cell."""
    return [{"method": cell["method"], "setting": cell["setting"], "default": cell["default"],
             "repeat": repeat, "measure": measure, "value": value}
            for cell in found["cells"] for measure in MEASURES
            for repeat, value in enumerate(cell.get("scores", {}).get(measure, ()))]


# ---- figures ------------------------------------------------------------------------------------

def _axes(ax: Any, width: float, height: float) -> Any:
    import matplotlib.pyplot as plt
    return ax or plt.subplots(figsize=(width, height), layout="constrained")[1]


def _named(table: Any) -> Any:
    """The names of rows: the method, with its set where there are several."""
    return table["method"] + " \u00b7 " + table["set"] if "set" in table else table["method"]


def plot_scores(table: Any, measure: str = "acc", ax: Any = None, *, which: str = "default") -> Any:
    """Mean and deviation of a measure for each method: of the rows that `which` marks, "default",
    "best" or "median" (methods without a grid have only the first)."""
    rows = table[table[which]].sort_values(measure, kind="stable")
    ax = _axes(ax, 5, 0.35 * len(rows) + 1)
    ax.barh(_named(rows), rows[measure], xerr=rows[f"{measure}_deviation"], color="#0072b2")
    ax.set_xlabel(f"{measure.upper() if measure != 'purity' else measure}, {which} setting")
    return ax


def plot_sensitivity(table: Any, measure: str = "acc", ax: Any = None) -> Any:
    """A measure over k (down) and m (across), where the table has these settings."""
    rows = table[table["sensitivity"]]
    if not len(rows):
        raise ValueError("the table has no settings of k and m: `sensitivity` asks for them")
    grid = rows.pivot_table(index="dims", columns="anchors", values=measure)
    ax = _axes(ax, 1 + 0.9 * grid.shape[1], 1 + 0.7 * grid.shape[0])
    shown = ax.imshow(grid.values, cmap="viridis", aspect="auto")
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            light = shown.norm(grid.values[i, j]) < 0.6
            ax.text(j, i, f"{grid.values[i, j]:.3f}", ha="center", va="center",
                    color="white" if light else "black")
    ax.set_xticks(range(grid.shape[1]), [f"m = {int(m)}" for m in grid.columns])
    ax.set_yticks(range(grid.shape[0]), [f"k = {int(k)}" for k in grid.index])
    return ax


def plot_convergence(table: Any, method: str = "os-lfmvc-cs", ax: Any = None) -> Any:
    """The objective after each iteration of a method at its default."""
    rows = table[table["default"] & (table["method"] == method)]
    ax = _axes(ax, 5, 3)
    for name, trace in zip(_named(rows), rows["trace"]):
        if isinstance(trace, list):
            ax.plot(range(1, len(trace) + 1), trace, marker=".", label=name)
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective")
    ax.legend(frameon=False)
    return ax


def plot_times(table: Any, ax: Any = None) -> Any:
    """Seconds of one run of each method at its default, in their three parts."""
    rows = table[table["default"]].sort_values("seconds", kind="stable")
    ax = _axes(ax, 5, 0.35 * len(rows) + 1)
    begin = 0
    for part, label in (("base", "preparation"), ("fit", "iterations"), ("kmeans", "k-means")):
        length = rows[f"seconds_{part}"].astype(float).fillna(0)
        ax.barh(_named(rows), length, left=begin, label=label)
        begin = begin + length
    ax.set_xlabel("seconds of one run")
    ax.legend(frameon=False)
    return ax
