# SPDX-License-Identifier: Apache-2.0
# A .mat file whose samples are columns, with a row of names; samples it lacks lack that view.
cp "$ONEFOLD_SOURCE"/tests/cli/tables/files/container_* .
fitted container_cells.mat container_row.mat --truth container_truth.csv
fitted container_row.mat container_chars.mat --truth container_truth.csv
