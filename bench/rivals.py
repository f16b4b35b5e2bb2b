# SPDX-License-Identifier: Apache-2.0
"""What people with several views run today, restated from the papers with the defaults of their authors' packages:

- SNF: Wang et al., Similarity network fusion, Nature Methods 2014 (20 neighbours, 0.5, 20 rounds);
- NEMO: Rappoport and Shamir, Bioinformatics 2019 (a sixth of the samples as neighbours; samples may lack views);
- co-trained spectral clustering: Kumar and Daume, ICML 2011 (10 rounds), and
- co-regularised spectral clustering, pairwise: Kumar, Rai and Daume, NIPS 2011 (lambda 2, 10 rounds), both with the kernel and
  the joined embedding of mvlearn.

A view is a dense n x d array; NaN rows, where a sample lacks a view, are for `nemo` alone."""
import numpy
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
from sklearn.cluster import KMeans

TINY = numpy.finfo(float).eps


def squared_distances(points, others=None):
    others = points if others is None else others
    gap = (points * points).sum(1)[:, None] + (others * others).sum(1) - 2 * points @ others.T
    return numpy.maximum(gap, 0)


# ---- SNF ----------------------------------------------------------------------------------------


def affinity(distance, neighbours=20, width=.5):
    """Normal densities of distances; the scale is the mean of both samples' distances to their neighbours and of their own."""
    neighbours = min(neighbours, len(distance) - 1)
    distance = (distance + distance.T) / 2
    numpy.fill_diagonal(distance, 0)
    near = numpy.sort(distance, 1)[:, 1:neighbours + 1].mean(1) + TINY
    scale = width * ((near[:, None] + near) / 3 + distance / 3 + TINY)
    weight = numpy.exp(-.5 * (distance / scale) ** 2) / (scale * numpy.sqrt(2 * numpy.pi))
    return (weight + weight.T) / 2


def halved(weight):
    """Rows add up to 1, a half of it on the diagonal; then symmetric."""
    weight = weight.copy()
    numpy.fill_diagonal(weight, 0)
    rows = weight.sum(1, keepdims=True)
    weight /= 2 * numpy.where(rows == 0, 1, rows)
    numpy.fill_diagonal(weight, .5)
    return (weight + weight.T) / 2


def strongest(weight, count):
    """The largest entries of each row, adding up to 1, as a sparse matrix."""
    n, count = len(weight), min(count, len(weight))
    kept = numpy.argsort(-weight, 1, kind="stable")[:, :count]
    values = numpy.take_along_axis(weight, kept, 1)
    values = values / numpy.maximum(values.sum(1, keepdims=True), TINY)
    return scipy.sparse.csr_matrix((values.ravel(), kept.ravel(), numpy.arange(0, n * count + 1, count)), (n, n))


def fuse(weights, neighbours=20, rounds=20):
    """The fused network of SNF: every view's strongest ties carry the mean of the other views' networks."""
    if len(weights) == 1:
        return halved(weights[0])
    networks = [halved(weight) for weight in weights]
    ties = [strongest(network, neighbours) for network in networks]
    for _ in range(rounds):
        total = sum(networks)
        carried = []
        for own, tie in zip(networks, ties):
            half = tie @ ((total - own) / (len(networks) - 1))
            carried.append(halved((tie @ half.T).T))
        networks = carried
    return halved(sum(networks) / len(networks))


def snf(views, clusters, seed):
    weights = [affinity(numpy.sqrt(squared_distances(view))) for view in views]
    return cut(fuse(weights), clusters, seed)


# ---- NEMO ---------------------------------------------------------------------------------------


def relative(view, neighbours):
    """Similarities relative to the neighbourhoods of both samples."""
    gap = squared_distances(view)
    numpy.fill_diagonal(gap, 0)
    near = numpy.sort(gap, 1)[:, 1:neighbours + 1].mean(1) + TINY
    scale = (near[:, None] + near + gap) / 3
    weight = numpy.exp(-gap / (2 * scale)) / numpy.sqrt(2 * numpy.pi * scale)
    numpy.fill_diagonal(weight, 0)
    one_way = strongest(weight, neighbours)
    return numpy.asarray((one_way + one_way.T).todense())


def network(views, neighbours=None):
    """The mean over views of relative similarities, over the views that both samples have."""
    n = len(views[0])
    total, seen = numpy.zeros((n, n)), numpy.zeros((n, n))
    for view in views:
        there = numpy.flatnonzero(~numpy.isnan(view).any(1))
        block = numpy.ix_(there, there)
        total[block] += relative(view[there], neighbours or max(round(len(there) / 6), 1))
        seen[block] += 1
    return total / numpy.maximum(seen, 1)


