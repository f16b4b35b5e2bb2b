# SPDX-License-Identifier: Apache-2.0
# Fits, and what can be done with them.

data <- named()

test_that("a fit has what it promises, and R's random state is left alone", {
  set.seed(1)
  before <- .Random.seed
  fit <- onefold(data$views, 3, method = METHOD, seed = 4)
  expect_identical(.Random.seed, before)
  set.seed(2)
  expect_identical(onefold(data$views, 3, method = METHOD, seed = 4)$cluster, fit$cluster)
  expect_identical(onefold(data$views, 3, method = METHOD, seed = 4, threads = 1)$cluster, fit$cluster)
  expect_type(fit$cluster, "integer")
  expect_identical(sort(unique(fit$cluster)), 1:3)
  expect_equal(sum(fit$weights^2), 1)
  expect_identical(names(fit$weights), c("rna", "protein"))
  expect_identical(dim(fit$embedding), c(150L, 6L))
  expect_identical(rownames(fit$embedding), names(data$truth))
  expect_identical(dimnames(fit$view_parts), list(names(data$truth), names(fit$weights)))
  expect_gt(mean(rowSums(fit$view_parts) > 0), 0.9)
  expect_null(onefold(data$views, 3, method = "avg-kkm")$view_parts)
  expect_true(all(fit$confidence >= 0 & fit$confidence <= 1))
  expect_identical(names(fit$agreement), names(fit$weights))
  expect_identical(dim(fit$cluster_agreement), 2:3)
  expect_length(fit$trace, fit$iterations)
  expect_identical(fit$size, as.vector(table(fit$cluster)) + 0)
  expect_output(print(fit), "3 clusters of 150 samples in 2 views")
  expect_output(print(summary(fit)), "seen_best_by")
  table <- as.data.frame(fit)
  expect_identical(table$cluster, unname(fit$cluster))
  expect_identical(table$sample, names(data$truth))
})

test_that("the default method and the others give a fit", {
  expect_equal(acc(onefold(data$views, 3), data$truth), 1)
  fit <- onefold(data$views, 3, method = "mkkm")
  expect_null(fit$model)
  expect_error(predict(fit, data$views), "mkkm has none", class = "onefold_unsupported_error")
  expect_true(METHOD %in% onefold_methods()$name)
})

test_that("weights can be fixed, bounded and left where the method has such", {
  expect_error(onefold(data$views, 3, method = "sb-kkm", weights = c(0.6, 0.8)), "one view alone",
               class = "onefold_usage_error")
  expect_equal(unname(onefold(data$views, 3, method = "mkkm", weights = c(0.6, NA))$weights), c(0.6, 0.4))
  expect_error(onefold(data$views, 3, weights = 1), "2 views")
  methods <- onefold_methods()
  expect_setequal(methods$name[methods$has_weights], c("onefold", "os-lfmvc-cs", "mkkm", "avg-kkm"))
  for (method in c("onefold", "os-lfmvc-cs")) {
    asked <- if (method == "onefold") c(0.6, 0.4) else c(0.6, 0.8) # they add up to 1, or their squares
    fit <- onefold(data$views, 3, method = method, weights = asked)
    expect_equal(unname(fit$weights), asked)
    fit <- onefold(data$views, 3, method = method, weights = c(protein = NA, rna = 0.3))
    expect_equal(fit$weights[["rna"]], 0.3)
    fit <- onefold(data$views, 3, method = method, weights = list(c(0.1, 0.4), NA))
    expect_lte(fit$weights[["rna"]], 0.4 + 1e-9)
  }
})

