# SPDX-License-Identifier: Apache-2.0
"""Reference pages, from what the sources say of themselves: the man page of the command, the comments
of the public header, the docstrings of the Python package, the Rd files of the R package and the help
texts of the Octave package. All but the command and R are written as Markdown for pandoc."""
from __future__ import annotations

import json
import pathlib
import re
import subprocess

from tree import Node, parse


# a declaration of a function starts its line with the type that it returns
FUNCTION = r"^(?:const |void |int |size_t |onefold_status )[^;(]*\b(onefold_\w+)\("

def plain(text: str) -> str:
    """Text of a comment as Markdown: nothing in it is a mark but backquotes, and indented lines are code."""
    out, code = [], False
    for line in text.split("\n"):
        if line.startswith("    ") and (code or not out or not out[-1].strip()):
            code = True
            out.append(line)
            continue
        code = False
        pieces = re.split(r"(`[^`]*`)", line.strip())
        out.append("".join(p if p.startswith("`") else re.sub(r"([\\*_<>\[\]#$~^|])", r"\\\1", p) for p in pieces))
    return re.sub(r"(?m)^(\d+)([.)]) ", r"\1\\\2 ", "\n".join(out)).strip()


# ---- the command ---------------------------------------------------------------------------------

def command(man: pathlib.Path) -> Node:
    """The man page. Every option is a part of its own, with an anchor."""
    made = subprocess.run(["pandoc", "-f", "man", "-t", "html5", "--shift-heading-level-by=1", man],
                          check=True, capture_output=True, text=True).stdout
    root = parse(made)
    for heading in root.all("h2"):
        words = heading.text()
        if words.isupper() and words != "JSON":
            heading.children = [words.capitalize()]
    seen = set()
    for dt in root.all("dt"):
        option = re.match(r"(?:-\w, )?(--[a-z][\w-]*)", dt.text().strip())
        if option and option.group(1) not in seen:
            seen.add(option.group(1))
            dt.attrs["id"] = "option" + option.group(1)[1:]
            dt.attrs["data-part"] = dt.text().strip()
    if len(seen) < 20:
        raise SystemExit(f"only {len(seen)} options were found in {man}")
    return root


# ---- C -------------------------------------------------------------------------------------------

