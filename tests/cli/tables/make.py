#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a table of 30 samples in three clusters far apart, as people and programs write them.

    make.py OUT [NAME=VALUE...]

columns=6     columns of numbers
names=g       what they are called: g1, g2, ...; `count` is 0, 1, 2, ...; `entrez` is 1001, 1008, ...; `none` no header
order=0       the samples' order: 0 as they are, else shuffled by this number
some=30       only so many of them, the first of that order
ids=text      text (P01-A), number (5017), index (0, 1, 2, ... of the order) or none
head=id       what the column of ids is called
side=rows     or columns
short=no      yes: the header has a field less, as R writes it
sep=,         between fields (tab for a tabulator)
point=.       the decimal point
values=       truth: classes a, b, c; number: classes 1, 2, 3; present: zeros and ones
label=no      yes: a last column `label` of the class
"""
import random
import sys

o = dict(columns="6", names="g", order="0", some="30", ids="text", head="id", side="rows", short="no",
         sep=",", point=".", values="", label="no", seed="")
out = sys.argv[1]
o.update(a.split("=", 1) for a in sys.argv[2:])
sep = "\t" if o["sep"] == "tab" else o["sep"]
samples = list(range(30))
ids = {"text": [f"P{j:02d}-A" for j in samples], "number": [str(5000 + j * 37 % 101) for j in samples]}
order = samples[:]
if o["order"] != "0":
    random.Random(int(o["order"])).shuffle(order)
order = order[: int(o["some"])]
d = int(o["columns"])
rnd = random.Random(o["seed"] or o["names"] + str(d))
centre = [[rnd.gauss(0, 8) for _ in range(d)] for _ in range(3)]
value = [[rnd.gauss(c, 0.3) for c in centre[j % 3]] for j in samples]
text = [[f"{v:.3f}".replace(".", o["point"]) for v in row] for row in value]
names = ([str(c) for c in range(d)] if o["names"] == "count" else
         [str(1001 + 7 * c) for c in range(d)] if o["names"] == "entrez" else
         [f"{o['names']}{c + 1}" for c in range(d)])
if o["values"] == "truth":
    names, text = ["label"], [["abc"[j % 3]] for j in samples]
elif o["values"] == "number":
    names, text = ["label"], [[str(j % 3 + 1)] for j in samples]
elif o["values"] == "present":
    names, text = ["first", "second"], [["1", "01"[j % 4 > 0]] for j in samples]
if o["label"] == "yes":
    names, text = names + ["label"], [row + ["abc"[j % 3]] for j, row in enumerate(text)]
if o["ids"] == "none":
    rows = [names] + [text[j] for j in order]
else:
    own = {"index": [str(i) for i in range(30)]}.get(o["ids"])
    rows = [[o["head"]] + names]
    rows += [[own[i] if own else ids[o["ids"]][j]] + text[j] for i, j in enumerate(order)]
if o["side"] == "columns":
    rows = [list(line) for line in zip(*rows)]
if o["short"] == "yes":
    rows[0] = rows[0][1:]
if o["names"] == "none":
    rows = rows[1:]
with open(out, "w") as file:
    file.writelines(sep.join(row) + "\n" for row in rows)
