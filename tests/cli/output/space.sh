# SPDX-License-Identifier: Apache-2.0
# Under a limit of address space it says so and ends: no thread that waits for memory is waited for.
onefold synth a.npz --samples 3000 --clusters 3 -q
if ! bash -c 'ulimit -v 300000; exec onefold --version' >/dev/null 2>&1; then
    exit 77 # sanitizers and some systems need more than that to begin with
fi
for limit in 100000 150000 200000 250000; do
    (
        ulimit -v $limit
        OPENBLAS_NUM_THREADS=2 timeout -k 1 20 onefold fit a.npz --clusters 3 --threads 2 -q --labels l.txt 2>said
        echo "$?"
    ) >status
    case $(cat status) in
    0 | 4) echo "ended" ;;
    *) echo "status $(cat status)" && cat said ;;
    esac
done
