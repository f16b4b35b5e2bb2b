# SPDX-License-Identifier: Apache-2.0
# What R reads of a file of labels, as it is: Rscript read_back.R labels.csv > read_back.r.txt
table <- read.csv(commandArgs(TRUE)[1])
cat("R:", paste(names(table), sapply(table, class), collapse = ", "), "\n")
cat("R:", nrow(table), "rows,", length(unique(table$cluster)), "clusters, first", table$sample[1], "\n")
