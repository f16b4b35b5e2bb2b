# SPDX-License-Identifier: Apache-2.0
# Labels on standard output, devices and pipes; tables of numbers with a header and ids.
printf 'id,x,y\n' >named.csv
for i in 1 2 3 4 5 6; do echo "s$i,$((i % 2 * 9)).$i,$((i % 2 * 5)).$i"; done >>named.csv
fit() { onefold fit named.csv --clusters 2 --method os-lfmvc-cs -q "$@"; }
fit --labels l.csv --embedding e.csv --parts p.csv --layout y.csv && cut -d, -f1 e.csv | diff - <(cut -d, -f1 l.csv) && head -n 1 e.csv p.csv y.csv
fit --labels - | diff - l.csv && echo "the same on standard output"
fit --labels /dev/stdout | diff - l.csv && echo "and by its other name"
fit --labels /dev/null && echo "a device"
fit --labels >(cat >through.csv) && wait $! && diff through.csv l.csv && echo "a pipe of the shell's"
mkfifo pipe pipe.txt
cat pipe >piped.csv & fit --labels pipe && wait && diff piped.csv l.csv && echo "a pipe by name"
cat pipe.txt >piped.txt & fit --labels pipe.txt && wait && cut -d, -f2 l.csv | tail -n +2 | diff - piped.txt && echo "bare by its ending"
press INT fit+1 onefold fit named.csv --clusters 2 --method os-lfmvc-cs -q --labels pipe 2>said
echo "nobody reads: $? $(cat said)"
fit --labels l.csv --model m.ofm
onefold predict m.ofm named.csv -q --labels p.csv
onefold predict m.ofm named.csv -q --labels >(cat >through.csv) && wait $! && diff through.csv p.csv && echo "predicted through a pipe"
onefold predict m.ofm named.csv -q --labels - | diff - p.csv && echo "and on standard output"
try fit --labels - --json
try onefold predict model.ofm named.csv --labels nowhere
ls -A
# On a terminal bare labels are shown where nothing else was asked for, or by --labels -.
command -v script >/dev/null || { echo "script is not installed"; exit 77; }
on_terminal() { script -qec "onefold fit named.csv --clusters 2 --method os-lfmvc-cs --progress never $*" /dev/null </dev/null | tr -d '\r' | grep -cE '^[01]$|^s[1-6],'; }
echo "labels on a terminal: $(on_terminal) $(on_terminal --report r.html) $(on_terminal --model m.ofm) $(on_terminal --json) $(on_terminal --report r.html --labels -)"
script -qec "onefold fit named.csv --clusters 2 --method os-lfmvc-cs --progress never --report r.html" /dev/null </dev/null | grep ^labels | tr -d '\r'
fit --report r.html | wc -l
