# SPDX-License-Identifier: Apache-2.0
"""The bench of quality as a whole: it goes on where it was stopped, results hold for one version, and its page adds up."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import support

import quality_page


def bench(folder, *options):
    run = subprocess.run([sys.executable, os.path.join(support.SOURCE, "bench", "quality.py"), "--onefold", support.ONEFOLD,
                          "--build", folder, "--jobs", "2", *options], capture_output=True, text=True, check=False)
    return run.returncode, run.stdout + run.stderr


def read(*path):
    with open(os.path.join(*path)) as file:
        return file.read()


class Bench(unittest.TestCase):
    def test_goes_on_and_keeps_versions_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            some = ("--sets", "moons,blood", "--methods", "onefold,ward,snf", "--draws", "1")
            status, said = bench(folder, *some)
            self.assertEqual(status, 0, said)
            kept = [json.loads(line) for line in read(folder, "quality.jsonl").splitlines()]
            self.assertEqual({(line["set"], line["seed"], line["method"]) for line in kept},
                             {(name, 0, method) for name in ("moons", "blood") for method in ("onefold", "ward", "snf")})
            for line in kept:
                self.assertNotIn("error", line)
                self.assertTrue(0 <= line["nmi"] <= 1)
            self.assertNotEqual(*({line["version"] for line in kept if line["method"] == name}.pop() for name in ("onefold", "snf")))
            page = read(folder, "quality.md")
            self.assertIn("two moons, drawn again in a second view", page)
            self.assertIn("| `onefold` |", read(folder, "quality-readme.md"))

            status, said = bench(folder, *some)  # all is known
            self.assertNotIn("NMI", said)
            status, said = bench(folder, *some[:-1], "2")  # another draw of each family
            self.assertEqual(said.count("NMI"), 6, said)
            self.assertIn("over 2 seeds", read(folder, "quality.md"))

            lines = read(folder, "quality.jsonl").replace(kept[0]["version"] if kept[0]["method"] == "onefold" else
                                                          next(l["version"] for l in kept if l["method"] == "onefold"), "another")
            with open(os.path.join(folder, "quality.jsonl"), "w") as file:
                file.write(lines)
            status, said = bench(folder, *some)  # of another command: its results alone are made again
            self.assertEqual(said.count("NMI"), 2, said)

    def test_time_and_what_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            status, said = bench(folder, "--sets", "blood", "--methods", "os-lfmvc-cs,ward", "--draws", "1", "--minutes", "0")
            self.assertIn("run it again", said)
            self.assertEqual([json.loads(line)["method"] for line in read(folder, "quality.jsonl").splitlines()], ["os-lfmvc-cs"])
            for options, words in ((("--sets", "none"), "no set or group none"), (("--methods", "none"), "no method none")):
                status, said = bench(folder, *options)
                self.assertNotEqual(status, 0)
                self.assertIn(words, said)
            status, said = bench(folder, "--sets", "Cora", "--data", folder, "--page")
            self.assertEqual(status, 0)
            self.assertIn("left out: Cora", said)

    def test_slow_and_failed_fits_have_one_seed(self):
        with tempfile.TemporaryDirectory() as folder:
            status, said = bench(folder, "--sets", "one-or-other,moons", "--methods", "onefold,mkkm,rmsc", "--draws", "2", "--once", "0")
            self.assertEqual(status, 0, said)
            count = {}
            for line in map(json.loads, read(folder, "quality.jsonl").splitlines()):
                count[line["set"], line["method"]] = count.get((line["set"], line["method"]), 0) + 1
            self.assertEqual(count, {(name, method): 2 if method == "onefold" else 1
                                     for name in ("one-or-other", "moons") for method in ("onefold", "mkkm", "rmsc")})
            self.assertIn("- `mkkm`, `rmsc` (one-or-other): it needs every view of every sample", read(folder, "quality.md"))


class Evaluate(unittest.TestCase):
    def test_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            lists = []
            for draw in ("1", "2"):
                lists.append(os.path.join(folder, draw, "list.txt"))
                subprocess.run([sys.executable, os.path.join(support.SOURCE, "bench", "families.py"), os.path.dirname(lists[-1]),
                                "--draw", draw, "--sets", "blood,one-or-other"], check=True)
            out = os.path.join(folder, "out.json")
            run = subprocess.run([sys.executable, os.path.join(support.SOURCE, "bench", "evaluate.py"), support.ONEFOLD, *lists, "--out",
                                  out, "--", "--method", "avg-kkm"], capture_output=True, text=True, check=True)
            found = json.loads(read(out))
            self.assertEqual([(row["set"], row["nmi"] is None) for row in found], [("blood", False), ("one-or-other", True)] * 2)
            self.assertIn("needs every view", found[1]["error"])
            mean = (found[0]["nmi"] + found[2]["nmi"]) / 2
            lines = run.stdout.splitlines()
            self.assertEqual(lines[0].split()[:4], ["blood", f"{mean:.1f}", f"{found[0]['nmi']:.1f}", f"{found[2]['nmi']:.1f}"])
            self.assertEqual(lines[2].split()[:4], ["mean", "of", "1", f"{mean:.1f}"])
            self.assertIn("2 without labels", lines[2])


class Sets:
    groups = {"a": "users", "b": "users", "c": "real"}
    what = {"a": "first", "b": "second"}


class Page(unittest.TestCase):
    def lines(self):
        table = {("a", "onefold"): (.6, .8), ("a", "ward"): (.9, .9), ("b", "onefold"): (.5, .5), ("b", "snf"): (.4,),
                 ("c", "onefold"): (.2, .5), ("c", "ward"): (.35,), ("c", "snf"): (.205,)}
        return [{"set": name, "method": method, "seed": seed, "nmi": nmi, "acc": nmi, "samples": 9, "clusters": 2, "seconds": 1}
                for (name, method), values in table.items() for seed, nmi in enumerate(values)] + [
                {"set": "b", "method": "ward", "seed": 0, "samples": 9, "clusters": 2, "seconds": 1, "error": "no labels"}]

    def test_means_and_errors(self):
        results = quality_page.Results(self.lines(), Sets)
        self.assertEqual(results.groups, {"real": ["c"], "users": ["a", "b"]})
        value, wide, count = results.of_group(["a", "b"], "onefold")
        self.assertAlmostEqual(value, 60)
        self.assertAlmostEqual(wide, (10 ** 2 + 0) ** .5 / 2)  # of two means, whose errors are 10 and 0
        self.assertEqual(count, 2)
        self.assertEqual(results.of_group(["a", "b"], "ward")[2], 1)
        self.assertAlmostEqual(results.against(["c"], "ward")[0], 15)  # the seed that both have
        self.assertEqual(list(quality_page.cells_of(results, "ward")), ["35.0", "90.0±0.0 (1)"])

    def test_says_where_onefold_is_not_first(self):
        text = "\n".join(quality_page.not_first(quality_page.Results(self.lines(), Sets)))
        self.assertIn("On 1 of 3 sets no other method is more than a point ahead of the default. On these", text)
        self.assertIn("| a | users' | 70.0±10.0 | 90.0±0.0 `ward` | 20.0 | 1 |", text)
        self.assertIn("| c | real | 35.0±15.0 | 35.0 `ward` | 15.0 | 1 |", text)
        self.assertIn("`os-lfmvc-cs`: a (20.0, `ward`).", text)

    def test_put_between_marks(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.md")
            with open(path, "w") as file:
                file.write("before\n" + quality_page.BEGIN + "old\n" + quality_page.END + "after\n")
            for text in ("one\n\n", "two\n"):
                quality_page.put(path, text)
            self.assertEqual(read(path), "before\n" + quality_page.BEGIN + "\ntwo\n\n" + quality_page.END + "after\n")
        for document in ("README.md", "docs/quality.md"):
            text = read(support.SOURCE, document)
            self.assertEqual((text.count(quality_page.BEGIN), text.count(quality_page.END)), (1, 1), document)

    def test_cut_for_the_first_page(self):
        text = quality_page.cut(quality_page.Results(self.lines(), Sets))
        self.assertIn("On 1 of 3 sets no other method", text)
        self.assertIn("| `onefold` | the default | 35.0±15.0 | 60.0±5.0 |", text)

    def test_seeds(self):
        text = "\n".join(quality_page.seeds(quality_page.Results(self.lines(), Sets)))
        self.assertIn("at most 2 on 0 of 1 real sets; above 2: c 21.2", text)


if __name__ == "__main__":
    support.main()
