# SPDX-License-Identifier: Apache-2.0
# Numbered names of outputs that are inputs, by path, symbolic and hard link: refused, and nothing is written.
onefold synth q.npy --samples 40 --views 2 --clusters 2 --columns 3 -q
mkdir kept
cp q.*.npy kept
try onefold convert q.2.npy q.1.npy q.npy
try onefold convert ./q.1.npy q.2.npy ../case/q.npy
mkdir other && cd other
ln -s ../q.1.npy out.2.npy
try onefold convert ../q.2.npy ../q.1.npy out.npy
rm out.2.npy
ln ../q.2.npy out.1.npy
try onefold convert ../q.2.npy ../q.1.npy out.npy
ln ../q.truth.npy out.truth.npy && rm out.1.npy
try onefold convert ../q.2.npy ../q.1.npy --truth ../q.truth.npy out.npy
cd ..
try onefold fit q.1.npy q.2.npy --truth q.truth.npy --clusters 2 --labels other/out.truth.npy
rm -r other
for f in q.*.npy; do cmp $f kept/$f && echo "$f is as it was"; done
try onefold convert q.2.npy q.1.npy r.npy -q
ls
