# SPDX-License-Identifier: Apache-2.0
# All of it but the list of methods, which has a case of its own.
onefold fit --help | sed '/^Methods$/,/^$/d'
onefold fit -h | diff - <(onefold fit --help) && onefold fit nothing --help | diff - <(onefold fit --help)
