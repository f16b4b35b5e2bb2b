#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Figures of a GPU: its limits, the stages of a fit by themselves, and whole fits beside the CPU's.

Needs a machine with an NVIDIA GPU; limits and the k-means beside are measured where python3 has PyTorch.
Prints a table (what, measured, bar, what it is held against); everything measured goes into a file (--output)."""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
LIMITS = """
import json, time, torch
torch.backends.cuda.matmul.allow_tf32 = False
def best(call, times=5):
    call(); torch.cuda.synchronize(); least = 1e9
    for _ in range(times):
        began = time.time(); call(); torch.cuda.synchronize(); least = min(least, time.time() - began)
    return least
a = torch.randn(8192, 8192, device='cuda'); d = a.double()
c = torch.empty(2**30, device='cuda'); e = torch.empty_like(c)
print(json.dumps({'single': 2 * 8192**3 / best(lambda: a @ a), 'double': 2 * 8192**3 / best(lambda: d @ d),
                  'copy': 8 * 2**30 / best(lambda: e.copy_(c))}))
"""
# k-means with ten starts on all columns side by side, standardised; labels of the least cost
KMEANS = """
import sys, time, numpy as np, torch
torch.backends.cuda.matmul.allow_tf32 = False
x = torch.cat([torch.from_numpy(np.load(f)).cuda() for f in sys.argv[2:]], 1); torch.cuda.synchronize()
began = time.time()
x -= x.mean(0); x /= x.std(0)
best = None
g = torch.Generator(device='cuda'); g.manual_seed(0)
for start in range(10):
    c = x[torch.randint(len(x), (10,), generator=g, device='cuda')]; before = None
    for step in range(100):
        y = torch.cat([((c * c).sum(1) - 2 * part @ c.T).argmin(1) for part in x.split(2**20)])
        if before is not None and bool((y == before).all()): break
        before = y
        s = torch.zeros_like(c).index_add_(0, y, x); n = torch.bincount(y, minlength=10).clamp(min=1)
        c = s / n[:, None]
    cost = float((c * c).sum(1)[y].double().sum() - 2 * sum((p * c[l]).double().sum() for p, l in zip(x.split(2**20), y.split(2**20))))
    if best is None or cost < best[0]: best = (cost, y)
torch.cuda.synchronize(); print(time.time() - began)
np.save(sys.argv[1], best[1].cpu().numpy().astype(np.int32))
"""


def run(arguments, **more):
    began = time.time()
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, **more)
    return time.time() - began, done.stdout, done.stderr


def stages(folder, n, limits):
    """Stages by themselves; a share of the limit where the GPU's are known."""
    rows = []
    for line in run([os.path.join(folder, "bench", "bench_gpu"), str(n)])[1].splitlines():
        what, milliseconds, operations, transfer = line.split("\t")
        row = {"what": f"{what}, n = {n}", "ms": float(milliseconds)}
        if limits:
            gemm = limits["double" if "double" in what or what.startswith("gram") else "single"]
            row["limit_ms"] = 1e3 * max(float(operations) / gemm, float(transfer) / limits["copy"])
        rows.append(row)
    return rows


