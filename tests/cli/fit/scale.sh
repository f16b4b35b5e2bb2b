# SPDX-License-Identifier: Apache-2.0
# Landmarks and single precision give the labels of the exact route in double precision.
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q >exact.txt
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q --base nystrom --landmarks 100 >nystrom.txt
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q --precision single >single.txt
for labels in nystrom single; do onefold score $labels.txt exact.txt | grep ACC; done
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --base nystrom --landmarks 100 --json | grep -o '"base": "[a-z]*"'
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --base nystrom --landmarks 1000000
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --base nystrom --landmarks 4
