# SPDX-License-Identifier: Apache-2.0
onefold --version | sed -E 's/^(built with|methods) .*/\1 .../'
onefold fit --version | diff - <(onefold --version)
onefold --version | grep -q '^built with threads zlib' || echo "says too little"
