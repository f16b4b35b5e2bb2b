#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the documents to the program.

    documents.py run ONEFOLD DOCUMENT   runs the commands of a document, one after the other
    documents.py check ONEFOLD          what can be checked without running: see check() below
    documents.py build BUILD ONEFOLD PAGE   makes the changes that a page of docs/adding shows in a
                                        copy of the sources, builds what they change, and runs the
                                        commands and tests of the page
    documents.py self                   that this program finds what is wrong
    documents.py list                   the commands that are not run, with the reasons

Commands stand in fenced blocks. In ```sh every line is a command. In ```console a command starts with
"$ ", and the lines below it are what it prints: "..." stands for any text, a line "..." for any lines;
times and sizes of memory may differ. In the manual page the blocks between .nf and .fi are commands.
A document's commands run in one empty folder, in which data/ and examples/ are those of the sources.

not_run.txt lists the commands that are not run: document | start of the command | reason.

A block that begins with ```c FILE is an excerpt, and FILE has these lines; ```c new FILE is a new file; ```diff FILE
adds the lines with "+" after the others, which FILE has.
"""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
NOT_RUN = os.path.join(SOURCE, "tests", "documents", "not_run.txt")
COMMAND = re.compile(r"^(\$ )?((mpirun|srun|time) .*)?onefold (--|(fit|predict|score|info|convert|report|synth|bench|choose)\b)")
# Code of other languages is shown as it stands in files that tests run.
SHOWN_FROM = {
    "python": ["docs/python.md"],
    "r": ["docs/r.md"],
    "matlab": ["examples/octave/experiment_after.m", "examples/octave/functions.m"],
    "c": ["examples/"],
    "cmake": ["examples/README.md"],
}
RUN_BY_STAGE = {"docs/python.md": "python", "docs/r.md": "r", "docs/octave.md": "octave"}


def documents():
    """Every document, in the order of their names."""
    found = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "VERSIONING.md", "examples/README.md", "fuzz/README.md",
             "data/digits/README.md", "man/onefold.1"]
    for folder, _, names in os.walk(os.path.join(SOURCE, "docs")):
        found += [os.path.relpath(os.path.join(folder, name), SOURCE) for name in names if name.endswith(".md")]
    return sorted(found)


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


class Block:
    """Lines of code: where they begin, what language they are in, and whether they are fenced."""

    def __init__(self, line, language, lines, fenced, words=()):
        self.line, self.language, self.lines, self.fenced = line, language, lines, fenced
        self.file = words[-1] if words else None  # that it is an excerpt of, or that it makes or changes
        self.is_new = len(words) == 2 and words[0] == "new"


def manual_blocks(text):
    lines, inside = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line == ".nf":
            inside, lines = number + 1, []
        elif line == ".fi":
            yield Block(inside, "sh", lines, True)
            inside = None
        elif inside:
            lines.append(line.replace("\\-", "-").replace("\\e", "\\"))


def markdown_blocks(text):
    lines = text.splitlines() + [""]
    at = 0
    while at < len(lines):
        fence = re.match(r"^```(\S*)(.*)$", lines[at])
        if fence:
            end = next(i for i in range(at + 1, len(lines)) if lines[i].startswith("```"))
            yield Block(at + 2, fence.group(1) or "none", lines[at + 1:end], True, fence.group(2).split())
            at = end
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield Block(at + 1, "none", [line[4:] for line in lines[at:end]], False)
            at = end - 1
        at += 1


def blocks(document):
    return list((manual_blocks if document.endswith(".1") else markdown_blocks)(read(document)))


