# SPDX-License-Identifier: Apache-2.0
# The commands of docs/missing.md work, one after the other.
set -e
sed -n 's/^    //p' "$ONEFOLD_SOURCE/docs/missing.md" >commands
while read -r line; do
    bash -c "$line" >out 2>&1 </dev/null || { echo "failed: $line"; cat out; }
done <commands
echo "$(wc -l <commands) commands"
