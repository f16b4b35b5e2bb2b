# SPDX-License-Identifier: Apache-2.0
# Every number of every table follows from results.csv; the figures are SVG and PDF, the tables LaTeX.
python3 -c 'import scipy' 2>/dev/null || { echo "scipy is not here"; exit 77; }
for i in 1 2 3 4 5 6; do
    onefold synth set$i.npz --samples $((50 + 10 * i)) --clusters 3 --separation 1.$i --seed $i -q
done
cat >six.json <<'J'
{"name": "Six sets & a_name", "repeats": 4, "replicates": 2, "restarts": 2,
 "methods": {"os-lfmvc-cs": "paper", "sb-kkm": "paper", "mkkm": "none", "fmkkm": "l1=2|4|8,l2=8|16"},
 "sets": [{"name": "A", "data": "set1.npz", "published": {"mkkm": {"acc": [50.5, 1], "nmi": 20}}},
          {"data": "set2.npz", "kernel": "linear"}, {"data": "set3.npz"}, {"data": ["set4.npz"]},
          {"data": "set5.npz", "truth": "Y"}, {"data": "set6.npz", "clusters": 4}]}
J
onefold experiment six.json --threads 1 >six.txt 2>six.err
sed -E 's/[0-9.]+ (s|min.*) left/T left/; s/took .* of it since the estimate of [^;]*/took T/' six.err
python3 "$ONEFOLD_SOURCE/tests/cli/experiment/recompute.py" six
grep -c . six.txt >/dev/null && head -3 six.txt
onefold experiment six.json --csv -q | cmp - six/results.csv && echo "the same CSV"
onefold experiment six.json --latex -q | cmp - six/tables.tex && echo "the same LaTeX"
for word in toprule midrule bottomrule 'textbf{' 'underline{' 'pm' 'Six sets \\& a\\_name'; do
    echo "$word: $(grep -q -- "$word" six/tables.tex && echo there)"
done
tr ',' '\n' <six/methods.tex | grep -o 'cite{[a-z0-9]*' | sed 's/cite{//' | sort | while read -r key; do
    grep -q "{$key," six/references.bib || echo "$key is not in references.bib"
done
python3 - <<'P'
import glob, re, xml.etree.ElementTree as tree
pages = sorted(glob.glob("six/figures/*.svg"))
for page in pages:
    words = "".join(tree.parse(page).getroot().itertext())
    pdf = open(page[:-3] + "pdf", "rb").read()
    start = int(re.search(rb"startxref\n(\d+)", pdf)[1])
    assert pdf.startswith(b"%PDF-1.4") and pdf[start:start + 4] == b"xref"
    for number, at in enumerate(re.findall(rb"(\d{10}) 00000 n", pdf), 1):
        assert pdf[int(at):].startswith(b"%d 0 obj" % number), (page, number)
    drawn = re.findall(rb"\((.*?)\) Tj", pdf)
    assert len(drawn) == len(list(tree.parse(page).getroot().iter("{http://www.w3.org/2000/svg}text")))
    print(page, "critical difference" in words, "mkkm" in words)
P
ls six six/pages
