# SPDX-License-Identifier: Apache-2.0
made
onefold convert made.npz two.npz --views 1,3
onefold info two.npz | head -1
onefold convert made.npz bare.npz --no-truth --json
onefold info bare.npz | grep '^labels'
try onefold convert made.npz out.xyz
try onefold convert made.npz out
try onefold convert made.npz /dev/null
ls
