# SPDX-License-Identifier: Apache-2.0
# What the library leaves to later work is exit 6.
made
try onefold fit made.npz --clusters 4 --base nystrom
try onefold fit made.npz --clusters 4 --precision single
ls
