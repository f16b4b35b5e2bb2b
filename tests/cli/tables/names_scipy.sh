# SPDX-License-Identifier: Apache-2.0
# Cells of texts and a matrix of characters in .mat files that SciPy wrote, in different orders.
cp "$ONEFOLD_SOURCE"/tests/cli/tables/files/container_* .
fitted container_cells.mat container_chars.mat --truth container_truth.csv
fitted container_chars.mat container_cells.mat --truth container_truth.csv
