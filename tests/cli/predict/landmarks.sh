# SPDX-License-Identifier: Apache-2.0
# Models of landmark graphs: training samples have their labels again, new ones those of their kind.
onefold synth made.npz --samples 400 --views 2 --clusters 4 --separation 6 -q
onefold synth text.npz --samples 400 --views 2 --columns 60 --clusters 4 --density 0.2 -q
for kernel in knn subspace knn,rbf; do
    for data in made text; do
        onefold fit $data.npz --method os-lfmvc-cs --clusters 4 --kernel $kernel --landmarks 90 --neighbours 5 --model m -q >labels.txt
        onefold predict m $data.npz -q | cmp - labels.txt && echo $kernel $data same
    done
done
onefold fit made.npz --method os-lfmvc-cs --clusters 4 --kernel knn --json | json '[(v["kernel"], v["base"]) for v in d["views"]], d["scores"]["acc"]'
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --kernel knm
