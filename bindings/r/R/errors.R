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

# What an entry of the library gave, or the condition where it failed.
checked <- function(found) {
  if (inherits(found, "onefold_failure")) {
    fail(in_arguments(sub("\n$", "", found$message)), found$status, in_arguments(found$hint))
  }
  if (is.list(found)) found[nzchar(names(found))] else found
}
