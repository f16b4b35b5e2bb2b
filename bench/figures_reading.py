# SPDX-License-Identifier: Apache-2.0
"""Figures of reading files."""
import os
import subprocess
import tempfile

from common import measured


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
        bench.synth(at("x.npy"), "--samples", "200000", "--views", "1", "--columns", "50")
        subprocess.run([bench.onefold, "convert", at("x.npy"), at("x.csv"), "-q"], check=True)
        subprocess.run(["/usr/bin/python3", "-c", OTHER_FORMS, folder], check=True)
        with open(at("tiny.csv"), "w") as out:
            out.write("1,2\n3,5\n4,4\n" * 10)
        plan = lambda name: measured([bench.onefold, "fit", at(name), "--method", "os-lfmvc-cs", "--dry-run", "--clusters", "2",
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


FIGURES = [reading]
