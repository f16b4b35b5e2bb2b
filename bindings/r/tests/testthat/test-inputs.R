# SPDX-License-Identifier: Apache-2.0
# What can be handed over, and what is refused.

test_that("types and sides of matrices do not change labels", {
  data <- made()
  whole <- lapply(data$views, function(v) round(10 * v))
  fit <- onefold(whole, 3, method = METHOD)
  expect_equal(acc(fit, data$truth), 1)
  integers <- lapply(whole, function(v) `storage.mode<-`(v, "integer"))
  sparse <- lapply(whole, Matrix::Matrix, sparse = TRUE)
  frames <- lapply(whole, as.data.frame)
  turned <- lapply(whole, t)
  same <- function(x, ...) expect_identical(onefold(x, 3, method = METHOD, ...)$cluster, fit$cluster)
  same(integers)
  same(lapply(whole, Matrix::Matrix, sparse = FALSE))
  same(frames)
  same(turned, samples = "columns")
  expect_message(same(turned), "samples are the columns")
  expect_equal(acc(onefold(sparse, 3, method = METHOD), data$truth), 1)
  expect_identical(onefold(sparse, 3, method = METHOD)$cluster,
                   onefold(lapply(sparse, Matrix::t), 3, method = METHOD, samples = "columns")$cluster)
  one <- onefold(whole$protein, 3, method = METHOD)
  expect_identical(names(one$weights), "view 1")
})

test_that("doubles are not copied", {
  set.seed(1)
  x <- list(a = matrix(rnorm(4e5), 4000), b = matrix(rnorm(4e5), 4000))
  tracemem(x$a)
  printed <- capture.output(fit <- onefold(x, 2, samples = "rows", method = METHOD, restarts = 1,
                                           base = "nystrom", kernel = "linear", model = FALSE))
  untracemem(x$a)
  expect_identical(printed, character())
})

test_that("samples are matched by name, and lack what a view has not of them", {
  data <- named()
  plain <- onefold(data$views, 3, method = METHOD)
  expect_identical(names(plain$cluster), names(data$truth))
  expect_null(plain$present)
  set.seed(2)
  data$views$protein <- data$views$protein[sample(21:150), ]
  fit <- onefold(data$views, 3, method = METHOD)
  expect_identical(names(fit$cluster), names(data$truth))
  expect_equal(acc(fit, data$truth), 1)
  expect_identical(unname(colSums(!fit$present)), c(0, 20))
  expect_output(print(fit), "lack the view: protein 20")
  sparse <- lapply(data$views, Matrix::Matrix, sparse = TRUE)
  expect_identical(onefold(sparse, 3, method = METHOD)$present, fit$present)
  expect_equal(as.data.frame(fit)$views, rep(1:2, c(20, 130)))
  rows <- data$views
  rows$protein <- rbind(rows$protein, NA * plain$embedding[1:20, rep(1, 9)])
  rownames(rows$protein) <- c(rownames(data$views$protein), names(data$truth)[1:20])
  expect_identical(onefold(rows, 3, method = METHOD)$cluster, fit$cluster)
})

test_that("what is ambiguous or wrong is refused with a class of its own", {
  data <- named()
  square <- list(matrix(rnorm(100), 10), matrix(rnorm(100), 10))
  expect_error(onefold(square, 2), "rows or the columns", class = "onefold_usage_error")
  odd <- list(matrix(rnorm(20), 10, dimnames = list(NULL, c("a", "b"))),
              matrix(rnorm(30), 10, dimnames = list(NULL, c("a", "b", "c"))))
  expect_error(onefold(odd, 2), "by their names", class = "onefold_usage_error")
  expect_error(onefold(list(diag(3), diag(4)), 2, samples = "rows"), "different numbers",
               class = "onefold_bad_data_error")
  twice <- data$views
  rownames(twice$rna)[2] <- "patient 1"
  expect_error(onefold(twice, 3), "patient 1 twice", class = "onefold_bad_data_error")
  other <- data$views
  rownames(other$rna) <- paste("x", 1:150)
  expect_error(onefold(other, 3, samples = "rows"), "no sample in common", class = "onefold_error")
  expect_error(onefold(list(a = data.frame(x = letters[1:3])), 2), "`x` of the view a")
  expect_error(onefold(list(), 2), "no views")
  expect_error(onefold("a", 2), "list of matrices")
  expect_error(onefold(data$views), "k, the number", class = "onefold_usage_error")
  expect_error(onefold(data$views, 0), "give `k`", class = "onefold_usage_error")
  expect_error(onefold(data$views, 3, restart = 2), "did you mean `restarts`")
  expect_error(onefold(data$views, 3, base = "exakt"), "`base` cannot be")
  holes <- data$views
  holes$rna[5, 2] <- NA
  error <- tryCatch(onefold(holes, 3, method = METHOD), error = identity)
  expect_s3_class(error, "onefold_bad_data_error")
  expect_match(error$hint, "impute")
  expect_equal(acc(onefold(holes, 3, method = METHOD, impute = "mean"), data$truth), 1)
  holes$rna <- `storage.mode<-`(round(10 * holes$rna), "integer")
  expect_error(onefold(holes, 3, method = METHOD), class = "onefold_bad_data_error")
})

