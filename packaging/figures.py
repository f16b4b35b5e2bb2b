#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a run of ./dev release found into docs/release.md, between its two marks, and into the badges of README.md.

    packaging/figures.py ROWS DOCUMENT

ROWS has a line of packaging/try.sh for each world. It fails where a world is missing or did not pass.
"""
import os
import re
import subprocess
import sys

BEGIN, END = "<!-- figures: written by packaging/figures.py -->", "<!-- end of figures -->"
# world: what is installed; packaging/try.sh has what is run there
WORLDS = {
    "command": "`onefold`, `libonefold1`",
    "library": "`libonefold-dev`, `onefold-doc`, gcc, pkg-config",
    "documents": "`onefold-doc`",
    "python": "`python3-onefold`",
    "r": "`r-other-onefold`",
    "octave": "`octave-onefold`",
    "wheel": "the wheel by pip, with NumPy",
    "python-source": "pip, no compiler",
    "octave-source": "the Octave package by `pkg install`",
    "r-source": "the R package by `R CMD INSTALL`, reference BLAS",
    "r-check": "what the R package suggests",
    "source": "the sources, what the build needs",
    "autopkgtest": "all Debian packages",
}

# of README.md, as docs/badges/NAME.svg
BADGES = ("version", "packages", "bytes", "lintian", "r-check")


def badge(left, right):
    """A picture of two words: what was checked, and what came of it."""
    widths = [round(6.2 * len(word)) + 14 for word in (left, right)]
    whole, middles = sum(widths), (widths[0] / 2, widths[0] + widths[1] / 2)
    words = "".join(f'<text x="{x:g}" y="14" textLength="{width - 14}">{word}</text>' for word, x, width in zip((left, right), middles, widths))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" height="20" role="img" aria-label="{left}: {right}">'
            f'<title>{left}: {right}</title><clipPath id="r"><rect width="{whole}" height="20" rx="3"/></clipPath>'
            f'<g clip-path="url(#r)"><rect width="{widths[0]}" height="20" fill="#454c56"/>'
            f'<rect x="{widths[0]}" width="{widths[1]}" height="20" fill="#0b6b50"/></g>'
            f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{words}</g></svg>\n')


def write_badges(folder, version, worlds):
    """What stands in each is what this run found: it would have ended before, had it found anything else."""
    words = dict(zip(BADGES, (("release", version), ("packages", f"tried in {worlds} empty systems"), ("two builds", "the same bytes"),
                              ("lintian", "no error, no warning"), ("R CMD check --as-cran", "no error, no warning"))))
    os.makedirs(folder, exist_ok=True)
    for name, (left, right) in words.items():
        with open(os.path.join(folder, f"{name}.svg"), "w", encoding="utf-8") as file:
            file.write(badge(left, right))


def main(rows, document):
    lines = {}
    for world in WORLDS:
        with open(os.path.join(rows, world), encoding="utf-8") as file:
            lines[world] = file.read().rstrip("\n").split("\t")
        if lines[world][:2] != [world, "passed"]:
            sys.exit(f"figures.py: {world} did not pass")
    with open("/etc/os-release", encoding="utf-8") as file:
        system = re.search(r'^PRETTY_NAME="?([^"\n]*)', file.read(), re.M).group(1)
    version = subprocess.run(["packaging/version.py"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    said = [f"`./dev release` of {version}, on {system} with {os.cpu_count()} cores and {os.getloadavg()[2]:.0f} processes at work:", "",
            "| installed | first labels (s) | MB |", "| --- | --- | --- |"]
    for world, what in WORLDS.items():
        _, _, first, _, _, size = lines[world]
        if first != "-":
            said.append(f"| {what} | {first} | {size} |")
    with open(document, encoding="utf-8") as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"figures.py: {document} has not the two marks")
    head, rest = text.split(BEGIN)
    with open(document, "w", encoding="utf-8") as file:
        file.write(head + BEGIN + "\n" + "\n".join(said) + "\n" + END + rest.split(END)[1])
    write_badges(os.path.join(os.path.dirname(document), "badges"), version, len(WORLDS))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
