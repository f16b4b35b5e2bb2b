#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines and branches of src/ that the tests of a build for coverage have reached.

    coverage.py BUILD [--list FILE]

BUILD is a build folder of the preset coverage, after its tests. Counted is all that gcov counts of the
files of src/ that are in this build: every line with code, and every way out of every condition, those
that only a failed allocation or system call takes included. Nothing is excluded; what is not built
(src/gpu without nvcc, MPI) is not counted. --list writes file:line of what was not reached.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parent.parent


def counts_of(object_file):
    """What gcov says of one object: [(file, line, count, [counts of branches])]."""
    said = subprocess.run(["gcov", "--json-format", "--branch-probabilities", "--stdout", object_file.name],
                          cwd=object_file.parent, capture_output=True, text=True, check=True).stdout
    found = []
    for text in said.strip().split("\n"):
        whole = json.loads(text)
        for file in whole["files"]:
            path = pathlib.Path(whole["current_working_directory"], file["file"]).resolve()
            if TOP / "src" in path.parents:
                for line in file["lines"]:
                    found.append((str(path.relative_to(TOP)), line["line_number"], line["count"],
                                  [b["count"] for b in line["branches"]]))
    return found


def collect(build):
    """{(file, line): [count, [branches]]}; a line of several functions or objects is the sum of them."""
    objects = sorted((build / "src").rglob("*.gcno"))
    lines = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(counts_of, objects):
            for file, number, count, branches in found:
                known = lines.setdefault((file, number), [0, [0] * len(branches)])
                known[0] += count
                known[1] += [0] * (len(branches) - len(known[1]))
                for i, branch in enumerate(branches):
                    known[1][i] += branch
    return lines


def percent(part, whole):
    return f"{100 * part / max(whole, 1):5.1f} %"


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("build", type=pathlib.Path)
    parse.add_argument("--list", type=pathlib.Path)
    args = parse.parse_args()
    lines = collect(args.build.resolve())
    sums = collections.defaultdict(lambda: [0, 0, 0, 0])
    for (file, _), (count, branches) in lines.items():
        for row in (file.split("/")[1], "all"):
            for i, more in enumerate((count > 0, 1, sum(b > 0 for b in branches), len(branches))):
                sums[row][i] += more
    print(f"{'src/':<12}{'lines':>8}{'reached':>9}{'branches':>11}{'reached':>9}")
    for row in sorted(sums, key=lambda r: (r == "all", r)):
        reached, whole, taken, ways = sums[row]
        print(f"{row:<12}{whole:>8}{percent(reached, whole):>9}{ways:>11}{percent(taken, ways):>9}")
    if args.list:
        with open(args.list, "w") as out:
            for (file, number), (count, branches) in sorted(lines.items()):
                if count == 0:
                    print(f"{file}:{number}: line", file=out)
                elif not all(branches):
                    print(f"{file}:{number}: {sum(b == 0 for b in branches)} of {len(branches)} branches", file=out)


if __name__ == "__main__":
    main()
