# SPDX-License-Identifier: Apache-2.0
"""Columns of a DataFrame as numbers: which are numbers, which are categories, which are left out.

`kind_of` is the one rule. What it found in a fit is kept, as a `Plan` for each view, so that new
samples get the same columns.
"""
from __future__ import annotations

import datetime
import numbers
import re
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MOST_CATEGORIES = 32  # of a column of texts; a column of pandas' category type may have more
MISSING = {"", "na", "nan", "-nan", "n/a", "#n/a", "#na", "none", "<na>", "null", "?", "-", "."}
PAIRS = (("false", "true"), ("no", "yes"), ("f", "t"), ("n", "y"), ("off", "on"))
TWO_VALUES = {"+": 1.0, **{word: float(value) for pair in PAIRS for value, word in enumerate(pair)}}
ID_NAMES = {"id", "ids", "sample", "samples", "samplename", "barcode", "barcodes", "cell", "cells",
            "patient", "patients", "subject", "subjects", "participant", "index", "rowname", "rownames"}
NUMBER = re.compile(r"[-+]?[$€£]?(\d{1,3}(,\d{3})+|\d+)?(\.\d*)?([eE][-+]?\d+)?\s*%?")
DATE = re.compile(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([T ].*)?")
TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
MOST_NAMED = 5  # columns that a warning names


@dataclass
class Kind:
    """What a column is: "number", "category" with its levels, or why it is left out ("dates",
    "ids", "free text", "one value", "empty")."""

    what: str
    levels: list = field(default_factory=list)

    def width(self) -> int:
        return {"number": 1, "category": len(self.levels)}.get(self.what, 0)


NUMBERS = Kind("number")


@dataclass
class Plan:
    """The columns of a view in a fit: their names, and the kind of those that are no numbers."""

    names: list
    special: dict[int, Kind] = field(default_factory=dict)

    def kind(self, place: int) -> Kind:
        return self.special.get(place, NUMBERS)

    def column_names(self) -> list[str]:
        names = []
        for place, name in enumerate(self.names):
            kind = self.kind(place)
            if kind.what == "number":
                names.append(str(name))
            names += [f"{name}={level}" for level in kind.levels]
        return names

    def units(self) -> np.ndarray | None:
        """A number for each column, the same for those of one category, which weigh as one; None
        where there is no category."""
        widths = [self.kind(place).width() for place in range(len(self.names))]
        if max(widths, default=0) < 2:
            return None
        return np.repeat(np.arange(len(widths), dtype=np.uint32), widths)


# ---- the rule ------------------------------------------------------------------------------------


def number_in(text: str) -> float | None:
    """The number that a text is, with a sign of currency, commas between thousands and a percent
    sign as people write them; None where it is none."""
    text = text.strip()
    if NUMBER.fullmatch(text) and any(c.isdigit() for c in text):
        return float(re.sub(r"[$€£,%\s]", "", text)) / (100 if text[-1] == "%" else 1)
    try:
        return float(text)
    except ValueError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Number, np.bool_)) and not isinstance(value, complex)


