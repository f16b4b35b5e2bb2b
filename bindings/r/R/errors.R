# SPDX-License-Identifier: Apache-2.0
# Errors: the library's sentences as conditions, in the words of this package.

# The library names its own fields between backquotes; here they are arguments.
argument_names <- c(clusters = "k", keep_model = "model", samples_are = "samples", least = "from",
                    most = "to")

in_arguments <- function(sentence) {
  for (field in names(argument_names)) {
    sentence <- gsub(paste0("`", field, "`"), paste0("`", argument_names[[field]], "`"), sentence,
                     fixed = TRUE)
  }
  sentence
}

# Raises a condition of the classes onefold_<status>_error and onefold_error.
fail <- function(message, status = "usage", hint = "", call = NULL) {
  class <- c(paste0("onefold_", gsub("-", "_", status), "_error"), "onefold_error", "error",
             "condition")
  text <- if (nzchar(hint)) paste0(message, "; ", hint) else message
  stop(structure(class = class, list(message = text, call = call, status = status, hint = hint)))
}

# A sentence about a cell of a view with the names of its sample and column, where they have some, in
# the place of their numbers.
cell_named <- function(sentence, data) {
  at <- regmatches(sentence, regexec("^(.*): .*sample ([0-9]+), column ([0-9]+)", sentence))[[1]]
  view <- Find(function(v) length(at) && identical(v$name, at[2]), data$views)
  if (is.null(view$column_names)) return(sentence)
  sample <- as.integer(at[3])
  who <- if (is.null(data$names)) sample else sprintf("'%s'", data$names[sample])
  sub(sprintf("sample %s, column %s", at[3], at[4]),
      sprintf("sample %s, column %s", who, view$column_names[as.integer(at[4])]), sentence, fixed = TRUE)
}

# What an entry of the library gave for `data`, or the condition where it failed.
checked <- function(found, data = NULL) {
  if (inherits(found, "onefold_failure")) {
    sentence <- cell_named(sub("\n$", "", found$message), data)
    fail(in_arguments(sentence), found$status, in_arguments(found$hint))
  }
  if (is.list(found)) found[nzchar(names(found))] else found
}
