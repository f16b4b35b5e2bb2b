#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version is that of project() in CMakeLists.txt. Files that other tools read have it too:

    packaging/version.py            prints it
    packaging/version.py --check    fails where a file has another one
    packaging/version.py --write    writes it into these files
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# file, a pattern with the version as its second group, how often it is there
PLACES = (
    ("include/onefold.h", r'(#define ONEFOLD_VERSION ")([^"]+)(")', 1),
    ("include/onefold.h", r'(/\* ")(\d+\.\d+\.\d+)(")', 1),
    ("man/onefold.1", r'(\.TH ONEFOLD 1 "[^"]*" "onefold )([^"]+)(")', 1),
    ("bindings/r/DESCRIPTION", r"(\nVersion: )(\S+)(\n)", 1),
    ("bindings/r/DESCRIPTION", r"(libonefold \(>= )([^)]+)(\))", 1),
    ("bindings/octave/DESCRIPTION", r"(\nVersion: )(\S+)(\n)", 1),
    ("bindings/octave/DESCRIPTION", r"(libonefold \(>= )([^)]+)(\))", 1),
    ("debian/changelog", r"(\Aonefold \()([^)]+)(\) )", 1),
    ("CITATION.cff", r"(\nversion: )(\S+)(\n)", 1),
)


def read(path):
    with open(os.path.join(HERE, path), encoding="utf-8") as file:
        return file.read()


def version():
    return re.search(r"^project\(onefold VERSION (\d+\.\d+\.\d+) ", read("CMakeLists.txt"), re.M).group(1)


def main(arguments):
    ours = version()
    if not arguments:
        print(ours)
        return 0
    wrong = 0
    for path, pattern, count in PLACES:
        text = read(path)
        found = [match.group(2) for match in re.finditer(pattern, text)]
        if len(found) != count:
            sys.exit(f"version.py: {path} has its version {len(found)} times, not {count}: {pattern}")
        if set(found) == {ours}:
            continue
        if arguments == ["--write"]:
            with open(os.path.join(HERE, path), "w", encoding="utf-8") as file:
                file.write(re.sub(pattern, rf"\g<1>{ours}\g<3>", text))
        else:
            print(f"{path} says {found[0]}, CMakeLists.txt {ours}: packaging/version.py --write", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"], ["--write"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
