# SPDX-License-Identifier: Apache-2.0
# The lines of docs/r.md run.

test_that("the document runs", {
  lines <- readLines(from_environment("ONEFOLD_DOCUMENT"))
  start <- grep("^```r$", lines)
  end <- grep("^```$", lines)
  expect_gt(length(start), 3)
  code <- unlist(lapply(start, function(i) lines[(i + 1):(end[end > i][1] - 1)]))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_error(capture.output(source(exprs = parse(text = code), local = new.env(), echo = FALSE)), NA)
})
