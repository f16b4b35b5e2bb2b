# SPDX-License-Identifier: Apache-2.0
# Every verb under every limit of address space: it ends with its result, or with status 4 and a sentence on
# memory, whatever library asked for it; one that is stuck is killed. Below what the system's loader needs (127) there
# is no command yet. With 2 GB every verb has its result.
onefold synth a.npz --samples 100 --clusters 3 -q
onefold convert a.npz t.csv -q && gzip -k t.1.csv
onefold fit a.npz --clusters 3 --method os-lfmvc-cs --model model.ofm --labels labels.csv -q
onefold fit a.npz --clusters 3 --method os-lfmvc-cs --json >fit.json
onefold convert a.npz a.mat -q
python3 -c "
import h5py, anndata, numpy
anndata.AnnData(numpy.arange(600, dtype='f4').reshape(120, 5)).write('a.h5ad')" 2>/dev/null || cp a.npz a.h5ad
if ! bash -c 'ulimit -v 300000; exec onefold --version' >/dev/null 2>&1; then
    exit 77 # sanitizers and some systems need more than that to begin with
fi
unset OPENBLAS_NUM_THREADS # as users have it: OpenBLAS starts threads where it may

under() { # limit words...
    local limit=$1 status
    shift
    (
        ulimit -v $((limit * 1024))
        exec timeout -k 1 200 onefold "$@" >printed 2>said
    )
    status=$?
    case $status in
    0) return ;;
    4) grep -qE 'memory|limit|allowed' said && [ $limit -lt 2000 ] && return ;;
    127) [ $limit -lt 300 ] && grep -q 'shared libraries' said && return ;;
    esac
    echo "$* at $limit MB: status $status" && cat said
}

while read -r words; do
    for limit in 64 80 100 150 220 300 600 2000; do under $limit $words; done
    echo "ended: onefold $words"
done <<'WORDS'
--version
info a.npz
info t.1.csv.gz
info a.mat
info a.h5ad
info model.ofm
convert a.npz c.mat -q
synth s.npz -q
score labels.csv labels.csv
report fit.json fit.json both.html -q
fit a.npz --clusters 3 --dry-run
fit a.npz --clusters 3 -q --labels l.txt
fit a.npz --clusters 3 -q --method os-lfmvc-cs --threads 2 --report r.html --model m.ofm --layout l.csv
predict model.ofm a.npz -q --labels p.csv
choose a.npz --max 3 -q
bench a.npz --methods avg-kkm,os-lfmvc-cs --repeats 1 --grid none -q
WORDS
# Near the end of memory a fit is refused, not stuck: 2000 samples need some 140 MB beside the buffers.
onefold synth b.npz --samples 2000 --columns 40 --clusters 3 -q
for limit in 210 230 250 270 290 320; do under $limit fit b.npz --clusters 3 -q --method os-lfmvc-cs --labels l.txt --threads 1; done
echo "ended: a fit near the end of memory"
# Between the loader's failure and the first result: a sentence and status 4, also where other libraries begin. Three
# answers in this order, and no signal.
for limit in $(seq 66000 250 86000); do
    (
        ulimit -v $limit
        exec timeout -k 1 200 onefold --version >printed 2>said
    )
    status=$?
    grep -qE 'memory|address space|shared libraries|onefold 1' printed said || echo "--version at $limit kB: $status" "$(cat said)"
    echo $status
done >statuses
uniq statuses | tr '\n' ' ' | grep -E '^(127 )?(4 )?(0 )?$' >/dev/null || uniq statuses
echo "ended: the least limits"
