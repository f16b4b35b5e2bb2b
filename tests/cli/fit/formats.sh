# SPDX-License-Identifier: Apache-2.0
# Every format holds the same labels and the same embedding.
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q >plain.txt
for ending in npy csv tsv txt mat npz; do
    fused=fused.${ending/npz/npy}
    onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q --labels labels.$ending --embedding ${fused/tsv/csv}
    onefold score labels.$ending plain.txt --json | json 'd["samples"], d["scores"]["acc"]'
done
python3 - <<'END'
import ast, csv, struct

def npy(path):
    raw = open(path, "rb").read()
    assert raw[:6] == b"\x93NUMPY"
    length = struct.unpack("<H", raw[8:10])[0]
    head = ast.literal_eval(raw[10:10 + length].decode())
    kind = {"<i4": "i", "<f8": "d"}[head["descr"]]
    body = raw[10 + length:]
    assert not head["fortran_order"]
    return head["shape"], list(struct.unpack("<%d%s" % (len(body) // struct.calcsize(kind), kind), body))

plain = [int(line) for line in open("plain.txt")]
rows = list(csv.reader(open("labels.csv")))
tabs = list(csv.reader(open("labels.tsv"), delimiter="\t"))
print(rows[0], tabs == rows, [row[0] for row in rows[1:4]])
print([int(row[1]) for row in rows[1:]] == plain, [int(line) for line in open("labels.txt")] == plain)
shape, labels = npy("labels.npy")
print(shape, labels == plain)
shape, fused = npy("fused.npy")
rows = list(csv.reader(open("fused.csv")))
text = [float(cell) for row in rows[1:] for cell in row[1:]]
print(shape, fused == text, rows[0][:3], [row[0] for row in rows[1:4]])
END
onefold convert fused.mat again.csv -q --samples-are rows
tail -n +2 fused.csv | cut -d, -f2- | cmp - again.csv && echo mat