def commands(document):
    """(line, command, what it prints or None) of every command of a document."""
    for block in blocks(document):
        if block.language not in ("sh", "console") or block.file:
            continue
        at = 0
        while at < len(block.lines):
            line, start = block.lines[at], block.line + at
            at += 1
            if block.language == "console":
                if not line.startswith("$ "):
                    sys.exit(f"{document}:{start}: a ```console block begins with a command, '$ ...'")
                line = line[2:]
            here = re.search(r"<<'?(\w+)'?", line)
            while line.endswith("\\") or (here and line.splitlines()[-1] != here.group(1)):
                line += "\n" + block.lines[at]
                at += 1
            printed = None
            if block.language == "console":
                printed = []
                while at < len(block.lines) and not block.lines[at].startswith("$ "):
                    printed.append(block.lines[at])
                    at += 1
            if line.strip() and not line.startswith("#"):
                yield start, line, printed


def not_run():
    """(document or *, start of a command, reason)."""
    with open(NOT_RUN, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                yield tuple(part.strip() for part in line.split(" | "))


def reason_not_to_run(document, command):
    for where, start, reason in not_run():
        if where in ("*", document) and command.startswith(start):
            return where, start, reason
    return None


def masked(text):
    text = re.sub(r"\b\d+(\.\d+)? (ms|s|min|minutes)\b", "T", text)
    text = re.sub(r"\b\d+(\.\d+)? ?[kMGT]?i?B\b", "M", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]


def agrees(expected, got):
    """Whether lines are as a document has them."""
    if not expected:
        return not got
    if expected[0] == "...":
        return any(agrees(expected[1:], got[i:]) for i in range(len(got) + 1))
    if not got:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("..."))
    return re.fullmatch(pattern, got[0]) is not None and agrees(expected[1:], got[1:])


def environment(onefold, work):
    """That of the golden tests (tests/cli/run.sh), but with UTF-8, as readers have it."""
    os.mkdir(os.path.join(work, "bin"))
    os.symlink(os.path.realpath(onefold), os.path.join(work, "bin", "onefold"))
    if os.access("/usr/bin/python3", os.X_OK):
        os.symlink("/usr/bin/python3", os.path.join(work, "bin", "python3"))
    changed = dict(os.environ, LC_ALL="C.UTF-8", TERM="dumb", PATH=os.path.join(work, "bin") + ":" + os.environ["PATH"])
    for name in ("NO_COLOR", "COLUMNS", "MAKEFLAGS"):
        changed.pop(name, None)
    with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        if re.search(r"\bavx2\b", file.read()):
            changed["OPENBLAS_CORETYPE"] = "Haswell"
    return changed


def run(onefold, document):
    problems = ran = left = 0
    with tempfile.TemporaryDirectory() as work:
        changed = environment(onefold, work)
        folder = os.path.join(work, "folder")
        os.mkdir(folder)
        for name in ("data", "examples"):
            os.symlink(os.path.join(SOURCE, name), os.path.join(folder, name))
        for line, command, printed in commands(document):
            if reason_not_to_run(document, command):
                left += 1
                continue
            done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=changed,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=280)
            ran += 1
            refused = printed is not None and any(text.startswith("onefold: ") for text in printed)
            if (done.returncode != 0) != refused:
                print(f"{document}:{line}: exit status {done.returncode}: {command}\n{done.stdout}")
                problems += 1
            elif printed is not None and not agrees(masked("\n".join(printed)), masked(done.stdout)):
                print(f"{document}:{line}: prints something else: {command}\n{done.stdout}")
                problems += 1
    print(f"{document}: {ran} commands, {problems} of them not as the document has them; {left} not run")
    return problems or (0 if ran + left else 1)


@functools.lru_cache(None)
def options_of(onefold, verb):
    listed = subprocess.run([onefold, "--list", verb], capture_output=True, text=True, check=True).stdout
    return {line.split("\t")[0] for line in listed.splitlines()} | {"--help", "-h"}


