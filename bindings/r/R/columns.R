# SPDX-License-Identifier: Apache-2.0
# Columns of a data frame as numbers: which are numbers, which are categories, which are left out.
# `kind_of` is the one rule. What it found in a fit is kept, as a plan for each view, so that new
# samples get the same columns.

most_categories <- 32 # of a column of texts; a factor may have more
most_named <- 5 # columns that a warning names
missing_words <- c("", "na", "nan", "-nan", "n/a", "#n/a", "#na", "none", "<na>", "null", "?", "-", ".")
word_pairs <- list(c("false", "true"), c("no", "yes"), c("f", "t"), c("n", "y"), c("off", "on"))
id_names <- c("id", "ids", "sample", "samples", "samplename", "barcode", "barcodes", "cell", "cells", "patient",
              "patients", "subject", "subjects", "participant", "index", "rowname", "rownames")
number_form <- "^[-+]?[$\u20ac\u00a3]?([0-9]{1,3}(,[0-9]{3})+|[0-9]*)(\\.[0-9]*)?([eE][-+]?[0-9]+)?[[:space:]]*%?$"
date_form <- "^([0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2,4})([T ].*)?$"

# The numbers that texts are, with a sign of currency, commas between thousands and a percent sign
# as people write them; NA where they are none.
numbers_in <- function(text) {
  text <- trimws(text)
  plain <- suppressWarnings(as.numeric(text))
  formed <- is.na(plain) & grepl(number_form, text) & grepl("[0-9]", text)
  bare <- suppressWarnings(as.numeric(gsub("[$\u20ac\u00a3,%[:space:]]", "", text)))
  ifelse(formed, bare / ifelse(grepl("%$", text), 100, 1), plain)
}

# 1 and 0 of the usual words for two values; NA of others.
words_as_numbers <- function(text) {
  text <- tolower(trimws(text))
  yes <- text %in% c("+", vapply(word_pairs, `[`, "", 2))
  no <- text %in% vapply(word_pairs, `[`, "", 1)
  ifelse(yes, 1, ifelse(no, 0, NA_real_))
}

# + and -, both of them, are 1 and 0; alone, a - is a missing value.
are_signs <- function(text) {
  there <- unique(trimws(text[!is.na(text)]))
  all(c("+", "-") %in% there) && all(there == "+" | tolower(there) %in% missing_words)
}

# Digits, as many in each, some with a zero in front: codes, and no amounts.
are_codes <- function(text) {
  length(text) > 0 && all(grepl("^[0-9]{2,}$", text)) && length(unique(nchar(text))) == 1 &&
    any(startsWith(text, "0"))
}

without_missing <- function(text) {
  if (are_signs(text)) text[trimws(text) == "-"] <- "no"
  text[!is.na(text) & tolower(trimws(text)) %in% missing_words] <- NA
  text
}

kind_of_texts <- function(text, view, name) {
  text <- trimws(text[!is.na(text)])
  distinct <- unique(text)
  odd <- if (are_codes(text)) text else text[is.na(numbers_in(text))]
  if (!length(odd) || all(distinct %in% c("+", "no")) && length(distinct) == 2 || any(vapply(word_pairs, function(p) all(tolower(distinct) %in% p), NA))) {
    return(list(what = "number"))
  }
  if (2 * length(odd) < length(text)) not_a_number(view, name, odd[1], "most of the column's values are")
  if (all(grepl(date_form, distinct))) return(list(what = "dates"))
  if (length(distinct) == 1) return(list(what = "one value"))
  if (length(distinct) <= most_categories && 2 * length(distinct) <= length(text)) {
    return(list(what = "category", levels = sort(distinct, method = "radix")))
  }
  list(what = if (length(distinct) == length(text)) "ids" else "free text")
}

# What a column is: "number", "category" with its levels, or why it is left out.
kind_of <- function(column, view, name) {
  if (inherits(column, c("Date", "POSIXt", "difftime"))) return(list(what = "dates"))
  if (is.factor(column)) {
    used <- levels(droplevels(column))
    present <- sum(!is.na(column))
    if (length(used) < 2) return(list(what = if (present) "one value" else "empty"))
    if (length(used) == present && present > 2) return(list(what = "ids"))
    return(list(what = "category", levels = used))
  }
  if (is.character(column)) column <- without_missing(column)
  if (is.list(column) || is.complex(column) || length(dim(column)) > 1) {
    fail(sprintf("the column `%s` of the view %s holds no numbers", name, view), "bad-data",
         "leave it out, or turn it into numbers")
  }
  if (length(column) && all(is.na(column))) return(list(what = "empty"))
  if (is.character(column)) kind_of_texts(column, view, name) else list(what = "number")
}

not_a_number <- function(view, name, value, why) {
  fail(sprintf("view %s, column %s: '%s' is not a number; %s", view, name, value, why), "bad-data",
       "put NA there, or make the column a factor")
}

named_few <- function(names) {
  more <- length(names) - most_named
  paste0(paste(names[seq_len(min(most_named, length(names)))], collapse = ", "),
         if (more > 0) sprintf(" and %d more", more))
}

