#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# seeds.sh ONEFOLD FOLDER: small whole inputs for every target to start from, in FOLDER/TARGET.
set -euo pipefail
onefold=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
sources=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for target in $(sed -n 's/^    TARGET(\([a-z0-9_]*\)).*/\1/p' "$sources/fuzz/targets.h"); do
    mkdir -p "$out/$target"
done
make() { "$onefold" synth "$@" --samples 12 --clusters 2 --columns 3 -q; }
# seed TARGET NAME BYTES...: the bytes of printf, then standard input.
seed() { { printf "$3"; cat; } >"$out/$1/$2"; }

make v.csv --views 1 && seed csv plain '\0' <v.csv
tr , '\t' <v.csv | seed csv tabs '\0'
tr , ';' <v.csv | tr . , | seed csv commas '\1'
printf 'id,group,a,b\ns1,x,1,2\ns2,y,3,4\ns3,x,,5\n"s,4",y,NA,6\n' | seed csv words '\4'
printf 'g,c1,c2,c3\nA,1,2,3\nB,0,1e3,-2\n' | seed csv across '\2'
printf '1-Mar,2,"x\n'"y"'",nan\n#N/A,1e999,0x1p3,-inf\n' | seed csv odd '\20'
gzip -nc v.csv | seed gz whole '\0'
seed gz packed '\1\0' <v.csv
seed gz cut '\1\7' <v.csv
make s.mtx --views 1 --density 0.5 && seed mtx sparse '\0' <s.mtx
printf '%%%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n' | seed mtx array '\0'
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 4\n' | seed mtx pattern '\0'
make d.npy --views 1 && seed npy plain '\0' <d.npy
seed npy passed '\200' <d.npy
for ending in npz mat; do
    target=${ending/mat/mat5}
    make two.$ending --views 2 && seed $target dense '\0' <two.$ending
    make two.$ending --views 2 --density 0.5 && seed $target sparse '\0' <two.$ending
    make two.$ending --views 2 --missing 0.3 && seed $target missing '\4' <two.$ending
done
for name in 1 2; do
    make $name.mat --views $name && tail -c +129 $name.mat | seed mat5z $name '\0\0'
    tail -c +129 $name.mat | seed mat5z $name-cut '\0\5'
done
seed mat5 digits '\0' < <(head -c 3000 "$sources/data/digits/digits.mat")

if /usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null; then
    /usr/bin/python3 - <<'PYTHON'
import h5py, numpy as np
rng = np.random.default_rng(0)
def text(s): return np.array([ord(c) for c in s], "uint16")[:, None]
with h5py.File("v73.mat", "w", userblock_size=512) as f:
    for name, array in (("X1", rng.normal(size=(3, 8))), ("X2", rng.normal(size=(2, 8)))):
        f.create_dataset(name, data=array).attrs["MATLAB_class"] = np.bytes_("double")
    f.create_dataset("gt", data=np.arange(8.0)[None] % 2).attrs["MATLAB_class"] = np.bytes_("double")
    cell = f.create_group("#refs#")
    refs = [cell.create_dataset(k, data=rng.normal(size=(2, 8))).ref for k in "ab"]
    f.create_dataset("X", data=np.array(refs, h5py.ref_dtype)[:, None]).attrs["MATLAB_class"] = np.bytes_("cell")
with open("v73.mat", "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file".ljust(124, b" ") + b"\0\2IM")
def encoded(place, name, kind, version, value=None, **more):
    made = place.create_group(name) if value is None else place.create_dataset(name, data=value, **more)
    made.attrs["encoding-type"], made.attrs["encoding-version"] = kind, version
    return made
def frame(place, name, names):
    made = encoded(place, name, "dataframe", "0.2.0")
    made.attrs["_index"] = "_index"
    encoded(made, "_index", "string-array", "0.2.0", names, dtype=h5py.string_dtype())
    return made