def check_blocks(document):
    """Commands are where run() finds them, and other code is shown from files that tests run."""
    for block in blocks(document):
        where = f"{document}:{block.line}"
        if block.file:
            yield from check_excerpt(where, block)
            continue
        if block.fenced and block.language not in ("sh", "console", "text", "json", *SHOWN_FROM):
            yield f"{where}: a fenced block names its language: sh, console, text, json or {', '.join(SHOWN_FROM)}"
        if block.language not in ("sh", "console") and any(COMMAND.match(line) for line in block.lines):
            yield f"{where}: commands stand in a block that begins with ```sh or ```console"
        if block.fenced and block.language in SHOWN_FROM and document not in SHOWN_FROM[block.language]:
            yield from shown_from_tested_files(where, block)


def squeezed(line):
    return re.sub(r"\s+", " ", line).strip()


def place_of(lines, wanted):
    """Where these lines stand in a list of lines, one after the other; -1: nowhere."""
    have, wanted = [squeezed(line) for line in lines], [squeezed(line) for line in wanted]
    for at in range(len(have) - len(wanted) + 1):
        if have[at:at + len(wanted)] == wanted:
            return at
    return -1


def check_excerpt(where, block):
    """An excerpt is in its file; a change can be made; a new file is not there yet."""
    there = os.path.exists(os.path.join(SOURCE, block.file))
    if block.is_new:
        if there:
            yield f"{where}: {block.file} is there already"
    elif not there:
        yield f"{where}: {block.file} is not there"
    else:
        lines = [line[1:] for line in block.lines if line.startswith(" ")] if block.language == "diff" else block.lines
        if place_of(read(block.file).splitlines(), lines) < 0:
            yield f"{where}: {block.file} does not have these lines"


def check_places(document, text):
    """Rows '| step | `file` | `word` |': the file is there and has the word. Rows '| folder (2) | one, other |': these
    files are there."""
    for file, word in re.findall(r"^\| \d+ \| `([^`]+)` \| `([^`]+)` \|", text, re.M):
        if not os.path.exists(os.path.join(SOURCE, file)):
            yield f"{document}: {file} is not there"
        elif word.replace("\\", "") not in read(file).replace("\\-", "-"):
            yield f"{document}: {file} does not have '{word}'"
    for folder, count, names in re.findall(r"^\| (\w+) \((\d+)\) \| ([\w, ]+) \|$", text, re.M):
        listed = names.split(", ")
        if len(listed) != int(count):
            yield f"{document}: {folder} has {len(listed)} files here, not {count}"
        for name in listed:
            path = f"{folder if folder == 'cli' else 'src/' + folder}/{name}.c"
            if not os.path.exists(os.path.join(SOURCE, path)):
                yield f"{document}: {path} is not there"


def check_links(document, text):
    """Links lead to files that are there, and to headings in them."""
    if document.endswith(".1"):
        return
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(document), file)) if file else document
        if not os.path.exists(os.path.join(SOURCE, path)):
            yield f"{document}: {target} leads nowhere"
        elif anchor and anchor not in headings(read(path)):
            yield f"{document}: {path} has no heading #{anchor}"


def check_mentions():
    """Documents that sources and the header name are there."""
    for folder in ("include", "src", "cli", "bindings", "man", "tools", "bench"):
        for where, _, names in os.walk(os.path.join(SOURCE, folder)):
            for name in names:
                if not name.endswith((".c", ".h", ".cu", ".cuh", ".py", ".R", ".m", ".1", ".sh")):
                    continue
                with open(os.path.join(where, name), encoding="utf-8") as file:
                    for path in set(re.findall(r"\bdocs/[a-z/-]+\.md\b", file.read())):
                        if not os.path.exists(os.path.join(SOURCE, path)):
                            yield f"{os.path.relpath(os.path.join(where, name), SOURCE)}: {path} is not there"


def headings(text):
    """Names of the headings of a document as links have them."""
    return {re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in text.splitlines() if re.match(r"^#+ ", line)}


