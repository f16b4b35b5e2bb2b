# SPDX-License-Identifier: Apache-2.0
# Interrupts, progress, and forks.

long_fit <- function(...) {
  set.seed(1)
  views <- lapply(1:3, function(i) matrix(rnorm(3000 * 40), 3000))
  onefold(views, 40, samples = "rows", method = METHOD, base = "exact", restarts = 40,
          max_iterations = 10000, tolerance = 1e-15, ...)
}

test_that("an interrupt ends a fit at once, and R goes on", {
  skip_on_os("windows")
  waited <- numeric()
  for (try in 1:3) {
    told <- tempfile()
    system(sprintf("(sleep 0.7; date +%%s.%%N >%s; kill -INT %d)", told, Sys.getpid()), wait = FALSE)
    end <- tryCatch({
      long_fit()
      "finished"
    }, interrupt = function(i) "interrupted")
    now <- as.numeric(Sys.time())
    expect_identical(end, "interrupted")
    waited <- c(waited, now - as.numeric(readLines(told)))
    if (waited[try] < 0.2) break # a machine that does other things besides gets two more tries
  }
  expect_lt(min(waited), 0.2)
  data <- made()
  expect_equal(acc(onefold(data$views, 3, method = METHOD), data$truth), 1)
})

test_that("progress is told, and its errors are raised", {
  data <- made()
  stages <- character()
  onefold(data$views, 3, method = METHOD, progress = function(stage, done, total, detail) {
    stages <<- union(stages, stage)
  })
  expect_true("fit" %in% stages)
  expect_error(onefold(data$views, 3, progress = function(...) stop("from the hook")),
               "from the hook", class = "onefold_progress_error")
  expect_output(suppressMessages(onefold(data$views, 3, method = METHOD, progress = FALSE)), NA)
})

test_that("forked children fit, after a fit in the parent", {
  skip_on_os("windows")
  data <- made()
  fit <- onefold(data$views, 3, method = METHOD, threads = 2)
  found <- parallel::mclapply(1:3, function(i) {
    onefold(data$views, 3, method = METHOD, threads = 2)$cluster
  }, mc.cores = 2)
  for (labels in found) expect_identical(labels, fit$cluster)
})
