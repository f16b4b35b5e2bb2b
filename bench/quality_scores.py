# SPDX-License-Identifier: Apache-2.0
"""Scores of a labelling against true classes, in NumPy alone: ACC, NMI, ARI."""
import numpy


def table(labels, truth):
    """How many samples have each label (rows) and each class (columns)."""
    labels = numpy.unique(labels, return_inverse=True)[1]
    truth = numpy.unique(truth, return_inverse=True)[1]
    counts = numpy.zeros((labels.max() + 1, truth.max() + 1))
    numpy.add.at(counts, (labels, truth), 1)
    return counts


def assignment(gain):
    """The largest sum of one entry in each row, no two in a column (shortest augmenting paths)."""
    size = max(gain.shape)
    cost = numpy.zeros((size, size))
    cost[:gain.shape[0], :gain.shape[1]] = -gain
    rows, columns = numpy.zeros(size + 1), numpy.zeros(size + 1)
    owner = numpy.zeros(size + 1, int)  # 1-based row that has a column; column 0 is the free one
    for row in range(1, size + 1):
        owner[0], at = row, 0
        least, before = numpy.full(size + 1, numpy.inf), numpy.zeros(size + 1, int)
        done = numpy.zeros(size + 1, bool)
        while owner[at]:
            done[at] = True
            open_ = ~done[1:]
            left = cost[owner[at] - 1] - rows[owner[at]] - columns[1:]
            better = open_ & (left < least[1:])
            least[1:][better], before[1:][better] = left[better], at
            step = numpy.where(open_, least[1:], numpy.inf)
            following = int(step.argmin()) + 1
            change = step[following - 1]
            rows[owner[done]] += change
            columns[done] -= change
            least[~done] -= change
            at = following
        while at:
            owner[at], at = owner[before[at]], before[at]
    return sum(-cost[owner[j] - 1, j - 1] for j in range(1, size + 1))


def entropy(counts):
    share = counts[counts > 0] / counts.sum()
    return float(-(share * numpy.log(share)).sum())


def pairs(counts):
    return float((counts * (counts - 1) / 2).sum())


def scores(labels, truth):
    """ACC, NMI over the larger entropy and over their geometric mean, ARI."""
    counts = table(labels, truth)
    n = counts.sum()
    own, classes = entropy(counts.sum(1)), entropy(counts.sum(0))
    mutual = max(own + classes - entropy(counts.ravel()), 0)
    together, left, right = pairs(counts), pairs(counts.sum(1)), pairs(counts.sum(0))
    chance = left * right / (n * (n - 1) / 2)
    most = (left + right) / 2
    return {"acc": assignment(counts) / n,
            "nmi": mutual / max(own, classes) if max(own, classes) > 0 else 1.0,
            "nmi_sqrt": mutual / (own * classes) ** 0.5 if own * classes > 0 else 0.0,
            "ari": (together - chance) / (most - chance) if most != chance else 1.0}
