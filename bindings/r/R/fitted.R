# SPDX-License-Identifier: Apache-2.0
# What can be done with a fit: looking at it, labelling new samples, writing it down.

print.onefold <- function(x, ...) {
  if (!is.null(x$finding)) cat(finding_line(x$finding), "\n", sep = "")
  cat(sprintf("%d clusters of %d samples in %d views, by %s\n", x$k, length(x$cluster),
              length(x$weights), x$method))
  cat(paste0("  ", x$taken, "\n"), sep = "")
  lacking <- x$views$missing > 0
  if (any(lacking)) {
    cat("lack the view:", paste(names(x$weights)[lacking], x$views$missing[lacking], collapse = ", "),
        "\n")
  }
  cat("sizes:", x$size, "\n")
  if (any(x$weights != 0)) {
    cat("weights:", paste(names(x$weights), round(x$weights, 3), collapse = ", "), "\n")
  }
  if (!isTRUE(x$converged)) cat("it did not converge: give more `max_iterations`\n")
  if (nzchar(x$note)) cat(x$note, "\n")
  invisible(x)
}

summary.onefold <- function(object, n = 3, ...) {
  views <- data.frame(kernel = object$views$kernel, columns = object$views$columns,
                      missing = object$views$missing, weight = object$weights,
                      row.names = names(object$weights))
  if (length(object$agreement)) views$agreement <- object$agreement
  clusters <- data.frame(size = object$size, row.names = seq_len(object$k))
  if (length(object$stability)) clusters$stability <- unname(object$stability)
  if (length(object$confidence)) {
    mean <- tapply(object$confidence, factor(object$cluster, seq_len(object$k)), base::mean)
    clusters$confidence <- as.vector(mean)
  }
  if (!is.null(object$cluster_agreement)) {
    best <- max.col(t(object$cluster_agreement), ties.method = "first")
    clusters$seen_best_by <- rownames(object$cluster_agreement)[best]
  }
  structure(class = "summary.onefold",
            list(fit = object, views = views, clusters = clusters, columns = explain(object, n)))
}

print.summary.onefold <- function(x, digits = 3, ...) {
  print(x$fit)
  cat("\nviews\n")
  print(x$views, digits = digits)
  cat("\nclusters\n")
  print(x$clusters, digits = digits)
  if (nrow(x$columns)) {
    cat("\ncolumns that set clusters apart\n")
    print(x$columns, digits = digits, row.names = FALSE)
  }
  invisible(x)
}

as.data.frame.onefold <- function(x, row.names = NULL, optional = FALSE, data = NULL, ...) {
  n <- length(x$cluster)
  table <- data.frame(sample = names(x$cluster) %||% as.character(seq_len(n)),
                      cluster = unname(x$cluster), stringsAsFactors = FALSE)
  if (length(x$confidence)) table$confidence <- unname(x$confidence)
  if (length(x$stability)) table$stability <- unname(x$stability)[table$cluster]
  if (!is.null(x$present)) table$views <- rowSums(x$present)
  if (is.data.frame(row.names)) { # as.data.frame(fit, data)
    data <- row.names
    row.names <- NULL
  }
  if (!is.null(data)) {
    at <- match(row.names(data), table$sample)
    if (all(is.na(at))) {
      fail("no sample is among the row names of the data", "bad-data",
           "set them to the samples' names")
    }
    return(cbind(data, table[at, setdiff(names(table), c("sample", names(data))), drop = FALSE]))
  }
  if (!is.null(row.names)) row.names(table) <- row.names
  table
}

explain <- function(object, n = 5, ...) UseMethod("explain")

explain.onefold <- function(object, n = 5, ...) {
  rank <- stats::ave(seq_len(nrow(object$columns)), object$columns$cluster, object$columns$view,
                     FUN = seq_along)
  table <- object$columns[rank <= n, ]
  row.names(table) <- NULL
  table
}

