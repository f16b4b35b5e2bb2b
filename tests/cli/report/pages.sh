# SPDX-License-Identifier: Apache-2.0
# onefold report: the page of a fit's JSON, or of two; what it refuses leaves nothing behind.
made
onefold fit made.npz --clusters 4 --json >four.json
onefold fit made.npz --clusters 3 --json >three.json
onefold synth other.npz --samples 80 --clusters 3 -q
onefold fit other.npz --clusters 3 --json >other.json
onefold fit none.npz --clusters 3 --json >error.json
onefold report four.json one.html
onefold report four.json three.json both.html -q
grep -c '"kind":"fit"' one.html
grep -c '"kind":"compare"' both.html
rm one.html both.html
try onefold report four.json other.json out.html
try onefold report error.json out.html
try onefold report made.npz out.html
try onefold report none.json out.html
try onefold report four.json out.txt
try onefold report four.json four.json
try onefold report four.json
try onefold report four.json three.json other.json out.html
ls
