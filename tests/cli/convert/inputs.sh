# SPDX-License-Identifier: Apache-2.0
# Every way by which an output can be one of the files that are read: refused, and no byte of it changes.
mkdir tenx sub
printf '%%%%MatrixMarket matrix coordinate integer general\n3 6 9\n1 1 9\n1 2 8\n1 3 9\n2 4 9\n2 5 8\n2 6 9\n3 1 1\n3 4 1\n3 6 2\n' >tenx/matrix.mtx
printf 'c%s\n' 1 2 3 4 5 6 >tenx/barcodes.tsv
printf 'g%s\tg%s\tgene\n' 1 1 2 2 3 3 >tenx/features.tsv
tiny_files
paste -d, <(printf 'id\ns1\ns2\ns3\ns4\ns5\ns6\n') <(echo x,y && cat a.csv) >ids.csv
onefold convert a.csv b.csv two.npy --truth classes.txt -q
onefold fit a.csv b.csv --clusters 2 --method os-lfmvc-cs --model model.ofm -q --labels labels.csv
onefold fit a.csv b.csv --clusters 2 --json >fit.json
cp a.csv a.html
ln -s fit.json page.html
printf '1,1\n1,1\n1,0\n1,1\n1,1\n1,1\n' >present.csv
ln -s ../a.csv sub/link.csv
ln a.csv sub/hard.csv
ln -s tenx here
find . -type f -not -name before -exec cksum {} + | sort -k 3 >before

refused() { # words
    echo "\$ onefold $*"
    onefold "$@" >printed 2>said
    local status=$?
    head -n 1 said
    [ $status = 2 ] || echo "-> $status"
}
echo "folders and what lies beside the data"
refused convert tenx tenx/matrix.mtx
refused convert here tenx/matrix.mtx
refused convert tenx/ ./here/../tenx/matrix.mtx
refused fit tenx --clusters 2 --labels tenx/barcodes.tsv
refused fit tenx --clusters 2 --labels x.csv --embedding here/matrix.mtx
refused fit tenx/matrix.mtx --clusters 2 --labels tenx/features.tsv
refused fit tenx --clusters 2 --model tenx/matrix.mtx
refused bench tenx --clusters 2 --resume tenx/features.tsv
echo "files, links, options"
refused convert a.csv sub/link.csv
refused convert a.csv sub/hard.csv
refused convert sub/link.csv a.csv
refused fit a.csv b.csv --clusters 2 --labels sub/hard.csv
refused fit a.csv b.csv --clusters 2 --embedding b.csv
refused fit a.csv b.csv --clusters 2 --layout b.csv
refused fit a.csv b.csv --clusters 2 --parts b.csv
refused fit a.csv b.csv --clusters 2 --model ./a.csv
refused fit a.csv b.csv --clusters 2 --truth classes.txt --labels classes.txt
refused fit a.csv b.csv --clusters 2 --present present.csv --labels present.csv
refused fit a.csv b.csv --truth ids.csv:id --match order --clusters 2 --labels ids.csv
refused predict model.ofm a.csv b.csv --labels b.csv
refused predict model.ofm a.csv b.csv --report model.ofm
cp model.ofm model.html
refused predict model.html a.csv b.csv --report model.html
rm model.html
refused report fit.json page.html
refused report fit.json fit.json page.html
refused fit a.html b.csv --clusters 2 --report a.html
refused choose a.html b.csv --max 3 --report a.html
refused bench a.html b.csv --clusters 2 --report a.html
refused convert two.1.npy two.2.npy --truth two.truth.npy two.npy
echo "streams"
refused convert - a.csv <a.csv
refused convert /dev/stdin sub/hard.csv <a.csv
refused fit - --clusters 2 --labels a.csv <a.csv
onefold fit a.csv --clusters 2 >>a.csv 2>said; head -n 1 said
onefold info tenx >>tenx/barcodes.tsv 2>said; head -n 1 said
onefold score labels.csv labels.csv >>labels.csv 2>said; head -n 1 said
onefold info model.ofm >>model.ofm 2>said; head -n 1 said
echo "and what is none of them is written"
refused convert - new.csv -q <a.csv
find . -type f -not -name printed -not -name said -not -name before -not -name new.csv -exec cksum {} + | sort -k 3 | diff before - && echo "nothing has changed"
