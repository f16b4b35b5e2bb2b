# SPDX-License-Identifier: Apache-2.0
# Data frames are read as their makers mean them: samples by row name, views and columns by name.

frames <- function(names = NULL, ...) {
  data <- made(...)
  data$views <- lapply(data$views, function(v) {
    frame <- as.data.frame(v)
    if (!is.null(names)) row.names(frame) <- names
    frame
  })
  data
}

fit_of <- function(x, ...) onefold(x, 3, method = METHOD, seed = 1, ...)
by_name <- function(labels) labels[order(names(labels))]

test_that("samples are matched by row names, also beside those that nobody gave", {
  pairs <- list(
    shuffled = function(a, b) list(a = a, b = b[sample(150), ]),
    first = function(a, b) list(a = a[sample(150), ], b = b),
    both = function(a, b) list(a = a[sample(150), ], b = b[sample(150), ]),
    sorted = function(a, b) list(a = a, b = b[order(b[[1]]), ]),
    ends = function(a, b) list(a = a[-(1:25), ], b = b[1:125, ]),
    tail = function(a, b) list(a = a, b = b[-(1:30), ]))
  set.seed(3)
  for (names in list(NULL, sprintf("s%03d", 1:150))) {
    data <- frames(names)
    truth <- setNames(data$truth, row.names(data$views$rna))
    for (pair in names(pairs)) {
      x <- pairs[[pair]](data$views$rna, data$views$protein)
      fit <- fit_of(x)
      expect_setequal(names(fit$cluster), names(truth))
      expect_equal(acc(fit, truth), 1, label = pair)
      expect_identical(predict(fit, x), fit$cluster)
    }
  }
})

test_that("iris in another order keeps its flowers together", {
  set.seed(1)
  plain <- fit_of(list(sepals = iris[1:2], petals = iris[3:4]))
  expect_null(names(plain$cluster))
  shuffled <- fit_of(list(sepals = iris[1:2], petals = iris[sample(150), 3:4]))
  expect_identical(shuffled$cluster, setNames(plain$cluster, 1:150))
})

test_that("what cannot be matched is refused, and what is assumed is said", {
  data <- frames()
  named <- frames(sprintf("s%d", 1:150))$views
  refused <- function(x, words) expect_error(fit_of(x), words, class = "onefold_bad_data_error")
  refused(list(a = data$views$rna, b = named$protein),
          "the view a has the row names 1 to 150, which nobody gave it, and b holds 's1'")
  from_zero <- data$views$protein
  row.names(from_zero) <- 0:149
  refused(list(a = data$views$rna, b = from_zero), "row names 1 to 150") # each would get its neighbour
  refused(list(a = data$views$rna, b = data$views$protein[1:100, ]), "different numbers of samples")
  refused(list(a = named$rna[1:80, ], b = named$protein[76:150, ]), "hardly a sample in common")
  array <- unname(as.matrix(data$views$protein))
  refused(list(a = data$views$rna[150:1, ], b = array), "the view b has no names for its samples, and the others have numbers")
  refused(list(a = named$rna, c = named$rna[150:1, ], b = array), "the others are matched by theirs")
  expect_message(fit <- fit_of(list(a = named$rna, b = array)),
                 "the view b has no names for its samples: they are taken in the order of a")
  expect_identical(unname(fit$cluster), unname(fit_of(data$views)$cluster))
})

test_that("any order of rows, views and columns gives the same labels by id", {
  ids <- sprintf("s%03d", 1:150)
  data <- frames(ids)
  data$views$table <- data.frame(x = data$truth + 0.1 * sin(1:150),
                                 colour = factor(c("red", "green", "blue")[data$truth]),
                                 smokes = rep(c(TRUE, FALSE), 75), row.names = ids)
  set.seed(7)
  for (method in c(METHOD, "onefold")) {
    expected <- onefold(data$views, 3, method = method)
    expect_equal(acc(expected, setNames(data$truth, ids)), 1)
    for (try in 1:3) {
      x <- lapply(data$views[sample(3)], function(v) v[sample(150), sample(ncol(v))])
      fit <- onefold(x, 3, method = method)
      expect_equal(onefold_score(fit$cluster, expected$cluster)[["ari"]], 1)
      expect_identical(by_name(predict(fit, data$views)), by_name(fit$cluster))
    }
  }
})

