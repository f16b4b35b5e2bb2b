# SPDX-License-Identifier: Apache-2.0
library(testthat)
library(onefold)
test_check("onefold")
