#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the labels are: every method on every labelled set of shared/data and on synthetic data, as tables
in build/quality.md. Each result is kept as a line of JSON, and a run goes on where it was stopped.

    bench/quality.py --onefold build/release            # all of it, on as many cores as there are
    bench/quality.py --onefold build/release --page     # the page again, from what is kept
    bench/quality.py --onefold build/release --prepare  # only turn the sets into .npz files

Needs NumPy. True labels are used to score, by bench/quality_scores.py, and for nothing else."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy

import quality_methods
import quality_page
import quality_sets
from quality_scores import scores

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onefold", required=True, help="build folder, or the command itself")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"))
    parser.add_argument("--npz", default=os.path.join(ROOT, "build", "quality"),
                        help="folder of the sets as .npz, made where they are not there")
    parser.add_argument("--kept", default=os.path.join(ROOT, "build", "quality.jsonl"), help="results so far")
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "quality.md"), help="page of tables")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=600, help="seconds of processor time for one fit")
    parser.add_argument("--once", type=float, default=20,
                        help="other methods than 0.1.0 and the default that took longer than this are run with one seed")
    parser.add_argument("--sets", help="names, comma-separated; 'real' or 'made' for all of a kind")
    parser.add_argument("--methods", help="names, semicolon-separated")
    parser.add_argument("--quality", action="store_true", help=argparse.SUPPRESS)  # as ./dev passes it on
    parser.add_argument("--prepare", action="store_true", help="make the .npz files, and no more")
    parser.add_argument("--page", action="store_true", help="write the page from what is kept, and no more")
    return parser.parse_args()


class Jobs:
    """What is to be run, and the lines of what has been."""

    def __init__(self, given):
        self.given = given
        path = given.onefold
        self.onefold = os.path.join(path, "cli", "onefold") if os.path.isdir(path) else path
        with open(self.onefold, "rb") as file:
            self.build = hashlib.sha256(file.read()).hexdigest()[:12]
        self.made = os.path.join(given.npz, "made")
        self.classes = {}
        self.lines = {}
        if os.path.exists(given.kept):
            with open(given.kept) as file:
                for text in file:
                    line = json.loads(text)
                    self.lines[line["set"], line["method"], line["seed"]] = line

    def keep(self, line):
        self.lines[line["set"], line["method"], line["seed"]] = line
        with open(self.given.kept, "a") as file:
            file.write(json.dumps(line) + "\n")

    def is_known(self, name, method, seed):
        """Results of new methods hold for the build that gave them; the others are the same bits in
        every build. What failed or took long is not tried again with other seeds."""
        line = self.lines.get((name, method, seed))
        if line is None:
            line = self.lines.get((name, method, 0))
            long = line is not None and line["seconds"] > self.given.once and method not in ("0.1.0", "onefold")
            if line is None or not ("error" in line or long):
                return False
        return method not in quality_methods.NEW or line["build"] == self.build

    def list(self, real, methods):
        """(set, method, seed) of all that is not known yet."""
        rows = [(name, method, seed) for seed in range(self.given.seeds)
                for name in real for method in methods]
        wanted = self.wanted(quality_sets.MADE)
        rows += [(name, method, seed) for seed in range(self.given.seeds) for name in wanted
                 for method in methods if seed < quality_sets.MADE[name][1]
                 and (quality_sets.MADE[name][2] is None or method in quality_sets.MADE[name][2])]
        return [row for row in rows if not self.is_known(*row)]

    def wanted(self, table):
        given = self.given.sets
        kind = "made" if table is quality_sets.MADE else "real"
        return [name for name in table if not given or name in given.split(",") or kind in given.split(",")]

    def path(self, name, seed):
        if name in quality_sets.MADE:
            return quality_sets.make(self.onefold, self.made, name, seed)
        return os.path.join(self.given.npz, name + ".npz")

    def truth(self, path):
        if path not in self.classes:
            self.classes[path] = numpy.unique(numpy.load(path)["Y"], return_inverse=True)[1]
        return self.classes[path]

    def run(self, name, method, seed):
        """One fit, scored; a line with "error" where there are no labels."""
        line = {"set": name, "method": method, "seed": seed, "build": self.build}
        path = self.path(name, seed)
        truth = self.truth(path)
        line.update(n=len(truth), clusters=int(truth.max()) + 1)
        with tempfile.TemporaryDirectory() as folder:
            labels = os.path.join(folder, "labels.txt")
            if method in quality_methods.PLAIN:
                command = [sys.executable, os.path.join(HERE, "quality_methods.py"), method, path,
                           str(truth.max() + 1), str(seed)]
            else:
                command = quality_methods.command(self.onefold, method, path, truth.max() + 1, seed, labels)
            status, message, seconds = measured(command, folder, labels, self.given.limit)
            if status:
                return {**line, "error": message, "seconds": round(seconds, 2)}
            found = numpy.loadtxt(labels, dtype=int)
        used = scores(found, truth)
        return {**line, "seconds": round(seconds, 3), "sizes": sorted(numpy.bincount(found).tolist())[-3:],
                **{key: round(float(value), 5) for key, value in used.items()}}


