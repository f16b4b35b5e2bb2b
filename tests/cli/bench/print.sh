# SPDX-License-Identifier: Apache-2.0
# A method by its labels, LaTeX and figures of one set.
made
onefold fit made.npz --clusters 4 --labels ours.txt -q
quick="--methods mkkm,avg-kkm --grid none --repeats 3 --replicates 2 -q"
onefold bench made.npz $quick --labels-of ours=ours.txt --figures drawn | grep -A2 '^ACC'
ls drawn
onefold bench made.npz $quick --latex | grep -c 'toprule'
try onefold bench made.npz $quick --labels-of ours
try onefold bench made.npz $quick --labels-of mkkm=ours.txt
try onefold bench made.npz $quick --labels-of ours=ours.txt --json
try onefold bench made.npz $quick --latex --csv