def cells(place, count, columns, sparse):
    place.attrs["encoding-type"], place.attrs["encoding-version"] = "anndata", "0.1.0"
    dense = rng.normal(size=(count, columns)).astype("f4") * (rng.random((count, columns)) < .5)
    if sparse:
        x = encoded(place, "X", sparse + "_matrix", "0.1.0")
        x.attrs["shape"] = [count, columns]
        lines = dense if sparse == "csr" else dense.T
        x["data"], x["indices"] = lines[lines != 0], np.nonzero(lines)[1].astype("i4")
        x["indptr"] = np.cumsum([0] + [int((line != 0).sum()) for line in lines]).astype("i4")
    else:
        encoded(place, "X", "array", "0.2.0", dense, compression="gzip")
    obs = frame(place, "obs", [f"cell{i}" for i in range(count)])
    frame(place, "var", [f"gene{i}" for i in range(columns)])
    kind = encoded(obs, "kind", "categorical", "0.2.0")
    kind.attrs["ordered"] = False
    encoded(kind, "codes", "array", "0.2.0", (np.arange(count) % 2).astype("i1"))
    encoded(kind, "categories", "string-array", "0.2.0", ["a", "b"], dtype=h5py.string_dtype())
    encoded(obs, "depth", "array", "0.2.0", np.arange(count))
    encoded(encoded(place, "obsm", "dict", "0.1.0"), "X_pca", "array", "0.2.0", rng.normal(size=(count, 2)))
for name, version in (("one", "latest"), ("old", "earliest")):
    with h5py.File(name + ".h5ad", "w", libver=version) as f:
        cells(f, 6, 3, None)
for sparse in "csr", "csc":
    with h5py.File(sparse + ".h5ad", "w", libver="latest") as f:
        cells(f, 6, 3, sparse)
with h5py.File("two.h5mu", "w", libver="latest") as f:
    f.attrs["encoding-type"], f.attrs["encoding-version"] = "MuData", "0.1.0"
    frame(f, "obs", [f"cell{i}" for i in range(6)])
    frame(f, "var", [f"gene{i}" for i in range(6)])
    mod = f.create_group("mod")
    mod.attrs["mod-order"] = ["rna", "adt"]
    for name in "rna", "adt":
        cells(mod.create_group(name), 6, 3, "csr" if name == "rna" else None)
PYTHON
    seed mat73 cells '\0' <v73.mat
    for name in one old csr csc; do seed h5ad $name '\0' <$name.h5ad; done
    seed h5ad two '\1' <two.h5mu
    # links and data elsewhere, cycles, bombs, lists as attributes, unknown filters; as long as inputs may be
    /usr/bin/python3 "$sources/tests/io/hostile_hdf.py" --make hostile
    for file in $(find hostile -type f -size -32k -name '*.h5*'); do
        seed h5ad "$(basename "$file" | tr . -)" "\\$([[ $file == *.h5mu ]] && echo 1 || echo 0)" <"$file"
    done
    for file in $(find hostile -type f -size -32k -name '*.mat'); do seed mat73 "$(basename "$file" .mat)" '\0' <"$file"; done
fi

