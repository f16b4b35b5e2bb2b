# SPDX-License-Identifier: Apache-2.0
# All four containers, and labels that name the samples, scored by id.
cp "$ONEFOLD_SOURCE"/tests/cli/tables/files/container_* .
onefold fit container_cells.mat container_chars.mat container_row.mat container_texts.npz --clusters 3 -q --labels out.csv
head -n 1 out.csv; sort out.csv | sed -n "1,2s/,[0-9].*//p"
onefold score out.csv container_truth.csv | head -n 3
