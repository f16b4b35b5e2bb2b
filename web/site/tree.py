# SPDX-License-Identifier: Apache-2.0
"""A tree of HTML: read from what pandoc and R write, changed in place, and written again."""
from __future__ import annotations

import html
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
BLOCKS = {"p", "li", "dt", "dd", "td", "th", "tr", "pre", "div", "h1", "h2", "h3", "h4", "h5", "br", "table", "figcaption"}


class Node:
    """An element; its children are nodes and texts, and a text is a str."""

    def __init__(self, tag: str, attrs: dict | None = None, children: list | None = None) -> None:
        self.tag, self.attrs, self.children = tag, dict(attrs or {}), list(children or [])

    def __str__(self) -> str:
        inner = "".join(str(c) if isinstance(c, (Node, Raw)) else html.escape(c, quote=False) for c in self.children)
        if not self.tag:
            return inner
        words = "".join(f' {k}="{html.escape(v)}"' if v is not None else f" {k}" for k, v in self.attrs.items())
        return f"<{self.tag}{words}>" if self.tag in VOID else f"<{self.tag}{words}>{inner}</{self.tag}>"

    def walk(self):
        """Every element below this one, in order; the tree may be changed on the way."""
        for child in list(self.children):
            if isinstance(child, Node):
                yield child
                yield from child.walk()

    def all(self, *tags: str) -> list[Node]:
        return [node for node in self.walk() if node.tag in tags]

    def text(self) -> str:
        parts = []
        for child in self.children:
            if isinstance(child, Raw):
                continue
            parts.append(child if isinstance(child, str) else child.text())
            if isinstance(child, Node) and child.tag in BLOCKS:
                parts.append("\n")
        return "".join(parts)

    def classes(self) -> list[str]:
        return (self.attrs.get("class") or "").split()

    def add_class(self, name: str) -> None:
        if name not in self.classes():
            self.attrs["class"] = " ".join(self.classes() + [name])

    def replace(self, old: Node, *new) -> None:
        at = next(i for i, child in enumerate(self.children) if child is old)
        self.children[at:at + 1] = new


class Raw:
    """HTML that is written as it is, and is no text to search in."""

    def __init__(self, text: str) -> None:
        self.content = text

    def __str__(self) -> str:
        return self.content


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("")
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        node = Node(tag, {k: v if v is not None else "" for k, v in attrs})
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag, attrs):
        self.open[-1].children.append(Node(tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag):
        for at in range(len(self.open) - 1, 0, -1):
            if self.open[at].tag == tag:
                del self.open[at:]
                return

    def handle_data(self, data):
        self.open[-1].children.append(data)


def parse(text: str) -> Node:
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.root


def parents(root: Node) -> dict[int, Node]:
    """The parent of every element below a root, by id()."""
    found = {}
    for node in [root, *root.walk()]:
        for child in node.children:
            if isinstance(child, Node):
                found[id(child)] = node
    return found
