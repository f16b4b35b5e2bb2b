# SPDX-License-Identifier: Apache-2.0
onefold report --help
