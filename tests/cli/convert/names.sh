# SPDX-License-Identifier: Apache-2.0
# The names of views survive in a container, and views of one column can be read back.
tiny_files
names() { json '[(v["name"], v["columns"]) for v in d["views"]], len(d["classes"])'; }
for out in both.npz both.mat; do
    onefold convert a.csv b.csv --truth classes.txt $out -q
    onefold info $out --json | names
    onefold info $out | grep -c "passed over"
    onefold fit $out --views b --clusters 2 --json | json '[v["name"] for v in d["views"]]'
done
python3 - <<'END'
import zipfile
print([n for n in zipfile.ZipFile("both.npz").namelist()])
END

# Names that say nothing are not written.
made
onefold convert made.npz plain.npz -q
onefold convert plain.npz plain.mat -q
onefold convert plain.mat again.npz -q
python3 - <<'END'
import zipfile
for name in ("plain.npz", "again.npz"):
    print([n for n in zipfile.ZipFile(name).namelist()])
END

# One column: by itself, several, in every container, with and without labels.
for views in 1 3; do
    for out in one.npz one.mat; do
        onefold synth $out --samples 50 --views $views --columns 1 --clusters 3 -q
        onefold info $out --json | names
        onefold convert $out --no-truth bare-$out -q
        onefold info bare-$out --json | names
        onefold fit $out --clusters 3 -q | wc -l
    done
done
