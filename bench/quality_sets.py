# SPDX-License-Identifier: Apache-2.0
"""The data of bench/quality.py: the labelled sets of shared/data and of shared/data/judge, and draws of bench/families.py.

A real set becomes one .npz file with X1, X2, ... and Y."""
import os
import subprocess

import numpy
import scipy.io
import scipy.sparse

import families

# name: file. Other files of shared/data hold one of these again.
REAL = {
    "100Leaves": "layouts/data_cols_truth_100Leaves.mat",
    "3sources": "3sources/3sources.mat",
    "AR10P": "kernels/AR10P_Kmatrix.mat",
    "BBC4view": "layouts/trailing_garbage_BBC4view.mat",
    "BBCSport": "bbcsport/BBCSport.mat",
    "BDGP": "bdgp/BDGP.mat",
    "CiteSeer": "citeseer/CiteSeer.mat",
    "Cora": "cora/Cora_2view.mat",
    "Cora-4view": "cora/Cora_4view_sparse.mat",
    "CUB": "cub/cub_googlenet_doc2vec_c10.mat",
    "Digit4k": "layouts/v73_cell1x2_X_Y_Digit4k.mat",
    "digits": "digits.mat",
    "Handwritten": "handwritten/Handwritten.mat",
    "Hdigit": "hdigit/Hdigit.mat",
    "liver": "kernels/liver_Kmatrix.mat",
    "MSRC_v1": "msrc/MSRC_v1.mat",
    "MSRCV1-6view": "msrc/MSRCV1_6view.mat",
    "NGs": "ngs/NGs.mat",
    "NGs-missing": "layouts/incomplete_NaN_MissingStatus_NGs_Per0.1.mat",
    "ProteinFold": "proteinfold/ProteinFold.mat",
    "Reuters-1200": "reuters/Reuters-1200.mat",
    "Reuters-600": "reuters/Reuters-600_fullvocab_triplets.mat",
    "ROSMAP": "rosmap",
    "SNARE-seq": "snareseq",
    "WebKB-cornell": "webkb/WebKB_cornell.mat",
    "WebKB-wisconsin": "webkb/WebKB_wisconsin.mat",
    "Wisconsin-links": "layouts/onehot_sparse_uint8_Wisconsin.mat",
    "Wikipedia": "wikipedia/Wikipedia.mat",
    "YALE": "kernels/YALE_Kmatrix.mat",
}
JUDGE = {name: f"judge/{name}.mat" for name in (
    "ACM", "ALOI-10", "BBC", "CESC", "HW2sources", "IS2", "LandUse-21", "MNIST-2000", "Movies", "ORL", "PIE_face_10", "Prokaryotic",
    "UCI_3view", "WebKB_1051_2view", "WebKB_203_3view", "WebKB_texas", "WebKB_washington", "Wikipedia-test")}
MADE = ("hard", "users", "brought")
GROUPS = ("real", "judge", "kernels", *MADE)
KERNELS = ("AR10P", "liver", "YALE")  # of REAL: given as kernel matrices


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


def made_real(onefold, source, name, path):
    if name == "ROSMAP":
        views, truth = join_rosmap(source)
    elif name == "SNARE-seq":
        views, truth = join_snareseq(source)
    else:
        subprocess.run([onefold, "convert", source, path, "-q"], check=True)
        return
    numpy.savez_compressed(path, Y=truth, **{f"X{i + 1}": view for i, view in enumerate(views)})


class Sets:
    """Files of the wanted sets, made where they are not there yet. For a family a seed is a draw of its own."""

    def __init__(self, onefold, data, bundled, folder, wanted):
        self.folder, self.wanted, self.absent = folder, wanted, []
        self.groups, self.paths, self.what, self.truths = {}, {}, {}, {}
        os.makedirs(folder, exist_ok=True)
        for of_table, table in (("real", REAL), ("judge", JUDGE)):
            for name, file in table.items():
                group = "kernels" if name in KERNELS else of_table
                if not (group in wanted or name in wanted):
                    continue
                path, source = os.path.join(folder, name + ".npz"), bundled if name == "digits" else os.path.join(data, file)
                if not os.path.exists(path) and os.path.exists(source):
                    made_real(onefold, source, name, path)
                if os.path.exists(path):
                    self.groups[name], self.paths[name] = group, path
                else:
                    self.absent.append(name)

    def draw(self, number, first=0):
        """{name: path} of all sets for a seed; families are the draw of this number, from `first` on."""
        folder = os.path.join(self.folder, f"draw-{first + number}")
        for name, (group, what, path, _) in families.write(folder, first + number, self.wanted, keep=True).items():
            self.groups[name], self.what[name] = group, what
            self.paths[name, number] = path
        return {name: self.path(name, number) for name in self.groups}

    def path(self, name, number):
        return self.paths.get((name, number)) or self.paths[name]

    def truth(self, path):
        if path not in self.truths:
            labels = numpy.load(path)["Y"] if path.endswith(".npz") else scipy.io.loadmat(path, variable_names="Y")["Y"]
            self.truths[path] = numpy.unique(labels.ravel(), return_inverse=True)[1]
        return self.truths[path]


def load(path):
    """Views as dense arrays with samples as rows (NaN rows where a sample lacks one), and whether they are kernel matrices."""
    if path.endswith(".mat"):
        return [view.toarray() if scipy.sparse.issparse(view) else view for view in scipy.io.loadmat(path)["X"].ravel()], False
    file, views, i = numpy.load(path, allow_pickle=False), [], 1
    if "KH" in file:
        return list(numpy.moveaxis(file["KH"], 2, 0)), True
    while f"X{i}" in file or f"X{i}.data" in file:
        if f"X{i}" in file:
            views.append(numpy.asarray(file[f"X{i}"], float))
        else:
            arrays = [file[f"X{i}.{part}"] for part in ("data", "indices", "indptr")]
            views.append(scipy.sparse.csr_matrix(tuple(arrays), tuple(file[f"X{i}.shape"])).toarray().astype(float))
        i += 1
    return views, False
