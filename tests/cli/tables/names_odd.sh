# SPDX-License-Identifier: Apache-2.0
# Ids come back as they were from tables of labels, quoted where they must be; what a spreadsheet would run
# as a formula is guarded where that is asked for; and nothing of an id is obeyed by a terminal.
python3 -c 'import numpy' 2>/dev/null || { echo "numpy is missing" && exit 77; }
command -v script >/dev/null || { echo "script is not installed"; exit 77; }
cat >odd.py <<'PYTHON'
import csv, subprocess, numpy
ids = ["=1+2", "+a", "-b", "@c", "a,b", 'q"q', " lead", "x;y", "#hash", "'quoted", "1e5", "007",
       "n\u00ef\u4e16", "right\u202eleft", "c1\u009b31m", "zero\u200bwidth", '""', "a" * 200, "-1", "\uff1d1+2", "\uff0ba", "\uff0db", "\uff20c", "  =d"]
x = numpy.array([[i % 2 * 9 + i * .01, i % 2 * 5 - i * .02] for i in range(len(ids))])
numpy.savez("odd.npz", X=x, sample_names=numpy.array(ids))
fit = ["onefold", "fit", "odd.npz", "--clusters", "2", "--method", "os-lfmvc-cs"]

def names(text, mark):
    return [row[0] for row in csv.reader(text.splitlines(), delimiter=mark)][1:]

for end, mark in (("csv", ","), ("tsv", "\t")):
    for guard in ([], ["--guard"]):
        subprocess.run([*fit, "-q", "--labels", "l." + end, *guard], check=True)
        got = names(open("l." + end, newline="").read(), mark)
        print(end, guard, got == ids, [b for a, b in zip(ids, got) if a != b])
    subprocess.run(["onefold", "convert", "odd.npz", "back." + end, "-q"], check=True)
    print("converted", names(open("back." + end, newline="").read(), mark) == ids)
for words in (["-q", "--labels", "-"], ["-q", "--labels", "-", "--guard"]):
    got = names(subprocess.run([*fit, *words], capture_output=True, text=True, check=True).stdout, ",")
    print(words, [(b) for a, b in zip(ids, got) if a != b])
subprocess.run([*fit, "-q", "--labels", "l.csv"], check=True)
subprocess.run(["onefold", "convert", "back.csv", "again.npz", "-q"], check=True)
print("read again", list(numpy.load("again.npz")["sample_names"]) == ids)
PYTHON
LC_ALL=C.UTF-8 python3 odd.py
onefold score l.csv l.csv | sed -n 2p
# Names of files, columns and samples on a terminal, in messages, and in JSON
bad=$'e\e[31m\xc2\x9b31m\xe2\x80\xae\xff.csv'
printf 'id,x\n\xe2\x80\xaea,0\nb,1\nc,9\nd,8\n' >"$bad"
LC_ALL=C.UTF-8 TERM=xterm NO_COLOR=1 script -qec "onefold fit '$bad' --clusters 2 --progress never --names; onefold fit '$bad' --clusters 9 --progress never; onefold info './$bad' --progress never; onefold bench '$bad' --clusters 2 --methods avg-kkm --repeats 1 --grid none -q; onefold fit '$bad' --clusters 2 --progress never --json; onefold info 'no$bad' --progress never --json" /dev/null </dev/null >seen
python3 - <<'PYTHON'
text = open("seen", "rb").read().replace(b"\r\n", b"\n")
bad = [c for c in (b"\x1b", b"\xc2\x9b", b"\xe2\x80\xae", b"\xff", b"\x7f") if c in text]
print("obeyed:", bad, "written out:", b"\\x1b[31m\\u009b31m\\u202e" in text, b"\\u202ea" in text, text.count(b"\\xff") > 3)
PYTHON
# A line break in a name does not begin a line: in messages of every verb, in tables, and in what is suggested.
printf 'id,x\na,0\nb,1\nc,9\nd,8\n' >$'l\nonefold: all is well\r\e[31m.csv'
bad=$'l\nonefold: all is well\r\e[31m'
for words in "info $bad.csv" "info no$bad.csv" "fit $bad.csv --clusters 2" "fit $bad.csv --clusters 2 --embedding $bad/x.csv" \
    "fit $bad.csv --clusters 2 --labels $bad.x" "fit $bad.csv --clusters 2 --labels s.npy --embedding ./s.npy --kernel $bad" \
    "fit $bad.csv --clusters $bad" "fit $bad.csv --clu$bad" "$bad" "convert $bad.csv $bad.npz" "score $bad.csv no$bad" \
    "predict $bad $bad.csv" "report $bad.json x.html" "choose no$bad.csv" "fit $bad.csv --clusters 2 --truth $bad" \
    "bench $bad.csv --clusters 2 --methods avg-kkm --repeats 1 --grid none" "synth $bad/x.npz"; do
    python3 - "$words" "$bad" <<'PYTHON'
import subprocess, sys
words, bad = sys.argv[1:]
words = [w.replace("@", bad) for w in words.replace(bad, "@").split(" ")]
ran = subprocess.run(["onefold", *words], capture_output=True)
text = ran.stdout + ran.stderr
raw = [line for line in text.split(b"\n") if line.startswith((b"onefold: all", b"\x1b"))] + [c for c in (b"\r", b"\x1b") if c in text]
print(words[0] if "\n" not in words[0] else "no verb", ran.returncode, "raw:", raw, "shown:", b"\\x0aonefold: all is well\\x0d\\x1b" in text)
PYTHON
done
