#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people use instead, on the same files: one of these a process, so that its peak memory is its own.

Prints a JSON object: seconds and CPU seconds of the work alone (its arrays already in memory), the
process's peak memory in bytes, and how well the labels agree with the truth where there are any.
"""
import json
import resource
import sys
import time

import numpy as np


def load(paths):
    return [np.load(path) for path in paths]


def standardised(views):
    """Columns to mean 0 and variance 1, in the type they came in."""
    for x in views:
        x -= x.mean(axis=0, dtype=np.float64).astype(x.dtype)
        x /= x.std(axis=0, dtype=np.float64).astype(x.dtype)
    return views


def rbf(x):
    """exp(-||x - y||^2 / s), s the mean squared distance; made in place."""
    squares = np.einsum("ij,ij->i", x, x)
    kernel = x @ x.T
    kernel *= -2
    kernel += squares[:, None]
    kernel += squares[None, :]
    np.maximum(kernel, 0, out=kernel)
    kernel *= -1 / kernel.mean()
    return np.exp(kernel, out=kernel)


def centred(kernel):
    mean = kernel.mean(axis=0)
    kernel -= mean[:, None]
    kernel -= mean[None, :]
    kernel += mean.mean()
    return kernel


def prepare_kmeans(paths):
    return np.concatenate(standardised(load(paths)), axis=1)


def kmeans(x, clusters):
    """scikit-learn's KMeans, 10 starts, on all columns side by side."""
    from sklearn.cluster import KMeans
    return KMeans(n_clusters=clusters, n_init=10, random_state=0).fit_predict(x)


def prepare_views(paths):
    return [x.astype(np.float64) for x in standardised(load(paths))]


def average(views, clusters):
    """The average of the views' kernels, its leading eigenvectors by ARPACK, then KMeans."""
    from scipy.sparse.linalg import eigsh
    from sklearn.cluster import KMeans
    total = None
    for x in views:
        kernel = rbf(x)
        if total is None:
            total = kernel
        else:
            total += kernel
        del kernel
    total /= len(views)
    _, vectors = eigsh(centred(total), k=clusters, which="LA")
    return KMeans(n_clusters=clusters, n_init=10, random_state=0).fit_predict(vectors)


def arpack(views, count):
    """The kernel of one view, centred and normalised, and its leading eigenvectors to 1e-8."""
    from scipy.sparse.linalg import eigsh
    kernel = centred(rbf(views[0]))
    scale = 1 / np.sqrt(np.diagonal(kernel))
    kernel *= scale[:, None]
    kernel *= scale[None, :]
    eigsh(kernel, k=count, which="LA", tol=1e-8)


WORK = {"kmeans": (prepare_kmeans, kmeans), "average": (prepare_views, average),
        "arpack": (prepare_views, arpack)}


def main():
    name, number, *paths = sys.argv[1:]
    prepare, work = WORK[name]
    truth = [path for path in paths if "truth" in path]
    data = prepare([path for path in paths if "truth" not in path])
    began, cpu = time.perf_counter(), time.process_time()
    labels = work(data, int(number))
    result = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu,
              "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}
    if truth and labels is not None:
        from sklearn.metrics import normalized_mutual_info_score
        result["nmi"] = normalized_mutual_info_score(np.load(truth[0]), labels, average_method="max")
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
