# SPDX-License-Identifier: Apache-2.0
# All of it but the list of methods, which has a case of its own.
onefold bench --help | sed '/^Methods$/,/^$/d'
