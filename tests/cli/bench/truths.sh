# SPDX-License-Identifier: Apache-2.0
# The truth that was used is named in text, JSON and page; two that disagree are refused.
made
python3 - <<'P'
import numpy as np
d = dict(np.load("made.npz"))
truth = d["Y"].ravel()
np.savez("mine.npz", labels=(truth + (np.arange(120) < 30)) % 4)
np.savez("same.npz", labels=(truth + 1) % 4)
np.savez("twice.npz", **d, gt=truth[::-1].copy())
P
bench() { onefold bench "$@" --methods avg-kkm --grid none --repeats 2 -q; }
bench made.npz | sed -n '3,4p'
bench made.npz --json | json 'd["data"]["truth"]'
bench made.npz --report page.html >/dev/null
python3 - <<'P'
import re, zlib, base64
page = open("page.html", encoding="utf-8").read()
print("named in the page:", "Y of made.npz" in page)
P
try bench mine.npz made.npz
try bench twice.npz
bench mine.npz made.npz --truth mine.npz:labels | sed -n '3,4p'
bench mine.npz made.npz --truth made.npz:Y | sed -n '3,4p'
bench same.npz made.npz | sed -n '3,4p' # the same groups under other numbers