test_that("new samples get labels, whatever the order of views and columns", {
  fit <- onefold(data$views, 3, method = METHOD)
  expect_identical(predict(fit), fit$cluster)
  expect_identical(predict(fit, data$views), fit$cluster)
  new <- list(protein = data$views$protein[1:4, 9:1], rna = data$views$rna[1:4, ])
  expect_identical(predict(fit, new), fit$cluster[1:4])
  expect_identical(predict(fit, lapply(data$views, t), samples = "columns"), fit$cluster)
  all <- predict(fit, new, type = "all")
  expect_equal(unname(all$confidence), unname(fit$confidence[1:4]))
  expect_identical(dim(all$embedding), c(4L, 6L))
  new$rna <- new$rna[1:2, ]
  expect_identical(predict(fit, new), fit$cluster[1:4]) # two of them lack a view
  colnames(new$protein)[1] <- "other"
  expect_error(predict(fit, new), "protein 9", class = "onefold_bad_data_error")
  expect_error(predict(fit, unname(new[1])), "2 views")
})

test_that("saveRDS keeps a fit whole, and the model is the command's", {
  fit <- onefold(data$views, 3, method = METHOD)
  path <- tempfile(fileext = ".rds")
  saveRDS(fit, path)
  again <- readRDS(path)
  expect_identical(again, fit)
  expect_identical(predict(again, data$views), fit$cluster)
  model <- tempfile(fileext = ".model")
  write_model(fit, model)
  paths <- vapply(data$views, function(v) {
    path <- tempfile(fileext = ".csv")
    utils::write.csv(v, path)
    path
  }, "")
  printed <- read.csv(text = run_command("predict", model, paths), header = FALSE)
  expect_identical(as.integer(printed[[ncol(printed)]]) + 1L, unname(fit$cluster))
  damaged <- fit
  damaged$model[20:60] <- as.raw(0)
  expect_error(predict(damaged, data$views), class = "onefold_bad_data_error")
})

test_that("columns explain clusters", {
  views <- data$views
  views$rna <- cbind(views$rna, tell = 10 * (data$truth == 2) + rep(c(-1, 1), 75))
  fit <- onefold(views, 3, method = METHOD)
  found <- explain(fit, 1)
  own <- fit$cluster[data$truth == 2][1]
  row <- found[found$cluster == own & found$view == "rna", ]
  expect_identical(row$column, "tell")
  expect_gt(row$strength, 0.9)
  expect_lte(max(table(explain(fit, 2)$cluster)), 4)
  expect_identical(nrow(explain(onefold(made()$views, 3, method = METHOD))), 0L)
})

test_that("choose_k finds the number", {
  four <- made(240, 4)
  choice <- choose_k(four$views, 2, 6)
  expect_identical(choice$suggested, 4L)
  expect_identical(as.data.frame(choice)$k, as.numeric(2:6))
  expect_output(print(choice), "4 clusters are suggested")
  curve <- as.data.frame(choice)
  expect_equal(curve$entropy, log(curve$k))
  expect_true(all(curve$evidence >= 0 & curve$evidence <= curve$agreement^2 * curve$entropy))
  expect_equal(curve$k[which.max(curve$evidence)], 4)
  expect_true(curve$told[3] > curve$chance[3])
  expect_error(choose_k(four$views, 6, 2), class = "onefold_usage_error")
})

test_that("scores", {
  expect_identical(unname(onefold_score(c("a", "a", "b"), c(1, 1, 2))[c("acc", "nmi", "ari", "f")]),
                   rep(1, 4))
  expect_equal(unname(onefold_score(c(1, 1, 2, 2), c(1, 2, 2, 2))["acc"]), 0.75)
  expect_identical(onefold_score(c(x = 1, y = 2), c(y = 2, x = 1))[["acc"]], 1)
  expect_error(onefold_score(1:2, 1:3), "2 labels and 3")
  expect_error(onefold_score(c(1, NA), 1:2), "missing")
})

test_that("pages and pictures are written", {
  fit <- onefold(data$views, 3, method = METHOD, layout = TRUE)
  expect_identical(dim(fit$layout), c(150L, 2L))
  page <- tempfile(fileext = ".html")
  report(fit, data$views, page)
  expect_gt(file.size(page), 10000)
  expect_warning(report(fit, made(seed = 3)$views, page), "other labels")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_silent(plot(fit))
  for (which in c("weights", "sizes", "agreement", "layout")) expect_silent(plot(fit, which))
  expect_silent(plot(choose_k(data$views, 2, 4)))
})

