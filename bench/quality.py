#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the labels are: Onefold, the paper's baselines and what people use instead, on real sets and on families of data.

    ./dev bench --quality                                     # all of it; run again, it goes on where it was stopped
    ./dev bench --quality --sets users,Cora --draws 1 --methods 'onefold,snf'
    ./dev bench --quality --page                              # the page again, from what is kept

writes build/quality.md, the tables of docs/quality.md, and build/quality-readme.md, the cut of them for README.md; --update puts
both there. Each result is a line of build/quality.jsonl: a set, a seed (for a family: a draw), a method, and the version that gave it, which is a
checksum of the command, or of the files of the method here. After --minutes no fit begins but those of the default and of
os-lfmvc-cs. Who is slow has fewer seeds, and the page says of each figure how many sets it stands for.

Needs NumPy, SciPy and scikit-learn. True labels are used to score, by bench/quality_scores.py, and for nothing else."""
import argparse
import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import numpy

import quality_methods
import quality_page
import quality_sets
from quality_scores import scores

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
ALWAYS = ("onefold", "os-lfmvc-cs")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--onefold", required=True, help="build folder, or the command itself")
    parser.add_argument("--data", default=os.path.join(ROOT, "..", "shared", "data"), help="folder of the real sets")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder of sets, results and pages")
    parser.add_argument("--sets", default=",".join(quality_sets.GROUPS), help="names and groups, comma-separated [%(default)s, more]")
    parser.add_argument("--methods", default=",".join(quality_methods.NAMES), help="comma-separated [%(default)s]")
    parser.add_argument("--draws", type=int, default=5, help="seeds, and draws of each family [%(default)s]")
    parser.add_argument("--first", type=int, default=0, help="the first draw of families [%(default)s]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=60, help="seconds of processor time for one fit [%(default)s]")
    parser.add_argument("--once", type=float, default=5, help="methods that took longer than this have one seed [%(default)s]")
    parser.add_argument("--minutes", type=float, default=55, help="no fits of other methods begin after this [%(default)s]")
    parser.add_argument("--quality", action="store_true", help=argparse.SUPPRESS)  # as ./dev passes it on
    parser.add_argument("--prepare", action="store_true", help="make the files of the sets, and no more")
    parser.add_argument("--update", action="store_true", help="put the tables into docs/quality.md and README.md")
    parser.add_argument("--page", action="store_true", help="write the pages from what is kept, and no more")
    return parser.parse_args()


def is_draw(path):
    """Whether a set is a draw of a family; real sets are .npz files."""
    return path.endswith(".mat")


def checksum(*paths):
    found = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            found.update(file.read())
    return found.hexdigest()[:12]


class Results:
    """Lines of what has been run; those of other versions are left alone and not taken."""

    def __init__(self, path, onefold):
        self.path, self.lines, self.of = path, {}, {}
        self.command = checksum(onefold)
        self.programs = checksum(*(os.path.join(HERE, name) for name in quality_methods.PROGRAMS))
        if os.path.exists(path):
            with open(path) as file:
                for text in file:
                    line = json.loads(text)
                    if line["version"] == self.version(line["method"]):
                        self.add(line)

    def version(self, method):
        return self.command if method in quality_methods.COMMAND else self.programs

    def add(self, line):
        self.lines[line["set"], line["seed"], line["method"]] = line
        self.of.setdefault((line["set"], line["method"]), []).append(line)

    def keep(self, line):
        self.add(line)
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")

    def has(self, name, seed, method, once, family):
        """Whether it is known, or need not be: another seed of what failed, was slow, or takes no seed."""
        if (name, seed, method) in self.lines:
            return True
        before = self.of.get((name, method), ())
        return any("error" in line or (line["seconds"] > once and method not in ALWAYS)
                   or (method in quality_methods.SEEDLESS and not family) for line in before)


# ---- one fit ------------------------------------------------------------------------------------


def by_command(command, labels, limit):
    """Labels or None, the last words, and seconds of processor time of a command on one thread."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(["sh", "-c", 'ulimit -t "$0"; exec "$@"', str(int(limit) + 1), *command],
                                 stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        words = [word for word in said.read().splitlines() if word.startswith("onefold:")]
    seconds = usage.ru_utime + usage.ru_stime
    if child.returncode == 0:
        return numpy.loadtxt(labels, dtype=int), "", seconds
    return None, words[0] if words else f"ended with {child.returncode}", seconds


