# SPDX-License-Identifier: Apache-2.0
# Methods that need every view of every sample are a dash with its reason; none at all is refused.
onefold synth made.npz --samples 90 --clusters 3 --columns 6 --separation 15 --missing 0.25 -q
onefold bench made.npz --methods os-lfmvc-cs,mkkm --grid none --repeats 1 -q >out.txt
awk '/^  (os-lfmvc-cs +default|mkkm +nothing)/ { print $1, $NF == "-" ? "-" : "scored" }' out.txt
grep 'mkkm needs' out.txt
try onefold bench made.npz --methods mkkm,avg-kkm --grid none --repeats 1 -q
