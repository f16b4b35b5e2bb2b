# SPDX-License-Identifier: Apache-2.0
"""Turns X into views whose arrays the library borrows."""
from __future__ import annotations

import itertools
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import _onefold
from ._columns import Plan, frame_numbers

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
    index: Any = None  # of the samples, as pandas has it, or None
    plan: Plan | None = None  # of a DataFrame
    ids: dict[str, list] = field(default_factory=dict)  # its columns of ids, by heading

    def described(self) -> tuple:
        """As the extension takes it."""
        units = self.plan.units() if self.plan else None
        if self.kind == "sparse":
            return ("sparse", self.name, *self.arrays, self.columns, self.column_names, units)
        return (self.kind, self.name, *self.arrays, self.column_names, units)


@dataclass
class Views:
    """All views, and which samples lack which."""

    views: list[View]
    samples: int
    single: bool = False  # X was one array: messages speak of its columns
    present: np.ndarray | None = None
    sample_names: list | None = None  # None where the index only counts
    feature_names: np.ndarray | None = None
    columns: int = 0  # of all views, or of the one array that they are taken from
    index: Any = None  # of the samples, where any view has one
    capsule: Any = field(default=None, repr=False)

    def aligned(self, values: Any, what: str) -> Any:
        """One value for each sample, in the order of the samples: by index, where both have one."""
        index = self.index
        if index is None and self.sample_names is not None and "pandas" in sys.modules:
            index = sys.modules["pandas"].Index(self.sample_names)  # of files
        return aligned(values, index, what)

    def dataset(self, impute: str | None = None) -> Any:
        """The data set of the extension; it borrows the arrays."""
        if self.capsule is not None:
            return self.capsule
        try:
            return _onefold.dataset([v.described() for v in self.views], self.samples,
                                    IMPUTE[impute], self.present)
        except ValueError as error:
            raise ValueError(self._cell_named(str(error))) from None

    def _cell_named(self, sentence: str) -> str:
        """A sentence about a cell of a view with the names of its sample and column, where they
        have some, in the place of their numbers from 1."""
        found = re.search(r"sample (\d+), column (\d+)", sentence)
        view = next((v for v in self.views if sentence.startswith(f"{v.name}: ")), None)
        if not found or view is None or view.column_names is None:
            return sentence
        sample, column = (int(number) - 1 for number in found.groups())
        who = repr(self.sample_names[sample]) if self.sample_names else found[1]
        return (sentence[:found.start()] + f"sample {who}, column {view.column_names[column]}"
                + sentence[found.end():])


@dataclass
class Fitted:
    """What is known of the views of a fit, for new samples."""

    names: list[str]
    columns: list[int]
    kinds: list[str]
    # of each view; of a model that was read from a file, the names of its columns
    plans: list[Plan | list[str] | None]

    def absent(self, name: str, samples: int) -> View:
        """A view that no sample has."""
        at = self.names.index(name)
        columns = self.columns[at]
        if self.kinds[at] == "sparse":
            nothing = np.zeros(0, np.int64)
            return View(name, "sparse", (np.zeros(samples + 1, np.int64), nothing, np.zeros(0)),
                        samples, columns)
        return View(name, "dense", (np.zeros((samples, columns)),), samples, columns)


class Samples:
    """Several views as one object whose rows can be selected, for tools that split samples.

    `GridSearchCV` and similar tools take a list of views for a list of samples. They split
    ``onefold.Samples(views)`` like an array:

    >>> import numpy as np, onefold
    >>> both = onefold.Samples({"a": np.ones((6, 2)), "b": np.ones((6, 3))})
    >>> len(both), both[[0, 2]].views["b"].shape
    (6, (2, 3))

    DataFrames are matched by their index first, as `OneFold.fit` does.
    """

    def __init__(self, views: Mapping | Sequence) -> None:
        if isinstance(views, Mapping):
            named = {str(name): view for name, view in views.items()}
        else:
            named = {f"view {i + 1}": view for i, view in enumerate(views)}
        bare = {name: View(name, "", (), _rows(view), 0,
                           index=view.index if _is(view, "pandas", "DataFrame") else None)
                for name, view in named.items()}
        index, where, _ = _common_index(list(bare.values()))
        if where is not None:
            named = {name: view.reindex(index) for name, view in named.items()}
        self.views = named
        counts = {_rows(view) for view in named.values()}
        if len(counts) != 1:
            raise ValueError("the views have different numbers of samples: " + ", ".join(
                f"{name} has {_rows(view)}" for name, view in named.items()))
        self.shape = (counts.pop(), len(named))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Samples:
        return Samples({name: view.iloc[rows] if hasattr(view, "iloc") else view[rows]
                        for name, view in self.views.items()})

    def __repr__(self) -> str:
        return f"Samples({len(self)} samples in {len(self.views)} views: {', '.join(self.views)})"


