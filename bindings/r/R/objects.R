# SPDX-License-Identifier: Apache-2.0
# Objects of other packages whose samples are columns, as parts. The packages are asked for only
# where such an object is there.

only_columns <- function(samples, class) {
  if (!is.null(samples) && samples != "columns") {
    fail(sprintf("the samples of a %s are columns", class), "usage", "leave out `samples`")
  }
}

# The first assay of every experiment, with samples named as the object's map has them.
parts_of_mae <- function(x, samples = NULL, assays = NULL) {
  only_columns(samples, "MultiAssayExperiment")
  if (!requireNamespace("MultiAssayExperiment", quietly = TRUE)) {
    fail("the package MultiAssayExperiment is needed for such an object", "unsupported")
  }
  found <- as.list(MultiAssayExperiment::assays(x))
  found <- chosen(found, assays, "experiment")
  map <- as.data.frame(MultiAssayExperiment::sampleMap(x))
  Map(function(matrix, name) {
    part <- part_of(matrix, name, "columns")
    own <- map[as.character(map$assay) == name, ]
    part$ids <- as.character(own$primary[match(part$ids, own$colname)])
    if (anyDuplicated(part$ids)) {
      fail(sprintf("the experiment %s has several columns of the sample %s", name,
                   part$ids[duplicated(part$ids)][1]), "bad-data",
           "which of them counts is not known: keep one, or take MultiAssayExperiment::mergeReplicates")
    }
    part
  }, found, names(found), USE.NAMES = FALSE)
}

# Assays (features x cells) and reductions (cells x dimensions) of a Seurat object.
parts_of_seurat <- function(x, samples = NULL, assays = NULL, reductions = NULL, layer = "data") {
  only_columns(samples, "Seurat object")
  if (!requireNamespace("SeuratObject", quietly = TRUE)) {
    fail("the package SeuratObject is needed for such an object", "unsupported")
  }
  of_assay <- function(name) {
    assay <- x[[name]]
    slots <- names(formals(utils::getS3method("GetAssayData", class(assay)[1],
                                              envir = asNamespace("SeuratObject"))))
    if ("layer" %in% slots) {
      SeuratObject::GetAssayData(assay, layer = layer)
    } else {
      SeuratObject::GetAssayData(assay, slot = layer)
    }
  }
  known <- names(slot(x, "assays"))
  if (is.null(assays) && is.null(reductions)) assays <- known
  wrong <- setdiff(assays, known)
  if (length(wrong)) {
    fail(sprintf("the object has no assay %s", wrong[1]), "usage",
         paste("it has", paste(known, collapse = ", ")))
  }
  wrong <- setdiff(reductions, names(slot(x, "reductions")))
  if (length(wrong)) {
    fail(sprintf("the object has no reduction %s", wrong[1]), "usage",
         paste("it has", paste(names(slot(x, "reductions")), collapse = ", ")))
  }
  dense <- lapply(reductions, function(name) {
    # cells are the columns of all parts, so that what is said of them holds
    part_of(t(SeuratObject::Embeddings(x[[name]])), name, "columns")
  })
  c(lapply(assays, function(name) part_of(of_assay(name), name, "columns")), dense)
}

chosen <- function(all, names, what) {
  if (is.null(names)) return(all)
  wrong <- setdiff(names, names(all))
  if (length(wrong)) {
    fail(sprintf("the object has no %s %s", what, wrong[1]), "usage",
         paste("it has", paste(names(all), collapse = ", ")))
  }
  all[names]
}

# Any x as the data of a call; `more` holds what of ... speaks of the object.
data_of <- function(x, samples = NULL, kernel = "auto", assays = NULL, reductions = NULL,
                    layer = "data") {
  if (inherits(x, "MultiAssayExperiment")) return(views_of(parts_of_mae(x, samples, assays)))
  if (inherits(x, "Seurat")) {
    return(views_of(parts_of_seurat(x, samples, assays, reductions, layer)))
  }
  if (inherits(x, "onefold_data")) return(views_of(parts_of_read(x)))
  if (is.array(x) && length(dim(x)) == 3) return(views_of_array(x))
  if (is.data.frame(x) || length(dim(x)) == 2) x <- list("view 1" = x)
  if (!is.list(x)) {
    fail(sprintf("x is a %s; a list of matrices is needed", class(x)[1]), "usage",
         "give list(rna = ..., protein = ...)")
  }
  views_of(parts_of_list(x, samples, kernel))
}
