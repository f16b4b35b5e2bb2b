#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Single-token changes of random lines of src/: does a test fail?

    mutate.py COUNT [--seed S] [--folder NAME,...] [--workers W] [--minutes M] [--long] [--quick SECONDS] [--tests RE]
              [--again REPORT] [--place FOLDER] [--report FILE]
    mutate.py --check

Works on a copy of the tree, which is built once; each worker has a copy of the build folder, compiles the
one changed file into it, links, and runs tests. A mutant that does not compile, or whose object file is the
same as before, is not counted. The tests of its folder run first, those named like the file before the
others, then all others that are not long, then with --long the long ones; the first that fails, or takes
ten times as long as it should, catches it. Tests that fail without a mutant are named and left out.
Survivors are to be given a test, or listed with a reason in tools/equivalent.txt, which is looked at before the count.
--check builds nothing: each line listed there is one that src/ has, and a change that is made of it.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

TOP = pathlib.Path(__file__).resolve().parent.parent
SWAPS = {"<": ["<=", ">"], ">": [">=", "<"], "<=": ["<", ">="], ">=": [">", "<="], "==": ["!="], "!=": ["=="],
         "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "&&": ["||"], "||": ["&&"], "+=": ["-="], "-=": ["+="],
         "++": ["--"], "!": [""], "%": ["/"], "&": ["|"], "|": ["&"]}
NEVER = re.compile("^(house|abi|install|tools)(/|$)|-real$")  # of the tree as a whole, or of data that is not there
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|[A-Za-z_]\w*|\d[\w.]*(?:[eEpP][+-]?\d+)?|'
                   r'->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\S')
MEMORY = 32 << 30  # a mutant that asks for more is refused


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


def candidates(tree, folders):
    """File, place, line and what it is to be."""
    for path in sorted((tree / "src").rglob("*.c")):
        name = path.relative_to(tree)
        if name.parts[1] in ("comm", "gpu") or (folders and name.parts[1] not in folders):
            continue
        text = path.read_text()
        for number, (line, bare) in enumerate(zip(text.split("\n"), plain(text).split("\n"))):
            for start, end, new in changes(bare):
                yield name, number, line.strip(), (line[:start] + new + line[end:]).strip()


def run(command, limit, cores=None, **options):
    """Status and output of a command; at the limit it is ended with all that it started."""
    def limits():
        if cores:
            os.sched_setaffinity(0, cores)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # one of address space is seen by what runs
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True, preexec_fn=limits, **options)
    try:
        said = process.communicate(timeout=limit)[0]
        return process.returncode, said.decode(errors="replace")
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        try:
            process.communicate(timeout=5)
        except subprocess.TimeoutExpired:
            pass
        return 124, "it took too long"


def copy_tree(tree):
    """What git knows of, or where there is no git everything but what was built."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=TOP,
                            capture_output=True, text=True)
    names = [n for n in listed.stdout.split("\0") if n]
    if listed.returncode or not names:
        names = [str(p.relative_to(TOP)) for p in TOP.rglob("*") if p.is_file() and
                 p.relative_to(TOP).parts[0] not in ("build", "lab", ".git")]
    for name in names:
        source, copy = TOP / name, tree / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        if source.exists() and not (copy.exists() and copy.read_bytes() == source.read_bytes()):
            shutil.copy(source, copy)  # others keep their time, so that they are not built again


def is_long(test):
    return any(p["name"] == "LABELS" and "long" in p["value"] for p in test["properties"])


class Built:
    """The tree as it is: how its files are compiled and linked, its tests and how long each takes."""

    def __init__(self, place, wanted):
        self.tree, self.folder = place / "tree", place / "tree" / "build" / "release"
        copy_tree(self.tree)
        targets = ["onefold_tests", "onefold_command"]
        for command in (["cmake", "--preset", "release", "-DONEFOLD_TESTS=ON", "-DONEFOLD_WERROR=OFF"],
                        ["cmake", "--build", "build/release"]):
            status, said = run(command, 1200, cwd=self.tree)
            if status:
                sys.exit("mutate: the tree does not build\n" + said[-3000:])
        lines = run(["ninja", "-t", "commands", *targets], 60, cwd=self.folder)[1].split("\n")
        self.compile = {m.group(1): line for line in lines if (m := re.search(r" -c (\S+\.c)$", line))}
        self.link = [line for line in lines if " -c " not in line and "src/libonefold.a" in line]
        said = json.loads(run(["ctest", "--show-only=json-v1"], 60, cwd=self.folder)[1])
        self.tests = [t for t in said["tests"] if not NEVER.search(t["name"]) and re.search(wanted, t["name"])]
        self.seconds, self.failing = {}, []

    def measure(self, workers, pool, long):
        """Each test once without a mutant."""
        self.tests = [t for t in self.tests if long or not is_long(t)]
        def once(test):
            began = time.monotonic()
            with workers.one() as worker:
                status, said = worker.test(test, 300)
            self.seconds[test["name"]] = time.monotonic() - began
            return test["name"], status, said
        first = sorted(self.tests, key=lambda t: not is_long(t))
        for name, status, said in pool.map(once, first):
            if status not in (0, 77):
                self.failing.append((name, status, said[-300:]))
        bad = {f[0] for f in self.failing}
        self.tests = [t for t in self.tests if t["name"] not in bad]

    def in_order(self, name, quick):
        """The tests for a file: its folder's, by likeness of name, then the others, quick ones first."""
        words = set(name.stem.split("_"))

        def own(test):
            return test["name"].split("/")[0] == name.parts[1]

        def key(test):
            like = len(words & set(re.split("[/_]", test["name"])))
            return (is_long(test), not own(test), -like if own(test) else 0, self.seconds[test["name"]])
        return [t for t in sorted(self.tests, key=key) if own(t) or self.seconds[t["name"]] <= quick]


