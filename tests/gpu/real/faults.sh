#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: faults.sh ONEFOLD HOLD
# What can go wrong with a GPU outside of the process: another one holds its memory, there is none to be seen, the
# driver is too old, somebody presses Ctrl-C. ONEFOLD_CUDA_LIBRARY names the library.
set -u
onefold=$(realpath "$1") hold=$(realpath "$2")
folder=$(mktemp -d)
holder=
trap 'rm -rf "$folder"; [ -z "$holder" ] || kill $holder' EXIT
cd "$folder" || exit 1

fail() {
    echo "FAILED: $*"
    exit 1
}

"$onefold" synth d.npy --samples 400000 --views 2 --columns 32 --clusters 5 --separation 6 -q || fail "no data"
set -- "$onefold" fit d.1.npy d.2.npy --clusters 5 --method os-lfmvc-cs --precision single --device gpu --progress never
"$@" --labels free.npy >free.txt 2>&1 || fail "a fit: $(tail -1 free.txt)"
grep -q "base partitions of 2 of 2 views, and the solver" free.txt || fail "it is not on the GPU"

# Until the GPU has so many megabytes left, or fewer.
leave() {
    : >held.txt
    timeout 60 "$hold" "$1" 50 >held.txt 2>&1 &
    holder=$!
    for _ in $(seq 3000); do
        grep -q left held.txt && return
        sleep 0.1
    done
    fail "the GPU could not be held"
}

# The GPU's answer or the CPU's; never a hang.
for megabytes in 4000 700 50; do
    leave $megabytes
    status=0
    timeout 300 "$@" --labels held.npy >fit.txt 2>&1 || status=$?
    kill $holder
    wait $holder 2>/dev/null
    holder=
    echo "$megabytes MB left: status $status, $(grep -E ' on |by the CPU|onefold:' fit.txt | head -1)"
    [ $status = 0 ] || fail "status $status with $megabytes MB: $(cat fit.txt)"
    "$onefold" score held.npy free.npy | grep -qE '^ACC +(100|99\.9)' || fail "other labels with $megabytes MB"
    [ $megabytes -lt 4000 ] || ! grep -q "by the CPU" fit.txt || fail "4000 MB do not do"
    [ $megabytes -gt 100 ] || grep -q "by the CPU" fit.txt || fail "it does not say that the CPU did it"
done

# No GPU in sight, and a driver of long ago.
status=0
CUDA_VISIBLE_DEVICES='' timeout 300 "$@" >fit.txt 2>&1 || status=$?
[ $status = 6 ] && grep -q "onefold: there is no GPU to use: " fit.txt || fail "without a GPU: status $status"
mkdir old
printf 'int cuInit(unsigned f) { (void)f; return 0; }\nint cuDriverGetVersion(int *v) { *v = 9000; return 0; }\n' >old/old.c
cc -shared -fPIC -o old/libcuda.so.1 old/old.c || fail "no compiler"
status=0
LD_LIBRARY_PATH=$PWD/old timeout 300 "$@" >fit.txt 2>&1 || status=$?
[ $status = 6 ] && grep -q "onefold: there is no GPU to use: .*driver" fit.txt || fail "an old driver: status $status"

# Ctrl-C at any time of a fit that would last for hours: it ends, with its own status.
python3 - "$@" <<'END' || fail "Ctrl-C"
import signal, subprocess, sys, time
for after in (0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7):
    fit = subprocess.Popen(sys.argv[1:] + ["-q", "--labels", "stopped.npy", "--restarts", "40", "--tol", "0", "--max-iter", "1000000"],
                           stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    time.sleep(after)
    fit.send_signal(signal.SIGINT)
    said = fit.communicate()[1]
    if fit.returncode == -signal.SIGINT:
        continue  # it had not begun
    if fit.returncode != 130 or b"interrupted" not in said:
        sys.exit(f"after {after} s: status {fit.returncode}, {said}")
END
