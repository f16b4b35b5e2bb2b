# SPDX-License-Identifier: Apache-2.0
"""Functions: reading files, choosing a number of clusters, scoring."""
from __future__ import annotations

import html
import json
import os
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _onefold
from ._errors import translated
from ._inputs import IMPUTE, Views, aligned, per_view, views_of

SIDES = {"auto": 0, "rows": 1, "columns": 2}
MATCHES = {"ids": 0, "order": 1}
HEADERS = {None: 0, True: 1, False: 2}


class Dataset:
    """A data set that was read from files: pass it to `OneFold.fit` as X.

    Its attributes are `samples`, `sample_names` (or None), `views` (a list of dicts), `truth` (class
    numbers, or None), `classes` (their names), `notes` (what was found and why) and `assumptions`
    (the notes to check before trusting the result).
    """

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        found = _onefold.describe(capsule)
        self.samples = found["samples"]
        self.views = found["views"]
        self.notes = found["notes"]
        self.assumptions = found["assumptions"]
        self.sample_names = found["names"] or None
        self.classes = found["classes"]
        self.truth = None if found["truth"] is None else np.frombuffer(found["truth"], np.int32)

    def array(self, view: int | str) -> np.ndarray:
        """The values of a view, by its number from 0 or its name, as samples x columns doubles."""
        if isinstance(view, str):
            names = [v["name"] for v in self.views]
            if view not in names:
                raise ValueError(f"there is no view {view!r}: there are {', '.join(names)}")
            view = names.index(view)
        columns = self.views[view]["columns"]
        return np.frombuffer(_onefold.values(self._capsule, view)).reshape(self.samples, columns)

    def _views(self) -> Views:
        from ._inputs import View
        views = [View(v["name"], v["storage"], (), self.samples, v["columns"]) for v in self.views]
        return Views(views, self.samples, columns=sum(v.columns for v in views),
                     sample_names=self.sample_names, capsule=self._capsule)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{v['name']} ({v['columns']})" for v in self.views)
        return f"Dataset({self.samples} samples, {len(self.views)} views: {shapes})"


