# SPDX-License-Identifier: Apache-2.0
"""What is not the estimator: reading files, choosing a number of clusters, comparing, scoring."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass

import numpy as np

from . import _onefold
from ._errors import translated
from ._inputs import IMPUTE, Views, views_of

SIDES = {"auto": 0, "rows": 1, "columns": 2}


class Dataset:
    """A data set that was read from files: hand it to `OneFold.fit` as X.

    `samples`, `sample_names` (or None), `views` (a list of dicts), `truth` (class numbers, or None), `classes` (their names)
    and `notes` (what was found and why) say what is in it.
    """

    def __init__(self, capsule):
        self._capsule = capsule
        found = _onefold.describe(capsule)
        self.samples = found["samples"]
        self.views = found["views"]
        self.notes = found["notes"]
        self.sample_names = found["names"] or None
        self.classes = found["classes"]
        self.truth = None if found["truth"] is None else np.frombuffer(found["truth"], np.int32)

    def array(self, view):
        """The values of a view, by its number from 0, as samples x columns doubles."""
        columns = self.views[view]["columns"]
        return np.frombuffer(_onefold.values(self._capsule, view)).reshape(self.samples, columns)

    def _views(self):
        from ._inputs import View
        views = [View(v["name"], v["storage"], (), self.samples, v["columns"]) for v in self.views]
        return Views(views, self.samples, columns=sum(v.columns for v in views),
                     sample_names=self.sample_names, capsule=self._capsule)

    def __repr__(self):
        shapes = ", ".join(f"{v['name']} ({v['columns']})" for v in self.views)
        return f"Dataset({self.samples} samples, {len(self.views)} views: {shapes})"


def read(paths, *, views=None, truth=None, no_truth=False, present=None, samples_are="auto",
         impute=None):
    """Reads what the command reads: one container, or one file per view.

    >>> import onefold
    >>> onefold.read(onefold.datasets.digits_path())
    Dataset(1797 samples, 4 views: pixels (64), strokes (16), frequencies (25), profiles (64))
    """
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    if samples_are not in SIDES:
        raise ValueError(f"samples_are must be one of {', '.join(SIDES)}, not {samples_are!r}")
    if impute not in IMPUTE:
        raise ValueError(f"impute must be None, 'mean' or 'median', not {impute!r}")
    options = {"views": views, "truth": None if truth is None else os.fspath(truth),
               "no_truth": int(no_truth), "present": None if present is None else os.fspath(present),
               "samples_are": SIDES[samples_are], "impute": IMPUTE[impute]}
    with translated():
        return Dataset(_onefold.read([os.fspath(p) for p in paths], options))


def methods():
    """The methods there are: name, a line on each, whether it has a model.

    >>> import onefold
    >>> "mkkm" in [m["name"] for m in onefold.methods()]
    True
    """
    return _onefold.methods()


def _classes(labels, what):
    """Numbers from 0, and the name of each class."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise ValueError(f"{what} must be one label for each sample, not of the shape {values.shape}")
    names, codes = np.unique(values, return_inverse=True)
    return np.ascontiguousarray(codes, dtype=np.int64), [str(name) for name in names.tolist()]


def _codes(labels, what):
    return _classes(labels, what)[0]


def score(labels, truth):
    """How one labelling agrees with another; labels of any kind.

    >>> import onefold
    >>> onefold.score([0, 0, 1, 1], ["b", "b", "a", "a"])["acc"]
    1.0
    """
    with translated():
        return _onefold.score(_codes(labels, "labels"), _codes(truth, "truth"))


@dataclass
class Choice:
    """What `choose` found: `suggested` (0: nothing stands out), `reasons`, and `points`."""

    suggested: int
    reasons: list[str]
    points: list[dict]

    def frame(self):
        """The curve as a DataFrame."""
        import pandas
        return pandas.DataFrame([{k: v for k, v in p.items() if not isinstance(v, list)}
                                 for p in self.points])


def choose(X, least=2, most=None, *, method=None, views=None, kernel="auto", random_state=None,
           n_jobs=None, verbose=0):
    """How many clusters? A curve of evidence from `least` to `most`, and a suggestion. `method` is
    whose labels are compared, "os-lfmvc-cs" or, for clusters of very unequal size, "onefold"."""
    from ._estimator import progress_bar, seed_of, threads_of
    data = views_of(X, views, kernel)
    fit = {"kernel": None if kernel == "auto" else kernel, "seed": seed_of(random_state)}
    with translated(), progress_bar(verbose) as bar:
        text = _onefold.choose(data.dataset(), fit, {"least": least, "most": most, "method": method},
                               threads_of(n_jobs), bar)
    found = json.loads(text)
    points = found.get("points") or found.get("curve") or []
    return Choice(found.get("suggested") or 0, found.get("reasons") or [], points)


def bench(X, y, *, methods="all", n_clusters=None, views=None, kernel="auto", grid="none",
          repeats=20, random_state=None, n_jobs=None, verbose=0):
    """The comparison methods on X against the true labels y, as a DataFrame, the best first."""
    import pandas

    from ._estimator import progress_bar, seed_of, threads_of
    data = views_of(X, views, kernel)
    truth, classes = _classes(y, "y")
    if len(truth) != data.samples:
        raise ValueError(f"y has {len(truth)} labels, X has {data.samples} samples")
    fit = {"kernel": None if kernel == "auto" else kernel, "seed": seed_of(random_state),
           "clusters": n_clusters or int(truth.max()) + 1}
    names = methods if isinstance(methods, str) else ",".join(methods)
    capsule = data.dataset()
    _onefold.set_truth(capsule, truth, classes)
    with translated(), progress_bar(verbose) as bar:
        text = _onefold.experiment(capsule, fit, {"methods": names, "grid": grid, "repeats": repeats},
                                   threads_of(n_jobs), bar)
    found = json.loads(text)
    rows = []
    for method in found["methods"]:
        row = {"method": method["name"]}
        for measure, value in (method["default"] or {}).items():
            row[measure] = value["mean"]
        cell = found["cells"][method["default_cell"]]
        row["seconds"] = cell["seconds"]["cell"]
        row["status"] = cell["status"] if cell["status"] == "ok" else cell["reason"]
        rows.append(row)
    table = pandas.DataFrame(rows)
    return table.sort_values("acc", ascending=False, ignore_index=True) if "acc" in table else table


def explain(model, n=5):
    """The columns that set each cluster apart: {cluster: {view: [(name, strength), ...]}}.

    Fit with views that have column names (DataFrames); strengths are correlations with belonging
    to the cluster.
    """
    columns = getattr(model, "_explained", None)
    if columns is None:
        raise ValueError("explain takes a fitted OneFold")
    return {cluster: {view: [(name, strength) for name, _, strength in found[:n]]
                      for view, found in views.items() if found}
            for cluster, views in columns.items()}
