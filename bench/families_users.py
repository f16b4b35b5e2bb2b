# SPDX-License-Identifier: Apache-2.0
"""Families of bench/families.py that are tables as users have them: omics with many more columns than samples, miRNA beside
demographic columns, embeddings."""
import numpy


def logistic(x):
    return 1 / (1 + numpy.exp(-x))


def one_hot(random, samples, levels, chances=None):
    return numpy.eye(levels)[random.choice(levels, samples, p=chances)]


# ---- users --------------------------------------------------------------------------------------

OMICS = {  # name: (what it is, effects in RNA, methylation and miRNA)
    "plain": ("150 patients of 4 types: RNA, methylation, miRNA of 2000, 5000, 300 columns", (.55, .55, .6)),
    "unequal": ("the same with sizes 80, 40, 20, 10", (.55, .55, .6)),
    "batch": ("the same with a batch in 800 columns of RNA", (.55, .55, .6)),
    "noiseview": ("the same with methylation that says nothing", (.55, .55, .6)),
    "complementary": ("each kind of measurement merges two of the types", (.7, .7, .7)),
    "logcounts": ("RNA as logged counts with library sizes", (.55, .55, .6)),
    "missing": ("methylation of 60 % of the patients, miRNA of 70 %", (.55, .55, .6)),
    "weak": ("effects weaker by a fifth", (.45, .45, .5)),
}
APART = (0, 1, 2, 3)


def measured(random, truth, columns, informative, effect, types=APART):
    """Normal columns, of which the first have means by type; `types` says which types share means."""
    means = numpy.zeros((4, columns))
    means[:, :informative] = random.normal(0, effect, (4, informative))
    return means[list(types)][truth] + random.normal(size=(len(truth), columns))


def omics(kind, random):
    """The order of random numbers is part of the recipe, as in families.hard: every kind draws the plain views first."""
    truth = numpy.repeat(numpy.arange(4), [80, 40, 20, 10] if kind == "unequal" else [38, 38, 37, 37])
    random.shuffle(truth)
    samples, level = len(truth), random.normal(0, 2, 5000)

    def three(effects, types=(APART, APART, APART)):
        return (measured(random, truth, 2000, 100, effects[0], types[0]),
                logistic(.8 * measured(random, truth, 5000, 150, effects[1], types[1]) + level),
                measured(random, truth, 300, 30, effects[2], types[2]))
    rna, methylation, mirna = three(OMICS["plain"][1])
    if kind == "batch":
        batch = random.random(samples) < .5
        rna[batch, :800] += random.normal(0, .6, 800)
    elif kind == "noiseview":
        methylation = logistic(random.normal(size=(samples, 5000)) + level)
    elif kind == "complementary":
        rna, methylation, mirna = three(OMICS[kind][1], ((0, 0, 2, 3), (0, 1, 1, 3), (0, 1, 2, 2)))
    elif kind == "logcounts":
        rate = numpy.exp(.5 * rna + random.uniform(0, 9, 2000))
        rna = numpy.log1p(random.poisson(rate * numpy.exp(random.normal(0, .4, samples))[:, None]))
    elif kind == "missing":
        for view, share in ((methylation, .6), (mirna, .7)):
            view[random.permutation(samples)[int(samples * share):]] = numpy.nan
    elif kind == "weak":
        rna, methylation, mirna = three(OMICS[kind][1])
    return truth, [rna, methylation, mirna]


def mirna_beside(random):
    """120 patients of 3 types: miRNA beside three tables that say nothing, but for a survival time that says a little."""
    truth = numpy.repeat(numpy.arange(3), [60, 40, 20])
    random.shuffle(truth)
    samples, means = len(truth), numpy.zeros((3, 300))
    means[:, :40] = random.normal(size=(3, 40))
    mirna = means[truth] + random.normal(size=(samples, 300))
    age = random.normal(60, 10, samples)
    yield "mirna-demographics", "miRNA; age and three categories", truth, [mirna, numpy.column_stack(
        [age, one_hot(random, samples, 2), one_hot(random, samples, 4), one_hot(random, samples, 3, [.7, .2, .1])])]
    yield "mirna-age-bmi", "miRNA; age and body mass index", truth, [
        mirna, numpy.column_stack([random.normal(60, 10, samples), random.normal(27, 4, samples)])]
    days = random.exponential(size=samples) * numpy.array([2000, 900, 300])[truth]
    yield "mirna-survival", "the same and a survival time", truth, [mirna, numpy.column_stack(
        [random.normal(60, 10, samples), random.normal(27, 4, samples), days, random.random(samples) < .7])]


def embeddings(random):
    """Unit vectors of 360 texts on 6 topics by two encoders."""
    truth = numpy.repeat(numpy.arange(6), 60)
    random.shuffle(truth)

    def encoded(effect):
        found = random.normal(size=(6, 384))[truth] * effect + random.normal(size=(360, 384))
        return found / numpy.linalg.norm(found, axis=1, keepdims=True)
    yield "embeddings-384", "two encoders' vectors of 360 texts on 6 topics", truth, [encoded(.35), encoded(.35)]
    yield "embeddings-noise", "the same, one encoder blind to the topics", truth, [encoded(.4), encoded(0)]


def users(draw):
    """{name: what it is, truth, views}."""
    made = {}
    for i, (kind, (what, _)) in enumerate(OMICS.items()):
        made["omics-" + kind] = (what, *omics(kind, numpy.random.default_rng(7000 + 100 * draw + i)))
    random = numpy.random.default_rng(8000 + draw)
    for families in (mirna_beside, embeddings):
        made.update((name, row) for name, *row in families(random))
    return made
