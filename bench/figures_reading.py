# SPDX-License-Identifier: Apache-2.0
"""Figures of reading files, and of how near the estimates of `fit --dry-run` come."""
import os
import statistics
import subprocess
import tempfile

from common import DATA, SETS, measured


def synth(bench, path, *options):
    subprocess.run([bench.onefold, "synth", path, "-q", *options], check=True)


# In a process of its own: what a process has held counts as the peak of those it starts.
OTHER_FORMS = """
import numpy, sys
x = numpy.load(sys.argv[1] + "/x.npy")
numpy.save(sys.argv[1] + "/single.npy", x.astype(numpy.float32))
with open(sys.argv[1] + "/six.csv", "w") as out:
    for row in x:
        out.write(",".join(["%.6g" % value for value in row.tolist()]) + "\\n")
"""


def reading(bench):
    """Files of ten million numbers: how fast text is read, and what `info` of an array holds."""
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        synth(bench, at("x.npy"), "--samples", "200000", "--views", "1", "--columns", "50")
        subprocess.run([bench.onefold, "convert", at("x.npy"), at("x.csv"), "-q"], check=True)
        subprocess.run(["/usr/bin/python3", "-c", OTHER_FORMS, folder], check=True)
        with open(at("tiny.csv"), "w") as out:
            out.write("1,2\n3,5\n4,4\n" * 10)
        plan = lambda name: measured([bench.onefold, "fit", at(name), "--dry-run", "--clusters", "2",
                                      "--kernel", "linear", "--json", "--threads", "2"])
        rest = min(plan("tiny.csv")["cpu"] for _ in range(3))
        for name, what in (("x.csv", "17 digits"), ("six.csv", "6 digits")):
            runs = [plan(name) for _ in range(5)]
            size = os.path.getsize(at(name))
            wall = min(run["json"]["seconds"]["read"] for run in runs)
            cpu = min(run["cpu"] for run in runs) - rest
            bench.details.setdefault("reading", {})[name] = {"bytes": size, "wall": wall, "cpu": cpu}
            bench.row(f"CSV of {size / 1e6:.0f} MB, {what}, 2 threads", ">= 200 MB/s",
                      f"{size / wall / 1e6:.0f} MB/s; {size / cpu / 1e6:.0f} MB in a second of CPU",
                      size / wall >= 200e6)
        for name in ("x.npy", "single.npy"):
            size = os.path.getsize(at(name))
            run = measured([bench.onefold, "info", at(name), "--json"])
            bench.row(f"peak of `info` on {name}, {size / 1e6:.0f} MB", "<= 1 x the file + 60 MB",
                      f"{run['peak'] / 1e6:.0f} MB", run["peak"] <= size + 60e6)


# what is made: name, options of synth, clusters, options of fit
MADE = [
    ("n = 3000, d = 800, dense", ("--samples", "3000", "--views", "2", "--columns", "800"), 6, ()),
    ("n = 8000, tiles", ("--samples", "8000", "--views", "2", "--columns", "20"), 8, ()),
    ("n = 20000, gram", ("--samples", "20000", "--views", "3", "--columns", "50"), 10,
     ("--kernel", "linear")),
    ("n = 20000, nystrom", ("--samples", "20000", "--views", "3", "--columns", "50"), 10,
     ("--base", "nystrom")),
    ("n = 60000, nystrom", ("--samples", "60000", "--views", "2", "--columns", "64"), 5, ()),
    ("n = 200000, nystrom", ("--samples", "200000", "--views", "3", "--columns", "30"), 10, ()),
    ("n = 200000, gram", ("--samples", "200000", "--views", "3", "--columns", "30"), 10,
     ("--kernel", "linear")),
]


def dry_run(bench):
    """Seconds that `fit --dry-run` foretells against those of the fit that follows."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        cases = [(name, os.path.join(DATA, path), clusters, ())
                 for name, (path, clusters) in SETS.items()]
        for index, (name, options, clusters, more) in enumerate(MADE):
            path = os.path.join(folder, f"{index}.npz")
            synth(bench, path, "--clusters", str(clusters), *options)
            cases.append((name, path, clusters, more))
        for name, path, clusters, more in cases:
            command = [bench.onefold, "fit", path, "--clusters", str(clusters), "--json",
                       "--progress", "never", *more]
            plan, fit = measured(command + ["--dry-run"])["json"], measured(command)["json"]
            ratio = plan["seconds"]["total"] / fit["seconds"]["total"]
            row = {"name": name, "samples": plan["samples"],
                   "routes": sorted({view["base"] for view in plan["views"]}),
                   "foretold": plan["seconds"], "took": fit["seconds"], "ratio": ratio}
            rows.append(row)
            print(f"     {name:<26} n = {row['samples']:<7} {','.join(row['routes']):<14} "
                  f"foretold {plan['seconds']['total']:7.2f} s   took {fit['seconds']['total']:7.2f} s"
                  f"   ratio {ratio:.2f}", flush=True)
    bench.details["dry_run"] = rows
    near = sum(0.5 <= row["ratio"] <= 2 for row in rows)
    bench.row(f"--dry-run within a factor of 2, of {len(rows)} fits", "all of them",
              f"{near}; median ratio {statistics.median(row['ratio'] for row in rows):.2f}",
              near == len(rows))


FIGURES = [reading, dry_run]