test_that("files are read", {
  path <- tempfile(fileext = ".csv")
  utils::write.csv(data$views$rna, path)
  read <- onefold_read(path)
  expect_identical(unname(dim(read$views[[1]])), c(150L, 6L))
  expect_equal(unname(read$views[[1]]), unname(data$views$rna))
  expect_output(print(read), "150 samples in 1 views")
  expect_error(onefold_read("none.mat"), class = "onefold_io_error")
})

test_that("files are read with the options of the command", {
  path <- tempfile(fileext = ".csv")
  new <- tempfile(fileext = ".csv")
  i <- 0:29
  table <- data.frame(arm = i %% 2 + 1, who = paste0("p", i), x = i %% 3 * 5 + i / 40,
                      colour = c("red", "blue", "green")[i %% 3 + 1], zip = 1000 + 7 * i)
  write.csv(table, path, row.names = FALSE, quote = FALSE)
  names_of <- function(...) {
    suppressMessages(colnames(onefold_read(path, ids = "who", ...)$views[[1]]))
  }
  colours <- c("colour=blue", "colour=green", "colour=red")
  expect_identical(names_of(), c("arm", "x", colours, "zip"))
  expect_identical(names_of(drop = c("zip", 1)), c("x", colours))
  expect_identical(names_of(columns = c("arm", "x"), as_category = "arm"), c("arm=1", "arm=2", "x"))
  expect_error(names_of(as_number = "colour"), "is not a number", class = "onefold_bad_data_error")
  expect_error(names_of(drop = c("a,b", "x")), "has a comma in its name")
  expect_message(read <- onefold_read(path, ids = 2, drop = "zip"), "with the weight of one column")
  expect_identical(rownames(read$views[[1]])[3], "p2")
  by_file <- onefold(read, 3, method = "os-lfmvc-cs", seed = 1)
  frame <- data.frame(table[c("arm", "x", "colour")], row.names = table$who)
  by_frame <- onefold(list(t = frame), 3, method = "os-lfmvc-cs", seed = 1)
  expect_equal(by_file$objective, by_frame$objective) # a category weighs as one column in both
  writeLines(c("who,colour,x,arm", "n1,red,0.1,1", "n2,pink,5.2,2"), new)
  expect_message(few <- onefold_read(new, fit = by_file), "1 word that the model does not know")
  expect_setequal(colnames(few$views[[1]]), c("arm", "x", colours))
  names(few$views) <- names(read$views)
  expect_identical(unname(predict(by_file, few))[1], unname(by_file$cluster)[1])
})

test_that("noise is said to be noise, and clusters join a table", {
  set.seed(4)
  expect_warning(fit <- onefold(list(a = matrix(rnorm(2000), 200)), 3, samples = "rows"),
                 class = "onefold_nothing_found")
  expect_equal(fit$finding$verdict, "no more than chance")
  expect_output(print(fit), "^nothing was found")
  group <- rep(1:3, each = 40)
  x <- matrix(rnorm(120 * 9) + 5 * (rep(1:9, each = 120) %% 3 + 1 == group), 120,
              dimnames = list(paste0("s", 1:120), NULL))
  expect_no_warning(fit <- onefold(list(a = x, b = x + rnorm(1080)), 3, samples = "rows"))
  expect_equal(fit$finding$verdict, "more than chance")
  expect_true(all(fit$stability > 0.9))
  own <- data.frame(age = 3:1, row.names = c("s9", "nobody", "s2"))
  joined <- as.data.frame(fit, own)
  expect_equal(joined$cluster, unname(fit$cluster[c("s9", NA, "s2")]))
  expect_true(all(c("age", "confidence", "stability") %in% names(joined)))
})
