# SPDX-License-Identifier: Apache-2.0
# Pictures, with R's own graphics.

# Every two of these are apart for the eye; those of Python's onefold.pl.
cluster_colours <- c("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#0000ff",
                     "#00e100", "#ff00e1", "#5a4b0f", "#694bd2", "#ff005a", "#b4d25a", "#d2b496",
                     "#004b4b", "#871e1e", "#008700", "#870078", "#f087ff", "#ff8778")
cluster_marks <- c(20, 17, 15, 18, 3, 4, 8, 6) # beyond the colours, the next mark

# The colour and the mark of each cluster.
looks_of <- function(k) {
  i <- seq_len(k) - 1
  list(colour = cluster_colours[i %% length(cluster_colours) + 1],
       mark = cluster_marks[i %/% length(cluster_colours) %% length(cluster_marks) + 1])
}

plot.onefold <- function(x, which = c("weights", "sizes", "agreement", "layout"), ...) {
  which <- match.arg(which, several.ok = TRUE)
  if (length(which) > 1) {
    old <- par(mfrow = if (length(which) == 2) c(1, 2) else c(2, 2))
    on.exit(par(old))
  }
  looks <- looks_of(x$k)
  for (picture in which) {
    switch(picture,
           weights = barplot(x$weights, main = "weights of the views", las = 2, ...),
           sizes = barplot(setNames(x$size, seq_len(x$k)), main = "samples in each cluster",
                           col = looks$colour, xlab = "cluster", ...),
           agreement = plot_agreement(x, ...),
           layout = plot_layout(x, looks, ...))
  }
  invisible(x)
}

plot_agreement <- function(x, ...) {
  values <- x$cluster_agreement
  if (is.null(values)) {
    fail("the fit has no agreement of views with clusters to draw", "unsupported")
  }
  p <- nrow(values)
  k <- ncol(values)
  image(seq_len(k), seq_len(p), t(values), zlim = c(0, 1), col = hcl.colors(64, "YlGnBu", rev = TRUE),
        axes = FALSE, xlab = "cluster", ylab = "", main = "agreement of views with clusters", ...)
  axis(1, seq_len(k))
  axis(2, seq_len(p), rownames(values), las = 1)
  text(rep(seq_len(k), each = p), rep(seq_len(p), k), format(round(values, 2)), cex = 0.8,
       col = ifelse(values > 0.5, "white", "black"))
}

# Coordinates: the library's layout where it was asked for, else two principal components.
layout_of <- function(x) {
  if (!is.null(x$layout)) return(x$layout)
  if (is.null(x$embedding)) fail("the method has no embedding to draw", "unsupported")
  found <- prcomp(x$embedding, rank. = 2)$x
  if (ncol(found) < 2) cbind(found, 0) else found
}

# The samples, and beside them a legend, in columns of 20.
plot_layout <- function(x, looks, ...) {
  at <- layout_of(x)
  columns <- ceiling(x$k / 20)
  old <- par(mar = par("mar") + c(0, 0, 0, 1.5 + 2 * columns))
  on.exit(par(old))
  plot(at[, 1], at[, 2], col = looks$colour[x$cluster], pch = looks$mark[x$cluster], xlab = "",
       ylab = "", main = "samples", ...)
  legend(par("usr")[2], par("usr")[4], legend = seq_len(x$k), col = looks$colour, pch = looks$mark,
         bty = "n", cex = 0.8, ncol = columns, title = "cluster", xpd = NA)
}

plot.onefold_choice <- function(x, ...) {
  curve <- x$curve
  plot(curve$k, curve$evidence, type = "b", pch = 20, ylim = range(0, curve$evidence),
       xlab = "clusters", ylab = "evidence", main = "evidence for each number", ...)
  if (!is.na(x$suggested)) {
    points(x$suggested, curve$evidence[curve$k == x$suggested], cex = 2)
  }
  invisible(x)
}
