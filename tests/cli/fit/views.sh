# SPDX-License-Identifier: Apache-2.0
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --json | json '[v["name"] for v in d["views"]]'
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --views 3,1 --json | json '[v["name"] for v in d["views"]]'
onefold fit --method os-lfmvc-cs made.npz --clusters 4 --kernel linear,rbf,cosine --json | json '[v["kernel"] for v in d["views"]]'
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --kernel linear,rbf
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --views 4
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --views 0
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --views nothing
