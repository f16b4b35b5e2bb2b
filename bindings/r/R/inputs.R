# SPDX-License-Identifier: Apache-2.0
# What people hand over as x, turned into views whose arrays the library borrows.

# One view before samples are matched: its matrix, which side the samples are, their names, and
# whether these are 1 to n in order, which a data frame has where nobody gave it others. `plan` is
# that of a fit, for new samples.
part_of <- function(x, name, side, kernel = FALSE, plan = NULL) {
  counts <- FALSE
  ids <- columns <- NULL
  if (is.data.frame(x) && side == "rows" && !kernel) {
    ids <- row.names(x)
    counts <- identical(ids, as.character(seq_len(nrow(x))))
    if (is.null(plan) && anyDuplicated(names(x))) {
      fail(sprintf("the view %s has two columns that are called %s", name,
                   names(x)[duplicated(names(x))][1]), "bad-data")
    }
    plan <- plan %||% plan_of(x, name)
    matrix <- frame_numbers(x, name, plan)
    own <- names(plan)[vapply(plan, function(kind) kind$what == "ids", NA)]
    columns <- lapply(x[intersect(own, names(x))], as.character)
  } else {
    if (any(vapply(plan, function(kind) kind$what == "category", NA))) {
      fail(sprintf("the view %s has categories: new samples are a data frame with its columns", name),
           "bad-data")
    }
    matrix <- matrix_of(x, name)
    if (kernel && is(matrix, "sparseMatrix")) matrix <- as.matrix(matrix)
    ids <- if (side == "columns") colnames(matrix) else rownames(matrix)
  }
  list(name = name, matrix = matrix, side = side, kernel = kernel, ids = ids, counts = counts,
       plan = plan, id_columns = columns)
}

# A matrix that the library can borrow: as it is where its type allows, else a copy.
matrix_of <- function(x, name) {
  if (is.data.frame(x)) x <- as.matrix(x)
  if (is(x, "Matrix")) return(sparse_of(x))
  if (!is.matrix(x)) {
    x <- tryCatch(as.matrix(x), error = function(e) NULL)
    if (!is.matrix(x)) fail(sprintf("the view %s is no matrix", name), "bad-data")
  }
  if (is.character(x)) {
    bad <- which(is.na(suppressWarnings(as.numeric(x))) & !is.na(x))
    if (length(bad)) {
      column <- (bad[1] - 1) %/% nrow(x) + 1
      not_a_number(name, colnames(x)[column] %||% column, x[bad[1]], "a matrix of numbers is needed")
    }
  }
  if (is.complex(x) || !(is.numeric(x) || is.logical(x) || is.raw(x))) {
    fail(sprintf("the view %s holds values of the type '%s'; numbers are needed", name, typeof(x)),
         "bad-data")
  }
  # R's missing integer is a number to the library
  if (!is.double(x) && !is.raw(x) && anyNA(x)) storage.mode(x) <- "double"
  x
}

sparse_of <- function(x) {
  if (is(x, "dgCMatrix")) return(x)
  if (is(x, "dgeMatrix")) return(matrix(x@x, nrow(x), ncol(x), dimnames = dimnames(x)))
  if (!is(x, "sparseMatrix")) return(as.matrix(x))
  as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix")
}

dims_of <- function(part) {
  if (part$side == "columns") rev(dim(part$matrix)) else dim(part$matrix)
}

shared_names <- function(all) {
  !any(vapply(all, is.null, NA)) && length(Reduce(intersect, all)) > 0
}

# Rows or columns: what the names and the sizes of several views agree on, and a refusal where that
# is nothing.
side_by_evidence <- function(x) {
  if (length(x) < 2 || any(vapply(x, is.data.frame, NA))) {
    return(list(side = "rows", why = NULL))
  }
  pick <- function(rows, columns) if (rows && !columns) "rows" else if (columns && !rows) "columns"
  by_names <- pick(shared_names(lapply(x, rownames)), shared_names(lapply(x, colnames)))
  same <- function(side) length(unique(vapply(x, function(m) dim(m)[side], 0L))) == 1
  by_size <- pick(same(1), same(2))
  if (length(unique(c(by_names, by_size))) != 1) {
    what <- if (is.null(by_names) && is.null(by_size)) {
      "the samples could be the rows or the columns of the views"
    } else {
      sprintf("by their names the samples are the %s, by their number the %s", by_names, by_size)
    }
    fail(what, "usage", 'give samples = "rows" or samples = "columns"')
  }
  side <- c(by_names, by_size)[1]
  list(side = side, why = if (is.null(by_size)) "they share names" else "they are as many in all views")
}

