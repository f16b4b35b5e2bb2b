# SPDX-License-Identifier: Apache-2.0
# A full disk behind standard output is exit 5 with a sentence, whatever was to be written.
[ -c /dev/full ] || { echo "there is no /dev/full"; exit 77; }
made
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 >/dev/full
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --json >/dev/full
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --labels labels.txt >/dev/full
try onefold info made.npz >/dev/full
try onefold info made.npz --json >/dev/full
try onefold convert made.npz copy.mat >/dev/full
printf '1\n2\n' >a.txt
try onefold score a.txt a.txt >/dev/full
try onefold score a.txt a.txt --json >/dev/full
try onefold --help >/dev/full
try onefold fit --method os-lfmvc-cs --help >/dev/full
try onefold --version >/dev/full
try onefold fit --method os-lfmvc-cs missing.mat --clusters 3 --json >/dev/full
ls