def shown_from_tested_files(where, block):
    text = ""
    for path in SHOWN_FROM[block.language]:
        if path.endswith("/"):
            text += "".join(read(path + name) for name in sorted(os.listdir(os.path.join(SOURCE, path)))
                            if name.endswith(".c"))
        else:
            text += read(path)
    known = {re.sub(r"\s+", " ", re.sub(r"^ *(>>>|\.\.\.) ", "", line)).strip() for line in text.splitlines()}
    for number, line in enumerate(block.lines):
        line = re.sub(r"\s+", " ", line).strip()
        if line and line not in known:
            yield f"{where}: '{line}' is in none of {', '.join(SHOWN_FROM[block.language])}"


def check_inline(onefold, document, text):
    """Options that a text names are options of the verb that it names them with."""
    if document.endswith(".1"):
        return  # tests/cli/texts/man.sh
    for span in re.findall(r"`([^`\n]+)`", text):
        if not COMMAND.match(span) or span.startswith("onefold --"):
            continue
        words = span[span.index("onefold "):].split()
        known = options_of(onefold, words[1])
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", span[span.index("onefold "):]):
            if option not in known:
                yield f"{document}: `{span}`: {words[1]} has no option {option}"


@functools.lru_cache(None)
def commands_of_dev():
    text = subprocess.run([os.path.join(SOURCE, "dev"), "help"], capture_output=True, text=True).stdout
    return set(re.findall(r"^  ([a-z-]+)", text, re.M)) | {"help"}


def check_dev(document, text):
    """Commands of ./dev, and the flags of its benches, are there."""
    known = commands_of_dev()
    for found in sorted(set(re.findall(r"\./dev ([a-z-]+)((?: --[a-z_-]+)*)", text))):
        word, flags = found[0], found[1].split()
        if word not in known:
            yield f"{document}: ./dev has no command {word}"
        elif word == "bench":
            own = {"--scale": "scale", "--predict": "predict", "--python": "python", "--gpu": "gpu",
                   "--quality": "quality"}
            script = read(f"bench/{own.get(flags[0], 'run') if flags else 'run'}.py") + read("bench/common.py")
            for flag in flags:
                if flag not in own and f'"{flag}"' not in script:
                    yield f"{document}: ./dev bench has no option {flag}"
    benches = "".join(read("bench/" + name) for name in os.listdir(os.path.join(SOURCE, "bench")) if "." in name)
    for name in set(re.findall(r"\./dev bench[^`\n]* --only ([a-z_]+)", text)):
        if f"def {name}(" not in benches:
            yield f"{document}: ./dev bench has no figure {name}"


def figures_without_a_command(document, text):
    """A table with measured figures has, in its section, the command that prints them; or the document says at its
    beginning which command wrote it."""
    made_by = r"`[^`]*(\./dev (bench|paper|test|soak|fuzz|mutate|coverage|release)|tools/\w|bench/\w|examples/\w|onefold [a-z])[^`]*`"
    if re.search("([Ww]ritten|[Mm]ade) by " + made_by, text):
        return
    for section in re.split(r"^(?=#+ )", text, flags=re.M):
        for part in re.split(r"\n\s*\n", section):
            rows = part.strip().splitlines()
            if len(rows) < 3 or not re.match(r"^\|[ :|-]+\|$", rows[1].strip()):
                continue
            cells = [cell.strip(" *`%") for row in rows[2:] for cell in row.strip().strip("|").split("|")]
            figures = sum(bool(re.match(r"^[+-]?\d+\.\d", cell)) for cell in cells)
            if figures >= 3 and not re.search(made_by, section):
                yield f"{document}: the table '{rows[0].strip()}' does not say which command prints its figures"


