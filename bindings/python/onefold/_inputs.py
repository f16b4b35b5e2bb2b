# SPDX-License-Identifier: Apache-2.0
"""What people hand over as X, turned into views whose arrays the library borrows."""
from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _onefold

IMPUTE = {None: 0, "mean": 1, "median": 2, "model": 3}


@dataclass
class View:
    """One view: a dense array, a kernel, or the arrays of a CSR matrix."""

    name: str
    kind: str  # "dense", "kernel" or "sparse"
    arrays: tuple
    samples: int
    columns: int
    column_names: list[str] | None = None
    index: Any = None  # names of the samples, or None

    def described(self):
        """As the extension takes it."""
        if self.kind == "sparse":
            return ("sparse", self.name, *self.arrays, self.columns, self.column_names)
        return (self.kind, self.name, *self.arrays, self.column_names)


@dataclass
class Views:
    """All of them, and who lacks which."""

    views: list[View]
    samples: int
    single: bool = False  # X was one array: messages speak of its columns
    present: np.ndarray | None = None
    sample_names: list | None = None
    feature_names: np.ndarray | None = None
    columns: int = 0  # of all views, or of the one array that they are taken from
    capsule: Any = field(default=None, repr=False)

    def dataset(self, impute=None):
        """The data set of the extension; it borrows the arrays."""
        if self.capsule is not None:
            return self.capsule
        return _onefold.dataset([v.described() for v in self.views], self.samples, IMPUTE[impute],
                                self.present)


def _loaded(module, name):
    """A class of a package, where that package is in use: nothing is imported for looking."""
    found = sys.modules.get(module)
    return getattr(found, name, None) if found else None


def _is(value, module, name):
    kind = _loaded(module, name)
    return kind is not None and isinstance(value, kind)


def _is_sparse(value):
    found = sys.modules.get("scipy.sparse")
    return found is not None and found.issparse(value)


