# SPDX-License-Identifier: Apache-2.0
"""Runs the tutorials. The fenced blocks of a tutorial are run in order, in a folder of its own, and
what they print stands below them on the page.

    ```sh          bash; the command, and the Python of the package, are found
    ```python      one Python for the whole tutorial; a last expression is shown, as at a prompt
    ```r           one R for the whole tutorial, likewise

A word after the language changes what is shown: `hidden` nothing, `quiet` no output, and `file=NAME`
writes the block to a file, which later blocks can run, and folds it away. A block that fails ends
the making of the site, so hidden blocks can hold what the text claims. `{{sh COMMAND}}` in the text
is what the command prints.
"""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess

LANGUAGES = {"sh": "bash", "python": "python", "r": "r"}
FENCE = re.compile(r"^```(sh|python|r)((?: [\w.=-]+)*)\n(.*?)^```$", re.M | re.S)
VALUE = re.compile(r"\{\{sh (.*?)\}\}")

PYTHON = r'''
import ast, os, sys, traceback
space = {"__name__": "__main__"}
answer = os.fdopen(os.dup(1), "w")
for line in sys.stdin:
    code, out = line.split()
    with open(out, "w") as file:
        os.dup2(file.fileno(), 1); os.dup2(file.fileno(), 2)
        status = "ok"
        try:
            tree = ast.parse(open(code).read())
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, "tutorial", "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "tutorial", "eval"), space)
                if value is not None:
                    print(repr(value))
        except BaseException:
            traceback.print_exc(); status = "failed"
        sys.stdout.flush(); sys.stderr.flush()
    print(status, file=answer, flush=True)
'''

R = r'''
options(width = 88)
waits <- file("stdin", "r")
repeat {
  line <- readLines(waits, 1)
  if (!length(line)) break
  words <- strsplit(line, " ")[[1]]
  to <- file(words[2], "w")
  sink(to); sink(to, type = "message")
  status <- "ok"
  tryCatch(withCallingHandlers({
    for (part in parse(words[1], keep.source = FALSE)) {
      value <- withVisible(eval(part, globalenv()))
      if (value$visible) print(value$value)
    }
  }, warning = function(w) {
    message("Warning: ", conditionMessage(w))
    invokeRestart("muffleWarning")
  }), error = function(e) {
    message("Error: ", conditionMessage(e))
    status <<- "failed"
  })
  sink(type = "message"); sink(); close(to)
  cat(status, "\n", sep = ""); flush(stdout())
}
'''


class Session:
    """The folder of a tutorial and the interpreters that are at work in it."""

    def __init__(self, folder: pathlib.Path, onefold: pathlib.Path, python: pathlib.Path, library: pathlib.Path) -> None:
        self.folder, self.python = folder.resolve(), python
        self.hidden = self.folder.parent / f".{folder.name}"
        for place in (self.folder, self.hidden):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        self.env = {**os.environ, "PATH": f"{onefold.parent}:{python.parent}:{os.environ['PATH']}", "R_LIBS": str(library),
                    "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", "MPLBACKEND": "Agg", "OMP_WAIT_POLICY": "passive"}
        self.running: dict[str, subprocess.Popen] = {}
        self.count = 0

    def _interpreter(self, language: str) -> subprocess.Popen:
        if language not in self.running:
            driver = self.hidden / f"driver.{language}"
            driver.write_text(PYTHON if language == "python" else R)
            words = [self.python, driver] if language == "python" else ["Rscript", "--vanilla", driver]
            self.running[language] = subprocess.Popen(words, cwd=self.folder, env=self.env, text=True,
                                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self.running[language]

    def run(self, language: str, code: str) -> str:
        """What the code prints; the end of everything where it fails."""
        self.count += 1
        if language == "sh":
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", code], cwd=self.folder, env=self.env, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            failed, said = done.returncode != 0, done.stdout
        else:
            source, out = self.hidden / f"{self.count}.{language}", self.hidden / f"{self.count}.out"
            source.write_text(code)
            process = self._interpreter(language)
            process.stdin.write(f"{source} {out}\n")
            process.stdin.flush()
            failed, said = process.stdout.readline().strip() != "ok", out.read_text() if out.exists() else ""
        if failed:
            raise SystemExit(f"a block of the tutorial {self.folder.name} failed:\n{code}\n{said}")
        return said.rstrip("\n").replace(f"{self.folder}/", "")

    def close(self) -> None:
        for process in self.running.values():
            process.stdin.close()
            process.wait()


def fenced(language: str, text: str) -> str:
    marks = "`" * max(3, 1 + max((len(m) for m in re.findall(r"`+", text)), default=0))
    return f"{marks}{language}\n{text}\n{marks}\n"


def run(text: str, session: Session) -> str:
    """The tutorial with the output of its blocks in it."""
    parts, last = [], 0

    def prose(piece: str) -> str:
        return VALUE.sub(lambda found: session.run("sh", found.group(1)), piece)

    for found in FENCE.finditer(text):
        parts.append(prose(text[last:found.start()]))
        last = found.end()
        language, words, code = found.group(1), found.group(2).split(), found.group(3)
        name = next((word[5:] for word in words if word.startswith("file=")), None)
        if name:
            (session.folder / name).write_text(code)
            parts.append(f"<details class=\"file\">\n<summary>{name}</summary>\n\n{fenced(LANGUAGES[language], code.rstrip())}\n</details>\n")
            continue
        said = session.run(language, code)
        if "hidden" in words:
            continue
        parts.append(fenced(LANGUAGES[language], code.rstrip()))
        if said and "quiet" not in words:
            parts.append("\n" + fenced("output", said))
    parts.append(prose(text[last:]))
    session.close()
    return "".join(parts)