def _undressed(comment: str) -> str:
    lines = [re.sub(r"^ \* ?", "", line) for line in comment[2:-2].split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip("\n ")


def header_items(text: str) -> tuple[str, list]:
    """What the header says of itself, and its sections: (title, [(comment, declarations)])."""
    about, sections, comment = "", [("", [])], ""
    text = text[text.index("*/") + 2:]  # the licence
    position, token = 0, re.compile(r"/\*.*?\*/", re.S)
    lines: list[str] = []

    def flush(keep: str = "") -> None:
        nonlocal comment
        declared = "\n".join(lines).strip("\n")
        lines.clear()
        wanted = re.search(FUNCTION + r"|^typedef|^struct|^enum|^#define ONEFOLD_\w+ *[\\(\"{\w]", declared, re.M)
        if wanted:
            sections[-1][1].append((comment, declared))
            comment = ""
        comment = keep or comment

    while position < len(text):
        start = position == 0 or text[position - 1] == "\n"
        found = token.match(text, position) if start else None
        if found and text.startswith("/*", position):
            body = found.group(0)
            flush()
            title = re.match(r"/\* -+ (.*?) -+ \*/", body)
            if title:
                sections.append((title.group(1), []))
                comment = ""
            elif not about:
                about = _undressed(body)
            else:
                comment = _undressed(body)
            position = found.end()
            if position < len(text) and text[position] == "\n":
                position += 1
            continue
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        line = text[position:end]
        if not line.strip() and _whole(lines):
            flush()
        elif not re.match(r"#(ifndef|ifdef|if|endif|else|include|define ONEFOLD_(H|API)\b)|extern \"C\"|}$", line) or lines:
            lines.append(line)
        position = end + 1
    flush()
    return about, [(title, items) for title, items in sections if items]


def _whole(lines: list[str]) -> bool:
    text = "\n".join(lines)
    return text.count("{") == text.count("}")


def declared_names(declaration: str) -> list[str]:
    """Functions, types and macros, in the order of their declaration."""
    bare = re.sub(r"/\*.*?\*/", "", declaration, flags=re.S)
    found = re.findall(r"}\s*(onefold_\w+);", bare) + re.findall(r"^typedef [^{}();]*\b(onefold_\w+);", bare, re.M) + \
        re.findall(r"^typedef [^{};]*\(\*(onefold_\w+)\)", bare, re.M) + \
        re.findall(FUNCTION, bare, re.M)
    names = found + re.findall(r"^#define (ONEFOLD_\w+)", bare, re.M)
    return list(dict.fromkeys(names))


def c(header: pathlib.Path) -> tuple[str, dict[str, str]]:
    """The page as Markdown, and the anchor of every name of the header."""
    about, sections = header_items(header.read_text())
    out, anchors = ["# The library, in C\n", plain(about), "\n"], {}
    for title, items in sections:
        out.append(f"\n## {plain(title[:1].upper() + title[1:])}\n" if title else "\n## Version\n")
        for comment, declaration in items:
            names = declared_names(declaration)
            shown = re.sub(r"[ \t]+\\$", " \\\\", declaration, flags=re.M)
            new = [name for name in names if name not in anchors]
            if new:
                out.append(f"\n### {', '.join(new[:3]).replace('_', chr(92) + '_')}{' ...' if len(new) > 3 else ''} {{#{new[0]}}}\n")
                for name in new:
                    anchors[name] = new[0]
                    if name != new[0]:
                        anchors[name] = name
                        out.append(f'\n<span id="{name}"></span>')
                for value in re.findall(r"^\s+(ONEFOLD_[A-Z0-9_]+)\b", declaration, re.M):
                    anchors.setdefault(value, new[0])
            out.append(f"\n```c\n{shown}\n```\n")
            if comment:
                out.append(f"\n{plain(comment)}\n")
    lost = set(re.findall(FUNCTION, header.read_text(), re.M)) - set(anchors)
    if lost:
        raise SystemExit(f"{header}: not understood: {', '.join(sorted(lost))}")
    return "\n".join(out), anchors


# ---- Python --------------------------------------------------------------------------------------

DESCRIBE = r'''
import inspect, json, re, types
import onefold

def about(thing, name):
    try:
        signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing)))
        signature = re.sub(r"^\(self(, )?", "(", signature)
    except (TypeError, ValueError):
        signature = ""
    return {"name": name, "signature": signature, "doc": inspect.getdoc(thing) or ""}

found = {"doc": inspect.getdoc(onefold), "parts": []}
for name in onefold.__all__:
    thing = getattr(onefold, name)
    if name.startswith("__"):
        continue
    if isinstance(thing, types.ModuleType):
        members = [about(value, f"{name}.{key}") for key, value in vars(thing).items()
                   if callable(value) and not key.startswith("_") and getattr(value, "__module__", "") == thing.__name__]
        found["parts"].append({**about(thing, name), "signature": "", "kind": "module", "members": members})
    elif inspect.isclass(thing):
        members = []
        for key, value in vars(thing).items():
            value = value.__get__(None, thing) if hasattr(value, "__get__") and not isinstance(value, property) else value
            if not key.startswith("_") and (callable(value) or isinstance(value, property)) and inspect.getdoc(value):
                members.append({**about(value.fget if isinstance(value, property) else value, f"{name}.{key}"),
                                **({"signature": ""} if isinstance(value, property) else {})})
        found["parts"].append({**about(thing, name), "kind": "class", "members": members})
    elif callable(thing):
        found["parts"].append({**about(thing, name), "kind": "function", "members": []})
print(json.dumps(found))
'''


def docstring(text: str) -> str:
    """A docstring as Markdown: sections of parameters are lists, prompts are code."""
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    out, lines, at = [], text.split("\n"), 0
    while at < len(lines):
        if at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()) and lines[at].strip():
            out.append(f"\n**{lines[at].strip()}**\n")
            at += 2
            while at < len(lines) and not (at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip())):
                line = lines[at]
                if line and not line.startswith(" "):
                    name, _, kind = line.partition(" : ")
                    out.append(f"\n`{name.strip()}`" + (f" *{plain(kind)}*" if kind else "") + "\n")
                    body = []
                    at += 1
                    while at < len(lines) and (lines[at].startswith("    ") or not lines[at].strip()):
                        body.append(lines[at][4:])
                        at += 1
                    shown = plain("\n".join(body).strip("\n")) or "&nbsp;"
                    out.append(":   " + shown.replace("\n", "\n    ") + "\n")
                    continue
                at += 1
            continue
        if lines[at].lstrip().startswith(">>>"):
            block = []
            while at < len(lines) and lines[at].strip():
                block.append(lines[at])
                at += 1
            out.append("\n```pycon\n" + "\n".join(block) + "\n```\n")
            continue
        block = []
        while at < len(lines) and not lines[at].lstrip().startswith(">>>") and \
                not (at + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[at + 1].strip()) and lines[at].strip()):
            block.append(lines[at])
            at += 1
        out.append(plain("\n".join(block)) + "\n")
    return "\n".join(out)


