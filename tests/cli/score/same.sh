# SPDX-License-Identifier: Apache-2.0
# Names do not matter; words and numbers may be compared.
printf '1\n1\n2\n2\n3\n3\n' >truth.txt
printf '0\n0\n7\n7\n-2\n-2\n' >labels.txt
printf 'cat\ncat\ndog\ndog\nfox\nfox\n' >words.txt
onefold score labels.txt truth.txt
onefold score words.txt truth.txt --json
onefold score truth.txt words.txt --json | json 'd["scores"]["acc"], d["scores"]["ari"]'