def nemo(views, clusters, seed):
    return cut(network(views), clusters, seed)


# ---- spectral clustering of one graph: both packages take this one ---------------------------------


def leading(matrix, count, by_size=False):
    """Eigenvectors of the largest eigenvalues, the first before the second (`by_size`: largest in absolute value, as singular
    vectors are)."""
    n = len(matrix)
    if n > 400:
        try:
            start = numpy.random.default_rng(n).standard_normal(n)
            values, vectors = scipy.sparse.linalg.eigsh(matrix, count, which="LM" if by_size else "LA", v0=start)
            return vectors[:, numpy.argsort(-(abs(values) if by_size else values), kind="stable")]
        except scipy.sparse.linalg.ArpackError:
            pass  # all of them, then
    values, vectors = scipy.linalg.eigh(matrix)
    return vectors[:, numpy.argsort(-(abs(values) if by_size else values), kind="stable")[:count]]


def cut(weight, clusters, seed):
    """Leading vectors of the normalised graph, rows of length 1, turned to the nearest indicators (Yu and Shi 2003)."""
    degree = weight.sum(1)
    root = 1 / numpy.sqrt(numpy.where(degree > 0, degree, TINY))
    n = len(weight)
    rows = leading(root[:, None] * weight * root, clusters)
    rows = rows / numpy.maximum(numpy.linalg.norm(rows, axis=1, keepdims=True), TINY)
    turn = numpy.zeros((clusters, clusters))
    turn[:, 0] = rows[n // 2]
    taken = numpy.zeros(n)
    for j in range(1, clusters):
        taken += abs(rows @ turn[:, j - 1])
        turn[:, j] = rows[taken.argmin()]
    before = 0
    for _ in range(20):
        labels = (rows @ turn).argmax(1)
        left, size, right = numpy.linalg.svd(numpy.eye(clusters)[labels].T @ rows)
        if abs(size.sum() - before) < TINY:
            break
        before, turn = size.sum(), right.T @ left.T
    return labels


# ---- spectral clustering that views teach each other ---------------------------------------------


def rbf(view):
    """exp(-d^2 / (2 median(d)^2))"""
    gap = squared_distances(view)
    middle = numpy.median(numpy.sqrt(gap))
    return numpy.exp(-gap / (2 * max(middle, TINY) ** 2))


def normalised(weight):
    root = 1 / numpy.sqrt(numpy.maximum(abs(weight.sum(1)), TINY))
    weight = root[:, None] * weight * root
    return (weight + weight.T) / 2


def of_rows(embedding, clusters, seed):
    return KMeans(clusters, n_init=10, random_state=seed).fit(embedding).labels_


def unit(rows):
    length = numpy.linalg.norm(rows, axis=1, keepdims=True)
    return rows / numpy.where(length == 0, 1, length)


def cotrained(views, clusters, seed, rounds=10):
    """Each view's similarities are projected onto the others' leading vectors, round by round."""
    kernels = [rbf(view) for view in views]
    vectors = [leading(normalised(kernel), clusters, True) for kernel in kernels]
    for _ in range(rounds if len(views) > 1 else 0):
        following = []
        for i, kernel in enumerate(kernels):
            others = sum((kernel @ vector) @ vector.T for j, vector in enumerate(vectors) if j != i)
            following.append(leading(normalised((others + others.T) / 2), clusters, True))
        vectors = following
    return of_rows(numpy.hstack([unit(vector) for vector in vectors]), clusters, seed)


def alternate(graphs, clusters, strength, rounds):
    """Each view's vectors are drawn towards the others': leading ones of L_v + lambda sum over w != v of U_w U_w'."""
    vectors = [leading(graph, clusters) for graph in graphs]
    for _ in range(rounds if len(graphs) > 1 else 0):
        for i, graph in enumerate(graphs):
            others = numpy.hstack([vector for j, vector in enumerate(vectors) if j != i])
            vectors[i] = leading(graph + strength * others @ others.T, clusters)
    return vectors


def coregularised(views, clusters, seed, strength=2., rounds=10):
    vectors = alternate([normalised(rbf(view)) for view in views], clusters, strength, rounds)
    return of_rows(unit(numpy.hstack(vectors)), clusters, seed)


RIVALS = {"snf": snf, "nemo": nemo, "cotrained": cotrained, "coregularised": coregularised}
