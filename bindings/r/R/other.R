# SPDX-License-Identifier: Apache-2.0
# The number of clusters, scores, files, and what methods there are.

choose_k <- function(x, from = 2, to = 0, ..., samples = c("rows", "columns"), kernel = "auto",
                     seed = 0, impute = c("none", "mean", "median"), threads = 0,
                     progress = interactive()) {
  samples <- if (missing(samples)) NULL else match.arg(samples)
  more <- list(...)
  objects <- names(more) %in% c("assays", "reductions", "layer")
  if (is.array(x) && length(dim(x)) == 3) kernel <- "precomputed"
  data <- do.call(data_of, c(list(x, samples, kernel), more[objects]))
  options <- c(list(kernel = kernel_words(kernel), seed = seed), more[!objects])
  wrong <- setdiff(names(options), c("kernel", "seed", library_options))
  if (length(wrong)) fail(sprintf("there is no option `%s`", wrong[1]), "usage", "see ?choose_k")
  options <- options[!vapply(options, is.null, NA)]
  found <- checked(.Call(C_choose, list(data = data, options = options, impute = match.arg(impute),
                                        least = from, most = to, threads = threads,
                                        progress = progress_of(progress))))
  structure(class = "onefold_choice", list(
    suggested = if (found$suggested > 0) found$suggested else NA_integer_,
    reasons = found$reasons, finding = found$finding, curve = as.data.frame(found$curve),
    taken = data$taken))
}

print.onefold_choice <- function(x, digits = 3, ...) {
  if (is.na(x$suggested)) cat("nothing was found: no number of clusters is more than chance\n")
  else cat(x$suggested, "clusters are suggested\n")
  cat(paste0("  ", x$reasons, "\n"), sep = "")
  print(x$curve[c("k", "agreement", "entropy", "told", "chance", "evidence")], digits = digits,
        row.names = FALSE)
  invisible(x)
}

as.data.frame.onefold_choice <- function(x, row.names = NULL, optional = FALSE, ...) x$curve

onefold_score <- function(cluster, truth) {
  if (!is.null(names(cluster)) && !is.null(names(truth))) {
    lacking <- setdiff(names(cluster), names(truth))
    if (length(lacking)) {
      fail(sprintf("the truth has no label for %d of the samples, %s among them", length(lacking),
                   lacking[1]), "bad-data", "take the names off to compare labels by their order")
    }
    if (anyDuplicated(names(truth))) {
      fail(sprintf("the truth has the sample %s twice", names(truth)[duplicated(names(truth))][1]),
           "bad-data")
    }
    truth <- truth[names(cluster)]
  }
  if (length(cluster) != length(truth)) {
    fail(sprintf("there are %d labels and %d true ones", length(cluster), length(truth)))
  }
  codes <- function(labels) {
    if (anyNA(labels)) fail("labels are missing (NA)", "bad-data")
    match(labels, unique(labels)) - 1L
  }
  unlist(checked(.Call(C_score, list(labels = codes(cluster), truth = codes(truth)))))
}

onefold_methods <- function() as.data.frame(checked(.Call(C_methods, list())))

# Columns by name or number as the library takes them: with commas between them.
listed <- function(columns) {
  if (is.null(columns)) return(NULL)
  columns <- as.character(columns)
  if (length(columns) > 1 && any(grepl(",", columns))) {
    fail(sprintf("the column '%s' has a comma in its name", grep(",", columns, value = TRUE)[1]),
         "usage", "give its number, from 1")
  }
  paste(columns, collapse = ",")
}

onefold_read <- function(paths, samples = c("rows", "columns"), views = NULL, truth = NULL,
                         impute = c("none", "mean", "median"), no_truth = FALSE, present = NULL,
                         ids = NULL, match = c("ids", "order"), header = NULL, drop = NULL,
                         columns = NULL, as_category = NULL, as_number = NULL, fit = NULL) {
  if (!is.null(fit) && !inherits(fit, "onefold")) fail("`fit` is what onefold() gave")
  options <- list(samples = if (missing(samples)) NULL else match.arg(samples),
                  views = listed(views), truth = truth, impute = match.arg(impute),
                  no_truth = no_truth, present = present, ids = listed(ids),
                  match = match.arg(match), header = header, drop = listed(drop),
                  columns = listed(columns), as_category = listed(as_category),
                  as_number = listed(as_number), expected = unlist(unname(fit$column_names)))
  options <- options[!vapply(options, is.null, NA)]
  found <- checked(.Call(C_read, list(paths = path.expand(paths), options = options)))
  for (sentence in found$assumptions) message("onefold: ", sentence)
  storage <- vapply(found$views, `[[`, "", "storage")
  read <- lapply(found$views, function(view) {
    names <- list(found$names, view$column_names)
    if (view$storage != "sparse") return(`dimnames<-`(view$values, names))
    t(new("dgCMatrix", p = view$values$p, i = view$values$i, x = view$values$x,
          Dim = as.integer(c(view$columns, length(view$values$p) - 1)), Dimnames = rev(names)))
  })
  names(read) <- vapply(found$views, `[[`, "", "name")
  truth <- found$truth
  if (!is.null(truth)) truth <- factor(found$classes[truth], found$classes)
  structure(class = "onefold_data", list(views = read, storage = storage, truth = truth,
                                         notes = found$notes,
                                         units = lapply(found$views, `[[`, "units")))
}

parts_of_read <- function(x) {
  Map(function(matrix, name, kernel, units) {
    c(part_of(matrix, name, "rows", kernel), list(units = units))
  }, x$views, names(x$views), x$storage == "kernel", x$units, USE.NAMES = FALSE)
}

print.onefold_data <- function(x, ...) {
  cat(sprintf("%d samples in %d views\n", nrow(x$views[[1]]), length(x$views)))
  cat(sprintf("  %s: %d columns, %s\n", names(x$views), vapply(x$views, ncol, 0L), x$storage),
      sep = "")
  if (!is.null(x$truth)) cat("  true labels of", nlevels(x$truth), "classes\n")
  invisible(x)
}
