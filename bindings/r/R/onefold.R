# SPDX-License-Identifier: Apache-2.0
# Fitting: the generic, its methods, and the options of the library.

onefold <- function(x, k, ...) UseMethod("onefold")

onefold.default <- function(x, k, ..., samples = c("rows", "columns"), kernel = "auto") {
  samples <- if (missing(samples)) NULL else match.arg(samples)
  kernels <- is.array(x) && length(dim(x)) == 3
  if (kernels) kernel <- "precomputed"
  fit_data(data_of(x, samples, kernel), k, ..., kernel = kernel, call = match.call())
}

onefold.list <- onefold.default
onefold.matrix <- onefold.default
onefold.array <- onefold.default
onefold.data.frame <- onefold.default
onefold.onefold_data <- onefold.default

onefold.MultiAssayExperiment <- function(x, k, ..., samples = "columns", assays = NULL) {
  fit_data(data_of(x, samples, assays = assays), k, ..., call = match.call())
}

onefold.Seurat <- function(x, k, ..., samples = "columns", assays = NULL, reductions = NULL,
                           layer = "data") {
  data <- data_of(x, samples, assays = assays, reductions = reductions, layer = layer)
  fit_data(data, k, ..., call = match.call())
}

# Options that go to the library by their own names.
library_options <- c("method_options", "dims", "anchors", "restarts", "start", "variant", "nonneg",
                     "stop", "tolerance", "max_iterations", "base", "landmarks", "neighbours",
                     "precision", "effort")

# One text for the library of weights: numbers fix them, NA leaves them, pairs bound them.
weight_words <- function(weights, names) {
  if (is.null(weights)) return(NULL)
  if (length(weights) != length(names)) {
    fail(sprintf("weights has %d entries, x has %d views", length(weights), length(names)))
  }
  if (!is.null(names(weights))) {
    if (!setequal(names(weights), names)) fail("the names of `weights` are not those of the views")
    weights <- weights[names]
  }
  word <- function(w) {
    if (length(w) == 2) return(paste(format(w, digits = 17, trim = TRUE), collapse = ".."))
    if (is.na(w)) "auto" else format(w, digits = 17)
  }
  paste(vapply(as.list(weights), word, ""), collapse = ",")
}

kernel_words <- function(kernel) {
  if (all(kernel == "precomputed") || identical(kernel, "auto")) return(NULL)
  paste(kernel, collapse = ",")
}

# A bar that lives as long as the environment that it is made for, or NULL.
progress_of <- function(progress, frame = parent.frame()) {
  if (is.function(progress)) return(progress)
  if (!isTRUE(progress)) return(NULL)
  bar <- NULL
  stage_now <- ""
  done_with <- function() {
    if (!is.null(bar)) close(bar)
    bar <<- NULL
  }
  do.call(on.exit, list(substitute(f(), list(f = done_with)), add = TRUE), envir = frame)
  function(stage, done, total, detail) {
    if (stage != stage_now || is.null(bar)) {
      done_with()
      stage_now <<- stage
      cat("onefold: ", stage, "\n", sep = "", file = stderr())
      bar <<- txtProgressBar(style = 3, file = stderr())
    }
    setTxtProgressBar(bar, if (total > 0) min(done / total, 1) else 0)
  }
}

fit_data <- function(data, k, ..., method = NULL, kernel = "auto", weights = NULL, seed = 0,
                     impute = c("none", "mean", "median"), model = NA, explain = 20,
                     layout = FALSE, threads = 0, progress = interactive(), report = NULL,
                     call = NULL) {
  if (missing(k)) fail("k, the number of clusters, is missing", "usage", "choose_k() suggests one")
  more <- list(...)
  wrong <- setdiff(names(more), library_options)
  if (length(more) && (is.null(names(more)) || !all(nzchar(names(more))))) wrong <- "without a name"
  if (length(wrong)) {
    near <- agrep(wrong[1], c(library_options, "method", "kernel", "weights", "seed", "impute",
                              "samples"), value = TRUE)
    fail(sprintf("there is no option `%s`", wrong[1]), "usage",
         if (length(near)) sprintf("did you mean `%s`?", near[1]) else "see ?onefold")
  }
  names <- vapply(data$views, `[[`, "", "name")
  if (is.na(model)) model <- .Call(C_keeps_model, list(method = method))
  named <- any(vapply(data$views, function(v) !is.null(v$column_names), NA))
  options <- c(list(clusters = k, method = method, kernel = kernel_words(kernel), seed = seed,
                    weights = weight_words(weights, names), keep_model = model,
                    explain = if (named) explain else 0), more)
  options <- options[!vapply(options, is.null, NA)]
  if (!is.null(report)) options$picture <- TRUE
  settings <- list(method = method, kernel = kernel, weights = weights, seed = seed,
                   impute = match.arg(impute), model = model, explain = explain, more = more)
  request <- list(data = data, options = options, impute = settings$impute, threads = threads,
                  progress = progress_of(progress), layout = layout, report = report)
  found <- checked(.Call(C_fit, request), data)
  fit <- new_fit(found, data, names, k, settings, call)
  if (identical(fit$finding$verdict, "no more than chance")) {
    warning(structure(class = c("onefold_nothing_found", "warning", "condition"),
                      list(message = finding_line(fit$finding), call = call)))
  }
  fit
}

finding_line <- function(finding) {
  sprintf(paste("%s: subsamples agree at %.2f (%.2f by chance), neighbours tell %.0f %% (%.0f %%",
                "by chance)"),
          if (finding$verdict == "more than chance") "clusters were found"
          else paste("nothing was found: these clusters are", finding$verdict),
          finding$stable, finding$chance, 100 * finding$told, 100 * finding$told_chance)
}

# The object: what the library found, with names.
new_fit <- function(found, data, names, k, settings, call) {
  label <- function(x, ...) if (is.null(x)) NULL else `dimnames<-`(x, list(...))
  views <- as.data.frame(found$views, stringsAsFactors = FALSE)
  columns <- as.data.frame(found$columns, stringsAsFactors = FALSE)
  columns$view <- names[columns$view]
  structure(class = "onefold", list(
    cluster = setNames(found$cluster, data$names),
    weights = setNames(views$weight, names),
    confidence = setNames(found$confidence, if (!is.null(found$confidence)) data$names),
    embedding = label(found$embedding, data$names, NULL),
    view_parts = label(found$view_parts, data$names, names),
    objective = found$objective,
    agreement = setNames(found$agreement, if (!is.null(found$agreement)) names),
    view_agreement = label(found$view_agreement, names, names),
    cluster_agreement = label(found$cluster_agreement, names, seq_len(k)),
    size = found$size, k = as.integer(k), method = found$method, views = views, columns = columns,
    trace = found$trace, iterations = found$iterations, converged = found$converged,
    dims = found$dims, layout = label(found$layout, data$names, NULL), note = found$note,
    taken = data$taken, samples = data$side,
    present = if (!is.null(data$present)) {
      matrix(t(data$present) == 1, ncol = length(names), dimnames = list(data$names, names))
    },
    column_names = setNames(lapply(data$views, `[[`, "column_names"), names),
    plans = setNames(data$plans %||% vector("list", length(names)), names),
    model = found$model, settings = settings, call = call,
    finding = found$finding,
    stability = setNames(found$stability, if (!is.null(found$stability)) seq_len(k))))
}
