# SPDX-License-Identifier: Apache-2.0
"""Labels are those of the command: one table of cases for every language."""
import csv
import os

import numpy as np
import pytest

import onefold
from onefold import _onefold

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
# words of the table that the extension takes by their numbers
NUMBERS = {"printed": 1, "paper": 1}


def cases():
    with open(os.path.join(ROOT, "tests", "cases", "languages.csv"), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def pairs(words):
    return dict(word.split("=") for word in words.split())


def flags(options):
    return [word for name, value in options.items() for word in (f"--{name}", value)]


def number(value):
    return NUMBERS[value] if value in NUMBERS else int(value)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_labels_are_those_of_the_command(case, tmp_path, onefold_command):
    path = onefold.datasets.digits_path()
    if case["data"] != "digits":
        path = tmp_path / "made.mat"
        onefold_command("synth", path, *flags(pairs(case["data"])))
    asked = {"clusters": case["clusters"], "seed": case["seed"], **pairs(case["more"])}
    options = {name: number(value) for name, value in asked.items()}
    for name in ("method", "kernel"):
        if case[name]:
            asked[name] = options[name] = case[name].replace(";", ",")
    printed = np.array(onefold_command("fit", path, *flags(asked)).split(), int)
    data = onefold.read(path)._views().dataset()
    labels = np.frombuffer(_onefold.fit(data, options, 0, None)["labels"], np.int32)
    assert (labels == printed).all()
