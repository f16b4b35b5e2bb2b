# SPDX-License-Identifier: Apache-2.0
# What is assumed or left out is a line of the summary; tests/house/assumptions.sh has the list.
table rna.csv
table mirna.csv names=mir columns=4 order=3
awk -F, -v OFS=, 'NR == 1 { print $0, "born", "site", "note", "...1", "class", "cell_type", "g1" }
    NR > 1 { print $0, "19" 40 + NR "-01-02", "Ulm", "came " NR " times", NR, "k" NR % 3, "t" NR % 2, NR * NR % 7 }' rna.csv >all.csv
fitted all.csv
fitted all.csv --truth cell_type
fitted all.csv --no-truth
awk 'NR == 2 { print ",cm,cm,cm,kg,kg,kg" } { print }' rna.csv >units.csv
fitted units.csv
table truth.csv values=truth some=20
fitted rna.csv mirna.csv truth.csv
printf 'gene,a,b,c,d,e,f\ng1,1,2,3,9,8,7\ng2,2,1,2,8,9,9\ng3,1,1,1,7,7,8\n' >long.csv
printf 'x,y,z,u,v,w\n5,4,5,0,1,0\n0,0,1,5,4,5\n' >short.csv
fitted long.csv short.csv
