# SPDX-License-Identifier: Apache-2.0
# The tables, as text and as Markdown: four far-apart clusters, so that every figure is known.
# Objectives are left to the JSON, times and memory are masked.
made
quick="--methods os-lfmvc-cs,avg-kkm,sb-kkm,fmkkm --repeats 2 --replicates 2 --restarts 2 --threads 2 -q"
onefold bench made.npz $quick --grid "os-lfmvc-cs:paper;sb-kkm:paper" | sed '/^Time and memory/,$d'
onefold bench made.npz $quick --markdown --kmeans-start samples --sensitivity 1,3 \
    --grid 'fmkkm:l1=2|4,l2=8|16|32' | sed '/^## Objective/,$d'
onefold bench made.npz $quick --grid none --repeats 1 | sed '/^Time and memory/,$d'
