# SPDX-License-Identifier: Apache-2.0
# Every method of the build has its line, and its own options.
onefold --version | sed -n 's/^methods //p' | tr ' ' '\n' >methods
onefold fit --help >help
grep -x os-lfmvc-cs methods
while read -r method; do
    grep -q "^  $method  *[a-z]" help || echo "$method has no line"
done <methods
onefold --list fit | cut -f1 | grep -E "^--($(paste -sd'|' methods))-" | while read -r option; do
    grep -q "^    $option " help || echo "$option has no line"
done
