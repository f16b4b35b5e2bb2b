#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single-token changes of random lines of src/: does a test fail?

    mutate.py COUNT [--seed S] [--folder NAME,...] [--own] [--long] [--minutes M] [--kept] [--report FILE]

Works on a copy of the tree in build/mutate. A mutant that does not compile, or whose object file is the
same as before, is not counted. The tests of its folder run first, then all others that are not long (and
those with --long); the first that fails, or takes over 40 seconds, catches it. Survivors are named: each is
to be given a test, or listed with its reason in tools/equivalent.txt, which is looked at before the count.
"""
import argparse
import hashlib
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
PLACE = TOP / "build" / "mutate"
TREE = PLACE / "tree"
BUILD = TREE / "build" / "release"
SWAPS = {"<": ["<=", ">"], ">": [">=", "<"], "<=": ["<", ">="], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
         "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "&&": ["||"], "||": ["&&"], "+=": ["-="], "-=": ["+="],
         "++": ["--"], "!": [""], "%": ["/"], "&": ["|"], "|": ["&"]}
NEVER = "^(house|abi|install)/|-real$"  # of the tree as a whole, or of data that is not there
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*(?:[eEpP][+-]?\d+)?|'
                   r'->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S')


def plain(text):
    """The text with comments as blanks."""
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def changes(line):
    """(start, end, new) of every change of one token of a line of a function."""
    if line.lstrip().startswith("#") or not line.startswith(" "):
        return []
    tokens = list(TOKEN.finditer(line))
    found = []
    for i, token in enumerate(tokens):
        word = token.group()
        before = tokens[i - 1].group() if i else ""
        spaced = token.start() > 0 and line[token.start() - 1] == " " and line[token.end():token.end() + 1] == " "
        if word in ("*", "-", "&", "+", "<", ">", "/", "|") and not spaced:
            continue  # a pointer, an address, a sign
        for new in SWAPS.get(word, []):
            found.append((token.start(), token.end(), new))
        if re.fullmatch(r"\d+", word) and before not in ("[",) and not re.search(r"\[\d+\]\s*[=;,{]", line):
            found.append((token.start(), token.end(), str(int(word) + 1)))
        if word in ("continue", "break") and not line.lstrip().startswith("case"):
            found.append((token.start(), token.end(), ""))
    return found


def candidates(folders):
    for path in sorted((TREE / "src").rglob("*.c")):
        name = path.relative_to(TREE)
        if name.parts[1] in ("comm", "gpu") or (folders and name.parts[1] not in folders):
            continue
        text = path.read_text()
        for number, line in enumerate(plain(text).split("\n")):
            for change in changes(line):
                yield name, number, change


def run(command, limit=None):
    try:
        done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, timeout=limit)
        return done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        return 124, "it took too long"


def build():
    return run(["cmake", "--build", "build/release", "--target", "onefold_tests", "onefold_command"])[0] == 0


def first_failure(*which):
    """The test that fails, or None."""
    status, said = run(["ctest", "--test-dir", "build/release", "-j2", "--timeout", "40", "--stop-on-failure", *which])
    if status == 0:
        return None
    named = re.search(r"\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|\w[\w ]*)\)", said)
    return named.group(1) if named else "a test"


def object_of(name):
    return BUILD / "src" / "CMakeFiles" / "onefold_objects.dir" / (str(name.relative_to("src")) + ".o")


def digest(path):
    return hashlib.sha256(path.read_bytes()).digest() if path.exists() else b""


def copy_tree():
    PLACE.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP,
                            capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        source, copy = TOP / name, TREE / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.exists() and not (copy.exists() and copy.read_bytes() == source.read_bytes()):
            shutil.copy(source, copy)  # others keep their time, so that they are not built again


def prepare(which):
    status, said = run(["cmake", "--preset", "release", "-DONEFOLD_TESTS=ON", "-DONEFOLD_WERROR=OFF"])
    if status or not build():
        sys.exit("mutate: the tree does not build\n" + said[-2000:])
    failing = first_failure(*which, "-LE", "long", "-E", NEVER)
    if failing:
        sys.exit(f"mutate: {failing} fails without a mutant")


def equivalents():
    listed = TOP / "tools" / "equivalent.txt"
    if not listed.exists():
        return set()
    return {tuple(line.split("\t")[:3]) for line in listed.read_text().split("\n") if "\t" in line}


def attempt(name, number, change, own, long):
    """caught, survived, stillborn or the same; and by what."""
    start, end, new = change
    path = TREE / name
    text = path.read_text()
    lines = text.split("\n")
    lines[number] = lines[number][:start] + new + lines[number][end:]
    before = digest(object_of(name))
    try:
        path.write_text("\n".join(lines))
        if not build():
            return "stillborn", ""
        if digest(object_of(name)) == before:
            return "same", ""
        folder = name.parts[1]
        tries = [("-R", f"^{folder}/", "-LE", "long"),
                 ("-LE", "long", "-E", f"^{folder}/|{NEVER}")]
        if own:
            tries = tries[:1]
        if long:
            tries.append(("-L", "long", "-E", NEVER))
        for which in tries:
            failing = first_failure(*which)
            if failing:
                return "caught", failing
        return "survived", ""
    finally:
        path.write_text(text)


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("count", type=int, nargs="?", default=150)
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--folder")
    parse.add_argument("--own", action="store_true", help="the tests of its folder alone: fewer are caught")
    parse.add_argument("--long", action="store_true", help="long tests too, for what the others did not catch")
    parse.add_argument("--minutes", type=float, default=1e9, help="stop after so long")
    parse.add_argument("--kept", action="store_true", help="the copy of the tree that is there")
    parse.add_argument("--report", default=str(PLACE / "report.txt"))
    args = parse.parse_args()
    os.environ.setdefault("CTEST_OUTPUT_ON_FAILURE", "0")
    if not args.kept:
        copy_tree()
    own = args.folder.replace(",", "|") if args.own and args.folder else ""
    prepare(("-R", f"^({own})/") if own else ())
    draw = list(candidates(args.folder.split(",") if args.folder else None))
    random.Random(args.seed).shuffle(draw)
    known = equivalents()
    counts = {"caught": 0, "survived": 0, "stillborn": 0, "same": 0, "equivalent": 0}
    end = time.monotonic() + 60 * args.minutes
    with open(args.report, "w") as report:
        for name, number, change in draw:
            if counts["caught"] + counts["survived"] >= args.count or time.monotonic() > end:
                break
            line = (TREE / name).read_text().split("\n")[number]
            mutant = line[:change[0]] + change[2] + line[change[1]:]
            key = (str(name), line.strip(), mutant.strip())
            what, by = ("equivalent", "") if key in known else attempt(name, number, change, args.own, args.long)
            counts[what] += 1
            print("\t".join([what, by, str(name), str(number + 1), line.strip(), mutant.strip()]), file=report, flush=True)
    judged = counts["caught"] + counts["survived"]
    print(f"{judged} mutants, {counts['caught']} caught ({100 * counts['caught'] / max(judged, 1):.0f} %), "
          f"{counts['survived']} survived; {counts['stillborn']} did not compile, {counts['same']} gave the same code, "
          f"{counts['equivalent']} are listed as equivalent")


if __name__ == "__main__":
    main()
