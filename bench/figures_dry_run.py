# SPDX-License-Identifier: Apache-2.0
"""How near the estimates of `fit --dry-run` come, on what they were settled on and on what they were not."""
import json
import os
import statistics
import subprocess
import tempfile

from common import DATA, SETS, measured


def made(n, views, columns, *more):
    return ("--samples", str(n), "--views", str(views), "--columns", str(columns), *more)


# What the constants were settled on. Name: file of the real data or options of synth, clusters, options of fit.
SETTLED = {
    "Wikipedia": ("wikipedia/Wikipedia.mat", 10, ()),
    "Digit4k": ("layouts/v73_cell1x2_X_Y_Digit4k.mat", 4, ()),
    "Handwritten, nystrom": ("handwritten/Handwritten.mat", 10, ("--base", "nystrom")),
    "n = 3000, d = 800, dense": (made(3000, 2, 800), 6, ()),
    "n = 8000, tiles": (made(8000, 2, 20), 8, ("--base", "exact")),
    "n = 20000, gram": (made(20000, 3, 50), 10, ("--kernel", "linear")),
    "n = 20000, nystrom": (made(20000, 3, 50), 10, ("--base", "nystrom")),
    "n = 60000, nystrom": (made(60000, 2, 64), 5, ()),
    "n = 200000, nystrom": (made(200000, 3, 30), 10, ()),
    "n = 200000, gram": (made(200000, 3, 30), 10, ("--kernel", "linear")),
    "n = 1500, d = 6000, cosine": (made(1500, 2, 6000), 7, ("--kernel", "cosine")),
    "n = 50000, d = 5000, sparse": (made(50000, 2, 5000, "--density", "0.006"), 10, ()),
}
# What they never saw.
OTHERS = {
    "3sources": ("3sources/3sources.mat", 6, ()),
    "NGs": ("ngs/NGs.mat", 5, ()),
    "BBC4view": ("layouts/trailing_garbage_BBC4view.mat", 5, ()),
    "Reuters-600": ("reuters/Reuters-600_fullvocab_triplets.mat", 6, ()),
    "Cora, 4 views": ("cora/Cora_4view_sparse.mat", 7, ()),
    "WebKB wisconsin": ("webkb/WebKB_wisconsin.mat", 5, ()),
    "n = 5000, d = 60, dense": (made(5000, 3, 60), 6, ()),
    "100Leaves": ("layouts/data_cols_truth_100Leaves.mat", 100, ()),
    "Hdigit": ("hdigit/Hdigit.mat", 10, ()),
    "n = 12000, d = 150, tiles": (made(12000, 1, 150), 5, ("--base", "exact")),
    "n = 100000, d = 100, gram": (made(100000, 2, 100), 20, ("--kernel", "linear")),
    "n = 40000, d = 120, nystrom": (made(40000, 4, 120), 15, ()),
    "n = 300000, d = 40, nystrom": (made(300000, 2, 40), 6, ()),
    "n = 4000, d = 9000, sparse": (made(4000, 2, 9000, "--density", "0.01"), 8, ()),
    "n = 30000, d = 2000, sparse": (made(30000, 3, 2000, "--density", "0.01"), 12, ()),
    "n = 150000, d = 12000, sparse": (made(150000, 1, 12000, "--density", "0.002"), 6, ()),
}


def estimated(command):
    """Seconds of each stage that --dry-run says, and its JSON."""
    plan = json.loads(subprocess.run(command + ["--dry-run"], stdout=subprocess.PIPE, text=True, check=True).stdout)
    return {stage: plan["seconds"][stage] for stage in ("base", "fit")}, plan


def compare(bench, name, path, clusters, more):
    """What is estimated and what it took, in CPU seconds of one thread: those of a machine that does nothing
    else, and nearly so on one that is busy. The fit's are shared out to its stages by the clock."""
    command = [bench.onefold, "fit", path, "--method", "os-lfmvc-cs", "--clusters", str(clusters), "--json", "--progress", "never",
               "--threads", "1", *more]
    (said, plan), fit = estimated(command), measured(command)
    share = fit["cpu"] / fit["json"]["seconds"]["total"]
    took = {stage: share * fit["json"]["seconds"][stage] for stage in ("base", "fit")}
    ratio = sum(said.values()) / sum(took.values())
    row = {"name": name, "samples": plan["samples"], "routes": sorted({view["base"] for view in plan["views"]}),
           "estimated": said, "took": took, "ratio": ratio}
    print(f"     {name:<30} n = {row['samples']:<7} {','.join(row['routes']):<14} "
          f"estimated {said['base']:6.2f} + {said['fit']:5.2f} s   took {took['base']:6.2f} + {took['fit']:5.2f} s"
          f"   ratio {ratio:.2f}", flush=True)
    return row


def dry_run(bench):
    """Seconds that `fit --dry-run` estimates for base partitions and solver against those of the fit."""
    settled = {**{name: (path, clusters, ()) for name, (path, clusters) in SETS.items()}, **SETTLED}
    for key, cases in (("others", OTHERS), ("settled", settled)):
        rows = []
        for name, (source, clusters, more) in cases.items():
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(DATA, source) if isinstance(source, str) else os.path.join(folder, "made.npz")
                if not isinstance(source, str):
                    bench.synth(path, "--clusters", str(clusters), *source)
                rows.append(compare(bench, name, path, clusters, more))
        bench.details.setdefault("dry_run", {})[key] = rows
        near = sum(1 / 3 <= row["ratio"] <= 3 for row in rows)
        what = "it was settled on" if key == "settled" else "it never saw"
        bench.row(f"--dry-run within a factor of 3, of {len(rows)} fits {what}", "all of them",
                  f"{near}; median ratio {statistics.median(row['ratio'] for row in rows):.2f}", near == len(rows))


FIGURES = [dry_run]
