# SPDX-License-Identifier: Apache-2.0
onefold --help && onefold -h | diff - <(onefold --help)
onefold help | diff - <(onefold --help)
onefold help synth | diff - <(onefold synth --help)
try onefold help nothing
