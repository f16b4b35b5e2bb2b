# SPDX-License-Identifier: Apache-2.0
"""Families of data: what they hold, that a draw is itself again, and that it is the draw of the trials where these are here."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import support

import numpy
import scipy.io
import scipy.sparse

# The test is named as the file it tests.
spec = importlib.util.spec_from_file_location("made_families", os.path.join(support.SOURCE, "bench", "families.py"))
families = importlib.util.module_from_spec(spec)
spec.loader.exec_module(families)
TRIALS = os.path.join(support.SOURCE, "..", "shared", "prototype")


def dense(view):
    return view.toarray() if scipy.sparse.issparse(view) else numpy.asarray(view, float)


class Families(unittest.TestCase):
    def test_every_family_is_a_table_with_clusters(self):
        names = []
        for group, make in families.GROUPS.items():
            for name, (what, truth, views) in make(3).items():
                names.append(name)
                self.assertTrue(what, name)
                self.assertEqual(set(truth), set(range(truth.max() + 1)), name)
                self.assertGreaterEqual(truth.max(), 1, name)
                for view in map(dense, views):
                    self.assertEqual(len(view), len(truth), name)
                    gaps = numpy.isnan(view)
                    self.assertTrue((gaps.any(1) == gaps.all(1)).all(), f"{name}: a sample lacks a part of a view")
                    self.assertFalse(numpy.isinf(view).any(), name)
                lacks = numpy.column_stack([numpy.isnan(dense(view)).all(1) for view in views])
                self.assertFalse(lacks.all(1).any(), f"{name}: a sample has no view")
            expected = {"hard": 21, "users": 13, "brought": 9}.get(group)
            self.assertIn(expected, (None, len(make(3))), group)
        self.assertEqual(len(names), len(set(names)))

    def test_draws(self):
        for make in (families.GROUPS["brought"], families.GROUPS["fourth"]):
            one, again, other = make(1), make(1), make(2)
            for name, (_, truth, views) in one.items():
                self.assertTrue((truth == again[name][1]).all())
                for view, same, unlike in zip(views, again[name][2], other[name][2]):
                    self.assertTrue(numpy.array_equal(dense(view), dense(same), equal_nan=True), name)
                    self.assertFalse(numpy.array_equal(dense(view), dense(unlike), equal_nan=True), name)

    def test_files_and_list(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(support.SOURCE, "bench", "families.py"), folder, "--draw", "4", "--sets",
                            "moons,microbiome,omics-missing"], check=True)
            with open(os.path.join(folder, "list.txt")) as file:
                lines = [line.split() for line in file]
            self.assertEqual([(name, clusters) for name, _, clusters in lines],
                             [("moons", "2"), ("omics-missing", "4"), ("microbiome", "3")])
            made_again = {name: row for group in ("hard", "users", "brought") for name, row in families.GROUPS[group](4).items()}
            for name, path, _ in lines:
                read = scipy.io.loadmat(path)
                self.assertTrue((read["Y"].ravel() == made_again[name][1] + 1).all())
                for view, made in zip(read["X"].ravel(), made_again[name][2]):
                    self.assertTrue(numpy.array_equal(dense(view), dense(made), equal_nan=True), name)
            unknown = subprocess.run([sys.executable, os.path.join(support.SOURCE, "bench", "families.py"), folder, "--sets", "none"],
                                     capture_output=True, text=True, check=False)
            self.assertNotEqual(unknown.returncode, 0)
            self.assertIn("no family or group none", unknown.stderr)

    @unittest.skipUnless(os.path.exists(TRIALS), "the trials are not here")
    def test_same_as_the_trials(self):
        with tempfile.TemporaryDirectory() as folder:
            for trial in ("families.py", "users.py"):
                subprocess.run([sys.executable, os.path.join(TRIALS, trial), folder, "1", "7"], check=True, stdout=subprocess.DEVNULL)
            for group in ("hard", "users"):
                for name, (_, truth, views) in families.GROUPS[group](7).items():
                    read = scipy.io.loadmat(os.path.join(folder, f"{name}-7.mat"))
                    self.assertTrue((read["Y"].ravel() == truth + 1).all(), name)
                    self.assertEqual(read["X"].size, len(views), name)
                    for view, made in zip(read["X"].ravel(), views):
                        self.assertEqual(scipy.sparse.issparse(view), scipy.sparse.issparse(made), name)
                        numpy.testing.assert_allclose(dense(made), dense(view), rtol=1e-12, atol=1e-12, err_msg=name)


if __name__ == "__main__":
    support.main()
