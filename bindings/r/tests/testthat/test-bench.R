# SPDX-License-Identifier: Apache-2.0
# Comparing methods, held to fits, to itself and to the command.

test_that("a table has every setting, with means over its repeats", {
  data <- made()
  data$views <- lapply(data$views, function(v) v + 3 * sin(7 * v))
  asked <- list(data$views, data$truth, c("os-lfmvc-cs", "sb-kkm", "mkkm"), repeats = 3,
                sensitivity = 1:2, samples = "rows")
  table <- do.call(of_bench, asked)
  long <- do.call(of_bench, c(asked, long = TRUE))
  expect_equal(nrow(long), 3 * 4 * nrow(table))
  means <- aggregate(value ~ method + setting + measure, long, mean)
  for (i in seq_len(nrow(table))) {
    own <- means[means$method == table$method[i] & means$setting == table$setting[i], ]
    expect_equal(own$value[own$measure == "acc"], table$acc[i])
    expect_equal(own$value[own$measure == "nmi"], table$nmi[i])
  }
  expect_false(is.unsorted(-table$acc))
  expect_equal(table$seconds, table$seconds_base + table$seconds_fit + table$seconds_kmeans)
  own <- table[table$method == "os-lfmvc-cs", ]
  expect_equal(own$acc[own$best], max(own$acc))
  expect_equal(sum(own$default), 1)
  expect_true(all(is.na(table$view) == (table$method != "sb-kkm")))
  fit <- onefold(data$views, 3, method = METHOD, samples = "rows")
  of_fit <- long$value[long$method == METHOD & long$default & long$measure == "acc"]
  expect_equal(of_fit[1], acc(fit, data$truth))
})

test_that("several sets are named, and the figures are drawn", {
  data <- named()
  path <- tempfile(fileext = ".pdf")
  grDevices::pdf(path)
  table <- of_bench(list(one = list(x = data$views, truth = rev(data$truth)),
                         two = list(x = made()$views, truth = made()$truth)),
                    methods = c(METHOD, "avg-kkm"), repeats = 2)
  expect_setequal(table$set, c("one", "two"))
  expect_true(all(table$acc > 0.9)) # the names of the truth were used
  for (which in c("scores", "sensitivity", "convergence", "times")) plot(table, which)
  grDevices::dev.off()
  expect_gt(file.size(path), 3000)
  expect_error(of_bench(data$views, NULL), "true labels", class = "onefold_error")
  expect_error(of_bench(data$views, data$truth, nothing = 1), "`nothing`", class = "onefold_error")
})