def _rows(view: Any) -> int:
    return view.shape[0]


def _loaded(module: str, name: str) -> Any:
    """A class of a package, where that package is in use: nothing is imported for looking."""
    found = sys.modules.get(module)
    return getattr(found, name, None) if found else None


def _is(value: Any, module: str, name: str) -> bool:
    kind = _loaded(module, name)
    return kind is not None and isinstance(value, kind)


def _is_sparse(value: Any) -> bool:
    found = sys.modules.get("scipy.sparse")
    return found is not None and found.issparse(value)


# ---- one view ------------------------------------------------------------------------------------


def _first_bad(array: np.ndarray) -> tuple[int, Any] | None:
    """The column and the value of the first cell that is not a number."""
    for row in array.reshape(array.shape[0], -1):
        for column, value in enumerate(row):
            try:
                float(value)
            except (TypeError, ValueError):
                return column, value
    return None


def _as_numbers(array: np.ndarray, name: str) -> np.ndarray:
    """An array of texts or objects as numbers; what is none is named."""
    if "pandas" in sys.modules and array.dtype.kind == "O":
        missing = sys.modules["pandas"].isna(array)
        array = np.where(missing, np.nan, array) if missing.any() else array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        bad = _first_bad(array) if array.ndim == 2 else None
        where = f"view {name}, column {bad[0] + 1}: {bad[1]!r} is not a number" if bad else name
        # the second half is in scikit-learn's own words, which its users and its checks know
        raise type(error)(f"{where}; argument must be a string or a number: {error}") from None


def dense_array(values: Any, name: str) -> np.ndarray:
    """A 2-D array the library can borrow: as it is where type and steps allow, else a copy."""
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} is {array.dtype}")
    if array.dtype.kind in "OUS":
        array = _as_numbers(array, name)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"view {name} holds {array.dtype}; numbers are needed")
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


def _sparse_view(matrix: Any, name: str) -> View:
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


def _frame_view(frame: Any, name: str, plan: Plan | list[str] | None) -> View:
    values, plan = frame_numbers(frame, name, plan)
    array = dense_array(values, name)
    names = plan.column_names()
    ids = {str(heading): frame[heading].tolist() for place, heading in enumerate(plan.names)
           if plan.kind(place).what == "ids" and list(frame.columns).count(heading) == 1}
    return View(name, "dense", (array,), *array.shape,
                names if len(set(names)) == len(names) else None, frame.index, plan, ids)


def one_view(value: Any, name: str, kernel: bool = False,
             plan: Plan | list[str] | None = None) -> View:
    """A view of one array, matrix, frame or AnnData; a frame by the plan of a fit, if there is one."""
    if _is(value, "anndata", "AnnData"):
        view = one_view(value.X, name)
        view.column_names, view.index = [str(v) for v in value.var_names], value.obs_names
        return view
    if _is_sparse(value):
        if kernel:
            return one_view(value.toarray(), name, kernel)
        return _sparse_view(value, name)
    frame = _is(value, "pandas", "DataFrame")
    if frame and not kernel:
        return _frame_view(value, name, plan)
    if isinstance(plan, Plan) and any(kind.what == "category" for kind in plan.special.values()):
        raise ValueError(f"view {name} has categories: new samples are a DataFrame with its columns")
    array = dense_array(value, name)
    square = array.shape[0] == array.shape[1]
    # the kernel of new samples against the training samples is a plain table
    return View(name, "kernel" if kernel and square else "dense", (array,), *array.shape,
                index=value.index if frame and (square or not kernel) else None)


# ---- samples by index ----------------------------------------------------------------------------


def counts(index: Any) -> bool:
    """Whether an index is 0 to n - 1 in order: one that nobody gave."""
    default = _loaded("pandas", "RangeIndex")
    if default is not None and isinstance(index, default):
        return index.start == 0 and index.step == 1
    return index.dtype.kind in "iu" and bool((index.to_numpy() == np.arange(len(index))).all())


def _can_count(index: Any, count: int) -> bool:
    """Whether 0 to count - 1 are names of the kind that an index has. Where it counts as many from 1
    on they are not: each would be matched with its neighbour."""
    if getattr(index.dtype, "kind", "O") not in "iu":
        return False
    return not (len(index) == count and bool((index.to_numpy() == np.arange(1, count + 1)).all()))


