#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How Onefold scales: figures at large n, each ratio against a reference of the same run.

Prints a table (what, bar, measured) and writes the same as JSON. Data is made with `onefold synth`
into a folder and kept there for the next time. References are in references.py; each command and
each reference is a process of its own, whose peak memory is what the system counted for it.
"""
import math
import os
import statistics
import subprocess
import sys

from common import DATA, HERE, Figures, Skip, arguments_of, measured

PYTHON = "/usr/bin/python3"
MB = 1e6


class Scale(Figures):
    def __init__(self, arguments):
        super().__init__(arguments.onefold)
        self.folder = arguments.folder
        self.largest = arguments.largest
        self.samples = arguments.samples
        os.makedirs(self.folder, exist_ok=True)

    def fit(self, files, clusters, *options, before=(), method="os-lfmvc-cs"):
        result = measured([*before, self.onefold, "fit", *files, "--method", method, "--clusters", str(clusters), "--json",
                           "--progress", "never", "--labels", os.path.join(self.folder, "labels.npy"),
                           *options])
        for key in ("labels", "confidence"):
            result["json"].pop(key, None)
        return result

    def reference(self, name, number, files):
        return measured([PYTHON, os.path.join(HERE, "references.py"), name, str(number), *files])["json"]

    def dense(self, n, views, columns, clusters=10, noisy=False):
        """Single-precision .npy files of a mixture, and their truth last; `noisy`: half of the columns say nothing."""
        name = os.path.join(self.folder, f"{'noisy' if noisy else 'dense'}-{n}-{views}-{columns}")
        kind = ("--separation", "4", "--noise", "0.5") if noisy else ("--separation", "3")
        files = [f"{name}.{i + 1}.npy" for i in range(views)] + [f"{name}.truth.npy"]
        if not all(os.path.exists(file) for file in files):
            raw = name + "-raw"
            self.synth(raw + ".npy", "--samples", str(n), "--views", str(views), "--columns", str(columns),
                       "--clusters", str(clusters), *kind, "--seed", "1")
            for i in range(views):
                narrow(f"{raw}.{i + 1}.npy", files[i])
            os.rename(raw + ".truth.npy", files[-1])
        return files


def narrow(wide, single):
    """Writes a .npy in single precision and removes the wide one."""
    code = ("import numpy as np, sys; x = np.load(sys.argv[1], mmap_mode='r'); "
            "y = np.lib.format.open_memmap(sys.argv[2], 'w+', np.float32, x.shape); "
            "[y.__setitem__(slice(j, j + 65536), x[j:j + 65536]) for j in range(0, len(x), 65536)]; y.flush()")
    subprocess.run([PYTHON, "-c", code, wide, single + ".part"], check=True)
    os.rename(single + ".part", single)
    os.remove(wide)


def data_and_truth(files):
    return [*files[:-1], "--truth", files[-1]]


def seconds_text(result):
    return f"{result['wall']:.1f} s ({result['cpu']:.1f} s of CPU)"


def million(scale):
    """Whole fit of a million samples against KMeans on what is already in memory; and its memory."""
    files = scale.dense(1000000, 3, 64)
    own = scale.fit(data_and_truth(files), 10)
    reference = scale.reference("kmeans", 10, files)
    scale.details["million"] = {"fit": own, "kmeans": reference}
    ratio = own["wall"] / reference["seconds"]
    scale.row("fit, n = 10^6, 3 views of 64 columns, .npy", "<= 0.3 x KMeans(n_init=10)",
              f"{ratio:.2f} x: {seconds_text(own)} to {reference['seconds']:.1f} s ({reference['cpu']:.1f} s "
              f"of CPU); NMI {own['json']['scores']['nmi']:.3f}, KMeans {reference['nmi']:.3f}", ratio <= 0.3)
    size = 1000000 * 3 * 64 * 4
    scale.row("the same, peak memory", "<= 2 x input + 300 MB",
              f"{own['peak'] / MB:.0f} MB of {(2 * size + 300 * MB) / MB:.0f} MB (KMeans: "
              f"{reference['peak'] / MB:.0f} MB)", own["peak"] <= 2 * size + 300 * MB)


def contest(scale):
    """The same by the default method, of the easy kind and of the noisy one, and of a fifth of the samples."""
    for n, noisy, bar in ((scale.samples, False, 0.15), (scale.samples, True, 0.15), (scale.samples // 5, True, 0.2)):
        files = scale.dense(n, 3, 64, noisy=noisy)
        own = scale.fit(data_and_truth(files), 10, method="onefold")
        reference = scale.reference("kmeans", 10, files)
        scale.details[f"contest-{n}{'-noisy' if noisy else ''}"] = {"fit": own, "kmeans": reference}
        ratio, seconds = own["wall"] / reference["seconds"], own["json"]["seconds"]
        scale.row(f"the default, n = {n}, 3 views of 64 columns{', noisy' if noisy else ''}",
                  f"<= {bar} x KMeans(n_init=10)",
                  f"{ratio:.2f} x: {seconds_text(own)}, base {seconds['base']:.1f} s, fit {seconds['fit']:.1f} s, "
                  f"to {reference['seconds']:.1f} s ({reference['cpu']:.1f} s of CPU); "
                  f"NMI {own['json']['scores']['nmi']:.3f}, KMeans {reference['nmi']:.3f}", ratio <= bar)


SMALL = {"Cora": ("cora/Cora_2view.mat", 7), "CiteSeer": ("citeseer/CiteSeer.mat", 6),
         "ProteinFold": ("proteinfold/ProteinFold.mat", 27), "Handwritten": ("handwritten/Handwritten.mat", 10)}


def small(scale):
    """The default on small data against ten starts of os-lfmvc-cs, in seconds of CPU on one thread."""
    if not os.path.isdir(DATA):
        raise Skip("the real data is not beside the project (../shared/data)")
    for name, (path, clusters) in SMALL.items():
        own, reference = (scale.fit([os.path.join(DATA, path)], clusters, "--threads", "1", *more, method=method)
                          for method, more in (("onefold", ()), ("os-lfmvc-cs", ("--restarts", "10"))))
        scale.details.setdefault("small", {})[name] = {"fit": own, "os-lfmvc-cs": reference}
        ratio = own["cpu"] / reference["cpu"]
        scale.row(f"the default, {name}", "<= 2.5 x os-lfmvc-cs, ten starts",
                  f"{ratio:.1f} x: {own['cpu']:.2f} s to {reference['cpu']:.2f} s of CPU", ratio <= 2.5)


def against_average(scale):
    """Five rbf views of 20000 samples against the average kernel with ARPACK and KMeans."""
    files = scale.dense(20000, 5, 50)
    own = scale.fit(data_and_truth(files), 10, "--kernel", "rbf")
    exact = scale.fit(data_and_truth(files), 10, "--kernel", "rbf", "--base", "exact")
    reference = scale.reference("average", 10, files)
    scale.details["average"] = {"fit": own, "exact": exact, "average": reference}
    times, smaller = reference["seconds"] / own["wall"], reference["peak"] / own["peak"]
    route = own["json"]["views"][0]["base"]
    scale.row(f"n = 20000, 5 views of 50 columns, rbf ({route})", ">= 10 x faster than average",
              f"{times:.1f} x: {seconds_text(own)} to {reference['seconds']:.1f} s ({reference['cpu']:.1f} s of "
              f"CPU); NMI {own['json']['scores']['nmi']:.3f}, average {reference['nmi']:.3f}, exact "
              f"{exact['json']['scores']['nmi']:.3f} in {seconds_text(exact)}", times >= 10)
    scale.row("the same, peak memory", ">= 20 x smaller", f"{smaller:.0f} x: {own['peak'] / MB:.0f} MB to "
              f"{reference['peak'] / MB:.0f} MB", smaller >= 20)


def growth(scale):
    """Slopes on a log-log plot from 10^5 to 10^6 samples."""
    small, large = (scale.fit(data_and_truth(scale.dense(n, 3, 64)), 10) for n in (100000, 1000000))
    scale.details["growth"] = {"small": small, "large": large}
    for key, unit, size in (("wall", "s", 1), ("peak", "MB", MB)):
        slope = math.log10(large[key] / small[key])
        scale.row(f"growth of {'time' if key == 'wall' else 'memory'}, n = 10^5 to 10^6", "slope <= 1.05",
                  f"{slope:.2f}: {small[key] / size:.1f} to {large[key] / size:.1f} {unit}", slope <= 1.05)


def largest(scale):
    """Ten million samples in single precision; only when asked for."""
    if not scale.largest:
        raise Skip("takes 5 GB of disk and minutes: ask with --largest")
    files = scale.dense(10000000, 3, 32)
    own = scale.fit(data_and_truth(files), 10, "--precision", "single")
    scale.details["largest"] = own
    scale.row("n = 10^7, 3 views of 32 columns, single precision", "within 24 GB",
              f"{own['peak'] / 1e9:.1f} GB, {seconds_text(own)}; NMI {own['json']['scores']['nmi']:.3f}",
              own["peak"] < 24e9)


def exact_tiles(scale):
    """The exact rbf route without a kernel matrix against scipy with one."""
    files = scale.dense(20000, 5, 50)
    files = [files[0], files[-1]]
    own = scale.fit(data_and_truth(files), 10, "--kernel", "rbf", "--base", "exact", "--dims", "20")
    reference = scale.reference("arpack", 20, files[:-1])
    scale.details["exact_tiles"] = {"fit": own, "arpack": reference}
    seconds, view = own["json"]["seconds"]["base"], own["json"]["views"][0]
    if view["base"] != "tiles" or view["residual"] > 1e-8:
        sys.exit(f"scale: route {view['base']} with residual {view['residual']:.1e} is not what is measured here")
    ratio = seconds / reference["seconds"]
    scale.row("exact rbf on the fly, n = 20000, top 20 to 1e-8", "<= 1 x kernel and ARPACK",
              f"{ratio:.2f} x: {seconds:.1f} s (whole fit {own['cpu']:.1f} s of CPU) to {reference['seconds']:.1f} s ({reference['cpu']:.1f} s of CPU), "
              f"residual {view['residual']:.0e}", ratio <= 1)
    scale.row("the same, peak memory of the whole fit", "< 300 MB",
              f"{own['peak'] / MB:.0f} MB (scipy: {reference['peak'] / MB:.0f} MB)", own["peak"] < 300 * MB)


def ranks(scale):
    """Two MPI ranks of one thread against one process of two threads."""
    program = os.path.join(os.path.dirname(scale.build), "mpi", "cli", "onefold")
    if not os.path.exists(program):
        raise Skip("there is no build/mpi: cmake --preset mpi && cmake --build --preset mpi")
    files = data_and_truth(scale.dense(1000000, 3, 64))
    threads = scale.fit(files, 10, "--threads", "2")
    own, scale.onefold = scale.onefold, program
    both = scale.fit(files, 10, "--threads", "1",
                     before=("mpirun", "--oversubscribe", "--allow-run-as-root", "-n", "2"))
    scale.onefold = own
    scale.details["ranks"] = {"threads": threads, "ranks": both}
    share = threads["wall"] / both["wall"]
    scale.row("two MPI ranks to two threads, n = 10^6", ">= 0.9 x the speed",
              f"{share:.2f} x: {seconds_text(both)} to {seconds_text(threads)}", share >= 0.9)


def sparse(scale):
    """A million samples, two views of 20000 columns with 30 entries a row that are not 0."""
    name = os.path.join(scale.folder, "sparse-1000000.npz")
    if not os.path.exists(name):
        scale.synth(name, "--samples", "1000000", "--views", "2", "--columns", "20000", "--density", "0.0015",
                    "--clusters", "10", "--seed", "1")
    own = scale.fit([name], 10)
    scale.details["sparse"] = own
    text = f"{seconds_text(own)}, {own['peak'] / 1e9:.2f} GB; NMI {own['json']['scores']['nmi']:.3f}"
    scale.row("sparse, n = 10^6, 2 views of 20000 columns, 30 a row", "< 120 s, < 4 GB", text,
              own["wall"] < 120 and own["peak"] < 4e9)


def reading(scale):
    """Megabytes a second from disk (or its cache) to a data set that has been checked."""
    files = scale.dense(1000000, 3, 64)
    table = os.path.join(scale.folder, "table.csv")
    if not os.path.exists(table):
        subprocess.run([scale.onefold, "convert", scale.dense(100000, 3, 64)[0], table, "-q"], check=True)
        if not os.path.exists(table):
            os.rename(table[:-4] + ".1.csv", table)
    for path, bar in ((table, 200), (files[0], None)):
        runs = [scale.fit([path], 2, "--kernel", "linear", "--restarts", "1", "--max-iter", "1")
                for _ in range(3)]
        read = statistics.median(run["json"]["seconds"]["read"] for run in runs)
        speed = os.path.getsize(path) / MB / read
        scale.details.setdefault("reading", {})[path] = {"seconds": read, "bytes": os.path.getsize(path)}
        scale.row(f"reading {os.path.splitext(path)[1]}, {os.path.getsize(path) / MB:.0f} MB",
                  f">= {bar} MB/s" if bar else "(reported)", f"{speed:.0f} MB/s ({read:.2f} s)",
                  speed >= bar if bar else None)


FIGURES = [million, contest, small, against_average, growth, exact_tiles, sparse, reading, ranks, largest]


def main():
    parser = arguments_of(__doc__, FIGURES, "build/scale.json")
    parser.add_argument("--scale", action="store_true", help="what brings ./dev bench here")
    parser.add_argument("--folder", default="build/scale", help="where the data is made")
    parser.add_argument("--largest", action="store_true", help="ten million samples as well")
    parser.add_argument("--samples", type=int, default=1000000, help="of the figure `contest`")
    arguments = parser.parse_args()
    Scale(arguments).work(FIGURES, arguments.only, arguments.out)


if __name__ == "__main__":
    main()
