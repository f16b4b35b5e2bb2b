# SPDX-License-Identifier: Apache-2.0
"""What is around the text: the frame of every page, and the start page, the list of tutorials and the
gallery, which are put together here."""
from __future__ import annotations

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pictures
from tree import Node, Raw

GROUPS = ["Start", "Tutorials", "Guide", "Reference", "How it works", "Quality and speed", "Gallery", "Project"]
TOP = [("Install", "install.html"), ("Tutorials", "tutorials.html"), ("Guide", "docs/formats.html"), ("Reference", "reference/command.html"),
       ("How it works", "docs/method.html"), ("Quality and speed", "figures.html"), ("Gallery", "gallery.html")]
MARK = ('<svg class="mark" viewBox="0 0 32 32" aria-hidden="true" fill="none" stroke-width="3.4" stroke-linecap="round">'
        '<path stroke="#e69f00" d="M3 6c9 0 9 10 16 10"/><path stroke="#009e73" d="M3 26c9 0 9-10 16-10"/>'
        '<path stroke="#56b4e9" d="M3 16h14"/><path class="one" d="M19 16h10"/></svg>')


def esc(text: str) -> str:
    return html.escape(text)


# ---- the frame -----------------------------------------------------------------------------------

def page(site, one) -> str:
    from make import SHORT
    base = one.base

    def here(url: str) -> str:
        return ' aria-current="page"' if url == one.url else ""

    top = "".join(f'<a href="{base}{url}"{here(url)}{" class=on" if one.group == name or one.url == url else ""}>{name}</a>'
                  for name, url in TOP if any(p.url == url for p in site.pages))
    lists = []
    for group in GROUPS:
        rows = "".join(f'<li><a href="{base}{p.url}"{here(p.url)}>{esc(SHORT.get(p.url, p.title))}</a></li>' for p in site.pages if p.group == group)
        lists.append(f"<h2>{'Onefold' if group == 'Start' else group}</h2><ul>{rows}</ul>")
    listed = [p for p in site.pages if p.group in GROUPS]
    toc = [(level, anchor, name) for level, anchor, name in one.toc]
    if len(toc) > 40:
        toc = [row for row in toc if row[0] == 2]
    if one.kind == "python":  # where a name stands says what it belongs to
        toc = [(level, anchor, name.split(".")[-1]) for level, anchor, name in toc]
    contents = "".join(f'<li class="l{level}"><a href="#{anchor}">{esc(name)}</a></li>' for level, anchor, name in toc)
    aside = f'<nav class="toc" aria-label="On this page"><h2>On this page</h2><ul>{contents}</ul></nav>' if len(toc) > 1 and one.kind != "start" else ""
    around = ""
    if one in listed and one.kind != "start":
        at = listed.index(one)
        near = [(p, word) for p, word in ((listed[at - 1] if at else None, "Before"), (listed[at + 1] if at + 1 < len(listed) else None, "Next")) if p]
        around = '<nav class="around" aria-label="Pages before and after">' + "".join(
            f'<a class="{word.lower()}" href="{base}{p.url}"><span>{word}</span>{esc(SHORT.get(p.url, p.title))}</a>' for p, word in near) + "</nav>"
    where = f'<p class="where">{esc(one.group)}</p>' if one.group and one.group != "Start" and one.group != one.title else \
        '<p class="where">File</p>' if not one.group else ""
    head = "" if one.kind == "start" else f"{where}<h1>{esc(one.title)}</h1>"
    made = f"Made from <code>{esc(one.source)}</code> · " if one.source else ""
    title = "Onefold: one set of labels from several views" if one.kind == "start" else f"{one.title} · Onefold"
    about = re.sub(r"\s+", " ", one.lead)[:180] or one.title
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{esc(title)}</title>
<meta name="description" content="{esc(about)}">
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke-width='4' stroke-linecap='round'%3E%3Cpath stroke='%23e69f00' d='M3 6c9 0 9 10 16 10'/%3E%3Cpath stroke='%23009e73' d='M3 26c9 0 9-10 16-10'/%3E%3Cpath stroke='%230072b2' d='M3 16h26'/%3E%3C/svg%3E">
<link rel="stylesheet" href="{base}style.css">
<script>try {{ const t = localStorage.getItem('onefold-theme'); if (t === 'light' || t === 'dark') document.documentElement.dataset.theme = t; }} catch {{ }}</script>
<script defer src="{base}site.js" data-base="{base}"></script>
</head>
<body class="{one.kind or 'text'}">
<a class="skip" href="#main">To the text</a>
<header class="bar">
<a class="brand" href="{base}index.html">{MARK}<span>Onefold</span></a>
<nav class="top" aria-label="Parts of the site">{top}</nav>
<div class="do"><button type="button" id="find" aria-haspopup="dialog"><span>Search</span><kbd>/</kbd></button><button type="button" id="theme">Dark</button><a id="menu" href="#pages">Menu</a></div>
</header>
<div class="body">
<main id="main">{head}{one.before}<div class="prose">{one.body}</div>{around}</main>
{aside}
<nav class="side" id="pages" aria-label="All pages"><div class="lists">{''.join(lists)}</div></nav>
</div>
<footer>{made}Onefold {esc(version())} · Apache-2.0</footer>
</body>
</html>
"""


_version = ""


def version() -> str:
    global _version
    if not _version:
        from make import ONEFOLD
        _version = subprocess.run([ONEFOLD, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0].split()[-1]
    return _version


# ---- report pages --------------------------------------------------------------------------------

def reports(site) -> None:
    """The pages of the gallery: those of examples/pages.py, and those that the tutorials wrote."""
    from make import ONEFOLD, ROOT, WORK
    made, out = WORK / "pages", site.folder / "gallery"
    out.mkdir(parents=True, exist_ok=True)

    def run(*words, cwd=made):
        return subprocess.run([str(ONEFOLD), *words], cwd=cwd, check=True, capture_output=True, text=True).stdout

    if not (site.keep and (made / "done").exists()):
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        print("making the pages of the gallery", flush=True)
        digits = made / "digits.mat"
        shutil.copyfile(ROOT / "data" / "digits" / "digits.mat", digits)
        subprocess.run([sys.executable, ROOT / "examples" / "pages.py", ONEFOLD, made], check=True, stdout=subprocess.DEVNULL)
        alone = {}
        run("fit", "digits.mat", "--clusters", "10", "-q", "--labels", "l.csv", "--report", "digits.html")
        names = [view["name"] for view in pictures.Report(made / "digits.html").data["views"]]
        for number, name in enumerate(names, 1):
            alone[name] = json.loads(run("fit", "digits.mat", "--clusters", "10", "--views", str(number), "--json", "-q"))["scores"]["acc"]
        (made / "alone.json").write_text(json.dumps(alone))
        run("synth", "made.npz", "--samples", "600", "--views", "3", "--clusters", "5", "--seed", "3", "-q")
        run("choose", "made.npz", "--min", "2", "--max", "10", "-q", "--report", "choose.html")
        run("bench", "made.npz", "--methods", "onefold,os-lfmvc-cs,avg-kkm,mkkm,sb-kkm", "--repeats", "3", "-q", "--report", "bench.html")
        run("fit", "made.npz", "--clusters", "5", "-q", "--labels", "l.csv", "--model", "made.model")
        run("synth", "new.npz", "--samples", "900", "--views", "3", "--clusters", "5", "--seed", "3", "-q")
        run("predict", "made.model", "new.npz", "-q", "--labels", "l.csv", "--report", "predict.html")
        (made / "done").write_text("")
    told = [("digits", "Handwritten digits", "four descriptions of each image"), ("cells", "Cells", "RNA, proteins, and a view of noise"),
            ("patients", "Patients", "labs, vital signs, and a questionnaire that tells nothing"),
            ("two-fits", "Two fits side by side", "the default method and the paper's, on the digits"),
            ("choose", "How many clusters", "evidence for each number, and a suggestion"), ("bench", "Methods compared", "five methods on the same data"),
            ("predict", "New samples", "labelled by a saved model, with how sure it is")]
    for name, title, text in told:
        place = made / f"{name}.html"
        shutil.copyfile(place, out / place.name)
        site.gallery.append({"url": f"gallery/{name}.html", "title": title, "text": text, "report": pictures.Report(place)})
    for page_ in site.pages:
        if not page_.files or not page_.files.exists():
            continue
        to = site.folder / "tutorials" / page_.files.name
        linked = {node.attrs["href"].split("#")[0] for node in page_.body.all("a") if "href" in node.attrs}
        for place in sorted(page_.files.iterdir()):
            if any(href.endswith(f"tutorials/{page_.files.name}/{place.name}") for href in linked):
                to.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(place, to / place.name)
                if place.suffix == ".html":
                    report = pictures.Report(place)
                    more = "" if report.summary["kind"] == "fit" else ", two fits side by side" if "fits" in report.data else f", {report.summary['kind']}"
                    site.gallery.append({"url": f"tutorials/{page_.files.name}/{place.name}", "title": page_.title, "text": f"from the tutorial{more}",
                                         "report": report})


def many(count: int) -> str:
    return f"{count:,}".replace(",", " ") if count > 9999 else str(count)


def facts(report: pictures.Report) -> str:
    data = report.data
    if report.summary["kind"] == "fit":
        said = [f"{many(data['samples'])} samples", f"{len(data['views'])} views", f"{data['clusters']} clusters"]
        if data.get("scores"):
            said.append(f"NMI {data['scores']['nmi']:.2f}")
        return " · ".join(said)
    if report.summary["kind"] == "choose":
        return f"{data['samples']} samples · {data['suggested'] or 'no number'} suggested"
    if report.summary["kind"] == "bench":
        return f"{len(data['methods'])} methods · {data['data']['samples']} samples"
    if report.summary["kind"] == "predict":
        return f"{data['samples']} samples · {data['clusters']} clusters"
    return f"{many(data['fits'][0]['samples'])} samples · {len(data['fits'])} fits"


def card(url: str, picture: str, title: str, text: str, note: str) -> str:
    return (f'<a class="card" href="{url}"><span class="picture">{picture}</span><span class="words"><strong>{esc(title)}</strong>'
            f'<span>{esc(text)}</span><small>{esc(note)}</small></span></a>')


# ---- pages that are put together here ------------------------------------------------------------

def compose(site) -> None:
    reports(site)
    for one in site.pages:
        if one.kind == "gallery":
            one.lead = "Report pages of real fits: they are live, and work without a network."
            one.before = f'<p class="lead">Pages that <a href="reference/command.html#option-report"><code>--report</code></a> wrote while this site was made. Each is one file, live and whole: lasso samples, name clusters, colour by a column, keep what you found. <a href="docs/report.html">What is on them</a>.</p>'
            cards = "".join(card(g["url"], pictures.thumbnail(g["report"], g["title"]), g["title"], g["text"], facts(g["report"])) for g in site.gallery)
            one.body.children.append(Raw(f'<div class="cards">{cards}</div>'))
            one.parts = [["", one.title, [one.lead] + [f" {g['title']}: {g['text']}." for g in site.gallery]]]
        elif one.kind == "tutorials":
            one.lead = "Five tutorials, run when this site is made."
            one.before = '<p class="lead">Every command and every line of code on these pages was run when the site was made, and what stands below it is what it said. The data are made by the tutorial itself, or come with Onefold.</p>'
            one.body.children.append(Raw(f'<div class="cards">{tutorial_cards(site)}</div>'))
            one.parts = [["", one.title, [one.lead]]]
        elif one.kind == "start":
            start(site, one)


def tutorial_cards(site) -> str:
    out = []
    for one in site.pages:
        if one.kind != "tutorial":
            continue
        own = [g for g in site.gallery if g["url"].startswith(f"tutorials/{pathlib.Path(one.url).stem}/") and g["report"].pictures()]
        picture = pictures.thumbnail(own[0]["report"], one.title) if own else ""
        out.append(card(one.url, picture, one.title, one.lead.split(". ")[0].rstrip(".") + ".", facts(own[0]["report"]) if own else ""))
    return "".join(out)


def start(site, one) -> None:
    """The first paragraph of the README and a picture of what it says; then the rest of it."""
    for badges in [p for p in one.body.children if isinstance(p, Node) and p.tag == "p" and p.all("img") and not p.text().strip()]:
        one.body.children.remove(badges)
    first = next(p for p in one.body.children if isinstance(p, Node) and p.tag == "p")
    strong = next((c for c in first.children if isinstance(c, Node) and c.tag == "strong"), None)
    claim = strong.text().strip() if strong else "One set of labels from several views of the same samples."
    rest = "".join(str(c) if isinstance(c, Node) else esc(c) for c in first.children if c is not strong)
    one.body.children.remove(first)
    one.lead = claim
    digits = next(g for g in site.gallery if g["url"] == "gallery/digits.html")["report"]
    from make import WORK
    alone = json.loads((WORK / "pages" / "alone.json").read_text())
    small = []
    views = digits.data["views"]
    for i, view in enumerate(views):
        which = next((k for k, name in enumerate(digits.pictures()) if name.startswith(view["name"])), None)
        if which is not None:
            small.append(f'<figure>{pictures.scatter(digits, which, "The digits as " + view["name"] + " show them", size=300, dot=5)}'
                         f'<figcaption><b>{esc(view["name"])}</b> <span>alone {100 * alone[view["name"]]:.0f} %</span></figcaption></figure>')
    threads = "".join(f'<path d="M0 {y}C60 {y} 40 50 100 50" stroke-width="{8 * v["weight"]:.2f}"/>' for v, y in zip(views, (18, 39, 61, 82)))
    big = (f'<figure class="one">{pictures.scatter(digits, 0, "The digits in one picture, coloured by their cluster", size=480, dot=5)}'
           f'<figcaption><b>all four</b> <span>{100 * digits.data["scores"]["acc"]:.0f} % in their class</span></figcaption></figure>')
    one.before = f"""<section class="hero"><div class="say"><h1>{esc(claim)}</h1><p>{rest.strip()}</p>
<p class="go"><a class="button" href="install.html">Install</a><a class="button plain" href="tutorials.html">Tutorials</a><a class="button plain" href="gallery.html">Gallery</a></p></div>
<div class="fold"><div class="views">{''.join(small)}</div><svg class="threads" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true" fill="none">{threads}</svg>{big}
<p class="note">{digits.data['samples']} handwritten digits, which come with Onefold, in four descriptions; no label was used. Small pictures are the principal components of one description, the large one is a t-SNE of all four. Numbers: the share of digits that fall in the cluster of their class. <a href="gallery/digits.html">Open the page of this fit</a></p></div></section>
<section class="band" aria-labelledby="by-example"><h2 id="by-example">By example</h2><div class="cards">{tutorial_cards(site)}</div></section>"""