class Worker:
    """A copy of the build folder in which one file at a time is another."""

    def __init__(self, built, place, number):
        self.built, self.folder = built, place / f"w{number:02d}"
        every = sorted(os.sched_getaffinity(0))
        self.cores = {every[number % len(every)]}  # threads of one worker's tests do not slow the others'
        if self.folder.exists():
            shutil.rmtree(self.folder)
        shutil.copytree(built.folder, self.folder, symlinks=True)
        (self.folder / "tmp").mkdir()

    def here(self, text):
        return text.replace(str(self.built.folder), str(self.folder))

    def test(self, test, limit):
        about = {p["name"]: p["value"] for p in test["properties"]}
        environment = dict(os.environ, TMPDIR=str(self.folder / "tmp"))
        environment.update(self.here(e).split("=", 1) for e in about.get("ENVIRONMENT", []))
        return run([self.here(w) for w in test["command"]], limit, self.cores, env=environment,
                   cwd=self.here(about["WORKING_DIRECTORY"]))

    def build(self, name, text):
        """None where it does not compile, else whether the object is another than without the change."""
        source = str(self.built.tree / name)
        changed = self.folder / name.name
        changed.write_text(text)
        command = self.built.compile[source]
        mutant = self.here(command).replace(f" -c {source}", f" -iquote {pathlib.Path(source).parent} -c {changed}")
        output = re.search(r" -o (\S+\.o)", command).group(1)
        before = hashlib.sha256((self.built.folder / output).read_bytes()).digest()
        if run(["sh", "-c", mutant], 300, cwd=self.folder)[0]:
            return None
        return hashlib.sha256((self.folder / output).read_bytes()).digest() != before

    def put_back(self, name):
        output = re.search(r" -o (\S+\.o)", self.built.compile[str(self.built.tree / name)]).group(1)
        shutil.copy(self.built.folder / output, self.folder / output)

    def attempt(self, name, number, line, mutant, quick, end):
        """caught, survived, stillborn, same, unfinished or gone (there is no such line any more); and by what."""
        lines = (self.built.tree / name).read_text().split("\n")
        places = [i for i, other in enumerate(lines) if other.strip() == line]
        if not places:
            return "gone", ""
        lines[number if number in places else places[0]] = "    " + mutant
        try:
            other = self.build(name, "\n".join(lines))
            if not other:
                return ("same" if other is False else "stillborn"), ""
            for link in self.built.link:
                if run(["sh", "-c", self.here(link)], 300, cwd=self.folder)[0]:
                    return "stillborn", ""
            for test in self.built.in_order(name, quick):
                if time.monotonic() > end:
                    return "unfinished", test["name"]
                status, _ = self.test(test, 20 + 10 * self.built.seconds[test["name"]])
                if status not in (0, 77):
                    return "caught", test["name"] + (" (time)" if status == 124 else "")
            return "survived", ""
        finally:
            self.put_back(name)
            shutil.rmtree(self.folder / "tmp", ignore_errors=True)
            (self.folder / "tmp").mkdir()


class Workers:
    """Those that are free."""

    def __init__(self, built, place, count):
        self.free = [Worker(built, place, i) for i in range(count)]
        self.lock = threading.Lock()

    class Taken:
        def __init__(self, workers):
            self.workers = workers

        def __enter__(self):
            with self.workers.lock:
                self.worker = self.workers.free.pop()
            return self.worker

        def __exit__(self, *_):
            with self.workers.lock:
                self.workers.free.append(self.worker)

    def one(self):
        return Workers.Taken(self)


def survivors(report):
    """The same of what survived or was not finished in an earlier report."""
    for row in open(report):
        what, _, name, number, line, mutant = row.rstrip("\n").split("\t")[:6]
        if what in ("survived", "unfinished"):
            yield pathlib.PurePath(name), int(number) - 1, line, mutant


