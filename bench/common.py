# SPDX-License-Identifier: Apache-2.0
"""What the figures share: the data sets, running the command, and the rows of the table."""
import json
import os
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "shared", "data")

# name: file, clusters
SETS = {
    "Cora": ("cora/Cora_2view.mat", 7),
    "CiteSeer": ("citeseer/CiteSeer.mat", 6),
    "ProteinFold": ("proteinfold/ProteinFold.mat", 27),
    "CUB": ("cub/cub_googlenet_doc2vec_c10.mat", 10),
    "BBCSport": ("bbcsport/BBCSport.mat", 5),
    "Handwritten": ("handwritten/Handwritten.mat", 10),
    "MSRC_v1": ("msrc/MSRC_v1.mat", 7),
    "Reuters-1200": ("reuters/Reuters-1200.mat", 6),
    "BDGP": ("bdgp/BDGP.mat", 5),
}
PAPER = {  # ACC, NMI, purity (percent) and seconds of the paper's iterations alone
    "Cora": (60.8, 37.8, 63.3, 3.46),
    "CiteSeer": (56.6, 28.7, 58.9, 2.27),
    "ProteinFold": (35.3, 44.1, 43.4, 5.68),
}


class Bench:
    def __init__(self, build):
        self.onefold = os.path.join(build, "cli", "onefold")
        self.build = build
        self.rows = []
        self.details = {}

    def run(self, verb, name, *options):
        """The JSON of a verb on one of the sets, with the seconds it took as a whole."""
        path = os.path.join(DATA, SETS[name][0])
        began = time.perf_counter()
        done = subprocess.run([self.onefold, verb, path, "--json", "--progress", "never", *options],
                              stdout=subprocess.PIPE, check=True)
        seconds = time.perf_counter() - began
        result = json.loads(done.stdout)
        result["wall"] = seconds
        return result

    def fit(self, name, seed=0, *options):
        return self.run("fit", name, "--clusters", str(SETS[name][1]), "--seed", str(seed), *options)

    def row(self, what, bar, measured, met):
        self.rows.append({"what": what, "bar": bar, "measured": measured, "met": bool(met)})
        print(f"{'ok ' if met else 'LOW'}  {what:<58} {bar:>24}   {measured}", flush=True)


def percent(result, *keys):
    return [100 * result["scores"][key] for key in keys]
