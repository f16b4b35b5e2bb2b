# SPDX-License-Identifier: Apache-2.0
# --clusters auto takes the number that choose suggests, and says so; nothing is fitted where there is nothing.
made
onefold fit made.npz --clusters auto --labels l.csv --json | json 'd["clusters"], d["finding"]["verdict"], len(d["stability"])'
onefold fit made.npz --clusters auto --labels l.csv 2>&1 | grep -E '^(clusters|finding)'
onefold synth none.npz --samples 120 --views 2 --separation 0 -q
try onefold fit none.npz --clusters auto --labels l.csv -q
onefold fit none.npz --clusters 3 --labels l.csv | head -2
try onefold fit made.npz --clusters auto --method avg-kkm --labels l.csv
try onefold fit made.npz --clusters automatic