def make_data(command, folder, n, columns):
    """Three noisy views in single precision, made in pieces, and their truth."""
    name = os.path.join(folder, f"gpu-{n}-{columns}")
    files = [f"{name}.{i + 1}.npy" for i in range(3)] + [f"{name}.truth.npy"]
    if all(os.path.exists(file) for file in files):
        return files
    block = min(n, 1000000)
    raw = name + "-raw"
    run([command, "synth", raw + ".npy", "--samples", str(block), "--views", "3", "--columns", str(columns), "--clusters", "10",
         "--separation", "4", "--noise", "0.5", "--seed", "1", "-q"])
    for i in range(3): # beyond a million: the same clusters, other noise
        x = np.load(f"{raw}.{i + 1}.npy").astype(np.float32)
        out = np.lib.format.open_memmap(files[i], "w+", np.float32, (n, columns))
        random = np.random.default_rng(i)
        noise = random.standard_normal((block, columns), dtype=np.float32)
        for j in range(0, n, block):
            count = min(block, n - j)
            out[j:j + count] = x[:count] if j == 0 else x[:count] + 0.3 * np.roll(noise, j // block * 7919, 0)[:count]
        del out
        os.remove(f"{raw}.{i + 1}.npy")
    truth = np.load(raw + ".truth.npy")
    np.save(files[3], np.concatenate([truth[:min(block, n - j)] for j in range(0, n, block)]))
    return files


def fit(command, files, device, labels, *more):
    seconds, out, err = run([command, "fit", *files[:3], "--clusters", "10", "--method", "os-lfmvc-cs", "--precision", "single",
                            "--device", device, "--truth", files[3], "--labels", labels, "--progress", "never", *more])
    said = out + err # the summary, wherever it went
    parts = dict(zip(("read", "base", "fit"), re.findall(r"(?:read|base|fit) ([0-9.]+) s", said)))
    nmi = re.search(r"NMI ([0-9.]+)", said)
    return {"seconds": seconds, "parts": parts, "nmi": nmi and float(nmi.group(1)), "said": said}


def whole_fits(command, folder, n, columns, with_cpu):
    files = make_data(command, folder, n, columns)
    rows = []
    for device in (["gpu", "gpu", "cpu"] if with_cpu else ["gpu", "gpu"]):
        labels = os.path.join(folder, f"labels-{device}.npy")
        made = fit(command, files, device, labels)
        rows.append({"what": f"whole fit, n = {n}, 3 x {columns}, {device}", **{k: made[k] for k in ("seconds", "parts", "nmi", "said")}})
    if with_cpu:
        said = json.loads(run([command, "score", *(os.path.join(folder, f"labels-{device}.npy") for device in ("gpu", "cpu")), "--json"])[1])
        rows.append({"what": "labels that agree", "share": said["scores"]["acc"]}) # clusters may have other numbers
    return rows


def defaults(command, folder, files, n):
    """The default method, which is the CPU's, three times, and its labels scored."""
    labels = os.path.join(folder, "labels-default.npy")
    rows = [{"what": f"default method, n = {n}, {os.cpu_count()} cores",
             "seconds": run([command, "fit", *files[:3], "--clusters", "10", "--no-truth", "--labels", labels, "--progress", "never"])[0]}
            for _ in range(3)]
    rows[0]["said"] = run([command, "score", labels, files[3]])[1]
    return rows


def predictions(folder, files, method):
    """A model labels the samples that it was fitted on, from memory, three times."""
    return {"what": f"predict of {method}, from memory",
            "said": run([os.path.join(folder, "bench", "bench_gpu"), "predict", method, "10", *files[:3]])[1]}


def exact(command, folder):
    """One view of 10^5 samples through the exact rbf kernel, which is not formed."""
    file = os.path.join(folder, "gpu-exact.npy")
    run([command, "synth", file, "--samples", "100000", "--views", "1", "--columns", "64", "--clusters", "10",
         "--separation", "4", "--noise", "0.5", "--seed", "1", "-q"])
    seconds, out, err = run([command, "fit", file, "--clusters", "10", "--method", "os-lfmvc-cs", "--base", "exact", "--device", "gpu",
                            "--labels", os.path.join(folder, "gpu-exact-labels.npy"), "--progress", "never"])
    return {"what": "exact rbf, n = 100000, one view", "seconds": seconds, "said": out + err}


def of_kind(rows, start):
    return [row for row in rows if row["what"].startswith(start)]


def table(rows, n):
    """[(what, measured, bar, beside)] of the rows that have a bar, then the stages without one."""
    lines, cpu = [], of_kind(rows, "whole fit") and [r for r in of_kind(rows, "whole fit") if r["what"].endswith("cpu")]
    whole = statistics.median(r["seconds"] for r in of_kind(rows, "whole fit") if r["what"].endswith("gpu"))
    beside = lambda theirs, ours: f"{os.cpu_count()} cores {theirs:.1f} s: {theirs / ours:.1f} x" if cpu else ""
    lines.append(("whole fit, files to labels", f"{whole:.2f} s", "4 s, 10 x", beside(cpu and cpu[0]["seconds"], whole)))
    stages_of = lambda row: float(row["parts"]["base"]) + float(row["parts"]["fit"])
    there = statistics.median(stages_of(r) for r in of_kind(rows, "whole fit") if r["what"].endswith("gpu"))
    lines.append(("the same, base partitions and solver", f"{there:.2f} s", "", beside(cpu and stages_of(cpu[0]), there)))
    bars = {"pass, single": "1.5 x its limit"}
    for row in rows:
        if "ms" in row:
            what = row["what"].split(", n =")[0]
            limit = f"limit {row['limit_ms']:.3g} ms: {row['ms'] / row['limit_ms']:.2f} x, {100 * row['limit_ms'] / row['ms']:.0f} %" if "limit_ms" in row else ""
            lines.append((what, f"{row['ms']:.3g} ms", bars.get(what, ""), limit))
    own = of_kind(rows, "default")
    seconds = statistics.median(row["seconds"] for row in own)
    lines.append((own[0]["what"], f"{seconds:.2f} s", "2.5 s", f"NMI {re.search(r'NMI +([0-9.]+)', own[0]['said'])[1]}"))
    for row in of_kind(rows, "k-means, PyTorch"):
        score = re.search(r"NMI +([0-9.]+)", row["said"])
        ours = of_kind(rows, "whole fit")[0]["nmi"]
        lines.append((row["what"], f"{row['seconds']:.1f} s", "slower than ours", f"NMI {score[1]}; os-lfmvc-cs {ours}, {there:.2f} s"))
    for row in of_kind(rows, "exact"):
        lines.append((row["what"], f"{row['seconds']:.2f} s", "3 s", ""))
    for row in of_kind(rows, "predict"):
        took = statistics.median(float(x) for x in re.findall(r"([0-9.]+) ms", row["said"]))
        lines.append((row["what"], f"{1000 * n / took:.2g} samples/s", "5e+07", ""))
    for row in of_kind(rows, "labels that agree"):
        lines.append(("labels of GPU and CPU that agree", f"{100 * row['share']:.3f} %", "99.9 %", ""))
    return lines


def print_table(lines):
    heads = [("what", "measured", "bar", "beside")] + lines
    widths = [max(len(line[c]) for line in heads) for c in range(4)]
    for line in heads:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpu", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--onefold", default="build/cuda", help="folder of the build")
    parser.add_argument("--folder", default="/tmp", help="where data goes")
    parser.add_argument("--samples", type=int, default=10000000)
    parser.add_argument("--columns", type=int, default=64)
    parser.add_argument("--no-cpu", action="store_true", help="no fit by the CPU beside")
    parser.add_argument("--no-kmeans", action="store_true", help="no k-means by PyTorch beside")
    parser.add_argument("--output", default="build/bench-gpu.json")
    options = parser.parse_args()
    command = os.path.join(options.onefold, "cli", "onefold")
    os.makedirs(options.folder, exist_ok=True)
    rows = []
    try:
        limits = json.loads(run(["python3", "-c", LIMITS])[1])
        rows.append({"what": "limits", **limits})
    except (subprocess.CalledProcessError, OSError):
        limits = None
    rows += stages(options.onefold, options.samples, limits)
    rows += whole_fits(command, options.folder, options.samples, options.columns, not options.no_cpu)
    files = make_data(command, options.folder, options.samples, options.columns)
    rows += defaults(command, options.folder, files, options.samples)
    rows += [predictions(options.onefold, files, method) for method in ("os-lfmvc-cs", "onefold")]
    rows.append(exact(command, options.folder))
    if limits and not options.no_kmeans:
        labels = os.path.join(options.folder, "labels-kmeans.npy")
        seconds = float(run(["python3", "-c", KMEANS, labels, *files[:3]])[1])
        score = run([command, "score", labels, files[3]])[1]
        rows.append({"what": "k-means, PyTorch, 10 starts, data on the GPU", "seconds": seconds, "said": score})
    print_table(table(rows, options.samples))
    os.makedirs(os.path.dirname(options.output) or ".", exist_ok=True)
    with open(options.output, "w") as file:
        json.dump(rows, file, indent=1)


if __name__ == "__main__":
    sys.exit(main())
