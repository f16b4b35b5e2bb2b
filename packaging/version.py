#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version is that of project() in CMakeLists.txt. Files that other tools read have it too:

    packaging/version.py            prints it
    packaging/version.py --check    fails where a file has another one
    packaging/version.py --write    writes it into these files
    packaging/version.py --set V    gives the project the version V, and writes it
"""
import os
import re
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# file, a pattern with the version as its second group, how often it is there, which number of it where it is one
PLACES = (
    ("include/onefold.h", r'(#define ONEFOLD_VERSION ")([^"]+)(")', 1),
    ("include/onefold.h", r'(/\* ")(\d+\.\d+\.\d+)(")', 1),
    ("include/onefold.h", r"(#define ONEFOLD_VERSION_MAJOR )(\d+)(\n)", 1, 0),
    ("include/onefold.h", r"(#define ONEFOLD_VERSION_MINOR )(\d+)(\n)", 1, 1),
    ("include/onefold.h", r"(#define ONEFOLD_VERSION_PATCH )(\d+)(\n)", 1, 2),
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


def with_symbols(text, ours):
    """debian/libonefold1.symbols as tests/abi/abi.sh has it: since the release of a symbol's node, or since ours."""
    def since(match):
        node = match.group(2) + ".0"
        least = min(node, ours, key=lambda text: [int(part) for part in text.split(".")])
        return f"{match.group(1)}{match.group(2)} {least}"
    return re.sub(r"(?m)(@ONEFOLD_)(\d+\.\d+) (\S+)$", since, text)


def set_golden(before, after):
    """What the tests of the command expect of it says its version."""
    for folder, _, names in os.walk(os.path.join(HERE, "tests", "cli")):
        for name in names:
            if name.endswith((".stdout", ".stderr")):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    text = file.read()
                changed = re.sub(rb"(?m)(onefold |\"onefold\": \"|^\[')" + re.escape(before.encode()) + rb"\b",
                                 rb"\g<1>" + after.encode(), text)
                if changed != text:
                    with open(path, "wb") as file:
                        file.write(changed)


def main(arguments):
    ours = version()
    if not arguments:
        print(ours)
        return 0
    if arguments[0] == "--set":
        text = read("CMakeLists.txt").replace(f"project(onefold VERSION {ours} ", f"project(onefold VERSION {arguments[1]} ")
        with open(os.path.join(HERE, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        set_golden(ours, version())
        ours, arguments = version(), ["--write"]
    wrong = 0
    for path, pattern, count, *number in PLACES:
        text, wanted = read(path), ours.split(".")[number[0]] if number else ours
        found = [match.group(2) for match in re.finditer(pattern, text)]
        if len(found) != count:
            sys.exit(f"version.py: {path} has its version {len(found)} times, not {count}: {pattern}")
        if set(found) == {wanted}:
            continue
        if arguments == ["--write"]:
            with open(os.path.join(HERE, path), "w", encoding="utf-8") as file:
                file.write(re.sub(pattern, rf"\g<1>{wanted}\g<3>", text))
        else:
            print(f"{path} says {found[0]}, CMakeLists.txt {wanted}: packaging/version.py --write", file=sys.stderr)
            wrong = 1
    path = "debian/libonefold1.symbols"
    if with_symbols(read(path), ours) != read(path):
        if arguments == ["--write"]:
            text = with_symbols(read(path), ours)
            with open(os.path.join(HERE, path), "w", encoding="utf-8") as file:
                file.write(text)
        else:
            print(f"{path} asks for other versions than {ours}: packaging/version.py --write", file=sys.stderr)
            wrong = 1
    return wrong


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"], ["--write"]) and not (
            sys.argv[1:2] == ["--set"] and re.fullmatch(r"\d+\.\d+\.\d+", "".join(sys.argv[2:]))):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
