#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures Onefold is held to, measured with the command as a user runs it.

Prints a table (what, bar, measured) and writes the same as JSON. Times and memory are ratios
against a reference of the same run wherever one exists; nothing here is a test.
"""
import argparse
import json
import os
import sys

import figures_choose
import figures_fit
import figures_methods
import figures_missing
import figures_reading
from common import DATA, Bench

FIGURES = figures_fit.FIGURES + figures_methods.FIGURES + figures_missing.FIGURES
FIGURES += figures_choose.FIGURES + figures_reading.FIGURES


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--onefold", required=True, help="build folder")
    parser.add_argument("--out", default="build/bench.json")
    parser.add_argument("--only", help="names of figures, comma-separated: "
                        + ", ".join(figure.__name__ for figure in FIGURES))
    arguments = parser.parse_args()
    if not os.path.isdir(DATA):
        sys.exit("bench: the real data is not beside the project (../shared/data): nothing to measure")
    bench = Bench(arguments.onefold)
    only = arguments.only.split(",") if arguments.only else None
    unknown = set(only or []) - {figure.__name__ for figure in FIGURES}
    if unknown:
        sys.exit(f"bench: there is no figure {unknown.pop()}: see --help")
    for figure in FIGURES:
        if only is None or figure.__name__ in only:
            figure(bench)
    with open(arguments.out, "w") as out:
        json.dump({"rows": bench.rows, "details": bench.details}, out, indent=1)
    low = sum(not row["met"] for row in bench.rows)
    print(f"{len(bench.rows)} figures, {low} under their bar; all of it in {arguments.out}")


if __name__ == "__main__":
    main()
