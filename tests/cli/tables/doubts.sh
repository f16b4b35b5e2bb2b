# SPDX-License-Identifier: Apache-2.0
# What a spreadsheet or a form left in a table, and may not be what it looks like: each has a line.
table t.csv ids=number head=MRN
doubt() { fitted "$1.csv" | sed '1d;/^data /d'; }
awk -F, -v OFS=, 'NR > 1 { $1 = sprintf("%05d", NR * NR) } { print }' t.csv >zeros.csv
doubt zeros
awk -F, -v OFS=, 'NR == 1 { $1 = "id,zip" } NR > 1 { $1 = "s" NR "," sprintf("%05d", 501 * (NR % 4)) } { print }' t.csv >codes.csv
doubt codes
onefold info codes.csv --as number zip | grep -c categories
awk -F, -v OFS=, 'NR == 1 { $1 = "id" } NR > 1 { $1 = "s" NR } { print } END { print "Mean,1,2,3,4,5,6\nSD,1,1,1,1,1,1" }' t.csv >totals.csv
doubt totals
awk -F, -v OFS=, 'NR == 1 { print ",Blood,,,Urine,,"; $1 = "id" } NR > 1 { $1 = "s" NR } { print }' t.csv >groups.csv
doubt groups
awk -F, -v OFS=, 'NR == 1 { $1 = "id" } NR > 1 { $1 = "s" NR } NR % 9 == 2 { $3 = -999 } NR % 8 == 2 { $5 = 9999 } { print }' t.csv >marks.csv
doubt marks
awk -F, -v OFS=, 'NR == 1 { $1 = "id"; print $0, "seen" } NR > 1 { $1 = "s" NR; print $0, 20240100 + NR }' t.csv >days.csv
doubt days
awk -F, -v OFS=, 'NR == 1 { $1 = "id,Gr\366\337e" } NR > 1 { $1 = "s\344" NR "," NR } { print }' t.csv >letters.csv
doubt letters
onefold fit letters.csv --clusters 3 -q --labels l.csv && sed -n 2p l.csv | cut -d, -f1 | od -An -tx1
awk -F, -v OFS=, 'NR == 1 { print "id,kind,g1,kind" } NR > 1 { print "s" NR, $2, $3, "k" NR % 3 }' t.csv >twice.csv
doubt twice
onefold fit twice.csv --clusters 3 -q --model m --labels l.csv
onefold predict m twice.csv -q --labels p.csv && cmp <(cut -d, -f1,2 l.csv) <(cut -d, -f1,2 p.csv) && echo "its model labels it as before"
awk -F, -v OFS=, 'NR == 1 { print "id,kind,g1,kind" } NR > 1 { print "s" NR, $2, $3, "note no " NR }' t.csv >notes.csv
onefold fit notes.csv --clusters 3 -q --model m --labels l.csv
onefold predict m notes.csv -q --labels p.csv && cmp <(cut -d, -f1,2 l.csv) <(cut -d, -f1,2 p.csv) && echo "and where the words are left out"
awk -F, -v OFS=, 'NR == 1 { print "id,g1,kind,kind=k9" } NR > 1 { print "s" NR, $2, "k" NR % 3, $4 }' t.csv >like.csv
onefold fit like.csv --clusters 3 -q --model m --labels l.csv
onefold predict m like.csv -q --labels p.csv && cmp <(cut -d, -f1,2 l.csv) <(cut -d, -f1,2 p.csv) && echo "and where a heading looks like a word of another"
