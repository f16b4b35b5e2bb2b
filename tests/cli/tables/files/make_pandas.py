# SPDX-License-Identifier: Apache-2.0
"""Tables as pandas writes them, in every variant of names and numbers: python3 make_pandas.py FOLDER"""
import sys

import numpy
import pandas

out = sys.argv[1] + "/"
rng = numpy.random.default_rng(7)
n, d = 24, 5
kind = numpy.arange(n) % 3
values = numpy.round(rng.normal(0, 6, (3, d))[kind] + rng.normal(0, 0.2, (n, d)), 3)
ids = [f"S{j:02d}" for j in range(n)]
genes = ["TP53", "BRCA1", "EGFR", "MYC", "KRAS"]
entrez = [7157, 672, 1956, 4609, 3845]
order = rng.permutation(n)
pandas.DataFrame(values).to_csv(out + "plain.csv")
pandas.DataFrame(values).to_csv(out + "plain_noindex.csv", index=False)
pandas.DataFrame(values, columns=genes).to_csv(out + "named.csv")
pandas.DataFrame(values, columns=genes).to_csv(out + "named_noindex.csv", index=False)
pandas.DataFrame(values, index=ids, columns=genes).to_csv(out + "ids.csv")
pandas.DataFrame(values, index=ids).to_csv(out + "ids_counted.csv")
pandas.DataFrame(values, index=pandas.Index(ids, name="sample_id"), columns=entrez).to_csv(out + "entrez.csv")
pandas.DataFrame(values, index=pandas.Index(range(500, 500 + n), name="patient"), columns=genes).to_csv(out + "numbers.csv")
pandas.DataFrame(values, index=ids, columns=genes).iloc[order].to_csv(out + "shuffled.csv")
pandas.DataFrame(values, index=ids, columns=genes).reset_index().to_csv(out + "reset.csv", index=False)
pandas.DataFrame(values, index=ids, columns=genes).reset_index().to_csv(out + "twice.csv")
pandas.DataFrame(values, index=ids, columns=genes).T.to_csv(out + "transposed.csv")
pandas.DataFrame(values, index=ids, columns=genes).to_csv(out + "semicolon.csv", sep=";", decimal=",")
pandas.DataFrame(values, index=ids, columns=genes).to_csv(out + "comma.tsv", sep="\t", decimal=",")
gaps = pandas.DataFrame(values, index=ids, columns=genes)
gaps.iloc[3] = numpy.nan
gaps.to_csv(out + "gaps.csv")
gaps.to_csv(out + "gaps_marked.csv", na_rep="<NA>")
truth = pandas.DataFrame({"type": [f"type {k}" for k in kind], "batch": kind % 2 + 1}, index=ids)
truth.iloc[order].to_csv(out + "meta.csv")
