# SPDX-License-Identifier: Apache-2.0
# Standard output that is closed, or whose reader has gone, is exit 5; no file takes its place.
made
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q >&-
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --json >&-
try onefold --help >&-
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q 2>&- >labels.txt
echo "without standard error: $?"
onefold fit --method os-lfmvc-cs made.npz --clusters x 2>&-
echo "without standard error: $?"
onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q --labels file.txt <&- >&-
echo "labels in a file only: $?"
cmp labels.txt file.txt

# What was written before says so, and is whole; a link that leads nowhere yet is written through.
try onefold convert made.npz there.npz >&-
ln -s target.txt link.txt
try onefold fit --method os-lfmvc-cs made.npz --clusters 4 --labels link.txt >&-
cmp labels.txt target.txt
readlink link.txt

# A pipe: the usual end by its signal, or the error where that is ignored.
mkfifo pipe
: <pipe &
bash -c 'sleep 0.5; onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q' >pipe
echo "reader gone: $?"
wait
: <pipe &
bash -c 'trap "" PIPE; sleep 0.5; onefold fit --method os-lfmvc-cs made.npz --clusters 4 -q' >pipe
echo "reader gone, signal ignored: $?"
ls
