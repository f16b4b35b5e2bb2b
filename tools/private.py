#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What libonefold-bench calls of the engine: the objects of a build against src/onefold.map and the marks OF_PRIVATE.

    tools/private.py BUILD             says what is listed or marked too little or too much; fails where anything is
    tools/private.py BUILD --update    writes the list, and the marks before the declarations in src/*/*.h

Objects are enough: neither library has to link.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAP = ROOT / "src" / "onefold.map"
NODE = re.compile(r"(ONEFOLD_PRIVATE \{\s*global:\n)(.*?)(\n\};)", re.S)


def symbols(folder):
    """Names that the objects of a folder define, and those that they miss."""
    defined, missing = set(), set()
    for path in sorted(folder.rglob("*.o")):
        for line in subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines():
            kind, name = line.split()[-2:]
            (missing if kind == "U" else defined if kind.isupper() else set()).add(name)
    return defined, missing


def mark(text, called):
    """A header with OF_PRIVATE before the declarations of what is called, and before no other."""
    text = re.sub(r"(?m)^OF_PRIVATE ", "", text)
    for name in set(re.findall(r"\bof_\w+", text)) & called:
        text = re.sub(rf"(?m)^(?=(?!static|typedef|return|#)[a-z][\w *]*\b{name}[(\[])", "OF_PRIVATE ", text)
    return text


def main(arguments):
    build, update = pathlib.Path(arguments[0]) / "src/CMakeFiles", "--update" in arguments
    own, called = symbols(build / "onefold_bench_objects.dir")
    called = {name for name in (called - own) & symbols(build / "onefold_objects.dir")[0] if name.startswith("of_")}
    wrong = 0
    text = MAP.read_text()
    listed = set(re.findall(r"of_\w+", NODE.search(text)[2]))
    for name in sorted(called ^ listed):
        print(f"src/onefold.map: {name} is {'not listed' if name in called else 'listed and not called'}")
        wrong = 1
    if update:
        lines = textwrap.wrap(" ".join(f"{name};" for name in sorted(called)), 90)
        MAP.write_text(NODE.sub(lambda match: match[1] + "\n".join(f"        {line}" for line in lines) + match[3], text))
    for path in sorted((ROOT / "src").glob("*/*.h")):
        if path.parent.name in ("peers", "experiment") or path.name == "bench.h":
            continue
        before = path.read_text()
        after = mark(before, called)
        if before.count("\nOF_PRIVATE ") != after.count("\nOF_PRIVATE "):
            print(f"{path.relative_to(ROOT)} has {before.count(chr(10) + 'OF_PRIVATE ')} marks, and "
                  f"{after.count(chr(10) + 'OF_PRIVATE ')} are called")
            wrong = 1
            if update:
                path.write_text(after)
    return 0 if update else wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
