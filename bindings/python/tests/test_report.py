# SPDX-License-Identifier: Apache-2.0
"""Report pages from Python, and what a notebook shows."""
import base64
import gc
import json
import pickle
import re
import zlib

import numpy as np
import pandas as pd
import pytest
from conftest import METHOD, made

import onefold


def page_of(path):
    """The summary of a page, and a function that gives its blocks."""
    text = path.read_text(encoding="utf-8")

    def element(name):
        found = re.search(rf'id="{name}">([^<]*)</script>', text)
        return found and found.group(1)

    def block(name):
        packed = element(f"block-{name}")
        return packed and zlib.decompress(base64.b64decode(packed))
    return json.loads(element("summary")), block


def test_the_page_is_of_the_fit(data, tmp_path):
    views, truth = data
    model = onefold.OneFold(3, method=METHOD).fit(views)
    onefold.report(model, tmp_path / "fit.html", y=truth, title="</script><b>made")
    summary, block = page_of(tmp_path / "fit.html")
    assert summary["kind"] == "fit" and summary["extra"]["title"] == "</script><b>made"
    assert np.array_equal(np.frombuffer(block("labels"), np.uint8), model.labels_)
    assert summary["data"]["scores"]["acc"] == onefold.score(model.labels_, truth)["acc"]
    assert summary["extra"]["origin"]["command"].startswith("onefold.OneFold(n_clusters=3")
    assert len(summary["extra"]["points"]["pictures"]) >= 1 + len(views)
    assert len(summary["extra"]["spectra"]) == len(views)


@pytest.mark.parametrize("method", ["onefold", "os-lfmvc-cs"])
def test_classes_and_parts_of_views(method, data, tmp_path):
    views, truth = data
    named = np.array(["T cell", "<b>", "mono, cyte"])[truth]
    model = onefold.OneFold(3, method=method).fit(views)
    onefold.report(model, tmp_path / "fit.html", y=named)
    summary, block = page_of(tmp_path / "fit.html")
    assert summary["extra"]["classes"] == ["<b>", "T cell", "mono, cyte"]
    classes = np.array(summary["extra"]["classes"])[np.frombuffer(block("truth"), np.uint8)]
    assert np.array_equal(classes, named)
    shares = np.clip(model.view_parts_, 0, None)
    shares /= shares.sum(axis=1, keepdims=True)
    steps = summary["extra"]["points"]["part_steps"]
    shown = np.frombuffer(block("parts"), np.uint8).reshape(2, -1).T
    assert (shown.sum(axis=1) == steps).all() and steps >= 20
    assert np.abs(shown / steps - shares).max() <= 0.52 / steps
    loudest = np.frombuffer(block("loudest"), np.uint8)
    clear = np.abs(shares[:, 0] - shares[:, 1]) > 1e-6
    assert np.array_equal(loudest[clear], shares.argmax(axis=1)[clear])


@pytest.mark.parametrize("method", ["onefold", "avg-kkm"])
def test_every_method(method, data, tmp_path):
    views, _ = data
    model = onefold.OneFold(3, method=method).fit({"a": views[0], "b": views[1]})
    onefold.report(model, str(tmp_path / "fit.html"))
    summary, _ = page_of(tmp_path / "fit.html")
    assert [v["name"] for v in summary["data"]["views"]] == ["a", "b"]


def test_names_of_samples_and_columns(data, tmp_path):
    views, _ = data
    names = [f"<patient {i}>" for i in range(len(views[0]))]
    frames = {"rna": pd.DataFrame(views[0], index=names).add_prefix("gene "),
              "protein": pd.DataFrame(views[1], index=names)[::-1]}
    model = onefold.OneFold(3, method=METHOD).fit(frames)
    onefold.report(model, tmp_path / "fit.html")
    summary, block = page_of(tmp_path / "fit.html")
    about = summary["extra"]["points"]
    assert json.loads(block("names-json")) == names
    assert any(c["name"].startswith("gene ") for c in about["columns"])


def test_data_that_is_gone_is_asked_for(tmp_path):
    views, _ = made()
    model = onefold.OneFold(3, method=METHOD).fit(views)
    copy = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="hand it over as X"):
        onefold.report(copy, tmp_path / "no.html")
    onefold.report(copy, tmp_path / "yes.html", views)
    del views
    gc.collect()
    with pytest.raises(ValueError, match="hand it over as X"):
        onefold.report(model, tmp_path / "no.html")
    # clusters of other samples: a partition that differs whatever numbers its clusters get, and
    # these depend on the processor
    with pytest.raises(ValueError, match="its labels are others"):
        onefold.report(model, tmp_path / "no.html", [np.roll(v, 25, axis=0) for v in made()[0]])
    assert [p.name for p in tmp_path.iterdir()] == ["yes.html"]


