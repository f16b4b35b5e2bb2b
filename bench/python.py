#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package: a fit against the command's on the same files, what importing takes, and a
table against scikit-learn (and mvlearn where it is installed).

Run it by `./dev bench --python`, which installs the package into build/python-env. Every
measurement is a process of its own, whose peak memory is what it says itself: what the system says
of a child starts from its parent's.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

from common import DATA, measured

HANDWRITTEN = ("handwritten/Handwritten.mat", "X", "y")
FIT = """
import json, sys, time
import numpy, onefold
began = time.perf_counter()
views = [numpy.load(path) for path in sys.argv[2:]]
model = onefold.OneFold(10, method="os-lfmvc-cs", random_state=0).fit(views)
numpy.save(sys.argv[1], model.labels_)
took = time.perf_counter() - began
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"whole": took, "peak": 1024 * peak}))
"""
METHOD = """
import json, sys, time
import numpy
sys.path.insert(0, sys.argv[1])
name, data = sys.argv[2], numpy.load(sys.argv[3])
views = [data[k] for k in data.files if k != "truth"]
clusters = len(numpy.unique(data["truth"]))
if name.startswith("OneFold"):
    import onefold
    made = onefold.OneFold(clusters, method=name[8:-1], random_state=0)
elif name.startswith("Multiview"):
    from mvlearn.cluster import MultiviewSpectralClustering
    made = MultiviewSpectralClustering(n_clusters=clusters, random_state=0)
else:
    from sklearn.cluster import KMeans, SpectralClustering
    from sklearn.preprocessing import StandardScaler
    views = numpy.hstack([StandardScaler().fit_transform(v) for v in views])
    made = (KMeans(clusters, n_init=10, random_state=0) if name.startswith("KMeans") else
            SpectralClustering(clusters, affinity="nearest_neighbors", random_state=0))
began = time.perf_counter()
labels = made.fit_predict(views)
took = time.perf_counter() - began
peak = 1024 * next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
print(json.dumps({"seconds": took, "peak": peak, "ari": adjusted_rand_score(data["truth"], labels),
                  "nmi": normalized_mutual_info_score(data["truth"], labels)}))
"""
METHODS = ["OneFold(onefold)", "OneFold(os-lfmvc-cs)", "KMeans, concatenated",
           "SpectralClustering, concatenated", "MultiviewSpectralClustering (mvlearn)"]


def python(program, *words):
    """What a program prints, as JSON; its last line on standard error where it fails."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program, *words],
                          capture_output=True, text=True)
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    return json.loads(done.stdout)


def fits(command, samples, times, folder):
    """The same files by the command and from Python, from the files to labels in a file: a fit by
    itself is not what the command's other parts are, as it looks for missing values when it reads."""
    generator = numpy.random.default_rng(0)
    truth = generator.integers(0, 10, samples)
    paths = []
    for view in range(3):
        values = generator.normal(size=(samples, 64)).astype("float32")
        values += 2 * generator.normal(size=(10, 64)).astype("float32")[truth]
        paths.append(os.path.join(folder, f"{view}.npy"))
        numpy.save(paths[-1], values)
    labels = os.path.join(folder, "l.npy")
    whole, command_whole = [], []
    for _ in range(times):  # by turns, and the least of each: other work on a machine only adds
        told = measured([command, "fit", *paths, "--clusters", "10", "--method", "os-lfmvc-cs", "--samples-are",
                         "rows", "--no-truth", "--model", os.path.join(folder, "m.model"), "--labels",
                         os.path.join(folder, "c.npy"), "--json"])
        ours = python(FIT, labels, *paths)
        if "error" in ours:
            sys.exit(f"bench: the fit from Python failed: {ours['error']}")
        command_whole.append(told["json"]["seconds"]["total"])
        whole.append(ours["whole"])
    same = bool((numpy.load(labels) == numpy.load(os.path.join(folder, "c.npy"))).all())
    return {"samples": samples, "command_seconds": min(command_whole), "python_seconds": min(whole),
            "command_all": command_whole, "python_all": whole, "arrays_bytes": samples * 3 * 64 * 4,
            "command_peak": told["json"]["peak_bytes"], "python_peak": ours["peak"], "same_labels": same}


