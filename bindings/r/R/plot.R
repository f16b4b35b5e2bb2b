# SPDX-License-Identifier: Apache-2.0
# Pictures, with R's own graphics.

plot.onefold <- function(x, which = c("weights", "sizes", "agreement", "layout"), ...) {
  which <- match.arg(which, several.ok = TRUE)
  if (length(which) > 1) {
    old <- par(mfrow = if (length(which) == 2) c(1, 2) else c(2, 2))
    on.exit(par(old))
  }
  colours <- hcl.colors(max(x$k, 2), "Dark 3")
  for (picture in which) {
    switch(picture,
           weights = barplot(x$weights, main = "weights of the views", las = 2, ...),
           sizes = barplot(setNames(x$size, seq_len(x$k)), main = "samples in each cluster",
                           col = colours, xlab = "cluster", ...),
           agreement = plot_agreement(x, ...),
           layout = plot_layout(x, colours, ...))
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
  text(rep(seq_len(k), each = p), rep(seq_len(p), k), format(round(values, 2)), cex = 0.8)
}

# Coordinates: the library's layout where it was asked for, else two principal components.
layout_of <- function(x) {
  if (!is.null(x$layout)) return(x$layout)
  if (is.null(x$embedding)) fail("the method has no embedding to draw", "unsupported")
  found <- prcomp(x$embedding, rank. = 2)$x
  if (ncol(found) < 2) cbind(found, 0) else found
}

plot_layout <- function(x, colours, ...) {
  at <- layout_of(x)
  plot(at[, 1], at[, 2], col = colours[x$cluster], pch = 20, xlab = "", ylab = "",
       main = "samples", ...)
  legend("topright", legend = seq_len(x$k), col = colours, pch = 20, bty = "n", cex = 0.8)
}

plot.onefold_choice <- function(x, ...) {
  curve <- x$curve
  plot(curve$k, curve$stability, type = "b", pch = 20, ylim = range(0, 1, curve$chance),
       xlab = "clusters", ylab = "stability", main = "stability of labels", ...)
  lines(curve$k, curve$chance, lty = 2)
  if (!is.na(x$suggested)) {
    points(x$suggested, curve$stability[curve$k == x$suggested], cex = 2)
  }
  invisible(x)
}
