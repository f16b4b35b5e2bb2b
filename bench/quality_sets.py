# SPDX-License-Identifier: Apache-2.0
"""The data of bench/quality.py: the labelled sets of shared/data, and synthetic data of each kind.

Every set becomes one .npz file with X1, X2, ... and Y, so that a machine without HDF5 can run it."""
import os
import subprocess

import numpy

# name: (family, what it is made of). Other files of shared/data hold one of these again.
REAL = {
    "100Leaves": ("100leaves", "layouts/data_cols_truth_100Leaves.mat"),
    "3sources": ("3sources", "3sources/3sources.mat"),
    "AR10P": ("ar10p", "kernels/AR10P_Kmatrix.mat"),
    "BBC4view": ("bbc", "layouts/trailing_garbage_BBC4view.mat"),
    "BBCSport": ("bbcsport", "bbcsport/BBCSport.mat"),
    "BDGP": ("bdgp", "bdgp/BDGP.mat"),
    "CiteSeer": ("citeseer", "citeseer/CiteSeer.mat"),
    "Cora": ("cora", "cora/Cora_2view.mat"),
    "Cora-4view": ("cora", "cora/Cora_4view_sparse.mat"),
    "CUB": ("cub", "cub/cub_googlenet_doc2vec_c10.mat"),
    "Digit4k": ("digit4k", "layouts/v73_cell1x2_X_Y_Digit4k.mat"),
    "digits": ("digits", "digits.mat"),
    "Handwritten": ("handwritten", "handwritten/Handwritten.mat"),
    "Hdigit": ("hdigit", "hdigit/Hdigit.mat"),
    "liver": ("liver", "kernels/liver_Kmatrix.mat"),
    "MSRC_v1": ("msrc", "msrc/MSRC_v1.mat"),
    "MSRCV1-6view": ("msrc", "msrc/MSRCV1_6view.mat"),
    "NGs": ("ngs", "ngs/NGs.mat"),
    "NGs-missing": ("ngs", "layouts/incomplete_NaN_MissingStatus_NGs_Per0.1.mat"),
    "ProteinFold": ("proteinfold", "proteinfold/ProteinFold.mat"),
    "Reuters-1200": ("reuters", "reuters/Reuters-1200.mat"),
    "Reuters-600": ("reuters", "reuters/Reuters-600_fullvocab_triplets.mat"),
    "ROSMAP": ("rosmap", "rosmap"),
    "SNARE-seq": ("snareseq", "snareseq"),
    "WebKB-cornell": ("webkb", "webkb/WebKB_cornell.mat"),
    "WebKB-wisconsin": ("webkb", "webkb/WebKB_wisconsin.mat"),
    "Wisconsin-links": ("webkb", "layouts/onehot_sparse_uint8_Wisconsin.mat"),
    "Wikipedia": ("wikipedia", "wikipedia/Wikipedia.mat"),
    "YALE": ("yale", "kernels/YALE_Kmatrix.mat"),
}


def settled():
    """The half that settings may be settled on: every second family in the order of the alphabet,
    so that copies and kin of one set never stand on both sides."""
    families = sorted({family for family, _ in REAL.values()})
    return {name for name, (family, _) in REAL.items() if families.index(family) % 2 == 0}


def join_rosmap(folder):
    """Training and test samples of each kind of measurement, one below the other."""
    def both(stem):
        return numpy.concatenate([numpy.loadtxt(os.path.join(folder, f"{stem}_{part}.csv"), delimiter=",")
                                  for part in ("tr", "te")])
    return [both("1"), both("2"), both("3")], both("labels").astype(int)


def join_snareseq(folder):
    views = [numpy.ascontiguousarray(numpy.load(os.path.join(folder, f"SNAREseq_{kind}_feat.npy")))
             for kind in ("rna", "atac")]
    return views, numpy.loadtxt(os.path.join(folder, "SNAREseq_rna_types.txt")).astype(int)


def save(path, views, truth):
    arrays = {f"X{i + 1}": view for i, view in enumerate(views)}
    numpy.savez_compressed(path, Y=numpy.asarray(truth), **arrays)


def prepare(onefold, data, bundled, folder, names):
    """Makes what is missing of the .npz files; returns the names of those that are there."""
    os.makedirs(folder, exist_ok=True)
    there = []
    for name in names:
        path = os.path.join(folder, name + ".npz")
        source = os.path.join(data, REAL[name][1])
        if name == "digits":
            source = bundled
        if not os.path.exists(path) and os.path.exists(source):
            if name == "ROSMAP":
                save(path, *join_rosmap(source))
            elif name == "SNARE-seq":
                save(path, *join_snareseq(source))
            else:
                subprocess.run([onefold, "convert", source, path, "-q"], check=False)
        if os.path.exists(path):
            there.append(name)
    return there


# ---- synthetic data: each seed makes its own -------------------------------------------------------


def of_sizes(sizes, seed, separation, views=3, columns=20):
    """Normal clusters of these sizes; centres at this root mean square distance in every view."""
    random = numpy.random.default_rng(seed)
    truth = numpy.repeat(numpy.arange(len(sizes)), sizes)
    made = []
    for _ in range(views):
        centres = random.standard_normal((len(sizes), columns))
        centres -= centres.mean(0)
        centres *= separation / numpy.sqrt(2 * (centres**2).sum() / (len(sizes) - 1))
        made.append(centres[truth] + random.standard_normal((len(truth), columns)))
    return made, truth


