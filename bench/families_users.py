# SPDX-License-Identifier: Apache-2.0
"""Families of bench/families.py that are tables as users have them: `users`, omics with many more columns than samples, miRNA
beside demographic columns, embeddings; `brought`, nine more, written before any method was run on them. What stands below each
maker of `brought` says what such a user has, and the page of bench/quality.py prints it."""
import numpy
import scipy.sparse


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


# ---- brought ------------------------------------------------------------------------------------


def counted(random, mean, shape=2.):
    """Counts whose rate varies by a gamma of this shape."""
    return random.poisson(random.gamma(shape, mean / shape)).astype(float)


def topics_of(random, count, terms, sharp):
    """Word frequencies of topics: words that all of them use, and `sharp` of words of their own."""
    return sharp * random.dirichlet(numpy.full(terms, .03), count) + (1 - sharp) * random.dirichlet(numpy.full(terms, .1))


def cells(random):
    """700 blood cells, measured one by one: raw counts of 1500 genes, most of them zero, and of 25 surface proteins. A cell's
    total varies fivefold for technical reasons, in both. There are six kinds of cells, the rarest 25 of them."""
    truth = numpy.repeat(numpy.arange(6), [260, 180, 120, 70, 45, 25])
    level = numpy.exp(random.normal(-1.5, 1.2, 1500))
    marked = numpy.exp(random.normal(0, 1.2, (6, 1500)) * (random.random((6, 1500)) < .07))
    genes = level * marked[truth] * numpy.exp(random.normal(0, .5, (700, 1)))
    bound = numpy.where(random.random((6, 25)) < .35, numpy.exp(random.uniform(.5, 1.6, (6, 25))), 1)
    proteins = numpy.exp(random.normal(2.5, .6, 25)) * bound[truth] * numpy.exp(random.normal(0, .4, (700, 1)))
    return truth, [scipy.sparse.csc_matrix(counted(random, genes, 3)), counted(random, proteins, 8)]


def respondents(random):
    """450 respondents of a market survey: 22 statements rated from 1 to 5, to which some people agree more whatever is asked;
    age, income, household, region and education, the last two as 0/1 columns; and how often they use eight services in a month,
    with many zeros. Four segments think alike; they differ a little in age, income and education, more in use."""
    truth = numpy.repeat(numpy.arange(4), [150, 130, 100, 70])
    opinion = random.normal(0, .9, (4, 22)) * (random.random(22) < .65)
    rated = 3.2 + opinion[truth] + random.normal(0, .6, (450, 1)) + random.normal(0, .9, (450, 22))
    schooling = random.dirichlet([3, 4, 3, 2], 4)
    picked = (random.random(450)[:, None] > schooling.cumsum(1)[truth]).sum(1).clip(0, 3)
    people = numpy.column_stack([numpy.round(random.normal(45, 14, 450) + random.normal(0, 4, 4)[truth]).clip(18, 90),
                                 numpy.round(numpy.exp(random.normal(10.2, .5, 450) + random.normal(0, .25, 4)[truth]), -2),
                                 1 + random.poisson(1.4, 450), one_hot(random, 450, 6), numpy.eye(4)[picked]])
    used = counted(random, numpy.exp(random.normal(.2, 1.1, (4, 8)))[truth], 1.)
    return truth, [numpy.round(rated).clip(1, 5), people, used]


def documents(random):
    """480 press articles as tf-idf rows of unit length over 2500 terms, as a vectoriser gives them, beside a table of metadata:
    year, pages, and which of twelve outlets printed them as 0/1 columns. Eight subjects; an outlet prefers some of them."""
    truth = numpy.repeat(numpy.arange(8), 60)
    words = random.poisson(topics_of(random, 8, 2500, .45)[truth] * numpy.exp(random.normal(4.4, .4, (480, 1))))
    weighed = numpy.log1p(words) * numpy.log(480 / numpy.maximum((words > 0).sum(0), 1))
    weighed /= numpy.maximum(numpy.linalg.norm(weighed, axis=1, keepdims=True), 1e-12)
    outlets = random.dirichlet(numpy.full(12, .7), 8)
    printed = (random.random(480)[:, None] > outlets.cumsum(1)[truth]).sum(1).clip(0, 11)
    about = numpy.column_stack([random.integers(2005, 2025, 480), 1 + random.poisson(3, 480), numpy.eye(12)[printed]])
    return truth, [scipy.sparse.csc_matrix(weighed), about]


def sensors(random):
    """400 cycles of a machine in the order in which they ran: energies of 30 vibration bands, which grow with the load; eight
    temperatures and pressures that drift by more than the states differ; twelve readings of the current in units of their own.
    One reading in a hundred is a spike. The machine is in one of five states, for some ten cycles at a time."""
    truth, state = numpy.empty(400, int), 0
    for cycle in range(400):
        if random.random() < .1 or cycle < 5:
            state = cycle if cycle < 5 else random.integers(5)
        truth[cycle] = state
    load = random.normal(0, .5, (400, 1))
    vibration = numpy.exp(random.normal(0, .45, (5, 30))[truth] + load * random.uniform(.5, 1, 30) + random.normal(0, .5, (400, 30)))
    drift = random.normal(0, .12, (400, 8)).cumsum(0)
    slow = 20 + random.normal(0, 1, (5, 8))[truth] + drift + random.normal(0, .4, (400, 8))
    current = random.normal(0, .8, (5, 12))[truth] + random.normal(0, 1, (400, 12))
    views = [vibration, slow, current * 10. ** random.uniform(-3, 3, 12)]
    for view in views:
        spikes = random.random(view.shape) < .01
        view += spikes * 6 * view.std(0) * random.random(view.shape)
    return truth, views


