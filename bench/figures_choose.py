# SPDX-License-Identifier: Apache-2.0
"""Choosing the number of clusters: the whole curve against one fit at its largest number."""
import resource

from common import SETS

MOST = 20


def processor_seconds(work):
    """What work() returns, and the processor seconds of the commands it ran."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    began = used()
    result = work()
    return result, used() - began


def choose(bench):
    """2 to 20 clusters on every set, beside its classes; processor seconds, reading included."""
    worst = None
    for name, (_, classes) in SETS.items():
        curve, seconds = processor_seconds(lambda: bench.run("choose", name, "--max", str(MOST)))
        _, fit = processor_seconds(lambda: bench.run("fit", name, "--clusters", str(MOST)))
        ratio = seconds / fit
        worst = max(worst or (0, ""), (ratio, name))
        bench.details.setdefault("choose", {})[name] = {
            "ratio": ratio, "seconds": seconds, "fit": fit, "suggested": curve["suggested"],
            "evidence": {p["clusters"]: p["evidence"] for p in curve["curve"]}}
        bench.row(f"choose, {name}: suggested, beside {classes} classes", "(shown as it is)",
                  f"{curve['suggested'] or 'none'}; {seconds:.1f} s, {ratio:.1f} fits of {MOST} clusters",
                  True)
    bench.row(f"the curve of 2 to {MOST} clusters, worst data set", f"< {MOST - 1} fits of {MOST}",
              f"{worst[0]:.2f} ({worst[1]})", worst[0] < MOST - 1)


FIGURES = [choose]
