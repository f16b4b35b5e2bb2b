# SPDX-License-Identifier: Apache-2.0
"""What X may be gives the same labels; what it may not be is refused with a sentence."""
import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from conftest import METHOD, made

import onefold
from onefold import OneFold


def labels_of(X, **options):
    options = {"method": METHOD, "random_state": 1, **options}
    return OneFold(3, **options).fit(X).labels_


def test_kinds_of_input_agree(data):
    views, _ = data
    expected = labels_of(views)
    whole = np.hstack(views)
    frames = [pd.DataFrame(v, columns=[f"v{i}c{j}" for j in range(v.shape[1])])
              for i, v in enumerate(views)]
    frame = pd.concat({"a": frames[0], "b": frames[1]}, axis=1)
    for X in (tuple(views), {"a": views[0], "b": views[1]}, frames, frame,
              [np.asfortranarray(v) for v in views], [anndata.AnnData(v, dtype=v.dtype) for v in views],
              [np.repeat(v, 2, axis=1)[:, ::2] for v in views]):
        assert (labels_of(X) == expected).all()
    assert (labels_of(whole, views=[slice(0, 6), slice(6, 15)]) == expected).all()
    assert (labels_of(whole, views={"a": list(range(6)), "b": slice(6, 15)}) == expected).all()


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8",
                                  "?", ">f8", ">i4"])
def test_types(data, kind):
    views, _ = data
    whole = [np.clip(np.round(5 * v) + 60, 0, 127) for v in views]
    if kind == "?":
        whole = [w > 60 for w in whole]
    expected = labels_of([w.astype("f8") for w in whole])
    assert (labels_of([w.astype(kind) for w in whole]) == expected).all()


