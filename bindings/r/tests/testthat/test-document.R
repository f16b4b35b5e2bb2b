# SPDX-License-Identifier: Apache-2.0
# The lines of docs/r.md run.

test_that("the document runs", {
  lines <- readLines(from_environment("ONEFOLD_DOCUMENT"))
  fence <- grep("^```", lines)
  expect_gt(length(fence), 6)
  code <- unlist(lapply(seq(1, length(fence), 2), function(i) lines[(fence[i] + 1):(fence[i + 1] - 1)]))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_error(capture.output(source(exprs = parse(text = code), local = new.env(), echo = FALSE)), NA)
})
