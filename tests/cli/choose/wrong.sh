# SPDX-License-Identifier: Apache-2.0
# What cannot be tried is refused, before the data is read where that can be known.
made
try onefold choose made.npz --min 1
try onefold choose made.npz --min 5 --max 4
try onefold choose made.npz --max 120
try onefold choose made.npz --max 200 --json
try onefold choose made.npz --threads 2 --max-memory 100K
try onefold choose made.npz --clusters 4
try onefold choose nowhere.npz
try onefold choose made.npz --nonneg
try onefold choose made.npz --base exact
try onefold choose made.npz --precision single
