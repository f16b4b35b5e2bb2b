#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Families of synthetic multi-view data that methods are judged on. One draw of them as .mat files:

    bench/families.py FOLDER --draw 60 [--sets NAME,GROUP,...]

writes FOLDER/NAME.mat, each with the views X (a cell) and the true labels Y, and FOLDER/list.txt with lines "NAME PATH CLUSTERS".
Groups: `hard`, one family for each way in which tables are hard; `users` and `brought` (bench/families_users.py), tables as
users have them; `second` to `sixth`, which were made while the default was changed (`more` is all of these)."""
import argparse
import os
import sys

import numpy
import scipy.io
import scipy.sparse

import families_users


def of_sizes(*counts):
    return numpy.repeat(numpy.arange(len(counts)), counts)


def centres(random, count, columns, apart):
    """Centres whose mean distance is `apart`, in standard deviations of the noise."""
    found = random.standard_normal((count, columns))
    distance = numpy.sqrt(((found[:, None] - found[None]) ** 2).sum(-1))
    return found * apart / distance[numpy.triu_indices(count, 1)].mean()


def blobs(random, truth, columns, apart):
    return centres(random, truth.max() + 1, columns, apart)[truth] + random.standard_normal((len(truth), columns))


def noise(random, samples, columns):
    return random.standard_normal((samples, columns))


def answers(random, truth, questions, sharp, levels=2):
    """Answers as 0/1 columns, one for each level of each question; `sharp` 0 is chance."""
    columns = []
    for _ in range(questions):
        chance = random.dirichlet(numpy.ones(levels) * 2, truth.max() + 1)
        chance = sharp * chance + (1 - sharp) / levels
        picked = (random.random(len(truth))[:, None] > chance.cumsum(1)[truth]).sum(1).clip(0, levels - 1)
        columns.append(numpy.eye(levels)[picked])
    return numpy.hstack(columns)


def links(random, truth, within, between):
    n = len(truth)
    chance = numpy.where(truth[:, None] == truth, within, between)
    upper = numpy.triu(random.random((n, n)) < chance, 1)
    return (upper | upper.T).astype(float)


def words(random, truth, terms, length):
    topics = random.dirichlet(numpy.ones(terms) * .05, truth.max() + 1) * .5 + .5 * random.dirichlet(numpy.ones(terms) * .05)
    return random.poisson(topics[truth] * length).astype(float)


def stretched(random, truth, columns, apart):
    x = blobs(random, truth, columns, 0) * numpy.exp(random.normal(0, .5, columns))
    turn = numpy.linalg.qr(random.standard_normal((columns, columns)))[0]
    return x @ turn + centres(random, truth.max() + 1, columns, apart)[truth]


def corners(random, truth, columns, apart):
    """Each cluster lies off in a column of its own."""
    x = random.standard_normal((len(truth), columns))
    x[numpy.arange(len(truth)), truth] += apart / 2 ** .5
    return x


def part_of(truth, one):
    return (truth == one).astype(int)


def moons(random, samples, spread):
    """Two half circles, one turned and shifted into the other; their samples alternate."""
    angle, truth = random.uniform(0, numpy.pi, samples), numpy.arange(samples) % 2
    upper = numpy.stack([numpy.cos(angle), numpy.sin(angle)], 1)
    return numpy.where(truth[:, None] == 0, upper, [1, .5] - upper) + spread * random.normal(size=(samples, 2)), truth


def rings(random, truth, spread):
    angle = random.uniform(0, 2 * numpy.pi, len(truth))
    return numpy.stack([numpy.cos(angle), numpy.sin(angle)], 1) * (1 + truth)[:, None] + spread * random.normal(size=(len(truth), 2))


def sparse(counts):
    return scipy.sparse.csc_matrix(counts.astype(float))


def overdispersed(random, mean):
    """Counts whose rate varies by a gamma of shape 2."""
    return random.poisson(random.gamma(2, mean / 2))


def hard(r):
    """The order of random numbers is part of the recipe: draws are those of the trials that the method is compared with."""
    y = of_sizes(150, 150, 150, 150)
    yield "noise-narrow", "12 informative columns; a view of 5 columns of noise", y, [blobs(r, y, 12, 5), noise(r, 600, 5)]
    yield "noise-narrow-two", "the same with two views of noise", y, [blobs(r, y, 12, 5), noise(r, 600, 5), noise(r, 600, 5)]
    yield "weak-narrow", "30 informative columns; a view of 3 weak ones", y, [blobs(r, y, 30, 5), blobs(r, y, 3, 1)]
    y = of_sizes(300, 200, 150, 100)
    yield "noise-views", "20 informative columns; views of 30 and 50 columns of noise", y, [blobs(r, y, 20, 6), noise(r, 750, 30), noise(r, 750, 50)]
    y = numpy.arange(800) % 4
    yield "halves", "each of two views splits the clusters in two pairs", y, [blobs(r, y // 2, 15, 6), blobs(r, y % 2, 15, 6)]
    y = of_sizes(*[100] * 10)
    yield "few-overlap", "10 clusters in two views of 2 columns", y, [blobs(r, y, 2, 6) for _ in range(2)]
    y = of_sizes(400, 200, 100, 60)
    yield "few-unequal", "sizes 400 to 60 in views of 3 and 2 columns", y, [blobs(r, y, 3, 4.5), blobs(r, y, 2, 4.5)]
    y = of_sizes(300, 150, 100, 60, 60)
    yield "mid-unequal", "5 overlapping clusters of unequal size in three views", y, [blobs(r, y, 20, 3) for _ in range(3)]
    y = of_sizes(280, 200, 180, 150, 120, 100, 100, 70)
    yield "mid-eight", "8 overlapping clusters in three views", y, [blobs(r, y, 20, 3) for _ in range(3)]
    y = of_sizes(*[200] * 5)
    yield "mid-equal", "5 overlapping clusters of one size in three views", y, [blobs(r, y, 20, 3) for _ in range(3)]
    y = of_sizes(*[150] * 8)
    yield "weak-six", "six views that are weak alone", y, [blobs(r, y, 40, 2.2) for _ in range(6)]
    y = of_sizes(1800, 100, 50, 30, 20)
    yield "very-unequal", "sizes 1800 to 20 in three views", y, [blobs(r, y, 10, 5) for _ in range(3)]
    x, y = moons(r, 600, .08)
    yield "moons", "two moons, drawn again in a second view", y, [x, moons(r, 600, .08)[0]]
    x, y = moons(r, 600, .08)
    yield "moons-noise", "two moons; a view of 20 columns of noise", y, [x, noise(r, 600, 20)]
    y = of_sizes(200, 300, 400)
    yield "rings", "three rings in each of two views", y, [rings(r, y, .1) for _ in range(2)]
    y = of_sizes(200, 400)
    yield "nested-density", "a dense cluster inside a wide one", y, [
        numpy.concatenate([r.normal(size=(200, 6)) * .3 + near, r.normal(size=(400, 6)) * 3 + far]) for near, far in ((0, 6), (2, 0))]
    y = of_sizes(300, 200, 100, 50)
    yield "text", "word counts in two vocabularies", y, [sparse(words(r, y, 2000, 60)), sparse(words(r, y, 1500, 40))]
    y = of_sizes(500, 200, 100, 50, 50)
    level = .5 * numpy.exp(r.normal(0, 1, 400))
    marked = numpy.exp(r.normal(0, 1, (5, 400)) * (r.random((5, 400)) < .08))
    depth = numpy.exp(r.normal(0, .4, 900))[:, None]
    genes = overdispersed(r, level * marked[y] * depth)
    proteins = numpy.exp(r.normal(2, .5, 30)) * numpy.exp(r.normal(0, .7, (5, 30)))
    yield "omics-counts", "sparse counts of genes with library sizes; logged counts of proteins", y, [
        sparse(genes), numpy.log1p(overdispersed(r, proteins[y]))]
    y = of_sizes(200, 150, 100, 50)
    yield "links-attributes", "weak links and weak columns", y, [sparse(links(r, y, .06, .01)), blobs(r, y, 20, 2.5)]
    y = of_sizes(200, 200, 200, 200)
    x = blobs(r, y, 10, 5)
    x *= numpy.exp(r.normal(0, 2, 10))
    yield "scales", "columns of very different scale", y, [x, blobs(r, y, 10, 5) * 1e3 + 1e4]
    y = of_sizes(200, 200, 200)
    x, out = blobs(r, y, 8, 6), r.choice(600, 12, replace=False)
    x[out] += 40 * r.normal(size=(12, 8))
    yield "outliers", "12 samples far off in one of two views", y, [x, blobs(r, y, 8, 6)]


def second(r):
    y = of_sizes(160, 140, 120, 80)
    yield "patients", "measurements, yes-no answers, and a view of noise", y, [blobs(r, y, 10, 4.5), answers(r, y, 12, .7), noise(r, 500, 6)]
    y = of_sizes(200, 150, 100, 50)
    yield "categories", "measurements and one-hot categories", y, [blobs(r, y, 8, 3.5), answers(r, y, 10, .8, 4)]
    y = of_sizes(150, 150, 150, 150)
    yield "complementary", "each of three views shows one of 4 clusters", y, [blobs(r, part_of(y, i), 12, 6) for i in range(3)]
    y, other = of_sizes(150, 150, 150, 150), r.integers(4, size=600)
    yield "two-agree", "two views agree, a third shows other clusters more clearly", y, [blobs(r, y, 15, 4.5), blobs(r, y, 15, 4.5), blobs(r, other, 15, 7)]
    y = of_sizes(900, 60, 25, 15)
    yield "tiny", "sizes 900, 60, 25, 15", y, [blobs(r, y, 10, 6) for _ in range(3)]
    y = of_sizes(200, 200, 200)
    yield "stretched", "clusters stretched in 6 columns", y, [stretched(r, y, 6, 9) for _ in range(2)]
    y = of_sizes(150, 150, 150, 150)
    yield "heavy-tails", "heavy tails, and a view of noise with heavier ones", y, [centres(r, 4, 12, 6)[y] + r.standard_t(3, (600, 12)), r.standard_t(2, (600, 8))]
    y = of_sizes(200, 200, 200)
    yield "one-column", "one informative column among six in each view", y, [numpy.c_[3 * centres(r, 3, 1, 1.6)[y] + r.standard_normal((600, 1)), noise(r, 600, 5)] for _ in range(2)]
    y = of_sizes(*[40] * 25)
    yield "twenty-five", "25 clusters of 40", y, [blobs(r, y, 15, 5.5) for _ in range(3)]
    y = of_sizes(200, 200, 200)
    yield "noise-wide", "3 clusters in 12 columns; 200 columns of noise", y, [blobs(r, y, 12, 5), noise(r, 600, 200)]
    y = of_sizes(200, 150, 100)
    yield "lognormal", "log-normal columns, and a view of log-normal noise", y, [numpy.exp(blobs(r, y, 10, 3.5)), numpy.exp(noise(r, 450, 10))]
    y, same = of_sizes(200, 150, 100, 50), noise(r, 500, 6)
    yield "same-noise", "three views repeat the same noise", y, [blobs(r, y, 10, 5), same, same + .1 * noise(r, 500, 6), same + .1 * noise(r, 500, 6)]
    y = of_sizes(200, 150, 100, 50)
    yield "links-noise", "random links beside informative columns", y, [links(r, y, .02, .02), blobs(r, y, 15, 4)]
    y, other = of_sizes(200, 200, 200), r.integers(3, size=600)
    yield "strong-other", "two fair views agree, a third shows other clusters far more clearly", y, [corners(r, y, 12, 3.5), corners(r, y, 12, 3.5), corners(r, other, 12, 8)]
    y, other = of_sizes(200, 200, 200), r.integers(3, size=600)
    yield "far-other", "the same, the others' gaps four times as wide", y, [corners(r, y, 12, 4), corners(r, y, 12, 4), corners(r, other, 12, 16)]


def third(r):
    y = of_sizes(150, 150, 150, 150)
    yield "gaps", "2 columns with wide gaps beside 20 equally informative columns", y, [12 * numpy.array([[0, 0], [0, 1], [1, 0], [1, 1]])[y] + noise(r, 600, 2), blobs(r, y, 20, 5)]
    y = of_sizes(250, 150, 100)
    yield "links-columns", "informative links beside columns of noise", y, [links(r, y, .06, .012), noise(r, 500, 15)]
    y = of_sizes(180, 140, 100, 80)
    yield "links-both", "informative links and columns", y, [links(r, y, .05, .01), blobs(r, y, 20, 3.5)]
    y = of_sizes(200, 150, 150, 100)
    views = [blobs(r, y, 15, 4.5) for _ in range(3)]
    gone = r.random((600, 3)) < .3
    gone[gone.all(1), 0] = False
    for i in range(3):
        views[i][gone[:, i]] = numpy.nan
    yield "missing", "three views, of which each sample lacks three in ten", y, views
    y = of_sizes(200, 150, 100)
    yield "text-noise", "words, and a view of noise", y, [words(r, y, 800, 40), noise(r, 450, 8)]
    y = of_sizes(150, 150, 150, 150)
    mix = r.standard_normal((8, 8)) * numpy.exp(r.normal(0, 1, 8))
    yield "noise-lines", "a good view beside noise whose columns are correlated", y, [blobs(r, y, 12, 5), noise(r, 600, 8) @ mix]
    y = of_sizes(250, 200, 150, 100)
    yield "grades", "three views: clear, fair and weak", y, [blobs(r, y, 15, 5), blobs(r, y, 15, 3), blobs(r, y, 15, 1.5)]
    y = of_sizes(200, 150, 120, 100, 80, 60, 60, 50, 40, 40, 30, 30)
    yield "twelve", "12 clusters, 200 to 30, in three views of 10 columns", y, [blobs(r, y, 10, 5) for _ in range(3)]
    y = of_sizes(200, 150, 100)
    yield "survey", "informative answers, answers of noise, and weak numbers", y, [answers(r, y, 15, .8, 3), answers(r, y, 10, 0, 3), blobs(r, y, 6, 2)]
    y, batch = of_sizes(200, 150, 100), r.integers(2, size=450)
    yield "batch", "two fair views, and a weak one with two strong batches", y, [blobs(r, y, 12, 3.5), blobs(r, y, 12, 3.5), blobs(r, y, 12, 2) + blobs(r, batch, 12, 10)]
    y = of_sizes(500, 120, 60, 40)
    yield "unequal-noise", "sizes 500 to 40 beside a view of noise", y, [blobs(r, y, 8, 5.5), noise(r, 720, 8)]
    y = of_sizes(200, 200)
    yield "two-views-weak", "two clusters in two views that are weak alone", y, [blobs(r, y, 25, 2.2), blobs(r, y, 25, 2.2)]


def grid(random, truth, columns, gap):
    """Each cluster takes one of three levels in each column, `gap` deviations apart."""
    return gap * random.integers(3, size=(truth.max() + 1, columns))[truth] + random.standard_normal((len(truth), columns))


def fourth(r):
    y = of_sizes(260, 80, 40)
    blood = numpy.array([[40, 14, 3], [65, 10, 8], [30, 16, 25]])[y] + noise(r, 380, 3) * [4, .8, 2]
    yield "blood", "3 columns with wide gaps; a view of 4 columns of noise", y, [blood, noise(r, 380, 4)]
    y = of_sizes(120, 100, 80, 60)
    yield "gaps-noise", "4 columns with wide gaps; views of 2 and 3 columns of noise", y, [grid(r, y, 4, 8), noise(r, 360, 2), noise(r, 360, 3)]
    y = of_sizes(200, 150, 100)
    yield "pair-noise", "2 informative columns; a view of 2 columns of noise", y, [blobs(r, y, 2, 6), noise(r, 450, 2)]
    y = of_sizes(150, 120, 90, 60)
    yield "few-weak", "3 clear columns, and 3 weak ones", y, [blobs(r, y, 3, 7), blobs(r, y, 3, 1.5)]
    y = of_sizes(180, 120, 60)
    yield "skewed-noise", "4 informative columns; noise of 4 skewed columns", y, [blobs(r, y, 4, 6), r.exponential(1, (360, 4))]
    y = of_sizes(150, 150, 150)
    yield "rounded", "5 columns of whole numbers; noise of 3 columns of whole numbers", y, [numpy.round(2 * blobs(r, y, 5, 5)), r.integers(5, size=(450, 3))]
    y = of_sizes(200, 120, 80)
    yield "links-gaps", "informative links beside 3 equally informative columns with wide gaps", y, [links(r, y, .06, .012), grid(r, y, 3, 6)]
    y = of_sizes(80, 60, 40)
    yield "small", "180 samples: 6 informative columns; a view of 3 columns of noise", y, [blobs(r, y, 6, 5), noise(r, 180, 3)]
    y = of_sizes(250, 150)
    yield "two-noise", "two clusters in 4 columns; a view of 4 columns of noise", y, [blobs(r, y, 4, 5), noise(r, 400, 4)]
    y = of_sizes(*[60] * 8)
    yield "eight-few", "8 clusters in views of 3 columns; a view of 3 columns of noise", y, [blobs(r, y, 3, 6), blobs(r, y, 3, 6), noise(r, 480, 3)]


def fifth(r):
    y = of_sizes(150, 120, 90)
    yield "three-overlap", "3 overlapping clusters in views of 4 and 8 columns", y, [blobs(r, y, 4, 3.5), blobs(r, y, 8, 3.5)]
    y = of_sizes(*[90] * 6)
    yield "six-noise-two", "6 clusters in 15 columns; views of 4 and 8 columns of noise", y, [blobs(r, y, 15, 5), noise(r, 540, 4), noise(r, 540, 8)]
    y = of_sizes(*[20] * 12)
    yield "twenties", "12 clusters of 20 in two views of 10 columns", y, [blobs(r, y, 10, 4.5) for _ in range(2)]
    y = of_sizes(300, 150, 80, 40)
    yield "unequal-overlap", "sizes 300 to 40 that overlap in 8 columns; a view of 6 columns of noise", y, [blobs(r, y, 8, 4.5), noise(r, 570, 6)]
    y = of_sizes(180, 140, 100, 80)
    yield "words-columns", "words beside 6 informative columns", y, [words(r, y, 400, 25), blobs(r, y, 6, 3.5)]
    y = of_sizes(160, 140, 120)
    yield "correlated", "clusters in correlated columns, in two views of 8", y, [stretched(r, y, 8, 5) for _ in range(2)]
    y = of_sizes(140, 120, 100, 80, 60)
    yield "four-fair", "5 clusters in four views that are fair alone", y, [blobs(r, y, 10, 3) for _ in range(4)]
    y = of_sizes(150, 150, 150)
    yield "tails-noise", "somewhat heavy tails in 10 columns; a view of 5 columns of noise", y, [centres(r, 3, 10, 5)[y] + r.standard_t(5, (450, 10)), noise(r, 450, 5)]
    y = of_sizes(900, 800, 600, 400, 300)
    yield "three-thousand", "3000 samples: 5 overlapping clusters in three views of 6 columns", y, [blobs(r, y, 6, 3.2) for _ in range(3)]
    y, views = of_sizes(200, 150, 100), []
    for _ in range(2):
        at = r.uniform(-2, 2, 450)
        views.append(numpy.c_[at + .2 * r.standard_normal(450), at ** 2 + 2.5 * r.permutation(3)[y] + .3 * r.standard_normal(450)])
    yield "arcs", "three curved clusters, one inside the other, in two views of 2 columns", y, views
    y = of_sizes(130, 110, 90, 70)
    yield "scale-noise", "8 informative columns; noise of 8 columns of very different scale", y, [blobs(r, y, 8, 5), noise(r, 400, 8) * 10. ** numpy.arange(8)]
    y = of_sizes(180, 150, 120, 90)
    views, lacks = [blobs(r, y, 12, 5) for _ in range(2)], r.random(540)
    views[0][lacks < .3] = numpy.nan
    views[1][lacks > .7] = numpy.nan
    yield "one-or-other", "two views; six samples in ten have one of them alone", y, views


def sixth(r):
    y = of_sizes(160, 120, 80, 40)
    x = blobs(r, y, 6, 5)
    yield "few-of-many", "6 informative columns among 24 of noise in one view; a view of 4 columns of noise", y, [numpy.c_[x, noise(r, 400, 24)], noise(r, 400, 4)]
    y = of_sizes(180, 140, 100)
    yield "flag", "8 overlapping columns and a 0/1 column that is one cluster; a view of 5 overlapping columns", y, [numpy.c_[blobs(r, y, 8, 3), part_of(y, 1)], blobs(r, y, 5, 3)]
    y = of_sizes(*[110] * 5)
    yield "false-flag", "8 informative columns and two 0/1 columns that split the samples by chance", y, [numpy.c_[blobs(r, y, 8, 4), r.integers(2, size=(550, 2))], blobs(r, y, 6, 3)]
    y = of_sizes(200, 150, 100, 50)
    yield "uneven-spread", "clusters of spread 0.5 to 2 in two views of 8 columns", y, [centres(r, 4, 8, 6)[y] + noise(r, 500, 8) * numpy.array([.5, 1, 1.5, 2])[y][:, None] for _ in range(2)]
    y = of_sizes(150, 130, 110, 90)
    yield "mixed-kinds", "numbers, whole numbers and answers in one view; overlapping columns in another", y, [numpy.c_[blobs(r, y, 4, 4), numpy.round(blobs(r, y, 3, 4)), answers(r, y, 3, .7)], blobs(r, y, 6, 3)]
    y = of_sizes(*[120] * 4)
    yield "long-tails", "columns of three degrees of freedom beside normal ones", y, [centres(r, 4, 8, 6)[y] + r.standard_t(3, (480, 8)), blobs(r, y, 8, 4)]
    y = of_sizes(140, 120, 100, 80, 60)
    yield "copies", "a column that stands six times beside 8 informative ones; a view of 6 columns", y, [numpy.c_[blobs(r, y, 8, 4), numpy.repeat(noise(r, 500, 1), 6, 1)], blobs(r, y, 6, 4)]
    y = of_sizes(130, 110, 90, 70)
    yield "two-strong", "2 columns with wide gaps among 10 weak ones; a view of 10 weak columns", y, [numpy.c_[grid(r, y, 2, 6), blobs(r, y, 10, 2)], blobs(r, y, 10, 2.5)]
    y = of_sizes(100, 90, 80, 70, 60, 50)
    yield "six-uneven-columns", "6 clusters; columns tell much, little and nothing, in three views of 9", y, [centres(r, 6, 9, 6)[y] * numpy.repeat([1.5, .7, 0], 3) + noise(r, 450, 9) for _ in range(3)]
    y = of_sizes(300, 40, 40, 40)
    yield "one-large", "one large cluster and three small ones in views of 10 and 5 columns", y, [blobs(r, y, 10, 5), blobs(r, y, 5, 5)]


MORE = {"second": (second, 5000), "third": (third, 7000), "fourth": (fourth, 9000), "fifth": (fifth, 11000), "sixth": (sixth, 13000)}


def in_one_stream(families, base):
    """All families of a group from one stream of random numbers, samples in random order: {name: what it is, truth, views}."""
    def draw(number):
        random = numpy.random.default_rng(base + number)
        ordered = {}
        for name, what, truth, views in families(random):
            order = random.permutation(len(truth))
            ordered[name] = what, truth[order], [
                view[order][:, order] if view.shape[0] == view.shape[1] else view[order] for view in views]
        return ordered
    return draw


# The families of `hard` are all made before the first of them is put in order.
GROUPS = {"hard": in_one_stream(lambda random: list(hard(random)), 1000), "users": families_users.users, "brought": families_users.brought,
          **{name: in_one_stream(*row) for name, row in MORE.items()}}


def save(path, views, truth):
    cell = numpy.empty((1, len(views)), object)
    for i, view in enumerate(views):
        cell[0, i] = view if scipy.sparse.issparse(view) else numpy.asarray(view, float)
    passing = f"{path}.{os.getpid()}.part"  # of this process: several may make the same set
    with open(passing, "wb") as file:
        scipy.io.savemat(file, {"X": cell, "Y": numpy.asarray(truth, float)[:, None] + 1}, do_compression=True)
    os.replace(passing, path)


def write(folder, draw, wanted, keep=False):
    """Writes what is wanted of a draw (`keep`: but what is there already); returns {name: (group, what it is, path, clusters)}."""
    os.makedirs(folder, exist_ok=True)
    written = {}
    named = set(wanted) - set(GROUPS) - {"more"}
    for group, make in GROUPS.items():
        whole = group in wanted or (group in MORE and "more" in wanted)
        for name, (what, truth, views) in make(draw).items() if whole or named else ():
            if whole or name in named:
                path = os.path.join(folder, name + ".mat")
                if not (keep and os.path.exists(path)):
                    save(path, views, truth)
                written[name] = group, what, path, int(truth.max()) + 1
    return written


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--draw", type=int, default=0, help="which draw, a number from 0 [%(default)s]")
    parser.add_argument("--sets", default="hard,users", help="families and groups, comma-separated [%(default)s]")
    given = parser.parse_args()
    wanted = given.sets.split(",")
    written = write(given.folder, given.draw, wanted)
    unknown = set(wanted) - set(written) - set(GROUPS) - {"more"}
    if unknown:
        sys.exit(f"families: there is no family or group {', '.join(sorted(unknown))}; the groups are {', '.join(GROUPS)}, more")
    with open(os.path.join(given.folder, "list.txt"), "w") as file:
        file.writelines(f"{name} {os.path.abspath(path)} {clusters}\n" for name, (_, _, path, clusters) in written.items())


if __name__ == "__main__":
    main()
