# SPDX-License-Identifier: Apache-2.0
onefold --help && onefold -h | diff - <(onefold --help)
