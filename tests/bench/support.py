# SPDX-License-Identifier: Apache-2.0
"""What the tests of the bench share: its folder on the path, and the exit status of a skipped test."""
import os
import sys
import unittest

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(SOURCE, "bench"))
ONEFOLD = sys.argv[1] if len(sys.argv) > 1 else ""

try:
    import numpy  # noqa: F401
    import scipy  # noqa: F401
    import sklearn  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
