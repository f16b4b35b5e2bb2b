# SPDX-License-Identifier: Apache-2.0
"""Report pages, and the view of an estimator in a notebook."""
from __future__ import annotations

import html
import os
import warnings
import weakref
from typing import Any

import numpy as np

from . import _onefold
from ._errors import translated
from ._inputs import Views, views_of

# What estimators were fitted on, for as long as others hold it.
_fitted_on = weakref.WeakKeyDictionary()
MOST_BARS = 30


def _weakly(X: Any) -> Any:
    """X as weak references, or None if X does not allow them."""
    try:
        if type(X) is dict:
            return {key: weakref.ref(value) for key, value in X.items()}
        if type(X) in (list, tuple):
            return [weakref.ref(value) for value in X]
        return weakref.ref(X)
    except TypeError:
        return None


def remember(estimator: Any, X: Any) -> None:
    """Remembers the data of a fit by weak references."""
    _fitted_on[estimator] = _weakly(X)


def _recalled(estimator: Any) -> Any:
    kept = _fitted_on.get(estimator)
    if isinstance(kept, dict):
        kept = {key: reference() for key, reference in kept.items()}
        return None if any(value is None for value in kept.values()) else kept
    if isinstance(kept, list):
        kept = [reference() for reference in kept]
        return None if any(value is None for value in kept) else kept
    return kept() if kept is not None else None


def _again(model: Any, X: Any) -> tuple[Views, dict] | None:
    """The data and options to repeat a fit, or None if the data no longer exist."""
    X = _recalled(model) if X is None else X
    if X is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say was said by the fit
        data = views_of(X, model.views, model.kernel if isinstance(model.kernel, str) else None)
    if data.samples != len(model.labels_):
        raise ValueError(f"X has {data.samples} samples, the model was fitted on "
                         f"{len(model.labels_)}")
    return data, model._options(data)


def _same_labels(labels: Any, model: Any) -> bool:
    return np.array_equal(np.frombuffer(labels, np.int32), model.labels_)


OTHERS = "X is not what the model was fitted on: its labels are others"
_layouts = weakref.WeakKeyDictionary()


def layout_of(model: Any, X: Any = None) -> np.ndarray | None:
    """The samples in two dimensions, as in the page, or None if the data no longer exist."""
    from ._estimator import progress_bar, threads_of
    kept = _layouts.get(model)
    if kept is not None and kept[0] is model.labels_:
        return kept[1]
    again = _again(model, X)
    if again is None:
        return None
    data, options = again
    with translated(), progress_bar(model.verbose) as bar:
        found = _onefold.fit(data.dataset(model.impute), {**options, "layout": 1},
                             threads_of(model.n_jobs), bar)
    if not _same_labels(found["labels"], model):
        raise ValueError(OTHERS)
    if found["layout"] is None:
        return None
    at = np.frombuffer(found["layout"], float).reshape(-1, 2)
    _layouts[model] = model.labels_, at
    return at


def report(model: Any, path: str | os.PathLike, X: Any = None, y: Any = None, *,
           title: str | None = None) -> None:
    """Writes the page of a fit: samples in two dimensions, clusters, views, confidence.

    `model` is a fitted `OneFold`. The page shows more than an estimator keeps, so the fit is repeated
    on X, which may be left out while the arrays of the fit exist. The page shows true labels `y`,
    matched by index where X and y have one, beside the clusters.
    """
    from ._estimator import progress_bar, threads_of
    from ._functions import true_classes
    if getattr(model, "labels_", None) is None or not hasattr(model, "_options"):
        raise ValueError("report takes a fitted OneFold")
    again = _again(model, X)
    if again is None:
        raise ValueError("the data that the model was fitted on is gone: hand it over as X")
    data, options = again
    capsule = data.dataset(model.impute)
    if data.sample_names is not None and data.capsule is None:
        _onefold.set_names(capsule, [str(name) for name in data.sample_names])
    if y is not None:
        truth, classes = true_classes(y, data)
        _onefold.set_truth(capsule, truth, classes)
    with translated(), progress_bar(model.verbose) as bar:
        labels = _onefold.report(capsule, options, threads_of(model.n_jobs), bar, os.fspath(path),
                                 title or "A fit", f"onefold.{model!r}.fit(X)")
    if not _same_labels(labels, model):
        os.remove(path)
        raise ValueError(OTHERS)


# ---- notebooks ----------------------------------------------------------------------------------

STYLE = ("font-family:system-ui,sans-serif;font-size:13px;border:1px solid #8884;border-radius:8px;"
         "padding:10px 14px;max-width:560px")


def _bars(title: str, rows: list[tuple[str, float, str]]) -> str:
    """A table of (name, value, text) with bars."""
    most = max((abs(value) for _, value, _ in rows), default=0) or 1
    cells = "".join(
        f"<tr><td style='text-align:left;max-width:200px;overflow:hidden'>{html.escape(str(name))}</td>"
        f"<td style='width:180px;text-align:left'><div style='background:#0072b2;height:10px;width:"
        f"{max(1, round(180 * abs(value) / most))}px'></div></td>"
        f"<td style='text-align:right'>{html.escape(text)}</td></tr>"
        for name, value, text in rows[:MOST_BARS])
    more = f"<p>and {len(rows) - MOST_BARS} more</p>" if len(rows) > MOST_BARS else ""
    return (f"<table style='margin:6px 0;border-collapse:collapse'><caption style='text-align:left;"
            f"font-weight:600'>{html.escape(title)}</caption>{cells}</table>{more}")


def html_of(model: Any) -> str:
    """A few lines of HTML without a script: the parameters and, after a fit, its results."""
    head = f"<code>{html.escape(repr(model))}</code>"
    if getattr(model, "labels_", None) is None:
        state = "a model that was read" if hasattr(model, "view_names_") else "not fitted yet"
        return f"<div style='{STYLE}'>{head}<p style='margin:6px 0 0'>{state}</p></div>"
    sizes = np.bincount(model.labels_, minlength=int(model.n_clusters))
    parts = [head, f"<p style='margin:6px 0'>{len(model.labels_)} samples in "
                   f"{int(np.count_nonzero(sizes))} clusters over {len(model.view_names_)} "
                   f"view{'s' * (len(model.view_names_) != 1)}"]
    if model.confidence_ is not None:
        parts.append(f", confidence {float(np.nanmean(model.confidence_)):.2f} on average")
    parts.append("</p>")
    if model.chosen_:
        parts.append(f"<p style='margin:6px 0'>{html.escape(model.chosen_)}</p>")
    parts.append(_bars("clusters", [(f"cluster {c}", int(n), str(int(n)))
                                    for c, n in enumerate(sizes)]))
    weights = np.asarray(model.view_weights_, float)
    if np.isfinite(weights).all() and weights.any():
        parts.append(_bars("weights of the views",
                           [(name, float(w), f"{w:.3f}")
                            for name, w in zip(model.view_names_, weights)]))
    return f"<div style='{STYLE}'>{''.join(parts)}</div>"
