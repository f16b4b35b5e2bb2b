# SPDX-License-Identifier: Apache-2.0
# Verbs that are known and not there: help says so, running them is exit 6.
for verb in choose; do
    try onefold $verb --help
    try onefold $verb data.mat
    try onefold $verb data.mat --json
done