{ cat s.mtx; printf '\n@@\n'; seq -f 'cell%g' 12; printf '\n@@\n'; printf 'a\tA\nb\tB\nc\tC\n'; } | seed cells folder '\0'
table() { printf 'id,%s\n' "$1"; for i in 1 2 3 4 5 6; do printf 's%d,%d,%d\n' "$i" $((i * i % 5)) $((i % 3)); done; }
mark() { printf '\n@@\n'; }
{ table u,v; mark; table w,x; mark; printf 'id,kind\ns1,x\ns2,y\ns3,x\ns4,y\ns5,x\ns6,y\n'; } | seed files truth '\0\5'
{ table u,v; mark; table w,x; mark; printf 'id,kind\ns1,x\ns2,y\ns3,x\ns4,y\ns5,x\ns6,y\n'; } | seed files column '\0\205'
{ table u,v; mark; table w,x; mark; printf '1,1\n0,1\n1,0\n1,1\n1,1\n1,1\n'; } | seed files present '\0\11'
{ table u,v; mark; table w,x; mark; printf 'id,kind\ns2,x\ns1,y\n'; mark; printf '1,0\n0,1\n'; } | seed files all '\100\15'
{ table u,v; mark; printf '1 2\n3 4\n5 6\n'; mark; cat s.mtx; } | seed files three '\2\2'
patients() { printf 'MRN,age,weight,share,sex,smoker,colour,seen,note\n%b' "${1-}"
    for i in 1 2 3 4 5 6 7 8; do
        printf '%d,%d,"%d,0%d0",%d.5%%,%s,%s,%s,2024-01-0%d,word %d\n' $((70131 + i * i)) $((30 + 5 * (i % 2) + i)) "$i" "$i" $((40 * (i % 2) + i)) \
            "$([ $((i % 2)) = 0 ] && echo m || echo f)" "$([ $((i % 2)) = 0 ] && echo yes || echo no)" "$(echo red green | cut -d ' ' -f $((1 + i % 2)))" $i $i
    done; }
{ mark; patients; mark; patients; } | seed tables plain '\0\100'
{ printf 'note,seen'; mark; patients; mark; patients; } | seed tables drop '\0\101'
{ printf 'age,colour'; mark; patients; mark; patients | sed s/red/blue/; } | seed tables columns '\0\102'
{ printf 'age'; mark; patients; mark; patients; } | seed tables category '\0\104'
{ printf 'weight'; mark; patients; mark; patients; } | seed tables number '\0\110'
{ printf 'MRN'; mark; patients ',y,kg,,,,,,\n'; mark; patients; } | seed tables ids '\0\120'
{ printf 'sex'; mark; patients | tr , ';'; mark; patients; } | seed tables truth '\0\40'
{ mark; printf 'id;a;b;c\nA1;1,5;$3;x\nA2;1.234,5;$4.5;y\nA3;-2;(7);x\nA4;;NA;y\n'; mark; printf 'a,b\n1,2\n'; } | seed tables signs '\4\100'
printf '\0\1\1\6\3\1\2\0\1\6\4\3\10\2\0\6\1\1' | seed find views '\0'
printf '\24\0\4\6\3\1\25\2\4\6\3\1\26\2\4\7\3\1\27\2\0\2\0\1' | seed find sparse '\0'
printf '\4\0\1\6\6\1\22\6\0\6\1\3' | seed find kernel '\2'
printf '0\n1\n0\n2\n\n@@\na\nb\na\nc\n' | seed labels both '\1'
fit='{"onefold": "0", "clusters": 2, "samples": 3, "views": [], "labels": [0, 1, 0], "confidence": [1, 0.5, null], "sample_names": ["c", "a", "b"]}'
printf '%s' "$fit" | seed saved one '\0'
printf 'id,a,b,kind\n' >named.csv
for i in 1 2 3 4 5 6 7 8; do printf 's%d,%d,%d,%s\n' $i $((i % 2 * 9 + i)) $((i * i % 7)) "$(echo x y | cut -d ' ' -f $((1 + i % 2)))"; done >>named.csv
"$onefold" fit named.csv --clusters 2 --json --explain 2 | seed saved run '\0' # with the number of its run
{ "$onefold" fit named.csv --clusters 2 --json; mark; "$onefold" fit named.csv --clusters 3 --json; } | seed saved runs '\1'
"$onefold" bench named.csv --truth kind --methods avg-kkm --repeats 1 --grid none --resume kept.cells -q >/dev/null
sed 's/{"key": "[^"]*"/{"key": "@K"/' kept.cells | seed store one ''
{ head -n 1 kept.cells; printf '{"key": "@K", "status": "no_memory", "reason": "x"}\n{"key": "@K"'; } | seed store cut ''
seed study whole '' <<'J'
{"name": "Two", "repeats": 2, "seed": 0, "methods": {"mkkm": "none", "fmkkm": "l1=2|8,l2=8|64"}, "nonneg": true, "ids": null,
 "sets": [{"name": "A", "data": "a.mat", "kernel": ["rbf", "graph"], "published": {"mkkm": {"acc": [60.8, 0.4], "nmi": 37.8}}},
          {"data": ["b.npy", "c.csv"], "truth": "l.csv:class"}],
 "others": [{"name": "x", "labels": {"A": "a.csv"}, "seconds": {"A": 1.5}, "cite": "@misc{x,}"},
            {"name": "y", "command": "Rscript y.R", "ending": ".mat"}], "wanted": ["scores", "tests"]}
