# SPDX-License-Identifier: Apache-2.0
# Methods that would need too much are dashes with the bytes; the others are there. All of them
# together are an error.
onefold synth made.npz --samples 1500 --views 3 --clusters 4 --columns 8 --separation 12 -q
quick="--methods os-lfmvc-cs,mkkm,rmsc --kernel linear --repeats 1 --restarts 1 --grid none -q"
onefold bench made.npz $quick --max-memory 20M --threads 1 --resume cells >text --markdown
sed -E '/^## Objective/,/^## Missing/{/^## Missing/!d}; s/[0-9]+ MB needed/M needed/' text
onefold bench made.npz $quick --max-memory 20M --threads 1 --resume cells --csv | grep 'status\|acc'
wc -l <cells # a refusal for want of memory is not kept: the next run may have more
try onefold bench made.npz $quick --max-memory 300k --threads 1
try onefold bench made.npz $quick --max-memory 300k --threads 1 --json
