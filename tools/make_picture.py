#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what a command writes as an SVG picture of a terminal: the README's first picture.

usage: tools/make_picture.py OUT.svg COMMAND [ARGUMENT...]
"""
import html
import os
import subprocess
import sys

SIZE, LINE, WIDTH = 13, 18, 7.83  # of a letter


def main():
    path, command = sys.argv[1], sys.argv[2:]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
    shown = " ".join([os.path.basename(command[0])] + command[1:])
    lines = ["$ " + shown] + done.stdout.decode().rstrip("\n").split("\n")
    width = int(max(len(line) for line in lines) * WIDTH) + 40
    height = len(lines) * LINE + 32
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                  f'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}">\n')
        out.write(f'<rect width="{width}" height="{height}" rx="8" fill="#16181d"/>\n')
        for i, line in enumerate(lines):
            colour = "#7fd1b9" if i == 0 else "#e6e6e6"
            out.write(f'<text x="20" y="{28 + i * LINE}" fill="{colour}" xml:space="preserve">'
                      f'{html.escape(line)}</text>\n')
        out.write("</svg>\n")


if __name__ == "__main__":
    main()