def untrue():
    """Sentences that documents once had and that were not true."""
    with open(os.path.join(SOURCE, "tests", "documents", "untrue.txt"), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def check_untrue(document, text):
    plain = " ".join(text.replace("\\-", "-").split())
    for sentence in untrue():
        if sentence in plain:
            yield f"{document}: not true: {sentence}"


def check(onefold):
    problems = list(check_mentions())
    for document in documents():
        text = read(document)
        problems += check_blocks(document)
        problems += check_inline(onefold, document, text)
        problems += check_dev(document, text)
        problems += check_links(document, text)
        problems += check_untrue(document, text)
        problems += check_places(document, text)
        problems += figures_without_a_command(document, text)
    used = {reason_not_to_run(document, command) for document in documents()
            for _, command, _ in commands(document)}
    for entry in not_run():
        if entry not in used:
            problems.append(f"not_run.txt: no document has '{entry[1]}' ({entry[0]})")
    print("\n".join(problems))
    list_not_run()
    return bool(problems)


def changed_sources(page, copy):
    """Makes the changes of a page in a copy of the sources, and says which files they are."""
    changed = []
    for name in ("src", "include", "cli", "tests"):
        shutil.copytree(os.path.join(SOURCE, name), os.path.join(copy, name))
    for block in blocks(page):
        if not block.is_new and block.language != "diff":
            continue
        path = os.path.join(copy, block.file)
        lines = block.lines
        if not block.is_new:
            with open(path, encoding="utf-8") as file:
                lines = file.read().splitlines()
            kept = [line[1:] for line in block.lines if line.startswith(" ")]
            at = place_of(lines, kept) + len(kept)
            lines[at:at] = [line[1:] for line in block.lines if line.startswith("+")]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        changed.append(block.file)
    return changed


class Build:
    """Builds changed files by the commands that ninja has for others."""

    def __init__(self, build, copy):
        self.build, self.copy = os.path.realpath(build), copy
        listed = subprocess.run(["ninja", "-C", build, "-t", "commands"], capture_output=True, text=True, check=True)
        self.commands = listed.stdout.splitlines()

    def run(self, command):
        done = subprocess.run(command, shell=True, cwd=self.build, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{command}\n{done.stdout}{done.stderr}")

    def compile(self, file, like, options=""):
        """An object of a file of the copy, by the command for `like` of the sources."""
        ours = os.path.join(SOURCE, like)
        command = next(c for c in self.commands if re.search(rf" -c {re.escape(ours)}\b", c))
        command = re.sub(r" -D\s*main=\w+", "", command)
        command = re.sub(r" -M[DTF]+( \S+\.o(\.d)?)?", "", command)
        command = command.replace(ours, os.path.join(self.copy, file))
        for folder in ("src", "include", "cli", "tests"):
            command = command.replace(f"-I{SOURCE}/{folder} ", f"-I{self.copy}/{folder} ")
        made = os.path.join(self.copy, file + ".o")
        self.run(re.sub(r" -o \S+", f" -o {made}", command, count=1) + options)
        return made

    def link(self, program, objects, own):
        """A program as ninja links it, with these objects before the library; without its own where not `own`."""
        command = next(c for c in self.commands if re.search(rf" -o {program} ", c))
        command = command[command.index("&& ") + 3:] if command.startswith(":") else command
        command = re.sub(r" && :$", "", command)
        words = [word for word in command.split() if own or not word.endswith(".c.o")]
        made = os.path.join(self.copy, os.path.basename(program))
        at = words.index("-o")
        words[at:at + 2] = [*objects, "-o", made]
        self.run(" ".join(words))
        return made


def neighbour(file):
    """A file of the sources in the folder of this one, or the file itself where it is there."""
    if os.path.exists(os.path.join(SOURCE, file)):
        return file
    folder = os.path.dirname(file)
    return folder + "/" + next(name for name in sorted(os.listdir(os.path.join(SOURCE, folder))) if name.endswith(".c"))


def build(folder, onefold, page):
    """The changes of a page, built and run."""
    with tempfile.TemporaryDirectory() as copy:
        changed = changed_sources(page, copy)
        sources = [file for file in changed if file.endswith(".c") and not file.startswith("tests/")]
        failed = False
        if sources:
            made = Build(folder, copy)
            objects = [made.compile(file, neighbour(file)) for file in sources]
            onefold = made.link("cli/onefold", objects, True)
            for file in changed:
                if file.startswith("tests/") and file.endswith(".c"):
                    test = made.compile(file, neighbour(file))
                    program = made.link("tests/onefold_tests", [test, *objects], False)
                    failed |= subprocess.run([program]).returncode != 0
        for file in changed:
            if file.startswith("tests/cli/") and file.endswith(".sh"):
                script = os.path.join(copy, "tests", "cli", "run.sh")
                failed |= subprocess.run(["bash", script, onefold, os.path.join(copy, file)]).returncode != 0
        if not changed:
            sys.exit(f"{page}: there is nothing to build")
        if any(True for _ in commands(page)):
            failed |= bool(run(onefold, page))
        return failed


WRONG = """# A document
```sh
true
```
```console
$ echo 1.5 s, one
2.5 s, one
$ printf 'a\\nb\\nc\\n'
a
...
c
$ echo two
three
$ false
```

    onefold fit x.csv --clusters 2

See `onefold fit x.csv --cluster 2`, [there](nowhere.md), [here](#none) and `./dev nothing`.

## Figures

| n | seconds |
| --- | --- |
| 1 | 1.5 |
| 2 | 2.5 |
| 3 | 3.5 |

| step | file | where |
| --- | --- | --- |
| 1 | `src/base/memory.c` | `no such word` |
| base (2) | memory, nothing, context |

```c src/base/memory.c
no such line
```
"""


def self_test():
    """What is wrong in a document is found, and nothing else is said to be."""
    global read
    really_read, read = read, lambda path: WRONG if path == "wrong.md" else really_read(path)
    got = [agrees(masked(one), masked(other)) for one, other in (
        ("a 1.5 s b", "a 22 s  b"), ("a ... c", "a b c"), ("...\nb", "x\ny\nb"), ("a\n...", "a"),
        ("a", "b"), ("a", "a\nb"), ("a\n...\nd", "a\nb\nc"), ("12.5 MB", "3 kB"), ("12.5", "12.6"))]
    assert got == [True, True, True, True, False, False, False, True, False], got
    ran = [(command, printed) for _, command, printed in commands("wrong.md")]
    assert ran == [("true", None), ("echo 1.5 s, one", ["2.5 s, one"]),
                   ("printf 'a\\nb\\nc\\n'", ["a", "...", "c"]), ("echo two", ["three"]), ("false", [])], ran
    onefold = shutil.which("true")
    assert run(onefold, "wrong.md") == 2
    assert len(list(check_blocks("wrong.md"))) == 2, list(check_blocks("wrong.md"))
    assert len(list(check_links("wrong.md", WRONG))) == 2
    assert len(list(check_places("wrong.md", WRONG))) == 3
    assert len(list(check_dev("wrong.md", WRONG))) == 1
    assert len(list(check_untrue("wrong.md", "by two\nlines: the first\ncell decides. os\\-lfmvc\\-cs by default"))) == 1
    assert len(list(check_untrue("wrong.md", "The first\ncell decides"))) == 1
    assert len(list(figures_without_a_command("wrong.md", WRONG))) == 1
    fine = WRONG.replace("| n | seconds |", "`./dev bench` prints these:\n\n| n | seconds |")
    assert not list(figures_without_a_command("wrong.md", fine))
    print("what is wrong was found")


def list_not_run():
    print("Commands of the documents that are not run:")
    for where, start, reason in not_run():
        print(f"  {where:24} {start:32} {reason}")


def main():
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what == "run" and len(sys.argv) == 4:
        sys.exit(1 if run(sys.argv[2], sys.argv[3]) else 0)
    if what == "check" and len(sys.argv) == 3:
        sys.exit(1 if check(sys.argv[2]) else 0)
    if what == "build" and len(sys.argv) == 5:
        sys.exit(1 if build(*sys.argv[2:]) else 0)
    if what == "self":
        return self_test()
    if what == "list":
        return list_not_run()
    sys.exit(__doc__)


if __name__ == "__main__":
    main()