def subspaces(seed, samples=1000, clusters=5, columns=30, rank=3):
    """Each cluster fills a subspace of its own through the origin: no distance tells them apart."""
    random = numpy.random.default_rng(seed)
    truth = random.integers(clusters, size=samples)
    made = []
    for _ in range(2):
        basis = random.standard_normal((clusters, rank, columns))
        at = random.standard_normal((samples, rank))
        made.append(numpy.einsum("nr,nrd->nd", at, basis[truth])
                    + 0.3 * random.standard_normal((samples, columns)))
    return made, truth


def curved(seed, samples=1200):
    """Rings about one centre, of unequal size, in two views with columns of noise."""
    random = numpy.random.default_rng(seed)
    truth = random.choice(3, size=samples, p=[0.6, 0.3, 0.1])
    made = []
    for view in range(2):
        angle, radius = random.uniform(0, 2 * numpy.pi, samples), 1 + 3.0 * ((truth + view) % 3)
        plane = numpy.stack([radius * numpy.cos(angle), radius * numpy.sin(angle)], 1)
        made.append(plane + 0.25 * random.standard_normal((samples, 2)))
    return made, truth


def graphs(seed, samples=900, clusters=6):
    """Two graphs, ties within clusters three and four times as likely as between them."""
    random = numpy.random.default_rng(seed)
    truth = random.integers(clusters, size=samples)
    same, made = truth[:, None] == truth, []
    for factor in (6, 8):
        chance = numpy.where(same, 0.012 * factor / 2, 0.006)
        upper = numpy.triu(random.random((samples, samples)) < chance, 1)
        made.append((upper | upper.T).astype(float))
    return made, truth


# name: (clusters, largest number of seeds, methods (None: all), made by)
SYNTH = {
    "made: equal sizes": (5, 5, None, ["--samples", "1500"]),
    "made: sizes 1:50": (8, 5, None, ["--samples", "1500", "--clusters", "8", "--balance", "0.02"]),
    "made: close": (6, 5, None, ["--samples", "1200", "--clusters", "6", "--separation", "3"]),
    "made: weak views": (5, 5, None, ["--samples", "1000", "--views", "6", "--separation", "1.6"]),
    "made: views that confuse": (8, 5, None, ["--samples", "1500", "--clusters", "8", "--views", "4",
                                              "--columns", "40", "--noise", "0.5", "--separation", "5"]),
    "made: counts": (6, 5, None, ["--samples", "1000", "--clusters", "6", "--columns", "1000",
                                  "--density", "0.02", "--separation", "6"]),
    "made: missing views": (5, 5, None, ["--samples", "1000", "--missing", "0.3"]),
    "made: 50 clusters": (50, 2, None, ["--samples", "2000", "--clusters", "50", "--columns", "50",
                                        "--separation", "7"]),
    "made: noisy 10 000": (10, 5, None, [
        "--samples", "10000", "--columns", "64", "--clusters", "10", "--noise", "0.5"]),
    "made: noisy 300 000": (10, 1, {"0.1.0", "onefold", "quick", "k-means"}, [
        "--samples", "300000", "--columns", "64", "--clusters", "10", "--noise", "0.5"]),
}
NUMPY = {
    "made: sizes 1200 .. 30": (5, 5, lambda seed: of_sizes([1200, 500, 200, 70, 30], seed, 7.0)),
    "made: sizes 1800 .. 20": (5, 5, lambda seed: of_sizes([1800, 100, 50, 30, 20], seed, 7.0)),
    "made: 1200 .. 30, closer": (5, 5, lambda seed: of_sizes([1200, 500, 200, 70, 30], seed, 4.0)),
    "made: 1800 .. 20, closer": (5, 5, lambda seed: of_sizes([1800, 100, 50, 30, 20], seed, 4.0)),
    "made: subspaces": (5, 5, subspaces),
    "made: rings": (3, 5, curved),
    "made: graphs": (6, 5, graphs),
}
MADE = {**{name: row[:3] for name, row in SYNTH.items()},
        **{name: (row[0], row[1], None) for name, row in NUMPY.items()}}


def make(onefold, folder, name, seed):
    """The path of a made set, which is made where it is not there yet."""
    os.makedirs(folder, exist_ok=True)
    stem = name.replace("made: ", "").replace(" ", "-").replace(":", "-")
    path = os.path.join(folder, f"{stem}-{seed}.npz")
    if not os.path.exists(path):
        passing = path[:-4] + ".part.npz"
        if name in SYNTH:
            subprocess.run([onefold, "synth", passing, "-q", "--seed", str(seed), *SYNTH[name][3]],
                           check=True)
        else:
            save(passing, *NUMPY[name][2](seed))
        os.replace(passing, path)
    return path


def load(path):
    """Views as dense arrays with samples as rows (NaN rows where a sample lacks one), and whether
    they are kernel matrices."""
    file, views, i = numpy.load(path, allow_pickle=False), [], 1
    if "KH" in file:
        return list(numpy.moveaxis(file["KH"], 2, 0)), True
    while f"X{i}" in file or f"X{i}.data" in file:
        if f"X{i}" in file:
            views.append(numpy.asarray(file[f"X{i}"], float))
        else:
            rows, columns = file[f"X{i}.shape"]
            data, index, start = file[f"X{i}.data"], file[f"X{i}.indices"], file[f"X{i}.indptr"]
            dense = numpy.zeros((rows, columns))
            dense[numpy.repeat(numpy.arange(rows), numpy.diff(start)), index] = data
            views.append(dense)
        i += 1
    return views, False
