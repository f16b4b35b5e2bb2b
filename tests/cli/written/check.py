#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every table of files/ with the command, and compares what came out with its .want:

options: --impute mean      given to the command
columns: a | b=x            the columns of the view, in their order
rows: 3                     how many samples
row ID: 1 0                 the values of a sample, by its id, or by its number where there are none
truth: u v                  the true labels, in the order of the samples
says: REGEX                 a line on what was assumed
refused: REGEX              nothing comes out, and this is why

Where a table is taken and its .want has no `says`, nothing may be said of it.
"""
import csv
import glob
import math
import os
import re
import subprocess
import sys

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
wrong = 0


def run(*words):
    done = subprocess.run(["onefold", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def number(text):
    return math.nan if text.lower() in ("", "nan", "na") else float(text)


def same(a, b):
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-12 * max(1, abs(b))


def wanted(path):
    want = {}
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            key, _, rest = line.partition(": ")
            want.setdefault("row" if key.startswith("row ") else key, []).append(
                (key[4:], rest) if key.startswith("row ") else rest)
    return want


def check(table, want):
    options = want.get("options", [""])[0].split()
    for old in glob.glob("out*"):
        os.remove(old)
    status, out, error = run("convert", table, "out.csv", "-q", *options)
    if "refused" in want:
        if status == 0:
            return "taken"
        return None if re.search(want["refused"][0], error) else "refused otherwise: " + error
    if status:
        return "refused: " + error
    rows = list(csv.reader(open("out.csv", encoding="utf-8")))
    named = rows[0][0] == "sample"
    header = all(not re.fullmatch(r"-?[0-9.eE+-]+|nan", c) for c in rows[0])
    columns = (rows[0][1:] if named else rows[0]) if header else None
    body = rows[1:] if header else rows
    value = {row[0] if named else str(i + 1): row[1:] if named else row for i, row in enumerate(body)}
    if "columns" in want and columns != want["columns"][0].split(" | "):
        return f"columns {columns}"
    if "rows" in want and len(body) != int(want["rows"][0]):
        return f"{len(body)} rows"
    for name, numbers in want.get("row", []):
        if name not in value:
            return f"no row {name}: {list(value)}"
        got, meant = [number(c) for c in value[name]], [number(c) for c in numbers.split()]
        if len(got) != len(meant) or not all(map(same, got, meant)):
            return f"row {name} is {got}"
    if "truth" in want:
        made = glob.glob("out.truth.*")
        truth = [row[-1] for row in csv.reader(open(made[0]))] if made else [""]
        truth = truth[1:] if made[0].endswith("csv") and truth[0] == "label" else truth
        if truth != want["truth"][0].split():
            return f"truth {truth}"
    said = assumed(table, options)
    for sentence in want.get("says", []):
        if not any(re.search(sentence, line) for line in said):
            return f"nothing said of {sentence}: {said}"
    if "says" not in want and said:
        return f"said: {said}"
    return None


def assumed(table, options):
    """The lines below `data` in the summary of a fit."""
    _, out, error = run("fit", table, "--clusters", "2", "--labels", "out.txt", "--effort", "quick", *options)
    lines, on = [], False
    for line in (out + error).splitlines():
        if line.startswith("data"):
            on = True
        elif on and line.startswith(" "):
            lines.append(line.strip())
        else:
            on = False
    return lines


only = sys.argv[1:]
tables = sorted(p for p in glob.glob(here + "/*") if not p.endswith(".want"))
for table in tables:
    name = os.path.basename(table)
    if only and not any(o in name for o in only):
        continue
    problem = check(table, wanted(os.path.splitext(table)[0] + ".want"))
    if problem:
        wrong += 1
        print(name, problem.strip())
print(f"{len(tables) - wrong} of {len(tables)} tables are read as they were meant")