def test_nothing_is_copied(data):
    views, _ = data
    from onefold._inputs import dense_array
    for array in (views[0], views[0].astype(np.float32), np.asfortranarray(views[0]),
                  views[0][::2, 1::2]):
        assert np.shares_memory(dense_array(array, "x"), array)
    views[0].setflags(write=False)
    assert labels_of(views).shape == (150,)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_sparse(kind):
    generator = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 40)
    counts = generator.poisson(0.2 + 3 * (np.arange(30) // 10 == truth[:, None]))
    view = sp.csr_matrix(counts.astype(float))
    expected = labels_of([view, view])
    assert onefold.score(expected, truth)["acc"] > 0.95
    assert (labels_of([view.asformat(kind), view]) == expected).all()


def test_sparse_indices_of_64_bits_unsorted_and_twice():
    generator = np.random.default_rng(0)
    dense = generator.poisson(0.3, (60, 12)).astype(float)
    dense[dense.sum(1) == 0, 0] = 1
    view = sp.csr_matrix(dense)
    expected = labels_of([view])
    wide = sp.csr_matrix(dense)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    turned = sp.csr_matrix((view.data.copy(), view.indices.copy(), view.indptr.copy()), view.shape)
    for i in range(60):
        part = slice(turned.indptr[i], turned.indptr[i + 1])
        turned.indices[part], turned.data[part] = turned.indices[part][::-1], turned.data[part][::-1]
    turned.has_sorted_indices = False
    twice = sp.csr_matrix((np.repeat(view.data / 2, 2), np.repeat(view.indices, 2),
                           2 * view.indptr), view.shape)
    for X in (wide, turned, twice, view.astype(np.float32)):
        before = X.copy()
        assert (labels_of([X]) == expected).all()
        assert (X.indices == before.indices).all()  # the caller's matrix stays as it was


def test_kernels(data):
    views, truth = data
    kernels = [v @ v.T for v in views]
    model = OneFold(3, method=METHOD, kernel="precomputed").fit(kernels)
    assert onefold.score(model.labels_, truth)["acc"] == 1
    assert (model.predict(kernels) == model.labels_).all()


def test_rows_of_nan_are_missing_views(data):
    views, truth = data
    views[1][:20] = np.nan
    model = OneFold(3, method=METHOD).fit(views)
    assert onefold.score(model.labels_, truth)["acc"] == 1
    assert (model.predict(views) == model.labels_).all()


def test_frames_are_matched_by_index(data):
    views, truth = data
    names = [f"s{i}" for i in range(150)]
    frames = [pd.DataFrame(v, index=names) for v in views]
    plain = OneFold(3, method=METHOD).fit(frames)
    order = np.random.default_rng(0).permutation(150)
    shuffled = OneFold(3, method=METHOD).fit([frames[0], frames[1].iloc[order]])
    assert (shuffled.labels_ == plain.labels_).all() and shuffled.sample_names_ == names
    fewer = OneFold(3, method=METHOD).fit([frames[0], frames[1].iloc[order[:120]]])
    assert onefold.score(fewer.labels_, truth)["acc"] == 1
    apart = [frames[0], frames[1].rename(index=lambda n: "t" + n)]
    with pytest.raises(ValueError, match="no sample in common"):
        OneFold(3).fit(apart)


def test_impute(data):
    views, truth = data
    views[0][3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        OneFold(3, method=METHOD).fit(views)
    model = OneFold(3, method=METHOD, impute="mean").fit(views)
    assert onefold.score(model.labels_, truth)["acc"] == 1
    assert model.predict(views).shape == truth.shape


BAD = {
    "nothing": ([], "Expected 2D|no views|0 sample|dim"),
    "ragged": ([[1, 2], [3]], "2D|dim|inhomogeneous|sequence"),
    "different numbers of samples": ([np.ones((5, 2)), np.ones((4, 2))], "different numbers"),
    "words": ([np.array([["a", "b"], ["c", "d"]]), np.ones((2, 2))], "could not convert"),
    "complex": ([np.ones((5, 2)) * 1j], "Complex data not supported"),
    "three sides": (np.ones((3, 3, 3)), "dim 3"),
    "one side": (np.ones(5), "1D array"),
    "no samples": (np.ones((0, 3)), "0 sample"),
    "no columns": (np.ones((5, 0)), "0 feature"),
    "infinite": (np.array([[1.0, np.inf]] * 5), "inf"),
    "dates": (np.array([["2020-01-01"]] * 4, dtype="M8[D]"), "numbers are needed"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name):
    X, words = BAD[name]
    with pytest.raises(ValueError, match=words):
        OneFold(2, method=METHOD).fit(X)


def test_negative_steps_and_odd_strides(data):
    views, _ = data
    record = np.zeros(150, dtype=[("a", "f8"), ("b", "i1")])
    expected = labels_of([v[::-1].copy() for v in views])
    assert (labels_of([v[::-1] for v in views]) == expected).all()
    assert record["a"].strides == (9,)
    odd = np.lib.stride_tricks.as_strided(record["a"], (150, 1), (9, 9))
    record["a"] = views[0][:, 0]
    assert (labels_of([odd, views[1]]) == labels_of([views[0][:, :1].copy(), views[1]])).all()


def test_duplicate_index_is_refused(data):
    views, _ = data
    names = ["s0"] + [f"s{i}" for i in range(149)]
    with pytest.raises(ValueError, match="twice"):
        OneFold(3).fit([pd.DataFrame(v, index=names) for v in views])


@pytest.mark.parametrize("options, words", [
    ({"n_clusters": 0}, "n_clusters"), ({"n_clusters": 2.5}, "n_clusters"),
    ({"n_clusters": 151}, "n_samples=150"), ({"method": "nonsense"}, "nonsense"),
    ({"kernel": "nonsense"}, "nonsense"), ({"kernel": ["rbf"]}, "2 views"), ({"base": "x"}, "base"),
    ({"precision": "half"}, "precision"), ({"landmarks": -1}, "landmarks"),
    ({"neighbours": "x"}, "neighbours"), ({"method": "onefold", "precision": "single"}, "precision"),
    ({"effort": "x"}, "effort"), ({"n_jobs": 0}, "n_jobs"), ({"random_state": -1}, "random_state"),
    ({"weights": [1, 2, 3]}, "2 views"), ({"impute": "x"}, "impute"), ({"tol": -1.0}, "tol"),
    ({"n_init": 0}, "n_init|restart")])
def test_bad_parameters(data, options, words):
    with pytest.raises(ValueError, match=words):
        OneFold(**{"n_clusters": 3, "method": METHOD, **options}).fit(data[0])


def test_new_samples_must_fit(data):
    views, _ = data
    model = OneFold(3, method=METHOD).fit(views)
    with pytest.raises(ValueError):
        model.predict([views[0]])
    with pytest.raises(ValueError):
        model.predict([views[0][:, :5], views[1]])