def read(paths: str | os.PathLike | Sequence, *, views: str | None = None,
         truth: str | os.PathLike | None = None, no_truth: bool = False,
         present: str | os.PathLike | None = None, samples_are: str = "auto",
         impute: str | None = None, ids: str | int | None = None, match: str = "ids",
         header: bool | None = None, drop: str | Sequence | None = None,
         columns: str | Sequence | None = None, as_category: str | Sequence | None = None,
         as_number: str | Sequence | None = None, model: Any = None) -> Dataset:
    """Reads what the command reads: one container, or one file per view. Assumptions, and columns
    that are left out, are warnings.

    Columns of tables are given by name, or by number from 1: `drop` names columns to leave out,
    `columns` the only features, `as_category` and `as_number` columns to read as categories or
    numbers. `ids` is the column with the ids of the samples (or "none"), `match` "ids" or "order",
    `header` whether the first line is a header. `model`, a `OneFold` with a model or the path of a
    model, encodes new samples with the categories of the model.

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
    if match not in MATCHES:
        raise ValueError(f"match must be one of {', '.join(MATCHES)}, not {match!r}")
    if header not in HEADERS:
        raise ValueError(f"header must be None, True or False, not {header!r}")
    options = {"views": views, "truth": None if truth is None else os.fspath(truth),
               "no_truth": int(no_truth), "present": None if present is None else os.fspath(present),
               "samples_are": SIDES[samples_are], "impute": IMPUTE[impute],
               "match": MATCHES[match], "header": HEADERS[header], "ids": _listed(ids),
               "drop": _listed(drop), "columns": _listed(columns),
               "as_category": _listed(as_category), "as_number": _listed(as_number)}
    with translated():
        if model is not None:
            options["expected"] = _expected(model)
        found = Dataset(_onefold.read([os.fspath(p) for p in paths], options))
    for sentence in found.assumptions:
        warnings.warn(sentence, stacklevel=2)
    return found


def _listed(columns: Any) -> str | None:
    """Columns by name or number as the library takes them: with commas between them."""
    if columns is None or isinstance(columns, str):
        return columns
    parts = [str(c) for c in columns] if isinstance(columns, (list, tuple, set)) else [str(columns)]
    wrong = next((p for p in parts if "," in p), None)
    if wrong is not None:
        raise ValueError(f"the column {wrong!r} has a comma in its name: give its number, from 1")
    return ",".join(parts)


def _expected(model: Any) -> list[str]:
    """The names of the columns of all views of a model."""
    from ._estimator import OneFold
    fitted = model if isinstance(model, OneFold) else OneFold.load(model)
    views = _onefold.describe_model(fitted._decoded())["views"]
    return [name for view in views for name in view["names"] or ()]


def methods(*, details: bool = False) -> list:
    """The names of the methods; with `details`, a dict for each: its name, a line on it, and whether
    it has a model, takes samples that lack views, and has weights.

    >>> import onefold
    >>> "mkkm" in onefold.methods()
    True
    """
    found = _onefold.methods()
    return found if details else [m["name"] for m in found]


def _classes(labels: Any, what: str) -> tuple[np.ndarray, list[str]]:
    """Numbers from 0, and the name of each class."""
    values = np.asarray(labels)
    if values.ndim != 1:
        raise ValueError(f"{what} must be one label for each sample, not of the shape {values.shape}")
    missing = sys.modules["pandas"].isna(values) if "pandas" in sys.modules else \
        np.array([value is None or value != value for value in values.tolist()], bool)
    if missing.any():
        raise ValueError(f"{what} has no label for {int(missing.sum())} samples, number "
                         f"{int(np.argmax(missing))} from 0 among them")
    names, codes = np.unique(values, return_inverse=True)
    return np.ascontiguousarray(codes, dtype=np.int64), [str(name) for name in names.tolist()]


def true_classes(y: Any, data: Views, what: str = "y") -> tuple[np.ndarray, list[str]]:
    """The true labels of the samples of X, matched by index where both have one: see `_classes`."""
    truth, classes = _classes(data.aligned(y, what), what)
    if len(truth) != data.samples:
        raise ValueError(f"{what} has {len(truth)} labels, X has {data.samples} samples")
    return truth, classes


def _codes(labels: Any, what: str) -> np.ndarray:
    return _classes(labels, what)[0]


def score(labels: Any, truth: Any) -> dict[str, float]:
    """Scores of labels against the truth; labels are of any kind. Two Series are matched by index,
    and other samples of `truth` are ignored.

    >>> import onefold
    >>> onefold.score([0, 0, 1, 1], ["b", "b", "a", "a"])["acc"]
    1.0
    """
    index = labels.index if hasattr(labels, "dtype") and hasattr(labels, "index") else None
    truth = aligned(truth, index, "truth", "labels")
    with translated():
        return _onefold.score(_codes(labels, "labels"), _codes(truth, "truth"))


def text_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows under a heading, in aligned columns; numbers are right-aligned."""
    shown = [[f"{v:.3f}" if isinstance(v, float) else str(v) for v in row] for row in rows]
    widths = [max(len(line[i]) for line in [list(head), *shown]) for i in range(len(head))]
    right = [all(isinstance(row[i], (int, float)) for row in rows) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        return "  ".join(c.rjust(w) if r else c.ljust(w)
                         for c, w, r in zip(cells, widths, right)).rstrip()
    return "\n".join(line(cells) for cells in [list(head), *shown])


def html_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """The same for a notebook."""
    def cells(values: Sequence[Any], tag: str) -> str:
        return "".join(f"<{tag}>{html.escape(f'{v:.3f}' if isinstance(v, float) else str(v))}</{tag}>"
                       for v in values)
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{cells(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(repr=False)
class Choice:
    """The result of `choose`: `suggested` (0: nothing was found), `reasons`, `points`, `finding` (its
    labels beside chance), `numbers` (those that stand out, the suggested first)."""

    suggested: int
    reasons: list[str]
    points: list[dict]
    finding: dict
    numbers: list[dict]

    COLUMNS = ("clusters", "agreement", "entropy", "told", "chance", "evidence")

    def frame(self) -> Any:
        """The curve as a DataFrame."""
        import pandas
        return pandas.DataFrame([{k: v for k, v in p.items() if not isinstance(v, list)}
                                 for p in self.points])

    def _head(self) -> str:
        return f"{self.suggested} clusters are suggested" if self.suggested else \
            "nothing was found: no number of clusters is more than chance"

    def _rows(self) -> list[list]:
        return [["" if p.get(c) is None else p[c] for c in self.COLUMNS] for p in self.points]

    def __repr__(self) -> str:
        lines = [self._head(), *(f"  {reason}" for reason in self.reasons)]
        return "\n".join(lines + [text_table(self.COLUMNS, self._rows())])

    def _repr_html_(self) -> str:
        reasons = "".join(f"<li>{html.escape(reason)}</li>" for reason in self.reasons)
        return f"<p>{self._head()}</p><ul>{reasons}</ul>{html_table(self.COLUMNS, self._rows())}"


def _kernel_words(kernel: Any, data: Views) -> str | None:
    if isinstance(kernel, str):
        return None if kernel in ("auto", "precomputed") else kernel
    return ",".join(per_view(kernel, [v.name for v in data.views], "kernel"))


def choose(X: Any, least: int = 2, most: int | None = None, *, views: Any = None,
           kernel: Any = "auto", random_state: Any = None,
           n_jobs: int | None = None, verbose: int = 0) -> Choice:
    """Suggests the smallest number of clusters with nearly the most evidence, or none. The default method
    compares its recipes at every number from `least` to `most` (by default 20, or a third of the samples)."""
    from ._estimator import progress_bar, seed_of, threads_of
    data = views_of(X, views, kernel)
    fit = {"kernel": _kernel_words(kernel, data), "seed": seed_of(random_state)}
    with translated(), progress_bar(verbose) as bar:
        text = _onefold.choose(data.dataset(), fit, {"least": least, "most": most},
                               threads_of(n_jobs), bar)
    found = json.loads(text)
    points = found.get("points") or found.get("curve") or []
    return Choice(found.get("suggested") or 0, found.get("reasons") or [], points,
                  found["finding"], found["numbers"])


class Explanation(dict):
    """The columns that set each cluster apart: {cluster: {view: [(name, strength), ...]}}. Printed as
    a table."""

    HEAD = ("cluster", "view", "column", "strength")

    def rows(self) -> list[list]:
        return [[cluster, view, name, strength] for cluster, views in self.items()
                for view, found in views.items() for name, strength in found]

    def frame(self) -> Any:
        """The same as a DataFrame."""
        import pandas
        return pandas.DataFrame(self.rows(), columns=list(self.HEAD))

    def __repr__(self) -> str:
        rows = self.rows()
        return text_table(self.HEAD, rows) if rows else \
            "no columns have names: fit with DataFrames to have clusters explained"

    def _repr_html_(self) -> str:
        return html_table(self.HEAD, self.rows())


def explain(model: Any, n: int = 5) -> Explanation:
    """The columns that set each cluster apart, at most `n` of each view: {cluster: {view: [(name,
    strength), ...]}}.

    Columns need names, as in DataFrames. A strength is the correlation of the column with
    membership in the cluster.
    """
    columns = getattr(model, "_explained", None)
    if columns is None:
        raise ValueError("explain takes a fitted OneFold")
    return Explanation({cluster: {view: [(name, strength) for name, _, strength in found[:n]]
                                  for view, found in views.items() if found}
                        for cluster, views in columns.items()})
