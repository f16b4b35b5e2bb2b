# SPDX-License-Identifier: Apache-2.0
# Figures computed by hand: clusters {4,1} and {1,4} of 10 samples in two classes of 5.
printf '0\n0\n0\n0\n1\n0\n1\n1\n1\n1\n' >labels.txt
printf 'a\na\na\na\na\nb\nb\nb\nb\nb\n' >truth.txt
onefold score labels.txt truth.txt
onefold score labels.txt truth.txt --json | python3 -c '
import json, math, sys
d = json.load(sys.stdin)
s = d["scores"]
information = 2 * 0.4 * math.log(0.4 / 0.25) + 2 * 0.1 * math.log(0.1 / 0.25)
print(d["samples"], d["clusters"], d["classes"])
print(s["acc"] == 0.8, s["purity"] == 0.8, abs(s["nmi"] - information / math.log(2)) < 1e-12)
# 12 of the 20 pairs of one cluster are of one class, of 20 in all; 45 pairs
expected = 20 * 20 / 45
print(abs(s["precision"] - 0.6) < 1e-12, abs(s["recall"] - 0.6) < 1e-12, abs(s["f"] - 0.6) < 1e-12)
print(abs(s["ari"] - (12 - expected) / (20 - expected)) < 1e-12)'
