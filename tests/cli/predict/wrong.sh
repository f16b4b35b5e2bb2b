# SPDX-License-Identifier: Apache-2.0
# Data that does not fit the model, files that are no model, and models that are damaged.
tiny_files
onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --dims 2 --model tiny.model -q >/dev/null
cp a.csv c.csv && cp b.csv d.csv # under other names nothing tells which view is which
try onefold predict tiny.model c.csv
try onefold predict tiny.model d.csv c.csv
try onefold predict tiny.model a.csv b.csv classes.txt --truth classes.txt -q --labels out.txt
cat out.txt
try onefold predict a.csv a.csv b.csv
try onefold predict absent.model a.csv b.csv
try onefold predict absent.model a.csv b.csv --json
try onefold predict tiny.model
try onefold predict tiny.model a.csv absent.csv

echo "-- damaged models" >&2
head -c 100 tiny.model >short.model
try onefold predict short.model a.csv b.csv
python3 - <<'END'
bytes = bytearray(open("tiny.model", "rb").read())
bytes[200] ^= 1
open("odd.model", "wb").write(bytes)
bytes[200] ^= 1
bytes[8] = 9
open("newer.model", "wb").write(bytes)
END
try onefold predict odd.model a.csv b.csv
try onefold predict newer.model a.csv b.csv
try onefold info newer.model --json

echo "-- outputs" >&2
try onefold predict tiny.model a.csv b.csv --labels tiny.model
try onefold predict tiny.model a.csv b.csv --labels out.xyz
try onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --model a.csv
try onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --model x.npy --labels x.npy
try onefold fit --method os-lfmvc-cs a.csv b.csv --clusters 2 --model nowhere/x.model
try onefold fit a.csv b.csv --clusters 2 --method avg-kkm --model x.model
try onefold fit absent.csv --clusters 2 --method mkkm --model x.model --json
ls