def dense_array(values, name):
    """A 2-D array the library can borrow: as it is where type and steps allow, else a copy."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} is {array.dtype}")
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            # scikit-learn's own words, which its users and its checks know
            raise type(error)(f"{name}: argument must be a string or a number: {error}") from None
    if array.dtype.kind in "US":
        array = array.astype(np.float64)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} holds {array.dtype}; numbers are needed")
    if array.ndim == 1:
        raise ValueError(f"Expected 2D array, got 1D array instead: {name} has the shape "
                         f"{array.shape}. Reshape your data, for one column with "
                         "array.reshape(-1, 1)")
    if array.ndim != 2:
        raise ValueError(f"Found array with dim {array.ndim}. {name} must be a 2-D array of "
                         "samples x columns")
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float32 if array.dtype.itemsize < 4 else np.float64)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    steps = [s for s, side in zip(array.strides, array.shape) if side > 1]
    if any(s <= 0 or s % array.dtype.itemsize for s in steps):
        array = np.ascontiguousarray(array)
    return array


def _sparse_view(matrix, name):
    if matrix.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} is {matrix.dtype}")
    csr = matrix.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy() if csr is matrix else csr
        csr.sum_duplicates()
    if csr.dtype not in (np.float32, np.float64):
        csr = csr.astype(np.float64)
    indices = csr.indices if csr.indices.dtype == csr.indptr.dtype else csr.indices.astype(np.int64)
    start = csr.indptr if csr.indptr.dtype == indices.dtype else csr.indptr.astype(indices.dtype)
    return View(name, "sparse", (start, indices, csr.data), csr.shape[0], csr.shape[1])


def _frame_names(frame):
    names = [str(c) for c in frame.columns]
    return names if len(set(names)) == len(names) else None


def one_view(value, name, kernel=False):
    """A view of one array, matrix, frame or AnnData."""
    if _is(value, "anndata", "AnnData"):
        view = one_view(value.X, name)
        view.column_names, view.index = [str(v) for v in value.var_names], value.obs_names
        return view
    if _is_sparse(value):
        if kernel:
            return one_view(value.toarray(), name, kernel)
        return _sparse_view(value, name)
    index = columns = None
    if _is(value, "pandas", "DataFrame"):
        index, columns = value.index, _frame_names(value)
    array = dense_array(value, name)
    if kernel and array.shape[0] != array.shape[1]:
        # the kernel of new samples against the training samples is a plain table
        return View(name, "dense", (array,), *array.shape)
    return View(name, "kernel" if kernel else "dense", (array,), *array.shape,
                None if kernel else columns, index)


def _named_index(view):
    """Whether the samples of a frame have names, and not only numbers from 0 on."""
    index = view.index
    if index is None:
        return False
    default = _loaded("pandas", "RangeIndex")
    return default is None or not isinstance(index, default)


def _match(views):
    """Lays views whose samples have names over each other: the union of the samples."""
    named = [_named_index(v) for v in views]
    if not any(named):
        return views, None, None
    if not all(named):
        if len({v.samples for v in views}) == 1:
            return views, None, list(views[named.index(True)].index)
        raise ValueError("some views have names for their samples and others have none, and their "
                         "numbers of samples differ: give every view an index")
    for view in views:
        if view.index.has_duplicates:
            twice = view.index[view.index.duplicated()][0]
            raise ValueError(f"the view {view.name} has the sample {twice!r} twice in its index")
    first = views[0].index
    if all(first.equals(v.index) for v in views[1:]):
        return views, None, list(first)
    union = first
    for view in views[1:]:
        union = union.union(view.index, sort=False)
    if all(len(first.intersection(v.index)) == 0 for v in views[1:]):
        raise ValueError("the views have no sample in common: their indexes hold, for instance, "
                         + " and ".join(repr(v.index[0]) for v in views))
    present = np.ones((len(union), len(views)), np.uint8)
    laid = []
    for i, view in enumerate(views):
        where = view.index.get_indexer(union)
        present[:, i] = where >= 0
        laid.append(_laid_out(view, where))
    return laid, None if present.all() else present, list(union)


def _laid_out(view, where):
    """The rows of a view in another order; rows it lacks are zero and never looked at."""
    if view.kind == "sparse":
        from scipy.sparse import csr_matrix
        start, index, value = view.arrays
        matrix = csr_matrix((value, index, start), (view.samples, view.columns))[np.maximum(where, 0)]
        laid = _sparse_view(matrix, view.name)
    else:
        array = view.arrays[0][np.maximum(where, 0)]
        array[where < 0] = 0
        laid = View(view.name, view.kind, (array,), *array.shape)
    laid.column_names = view.column_names
    return laid


def _split(array, slices, names, columns):
    """One array as several views: slices, lists of columns or masks."""
    views = []
    for i, part in enumerate(slices):
        piece = array[:, part]
        if getattr(piece, "ndim", 2) != 2:
            raise ValueError(f"views[{i}] must pick columns of X, not a single one; use a slice")
        chosen = None if columns is None else [str(c) for c in np.asarray(columns)[part]]
        view = one_view(piece, names[i])
        if chosen is not None and len(set(chosen)) == len(chosen):
            view.column_names = chosen
        views.append(view)
    return views


def _is_mudata(value):
    """MuData, or what looks like it: modalities over one list of cells."""
    return not isinstance(value, dict) and all(
        hasattr(value, name) for name in ("mod", "obs_names", "obs"))


def _modalities(mdata):
    """The views of a MuData: its modalities, matched by the names of their cells."""
    return [one_view(adata, key) for key, adata in mdata.mod.items()]


def _check_sizes(views, minimum, single):
    samples = views[0].samples
    for view in views[1:]:
        if view.samples != samples:
            raise ValueError(f"the views have different numbers of samples: {views[0].name} has "
                             f"{samples}, {view.name} has {view.samples}")
    for view in views:
        if view.columns == 0:
            total = sum(v.columns for v in views)
            what = f"of n_features={total} of X, the view {view.name} has none" if single and total \
                else f"the view {view.name} has no columns"
            raise ValueError(f"Found array with 0 feature(s) (shape=({view.samples}, 0)) while a "
                             f"minimum of 1 is required: {what}")
    if samples < minimum:
        raise ValueError(f"Found array with {samples} sample(s) (n_samples={samples}) while a "
                         f"minimum of {minimum} is required to cluster")


def views_of(X, views=None, kernel=None, minimum=2):
    """Turns X into views. `views` splits one array; `kernel` "precomputed" takes kernels."""
    from ._functions import Dataset

    if isinstance(X, Dataset):
        return X._views()
    kernels = kernel == "precomputed"
    names = None
    single = False
    feature_names = None
    total = None
    if _is_mudata(X):
        parts = _modalities(X)
    elif isinstance(X, dict) and not _is_sparse(X):  # SciPy's dok_matrix is a dict
        parts = [one_view(x, str(key), kernels) for key, x in X.items()]
    elif isinstance(X, (list, tuple)) and X and (
            hasattr(X[0], "shape") and getattr(X[0], "ndim", 2) == 2):
        parts = [one_view(x, f"view {i + 1}", kernels) for i, x in enumerate(X)]
    elif _is(X, "pandas", "DataFrame") and X.columns.nlevels > 1:
        keys = list(dict.fromkeys(X.columns.get_level_values(0)))
        parts = [one_view(X[key], str(key), kernels) for key in keys]
    else:
        single = True
        columns = getattr(X, "columns", None)
        if columns is not None and all(isinstance(c, str) for c in columns):
            feature_names = np.asarray(columns, dtype=object)
        whole = X if _is_sparse(X) else one_view(X, "X", kernels)
        total = X.shape[1] if _is_sparse(X) else whole.columns
        if views is not None:
            names = list(views) if isinstance(views, dict) else [f"view {i + 1}"
                                                                 for i in range(len(views))]
            slices = list(views.values()) if isinstance(views, dict) else list(views)
            array = X.tocsr() if _is_sparse(X) else whole.arrays[0]
            parts = _split(array, slices, names, columns)
        else:
            parts = [one_view(X, "view 1")] if _is_sparse(X) else [whole]
            parts[0].name = "view 1"
    if views is not None and not single:
        raise ValueError("views= splits one array; X holds several views already")
    if not parts:
        raise ValueError("X holds no views")
    parts, present, sample_names = _match(parts)
    _check_sizes(parts, minimum, single)
    if total is None:
        total = sum(v.columns for v in parts)
    return Views(parts, parts[0].samples, single, present, sample_names, feature_names, int(total))
