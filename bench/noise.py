#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tables without clusters, one .mat file each: noise.py FOLDER FIRST DRAWS. Their classes are two halves by order.
docs/choose.md has how often `onefold fit` finds clusters in them."""
import sys

import numpy as np
import scipy.io
import scipy.sparse


def graph(r, n):
    """Random links between n samples, of skewed degrees."""
    weight = r.pareto(2.5, n) + 1
    chance = np.minimum(8 * n * np.outer(weight, weight) / weight.sum() ** 2, 1)
    half = np.triu(r.uniform(size=(n, n)) < chance, 1)
    return scipy.sparse.csr_matrix((half + half.T).astype(float))


def words(r, n, d):
    """Counts of d words in n texts of one topic, whose lengths differ."""
    share = 1 / (1 + np.arange(d)) ** 0.8
    share /= share.sum()
    return scipy.sparse.csr_matrix(np.array([r.multinomial(max(10, int(r.lognormal(4.5, 0.6))), share) for _ in range(n)], float))


def correlated(r, n, d):
    return r.normal(size=(n, 4)) @ r.normal(size=(4, d)) + 0.5 * r.normal(size=(n, d))


def factor(r):
    z = r.normal(size=(250, 1))
    return [z @ r.normal(size=(1, d)) + r.normal(size=(250, d)) for d in (40, 60)]


def roll(r):
    t = r.uniform(4, 14, 500)
    return [np.c_[t * np.cos(t), r.uniform(0, 20, 500), t * np.sin(t)], r.normal(size=(500, 20))]


def trend(r):
    t = r.uniform(0, 1, 300)
    return [np.c_[t, t ** 2, np.sqrt(t)] + 0.1 * r.normal(size=(300, 3)),
            t[:, None] * r.uniform(0.5, 1.5, (1, 20)) + 0.3 * r.normal(size=(300, 20))]


def binary(r):
    latent = r.normal(size=(250, 3)) @ r.normal(size=(3, 25)) + 2 * r.normal(size=(250, 25))
    return [(latent > r.normal(size=(1, 25))).astype(float), (r.uniform(size=(250, 12)) < 0.3).astype(float)]


SHAPES = {
    "normal": lambda r: [r.normal(size=(200, 10)), r.normal(size=(200, 6))],
    "one-view": lambda r: [r.normal(size=(200, 10))],
    "wide": lambda r: [r.normal(size=(100, 5000)), r.normal(size=(100, 1000))],
    "narrow": lambda r: [r.normal(size=(300, 2)), r.normal(size=(300, 300))],
    "uniform": lambda r: [r.uniform(size=(400, 2)), r.uniform(size=(400, 3))],
    "correlated": lambda r: [correlated(r, 200, 30), correlated(r, 200, 50)],
    "factor": factor,
    "heavy": lambda r: [r.standard_t(2, size=(300, 8)), r.standard_t(2, size=(300, 8))],
    "skewed": lambda r: [r.lognormal(size=(300, 6)), r.exponential(size=(300, 12))],
    "roll": roll,
    "trend": trend,
    "depths": lambda r: [np.log1p(r.poisson(r.gamma(2, 2, 500)[None] * r.gamma(4, 0.25, 250)[:, None])), r.normal(size=(250, 10))],
    "counts": lambda r: [r.poisson(3.0, size=(300, 20)).astype(float), r.poisson(0.3, size=(300, 30)).astype(float)],
    "binary": binary,
    "graph": lambda r: [graph(r, 400), r.normal(size=(400, 12))],
    "text": lambda r: [words(r, 300, 2000), words(r, 300, 800)],
    "wide-counts": lambda r: [r.poisson(r.gamma(1, 2, 3000)[None] * r.lognormal(0, 0.4, 120)[:, None]).astype(float)],
}


def main():
    folder, first, draws = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for place, (name, make) in enumerate(SHAPES.items()):
        for draw in range(first, first + draws):
            views = make(np.random.default_rng(77000 + 100 * draw + place))
            cell = np.empty((1, len(views)), object)
            cell[0, :] = [None] * len(views)
            for i, view in enumerate(views):
                cell[0, i] = view
            n = views[0].shape[0]
            halves = 1.0 + (np.arange(n) >= n // 2)
            scipy.io.savemat(f"{folder}/{name}-{draw}.mat", {"X": cell, "Y": halves.reshape(-1, 1)}, do_compression=True)


if __name__ == "__main__":
    main()