def _is_missing(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in MISSING


def _number_of(value: Any) -> float | None:
    """A cell as a number; None where it is none."""
    if _is_number(value):
        return float(value)
    if not isinstance(value, str):
        return None
    found = TWO_VALUES.get(value.strip().lower())
    return number_in(value) if found is None else found


def _are_codes(values: list) -> bool:
    """Whether texts are digits, as many in each, some with a zero in front: codes, and no amounts."""
    if not all(isinstance(v, str) and v.strip().isdecimal() for v in values):
        return False
    texts = [v.strip() for v in values]
    return len({len(t) for t in texts}) == 1 and len(texts[0]) > 1 and any(t[0] == "0" for t in texts)


def _kind_of_objects(values: list, counts: list[int], where: str) -> Kind:
    """The kind of a column of Python's objects: those that are there, and how often each is."""
    if all(_is_number(v) for v in values):
        return NUMBERS
    if all(isinstance(v, TIMES) for v in values):
        return Kind("dates")
    strange = [v for v in values if not isinstance(v, str) and not _is_number(v)]
    if strange:
        raise ValueError(f"{where}: {strange[0]!r} is not a number; leave the column out, or turn "
                         "it into numbers")
    distinct = {str(v).strip() for v in values}
    lower = {text.lower() for text in distinct}
    codes = _are_codes(values)
    odd = [i for i, v in enumerate(values) if codes or (not _is_number(v) and number_in(v) is None)]
    if not odd or any(lower <= set(pair) for pair in PAIRS):
        return NUMBERS
    total = sum(counts)
    if 2 * sum(counts[i] for i in odd) < total:
        raise ValueError(f"{where}: {values[odd[0]]!r} is not a number; most of the column's values "
                         "are. Put a missing value (NaN) there, or make the column a category")
    if all(DATE.fullmatch(text) for text in distinct):
        return Kind("dates")
    if len(distinct) == 1:
        return Kind("one value")
    if len(distinct) <= MOST_CATEGORIES and 2 * len(distinct) <= total:
        return Kind("category", sorted(distinct))
    return Kind("ids" if len(distinct) == total else "free text")


def _are_signs(values: list) -> bool:
    """Whether all are + and -, both of them: 1 and 0. Alone, a - is a missing value."""
    there = {v.strip() if isinstance(v, str) else v for v in values}
    return {"+", "-"} <= there and all(v in ("+", "-") or _is_missing(v) for v in there)


def _factorized(series: Any, where: str) -> tuple[np.ndarray, list]:
    """The number of each cell's value, -1 where it is missing, and the values."""
    import pandas
    try:
        codes, values = pandas.factorize(series.to_numpy() if series.dtype == object else series.array)
    except TypeError:  # not hashable
        first = next(v for v in series if not getattr(v, "__hash__", None))
        raise ValueError(f"{where}: {first!r} is not a number; leave the column out, or turn it "
                         "into numbers") from None
    return codes, list(values)


def kind_of(series: Any, where: str) -> Kind:
    """What a column is, by its type and, where it holds Python's objects, by its values.

    Numbers and booleans are numbers; so are texts that are numbers as people write them (1,234;
    45%, which is 0.45; $50.10), and the usual words for two values (yes and no, true and false).
    pandas' categories, and texts of at most 32 values that are there twice each on average, are
    categories. Left out are dates and times, columns without a value, texts that are all alike or
    all different (ids), and other texts. A column of numbers with some other text in it is refused.
    """
    import pandas
    if isinstance(series.dtype, pandas.CategoricalDtype):
        used = series.cat.remove_unused_categories().cat.categories
        present = int(series.notna().sum())
        if len(used) < 2:
            return Kind("one value" if present else "empty")
        return Kind("ids") if len(used) == present > 2 else Kind("category", list(used))
    if series.isna().all():
        return Kind("empty")
    types = pandas.api.types
    if types.is_bool_dtype(series.dtype) or types.is_numeric_dtype(series.dtype):
        return NUMBERS
    if series.dtype.kind in "mM" or isinstance(series.dtype, (pandas.PeriodDtype, pandas.DatetimeTZDtype)):
        return Kind("dates")
    codes, values = _factorized(series, where)
    counts = np.bincount(codes[codes >= 0], minlength=len(values)).tolist()
    there = [i for i, v in enumerate(values) if not _is_missing(v)]
    if not there:
        return Kind("empty")
    if _are_signs(values):
        return NUMBERS
    return _kind_of_objects([values[i] for i in there], [counts[i] for i in there], where)


# ---- the numbers ---------------------------------------------------------------------------------


def _floats(series: Any, where: str) -> np.ndarray:
    """A column of numbers; what is none is named."""
    if series.dtype != object and series.dtype.kind in "fiub":
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    codes, values = _factorized(series, where)
    signs = _are_signs(values)
    found = [0.0 if signs and v.strip() == "-" else np.nan if _is_missing(v) else _number_of(v)
             for v in values]
    if None in found:
        raise ValueError(f"{where}: {values[found.index(None)]!r} is not a number, and the column "
                         "was one of numbers")
    return np.array(found + [np.nan])[codes]


def _indicators(series: Any, kind: Kind, where: str) -> np.ndarray:
    """0/1 for each level; NaN where the value is missing, 0 where it is a level of no column."""
    place = {level: i for i, level in enumerate(kind.levels)}
    codes, values = _factorized(series, where)
    rows = np.zeros((len(values) + 1, len(place)))  # of each value, and of none
    rows[-1] = np.nan
    unknown = []
    for row, value in zip(rows, values):
        text = value.strip() if isinstance(value, str) else str(value)  # a number among texts
        if value in place or text in place:
            row[place[value if value in place else text]] = 1
        elif _is_missing(value):
            row[:] = np.nan
        else:
            unknown.append(value)
    if unknown:
        warnings.warn(f"{where}: {', '.join(repr(v) for v in unknown[:MOST_NAMED])} was not there in "
                      f"the fit; such samples are in none of its {len(place)} categories")
    return rows[codes]


def _say_left_out(view: str, plan: Plan) -> None:
    left = [f"{plan.names[place]} ({kind.what})" for place, kind in plan.special.items()
            if kind.what != "category"]
    if left:
        more = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
        ids = any(kind.what == "ids" for kind in plan.special.values())
        warnings.warn(f"view {view}: left out, as no numbers or categories: "
                      f"{', '.join(left[:MOST_NAMED])}{more}"
                      + ("; samples are matched by the index (set_index)" if ids else ""))


def _whole_and_different(series: Any) -> bool:
    if getattr(series.dtype, "kind", "O") not in "iu" or series.hasnans:
        return False
    return len(series) > 1 and series.is_unique


def _ids_in(frame: Any, view: str) -> dict[int, Kind]:
    """Columns of whole numbers that are ids: by their heading, or, in the first place or under a
    heading that a program gave, as they count the rows. A first column of other large numbers that
    all differ stays, and is named."""
    found = {}
    for place, name in enumerate(frame.columns):
        if not isinstance(name, str):
            continue
        plain = re.sub(r"[^a-z0-9]", "", name.lower())
        given = name.startswith("Unnamed:")
        if place and not given and not plain.endswith("id") and plain not in ID_NAMES:
            continue
        column = frame.iloc[:, place]
        if not _whole_and_different(column):
            continue
        steps = len(column) >= 5 and bool((np.diff(column.to_numpy()) == 1).all())
        if plain in ID_NAMES or plain.endswith("id") or (steps and (given or place == 0)):
            found[place] = Kind("ids")
        elif place == 0 and len(column) >= 5 and column.min() >= 0 and column.max() >= 1000:
            warnings.warn(f"view {view}: the whole numbers of {name} all differ; the column is taken "
                          "for a feature. If it holds ids, make it the index")
    return {} if len(found) == frame.shape[1] else found


def plan_of(frame: Any, view: str) -> Plan:
    """The kinds of the columns of a frame; what is left out is said."""
    plan = Plan(list(frame.columns))
    ids = _ids_in(frame, view)
    plain = all(getattr(t, "kind", "O") in "fiubc" and not hasattr(t, "na_value")
                for t in frame.dtypes.unique())
    if plain:
        empty = frame.isna().to_numpy().all(axis=0) if len(frame) else np.zeros(frame.shape[1], bool)
        if empty.any() and not empty.all():
            plan.special = {int(place): Kind("empty") for place in np.flatnonzero(empty)}
    else:
        kinds = [kind_of(frame.iloc[:, i], f"view {view}, column {name}")
                 for i, name in enumerate(plan.names)]
        if all(kind.what == "empty" for kind in kinds):
            kinds = [NUMBERS] * len(kinds)
        plan.special = {i: kind for i, kind in enumerate(kinds) if kind is not NUMBERS}
        if kinds and not any(kind.width() for kind in kinds):
            raise ValueError(f"view {view} holds no numbers and no categories: " + ", ".join(
                f"{name} ({kind.what})" for name, kind in list(zip(plan.names, kinds))[:MOST_NAMED]))
    if any(plan.kind(place).width() for place in range(len(plan.names)) if place not in ids):
        plan.special = dict(sorted({**plan.special, **ids}.items()))
    _say_left_out(view, plan)
    return plan


def plan_of_model(frame: Any, view: str, expected: list[str]) -> Plan:
    """The plan of a view of a model that was read from a file, which has the names of its columns
    alone: `colour=red` is of the category `colour` where the frame has a column of that name. What
    is expected and not there is refused by name, by `_picked`."""
    there = {str(name): name for name in frame.columns}
    plan, place = Plan([]), {}
    for name in expected:
        # the longest heading that a column has: both may hold a `=`
        cuts = [at for at, sign in enumerate(name) if sign == "=" and name[:at] in there]
        if name in there or not cuts:
            plan.names.append(there.get(name, name))
            continue
        heading = name[:cuts[-1]]
        if heading not in place:
            place[heading] = len(plan.names)
            plan.names.append(there[heading])
            plan.special[place[heading]] = Kind("category")
        elif place[heading] != len(plan.names) - 1:
            raise ValueError(f"view {view}: the model has columns of {heading} in several places; "
                             "rename the column, or give an array")
        plan.special[place[heading]].levels.append(name[cuts[-1] + 1:])
    return plan


def _picked(frame: Any, plan: Plan, view: str) -> Any:
    """The columns of a frame as a plan has them: by name, or by place where names are not alone."""
    names = list(frame.columns)
    if names == plan.names:
        return frame
    if len(set(names)) < len(names) or len(set(plan.names)) < len(plan.names):
        if len(names) != len(plan.names):
            raise ValueError(f"view {view} has {len(names)} columns, the fit had {len(plan.names)}")
        return frame
    needed = [n for i, n in enumerate(plan.names) if plan.kind(i).width()]
    lacking = [n for n in needed if n not in frame.columns]
    if lacking:
        raise ValueError(f"view {view} lacks {len(lacking)} of the columns of the fit: "
                         + ", ".join(repr(n) for n in lacking[:MOST_NAMED]))
    other = [n for n in names if n not in set(plan.names)]
    if other:
        warnings.warn(f"view {view}: {', '.join(str(n) for n in other[:MOST_NAMED])} was not there "
                      "in the fit and is passed over")
    return frame.reindex(columns=plan.names)


def frame_numbers(frame: Any, view: str,
                  plan: Plan | list[str] | None = None) -> tuple[np.ndarray, Plan]:
    """A frame as an array, and its plan: the one given, of a fit, or its own. Of a model that was
    read from a file there are the names of the columns."""
    given = plan is not None
    if isinstance(plan, list):
        plan = plan_of_model(frame, view, plan)
    plan = plan_of(frame, view) if plan is None else plan
    frame = _picked(frame, plan, view) if given else frame
    plain = all(getattr(t, "kind", "O") in "fiubc" and not hasattr(t, "na_value")
                for t in frame.dtypes.unique())
    if plain and not plan.special:
        array = np.asarray(frame)  # where it lies, if its columns are of one type
        return (array.astype(np.float64) if array.dtype == object else array), plan
    parts = []
    for place, name in enumerate(plan.names):
        kind, where = plan.kind(place), f"view {view}, column {name}"
        if kind.what == "number":
            parts.append(_floats(frame.iloc[:, place], where)[:, None])
        elif kind.what == "category":
            parts.append(_indicators(frame.iloc[:, place], kind, where))
    return np.hstack(parts) if parts else np.empty((len(frame), 0)), plan
