#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""NMI (over the larger entropy) and seconds of the command on the sets of lists that bench/families.py wrote:

    bench/evaluate.py build/release/cli/onefold FOLDER/list.txt... [--jobs N] [-- --method os-lfmvc-cs ...]

A list has lines "NAME PATH CLUSTERS". What follows `--` are options of `onefold fit`. Each fit has one thread. A set of the same
name in several lists (draws of a family) is one row with the mean and the NMI in each list."""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import time


def fitted(onefold, path, clusters, options):
    """NMI in percent (None and a sentence where there is none) and wall seconds."""
    began = time.monotonic()
    run = subprocess.run([onefold, "fit", path, "--clusters", clusters, "--threads", "1", "--json", "--progress", "never", *options],
                         capture_output=True, text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, check=False)
    seconds = time.monotonic() - began
    if run.returncode:
        said = json.loads(run.stdout)["error"]["message"] if run.stdout else f"ended with {run.returncode}"
        return None, said, seconds
    return 100 * json.loads(run.stdout)["scores"]["nmi_max"], "", seconds


def main():
    given, options = sys.argv[1:], []
    if "--" in given:
        given, options = given[:given.index("--")], given[given.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onefold", help="the command")
    parser.add_argument("lists", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sets", help="names, comma-separated")
    parser.add_argument("--out", help="JSON of every fit")
    given = parser.parse_args(given)
    rows, wanted = [], given.sets.split(",") if given.sets else None
    for path in given.lists:
        with open(path) as file:
            rows += [[path, *line.rsplit(maxsplit=2)] for line in file if line.strip()]
    rows = [row for row in rows if not wanted or row[1] in wanted]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        results = list(pool.map(lambda row: fitted(given.onefold, row[2], row[3], options), rows))
    by_name = {}
    for row, result in zip(rows, results):
        by_name.setdefault(row[1], []).append(result)
    width, means, failed = max(map(len, by_name)), [], 0
    for name, found in by_name.items():
        values = [value for value, _, _ in found if value is not None]
        failed += len(found) - len(values)
        means += [sum(values) / len(values)] if values else []
        each = " ".join("  -  " if value is None else f"{value:5.1f}" for value, _, _ in found)
        why = next((words for _, words, _ in found if words), "")
        print(f"{name:<{width}} {means[-1] if values else float('nan'):6.1f}  {each}  {sum(row[2] for row in found) / len(found):7.2f} s  {why}")
    total = sum(seconds for _, _, seconds in results)
    print(f"{'mean of ' + str(len(means)):<{width}} {sum(means) / max(len(means), 1):6.1f}  {total:.1f} s in all"
          + (f", {failed} without labels" if failed else ""))
    if given.out:
        with open(given.out, "w") as file:
            json.dump([{"list": row[0], "set": row[1], "nmi": nmi, "seconds": seconds, "error": words or None}
                       for row, (nmi, words, seconds) in zip(rows, results)], file, indent=1)


if __name__ == "__main__":
    main()
