# SPDX-License-Identifier: Apache-2.0
# Labels on standard output, the summary on standard error; both are what the clusters are.
tiny_files
onefold fit a.csv b.csv --clusters 2 --dims 2 --restarts 1 --threads 2 --truth classes.txt