test_that("new samples are taken by the names of views, and lack what is absent", {
  data <- named()
  fit <- onefold(data$views, 3, method = METHOD)
  expect_identical(predict(fit, rev(data$views)), fit$cluster)
  expect_error(predict(fit, list(rna = data$views$rna, dna = data$views$protein)),
               "the view 'dna', which the fit had not; its views are rna, protein",
               class = "onefold_bad_data_error")
  expect_message(some <- predict(fit, data$views["protein"]), "no view rna: they are taken to lack it")
  nothing <- list(rna = NA * data$views$rna, protein = data$views$protein)
  expect_identical(some, predict(fit, nothing))
  expect_gt(onefold_score(some, fit$cluster)[["acc"]], 0.9)
  expect_identical(predict(fit, unname(data$views)), fit$cluster)
})

test_that("scores compare by name", {
  expect_identical(onefold_score(c(x = 1, y = 2), c(z = 1, y = 2, x = 1))[["acc"]], 1)
  expect_error(onefold_score(c(x = 1, y = 2), c(x = 1, z = 2)), "no label for 1 of the samples, y")
  expect_identical(onefold_score(c(x = 1, y = 2), c("b", "a"))[["acc"]], 1)
})

clinical <- function() {
  n <- 150
  truth <- made()$truth
  i <- seq_len(n)
  list(truth = truth, table = data.frame(
    mrn = sprintf("MRN%05d", i), age = 40 + 20 * truth + i %% 7, sex = c("m", "f")[i %% 2 + 1],
    stage = factor(c("I", "II", "III")[truth], c("III", "II", "I", "IV")),
    smoker = c("yes", "No")[(i %/% 2) %% 2 + 1], alive = truth == 1, visits = i %% 9L + 5L * truth,
    seen = as.Date("2020-01-01") + i, born = sprintf("19%d-02-0%d", i %% 90 + 10, i %% 9 + 1),
    notes = sprintf("%s on day %d", c("well", "tired")[i %% 2 + 1], i %/% 3),
    cost = sprintf("$%d,050.10", i %% 7 + 1), share = sprintf("%d%%", 5 * truth + i %% 5),
    nothing = NA, stringsAsFactors = FALSE))
}

test_that("columns of data frames are what they mean, also of new samples", {
  data <- clinical()
  views <- list(rna = as.data.frame(made()$views$rna), clinical = data$table)
  said <- "view clinical: left out, as no numbers or categories: mrn \\(ids\\), seen \\(dates\\), born \\(dates\\), notes \\(free text\\), nothing \\(empty\\)"
  expect_warning(fit <- fit_of(views), said)
  expect_identical(fit$column_names$clinical,
                   c("age", "sex=f", "sex=m", "stage=III", "stage=II", "stage=I", "smoker", "alive",
                     "visits", "cost", "share"))
  values <- suppressWarnings(frame_numbers(data$table, "clinical", fit$plans$clinical))
  expect_identical(values[, "sex=m"], (data$table$sex == "m") + 0)
  expect_identical(values[, "smoker"], (data$table$smoker == "yes") + 0)
  expect_equal(values[2, c("cost", "share")], c(cost = 3050.1, share = 0.05 * data$truth[2] + 0.02))
  expect_equal(acc(fit, data$truth), 1)
  few <- c(1, 60, 150)
  new <- lapply(rev(views), function(v) v[few, rev(seq_along(v))])
  new$clinical$notes <- NULL
  expect_identical(unname(predict(fit, new)), unname(fit$cluster[few]))
  path <- tempfile(fileext = ".rds")
  saveRDS(fit, path)
  expect_identical(unname(predict(readRDS(path), new)), unname(fit$cluster[few]))
  other <- new
  other$clinical$sex[1] <- "x"
  expect_warning(predict(fit, other), "view clinical, column sex: 'x' was not there in the fit")
  other <- new
  other$clinical$age <- "old"
  expect_error(predict(fit, other), "view clinical, column age: 'old' is not a number",
               class = "onefold_bad_data_error")
  other <- new
  other$clinical$age <- NULL
  expect_error(predict(fit, other), "lacks 1 columns, age among them", class = "onefold_bad_data_error")
  expect_error(predict(fit, list(rna = new$rna, clinical = matrix(0, 3, 11))), "has categories")
  page <- tempfile(fileext = ".html")
  expect_silent(report(fit, views, page))
})

