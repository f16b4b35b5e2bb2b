#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes data/digits/digits.mat: the 1797 handwritten digits that scikit-learn carries, in four views.

usage: tools/make_digits.py [OUT.mat]

Needs Debian's python3-sklearn. The same bytes come out of every run: whole numbers are stored, the
file's header has no date, and numbers that lie between two whole ones always go up.
"""
import os
import sys

import numpy as np
import scipy.io
from sklearn.datasets import load_digits

HEADER = b"MATLAB 5.0 MAT-file, made by tools/make_digits.py of Onefold"


def whole(values, kind):
    """Rounds halves up, even where the last digit of a half is not the same on every machine."""
    rounded = np.floor(values + 0.5 + 1e-6)
    assert rounded.min() >= 0 and rounded.max() <= np.iinfo(kind).max
    return rounded.astype(kind)


def pixels(images):
    """The 64 pixels, each 0 to 16."""
    return whole(images.reshape(len(images), -1), np.uint8)


def strokes(images, directions=4):
    """How much edge runs in each of 4 directions in each quarter of the image: 16 columns."""
    framed = np.pad(images, ((0, 0), (1, 1), (1, 1)))
    across = framed[:, 1:-1, 2:] - framed[:, 1:-1, :-2]
    down = framed[:, 2:, 1:-1] - framed[:, :-2, 1:-1]
    strength = np.hypot(across, down)
    turn = np.mod(np.arctan2(down, across) / np.pi * directions, directions)  # ink and paper may swap sides
    histogram = np.zeros((len(images), 2, 2, directions))
    for d in range(directions):
        distance = np.abs(np.mod(turn - d + directions / 2, directions) - directions / 2)
        share = strength * np.maximum(1 - distance, 0)  # an edge between two directions counts for both
        histogram[..., d] = share.reshape(-1, 2, 4, 2, 4).sum((2, 4))
    return whole(100 * histogram.reshape(len(images), -1), np.uint16)


def frequencies(images, most=3):
    """Logarithms of the lowest Fourier amplitudes, which do not see shifts: 25 columns."""
    steps = np.arange(8)
    columns = []
    for u in range(most + 1):
        for v in range(-most if u else 0, most + 1):
            angle = 2 * np.pi / 16 * (u * steps[:, None] + v * steps[None, :])
            real = (images * np.cos(angle)).sum((1, 2))
            imaginary = (images * np.sin(angle)).sum((1, 2))
            columns.append(np.log1p(np.hypot(real, imaginary)))
    return whole(1000 * np.stack(columns, 1), np.uint16)


def profiles(images):
    """By row and by column: ink, changes between ink and paper, paper before the first ink from
    either side. 64 columns."""
    ink = images >= 8
    parts = []
    for image, mark in ((images, ink), (images.transpose(0, 2, 1), ink.transpose(0, 2, 1))):
        any_ink = mark.any(2)
        parts.append(image.sum(2))
        parts.append((mark[:, :, 1:] != mark[:, :, :-1]).sum(2))
        parts.append(np.where(any_ink, mark.argmax(2), 8))
        parts.append(np.where(any_ink, mark[:, :, ::-1].argmax(2), 8))
    return whole(np.hstack(parts), np.uint8)


def names(most=3):
    """What the columns are called, view by view; rows and columns of the image count from 1."""
    eight = range(1, 9)
    quarters = ["top left", "top right", "bottom left", "bottom right"]
    edges = ["upright", "rising", "level", "falling"]  # the edge runs across the turn of its strength
    lines = ["ink in", "changes in", "paper before", "paper after"]
    return [
        [f"pixel {row},{column}" for row in eight for column in eight],
        [f"{edge} {quarter}" for quarter in quarters for edge in edges],
        [f"wave {u},{v}" for u in range(most + 1) for v in range(-most if u else 0, most + 1)],
        [f"{line} {side} {number}" for side in ("row", "column") for line in lines for number in eight],
    ]


def write(path, views, labels):
    """A compressed .mat of version 5 whose header says what it is, and not when it was made."""
    temporary = path + ".tmp"
    lists = {f"column_names{1 + v}": np.array(texts, dtype=object) for v, texts in enumerate(names())}
    for view, texts in zip(views.values(), lists.values()):
        assert view.shape[1] == len(texts)
    scipy.io.savemat(temporary, {**views, **lists, "Y": labels[:, None]}, appendmat=False, do_compression=True)
    with open(temporary, "r+b") as file:
        file.write(HEADER.ljust(116))
    os.replace(temporary, path)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", "data", "digits", "digits.mat")
    digits = load_digits()
    views = {make.__name__: make(digits.images) for make in (pixels, strokes, frequencies, profiles)}
    write(path, views, digits.target.astype(np.uint8))


if __name__ == "__main__":
    main()
