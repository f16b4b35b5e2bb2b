# SPDX-License-Identifier: Apache-2.0
"""The methods of bench/quality.py: runs of the command, and two plain ones in NumPy that people use instead.

As a program it is one of the plain ones: quality_methods.py k-means|spectral FILE.npz CLUSTERS SEED,
labels on standard output."""
import sys

import numpy

import quality_sets

# name: (what it is, options of `onefold fit` with {mu} and {half} for rows of a base partition)
COMMAND = {
    "0.1.0": ("os-lfmvc-cs, 0.1.0 bit for bit", ["--method", "os-lfmvc-cs"]),
    "onefold": ("the default", ["--method", "onefold"]),
    "avg-kkm": ("kernel k-means on the average kernel", ["--method", "avg-kkm"]),
    "sb-kkm": ("the best single view's kernel k-means, by its own objective", ["--method", "sb-kkm"]),
    "mkkm": ("multiple kernel k-means", ["--method", "mkkm"]),
    "rmsc": ("robust multi-view spectral clustering", ["--method", "rmsc"]),
    "fmkkm": ("late fusion multiple kernel k-means", ["--method", "fmkkm"]),
    "fmr": ("flexible multi-view representation", ["--method", "fmr"]),
    "lsgmc": ("low-rank subspace graph", ["--method", "lsgmc"]),
    "quick": ("the default with one candidate", ["--method", "onefold", "--effort", "quick"]),
    "thorough": ("the default with more candidates", ["--method", "onefold", "--effort", "thorough"]),
    "mu rows": ("os-lfmvc-cs, mu rows of each base partition",
                ["--method", "os-lfmvc-cs", "--dims", "{mu}"]),
    "1.5mu rows": ("os-lfmvc-cs, 1.5 mu rows", ["--method", "os-lfmvc-cs", "--dims", "{half}"]),
    "knn": ("os-lfmvc-cs on landmark graphs", ["--method", "os-lfmvc-cs", "--kernel", "knn"]),
    "knn, mu rows": ("os-lfmvc-cs on landmark graphs, mu rows",
                     ["--method", "os-lfmvc-cs", "--kernel", "knn", "--dims", "{mu}"]),
    "subspace": ("os-lfmvc-cs on graphs of directions among leading components",
                 ["--method", "os-lfmvc-cs", "--kernel", "subspace"]),
    "subspace, mu rows": ("the same, mu rows",
                          ["--method", "os-lfmvc-cs", "--kernel", "subspace", "--dims", "{mu}"]),
    "knn avg-kkm": ("kernel k-means on the average landmark graph", ["--method", "avg-kkm", "--kernel", "knn"]),
}
PLAIN = {
    "k-means": "k-means on all columns, standardised (text: tf-idf), best of 10",
    "spectral": "spectral clustering of the average of the views' nearest-neighbour graphs",
}
NEW = {"onefold", "quick", "thorough", "knn", "knn, mu rows", "subspace", "subspace, mu rows", "knn avg-kkm"}
PEERS = ["0.1.0", "onefold", "avg-kkm", "sb-kkm", "mkkm", "rmsc", "fmkkm", "fmr", "lsgmc", "k-means", "spectral"]
IDEAS = [name for name in COMMAND if name not in PEERS]
NAMES = PEERS + IDEAS


