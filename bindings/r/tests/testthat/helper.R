# SPDX-License-Identifier: Apache-2.0
# Made data that every test may use, and the command to compare with.

METHOD <- "os-lfmvc-cs" # the quickest that has a model

# Views with well separated clusters of one size, and the truth, from numbers that are R's own state
# no matter.
made <- function(samples = 150, clusters = 3, columns = c(rna = 6, protein = 9), seed = 1) {
  old <- if (exists(".Random.seed", globalenv())) get(".Random.seed", globalenv())
  on.exit(if (!is.null(old)) assign(".Random.seed", old, globalenv()))
  set.seed(seed)
  truth <- rep(seq_len(clusters), length.out = samples)
  views <- lapply(columns, function(c) {
    centres <- 4 * matrix(rnorm(clusters * c), clusters)
    centres[truth, ] + matrix(rnorm(samples * c), samples)
  })
  list(views = views, truth = truth)
}

# The same with names of samples and columns.
named <- function(...) {
  data <- made(...)
  ids <- sprintf("patient %d", seq_along(data$truth))
  for (view in names(data$views)) {
    columns <- sprintf("%s %d", view, seq_len(ncol(data$views[[view]])))
    dimnames(data$views[[view]]) <- list(ids, columns)
  }
  names(data$truth) <- ids
  data
}

acc <- function(fit, truth) unname(onefold_score(fit$cluster, truth)["acc"])

# The command and the table of cases, which ./dev test r names; a package that is checked by itself
# has neither.
from_environment <- function(name) {
  path <- Sys.getenv(name)
  skip_if(path == "", paste(name, "is not set"))
  path
}

run_command <- function(...) {
  out <- system2(from_environment("ONEFOLD_COMMAND"), shQuote(c(...)), stdout = TRUE, stderr = FALSE)
  expect_null(attr(out, "status"))
  out
}