def _such_as(view: View) -> str:
    return f"{view.name} holds {view.index[0]!r}" if len(view.index) else f"{view.name} holds none"


def _check_index(view: View, count: int) -> None:
    index = view.index
    if count > 1 and index.has_duplicates:
        twice = index[index.duplicated()][0]
        raise ValueError(f"the view {view.name} has the sample {twice!r} twice in its index")
    if index.nlevels == 1 and index.hasnans:
        raise ValueError(f"the index of the view {view.name} has a missing value: sample "
                         f"{int(np.flatnonzero(index.isna())[0])}, from 0")


def _check_meeting(views: list[View]) -> None:
    """Refuses indexes with few names in common, as the readers of files do."""
    for view in views:
        others = [v for v in views if v is not view]
        most = max(len(view.index.intersection(v.index)) for v in others)
        if 10 * most < min(len(view.index), max(len(v.index) for v in others)) or not most:
            kinds = {v.index.inferred_type for v in views}
            hint = f" (they are of the kinds {' and '.join(sorted(kinds))})" if len(kinds) > 1 else ""
            raise ValueError(f"the views have {'hardly a' if most else 'no'} sample in common: of "
                             "their indexes " + ", ".join(_such_as(v) for v in views) + hint)


def _check_ids(views: list[View]) -> None:
    """Refuses views without an index of their own that have the same ids in a column, in another
    order: matched by order, samples would be confused."""
    for view, other in itertools.combinations(views, 2):
        for heading in view.ids.keys() & other.ids.keys():
            one, two = view.ids[heading], other.ids[heading]
            if one != two and 2 * len(set(one) & set(two)) >= min(len(one), len(two)):
                raise ValueError(f"the views {view.name} and {other.name} have their ids in the column "
                                 f"{heading}, in different order: make it the index of both "
                                 f"(set_index({heading!r})), so that samples are matched by it")


def _common_index(views: list[View]) -> tuple[Any, list[np.ndarray] | None, list | None]:
    """The samples of all views: their index, where each view has them (-1: it lacks the sample), and
    their names.

    An index that is not 0 to n - 1 in order is one to match by, for all views; an index of that kind
    then counts as one where the others are whole numbers too. Without one, samples are taken by
    their order: index and names are None, or the index that only counts, and no places are given.
    """
    indexed = [v for v in views if v.index is not None]
    named = [v for v in indexed if not counts(v.index)]
    if not named:
        _check_ids(indexed)
        return (indexed[0].index if indexed else None), None, None
    for view in named:
        _check_index(view, len(views))
    for view in indexed:
        if counts(view.index):
            other = next((v for v in named if not _can_count(v.index, view.samples)), None)
            if other is not None:
                raise ValueError(
                    f"the view {view.name} has the index 0 to {view.samples - 1}, which nobody gave "
                    f"it, and {_such_as(other)} in its own: which samples belong together cannot be "
                    "told. Give all views one index, or arrays (frame.to_numpy()) to take samples by "
                    "their order")
    first = indexed[0].index
    same = all(first.equals(v.index) for v in indexed[1:])
    bare = [v for v in views if v.index is None]
    numbers = named[0].index.dtype.kind in "iu"  # of rows that have been picked or shuffled
    if bare and (numbers or not same or any(v.samples != len(first) for v in bare)):
        raise ValueError(f"the view {bare[0].name} has no index, and the others are matched by "
                         "theirs: give it as a DataFrame with an index")
    if bare:
        warnings.warn(f"the view {bare[0].name} has no index: its samples are taken in the order of "
                      f"those of {indexed[0].name}")
    if same:
        return first, None, list(first)
    _check_meeting(views)
    union = first
    for view in views[1:]:
        union = union.union(view.index, sort=False)
    return union, [v.index.get_indexer(union) for v in views], list(union)


def _laid_out(view: View, where: np.ndarray) -> View:
    """The rows of a view in another order; missing rows are zero and not used."""
    if view.kind == "sparse":
        from scipy.sparse import csr_matrix
        start, index, value = view.arrays
        matrix = csr_matrix((value, index, start), (view.samples, view.columns))[np.maximum(where, 0)]
        laid = _sparse_view(matrix, view.name)
    else:
        array = view.arrays[0][np.maximum(where, 0)]
        if view.kind == "kernel":
            array = array[:, np.maximum(where, 0)]
            array[:, where < 0] = 0
        array[where < 0] = 0
        laid = View(view.name, view.kind, (array,), *array.shape)
    laid.column_names, laid.plan = view.column_names, view.plan
    return laid


