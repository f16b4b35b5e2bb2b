# SPDX-License-Identifier: Apache-2.0
# What nothing tells is a line of the summary of fit.
table bare.csv ids=none names=none
fitted bare.csv
fitted bare.csv --samples-are rows
table headed.csv ids=none
fitted headed.csv
