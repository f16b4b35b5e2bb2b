# SPDX-License-Identifier: Apache-2.0
# Comparing methods: the paper's experiments as a data frame, and their figures.

measures <- c("acc", "nmi", "purity", "ari")

of_bench <- function(x, truth = NULL, methods = "all", grid = "default", repeats = 20, ...,
                     sensitivity = NULL, kmeans_start = c("plusplus", "samples"),
                     replicates = 10, store = NULL, long = FALSE, k = NULL,
                     samples = c("rows", "columns"), kernel = "auto", seed = 0,
                     impute = c("none", "mean", "median"), threads = 0,
                     progress = interactive()) {
  side <- if (missing(samples)) NULL else match.arg(samples)
  more <- list(...)
  wrong <- setdiff(names(more), library_options)
  if (length(wrong)) fail(sprintf("there is no option `%s`", wrong[1]), "usage", "see ?of_bench")
  several <- is.list(x) && is.null(truth) && !inherits(x, "onefold_data") && length(x) &&
    all(vapply(x, function(s) {
      inherits(s, "onefold_data") || (is.list(s) && !is.data.frame(s) && !is.null(s$truth))
    }, NA))
  sets <- if (several) x else list(list(x = x, truth = truth))
  joined <- function(values) if (is.null(values)) NULL else paste(values, collapse = ",")
  request <- list(methods = joined(methods), grid = grid, repeats = repeats,
                  sensitivity = joined(sensitivity), kmeans_start = match.arg(kmeans_start),
                  replicates = replicates, store = store, impute = match.arg(impute),
                  threads = threads, progress = progress_of(progress))
  request <- request[!vapply(request, is.null, NA)]
  options <- c(list(clusters = k, kernel = kernel_words(kernel), seed = seed), more)
  options <- options[!vapply(options, is.null, NA)]
  tables <- Map(function(set, name) {
    views <- if (inherits(set, "onefold_data")) set else set$x
    data <- data_of(views, side, kernel)
    found <- checked(.Call(C_bench, c(request, list(data = data, options = options,
                                                    truth = truth_of(set, views, data)))), data)
    framed(found, long, if (several) name)
  }, sets, if (several) names(x) %||% seq_along(x) else "")
  all <- do.call(rbind, unname(tables))
  attr(all, "traces") <- do.call(c, unname(lapply(tables, attr, "traces")))
  structure(all, class = c("onefold_bench", "data.frame"))
}

# The number of the class of each sample, by name where both have names.
truth_of <- function(set, views, data) {
  truth <- set[["truth"]]
  if (is.null(truth) && inherits(views, "onefold_data")) truth <- views$truth
  if (is.null(truth)) fail("of_bench scores against true labels: give `truth`")
  if (!is.null(names(truth)) && !is.null(data$names)) truth <- truth[data$names]
  if (anyNA(truth)) fail("true labels are missing (NA)", "bad-data")
  match(truth, unique(truth)) - 1L
}

# The rows of one set, best first; or a row for each repeat and measure.
framed <- function(found, long, name) {
  table <- as.data.frame(found$table, stringsAsFactors = FALSE)
  order <- order(-table$acc, na.last = TRUE, method = "radix")
  traces <- found$traces[order]
  if (long) {
    rows <- rep(seq_len(nrow(table)), lengths(found$scores))
    counts <- vapply(found$scores, nrow, 0L)
    table <- data.frame(table[rows, c("method", "setting", "default")],
                        "repeat" = unlist(lapply(counts, function(n) rep(seq_len(n), 4))),
                        measure = unlist(lapply(counts, function(n) rep(measures, each = n))),
                        value = unlist(found$scores), row.names = NULL, check.names = FALSE)
  } else {
    table <- `rownames<-`(table[order, ], NULL)
  }
  if (!is.null(name)) table <- cbind(set = rep(as.character(name), nrow(table)), table)
  attr(table, "traces") <- traces
  table
}

plot.onefold_bench <- function(x, which = c("scores", "sensitivity", "convergence", "times"),
                               measure = "acc", method = "os-lfmvc-cs", ...) {
  which <- match.arg(which)
  own <- x[["default"]]
  names <- if ("set" %in% names(x)) paste(x$method, x$set) else x$method
  old <- par(mar = c(4.1, 2 + 0.55 * max(nchar(names)), 2.1, 1.1))
  on.exit(par(old))
  switch(which,
         scores = {
           at <- barplot(x[[measure]][own], names.arg = names[own], horiz = TRUE, las = 1,
                         xlim = c(0, 1), xlab = measure, ...)
           off <- x[[paste0(measure, "_deviation")]][own]
           seen <- !is.na(off) & off > 0
           arrows(x[[measure]][own][seen] - off[seen], at[seen],
                  x[[measure]][own][seen] + off[seen], at[seen], angle = 90, code = 3, length = 0.03)
         },
         sensitivity = plot_sensitivity(x, measure, ...),
         convergence = {
           trace <- attr(x, "traces")[[which(own & x$method == method)[1]]]
           plot(seq_along(trace), trace, type = "b", pch = 20, xlab = "iteration",
                ylab = "objective", main = method, ...)
         },
         times = barplot(t(as.matrix(x[own, c("seconds_base", "seconds_fit", "seconds_kmeans")])),
                         names.arg = names[own], horiz = TRUE, las = 1, xlab = "seconds of one run",
                         legend.text = c("preparation", "iterations", "k-means"), ...))
  invisible(x)
}

plot_sensitivity <- function(x, measure, ...) {
  x <- x[x$sensitivity, ]
  if (!nrow(x)) fail("the table has no settings of k and m", "usage", "`sensitivity` asks for them")
  values <- tapply(x[[measure]], list(x$anchors, x$dims), mean)
  image(seq_len(nrow(values)), seq_len(ncol(values)), values, axes = FALSE, xlab = "m", ylab = "k",
        col = hcl.colors(64, "YlGnBu", rev = TRUE), main = measure, ...)
  axis(1, seq_len(nrow(values)), rownames(values))
  axis(2, seq_len(ncol(values)), colnames(values), las = 1)
  text(row(values), col(values), format(round(values, 3)), cex = 0.8)
}