def imports(times):
    """Median seconds of a process that imports NumPy, and what onefold adds."""
    def median(program):
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            subprocess.run([sys.executable, "-c", program], check=True)
            taken.append(time.perf_counter() - began)
        return statistics.median(taken)
    plain = median("import numpy")
    return {"numpy": plain, "onefold_adds": median("import numpy, onefold") - plain}


def sets(folder):
    """The digits, and Handwritten where it is: files with the views and the truth."""
    import onefold
    import scipy.io
    digits = onefold.datasets.load_digits()
    found = {"digits": os.path.join(folder, "digits.npz")}
    numpy.savez(found["digits"], truth=digits.target,
                **{f"v{i}": v for i, v in enumerate(digits.views.values())})
    path = os.path.join(DATA, HANDWRITTEN[0])
    if os.path.exists(path):
        file = scipy.io.loadmat(path)
        truth = file[HANDWRITTEN[2]].ravel().astype(int)
        views = [numpy.asarray(v, float) for v in file[HANDWRITTEN[1]].ravel()]
        found["Handwritten"] = os.path.join(folder, "handwritten.npz")
        numpy.savez(found["Handwritten"], truth=truth,
                    **{f"v{i}": v if len(v) == len(truth) else v.T for i, v in enumerate(views)})
    return found


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--python", action="store_true", help=argparse.SUPPRESS)
    arguments.add_argument("--onefold", default="build/release", help="the build to measure")
    arguments.add_argument("--samples", type=int, default=1000000, help="of the fit")
    arguments.add_argument("--times", type=int, default=3, help="that it is fitted by each")
    arguments.add_argument("--imports", type=int, default=9, help="times that importing is measured")
    arguments.add_argument("--json", help="write the figures there too")
    asked = arguments.parse_args()
    all_of_it = {}
    with tempfile.TemporaryDirectory() as folder:
        one = all_of_it["fit"] = fits(os.path.join(asked.onefold, "cli", "onefold"), asked.samples, asked.times, folder)
        print(f"fit of {one['samples']} x 3 x 64 single, files to labels: command {one['command_seconds']:.2f} s, Python "
              f"{one['python_seconds']:.2f} s ({100 * (one['python_seconds'] / one['command_seconds'] - 1):+.1f} %, "
              f"bar +5 %); labels {'the same' if one['same_labels'] else 'DIFFER'}")
        over = (one["python_peak"] - one["arrays_bytes"]) / one["command_peak"] - 1
        print(f"peak memory: command {one['command_peak'] / 1e6:.0f} MB, Python {one['python_peak'] / 1e6:.0f} MB, of which "
              f"arrays {one['arrays_bytes'] / 1e6:.0f} MB (without them {100 * over:+.1f} %, bar +5 %)")
        two = all_of_it["import"] = imports(asked.imports)
        print(f"import onefold: {two['onefold_adds']:.3f} s more than numpy's {two['numpy']:.3f} s (bar 0.05)")
        print("\n| data | method | seconds | peak MB | ARI | NMI |\n| --- | --- | --- | --- | --- | --- |")
        for data, path in sets(folder).items():
            for method in METHODS:
                row = python(METHOD, os.path.dirname(__file__), method, path)
                all_of_it.setdefault("methods", []).append({"data": data, "method": method, **row})
                print(f"| {data} | {method} | not run: {row['error']} | | | |" if "error" in row else
                      f"| {data} | {method} | {row['seconds']:.2f} | {row['peak'] / 1e6:.0f} | {row['ari']:.3f} | "
                      f"{row['nmi']:.3f} |", flush=True)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(all_of_it, file, indent=1)


if __name__ == "__main__":
    main()
