# SPDX-License-Identifier: Apache-2.0
"""Made data that every test may use, and the command to compare with."""
import os
import subprocess

import numpy as np
import pytest

METHOD = "os-lfmvc-cs"  # the quickest that has a model


def made(samples=150, clusters=3, seed=0, columns=(6, 9)):
    """Views with well separated clusters of one size, and the truth."""
    generator = np.random.default_rng(seed)
    truth = np.arange(samples) * clusters // samples
    views = [4 * generator.normal(size=(clusters, c))[truth] + generator.normal(size=(samples, c))
             for c in columns]
    return views, truth


@pytest.fixture
def data():
    return made()


@pytest.fixture
def onefold_command():
    """Runs the command and gives what it prints."""
    path = os.environ.get("ONEFOLD_COMMAND")
    assert path, "ONEFOLD_COMMAND must name the command to compare with (./dev test python does)"

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, text=True,
                              capture_output=True).stdout
    return run