def languages(random):
    """420 encyclopedia articles in three languages, as counts of 900, 1100 and 1300 words. Texts are about one subject for the
    most part and touch others; those in the third language are short, and two articles in five have none. Seven subjects."""
    truth = numpy.repeat(numpy.arange(7), 60)
    shares = .6 * numpy.eye(7)[truth] + .4 * random.dirichlet(numpy.full(7, .3), 420)
    views = []
    for terms, length in ((900, 110), (1100, 80), (1300, 30)):
        rate = shares @ topics_of(random, 7, terms, .35) * length
        views.append(random.poisson(rate * numpy.exp(random.normal(0, .5, (420, 1)))).astype(float))
    views[2][random.permutation(420)[:168]] = numpy.nan
    return truth, views


def pictures(random):
    """360 photographs of twelve kinds of objects: 256 features of a network (none below zero), a histogram of 59 local patterns
    that adds up to one, and 48 wavelet coefficients, which have heavy tails and grow with the contrast of the picture."""
    truth = numpy.repeat(numpy.arange(12), 30)
    features = numpy.maximum(random.normal(0, .55, (12, 256))[truth] + random.normal(0, 1, (360, 256)) - .4, 0)
    patterns = random.dirichlet(numpy.full(59, 1.), 12) * .35 + .65 * random.dirichlet(numpy.full(59, 1.))
    patterns = numpy.stack([random.dirichlet(90 * row + 1e-3) for row in patterns[truth]])
    waves = random.normal(0, .7, (12, 48))[truth] + random.standard_t(2, (360, 48))
    return truth, [features, patterns, waves * numpy.exp(random.normal(0, .5, (360, 1)))]


def microbiome(random):
    """160 stool samples: shares of 250 bacteria of a sequencing run (most are rare, many zero, rows add up to one), 80
    metabolites in concentrations over several powers of ten, and what the donors wrote of age, weight and eight kinds of food,
    which says nothing. Three types of communities."""
    truth = numpy.repeat(numpy.arange(3), [70, 55, 35])
    usual = random.dirichlet(numpy.full(250, .15)) + 1e-5
    types = usual * numpy.exp(random.normal(0, 1., (3, 250)) * (random.random(250) < .4))
    types /= types.sum(1, keepdims=True)
    reads = numpy.stack([random.multinomial(int(depth), random.dirichlet(40 * row + 1e-4))
                         for row, depth in zip(types[truth], numpy.exp(random.normal(9, .6, 160)))])
    shift = random.normal(0, .8, (3, 80)) * (random.random(80) < .2)
    metabolites = numpy.exp(random.normal(2, 2, 80) + shift[truth] + random.normal(0, .8, (160, 80)))
    wrote = numpy.column_stack([random.integers(20, 80, 160), random.normal(75, 14, 160), random.integers(0, 8, (160, 8))])
    return truth, [reads / reads.sum(1, keepdims=True), metabolites, wrote]


def customers(random):
    """600 customers of a shop: days since the last order, orders, revenue, tenure and returns, all of them skewed; pieces bought
    in 40 groups of goods; ten measures of visits to the web site, which three in ten never made. Five kinds of customers."""
    truth = numpy.repeat(numpy.arange(5), [200, 150, 120, 80, 50])
    habit = random.normal(0, .7, (5, 4))[truth]
    orders = 1 + counted(random, numpy.exp(1.6 + habit[:, 0]), 3)
    account = numpy.column_stack([numpy.ceil(random.exponential(numpy.exp(4 + habit[:, 1]))), orders,
                                  numpy.round(orders * numpy.exp(random.normal(3.5, .4, 600) + .5 * habit[:, 2]), 2),
                                  random.integers(1, 3000, 600), random.binomial(orders.astype(int), .08)])
    taste = random.dirichlet(numpy.full(40, .4), 5) * .6 + .4 * random.dirichlet(numpy.full(40, .5))
    bought = random.poisson(taste[truth] * 2.5 * orders[:, None]).astype(float)
    visits = numpy.exp(random.normal(1, 1, 10) + random.normal(0, .6, (5, 10))[truth]
                       + random.normal(0, .6, (600, 1)) + random.normal(0, .6, (600, 10)))
    visits[random.permutation(600)[:180]] = numpy.nan
    return truth, [account, bought, visits]


def genotypes(random):
    """240 plants of a gene bank: 3000 markers with 0, 1 or 2 copies of the rarer allele, and twelve traits from the field, which
    vary with the plot as much as with the origin. Four origins, of which two are near each other."""
    truth = numpy.repeat(numpy.arange(4), [80, 70, 50, 40])
    usual = random.uniform(.08, .5, 3000)
    origins = random.normal(0, .13, (4, 3000)) * numpy.sqrt(usual * (1 - usual) * 4)
    origins[3] = .6 * origins[2] + .8 * origins[3]
    markers = random.binomial(2, (usual + .5 * origins).clip(.01, .99)[truth]).astype(float)
    traits = random.normal(0, .8, (4, 12))[truth] + random.normal(0, 1, (12, 12))[random.integers(12, size=240)] + random.normal(0, 1, (240, 12))
    return truth, [markers, numpy.round(10 * traits + 100, 1)]


BROUGHT = (cells, respondents, documents, sensors, languages, pictures, microbiome, customers, genotypes)


def brought(draw):
    """{name: what it is, truth, views}; a family has a stream of its own, so that one more changes no other."""
    made = {}
    for number, make in enumerate(BROUGHT):
        random = numpy.random.default_rng([17000, draw, number])
        truth, views = make(random)
        order = numpy.arange(len(truth)) if make is sensors else random.permutation(len(truth))
        made[make.__name__] = " ".join(make.__doc__.split()), truth[order], [view[order] for view in views]
    return made
