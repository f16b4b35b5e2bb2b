# SPDX-License-Identifier: Apache-2.0
made
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q >quiet.txt
onefold fit --method os-lfmvc-cs made.npz --clusters 4 >loud.txt 2>summary
cmp quiet.txt loud.txt
wc -l <quiet.txt
sort -u quiet.txt
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q --labels file.txt
cmp quiet.txt file.txt