def equivalents():
    listed = TOP / "tools" / "equivalent.txt"
    if not listed.exists():
        return set()
    return {tuple(line.split("\t")[:3]) for line in listed.read_text().split("\n") if "\t" in line}


def check():
    """What tools/equivalent.txt lists and no draw gives."""
    listed = equivalents()
    folders = {pathlib.PurePath(name).parts[1] for name, _, _ in listed}
    possible = {(str(name), line, mutant) for name, _, line, mutant in candidates(TOP, folders)}
    stale = sorted(listed - possible)
    for name, line, mutant in stale:
        print(f"tools/equivalent.txt: {name} has no line that becomes: {mutant}")
    print(f"{len(listed)} mutants are listed as equivalent, {len(stale)} of them are none of src/")
    return 1 if stale or not listed else 0


class Round:
    """One after the other of the drawn changes, until enough were judged or time is up."""

    def __init__(self, built, workers, draw, args, report):
        self.built, self.workers, self.draw, self.args, self.report = built, workers, iter(draw), args, report
        self.known, self.lock = equivalents(), threading.Lock()
        self.counts = dict.fromkeys(("caught", "survived", "stillborn", "same", "equivalent", "unfinished", "gone"), 0)
        self.under_way = 0
        self.end = time.monotonic() + 60 * args.minutes

    def next(self):
        with self.lock:
            enough = self.counts["caught"] + self.counts["survived"] + self.under_way >= self.args.count
            drawn = None if enough or time.monotonic() > self.end else next(self.draw, None)
            self.under_way += drawn is not None
            return drawn

    def work(self, _):
        with self.workers.one() as worker:
            while (drawn := self.next()) is not None:
                name, number, line, mutant = drawn
                began = time.monotonic()
                what, by = ("equivalent", "") if (str(name), line, mutant) in self.known else \
                    worker.attempt(*drawn, self.args.quick, self.end)
                with self.lock:
                    self.under_way -= 1
                    self.counts[what] += 1
                    print("\t".join([what, by, str(name), str(number + 1), line, mutant,
                                     f"{time.monotonic() - began:.0f}"]),
                          file=self.report, flush=True)


def main():
    parse = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parse.add_argument("count", type=int, nargs="?", default=150)
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--folder", help="of src/, with commas between several")
    parse.add_argument("--workers", type=int, default=os.cpu_count())
    parse.add_argument("--long", action="store_true", help="long tests too, for what the others did not catch")
    parse.add_argument("--quick", type=float, default=1e9, metavar="SECONDS",
                       help="tests of other folders that take longer are left out")
    parse.add_argument("--minutes", type=float, default=1e9, help="stop after so long")
    parse.add_argument("--tests", default="", metavar="RE", help="these alone: fewer are caught")
    parse.add_argument("--again", metavar="REPORT", help="first what survived or was not finished there, then what was not tried there")
    parse.add_argument("--place", default=str(TOP / "build" / "mutate"), help="where copies are made")
    parse.add_argument("--report", help="a line for each mutant (PLACE/report.txt)")
    parse.add_argument("--check", action="store_true", help="are the lines of tools/equivalent.txt still there?")
    args = parse.parse_args()
    if args.check:
        sys.exit(check())
    began, place = time.monotonic(), pathlib.Path(args.place).resolve()
    built = Built(place, args.tests)
    workers = Workers(built, place, args.workers)
    print(f"built and copied after {time.monotonic() - began:.0f} s", flush=True)
    with concurrent.futures.ThreadPoolExecutor(args.workers) as pool:
        built.measure(workers, pool, args.long)
        for name, status, said in built.failing:
            print(f"left out: {name} fails without a mutant (status {status}): {' '.join(said.split())}")
        print(f"{len(built.tests)} tests after {time.monotonic() - began:.0f} s", flush=True)
        draw = list(candidates(built.tree, args.folder.split(",") if args.folder else None))
        random.Random(args.seed).shuffle(draw)
        if args.again:
            seen = {tuple(row.rstrip("\n").split("\t")[2:6:3]) for row in open(args.again)}
            first = list(survivors(args.again))
            draw = first + [d for d in draw if (str(d[0]), d[3]) not in seen]
        args.minutes -= (time.monotonic() - began) / 60
        with open(args.report or place / "report.txt", "w") as report:
            this = Round(built, workers, draw, args, report)
            list(pool.map(this.work, range(args.workers)))
    counts = this.counts
    judged = counts["caught"] + counts["survived"]
    print(f"{judged} mutants, {counts['caught']} caught ({100 * counts['caught'] / max(judged, 1):.0f} %), "
          f"{counts['survived']} survived; {counts['stillborn']} did not compile, {counts['same']} gave the same code, "
          f"{counts['equivalent']} are listed as equivalent, {counts['unfinished']} were not finished; "
          f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
