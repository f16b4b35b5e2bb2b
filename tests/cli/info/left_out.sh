# SPDX-License-Identifier: Apache-2.0
# A column that is left out is named once, with the reason.
cat >people.csv <<'CSV'
id,height,weight,Name,born,country
p1,1.71,60,Ada Byron,1815-12-10,UK
p2,1.80,82,Alan Turing,1912-06-23,UK
p3,1.66,58,Grace Hopper,1906-12-09,UK
p4,1.75,71,John Backus,1924-12-03,UK
p5,1.69,64,Jean Bartik,1924-12-27,UK
p6,1.83,90,Edsger Dijkstra,1930-05-11,UK
CSV
onefold info people.csv | sed -n '/^found/,/^a fit/p' | grep -v '^a fit'
onefold info people.csv --json | json '[n for n in d["notes"] if "Name" in n or "born" in n or "country" in n]'