def measured(command, folder, labels, limit):
    """Exit status, the last words, and seconds of processor time of a command on one thread."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    with open(os.path.join(folder, "out"), "w+") as out, open(os.path.join(folder, "err"), "w+") as err:
        child = subprocess.Popen(["sh", "-c", 'ulimit -t "$0"; exec "$@"', str(int(limit)), *command],
                                 stdout=out, stderr=err, env=environment)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = usage.ru_utime + usage.ru_stime
        err.seek(0)
        words = err.read().strip().splitlines()
    if child.returncode == 0 and not os.path.exists(labels):
        os.replace(os.path.join(folder, "out"), labels)
    if seconds >= int(limit) - 1 and child.returncode:
        return 1, f"not done after {int(limit)} s", seconds
    said = [word for word in words if word.startswith("onefold:")] or words[-1:] or [f"ended with {child.returncode}"]
    return child.returncode, said[0], seconds


def main():
    given = arguments()
    jobs = Jobs(given)
    os.makedirs(os.path.dirname(os.path.abspath(given.kept)), exist_ok=True)
    real = quality_sets.prepare(jobs.onefold, given.data, os.path.join(ROOT, "data", "digits", "digits.mat"),
                                given.npz, jobs.wanted(quality_sets.REAL))
    missing = sorted(set(jobs.wanted(quality_sets.REAL)) - set(real))
    if missing:
        print(f"quality: not here, and left out: {', '.join(missing)}")
    if given.prepare:
        return
    if not given.page:
        methods = given.methods.split(";") if given.methods else quality_methods.NAMES
        unknown = [method for method in methods if method not in quality_methods.NAMES]
        if unknown:
            sys.exit(f"quality: there is no method {', '.join(unknown)}; there are {'; '.join(quality_methods.NAMES)}")
        work_off(jobs, real, methods)
    if jobs.lines:
        quality_page.write(given.out, jobs.lines, jobs.build)
        print(f"quality: {len(jobs.lines)} results, the page is {given.out}")


def work_off(jobs, real, methods):
    """First seeds first; a seed's failures are known before the next seed begins."""
    began = time.monotonic()
    for seed in range(jobs.given.seeds):
        rows = [row for row in jobs.list(real, methods) if row[2] == seed]
        for name in {row[0] for row in rows}:
            jobs.truth(jobs.path(name, seed))  # made before several want it
        rows.sort(key=lambda row: -len(jobs.truth(jobs.path(row[0], seed))))  # the long ones first
        with concurrent.futures.ThreadPoolExecutor(jobs.given.jobs) as pool:
            futures = [pool.submit(jobs.run, *row) for row in rows]
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                line = future.result()
                jobs.keep(line)
                score = line.get("error") or f"ACC {100 * line['acc']:.1f} NMI {100 * line['nmi']:.1f}"
                print(f"{time.monotonic() - began:6.0f} s  seed {seed} {done}/{len(rows)}  {line['set']}  "
                      f"{line['method']}  {score}  {line['seconds']:.1f} s", flush=True)


if __name__ == "__main__":
    main()
