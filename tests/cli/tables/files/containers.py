#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Containers as SciPy and NumPy write them, names of samples in each of the usual forms: wrote the files called
container_* beside it (SciPy 1.10, NumPy 1.24)."""
import numpy
import scipy.io

random = numpy.random.default_rng(5)
truth = numpy.arange(30) % 3
names = numpy.array([f"P{number:03d}" for number in random.permutation(500)[:30]])


def view(columns):
    return (5 * random.standard_normal((3, columns))[truth] + random.standard_normal((30, columns))).round(3)


def written(columns, order):
    return view(columns)[order], names[order]


every, shuffled, some = numpy.arange(30), random.permutation(30), random.permutation(30)[:24]
x, ids = written(6, every)
scipy.io.savemat("container_cells.mat", {"rna": x, "sample_names": ids.astype(object).reshape(-1, 1)}, do_compression=True)
x, ids = written(4, shuffled)
scipy.io.savemat("container_chars.mat", {"mirna": x, "ids": ids}, do_compression=True)
x, ids = written(5, some)
scipy.io.savemat("container_row.mat", {"protein": x.T, "sampleNames": ids.astype(object).reshape(1, -1)}, do_compression=True)
x, ids = written(3, shuffled[::-1])
numpy.savez_compressed("container_texts.npz", methylation=x, barcodes=ids)
with open("container_truth.csv", "w") as file:
    file.write("patient,subtype\n" + "".join(f"{names[i]},{'abc'[truth[i]]}\n" for i in some))
    file.write("".join(f"{names[i]},{'abc'[truth[i]]}\n" for i in every if i not in some))
