# SPDX-License-Identifier: Apache-2.0
"""Pictures of samples, drawn from the numbers that a report page holds."""
from __future__ import annotations

import base64
import html
import json
import pathlib
import re
import zlib

# The colours of clusters on report pages (web/report/src/colours.ts).
HUES = ["#0072b2", "#e69f00", "#009e73", "#cc588b", "#56b4e9", "#c44700", "#7a4fb5", "#8a8a1f", "#8c563c", "#6b7a8c"]
MOST = 2500  # points of a picture; more are thinned out


class Report:
    """What a report page holds: `summary`, as in --json, and its blocks of numbers."""

    def __init__(self, path: pathlib.Path) -> None:
        self.text = path.read_text()
        held = re.search(r'id="summary">([^<]*)', self.text)
        if not held:
            raise SystemExit(f"{path} holds no summary: is it a report page?")
        self.summary = json.loads(held.group(1))
        self.data, self.extra = self.summary["data"], self.summary["extra"]

    def block(self, name: str) -> bytes | None:
        found = re.search(rf'id="block-{name}">([^<]*)', self.text)
        return zlib.decompress(base64.b64decode(found.group(1))) if found else None

    def words(self, name: str) -> list[int] | None:
        raw = self.block(name)
        return None if raw is None else [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw) - 1, 2)]

    def labels(self) -> list[int]:
        if self.extra["points"]["wide_labels"]:
            return self.words("labels")
        return list(self.block("labels"))

    def pictures(self) -> list[str]:
        return (self.extra.get("points") or {}).get("pictures") or []


def scatter(report: Report, picture: int, title: str, *, size: int = 400, dot: float = 5) -> str:
    """A picture of a report as SVG: the samples, coloured by cluster."""
    about, raw = report.extra["points"], report.words(f"picture-{picture}")
    if raw is None:
        raise SystemExit(f"the report has no picture {picture}")
    count, labels = len(raw) // 2, report.labels()
    stride = (about.get("stride") or 1) if picture else 1
    step = max(1, -(-count // MOST))
    runs: dict[int, list[str]] = {}
    for i in range(0, count, step):
        x, y = raw[i], raw[count + i]
        if x == 65535 or y == 65535 or i * stride >= len(labels):
            continue
        at = f"M{8 + x / 65534 * (size - 16):.0f} {size - 8 - y / 65534 * (size - 16):.0f}h0"
        runs.setdefault(labels[i * stride] % len(HUES), []).append(at)
    paths = "".join(f'<path stroke="{HUES[c]}" d="{"".join(ways)}"/>' for c, ways in sorted(runs.items()))
    return (f'<svg class="scatter" viewBox="0 0 {size} {size}" role="img" aria-label="{html.escape(title)}" fill="none" '
            f'stroke-width="{dot}" stroke-linecap="round">{paths}</svg>')


def _frame(title: str, inner: str, size: int = 400) -> str:
    return f'<svg class="chart" viewBox="0 0 {size} {size}" role="img" aria-label="{html.escape(title)}">{inner}</svg>'


def _bars(values: list[float], title: str) -> str:
    most, width = max(values) or 1, 340 / len(values)
    return _frame(title, "".join(
        f'<rect x="{30 + i * width:.1f}" y="{350 - 290 * v / most:.1f}" width="{max(2, width - 6):.1f}" height="{290 * v / most:.1f}" '
        f'fill="{HUES[0]}" rx="3"/>' for i, v in enumerate(values)) + '<path class="line" d="M20 352H380"/>')


def thumbnail(report: Report, title: str) -> str:
    """A picture for the page of any kind: samples, a curve, bars or a table of agreement."""
    kind, data, extra = report.summary["kind"], report.data, report.extra
    if report.pictures():
        return scatter(report, 0, title)
    if kind == "choose":
        points = [(p["clusters"], max(0, p["evidence"])) for p in data["curve"]]
        low, high = points[0][0], points[-1][0]
        place = [(30 + 340 * (k - low) / max(1, high - low), 350 - 290 * v, k) for k, v in points]
        way = "M" + "L".join(f"{x:.0f} {y:.0f}" for x, y, _ in place)
        dots = "".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{11 if k == data["suggested"] else 6}" '
                       f'fill="{HUES[5] if k == data["suggested"] else HUES[0]}"/>' for x, y, k in place)
        return _frame(title, f'<path class="line" d="M20 352H380"/><path d="{way}" fill="none" stroke="{HUES[0]}" stroke-width="4"/>{dots}')
    if kind == "bench":
        measure = "nmi" if data["scored"] else None
        return _bars([m["default"][measure]["mean"] for m in data["methods"] if m.get("default")] if measure else [1.0], title)
    if kind == "compare":
        table = extra["contingency"]
        most, wide, high = max(max(row) for row in table), 340 / len(table[0]), 340 / len(table)
        return _frame(title, "".join(
            f'<rect x="{30 + j * wide:.1f}" y="{30 + i * high:.1f}" width="{wide - 3:.1f}" height="{high - 3:.1f}" rx="4" fill="{HUES[0]}" '
            f'fill-opacity="{0.06 + 0.94 * v / most:.2f}"/>' for i, row in enumerate(table) for j, v in enumerate(row)))
    return _bars([float(v) for v in extra["confidence"]["histogram"]], title)
