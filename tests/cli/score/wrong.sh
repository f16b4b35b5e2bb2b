# SPDX-License-Identifier: Apache-2.0
printf '1\n2\n3\n' >three.txt
printf '1\n2\n' >two.txt
printf '1.5\n2.5\n' >real.txt
: >empty.txt
try onefold score three.txt two.txt
try onefold score three.txt two.txt --json
try onefold score missing.txt two.txt
try onefold score three.txt real.txt
try onefold score empty.txt two.txt
