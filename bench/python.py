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
# The fit of arrays that are there, as of any data scientist; or the files to labels, mapped as the
# command maps them or copied by numpy.load.
FIT = """
import json, sys, time
import numpy, onefold
how = sys.argv[1]
if how == "fit":
    views = [numpy.load(path) for path in sys.argv[3:]]
began = time.perf_counter()
if how != "fit":
    views = [numpy.load(path, mmap_mode="r" if how == "mapped" else None) for path in sys.argv[3:]]
model = onefold.OneFold(10, method="os-lfmvc-cs", random_state=0).fit(views)
if how != "fit":
    numpy.save(sys.argv[2], model.labels_)
took = time.perf_counter() - began
if how == "fit":
    numpy.save(sys.argv[2], model.labels_)
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps({"seconds": took, "peak": 1024 * peak}))
"""
WAYS = {"fit": "fit of arrays in memory", "mapped": "files to labels, mapped",
        "loaded": "files to labels, copied by numpy.load"}
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
    import inspect  # older ones ask for the number of views
    count = {"n_views": len(views)} if "n_views" in inspect.signature(MultiviewSpectralClustering).parameters else {}
    made = MultiviewSpectralClustering(n_clusters=clusters, affinity="nearest_neighbors", random_state=0, **count)
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
    """The same files by the command, which maps them, and from Python in three ways."""
    generator = numpy.random.default_rng(0)
    truth = generator.integers(0, 10, samples)
    paths = []
    for view in range(3):
        values = generator.normal(size=(samples, 64)).astype("float32")
        values += 2 * generator.normal(size=(10, 64)).astype("float32")[truth]
        paths.append(os.path.join(folder, f"{view}.npy"))
        numpy.save(paths[-1], values)
    labels, told_labels = os.path.join(folder, "l.npy"), os.path.join(folder, "c.npy")
    taken, same = {"command": [], **{way: [] for way in WAYS}}, True
    for _ in range(times):  # alternating, and the least of each: other work on a machine only adds
        told = measured([command, "fit", *paths, "--clusters", "10", "--method", "os-lfmvc-cs", "--samples-are",
                         "rows", "--no-truth", "--model", os.path.join(folder, "m.model"), "--labels",
                         told_labels, "--json"])
        taken["command"].append({"seconds": told["json"]["seconds"]["total"], "peak": told["json"]["peak_bytes"]})
        for way in WAYS:
            ours = python(FIT, way, labels, *paths)
            if "error" in ours:
                sys.exit(f"bench: the fit from Python failed: {ours['error']}")
            taken[way].append(ours)
            same = same and bool((numpy.load(labels) == numpy.load(told_labels)).all())
    return {"samples": samples, "arrays_bytes": samples * 3 * 64 * 4, "same_labels": same, "runs": taken,
            **{way: {key: min(run[key] for run in runs) for key in ("seconds", "peak")}
               for way, runs in taken.items()}}


def tell_fits(one):
    command = one["command"]
    print(f"fit of {one['samples']} x 3 x 64 single; labels {'the same' if one['same_labels'] else 'DIFFER'}\n\n"
          f"| | seconds | peak MB |\n| --- | --- | --- |\n"
          f"| the command, files to labels | {command['seconds']:.2f} | {command['peak'] / 1e6:.0f} |")
    for way, name in WAYS.items():
        ours = one[way]
        print(f"| Python, {name} | {ours['seconds']:.2f} ({100 * (ours['seconds'] / command['seconds'] - 1):+.1f} %) | "
              f"{ours['peak'] / 1e6:.0f} |")
    over = (one["fit"]["peak"] - one["arrays_bytes"]) / command["peak"] - 1
    print(f"\nbars: the fit +5 %; its memory without the arrays' {one['arrays_bytes'] / 1e6:.0f} MB +5 % "
          f"({100 * over:+.1f} %)")


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
    arguments.add_argument("--methods", action="store_true", help="the table of methods alone")
    arguments.add_argument("--json", help="write the figures there too")
    asked = arguments.parse_args()
    all_of_it = {}
    with tempfile.TemporaryDirectory() as folder:
        if not asked.methods:
            one = all_of_it["fit"] = fits(os.path.join(asked.onefold, "cli", "onefold"), asked.samples, asked.times, folder)
            tell_fits(one)
            two = all_of_it["import"] = imports(asked.imports)
            print(f"\nimport onefold: {two['onefold_adds']:.3f} s more than numpy's {two['numpy']:.3f} s (bar 0.05)")
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
