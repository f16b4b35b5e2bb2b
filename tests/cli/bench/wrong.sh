# SPDX-License-Identifier: Apache-2.0
# What bench refuses, each with its own sentence, before any data is read where that can be known.
bench() { try onefold bench "$@"; }
bench
bench no.mat --methods avg-kk
bench no.mat --methods nonsense
bench no.mat --methods avg-kkm,
bench no.mat --repeats 0
bench no.mat --repeats many
bench no.mat --replicates 0
bench no.mat --grid papr
bench no.mat --grid all
bench no.mat --grid 'fmkm:l1=2'
bench no.mat --methods mkkm --grid 'fmkkm:l1=2'
bench no.mat --methods mkkm --fmkkm-l1 4
bench no.mat --fmkkm-l3 4
bench no.mat --mkkm-replicates 4
bench no.mat --method mkkm
bench no.mat --grids paper
bench no.mat --sensitivity 1,two
bench no.mat --sensitivity 0,1
bench no.mat --sensitivity 2,2
bench no.mat --methods mkkm --sensitivity 1,2
bench no.mat --json --csv
bench no.mat --kernel rgb
bench no.mat --resume no/such/folder
bench no.mat
made
bench made.npz --grid 'fmkkm:'
bench made.npz --grid 'fmkkm:l1='
bench made.npz --grid 'fmkkm:l4=1|2'
bench made.npz --grid 'fmkkm:l1=-1'
bench made.npz --grid 'os-lfmvc-cs:dims=3'
bench made.npz --grid 'onefold:anchors=8'
bench made.npz --clusters 121
bench made.npz --dims 3 --grid none
bench made.npz --kernel rbf,rbf
bench made.npz --resume made.npz
bench made.npz --sb-kkm-view 4 --methods sb-kkm --grid none
echo "notes" >notes
bench made.npz --resume notes
cat notes
onefold bench made.npz --resume notes --json | json 'd["error"]["code"]'