def test_what_is_refused(data, tmp_path):
    views, truth = data
    model = onefold.OneFold(3, method=METHOD)
    with pytest.raises(ValueError, match="fitted"):
        onefold.report(model, tmp_path / "no.html", views)
    model.fit(views)
    with pytest.raises(OSError, match="no.html"):
        onefold.report(model, tmp_path / "nowhere" / "no.html")
    with pytest.raises(ValueError, match="y has 3 labels"):
        onefold.report(model, tmp_path / "no.html", y=[0, 1, 2])
    with pytest.raises(ValueError, match="X has 10 samples"):
        onefold.report(model, tmp_path / "no.html", [v[:10] for v in views])
    assert not list(tmp_path.iterdir())


def test_notebooks_show_text_alone(data):
    views, _ = data
    evil = "</div><script>alert(1)</script>"
    model = onefold.OneFold(3, method=METHOD)
    assert "not fitted yet" in model._repr_html_()
    model.fit({evil: views[0], "other": views[1]})
    shown = model._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown
    assert "150 samples in 3 clusters over 2 views" in shown
    assert len(shown) < 20000
    assert all(str(n) in shown for n in np.bincount(model.labels_))


def test_many_clusters_stay_small(data):
    views, _ = data
    model = onefold.OneFold(60, method="avg-kkm", n_init=1).fit(views)
    assert "and 30 more" in model._repr_html_()


@pytest.mark.parametrize("method", ["onefold", "os-lfmvc-cs"])
def test_weights_and_parts_of_views(data, method):
    views, _ = data
    free = onefold.OneFold(3, method=method).fit(views)
    fixed = onefold.OneFold(3, method=method, weights=[0.6, None]).fit(views)
    assert abs(fixed.view_weights_[0] - 0.6) < 1e-9
    whole = fixed.view_weights_ if method == "onefold" else fixed.view_weights_ ** 2
    assert abs(whole.sum() - 1) < 1e-9
    bounded = onefold.OneFold(3, method=method, weights=[(0.1, 0.3), "auto"]).fit(views)
    assert 0.1 - 1e-9 <= bounded.view_weights_[0] <= 0.3 + 1e-9
    with pytest.raises(ValueError, match="weights has 1 entries"):
        onefold.OneFold(3, method=method, weights=[0.5]).fit(views)
    assert free.view_parts_.shape == (150, 2)
    assert np.isfinite(free.view_parts_).all()


class Modality:
    """What is looked at of a modality of a MuData, which Debian does not have."""

    def __init__(self, values, names):
        import anndata
        self.adata = anndata.AnnData(values.astype("float32"),
                                     obs=pd.DataFrame(index=names),
                                     var=pd.DataFrame(index=[f"v{i}" for i in range(values.shape[1])]))


class Modalities:
    """A stand-in for MuData: modalities over one list of cells."""

    def __init__(self, views, names):
        self.mod = {key: Modality(values, own).adata for key, (values, own) in views.items()}
        self.obs = pd.DataFrame(index=names)
        self.obs_names = self.obs.index
        self.obsm, self.uns = {}, {}


def test_a_mudata_is_taken_by_its_looks(data):
    views, truth = data
    names = [f"cell {i}" for i in range(150)]
    mdata = Modalities({"rna": (views[0], names), "prot": (views[1][20:], names[20:])}, names)
    model = onefold.OneFold(3, method=METHOD).fit(mdata)
    assert model.view_names_ == ["rna", "prot"]
    assert list(model.sample_names_) == names
    assert onefold.score(model.labels_, truth)["acc"] > 0.95
    onefold.tl.cluster(mdata, 3, method=METHOD)
    assert onefold.score(mdata.obs["onefold"], truth)["acc"] > 0.95
    assert mdata.obsm["X_onefold"].shape[0] == 150
    assert list(mdata.uns["onefold"]["view_names"]) == ["rna", "prot"]


def test_single_cell_files_are_read(data, tmp_path):
    import anndata
    views, truth = data
    names = [f"cell {i}" for i in range(150)]
    adata = anndata.AnnData(views[0].astype("float32"), obs=pd.DataFrame(
        {"kind": pd.Categorical(truth.astype(str))}, index=names))
    adata.obsm["X_pca"] = views[1]
    adata.write_h5ad(tmp_path / "a.h5ad")
    found = onefold.read(tmp_path / "a.h5ad", views="X,obsm/X_pca", truth="obs/kind")
    assert [v["name"] for v in found.views] == ["X", "obsm/X_pca"]
    assert np.array_equal(found.array(1), views[1]) and found.sample_names[3] == "cell 3"
    model = onefold.OneFold(3, method=METHOD).fit(found)
    assert onefold.score(model.labels_, found.truth)["acc"] > 0.95
    onefold.report(model, tmp_path / "fit.html", found)
    assert page_of(tmp_path / "fit.html")[0]["data"]["scores"]["acc"] > 0.95
