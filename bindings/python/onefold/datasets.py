# SPDX-License-Identifier: Apache-2.0
"""Example data."""
from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np


@dataclass
class Digits:
    """1797 handwritten digits in four views."""

    views: dict[str, np.ndarray]
    target: np.ndarray


def digits_path() -> str:
    """The path of the bundled digits, a .mat file."""
    here = os.path.dirname(os.path.abspath(__file__))
    for place in (os.path.join(here, "data", "digits.mat"),
                  os.path.join(here, "..", "..", "..", "data", "digits", "digits.mat")):
        if os.path.exists(place):
            return os.path.normpath(place)
    raise OSError("the digits did not come along with this installation of onefold")


def load_digits() -> Digits:
    """The optical recognition of handwritten digits data (UCI, CC BY 4.0), in four views.

    >>> import onefold
    >>> digits = onefold.datasets.load_digits()
    >>> {name: view.shape for name, view in digits.views.items()}
    {'pixels': (1797, 64), 'strokes': (1797, 16), 'frequencies': (1797, 25), 'profiles': (1797, 64)}
    """
    from ._functions import read
    data = read(digits_path())
    views = {view["name"]: data.array(i) for i, view in enumerate(data.views)}
    return Digits(views, np.array([int(data.classes[c]) for c in data.truth]))
