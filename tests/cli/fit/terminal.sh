# SPDX-License-Identifier: Apache-2.0
# On a terminal: a bar that is wiped, and colours unless NO_COLOR is set.
command -v script >/dev/null || { echo "script is not installed"; exit 77; }
made
terminal() {
    TERM=xterm script -qec "onefold fit --method os-lfmvc-cs made.npz --clusters 4 --restarts 50 --labels x.txt $*" /dev/null </dev/null >seen
    grep -q $'\r\e\[K' seen && echo "bar" || echo "no bar"
    grep -q $'\e\[1mdata' seen && echo "colour" || echo "no colour"
}
terminal
terminal --progress never
NO_COLOR=1 terminal --progress never
NO_COLOR= terminal --progress never
terminal -q
wc -c <seen
