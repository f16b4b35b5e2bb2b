# SPDX-License-Identifier: Apache-2.0
# A model labels the samples it was fitted on as the fit did, those that lack views too; new ones by
# what they have.
onefold synth made.npz --samples 200 --clusters 4 --columns 8 --separation 12 --missing 0.3 -q
onefold fit made.npz --clusters 4 -q >labels.txt
onefold fit made.npz --clusters 4 --model made.model -q | cmp - labels.txt
onefold predict made.model made.npz -q | cmp - labels.txt
# the same samples, each with one view alone
onefold synth whole.npz --samples 200 --clusters 4 --columns 8 --separation 12 -q
for view in 1,0,0 0,1,0 0,0,1; do
    for sample in $(seq 200); do echo $view; done >one.csv
    onefold predict made.model whole.npz --present one.csv --json >one.json
    json 'd["scores"]["acc"] > 0.9, len(d["labels"])' <one.json
done