test_that("kernels are taken, alone, beside features and as an array", {
  data <- made()
  kernels <- lapply(data$views, function(v) exp(-as.matrix(dist(v))^2 / 50))
  kernels <- lapply(kernels, unname)
  fit <- onefold(kernels, 3, kernel = "precomputed", method = METHOD)
  expect_equal(acc(fit, data$truth), 1)
  expect_identical(fit$views$kernel, rep("precomputed", 2))
  expect_identical(onefold(array(unlist(kernels), c(150, 150, 2)), 3, method = METHOD)$cluster,
                   fit$cluster)
  mixed <- onefold(list(data$views$rna, kernels$protein), 3, kernel = c("rbf", "precomputed"),
                   samples = "rows", method = METHOD)
  expect_identical(mixed$views$kernel, c("rbf", "precomputed"))
  expect_error(onefold(data$views, 3, kernel = "precomputed"), "150 rows and 6 columns")
  new <- lapply(kernels, function(k) k[1:5, ])
  expect_identical(predict(fit, new), fit$cluster[1:5])
})

test_that("a MultiAssayExperiment is taken by its map of samples", {
  skip_if_not_installed("MultiAssayExperiment")
  data <- named()
  matrices <- lapply(data$views, t)
  ids <- names(data$truth)
  matrices$protein <- matrices$protein[, 150:11]
  maps <- lapply(names(matrices), function(n) {
    data.frame(primary = colnames(matrices[[n]]), colname = paste(n, colnames(matrices[[n]])))
  })
  names(maps) <- names(matrices)
  for (n in names(matrices)) colnames(matrices[[n]]) <- paste(n, colnames(matrices[[n]]))
  make <- function(matrices, maps) {
    suppressMessages(MultiAssayExperiment::MultiAssayExperiment(
      experiments = matrices, colData = data.frame(row.names = ids),
      sampleMap = MultiAssayExperiment::listToMap(maps)))
  }
  object <- make(matrices, maps)
  fit <- onefold(object, 3, method = METHOD)
  expect_setequal(names(fit$cluster), ids)
  expect_equal(acc(fit, data$truth), 1)
  expect_identical(unname(fit$views$missing), c(0L, 10L))
  expect_match(fit$taken[2], "samples are columns, 140 of them with 9 rows")
  expect_identical(predict(fit, object), fit$cluster)
  expect_error(onefold(object, 3, samples = "rows"), "are columns", class = "onefold_usage_error")
  expect_error(onefold(object, 3, assays = "dna"), "it has rna, protein")
  maps$protein$primary[2] <- maps$protein$primary[1]
  expect_error(onefold(make(matrices, maps), 3), "several columns of the sample",
               class = "onefold_bad_data_error")
})

test_that("a Seurat object is taken by its assays or reductions", {
  skip_if_not_installed("SeuratObject")
  data <- named(columns = c(RNA = 30, ADT = 8))
  counts <- lapply(data$views, function(v) t(round(exp(v / 4))))
  for (n in names(counts)) dimnames(counts[[n]]) <- lapply(dimnames(counts[[n]]), gsub, pattern = " ", replacement = "-")
  object <- suppressWarnings(SeuratObject::CreateSeuratObject(methods::as(counts$RNA, "sparseMatrix")))
  object[["ADT"]] <- suppressWarnings(SeuratObject::CreateAssayObject(methods::as(counts$ADT, "sparseMatrix")))
  fit <- onefold(object, 3, method = METHOD, kernel = "rbf")
  expect_identical(names(fit$cluster), colnames(object))
  expect_identical(names(fit$weights), c("RNA", "ADT"))
  expect_gt(acc(fit, unname(data$truth)), 0.9)
  expect_match(fit$taken[1], "samples are columns, 150 of them with 30 rows")
  cells <- `rownames<-`(data$views$RNA, colnames(object))
  object[["pca"]] <- suppressWarnings(SeuratObject::CreateDimReducObject(
    `colnames<-`(cells, paste0("PC_", 1:30)), key = "PC_", assay = "RNA"))
  reduced <- onefold(object, 3, method = METHOD, assays = "ADT", reductions = "pca")
  expect_identical(names(reduced$weights), c("ADT", "pca"))
  expect_identical(predict(reduced, object), reduced$cluster)
  expect_error(onefold(object, 3, assays = "ATAC"), "it has RNA, ADT", class = "onefold_usage_error")
})