# The views of new samples as those of the fit, by name where they have names: the data of a call.
as_fitted <- function(object, newdata, samples) {
  names <- names(object$weights)
  absent <- character()
  if (inherits(newdata, c("MultiAssayExperiment", "Seurat"))) {
    parts <- if (inherits(newdata, "Seurat")) {
      found <- parts_of_seurat(newdata, assays = intersect(names, names(slot(newdata, "assays"))),
                               reductions = intersect(names, names(slot(newdata, "reductions"))))
      if (length(found) != length(names)) {
        fail(paste("the object has not all of", paste(names, collapse = ", ")), "bad-data")
      }
      found[match(names, vapply(found, `[[`, "", "name"))]
    } else {
      parts_of_mae(newdata, assays = names)
    }
  } else {
    if (inherits(newdata, "onefold_data")) newdata <- newdata$views
    if (length(dim(newdata)) == 2) newdata <- list(newdata)
    if (is.null(names(newdata))) {
      if (length(newdata) != length(names)) {
        fail(sprintf("the model has %d views, the new samples have %d", length(names),
                     length(newdata)), "bad-data")
      }
      names(newdata) <- names
    }
    wrong <- setdiff(names(newdata), names)
    if (length(wrong) || !length(newdata)) {
      fail(sprintf("the new samples have the view '%s', which the fit had not", wrong[1]), "bad-data",
           paste("its views are", paste(names, collapse = ", ")))
    }
    absent <- setdiff(names, names(newdata))
    newdata <- newdata[intersect(names, names(newdata))]
    parts <- Map(function(x, name) part_of(x, name, samples, plan = object$plans[[name]]), newdata,
                 names(newdata), USE.NAMES = FALSE)
  }
  if (length(absent)) {
    message(sprintf("onefold: the new samples have no view %s: they are taken to lack it",
                    paste(absent, collapse = ", ")))
  }
  own <- vapply(parts, `[[`, "", "name")
  parts <- Map(with_columns, parts, object$column_names[own], USE.NAMES = FALSE)
  widths <- setNames(object$views$columns, names)[absent]
  views_of(parts, absent = as.list(widths), order = names)
}

# A part with its columns in the order of the fit, where both have names for them.
with_columns <- function(part, wanted) {
  own <- if (part$side == "columns") rownames(part$matrix) else colnames(part$matrix)
  if (is.null(wanted) || is.null(own) || identical(own, wanted)) return(part)
  lacking <- setdiff(wanted, own)
  if (length(lacking)) {
    fail(sprintf("the view %s of the new samples lacks %d columns, %s among them", part$name,
                 length(lacking), lacking[1]), "bad-data")
  }
  part$matrix <- if (part$side == "columns") {
    part$matrix[wanted, , drop = FALSE]
  } else {
    part$matrix[, wanted, drop = FALSE]
  }
  part
}

predict.onefold <- function(object, newdata, type = c("cluster", "all"), samples = object$samples,
                            threads = 0, ...) {
  type <- match.arg(type)
  if (missing(newdata)) {
    if (type == "cluster") return(object$cluster)
    return(list(cluster = object$cluster, confidence = object$confidence,
                embedding = object$embedding))
  }
  if (is.null(object$model)) {
    fail("the fit keeps no model, and new samples cannot be labelled", "unsupported",
         if (.Call(C_keeps_model, list(method = object$method))) "fit with model = TRUE" else
           sprintf("the method %s has none", object$method))
  }
  data <- as_fitted(object, newdata, samples)
  impute <- if (object$settings$impute == "none") "none" else "model"
  found <- checked(.Call(C_predict, list(model = object$model, data = data, threads = threads,
                                         impute = impute)))
  found$cluster <- setNames(found$cluster, data$names)
  if (type == "cluster") return(found$cluster)
  found$confidence <- setNames(found$confidence, data$names)
  found$distance <- setNames(found$distance, data$names)
  rownames(found$embedding) <- data$names
  found
}

write_model <- function(object, path) {
  if (is.null(object$model)) fail("the fit keeps no model", "unsupported", "fit with model = TRUE")
  checked(.Call(C_write_model, list(model = object$model, path = path.expand(path))))
  invisible(path)
}

report <- function(object, ...) UseMethod("report")

report.onefold <- function(object, x, file = "onefold.html", ...) {
  if (missing(x)) fail("x, the data of the fit, is missing", "usage", "give report(fit, x)")
  s <- object$settings
  kernel <- if (is.array(x) && length(dim(x)) == 3) "precomputed" else s$kernel
  side <- if (inherits(x, c("MultiAssayExperiment", "Seurat"))) NULL else object$samples
  again <- do.call(fit_data, c(
    list(suppressWarnings(data_of(x, side, kernel, ...)), object$k, method = s$method, kernel = kernel,
         weights = s$weights, seed = s$seed, impute = s$impute, model = s$model,
         explain = s$explain, progress = FALSE, report = path.expand(file)), s$more))
  if (!identical(unname(again$cluster), unname(object$cluster))) {
    warning("the page shows other labels than the fit has: x is not the data that was fitted")
  }
  invisible(file)
}