def aligned(values: Any, index: Any, what: str, of: str = "X") -> Any:
    """Values in the order of an index, by their own, where they have one."""
    own = getattr(values, "index", None)
    if index is None or not _is(own, "pandas", "Index") or own.equals(index):
        return values
    if counts(own) and counts(index):
        return values
    for a, b in ((own, index), (index, own)):
        if counts(a) and not _can_count(b, len(a)):
            raise ValueError(
                f"one of {what} and {of} has the index 0 to {len(a) - 1}, which nobody gave it, and the "
                f"other holds {b[0]!r}: give {what} the index of {of}, or as an array "
                f"({what}.to_numpy()) to take it by order")
    if own.has_duplicates:
        raise ValueError(f"{what} has {own[own.duplicated()][0]!r} twice in its index")
    lacking = index[~index.isin(own)]
    if len(lacking):
        raise ValueError(f"{what} has no value for {len(lacking)} of the samples of {of}, "
                         f"{lacking[0]!r} among them")
    return values.loc[index]


def per_view(values: Any, names: Sequence[str], what: str) -> list:
    """One value for each view: by name where they have names, else by place."""
    named = dict(values.items()) if hasattr(values, "items") else None
    if named is None:
        found = list(values)
        if len(found) != len(names):
            raise ValueError(f"{what} has {len(found)} entries, X has {len(names)} views")
        return found
    wrong = [str(key) for key in named if key not in names]
    if wrong or len(named) != len(names):
        what_of = f"{wrong[0]!r}, which is none" if wrong else f"{len(named)} entries"
        raise ValueError(f"{what} has {what_of} of the views {', '.join(names)}")
    return [named[name] for name in names]


# ---- all views -----------------------------------------------------------------------------------


def _columns_picked(frame: Any, part: Any, name: str) -> Any:
    """Some columns of a frame: by their names, or as of an array."""
    if isinstance(part, str):
        part = [part]
    if isinstance(part, slice) and (isinstance(part.start, str) or isinstance(part.stop, str)):
        return frame.loc[:, part]
    if not isinstance(part, slice):
        part = list(part)
        if part and all(isinstance(p, str) for p in part):
            wrong = [p for p in part if p not in frame.columns]
            if wrong:
                import difflib
                near = difflib.get_close_matches(wrong[0], [str(c) for c in frame.columns], 1)
                raise ValueError(f"the view {name} asks for the column {wrong[0]!r}, which X has not"
                                 + (f"; did you mean {near[0]!r}?" if near else ""))
            return frame[part]
    return frame.iloc[:, part]


def _split(X: Any, views: Any, plans: list[Plan | list[str] | None] | None) -> list[View]:
    """One array or frame as several views: slices, lists of columns or masks, names of columns."""
    if isinstance(views, Mapping):
        names, parts = [str(name) for name in views], list(views.values())
    else:
        names, parts = [f"view {i + 1}" for i in range(len(views))], list(views)
    frame = _is(X, "pandas", "DataFrame")
    array = X if frame else X.tocsr() if _is_sparse(X) else dense_array(X, "X")
    found = []
    for i, part in enumerate(parts):
        piece = _columns_picked(array, part, names[i]) if frame else array[:, part]
        if getattr(piece, "ndim", 2) != 2:
            raise ValueError(f"views[{i}] must pick columns of X, not a single one; use a slice")
        found.append(one_view(piece, names[i], plan=plans[i] if plans and i < len(plans) else None))
    return found


def _is_mudata(value: Any) -> bool:
    """MuData, or what looks like it: modalities over one list of cells."""
    return not isinstance(value, dict) and all(
        hasattr(value, name) for name in ("mod", "obs_names", "obs"))


def _by_name(X: Any) -> dict[str, Any] | None:
    """The views of what has a name for each: a dict, a MuData, a frame with two levels of columns."""
    if _is_mudata(X):
        return dict(X.mod)
    if isinstance(X, Mapping) and not _is_sparse(X):  # SciPy's dok_matrix is a dict
        return {str(key): x for key, x in X.items()}
    if _is(X, "pandas", "DataFrame") and X.columns.nlevels > 1:
        return {str(key): X[key] for key in dict.fromkeys(X.columns.get_level_values(0))}
    return None


def _picked_views(named: dict[str, Any], views: Iterable | None) -> dict[str, Any]:
    """The views that `views` names."""
    if views is None:
        return named
    if isinstance(views, Mapping) or not all(isinstance(v, str) for v in views):
        raise ValueError("views= splits one array; X holds several views already, of which it can "
                         "name some: views=" + repr(list(named)[:2]))
    wrong = [v for v in views if v not in named]
    if wrong:
        raise ValueError(f"views= names {wrong[0]!r}, and X has {', '.join(named)}")
    return {v: named[v] for v in views}


