# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib, where it is installed."""
from __future__ import annotations

import numpy as np

MOST_COMPONENTS = 4  # clusters that two components can show


def views(model, ax=None):
    """The weight of each view, and how far its own labels agree with the fused ones."""
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


def scatter(model, ax=None, *, X=None, **options):
    """The samples in two dimensions, coloured by cluster.

    On the two leading components of the fused embedding; where there are more than four clusters,
    which lie on top of each other there, by the t-SNE that report pages have. That is made in a
    second fit, on X, once for a model: X may be left out as long as the arrays of the fit are
    still there, and where they are gone the components are drawn.
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
    options = {"s": 6, "cmap": "tab20", **options}
    ax.scatter(at[:, 0], at[:, 1], c=model.labels_, **options)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    return ax
