# SPDX-License-Identifier: Apache-2.0
"""Pictures with matplotlib, where it is installed."""
from __future__ import annotations

import numpy as np


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


def scatter(model, ax=None, **options):
    """The samples on the two leading components of the fused embedding, coloured by cluster."""
    import matplotlib.pyplot as plt
    if model.embedding_ is None:
        raise ValueError(f"the method {model.method!r} has no embedding to draw")
    ax = ax or plt.subplots(figsize=(5, 5))[1]
    centred = model.embedding_ - model.embedding_.mean(0)
    left, scale, _ = np.linalg.svd(centred, full_matrices=False)
    options = {"s": 6, "cmap": "tab20", **options}
    ax.scatter(left[:, 0] * scale[0], left[:, 1] * scale[1], c=model.labels_, **options)
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_xlabel("first component of the fused embedding")
    ax.set_ylabel("second")
    return ax