def work_here(end, method, path, clusters, seed, limit):
    """In a process of its own: labels by one of the methods here go to `end`."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
    before = time.process_time()
    try:
        views, is_kernel = quality_sets.load(path)
        labels = quality_methods.plain(method, views, is_kernel, clusters, seed)
        end.send((numpy.asarray(labels), "", time.process_time() - before))
    except (ValueError, MemoryError, numpy.linalg.LinAlgError) as error:
        end.send((None, str(error) or type(error).__name__, time.process_time() - before))


def by_python(context, method, path, clusters, seed, limit):
    mine, theirs = context.Pipe(False)
    child = context.Process(target=work_here, args=(theirs, method, path, clusters, seed, limit))
    child.start()
    theirs.close()
    try:
        return mine.recv()
    except EOFError:
        return None, "ended without labels", limit
    finally:
        child.join()


def run(given, results, context, name, seed, method, path, truth):
    """One fit, scored; a line with "error" where there are no labels. Draws of a family are all fitted with seed 0."""
    fitted_with = 0 if is_draw(path) else seed
    clusters = int(truth.max()) + 1
    line = {"set": name, "seed": seed, "method": method, "version": results.version(method), "samples": len(truth), "clusters": clusters}
    with tempfile.TemporaryDirectory() as folder:
        if method in quality_methods.COMMAND:
            labels = os.path.join(folder, "labels.txt")
            command = quality_methods.command(given.onefold, method, path, clusters, fitted_with, labels)
            found, words, seconds = by_command(command, labels, 100 * given.limit if method in ALWAYS else given.limit)
        else:
            found, words, seconds = by_python(context, method, path, clusters, fitted_with, given.limit)
    line["seconds"] = round(seconds, 3)
    if found is None:
        return {**line, "error": f"not done after {given.limit:g} s" if seconds >= given.limit else words}
    return {**line, **{key: round(float(value), 5) for key, value in scores(found, truth).items()}}


def work_off(given, results, sets, methods):
    """First seeds first; a seed's failures and times are known before the next begins."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["quality_methods", "quality_sets", "rivals", "sklearn.cluster", "sklearn.mixture"])
    began = time.monotonic()

    def late():
        return time.monotonic() - began > 60 * given.minutes

    def one(name, seed, method, path):
        return None if late() and method not in ALWAYS else run(given, results, context, name, seed, method, path, sets.truth(path))
    for seed in range(given.draws):
        paths = sets.draw(seed, given.first)
        rows = [(name, seed + (given.first if is_draw(path) else 0), method, path) for name, path in paths.items() for method in methods]
        rows = [row for row in rows if not results.has(*row[:3], given.once, is_draw(row[3]))]
        for row in rows:
            sets.truth(row[3])
        rows.sort(key=lambda row: (row[2] not in ALWAYS, -len(sets.truth(row[3]))))  # the long ones first
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            futures = [pool.submit(one, *row) for row in rows]
            for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
                line = future.result()
                if line is None:
                    continue
                results.keep(line)
                score = line.get("error") or f"NMI {100 * line['nmi']:.1f}"
                print(f"{time.monotonic() - began:6.0f} s  seed {seed} {done}/{len(rows)}  {line['set']}  {line['method']}  "
                      f"{score}  {line['seconds']:.1f} s", flush=True)
    if late():
        print(f"quality: {given.minutes:g} minutes are over; run it again to go on")


def main():
    given = arguments()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["PYTHONPATH"] = HERE  # of the processes of the methods here
    if os.path.isdir(given.onefold):
        given.onefold = os.path.join(given.onefold, "cli", "onefold")
    methods, wanted = given.methods.split(","), given.sets.split(",")
    unknown = sorted(set(methods) - set(quality_methods.WHAT))
    if unknown:
        sys.exit(f"quality: there is no method {', '.join(unknown)}; there are {', '.join(quality_methods.WHAT)}")
    sets = quality_sets.Sets(given.onefold, given.data, os.path.join(ROOT, "data", "digits", "digits.mat"),
                             os.path.join(given.build, "quality"), wanted)
    sets.draw(0, given.first)
    unknown = sorted(set(wanted) - set(sets.groups) - set(sets.absent) - {*quality_sets.GROUPS, *quality_sets.families.GROUPS, "more"})
    if unknown:
        sys.exit(f"quality: there is no set or group {', '.join(unknown)}")
    if sets.absent:
        print(f"quality: not here, and left out: {', '.join(sets.absent)}")
    if given.prepare:
        return
    results = Results(os.path.join(given.build, "quality.jsonl"), given.onefold)
    if not given.page:
        work_off(given, results, sets, methods)
    lines = [line for line in results.lines.values() if line["set"] in sets.groups]
    if lines:
        found = quality_page.Results(lines, sets)
        for text, path, document in ((quality_page.page(found), "quality.md", "docs/quality.md"),
                                     (quality_page.cut(found), "quality-readme.md", "README.md")):
            with open(os.path.join(given.build, path), "w") as file:
                file.write(text)
            if given.update:
                quality_page.put(os.path.join(ROOT, document), text)
        print(f"quality: {len(lines)} results; the tables are {given.build}/quality.md, README's {given.build}/quality-readme.md")


if __name__ == "__main__":
    main()
