#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures Onefold is held to, measured with the command as a user runs it.

Prints a table (what, bar, measured) and writes the same as JSON. Times and memory are ratios
against a reference of the same run wherever one exists; nothing here is a test.
"""
import os
import sys

import figures_choose
import figures_dry_run
import figures_fit
import figures_landmarks
import figures_methods
import figures_missing
import figures_reading
from common import DATA, Bench, arguments_of

FIGURES = figures_fit.FIGURES + figures_methods.FIGURES + figures_missing.FIGURES
FIGURES += figures_choose.FIGURES + figures_reading.FIGURES + figures_dry_run.FIGURES
FIGURES += figures_landmarks.FIGURES


def main():
    arguments = arguments_of(__doc__, FIGURES, "build/bench.json").parse_args()
    if not os.path.isdir(DATA):
        sys.exit("bench: the real data is not beside the project (../shared/data): nothing to measure")
    Bench(arguments.onefold).work(FIGURES, arguments.only, arguments.out)


if __name__ == "__main__":
    main()