J
seed study list '' <<<'{"sets": [{"data": "a"}], "methods": ["mkkm", "fmr"], "grid": "none", "clusters": 3}'
"$onefold" fit named.csv --clusters 2 --labels named.l.csv -q && { cat named.l.csv; mark; cat named.l.csv; } | seed labels run '\0'
printf '%s\n@@\n%s' "$fit" "$fit" | seed saved two '\1'
printf 'sample,cluster\ns1,0\ns2,1\n\n@@\nid,kind\ns2,x\ns1,y\n' | seed labels matched '\0'

make m.npz --views 2
for kernel in linear rbf cosine knn; do
    "$onefold" fit m.npz --clusters 2 --method os-lfmvc-cs --kernel $kernel --model "$out/model/$kernel" -q --labels l.txt
    "$onefold" fit m.npz --clusters 2 --kernel $kernel --model "$out/model/onefold-$kernel" -q --labels l.txt
done
"$onefold" fit m.npz --clusters 2 --method os-lfmvc-cs --kernel rbf --precision single --model "$out/model/single" -q --labels l.txt
"$onefold" fit named.csv --clusters 2 --model "$out/model/named" -q --labels l.txt # columns, categories
"$onefold" fit named.csv --clusters 2 --method os-lfmvc-cs --model "$out/model/named-os" -q --labels l.txt
make g.npz --views 2 --missing 0.3
"$onefold" fit g.npz --clusters 2 --method os-lfmvc-cs --model "$out/model/missing" -q --labels l.txt

line=0
while read -r words; do
    line=$((line + 1))
    tr ' ' '\n' <<<"$words" | tee "$out/options/$line" >"$out/command/$line"
done <<'WORDS'
fit b.npz --clusters 2 --method os-lfmvc-cs --labels l.npy --model n.model --embedding e.csv
fit a.csv --clusters 3 --kernel rbf --json --truth t.csv --restarts 3 --seed 7
fit b.npz --clusters 2 --effort quick --report r.html --explain 2 --layout x.csv
fit b.npz k.mat --clusters=2 --views 1,3 --weights auto,0.5 --threads 2 --method os-lfmvc-cs
fit b.npz --clusters 2 --method mkkm --dry-run
fit b.npz --clusters 2 --method lsgmc --lsgmc-lambda 1 -v
fit a.csv --clusters 2 --ids id --header yes --match order --samples-are rows --impute mean
predict m.model b.npz --labels p.csv --json
predict m.model k.mat --impute mean --views 1,2
score t.csv t.csv --json
score t.csv:kind a.csv:u
choose b.npz --min 2 --max 4 --restarts 2
bench b.npz --methods avg-kkm,sb-kkm --repeats 2 --grid none --csv
bench b.npz --methods os-lfmvc-cs --repeats 1 --resume c.cells --markdown --sensitivity 1
info a.csv b.npz --clusters 3
info m.model --json
convert b.npz o.mat
convert b.npz k.mat o.csv --views 2
synth s.npz --samples 20 --views 2 --clusters 3 --columns 4,5 --noise 0.5 --missing 0.2 --balance 0.5
help fit
--version
WORDS

# samples, views, method, more, kernel, clusters, keep; then a kind, columns and values for each view
for method in 0 1 128 129 130 131 132 133 134 135 136; do
    { printf "\\x0b\\x01\\x$(printf %02x $method)\\x01\\x00\\x01\\x01\\x00\\x03"; head -c 36 "$sources/README.md"
      printf '\0\2'; tail -c 40 "$sources/README.md"; } >"$out/fit/method-$method"
done
{ printf '\5\1\0\1\0\1\1\3\0'; head -c 200 "$sources/LICENSE"; } >"$out/fit/kernel"
{ printf '\5\1\1\1\3\1\1\2\4'; head -c 200 "$sources/LICENSE"; } >"$out/fit/sparse"
