# SPDX-License-Identifier: Apache-2.0
# A short stack is enough for every verb: no frame is above 16 kB (the build refuses larger ones).
made
onefold convert made.npz table.csv -q
if ! bash -c 'ulimit -s 256; exec onefold --version' >said 2>&1 && grep -q Sanitizer said; then
    exit 77
fi
short() {
    for size in 192 256 512; do
        (
            ulimit -s $size
            exec onefold "$@" >printed 2>said
        ) || { echo "$* with $size kB: $?" && cat said; }
    done
    echo "ended: $1"
}
short --version
short info table.1.csv
short fit made.npz --clusters 4 -q --model model.ofm --labels labels.csv --report page.html
short predict model.ofm made.npz -q
short choose made.npz --max 5 -q
short bench made.npz --methods avg-kkm --repeats 1 --grid none -q
