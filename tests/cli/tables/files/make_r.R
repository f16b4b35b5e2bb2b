# SPDX-License-Identifier: Apache-2.0
# Tables as R writes them: Rscript make_r.R FOLDER
out <- commandArgs(TRUE)[1]
set.seed(7)
n <- 24; kind <- (seq_len(n) - 1) %% 3
centre <- matrix(rnorm(15, 0, 6), 3)
x <- round(centre[kind + 1, ] + rnorm(n * 5, 0, 0.2), 3)
dimnames(x) <- list(sprintf("S%02d", seq_len(n) - 1), c("TP53", "BRCA1", "EGFR", "MYC", "KRAS"))
file <- function(name) paste0(out, "/", name)
write.csv(x, file("write_csv.csv"))
write.csv(x, file("write_csv_norows.csv"), row.names = FALSE)
write.csv2(x, file("write_csv2.csv"))
write.table(x, file("write_table.txt"))
write.table(x, file("write_table_tab.txt"), sep = "\t", quote = FALSE)
write.table(x, file("write_table_na.txt"), sep = "\t", quote = FALSE, col.names = NA)
write.table(t(x), file("genes_by_samples.txt"), sep = "\t", quote = FALSE)
numbered <- x; rownames(numbered) <- NULL
write.csv(numbered, file("write_csv_counted.csv"))
meta <- data.frame(type = paste("type", kind), row.names = rownames(x))[rev(seq_len(n)), , drop = FALSE]
write.csv(meta, file("meta.csv"))
