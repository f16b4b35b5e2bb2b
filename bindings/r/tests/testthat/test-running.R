# SPDX-License-Identifier: Apache-2.0
# Interrupts, progress, and forks.

# It would take hours.
long_fit <- function(...) {
  set.seed(1)
  views <- lapply(1:3, function(i) matrix(rnorm(3000 * 40), 3000))
  onefold(views, 40, samples = "rows", method = METHOD, base = "exact", restarts = 1000,
          max_iterations = 100000, tolerance = 1e-300, ...)
}

# The signal is sent when the fit has said that it iterates, and `sent` is there before `kill` is; what is
# told after that was under way.
test_that("an interrupt ends a fit, and R goes on", {
  skip_on_os("windows")
  begun <- tempfile()
  sent <- tempfile()
  late <- 0
  system(sprintf("(until [ -e %s ]; do sleep 0.05; done; kill -INT %d; touch %s)", begun,
                 Sys.getpid(), sent), wait = FALSE)
  end <- tryCatch({
    long_fit(progress = function(stage, done, total, detail) {
      if (stage == "fit") file.create(begun)
      late <<- late + file.exists(sent)
    })
    "finished"
  }, interrupt = function(i) "interrupted", onefold_progress_error = function(e) "interrupted")
  expect_identical(end, "interrupted")
  expect_lte(late, 2)
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