# Columns of whole numbers that are ids: by their name, or, in the first place or under a name that a
# program gave, as they count the rows. A first column of other large numbers that all differ stays,
# and is named.
are_ids <- function(frame, view) {
  vapply(seq_along(frame), function(i) {
    column <- frame[[i]]
    plain <- gsub("[^a-z0-9]", "", tolower(names(frame)[i]))
    given <- names(frame)[i] == "X" || startsWith(names(frame)[i], "...")
    headed <- plain %in% id_names || endsWith(plain, "id")
    if (!is.numeric(column) || is.factor(column) || length(column) < 2 || !(i == 1 || given || headed)) return(FALSE)
    if (anyNA(column) || any(column != floor(column)) || anyDuplicated(column)) return(FALSE)
    steps <- length(column) >= 5 && all(diff(column) == 1)
    if (headed || steps && (given || i == 1)) return(TRUE)
    if (i == 1 && length(column) >= 5 && min(column) >= 0 && max(column) >= 1000) {
      warning(sprintf("view %s: the whole numbers of %s all differ; the column is taken for a feature. If it holds ids, make them the row names",
                      view, names(frame)[i]), call. = FALSE)
    }
    FALSE
  }, NA)
}

# The kinds of the columns of a frame; what is left out is said.
plan_of <- function(frame, view) {
  plan <- Map(function(column, name) kind_of(column, view, name), frame, names(frame))
  what <- vapply(plan, `[[`, "", "what")
  ids <- are_ids(frame, view)
  if (any(what[!ids] %in% c("number", "category"))) {
    what[ids] <- "ids"
    plan[ids] <- rep(list(list(what = "ids")), sum(ids))
  }
  if (length(what) && all(what == "empty")) {
    what[] <- "number" # samples that lack the view
    plan <- lapply(plan, function(kind) list(what = "number"))
  }
  left <- !what %in% c("number", "category")
  if (length(what) && all(left)) {
    columns <- sprintf("the column `%s` of the view %s (%s)", names(frame), view, what)
    fail(paste("there are no numbers and no categories in", named_few(columns)), "bad-data",
         "leave the view out, or turn its columns into numbers")
  }
  if (any(left)) {
    warning(sprintf("view %s: left out, as no numbers or categories: %s", view,
                    paste0(named_few(sprintf("%s (%s)", names(frame), what)[left]),
                           if (any(what == "ids")) "; samples are matched by row names")), call. = FALSE)
  }
  plan
}

numbers_of <- function(column, view, name) {
  if (is.factor(column)) column <- as.character(column)
  if (!is.character(column)) return(as.numeric(column))
  text <- without_missing(column)
  found <- ifelse(is.na(numbers_in(text)), words_as_numbers(text), numbers_in(text))
  bad <- is.na(found) & !is.na(text)
  if (any(bad)) not_a_number(view, name, text[bad][1], "the column was one of numbers")
  found
}

# 0 and 1 for each level; NA where the value is missing, 0 where it is no level.
indicators_of <- function(column, levels, view, name) {
  text <- as.character(column)
  if (!is.factor(column)) text <- trimws(without_missing(text))
  unknown <- unique(text[!is.na(text) & !text %in% levels])
  if (length(unknown)) {
    warning(sprintf("view %s, column %s: '%s' was not there in the fit; such samples are in none of its %d categories",
                    view, name, paste(unknown, collapse = "', '"), length(levels)), call. = FALSE)
  }
  found <- outer(text, levels, `==`) + 0
  colnames(found) <- paste0(name, "=", levels)
  found
}

# A number for each column of the matrix, the same for those of one category, which weigh as one;
# NULL where there is no category.
units_of <- function(plan) {
  widths <- vapply(plan, function(kind) {
    switch(kind$what, number = 1L, category = length(kind$levels), 0L)
  }, 0L)
  if (any(widths > 1)) rep(seq_along(widths), widths)
}

# A frame as a matrix of numbers, by its plan.
frame_numbers <- function(frame, view, plan) {
  if (!all(names(plan) %in% names(frame))) {
    needed <- vapply(plan, function(kind) kind$what %in% c("number", "category"), NA)
    lacking <- setdiff(names(plan)[needed], names(frame))
    if (length(lacking)) {
      fail(sprintf("the view %s of the new samples lacks %d columns, %s among them", view,
                   length(lacking), lacking[1]), "bad-data")
    }
  }
  other <- setdiff(names(frame), names(plan))
  if (length(other)) {
    warning(sprintf("view %s: %s was not there in the fit and is passed over", view,
                    named_few(other)), call. = FALSE)
  }
  parts <- lapply(names(plan), function(name) {
    switch(plan[[name]]$what,
           number = matrix(numbers_of(frame[[name]], view, name), ncol = 1, dimnames = list(NULL, name)),
           category = indicators_of(frame[[name]], plan[[name]]$levels, view, name))
  })
  do.call(cbind, c(list(matrix(0, nrow(frame), 0)), parts))
}