def _as_fitted(named: dict[str, Any], fitted: Fitted) -> list[str]:
    """The names of the views of the fit that X lacks; views that the fit did not have are refused."""
    wrong = [name for name in named if name not in fitted.names]
    absent = [name for name in fitted.names if name not in named]
    if wrong or not named:
        raise ValueError(f"X has the view {wrong[0]!r}, which the fit had not: its views are "
                         f"{', '.join(fitted.names)}" if wrong else "X holds no views")
    if absent:
        warnings.warn(f"X has no view {', '.join(absent)}: its samples are taken to lack it")
    return absent


def _check_sizes(views: list[View], minimum: int, single: bool) -> None:
    samples = views[0].samples
    for view in views[1:]:
        if view.samples != samples:
            raise ValueError(f"the views have different numbers of samples: {views[0].name} has "
                             f"{samples}, {view.name} has {view.samples}; with an index of names "
                             "they can be matched")
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


def feature_names_of(X: Any) -> np.ndarray | None:
    """The names of the columns of one frame, where all are texts, as scikit-learn has them."""
    columns = getattr(X, "columns", None)
    if columns is None or _by_name(X) is not None or not all(isinstance(c, str) for c in columns):
        return None
    return np.asarray(columns, dtype=object)


def views_of(X: Any, views: Any = None, kernel: Any = None, minimum: int = 2,
             fitted: Fitted | None = None) -> Views:
    """Turns X into views. `views` splits one array, or names some of several; `kernel`
    "precomputed" takes kernels; `fitted` is what new samples are held to."""
    from ._functions import Dataset

    if isinstance(X, Dataset):
        return X._views()  # the library takes their views and columns by name
    if isinstance(X, Samples):
        X = X.views
    kernels = kernel == "precomputed"
    plans = fitted.plans if fitted else None
    single, total, absent = False, None, []
    named = _by_name(X)
    if named is not None:
        named = _picked_views(named, views)
        absent = _as_fitted(named, fitted) if fitted and named else []
        names = fitted.names if fitted else list(named)
        parts = [one_view(named[name], name, kernels, plans[i] if plans else None)
                 for i, name in enumerate(names) if name in named]
    elif isinstance(X, (list, tuple)) and X and (
            hasattr(X[0], "shape") and getattr(X[0], "ndim", 2) == 2):
        if views is not None:
            raise ValueError("views= splits one array; X holds several views already")
        if fitted and len(fitted.names) != len(X):
            raise ValueError(f"X has {len(X)} views, and the fit had {len(fitted.names)}: give them by "
                             "name, as a dict, where samples lack some")
        names = fitted.names if fitted else [f"view {i + 1}" for i in range(len(X))]
        parts = [one_view(x, names[i], kernels, plans[i] if plans and i < len(plans) else None)
                 for i, x in enumerate(X)]
    else:
        single = True
        if views is not None:
            parts = _split(X, views, plans)
            total = X.shape[1] if hasattr(X, "shape") else dense_array(X, "X").shape[1]
        else:
            parts = [one_view(X, "view 1", kernels, plans[0] if plans else None)]
            total = len(parts[0].plan.names) if parts[0].plan else parts[0].columns
    if not parts:
        raise ValueError("X holds no views")
    index, where, sample_names = _common_index(parts)
    present = None
    if where is not None:
        parts = [_laid_out(view, places) for view, places in zip(parts, where)]
        present = np.stack([places >= 0 for places in where], axis=1).astype(np.uint8)
        present = None if present.all() else present
    _check_sizes(parts, minimum, single)
    if absent:
        present, parts = _with_absent(parts, present, absent, fitted)
    if total is None:
        total = sum(v.columns for v in parts)
    return Views(parts, parts[0].samples, single, present, sample_names,
                 feature_names_of(X) if single else None, int(total), index)


def _with_absent(parts: list[View], present: np.ndarray | None, absent: list[str],
                 fitted: Fitted) -> tuple[np.ndarray, list[View]]:
    """The views of the fit, in its order, and who is present where some views are absent."""
    samples = parts[0].samples
    had = {view.name: (view, 1 if present is None else present[:, i]) for i, view in enumerate(parts)}
    table = np.zeros((samples, len(fitted.names)), np.uint8)
    whole = []
    for i, name in enumerate(fitted.names):
        if name in absent:
            whole.append(fitted.absent(name, samples))
            continue
        view, table[:, i] = had[name]
        whole.append(view)
    return table, whole