# The views of a list; `samples` NULL: by the evidence.
parts_of_list <- function(x, samples = NULL, kernel = "auto") {
  if (length(x) == 0) fail("x holds no views", "bad-data")
  if (is.null(names(x))) names(x) <- rep("", length(x))
  names(x) <- ifelse(nzchar(names(x)), names(x), paste("view", seq_along(x)))
  flat <- vapply(x, function(m) length(dim(m)) != 2, NA)
  if (any(flat)) fail(sprintf("the view %s is no matrix", names(x)[flat][1]), "bad-data")
  if (!length(kernel) %in% c(1, length(x))) {
    fail(sprintf("kernel has %d words, x has %d views", length(kernel), length(x)))
  }
  kernels <- rep_len(kernel == "precomputed", length(x))
  found <- list(side = samples %||% "rows", why = NULL)
  if (is.null(samples) && !all(kernels)) found <- side_by_evidence(x)
  if (!is.null(found$why) && found$side == "columns") {
    message("onefold: the samples are the columns of the views: ", found$why)
  }
  lapply(seq_along(x), function(i) {
    if (kernels[i] && nrow(x[[i]]) != ncol(x[[i]])) {
      fail(sprintf("the kernel %s has %d rows and %d columns", names(x)[i], nrow(x[[i]]),
                   ncol(x[[i]])), "bad-data")
    }
    part_of(x[[i]], names(x)[i], found$side, kernels[i])
  })
}

`%||%` <- function(a, b) if (is.null(a)) b else a

# Whether names are whole numbers, of which 1 to n could be some.
whole_numbers <- function(ids) all(grepl("^[0-9]+$", ids))

such_as <- function(part) sprintf("%s holds '%s'", part$name, part$ids[1])

# Refuses a view whose row names are 1 to n beside one whose samples have names of another kind, or
# count from 0: each would be matched with its neighbour.
check_counting <- function(parts, named) {
  for (part in parts[vapply(parts, `[[`, NA, "counts")]) {
    n <- length(part$ids)
    other <- Find(function(p) {
      !whole_numbers(p$ids) || identical(p$ids, as.character(seq_len(n) - 1))
    }, parts[named])
    if (!is.null(other)) {
      fail(sprintf(paste("the view %s has the row names 1 to %d, which nobody gave it, and %s: which",
                         "samples belong together cannot be told"), part$name, n, such_as(other)),
           "bad-data", paste("name the rows of every view, or give matrices without names",
                             "to take samples by their order"))
    }
  }
}

# Refuses names that hardly meet, as the readers of files do.
check_meeting <- function(parts) {
  ids <- lapply(parts, `[[`, "ids")
  for (i in seq_along(ids)) {
    common <- vapply(ids[-i], function(other) sum(other %in% ids[[i]]), 0L)
    if (!any(common > 0 & 10 * common >= pmin(length(ids[[i]]), lengths(ids[-i])))) {
      fail(paste("the views have", if (any(common > 0)) "hardly a" else "no", "sample in common:",
                 paste(vapply(parts, such_as, ""), collapse = ", ")), "bad-data")
    }
  }
}

# Refuses views whose row names nobody gave, and that have the same ids in a column, in another order:
# by their places, samples would be matched with others.
check_id_columns <- function(parts) {
  for (i in seq_along(parts)) for (j in seq_len(i - 1)) {
    for (name in intersect(names(parts[[i]]$id_columns), names(parts[[j]]$id_columns))) {
      one <- parts[[j]]$id_columns[[name]]
      two <- parts[[i]]$id_columns[[name]]
      if (!identical(one, two) && 2 * length(intersect(one, two)) >= min(length(one), length(two))) {
        fail(sprintf("the views %s and %s have their ids in the column %s, in different order", parts[[j]]$name,
                     parts[[i]]$name, name), "bad-data",
             "make them the row names of both, so that samples are matched by them")
      }
    }
  }
}

# The samples of all parts: their names, and for each part where it has them (0: it lacks the
# sample). Names, and row names that are not 1 to n in order, are ones to match by, for all views; 1 to
# n then counts as names where the others are whole numbers too. Without any, order is enough, and
# `where` is NULL.
match_samples <- function(parts) {
  ids <- lapply(parts, `[[`, "ids")
  counts <- vapply(parts, function(p) dims_of(p)[1], 0L)
  bare <- vapply(ids, is.null, NA)
  named <- !bare & !vapply(parts, `[[`, NA, "counts")
  apart <- function() {
    fail(paste0("the views have different numbers of samples (", paste(counts, collapse = ", "),
                ") and not all of them have names for their samples"), "bad-data",
         "name the samples of every view, so that they can be matched")
  }
  if (!any(named)) {
    check_id_columns(parts)
    if (length(unique(counts)) > 1) apart()
    return(list(names = NULL, where = NULL))
  }
  for (part in parts[named]) {
    if (anyDuplicated(part$ids)) {
      fail(sprintf("the view %s has the sample %s twice", part$name,
                   part$ids[duplicated(part$ids)][1]), "bad-data")
    }
  }
  check_counting(parts, named)
  first <- ids[!bare][[1]]
  same <- all(vapply(ids[!bare], identical, NA, first))
  if (any(bare)) {
    if (length(unique(counts)) > 1) apart()
    if (!same || whole_numbers(first)) {
      fail(sprintf("the view %s has no names for its samples, and %s", parts[[which(bare)[1]]]$name,
                   if (same) "the others have numbers: which belong together cannot be told"
                   else "the others are matched by theirs"), "bad-data",
           "name the samples of every view")
    }
    message(sprintf("onefold: the view %s has no names for its samples: they are taken in the order of %s",
                    parts[[which(bare)[1]]]$name, parts[[which(!bare)[1]]]$name))
  }
  if (same) return(list(names = first, where = NULL))
  check_meeting(parts)
  all <- Reduce(union, ids)
  list(names = all, where = lapply(ids, function(own) match(all, own, nomatch = 0L)))
}