def python(interpreter: pathlib.Path) -> tuple[str, dict[str, str]]:
    found = json.loads(subprocess.run([interpreter, "-c", DESCRIBE], check=True, capture_output=True, text=True).stdout)
    out, anchors = ["# The package, in Python\n", docstring(found["doc"])], {}

    def entry(level: int, part: dict) -> None:
        name = part["name"]
        anchors[f"onefold.{name}"] = anchors[name] = f"onefold.{name}"
        dotted = f"onefold.{name}"
        out.append(f"\n{'#' * level} {dotted.replace('_', chr(92) + '_')} {{#{dotted}}}\n")
        if part["signature"]:
            out.append(f"\n```python\n{folded(dotted, part['signature'])}\n```\n")
        out.append(docstring(part["doc"]))

    for part in sorted(found["parts"], key=lambda p: (["class", "function", "module"].index(p["kind"]), p["name"] != "OneFold")):
        entry(2, part)
        for member in part["members"]:
            entry(3, member)
    return "\n".join(out), anchors


def folded(name: str, signature: str) -> str:
    """A signature over several lines where it is long, broken between its parameters."""
    whole = name + signature
    if len(whole) <= 88:
        return whole
    parts, depth, start, inner = [], 0, 0, signature[1:signature.rindex(")")]
    for at, letter in enumerate(inner):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(inner[start:at].strip())
            start = at + 1
    parts.append(inner[start:].strip())
    lines, indent = [name + "("], " " * 4
    for i, part in enumerate(parts):
        piece = part + ("," if i + 1 < len(parts) else signature[signature.rindex(")"):])
        if len(lines) > 1 and len(lines[-1]) + len(piece) < 86:
            lines[-1] += " " + piece
        else:
            lines.append(indent + piece)
    return "\n".join(lines)


# ---- R -------------------------------------------------------------------------------------------

def r(folder: pathlib.Path) -> tuple[Node, dict[str, str]]:
    """Every Rd file as a part of one page, by R's own converter."""
    root, anchors = Node(""), {}
    files = sorted(folder.glob("*.Rd"), key=lambda path: (path.stem != "onefold", path.stem))
    for path in files:
        made = subprocess.run(["R", "CMD", "Rdconv", "-t", "html", path], check=True, capture_output=True, text=True).stdout
        body = parse(made[made.index("<body>"):made.index("</body>")])
        root.children.append(Node("h2", {"id": path.stem, "data-part": path.stem}, [Node("code", {}, [path.stem])]))
        for alias in re.findall(r"\\alias\{([^}]*)\}", path.read_text()):
            anchors[alias] = path.stem
        shift = {"h2": "p", "h3": "h3"}
        container = next(node for node in body.walk() if "container" in node.classes()) if body.all("div") else body
        first = True
        for child in container.children:
            if isinstance(child, Node):
                if first and child.tag == "table":
                    first = False
                    continue
                if child.tag == "h2":
                    child.add_class("lead")
                child.tag = shift.get(child.tag, child.tag)
                if child.tag == "h3":
                    child.attrs["id"] = f"{path.stem}-{re.sub(r'[^a-z]+', '-', child.text().lower()).strip('-')}"
                if child.tag == "hr" or "R Documentation" in child.text()[:60]:
                    continue
            root.children.append(child)
    for node in root.walk():
        node.attrs.pop("style", None)
        if node.tag == "table":
            node.add_class("arguments")
        if node.tag == "code" and node.classes():
            node.attrs["class"] = "r"
        if node.tag == "a" and "href" in node.attrs:
            target = re.sub(r"^.*?([\w.]+)\.html.*$", r"\1", node.attrs["href"])
            if target in anchors:
                node.attrs["href"] = f"#{anchors[target]}"
            else:
                node.tag = "span"
                node.attrs.clear()
    return root, anchors


# ---- Octave --------------------------------------------------------------------------------------

def octave(folder: pathlib.Path) -> str:
    out = ["# The package, in Octave and MATLAB\n"]
    for path in sorted(folder.glob("*.m")):
        block = re.search(r"(?m)^(?:%|##)(?! SPDX).*(?:\n(?:%|##).*)*", re.sub(r"^.*SPDX.*\n", "", path.read_text()))
        if not block:
            continue
        text = "\n".join(re.sub(r"^(?:%+|##+) ?", "", line) for line in block.group(0).split("\n"))
        out.append(f"\n## {path.stem.replace('_', chr(92) + '_')} {{#{path.stem}}}\n\n```text\n{text.rstrip()}\n```\n")
    return "\n".join(out)
