# SPDX-License-Identifier: Apache-2.0
"""Figures of the comparison methods: seconds, memory, and their published scores."""
import json
import os
import subprocess

from common import DATA, SETS


def kernel_methods(bench):
    """The methods on whole kernels, default settings, reading included."""
    for method, bar in (("avg-kkm", 3), ("mkkm", 10), ("fmkkm", 20)):
        run = bench.fit("CiteSeer", 0, "--method", method)
        bench.row(f"{method} on CiteSeer", f"< {bar} s", f"{run['wall']:.2f} s", run["wall"] < bar)


def iterations(bench):
    """RMSC, LSGMC and FMR at their defaults, and their iterations against their products alone."""
    program = os.path.join(bench.build, "bench", "bench_methods")
    path = os.path.join(DATA, SETS["ProteinFold"][0])
    parts = json.loads(subprocess.run([program, path], stdout=subprocess.PIPE, check=True).stdout)
    for method, bar in (("rmsc", 30), ("lsgmc", 120), ("fmr", 300)):
        run = bench.fit("ProteinFold", 0, "--method", method)
        part = parts[method]
        bench.details.setdefault("iterations", {})[method] = dict(part, seconds=run["seconds"])
        vectors = f", singular vectors {part['vectors']:.1f} s" if part["vectors"] else ""
        bench.row(f"{method} on ProteinFold", f"< {bar} s",
                  f"{run['wall']:.1f} s; iterations {part['steps']:.1f} s, {part['ratio']:.2f} x their "
                  f"products alone ({part['products']:.1f} s){vectors}", run["wall"] < bar)


def rmsc_memory(bench):
    run = bench.fit("Cora", 0, "--method", "rmsc")
    bench.row("rmsc on Cora: memory", "< 3 GB",
              f"{run['peak_bytes'] / 1e6:.0f} MB ({run['wall']:.0f} s)", run["peak_bytes"] < 3e9)


def published(bench):
    """Linear kernels and k-means from random samples: the published figures can be met again."""
    paper = {"avg-kkm": (29.0, 40.3, 37.4), "sb-kkm": (33.8, 41.1, 39.4)}
    result = bench.run("bench", "ProteinFold", "--kernel", "linear", "--kmeans-start", "samples",
                       "--methods", ",".join(paper), "--grid", "sb-kkm:paper", "--repeats", "20", "-q")
    for method in result["methods"]:
        figures = method["best"] or method["default"]
        ours = [100 * figures[measure]["mean"] for measure in ("acc", "nmi", "purity")]
        theirs = paper[method["name"]]
        bench.row(f"{method['name']} on ProteinFold, linear kernels", "within 1.5 of " + " / ".join(map(str, theirs)),
                  " / ".join(f"{figure:.1f}" for figure in ours),
                  all(abs(a - b) <= 1.5 for a, b in zip(ours, theirs)))


EIGHT = ("avg-kkm", "sb-kkm", "mkkm", "rmsc", "fmkkm", "fmr", "lsgmc", "os-lfmvc-cs")


def whole_bench(bench):
    """The eight methods that 0.1.0 had, which it compared in 4.9 minutes; and the default, new since, by itself."""
    for methods, bar in (EIGHT, 12), (("onefold",), None):
        run = bench.run("bench", "ProteinFold", "--methods", ",".join(methods), "--grid", "default", "-q")
        failed = [cell["reason"] for cell in run["cells"] if cell["status"] != "ok"]
        what = "onefold" if bar is None else "the eight others"
        bench.row(f"bench, {what}, grid default, on ProteinFold", f"< {bar} min" if bar else "",
                  f"{run['wall'] / 60:.1f} min, {run['cpu'] / 60:.1f} of CPU"
                  + (f"; {len(failed)} cells failed" if failed else ""),
                  run["wall"] < 60 * bar and not failed if bar else None)


FIGURES = [kernel_methods, iterations, rmsc_memory, published, whole_bench]
