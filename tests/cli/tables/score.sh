# SPDX-License-Identifier: Apache-2.0
# Two labellings are compared by the ids of their samples, where both have them.
table truth.csv values=truth
table shuffled.csv values=truth order=4
table bare.csv values=truth ids=none
table some.csv values=truth order=4 some=20
table others.csv values=truth ids=number
for f in truth shuffled bare; do onefold score $f.csv truth.csv | grep ACC; done
try onefold score some.csv truth.csv
try onefold score others.csv truth.csv
