#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the site: `./dev docs` calls this.

usage: make.py [--keep] [--only NAME,...] FOLDER

The text is that of README.md and docs/, by pandoc; reference pages are made from the sources' own
comments (reference.py), tutorials are run (tutorials.py), and the report pages of the gallery are
those that they and examples/pages.py write. --keep takes tutorials from the last making where their
text is the same.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import json
import pathlib
import posixpath
import re
import shutil
import struct
import subprocess

import pictures
import reference
import tutorials
from tree import Node, Raw, parents, parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build"
ONEFOLD = BUILD / "release" / "cli" / "onefold"
PYTHON = BUILD / "python-env" / "bin" / "python"
WORK = BUILD / "site-work"

# Where each document stands; those that are not named here go to the end of the guide.
GUIDE = ["formats", "tables", "missing", "explain", "choose", "predict", "report", "python", "r", "octave", "json"]
WORKINGS = ["method", "comparison", "subspace", "reliability", "threats", "architecture", "model-format"]
FIGURES = ["quality", "results", "scaling", "gpu", "alternatives"]
WORK_ON = ["upgrade", "release", "platforms"]  # beside the worked pages of docs/adding, which follow them
PROJECT = ["CHANGELOG.md", "VERSIONING.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "docs/README.md"]
TUTORIALS = ["papers", "cells", "clinical", "images", "million"]
SHORT = {  # names in the list of pages, where the heading of a page is long
    "docs/python.html": "Python", "docs/r.html": "R", "docs/octave.html": "Octave and MATLAB",
    "reference/command.html": "Command", "reference/c.html": "C", "reference/python.html": "Python",
    "reference/r.html": "R", "reference/octave.html": "Octave", "docs/json.html": "JSON",
    "docs/index.html": "Reading order", "changelog.html": "Changes", "figures.html": "In short",
    "tutorials.html": "All tutorials", "index.html": "Start", "examples/index.html": "C programs",
}


class Page:
    """A page of the site: where it lies, where its text comes from, and what is in it."""

    def __init__(self, url: str, group: str, source: str = "", markdown: str | None = None, body: Node | None = None,
                 title: str = "", kind: str = "") -> None:
        self.url, self.group, self.source, self.markdown, self.body, self.title = url, group, source, markdown, body, title
        self.kind, self.lead, self.toc, self.parts, self.before = kind, "", [], [], ""
        self.files: pathlib.Path | None = None  # the folder of a tutorial

    @property
    def base(self) -> str:
        return "../" * self.url.count("/")


def slug(text: str) -> str:
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-") or "part"


def read(path: str) -> str:
    return (ROOT / path).read_text()


# ---- what is on the site -------------------------------------------------------------------------

def sections(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first heading of the second level, and the parts under these."""
    marks = [m for m in re.finditer(r"(?m)^## (.*)$", text) if text[:m.start()].count("\n```") % 2 == 0]
    head = text[:marks[0].start()] if marks else text
    ends = [m.start() for m in marks[1:]] + [len(text)]
    return head, [(m.group(1).strip(), text[m.start():end]) for m, end in zip(marks, ends)]


def first_heading(text: str) -> str:
    found = re.search(r"(?m)^# (.*)$", text)
    return found.group(1).strip() if found else ""


def before_parts(name: str) -> str:
    """What a document says before its first part, for a page beside README.md."""
    before = re.sub(r"(?m)^# .*$", "", sections(read(f"docs/{name}.md"))[0])
    return re.sub(r"\]\((?!\w+:|#|/)([^)]+)\)", r"](docs/\1)", before)


def documents() -> list[Page]:
    """README.md and docs/, each text once."""
    pages = []
    head, parts = sections(read("README.md"))
    install = [text for name, text in parts if re.search(r"install", name, re.I)]
    figures = [text for name, text in parts if re.search(r"how (good|fast)|quality|speed|figures", name, re.I)]
    rest = [text for _, text in parts if text not in install and text not in figures]
    if not install or not figures:
        raise SystemExit("README.md has no part on installing it, or none on its figures: web/site/make.py looks for them by their headings")
    pages.append(Page("index.html", "Start", "README.md", head + "".join(rest), kind="start"))
    own = ROOT / "docs" / "install.md"
    text = own.read_text() if own.exists() else "# Install\n"
    if not own.exists():
        if (ROOT / "docs" / "release.md").exists():
            text += "\n\n## The packages\n\n" + before_parts("release")
        text += "\n\n## From a checkout\n" + "\n".join(re.sub(r"^## .*\n", "", part) for part in install)
        for name, title in (("python", "Python"), ("r", "R"), ("octave", "Octave and MATLAB")):
            if (ROOT / "docs" / f"{name}.md").exists():
                text += f"\n\n## {title}\n\n" + before_parts(name)
    pages.append(Page("install.html", "Start", "docs/install.md" if own.exists() else "README.md", text, title="Install"))
    for name in TUTORIALS:
        pages.append(Page(f"tutorials/{name}.html", "Tutorials", f"web/site/tutorials/{name}.md", kind="tutorial"))
    pages.insert(2, Page("tutorials.html", "Tutorials", title="Tutorials", body=Node(""), kind="tutorials"))
    there = sorted(path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md"))
    there = [name for name in there if name not in ("README", "install")]
    worked = WORK_ON + [name for name in there if name.startswith("adding/")]
    known = GUIDE + WORKINGS + FIGURES + worked
    def docs(names, group):
        return [Page(f"docs/{name}.html", group, f"docs/{name}.md", read(f"docs/{name}.md")) for name in names if name in there]
    pages += docs(GUIDE + [name for name in there if name not in known], "Guide")
    pages += [Page("reference/command.html", "Reference", "man/onefold.1", body=reference.command(ROOT / "man" / "onefold.1"), title="The command"),
              Page("reference/c.html", "Reference", "include/onefold.h", kind="c"),
              Page("reference/python.html", "Reference", "bindings/python/onefold/__init__.py", kind="python"),
              Page("reference/r.html", "Reference", "bindings/r/man/onefold.Rd", kind="r", title="The package, in R"),
              Page("reference/octave.html", "Reference", "bindings/octave/inst/onefold.m", reference.octave(ROOT / "bindings" / "octave" / "inst"), kind="plain")]
    pages += docs(WORKINGS, "How it works")
    pages.append(Page("figures.html", "Quality and speed", "README.md", "# How good, how fast\n\n" + "\n".join(re.sub(r"^## .*\n", "", part) for part in figures)))
    pages += docs(FIGURES, "Quality and speed")
    pages.append(Page("gallery.html", "Gallery", title="Gallery", body=Node(""), kind="gallery"))
    for path in PROJECT:
        if (ROOT / path).exists():
            url = {"docs/README.md": "docs/index.html", "examples/README.md": "examples/index.html"}.get(path, path.lower().replace(".md", ".html"))
            pages.append(Page(url, "Project", path, read(path)))
    pages += docs(worked, "Project")
    return pages


# ---- Markdown to HTML ----------------------------------------------------------------------------

def pandoc(markdown: str, kind: str) -> Node:
    """GitHub's Markdown, with formulas between dollars as MathML; `plain` ones are pandoc's own."""
    source = "markdown-smart+definition_lists" if kind in ("c", "python", "plain") else "gfm+tex_math_dollars+definition_lists"
    made = subprocess.run(["pandoc", "-f", source, "-t", "html5", "--mathml", "--wrap=none", "--highlight-style=pygments"],
                          input=markdown, check=True, capture_output=True, text=True)
    return parse(made.stdout)


SHELL = re.compile(r"^(\$ )?(onefold|\./dev|\./\w+|pip|cmake|cc|R CMD|python3?|apt|sudo|git|mpirun|awk|[A-Z_]+=\S+|cd|curl|man|env/|pkg-config|gcc|ulimit|ninja|mex) ")


def coloured(pre: Node) -> None:
    """Code without a language: comments of shell lines and prompts of Python are set apart."""
    text = pre.text()
    first = text.lstrip("\n").split("\n", 1)[0]
    if SHELL.match(first):
        out = []
        for line in text.rstrip("\n").split("\n"):
            before, mark, comment = line.partition(" #")
            out += [before, Node("span", {"class": "co"}, [mark + comment])] if mark else [before]
            out.append("\n")
        pre.children = [Node("code", {"class": "shell"}, out[:-1])]
        pre.add_class("shell")
    elif first.startswith(">>>"):
        out = []
        for line in text.rstrip("\n").split("\n"):
            if line.startswith((">>>", "...")):
                out += [Node("span", {"class": "prompt"}, [line[:3]]), line[3:], "\n"]
            else:
                out += [Node("span", {"class": "said"}, [line]), "\n"]
        pre.children = [Node("code", {}, out[:-1])]


def bars(text: str) -> list:
    """What a command printed; bars that it drew have a colour."""
    return [Node("span", {"class": "bars"}, [piece]) if piece[:1] in BLOCKS else piece for piece in re.split(f"([{BLOCKS}]+)", text) if piece]


BLOCKS = "█▉▊▋▌▍▎▏"
NUMBER = re.compile(r"^[-+–−]?[\d  .,]*\d[\d.,]*( ?(%|s|ms|MB|GB|kB|min|h|x|M|k|to|±|/)[\d., %s/]*)*$|^[–—-]?$")


def dress_table(table: Node) -> Node:
    """A table that scrolls by itself, with numbers to the right and no empty headings."""
    rows = table.all("tr")
    heads = [th for row in rows for th in row.all("th")]
    for thead in table.all("thead"):
        if not thead.text().strip():
            parents(table)[id(thead)].children.remove(thead)
    for th in heads:
        if not th.text().strip():
            th.tag = "td"
        else:
            th.attrs.setdefault("scope", "col")
    bodies = [[c for c in row.children if isinstance(c, Node)] for row in rows if not row.all("th")]
    for column in range(max((len(r) for r in bodies), default=0)):
        cells = [row[column] for row in bodies if column < len(row)]
        filled = [c for c in cells if c.text().strip()]
        if filled and sum(bool(NUMBER.match(c.text().strip())) for c in filled) > 0.7 * len(filled):
            for cell in cells + [th for row in rows for th in [c for c in row.children if isinstance(c, Node)][column:column + 1] if row.all("th")]:
                cell.add_class("number")
    for cell in table.all("td", "th"):
        cell.attrs.pop("style", None)
    for column in table.all("colgroup"):
        parents(table)[id(column)].children.remove(column)
    return Node("div", {"class": "scroll", "tabindex": "0", "role": "group", "aria-label": "Table"}, [table])


class Site:
    def __init__(self, folder: pathlib.Path, keep: bool, only: list[str]) -> None:
        self.folder, self.keep, self.only = folder, keep, only
        self.pages = documents()
        self.by_source = {page.source: page for page in self.pages if page.source and page.url not in ("figures.html", "install.html")}
        self.by_source["docs/install.md"] = next(page for page in self.pages if page.url == "install.html")
        self.wanted: dict[str, Page] = {}  # files of the repository that pages link to
        self.names: dict[str, str] = {}    # words that are links wherever they stand as code
        self.gallery: list[dict] = []

    # -- pages

    def fill(self) -> None:
        c, names = reference.c(ROOT / "include" / "onefold.h")
        self.names.update({name: f"reference/c.html#{anchor}" for name, anchor in names.items()})
        py, names = reference.python(PYTHON)
        self.names.update({name: f"reference/python.html#{anchor}" for name, anchor in names.items() if "." in name or name == "OneFold"})
        for page in self.pages:
            if page.kind == "c":
                page.markdown = c
            elif page.kind == "python":
                page.markdown = py
            elif page.kind == "r":
                page.body, _ = reference.r(ROOT / "bindings" / "r" / "man")
            elif page.url == "reference/command.html":
                for dt in page.body.all("dt"):
                    if "id" in dt.attrs:
                        for option in re.findall(r"--[a-z][\w-]*", dt.text()):
                            self.names.setdefault(option, f"reference/command.html#{dt.attrs['id']}")
        for page in self.pages:
            if page.kind == "tutorial":
                self.tutorial(page)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            trees = pool.map(lambda page: pandoc(page.markdown, page.kind) if page.markdown is not None else page.body, self.pages)
            for page, tree in zip(self.pages, trees):
                page.body = tree
        for page in self.pages:
            self.heading(page)

    def tutorial(self, page: Page) -> None:
        name = pathlib.Path(page.url).stem
        text = re.sub(r"(?s)\A<!--.*?-->\n", "", read(page.source))
        page.files = WORK / name
        kept, was = WORK / f"{name}.out.md", WORK / f"{name}.in.md"
        if self.only and name not in self.only or self.keep and kept.exists() and was.read_text() == text:
            page.markdown = kept.read_text() if kept.exists() else text
            return
        print(f"running the tutorial {name}", flush=True)
        page.markdown = tutorials.run(text, tutorials.Session(page.files, ONEFOLD, PYTHON, BUILD / "site-r"))
        kept.write_text(page.markdown)
        was.write_text(text)

    def heading(self, page: Page) -> None:
        """The title of a page, from its first heading, and the paragraph below it."""
        for h1 in page.body.all("h1"):
            page.title = page.title or h1.text().strip()
            parents(page.body)[id(h1)].children.remove(h1)
            break
        for p in page.body.all("p"):
            page.lead = re.sub(r"\s+", " ", p.text()).strip()
            break

    # -- links

    def link(self, page: Page, href: str) -> str | None:
        """Where a link of a text leads on the site; None where it leads nowhere."""
        if re.match(r"[a-z]+:", href) or href.startswith("#"):
            return href
        target, _, fragment = href.partition("#")
        if page.files and "/" not in target and (page.files / target).exists():
            return page.base + f"tutorials/{page.files.name}/{target}"
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), target))
        if not (ROOT / path).exists() and (ROOT / target).exists():
            path = target  # a text of README.md that stands on a page of docs/
        if (ROOT / path).is_dir():
            path = posixpath.join(path, "README.md")
        found = self.by_source.get(path)
        if path == "README.md" and fragment:
            found = next((p for p in self.pages if p.source == "README.md" and f'id="{fragment}"' in str(p.body)), found)
        if not found:
            if not (ROOT / path).is_file():
                return None
            if posixpath.splitext(path)[1] in (".png", ".svg"):
                return self.keep_picture(page, ROOT / path)
            found = self.wanted.setdefault(path, Page(f"files/{path}.html", "", path, kind="file", title=path))
        return page.base + found.url + (f"#{fragment}" if fragment else "")

    def picture(self, page: Page, src: str) -> str | None:
        if re.match(r"(data|https?):", src):
            return src
        place = page.files / src if page.files and (page.files / src).exists() else \
            ROOT / posixpath.normpath(posixpath.join(posixpath.dirname(page.source), src))
        return self.keep_picture(page, place) if place.is_file() else None

    def keep_picture(self, page: Page, place: pathlib.Path) -> str:
        to = self.folder / "pictures" / (f"{page.files.name}-{place.name}" if page.files and place.is_relative_to(page.files) else place.name if place.parent == ROOT / "docs" else f"{place.parent.name}-{place.name}")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(place, to)
        return page.base + f"pictures/{to.name}"

    # -- the tree of a page

    def dress(self, page: Page) -> None:
        up = parents(page.body)
        for node in list(page.body.walk()):
            if node.tag == "a" and "href" in node.attrs:
                to = self.link(page, node.attrs["href"])
                if to is None:
                    raise SystemExit(f"{page.source}: the link to {node.attrs['href']} leads nowhere")
                node.attrs["href"] = to
            elif node.tag == "img":
                self.dress_picture(page, node, up)
            elif node.tag == "table":
                parent = up[id(node)]
                parent.replace(node, dress_table(node))
            elif node.tag == "pre":
                if up[id(node)].tag != "div" or "sourceCode" not in up[id(node)].classes():
                    if "output" not in node.classes() and not (node.all("code") and "output" in node.all("code")[0].classes()):
                        coloured(node)
                    else:
                        node.attrs["class"] = "output"
                        node.children = [Node("code", {}, bars(node.text().rstrip("\n")))]
                node.attrs["tabindex"] = "0"
            elif node.tag == "a" and "aria-hidden" in node.attrs:
                up[id(node)].children.remove(node)
        for node in page.body.all("pre"):  # lines of highlighted code need no links of their own
            for a in node.all("a"):
                if "aria-hidden" in a.attrs:
                    parents(node)[id(a)].children.remove(a)
            for span in node.all("span"):
                if span.attrs.get("id", "").startswith("cb"):
                    del span.attrs["id"]
        self.cross(page)
        self.number(page)

    def dress_picture(self, page: Page, node: Node, up: dict) -> None:
        src, alt = node.attrs.get("src", ""), node.attrs.get("alt", "")
        figure = up[id(node)]
        if src.startswith("report:"):
            report, _, which = src[len("report:"):].partition("#")
            drawn = pictures.scatter(pictures.Report(page.files / f"{report}.html"), int(which or 0), alt)
            new = Node("figure", {"class": "drawn"}, [Raw(drawn), Node("figcaption", {}, [alt])])
        else:
            to = self.picture(page, src)
            if to is None:
                raise SystemExit(f"{page.source}: there is no picture {src}")
            node.attrs.update({"src": to, "loading": "lazy"})
            place = self.folder / "pictures" / posixpath.basename(to)
            if place.suffix == ".png":
                width, height = struct.unpack(">II", place.read_bytes()[16:24])
                node.attrs.update({"width": str(width), "height": str(height)})
            new = Node("figure", {}, [node, Node("figcaption", {}, [alt])] if alt else [node])
        if figure.tag == "p" and len([c for c in figure.children if not isinstance(c, str) or c.strip()]) == 1:
            grand = parents(page.body)[id(figure)]
            grand.replace(figure, new)
        elif figure.tag == "figure":
            figure.attrs, figure.children = new.attrs, new.children
        elif src.startswith("report:"):
            figure.replace(node, new)

    def cross(self, page: Page) -> None:
        """Options, functions and classes that stand as code are links to their reference."""
        up = parents(page.body)
        for code in page.body.all("code"):
            chain, node = set(), code
            while id(node) in up:
                node = up[id(node)]
                chain.add(node.tag)
            if chain & {"a", "pre", "h1", "h2", "h3", "dt"}:
                continue
            word = re.match(r"(--[a-z][\w-]*|(?:onefold_|ONEFOLD_)\w+|onefold\.[\w.]+|OneFold)", code.text())
            to = self.names.get(word.group(1).rstrip(".")) if word else None
            if to and not to.startswith(page.url + "#"):
                up[id(code)].replace(code, Node("a", {"href": page.base + to, "class": "term"}, [code]))

    def number(self, page: Page) -> None:
        """Anchors of headings, the list of what is on the page, and the parts that a search finds."""
        seen = {node.attrs["id"] for node in page.body.walk() if node.attrs.get("id") and node.tag not in ("h2", "h3", "h4")}
        part = ["", page.title, []]
        page.parts = [part]

        def begin(anchor: str, name: str) -> None:
            nonlocal part
            part = [anchor, name, []]
            page.parts.append(part)

        def visit(node: Node) -> None:
            for child in list(node.children):
                if isinstance(child, str):
                    part[2].append(child)
                    continue
                if isinstance(child, Raw):
                    continue
                if child.tag in ("h2", "h3", "h4"):
                    name = re.sub(r"\s+", " ", child.text()).strip()
                    anchor = child.attrs.get("id") or slug(name)
                    while anchor in seen:
                        anchor += "-1"
                    seen.add(anchor)
                    child.attrs["id"] = anchor
                    if child.tag != "h4":
                        page.toc.append((int(child.tag[1]), anchor, name))
                    begin(anchor, name)
                    child.children.append(Node("a", {"class": "anchor", "href": f"#{anchor}", "aria-label": f"Link to {name}"}, ["#"]))
                    continue
                if child.tag == "dt" and "data-part" in child.attrs:
                    begin(child.attrs["id"], child.attrs["data-part"])
                    child.children.append(Node("a", {"class": "anchor", "href": f"#{child.attrs['id']}", "aria-label": f"Link to {child.attrs['data-part']}"}, ["#"]))
                    del child.attrs["data-part"]
                    continue
                visit(child)
                if child.tag in ("p", "li", "dd", "td", "th", "pre", "div", "tr"):
                    part[2].append(" ")

        visit(page.body)

    def files(self) -> None:
        """Files of the repository that a text links to, as pages."""
        languages = {".c": "c", ".h": "c", ".py": "python", ".m": "matlab", ".R": "r", ".sh": "bash", ".cff": "yaml", ".cu": "cpp"}
        while todo := [page for page in self.wanted.values() if page not in self.pages]:
            for page in todo:
                text = (ROOT / page.source).read_text(errors="replace")
                if page.source.endswith(".md"):
                    page.body, page.title = pandoc(text, ""), ""
                    self.heading(page)
                else:
                    page.body = pandoc(tutorials.fenced(languages.get(pathlib.Path(page.source).suffix, "text"), text.rstrip("\n")), "")
                self.dress(page)
                self.pages.append(page)

    # -- what is written

    def write(self) -> None:
        import layout
        layout.compose(self)
        for page in self.pages:
            place = self.folder / page.url
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(layout.page(self, page))
        index = {"pages": [[p.url, p.title, p.group or "Files"] for p in self.pages],
                 "parts": [[i, anchor, name, re.sub(r"\s+", " ", "".join(text)).strip()]
                           for i, p in enumerate(self.pages) for anchor, name, text in p.parts]}
        (self.folder / "search-index.js").write_text("window.onefoldIndex=" + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n")
        for name in ("style.css", "site.js"):
            shutil.copyfile(HERE / name, self.folder / name)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--keep", action="store_true", help="take tutorials from the last making where their text is the same")
    options.add_argument("--only", default="", help="run these tutorials alone; for work on them")
    given = options.parse_args()
    for need in (ONEFOLD, PYTHON):
        if not need.exists():
            raise SystemExit(f"{need} is not there: ./dev docs makes it")
    WORK.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(given.folder, ignore_errors=True)
    given.folder.mkdir(parents=True)
    site = Site(given.folder.resolve(), given.keep, [name for name in given.only.split(",") if name])
    site.fill()
    for page in list(site.pages):
        site.dress(page)
    site.files()
    site.write()
    print(f"{len(site.pages)} pages in {given.folder}")


if __name__ == "__main__":
    main()
