# SPDX-License-Identifier: Apache-2.0
# Four far-apart clusters are found; the same where the terminal has no Unicode, and where it has.
made
onefold choose made.npz --max 6 --threads 2
LC_ALL=C.UTF-8 onefold choose made.npz --min 3 --max 5 --no-truth | sed -n '2,4p'
# nothing to find
onefold synth none.npz --samples 200 --views 2 --separation 0 -q
onefold choose none.npz --max 5 --no-truth | sed -n '/^suggested/,/0.30/p'
