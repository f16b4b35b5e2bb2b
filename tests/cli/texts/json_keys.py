# SPDX-License-Identifier: Apache-2.0
"""json_keys.py docs/json.md SECTION FILE...: the objects in the files have the keys of the section's
table, with the types it gives, and no others; what is wrong is printed."""
import json
import re
import sys

KINDS = {"text": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "object": (dict,)}
GPU = set()


def table(page, section):
    """Key to (types, whether it may be absent, whether null may stand for it). A key that begins with a
    point is of the object of the one before it. A key that needs a GPU is let be: there may be none here."""
    text = open(page, encoding="utf-8").read().split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    keys = {"onefold": (KINDS["text"], False, False)} if section not in ("any verb, on failure", "scores") else {}
    for cell, kind, what in re.findall(r"^\| (`.+?`) \| ([^|]+) \|(.*)\|$", text, re.M):
        inside = ""
        for key in re.findall(r"`([^`]+)`", cell):
            key = inside + key if key.startswith(".") else key
            inside = key.rpartition(".")[0]
            types = (KINDS[re.match(r"[a-z]+", kind)[0]], "sometimes" in kind, "or null" in kind)
            if key == "scores":
                keys |= {f"scores.{name}": (each[0], types[1], False) for name, each in table(page, "scores").items()}
            else:
                keys[key] = types
            if "with a GPU" in kind:
                GPU.add(key)
    return keys


def walk(value, path, keys, found):
    found.add(path)
    if path in keys:
        kinds, _, null = keys[path]
        right = null if value is None else type(value) in kinds
        if not right:
            print(f"{path}: {json.dumps(value)[:60]} is of another type than documented")
    elif isinstance(value, dict):
        for key, item in value.items():
            walk(item, f"{path}.{key}" if path else key, keys, found)
    elif isinstance(value, list):
        for item in value:
            walk(item, path + "[]", keys, found)
    elif not any(key.startswith(path + suffix) for key in keys for suffix in (".", "[]")) or value is not None:
        print(f"{path} is not documented")


page, section, *files = sys.argv[1:]
keys = table(page, section)
everywhere = set()
for name in files:
    found = set()
    walk(json.load(open(name, encoding="utf-8")), "", keys, found)
    everywhere |= found
    for key, (_, sometimes, _) in keys.items():
        head = key.split("[]")[0]
        empty = "[]" in key and head in found and head + "[]" not in found
        if key not in found and not sometimes and not empty and key not in GPU:
            print(f"{name}: {key} is documented and not there")
for key in sorted(set(keys) - everywhere - GPU):
    print(f"{section}: {key} is documented, and in none of {', '.join(files)}")
