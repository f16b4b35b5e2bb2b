# SPDX-License-Identifier: Apache-2.0
"""The methods that the bench restates: they find obvious clusters, and agree with literal restatements on small cases."""
import importlib.util
import itertools
import math
import os
import unittest

import support

import numpy
import quality_methods
from quality_scores import scores

spec = importlib.util.spec_from_file_location("restated", os.path.join(support.SOURCE, "bench", "rivals.py"))
rivals = importlib.util.module_from_spec(spec)
spec.loader.exec_module(rivals)


def obvious(random, clusters=4, each=25):
    truth = numpy.repeat(numpy.arange(clusters), each)
    random.shuffle(truth)
    return [random.normal(size=(clusters, columns))[truth] * 3 + .5 * random.normal(size=(len(truth), columns))
            for columns in (6, 150)], truth


def literal_affinity(points, neighbours, width):
    """Element by element, from the formulas of SNF."""
    n = len(points)
    far = [[math.dist(points[i], points[j]) for j in range(n)] for i in range(n)]
    near = [sum(sorted(far[i][j] for j in range(n) if j != i)[:neighbours]) / neighbours for i in range(n)]
    weight = numpy.zeros((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        scale = width * (near[i] + near[j] + far[i][j]) / 3
        weight[i, j] = math.exp(-far[i][j] ** 2 / (2 * scale ** 2)) / (scale * math.sqrt(2 * math.pi))
    return weight


def literal_normalised(weight):
    n = len(weight)
    found = numpy.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        found[i, j] = .5 if i == j else weight[i, j] / (2 * sum(weight[i, l] for l in range(n) if l != i))
    return (found + found.T) / 2


def literal_fusion(views, neighbours, rounds):
    n = len(views[0])
    networks = [literal_normalised(literal_affinity(view, neighbours, .5)) for view in views]
    local = []
    for network in networks:
        kept = numpy.zeros((n, n))
        for i in range(n):
            strongest = sorted(range(n), key=lambda j: -network[i, j])[:neighbours]
            for j in strongest:
                kept[i, j] = network[i, j] / sum(network[i, l] for l in strongest)
        local.append(kept)
    for _ in range(rounds):
        following = []
        for v, kept in enumerate(local):
            others = [network for w, network in enumerate(networks) if w != v]
            following.append(literal_normalised(kept @ (sum(others) / len(others)) @ kept.T))
        networks = following
    return literal_normalised(sum(networks) / len(networks))


def literal_nemo(views, neighbours):
    n = len(views[0])
    total = numpy.zeros((n, n))
    there = [[not any(math.isnan(x) for x in row) for row in view] for view in views]
    for view, has in zip(views, there):
        who = [i for i in range(n) if has[i]]
        gap = {(i, j): sum((view[i] - view[j]) ** 2) for i in who for j in who}
        near = {i: sum(sorted(gap[i, j] for j in who if j != i)[:neighbours]) / neighbours for i in who}

        def alike(i, j):
            variance = (near[i] + near[j] + gap[i, j]) / 3
            return math.exp(-gap[i, j] / (2 * variance)) / math.sqrt(2 * math.pi * variance)
        hood = {i: sorted((j for j in who if j != i), key=lambda j: -alike(i, j))[:neighbours] for i in who}
        for i, j in itertools.permutations(who, 2):
            total[i, j] += alike(i, j) * ((j in hood[i]) / sum(alike(i, l) for l in hood[i])
                                          + (i in hood[j]) / sum(alike(j, l) for l in hood[j]))
    for i, j in itertools.product(range(n), repeat=2):
        total[i, j] /= max(sum(has[i] and has[j] for has in there), 1)
    return total


class Rivals(unittest.TestCase):
    def test_all_find_obvious_clusters(self):
        views, truth = obvious(numpy.random.default_rng(0))
        for name in (*quality_methods.COLUMNS, *quality_methods.VIEWS):
            labels = quality_methods.plain(name, views, False, 4, 0)
            self.assertGreater(scores(labels, truth)["nmi"], .99, name)
            self.assertTrue((labels == quality_methods.plain(name, views, False, 4, 0)).all(), name)

    def test_kernels_have_no_columns(self):
        views, truth = obvious(numpy.random.default_rng(1))
        kernels = [view @ view.T for view in views]
        with self.assertRaisesRegex(ValueError, "no columns"):
            quality_methods.plain("ward", kernels, True, 4, 0)
        for name in quality_methods.VIEWS:
            self.assertGreater(scores(quality_methods.plain(name, kernels, True, 4, 0), truth)["nmi"], .99, name)

    def test_samples_that_lack_views(self):
        random = numpy.random.default_rng(2)
        views, truth = obvious(random)
        views[1][:30] = numpy.nan
        for name in (*quality_methods.COLUMNS, *quality_methods.VIEWS):
            labels = quality_methods.plain(name, views, False, 4, 0)
            self.assertEqual(len(labels), len(truth), name)
        self.assertGreater(scores(quality_methods.plain("nemo", views, False, 4, 0), truth)["nmi"], .99)

    def test_snf_is_its_formulas(self):
        random = numpy.random.default_rng(3)
        views = [random.normal(size=(14, 3)), random.normal(size=(14, 5)), random.normal(size=(14, 2))]
        for some in (views, views[:2]):
            weights = [rivals.affinity(numpy.sqrt(rivals.squared_distances(view)), 4) for view in some]
            numpy.testing.assert_allclose(weights[0], literal_affinity(some[0], 4, .5), rtol=1e-6)
            numpy.testing.assert_allclose(rivals.fuse(weights, 4, 6), literal_fusion(some, 4, 6), rtol=1e-6, atol=1e-12)

    def test_nemo_is_its_formulas(self):
        random = numpy.random.default_rng(4)
        views = [random.normal(size=(13, 3)), random.normal(size=(13, 6))]
        views[0][[2, 5]] = numpy.nan
        views[1][[0, 7, 11]] = numpy.nan
        numpy.testing.assert_allclose(rivals.network(views, 3), literal_nemo(views, 3), rtol=1e-6, atol=1e-12)

    def test_coregularised_raises_its_objective(self):
        """Rounds of alternate maximisation never lower sum tr(U'LU) + lambda sum tr(U U' W W')."""
        random = numpy.random.default_rng(5)
        graphs = [rivals.normalised(rivals.rbf(random.normal(size=(30, 4)))) for _ in range(3)]
        before = -math.inf
        for rounds in range(6):
            vectors = rivals.alternate(graphs, 3, 2., rounds)
            pairs = sum(numpy.sum((u.T @ w) ** 2) for u, w in itertools.combinations(vectors, 2))
            now = sum(numpy.trace(u.T @ graph @ u) for u, graph in zip(vectors, graphs)) + 2 * pairs
            self.assertGreaterEqual(now, before - 1e-9)
            before = now

    def test_hartigan_moves_lower_the_sum_of_squares(self):
        random = numpy.random.default_rng(6)
        for _ in range(10):
            points, labels = random.normal(size=(40, 60)), random.integers(4, size=40)
            after = quality_methods.moved(points, labels, 4)

            def total(found):
                return sum(((points[found == c] - points[found == c].mean(0)) ** 2).sum() for c in set(found))
            self.assertLess(total(after), total(labels))
            self.assertAlmostEqual(quality_methods.sum_of_squares(points, after, 4), total(after), places=8)
            for i, c in itertools.product(range(40), range(4)):  # no single move helps
                if (after == after[i]).sum() > 1:
                    other = after.copy()
                    other[i] = c
                    self.assertGreaterEqual(total(other), total(after) - 1e-6)


if __name__ == "__main__":
    support.main()
