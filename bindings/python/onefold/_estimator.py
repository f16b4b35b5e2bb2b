# SPDX-License-Identifier: Apache-2.0
"""OneFold: multi-view clustering as an estimator in the manner of scikit-learn.

The class follows scikit-learn's conventions without needing it: it uses scikit-learn's classes only
where the program has imported them.
"""
from __future__ import annotations

import inspect
import numbers
import os
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import _onefold
from ._errors import translated
from ._inputs import IMPUTE, Fitted, Views, feature_names_of, per_view, views_of
from ._report import html_of, remember

BASES = {"auto": 0, "exact": 1, "nystrom": 2}
PRECISIONS = {"double": 0, "single": 1}
EFFORTS = {"normal": 0, "quick": 1, "thorough": 2}
# Models that predict has decoded. Not an attribute: predict leaves an estimator as it was.
_decoded_models = weakref.WeakKeyDictionary()
EXPLAINED = 20  # columns kept for each cluster and view that has names


def seed_of(random_state: Any) -> int:
    """A seed of the library: None is 0, so that the same call gives the same labels."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, it is {random_state}")
        return int(random_state)
    if hasattr(random_state, "randint"):
        return int(random_state.randint(0, 2**31 - 1))
    if hasattr(random_state, "integers"):
        return int(random_state.integers(0, 2**31 - 1))
    raise ValueError(f"random_state must be None, a number or a random generator, not "
                     f"{random_state!r}")


def threads_of(n_jobs: int | None) -> int:
    """Threads: None and -1 are all cores, other negative numbers leave some free, as in joblib."""
    if n_jobs is None:
        return 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or a number other than 0, not {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


@contextmanager
def progress_bar(verbose: Any) -> Iterator[Callable | None]:
    """A bar by tqdm if it is installed, else a line per stage; None if not verbose."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        tqdm = None
    state = {"stage": None, "bar": None}

    def tell(stage, done, total, detail):
        if stage != state["stage"]:
            if state["bar"] is not None:
                state["bar"].close()
            state["stage"] = stage
            state["bar"] = tqdm(total=total or None, desc=stage) if tqdm else None
            if tqdm is None:
                print(f"onefold: {stage}", file=sys.stderr)
        if state["bar"] is not None:
            state["bar"].n = done
            state["bar"].refresh()

    try:
        yield tell
    finally:
        if state["bar"] is not None:
            state["bar"].close()


def _not_fitted(estimator: OneFold) -> Exception:
    """scikit-learn's NotFittedError if it is installed, else an error with the same base classes."""
    message = (f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with "
               "appropriate arguments before using this estimator.")
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        NotFittedError = type("NotFittedError", (ValueError, AttributeError), {})
    return NotFittedError(message)


def _numbers(found: Any, kind: Any = np.float64, shape: Any = None) -> Any:
    if found is None:
        return None
    values = np.frombuffer(found, kind)
    return values if shape is None else values.reshape(shape)


def _available_with_model(name):
    """A method that exists only where the estimator's method has a model."""
    def decorate(function):
        class Available:
            """Checks on access whether the method has a model."""

            def __get__(self, estimator, owner=None):
                if estimator is None:
                    return function
                if not estimator._has_model():
                    raise AttributeError(f"the method {estimator.method!r} has no model: "
                                         f"'{name}' is not available")
                return function.__get__(estimator, owner)

        found = Available()
        found.__doc__ = function.__doc__
        return found
    return decorate


NOTHING = ("nothing was found: these clusters are no more than chance (subsamples agree at "
           "{stable:.2f}, {chance:.2f} by chance; neighbours tell {told:.0%}, {told_chance:.0%} by "
           "chance)")


class NothingFoundWarning(UserWarning):
    """The clusters of a fit are no more than chance."""


