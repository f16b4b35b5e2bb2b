# SPDX-License-Identifier: Apache-2.0
"""What pandas reads of a file of labels, as it is: python3 read_back.py labels.csv > read_back.pandas.txt"""
import sys

import pandas

table = pandas.read_csv(sys.argv[1])
print("pandas:", ", ".join(f"{name} {table[name].dtype}" for name in table))
print("pandas:", len(table), "rows,", table["cluster"].nunique(), "clusters, first", table["sample"][0])