test_that("ids, codes and signs among the columns are no amounts", {
  rna <- as.data.frame(made()$views$rna)
  ids <- list(patient_id = (7 * seq_len(150)) %% 151, X = seq_len(150), accession = sprintf("%05d", seq_len(150)^2))
  plain <- fit_of(list(rna = rna))
  for (name in names(ids)) {
    views <- list(rna = stats::setNames(cbind(ids[[name]], rna), c(name, names(rna))))
    expect_warning(fit <- fit_of(views), sprintf("%s \\(ids\\); samples are matched by row names", name))
    expect_identical(unname(fit$cluster), unname(plain$cluster))
    expect_identical(unname(predict(fit, views)), unname(fit$cluster))
  }
  both <- lapply(made()$views, function(v) cbind(case_id = sprintf("s%d", seq_len(150)), as.data.frame(v)))
  mixed <- both
  mixed[[2]] <- mixed[[2]][150:1, ]
  row.names(mixed[[2]]) <- NULL
  expect_error(suppressWarnings(fit_of(mixed)), "ids in the column case_id, in different order", class = "onefold_bad_data_error")
  expect_warning(expect_warning(fit_of(both), "case_id"), "case_id")
  expect_warning(fit_of(list(rna = cbind(MRN = 70131 + seq_len(150)^2, rna))), "numbers of MRN all differ")
  table <- data.frame(zip = rep(c("00501", "10115", "00544"), 50), er = rep(c("+", "-", "-"), 50))
  plan <- plan_of(table, "v")
  values <- frame_numbers(table, "v", plan)
  expect_identical(colnames(values), c("zip=00501", "zip=00544", "zip=10115", "er"))
  expect_equal(unname(values[1:3, "er"]), c(1, 0, 0))
})

test_that("a category weighs as one column", {
  words <- clinical()$table[c("age", "visits", "sex")]
  numbers <- transform(words, sex = (sex == "m") + 0)
  split <- cbind(numbers, other = 1 - numbers$sex)
  seen <- lapply(list(numbers, words, split), function(t) tcrossprod(fit_of(list(v = t))$embedding))
  expect_equal(seen[[1]], seen[[2]], tolerance = 1e-7)
  expect_gt(max(abs(seen[[1]] - seen[[3]])), 1e-3)
})

test_that("missing values of categories are missing, and cells that are no numbers are named", {
  data <- clinical()
  views <- list(rna = as.data.frame(made()$views$rna), clinical = data$table[c("age", "sex", "stage")])
  views$clinical$sex[5] <- NA
  views$clinical$stage[6] <- NA
  expect_error(fit_of(views), "clinical: .*the first in sample 5, column sex=f",
               class = "onefold_bad_data_error")
  expect_error(fit_of(lapply(views, `row.names<-`, sprintf("s%d", 1:150))),
               "sample 's5', column sex=f")
  expect_equal(acc(fit_of(views, impute = "mean"), data$truth), 1)
  cell <- function(x) fit_of(list(v = data.frame(x = x)))
  expect_error(cell(c("1", "2", "3.5", "4", "m")), "view v, column x: 'm' is not a number")
  expect_error(cell(letters), "`x` of the view v \\(ids\\)")
  expect_error(cell(Sys.time() + 1:5), "\\(dates\\)")
  expect_error(cell(I(list(1, 2, 3))), "`x` of the view v")
  expect_error(fit_of(list(v = matrix(c("1", "m"), 2, 2, dimnames = list(NULL, c("a", "b"))))),
               "view v, column a: 'm' is not a number")
})

test_that("clusters can be told apart in pictures", {
  lab <- grDevices::convertColor(t(grDevices::col2rgb(cluster_colours)) / 255, "sRGB", "Lab")
  expect_gt(min(dist(lab)), 25)
  looks <- looks_of(45)
  expect_false(anyDuplicated(paste(looks$colour, looks$mark)) > 0)
  fit <- onefold(made()$views, 25, method = METHOD, restarts = 1)
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
  before <- par("mar")
  expect_silent(plot(fit, "layout"))
  expect_identical(par("mar"), before)
})

test_that("what a reader assumes is said", {
  data <- named()
  paths <- vapply(names(data$views), function(n) file.path(tempdir(), paste0(n, ".csv")), "")
  utils::write.csv(data$views$rna, paths[["rna"]])
  utils::write.csv(data$views$protein[150:1, ], paths[["protein"]])
  expect_message(read <- onefold_read(paths), "onefold: samples are matched by id: 150")
  expect_equal(acc(fit_of(read), data$truth), 1)
})
