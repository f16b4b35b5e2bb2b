# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib, where it is installed."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

MOST_COMPONENTS = 4  # clusters that two components can show
# Every two of these are apart for the eye: 26 or more in CIELAB, where some 2 can just be told.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#0000ff", "#00e100",
           "#ff00e1", "#5a4b0f", "#694bd2", "#ff005a", "#b4d25a", "#d2b496", "#004b4b", "#871e1e",
           "#008700", "#870078", "#f087ff", "#ff8778")
MARKS = "o^sDvP*X"  # beyond the colours, the next mark


def views(model: Any, ax: Any = None) -> Any:
    """The weight of each view, and the agreement of its own labels with the fused ones."""
    import matplotlib.pyplot as plt
    ax = ax or plt.subplots(figsize=(5, 0.5 * len(model.view_names_) + 1.2))[1]
    at = np.arange(len(model.view_names_))
    ax.barh(at - 0.2, model.view_weights_, 0.4, label="weight")
    if model.agreement_ is not None:
        ax.barh(at + 0.2, model.agreement_, 0.4, label="agreement of its own labels (NMI)")
    ax.set_yticks(at, model.view_names_)
    ax.invert_yaxis()
    ax.set_xlim(0, 1)
    ax.legend(frameon=False, fontsize="small")
    return ax


def scatter(model: Any, ax: Any = None, *, X: Any = None, colours: Sequence[str] | None = None,
            legend: bool = True, **options: Any) -> Any:
    """The samples in two dimensions, coloured by cluster, with a legend.

    Up to four clusters, the picture shows the two leading components of the fused embedding; for
    more, the t-SNE of report pages. The t-SNE needs a second fit on X, once for a model. X may be
    left out while the arrays of the fit exist; without them, the components are drawn. From 21
    clusters on, colours repeat with another mark. Other options are those of matplotlib's `scatter`.
    """
    import matplotlib.pyplot as plt
    from ._report import layout_of
    if model.embedding_ is None:
        raise ValueError(f"the method {model.method!r} has no embedding to draw")
    at, names = None, ("t-SNE of the fused embedding", "")
    if model.n_clusters > MOST_COMPONENTS:
        at = layout_of(model, X)
    if at is None:
        centred = model.embedding_ - model.embedding_.mean(0)
        left, scale, _ = np.linalg.svd(centred, full_matrices=False)
        at, names = left[:, :2] * scale[:2], ("first component of the fused embedding", "second")
    ax = ax or plt.subplots(figsize=(5, 5))[1]
    palette = np.array(COLOURS if colours is None else list(colours))
    marks = model.labels_ // len(palette)
    for mark in np.unique(marks):
        own = marks == mark
        ax.scatter(at[own, 0], at[own, 1], c=palette[model.labels_[own] % len(palette)],
                   **{"s": 6, "marker": MARKS[mark % len(MARKS)], **options})
    if legend:
        _legend(ax, np.unique(model.labels_), palette)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    return ax


def _legend(ax: Any, clusters: np.ndarray, palette: np.ndarray) -> None:
    """Beside the picture, in columns of 20."""
    from matplotlib.lines import Line2D
    keys = [Line2D([], [], linestyle="", color=palette[c % len(palette)], label=str(c),
                   marker=MARKS[c // len(palette) % len(MARKS)]) for c in clusters]
    ax.legend(handles=keys, title="cluster", frameon=False, fontsize="small", loc="center left",
              bbox_to_anchor=(1, 0.5), ncol=1 + (len(keys) - 1) // 20)
