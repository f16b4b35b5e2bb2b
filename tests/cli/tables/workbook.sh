# SPDX-License-Identifier: Apache-2.0
# A workbook is refused with what to do.
printf 'PK\003\004aaaaaaaaaaaaaaaaaaaaaaaaaa[Content_Types].xml' >book.xlsx
try onefold fit book.xlsx --clusters 3
cp book.xlsx book.csv
try onefold info book.csv
printf '\320\317\021\340aaaa' >old.xls
try onefold info old.xls