class OneFold:
    """Clusters samples described by several views.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    views : list or dict, optional
        Splits one array X into views: ``views=[slice(0, 50), slice(50, 80)]``; a DataFrame also by
        names of columns: ``views={"clinical": ["age", "sex"], "lab": ["crp", "ldh"]}``. If X holds
        several views, the names of the views to take: ``views=["rna", "protein"]``.
    method : str
        One of `onefold.methods()`.
    kernel : str, or list or dict of str
        One for all views, or one for each, by position or by the name of the view: "auto", "linear",
        "cosine", "rbf", "graph", "precomputed", "laplacian", "knn", "subspace".
    effort : str
        Work of the method "onefold": one recipe ("quick"), recipes compared ("normal"), or compared
        with more restarts ("thorough").
    n_components, n_anchors : int, optional
        Dimensions kept per view and anchors (k and m of the paper); twice n_clusters by default.
        At least two dimensions, and at least n_clusters, are kept.
    n_init : int, optional
        Restarts; the one of largest objective is kept. None: 2 with the method "onefold" (10 if the
        effort is "thorough" or views are kernels), else 10.
    tol, max_iter
        Relative change of the objective at which a run stops, and maximum number of iterations. The
        method "onefold" does not use tol, max_iter, n_anchors, base and precision.
    base : str
        "auto", "exact" or "nystrom": how the base partitions of rbf kernels are computed.
    landmarks : int, optional
        Landmarks of base "nystrom" (by cost if None) and of the kernels "knn" and "subspace" (1000).
    neighbours : int, optional
        Landmarks that the kernels "knn" and "subspace" link a sample to; 8 if None.
    precision : str
        "double" or "single": how base partitions are stored.
    weights : list or dict, optional
        Weights of views, by position or by the name of the view: a number fixes a weight, None or
        "auto" leaves it to the method, a pair bounds it. Weights of the method "onefold" add up to 1.
    impute : None, "mean" or "median"
        What fills single missing values; None refuses them. A sample with a row of NaN lacks the view.
    random_state : int, generator or None
        The seed; None is 0: the same data gives the same labels.
    n_jobs : int, optional
        Threads; all cores by default. Labels do not depend on it.
    verbose : int
        Non-zero: a progress bar.

    Attributes
    ----------
    labels_, confidence_ : array of n_samples
    sample_names_ : list of n_samples, or None
        The index of the samples, in the order of labels_, if X has an index other than 0, 1, 2, ...
    view_weights_, view_names_ : one per view
    chosen_ : str, what the method "onefold" chose and why; None for other methods
    finding_ : dict, whether the clusters are more than chance: "stable" and "told" with what is so by
        chance, and the "verdict"; None for other methods
    stability_ : array, how well each cluster comes back on subsamples, 0 to 1; None likewise
    candidates_ : list of dict, the recipes that the method "onefold" compared; the chosen one has the
        largest "score"
    embedding_ : array of n_samples x rows, the fused embedding
    objective_, objective_trace_ : None where k-means made the labels of the method "onefold"
    n_iter_, converged_
    n_features_in_ : int, columns of all views
    n_features_per_view_ : list of int, with a column for each value of a category
    feature_names_in_ : array of str, where X was one DataFrame
    agreement_ : array of n_views, agreement (NMI) of a view's own labels with the fused ones
    cluster_agreement_ : array of n_clusters x n_views
    view_parts_ : array of n_samples x n_views, each view's part in the score of a sample's cluster;
        None for methods without parts
    """

    _estimator_type = "clusterer"

    def __init__(self, n_clusters: int = 8, *, views: Sequence | Mapping | None = None,
                 method: str = "onefold", kernel: str | Sequence[str] | Mapping[str, str] = "auto",
                 effort: str = "normal", n_components: int | None = None,
                 n_anchors: int | None = None, n_init: int | None = None, tol: float = 1e-6,
                 max_iter: int = 100, base: str = "auto", landmarks: int | None = None,
                 neighbours: int | None = None, precision: str = "double",
                 weights: Sequence | Mapping[str, Any] | None = None, impute: str | None = None,
                 random_state: Any = None, n_jobs: int | None = None, verbose: int = 0) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.method = method
        self.kernel = kernel
        self.effort = effort
        self.n_components = n_components
        self.n_anchors = n_anchors
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.base = base
        self.landmarks = landmarks
        self.neighbours = neighbours
        self.precision = precision
        self.weights = weights
        self.impute = impute
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---- parameters -----------------------------------------------------------------------------

    @classmethod
    def _get_param_names(cls):
        names = inspect.signature(cls.__init__).parameters
        return sorted(name for name in names if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, as the constructor takes them."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params: Any) -> OneFold:
        """Sets parameters by name."""
        known = self._get_param_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid "
                                 f"parameters are: {known!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        shown = []
        for name in defaults:
            if name == "self":
                continue
            value, default = getattr(self, name), defaults[name].default
            same = value is default
            if not same:
                try:
                    same = bool(value == default)
                except (TypeError, ValueError):
                    same = False
            if not same:
                shown.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def _repr_html_(self) -> str:
        return html_of(self)

    def _more_tags(self):
        # single missing values are refused; a row of NaN in a view is a sample that lacks it
        return {"allow_nan": False}

    def __sklearn_tags__(self):
        from sklearn.utils import ClustererTags, InputTags, Tags, TargetTags, TransformerTags
        return Tags(estimator_type="clusterer", target_tags=TargetTags(required=False),
                    transformer_tags=TransformerTags(), input_tags=InputTags(sparse=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "labels_")

    def _method_has(self, what: str) -> bool:
        return any(found["name"] == self.method and found[what] for found in _onefold.methods())

    def _has_model(self) -> bool:
        return self._method_has("has_model")

    # ---- fitting --------------------------------------------------------------------------------

    def _kernel_words(self, names: Sequence[str]) -> str | None:
        if isinstance(self.kernel, str):
            return None if self.kernel in ("auto", "precomputed") else self.kernel
        return ",".join(per_view(self.kernel, names, "kernel"))

    def _weight_words(self, names: Sequence[str]) -> str | None:
        if self.weights is None:
            return None
        weights = per_view(self.weights, names, "weights")

        def word(weight):
            if weight is None or isinstance(weight, str):
                return weight or "auto"
            if weight != weight:  # a Series has NaN for None
                return "auto"
            if isinstance(weight, (tuple, list)):
                return f"{float(weight[0])!r}..{float(weight[1])!r}"
            return repr(float(weight))
        return ",".join(word(w) for w in weights)

    def _options(self, data: Views) -> dict[str, Any]:
        clusters = self.n_clusters
        if not isinstance(clusters, numbers.Integral) or clusters < 1:
            raise ValueError(f"n_clusters must be a number from 1 on, not {clusters!r}")
        if self.base not in BASES:
            raise ValueError(f"base must be one of {', '.join(BASES)}, not {self.base!r}")
        if self.precision not in PRECISIONS:
            raise ValueError(f"precision must be 'double' or 'single', not {self.precision!r}")
        for name in ("landmarks", "neighbours", "n_init"):
            count = getattr(self, name)
            if count is not None and (not isinstance(count, numbers.Integral) or count < 1):
                raise ValueError(f"{name} must be None or a number from 1 on, not {count!r}")
        if self.impute not in IMPUTE:
            raise ValueError(f"impute must be None, 'mean' or 'median', not {self.impute!r}")
        if clusters > data.samples:
            raise ValueError(f"n_samples={data.samples} should be >= n_clusters={clusters}")
        model = self._has_model()
        names = [v.name for v in data.views]
        options = {"clusters": int(clusters), "method": self.method,
                   "kernel": self._kernel_words(names),
                   "dims": self.n_components and max(int(self.n_components), int(clusters), 2),
                   "anchors": self.n_anchors, "restarts": self.n_init, "tolerance": self.tol,
                   "max_iterations": self.max_iter, "base": BASES[self.base],
                   "landmarks": self.landmarks, "neighbours": self.neighbours,
                   "precision": PRECISIONS[self.precision],
                   "weights": self._weight_words(names), "keep_model": int(model),
                   "view_parts": int(self._method_has("has_view_parts")),
                   "seed": seed_of(self.random_state)}
        if any(v.column_names for v in data.views):
            options["explain"] = EXPLAINED
        options.update(_effort(self))
        return {name: value for name, value in options.items() if value is not None}

    def fit(self, X: Any, y: Any = None) -> OneFold:
        """Clusters X: a list, tuple or dict of views, one array, a DataFrame, an AnnData, a MuData,
        a `Samples` or a `Dataset`. `y` is ignored."""
        data = views_of(X, self.views, self.kernel if isinstance(self.kernel, str) else None)
        options = self._options(data)
        with translated(), progress_bar(self.verbose) as bar:
            found = _onefold.fit(data.dataset(self.impute), options, threads_of(self.n_jobs), bar)
        self._take(found, data)
        remember(self, X)
        if self.finding_ and self.finding_["verdict"] == "no more than chance":
            warnings.warn(NOTHING.format(**self.finding_), NothingFoundWarning, stacklevel=2)
        return self

    def to_frame(self, data: Any = None) -> Any:
        """Cluster, confidence and stability of the cluster of each sample as a DataFrame, by sample.
        With `data`, a DataFrame whose index has the samples: its rows, joined by the index."""
        import pandas
        if getattr(self, "labels_", None) is None:
            raise _not_fitted(self)
        table = pandas.DataFrame({"cluster": self.labels_}, index=self.sample_names_)
        if self.confidence_ is not None:
            table["confidence"] = self.confidence_
        if self.stability_ is not None:
            table["stability"] = self.stability_[self.labels_]
        if data is None:
            return table
        lacking = [name for name in table.index if name not in data.index]
        if len(lacking) == len(table):
            raise ValueError("no sample is in the index of `data`: set its index to their names, as "
                             f"{table.index[0]!r}")
        return data.join(table, how="left")

    def _take(self, found: dict[str, Any], data: Views) -> None:
        n, p = data.samples, len(found["views"])
        self.labels_ = _numbers(found["labels"], np.int32)
        self.confidence_ = _numbers(found["confidence"])
        rows = found["embedding_rows"]
        self.embedding_ = _numbers(found["embedding"], shape=(n, rows) if rows else None)
        self.view_names_ = [v["name"] for v in found["views"]]
        self.view_weights_ = np.array([v["weight"] for v in found["views"]])
        self.agreement_ = _numbers(found["agreement"])
        self.cluster_agreement_ = _numbers(found["cluster_agreement"],
                                           shape=(-1, p) if found["cluster_agreement"] else None)
        self.view_parts_ = _numbers(found["view_parts"],
                                    shape=(n, p) if found["view_parts"] else None)
        self.objective_ = found["objective"] if found["trace"] else None
        self.objective_trace_ = _numbers(found["trace"])
        self.n_iter_ = max(1, found["iterations"])
        self.converged_ = found["converged"]
        self.n_features_per_view_ = [v.columns for v in data.views]
        self.n_features_in_ = data.columns
        if data.feature_names is not None:
            self.feature_names_in_ = data.feature_names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.sample_names_ = data.sample_names
        self.chosen_ = found["note"] if found["candidates"] else None
        self.candidates_ = found["candidates"]
        self.finding_ = found["finding"]
        self.stability_ = _numbers(found["stability"])
        self._fitted = Fitted(self.view_names_, self.n_features_per_view_,
                              [v.kind for v in data.views], [v.plan for v in data.views])
        self._model_bytes = found["model"]
        self._explained = {c: {v["name"]: v["explained"][c] for v in found["views"]}
                           for c in range(int(self.n_clusters))}

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Clusters X and returns its labels."""
        return self.fit(X).labels_

    # ---- new samples ----------------------------------------------------------------------------

    def _decoded(self) -> Any:
        if getattr(self, "_model_bytes", None) is None:
            raise _not_fitted(self)
        kept = _decoded_models.get(self)
        if kept is None or kept[0] is not self._model_bytes:
            kept = (self._model_bytes, _onefold.decode(self._model_bytes))
            _decoded_models[self] = kept
        return kept[1]

    def _check_columns(self, data: Views) -> None:
        read = self.labels_ is None and any(v.plan for v in data.views)  # the columns are found by name
        if data.single and data.columns != self.n_features_in_ and not read:
            raise ValueError(f"X has {data.columns} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input")

    def _check_feature_names(self, X: Any) -> None:
        """The names of the columns of one frame, in the words of scikit-learn."""
        fitted, given = getattr(self, "feature_names_in_", None), feature_names_of(X)
        name = type(self).__name__
        if self.labels_ is None:
            return  # a model that was read: its columns are found by name
        if fitted is None and given is not None:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names")
        elif fitted is not None and given is None:
            if hasattr(X, "ndim"):
                warnings.warn(f"X does not have valid feature names, but {name} was fitted with "
                              "feature names")
        elif fitted is not None and list(fitted) != list(given):
            unseen = sorted(set(given) - set(fitted))
            missing = sorted(set(fitted) - set(given))
            lines = ["The feature names should match those that were passed during fit."]
            if unseen:
                lines += ["Feature names unseen at fit time:"] + [f"- {u}" for u in unseen[:5]]
            if missing:
                lines += ["Feature names seen at fit time, yet now missing:"]
                lines += [f"- {m}" for m in missing[:5]]
            if not unseen and not missing:
                lines += ["Feature names must be in the same order as they were in fit."]
            raise ValueError("\n".join(lines) + "\n")

    def _predicted(self, X: Any, embedding: bool) -> tuple[dict[str, Any], Views]:
        if not hasattr(self, "labels_"):
            raise _not_fitted(self)
        self._check_feature_names(X)
        kernel = self.kernel if isinstance(self.kernel, str) else None
        data = views_of(X, self.views, kernel, minimum=1, fitted=self._fitted)
        self._check_columns(data)
        with translated():
            found = _onefold.predict(self._decoded(), data.dataset(self.impute and "model"),
                                     embedding, threads_of(self.n_jobs))
        for sentence in found["remarks"].splitlines():
            warnings.warn(sentence, stacklevel=4)
        return found, data

    @_available_with_model("predict")
    def predict(self, X: Any, return_confidence: bool = False) -> Any:
        """The clusters of new samples; with `return_confidence`, a pair of labels and confidences.

        Views with names (a dict, a MuData) and columns of DataFrames are taken by name. A view that X
        does not have counts as missing. DataFrames are matched by their index, as in `fit`; labels
        are in the order of the first view's samples.
        """
        found, _ = self._predicted(X, False)
        labels = _numbers(found["labels"], np.int32)
        return (labels, _numbers(found["confidence"])) if return_confidence else labels

    @_available_with_model("transform")
    def transform(self, X: Any) -> np.ndarray:
        """The fused embedding of new samples."""
        found, data = self._predicted(X, True)
        return _numbers(found["embedding"], shape=(data.samples, -1))

    @_available_with_model("fit_transform")
    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Clusters X and returns its fused embedding, as `transform` does."""
        return self.fit(X).transform(X)

    @_available_with_model("score")
    def score(self, X: Any, y: Any = None) -> float:
        """The NMI of the predicted labels with y, matched by index where both have one; without y,
        the mean confidence."""
        found, data = self._predicted(X, False)
        if y is None:
            return float(np.mean(_numbers(found["confidence"])))
        from ._functions import score
        return score(_numbers(found["labels"], np.int32), data.aligned(y, "y"))["nmi"]

    # ---- files ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike) -> None:
        """Writes the model file of the command, which `onefold predict` reads."""
        if getattr(self, "_model_bytes", None) is None:
            raise _not_fitted(self)
        whole = os.fspath(path)
        part = f"{whole}.{os.getpid()}.tmp"
        try:
            with open(part, "wb") as file:
                file.write(self._model_bytes)
            os.replace(part, whole)
        except OSError:
            if os.path.exists(part):
                os.unlink(part)
            raise

    @classmethod
    def load(cls, path: str | os.PathLike) -> OneFold:
        """Makes an estimator from a model file. It can predict and transform."""
        with open(path, "rb") as file:
            content = file.read()
        with translated():
            model = _onefold.decode(content)
        found = _onefold.describe_model(model)
        estimator = cls(n_clusters=found["clusters"], random_state=found["seed"],
                        n_components=found["dims"],
                        impute=None)
        estimator.method = next(m["name"] for m in _onefold.methods() if m["has_model"])
        estimator.view_names_ = [v["name"] for v in found["views"]]
        estimator.view_weights_ = np.array([v["weight"] for v in found["views"]])
        estimator.n_features_per_view_ = [v["columns"] for v in found["views"]]
        estimator.n_features_in_ = int(sum(estimator.n_features_per_view_))
        estimator.labels_ = None
        estimator._fitted = Fitted(estimator.view_names_, estimator.n_features_per_view_,
                                   [v["storage"] for v in found["views"]],
                                   [v["names"] for v in found["views"]])
        estimator._model_bytes = content
        _decoded_models[estimator] = (content, model)
        if all(v["storage"] == "kernel" for v in found["views"]):
            estimator.kernel = "precomputed"
        return estimator


def _effort(estimator: OneFold) -> dict[str, int]:
    """The effort, for the method that has the option."""
    if estimator.effort not in EFFORTS:
        raise ValueError(f"effort must be one of {', '.join(EFFORTS)}, not {estimator.effort!r}")
    return {"effort": EFFORTS[estimator.effort]} if estimator.method == "onefold" else {}
