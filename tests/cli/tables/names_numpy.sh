# SPDX-License-Identifier: Apache-2.0
# Texts in an .npz that NumPy wrote, matched with a .mat.
cp "$ONEFOLD_SOURCE"/tests/cli/tables/files/container_* .
fitted container_texts.npz container_cells.mat --truth container_truth.csv
