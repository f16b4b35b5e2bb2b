# SPDX-License-Identifier: Apache-2.0
"""The wheel beside NumPy: its own OpenBLAS does not meet NumPy's, with threads and in children of fork."""
import hashlib
import multiprocessing
import os
import sys
import threading

import numpy as np

import onefold

assert [name for name in sys.modules if name in ("scipy", "pandas", "sklearn", "anndata")] == []
digits = onefold.datasets.load_digits()
extension = onefold._onefold.__file__
assert not os.path.exists(os.path.join(os.path.dirname(extension), "..", "onefold.libs"))


def fit(threads=1):
    model = onefold.OneFold(n_clusters=10, random_state=0, n_jobs=threads).fit(digits.views)
    return hashlib.sha256(model.labels_.tobytes() + model.embedding_.tobytes()).hexdigest()


def product():
    a = np.random.default_rng(0).normal(size=(400, 400))
    return a @ a


def mapped(word):
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sorted({line.split()[-1] for line in maps if word in line})


# NumPy computes with an OpenBLAS of its own, and is not disturbed
before = product()
one = fit()
assert np.array_equal(product(), before)
assert mapped("libopenblas"), "NumPy has no OpenBLAS here, and nothing is tried"
assert not any("onefold" in path for path in mapped("libopenblas"))
assert onefold.score(onefold.OneFold(n_clusters=10, random_state=0).fit_predict(digits.views), digits.target)["acc"] > 0.75

# the same bits for any number of threads, which a BLAS that counts its own would not give
assert fit(2) == one and fit(3) == one

# fits side by side, with products of NumPy's between them
found, right = [], []
workers = [threading.Thread(target=lambda: found.append(fit(2))) for _ in range(3)]
workers += [threading.Thread(target=lambda: right.append(np.array_equal(product(), before))) for _ in range(3)]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert found == [one] * 3 and right == [True] * 3

# children of fork, after both libraries have had threads
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(fit, [1, 2]) == [one] * 2
    assert np.array_equal(pool.apply(product), before)

# what it brings reads HDF5 and writes JSON
assert "hdf5" in onefold.capabilities() and "json" in onefold.capabilities()
print("the wheel of onefold", onefold.__version__, "beside NumPy", np.__version__, "and", *mapped("libopenblas"))
