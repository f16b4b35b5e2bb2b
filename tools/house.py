#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts what makes the house large or small, and prints it as the table of docs/architecture.md.

    tools/house.py                  the table
    tools/house.py --check          fails where docs/architecture.md says less than is counted
    tools/house.py --update         writes the table there
    tools/house.py --list WHAT      the names behind a row: functions, headers, estimates, parts
    tools/house.py --passed BUILD   adds the files that the last run of a coverage build executed
    tools/house.py --compare [--run] [--update] [COMMIT...]
                                    the same house at commits and now, side by side; with --run also the files of a fit
                                    and the calls to a product, for which each is built twice (minutes); with --update
                                    in docs/architecture.md, of two commits and now. `./dev house` calls it
    tools/house.py --depth BUILD    the deepest stack of a debug build at a matrix product while it fits the digits
                                    by one thread (needs gdb; a minute)
"""
import io
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "architecture.md"
KNOWN = {"d5648347": "1.0.0", "e240de11": "before the engine was cut out"}
COMPARED, COMPARED_END = "<!-- tools/house.py --compare -->\n", "<!-- end of tools/house.py --compare -->\n"
# The library without files; of 1.0.0, whose folders had others' files too, those that are of the engine now.
ENGINE = ("base", "linalg", "score", "data", "kernel", "partition", "method", "comm", "model")
# What code mentions by name, and the files that are about it. Comments do not count.
MENTIONS = (("the GPU", r"gpu|device", r"src/gpu/|/device|_device"),
            ("several processes (`of_comm_*`, `comm`, MPI)", r"\bof_comm\w*|\bcomm\b|mpi_|\bmpi\b", r"src/comm/|/comm\."))
BEGIN, END = "<!-- tools/house.py -->\n", "<!-- end of tools/house.py -->\n"


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def files(root, folder, endings):
    return {str(p.relative_to(root)): p.read_text() for p in sorted((root / folder).rglob("*"))
            if p.suffix in endings and p.is_file()}


def heads(text):
    """What stands before the brace of each function: lines back to one that ends something else."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if line == "{":
            first = at
            while first > 0 and lines[first - 1].strip() and not re.search(r"[;}]\s*$|^#", lines[first - 1]):
                first -= 1
            yield " ".join(lines[first:at])


class House:
    def __init__(self):
        self.src = files(ROOT, "src", {".c", ".h", ".cu", ".cuh"})
        self.cli = files(ROOT, "cli", {".c", ".h"})
        self.header = (ROOT / "include" / "onefold.h").read_text()
        self.bare = {path: without_comments(text) for path, text in {**self.src, **self.cli}.items()}
        self.public = set(re.findall(r"\b(onefold_\w+)\s*\(", without_comments(self.header)))
        self.words = {path: set(re.findall(r"\w+", text)) for path, text in self.bare.items()}

    def external(self):
        """Functions of src/*.c that are not static, without the public ones: {name: file}."""
        found = {}
        for path, text in self.bare.items():
            if path.startswith("src/") and path.endswith(".c"):
                for head in heads(text):
                    name = re.search(r"(\w+)\s*\(", head)
                    if name and "static" not in head.split() and name[1] not in self.public:
                        found[name[1]] = path
        return found

    def callers(self, name, home):
        return [p for p, words in self.words.items() if name in words and p != home and p.endswith(".c")]

    def called_once(self):
        return {name: callers[0] for name, home in self.external().items()
                for callers in [self.callers(name, home)] if len(callers) == 1}

    def headers_of_one(self):
        """Headers that one file includes, its own .c file not counted."""
        found = {}
        for path in self.src:
            if path.endswith(".h"):
                users = [p for p, text in self.src.items() if f'#include "{path[4:]}"' in text and
                         p.rsplit(".", 1)[0] != path[:-2]]
                if len(users) <= 1:
                    found[path] = users
        return found

    def estimates(self):
        """Functions that say by their names what code takes or does: {name, file: ""}. Below src/kernel such names are
        of what is there already, as are those that begin with a verb."""
        found = {}
        for path, text in self.bare.items():
            if re.match(r"src/(kernel|partition|method|peers|model|experiment)/.*\.c$", path):
                for head in heads(text):
                    name = re.search(r"(\w+)\s*\(", head)
                    if name and re.search(r"(_bytes|_cost|_room|_estimate|_time|_seconds)$", name[1]) and not re.match(
                            r"(make|add|check)_|of_code_", name[1]):
                        found[f"{name[1]} {path}"] = ""
        return found

    def rows(self):
        parts = {p: t for p, t in self.src.items() if p.endswith("_parts.h")}
        return [
            ("lines of src/, with CUDA", sum(t.count("\n") for t in self.src.values())),
            ("files of src/, with CUDA", len(self.src)),
            ("external functions of src/, without the public ones", len(self.external())),
            ("of these, with one calling file", len(self.called_once())),
            ("headers of src/", sum(p.endswith(".h") for p in self.src)),
            ("of these, that serve one file", len(self.headers_of_one())),
            ("`_parts.h` files", len(parts)),
            ("lines in them", sum(t.count("\n") for t in parts.values())),
            ("functions that estimate bytes or time", len(self.estimates())),
            ("functions of include/onefold.h", len(self.public)),
            ("lines of include/onefold.h", self.header.count("\n")),
        ]


def passed(build):
    """Source files with a line that ran, by the counters that a coverage build has left."""
    found = set()
    for counted in pathlib.Path(build).resolve().rglob("*.gcda"):
        told = subprocess.run(["gcov", "-n", counted], capture_output=True, text=True, check=False).stdout
        for path, share in re.findall(r"File '([^']*)'\nLines executed:([0-9.]+)%", told):
            if float(share) > 0 and re.search(r"/(src|cli)/[^']*\.c$", path):
                found.add(path)
    return len(found)


# What gdb runs: the names of the deepest stack at a product, the innermost first.
DEEPEST = """
import gdb
deepest = []
class Product(gdb.Breakpoint):
    def stop(self):
        names, frame = [], gdb.newest_frame()
        while frame:
            names.append(frame.name())
            frame = frame.older()
        if len(names) > len(deepest):
            deepest[:] = names
        return False
gdb.execute("set breakpoint pending on")
for name in ("cblas_dgemm", "cblas_sgemm", "cblas_dsyrk", "cblas_dgemv"):
    Product(name)
gdb.execute("run")
print("deepest:", *deepest)
"""


def depth(build):
    """Functions of the project from the first one of a fit's thread down to a matrix product, the product last."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "deepest.py")
        script.write_text(DEEPEST)
        told = subprocess.run(["gdb", "-q", "-batch", "-x", script, "--args", f"{build}/cli/onefold", "fit",
                               ROOT / "data/digits/digits.mat", "--clusters", "10", "--threads", "1", "-q",
                               "--labels", pathlib.Path(folder, "labels.csv")],
                              capture_output=True, text=True, check=True).stdout
    names = re.search(r"^deepest: (.*)$", told, re.M)[1].split()[::-1]
    return [name for name in names if name not in ("clone3", "start_thread")]


def checkout(commit):
    """The sources of a commit in a folder of build/; None: those that are here."""
    if commit is None:
        return ROOT
    place = ROOT / "build" / "house" / commit
    if not place.is_dir():
        packed = subprocess.run(["git", "-C", ROOT, "archive", commit], capture_output=True, check=True).stdout
        tarfile.open(fileobj=io.BytesIO(packed)).extractall(place)
    return place


def run(place):
    """The files that a fit of the digits runs, and the calls to its deepest product, in builds of `place`."""
    for preset in ("coverage", "debug"):
        subprocess.run(["cmake", "--preset", preset, "-DONEFOLD_TESTS=OFF"], cwd=place, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", "--preset", preset, "--target", "onefold_command"], cwd=place, check=True,
                       stdout=subprocess.DEVNULL)
    for counted in (place / "build/coverage").rglob("*.gcda"):
        counted.unlink()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([place / "build/coverage/cli/onefold", "fit", place / "data/digits/digits.mat", "--clusters", "10", "-q",
                        "--labels", pathlib.Path(folder, "labels.csv")], check=True)
    return passed(place / "build/coverage"), len(depth(place / "build/debug"))


def compared(commit, runs):
    """{what: number} of a commit."""
    place = checkout(commit)
    code = {p: t for p, t in files(place, "src", {".c", ".h", ".inc"}).items()}
    bare = {p: without_comments(t) for p, t in code.items()}
    found = {
        "lines of src/, without CUDA": sum(t.count("\n") for t in code.values()),
        "files of src/, without CUDA": len(code),
        "lines of the engine": sum(t.count("\n") for p, t in code.items() if p.split("/")[1] in (*ENGINE, "engine")),
    }
    for what, words, own in MENTIONS:
        counts = [len(re.findall(words, t, re.I)) for p, t in bare.items() if not re.search(own, p)]
        found[f"mentions of {what}, outside its own files"] = sum(counts)
        found["files with them" + " " * len(found)] = sum(count > 0 for count in counts)
    if runs:
        found["files that a fit of the digits runs"], found["calls from a thread's start to its deepest product"] = run(place)
    return found


def compare(arguments):
    commits = [a for a in arguments if not a.startswith("--")]
    if "--update" in arguments:
        commits = list(KNOWN)
    columns = [compared(commit, "--run" in arguments) for commit in [*commits, None]]
    named = [KNOWN.get(commit, commit) for commit in commits] + ["now"]
    lines = [f"| | {' | '.join(named)} |", "| --- |" + " ---: |" * len(named)]
    lines += [f"| {what.strip()} | {' | '.join(str(column[what]) for column in columns)} |" for what in columns[0]]
    text = "".join(f"{line}\n" for line in lines)
    if "--update" in arguments:
        before, rest = DOCUMENT.read_text().split(COMPARED)
        DOCUMENT.write_text(before + COMPARED + text + COMPARED_END + rest.split(COMPARED_END)[1])
    print(text, end="")
    return 0


def table(rows):
    lines = ["| counted by `tools/house.py` | |", "| --- | --- |"]
    return "".join(f"{line}\n" for line in lines + [f"| {what} | {number} |" for what, number in rows])


def check(rows):
    said = dict(re.findall(r"^\| ([^|]*) \| (\d+) \|$", DOCUMENT.read_text(), re.M))
    worse = [f"{what}: {number}, and docs/architecture.md says {said.get(what, 'nothing')}"
             for what, number in rows if number > int(said.get(what, -1))]
    for line in worse:
        print(line)
    return 1 if worse else 0


def main(arguments):
    if arguments[:1] == ["--compare"]:
        return compare(arguments[1:])
    house = House()
    if arguments[:1] == ["--list"]:
        listed = {"functions": house.called_once, "headers": house.headers_of_one,
                  "estimates": house.estimates, "parts": lambda: {p: "" for p in house.src if p.endswith("_parts.h")}}[arguments[1]]()
        for name, where in sorted(listed.items()):
            print(name, where)
        return 0
    rows = house.rows()
    if arguments[:1] == ["--check"]:
        return check(rows)
    if arguments[:1] == ["--update"]:
        before, rest = DOCUMENT.read_text().split(BEGIN)
        DOCUMENT.write_text(before + BEGIN + table(rows) + END + rest.split(END)[1])
        return 0
    if arguments[:1] == ["--passed"]:
        rows.append(("files with a line that ran", passed(arguments[1])))
    if arguments[:1] == ["--depth"]:
        stack = depth(arguments[1])
        print(*stack, sep="\n")
        rows = [("frames of the deepest stack at a matrix product", len(stack))]
    print(table(rows), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