# The samples of a part in another order; what it lacks is filled with its first sample and never
# looked at.
laid_out <- function(part, where) {
  take <- pmax(where, 1L)
  part$matrix <- if (part$kernel) {
    part$matrix[take, take, drop = FALSE]
  } else if (part$side == "columns") {
    part$matrix[, take, drop = FALSE]
  } else {
    part$matrix[take, , drop = FALSE]
  }
  part
}

# A part as the library borrows it.
described <- function(part) {
  x <- part$matrix
  size <- dims_of(part)
  names <- if (part$side == "columns") rownames(x) else colnames(x)
  if (part$kernel || is.null(names) || anyDuplicated(names) || anyNA(names)) names <- NULL
  view <- list(name = part$name, columns = size[2], column_names = names,
               units = part$units %||% units_of(part$plan))
  if (is(x, "dgCMatrix")) {
    by_sample <- if (part$side == "columns") x else t(x)
    return(c(view, list(kind = "sparse", start = by_sample@p, index = by_sample@i,
                        values = by_sample@x)))
  }
  steps <- if (part$side == "columns") c(nrow(x), 1) else c(1, nrow(x))
  c(view, list(kind = if (part$kernel) "kernel" else "dense", values = x, sample_step = steps[1],
               column_step = steps[2]))
}

# Everything that the library's data set is made of, and what was taken, in words. `absent` are the
# widths of views that no sample has, by name, and `order` is that of all views.
views_of <- function(parts, absent = NULL, order = NULL) {
  matched <- match_samples(parts)
  counts <- vapply(parts, function(p) dims_of(p)[1], 0L)
  present <- NULL
  if (!is.null(matched$where)) {
    parts <- Map(laid_out, parts, matched$where)
    present <- do.call(rbind, matched$where) > 0
  }
  samples <- as.integer(dims_of(parts[[1]])[1])
  if (samples < 1) fail("the views hold no samples", "bad-data")
  if (length(absent)) {
    had <- present %||% matrix(TRUE, length(parts), samples)
    none <- lapply(names(absent), function(name) {
      part_of(matrix(0, samples, absent[[name]]), name, "rows")
    })
    parts <- c(parts, none)
    at <- match(order, vapply(parts, `[[`, "", "name"))
    present <- rbind(had, matrix(FALSE, length(none), samples))[at, , drop = FALSE]
    counts <- c(counts, integer(length(none)))[at]
    parts <- parts[at]
  }
  views <- lapply(parts, described)
  taken <- vapply(seq_along(parts), function(i) {
    if (parts[[i]]$kernel) return(sprintf("%s: a kernel of %d samples", parts[[i]]$name, counts[i]))
    sprintf("%s: samples are %s, %d of them with %d columns", parts[[i]]$name, parts[[i]]$side,
            counts[i], views[[i]]$columns)
  }, "")
  if (parts[[1]]$side == "columns") taken <- sub(" columns$", " rows", taken)
  list(views = views, samples = samples, names = matched$names,
       present = if (!is.null(present) && !all(present)) array(as.raw(present), dim(present)),
       side = parts[[1]]$side, taken = taken, plans = lapply(parts, `[[`, "plan"))
}

# Slices of an n x n x p array as kernels, each where it lies.
views_of_array <- function(x) {
  size <- dim(x)
  if (length(size) != 3 || size[1] != size[2]) {
    fail("an array of kernels is samples x samples x kernels", "bad-data")
  }
  if (!is.double(x)) storage.mode(x) <- "double"
  names <- dimnames(x)[[3]] %||% paste("kernel", seq_len(size[3]))
  views <- lapply(seq_len(size[3]), function(i) {
    list(name = names[i], kind = "kernel", columns = size[1], values = x, sample_step = 1,
         column_step = size[1], offset = as.double(size[1]) * size[1] * (i - 1))
  })
  list(views = views, samples = size[1], names = dimnames(x)[[1]], present = NULL, side = "rows",
       taken = sprintf("%s: a kernel of %d samples", names, size[1]))
}
