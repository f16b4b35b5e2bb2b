# SPDX-License-Identifier: Apache-2.0
# Labels are those of the command: one table of cases for every language.

pairs_of <- function(text) {
  words <- strsplit(text, "[ =]")[[1]]
  if (!length(words)) return(list())
  setNames(as.list(words[c(FALSE, TRUE)]), words[c(TRUE, FALSE)])
}

number_or_text <- function(value) {
  number <- suppressWarnings(as.numeric(value))
  if (is.na(number)) value else number
}

as_flags <- function(pairs) if (length(pairs)) as.vector(rbind(paste0("--", names(pairs)), unlist(pairs)))

test_that("labels are those of the command", {
  cases <- utils::read.csv(from_environment("ONEFOLD_CASES"), comment.char = "#",
                           colClasses = "character")
  expect_gt(nrow(cases), 5)
  for (i in seq_len(nrow(cases))) {
    case <- as.list(cases[i, ])
    path <- from_environment("ONEFOLD_DIGITS")
    if (case$data != "digits") {
      path <- tempfile(fileext = ".mat")
      run_command("synth", path, as_flags(pairs_of(case$data)))
    }
    more <- pairs_of(case$more)
    flags <- c("--clusters", case$clusters, "--seed", case$seed, as_flags(more))
    arguments <- c(list(samples = "rows", seed = as.numeric(case$seed)),
                   lapply(more, number_or_text))
    if (nzchar(case$method)) {
      flags <- c(flags, "--method", case$method)
      arguments$method <- case$method
    }
    if (nzchar(case$kernel)) {
      flags <- c(flags, "--kernel", gsub(";", ",", case$kernel))
      arguments$kernel <- strsplit(case$kernel, ";")[[1]]
    }
    printed <- as.integer(run_command("fit", path, flags)) + 1L
    views <- onefold_read(path)$views
    fit <- do.call(onefold, c(list(views, as.numeric(case$clusters), model = FALSE), arguments))
    expect_identical(unname(fit$cluster), printed, label = case$name)
    if (case$method == METHOD) {
      model <- tempfile(fileext = ".model")
      printed <- as.integer(run_command("fit", path, flags, "--model", model)) + 1L
      fit <- do.call(onefold, c(list(views, as.numeric(case$clusters)), arguments))
      expect_identical(unname(fit$cluster), printed, label = paste(case$name, "with a model"))
      size <- file.size(model)
      expect_identical(fit$model, readBin(model, "raw", size), label = paste("model of", case$name))
    }
  }
})
