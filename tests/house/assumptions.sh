#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the readers may assume is one list, src/io/notes.h, and every sentence of it is said in the expected
# output of some test of the command. Nothing else can be said: no call has a sentence of its own.
set -eu
root=${1:-$(cd "$(dirname "$0")/../.." && pwd)}
exec python3 - "$root" <<'END'
import glob, re, sys
root = sys.argv[1]
text = re.sub(r"\\\n\s*", " ", open(root + "/src/io/notes.h").read())
said = {name: sentence.replace('\\"', '"') for name, sentence in
        re.findall(r'#define (OF_NOTE_\w+)\s+"((?:[^"\\]|\\.)*)"', text)}
assert len(said) > 20, "the list cannot be read"
expected = [open(path, errors="replace").read() for ending in ("stdout", "stderr")
            for path in glob.glob(f"{root}/tests/cli/*/*.{ending}")]
lines = [line for output in expected for line in output.splitlines()]
source = {path: open(path).read() for path in glob.glob(root + "/src/*/*.c")}
problems = []
for name, sentence in said.items():
    pattern = re.compile("".join(".*" if part.startswith("%") else re.escape(part)
                                 for part in re.split(r"(%[.*0-9]*(?:zu|s))", sentence)))
    if not any(pattern.search(line) for line in lines):
        problems.append(f"no test sees it said: {name} {sentence!r}")
    if not any(re.search(name + r"\b", code) for code in source.values()):
        problems.append(f"nobody says it: {name}")
for path, code in source.items():
    for call in re.findall(r"\b(?:of_reading_note|of_file_note|NOTE_LIST)\(\s*[^;]*?,\s*([^,;)]+)", code):
        if not call.startswith(("OF_NOTE_", "const char *format", "sentence")):
            problems.append(f"{path}: a sentence that is not in the list: {call}")
print("\n".join(problems) or f"{len(said)} assumptions, each of them said")
sys.exit(bool(problems))
END