def command(onefold, name, path, clusters, seed, labels):
    half = -(-3 * clusters // 2)
    options = [option.format(mu=clusters, half=half) for option in COMMAND[name][1]]
    return [onefold, "fit", path, "--clusters", str(clusters), "--seed", str(seed), "--threads", "1",
            "--progress", "never", "--labels", labels, *options]


# ---- the plain ones -----------------------------------------------------------------------------


def is_text(view):
    return numpy.count_nonzero(view) < 0.3 * view.size and view.min() >= 0


def is_graph(view):
    return view.shape[0] == view.shape[1] and numpy.count_nonzero(view) < 0.2 * view.size


def features(view):
    """Columns that distances make sense in. A sample that lacks the view has no words, or the mean."""
    known = numpy.nan_to_num(view)
    if is_text(known):
        view = known
        words = view * numpy.log(len(view) / numpy.maximum((view > 0).sum(0), 1))
        return words / numpy.maximum(numpy.linalg.norm(words, axis=1, keepdims=True), 1e-12)
    view = numpy.where(numpy.isnan(view).any(1, keepdims=True), numpy.nanmean(view, 0), view)
    return (view - view.mean(0)) / numpy.maximum(view.std(0), 1e-12)


def squared(points, centres):
    gap = (points * points).sum(1)[:, None] + (centres * centres).sum(1) - 2 * points @ centres.T
    return numpy.maximum(gap, 0)


def k_means(points, clusters, random, starts=10, iterations=100):
    """Lloyd from k-means++; the smallest sum of squares of several starts."""
    best, least = None, numpy.inf
    for _ in range(starts):
        centres = points[random.integers(len(points))][None]
        near = squared(points, centres)[:, 0]
        while len(centres) < clusters:
            share = near / near.sum() if near.sum() > 0 else None
            chosen = points[random.choice(len(points), p=share)][None]
            centres = numpy.concatenate([centres, chosen])
            near = numpy.minimum(near, squared(points, chosen)[:, 0])
        labels = None
        for _ in range(iterations):
            gap = squared(points, centres)
            now = gap.argmin(1)
            if labels is not None and (now == labels).all():
                break
            labels = now
            sums = numpy.zeros_like(centres)
            numpy.add.at(sums, labels, points)
            count = numpy.bincount(labels, minlength=clusters)
            centres = numpy.where(count[:, None] > 0, sums / numpy.maximum(count, 1)[:, None], centres)
        total = gap[numpy.arange(len(points)), now].sum()
        if total < least:
            best, least = now, total
    return best


def on_all_columns(views, clusters, seed):
    points = numpy.concatenate([features(view) for view in views], 1)
    if points.shape[1] > len(points):  # the same distances in fewer columns
        left, size, _ = numpy.linalg.svd(points - points.mean(0), full_matrices=False)
        points = left * size
    return k_means(points, clusters, numpy.random.default_rng(seed))


def points_of_kernel(kernel):
    """Points whose products are the kernel, so that distances are those it speaks of."""
    value, vector = numpy.linalg.eigh((kernel + kernel.T) / 2)
    return vector * numpy.sqrt(numpy.maximum(value, 0))


def neighbour_graph(view, is_kernel, neighbours=10):
    """A graph view as it is; else ties to the nearest, weighed by distances that each sample scales."""
    if not is_kernel and is_graph(view):
        return ((view + view.T) != 0).astype(numpy.float32)
    points = points_of_kernel(view) if is_kernel else features(view)
    n = len(points)
    graph = numpy.zeros((n, n), numpy.float32)
    nearest, gap = numpy.empty((n, neighbours), int), numpy.empty((n, neighbours))
    for first in range(0, n, 2000):
        rows = slice(first, min(first + 2000, n))
        d = squared(points[rows], points)
        d[numpy.arange(d.shape[0]), numpy.arange(rows.start, rows.stop)] = numpy.inf
        order = numpy.argpartition(d, neighbours, axis=1)[:, :neighbours]
        nearest[rows], gap[rows] = order, numpy.take_along_axis(d, order, 1)
    scale = numpy.sqrt(numpy.maximum(gap.max(1), 1e-12))
    weight = numpy.exp(-gap / (scale[:, None] * scale[nearest]))
    graph[numpy.repeat(numpy.arange(n), neighbours), nearest.ravel()] = weight.ravel()
    return (graph + graph.T) / 2


def leading(matrix, count, random, blocks=14):
    """Leading eigenvectors of a symmetric matrix: all of it where it is small, else block Krylov."""
    n = len(matrix)
    if n <= 2500:
        return numpy.linalg.eigh(matrix.astype(float))[1][:, ::-1][:, :count]
    block = numpy.linalg.qr(random.standard_normal((n, count + 4)).astype(numpy.float32))[0]
    basis = [block]
    for _ in range(blocks - 1):
        block = matrix @ block + block
        for _ in range(2):
            for old in basis:
                block -= old @ (old.T @ block)
        block = numpy.linalg.qr(block)[0]
        basis.append(block)
    basis = numpy.concatenate(basis, 1)
    vectors = numpy.linalg.eigh((basis.T @ (matrix @ basis)).astype(float))[1][:, ::-1][:, :count]
    return basis @ vectors


def of_average_graph(views, clusters, seed, is_kernel):
    """Ng, Jordan and Weiss on the mean of the graphs, each normalised by degree."""
    total = 0
    for view in views:
        graph = neighbour_graph(view, is_kernel)
        root = 1 / numpy.sqrt(numpy.maximum(graph.sum(1), 1e-12))
        total = total + root[:, None] * graph * root
    random = numpy.random.default_rng(seed)
    rows = leading(total / len(views), clusters, random)
    rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return k_means(rows.astype(float), clusters, random)


def main():
    name, path, clusters, seed = sys.argv[1:]
    views, is_kernel = quality_sets.load(path)
    if name == "spectral":
        labels = of_average_graph(views, int(clusters), int(seed), is_kernel)
    elif is_kernel:
        sys.exit("kernel matrices have no columns")
    else:
        labels = on_all_columns(views, int(clusters), int(seed))
    print("\n".join(map(str, labels)))


if __name__ == "__main__":
    main()
