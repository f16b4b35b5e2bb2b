# SPDX-License-Identifier: Apache-2.0
# More memory than is allowed is refused before the work starts, with the figure.
onefold synth big.npz --samples 4000 --views 2 -q
fit() { onefold fit --method os-lfmvc-cs big.npz --clusters 5 --kernel linear --restarts 1 "$@"; }
try fit --max-memory 1M
try fit --max-memory 2MB --labels x.npy
try fit --max-memory 100k --json
fit --max-memory 2GiB -q | wc -l
fit --max-memory 50% -q | wc -l
ls
