# SPDX-License-Identifier: Apache-2.0
# Outputs that cannot be written are refused before anything is read: data.mat is not there.
mkdir folder
touch file
ln -s . here
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels x.npy --embedding ./x.npy
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels x.npy --embedding here/x.npy
ln -s target.npy x.npy
ln -s here/x.npy y.npy
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels x.npy --embedding y.npy
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels target.npy --embedding x.npy
rm x.npy y.npy
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels missing/x.npy
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels file/x.npy
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels folder
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels folder/
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels labels.xyz
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --labels labels
try onefold fit --method os-lfmvc-cs data.mat --clusters 3 --embedding out.d/labels
try onefold synth missing/x.npz
try onefold synth folder
touch data.npz
try onefold fit --method os-lfmvc-cs data.npz --clusters 3 --labels ./x.npy --embedding here/../data.npz
try onefold fit --method os-lfmvc-cs a.npy data.npy --clusters 3 --labels data.npy
touch a.npy data.npy
try onefold fit --method os-lfmvc-cs a.npy data.npy --clusters 3 --labels here/data.npy
try onefold convert data.npz here/data.npz
ls
