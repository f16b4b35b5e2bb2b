# SPDX-License-Identifier: Apache-2.0
# Pages and layouts appear where they are asked for, whole or not at all; what cannot be is refused
# before the fit. What is on the pages is tested in a browser (web/report/test).
onefold synth made.npz --samples 90 --clusters 3 -q
onefold fit made.npz --clusters 3 -q --labels labels.csv --report page.html --layout places.csv
grep -c "Content-Security-Policy" page.html
grep -o '"kind":"fit"' page.html
wc -l <places.csv
head -n 1 places.csv | tr ',' '\n' | wc -l
printf 'id,a,b\n' >named.csv
for i in 1 2 3 4 5 6; do echo "cell $i,$((i % 2 * 9)).$i,$((i % 2 * 5)).$i"; done >>named.csv
onefold fit named.csv --clusters 2 -q --labels labels.csv --layout named_places.csv
cut -d, -f1 named_places.csv
head -n 1 named_places.csv
rm named.csv named_places.csv
onefold choose made.npz --max 4 -q --report choose.html >table.txt
grep -o '"kind":"choose"' choose.html
cp page.html before.html
try onefold fit made.npz --clusters 3 -q --report nowhere/page.html
try onefold fit made.npz --clusters 3 -q --report page.txt
try onefold fit made.npz --clusters 3 -q --report .
try onefold fit made.npz --clusters 300 -q --report page.html
try onefold fit made.npz --clusters 3 -q --labels page.html.csv --layout page.html.csv
cmp page.html before.html && ls
