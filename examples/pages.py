#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes two small data sets, one of cells and one of patients, and the report page of each.

usage: pages.py ONEFOLD FOLDER

ONEFOLD is the command. FOLDER gets the tables, cells.html, patients.html and, from the bundled
digits, digits.html and two-fits.html. The data are drawn here, with a fixed seed: nobody was measured.
"""
import csv
import math
import pathlib
import random
import subprocess
import sys

GENES = {  # markers of each kind of cell
    "T cell": ["CD3D", "CD3E", "CD2", "IL7R", "TRAC", "LTB"],
    "B cell": ["MS4A1", "CD79A", "CD79B", "CD19", "BANK1", "HLA-DRA"],
    "NK cell": ["GNLY", "NKG7", "KLRD1", "PRF1", "GZMB", "FCGR3A"],
    "monocyte": ["LYZ", "CD14", "S100A8", "S100A9", "FCN1", "VCAN"],
    "dendritic cell": ["FCER1A", "CLEC10A", "CD1C", "HLA-DQA1", "CST3", "ITGAX"],
}
PROTEINS = {
    "T cell": ["CD3", "CD5"], "B cell": ["CD19", "CD20"], "NK cell": ["CD56", "CD16"],
    "monocyte": ["CD14", "CD11b"], "dendritic cell": ["CD11c", "CD1c"],
}
SHARES = {"T cell": 0.38, "B cell": 0.2, "NK cell": 0.16, "monocyte": 0.18, "dendritic cell": 0.08}

LABS = ["creatinine (umol/L)", "urea (mmol/L)", "potassium (mmol/L)", "C-reactive protein (mg/L)",
        "white blood cells (10^9/L)", "haemoglobin (g/L)", "platelets (10^9/L)", "ALT (U/L)", "bilirubin (umol/L)"]
VITALS = ["systolic blood pressure (mmHg)", "diastolic blood pressure (mmHg)", "heart rate (1/min)",
          "temperature (C)", "oxygen saturation (%)", "breaths (1/min)"]
ANSWERS = [f"question {i:02d}" for i in range(1, 11)]  # on diet: nothing to do with the disease
USUAL = {"creatinine (umol/L)": (80, 15), "urea (mmol/L)": (5, 1.2), "potassium (mmol/L)": (4.2, 0.3),
         "C-reactive protein (mg/L)": (6, 4), "white blood cells (10^9/L)": (7, 1.5), "haemoglobin (g/L)": (140, 12),
         "platelets (10^9/L)": (250, 50), "ALT (U/L)": (28, 9), "bilirubin (umol/L)": (10, 3),
         "systolic blood pressure (mmHg)": (125, 12), "diastolic blood pressure (mmHg)": (78, 8),
         "heart rate (1/min)": (74, 9), "temperature (C)": (36.8, 0.3), "oxygen saturation (%)": (97, 1.2),
         "breaths (1/min)": (15, 2)}
SHIFTS = {  # in standard deviations
    "renal": {"creatinine (umol/L)": 5, "urea (mmol/L)": 4, "potassium (mmol/L)": 2.5, "haemoglobin (g/L)": -1.5,
              "systolic blood pressure (mmHg)": 2, "diastolic blood pressure (mmHg)": 1.5},
    "infection": {"C-reactive protein (mg/L)": 6, "white blood cells (10^9/L)": 4, "temperature (C)": 4,
                  "heart rate (1/min)": 2.5, "breaths (1/min)": 2.5, "oxygen saturation (%)": -2},
    "hepatic": {"ALT (U/L)": 5, "bilirubin (umol/L)": 5, "platelets (10^9/L)": -2},
    "well": {},
}


def write(path, head, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


def make_cells(folder, count=900):
    draw = random.Random(1)
    kinds = draw.choices(list(SHARES), list(SHARES.values()), k=count)
    ids = ["".join(draw.choice("ACGT") for _ in range(16)) + "-1" for _ in range(count)]
    genes = [(f"ENSG{100000 + 37 * i:011d}_{gene}", kind) for i, (kind, gene) in
             enumerate((k, g) for k, list_ in GENES.items() for g in list_)]
    genes += [(f"ENSG{200000 + 41 * i:011d}_RPL{i}", None) for i in range(1, 21)]
    proteins = [(name, kind) for kind, names in PROTEINS.items() for name in names]
    def level(kind, own, depth):
        base = 2.2 if own == kind else 0.5 if own else 1.6
        return round(math.log1p(max(0.0, draw.gauss(base * 2 * depth, 1.3))), 4)
    rna, adt, plate = [], [], []
    for cell, kind in zip(ids, kinds):
        depth = draw.uniform(0.6, 1.4)
        rna.append([cell] + [level(kind, own, depth) for _, own in genes])
        adt.append([cell] + [round(draw.gauss(3.2 if own == kind else 1.2, 0.6), 4) for _, own in proteins])
        plate.append([cell] + [round(draw.gauss(0, 1), 4) for _ in range(8)])
    write(folder / "rna.csv", ["cell"] + [name for name, _ in genes], rna)
    write(folder / "protein.csv", ["cell"] + [name for name, _ in proteins], adt)
    write(folder / "plate.csv", ["cell"] + [f"well reading {i}" for i in range(1, 9)], plate)
    write(folder / "cell-types.csv", ["cell", "cell type"], zip(ids, kinds))


def make_patients(folder, count=400):
    draw = random.Random(2)
    kinds = draw.choices(list(SHIFTS), [0.25, 0.3, 0.15, 0.3], k=count)
    ids = [f"patient-{i:04d}" for i in range(1, count + 1)]
    def value(kind, name):
        mean, spread = USUAL[name]
        return round(mean + spread * (SHIFTS[kind].get(name, 0) * draw.uniform(0.5, 1.2) + draw.gauss(0, 1)), 2)
    for name, columns in (("labs", LABS), ("vitals", VITALS)):
        write(folder / f"{name}.csv", ["patient"] + columns,
              [[one] + [value(kind, c) for c in columns] for one, kind in zip(ids, kinds)])
    write(folder / "questionnaire.csv", ["patient"] + ANSWERS,
          [[one] + [round(draw.gauss(3, 1), 2) for _ in ANSWERS] for one in ids])
    write(folder / "diagnoses.csv", ["patient", "diagnosis"], zip(ids, kinds))


def main():
    onefold, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    digits = pathlib.Path(__file__).resolve().parent.parent / "data" / "digits" / "digits.mat"
    folder.mkdir(parents=True, exist_ok=True)
    make_cells(folder)
    make_patients(folder)

    def run(*words):
        print("$ onefold", *words, flush=True)
        subprocess.run([onefold, *words, "-q"], cwd=folder, check=True)
    run("fit", "rna.csv", "protein.csv", "plate.csv", "--clusters", "5", "--truth", "cell-types.csv",
        "--labels", "cells-labels.csv", "--report", "cells.html")
    run("fit", "labs.csv", "vitals.csv", "questionnaire.csv", "--clusters", "4", "--truth", "diagnoses.csv",
        "--labels", "patients-labels.csv", "--report", "patients.html")
    run("fit", str(digits), "--clusters", "10", "--labels", "digits-labels.csv", "--report", "digits.html")
    for name, method in (("default", "onefold"), ("paper", "os-lfmvc-cs")):
        words = ["fit", str(digits), "--clusters", "10", "--method", method, "--json"]
        print("$ onefold", *words, ">", f"{name}.json", flush=True)
        with open(folder / f"{name}.json", "wb") as file:
            subprocess.run([onefold, *words], cwd=folder, check=True, stdout=file)
    run("report", "default.json", "paper.json", "two-fits.html")


if __name__ == "__main__":
    main()
