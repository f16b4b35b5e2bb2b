# SPDX-License-Identifier: Apache-2.0
"""Tools for AnnData and MuData, in the manner of scanpy's."""
from __future__ import annotations

from typing import Any

import numpy as np


def _representation(adata: Any, name: str | None) -> Any:
    if name is None or name == "X":
        return adata.X
    if name in adata.obsm:
        return np.asarray(adata.obsm[name])
    if name in adata.layers:
        return adata.layers[name]
    raise KeyError(f"there is no {name!r} in obsm or layers; obsm has {list(adata.obsm)}, layers "
                   f"has {list(adata.layers)}")


def cluster(mdata: Any, n_clusters: int = 8, *, use_rep: Any = None, key_added: str = "onefold",
            copy: bool = False, **options: Any) -> Any:
    """Clusters the cells of a MuData over its modalities, or of an AnnData over representations.

    `use_rep` names the representation of each modality, as in {"rna": "X_pca"}; for an AnnData, it
    lists the obsm or layers that are the views. Writes obs[key_added], obs[key_added + "_confidence"],
    obsm["X_" + key_added] and uns[key_added], in a copy that is returned if `copy` is true.
    """
    from ._estimator import OneFold
    if copy:
        mdata = mdata.copy()
    if hasattr(mdata, "mod"):
        import pandas
        wanted = use_rep or {}
        views = {}
        for key, adata in mdata.mod.items():
            values = _representation(adata, wanted.get(key))
            values = values.toarray() if hasattr(values, "toarray") else values
            views[key] = pandas.DataFrame(np.asarray(values), index=adata.obs_names)
    else:
        names = [use_rep] if isinstance(use_rep, str) or use_rep is None else list(use_rep)
        views = {name or "X": _representation(mdata, name) for name in names}
    model = OneFold(n_clusters, **options).fit(views)
    import pandas
    order = list(mdata.obs_names)
    labels, embedding, confidence = model.labels_, model.embedding_, model.confidence_
    if model.sample_names_ is not None and list(model.sample_names_) != order:
        where = {name: i for i, name in enumerate(model.sample_names_)}
        rows = [where[name] for name in order]
        labels, confidence = labels[rows], confidence[rows]
        embedding = None if embedding is None else embedding[rows]
    mdata.obs[key_added] = pandas.Categorical([str(c) for c in labels],
                                              categories=[str(c) for c in range(n_clusters)])
    mdata.obs[f"{key_added}_confidence"] = confidence
    if embedding is not None:
        mdata.obsm[f"X_{key_added}"] = embedding
    mdata.uns[key_added] = {"params": {"n_clusters": n_clusters, "method": model.method},
                            "view_names": np.array(model.view_names_, dtype=str),
                            "view_weights": model.view_weights_}
    return mdata if copy else None
