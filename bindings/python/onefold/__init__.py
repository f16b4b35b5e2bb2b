# SPDX-License-Identifier: Apache-2.0
"""Onefold: one set of labels from several views of the same samples.

>>> import onefold
>>> digits = onefold.datasets.load_digits()
>>> model = onefold.OneFold(n_clusters=10, method="os-lfmvc-cs", random_state=0).fit(digits.views)
>>> model.labels_.shape
(1797,)
"""
from . import datasets, pl, tl
from ._bench import bench, plot_convergence, plot_scores, plot_sensitivity, plot_times
from ._estimator import NothingFoundWarning, OneFold
from ._functions import Choice, Dataset, Explanation, choose, explain, methods, read, score
from ._inputs import Samples
from ._report import report
from ._onefold import capabilities, version

__version__ = version()
__all__ = ["Choice", "Dataset", "Explanation", "NothingFoundWarning", "OneFold", "Samples", "bench", "capabilities",
           "choose", "datasets", "explain", "methods", "pl", "plot_convergence", "plot_scores",
           "plot_sensitivity", "plot_times", "read", "report", "score", "tl", "__version__"]
